//! Estimate of a run: steps, wall-clock time and disk space. All are ranges, because the depth,
//! speed and extent of the water are what the run is to compute.

use super::rehearsal::rehearse;
use crate::engine::clock::TimeStepping;
use crate::engine::forcing::Account;
use crate::observer::eta::show_left;
use crate::output::layers::TimeScope;
use crate::output::stack::StackFormat;
use crate::scenario::options::Options;
use crate::scenario::{Scenario, time};
use crate::speed::SpeedEstimate;
use crate::units::{show_bytes, show_count};
use serde::Serialize;
use std::path::Path;

/// Minimum and maximum mean depth of water that has spread (m), with an automaton.
const SPREAD: (f64, f64) = (0.1, 2.0);

/// Uncertainty factors of the number of steps and of the time, relative to the rehearsal.
const RANGE: (f64, f64) = (0.5, 2.0);

/// Minimum and maximum slowdown of steps compared with a fully wet grid.
const SLOWER: (f64, f64) = (1.0, 6.0);

/// Additional slowdown of cells with subgrid tables.
const TABLES: f64 = 4.0;

/// Cost of a dry cell relative to a wet one: dry cells are skipped in groups.
const DRY: f64 = 0.01;

/// Cells read, shaded or written per thread and second, outside of steps.
const OTHER_CELLS: f64 = 1.5e7;

/// Size of a cell on disk (bytes), compressed: minimum, with nearly all cells dry, and maximum,
/// with overviews.
const ON_DISK: (f64, f64) = (0.005, 5.5);

/// Minimum size of a map, and minimum and maximum size of the other files (bytes).
const MAP: f64 = 3e3;
const BESIDE: (f64, f64) = (5e4, 6e6);

/// Estimate of a run; each range is the likely minimum and maximum.
#[derive(Debug, Serialize)]
pub struct RunEstimate {
    /// Number of steps.
    steps_range: Option<(u64, u64)>,
    /// Wall-clock time (s).
    wall_range_s: Option<(f64, f64)>,
    /// Number of maps written.
    maps: usize,
    /// Disk space (bytes), including checkpoints if they are kept.
    disk_range_bytes: (f64, f64),
}

impl RunEstimate {
    /// Estimates a run at a measured speed, if known. `checkpoint` is the size of a checkpoint
    /// (bytes), if checkpoints are kept.
    pub fn of(
        scenario: &Scenario,
        options: &Options,
        speed: Option<SpeedEstimate>,
        checkpoint: Option<u64>,
    ) -> RunEstimate {
        let cells = scenario.problem.grid.cells() as f64;
        let domain = scenario.facts.domain_cells as f64;
        let rehearsed = match scenario.clock.time_stepping {
            TimeStepping::Equal { .. } => None,
            TimeStepping::Adaptive { .. } => rehearse(scenario, options),
        };
        // Number of steps, and mean number of wet cells.
        let expected = match scenario.clock.time_stepping {
            TimeStepping::Equal { steps, .. } => Some((steps as f64, wet(scenario))),
            // Steps end at every exchange with the sewers.
            TimeStepping::Adaptive { end, .. } => {
                let sewers = scenario.facts.sewers.as_ref();
                let exchanges = sewers.map_or(0.0, |sewers| end / sewers.every);
                rehearsed.map(|of| (of.steps.max(exchanges), of.wet * domain))
            }
        };
        let maps = maps(scenario);
        let other_speed = OTHER_CELLS * rayon::current_num_threads() as f64;
        let pixels = scenario.facts.map_grid().cells() as f64;
        let written = (maps + 2 * stacked(scenario, options)) as f64;
        let other = (4.0 * cells + pixels * written) / other_speed;
        let wall = speed.zip(expected).map(|(speed, (steps, wet))| {
            let stepping = |steps: f64, wet_steps: f64, cells: f64| {
                steps * speed.seconds_per_step
                    + (wet_steps + DRY * steps * cells) / speed.cell_steps_per_s
            };
            // With few and scattered wet cells, each takes longer.
            let tables = if scenario.problem.subgrid.is_some() { TABLES } else { 1.0 };
            let slower = rehearsed.map_or(1.0, |of| {
                let (seconds, steps, wet, cells) = of.took;
                (seconds / stepping(steps, wet, cells)).clamp(SLOWER.0, SLOWER.1 * tables)
            });
            let time = slower * stepping(steps, steps * wet, cells) + other;
            (RANGE.0 * time, RANGE.1 * time)
        });
        let steps = expected.map(|(steps, _)| match rehearsed {
            Some(_) => ((RANGE.0 * steps).ceil() as u64, (RANGE.1 * steps).ceil() as u64),
            None => (steps as u64, steps as u64),
        });
        // A series that is also written as one file counts twice.
        let pixels = pixels * (maps + stacked(scenario, options)) as f64;
        // The ground of the fine pixels is on disk during the run.
        let ground = scenario.facts.fine.as_ref().filter(|_| scenario.facts.draws_fine);
        let ground = ground.map_or(0.0, |fine| 4.0 * fine.grid.cells() as f64);
        let checkpoints = checkpoint.map_or(0.0, |bytes| 2.0 * bytes as f64);
        let disk = |of: f64, beside: f64| of * pixels + ground + MAP * maps as f64 + beside;
        RunEstimate {
            steps_range: steps,
            wall_range_s: wall,
            maps,
            disk_range_bytes: (disk(ON_DISK.0, BESIDE.0), disk(ON_DISK.1, BESIDE.1) + checkpoints),
        }
    }

