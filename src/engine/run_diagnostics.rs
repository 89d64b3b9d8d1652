//! Run diagnostics of the timed solvers: greatest speed, Froude number and rise, with place and
//! time.
//!
//! A speed is that of a cell, as in maps and gauges: the magnitude of the velocity vector from its
//! edges ([`crate::cell_diagnostics::RowFlow`]). Speeds and Froude numbers are evaluated every
//! eighth step, rises in every step. If the greatest speed of every cell is recorded
//! ([`crate::cell_diagnostics::CellDiagnostic::Speed`]), every state is evaluated, and the greatest
//! speed of the run equals that of the map. All values are integer counts or maxima, so they are
//! identical for any tiling and on every device.

use serde::{Deserialize, Serialize};

/// Depth in a cell, or flow depth at an edge (m), from which speed and Froude number count. Thinner
/// water is a film that may run fast without harm.
pub const DEEP: f32 = 0.1;

/// Froude number above which flow counts as fast: beyond it, a solver without momentum advection is
/// wrong by more than a few percent.
pub const FAST: f32 = 0.9;

/// Steps between evaluations of the flow; each evaluation costs a twentieth to a tenth of a step.
pub const EVERY: u64 = 8;

/// Returns `true` if a step evaluates the flow.
pub fn evaluates_flow(step: u64) -> bool {
    step.is_multiple_of(EVERY)
}

/// A maximum and its cell, the lowest of those that share the value. Ordered as a number: its upper
/// half holds the bits of a non-negative value, its lower half counts cells downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u64)", into = "(u32, u64)")]
pub struct Maximum(u128);

/// Stored as bits and cell, since few readers support 128-bit numbers.
impl From<(u32, u64)> for Maximum {
    fn from((bits, cell): (u32, u64)) -> Maximum {
        Maximum(u128::from(bits) << 64 | u128::from(u64::MAX - cell))
    }
}

impl From<Maximum> for (u32, u64) {
    fn from(maximum: Maximum) -> (u32, u64) {
        (maximum.bits(), u64::MAX - maximum.0 as u64)
    }
}

impl Maximum {
    /// Creates a maximum from the bits of a value (a float ≥ 0 or an integer ≥ 0) and its cell.
    pub fn new(bits: u32, cell: usize) -> Maximum {
        Maximum::from((bits, cell as u64))
    }

    /// Decodes a GPU's maximum, which has half as many bits: its frames have fewer than 2³² cells.
    pub fn of_frame(number: u64) -> Maximum {
        let cell = u32::MAX - number as u32;
        if number == 0 {
            Maximum::default()
        } else {
            Maximum::new((number >> 32) as u32, cell as usize)
        }
    }

    /// Encodes it for a GPU.
    ///
    /// # Panics
    /// If the cell index does not fit a frame.
    pub fn in_frame(self) -> u64 {
        let small = |cell| u32::try_from(cell).expect("a cell of a frame");
        self.cell()
            .map_or(0, |cell| u64::from(self.bits()) << 32 | u64::from(u32::MAX - small(cell)))
    }

    /// Returns the bits of the value.
    pub fn bits(self) -> u32 {
        (self.0 >> 64) as u32
    }

    /// Returns the value as a float.
    pub fn value(self) -> f32 {
        f32::from_bits(self.bits())
    }

    /// Returns the cell; `None` if nothing was ever recorded.
    pub fn cell(self) -> Option<usize> {
        (self.bits() > 0).then_some((u64::MAX - self.0 as u64) as usize)
    }

    /// Returns the maximum with its cell index mapped.
    pub fn moved(self, cell: impl FnOnce(usize) -> usize) -> Maximum {
        self.cell().map_or(Maximum::default(), |at| Maximum::new(self.bits(), cell(at)))
    }
}

