//! Rivers and openings drawn as lines. They lower the bed before buildings and walls raise it.
//! Rivers narrower than a cell go into the subgrid tables ([`crate::engine::subgrid::reaches`]).

mod burn;
mod clip_lines;
mod doubled;
mod openings;
mod read;

use super::options::Options;
use super::solver::knowing_tables;
use crate::engine::grid::{Bed, Grid};
use crate::engine::solver::SolverInfo;
use crate::engine::subgrid::channels::Channels;
use crate::engine::subgrid::reaches::Courses;
use crate::engine::subgrid::river::{Land, River};
use crate::error::{Error, Result};
use crate::input::dem::Dem;
use crate::input::notice::Notices;
use crate::words::{counted, verb};
use burn::{BurnLevels, Reach};
use doubled::{Doubled, doubled};
use read::{RiverLayer, RiverLine};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Rivers that still have to be put into tables, and the roughness of rivers.
#[derive(Default)]
pub struct Rivers {
    /// Rivers narrower than a cell.
    narrow: Option<Narrow>,
    /// Manning's n of pixels in a river that has its own value (s/m^⅓).
    pub roughness: BTreeMap<usize, f32>,
}

/// Rivers narrower than a cell.
struct Narrow {
    path: PathBuf,
    count: usize,
    courses: Courses,
    /// Shorter side of a cell (m).
    cell: f64,
    /// River beds of the pixels whose centre is in a river, for maps; a pixel raised by a wall is
    /// skipped.
    shown: Vec<Shown>,
    /// River beds of all pixels that the line passes through, for gauges.
    gauged: Vec<Shown>,
}

/// Ground and river bed of a pixel.
#[derive(Clone, Copy)]
struct Shown {
    pixel: usize,
    ground: i32,
    bed: i32,
}

/// Channels of rivers narrower than a cell.
#[derive(Default)]
pub struct NarrowRivers {
    /// Channels for the tables.
    pub channels: Channels,
    shown: Vec<Shown>,
    gauged: Vec<Shown>,
}

impl Rivers {
    /// Reads openings and rivers, and lowers the bed of a DEM; `ratio` × `ratio` pixels make a
    /// cell.
    pub fn dig(
        options: &Options,
        dem: &mut Dem,
        ratio: usize,
        notices: &mut Notices,
    ) -> Result<Rivers> {
        let mut rivers = Rivers::default();
        if let Some(path) = &options.openings {
            let opened =
                openings::read(path, land(&dem.grid, &dem.bed, ratio), &dem.grid, notices)?;
            let lowered = lower(&mut dem.bed, &opened.lows, opened.lines);
            let lines = counted(opened.lines, "opening", "openings");
            notices.note(format!(
                "openings: {lines} of '{}' {lowered}{}",
                path.display(),
                opened.left_out
            ));
        }
        if let Some(path) = &options.rivers {
            let land = land(&dem.grid, &dem.bed, ratio);
            let layer = read::read(path, land, &dem.grid, notices)?;
            let lows = rivers.lay(path, layer, land, &dem.grid, notices);
            if let Some((wide, lows)) = lows {
                let lines = counted(wide, "river", "rivers");
                let lowered = lower(&mut dem.bed, &lows, wide);
                notices.note(format!("rivers: {lines} of '{}' {lowered}", path.display()));
            }
        }
        if options.openings.is_some() || options.rivers.is_some() {
            let checked = dem.check_changed("rivers and openings");
            let hint = "check the unit of their levels and of the DEM's heights";
            checked.map_err(|error| error.hint(hint))?;
        }
        Ok(rivers)
    }

    /// Splits rivers by width: lowers the bed at rivers at least as wide as a cell, and lays the
    /// others through the cells. Returns a description of what was lowered, if anything.
    fn lay(
        &mut self,
        path: &Path,
        layer: RiverLayer,
        land: Land,
        grid: &Grid,
        notices: &mut Notices,
    ) -> Option<(usize, BurnLevels)> {
        let cell = land.cell().into_iter().fold(f64::INFINITY, f64::min);
        let of = |rivers: Vec<RiverLine>| rivers.into_iter().map(|drawn| drawn.river).collect();
        let (narrow, wide): (Vec<RiverLine>, Vec<RiverLine>) =
            layer.rivers.into_iter().partition(|drawn| drawn.top_width < cell);
        let (narrow, wide): (Vec<River>, Vec<River>) = (of(narrow), of(wide));
        let lows = burn::lows(&wide, land, Reach::Touched);
        if let Some(Doubled { length, at: [x, y] }) = doubled(&narrow, land) {
            let [column, row] = [x / land.pixel[0], y / land.pixel[1]].map(|at| at as usize);
            let at =
                grid.spot(row.min(land.rows() - 1) * land.columns + column.min(land.columns - 1));
            notices.warn(format!(
                "rivers: {length:.0} m of the lines of '{}' lie on others, first near {:.2},{:.2}: their channels add up; delete what is drawn twice",
                path.display(),
                at.x,
                at.y
            ));
        }
        if !narrow.is_empty() {
            let seen = |reach| -> Vec<Shown> {
                // Narrow rivers may run into a wider one, which is not yet in the bed.
                let left = |pixel: usize| lows.get(&pixel).copied().unwrap_or(i32::MAX);
                let ground = |pixel: usize| land.levels[pixel].min(left(pixel));
                let shown = |(pixel, bed)| Shown { pixel, ground: ground(pixel), bed };
                burn::lows(&narrow, land, reach).into_iter().map(shown).collect()
            };
            self.narrow = Some(Narrow {
                path: path.to_path_buf(),
                count: narrow.len(),
                courses: Courses::of(&narrow, land),
                cell,
                shown: seen(Reach::Centres),
                gauged: seen(Reach::Touched),
            });
        }
        if layer.left_out > 0 {
            let lines = counted(layer.left_out, "line", "lines");
            notices.note(format!("rivers: {lines} of '{}' outside the domain", path.display()));
        }
        if wide.is_empty() {
            return None;
        }
        notices.warn_all(burn::uneven("rivers", path, &wide, land));
        for river in &wide {
            let Some(n) = river.roughness else { continue };
            let pixels = burn::lows(std::slice::from_ref(river), land, Reach::Touched);
            let inside = pixels.into_iter().filter(|(pixel, bed)| *bed < land.levels[*pixel]);
            self.roughness.extend(inside.map(|(pixel, _)| (pixel, n as f32)));
        }
        Some((wide.len(), lows))
    }

