//! Bit planes with one bit per cell and plane, processed in tiles with several steps per visit.

use super::lanes::Lanes;
use super::tile::{Step, Tile, WIDTH};
use crate::board::{Board, Margin, Packing};
use crate::grid::{Edges, Grid};
use crate::machine::{Machine, Setup};
use crate::registry::AnyRule;
use crate::rule::Planes;
use crate::rules::cyclic::Cyclic;
use inundate_engine::error::Result;
use rayon::prelude::*;
use std::marker::PhantomData;

/// Words of a tile's row whose results count; one on either side belongs to the neighbours.
const INNER: usize = WIDTH - 2;

/// Maximum number of steps per visit, and rows of margin. A margin word is valid for as many steps
/// as it has bits, and beyond 16 the rows that are computed twice cost more than is saved.
pub const MOST: usize = 16;

/// Rows of a tile: many compared with those computed twice, and few enough that both copies stay in
/// the caches. (Tiles of 64 words and 128 rows were 20 % slower.)
const ROWS: usize = 96;

/// A grid as bit planes.
pub struct Tiles<R, const P: usize, const S: usize> {
    rule: R,
    edges: Edges,
    board: Board,
    columns: usize,
    rows: usize,
    pitch: usize,
    /// Planes: rows of words with a margin of one word on the left, one or more on the right, and
    /// [`MOST`] rows above and below.
    now: [Vec<u64>; P],
    next: [Vec<u64>; P],
    lanes: Lanes,
    steps_per_visit: usize,
}

/// Starts the technique with several steps per visit and the widest supported lanes.
pub fn fused(setup: &Setup) -> Box<dyn Machine> {
    start(setup, Lanes::best(), MOST)
}

/// Starts with specific lanes and steps per visit.
///
/// # Panics
/// For clouds, which have three dimensions, and for more than 16 steps.
pub fn start(setup: &Setup, lanes: Lanes, steps: usize) -> Box<dyn Machine> {
    fn of<R: Planes<P, S>, const P: usize, const S: usize>(
        setup: &Setup,
        rule: R,
        lanes: Lanes,
        steps: usize,
    ) -> Box<dyn Machine> {
        Box::new(Tiles::<R, P, S>::new(setup, rule, lanes, steps))
    }
    assert!((1..=MOST).contains(&steps));
    match (setup.model.rule(), setup.model.bits()) {
        (AnyRule::Life(rule), _) => of(setup, rule, lanes, steps),
        (AnyRule::ForestFire(rule), _) => of(setup, rule, lanes, steps),
        (AnyRule::WireWorld(rule), _) => of(setup, rule, lanes, steps),
        (AnyRule::Cyclic(rule), 2) => of::<Cyclic, 2, 2>(setup, rule, lanes, steps),
        (AnyRule::Cyclic(rule), 3) => of::<Cyclic, 3, 3>(setup, rule, lanes, steps),
        (AnyRule::Cyclic(rule), 4) => of::<Cyclic, 4, 4>(setup, rule, lanes, steps),
        (AnyRule::Cyclic(rule), _) => of::<Cyclic, 5, 5>(setup, rule, lanes, steps),
        (AnyRule::Clouds(_), _) => panic!("they have three dimensions"),
    }
}

impl<R: Planes<P, S>, const P: usize, const S: usize> Tiles<R, P, S> {
    fn new(setup: &Setup, rule: R, lanes: Lanes, steps_per_visit: usize) -> Self {
        let (columns, rows) = (setup.grid.columns, setup.grid.rows);
        // The last word may be partly filled, so another one follows it.
        let margin = Margin { cells: MOST, ..Margin::default() };
        let board = Board::new(Packing::words(P), [columns, rows, 1], false, setup.edges, margin);
        let pitch = board.size[0] as usize;
        let now = board.pack_words(setup.grid);
        let next = now.clone();
        let edges = setup.edges;
        Tiles { rule, edges, board, columns, rows, pitch, now, next, lanes, steps_per_visit }
    }

    /// Returns the number of words per row that hold cells.
    fn full(&self) -> usize {
        self.columns.div_ceil(64)
    }

    /// Returns the mask of the cells in the last word.
    fn last_word(&self) -> u64 {
        u64::MAX >> (self.full() * 64 - self.columns)
    }

