//! A quantity over time: constant, stepwise, or linear between times.

use crate::grains::Grain;
use crate::range::range;
use serde::{Deserialize, Serialize};

/// Relative tolerance for jumps: the end value of a linear piece differs from the start value of
/// the next piece by rounding errors.
const ROUNDING: f64 = 1e-12;

/// A piecewise constant or piecewise linear quantity: a rate or a level. Time is in seconds, or in
/// steps for automata without a duration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Series {
    pieces: Vec<Piece>,
}

/// A piece of a series.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[repr(C)]
pub struct Piece {
    /// Start time.
    pub time: f64,
    /// Value at the start.
    pub value: f64,
    /// Half the slope, so that the integral over a duration τ is (value + `half_slope`·τ)·τ.
    pub half_slope: f64,
    /// Integral over all earlier pieces.
    pub sum: f64,
}

impl Series {
    /// Creates a series with one value at all times.
    pub fn constant(value: f64) -> Series {
        Series::new(vec![(0.0, value)])
    }

    /// Creates a series from (time, value) pairs with ascending times. Each value holds until the
    /// next time; before the first time it is 0.
    ///
    /// # Panics
    /// If times do not ascend.
    pub fn new(pairs: Vec<(f64, f64)>) -> Series {
        let piece = |&(time, value): &(f64, f64)| Piece { time, value, half_slope: 0.0, sum: 0.0 };
        Series::of(pairs.iter().map(piece).collect())
    }

    /// Creates a series that is linear between (time, value) pairs, and keeps the last value.
    /// Before the first time it is 0.
    ///
    /// # Panics
    /// If times do not ascend.
    pub fn linear(pairs: Vec<(f64, f64)>) -> Series {
        let piece = |index: usize| {
            let (time, value) = pairs[index];
            let slope = |&(next, to): &(f64, f64)| (to - value) / (next - time);
            let half_slope = 0.5 * pairs.get(index + 1).map_or(0.0, slope);
            Piece { time, value, half_slope, sum: 0.0 }
        };
        Series::of((0..pairs.len()).map(piece).collect())
    }

    fn of(mut pieces: Vec<Piece>) -> Series {
        assert!(pieces.windows(2).all(|p| p[0].time < p[1].time), "times ascend");
        for index in 1..pieces.len() {
            pieces[index].sum = pieces[index - 1].total(pieces[index].time);
        }
        Series { pieces }
    }

    /// Adds a value from `start` to `end`, or for ever, to a series that becomes 0 at `start`; `None` if it
    /// does not.
    ///
    /// # Panics
    /// If the end is not after the start.
    pub fn with(&self, value: f64, start: f64, end: Option<f64>) -> Option<Series> {
        let last = self.pieces.last()?;
        if last.time != start || last.value != 0.0 || last.half_slope != 0.0 {
            return None;
        }
        let piece = |time, value| Piece { time, value, half_slope: 0.0, sum: 0.0 };
        let before = self.pieces.iter().filter(|piece| piece.time < start).copied();
        let added = [piece(start, value)].into_iter().chain(end.map(|end| piece(end, 0.0)));
        Some(Series::of(before.chain(added).collect()))
    }

    /// Subtracts `by` from the values, from the first time on.
    pub fn lowered(&self, by: f64) -> Series {
        let lower = |piece: &Piece| Piece { value: piece.value - by, ..*piece };
        Series::of(self.pieces.iter().map(lower).collect())
    }

    /// Multiplies the values by `by`.
    pub fn scaled(&self, by: f64) -> Series {
        let scale = |piece: &Piece| Piece {
            value: piece.value * by,
            half_slope: piece.half_slope * by,
            ..*piece
        };
        Series::of(self.pieces.iter().map(scale).collect())
    }

    /// Returns the lowest and the highest value from the start of the first piece to `end`.
    pub fn range(&self, end: f64) -> (f64, f64) {
        let begun = self.pieces.iter().filter(|piece| piece.time <= end);
        range(begun.map(|piece| piece.value).chain([self.at(end)]))
    }

    /// Returns the pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the piece at a time, with its start relative to that time, for a run that starts
    /// then ([`Series::after`]); `None` before the first piece.
    pub fn piece_at(&self, time: f64) -> Option<Piece> {
        self.piece(time).map(|piece| Piece { time: piece.time - time, ..*piece })
    }

    /// Continues an earlier run whose rate ended in this [piece](Series::piece_at): the running
    /// total continues from the total of that piece, so that no fraction of a grain is lost. A
    /// series that already has a past is unchanged.
    pub fn after(&self, earlier: Piece) -> Series {
        if self.total(0.0) != 0.0 {
            return self.clone();
        }
        self.going_on(earlier).unwrap_or_else(|| {
            let (value, half_slope) =
                self.piece(0.0).map_or((0.0, 0.0), |piece| (self.at(0.0), piece.half_slope));
            let first = Piece { time: 0.0, value, half_slope, sum: earlier.total(0.0) };
            self.beginning_with(first)
        })
    }

