//! Sites that act when all water has flowed, and what is noted of their cells then.

use super::TooDeep;
use super::flow::Flow;
use super::frame::CpuFrame;
use super::worker::CpuWorker;
use crate::field::{Field, words};

impl CpuWorker {
    /// Sites act that do when water has flowed. Water that has got too deep by then stops the step.
    pub(super) fn settle(
        &mut self,
        frame: &mut CpuFrame,
        visit: usize,
        flow: &Flow,
    ) -> Result<(), TooDeep> {
        let mut acted = if flow.overflow { Err(TooDeep) } else { Ok(()) };
        if flow.late.is_empty() {
            return acted;
        }
        let number = frame.planes.iter().position(|plane| plane.field == Field::Water);
        let number = number.expect("there is water");
        let before = std::mem::take(&mut frame.planes[number].next);
        let (tiles, basin, _) = self.basin(frame);
        let mut tallies = Vec::new();
        for Late { tile, .. } in &flow.late {
            match tiles[*tile].act(&flow.terms.now, Some(words(&before)), basin) {
                Ok(tally) if tiles[*tile].own => tallies.push(tally),
                Err(too_deep) if tiles[*tile].own => acted = Err(too_deep),
                _ => {}
            }
        }
        frame.planes[number].next = before;
        tallies.iter().for_each(|tally| self.took(visit, tally));
        let end = flow.terms.now.step.end;
        flow.late.iter().for_each(|late| late.note(frame, self.threshold, end));
        acted
    }
}

/// A tile with sites that act when water has flowed, and the maxima and arrivals of their cells before it: the flow notes
/// what it leaves there, and not what they do.
pub(crate) struct Late {
    tile: usize,
    /// Their places in the arrays, maxima (grains) and arrivals.
    noted: Vec<(usize, i32, f32)>,
}

impl Late {
    /// All of them in a frame.
    pub fn of(frame: &CpuFrame) -> Vec<Late> {
        let (most, arrival) = (frame.of(Field::Most), frame.of(Field::Arrival));
        let tiles = frame.tiles.each.iter().enumerate();
        let late = tiles.filter(|(_, tile)| !tile.sites.flowed.is_empty());
        late.map(|(tile, of)| {
            let places = of.late(frame.lead, frame.stride());
            let noted = places.map(|place| (place, most[place], arrival[place])).collect();
            Late { tile, noted }
        })
        .collect()
    }

    /// Notes what the cells come to.
    fn note(&self, frame: &mut CpuFrame, threshold: i32, end: f32) {
        let water: &[i32] = frame.of(Field::Water);
        let water: Vec<i32> = self.noted.iter().map(|&(place, ..)| water[place]).collect();
        let most = frame.find_mut::<i32>(Field::Most).expect("maxima are noted");
        for (&(place, before, _), &water) in self.noted.iter().zip(&water) {
            most[place] = before.max(water);
        }
        let arrival = frame.find_mut::<f32>(Field::Arrival).expect("arrivals are noted");
        for (&(place, before, arrived), &water) in self.noted.iter().zip(&water) {
            let arrives = water > threshold && before <= threshold;
            arrival[place] = if arrives { end } else { arrived };
        }
    }
}
