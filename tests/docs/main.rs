//! Checks the documents, and the layout of the sources.

#[path = "../program/cli_common/mod.rs"]
mod cli_common;

mod circles;
mod commands;
mod evidence;
mod layering;
mod links;
mod messages;
mod release;
mod schema;
mod tables;
#[path = "../tier.rs"]
mod tier;
