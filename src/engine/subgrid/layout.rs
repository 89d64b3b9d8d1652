//! How the tables of a cell and of an edge lie in words of 32 bits: one plane of words for all cells for each number of a table. A step
//! reads nearly all of them, and waits for that: numbers have as few bits as they need.

/// Knots of a table: a number at (k / KNOTS)² of the way from its foot to its top, k from 0 to KNOTS.
pub const KNOTS: usize = 8;

/// Words of the table of a cell.
pub mod cell {
    /// [`KNOTS`](super::KNOTS)² over the mean depth at which it is full (1/m, f32): its highest open pixel is reached, and the mean depth
    /// over the open ones is 2⁻¹⁰ m or more.
    pub const PER_FULL: usize = 0;
    /// The level at which it is full above the lowest pixel, which is the cell's bed (2⁻¹⁶ m, i32): 64 in a flat cell.
    pub const RELIEF: usize = 1;
    /// Levels at knots 1 to 7 above the lowest pixel in 2⁻¹⁶ of the relief (u16), two a word, the lower knot in the lower half; the level
    /// at knot 8 is the relief. The last half is the upper half of an f32: how fast the level rises with the mean depth above the
    /// relief, 1 / the open share of the cell (at least 1).
    pub const LEVELS: usize = 2;
    /// How many words.
    pub const WORDS: usize = 6;
}

/// Words of the table of an edge.
pub mod edge {
    /// Level at which water first gets from the lowest pixel of one cell to that of the other (2⁻¹⁶ m as the bed's levels, i32);
    /// [`i32::MAX`] if it never does.
    pub const SILL: usize = 0;
    /// [`KNOTS`](super::KNOTS)² over the way from there to the highest open pixel between them (1/m, f32): no less than 0.05 m, and a
    /// multiple of 2⁻¹⁰ m, so that levels at knots are whole.
    pub const PER_RISE: usize = 1;
    /// Section (mean depth over the width of the edge) at the top (m, f32).
    pub const SECTION: usize = 2;
    /// Depth of conveyance at the top (m, f32): D = K^(3/5), with K = Σ h^(5/3)·n̄/n over the section and the width of the edge, by the mean
    /// n̄ of both cells. A plain bed of depth h has D = h.
    pub const CONVEYANCE: usize = 3;
    /// How they go on above. The lowest [`GROWS_BITS`] bits: how fast the section grows, the open share of the width, in [`GROWN`]. As many:
    /// how fast D does far above. The other ten: by how much D at the top is more than what it grows on from then, in [`EXCESS`] of
    /// it, counted from −1.
    pub const GROWS: usize = 4;
    /// Depths of conveyance and sections at knots 1 to 7, one after the other: their roots, in 1/[`CONVEYANCE_ROOT`] and
    /// 1/[`SECTION_ROOT`] of that at the top, [`ROOT_BITS`] each, three a word, the first in the lowest bits. The last number is the root of the height above the top in which half of the
    /// excess is gone, by the way from the sill to the top, in [`FADES`].
    pub const ROOTS: usize = 5;
    /// How many words.
    pub const WORDS: usize = 10;
    /// Bits of a root.
    pub const ROOT_BITS: u32 = 10;
    /// The root of the section at the top: those of a plain are whole.
    pub const SECTION_ROOT: u16 = 1024;
    /// The root of the depth of conveyance there.
    pub const CONVEYANCE_ROOT: u16 = 1023;
    /// Bits of a growth.
    pub const GROWS_BITS: u32 = 11;
    /// What growths are multiples of.
    pub const GROWN: f32 = 1.0 / 1024.0;
    /// What excesses are multiples of.
    pub const EXCESS: f32 = 1.0 / 512.0;
    /// What the square of the height's root is a multiple of, in a [`KNOTS`](super::KNOTS)²th of the rise.
    pub const FADES: f32 = 1.0 / 1024.0;
}

/// Planes of all tables of a cell and of the edges east and south of it, in this order.
pub const PLANES: usize = cell::WORDS + 2 * edge::WORDS;

/// The first plane of the edges of an axis.
pub const fn first_of(axis: usize) -> usize {
    cell::WORDS + axis * edge::WORDS
}
