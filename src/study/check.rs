//! Builds the scenario of every run before the first one starts.

use super::resume::{Identity, State, check_own};
use super::{Study, StudyRun, outputs, place};
use crate::engine::backend::cuda::device::choose::choose;
use crate::error::{Error, Result};
use crate::output::format::USUAL;
use crate::output::layers::Layer;
use crate::run::outputs::Outputs;
use crate::run::{check_threads, processor};
use crate::scenario::memory::memory_bytes;
use crate::scenario::{self, options::Device};

/// A run whose scenario was read and is valid.
#[derive(Debug)]
pub struct Checked<'a> {
    /// Run of the study.
    pub run: &'a StudyRun,
    /// Everything that determines its results.
    pub identity: Identity,
    /// Results of an earlier attempt.
    pub state: State,
    /// Metres per height unit of its DEM.
    pub height_unit: f64,
    /// Required host memory, about (bytes).
    pub memory_bytes: usize,
    /// Warnings about its input.
    pub input_warnings: Vec<String>,
    /// Defaults assumed because nothing declares the value.
    pub assumed: Vec<String>,
}

impl Checked<'_> {
    /// Returns `true` if the run is done and has written a layer.
    pub fn wrote(&self, layer: &Layer) -> bool {
        self.state.past().is_some_and(|past| past.outputs.contains(&USUAL.file(layer.key)))
    }

    /// Returns the warnings of its report, or those about its input if it is not done.
    pub fn warnings(&self) -> &[String] {
        self.state.past().map_or(&self.input_warnings, |past| &past.warnings)
    }
}

/// Reads and checks the inputs of some runs. Stops at the first error, which names the run. If
/// `here` is set, also checks that the requested processors are available, which matters only on
/// the machine that executes the runs.
pub fn check<'a>(study: &Study, runs: &[&'a StudyRun], here: bool) -> Result<Vec<Checked<'a>>> {
    let out = &study.out;
    let mut all = Vec::new();
    place::check(out, runs)?;
    outputs::spare_others(study)?;
    let mut known = vec![None, Some(Device::Auto), Some(Device::Cpu)];
    for run in runs {
        let in_run = |error: Error| error.of(format_args!("run {} '{}'", run.index, run.name));
        let earlier = check_own(out, run)
            .map_err(|error| in_run(scenario::wrong_input_or(error, &run.options)))?;
        processor::cuda_options(0, &run.options).map_err(in_run)?;
        check_threads(run.options.threads).map_err(in_run)?;
        if here && !known.contains(&run.options.device) {
            choose(run.options.device.unwrap_or_default()).map_err(in_run)?;
            known.push(run.options.device);
        }
        let built = scenario::build_for_check(&run.options).map_err(in_run)?;
        let outputs = Outputs::of(&run.options, &built.facts);
        outputs.check(&out.join(run.folder()), &earlier, &built.facts).map_err(in_run)?;
        outputs::spare(study, built.facts.input_paths()).map_err(in_run)?;
        let identity = Identity::new(run.options.parameters(), &built.facts.inputs);
        let state = State::of(&out.join(run.folder()), &identity);
        all.push(Checked {
            run,
            identity,
            state,
            height_unit: built.facts.height_unit,
            memory_bytes: memory_bytes(&built.problem),
            input_warnings: built.facts.warnings,
            assumed: built.facts.assumed,
        });
    }
    Ok(all)
}
