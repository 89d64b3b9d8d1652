//! The planes of a tile: what losses take at the start of a step, and what tracks note of its state.

use super::frame::REACH;
use super::tile::TileState;
use crate::field::Field;
use crate::forcing::step::Step;
use crate::grains::{Grain, phase};
use crate::losses::{Losses, Soak};
use crate::rule::edge::EdgeField;
use crate::track::{self, Look, RowFlow, Track};

impl TileState {
    /// What is known of the edges east of a row's cells, from the edge west of the first one on.
    pub fn eastward(&self, field: EdgeField, row: usize) -> &[f32] {
        &self.edges(field, 0)[self.row_start(row) - 1..][..self.area.columns + 1]
    }

    /// What is known of the edges south of a row's cells; the row before the first has an edge, too.
    pub fn southward(&self, field: EdgeField, row: isize) -> &[f32] {
        let start = (row + REACH as isize) as usize * self.stride + REACH;
        &self.edges(field, 1)[start..start + self.area.columns]
    }

    /// Looks at its state.
    pub fn look(&mut self, tracks: &[Track], now: Look) {
        if !self.is_wet() {
            return;
        }
        let mut planes = std::mem::take(&mut self.planes);
        let (places, _) = track::places(tracks);
        // They come first, in their order.
        let first = planes.iter().position(|(field, _)| *field == Field::Track(0)).unwrap_or(0);
        let columns = self.area.columns;
        for row in (0..self.area.rows).filter(|row| self.row_wet[row + REACH]) {
            let water = &self.water[self.row_start(row)..][..columns];
            for (&track, &place) in tracks.iter().zip(&places) {
                let flow = track.flows().map(|field| RowFlow {
                    along: self.eastward(field, row),
                    before: self.southward(field, row as isize - 1),
                    after: self.southward(field, row as isize),
                });
                let planes = planes[first + place..first + place + track.planes()].iter_mut();
                let rows = planes.map(|(_, bits)| &mut bits[row * columns..][..columns]);
                track::look(track, now, water, flow, &mut rows.collect::<Vec<_>>());
            }
        }
        self.planes = planes;
    }

    /// Ground, sewers and air take their part of what is there.
    pub fn soak(&mut self, losses: &Losses, step: &Step, grain: Grain) {
        if !self.is_wet() {
            return;
        }
        let evaporation = losses.evaporation.map(|layer| step.increments[layer]);
        let soak = Soak::new(step.dt, phase(step.number), grain, evaporation);
        let mut planes = std::mem::take(&mut self.planes);
        let mut find = |wanted: Field| {
            let held = planes.iter_mut().find(|(held, _)| *held == wanted);
            held.map_or(Vec::new(), |(_, bits)| std::mem::take(bits))
        };
        let [mut soaked, mut excess, mut rained, kinds] =
            [Field::Soaked, Field::Excess, Field::Rained, Field::Ground].map(&mut find);
        let columns = self.area.columns;
        for row in (0..self.area.rows).filter(|row| self.row_wet[row + REACH]) {
            let start = self.row_start(row);
            for column in 0..columns {
                let (place, cell) = (start + column, row * columns + column);
                let rain = rained.get_mut(cell).map_or(0, |rain| std::mem::take(rain) as i32);
                if self.water[place] <= 0 || !self.domain[place] {
                    continue;
                }
                let kind = kinds.get(cell).map_or(0, |kind| *kind as usize);
                let mut so_far = soaked[cell] as i32;
                let mut beyond = excess.get(cell).map(|excess| *excess as i32);
                let water = &mut self.water[place];
                let taken =
                    soak.take(&losses.grounds[kind], water, rain, &mut so_far, beyond.as_mut());
                soaked[cell] = so_far as u32;
                if let Some(beyond) = beyond {
                    excess[cell] = beyond as u32;
                }
                self.ledger.take(taken);
            }
        }
        for (plane, bits) in [
            (Field::Soaked, soaked),
            (Field::Excess, excess),
            (Field::Rained, rained),
            (Field::Ground, kinds),
        ] {
            if let Some((_, place)) = planes.iter_mut().find(|(held, _)| *held == plane) {
                *place = bits;
            }
        }
        self.planes = planes;
    }
}
