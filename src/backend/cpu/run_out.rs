//! Water that leaves cells of a tile at normal depth, beside what flows over their edges.

use super::advance::TileStep;
use super::frame::REACH;
use super::tile::TileState;
use crate::forcing::outflow::FreeOutflow;

impl TileState {
    /// The maximum and the arrival of a cell that water leaves, by its place in the frame.
    fn noted(&mut self, place: usize) -> (&mut i32, &mut f32) {
        let (row, column) = (place / self.stride - REACH, place % self.stride - REACH);
        let at = row * self.area.columns + column;
        (&mut self.most[at], &mut self.arrival[at])
    }

    /// Maxima and arrivals of those cells before a step.
    pub(super) fn before_run_out(&mut self) -> Vec<(i32, f32)> {
        (0..self.free.len())
            .map(|index| {
                let (most, arrival) = self.noted(self.free[index].0);
                (*most, *arrival)
            })
            .collect()
    }

    /// After water flowed: takes what leaves by the depth before the step, which is what flow over edges
    /// follows from, too; `before` are the maxima and arrivals that the flow did not know to leave alone.
    pub(super) fn run_out(&mut self, step: &TileStep, before: &[(i32, f32)]) {
        for (index, &(most_before, arrived)) in before.iter().enumerate() {
            let (place, conveyance) = self.free[index];
            let dt = step.axes[0].dt;
            let was = self.next[place];
            let leaves = FreeOutflow::leaves(conveyance, was, dt, step.rounding.phase, step.grain);
            let leaves = leaves.min(self.water[place]);
            self.water[place] -= leaves;
            self.ledger.outflow += i128::from(leaves);
            let (water, threshold) = (self.water[place], self.threshold);
            let (most, arrival) = self.noted(place);
            *most = most_before.max(water);
            let arrives = water > threshold && most_before <= threshold;
            *arrival = if arrives { step.end } else { arrived };
        }
    }
}
