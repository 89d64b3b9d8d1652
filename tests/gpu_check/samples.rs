//! Checks samples of states between the steps of a GPU, including those that the GPU takes itself.

use super::common::sampling;
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
const SAMPLES: [u32; 2] = [7, 200];

/// Observations of a run, the state after them, and the step in which water got too deep, if any.
pub struct Observed {
    samples: Vec<(f64, Sample, Sample)>,
    /// Number of samples taken by the device itself.
    by_device: usize,
    end: Result<State, u64>,
}

fn observe(case: &Case, simulation: &mut Simulation, times: (f64, f64)) -> Observed {
    match sampling::run(case, simulation, times, true) {
        Ok(recorder) => {
            let end = Ok(case.state(simulation));
            Observed { samples: recorder.seen, by_device: recorder.from_device, end }
        }
        Err(_) => Observed { samples: Vec::new(), by_device: 0, end: Err(simulation.clock.done) },
    }
}

/// Returns the observations on the CPU, where steps stop for every observation, for several
/// intervals: the time of the last observation, and the interval (s). Empty for automata.
pub fn on_the_cpu(case: &Case) -> Vec<((f64, f64), Observed)> {
    let mut simulation = case.start(CpuOptions::default());
    // A case that gets too deep does so during the observations.
    let _ = simulation.advance(STEPS);
    let TimeStepping::Adaptive { control, .. } = simulation.clock.time_stepping else {
        return Vec::new();
    };
    let times = SAMPLES.map(|count| (control.time, control.time / f64::from(count)));
    times.map(|times| (times, observe(case, &mut case.start(CpuOptions::default()), times))).into()
}

/// Compares observations on GPUs with those on the CPU; `alone` is set if the GPUs record samples
/// by themselves.
pub fn compare(
    case: &Case,
    options: &CudaOptions,
    alone: bool,
    expected: &[((f64, f64), Observed)],
) -> Result<(), String> {
    for (times, ours) in expected {
        let failed = |error: Error| error.to_string();
        let backend = open(case.problem(), options).map_err(failed)?;
        let theirs = observe(case, &mut case.start_on(backend), *times);
        let every = times.1;
        match (&theirs.end, &ours.end) {
            (Ok(theirs), Ok(ours)) => {
                if let Some(what) = super::difference(theirs, ours, case.columns) {
                    return Err(format!("with samples every {every} s: {what}"));
                }
            }
            (Err(theirs), Err(ours)) if theirs == ours => continue,
            (theirs, ours) => {
                let ends = [theirs, ours].map(|end| end.as_ref().err());
                return Err(format!("with samples every {every} s it ended in {ends:?}"));
            }
        }
        if theirs.samples.len() != ours.samples.len() {
            let counts = (theirs.samples.len(), ours.samples.len());
            return Err(format!("{} samples every {every} s, not {}", counts.0, counts.1));
        }
        if let Some((theirs, ours)) = theirs.samples.iter().zip(&ours.samples).find(|(a, b)| a != b)
        {
            return Err(format!("a sample every {every} s: {theirs:?}, not {ours:?}"));
        }
        // The first and the last few are not recorded that way.
        if alone && 2 * theirs.by_device + 4 <= theirs.samples.len() {
            let (by_device, all) = (theirs.by_device, theirs.samples.len());
            return Err(format!("the GPU took only {by_device} of {all} samples every {every} s"));
        }
    }
    Ok(())
}
