//! Statistics of the values of a raster.

use crate::output::colour::NODATA;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Range and moments of a raster's values.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Statistics {
    /// Smallest value of the raster.
    pub min: f64,
    /// Largest value of the raster.
    pub max: f64,
    /// Mean of the values.
    pub mean: f64,
    /// Standard deviation of the values.
    pub deviation: f64,
}

impl Statistics {
    /// Computes the statistics of a raster with these columns; `None` if every cell is [`NODATA`].
    /// Rows are summed separately and then in order, so that the result does not depend on the
    /// number of threads.
    pub fn of(values: &[f32], columns: usize) -> Option<Statistics> {
        let mut moments = Moments::default();
        moments.add(values, columns);
        moments.statistics()
    }
}

/// Sums for the statistics of the rows so far, independent of the division into bands.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    count: u64,
    sum: f64,
    squares: f64,
    low: f32,
    high: f32,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments { count: 0, sum: 0.0, squares: 0.0, low: f32::INFINITY, high: f32::NEG_INFINITY }
    }
}

impl Moments {
    /// Adds the next rows of a raster with these columns.
    pub fn add(&mut self, values: &[f32], columns: usize) {
        let rows: Vec<Moments> = values.par_chunks(columns).map(Moments::of).collect();
        *self = rows.into_iter().fold(*self, Moments::with);
    }

    /// Sums a row.
    fn of(values: &[f32]) -> Moments {
        let mut row = Moments::default();
        for &value in values.iter().filter(|value| **value != NODATA) {
            row.count += 1;
            row.sum += f64::from(value);
            row.squares += f64::from(value) * f64::from(value);
            row.low = row.low.min(value);
            row.high = row.high.max(value);
        }
        row
    }

    /// Adds the sums of the following rows.
    fn with(self, next: Moments) -> Moments {
        Moments {
            count: self.count + next.count,
            sum: self.sum + next.sum,
            squares: self.squares + next.squares,
            low: self.low.min(next.low),
            high: self.high.max(next.high),
        }
    }

    /// Returns the statistics; `None` if no cell has a value.
    pub fn statistics(&self) -> Option<Statistics> {
        if self.count == 0 {
            return None;
        }
        let mean = self.sum / self.count as f64;
        let variance = (self.squares / self.count as f64 - mean * mean).max(0.0);
        let (min, max) = (self.low.into(), self.high.into());
        Some(Statistics { min, max, mean, deviation: variance.sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_leave_out_what_has_no_value() {
        let statistics = Statistics::of(&[NODATA, 2.0, 4.0, NODATA, NODATA, 9.0], 3).unwrap();
        assert_eq!((statistics.min, statistics.max, statistics.mean), (2.0, 9.0, 5.0));
        assert!((statistics.deviation - (26.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Statistics::of(&[NODATA; 6], 3), None);
    }

    #[test]
    fn bands_have_no_say() {
        let values: Vec<f32> = (0..4000).map(|n| (n as f32).sqrt() * 0.1).collect();
        let of = |rows: usize| {
            let mut moments = Moments::default();
            values.chunks(rows * 20).for_each(|band| moments.add(band, 20));
            moments.statistics()
        };
        assert_eq!(of(200), of(7));
    }

    #[test]
    fn threads_have_no_say() {
        let values: Vec<f32> = (0..40_000).map(|n| (n as f32).sqrt() * 0.1).collect();
        let of = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Statistics::of(&values, 200))
        };
        assert_eq!(of(1), of(3));
    }
}
