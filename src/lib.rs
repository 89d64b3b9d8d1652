//! Flood model on rasters: a DEM and rain go in, depth and arrival-time GeoTIFFs come out.
//!
//! The modules lie on floors; none knows one above it (`tests/docs/layering.rs` holds that):
//!
//! 1. [`words`], [`error`], [`units`] and the way to the terminal;
//! 2. [`engine`]: the state of a run and its arithmetic. It knows no file;
//! 3. reading: [`input`], bounded by the machine ([`host_memory`]); writing: [`colour`], [`layers`], [`watch`],
//!    [`checkpoint`], [`output`];
//! 4. [`scenario`]: what the user says, checked, converted to SI and laid on one grid; [`processor`] and [`ranks`]: what it runs on;
//!    [`quality`]: whether it is to be trusted;
//! 5. [`results`] and [`observer`]: what is written and watched on the way; [`report`]: what is told at the end;
//!    [`compare`]: how well it fits what was observed; [`project`], [`page`], [`animate`]: how it is shown;
//! 6. [`run`], [`study`] and [`mod@bench`]: whole runs, and [`automaton`] those of the laboratory; [`cli`]: the commands.
//!
//! The laboratory, [`automata`], stands apart from the engine.
//!
//! As a library, most will want [`engine`] alone: a [`Case`](engine::case::Case) is a run in a few lines, and has an example.
//!
//! Water is counted in whole grains, so volume is exact and every tiling, thread count, instruction
//! set and GPU gives the same bits.

#[macro_use]
mod say;

pub use inundate_automata as automata;
pub use inundate_engine as engine;
pub use inundate_engine::{error, units, words};

pub mod animate;
pub mod automaton;
pub mod bench;
pub mod checkpoint;
pub mod cli;
pub mod colour;
pub mod compare;
pub mod headline;
pub mod host_memory;
pub mod input;
pub mod layers;
pub mod observer;
pub mod output;
pub mod page;
pub mod processor;
pub mod project;
pub mod quality;
pub mod ranks;
pub mod report;
pub mod results;
pub mod run;
pub mod scenario;
pub mod study;
pub mod watch;
