//! Two cells a byte, four bits each: the cell on the left in the lower half (002, section 6.4; 004).

use crate::grid::{Edges, Grid};
use crate::machine::{Machine, Setup};
use crate::registry::Model;
use crate::rule::Rule;
use crate::with_rule;
use inundate_engine::error::Result;
use rayon::prelude::*;

/// Rows of whole bytes.
pub struct Nibbles {
    model: Model,
    edges: Edges,
    size: [usize; 3],
    pitch: usize,
    now: Vec<u8>,
    next: Vec<u8>,
}

impl Nibbles {
    /// Packs a grid.
    pub fn start(setup: &Setup) -> Box<dyn Machine> {
        let size = [setup.grid.columns, setup.grid.rows, setup.grid.layers];
        let pitch = size[0].div_ceil(2);
        let pack = |pair: &[u8]| pair[0] | pair.get(1).copied().unwrap_or(0) << 4;
        let now: Vec<u8> =
            setup.grid.states.chunks(size[0]).flat_map(|row| row.chunks(2).map(pack)).collect();
        let next = now.clone();
        Box::new(Nibbles { model: setup.model, edges: setup.edges, size, pitch, now, next })
    }

    fn at(&self, [x, y, z]: [i64; 3]) -> u8 {
        let mut place = [x, y, z];
        for (at, count) in place.iter_mut().zip(self.size) {
            let count = count as i64;
            if !(0..count).contains(at) {
                match self.edges {
                    Edges::Wrap => *at = at.rem_euclid(count),
                    Edges::Dead => return 0,
                }
            }
        }
        let [x, y, z] = place.map(|at| at as usize);
        self.now[(z * self.size[1] + y) * self.pitch + x / 2] >> (x % 2 * 4) & 15
    }

    fn advance<R: Rule>(&self, rule: R, next: &mut [u8]) {
        next.par_chunks_mut(self.pitch).enumerate().for_each(|(line, row)| {
            let (y, z) = ((line % self.size[1]) as i64, (line / self.size[1]) as i64);
            for (byte, to) in row.iter_mut().enumerate() {
                let cell = |x: usize| {
                    let near = |dx, dy, dz| self.at([x as i64 + dx, y + dy, z + dz]);
                    if x < self.size[0] { rule.next(near) } else { 0 }
                };
                *to = cell(2 * byte) | cell(2 * byte + 1) << 4;
            }
        });
    }
}

impl Machine for Nibbles {
    fn step(&mut self, steps: u64) -> Result<()> {
        for _ in 0..steps {
            let mut next = std::mem::take(&mut self.next);
            with_rule!(self.model.rule(), rule => self.advance(rule, &mut next));
            self.next = std::mem::replace(&mut self.now, next);
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Grid> {
        let [columns, rows, layers] = self.size;
        let mut grid = Grid::new(columns, rows, layers);
        for (row, packed) in grid.states.chunks_mut(columns).zip(self.now.chunks(self.pitch)) {
            for (x, state) in row.iter_mut().enumerate() {
                *state = packed[x / 2] >> (x % 2 * 4) & 15;
            }
        }
        Ok(grid)
    }
}
