//! Counts cells with subgrid tables whose single level represents two bodies of water separated by
//! a crest.

use super::figure::{Figure, PlaceAndTime, SHARE, percent};
use super::limits;
use crate::engine::backend::Backend;
use crate::engine::field::Field;
use crate::engine::run_diagnostics::Maximum;
use crate::error::Result;
use crate::output::bands::in_bands;
use crate::scenario::Facts;

/// Counts of flooded cells.
#[derive(Default)]
struct Flooded {
    cells: usize,
    parted: usize,
    /// Most water (grains) in a divided cell, and that cell.
    worst: (u32, usize),
}

/// Returns the share of the flooded cells that are divided at the end of the run (s), with the
/// place of the deepest one; `None` without subgrid tables.
///
/// # Errors
/// If the state cannot be read.
pub fn figure(backend: &dyn Backend, end: f64, facts: &Facts) -> Result<Option<Figure>> {
    if facts.fine.is_none() {
        return Ok(None);
    }
    let Flooded { cells, parted, worst: (most, cell) } = count_flooded(backend, facts)?;
    let share = parted as f64 / cells.max(1) as f64;
    let at = (parted > 0).then(|| Maximum::new(most, cell));
    let at = at.and_then(|at| PlaceAndTime::of(at, end, &facts.grid));
    let figure = Figure::new(
        "share of the flooded cells in which a crest separates two water bodies",
        share,
        Some(limits::SHARE_PARTED),
    );
    Ok(Some(figure.at(SHARE, at).says(|figure| {
        let place = figure.at.map_or(String::new(), |at| at.place());
        format!(
            "in {parted} of {cells} flooded cells ({}) a crest narrower than the cell (a wall, a levee, a ridge) separates two water bodies, but the cell has a single level: the crest holds nothing back within the cell, so do not trust levels beside it (the deepest at {place}); use a smaller subgrid, or map these cells: inundate check --parted parted.tif",
            percent(share)
        )
    })))
}

/// Counts the flooded cells, and those of them that are divided, from the maximum depths.
fn count_flooded(backend: &dyn Backend, facts: &Facts) -> Result<Flooded> {
    let grid = &facts.grid;
    let above = facts.flow.grain.from_depth(facts.arrival_depth).unwrap_or_default() as u32;
    let mut parted = facts.parted.iter().copied().peekable();
    let mut flooded = Flooded::default();
    in_bands(backend, grid, Field::MaxDepth, |from, most| {
        flooded.cells += most.iter().filter(|&&most| most > above).count();
        while let Some(cell) = parted.next_if(|&cell| cell < from + most.len()) {
            let most = most[cell - from];
            if most > above {
                flooded.parted += 1;
                flooded.worst = flooded.worst.max((most, cell));
            }
        }
    })?;
    Ok(flooded)
}
