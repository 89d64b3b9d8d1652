//! Starts a run: reads and checks the scenario, sets up its state on the processor, and prepares
//! its folder.

use super::changeable::Changeable;
use super::header::Header;
use super::keeper::Keeper;
use super::observers::Observers;
use super::outputs::Outputs;
use super::processor::TakenProcessor;
use super::released::InitiallyWet;
use super::resume::Checkpoint;
use super::sewers::SewerProblem;
use super::{Run, out_folder};
use crate::engine::backend::{EdgeAt, Problem};
use crate::engine::cadence::Cadence;
use crate::engine::forcing::sites::SiteKind;
use crate::engine::simulation::Simulation;
use crate::error::Result;
use crate::observer::interrupt::{self, Phase, enter};
use crate::output::checkpoint::store::{self, Store};
use crate::output::folder::{self, OutputFolder, RUN};
use crate::output::layers::fine::DividedSides;
use crate::output::layers::{Domain, Maps};
use crate::output::small::Small;
use crate::output::timings::{Waits, WallParts};
use crate::scenario::options::{Options, OutputSurface};
use crate::scenario::{self, Facts, Scenario};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Parameters with which a run begins.
pub struct StartParameters {
    /// Command line, for the report.
    pub command: Vec<String>,
    /// Time at which the command began.
    pub began: Instant,
    /// Stops the run after the current step once it returns true.
    pub stop: Box<dyn Fn() -> bool + Send>,
    /// Checkpoint from which the run is resumed.
    pub from: Option<Checkpoint>,
    /// Allows changes to the state and the forcing during the run, and reading of discharges and
    /// velocities: the problem is kept beside the state.
    pub changes: bool,
}

impl Run {
    /// Reads and checks the options, and starts the run; `warn` receives warnings and notes as soon
    /// as the input is read.
    ///
    /// # Errors
    /// If the input is wrong, or if the device or the output folder is unavailable; nothing is
    /// written then.
    pub fn start(
        options: &Options,
        beginning: StartParameters,
        mut warn: impl FnMut(&Scenario) + Send,
    ) -> Result<Run> {
        enter(Phase::Reading);
        let StartParameters { command, began, stop, mut from, changes } = beginning;
        let out = out_folder(options);
        let Input { scenario, outputs, earlier, taken, started_s } =
            Input::read(options, &out, from.as_ref(), changes, began)?;
        warn(&scenario);
        let maps = Arc::new(maps(&scenario)?);
        let Scenario { problem, mut clock, facts, start: state } = scenario;
        let bed = match &maps.fine {
            Some(ground) => Small::of_ground(ground)?,
            None => Small::of_bed(&problem.grid, &problem.bed),
        };
        let standing = InitiallyWet::of(&problem.initial, &SiteKind::Sink.cells(&problem.forcing));
        let header = header_of(options, &command, &facts, &problem, from.as_ref())?;
        let at_end = header.clone().filter(|_| options.keep_state);
        let at_end = at_end.map(|header| header.at_the_end(&problem));
        let sewers = facts.sewers.clone().map(|plan| (SewerProblem::of(&problem, &plan), plan));
        let changeable = changes.then(|| Changeable::new(&problem, taken.again()));
        let backend = match (&mut from, state) {
            (None, None) => taken.start(problem, None)?,
            (None, Some(state)) => {
                state.begin(problem, |problem, state| taken.start(problem, Some(state)))?
            }
            (Some(from), _) => from.start(taken, problem, &mut clock)?,
        };
        let mut simulation = Simulation::new(backend, clock);
        // Everything created from here on is cleaned up when stepping ends.
        enter(Phase::Stepping);
        let (folder, store) = match from {
            None => open_folder(&out, options, &outputs, &facts)?,
            Some(Checkpoint { header, store, .. }) => {
                (reopen_folder(&out, earlier, header.published)?, store)
            }
        };
        let (folder, store) = (Arc::new(folder), Arc::new(store));
        interrupt::makes_ready_in(&out, &folder.staged(""));
        let resumed_at_steps = header.as_ref().map_or(Vec::new(), |h| h.resumed_at_steps.clone());
        let mut spent = header.as_ref().map_or(WallParts::default(), |header| header.spent);
        spent.start += started_s;
        spent.read += began.elapsed().as_secs_f64() - started_s;
        let waits = Waits::default();
        let mut observers =
            Observers::start(options, &facts, &maps, &folder, &simulation, &waits, sewers)?;
        let mut cadence = Cadence::default().stopped_by(stop);
        let header = header.filter(|_| facts.checkpoint_every.is_some());
        let mut keeper = header.map(|header| {
            let header = Header { spent, ..header };
            Keeper::new(store.clone(), header, folder.clone(), &waits)
        });
        if let Some(keeper) = &mut keeper {
            let restored = keeper.restore(&mut observers.all(), &simulation.clock);
            restored.map_err(|error| store.advise(error))?;
            cadence = cadence.saving_every(checkpoint_interval(&facts));
        }
        if let Some(sewers) = &observers.sewers {
            sewers.apply(&mut *simulation.backend)?;
        }
        Ok(Run {
            observers,
            keeper,
            simulation: Some(simulation),
            cadence,
            options: options.clone(),
            command,
            out,
            facts,
            maps,
            bed,
            standing,
            at_end,
            compression: options.compress.unwrap_or_default(),
            waits,
            spent,
            stepped: Duration::ZERO,
            resumed_at_steps,
            changeable,
            folder,
            store,
        })
    }
}

