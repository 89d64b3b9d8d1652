//! How the tables of a cell and of an edge lie in words of 32 bits: one plane of words for all cells for each word of a table. A step
//! reads nearly all of them, and waits for that: numbers have as few bits as they need.

/// A number in a few bits: the upper ones of an f32, counted from those of a power of two, which is the least such number.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    /// How many bits.
    pub bits: u32,
    /// How many of them are of the mantissa.
    pub mantissa: u32,
    /// The exponent of the least number.
    pub least: i32,
}

impl Short {
    /// The bits of the least number as an f32.
    pub const fn base(self) -> u32 {
        ((127 + self.least) as u32) << 23
    }

    /// The number of some bits.
    pub const fn value(self, code: u32) -> f32 {
        f32::from_bits((code << (23 - self.mantissa)) + self.base())
    }

    /// The bits of the number that is nearest to another.
    pub fn nearest(self, number: f64) -> u32 {
        self.code(number, 1 << (22 - self.mantissa))
    }

    /// The bits of the least number that is no less than another.
    pub fn no_less(self, number: f64) -> u32 {
        let code = self.nearest(number);
        code + u32::from(f64::from(self.value(code)) < number)
    }

    /// The bits of the greatest number that is no more than another.
    pub fn no_more(self, number: f64) -> u32 {
        let code = self.nearest(number);
        code - u32::from(f64::from(self.value(code)) > number && code > 0)
    }

    /// The bits of an f32, so much added, cut off.
    fn code(self, number: f64, more: u32) -> u32 {
        let above = ((number as f32).to_bits() + more).saturating_sub(self.base());
        (above >> (23 - self.mantissa)).min((1 << self.bits) - 1)
    }
}

/// Words of the table of a cell.
pub mod cell {
    use super::Short;

    /// Knots: the level when the mean depth is (k / KNOTS)² of that at which the cell is full, k from 0 to KNOTS.
    pub const KNOTS: usize = 8;
    /// The word of [`PER_FULL`] (its lowest bits) and of the upper ones of [`RELIEF`] (the rest).
    pub const FULL: usize = 0;
    /// The level at which it is full above the lowest pixel, which is the cell's bed (2⁻¹⁶ m, whole): 64 in a flat cell.
    pub const RELIEF: Short = Short { bits: 19, mantissa: 14, least: 6 };
    /// [`KNOTS`]² over the mean depth at which it is full (1/m): its highest open pixel is reached, and the mean depth over the open ones is
    /// 2⁻¹⁰ m or more.
    pub const PER_FULL: Short = Short { bits: 20, mantissa: 15, least: -8 };
    /// The first of three words with two levels at knots each, from knot 1 on, above the lowest pixel, in 1/[`SHARES`] of the relief, of
    /// [`LEVEL_BITS`]: the lower knot in the lowest bits. The level at knot 8 is the relief. The highest ten bits of the three, one after
    /// the other, are the level at knot 7, nine bits of [`SPREAD`], the other seven of [`RELIEF`], and three of [`SPREAD`].
    pub const LEVELS: usize = 1;
    /// Bits of a level.
    pub const LEVEL_BITS: u32 = 11;
    /// What the relief is parted in.
    pub const SHARES: i32 = 1 << LEVEL_BITS;
    /// How fast the level rises with the mean depth above the relief, 1 / the open share of the cell (at least 1).
    pub const SPREAD: Short = Short { bits: 12, mantissa: 7, least: 0 };
    /// How many words.
    pub const WORDS: usize = 4;
}

/// Words of the table of an edge.
pub mod edge {
    use super::Short;