    /// Continues an earlier run with its last [piece](Series::piece_at), if the series begins with
    /// the same values except for rounding.
    pub fn going_on(&self, earlier: Piece) -> Option<Series> {
        let now = *self.piece(0.0).filter(|_| earlier.time <= 0.0)?;
        let until = self.pieces.iter().map(|piece| piece.time).find(|time| *time > 0.0);
        let same = match until {
            None => now.half_slope == earlier.half_slope && is_noise(now.at(0.0), earlier.at(0.0)),
            Some(end) => [0.0, end].iter().all(|&time| is_noise(now.at(time), earlier.at(time))),
        };
        same.then(|| self.beginning_with(earlier))
    }

    /// Replaces the pieces up to time 0 by `first`.
    fn beginning_with(&self, first: Piece) -> Series {
        let later = self.pieces.iter().filter(|piece| piece.time > 0.0).copied();
        Series::of([first].into_iter().chain(later).collect())
    }

    fn piece(&self, time: f64) -> Option<&Piece> {
        let begun = self.pieces.partition_point(|piece| piece.time <= time);
        begun.checked_sub(1).map(|last| &self.pieces[last])
    }

    /// Keeps the series until a time, and a constant value from then on. The running total
    /// continues, so that no fraction of a grain is lost.
    pub fn then(&self, time: f64, value: f64) -> Series {
        let last = Piece { time, value, half_slope: 0.0, sum: self.total(time) };
        let earlier = self.pieces.iter().filter(|piece| piece.time < time).copied();
        Series::of(earlier.chain([last]).collect())
    }

    /// Drops everything before a time.
    pub fn from(&self, time: f64) -> Series {
        let now = self.piece(time).map(|piece| Piece {
            time,
            value: self.at(time),
            half_slope: piece.half_slope,
            sum: 0.0,
        });
        let later = self.pieces.iter().filter(|piece| piece.time > time).copied();
        Series::of(now.into_iter().chain(later).collect())
    }

    /// Returns the value at a time.
    pub fn at(&self, time: f64) -> f64 {
        self.piece(time).map_or(0.0, |piece| piece.at(time))
    }

    /// Returns the integral from the start to `time` (value · time).
    pub fn total(&self, time: f64) -> f64 {
        self.piece(time).map_or(0.0, |piece| piece.total(time))
    }

    /// Returns the integral of a rate (m per unit of time) in whole grains, rounded down.
    pub fn grains(&self, time: f64, grain: Grain) -> u64 {
        (self.total(time) * f64::from(grain.per_metre())) as u64
    }

    /// Returns the start of the last piece, and its value there.
    pub fn last(&self) -> (f64, f64) {
        self.pieces.last().map_or((0.0, 0.0), |piece| (piece.time, piece.value))
    }

    /// Returns the first and last time at which the series is not 0; the last is infinite if the
    /// last value is not 0. Outside of this span, the integral does not change.
    pub fn span(&self) -> (f64, f64) {
        let is_on = |piece: &Piece| piece.value != 0.0 || piece.half_slope != 0.0;
        let Some(first) = self.pieces.iter().position(is_on) else { return (0.0, 0.0) };
        let last = self.pieces.iter().rposition(is_on).unwrap_or(first);
        let end = self.pieces.get(last + 1).map_or(f64::INFINITY, |next| next.time);
        (self.pieces[first].time, end)
    }

    /// Returns the highest value.
    pub fn peak(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.value).fold(0.0, f64::max)
    }

    /// Returns the jump of the value at a time at which a piece starts; 0 if a linear piece ends at
    /// the next piece's value, except for rounding.
    pub fn jump(&self, time: f64) -> f64 {
        let begun = self.pieces.partition_point(|piece| piece.time < time);
        let now = self.at(time);
        let Some(last) = begun.checked_sub(1).map(|last| &self.pieces[last]) else { return now };
        let before = last.at(time);
        let noise = ROUNDING * (last.value.abs() + now.abs());
        if (now - before).abs() > noise { now - before } else { 0.0 }
    }
}

/// Returns `true` if two values differ by rounding errors only.
fn is_noise(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * (a.abs() + b.abs())
}

impl Piece {
    /// Returns `true` if [`Series::piece_at`] can return this piece in a run, with a total of at
    /// most `most`.
    pub fn is_plausible(&self, most: f64) -> bool {
        let Piece { time, value, half_slope, sum } = *self;
        time <= 0.0
            && [time, value, half_slope].iter().all(|number| number.is_finite())
            && (0.0..=most).contains(&sum)
            && (0.0..=most).contains(&self.total(0.0))
    }

    fn at(&self, time: f64) -> f64 {
        self.value + 2.0 * self.half_slope * (time - self.time)
    }

