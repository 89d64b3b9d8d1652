//! Speed of a processor: synthetic maps, the processors to measure, and a brief measurement.

pub mod gpu;
pub mod map;
pub mod target;

use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::simulation::Simulation;
use crate::engine::solver::AnySolver;
use crate::error::Result;
use map::BenchMap;
use std::time::Instant;
use target::BenchTarget;

/// Rough model of the time per step: a fixed part and a part per wet cell.
#[derive(Clone, Copy, Debug)]
pub struct SpeedEstimate {
    /// Duration of a step with few wet cells (s).
    pub seconds_per_step: f64,
    /// Throughput with every cell wet (cell-steps/s).
    pub cell_steps_per_s: f64,
}

/// Briefly benchmarks a solver for a grid of `cells` cells.
pub fn quick(
    target: &BenchTarget,
    solver: AnySolver,
    neighbourhood: Neighbourhood,
    cells: usize,
) -> Result<SpeedEstimate> {
    // Enough cells to keep the processor busy (on a CPU no more than the grid has), and a map with
    // few.
    let side = cells.isqrt().clamp(256, 1024);
    let large = if matches!(target, BenchTarget::Cpu(_)) {
        (side, 6 * 1024 / side as u64)
    } else {
        (4096, 64)
    };
    let few = (64, 64);
    let time = |(size, steps): (usize, u64)| -> Result<f64> {
        let problem = BenchMap::Wet.problem(size, solver, neighbourhood);
        let mut simulation = target.start(problem)?.simulation;
        // The first steps are slower.
        time_of(&mut simulation, steps)?;
        Ok(time_of(&mut simulation, steps)? / steps as f64)
    };
    let (all, step) = (time(large)?, time(few)?);
    let cell_steps_per_s = (large.0 * large.0) as f64 / all;
    let seconds_per_step = (step - (few.0 * few.0) as f64 / cell_steps_per_s).max(0.0);
    Ok(SpeedEstimate { seconds_per_step, cell_steps_per_s })
}

/// Returns the time that a number of steps take together (s).
fn time_of(simulation: &mut Simulation, steps: u64) -> Result<f64> {
    let start = Instant::now();
    simulation.advance(steps)?;
    Ok(start.elapsed().as_secs_f64())
}
