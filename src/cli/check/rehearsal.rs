//! Rehearsal: runs the scenario on coarser cells, from start to end, to estimate the number of
//! steps and of wet cells.
//!
//! Both are extrapolated to the run's cell size as powers of the cell size, fitted to two
//! rehearsals. Cells with subgrid tables are rehearsed as coarser cells with tables: on flat ground
//! at their mean level, water would be shallower than in the channels that the tables resolve, and
//! steps far longer.

use crate::engine::backend::Problem;
use crate::engine::backend::cpu::{self, CpuOptions};
use crate::engine::cadence::{Cadence, Leg};
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::grid::{Bed, Grid};
use crate::engine::simulation::Simulation;
use crate::engine::solver::AnySolver;
use crate::error::Result;
use crate::output::format::{Labels, Sheet, USUAL};
use crate::output::layers::NODATA;
use crate::scenario::options::{Moment, Options, OutputGrid};
use crate::scenario::solver::MOST_PIXELS;
use crate::scenario::{self, Scenario};
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;

/// Budget of a rehearsal, in wet cells of a step; overhead of a step in the same unit; and maximum
/// duration of the first rehearsal (s). The estimate therefore does not depend on the load of the
/// machine.
const BUDGET: f64 = 4e7;
const STEP: f64 = 2000.0;
const FIRST_SECONDS: f64 = 5.0;

/// Cost of reading a pixel of finer ground and adding it to a table, in wet cells of a step.
const PIXEL: f64 = 3.0;

/// Maximum number of cells of the first rehearsal.
const FIRST_CELLS: usize = 40 * 40;

/// Cost factor of halving the cell size: four times the cells, twice the steps.
const FINER: f64 = 8.0;

/// Number of times at which wet cells are counted.
const SAMPLES: u32 = 64;

/// Number of steps between two checks of the time limit.
const FEW_STEPS: u64 = 64;

/// Allowed exponents of the number of steps, and of the wet share, as powers of the cell size.
const STEPS_POWER: (f64, f64) = (-2.2, -0.5);
const WET_POWER: (f64, f64) = (-0.3, 0.8);

/// Estimate of the number of steps and wet cells of a run.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsed {
    /// Number of steps.
    pub steps: f64,
    /// Share of the domain that is wet, averaged over all steps.
    pub wet: f64,
    /// Cost of the finest rehearsal: time (s), steps, sum of the wet cells of all steps, and cells.
    pub took: (f64, f64, f64, f64),
}

/// Estimates the steps and wet cells of a scenario with adaptive time steps; `None` if its input
/// cannot be run on coarser cells.
pub fn rehearse(scenario: &Scenario, options: &Options) -> Option<Rehearsed> {
    let folder = tempfile::tempdir().ok()?;
    let cells = scenario.problem.grid.cells();
    let (most, pixels) = match &scenario.facts.fine {
        Some(fine) => {
            let most = MOST_PIXELS.min(fine.grid.columns).min(fine.grid.rows) / fine.ratio;
            (most, PIXEL * fine.grid.cells() as f64)
        }
        None => (usize::MAX, 0.0),
    };
    let mut factor = 1;
    while cells / (factor * factor) > FIRST_CELLS && 2 * factor <= most {
        factor *= 2;
    }
    let mut known: Option<(usize, Rehearsed)> = None;
    let mut coarser = None;
    loop {
        let now = on_cells(scenario, options, factor, folder.path());
        let Ok(Some(now)) = now else { break };
        coarser = known.replace((factor, now)).map(|(_, rehearsed)| rehearsed);
        let (seconds, steps, wet, _) = now.took;
        let power = if is_diffusive(scenario) { 2.0 * FINER } else { FINER };
        let costs = power * (wet + STEP * steps) + pixels;
        if factor == 1 || costs > BUDGET || seconds > FIRST_SECONDS {
            break;
        }
        factor /= 2;
    }
    // The steps of a diffusive solver depend on the steepest and shallowest places, which coarser
    // cells smooth out.
    let (factor, finest) = known.filter(|(factor, _)| *factor == 1 || !is_diffusive(scenario))?;
    let power = |of: fn(&Rehearsed) -> f64, (low, high): (f64, f64), usual: f64| {
        let found = coarser.map(|coarser| (of(&coarser) / of(&finest)).log2());
        found.filter(|power| power.is_finite()).unwrap_or(usual).clamp(low, high)
    };
    let times = |power: f64| (factor as f64).powf(-power);
    Some(Rehearsed {
        steps: finest.steps * times(power(|of| of.steps, STEPS_POWER, -1.0)),
        wet: (finest.wet * times(power(|of| of.wet, WET_POWER, 0.0))).min(1.0),
        took: finest.took,
    })
}

/// Returns the options for a run on cells `factor` times as long, whose DEM is written to `folder`.
fn coarse_options(
    scenario: &Scenario,
    options: &Options,
    factor: usize,
    folder: &Path,
) -> Result<Options> {
    let start = scenario.facts.start.as_ref();
    let coarse = Options {
        subgrid_tables: None,
        gauges: Vec::new(),
        sections: Vec::new(),
        layers: Vec::new(),
        report_details: Default::default(),
        extents: None,
        extent_series: false,
        output_every: None,
        output_surface: None,
        gauge_every: None,
        // The initial water is aggregated to these cells below.
        start_from: None,
        start: start.map(|start| Moment(start.to_string())).or(options.start.clone()),
        scenario_file: None,
        tile: None,
        ..options.clone()
    };
    Ok(match &scenario.facts.fine {
        Some(fine) => Options {
            subgrid: Some(fine.ratio * factor),
            output_grid: Some(OutputGrid::Coarse),
            ..coarse
        },
        None => {
            let dem = folder.join(format!("dem{factor}.tif"));
            write_coarse(&scenario.problem.grid, &scenario.problem.bed.levels, factor, &dem)?;
            Options {
                dem: Some(dem),
                // NoData has already been replaced in these cells.
                nodata: Some(f64::NAN),
                height_unit: Some("m".into()),
                accept_distortion: true,
                // The bed already contains these.
                buildings: None,
                walls: None,
                openings: None,
                rivers: None,
                ..coarse
            }
        }
    })
}

