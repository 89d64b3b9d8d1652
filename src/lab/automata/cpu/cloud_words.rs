//! Clouds with separate bit planes for humid, active and cloud, with words of 64 cells along x
//! (004's 8x1x1, eight times as wide).

use crate::board::{Board, Margin, Packing};
use crate::grid::{Edges, Grid};
use crate::machine::{Machine, Setup};
use crate::rules::clouds::next_words;
use inundate_engine::error::Result;
use rayon::prelude::*;

/// Three bit planes; rows have a word of margin on either side.
pub struct CloudWords {
    edges: Edges,
    size: [usize; 3],
    pitch: usize,
    board: Board,
    now: [Vec<u64>; 3],
    active: Vec<u64>,
}

impl CloudWords {
    /// Packs a grid and starts.
    pub fn start(setup: &Setup) -> Box<dyn Machine> {
        let grid = setup.grid;
        let size = [grid.columns, grid.rows, grid.layers];
        let margin = Margin { cells: 1, ..Margin::default() };
        let board = Board::new(Packing::words(3), size, false, setup.edges, margin);
        let now: [Vec<u64>; 3] = board.pack_words(grid);
        let active = now[1].clone();
        Box::new(CloudWords {
            edges: setup.edges,
            size,
            pitch: board.size[0] as usize,
            board,
            now,
            active,
        })
    }

    /// Fills two cells of margin on either side of each row of the active plane.
    fn fill(&mut self) {
        let columns = self.size[0];
        let full = self.pitch - 2;
        self.now[1].par_chunks_mut(self.pitch).for_each(|row| {
            let cell = |row: &[u64], x: usize| row[1 + x / 64] >> (x % 64) & 1;
            row[0] = 0;
            row[full + 1] = 0;
            for far in 0..2 {
                let left = cell(row, (2 * columns - 1 - far) % columns);
                let right = cell(row, far % columns);
                row[0] |= left << (63 - far);
                let beyond = columns + far;
                let bit = 1 << (beyond % 64);
                let word = &mut row[1 + beyond / 64];
                *word = (*word & !bit) | right << (beyond % 64);
            }
        });
    }

    /// Returns the start of a row of memory, wrapped around on a torus; `None` beyond a dead edge.
    fn row(&self, y: i64, z: i64) -> Option<usize> {
        let [_, rows, layers] = self.size.map(|count| count as i64);
        let (y, z) = match self.edges {
            Edges::Wrap => (y.rem_euclid(rows), z.rem_euclid(layers)),
            Edges::Dead if (0..rows).contains(&y) && (0..layers).contains(&z) => (y, z),
            Edges::Dead => return None,
        };
        // The row begins with a word of its margin.
        Some(self.board.start(y as usize, z as usize) - 1)
    }

    fn advance(&mut self) {
        if self.edges == Edges::Wrap {
            self.fill();
        }
        let pitch = self.pitch;
        let mut active = std::mem::take(&mut self.active);
        let [mut humid, mut cloud] = [0, 2].map(|k| std::mem::take(&mut self.now[k]));
        let last = u64::MAX >> ((pitch - 2) * 64 - self.size[0]);
        let lines = active.par_chunks_mut(pitch).zip(humid.par_chunks_mut(pitch));
        lines.zip(cloud.par_chunks_mut(pitch)).enumerate().for_each(
            |(line, ((to, humid), cloud))| {
                let Some((_, y, z)) = self.board.line(Packing::words(3), line) else { return };
                let (y, z) = (y as i64, z as i64);
                let act = &self.now[1];
                let here = &act[line * pitch..][..pitch];
                let mut near = vec![0u64; pitch];
                for word in 1..pitch - 1 {
                    let [before, now, after] = [here[word - 1], here[word], here[word + 1]];
                    let left = now << 1 | before >> 63 | now << 2 | before >> 62;
                    near[word] = left | now >> 1 | after << 63 | now >> 2 | after << 62;
                }
                let others = [(-2, 0), (-1, 0), (1, 0), (2, 0), (0, -2), (0, -1), (0, 1)];
                for start in others.iter().filter_map(|(dy, dz)| self.row(y + dy, z + dz)) {
                    for (near, other) in near.iter_mut().zip(&act[start..start + pitch]) {
                        *near |= other;
                    }
                }
                for word in 1..pitch - 1 {
                    // Cells filled in beyond the last one must not grow.
                    let mask = if word == pitch - 2 { last } else { u64::MAX };
                    let planes = [humid[word], here[word] & mask, cloud[word]];
                    [humid[word], to[word], cloud[word]] = next_words(planes, near[word] & mask);
                }
            },
        );
        (self.now[0], self.now[2]) = (humid, cloud);
        self.active = std::mem::replace(&mut self.now[1], active);
    }
}

impl Machine for CloudWords {
    fn step(&mut self, steps: u64) -> Result<()> {
        (0..steps).for_each(|_| self.advance());
        Ok(())
    }

    fn read(&mut self) -> Result<Grid> {
        Ok(self.board.unpack_words(self.now.each_ref().map(Vec::as_slice)))
    }
}
