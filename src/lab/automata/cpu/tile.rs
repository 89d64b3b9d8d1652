//! A tile of bit planes in the processor's caches, in which several steps are taken in a row.
//!
//! A tile is 32 words wide, of which the outermost stand for what lies beside it, and may be wrong at their outer ends by a
//! cell a step. Rows are marched down with what is known of three of them in registers.

use super::lanes::WithWord;
use crate::rule::Planes;
use crate::word::Word;
use std::marker::PhantomData;

/// Words of a row.
pub const WIDTH: usize = 32;

/// Rows that are marched down at a time: so few that what is read of them stays in the first-level cache until the next words
/// are marched down, so many that it counts for little that two more are looked at.
const BAND: usize = 16;

/// Words from row to row: an odd number of cache lines, so that rows do not get into each other's way, and room on both sides.
const PITCH: usize = WIDTH + 8;

/// Planes and what is seen of them, twice: before and after a step.
pub struct Tile {
    rows: usize,
    vectors: usize,
    words: Vec<u64>,
    aligned: usize,
}

impl Tile {
    /// Room for so many rows of so many planes and things seen.
    pub fn new(vectors: usize, rows: usize) -> Tile {
        let words = vec![0u64; 2 * vectors * rows * PITCH + 24];
        let aligned = words.as_ptr().align_offset(64) + 8;
        Tile { rows, vectors, words, aligned }
    }

    /// Where the words of a row of a plane are, before a step or after it.
    fn place(&self, after: usize, vector: usize, row: usize) -> usize {
        self.aligned + ((after * self.vectors + vector) * self.rows + row) * PITCH
    }

    /// The words of a row of a plane.
    pub fn row(&self, after: usize, vector: usize, row: usize) -> &[u64] {
        let place = self.place(after, vector, row);
        &self.words[place..place + WIDTH]
    }

    /// The same, to be written.
    pub fn row_mut(&mut self, after: usize, vector: usize, row: usize) -> &mut [u64] {
        let place = self.place(after, vector, row);
        &mut self.words[place..place + WIDTH]
    }
}

/// A step of some rows of a tile, or what is seen of them at first.
pub struct Step<'a, R, const P: usize, const S: usize> {
    /// The rule.
    pub rule: R,
    /// The tile.
    pub tile: &'a mut Tile,
    /// Which half is before the step: 0 or 1.
    pub before: usize,
    /// The rows that are made.
    pub rows: std::ops::Range<usize>,
    /// Whether nothing is made but what is seen.
    pub look: bool,
    /// The planes.
    pub planes: PhantomData<[(); P]>,
}

impl<R: Planes<P, S>, const P: usize, const S: usize> WithWord for Step<'_, R, P, S> {
    #[inline(always)]
    fn with<V: Word>(self) {
        let Step { rule, tile, before, rows, look, .. } = self;
        assert!(rows.end < tile.rows && (look || rows.start > 0));
        let base = tile.words.as_mut_ptr();
        // SAFETY: places are of the tile; a word before and after a row is there, too.
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

/// What is to be known of some words of a row.
///
/// # Safety
/// The words, and one on either side, must be there.
#[inline(always)]
unsafe fn known<V: Word, R: Planes<P, S>, const P: usize, const S: usize>(
    rule: R,
    planes: &[*mut u64; P],
    seen: &[*mut u64; S],
    at: usize,
) -> R::Row<V> {
    let mut here = [V::zero(); P];
    let mut near = [[V::zero(); S]; 3];
    // SAFETY: the caller's.
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
