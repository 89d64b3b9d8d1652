//! Cells with tables of finer ground whose one level stands for two waters: a crest in the cell parts them.

use super::figure::{Figure, Moment, SHARE, percent};
use super::limits;
use crate::engine::backend::Backend;
use crate::engine::extremes::Maximum;
use crate::engine::field::Field;
use crate::error::Result;
use crate::output::bands::in_bands;
use crate::scenario::Facts;

/// What is known of the flooded cells.
#[derive(Default)]
struct Flooded {
    cells: usize,
    parted: usize,
    /// The most water (grains) of a parted one, and which.
    worst: (u32, usize),
}

/// The share of the flooded cells that are parted when the run ends (s), with the place of the deepest; none if cells have no tables.
///
/// # Errors
/// If the state cannot be read.
pub fn figure(backend: &dyn Backend, end: f64, facts: &Facts) -> Result<Option<Figure>> {
    if facts.fine.is_none() {
        return Ok(None);
    }
    let Flooded { cells, parted, worst: (most, cell) } = look(backend, facts)?;
    let share = parted as f64 / cells.max(1) as f64;
    let at = (parted > 0).then(|| Maximum::new(most, cell));
    let at = at.and_then(|at| Moment::of(at, end, &facts.grid));
    let figure = Figure::new(
        "share of the flooded cells in which a crest parts two waters",
        share,
        Some(limits::SHARE_PARTED),
    );
    Ok(Some(figure.at(SHARE, at).says(|figure| {
        let place = figure.at.map_or(String::new(), |at| at.place());
        format!(
            "in {parted} of {cells} flooded cells ({}) a crest that is finer than the cell (a wall, a dyke, a ridge) parts two waters, which have but one level there: it holds nothing back within the cell, so do not trust levels beside it (the deepest at {place}); give a smaller subgrid, or see where they lie: inundate check --parted parted.tif",
            percent(share)
        )
    })))
}

/// Looks at the most water that cells held.
fn look(backend: &dyn Backend, facts: &Facts) -> Result<Flooded> {
    let grid = &facts.grid;
    let above = facts.flow.grain.from_depth(facts.arrival_depth).unwrap_or_default() as u32;
    let mut parted = facts.parted.iter().copied().peekable();
    let mut flooded = Flooded::default();
    in_bands(backend, grid, Field::Most, |from, most| {
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