    /// Builds the channels of rivers narrower than a cell. `levels` include buildings and walls
    /// (2⁻¹⁶ m).
    ///
    /// # Errors
    /// If the solver does not support tables.
    pub fn narrow(
        &mut self,
        raised: &[i32],
        solver: &SolverInfo,
        notices: &mut Notices,
    ) -> Result<Option<NarrowRivers>> {
        let Some(narrow) = self.narrow.take() else { return Ok(None) };
        let shown = narrow.path.display();
        let rivers = counted(narrow.count, "river", "rivers");
        let is = if narrow.count == 1 { "is" } else { "are" };
        if !solver.knows_tables() {
            return Err(Error::input(format!(
                "rivers: {rivers} of '{shown}' {is} narrower than a cell of {:.3} m, and {} does not support subgrid tables",
                narrow.cell,
                solver.label()
            ))
            .hint(format!("take the solver {}", knowing_tables())));
        }
        let (channels, tally) = narrow.courses.channels(raised);
        notices.note(format!(
            "rivers: {rivers} of '{shown}', narrower than a cell of {:.3} m, {} in subgrid tables through {}: {:.3} km, up to {:.2} m below the ground, {:.0} m³ below the ground",
            narrow.cell,
            if narrow.count == 1 { "runs" } else { "run" },
            counted(tally.cells, "cell", "cells"),
            tally.length / 1000.0,
            tally.deepest,
            tally.volume
        ));
        if tally.dammed > 0 {
            notices.warn(format!(
                "rivers: buildings or walls are on {} with rivers of '{shown}' and dam them; if they are only beside a river, draw them farther away, or use smaller cells",
                counted(tally.dammed, "pixel", "pixels")
            ));
        }
        if solver.has_momentum() && tally.turns > tally.cells / 10 {
            notices.warn(format!(
                "rivers: '{shown}' turns {} from one side of the cells to another; when a river leaves its banks there, {} loses speed to the plain beside it, and levels may be off by some decimetres: for slow rivers the solver inertial is closer",
                counted(tally.turns, "time", "times"),
                solver.label()
            ));
        }
        let Narrow { shown, gauged, .. } = narrow;
        Ok((!channels.is_empty()).then_some(NarrowRivers { channels, shown, gauged }))
    }
}

impl NarrowRivers {
    /// Returns true if some of the rivers have their own roughness.
    pub fn are_rough(&self) -> bool {
        let sections = self.channels.edges.iter().flat_map(BTreeMap::values).flatten();
        sections.into_iter().any(|section| section.roughness.is_some())
    }

    /// Lowers the pixels inside the rivers, for maps; `lowest` returns the lowest ground of a
    /// pixel's cell (2⁻¹⁶ m).
    pub fn show(&self, levels: &mut [i32], lowest: impl Fn(usize) -> i32) {
        for &Shown { pixel, ground, bed } in &self.shown {
            if levels[pixel] == ground {
                levels[pixel] = ground.min(bed.max(lowest(pixel)));
            }
        }
    }

    /// Lowers all pixels that the lines pass through to the river beds; returns their former
    /// levels.
    pub fn lower(&self, levels: &mut [i32]) -> Vec<(usize, i32)> {
        let lower = self.gauged.iter().filter(|shown| levels[shown.pixel] == shown.ground);
        let lower: Vec<Shown> = lower.copied().collect();
        let of = |shown: Shown| {
            levels[shown.pixel] = shown.ground.min(shown.bed);
            (shown.pixel, shown.ground)
        };
        lower.into_iter().map(of).collect()
    }

    /// Returns the bed (2⁻¹⁶ m) of the river that contains a pixel or whose line passes through it.
    pub fn bed_at(&self, pixel: usize) -> Option<i32> {
        let at = self.gauged.binary_search_by_key(&pixel, |shown| shown.pixel).ok()?;
        let Shown { ground, bed, .. } = self.gauged[at];
        (bed < ground).then_some(bed)
    }
}

/// Returns the ground of a grid for the river code.
fn land<'a>(grid: &Grid, bed: &'a Bed, ratio: usize) -> Land<'a> {
    Land { levels: &bed.levels, columns: grid.columns, pixel: [grid.dx, grid.dy], ratio }
}

/// Lowers the bed to `lows` of some lines where these are lower, and describes the result.
fn lower(bed: &mut Bed, lows: &BurnLevels, lines: usize) -> String {
    let (mut count, mut deepest) = (0, 0.0f64);
    for (&pixel, &low) in lows {
        let level = &mut bed.levels[pixel];
        if low < *level {
            deepest = deepest.max((f64::from(*level) - f64::from(low)) / Bed::PER_METRE);
            *level = low;
            count += 1;
        }
    }
    let lower = verb(lines, "lower");
    match count {
        0 => format!("{lower} no cell: the ground is already as low"),
        count => {
            let cells = counted(count, "cell", "cells");
            format!("{lower} {cells} of the DEM by up to {deepest:.2} m")
        }
    }
}
