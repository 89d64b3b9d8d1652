//! Whether the documents, and how the sources are laid out, are as they say.

#[path = "../program/cli_common/mod.rs"]
mod cli_common;

mod circles;
mod commands;
mod layering;
mod links;
mod messages;
mod release;
mod schema;
mod tables;
#[path = "../tier.rs"]
mod tier;