    /// Fills the margin from the opposite sides, `deep` cells wide.
    fn fill(&mut self, deep: usize) {
        let (pitch, full, columns, rows) = (self.pitch, self.full(), self.columns, self.rows);
        let last = self.last_word();
        for plane in &mut self.now {
            plane[MOST * pitch..(MOST + rows) * pitch].par_chunks_mut(pitch).for_each(|row| {
                // Returns 64 cells from `first` on, around the torus.
                let bits = |row: &[u64], first: i64| {
                    let start = first.rem_euclid(columns as i64) as usize;
                    let cell = |x: usize| row[1 + x / 64] >> (x % 64) & 1;
                    match (start + 64 <= columns, start % 64) {
                        (true, 0) => row[1 + start / 64],
                        (true, by) => row[1 + start / 64] >> by | row[2 + start / 64] << (64 - by),
                        (false, _) => {
                            (0..64).fold(0, |word, bit| word | cell((start + bit) % columns) << bit)
                        }
                    }
                };
                row[0] = bits(row, -64);
                row[full] = (row[full] & last) | (bits(row, (full as i64 - 1) * 64) & !last);
                row[full + 1] = bits(row, full as i64 * 64);
            });
            for row in 0..deep {
                for (to, from) in [
                    (MOST - 1 - row, (rows * deep - 1 - row) % rows),
                    (MOST + rows + row, row % rows),
                ] {
                    let from = (MOST + from) * pitch;
                    plane.copy_within(from..from + pitch, to * pitch);
                }
            }
        }
    }

    /// Takes some steps of all tiles.
    fn visit(&mut self, steps: usize) {
        if self.edges == Edges::Wrap {
            self.fill(steps);
        }
        let across = self.full().div_ceil(INNER);
        let mut next = std::mem::replace(&mut self.next, std::array::from_fn(|_| Vec::new()));
        {
            let pitch = self.pitch;
            let mut bands: Vec<[&mut [u64]; P]> = Vec::new();
            let mut parts = next.each_mut().map(|plane| {
                plane[MOST * pitch..(MOST + self.rows) * pitch].chunks_mut(ROWS * pitch)
            });
            while let Some(first) = parts[0].next() {
                let mut first = Some(first);
                bands.push(std::array::from_fn(|k| match k {
                    0 => first.take().expect("it is asked for once"),
                    _ => parts[k].next().expect("as many rows"),
                }));
            }
            let vectors = if R::SEES_STATE { P } else { P + S };
            let room = || Tile::new(vectors, ROWS + 2 * MOST + 2);
            bands.par_iter_mut().enumerate().for_each_init(room, |tile, (band, to)| {
                for at in 0..across {
                    self.tile(tile, band * ROWS, at * INNER, steps, to);
                }
            });
        }
        self.next = std::mem::replace(&mut self.now, next);
    }

    /// Takes some steps of the tile at this row and word, and writes the valid results.
    fn tile(
        &self,
        tile: &mut Tile,
        first: usize,
        word: usize,
        steps: usize,
        to: &mut [&mut [u64]; P],
    ) {
        let count = ROWS.min(self.rows - first);
        let lines = count + 2 * steps;
        let words = (self.pitch - word).min(WIDTH);
        for k in 0..P {
            for line in 0..lines {
                let from = (MOST + first + line - steps) * self.pitch + word;
                let row = tile.row_mut(0, k, line);
                row[..words].copy_from_slice(&self.now[k][from..from + words]);
                row[words..].fill(0);
            }
        }
        let step = |tile: &mut Tile, before: usize, rows: std::ops::Range<usize>, look: bool| {
            let rule = self.rule;
            self.lanes.run(Step { rule, tile, before, rows, look, planes: PhantomData::<[(); P]> });
        };
        if !R::SEES_STATE {
            step(tile, 0, 0..lines, true);
        }
        for done in 0..steps {
            let made = done + 1..lines - done - 1;
            step(tile, done % 2, made.clone(), false);
            if R::HELD && self.edges == Edges::Dead {
                self.hold(tile, 1 - done % 2, made, (first + MOST - steps, word));
            }
        }
        let kept = INNER.min(self.full() - word);
        let ends = word + kept == self.full();
        for (k, to) in to.iter_mut().enumerate() {
            for line in 0..count {
                let row = &mut to[line * self.pitch + 1 + word..][..kept];
                row.copy_from_slice(&tile.row(steps % 2, k, line + steps)[1..=kept]);
                if ends {
                    row[kept - 1] &= self.last_word();
                }
            }
        }
    }

    /// Sets the cells beyond a dead edge to state 0 in some rows of a tile at this row and word of
    /// the plane.
    fn hold(
        &self,
        tile: &mut Tile,
        after: usize,
        rows: std::ops::Range<usize>,
        (first, word): (usize, usize),
    ) {
        let end = self.full() + 1 - word;
        for k in 0..P {
            for line in rows.clone() {
                let row = tile.row_mut(after, k, line);
                if !(MOST..MOST + self.rows).contains(&(first + line)) {
                    row.fill(0);
                    continue;
                }
                if word == 0 {
                    row[0] = 0;
                }
                if end <= WIDTH {
                    row[end - 1] &= self.last_word();
                    row[end..].fill(0);
                }
            }
        }
    }
}

impl<R: Planes<P, S>, const P: usize, const S: usize> Machine for Tiles<R, P, S> {
    fn step(&mut self, steps: u64) -> Result<()> {
        let mut left = steps;
        while left > 0 {
            let now = left.min(self.steps_per_visit as u64);
            self.visit(now as usize);
            left -= now;
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Grid> {
        Ok(self.board.unpack_words(self.now.each_ref().map(Vec::as_slice)))
    }
}
