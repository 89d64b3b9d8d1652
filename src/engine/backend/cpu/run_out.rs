//! Water that leaves cells of a tile at normal depth, beside what flows over their edges.
//!
//! Under a rule with momentum it leaves when a step begins: velocities turn by the levels after the water has moved,
//! and what is left then is what they are to see. Other rules work the flow out of the levels when the step begins,
//! so there it leaves after the flow (docs/decisions/0015-when-water-leaves.md).

use super::shared::Shared;
use super::tiles::Tile;
use crate::forcing::outflow::FreeOutflow;
use crate::forcing::ports::Booked;
use crate::grains::Grain;

/// What is the same for all outlets in a step.
#[derive(Clone, Copy)]
pub struct Outlets {
    /// Length of the step (s), its rounding phase, and when it ends (s).
    pub dt: f32,
    pub phase: f32,
    pub end: f32,
    pub grain: Grain,
    /// Depth above which water counts as arrived (grains).
    pub threshold: i32,
}

/// Water after the flow, water before it, maxima and arrivals.
pub struct Flowed<'a> {
    pub water: &'a mut [i32],
    pub was: &'a [i32],
    pub most: &'a mut [i32],
    pub arrival: &'a mut [f32],
}

/// What left: how much (grains), and through which port.
#[derive(Debug, Default)]
pub struct RanOut {
    pub left: u64,
    pub booked: Booked,
}

impl Tile {
    /// When a step begins: takes what leaves.
    pub fn run_out_first(&self, by: Outlets, water: Shared<i32>) -> RanOut {
        let mut out = RanOut::default();
        for &(place, conveyance, port) in &self.sites.free {
            // SAFETY: the cell is this tile's alone.
            let water = unsafe { water.cell(place) };
            let leaves = FreeOutflow::leaves(conveyance, *water, by.dt, by.phase, by.grain);
            *water -= leaves;
            out.left += leaves as u64;
            out.booked.add(port, 0, leaves as u64);
        }
        out
    }

    /// Maxima and arrivals of those cells before water flows.
    pub fn noted_of_outlets(&self, most: &[i32], arrival: &[f32]) -> Vec<(i32, f32)> {
        self.sites.free.iter().map(|&(place, ..)| (most[place], arrival[place])).collect()
    }

    /// After water flowed: takes what leaves by the depth before the step, which is what the flow over edges follows
    /// from, too; `before` are the maxima and arrivals that the flow did not know to leave alone.
    pub fn run_out_last(&self, by: Outlets, before: &[(i32, f32)], to: &mut Flowed) -> RanOut {
        let mut out = RanOut::default();
        for (&(place, conveyance, port), &(most, arrived)) in self.sites.free.iter().zip(before) {
            let leaves = FreeOutflow::leaves(conveyance, to.was[place], by.dt, by.phase, by.grain);
            let leaves = leaves.min(to.water[place]);
            to.water[place] -= leaves;
            out.left += leaves as u64;
            out.booked.add(port, 0, leaves as u64);
            let water = to.water[place];
            to.most[place] = most.max(water);
            let arrives = water > by.threshold && most <= by.threshold;
            to.arrival[place] = if arrives { by.end } else { arrived };
        }
        out
    }
}
