//! Diagnostics in the cells of sites that act after the flow.

use super::frame::CpuFrame;
use crate::field::Field;

/// A tile with sites that act after the flow, and the maxima and arrivals in their cells before it.
/// The flow records its own result in these cells, which is replaced by the sites' result.
pub(crate) struct AfterFlowCells {
    pub tile: usize,
    /// Indices in the arrays, maxima (grains) and arrivals.
    recorded: Vec<(usize, i32, f32)>,
}

impl AfterFlowCells {
    /// Collects all such tiles of a frame.
    pub fn of(frame: &CpuFrame) -> Vec<AfterFlowCells> {
        let (most, arrival) = (frame.of(Field::MaxDepth), frame.of(Field::Arrival));
        let tiles = frame.tiles.each.iter().enumerate();
        let after = tiles.filter(|(_, tile)| !tile.sites.after_flow.is_empty());
        after
            .map(|(tile, of)| {
                let places = of.after_flow_places(frame.lead, frame.stride());
                let recorded = places.map(|place| (place, most[place], arrival[place])).collect();
                AfterFlowCells { tile, recorded }
            })
            .collect()
    }

    /// Records the water that the cells finally hold.
    pub fn record(&self, frame: &mut CpuFrame, threshold: i32, end: f32) {
        let water: &[i32] = frame.of(Field::Water);
        let water: Vec<i32> = self.recorded.iter().map(|&(place, ..)| water[place]).collect();
        let most = frame.find_mut::<i32>(Field::MaxDepth).expect("maxima are recorded");
        for (&(place, before, _), &water) in self.recorded.iter().zip(&water) {
            most[place] = before.max(water);
        }
        let arrival = frame.find_mut::<f32>(Field::Arrival).expect("arrivals are recorded");
        for (&(place, before, arrived), &water) in self.recorded.iter().zip(&water) {
            let arrives = water > threshold && before <= threshold;
            arrival[place] = if arrives { end } else { arrived };
        }
    }
}
