//! What a run would take: steps, time by the clock on the wall, and room on the disk. All of them are ranges, for how
//! deep, how fast and how far water runs is what the run is to find out.

use crate::bench;
use crate::engine::backend::Problem;
use crate::engine::clock::Beat;
use crate::engine::forcing::{Account, Footprint};
use crate::engine::grid::Bed;
use crate::layers::Tells;
use crate::observer::left::show_left;
use crate::scenario::{Scenario, time};
use crate::units::{show_bytes, show_count};
use serde::Serialize;
use std::path::Path;

/// Acceleration of gravity (m/s²).
const GRAVITY: f64 = 9.81;

/// The depth of water that holds steps the least (m): thinner films run slowly.
const SHALLOW: f64 = 0.05;

/// The mean depth of water that has spread (m), the least and the most.
const SPREAD: (f64, f64) = (0.1, 2.0);

/// Rain gathers: in valleys it stands so many times as deep as it fell.
const GATHERS: f64 = 20.0;

/// Deeper than this is not guessed (m).
const DEEPEST: f64 = 30.0;

/// Width of a stream over the root of its discharge (s^½/m^½): Lacey (1930); slope (-) and Manning's n of a plain river.
const RIVER: (f64, f64, f64) = (4.8, 1e-3, 0.05);

/// How much faster or slower than the trial a machine may be: small grids fit into its caches, large ones do not.
const MACHINE: (f64, f64) = (0.4, 2.5);

/// Cells read, shaded or written by a thread a second: everything but steps.
const OTHER_CELLS: f64 = 1.5e7;

/// A cell on the disk (bytes), compressed: the least, where nearly all is dry, and the most, with overviews.
const ON_DISK: (f64, f64) = (0.005, 5.5);

/// What a map takes at the least, and what is written beside the maps (bytes).
const MAP: f64 = 3e3;
const BESIDE: (f64, f64) = (5e4, 6e6);

/// What a run takes; each range is the least and the most that is likely.
#[derive(Debug, Serialize)]
pub struct Takes {
    /// Steps.
    steps_range: (u64, u64),
    /// Time by the clock on the wall (s); none for a GPU, which is not tried.
    wall_range_s: Option<(f64, f64)>,
    /// Maps that are written.
    maps: usize,
    /// Room on the disk (bytes), with checkpoints if they are kept.
    disk_range_bytes: (f64, f64),
}

impl Takes {
    /// What a scenario takes; `speed` is that of the CPU with every cell wet (cell-steps/s), none on a GPU; `checkpoint`
    /// is what one takes (bytes), if they are kept.
    pub fn of(scenario: &Scenario, speed: Option<f64>, checkpoint: Option<u64>) -> Takes {
        let steps = steps(scenario);
        let maps = maps(scenario);
        let grid = &scenario.problem.grid;
        let (low, high) = wet(scenario);
        let other_speed = OTHER_CELLS * rayon::current_num_threads() as f64;
        let other = grid.cells() as f64 * (4.0 + maps as f64) / other_speed;
        // Dry cells are skipped in groups, not for nothing.
        let dry = 0.01 * grid.cells() as f64;
        let wall = |speed: f64| {
            let time = |steps: u64, wet: f64, factor: f64| {
                factor * (steps as f64 * (wet + dry) / speed + other)
            };
            (time(steps.0, low, MACHINE.0), time(steps.1, high, MACHINE.1) + 1.0)
        };
        let cells = grid.cells() as f64 * maps as f64;
        let checkpoints = checkpoint.map_or(0.0, |bytes| 2.0 * bytes as f64);
        let disk = |of: f64, beside: f64| of * cells + MAP * maps as f64 + beside;
        Takes {
            steps_range: steps,
            wall_range_s: speed.map(wall),
            maps,
            disk_range_bytes: (disk(ON_DISK.0, BESIDE.0), disk(ON_DISK.1, BESIDE.1) + checkpoints),
        }
    }

    /// Prints it for people; what is free where it would be written is `out`'s.
    pub fn print(&self, out: &Path) {
        let (few, many) = self.steps_range;
        if few < many {
            let [few, many] = [few, many].map(|steps| show_count(rounded(steps as f64)));
            say!("steps       about {few} to {many}, by the depths to be expected");
        }
        if let Some((low, high)) = self.wall_range_s {
            let [low, high] = [low, high].map(show_left);
            match low == high {
                true => say!("time        about {low} on this machine"),
                false => say!("time        about {low} to {high} on this machine"),
            }
        }
        let (low, high) = self.disk_range_bytes;
        let maps = crate::words::counted(self.maps, "map", "maps");
        let [from, to] = [low, high].map(|bytes| show_bytes(rounded(bytes) as u64));
        let free =
            free(out).map_or(String::new(), |free| format!("; {} are free", show_bytes(free)));
        say!("disk        {maps}, about {from} to {to} in all{free}");
    }

    /// What is to be said if the disk is likely too small.
    pub fn warning(&self, out: &Path) -> Option<String> {
        let (low, high) = self.disk_range_bytes;
        let free = free(out)? as f64;
        (free < 0.5 * (low + high)).then(|| {
            format!(
                "out: the results may take {}, and {} are free there",
                show_bytes(high as u64),
                show_bytes(free as u64)
            )
        })
    }
}

