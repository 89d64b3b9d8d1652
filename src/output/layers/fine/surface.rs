//! Water surface between cells: bilinear between the levels of cells whose water is connected.
//!
//! The surface of a pool has the level of its cell in the middle of the cell. Halfway to a neighbour
//! it has the mean of both levels if the water is connected across their common side: if two pixels
//! beside each other are below both levels. At a corner it has the mean of the levels
//! of all cells around it that are connected with the pool across sides that end there. Neighbours
//! derive the same values from the same levels, so the surface is continuous where water is
//! connected, and pools on either side of dry ground do not affect each other.

use super::pools::{Pixels, Pools, Side};
use super::reach::{Reach, Shore};
use crate::engine::grid::{Bed, beside};
use rayon::prelude::*;
use std::collections::HashSet;

/// Sides between cells: axis (0 for an east side, 1 for a south side), and the cell before it.
pub type DividedSides = HashSet<(usize, usize)>;

/// Pools on both sides of a common side of two cells that are connected across it.
type Pairs = Vec<(u32, u32)>;

/// Water surface of a pool (2⁻¹⁶ m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    middle: f64,
    /// At the middles of the sides: north, south, west, east.
    sides: [f64; 4],
    /// At the corners: north-west, north-east, south-west, south-east.
    corners: [f64; 4],
}

impl Surface {
    /// Creates a level surface.
    pub fn flat(level: i32) -> Surface {
        let level = f64::from(level);
        Surface { middle: level, sides: [level; 4], corners: [level; 4] }
    }

    /// Returns the level at a position from −1 to 1, to the east and to the south.
    fn at(&self, x: f64, y: f64) -> f64 {
        let [north, south, west, east] = self.sides;
        let along = |from: f64, to: f64, share: f64| from + (to - from) * share.abs();
        let (is_east, is_south) = (usize::from(x > 0.0), usize::from(y > 0.0));
        let middle = along(self.middle, [west, east][is_east], x);
        let side = along([north, south][is_south], self.corners[2 * is_south + is_east], x);
        along(middle, side, y)
    }
}

/// Connected pools of the cells in some rows.
pub struct Connections<'a> {
    /// First row of cells, and columns.
    first: usize,
    columns: usize,
    /// Water levels of the cells in these rows (2⁻¹⁶ m).
    levels: &'a [i32],
    shores: Vec<Shore>,
    /// Per axis and cell, the pools connected across its side ahead.
    pairs: [Vec<Pairs>; 2],
}

