//! Throughput, measured as a ratio to the machine's own copy bandwidth in the same run.

use crate::backend::Problem;
use crate::backend::cpu::{CpuBackend, CpuOptions};
use crate::boundary::OpenEdges;
use crate::clock::Clock;
use crate::error::Result;
use crate::forcing::Forcing;
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::neighbourhood::Neighbourhood;
use crate::rule::{AnyRule, RULES, RuleInfo};
use crate::simulation::Simulation;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// Bytes that must move per cell and step: bed and water read, water written.
pub const BYTES_PER_CELL_STEP: f64 = 12.0;

/// Share of the cells that are wet on the nearly dry map.
pub const WET_SHARE: f64 = 0.01;

/// A measured speed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Speed {
    /// Cells of the map times steps, per second.
    pub cell_steps_per_s: f64,
    /// Seconds per step.
    pub seconds_per_step: f64,
    /// 12 B per cell-step (GB/s).
    pub effective_gb_per_s: f64,
    /// The same over the copy bandwidth.
    pub copy_ratio: f64,
}

/// What was measured of a rule with a neighbourhood on some threads.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Rule.
    pub rule: &'static str,
    /// Neighbourhood.
    pub neighbourhood: &'static str,
    /// CPU threads.
    pub threads: usize,
    /// Copy bandwidth with as many threads, read and write counted (GB/s).
    pub copy_gb_per_s: f64,
    /// Every cell wet.
    pub wet: Speed,
    /// 1 % of the cells wet, in one place.
    pub dry: Speed,
}

/// Copies a large array on rayon's current threads (GB/s, bytes read plus bytes written).
pub fn copy_bandwidth() -> f64 {
    let cells = 64 << 20;
    let from: Vec<i32> = (0..cells).into_par_iter().map(|i| i as i32).collect();
    let mut to = vec![0i32; cells];
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let pieces = to.par_chunks_mut(1 << 16).zip(from.par_chunks(1 << 16));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        best = best.min(start.elapsed().as_secs_f64());
    }
    assert_eq!(to.last(), from.last());
    2.0 * (cells * 4) as f64 / best / 1e9
}

/// Measures a rule on a square map of `size`² cells for about `seconds` per map.
pub fn measure(
    info: &RuleInfo,
    neighbourhood: Neighbourhood,
    size: usize,
    seconds: f64,
    copy_gb_per_s: f64,
) -> Result<Measured> {
    let rule = (info.with_alpha)((info.default_alpha)(neighbourhood));
    let time = |wet_share: f64| -> Result<Speed> {
        let mut simulation = simulation(rule, neighbourhood, size, wet_share);
        simulation.advance(2)?;
        let start = Instant::now();
        let mut steps = 0u64;
        while steps < 3 || start.elapsed().as_secs_f64() < seconds {
            simulation.advance(1)?;
            steps += 1;
        }
        let seconds_per_step = start.elapsed().as_secs_f64() / steps as f64;
        let cell_steps_per_s = (size * size) as f64 / seconds_per_step;
        let effective_gb_per_s = BYTES_PER_CELL_STEP * cell_steps_per_s / 1e9;
        Ok(Speed {
            cell_steps_per_s,
            seconds_per_step,
            effective_gb_per_s,
            copy_ratio: effective_gb_per_s / copy_gb_per_s,
        })
    };
    Ok(Measured {
        rule: info.name,
        neighbourhood: neighbourhood.name(),
        threads: rayon::current_num_threads(),
        copy_gb_per_s,
        wet: time(1.0)?,
        dry: time(WET_SHARE)?,
    })
}

/// Every registered rule with every neighbourhood, or only those named.
pub fn cases(
    rule: Option<&str>,
    neighbourhood: Option<Neighbourhood>,
) -> Vec<(&'static RuleInfo, Neighbourhood)> {
    RULES
        .iter()
        .flat_map(|info| Neighbourhood::ALL.map(|neighbourhood| (*info, neighbourhood)))
        .filter(|(info, _)| rule.is_none_or(|rule| rule == info.name))
        .filter(|(_, near)| neighbourhood.is_none_or(|neighbourhood| neighbourhood == *near))
        .collect()
}

/// A rough speed of a rule on rayon's current threads, every cell wet (cell-steps/s).
pub fn quick_rate(rule: AnyRule, neighbourhood: Neighbourhood) -> f64 {
    let size = 1024;
    let mut simulation = simulation(rule, neighbourhood, size, 1.0);
    let steps = 6;
    let mut seconds = f64::INFINITY;
    for _ in 0..2 {
        let start = Instant::now();
        if simulation.advance(steps).is_err() {
            break;
        }
        seconds = start.elapsed().as_secs_f64();
    }
    (size * size) as f64 * steps as f64 / seconds
}

/// A rough slope under 0.2 to 0.3 m of water, or with water only in a basin in the middle.
fn simulation(
    rule: AnyRule,
    neighbourhood: Neighbourhood,
    size: usize,
    wet_share: f64,
) -> Simulation {
    let grid = Grid::plain(size, size, 10.0);
    let grain = Grain::Fine;
    // A fixed pseudorandom roughness in 0..1 per cell (Knuth's multiplicative hash).
    let rough =
        |cell: usize| f64::from((cell as u32).wrapping_mul(2_654_435_761) >> 8) / 16_777_216.0;
    let half = (size as f64 * wet_share.sqrt() / 2.0).max(1.0);
    let in_basin = |cell: usize| {
        let middle = (size / 2) as f64;
        let (x, y) = ((cell % size) as f64 - middle, (cell / size) as f64 - middle);
        wet_share >= 1.0 || (x.abs() < half && y.abs() < half)
    };
    let level = |cell: usize| {
        let basin = if wet_share < 1.0 && in_basin(cell) { -10.0 } else { 0.0 };
        0.002 * (cell / size) as f64 + 0.1 * rough(cell) + basin
    };
    let water = |cell: usize| if in_basin(cell) { 0.2 + 0.1 * rough(cell + 1) } else { 0.0 };
    let bed = Bed::from_metres((0..size * size).map(level));
    let initial = (0..size * size).map(|cell| grain.from_depth(water(cell)).unwrap_or(0)).collect();
    let problem = Problem {
        grid,
        bed,
        initial,
        rule,
        neighbourhood,
        open: OpenEdges::CLOSED,
        forcing: Forcing::default(),
        grain,
        arrival: grain.from_depth(0.05).unwrap_or(0),
    };
    let backend = CpuBackend::new(problem, CpuOptions::default());
    Simulation {
        backend: Box::new(backend),
        clock: Clock::steps(u64::MAX),
        series: Vec::new(),
        grain,
    }
}
