//! Water that leaves cells of a tile at normal depth, beside what flows over their edges.
//!
//! Under a rule with momentum it leaves when a step begins: velocities turn by the levels after the water has moved,
//! and what is left then is what they are to see. Other rules work the flow out of the levels when the step begins,
//! so there it leaves after the flow (docs/decisions/0015-when-water-leaves.md).

use super::advance::TileStep;
use super::frame::REACH;
use super::tile::TileState;
use crate::forcing::outflow::FreeOutflow;
use crate::forcing::ports::Port;
use crate::grains::Grain;

impl TileState {
    /// When a step begins: takes what leaves in `dt` (s) with a rounding phase.
    pub(super) fn run_out_first(&mut self, dt: f32, phase: f32, grain: Grain) {
        for &(place, conveyance, port) in &self.free {
            let water = &mut self.water[place];
            let leaves = FreeOutflow::leaves(conveyance, *water, dt, phase, grain);
            *water -= leaves;
            self.ledger.outflow += i128::from(leaves);
            self.booked.add(port, 0, leaves as u64);
        }
    }

    /// The place of a cell that water leaves among the own cells, by its place in the frame.
    fn own(&self, place: usize) -> usize {
        let (row, column) = (place / self.stride - REACH, place % self.stride - REACH);
        row * self.area.columns + column
    }

    /// Maxima and arrivals of those cells before water flows.
    pub(super) fn noted_of_outlets(&self) -> Vec<(i32, f32)> {
        let noted = |&(place, ..): &(usize, f32, Port)| {
            let at = self.own(place);
            (self.most[at], self.arrival[at])
        };
        self.free.iter().map(noted).collect()
    }

    /// After water flowed: takes what leaves by the depth before the step, which is what the flow over edges follows
    /// from, too; `before` are the maxima and arrivals that the flow did not know to leave alone.
    pub(super) fn run_out_last(&mut self, step: &TileStep, before: &[(i32, f32)]) {
        for (index, &(most_before, arrived)) in before.iter().enumerate() {
            let (place, conveyance, port) = self.free[index];
            let (was, dt) = (self.next[place], step.axes[0].dt);
            let leaves = FreeOutflow::leaves(conveyance, was, dt, step.rounding.phase, step.grain);
            let leaves = leaves.min(self.water[place]);
            self.water[place] -= leaves;
            self.ledger.outflow += i128::from(leaves);
            self.booked.add(port, 0, leaves as u64);
            let (water, at) = (self.water[place], self.own(place));
            self.most[at] = most_before.max(water);
            let arrives = water > self.threshold && most_before <= self.threshold;
            self.arrival[at] = if arrives { step.end } else { arrived };
        }
    }
}
