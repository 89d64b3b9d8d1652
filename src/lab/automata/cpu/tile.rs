//! A tile of bit planes in the processor's caches, in which several consecutive steps are taken.
//!
//! A tile is 32 words wide. The outermost words belong to its neighbours, and one more cell at
//! their outer ends becomes invalid with each step. Words are processed in columns from top to
//! bottom, with three rows in registers.

use super::lanes::WithWord;
use crate::rule::Planes;
use crate::word::Word;
use std::marker::PhantomData;

/// Words per row of a tile.
pub const WIDTH: usize = 32;

/// Rows processed in a column before the next words: few enough that they stay in the first-level
/// cache, and enough that the two additional rows matter little.
const BAND: usize = 16;

/// Words from row to row: an odd number of cache lines, to avoid conflicts between rows, with room
/// on both sides.
const PITCH: usize = WIDTH + 8;

/// Planes and the values that neighbours see, in two copies: before and after a step.
pub struct Tile {
    rows: usize,
    vectors: usize,
    words: Vec<u64>,
    aligned: usize,
}

impl Tile {
    /// Allocates `vectors` planes and visible values with `rows` rows.
    pub fn new(vectors: usize, rows: usize) -> Tile {
        let words = vec![0u64; 2 * vectors * rows * PITCH + 24];
        let aligned = words.as_ptr().align_offset(64) + 8;
        Tile { rows, vectors, words, aligned }
    }

    /// Returns the index of a row of a plane, before or after a step.
    fn place(&self, after: usize, vector: usize, row: usize) -> usize {
        self.aligned + ((after * self.vectors + vector) * self.rows + row) * PITCH
    }

    /// Returns the words of a row of a plane.
    pub fn row(&self, after: usize, vector: usize, row: usize) -> &[u64] {
        let place = self.place(after, vector, row);
        &self.words[place..place + WIDTH]
    }

    /// Returns the words of a row of a plane, mutably.
    pub fn row_mut(&mut self, after: usize, vector: usize, row: usize) -> &mut [u64] {
        let place = self.place(after, vector, row);
        &mut self.words[place..place + WIDTH]
    }
}

/// A step of some rows of a tile, or the initial computation of the visible values.
pub struct Step<'a, R, const P: usize, const S: usize> {
    /// Rule of the automaton.
    pub rule: R,
    /// Tile to step.
    pub tile: &'a mut Tile,
    /// Copy before the step: 0 or 1.
    pub before: usize,
    /// Range of rows to compute.
    pub rows: std::ops::Range<usize>,
    /// Set to compute only the visible values.
    pub look: bool,
    /// Fixes the number of planes.
    pub planes: PhantomData<[(); P]>,
}

impl<R: Planes<P, S>, const P: usize, const S: usize> WithWord for Step<'_, R, P, S> {
    #[inline(always)]
    fn with<V: Word>(self) {
        let Step { rule, tile, before, rows, look, .. } = self;
        assert!(rows.end < tile.rows && (look || rows.start > 0));
        let base = tile.words.as_mut_ptr();
        // SAFETY: all indices are within the tile, including a word before and after each row.
        unsafe {
            let mut from_planes = [base; P];
            let mut to_planes = [base; P];
            let mut from_seen = [base; S];
            let mut to_seen = [base; S];
            for k in 0..P {
                from_planes[k] = base.add(tile.place(before, k, 0));
                to_planes[k] = base.add(tile.place(1 - before, k, 0));
            }
            for k in 0..S {
                let vector = if R::SEES_STATE { k } else { P + k };
                from_seen[k] = base.add(tile.place(before, vector, 0));
                to_seen[k] = base.add(tile.place(1 - before, vector, 0));
            }
            if look {
                for row in rows {
                    for word in (0..WIDTH).step_by(V::WORDS) {
                        let mut here = [V::zero(); P];
                        for k in 0..P {
                            here[k] = V::load(from_planes[k].add(row * PITCH + word));
                        }
                        let seen = rule.seen(here);
                        for k in 0..S {
                            seen[k].store(from_seen[k].add(row * PITCH + word));
                        }
                    }
                }
                return;
            }
            for first in rows.clone().step_by(BAND) {
                let end = rows.end.min(first + BAND);
                for word in (0..WIDTH).step_by(V::WORDS) {
                    let mut at = first * PITCH + word;
                    let mut above = known::<V, R, P, S>(rule, &from_planes, &from_seen, at - PITCH);
                    let mut here = known::<V, R, P, S>(rule, &from_planes, &from_seen, at);
                    for _ in first..end {
                        let below = known::<V, R, P, S>(rule, &from_planes, &from_seen, at + PITCH);
                        let next = rule.next([&above, &here, &below]);
                        for k in 0..P {
                            next[k].store(to_planes[k].add(at));
                        }
                        if !R::SEES_STATE {
                            let seen = rule.seen(next);
                            for k in 0..S {
                                seen[k].store(to_seen[k].add(at));
                            }
                        }
                        (above, here) = (here, below);
                        at += PITCH;
                    }
                }
            }
        }
    }
}

/// Computes the row data of some words.
///
/// # Safety
/// The words, and one on either side, must be valid.
#[inline(always)]
unsafe fn known<V: Word, R: Planes<P, S>, const P: usize, const S: usize>(
    rule: R,
    planes: &[*mut u64; P],
    seen: &[*mut u64; S],
    at: usize,
) -> R::Row<V> {
    let mut here = [V::zero(); P];
    let mut near = [[V::zero(); S]; 3];
    // SAFETY: the caller guarantees that the words, and one on either side, are valid.
    unsafe {
        for k in 0..P {
            here[k] = V::load(planes[k].add(at));
        }
        for k in 0..S {
            near[0][k] = V::load_left(seen[k].add(at));
            near[1][k] = if R::SEES_STATE { here[k] } else { V::load(seen[k].add(at)) };
            near[2][k] = V::load_right(seen[k].add(at));
        }
    }
    rule.row(near, here)
}
