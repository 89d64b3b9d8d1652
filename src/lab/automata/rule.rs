//! Traits of the automata's rules.

use crate::word::Word;

/// A rule for the next state of a cell.
pub trait Rule: Copy + Send + Sync + 'static {
    /// Maximum distance of the neighbours (cells).
    const REACH: usize;

    /// Returns the next state of the cell at `at(0, 0, 0)`, where `at` returns the state of the
    /// cell at an offset along x, y and z.
    fn next(self, at: impl Fn(i64, i64, i64) -> u8) -> u8;
}

/// Moore neighbourhood; the first four cells are the von Neumann neighbourhood.
pub const MOORE: [(i64, i64); 8] =
    [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

/// A planar rule that counts the neighbours in one state, which may depend on the cell's own state.
pub trait Counted: Copy + Send + Sync + 'static {
    /// Number of neighbours in [`MOORE`]: 4 or 8.
    const NEIGHBOURS: usize;

    /// Returns the state to count among the neighbours.
    fn wanted(self, cell: u8) -> u8;
    /// Returns the next state of a cell with `count` neighbours in the wanted state.
    fn becomes(self, cell: u8, count: u8) -> u8;
}

impl<C: Counted> Rule for C {
    const REACH: usize = 1;

    #[inline(always)]
    fn next(self, at: impl Fn(i64, i64, i64) -> u8) -> u8 {
        let cell = at(0, 0, 0);
        let wanted = self.wanted(cell);
        let near = &MOORE[..C::NEIGHBOURS];
        let count = near.iter().filter(|(x, y)| at(*x, *y, 0) == wanted).count();
        self.becomes(cell, count as u8)
    }
}

/// A planar rule on bit planes: plane k holds bit k of the states, one bit per cell. A state has
/// `P` planes, of which neighbours see `S` derived ones.
pub trait Planes<const P: usize, const S: usize>: Copy + Send + Sync + 'static {
    /// Set if cells beyond a dead edge must be reset to state 0 after each step, because the rule
    /// could change them.
    const HELD: bool;
    /// Set if the visible planes are the state planes themselves.
    const SEES_STATE: bool;
    /// Intermediate data of a row, including its neighbours at the sides.
    type Row<V: Word>: Copy;

    /// Returns the planes that neighbours see.
    fn seen<V: Word>(self, here: [V; P]) -> [V; S];
    /// Returns the intermediate data of a row from the visible planes on the left, in place and on
    /// the right.
    fn row<V: Word>(self, near: [[V; S]; 3], here: [V; P]) -> Self::Row<V>;
    /// Returns the next state of the middle row, given three rows from top to bottom.
    fn next<V: Word>(self, rows: [&Self::Row<V>; 3]) -> [V; P];
}
