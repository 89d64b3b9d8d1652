//! The pixels of a cell, and of two cells side by side.

use super::main_pool::lowest_of;
use crate::grid::Bed;
use std::borrow::Cow;

/// Level of closed pixels, which no water reaches.
pub const CLOSED: i32 = i32::MAX;

/// The pixels of a cell.
#[derive(Clone, Debug, Default)]
pub struct Pixels {
    /// Level per pixel, row-major (2⁻¹⁶ m), or [`CLOSED`].
    pub levels: Vec<i32>,
    /// Manning's n per pixel (s/m^⅓); empty if it is uniform.
    pub roughness: Vec<f32>,
    /// Mean Manning's n of the open pixels (s/m^⅓), 0 if none is open or if it is uniform.
    pub mean_roughness: f32,
    /// The open pixels: the one at which the water is ([`lowest_of`]), then the others, lowest first
    /// and row by row within one level. The column is in the lower half, the row in the upper.
    pub order: Vec<u32>,
}

impl Pixels {
    /// Cuts a cell out of a band of the fine grid: `ratio` pixels wide, from column `first`. Pixels
    /// beyond the band are closed.
    pub fn cut(
        levels: &[i32],
        roughness: Option<&[f32]>,
        columns: usize,
        first: usize,
        ratio: usize,
    ) -> Pixels {
        let (rows, last) = (levels.len() / columns, columns.min(first + ratio));
        let mut cell = Pixels { levels: vec![CLOSED; ratio * ratio], ..Pixels::default() };
        let mut keys: Vec<u64> = Vec::with_capacity(ratio * ratio);
        for row in 0..rows {
            let from = &levels[row * columns..][first..last];
            for (column, &level) in from.iter().enumerate().filter(|(_, l)| **l != Bed::OUTSIDE) {
                cell.levels[row * ratio + column] = level;
                // Flipping the sign bit preserves the order of levels as unsigned numbers.
                let above = u64::from(level as u32 ^ 1 << 31);
                keys.push(above << 32 | (row as u64) << 16 | column as u64);
            }
        }
        keys.sort_unstable();
        cell.order = keys.into_iter().map(|key| key as u32).collect();
        // Several are equally low.
        if cell.open(ratio).nth(1) == cell.open(ratio).next() {
            let at = |&pixel: &u32| (cell.level(ratio, pixel), place(pixel, ratio, 1));
            let lowest_first: Vec<(i32, usize)> = cell.order.iter().map(at).collect();
            if let Some(lowest) = lowest_of(&lowest_first, ratio) {
                cell.put_first(pixel_at(lowest, ratio));
            }
        }
        if let Some(roughness) = roughness {
            cell.roughness = vec![1.0; ratio * ratio];
            for row in 0..rows {
                let from = &roughness[row * columns..][first..last];
                cell.roughness[row * ratio..][..from.len()].copy_from_slice(from);
            }
            cell.mean_roughness = cell.mean_of_open(ratio);
        }
        cell
    }

    /// Returns `true` if no pixel is open.
    pub fn is_closed(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the level of a pixel of `order` (2⁻¹⁶ m).
    pub fn level(&self, ratio: usize, pixel: u32) -> i32 {
        self.levels[place(pixel, ratio, 1)]
    }

    /// Iterates over the levels of the open pixels (2⁻¹⁶ m), lowest first.
    pub fn open(&self, ratio: usize) -> impl ExactSizeIterator<Item = i32> + Clone {
        self.order.iter().map(move |&pixel| self.level(ratio, pixel))
    }

    /// Returns the lowest level (2⁻¹⁶ m), or [`Bed::OUTSIDE`].
    pub fn bed(&self, ratio: usize) -> i32 {
        self.open(ratio).next().unwrap_or(Bed::OUTSIDE)
    }

    /// Returns the cell as seen by water leaving it across its last side along rows or columns
    /// (`ahead`), or across the first. Closed pixels at that side take the level of the nearest
    /// open one behind them, raised by the smallest step so that the lowest pixel stays where it
    /// is. So neither a ragged boundary of NoData nor missing pixels of a cell act as a wall.
    fn up_to_side(
        &self,
        ratio: usize,
        orientation: FaceOrientation,
        ahead: bool,
    ) -> Cow<'_, Pixels> {
        let at = |across: usize, in_from_side: usize| {
            let along = if ahead { ratio - 1 - in_from_side } else { in_from_side };
            if orientation == FaceOrientation::Rows {
                across * ratio + along
            } else {
                along * ratio + across
            }
        };
        let mut cell = Cow::Borrowed(self);
        for across in 0..ratio {
            let open = (0..ratio).find(|&along| self.levels[at(across, along)] != CLOSED);
            let Some(open) = open.filter(|open| *open > 0) else { continue };
            let from = at(across, open);
            let cell = cell.to_mut();
            for to in (0..open).map(|along| at(across, along)) {
                cell.levels[to] = self.levels[from] + 1;
                if let Some(&n) = self.roughness.get(from) {
                    cell.roughness[to] = n;
                }
                cell.order.push(pixel_at(to, ratio));
            }
        }
        if let Cow::Owned(cell) = &mut cell {
            let first = cell.order[0];
            let Pixels { levels, order, .. } = &mut *cell;
            order.sort_unstable_by_key(|&pixel| (levels[place(pixel, ratio, 1)], pixel));
            cell.put_first(first);
        }
        cell
    }

