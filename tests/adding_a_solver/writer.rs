//! Surroundings of the file in docs/adding_a_writer.md.

pub use inundate::output::colour::NODATA;
pub use inundate::output::format::{Format, MapWriter, Sheet, name_of};

#[path = "src/output/format/ascii_grid.rs"]
pub mod ascii_grid;
