//! What is noted of the cells of sites that act when all water has flowed.

use super::frame::CpuFrame;
use crate::field::Field;

/// A tile with sites that act when water has flowed, and the maxima and arrivals of their cells before it: the flow notes
/// what it leaves there, and not what they do.
pub(crate) struct Late {
    pub tile: usize,
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
    pub fn note(&self, frame: &mut CpuFrame, threshold: i32, end: f32) {
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
