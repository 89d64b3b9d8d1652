//! Initial water given as a level, in cells with tables of their pixels.

use super::coarser::Coarser;
use crate::engine::grains::{Grain, MAX_WATER};
use crate::engine::grid::Bed;
use crate::engine::subgrid::tables::Tables;
use crate::units::Metre;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Filling of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fill {
    /// Up to a level (2⁻¹⁶ m above the DEM's zero).
    To(i32),
    /// With a mean depth (m), if the level applies to a part of the low pixels only.
    With(Metre),
}

/// Cells to fill up to a level.
#[derive(Debug, Default)]
pub struct CellLevels {
    cells: Vec<(usize, Fill)>,
    /// Greatest mean depth of a cell (m).
    deepest: Metre,
    /// Sum of the mean depths (m).
    sum: Metre,
}

/// Wet pixels of a cell.
#[derive(Clone, Copy, Default)]
struct Wet {
    /// Number of pixels.
    pixels: usize,
    /// Sum of their depths (m).
    sum: Metre,
    lowest: Metre,
    highest: Metre,
}

impl CellLevels {
    /// Fills all cells up to a level (m).
    pub fn everywhere(
        level: Metre,
        coarser: Coarser,
        levels: &[i32],
        tables: &Tables,
    ) -> CellLevels {
        let mut sums = vec![0.0; tables.bed.len()];
        let columns = coarser.columns();
        let rows_of_cells = levels.par_chunks(columns * coarser.ratio);
        sums.par_chunks_mut(tables.columns).zip(rows_of_cells).for_each(|(sums, pixels)| {
            for (at, &z) in pixels.iter().enumerate() {
                sums[at % columns / coarser.ratio] += depth(level, z);
            }
        });
        let fill = Fill::To(quantized(level));
        let filled = |(cell, &sum): (usize, &f64)| match sum > 0.0 {
            true => Some((cell, fill, sum * coarser.part())),
            // In a river below the pixels, the mean depth is at most the depth of the river.
            false => Some((cell, fill, depth(level, tables.bed[cell]))).filter(|of| of.2 > 0.0),
        };
        CellLevels::from_cells(sums.iter().enumerate().filter_map(filled))
    }

    /// Fills some pixels, each up to its level (m). A cell gets the level if the pixels include all
    /// of its pixels below that one level; otherwise it gets the volume of water on the pixels. A
    /// cell with a river below all of the pixels gets the highest level.
    pub fn on(
        pixels: &[(usize, Metre)],
        coarser: Coarser,
        levels: &[i32],
        tables: &Tables,
    ) -> CellLevels {
        let mut wet: BTreeMap<usize, Wet> = BTreeMap::new();
        let mut rivers: BTreeMap<usize, Metre> = BTreeMap::new();
        for &(pixel, level) in pixels {
            let cell = coarser.cell(pixel);
            let in_river = depth(level, tables.bed[cell]) > 0.0;
            let depth = depth(level, levels[pixel]);
            if depth <= 0.0 && in_river {
                let highest = rivers.entry(cell).or_insert(level);
                *highest = highest.max(level);
            }
            if depth > 0.0 {
                let none = Wet { lowest: level, highest: level, ..Wet::default() };
                let wet = wet.entry(cell).or_insert(none);
                (wet.pixels, wet.sum) = (wet.pixels + 1, wet.sum + depth);
                (wet.lowest, wet.highest) = (wet.lowest.min(level), wet.highest.max(level));
            }
        }
        let fill = |(cell, wet): (usize, Wet)| {
            let mean = wet.sum * coarser.part();
            let below = || coarser.pixels(cell, levels).filter(|&z| depth(wet.highest, z) > 0.0);
            let is_whole = wet.lowest == wet.highest && below().count() == wet.pixels;
            let fill = if is_whole { Fill::To(quantized(wet.highest)) } else { Fill::With(mean) };
            (cell, fill, mean)
        };
        let is_below = |cell: usize| coarser.pixels(cell, levels).all(|z| z > tables.bed[cell]);
        let lower = rivers.into_iter();
        let lower = lower.filter(|&(cell, _)| !wet.contains_key(&cell) && is_below(cell));
        let lower = lower.map(|(cell, level)| {
            (cell, Fill::To(quantized(level)), depth(level, tables.bed[cell]))
        });
        let lower: Vec<_> = lower.collect();
        CellLevels::from_cells(wet.into_iter().map(fill).chain(lower))
    }

    fn from_cells(filled: impl Iterator<Item = (usize, Fill, Metre)>) -> CellLevels {
        let mut levels = CellLevels::default();
        for (cell, fill, mean) in filled {
            levels.cells.push((cell, fill));
            (levels.deepest, levels.sum) = (levels.deepest.max(mean), levels.sum + mean);
        }
        levels
    }

    /// Returns the greatest mean depth of a cell (m).
    pub fn deepest(&self) -> Metre {
        self.deepest
    }

    /// Returns the mean depth over the domain (m).
    pub fn mean(&self, domain_cells: usize) -> Metre {
        self.sum / domain_cells.max(1) as f64
    }

    /// Fills cells up to their level (grains); `water` may be empty if the start is dry.
    pub fn fill(&self, water: &mut Vec<i32>, grain: Grain, tables: &Tables) {
        if !self.cells.is_empty() && water.is_empty() {
            water.resize(tables.bed.len(), 0);
        }
        let grains = |&(cell, fill): &(usize, Fill)| {
            let grains = match fill {
                Fill::To(level) => tables.water_at(cell, level, grain.metres()),
                // The grain was chosen to hold this depth.
                Fill::With(mean) => grain.from_depth(mean).unwrap_or(MAX_WATER),
            };
            (cell, grains)
        };
        let filled: Vec<(usize, i32)> = self.cells.par_iter().map(grains).collect();
        filled.into_iter().for_each(|(cell, grains)| water[cell] = water[cell].max(grains));
    }
}

/// Returns the depth (m) of water at a level (m) over a pixel (2⁻¹⁶ m).
pub fn depth(level: Metre, pixel: i32) -> Metre {
    match pixel {
        Bed::OUTSIDE => 0.0,
        z => (level - f64::from(z) / Bed::PER_METRE).max(0.0),
    }
}

fn quantized(level: Metre) -> i32 {
    Bed::quantize(level).expect("a level within the limit")
}
