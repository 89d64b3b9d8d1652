//! Measures the time per step.

use crate::engine::simulation::Simulation;
use crate::error::Result;
use crate::speed::target::Started;
use std::time::Instant;

/// Number of timed calls, of which the median is taken.
const CALLS: usize = 5;

/// Returns the time per step (s), averaged over about `steps` steps: the backend takes as many as
/// it can without splitting a round of steps.
fn time_of_step(simulation: &mut Simulation, steps: u64) -> Result<f64> {
    let start = Instant::now();
    let taken = simulation.advance_about(steps)?;
    Ok(start.elapsed().as_secs_f64() / taken as f64)
}

/// Takes single steps for `seconds` (s), at least three, and returns their mean duration (s).
pub fn one_by_one(simulation: &mut Simulation, seconds: f64) -> Result<f64> {
    let start = Instant::now();
    let mut steps = 0;
    while steps < 3 || start.elapsed().as_secs_f64() < seconds {
        simulation.advance(1)?;
        steps += 1;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(steps))
}

/// Takes many steps per call, enough for a fifth of `seconds` (s), so that the synchronization at
/// the end of a call is negligible. Returns the median time per step of five calls (s), and the
/// last simulation.
///
/// A simulation that has taken `most` steps is replaced by a fresh one from `start`.
pub fn in_calls(
    start: impl Fn() -> Result<Started>,
    seconds: f64,
    most: u64,
) -> Result<(f64, Started)> {
    let fresh = || -> Result<Started> {
        let mut started = start()?;
        let first = started.simulation.backend.steps_at_once().unwrap_or(1);
        started.simulation.advance(first).map(|()| started)
    };
    let now = fresh()?;
    let turn = now.simulation.backend.steps_at_once().unwrap_or(1);
    let most = most.max(2 * turn);
    let most_per_call = (most - turn) / turn * turn;
    let mut now = Some(now);
    // Measures the time per step.
    let mut call = |steps: u64| -> Result<f64> {
        // Free a used-up simulation before a fresh one is started.
        let kept = now.take().filter(|started| started.simulation.clock.done + steps <= most);
        let mut started = kept.map_or_else(fresh, Ok)?;
        let took = time_of_step(&mut started.simulation, steps)?;
        now = Some(started);
        Ok(took)
    };
    let wanted = seconds / CALLS as f64;
    let mut steps = turn;
    loop {
        let took = call(steps)? * steps as f64;
        if took >= wanted || steps >= most_per_call {
            break;
        }
        let factor = (1.1 * wanted / took).clamp(1.5, 16.0);
        let turns = (steps as f64 * factor / turn as f64).ceil() as u64;
        steps = (turns * turn).min(most_per_call);
    }
    let mut calls = [0.0; CALLS];
    for took in &mut calls {
        *took = call(steps)?;
    }
    let started = now.map_or_else(fresh, Ok)?;
    Ok((median(&mut calls), started))
}

/// Returns the median of the numbers (the lower one of the two in the middle).
///
/// # Panics
/// If `numbers` is empty.
pub fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[(numbers.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backend::cpu::CpuOptions;
    use crate::engine::neighbourhood::Neighbourhood;
    use crate::engine::solver::SOLVERS;
    use crate::speed::map::BenchMap;
    use crate::speed::target::BenchTarget;
    use std::cell::Cell;

    #[test]
    fn a_simulation_that_is_worn_out_gives_way_to_a_fresh_one() {
        let started = Cell::new(0);
        let start = || {
            started.set(started.get() + 1);
            let solver = SOLVERS[0].solver(Neighbourhood::VonNeumann, None);
            let problem = BenchMap::Wet.problem(16, solver, Neighbourhood::VonNeumann);
            BenchTarget::Cpu(CpuOptions::default()).start(problem)
        };
        let (seconds, last) = in_calls(start, 10.0, 20).unwrap();
        assert!(seconds > 0.0);
        assert_eq!(last.simulation.clock.done, 20, "one step, then a call of all that may be");
        assert!(started.get() > CALLS);
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.0);
        assert_eq!(median(&mut [7.0]), 7.0);
    }
}
