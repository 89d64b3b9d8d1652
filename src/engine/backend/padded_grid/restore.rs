//! Restores a padded grid from a saved state.

use super::PaddedGrid;
use crate::backend::saved::Resumed;
use crate::error::Result;
use crate::field::{Field, words};
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::MARGIN;

impl PaddedGrid {
    /// Replaces the initial values by a saved state; `also` receives every line, too.
    pub fn restore(
        &mut self,
        mut saved: Resumed,
        mut also: impl FnMut(Field, usize, &[u32]) -> Result<()>,
    ) -> Result<()> {
        let grid = (self.columns - 2 * MARGIN, self.rows - 2 * MARGIN);
        saved.each_line(grid, |field, line, bits| {
            self.put_line(field, line, bits);
            also(field, line, bits)
        })?;
        (self.before, self.crossed_before) = (saved.sums.before(), saved.sums.crossed);
        self.watch_before = saved.sums.watch;
        self.port_volumes_before = saved.sums.port_volumes.clone();
        self.restored = true;
        Ok(())
    }

    /// Stores a saved line of a field, if its row is held here.
    pub(crate) fn put_line(&mut self, field: Field, line: usize, bits: &[u32]) {
        let row = row_of(field, line);
        if self.held_rows.contains(&row) {
            let start = row * self.columns + MARGIN - field.before().0;
            let number = self.number(field).expect("the padded grid has what is kept");
            self.now[number][start..start + bits.len()].copy_from_slice(bits);
        }
    }

    /// Returns `true` if any flow is kept on the edges of some cells of the padded grid.
    pub fn remembers(&self, cells: Rect) -> bool {
        let moves = |layer: &[f32]| {
            cells.lines(self.columns).any(|line| layer[line].iter().any(|flow| *flow != 0.0))
        };
        self.flows().any(|number| moves(words(&self.now[number])))
    }
}

/// Returns the row of the padded grid that contains a line of a field.
pub(crate) fn row_of(field: Field, line: usize) -> usize {
    line + MARGIN - field.before().1
}
