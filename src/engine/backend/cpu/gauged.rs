//! Gauges on tiles.

use super::CpuBackend;
use crate::backend::EdgeAt;
use crate::field::Field;
use crate::rule::edge::EdgeField;
use crate::track::Look;

impl CpuBackend {
    /// Looks at the cell of every gauge.
    pub(super) fn look_at_gauges(&mut self, now: Look) {
        let columns = self.plan.grid.0;
        let mut states = std::mem::take(&mut self.gauges.states);
        for (state, &cell) in states.iter_mut().zip(&self.gauges.cells) {
            let place = (cell % columns, cell / columns);
            let tile = &self.tiles[self.plan.owner(place.0, place.1)];
            let (row, column) = (place.1 - tile.area.row, place.0 - tile.area.column);
            let grains = |field| tile.line(field, row as isize)[column] as i32;
            let edges = EdgeAt::around(place).map(|edge| match self.has_velocity {
                true => self.edge(EdgeField::Velocity, edge),
                false => 0.0,
            });
            let (water, most) = (grains(Field::Water), grains(Field::Most));
            state.look(now, water, most, self.has_velocity.then_some(edges));
        }
        self.gauges.states = states;
    }
}
