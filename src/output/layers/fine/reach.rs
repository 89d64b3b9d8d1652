//! Areas that water can have reached: pixels below their cell's level, except those that no path
//! connects to water.

use super::pools::{Pixels, Pools, Side};
use super::{DRY, strips};
use crate::error::Result;
use crate::input::dem::fine_ground::FineGround;
use rayon::prelude::*;
use std::collections::HashMap;

/// Label of the connected pools that water reaches.
const REACHED: u32 = 0;

/// Pools that water does not reach. It is in the pools of the lowest pixels, and in all pools
/// connected with them across the sides of pixels, within cells and between cells.
#[derive(Debug, Default)]
pub struct Reach {
    /// For cells with unreached pools: whether each pool, from 1 on, is unreached.
    apart: HashMap<usize, Vec<bool>>,
}

/// Pools of a cell, as seen by its neighbours.
#[derive(Default)]
pub struct Shore {
    /// Number of pools.
    pub count: u32,
    /// Pool of its lowest pixel.
    lowest: u32,
    /// Label of the first of the other pools.
    first: u32,
    /// Pools along its sides; `None` if a single pool covers the cell.
    sides: Option<[Vec<u32>; 4]>,
}

impl Shore {
    /// Finds the pools of a cell with a water level (2⁻¹⁶ m).
    pub fn of(pools: &mut Pools, cell: Pixels, level: i32) -> Shore {
        let mut rows = (0..cell.size.1).map(|row| cell.row(row));
        if level == DRY {
            return Shore::default();
        }
        if rows.all(|row| row.iter().all(|&pixel| Pixels::is_below(pixel, level))) {
            return Shore { count: 1, lowest: 1, ..Shore::default() };
        }
        pools.find(cell, level);
        let sides = [Side::North, Side::South, Side::West, Side::East].map(|side| pools.side(side));
        let Pools { count, lowest, .. } = *pools;
        Shore { count, lowest, first: 0, sides: Some(sides) }
    }

    /// Returns the label of a pool.
    fn joined(&self, pool: u32) -> u32 {
        match pool {
            _ if pool == self.lowest => REACHED,
            _ if pool < self.lowest => self.first + pool - 1,
            _ => self.first + pool - 2,
        }
    }

    /// Returns the pool at a position along a side, 0 if there is none.
    pub fn at(&self, side: Side, place: usize) -> u32 {
        self.sides.as_ref().map_or(self.count, |sides| sides[side as usize][place])
    }

    /// Returns the length of a side, if it is known.
    pub fn length(&self, side: Side) -> Option<usize> {
        self.sides.as_ref().map(|sides| sides[side as usize].len())
    }

    /// Returns `true` if a single pool covers the cell.
    pub fn is_whole(&self) -> bool {
        self.count > 0 && self.sides.is_none()
    }
}

/// Union-find structure of pools: the parent of each label.
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn add(&mut self, count: u32) -> u32 {
        let first = self.0.len() as u32;
        self.0.extend(first..first + count);
        first
    }

    fn of(&mut self, mut pool: u32) -> u32 {
        while self.0[pool as usize] != pool {
            let next = self.0[self.0[pool as usize] as usize];
            self.0[pool as usize] = next;
            pool = next;
        }
        pool
    }

    /// Joins the pools that touch across the common side of two cells.
    fn meet(&mut self, (one, side): (&Shore, Side), (other, facing): (&Shore, Side)) {
        // Pools of the lowest pixels are reached anyway.
        if one.count.max(other.count) < 2 || one.count.min(other.count) == 0 {
            return;
        }
        let length = one.length(side).or(other.length(facing)).expect("one has several pools");
        for place in 0..length {
            let pools = [one.at(side, place), other.at(facing, place)];
            if pools[0] > 0 && pools[1] > 0 {
                let [a, b] = [one.joined(pools[0]), other.joined(pools[1])];
                let (a, b) = (self.of(a), self.of(b));
                self.0[a.max(b) as usize] = a.min(b);
            }
        }
    }
}