/// Greatest values of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maxima {
    /// Speed in a cell deeper than [`DEEP`] (m/s).
    pub speed: Maximum,
    /// Froude number in a cell deeper than [`DEEP`].
    pub froude: Maximum,
    /// Rise of a cell's water in a step by flow (grains).
    pub rise: Maximum,
}

impl Maxima {
    /// Decodes the maxima of a GPU's frame ([`Maximum::of_frame`]), in the order of
    /// [`Maxima::each`].
    pub fn of_frame(numbers: [u64; 3]) -> Maxima {
        let [speed, froude, rise] = numbers.map(Maximum::of_frame);
        Maxima { speed, froude, rise }
    }

    /// Returns all maxima in a fixed order.
    pub fn each(self) -> [Maximum; 3] {
        [self.speed, self.froude, self.rise]
    }

    /// Returns the greater of each pair.
    pub fn with(self, other: Maxima) -> Maxima {
        Maxima {
            speed: self.speed.max(other.speed),
            froude: self.froude.max(other.froude),
            rise: self.rise.max(other.rise),
        }
    }

    /// Returns the maxima with their cell indices mapped.
    pub fn moved(self, cell: impl Fn(usize) -> usize) -> Maxima {
        let moved = |maximum: Maximum| maximum.moved(&cell);
        Maxima { speed: moved(self.speed), froude: moved(self.froude), rise: moved(self.rise) }
    }
}

/// Greatest values so far, and the end times (s) of the steps that reached them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// The greatest values so far.
    #[serde(rename = "peaks")]
    pub maxima: Maxima,
    /// Times of the values (s), in the order of [`Maxima::each`].
    pub times: [f64; 3],
}

impl Extremes {
    /// Merges maxima found by a time (s).
    pub fn record(&mut self, found: Maxima, time: f64) {
        let all = self.maxima.with(found);
        for ((before, now), at) in
            self.maxima.each().into_iter().zip(all.each()).zip(&mut self.times)
        {
            if now > before {
                *at = time;
            }
        }
        self.maxima = all;
    }

    /// Merges another watch's values and times from the same run.
    pub fn join(&mut self, other: &Extremes) {
        for (at, (mine, theirs)) in
            self.maxima.each().into_iter().zip(other.maxima.each()).enumerate()
        {
            if theirs > mine {
                self.times[at] = other.times[at];
            }
        }
        self.maxima = self.maxima.with(other.maxima);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_comes_first_and_of_equals_the_lowest_cell() {
        let maximum = |value: f32, cell| Maximum::new(value.to_bits(), cell);
        assert!(maximum(2.0, 9) > maximum(1.5, 3) && maximum(2.0, 3) > maximum(2.0, 9));
        assert_eq!((maximum(2.0, 9).value(), maximum(2.0, 9).cell()), (2.0, Some(9)));
        assert_eq!(Maximum::default().cell(), None);
        // Also for grids of more cells than fit in 32 bits.
        let far = maximum(2.0, 10_000_000_000);
        assert_eq!((far.value(), far.cell()), (2.0, Some(10_000_000_000)));
        assert!(far < maximum(2.0, 9) && far > maximum(1.5, 3));
        for small in [maximum(2.0, 9), maximum(1.5, u32::MAX as usize), Maximum::default()] {
            assert_eq!(Maximum::of_frame(small.in_frame()), small);
        }
        assert!(maximum(2.0, 3).in_frame() > maximum(2.0, 9).in_frame());
        for kept in [far, Maximum::default()] {
            assert_eq!(Maximum::from(<(u32, u64)>::from(kept)), kept);
        }
        let mut watch = Extremes::default();
        let found = |value, cell| Maxima { speed: maximum(value, cell), ..Maxima::default() };
        watch.record(found(1.0, 7), 5.0);
        watch.record(found(1.0, 7), 6.0);
        assert_eq!(watch.times, [5.0, 0.0, 0.0]);
        watch.record(found(3.0, 8), 7.0);
        assert_eq!((watch.times[0], watch.maxima.speed.cell()), (7.0, Some(8)));
    }
}
