//! Arrival times of water levels within a cell, interpolated linearly between the recorded times at
//! the knots of its table.

use crate::engine::backend::Backend;
use crate::engine::cell_diagnostics::{self, CellDiagnostic, RISES};
use crate::engine::field::{Field, words};
use crate::engine::subgrid::lookup::height_of_knot;
use crate::engine::subgrid::tables::Tables;
use crate::error::Result;
use crate::output::layers::Maps;
use std::sync::Arc;

/// Times at which the level of a cell first exceeded heights above its lowest pixel (2⁻¹⁶ m); the
/// last height is the greatest.
#[derive(Clone, Copy, Debug)]
pub struct FirstExceedance {
    passed: [(i32, f32); RISES + 1],
    count: usize,
}

impl FirstExceedance {
    /// Creates the times of a cell: `height` returns the height of a knot, `times` are the times at
    /// which knots were exceeded (negative if never), and `greatest` is the greatest height with
    /// its time.
    fn new(
        height: impl Fn(usize) -> i32,
        times: &[f32; RISES],
        greatest: (i32, f32),
    ) -> FirstExceedance {
        let mut passing = FirstExceedance { passed: [(0, 0.0); RISES + 1], count: 0 };
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

    /// Returns when the level first exceeded a height (s, or steps); `None` if it never did.
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

    /// Reads the times of a gauge's cell, given its greatest water (grains).
    ///
    /// # Errors
    /// Backend errors.
    pub fn at_gauge(
        maps: &Maps,
        backend: &dyn Backend,
        cell: usize,
        most: i32,
    ) -> Result<FirstExceedance> {
        let (place, beyond) = recorded(maps);
        let at = [(cell % maps.grid.columns, cell / maps.grid.columns)];
        let read = |plane: usize| {
            let mut bits = [0];
            backend.read_places(Field::Diagnostic(place + plane), &at, &mut bits)?;
            Ok(f32::from_bits(bits[0]))
        };
        let mut times = [0.0; RISES];
        for (knot, time) in times.iter_mut().enumerate() {
            *time = read(2 + knot)?;
        }
        let tables = maps.tables.as_ref().expect("cells with tables");
        let level = tables.level_of(cell, most, maps.grain.metres());
        let height = |knot| height_of_knot(tables, cell, knot, beyond);
        Ok(FirstExceedance::new(height, &times, (level - tables.bed[cell], read(0)?)))
    }
}

/// Returns the first plane of the recorded level times, and the height of the last level above a
/// table's top (2⁻¹⁶ m).
fn recorded(maps: &Maps) -> (usize, i32) {
    let number = maps
        .cell_diagnostics
        .iter()
        .position(|diagnostic| matches!(diagnostic, CellDiagnostic::LevelArrivals { .. }));
    let number = number.expect("what a layer needs is recorded");
    let (_, last) = maps.cell_diagnostics[number].code();
    (cell_diagnostics::first_planes(&maps.cell_diagnostics).0[number], maps.steps(last))
}

/// Arrival times of levels in all cells.
pub struct Arrivals {
    tables: Arc<Tables>,
    beyond: i32,
    /// Arrival depth (2⁻¹⁶ m).
    above: i32,
    /// Time of each cell's greatest depth (s, or steps).
    peaks: Vec<f32>,
    /// Per level, the times of all cells (s, or steps); negative if it was not reached.
    times: Vec<Vec<f32>>,
}

impl Arrivals {
    /// Reads the recorded times, for water deeper than `above` (grains).
    ///
    /// # Errors
    /// Backend errors.
    pub fn read(maps: &Maps, backend: &dyn Backend, above: i32) -> Result<Arrivals> {
        let (place, beyond) = recorded(maps);
        let read = |plane: usize| {
            let mut bits = vec![0; maps.grid.cells()];
            backend.read_lines(Field::Diagnostic(place + plane), 0, &mut bits)?;
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

    /// Returns the times of a cell, given its greatest level (2⁻¹⁶ m).
    pub fn of(&self, cell: usize, level: i32) -> FirstExceedance {
        let times = std::array::from_fn(|knot| self.times[knot][cell]);
        let height = |knot| height_of_knot(&self.tables, cell, knot, self.beyond);
        let greatest = (level.saturating_sub(self.tables.bed[cell]), self.peaks[cell]);
        FirstExceedance::new(height, &times, greatest)
    }

    /// Returns when the water over a pixel (2⁻¹⁶ m) of a cell first exceeded the arrival depth (s,
    /// or steps); `None` if it never did.
    pub fn at(&self, passing: &FirstExceedance, cell: usize, pixel: i32) -> Option<f64> {
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
        let passing = FirstExceedance::new(|knot| 100 * knot as i32, &times, (350, 100.0));
        let at = |height| passing.first_above(height);
        assert_eq!([at(0), at(50), at(100), at(199)], [10.0, 15.0, 20.0, 20.0].map(Some));
        assert_eq!([at(250), at(300), at(325)], [40.0, 60.0, 80.0].map(Some));
        assert_eq!((at(349).map(f64::round), at(350), at(900)), (Some(99.0), None, None));
        // Water that was there from the start.
        let still = FirstExceedance::new(|knot| 100 * knot as i32, &[0.0; RISES], (450, 0.0));
        assert_eq!((still.first_above(449), still.first_above(450)), (Some(0.0), None));
        // A cell that was never wet.
        let dry = FirstExceedance::new(|_| 0, &[-1.0; RISES], (0, -1.0));
        assert_eq!(dry.first_above(-5), None);
    }
}
