//! Water given as depths: initial depth, inflow cells and sinks.

use super::amounts::{read_amounts, warp_note};
use super::cell_levels::CellLevels;
use super::coarser::Coarser;
use super::initial_level::InitialLevel;
use super::options::{Options, ValueOrFile};
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, beside};
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::Reading;
use crate::input::raster::RasterFile;
use crate::input::raster::layer::{self, Cover, Report};
use crate::measures;
use crate::measures::quantity::DEPTH;
use rayon::prelude::*;
use std::path::Path;

/// Initial depth, inflow cells and sinks. Depths are in metres, because the choice of the grain
/// depends on them.
#[derive(Debug, Default)]
pub struct Depths {
    everywhere: f64,
    initial: Vec<f32>,
    level: InitialLevel,
    /// Initial levels of cells with tables.
    in_cells: CellLevels,
    top_up: Vec<(usize, f64)>,
    pub sinks: Vec<usize>,
}

/// Returns the greatest height (m) of the water surface above a neighbour's water surface or
/// ground: the height of a breaking dam. `water` is in grains per cell, and empty if there is none.
pub fn drop(ground: Topography, water: &[i32], grain: Grain, tables: Option<&Tables>) -> f64 {
    let Topography { grid, bed, .. } = ground;
    let metres = f64::from(grain.metres());
    let surface = |cell: usize| match tables {
        Some(tables) => {
            f64::from(tables.level_of(cell, water[cell], grain.metres())) / Bed::PER_METRE
        }
        None => ground.level(cell) + f64::from(water[cell]) * metres,
    };
    let of = |cell: usize| {
        let above = |other: usize| match bed.levels[other] {
            Bed::OUTSIDE => 0.0,
            _ => surface(cell) - surface(other),
        };
        let most = beside(cell, (grid.columns, grid.rows)).map(above).fold(0.0, f64::max);
        let depth = match tables {
            Some(_) => surface(cell) - ground.level(cell),
            None => f64::from(water[cell]) * metres,
        };
        most.min(depth)
    };
    let wet = (0..water.len()).into_par_iter().filter(|&cell| water[cell] > 0);
    wet.map(of).reduce(|| 0.0, f64::max)
}

impl Depths {
    /// Reads the depths on the grid of the pixels: a cell gets the mean depth of its pixels, and is
    /// a sink if one of them is.
    pub fn read(
        options: &Options,
        ground: Topography,
        coarser: Coarser,
    ) -> Result<Reading<Depths>> {
        let mut depths = Reading::<Depths>::default();
        match &options.initial_depth {
            None => {}
            Some(ValueOrFile::File(path)) => {
                let mut initial = vec![0.0f32; ground.grid.coarser(coarser.ratio).cells()];
                let report = read_amounts(
                    path,
                    "initial_depth",
                    &DEPTH,
                    ground,
                    Cover::Field,
                    |at, value| {
                        initial[coarser.cell(at)] += (value * coarser.part()) as f32;
                    },
                )?;
                depths.initial = initial;
                report.note("initial_depth", path, &mut depths.notices)?;
                depths.notices.note_all(warp_note(&report, path, "initial_depth", "m³", 1.0));
            }
            Some(ValueOrFile::Value(text)) => {
                depths.everywhere =
                    measures::parse_depth(text).map_err(|error| error.of("initial_depth"))?;
            }
        }
        let level = InitialLevel::read(&options.initial_level, ground)?;
        depths.level = depths.notices.of(level);
        if let Some(path) = &options.inflow_depth {
            let mut top_up = Vec::new();
            let report =
                read_amounts(path, "inflow_depth", &DEPTH, ground, Cover::Marks, |at, value| {
                    if value > 0.0 {
                        top_up.push((coarser.cell(at), value * coarser.part()));
                    }
                })?;
            top_up.sort_by_key(|(cell, _)| *cell);
            top_up.dedup_by(|(cell, more), (before, depth)| {
                let is_one = cell == before;
                *depth += if is_one { *more } else { 0.0 };
                is_one
            });
            depths.top_up = top_up;
            report.note("inflow_depth", path, &mut depths.notices)?;
            depths.note_marks("inflow_depth", path, &report, depths.top_up.len());
            if depths.top_up.is_empty() {
                depths
                    .notices
                    .warn(format!("inflow_depth: '{}' has no inflow cell", path.display()));
            }
        }
        if let Some(path) = &options.sinks {
            let mut sinks = Vec::new();
            let mut file = RasterFile::open(path, "sinks")?;
            // An undeclared NoData value does not mark a sink.
            file.expect_amounts();
            let report = layer::read_file(&file, ground, Cover::Marks, |row, values| {
                let marked = values
                    .iter()
                    .enumerate()
                    .filter(|(_, value)| !value.is_nan() && **value != 0.0);
                sinks.extend(
                    marked.map(|(column, _)| coarser.cell(row * ground.grid.columns + column)),
                );
                Ok(())
            })?;
            sinks.sort_unstable();
            sinks.dedup();
            depths.sinks = sinks;
            report.note("sinks", path, &mut depths.notices)?;
            depths.note_marks("sinks", path, &report, depths.sinks.len());
            if depths.sinks.is_empty() {
                depths.notices.warn(format!("sinks: '{}' has no sink cell", path.display()));
            }
        }
        Ok(depths)
    }
}