    fn total(&self, time: f64) -> f64 {
        let since = time - self.time;
        self.sum + (self.value + self.half_slope * since) * since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_that_is_another_from_a_time_on_keeps_its_total() {
        let series = Series::linear(vec![(10.0, 0.0), (20.0, 4.0), (40.0, 2.0)]);
        for time in [0.0, 10.0, 17.3, 20.0, 41.0] {
            let then = series.then(time, 3.0);
            assert_eq!(then.total(time), series.total(time), "to the bit, at {time}");
            assert_eq!((then.at(time), then.total(time + 2.0)), (3.0, series.total(time) + 6.0));
            let from = series.from(time);
            assert_eq!((from.total(time), from.at(time - 1.0)), (0.0, 0.0));
            let both = from.total(50.0) + series.total(time);
            assert!((both - series.total(50.0)).abs() < 1e-12, "at {time}");
        }
    }

    #[test]
    fn a_linear_series_goes_straight_from_point_to_point() {
        let series = Series::linear(vec![(10.0, 0.0), (20.0, 4.0), (40.0, 2.0)]);
        let values = [(5.0, 0.0), (10.0, 0.0), (15.0, 2.0), (20.0, 4.0), (30.0, 3.0), (99.0, 2.0)];
        for (time, value) in values {
            assert_eq!(series.at(time), value, "at {time}");
        }
        assert_eq!(series.total(20.0), 20.0);
        assert_eq!(series.total(40.0), 80.0);
        assert_eq!(series.total(50.0), 100.0);
        assert_eq!(series.jump(20.0), 0.0);
        assert_eq!(series.scaled(3.0).total(40.0), 240.0);
        assert_eq!((series.range(15.0), series.range(99.0)), ((0.0, 2.0), (0.0, 4.0)));
        // With tenths and thirds, the pieces end close to their points, not exactly on them.
        let tenths = (0..100).map(|n| (f64::from(n) * 0.7, f64::from(n * n % 17) * 0.1 / 3.0));
        let tenths = Series::linear(tenths.collect());
        assert!(tenths.pieces().iter().all(|piece| tenths.jump(piece.time) == 0.0));
        let steps = Series::new(vec![(0.0, 1.0), (5.0, 3.0)]);
        assert_eq!((steps.jump(0.0), steps.jump(5.0), steps.at(4.9)), (1.0, 2.0, 1.0));
        assert_eq!(
            (steps.span(), Series::constant(0.0).span()),
            ((0.0, f64::INFINITY), (0.0, 0.0))
        );
        let shower = Series::new(vec![(0.0, 0.0), (4.0, 1.0), (5.0, 0.0), (6.0, 2.0), (7.0, 0.0)]);
        assert_eq!((shower.span(), shower.total(7.0), shower.total(9.0)), ((4.0, 7.0), 3.0, 3.0));
        assert_eq!(steps.total(6.0), 8.0);
    }

    #[test]
    fn a_rate_cut_in_two_comes_to_the_total_of_the_whole() {
        let stairs = |from: f64| {
            let pairs = [(0.0, 0.1), (700.0, 0.7), (1900.0, 0.0), (2500.0, 0.3)];
            let pairs = pairs.map(|(time, value)| (time - from, value));
            let held = pairs.iter().rev().find(|(time, _)| *time <= 0.0).map(|held| (0.0, held.1));
            let later = pairs.iter().copied().filter(|(time, _)| *time > 0.0);
            Series::new(held.into_iter().chain(later).collect())
        };
        let ramp = Series::linear(vec![(0.0, 0.0), (600.0, 0.9), (1800.0, 0.2), (3000.0, 0.0)]);
        let rest = Series::linear(vec![(0.0, 0.2), (1200.0, 0.0)]);
        // The value at the cut of a linear piece is rounded.
        let within = Series::linear(vec![(0.0, 0.9 - 0.7 / 12.0), (1100.0, 0.2), (2300.0, 0.0)]);
        let late = |from: f64| Series::new(vec![(2000.0 - from, 1.3)]);
        for (cut, whole, rest) in [
            (300.0, stairs(0.0), stairs(300.0)),
            (700.0, stairs(0.0), stairs(700.0)),
            (2200.0, stairs(0.0), stairs(2200.0)),
            (1800.0, ramp.clone(), rest),
            (700.0, ramp, within),
            (1234.0, Series::constant(0.7), Series::constant(0.7)),
            (1000.0, Series::new(vec![(0.0, 0.3), (900.0, 0.0), (2000.0, 1.3)]), late(1000.0)),
        ] {
            let both = rest.after(whole.piece_at(cut).expect("it has begun"));
            for time in [0.0, 1.75, 150.0, 399.875, 400.0, 1100.0, 1200.0, 2000.0] {
                assert_eq!(both.total(time), whole.total(cut + time), "{time} s after {cut} s");
                assert_eq!(both.at(time), whole.at(cut + time), "{time} s after {cut} s");
            }
            assert_eq!(both.after(whole.piece_at(cut).unwrap()), both);
        }
    }
}
