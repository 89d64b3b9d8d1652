//! Going on from a saved state.

use super::CpuBackend;
use super::tile::TileState;
use super::{CpuOptions, frame::REACH};
use crate::backend::saved::{Resumed, Saved, floats};
use crate::backend::{Problem, StateLayer};
use crate::error::Result;
use crate::rule::edge::EdgeField;

impl CpuBackend {
    /// Sets up a problem with a saved state in the place of its water at the start.
    pub fn resume(
        mut problem: Problem,
        options: CpuOptions,
        mut saved: Resumed,
    ) -> Result<CpuBackend> {
        let arrays = Saved::arrays(&problem);
        problem.initial = Vec::new();
        let mut backend = CpuBackend::new(problem, options);
        let (grid, remembers) = (backend.plan.grid, backend.rule.remembers());
        saved.each_line(&arrays, grid, |array, line, bits| {
            // An edge belongs to the cell before it, and tiles keep those before their own cells, too.
            let (first, second) = match array {
                Saved::Edges(_, 1) => (line.checked_sub(1), (line < grid.1).then_some(line)),
                _ => (Some(line), None),
            };
            for row in first.into_iter().chain(second) {
                for tile in backend.tiles_of_row(row) {
                    let local = line as isize - tile.area.row as isize;
                    if Some(row) == first || local == 0 {
                        tile.restore(array, local, bits, remembers);
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
    /// Takes its part of a line of the grid: `row` is the line's number, counted from the tile's first row.
    fn restore(&mut self, array: Saved, row: isize, line: &[u32], remembers: Option<EdgeField>) {
        let (column, columns) = (self.area.column, self.area.columns);
        if let Saved::Edges(field, axis) = array {
            let (place, count) = match axis {
                0 => (self.row_start(row as usize) - 1, columns + 1),
                // Those south of the row before.
                _ => (((row + REACH as isize - 1) as usize) * self.stride + REACH, columns),
            };
            let layer = match field {
                EdgeField::Discharge => &mut self.discharge[axis],
                EdgeField::Velocity => &mut self.velocity[axis],
            };
            let to = &mut layer[place..place + count];
            to.iter_mut().zip(floats(&line[column..column + count])).for_each(|(to, q)| *to = q);
            self.moving |= remembers == Some(field) && to.iter().any(|flow| *flow != 0.0);
            return;
        }
        let row = row as usize;
        let bits = &line[column..column + columns];
        let own = row * columns..(row + 1) * columns;
        match array {
            Saved::Grains(StateLayer::Water) => {
                let start = self.row_start(row);
                let mut deepest = 0;
                for (place, &bits) in (start..start + columns).zip(bits) {
                    self.water[place] = bits as i32;
                    deepest = deepest.max(bits as i32);
                }
                self.row_wet[row + REACH] = deepest > 0;
                self.deepest = self.deepest.max(deepest);
            }
            Saved::Grains(StateLayer::MaxWater) => {
                self.most[own].iter_mut().zip(bits).for_each(|(to, &bits)| *to = bits as i32);
            }
            Saved::Arrival => {
                self.arrival[own].iter_mut().zip(floats(bits)).for_each(|(to, time)| *to = time);
            }
            Saved::Plane(plane) => {
                let held = self.planes.iter_mut().find(|(held, _)| *held == plane);
                let (_, to) = held.expect("a plane of the problem");
                to[own].copy_from_slice(bits);
            }
            Saved::Edges(..) => unreachable!("see above"),
        }
    }
}
