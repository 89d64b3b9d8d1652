//! Recording of gauges on the CPU.

use super::frame::CpuFrame;
use super::worker::CpuWorker;
use crate::cell_diagnostics::StateTime;
use crate::crossed_sides::CrossedSides;
use crate::field::{Field, words};
use crate::solver::edge::EdgeField;
use crate::tiling::subdomain::on_padded_grid;

impl CpuWorker {
    /// Records the cell of every gauge in a subdomain's own cells.
    pub(super) fn record_gauges(&mut self, frame: &CpuFrame, subdomain: usize, now: StateTime) {
        if self.gauges.cells.is_empty() {
            return;
        }
        let columns = self.grid.0;
        let water: &[i32] = frame.of(Field::Water);
        let most: &[i32] = frame.of(Field::MaxDepth);
        let velocity = EdgeField::Velocity;
        let velocity =
            [0, 1].map(|axis| frame.find::<u32>(Field::edge(velocity, axis)).map(words::<f32>));
        let mut gauges = std::mem::take(&mut self.gauges);
        for (state, &cell) in gauges.states.iter_mut().zip(&gauges.cells) {
            let place = on_padded_grid(cell, columns);
            if !self.subdomains[subdomain].own.holds(place.0, place.1) {
                continue;
            }
            let (at, stride) = (frame.place_of(place), frame.stride());
            // An edge belongs to the cell before it.
            let edges = match velocity {
                [Some(east), Some(south)] => {
                    let (column, row) = place;
                    let columns = frame.padded_columns;
                    let sides = CrossedSides::of(&frame.flags, row * columns + column, columns);
                    Some(sides.complete([east[at - 1], east[at], south[at - stride], south[at]]))
                }
                _ => None,
            };
            state.record(now, water[at], most[at], edges);
        }
        self.gauges = gauges;
    }
}
