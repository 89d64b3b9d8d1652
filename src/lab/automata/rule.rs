//! What the automata have in common.

use crate::word::Word;

/// What a cell becomes.
pub trait Rule: Copy + Send + Sync + 'static {
    /// How far its neighbours are, at the most (cells).
    const REACH: usize;

    /// The next state of the cell at `at(0, 0, 0)`, where `at` tells the state of a cell so far along x, y and z.
    fn next(self, at: impl Fn(i64, i64, i64) -> u8) -> u8;
}

/// The eight neighbours of Moore; the first four are those of von Neumann.
pub const MOORE: [(i64, i64); 8] =
    [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

/// A rule of the plane in which a cell counts those of its neighbours that are in one state, which may depend on its own.
pub trait Counted: Copy + Send + Sync + 'static {
    /// How many of [`MOORE`] are neighbours: 4 or 8.
    const NEIGHBOURS: usize;

    /// The state that a cell looks for among its neighbours.
    fn wanted(self, cell: u8) -> u8;
    /// What a cell becomes if so many neighbours are in the state that it looks for.
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

/// A rule of the plane on bit planes: plane k holds bit k of the states, a cell a bit. `P` planes make a state, and `S` are
/// seen by the neighbours.
pub trait Planes<const P: usize, const S: usize>: Copy + Send + Sync + 'static {
    /// Whether cells beyond a dead edge must be held in state 0: else the rule leaves them there.
    const HELD: bool;
    /// Whether what is seen are the planes themselves.
    const SEES_STATE: bool;
    /// What is to be known of a row, its neighbours at the sides being seen.
    type Row<V: Word>: Copy;

    /// What neighbours see.
    fn seen<V: Word>(self, here: [V; P]) -> [V; S];
    /// What is to be known of a row: of what is seen on the left, at its place and on the right.
    fn row<V: Word>(self, near: [[V; S]; 3], here: [V; P]) -> Self::Row<V>;
    /// The next state of the row between two, of three from above to below.
    fn next<V: Word>(self, rows: [&Self::Row<V>; 3]) -> [V; P];
}