    /// Moves a pixel to the front of the order.
    fn put_first(&mut self, pixel: u32) {
        let at = self.order.iter().position(|&one| one == pixel);
        self.order[..=at.expect("an open pixel")].rotate_right(1);
    }

    /// Returns the mean of Manning's n over the open pixels, as a sum of integers, which is
    /// independent of order.
    fn mean_of_open(&self, ratio: usize) -> f32 {
        const PARTS: f64 = 4_294_967_296.0;
        if self.order.is_empty() {
            return 0.0;
        }
        let of = |&pixel: &u32| f64::from(self.roughness[place(pixel, ratio, 1)]) * PARTS;
        let sum: i64 = self.order.iter().map(|pixel| of(pixel) as i64).sum();
        (sum as f64 / PARTS / self.order.len() as f64) as f32
    }
}

/// Returns the pixel, as in `order`, with an index in a cell `ratio` wide, row by row.
fn pixel_at(index: usize, ratio: usize) -> u32 {
    (((index / ratio) << 16) | (index % ratio)) as u32
}

/// Returns the index of a pixel of `order` in an array with the given row and column strides.
fn place(pixel: u32, row: usize, column: usize) -> usize {
    (pixel >> 16) as usize * row + (pixel & 0xffff) as usize * column
}

/// Orientation of the two cells of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceOrientation {
    /// From west to east.
    Rows,
    /// From north to south: rows are read as columns.
    Columns,
}

/// The pixels of the two cells of an edge side by side, as if water crossed from west to east:
/// `ratio` rows of twice as many columns, in a frame of closed pixels.
#[derive(Debug, Default)]
pub struct Pair {
    /// Width of a cell in pixels.
    pub ratio: usize,
    /// Level per pixel (2⁻¹⁶ m), or [`CLOSED`].
    pub levels: Vec<i32>,
    /// Manning's n per pixel (s/m^⅓); empty if it is uniform.
    pub roughness: Vec<f32>,
    /// The open pixels of each cell, lowest first.
    pub order: [Vec<u32>; 2],
}

impl Pair {
    /// Returns the distance between rows in the arrays.
    pub fn stride(&self) -> usize {
        2 * self.ratio + 2
    }

    /// Returns the index of the first column of a row.
    pub fn row(&self, row: usize) -> usize {
        (row + 1) * self.stride() + 1
    }

    /// Copies two cells. A missing or closed cell is replaced by the mirror image of the other.
    /// Returns false if both are closed.
    pub fn take(
        &mut self,
        cells: [Option<&Pixels>; 2],
        orientation: FaceOrientation,
        ratio: usize,
    ) -> bool {
        let [before, after] = cells.map(|cell| cell.filter(|cell| !cell.is_closed()));
        let Some(pair) = before.or(after).zip(after.or(before)) else { return false };
        let (first, second) = match (before, after) {
            (Some(_), Some(_)) => (Cow::Borrowed(pair.0), Cow::Borrowed(pair.1)),
            (is_before, _) => {
                let cell = pair.0.up_to_side(ratio, orientation, is_before.is_some());
                (cell.clone(), cell)
            }
        };
        self.ratio = ratio;
        self.levels.clear();
        self.levels.resize((ratio + 2) * self.stride(), CLOSED);
        self.roughness.clear();
        if !first.roughness.is_empty() {
            self.roughness.resize(self.levels.len(), 1.0);
        }
        self.put(0, &first, orientation, before.is_none());
        self.put(1, &second, orientation, after.is_none());
        true
    }

    /// Places a cell on its side, mirrored if requested.
    fn put(&mut self, side: usize, cell: &Pixels, orientation: FaceOrientation, mirrored: bool) {
        let (ratio, stride) = (self.ratio, self.stride());
        let start = self.row(0) + side * ratio;
        let place_of = |pixel: u32| {
            let (row, column) = ((pixel >> 16) as usize, (pixel & 0xffff) as usize);
            let (across, along) =
                if orientation == FaceOrientation::Rows { (row, column) } else { (column, row) };
            start + across * stride + if mirrored { ratio - 1 - along } else { along }
        };
        let order = &mut self.order[side];
        order.clear();
        for &pixel in &cell.order {
            let (from, to) = (place(pixel, ratio, 1), place_of(pixel));
            order.push(to as u32);
            self.levels[to] = cell.levels[from];
            if !cell.roughness.is_empty() {
                self.roughness[to] = cell.roughness[from];
            }
        }
    }
}
