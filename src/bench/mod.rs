//! Throughput benchmarks, related to the copy bandwidth measured in the same run.

pub mod copy;
pub mod finer;
pub mod ranks;
pub mod scaling;
pub mod timing;

use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::solver::{AnySolver, SOLVERS, SolverInfo};
use crate::error::Result;
use crate::speed::map::BenchMap;
use crate::speed::target::{BenchTarget, Started};
use serde::Serialize;

/// Returns the bytes that must move per cell and step: bed and water read, water written, and two
/// discharges read and written by solvers that store them.
pub fn bytes_per_cell_step(solver: AnySolver) -> f64 {
    if solver.remembers().is_some() { 28.0 } else { 12.0 }
}

/// Measured throughput of a simulation.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Speed {
    /// Cell-steps per second: cells of the map times steps.
    pub cell_steps_per_s: f64,
    /// Wall-clock seconds per step.
    pub seconds_per_step: f64,
    /// [`bytes_per_cell_step`] divided by the time (GB/s).
    pub effective_gb_per_s: f64,
    /// Effective bandwidth divided by the copy bandwidth.
    pub copy_ratio: f64,
    /// Share of the cells that held water when the measurement ended.
    pub wet_share: f64,
}

/// Measurements of a solver and neighbourhood on a processor.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Name of the solver.
    #[serde(rename = "rule")]
    pub solver: String,
    /// Name of the neighbourhood.
    pub neighbourhood: &'static str,
    /// Display name of the processor.
    pub device: String,
    /// Number of threads, for the CPU.
    pub threads: Option<usize>,
    /// Number of streamed tiles, if the map did not fit into device memory.
    pub tiles: Option<usize>,
    /// Copy bandwidth of the GPU or of as many CPU threads, counting reads and writes (GB/s).
    pub copy_gb_per_s: f64,
    /// Throughput with all cells wet.
    pub wet: Speed,
    /// Throughput with 1 % of the cells wet, in one place.
    pub dry: Speed,
}

/// Measures a solver on square maps of `size`² cells for about `seconds` (s) per map, with subgrid
/// terrain if `finer` is set.
pub fn measure(
    target: &BenchTarget,
    (info, neighbourhood): (&SolverInfo, Neighbourhood),
    finer: bool,
    size: usize,
    seconds: f64,
    copy_gb_per_s: f64,
) -> Result<Measured> {
    let solver = info.solver(neighbourhood, None);
    let cells = (size * size) as f64;
    let on = |map: BenchMap| -> Result<(Speed, Started)> {
        let problem = || {
            let problem = map.problem(size, solver, neighbourhood);
            if finer { map.finer(size, problem) } else { problem }
        };
        let start = || target.start(problem());
        let (seconds_per_step, started) = match target {
            BenchTarget::Cpu(_) => {
                let mut started = start()?;
                started.simulation.advance(2)?;
                (timing::one_by_one(&mut started.simulation, seconds)?, started)
            }
            BenchTarget::Gpu(_) => timing::in_calls(start, seconds, BenchMap::most_steps(size))?,
        };
        let cell_steps_per_s = cells / seconds_per_step;
        let effective_gb_per_s = bytes_per_cell_step(solver) * cell_steps_per_s / 1e9;
        let speed = Speed {
            cell_steps_per_s,
            seconds_per_step,
            effective_gb_per_s,
            copy_ratio: effective_gb_per_s / copy_gb_per_s,
            wet_share: started.simulation.backend.wet_cells() as f64 / cells,
        };
        Ok((speed, started))
    };
    let (wet, started) = on(BenchMap::Wet)?;
    let device = started.simulation.backend.describe();
    let tiles = started.tiles;
    // Free its memory before the next map is allocated.
    drop(started);
    let (dry, _) = on(BenchMap::Dry)?;
    Ok(Measured {
        solver: info.label() + if finer { ", tables" } else { "" },
        neighbourhood: neighbourhood.name(),
        device,
        threads: matches!(target, BenchTarget::Cpu(_)).then(rayon::current_num_threads),
        tiles,
        copy_gb_per_s,
        wet,
        dry,
    })
}

/// Returns the terrains on which a solver is measured: without subgrid tables (`false`) and, if it
/// supports them, with tables.
pub fn grounds(info: &SolverInfo) -> &'static [bool] {
    if info.knows_tables() { &[false, true] } else { &[false] }
}

/// Returns all registered solvers with all neighbourhoods, or only the selected ones.
pub fn cases(
    solver: Option<&str>,
    neighbourhood: Option<Neighbourhood>,
) -> Vec<(&'static SolverInfo, Neighbourhood)> {
    SOLVERS
        .iter()
        .flat_map(|info| info.neighbourhoods().iter().map(|neighbourhood| (*info, *neighbourhood)))
        .filter(|(info, _)| solver.is_none_or(|solver| solver == info.name))
        .filter(|(_, near)| neighbourhood.is_none_or(|neighbourhood| neighbourhood == *near))
        .collect()
}