/// Validated input of a run, and the processor for it.
struct Input {
    scenario: Scenario,
    outputs: Outputs,
    /// Files that the run may replace.
    earlier: Vec<PathBuf>,
    taken: TakenProcessor,
    /// Wall-clock time from the start of the command to the start of reading (s).
    started_s: f64,
}

impl Input {
    /// Reads and checks the input while the processor is opened.
    fn read(
        options: &Options,
        out: &Path,
        from: Option<&Checkpoint>,
        changes: bool,
        began: Instant,
    ) -> Result<Input> {
        let earlier = earlier_results(options, from).map_err(|error| match from {
            None => scenario::wrong_input_or(error, options),
            Some(_) => error,
        })?;
        let mut processor = TakenProcessor::soon(options)?;
        let started_s = began.elapsed().as_secs_f64();
        let scenario = scenario::build(options);
        // Report an unavailable device first.
        let taken = processor.wait()?;
        let mut scenario = scenario?;
        let outputs = Outputs::of(options, &scenario.facts);
        outputs.check(out, &earlier, &scenario.facts)?;
        scenario.facts.warnings.extend_from_slice(&taken.warnings);
        scenario.problem.keeps_discharge |= changes;
        if let Some(from) = from {
            from.check_scenario(&scenario.problem, &scenario.facts, &scenario.clock)?;
            scenario.facts.warnings.extend_from_slice(&from.warnings);
        }
        Ok(Input { scenario, outputs, earlier, taken, started_s })
    }
}

/// Returns the header of the run's checkpoints and final state, if it writes any.
fn header_of(
    options: &Options,
    command: &[String],
    facts: &Facts,
    problem: &Problem,
    from: Option<&Checkpoint>,
) -> Result<Option<Header>> {
    match from {
        Some(from) => Ok(Some(from.header.goes_on())),
        None if facts.checkpoint_every.is_some() || options.keep_state => {
            Header::new(options, command, facts, problem).map(Some)
        }
        None => Ok(None),
    }
}

/// Locks and prepares the folder of a new run.
///
/// # Errors
/// If another run is using it, or if it holds files that the run may not replace.
fn open_folder(
    out: &Path,
    options: &Options,
    outputs: &Outputs,
    facts: &Facts,
) -> Result<(OutputFolder, Store)> {
    // Take the lock first, so that what is checked under it cannot change.
    let store = Store::open(out)?;
    let folder = OutputFolder::prepare(out, &RUN, options.overwrite)?;
    let ours: Vec<PathBuf> = folder.earlier().iter().map(|name| out.join(name)).collect();
    outputs.check(out, &ours, facts)?;
    store.discard();
    Ok((folder, store))
}

/// Prepares the folder of a resumed run, which had published some files. Files made after the
/// checkpoint are made again.
fn reopen_folder(
    out: &Path,
    earlier: Vec<PathBuf>,
    published: Vec<String>,
) -> Result<OutputFolder> {
    let is_published = |file: &PathBuf| {
        published.iter().any(|name| file.file_name().is_some_and(|own| own == &name[..]))
    };
    let earlier = earlier.into_iter().filter(|file| !is_published(file)).collect();
    OutputFolder::reopen(out, earlier, published)
}

/// Returns the interval between checkpoints.
fn checkpoint_interval(facts: &Facts) -> Duration {
    let every = facts.checkpoint_every.unwrap_or_default();
    Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX)
}

/// Returns the files that a run may replace: those of an earlier run, and its own so far.
///
/// # Errors
/// If it may not replace them, or must not be resumed.
fn earlier_results(options: &Options, from: Option<&Checkpoint>) -> Result<Vec<PathBuf>> {
    let out = out_folder(options);
    let Some(from) = from else {
        let earlier = folder::check(&out, &RUN, options.overwrite)?;
        store::check_free(&out)?;
        return Ok(earlier);
    };
    let made = folder::find_earlier_results(&out, &RUN, true)?;
    from.check_inputs()?;
    let known = from.header.earlier.iter().chain(&from.header.published);
    Ok(known.map(|name| out.join(name)).chain(made).collect())
}

/// Returns the data needed to read the maps of a run.
fn maps(scenario: &Scenario) -> Result<Maps> {
    let Scenario { problem, facts, .. } = scenario;
    let keeps_bed = facts.layers.needs_bed() || facts.points.is_some();
    Ok(Maps {
        grid: facts.grid.clone(),
        domain: Domain::of(&problem.grid, &problem.bed),
        grain: facts.flow.grain,
        bed: keeps_bed.then(|| problem.bed.clone()),
        tables: problem.subgrid.clone(),
        fine: facts.fine.clone().filter(|_| facts.draws_fine),
        divided: (facts.surface == OutputSurface::Sloping).then(|| divided(facts)),
        cell_diagnostics: problem.cell_diagnostics.clone(),
        arrival: problem.arrival,
        hazard: scenario::maps::grains("hazard_depth", facts.hazard_depth, facts.flow.grain)?,
    })
}

/// Returns the sides of cells with structures, across which the water surface does not slope.
fn divided(facts: &Facts) -> DividedSides {
    let sections = facts.watched.sections.iter();
    let lines = sections.filter(|section| facts.structure(&section.name).is_some());
    let edges = lines.flat_map(|section| section.stairs.iter().map(|(edge, _)| *edge));
    let side = |edge: EdgeAt| {
        let columns = facts.grid.columns;
        let before = match edge.axis {
            0 => edge.line * columns + edge.place.checked_sub(1)?,
            _ => edge.line.checked_sub(1)? * columns + edge.place,
        };
        Some((edge.axis, before))
    };
    edges.filter_map(side).collect()
}