impl Reading<Depths> {
    /// Notes how many cells a warped layer marks.
    fn note_marks(&mut self, role: &str, path: &Path, report: &Report, marked: usize) {
        if report.warped {
            let cells = if marked == 1 { "cell is" } else { "cells are" };
            self.notices.note(format!(
                "{role}: '{}' was warped to the DEM's grid, each cell taking the nearest value: {marked} {cells} marked",
                path.display()
            ));
        }
    }
}

impl Depths {
    /// Returns the greatest initial or inflow depth (m).
    pub fn deepest(&self, bed: &Bed) -> f64 {
        let initial = self.initial.iter().copied().fold(0.0, f32::max);
        let top_up = self.top_up.iter().map(|(_, depth)| *depth).fold(0.0, f64::max);
        let level = self.level.deepest(bed).max(self.in_cells.deepest());
        self.everywhere.max(f64::from(initial)).max(top_up).max(level)
    }

    /// Returns the mean initial depth over the domain (m).
    pub fn mean(&self, bed: &Bed) -> f64 {
        let sum: f64 = self.initial.iter().map(|&depth| f64::from(depth)).sum();
        let cells = bed.domain_cells();
        let level = self.level.mean(bed) + self.in_cells.mean(cells);
        self.everywhere + sum / cells.max(1) as f64 + level
    }

    /// Converts the initial levels of pixels with these levels (2⁻¹⁶ m) into levels of cells with
    /// tables.
    pub fn lay_in_cells(&mut self, coarser: Coarser, pixels: &[i32], tables: &Tables) {
        self.in_cells = std::mem::take(&mut self.level).in_cells(coarser, pixels, tables);
    }

    /// Returns the initial water per cell (grains); empty if there is none.
    pub fn initial_grains(
        &self,
        grain: Grain,
        bed: &Bed,
        tables: Option<&Tables>,
    ) -> Result<Vec<i32>> {
        let mut initial: Vec<i32> = if self.everywhere > 0.0 {
            let all = grains(grain, self.everywhere)?;
            let fill = |(cell, &level): (usize, &i32)| match tables {
                _ if level == Bed::OUTSIDE => 0,
                Some(tables) => (f64::from(all) * tables.open_share(cell)).round() as i32,
                None => all,
            };
            bed.levels.iter().enumerate().map(fill).collect()
        } else {
            let cells = self.initial.iter();
            cells.map(|&depth| grains(grain, f64::from(depth))).collect::<Result<_>>()?
        };
        self.level.fill(&mut initial, grain, bed);
        if let Some(tables) = tables {
            self.in_cells.fill(&mut initial, grain, tables);
        }
        Ok(initial)
    }

    /// Returns the inflow cells and their water (grains).
    pub fn top_up_grains(&self, grain: Grain) -> Result<Vec<(usize, i32)>> {
        self.top_up.iter().map(|&(cell, depth)| Ok((cell, grains(grain, depth)?))).collect()
    }
}

fn grains(grain: Grain, depth: f64) -> Result<i32> {
    grain
        .from_depth(depth)
        .ok_or_else(|| Error::input(format!("water of {depth} m is deeper than the run can hold")))
}