    /// Prints the estimate, with the free space of the disk of `out`.
    pub fn print(&self, out: &Path) {
        if let Some((few, many)) = self.steps_range.filter(|(few, many)| few < many) {
            let [few, many] = [few, many].map(|steps| show_count(rounded(steps as f64)));
            outln!("steps       about {few} to {many}, by a rehearsal on coarser cells");
        }
        if let Some((low, high)) = self.wall_range_s {
            let [low, high] = [low, high].map(show_left);
            match low == high {
                true => outln!("run time    about {low} on this machine"),
                false => outln!("run time    about {low} to {high} on this machine"),
            }
        }
        let (low, high) = self.disk_range_bytes;
        let maps = crate::words::counted(self.maps, "map", "maps");
        let [from, to] = [low, high].map(|bytes| show_bytes(rounded(bytes) as u64));
        let free =
            free(out).map_or(String::new(), |free| format!("; {} are free", show_bytes(free)));
        outln!("disk        {maps}, about {from} to {to} in all{free}");
    }

    /// Returns a warning if the disk is likely too small.
    pub fn warning(&self, out: &Path) -> Option<String> {
        let (low, high) = self.disk_range_bytes;
        let free = free(out)? as f64;
        (free < 0.5 * (low + high)).then(|| {
            format!(
                "out: the results may need {}, but only {} are free there",
                show_bytes(high as u64),
                show_bytes(free as u64)
            )
        })
    }
}

/// Rounds to two digits, which is enough for an estimate.
fn rounded(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(1.0).log10().floor() - 1.0);
    if value < 10.0 { value.round() } else { (value / unit).round() * unit }
}

/// Estimates the mean number of wet cells of an automaton's run: between the likely minimum and
/// maximum.
fn wet(scenario: &Scenario) -> f64 {
    let Scenario { problem, facts, clock, .. } = scenario;
    let domain = facts.domain_cells as f64;
    if problem.forcing.covers_every_cell() || !problem.forcing.top_up.is_empty() {
        return domain;
    }
    let begin = problem.initial.iter().filter(|&&grains| grains > 0).count() as f64;
    let initial: i64 = problem.initial.iter().map(|&grains| i64::from(grains)).sum();
    let initial = initial as f64 * f64::from(problem.grain.metres());
    let comes: f64 = problem
        .forcing
        .rates
        .iter()
        .filter(|rate| rate.account == Account::Inflow)
        .map(|rate| rate.total(facts.domain_cells, clock.end()))
        .sum();
    let (thin, thick) = SPREAD;
    let most = ((initial + comes) / thin + begin).min(domain);
    let least = (0.3 * (initial + comes) / thick).clamp(1.0, most.max(1.0));
    (least * most.max(1.0)).sqrt()
}

/// Counts the maps that a run writes.
fn maps(scenario: &Scenario) -> usize {
    let layers = &scenario.facts.layers;
    layers.layers.len() + layers.arrivals.len() + on_the_way(scenario)
}

/// Counts the maps that are also written in one file.
fn stacked(scenario: &Scenario, options: &Options) -> usize {
    match options.series.unwrap_or_default() {
        StackFormat::Tif => 0,
        _ => on_the_way(scenario),
    }
}

/// Counts the maps in the series.
fn on_the_way(scenario: &Scenario) -> usize {
    let facts = &scenario.facts;
    let series = facts.layers.layers.iter().filter(|layer| layer.scope == TimeScope::Now).count();
    let times = facts.output_every.map_or(0.0, |every| time::times(every, &scenario.clock));
    series * times as usize
}

/// Returns the free space of the disk of a folder, which need not exist yet (bytes).
#[cfg(unix)]
// These numbers have other types on other systems.
#[allow(clippy::unnecessary_cast)]
fn free(out: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let there = out.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    let name = std::ffi::CString::new(there.as_os_str().as_bytes()).ok()?;
    // SAFETY: `statvfs` consists of numbers, for which zero is valid, and the path is
    // null-terminated.
    let (found, disk) = unsafe {
        let mut disk: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(name.as_ptr(), &raw mut disk) == 0, disk)
    };
    found.then(|| disk.f_bavail as u64 * disk.f_frsize as u64)
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}
