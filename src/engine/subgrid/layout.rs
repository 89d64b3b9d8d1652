//! Bit layout of cell and edge tables: each 32-bit word of a table has a plane over all cells. A
//! step reads nearly all planes and is limited by memory bandwidth, so numbers use as few bits as
//! possible.

/// Short float format: the upper bits of an f32, counted from the bits of a power of two, which is
/// the smallest such number.
#[derive(Clone, Copy, Debug)]
pub struct ShortFloat {
    /// Total number of bits.
    pub bits: u32,
    /// Number of mantissa bits.
    pub mantissa: u32,
    /// Exponent of the smallest number.
    pub least: i32,
}

impl ShortFloat {
    /// Returns the bits of the smallest number as an f32.
    pub const fn base(self) -> u32 {
        ((127 + self.least) as u32) << 23
    }

    /// Decodes a number.
    pub const fn value(self, code: u32) -> f32 {
        f32::from_bits((code << (23 - self.mantissa)) + self.base())
    }

    /// Encodes a number, rounded to nearest.
    pub fn nearest(self, number: f64) -> u32 {
        self.code(number, 1 << (22 - self.mantissa))
    }

    /// Encodes a number, rounded up.
    pub fn no_less(self, number: f64) -> u32 {
        let code = self.nearest(number);
        code + u32::from(f64::from(self.value(code)) < number)
    }

    /// Encodes a number, rounded down.
    pub fn no_more(self, number: f64) -> u32 {
        let code = self.nearest(number);
        code - u32::from(f64::from(self.value(code)) > number && code > 0)
    }

    /// Encodes an f32 after adding `more` to its bits, truncated.
    fn code(self, number: f64, more: u32) -> u32 {
        let above = ((number as f32).to_bits() + more).saturating_sub(self.base());
        (above >> (23 - self.mantissa)).min((1 << self.bits) - 1)
    }
}

/// Words of the table of a cell.
pub mod cell {
    use super::ShortFloat;

    /// Number of knots: levels are stored where the mean depth is (k / KNOTS)² times a full cell's,
    /// k from 0 to KNOTS.
    pub const KNOTS: usize = 8;
    /// Index of the word of [`PER_FULL`] (its lowest bits) and [`SPREAD`] (its highest).
    pub const FULL: usize = 0;
    /// Level of a full cell above the lowest pixel, which is the cell's bed (2⁻¹⁶ m, integer): 64
    /// in a flat cell.
    pub const RELIEF: ShortFloat = ShortFloat { bits: 19, mantissa: 14, least: 6 };
    /// [`KNOTS`]² divided by the mean depth of a full cell (1/m). A cell is full when its highest
    /// open pixel is reached and the mean depth over the open pixels is at least 2⁻¹⁰ m.
    pub const PER_FULL: ShortFloat = ShortFloat { bits: 20, mantissa: 15, least: -8 };
    /// Index of the first of three words with the levels at two knots each, from knot 1, above the
    /// lowest pixel, in units of 1/[`SHARES`] of the relief and of [`LEVEL_BITS`] bits, the lower
    /// knot in the lowest bits. The level at knot 8 is the relief. The highest ten bits of the
    /// three words, in sequence, hold the level at knot 7 and [`RELIEF`], from their lowest bits.
    pub const LEVELS: usize = 1;
    /// Number of bits of a level.
    pub const LEVEL_BITS: u32 = 11;
    /// Number of units into which the relief is divided.
    pub const SHARES: i32 = 1 << LEVEL_BITS;
    /// Rise of the level per unit of mean depth above the relief: 1 / the open share of the cell
    /// (at least 1).
    pub const SPREAD: ShortFloat = ShortFloat { bits: 12, mantissa: 7, least: 0 };
    /// Number of words per cell.
    pub const WORDS: usize = 4;
}

/// Words of the table of an edge.
pub mod edge {
    use super::ShortFloat;

    /// Number of knots: section and conveyance are stored at (k / KNOTS)² of the height from the
    /// sill to the top, k from 0 to KNOTS. In between, the square roots of both are linear in the
    /// square root of that height, as for a flat bed.
    pub const KNOTS: usize = 6;
    /// Index of the sill: the level at which water first passes from the lowest pixel of one cell
    /// to the lowest pixel of the other (2⁻¹⁶ m like bed levels, i32); [`i32::MAX`] if it never
    /// does.
    pub const SILL: usize = 0;
    /// Index of the word with both values at the top, each as [`TOP`]: the section (mean depth over
    /// the width of the edge, m) in the lower half, the depth of conveyance in the upper half: D =
    /// K^(3/5), where K = Σ h^(5/3)·n̄/n over the section, divided by the width of the edge, and n̄
    /// is the mean of both cells. A flat bed of depth h has D = h.
    pub const TOPS: usize = 1;
    /// Format of a section or depth of conveyance at the top (m).
    pub const TOP: ShortFloat = ShortFloat { bits: 16, mantissa: 11, least: -18 };
    /// Index of the word with the growth of both above the top and [`PER_RISE`] (the highest bits):
    /// the growth of the section, which is the open share of the width, in units of [`GROWN`] (the
    /// lowest [`GROWS_BITS`]), and the growth of D far above (as many bits).
    pub const ABOVE: usize = 2;
    /// [`KNOTS`]² divided by the height from the sill to the highest open pixel between both cells
    /// (1/m), which is at least 0.05 m.
    pub const PER_RISE: ShortFloat = ShortFloat { bits: 14, mantissa: 9, least: -12 };
    /// Number of bits of a growth.
    pub const GROWS_BITS: u32 = 9;
    /// Unit of a growth.
    pub const GROWN: f32 = 1.0 / 256.0;
    /// Index of the word with D's approach to that growth: the excess of D at the top over its
    /// asymptote, as a multiple of [`EXCESS`] of the asymptote, counted from −1; and the square
    /// root of the height above the top in which half of the excess is gone, in units of [`FADES`].
    /// Its upper half holds the roots at knot 1.
    pub const FADING: usize = 3;
    /// Unit of an excess.
    pub const EXCESS: f32 = 1.0 / 128.0;
    /// Unit of the square of that root, as a fraction of the rise divided by [`KNOTS`]².
    pub const FADES: f32 = 1.0 / 128.0;
    /// Index of the first of two words with the roots at two knots each, from knot 2: depth of
    /// conveyance and section, of [`ROOT_BITS`] bits each, in units of 1/[`TOP_ROOT`] of the root
    /// at the top; the lower knot is in the lower half, conveyance in the lowest bits.
    pub const ROOTS: usize = 4;
    /// Number of words per edge.
    pub const WORDS: usize = 6;
    /// Number of bits of a root, of an excess and of a fading height.
    pub const ROOT_BITS: u32 = 8;
    /// Value of the root at the top, chosen so that the roots of a flat bed are integers.
    pub const TOP_ROOT: i32 = 252;
}

/// Number of planes of a cell's table and of the tables of its east and south edges, in this order.
pub const PLANES: usize = cell::WORDS + 2 * edge::WORDS;

/// Returns the first plane of the edges of an axis.
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