impl<'a> Connections<'a> {
    /// Finds the connections between the cells in the rows from `first` on, given the pixels of
    /// these rows with their columns and the pixels along a side of a cell. Water is not connected
    /// across sides in `divided`.
    pub fn of(
        first: usize,
        columns: usize,
        levels: &'a [i32],
        (pixels, width, ratio): (&[i32], usize, usize),
        reach: &Reach,
        divided: &DividedSides,
    ) -> Connections<'a> {
        let rows = pixels.par_chunks(ratio * width).zip(levels.par_chunks(columns));
        let shores = rows.flat_map_iter(|(pixels, levels)| {
            let mut pools = Pools::default();
            let shore = |(column, &level): (usize, &i32)| {
                Shore::of(&mut pools, Pixels::of(pixels, width, column, ratio), level)
            };
            levels.iter().enumerate().map(shore).collect::<Vec<_>>()
        });
        let shores: Vec<Shore> = shores.collect();
        let pixels_of = |at: usize| {
            let rest = &pixels[at / columns * ratio * width..];
            Pixels::of(&rest[..rest.len().min(ratio * width)], width, at % columns, ratio)
        };
        let pairs = [(0, 1, Side::East), (1, columns, Side::South)].map(|(axis, step, side)| {
            let pair = |at: usize| {
                let (next, cell) = (at + step, first * columns + at);
                let is_last = axis == 0 && next.is_multiple_of(columns);
                if is_last || next >= shores.len() || divided.contains(&(axis, cell)) {
                    return Pairs::new();
                }
                let bank = |at: usize, side: Side| Bank {
                    shore: &shores[at],
                    side,
                    cell: pixels_of(at),
                    apart: reach.apart(first * columns + at),
                };
                let level = levels[at].min(levels[next]);
                connected(&bank(at, side), &bank(next, side.facing()), level)
            };
            (0..shores.len()).into_par_iter().map(pair).collect()
        });
        Connections { first, columns, levels, shores, pairs }
    }

    /// Returns the pools connected across a side of a cell (index in these rows), its own first,
    /// and the cell beyond.
    fn across(&self, at: usize, side: Side) -> Option<(usize, impl Iterator<Item = (u32, u32)>)> {
        let (axis, is_ahead) = match side {
            Side::North => (1, false),
            Side::South => (1, true),
            Side::West => (0, false),
            Side::East => (0, true),
        };
        let step = [1, self.columns][axis];
        let before = if is_ahead { at } else { at.checked_sub(step)? };
        let pairs = self.pairs[axis].get(before)?;
        let other = if is_ahead { at + step } else { before };
        if other >= self.levels.len() {
            return None;
        }
        let turn =
            move |&(own, other): &(u32, u32)| if is_ahead { (own, other) } else { (other, own) };
        Some((other, pairs.iter().map(turn)))
    }

    /// Returns the surface of a pool of a cell (index in these rows).
    fn surface(&self, at: usize, pool: u32) -> Surface {
        let level = f64::from(self.levels[at]);
        let side = |side: Side| {
            let across = self.across(at, side).and_then(|(other, mut pairs)| {
                pairs.any(|(own, _)| own == pool).then_some(f64::from(self.levels[other]))
            });
            across.map_or(level, |other| (level + other) / 2.0)
        };
        let sides = [Side::North, Side::South, Side::West, Side::East].map(side);
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|to| self.corner(at, pool, to));
        Surface { middle: level, sides, corners }
    }

    /// Returns the level of a pool at a corner of its cell, in the west or east and in the north or
    /// south (0 or 1).
    fn corner(&self, at: usize, pool: u32, (east, south): (usize, usize)) -> f64 {
        // Cells around the corner: north-west, north-east, south-west, south-east.
        let place = |number: usize| {
            let column = (at % self.columns + east + number % 2).checked_sub(1)?;
            let row = (at / self.columns + south + number / 2).checked_sub(1)?;
            let cell = row * self.columns + column;
            (column < self.columns && cell < self.levels.len()).then_some(cell)
        };
        let cells: [Option<usize>; 4] = std::array::from_fn(place);
        let mut found: [Vec<u32>; 4] = Default::default();
        found[3 - (2 * south + east)].push(pool);
        let mut is_growing = true;
        while is_growing {
            is_growing = false;
            for (axis, one, other) in [(0, 0, 1), (1, 0, 2), (1, 1, 3), (0, 2, 3)] {
                let (Some(cell), Some(_)) = (cells[one], cells[other]) else {
                    continue;
                };
                for &(a, b) in &self.pairs[axis][cell] {
                    let (has_one, has_other) = (found[one].contains(&a), found[other].contains(&b));
                    if has_one != has_other {
                        is_growing = true;
                        let (to, pool) = if has_one { (other, b) } else { (one, a) };
                        found[to].push(pool);
                    }
                }
            }
        }
        let levels = cells.into_iter().zip(&found).filter(|(_, found)| !found.is_empty());
        let levels = levels.filter_map(|(cell, _)| Some(f64::from(self.levels[cell?])));
        let (sum, count) =
            levels.fold((0.0, 0.0), |(sum, count), level| (sum + level, count + 1.0));
        sum / count
    }
}

/// A side of a cell and the pools along it.
struct Bank<'a> {
    shore: &'a Shore,
    side: Side,
    cell: Pixels<'a>,
    /// For each pool of the cell, whether water does not reach it.
    apart: Option<&'a [bool]>,
}

impl Bank<'_> {
    /// Returns the pool at a position along the side and its ground, if water reaches it.
    fn at(&self, place: usize, pixel: usize) -> Option<(u32, i32)> {
        let pool = self.shore.at(self.side, place);
        let number = (pool as usize).checked_sub(1)?;
        let is_apart = self.apart.is_some_and(|apart| apart[number]);
        (!is_apart).then(|| (pool, self.cell.at(pixel)))
    }
}

/// Returns the pools that are connected across the common side of two cells: both of two adjacent
/// pixels are below `level`, that of the lower cell.
fn connected(one: &Bank, other: &Bank, level: i32) -> Pairs {
    let mut pairs = Pairs::new();
    if one.shore.count == 0 || other.shore.count == 0 {
        return pairs;
    }
    let pixels = one.side.pixels(one.cell.size).zip(other.side.pixels(other.cell.size));
    for (place, (near, far)) in pixels.enumerate() {
        let (Some(near), Some(far)) = (one.at(place, near), other.at(place, far)) else { continue };
        let pair = (near.0, far.0);
        if near.1.max(far.1) < level && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// A cell whose water slopes.
struct Sloping<'a> {
    cell: Pixels<'a>,
    /// Pixels along a side of a whole cell.
    ratio: usize,
    /// Surfaces of its pools; `None` for those that water does not reach.
    surfaces: Vec<Option<Surface>>,
}

impl Sloping<'_> {
    /// Returns the level of the surface of a pool over a pixel, if the ground is below it.
    fn level_over(&self, pixel: usize, pool: u32) -> Option<f64> {
        let columns = self.cell.size.0;
        let place = |number: usize| (2 * number + 1) as f64 / self.ratio as f64 - 1.0;
        let surface = self.surfaces[pool as usize - 1]?;
        let level = surface.at(place(pixel % columns), place(pixel / columns));
        let ground = self.cell.at(pixel);
        (ground != Bed::OUTSIDE && level > f64::from(ground)).then_some(level)
    }
}

