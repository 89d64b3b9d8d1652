//! `inundate check`: what a run would do, without doing it.

use super::print_json;
use super::run::tell_input;
use crate::backend::cpu::BYTES_PER_CELL;
use crate::bench;
use crate::clock::TimeUnit;
use crate::error::Result;
use crate::output::folder;
use crate::run::{layer_keys, out_folder, with_threads};
use crate::scenario::options::Options;
use crate::scenario::{self, Scenario};
use crate::units::{show_count, show_duration};
use serde::Serialize;

/// What `check --json` prints.
#[derive(Serialize)]
struct Estimate {
    columns: usize,
    rows: usize,
    domain_cells: usize,
    dx_m: f64,
    dy_m: f64,
    bed_range_m: (f64, f64),
    rule: &'static str,
    neighbourhood: &'static str,
    alpha: f32,
    grain_m: f32,
    tiles: usize,
    memory_bytes: usize,
    steps: u64,
    dt_s: Option<f64>,
    simulated_s: Option<f64>,
    /// Time of the run if every cell were wet all the time (s).
    longest_wall_s: f64,
    warnings: Vec<String>,
}

/// Reads and checks everything, and prints what a run would take.
pub fn check(options: &Options) -> Result<()> {
    with_threads(options.threads, || {
        folder::check(&out_folder(options), &layer_keys(), options.overwrite)?;
        let scenario = scenario::build(options)?;
        tell_input(&scenario, options.quiet);
        let estimate = estimate(scenario, options)?;
        if options.json {
            print_json(&estimate)?;
        } else if !options.quiet {
            print(&estimate);
        }
        Ok(())
    })
}

fn estimate(scenario: Scenario, options: &Options) -> Result<Estimate> {
    let grid = &scenario.problem.grid;
    let (across, down) = options.tile_size()?;
    let tiles = grid.columns.div_ceil(across) * grid.rows.div_ceil(down);
    let rate = bench::quick_rate(scenario.problem.rule, scenario.problem.neighbourhood);
    let timed = scenario.clock.unit == TimeUnit::Seconds;
    Ok(Estimate {
        columns: grid.columns,
        rows: grid.rows,
        domain_cells: scenario.domain_cells,
        dx_m: grid.dx,
        dy_m: grid.dy,
        bed_range_m: scenario.bed_range,
        rule: scenario.rule,
        neighbourhood: scenario.problem.neighbourhood.name(),
        alpha: scenario.alpha,
        grain_m: scenario.problem.grain.metres(),
        tiles,
        memory_bytes: grid.cells() * (BYTES_PER_CELL + 8) + (64 << 20),
        steps: scenario.clock.steps,
        dt_s: timed.then_some(scenario.clock.dt),
        simulated_s: timed.then(|| scenario.clock.end()),
        longest_wall_s: scenario.domain_cells as f64 * scenario.clock.steps as f64 / rate,
        warnings: scenario.warnings,
    })
}

fn print(estimate: &Estimate) {
    let Estimate { columns, rows, dx_m, dy_m, bed_range_m, .. } = estimate;
    say!(
        "domain      {columns} x {rows} cells of {dx_m:.3} x {dy_m:.3} m, {} of them in the domain, bed {:.2} to {:.2} m",
        estimate.domain_cells,
        bed_range_m.0,
        bed_range_m.1
    );
    say!(
        "rule        {}, {}, alpha {}, grain {:.2e} m",
        estimate.rule,
        estimate.neighbourhood,
        estimate.alpha,
        estimate.grain_m
    );
    let time = match (estimate.dt_s, estimate.simulated_s) {
        (Some(dt), Some(total)) => {
            format!(" of {} = {} (calibrated)", show_duration(dt), show_duration(total))
        }
        _ => " without a duration".into(),
    };
    say!("steps       {}{time}", estimate.steps);
    say!("tiles       {}", estimate.tiles);
    say!("memory      about {:.0} MB", estimate.memory_bytes as f64 / 1e6);
    say!(
        "time        at most about {} on this machine ({} cell-steps if all cells were wet)",
        show_duration(estimate.longest_wall_s.ceil()),
        show_count(estimate.domain_cells as f64 * estimate.steps as f64)
    );
}