    /// Knots: section and conveyance at (k / KNOTS)² of the way from the sill to the top, k from 0 to KNOTS. The roots of
    /// both are straight lines over the root of that way between them, as those of a plain bed are.
    pub const KNOTS: usize = 6;
    /// Level at which water first gets from the lowest pixel of one cell to that of the other (2⁻¹⁶ m as the bed's levels, i32);
    /// [`i32::MAX`] if it never does.
    pub const SILL: usize = 0;
    /// The word of both at the top, each as [`TOP`]: the section (mean depth over the width of the edge, m) in the lower half; the depth of
    /// conveyance in the upper: D = K^(3/5), with K = Σ h^(5/3)·n̄/n over the section and the width of the edge, by the mean
    /// n̄ of both cells. A plain bed of depth h has D = h.
    pub const TOPS: usize = 1;
    /// A section or a depth of conveyance at the top (m).
    pub const TOP: Short = Short { bits: 16, mantissa: 11, least: -18 };
    /// The word of how both grow above the top, and of [`PER_RISE`] (the highest bits): how fast the section grows, the open share of the width, in
    /// [`GROWN`] (the lowest [`GROWS_BITS`]), and how fast D does far above (as many).
    pub const ABOVE: usize = 2;
    /// [`KNOTS`]² over the way from the sill to the highest open pixel between both cells (1/m), which is no less than 0.05 m.
    pub const PER_RISE: Short = Short { bits: 14, mantissa: 9, least: -12 };
    /// Bits of a growth.
    pub const GROWS_BITS: u32 = 9;
    /// What growths are multiples of.
    pub const GROWN: f32 = 1.0 / 256.0;
    /// The word of how D nears that growth: by how much D at the top is more than what it grows on from then, in [`EXCESS`] of it,
    /// counted from −1; and the root of the height above the top in which half of that excess is gone, in [`FADES`]. Its upper half
    /// has the roots at knot 1.
    pub const FADING: usize = 3;
    /// What excesses are multiples of.
    pub const EXCESS: f32 = 1.0 / 128.0;
    /// What the square of that root is a multiple of, in a [`KNOTS`]²th of the rise.
    pub const FADES: f32 = 1.0 / 128.0;
    /// The first of two words with the roots at two knots each, from knot 2 on: depth of conveyance and section, of
    /// [`ROOT_BITS`] each, in 1/[`TOP_ROOT`] of the root at the top; the lower knot in the lower half, conveyance in the lowest bits.
    pub const ROOTS: usize = 4;
    /// How many words.
    pub const WORDS: usize = 6;
    /// Bits of a root, of an excess and of a fading height.
    pub const ROOT_BITS: u32 = 8;
    /// The root at the top: those of a plain are whole.
    pub const TOP_ROOT: i32 = 252;
}

/// Planes of all tables of a cell and of the edges east and south of it, in this order.
pub const PLANES: usize = cell::WORDS + 2 * edge::WORDS;

/// The first plane of the edges of an axis.
pub const fn first_of(axis: usize) -> usize {
    cell::WORDS + axis * edge::WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_the_nearest_or_no_less() {
        for short in [cell::RELIEF, cell::PER_FULL, cell::SPREAD, edge::TOP, edge::PER_RISE] {
            let least = 2f64.powi(short.least);
            assert_eq!(f64::from(short.value(0)), least);
            assert_eq!(short.nearest(least / 3.0), 0);
            let step = 0.5f64.powi(short.mantissa as i32);
            for number in [1.0, 1.17, 1.41, 1.9999, 3.3e4, 7.7e7].map(|more| more * least) {
                let nearest = f64::from(short.value(short.nearest(number)));
                assert!((nearest - number).abs() <= 0.5 * step * number, "{number} in {short:?}");
                let code = short.no_less(number);
                assert!(f64::from(short.value(code)) >= number);
                assert!(code == 0 || f64::from(short.value(code - 1)) < number);
                assert!([code, code.max(1) - 1].contains(&short.no_more(number)));
                assert!(f64::from(short.value(short.no_more(number))) <= number);
            }
            assert_eq!(short.nearest(1e30), (1 << short.bits) - 1);
        }
    }
}