/// Water levels over the pixels of a cell.
#[derive(Default)]
pub struct Water {
    pools: Pools,
    /// Level over each pixel (2⁻¹⁶ m), NaN where it is dry.
    pub levels: Vec<f64>,
    /// Wet pixels whose neighbours have not been visited, with their pools.
    open: Vec<(usize, u32)>,
}

impl Water {
    /// Fills a cell to its level, except for the pools that are set in `apart`.
    pub fn fill(&mut self, cell: Pixels, level: i32, apart: Option<&[bool]>) {
        if apart.is_some() {
            self.pools.find(cell, level);
        }
        self.levels.clear();
        for row in 0..cell.size.1 {
            let pools = apart.map(|apart| (apart, self.pools.row(row)));
            let wet = cell.row(row).iter().enumerate().map(|(column, &pixel)| {
                let is_apart = || pools.is_some_and(|(apart, of)| apart[of[column] as usize - 1]);
                let is_wet = Pixels::is_below(pixel, level) && !is_apart();
                if is_wet { f64::from(level) } else { f64::NAN }
            });
            self.levels.extend(wet);
        }
    }

    /// Fills a cell to the surfaces of its pools. They hold the pixels below the level of the cell,
    /// as in [`Water::fill`], and spread from there, and from the pixels of connected neighbours
    /// along the sides, to adjacent pixels below their surface.
    pub fn slope(
        &mut self,
        cell: Pixels,
        number: usize,
        ratio: usize,
        connections: &Connections,
        apart: Option<&[bool]>,
    ) {
        let at = number - connections.first * connections.columns;
        let (level, shore) = (connections.levels[at], &connections.shores[at]);
        self.fill(cell, level, apart);
        let surface = |pool: u32| {
            let is_apart = apart.is_some_and(|apart| apart[pool as usize - 1]);
            (!is_apart).then(|| connections.surface(at, pool))
        };
        let surfaces: Vec<Option<Surface>> = (1..=shore.count).map(surface).collect();
        if surfaces.iter().flatten().all(|surface| *surface == Surface::flat(level)) {
            return;
        }
        if !shore.is_whole() && apart.is_none() {
            self.pools.find(cell, level);
        }
        let mut sloping = Sloping { cell, ratio, surfaces };
        self.tilt(&mut sloping, shore.is_whole(), level);
        self.enter(&sloping, connections, at);
        self.spread(&sloping);
    }

    /// Raises and lowers the water of the pools to their surfaces, without the pixels that are now
    /// above them. A pool whose surface is below all of its ground keeps its level.
    fn tilt(&mut self, cell: &mut Sloping, is_whole: bool, level: i32) {
        let pools = &self.pools;
        let pool_of = |pixel: usize| if is_whole { 1 } else { pools.of_pixel(pixel) };
        let wet: Vec<(usize, u32)> = (0..self.levels.len())
            .filter(|pixel| !self.levels[*pixel].is_nan())
            .map(|pixel| (pixel, pool_of(pixel)))
            .collect();
        let mut keeps_water = vec![false; cell.surfaces.len()];
        for &(pixel, pool) in &wet {
            keeps_water[pool as usize - 1] |= cell.level_over(pixel, pool).is_some();
        }
        for (surface, keeps_water) in cell.surfaces.iter_mut().zip(keeps_water) {
            let flat = Surface::flat(level);
            *surface = surface.map(|surface| if keeps_water { surface } else { flat });
        }
        self.open.clear();
        for (pixel, pool) in wet {
            self.levels[pixel] = f64::NAN;
            self.wet(cell, pixel, pool);
        }
    }

    /// Lets water from connected neighbours enter pixels along the sides.
    fn enter(&mut self, cell: &Sloping, connections: &Connections, at: usize) {
        for side in [Side::North, Side::South, Side::West, Side::East] {
            let Some((other, pairs)) = connections.across(at, side) else {
                continue;
            };
            let pairs: Vec<(u32, u32)> = pairs.collect();
            if pairs.is_empty() {
                continue;
            }
            let beyond = &connections.shores[other];
            for (place, pixel) in side.pixels(cell.cell.size).enumerate() {
                let near = beyond.at(side.facing(), place);
                if let Some((pool, _)) = pairs.iter().find(|(_, other)| *other == near) {
                    self.wet(cell, pixel, *pool);
                }
            }
        }
    }

    /// Lets water spread to adjacent pixels.
    fn spread(&mut self, cell: &Sloping) {
        let mut next = 0;
        while let Some(&(pixel, pool)) = self.open.get(next) {
            next += 1;
            for near in beside(pixel, cell.cell.size) {
                self.wet(cell, near, pool);
            }
        }
    }

    /// Wets a dry pixel if it is below the surface of a pool.
    fn wet(&mut self, cell: &Sloping, pixel: usize, pool: u32) {
        if self.levels[pixel].is_nan()
            && let Some(level) = cell.level_over(pixel, pool)
        {
            self.levels[pixel] = level;
            self.open.push((pixel, pool));
        }
    }
}
