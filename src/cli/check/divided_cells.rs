//! Cells with subgrid tables in which a crest separates two bodies of water: counted, and mapped on
//! request.

use crate::engine::grid::{Bed, Grid};
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::observer::quality::figure::percent;
use crate::output::folder::folder_of;
use crate::output::format::{Downsampling, Format, Labels, Sheet, USUAL};
use crate::output::guard::OutputTarget;
use crate::output::layers::NODATA;
use crate::output::own_files::{PARTED_ITEM, is_our_map};
use crate::words::counted;
use serde::Serialize;
use std::path::Path;

/// Part of the output of `check --json`.
#[derive(Serialize)]
pub struct Parted {
    /// Number of cells in which a crest separates two bodies of water.
    parted_cells: usize,
    /// Their share of the domain.
    parted_share: f64,
}

impl Parted {
    /// Counts them; `None` without subgrid tables.
    pub fn of(tables: Option<&Tables>) -> Option<Parted> {
        let tables = tables?;
        let parted_cells = tables.parted_cells().len();
        let domain = tables.bed.iter().filter(|level| **level != Bed::OUTSIDE).count();
        Some(Parted { parted_cells, parted_share: parted_cells as f64 / domain.max(1) as f64 })
    }

    /// Prints the count.
    pub fn print(&self) {
        let cells = counted(self.parted_cells, "cell", "cells");
        let share = percent(self.parted_share);
        outln!(
            "parted      {cells} ({share}), in which a crest narrower than the cell (a wall, a levee) separates two water bodies"
        );
    }
}

/// Writes a map of the cells with two separate water bodies (1, otherwise 0). `inputs` are the
/// files that the scenario is read from.
///
/// # Errors
/// If cells have no tables, or the map cannot be written or must not replace an existing file.
pub fn draw(path: &Path, grid: &Grid, tables: Option<&Tables>, inputs: &[&Path]) -> Result<()> {
    let tables = tables.ok_or_else(|| {
        Error::input(
            "parted: the run has no subgrid, so no cell can have two separate water bodies",
        )
        .hint("give --subgrid 8, or leave --parted out")
    })?;
    let shown = path.display();
    let format = Format::of(path).ok_or_else(|| {
        Error::input(format!("parted: '{shown}' is not named as a map"))
            .hint(format!("name it {}", USUAL.file("parted")))
    })?;
    // A map from an earlier call with this option may be replaced.
    let target = OutputTarget { option: "parted", path, overwrite: true };
    target.check(inputs, |path| is_our_map(path, PARTED_ITEM))?;
    let failed = |error: std::io::Error| {
        Error::run(format!("cannot write '{shown}'"))
            .because(error)
            .hint("is the disk full, or the folder not there, or not yours to write in?")
    };
    let staging = tempfile::Builder::new().prefix(".inundate-").tempdir_in(folder_of(path));
    let staging = staging.map_err(failed)?;
    let map = staging.path().join(format.file("parted"));
    let cells = tables.bed.iter().zip(&tables.parted);
    let value = |(level, parted): (&i32, &bool)| match *level {
        Bed::OUTSIDE => NODATA,
        _ => f32::from(u8::from(*parted)),
    };
    let values: Vec<f32> = cells.map(value).collect();
    let about = "1 where a crest in the cell separates two water bodies";
    let metadata = [(PARTED_ITEM, env!("CARGO_PKG_VERSION").to_string())];
    let labels = Labels {
        downsampling: Downsampling::Nearest,
        metadata: &metadata,
        ..Labels::of(about, "")
    };
    format.write(Sheet::new(&map, grid, &labels), &values)?;
    std::fs::rename(map, path).map_err(failed)
}
