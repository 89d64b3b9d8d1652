//! When water reached levels within a cell: what is recorded at the knots of its table, and straight lines between.

use crate::engine::backend::Backend;
use crate::engine::field::{Field, words};
use crate::engine::subgrid::lookup::height_of_knot;
use crate::engine::subgrid::tables::Tables;
use crate::engine::track::{self, RISES, Track};
use crate::error::Result;
use crate::output::layers::Maps;
use std::sync::Arc;

/// When the level of a cell first passed some heights above its lowest pixel (2⁻¹⁶ m): the last is the greatest.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    passed: [(i32, f32); RISES + 1],
    count: usize,
}

impl Passing {
    /// Of a cell: `height` tells that of a knot, `times` when it was passed, below 0 if it never was, and `greatest` which height was the
    /// greatest, and when.
    fn new(height: impl Fn(usize) -> i32, times: &[f32; RISES], greatest: (i32, f32)) -> Passing {
        let mut passing = Passing { passed: [(0, 0.0); RISES + 1], count: 0 };
        for (knot, &time) in times.iter().enumerate() {
            let height = height(knot);
            if time < 0.0 || height >= greatest.0 {
                break;
            }
            passing.add((height, time));
        }
        if passing.count > 0 {
            passing.add(greatest);
        }
        passing
    }

    fn add(&mut self, passed: (i32, f32)) {
        self.passed[self.count] = passed;
        self.count += 1;
    }

    /// When the level first stood higher than this (s, or steps); none if it never did.
    pub fn first_above(&self, height: i32) -> Option<f64> {
        let passed = &self.passed[..self.count];
        let after = passed.iter().position(|(at, _)| *at > height)?;
        let (upper, time) = passed[after];
        let Some((lower, before)) = after.checked_sub(1).map(|before| passed[before]) else {
            return Some(time.into());
        };
        let part = (f64::from(height) - f64::from(lower)) / (f64::from(upper) - f64::from(lower));
        Some(f64::from(before) + (f64::from(time) - f64::from(before)) * part)
    }

    /// That of a gauge's cell, of which the greatest water is known (grains).
    ///
    /// # Errors
    /// The backend's.
    pub fn at_gauge(maps: &Maps, backend: &dyn Backend, cell: usize, most: i32) -> Result<Passing> {
        let (place, beyond) = recorded(maps);
        let at = [(cell % maps.grid.columns, cell / maps.grid.columns)];
        let read = |plane: usize| {
            let mut bits = [0];
            backend.read_places(Field::Track(place + plane), &at, &mut bits)?;
            Ok(f32::from_bits(bits[0]))
        };
        let mut times = [0.0; RISES];
        for (knot, time) in times.iter_mut().enumerate() {
            *time = read(2 + knot)?;
        }
        let tables = maps.tables.as_ref().expect("cells with tables");
        let level = tables.level_of(cell, most, maps.grain.metres());
        let height = |knot| height_of_knot(tables, cell, knot, beyond);
        Ok(Passing::new(height, &times, (level - tables.bed[cell], read(0)?)))
    }
}

/// The first plane of what is recorded of levels, and how far above a table's top the last level lies (2⁻¹⁶ m).
fn recorded(maps: &Maps) -> (usize, i32) {
    let number = maps.tracks.iter().position(|track| matches!(track, Track::Rises { .. }));
    let number = number.expect("what a layer needs is recorded");
    let (_, last) = maps.tracks[number].code();
    (track::places(&maps.tracks).0[number], maps.steps(last))
}

/// When the water of each cell passed some levels.
pub struct Arrivals {
    tables: Arc<Tables>,
    beyond: i32,
    /// The depth of water that counts (2⁻¹⁶ m).
    above: i32,
    /// When each cell was deepest (s, or steps).
    peaks: Vec<f32>,
    /// Per level, the times of all cells (s, or steps), below 0 where it was not reached.
    times: Vec<Vec<f32>>,
}

impl Arrivals {
    /// What a run recorded, for water deeper than `above` (grains).
    ///
    /// # Errors
    /// The backend's.
    pub fn read(maps: &Maps, backend: &dyn Backend, above: i32) -> Result<Arrivals> {
        let (place, beyond) = recorded(maps);
        let read = |plane: usize| {
            let mut bits = vec![0; maps.grid.cells()];
            backend.read_lines(Field::Track(place + plane), 0, &mut bits)?;
            Ok(words::<f32>(&bits).to_vec())
        };
        Ok(Arrivals {
            tables: maps.tables.clone().expect("cells with tables"),
            beyond,
            above: maps.steps(above),
            peaks: read(0)?,
            times: (0..RISES).map(|knot| read(2 + knot)).collect::<Result<_>>()?,
        })
    }

    /// That of a cell whose greatest level is known (2⁻¹⁶ m).
    pub fn of(&self, cell: usize, level: i32) -> Passing {
        let times = std::array::from_fn(|knot| self.times[knot][cell]);
        let height = |knot| height_of_knot(&self.tables, cell, knot, self.beyond);
        let greatest = (level.saturating_sub(self.tables.bed[cell]), self.peaks[cell]);
        Passing::new(height, &times, greatest)
    }

    /// When the water over a pixel (2⁻¹⁶ m) of a cell was first deeper than counts (s, or steps); none if it never was.
    pub fn at(&self, passing: &Passing, cell: usize, pixel: i32) -> Option<f64> {
        passing.first_above(pixel - self.tables.bed[cell] + self.above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_lines_lie_between_levels_that_were_passed() {
        let mut times = [-1.0; RISES];
        times[..4].copy_from_slice(&[10.0, 20.0, 20.0, 60.0]);
        let passing = Passing::new(|knot| 100 * knot as i32, &times, (350, 100.0));
        let at = |height| passing.first_above(height);
        assert_eq!([at(0), at(50), at(100), at(199)], [10.0, 15.0, 20.0, 20.0].map(Some));
        assert_eq!([at(250), at(300), at(325)], [40.0, 60.0, 80.0].map(Some));
        assert_eq!((at(349).map(f64::round), at(350), at(900)), (Some(99.0), None, None));
        // Water that stood there from the start.
        let still = Passing::new(|knot| 100 * knot as i32, &[0.0; RISES], (450, 0.0));
        assert_eq!((still.first_above(449), still.first_above(450)), (Some(0.0), None));
        // Never wet.
        let dry = Passing::new(|_| 0, &[-1.0; RISES], (0, -1.0));
        assert_eq!(dry.first_above(-5), None);
    }
}