/// Two digits are enough for a guess.
fn rounded(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(1.0).log10().floor() - 1.0);
    if value < 10.0 { value.round() } else { (value / unit).round() * unit }
}

/// The fewest and the most steps.
fn steps(scenario: &Scenario) -> (u64, u64) {
    let (limits, end) = match scenario.clock.beat {
        Beat::Equal { steps, .. } => return (steps, steps),
        Beat::Paced { limits, end, .. } => (limits, end),
    };
    let grid = &scenario.problem.grid;
    let cell = grid.dx.min(grid.dy);
    // A wave runs over a cell in a step: on still water, and on water that is as fast.
    let step = |depth: f64, speed: f64| {
        let wave = (GRAVITY * depth).sqrt();
        (f64::from(limits.safety) * cell / (wave * speed)).min(f64::from(limits.longest))
    };
    let (fewest, most) = (end / step(SHALLOW, 0.5), end / step(deepest(scenario), 6.0));
    // What steps take to grow.
    ((fewest.ceil() as u64).max(1), most.ceil() as u64 + 40)
}

/// The greatest depth to be expected (m).
fn deepest(scenario: &Scenario) -> f64 {
    let Scenario { problem, facts, clock } = scenario;
    let metres = f64::from(problem.grain.metres());
    let initial = problem.initial.iter().copied().max().unwrap_or(0);
    let held = problem.forcing.held.iter().map(|held| {
        let bed = held.cells.iter().map(|&cell| problem.bed.levels[cell]).min().unwrap_or(0);
        held.level.range(clock.end()).1 - f64::from(bed) / Bed::PER_METRE
    });
    let (width, slope, n) = RIVER;
    let flow: f64 = facts.sources.iter().map(|source| source.peak).sum();
    let river = (flow.sqrt() / width * n / slope.sqrt()).powf(0.6);
    let rain: f64 = rain(problem, facts.domain_cells, clock.end()) / facts.domain_cells as f64;
    let all = [f64::from(initial) * metres, 2.0 * river, GATHERS * rain, 0.3];
    held.chain(all).fold(0.0, f64::max).min(DEEPEST)
}

/// The depth of all rain by the end, summed over cells (m).
fn rain(problem: &Problem, domain: usize, end: f64) -> f64 {
    let rates = problem.forcing.rates.iter().filter(|rate| rate.account == Account::Rain);
    rates.map(|rate| rate.total(domain, end)).sum()
}

/// The least and the most cells that are wet in the mean of the run.
fn wet(scenario: &Scenario) -> (f64, f64) {
    let Scenario { problem, facts, clock } = scenario;
    let domain = facts.domain_cells as f64;
    let everywhere = problem.forcing.rates.iter().any(|rate| {
        rate.account == Account::Rain && !matches!(rate.footprint, Footprint::Cells(_))
    });
    if everywhere {
        return (0.5 * domain, domain);
    }
    let begin = problem.initial.iter().filter(|&&grains| grains > 0).count() as f64;
    if !problem.forcing.held.is_empty() {
        // Nobody knows how far a tide reaches.
        return (begin.max(0.02 * domain).min(domain), domain);
    }
    let initial: i64 = problem.initial.iter().map(|&grains| i64::from(grains)).sum();
    let initial = initial as f64 * f64::from(problem.grain.metres());
    let comes: f64 = problem
        .forcing
        .rates
        .iter()
        .filter(|rate| rate.account == Account::Inflow)
        .map(|rate| rate.total(facts.domain_cells, clock.end()))
        .sum();
    let top_up = if problem.forcing.top_up.is_empty() { 0.0 } else { domain };
    let (thin, thick) = SPREAD;
    let most = ((initial + comes) / thin + begin + top_up).min(domain);
    let least = 0.3 * (initial + comes) / thick;
    (least.min(most), most)
}

/// Maps that a run writes.
fn maps(scenario: &Scenario) -> usize {
    let facts = &scenario.facts;
    let finals = facts.layers.layers.len() + facts.layers.arrivals.len();
    let series = facts.layers.layers.iter().filter(|layer| layer.tells == Tells::Now).count();
    let times = facts.output_every.map_or(0.0, |every| time::times(every, &scenario.clock));
    finals + series * times as usize
}

/// Room on the disk that a folder is on, or would be (bytes).
#[cfg(unix)]
// These numbers have other types on other systems.
#[allow(clippy::unnecessary_cast)]
fn free(out: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let there = out.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    let name = std::ffi::CString::new(there.as_os_str().as_bytes()).ok()?;
    // SAFETY: a struct of numbers may be all zeros; the name ends in a zero.
    let (told, known) = unsafe {
        let mut told: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(name.as_ptr(), &raw mut told) == 0, told)
    };
    told.then(|| known.f_bavail as u64 * known.f_frsize as u64)
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

/// The speed of the CPU with every cell wet (cell-steps/s): it is tried for a moment.
pub fn speed(problem: &Problem) -> f64 {
    bench::quick_rate(problem.rule, problem.neighbourhood)
}
