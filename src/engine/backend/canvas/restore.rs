//! Going on from a saved state.

use super::Canvas;
use crate::backend::saved::{Resumed, Saved, floats};
use crate::backend::{Problem, StateLayer};
use crate::error::Result;
use crate::tiling::plan::Rect;
use crate::tiling::visit::MARGIN;

impl Canvas {
    /// Puts a saved state of a problem in the place of its water at the start.
    pub fn restore(&mut self, problem: &Problem, mut saved: Resumed) -> Result<()> {
        let planes = problem.planes();
        let grid = (self.columns - 2 * MARGIN, self.rows - 2 * MARGIN);
        saved.each_line(&Saved::arrays(problem), grid, |array, line, bits| {
            let start = (line + MARGIN) * self.columns + MARGIN;
            let own = start..start + grid.0;
            let whole = |to: &mut [i32]| {
                to.iter_mut().zip(bits).for_each(|(to, &bits)| *to = bits as i32);
            };
            let float = |to: &mut [f32]| {
                to.iter_mut().zip(floats(bits)).for_each(|(to, value)| *to = value);
            };
            match array {
                Saved::Grains(StateLayer::Water) => whole(&mut self.water[0][own]),
                Saved::Grains(StateLayer::MaxWater) => whole(&mut self.most[own]),
                Saved::Arrival => float(&mut self.arrival[own]),
                Saved::Plane(plane) => {
                    let held = planes.iter().position(|held| *held == plane);
                    let number = held.expect("a plane of the problem");
                    for side in self.planes.iter_mut().filter(|side| !side[number].is_empty()) {
                        side[number][own.clone()].copy_from_slice(bits);
                    }
                }
                // An edge belongs to the cell before it.
                Saved::Edges(field, axis) => {
                    let first = if axis == 0 { start - 1 } else { start - self.columns };
                    float(&mut self.edges[0][field as usize][axis][first..first + bits.len()]);
                }
            }
        })?;
        (self.before, self.crossed_before) = (saved.before(), saved.crossed);
        self.watch_before = saved.watch;
        self.booked_before = std::mem::take(&mut saved.booked);
        self.restored = true;
        Ok(())
    }

    /// Whether any flow is kept over the edges of some cells of the canvas.
    pub fn remembers(&self, cells: Rect) -> bool {
        let rows = || cells.row..cells.row + cells.rows;
        let moves = |layer: &Vec<f32>, row: usize| {
            let start = row * self.columns + cells.column;
            layer[start..start + cells.columns].iter().any(|flow| *flow != 0.0)
        };
        let mut layers = self.edges[0].iter().flatten().filter(|layer| !layer.is_empty());
        layers.any(|layer| rows().any(|row| moves(layer, row)))
    }
}
