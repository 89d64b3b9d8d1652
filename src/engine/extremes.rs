//! Diagnostics of the flow: the greatest speed, Froude number and the like that a run of a timed rule records of itself, and where
//! and when.
//!
//! A speed is that of a cell, as maps and gauges have it: the size of the vector of the velocities over its edges
//! ([`crate::track::RowFlow`]). Speeds and Froude numbers are looked at in every eighth step, rises in all; where the greatest speed of
//! every cell is recorded ([`crate::track::Track::Speed`]), every state is looked at, and the greatest of the run is that of the map.
//! Everything is counted in whole numbers or is a maximum, so it is the same for any tiling and on every device.

use serde::{Deserialize, Serialize};

/// Depth in a cell, or of flow over an edge (m), from which its speed and its Froude number count. Thinner water is a
/// film that may run fast without harm.
pub const DEEP: f32 = 0.1;

/// Froude number above which flow counts as fast: beyond it a rule without the momentum that water carries along
/// is wrong by more than a few parts in a hundred.
pub const FAST: f32 = 0.9;

/// Steps from one look at the flow to the next: every one costs as much as a twentieth of a step.
pub const EVERY: u64 = 8;

/// Whether a step looks at the flow.
pub fn looks(step: u64) -> bool {
    step.is_multiple_of(EVERY)
}

/// The greatest of something, and where it was: the lowest cell of those that share it. Ordered as a number: its
/// upper half are the bits of a value that is not negative, its lower half counts cells down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u64)", into = "(u32, u64)")]
pub struct Maximum(u128);

/// Kept as the bits and the cell: few readers hold numbers of 128 bits.
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
    /// A value's bits (of a float ≥ 0, or of an integer ≥ 0) at a cell.
    pub fn new(bits: u32, cell: usize) -> Maximum {
        Maximum::from((bits, cell as u64))
    }

    /// As a GPU has it, in half as many bits: its frames are of fewer than 2³² cells.
    pub fn of_frame(number: u64) -> Maximum {
        let cell = u32::MAX - number as u32;
        if number == 0 {
            Maximum::default()
        } else {
            Maximum::new((number >> 32) as u32, cell as usize)
        }
    }

    /// For a GPU.
    ///
    /// # Panics
    /// If it has a cell with a number that no frame has.
    pub fn in_frame(self) -> u64 {
        let small = |cell| u32::try_from(cell).expect("a cell of a frame");
        self.cell()
            .map_or(0, |cell| u64::from(self.bits()) << 32 | u64::from(u32::MAX - small(cell)))
    }

    /// The bits of the value.
    pub fn bits(self) -> u32 {
        (self.0 >> 64) as u32
    }

    /// The value, if it is a float.
    pub fn value(self) -> f32 {
        f32::from_bits(self.bits())
    }

    /// The cell; none if nothing was ever recorded.
    pub fn cell(self) -> Option<usize> {
        (self.bits() > 0).then_some((u64::MAX - self.0 as u64) as usize)
    }

    /// The same at another number of its cell.
    pub fn moved(self, cell: impl FnOnce(usize) -> usize) -> Maximum {
        self.cell().map_or(Maximum::default(), |at| Maximum::new(self.bits(), cell(at)))
    }
}

/// The greatest values of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maxima {
    /// Speed of a cell deeper than [`DEEP`] (m/s).
    pub speed: Maximum,
    /// Froude number of such a cell.
    pub froude: Maximum,
    /// Rise of a cell's water in a step by flow (grains).
    pub rise: Maximum,
}

impl Maxima {
    /// Those that a GPU found in a frame ([`Maximum::of_frame`]), in the order of [`Maxima::each`].
    pub fn of_frame(numbers: [u64; 3]) -> Maxima {
        let [speed, froude, rise] = numbers.map(Maximum::of_frame);
        Maxima { speed, froude, rise }
    }

    /// All of them, in one order.
    pub fn each(self) -> [Maximum; 3] {
        [self.speed, self.froude, self.rise]
    }

    /// The greater of each.
    pub fn with(self, other: Maxima) -> Maxima {
        Maxima {
            speed: self.speed.max(other.speed),
            froude: self.froude.max(other.froude),
            rise: self.rise.max(other.rise),
        }
    }

    /// The same with the cells' numbers changed.
    pub fn moved(self, cell: impl Fn(usize) -> usize) -> Maxima {
        let moved = |maximum: Maximum| maximum.moved(&cell);
        Maxima { speed: moved(self.speed), froude: moved(self.froude), rise: moved(self.rise) }
    }
}

/// The greatest values so far, and when each was reached: at the end of which step (s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// The values.
    #[serde(rename = "peaks")]
    pub maxima: Maxima,
    /// Their times (s), in the order of [`Maxima::each`].
    pub times: [f64; 3],
}

impl Extremes {
    /// Takes up what was found by a time (s).
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

    /// Takes up what another watch of the same run has found, with its times.
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
        // Of grids of more cells than 32 bits count, too.
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
