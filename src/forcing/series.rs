//! A rate over time, constant from each time to the next.

use crate::grains::Grain;

/// A piecewise constant rate. Time is in seconds, or in steps for automata without a duration.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Start of each piece, ascending.
    times: Vec<f64>,
    /// Rate of each piece (m per unit of time); 0 before the first.
    rates: Vec<f64>,
    /// What has come by the start of each piece (m).
    sums: Vec<f64>,
}

impl Series {
    /// The same rate (m per unit of time) at all times.
    pub fn constant(rate: f64) -> Series {
        Series::new(vec![(0.0, rate)])
    }

    /// A series from (time, rate) pairs with times ascending; each rate holds until the next.
    ///
    /// # Panics
    /// If times do not ascend.
    pub fn new(pieces: Vec<(f64, f64)>) -> Series {
        assert!(pieces.windows(2).all(|p| p[0].0 < p[1].0), "times ascend");
        let (times, rates): (Vec<f64>, Vec<f64>) = pieces.into_iter().unzip();
        let mut sum = 0.0;
        let mut sums = Vec::with_capacity(times.len());
        for piece in 0..times.len() {
            if piece > 0 {
                sum += rates[piece - 1] * (times[piece] - times[piece - 1]);
            }
            sums.push(sum);
        }
        Series { times, rates, sums }
    }

    /// What has come from time 0 to `time` (m).
    pub fn total(&self, time: f64) -> f64 {
        let pieces = self.times.partition_point(|&start| start <= time);
        match pieces.checked_sub(1) {
            Some(piece) => self.sums[piece] + self.rates[piece] * (time - self.times[piece]),
            None => 0.0,
        }
    }

    /// The same in whole grains, rounded down.
    pub fn grains(&self, time: f64, grain: Grain) -> u64 {
        (self.total(time) * f64::from(grain.per_metre())) as u64
    }

    /// The rate of the last piece, which holds for ever after, and its start.
    pub fn last(&self) -> (f64, f64) {
        (*self.times.last().unwrap_or(&0.0), *self.rates.last().unwrap_or(&0.0))
    }

    /// The highest rate (m per unit of time).
    pub fn peak(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }
}
