//! How the tables of a cell and of an edge lie in words of 32 bits: one plane of words for all cells for each number of a table.

/// Knots of a table: a number at (k / KNOTS)² of the way from its foot to its top, k from 0 to KNOTS.
pub const KNOTS: usize = 8;

/// Words of the table of a cell.
pub mod cell {
    /// Mean depth at which it is full (m, f32): its highest open pixel is reached, and the mean depth over the open ones is 2⁻¹⁰ m or more.
    pub const FULL: usize = 0;
    /// [`KNOTS`](super::KNOTS)² over it (1/m, f32).
    pub const PER_FULL: usize = 1;
    /// The level at which it is full above the lowest pixel, which is the cell's bed (2⁻¹⁶ m, i32): 64 in a flat cell.
    pub const RELIEF: usize = 2;
    /// How fast the level rises with the mean depth above it: 1 / the open share of the cell (f32, at least 1).
    pub const SPREAD: usize = 3;
    /// Levels at knots 1 to 7 above the lowest pixel in 2⁻¹⁶ of the relief (u16), two a word, the lower knot in the lower half; the last
    /// half is 0. The level at knot 8 is the relief.
    pub const LEVELS: usize = 4;
    /// How many words.
    pub const WORDS: usize = 8;
}

/// Words of the table of an edge.
pub mod edge {
    /// Level at which water first gets from the lowest pixel of one cell to that of the other (2⁻¹⁶ m as the bed's levels, i32);
    /// [`i32::MAX`] if it never does.
    pub const SILL: usize = 0;
    /// From there to the highest open pixel between them (m, f32): no less than 0.05 m, and a multiple of 2⁻¹⁰ m, so that levels at knots are
    /// whole.
    pub const RISE: usize = 1;
    /// [`KNOTS`](super::KNOTS)² over it (1/m, f32).
    pub const PER_RISE: usize = 2;
    /// Section (mean depth over the width of the edge) at the top (m, f32).
    pub const SECTION: usize = 3;
    /// How fast it grows above: the open share of the width (f32, 0 to 1).
    pub const SECTION_GROWS: usize = 4;
    /// The greatest depth of friction at a knot (m, f32).
    pub const FRICTION: usize = 5;
    /// How fast the depth of friction grows above the top (f32).
    pub const FRICTION_GROWS: usize = 6;
    /// Sections at knots 1 to 7 in 2⁻¹⁶ of that at the top (u16), as a cell's levels lie; the last half is 0.
    pub const SECTIONS: usize = 7;
    /// Depths of friction at knots 1 to 8 in 1/65535 of the greatest (u16).
    pub const FRICTIONS: usize = 11;
    /// How many words.
    pub const WORDS: usize = 15;
}

/// Planes of all tables of a cell and of the edges east and south of it, in this order.
pub const PLANES: usize = cell::WORDS + 2 * edge::WORDS;

/// The first plane of the edges of an axis.
pub const fn first_of(axis: usize) -> usize {
    cell::WORDS + axis * edge::WORDS
}
