//! Going on from a saved state.

use super::Canvas;
use crate::backend::Problem;
use crate::backend::saved::Resumed;
use crate::error::Result;
use crate::field::words;
use crate::tiling::rect::Rect;
use crate::tiling::visit::MARGIN;

impl Canvas {
    /// Puts a saved state of a problem in the place of its water at the start.
    pub fn restore(&mut self, problem: &Problem, mut saved: Resumed) -> Result<()> {
        let grid = (self.columns - 2 * MARGIN, self.rows - 2 * MARGIN);
        saved.each_line(&problem.kept(), grid, |field, line, bits| {
            let (left, above) = field.before();
            let start = (line + MARGIN - above) * self.columns + MARGIN - left;
            let own = start..start + bits.len();
            let number = self.number(field).expect("the canvas has what is kept");
            self.now[number][own.clone()].copy_from_slice(bits);
        })?;
        (self.before, self.crossed_before) = (saved.before(), saved.crossed);
        self.watch_before = saved.watch;
        self.booked_before = saved.booked.clone();
        self.restored = true;
        Ok(())
    }

    /// Whether any flow is kept over the edges of some cells of the canvas.
    pub fn remembers(&self, cells: Rect) -> bool {
        let rows = || cells.row..cells.row + cells.rows;
        let moves = |layer: &[f32], row: usize| {
            let start = row * self.columns + cells.column;
            layer[start..start + cells.columns].iter().any(|flow| *flow != 0.0)
        };
        self.flows().any(|number| rows().any(|row| moves(words(&self.now[number]), row)))
    }
}