impl Reach {
    /// Finds the unreached pools of cells with these water levels (2⁻¹⁶ m), [`DRY`] without water.
    ///
    /// # Errors
    /// If the ground cannot be read.
    pub fn of(ground: &FineGround, levels: &[i32]) -> Result<Reach> {
        let (columns, _) = ground.cells();
        let mut joined = UnionFind(vec![REACHED]);
        let mut several: Vec<(usize, Shore)> = Vec::new();
        let mut north: Vec<Shore> = Vec::new();
        for strip in strips(ground) {
            let (first, pixels) = (strip.start, strip.read(ground)?);
            let width = ground.grid.columns;
            let rows = pixels.par_chunks(ground.ratio * width).enumerate();
            let rows = rows.map_init(Pools::default, |pools, (row, pixels)| {
                let levels = &levels[(first + row) * columns..][..columns];
                let shore = |(column, &level): (usize, &i32)| {
                    let cell = Pixels::of(pixels, width, column, ground.ratio);
                    Shore::of(pools, cell, level)
                };
                levels.iter().enumerate().map(shore).collect()
            });
            let rows: Vec<Vec<Shore>> = rows.collect();
            for (row, mut shores) in rows.into_iter().enumerate() {
                for shore in &mut shores {
                    shore.first = joined.add(shore.count.saturating_sub(1));
                }
                for pair in shores.windows(2) {
                    joined.meet((&pair[0], Side::East), (&pair[1], Side::West));
                }
                for (north, shore) in north.iter().zip(&shores) {
                    joined.meet((north, Side::South), (shore, Side::North));
                }
                several.extend(take_several(std::mem::take(&mut north), first + row));
                north = shores;
            }
        }
        let rows = levels.len() / columns;
        several.extend(take_several(north, rows));
        let mut apart = HashMap::new();
        for (cell, shore) in several {
            let is_apart = |pool| joined.of(shore.joined(pool)) != REACHED;
            let pools: Vec<bool> = (1..=shore.count).map(is_apart).collect();
            if pools.contains(&true) {
                apart.insert(cell, pools);
            }
        }
        Ok(Reach { apart })
    }

    /// Returns for a cell with unreached pools whether each pool, from the first on, is unreached.
    pub fn apart(&self, cell: usize) -> Option<&[bool]> {
        self.apart.get(&cell).map(Vec::as_slice)
    }
}

/// Returns the cells with several pools in the row of cells before `next`.
fn take_several(shores: Vec<Shore>, next: usize) -> impl Iterator<Item = (usize, Shore)> {
    let first = next.saturating_sub(1) * shores.len();
    let shores = shores.into_iter().enumerate().filter(|(_, shore)| shore.count > 1);
    shores.map(move |(column, shore)| (first + column, Shore { sides: None, ..shore }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::grid::Grid;

    #[test]
    fn water_comes_by_whatever_cells_a_way_leads_through() {
        // Cells of 3 x 3 pixels; the eastern cells are dry.
        #[rustfmt::skip]
        let pixels = [
            0, 9, 1,  1, 1, 9,  1, 1, 1,
            9, 9, 1,  9, 0, 9,  1, 0, 1,
            1, 9, 9,  9, 9, 1,  1, 1, 1,

            1, 9, 0,  9, 9, 9,  0, 0, 0,
            1, 9, 9,  9, 9, 9,  0, 0, 0,
            1, 1, 1,  1, 1, 0,  0, 0, 0,
        ];
        let folder = tempfile::tempdir().unwrap();
        let mut writer = FineGround::new(Grid::plain(9, 6, 1.0), 3, Some(folder.path())).unwrap();
        writer.band(&pixels).unwrap();
        let ground = writer.finish();
        let reach = Reach::of(&ground, &[5, 5, DRY, 5, 5, DRY]).unwrap();
        // In the north-western cell, the pool in the south-west corner is connected with the lowest
        // pixel of the second cell below, via a pool of the first cell below that is not its
        // lowest; the eastern pool is connected with the cell beside it. There, the south-east
        // corner is not connected.
        let apart: Vec<Option<&[bool]>> = (0..6).map(|cell| reach.apart(cell)).collect();
        assert_eq!(apart, [None, Some(&[false, true][..]), None, None, None, None]);
        // If the path through the cells below is closed, the pool there is not connected either.
        let reach = Reach::of(&ground, &[5, 5, DRY, 5, DRY, DRY]).unwrap();
        assert_eq!(reach.apart(0), Some(&[false, false, true][..]));
        assert_eq!(reach.apart(3), Some(&[true, false][..]));
        // A level above only its lowest pixel leaves just that one.
        let reach = Reach::of(&ground, &[1, DRY, DRY, DRY, DRY, DRY]).unwrap();
        assert!((0..6).all(|cell| reach.apart(cell).is_none()));
    }
}
