//! Flood model on rasters: a DEM and rain go in, depth and arrival-time GeoTIFFs come out.
//!
//! The modules lie on floors; none knows one above it (`tests/docs/layering.rs` holds that). From the lowest up:
//!
//! 1. [`words`], [`error`], [`units`], [`measures`] as they are typed, and the way to the terminal;
//! 2. [`engine`]: the state of a run and its arithmetic. It knows no file;
//! 3. [`machine`]: the memory of the host, and the processes that share a run;
//! 4. [`input`]: rasters, vectors and tables are read;
//! 5. [`output`]: maps and tables are written, painted and put in place; checkpoints;
//! 6. [`scenario`]: what the user says, checked, converted to SI and laid on one grid;
//! 7. [`observer`]: what is watched on the way, and whether it is to be trusted;
//! 8. [`results`]: reports, pages, QGIS projects and pictures of what is written;
//! 9. [`run`], on the processor that is chosen;
//! 10. [`study`]: many runs; [`mod@bench`]: their speed; [`lab`]: automata;
//! 11. [`cli`]: the commands.
//!
//! The laboratory's rules, [`automata`], are a crate beside the engine.
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

pub mod bench;
pub mod cli;
pub mod input;
pub mod lab;
pub mod machine;
pub mod measures;
pub mod observer;
pub mod output;
pub mod results;
pub mod run;
pub mod scenario;
pub mod study;
