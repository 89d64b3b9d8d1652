//! Observations of states between the steps of a GPU, including those that the GPU records by
//! itself.

use super::common::looks;
use super::common::{Case, State};
use inundate_engine::backend::Sample;
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::backend::cuda::open::open;
use inundate_engine::backend::cuda::options::CudaOptions;
use inundate_engine::clock::TimeStepping;
use inundate_engine::error::Error;
use inundate_engine::simulation::Simulation;

/// Number of steps until the last observation, and numbers of observations.
const STEPS: u64 = 90;
const LOOKS: [u32; 2] = [7, 200];

/// Observations of a run, the state after them, and the step in which water got too deep, if any.
pub struct Looked {
    seen: Vec<(f64, Sample, Sample)>,
    told: usize,
    end: Result<State, u64>,
}

fn look(case: &Case, simulation: &mut Simulation, times: (f64, f64)) -> Looked {
    match looks::run(case, simulation, times, true) {
        Ok(looks) => {
            let end = Ok(case.state(simulation));
            Looked { seen: looks.seen, told: looks.told, end }
        }
        Err(_) => Looked { seen: Vec::new(), told: 0, end: Err(simulation.clock.done) },
    }
}

/// Returns the observations on the CPU, where steps stop for every observation, for several
/// intervals: the time of the last observation, and the interval (s). Empty for automata.
pub fn on_the_cpu(case: &Case) -> Vec<((f64, f64), Looked)> {
    let mut simulation = case.start(CpuOptions::default());
    // A case that gets too deep does so during the observations.
    let _ = simulation.advance(STEPS);
    let TimeStepping::Adaptive { control, .. } = simulation.clock.time_stepping else {
        return Vec::new();
    };
    let times = LOOKS.map(|looks| (control.time, control.time / f64::from(looks)));
    times.map(|times| (times, look(case, &mut case.start(CpuOptions::default()), times))).into()
}

/// Compares observations on GPUs with those on the CPU; `alone` is set if the GPUs record samples
/// by themselves.
pub fn compare(
    case: &Case,
    options: &CudaOptions,
    alone: bool,
    expected: &[((f64, f64), Looked)],
) -> Result<(), String> {
    for (times, ours) in expected {
        let failed = |error: Error| error.to_string();
        let backend = open(case.problem(), options).map_err(failed)?;
        let theirs = look(case, &mut case.start_on(backend), *times);
        let every = times.1;
        match (&theirs.end, &ours.end) {
            (Ok(theirs), Ok(ours)) => {
                if let Some(what) = super::difference(theirs, ours, case.columns) {
                    return Err(format!("with looks every {every} s: {what}"));
                }
            }
            (Err(theirs), Err(ours)) if theirs == ours => continue,
            (theirs, ours) => {
                let told = [theirs, ours].map(|end| end.as_ref().err());
                return Err(format!("with looks every {every} s it ended in {told:?}"));
            }
        }
        if theirs.seen.len() != ours.seen.len() {
            let counts = (theirs.seen.len(), ours.seen.len());
            return Err(format!("{} looks every {every} s, not {}", counts.0, counts.1));
        }
        if let Some((theirs, ours)) = theirs.seen.iter().zip(&ours.seen).find(|(a, b)| a != b) {
            return Err(format!("a look every {every} s: {theirs:?}, not {ours:?}"));
        }
        // The first and the last few are not recorded that way.
        if alone && 2 * theirs.told + 4 <= theirs.seen.len() {
            let (told, seen) = (theirs.told, theirs.seen.len());
            return Err(format!("of {seen} looks every {every} s only {told} were samples"));
        }
    }
    Ok(())
}
