//! Going on from a saved state.

use super::CpuBackend;
use super::tile::TileState;
use super::{CpuOptions, frame::REACH};
use crate::backend::Problem;
use crate::backend::saved::Resumed;
use crate::error::Result;
use crate::field::{Field, Place, words};
use crate::rule::edge::EdgeField;

impl CpuBackend {
    /// Sets up a problem with a saved state in the place of its water at the start.
    pub fn resume(
        mut problem: Problem,
        options: CpuOptions,
        mut saved: Resumed,
    ) -> Result<CpuBackend> {
        let kept = problem.kept();
        problem.initial = Vec::new();
        let mut backend = CpuBackend::new(problem, options);
        let (grid, remembers) = (backend.plan.grid, backend.rule.remembers());
        saved.each_line(&kept, grid, |field, line, bits| {
            // An edge belongs to the cell before it, and tiles keep those before their own cells, too.
            let (first, second) = match field.row().place {
                Place::SouthEdge => (line.checked_sub(1), (line < grid.1).then_some(line)),
                _ => (Some(line), None),
            };
            let (_, above) = field.before();
            for row in first.into_iter().chain(second) {
                for tile in backend.tiles_of_row(row) {
                    let local = line as isize - tile.area.row as isize;
                    if Some(row) == first || local == 0 {
                        tile.restore(field, local - above as isize, bits, remembers);
                    }
                }
            }
        })?;
        backend.links.states.clone_from(&saved.links);
        backend.gauges.states.clone_from(&saved.gauges);
        backend.watch = saved.watch;
        // The sums are of no tile in particular.
        if let Some(tile) = backend.tiles.first_mut() {
            tile.ledger = saved.before();
            tile.crossed = saved.crossed;
            tile.booked = std::mem::take(&mut saved.booked);
        }
        Ok(backend)
    }

    fn tiles_of_row(&mut self, row: usize) -> impl Iterator<Item = &mut TileState> {
        let first = self.plan.owner(0, row);
        let across = self.plan.grid.0.div_ceil(self.plan.tiles[first].area.columns);
        self.tiles[first..first + across].iter_mut()
    }
}

impl TileState {
    /// Takes its part of a line of the grid: `row` is that of the cells that it belongs to, counted from the tile's first.
    fn restore(&mut self, field: Field, row: isize, line: &[u32], remembers: Option<EdgeField>) {
        let first = self.area.column;
        let to = self.line_mut(field, row);
        to.copy_from_slice(&line[first..first + to.len()]);
        let remembered = remembers
            .is_some_and(|edge| [0, 1].map(|axis| Field::edge(edge, axis)).contains(&field));
        if remembered {
            self.moving |= words::<f32>(self.line(field, row)).iter().any(|flow| *flow != 0.0);
        }
        if field == Field::Water {
            let row = row as usize;
            let deepest = self.water_of(row).iter().copied().max().unwrap_or(0);
            self.row_wet[row + REACH] = deepest > 0;
            self.deepest = self.deepest.max(deepest);
        }
    }
}
