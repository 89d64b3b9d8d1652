//! Water up to a level at the start, in cells with tables of the pixels in them.

use super::coarser::Coarser;
use crate::engine::grains::{Grain, MAX_WATER};
use crate::engine::grid::Bed;
use crate::engine::subgrid::tables::Tables;
use crate::units::Metre;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How a cell is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fill {
    /// Up to a level (2⁻¹⁶ m above the DEM's zero).
    To(i32),
    /// With a mean depth (m), where the level holds for a part of its low pixels.
    With(Metre),
}

/// The cells that are filled.
#[derive(Debug, Default)]
pub struct CellLevels {
    cells: Vec<(usize, Fill)>,
    /// The deepest (m), as a mean over a cell.
    deepest: Metre,
    /// All of their depths (m).
    sum: Metre,
}

/// What is under water in a cell.
#[derive(Clone, Copy, Default)]
struct Wet {
    /// Pixels.
    pixels: usize,
    /// Their depths (m).
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
            // In a river below the pixels, no deeper on the mean than that.
            false => Some((cell, fill, depth(level, tables.bed[cell]))).filter(|of| of.2 > 0.0),
        };
        CellLevels::told(sums.iter().enumerate().filter_map(filled))
    }

    /// Fills some pixels, each up to its level (m). A cell in which all pixels below the one level are among them stands at that level;
    /// another holds as much water as stands on them. One in which a river lies below all of them stands at its highest level.
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
        CellLevels::told(wet.into_iter().map(fill).chain(lower))
    }

    fn told(filled: impl Iterator<Item = (usize, Fill, Metre)>) -> CellLevels {
        let mut told = CellLevels::default();
        for (cell, fill, mean) in filled {
            told.cells.push((cell, fill));
            (told.deepest, told.sum) = (told.deepest.max(mean), told.sum + mean);
        }
        told
    }

    /// The deepest water (m), as a mean over a cell.
    pub fn deepest(&self) -> Metre {
        self.deepest
    }

    /// The water, spread over the domain (m).
    pub fn mean(&self, domain_cells: usize) -> Metre {
        self.sum / domain_cells.max(1) as f64
    }

    /// Fills cells up to their level (grains); `water` may be empty for a dry start.
    pub fn fill(&self, water: &mut Vec<i32>, grain: Grain, tables: &Tables) {
        if !self.cells.is_empty() && water.is_empty() {
            water.resize(tables.bed.len(), 0);
        }
        let grains = |&(cell, fill): &(usize, Fill)| {
            let grains = match fill {
                Fill::To(level) => tables.water_at(cell, level, grain.metres()),
                // The grain was chosen so that it fits.
                Fill::With(mean) => grain.from_depth(mean).unwrap_or(MAX_WATER),
            };
            (cell, grains)
        };
        let filled: Vec<(usize, i32)> = self.cells.par_iter().map(grains).collect();
        filled.into_iter().for_each(|(cell, grains)| water[cell] = water[cell].max(grains));
    }
}

/// Depth (m) of water at a level (m) over a pixel (2⁻¹⁶ m).
fn depth(level: Metre, pixel: i32) -> Metre {
    match pixel {
        Bed::OUTSIDE => 0.0,
        z => (level - f64::from(z) / Bed::PER_METRE).max(0.0),
    }
}

fn quantized(level: Metre) -> i32 {
    Bed::quantize(level).expect("a level within the limit")
}
