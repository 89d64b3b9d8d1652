//! Flood model on rasters: a DEM and rain go in, depth and arrival-time GeoTIFFs come out.
//!
//! The modules are layered; none depends on one above it (checked by `tests/docs/layering.rs`).
//! From the lowest layer up:
//!
//! 1. [`words`], [`error`], [`units`], [`measures`] (quantities with units, as typed), terminal
//!    output, and suggestions for unknown names;
//! 2. [`engine`]: the state of a run and its arithmetic, without any file access;
//! 3. [`machine`]: host memory, threads, and the processes that share a run;
//! 4. [`input`]: reading rasters, vector layers and tables;
//! 5. [`output`]: writing, colouring and publishing maps and tables; checkpoints;
//! 6. [`scenario`]: the user's options, validated, converted to SI and mapped onto one grid;
//! 7. [`observer`]: observers of a run, and quality checks;
//! 8. [`results`]: reports, pages, QGIS projects and animations of the output;
//! 9. [`run`]: running a scenario on the chosen processor;
//! 10. [`study`]: many runs; [`mod@bench`]: speed measurements; [`lab`]: automata;
//! 11. [`cli`]: the commands.
//!
//! The laboratory's automata, [`automata`], are a separate crate beside the engine.
//!
//! As a library, most users need only [`engine`]: a [`Case`](engine::case::Case) sets up a run in a
//! few lines, and its documentation has an example.
//!
//! Water is counted in whole grains, so volume is exact, and every tiling, thread count,
//! instruction set and GPU produces bit-identical results.

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
pub mod speed;
pub mod study;
mod suggest;