/// Runs the scenario on cells `factor` times as long.
fn on_cells(
    scenario: &Scenario,
    options: &Options,
    factor: usize,
    folder: &Path,
) -> Result<Option<Rehearsed>> {
    let coarse = coarse_options(scenario, options, factor, folder)?;
    let Scenario { mut problem, mut clock, facts, .. } = scenario::build_for_check(&coarse)?;
    if options.start_from.is_some() {
        problem.initial = coarser(&scenario.problem, factor, &problem);
    }
    if let TimeStepping::Adaptive { limits, .. } = &mut clock.time_stepping {
        let power = if is_diffusive(scenario) { 2 } else { 1 };
        limits.longest *= (factor as f32).powi(power);
    }
    stepped(problem, clock, facts.domain_cells)
}

/// Runs a problem with `domain_cells` cells. If it takes too long, it is stopped and extrapolated.
fn stepped(problem: Problem, clock: Clock, domain_cells: usize) -> Result<Option<Rehearsed>> {
    let end = clock.end();
    let backend = Box::new(cpu::open(problem, CpuOptions::default()));
    let mut simulation = Simulation::new(backend, clock);
    let cells = simulation.backend.shape();
    let (mut wet, mut wet_steps) = (simulation.backend.wet_cells(), 0.0);
    let began = Instant::now();
    let mut cadence = Cadence::default();
    let has_time = || began.elapsed().as_secs_f64() <= FIRST_SECONDS;
    for sample in 1..=SAMPLES {
        let before = simulation.clock.done;
        let until = end * f64::from(sample) / f64::from(SAMPLES);
        while !simulation.clock.has_reached(until) && has_time() {
            let few = Leg { until, steps: FEW_STEPS };
            simulation.run_by(few, &mut cadence, &mut [], |_, _, _, _| Ok(()))?;
        }
        let now = simulation.backend.wet_cells();
        wet_steps += (simulation.clock.done - before) as f64 * 0.5 * (wet + now) as f64;
        wet = now;
        if !has_time() {
            break;
        }
    }
    let steps = simulation.clock.done as f64;
    let rehearsed = Rehearsed {
        steps: steps * end / simulation.clock.now(),
        wet: wet_steps / steps / domain_cells as f64,
        took: (began.elapsed().as_secs_f64(), steps, wet_steps, (cells.0 * cells.1) as f64),
    };
    Ok((steps > 0.0 && rehearsed.wet.is_finite()).then_some(rehearsed))
}

/// Aggregates the initial water of a problem to blocks of `factor` × `factor` cells (in grains of
/// `of`).
fn coarser(problem: &Problem, factor: usize, of: &Problem) -> Vec<i32> {
    let share = f64::from(problem.grain.metres() / of.grain.metres()) / (factor * factor) as f64;
    let mut water = vec![0.0; of.grid.cells()];
    for (cell, grains) in problem.initial.iter().enumerate() {
        let [column, row] = [cell % problem.grid.columns, cell / problem.grid.columns];
        let at = (row / factor) * of.grid.columns + column / factor;
        if column / factor < of.grid.columns && row / factor < of.grid.rows {
            water[at] += f64::from(*grains) * share;
        }
    }
    water.into_iter().map(|grains| grains as i32).collect()
}

/// Returns `true` if the time step scales with the square of the cell size, as stability requires
/// for a diffusive solver (Hunter et al., 2005, eq. 9).
fn is_diffusive(scenario: &Scenario) -> bool {
    matches!(scenario.problem.solver, AnySolver::AquaManning(_))
}

/// Writes a DEM with the means of `factor` × `factor` cells; NoData where fewer than half of them
/// are in the domain.
fn write_coarse(grid: &Grid, levels: &[i32], factor: usize, path: &Path) -> Result<()> {
    // Stay within the DEM: other layers may have no data beyond it.
    let (columns, rows) = ((grid.columns / factor).max(1), (grid.rows / factor).max(1));
    let coarse = Grid { columns, rows, last: [1.0; 2], ..grid.coarser(factor) };
    let mean = |cell: usize| {
        let (column, row) = (cell % coarse.columns * factor, cell / coarse.columns * factor);
        let rows = row..(row + factor).min(grid.rows);
        let columns = column..(column + factor).min(grid.columns);
        let all = rows.len() * columns.len();
        let of_cell = rows.flat_map(|row| &levels[row * grid.columns..][columns.clone()]);
        let (sum, count) = of_cell
            .filter(|level| **level != Bed::OUTSIDE)
            .fold((0.0, 0), |(sum, count), &level| (sum + f64::from(level), count + 1));
        if 2 * count < all {
            NODATA
        } else {
            (sum / f64::from(count as u32) / Bed::PER_METRE) as f32
        }
    };
    let values: Vec<f32> = (0..coarse.cells()).into_par_iter().map(mean).collect();
    USUAL.write(Sheet::new(path, &coarse, &Labels::of("", "")), &values).map(|_| ())
}
