//! A whole run in three parts: [start](Run::start), [step](Run::step) and [finish](Run::finish).

mod breach_starts;
mod changeable;
mod changes;
mod closed_side;
mod finish;
pub mod header;
mod header_checks;
pub mod keeper;
pub mod model;
mod observers;
pub mod outputs;
pub mod processor;
pub mod quantities;
mod released;
mod replaced_forcing;
pub mod resume;
mod sewers;
mod start;
mod summary;
mod values;

pub use start::StartParameters;

use self::changeable::Changeable;
use self::header::Header;
use self::keeper::Keeper;
use self::observers::Observers;
use self::resume::Checkpoint;
use crate::engine::cadence::{Cadence, Decision, Leg};
use crate::engine::clock::Clock;
use crate::engine::ledger::Volumes;
use crate::engine::simulation::Simulation;
use crate::error::{Error, Result};
use crate::input::gdal_access::remote;
use crate::input::raster;
use crate::machine::host_memory;
use crate::machine::threads::Threads;
use crate::observer::interrupt::{self, Phase, enter};
use crate::output::checkpoint::store::Store;
use crate::output::compression::Compression;
use crate::output::folder::OutputFolder;
use crate::output::layers::Maps;
use crate::output::small::Small;
use crate::output::timings::{self, Waits, WallParts};
use crate::results::report::Report;
use crate::scenario::options::{DEFAULT_OUT, Options};
use crate::scenario::{Facts, Scenario};
use finish::End;
use released::InitiallyWet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Upper limit on the number of threads; a mistyped larger number would exhaust the memory.
const MOST_THREADS: usize = 1024;

/// Minimum number of cells per thread: with fewer, synchronization takes longer than the
/// computation.
const CELLS_PER_THREAD: usize = 1024;

/// A run that has finished.
#[derive(Debug)]
pub struct Finished {
    /// Report, as in `run.json`.
    pub report: Report,
    /// Folder with its results.
    pub out: PathBuf,
    /// Warnings of the report that arose only during the run.
    pub late_warnings: Vec<String>,
}

/// Runs the options to the end. `command` is the command line, for the report; `stop` ends the run
/// after the current step; `warn` receives warnings and notes as soon as the input is read.
pub fn run(
    options: &Options,
    command: Vec<String>,
    stop: &'static AtomicBool,
    warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    to_the_end(options, command, None, stop, warn)
}

/// Resumes a run from a checkpoint. The options may differ where that does not affect results;
/// `stop` and `warn` are as for [`run`].
pub fn resume(
    checkpoint: Checkpoint,
    options: &Options,
    stop: &'static AtomicBool,
    warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    let command = checkpoint.header.command.clone();
    to_the_end(options, command, Some(checkpoint), stop, warn)
}

/// Takes a run from its beginning, or from a checkpoint, to its end.
fn to_the_end(
    options: &Options,
    command: Vec<String>,
    from: Option<Checkpoint>,
    stop: &'static AtomicBool,
    warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    let (began, stop) = (timings::began(), Box::new(|| stop.load(Ordering::Relaxed)));
    let beginning = StartParameters { command, began, stop, from, changes: false };
    with_threads(threads_for(options), || {
        let mut run = Run::start(options, beginning, warn)?;
        run.step(Leg::WHOLE)?;
        run.finish()
    })
}

/// A run in progress, between two steps. All its methods must be called on the threads of one pool
/// ([`Threads::install`]).
pub struct Run {
    // In drop order: background writers before the folder, and the lock last.
    observers: Observers,
    keeper: Option<Keeper>,
    /// `None` only while it is being replaced.
    simulation: Option<Simulation>,
    cadence: Cadence<'static>,
    options: Options,
    command: Vec<String>,
    out: PathBuf,
    facts: Facts,
    maps: Arc<Maps>,
    /// Picture of the bed, for the page.
    bed: Small,
    /// Initial water, if any.
    standing: Option<InitiallyWet>,
    /// Header of the final state, if it is to be written.
    at_end: Option<Header>,
    compression: Compression,
    waits: Waits,
    /// Wall-clock time before stepping, and stepping time.
    spent: WallParts,
    stepped: Duration,
    /// Step counts at which the run was resumed from a checkpoint.
    resumed_at_steps: Vec<u64>,
    /// Data for changing the state and the forcing, if the run was started for that.
    changeable: Option<Changeable>,
    folder: Arc<OutputFolder>,
    store: Arc<Store>,
}

impl Run {
    /// Steps for a leg or to the end, checking for checkpoints and interruption. A run that was
    /// stopped is between two steps as usual, and may continue.
    ///
    /// # Errors
    /// If it is stopped, or if a step, a map or a checkpoint fails; after such a failure it cannot
    /// continue.
    pub fn step(&mut self, leg: Leg) -> Result<()> {
        let last = self.clock()?.done.saturating_add(leg.steps);
        loop {
            let next = self.observers.sewers.as_ref().map_or(f64::INFINITY, |of| of.next_time());
            let clock = self.clock()?;
            let (until, steps) = (leg.until.min(next), last - clock.done);
            if !clock.has_reached(until) {
                self.step_together(Leg { until, steps })?;
            }
            let clock = self.clock()?;
            let is_done = clock.is_over() || clock.has_reached(leg.until) || clock.done >= last;
            if clock.has_reached(next) {
                let began = Instant::now();
                let sewers = self.observers.sewers.as_mut().expect("it has a next time");
                sewers.exchange(self.simulation.as_mut().ok_or_else(lost)?)?;
                self.stepped += began.elapsed();
            }
            if is_done {
                return Ok(());
            }
        }
    }

    /// Steps for a leg without exchange with the sewers.
    fn step_together(&mut self, leg: Leg) -> Result<()> {
        let began = Instant::now();
        let Run { observers, keeper, simulation, cadence, .. } = self;
        let simulation = simulation.as_mut().ok_or_else(lost)?;
        let mut observers = observers.all();
        let ran = simulation.run_by(
            leg,
            cadence,
            &mut observers,
            |decision, clock, backend, seen| match (&mut *keeper, decision) {
                (Some(keeper), decision) => keeper.heed(decision, clock, backend, seen),
                (None, Decision::Stop) => Err(interrupt::stopped(clock)),
                (None, _) => Ok(()),
            },
        );
        // Publish the maps from before the interruption as well.
        let finished = match ran {
            Ok(()) if !simulation.clock.is_over() => Ok(()),
            _ => observers.iter_mut().try_for_each(|observer| observer.finish()),
        };
        self.stepped += began.elapsed();
        ran.and(finished).map_err(|error| self.store.advise(error))
    }

    /// Writes and publishes the remaining results. A run that has not reached its end is ended
    /// here.
    ///
    /// # Errors
    /// If something cannot be written; the results of an earlier run are still there then, unless a
    /// map of a series has replaced them.
    pub fn finish(self) -> Result<Finished> {
        let store = self.store.clone();
        self.write().map_err(|error| store.advise(error))
    }

    fn write(mut self) -> Result<Finished> {
        let began = Instant::now();
        self.report_changes()?;
        let mut simulation = self.simulation.take().ok_or_else(lost)?;
        if !simulation.clock.is_over() {
            let (now, end) = (simulation.clock.now(), simulation.clock.end());
            let [now, end] = [now, end].map(|time| simulation.clock.show(time));
            simulation.end_here(&mut self.observers.all())?;
            self.facts
                .warnings
                .push(format!("the run was ended at {now}, before its end at {end}"));
        }
        self.observers.all().iter_mut().try_for_each(|observer| observer.finish())?;
        let recorded = self.observers.conclude(&simulation)?;
        let sewers = match self.observers.sewers.take() {
            Some(sewers) => {
                let state = sewers.state();
                self.at_end =
                    self.at_end.take().map(|at_end| Header { sewers: Some(state), ..at_end });
                Some(sewers.finish(&*simulation.backend, &simulation.clock)?)
            }
            None => None,
        };
        enter(Phase::Writing);
        let stepped = self.stepped + began.elapsed();
        self.spent.took_steps(stepped.as_secs_f64(), &self.waits);
        self.facts.warnings.extend(self.keeper.take().and_then(|keeper| keeper.warning));
        breach_starts::record_beginnings(&mut self.facts.structures, &simulation)?;
        let end = End { run: &self, simulation: &simulation, recorded, sewers };
        let (report, late_warnings) = end.write()?;
        self.store.discard();
        enter(Phase::Done);
        Ok(Finished { report, out: self.out, late_warnings })
    }

    fn simulation(&self) -> Result<&Simulation> {
        self.simulation.as_ref().ok_or_else(lost)
    }

    /// Returns the present mass balance (m³).
    ///
    /// # Errors
    /// If the state was lost.
    pub fn volumes(&self) -> Result<Volumes> {
        let ledger = self.simulation()?.backend.ledger();
        Ok(ledger.volumes(self.facts.flow.grain, self.facts.grid.cell_area()))
    }

    /// Returns the clock.
    ///
    /// # Errors
    /// If the state was lost.
    pub fn clock(&self) -> Result<&Clock> {
        Ok(&self.simulation()?.clock)
    }
}

/// Returns the error of a run whose state could not be reloaded onto the device after a change.
fn lost() -> Error {
    Error::run("the state of the run was lost when it was changed")
        .hint("start the run again from the beginning")
}

/// Runs a closure on a pool of `threads` threads, or of as many as there are processors.
pub fn with_threads<T: Send>(
    threads: Option<usize>,
    what: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    pool(threads)?.install(what)
}

/// Checks a requested number of threads.
///
/// # Errors
/// If it is 0 or above the maximum.
pub fn check_threads(threads: Option<usize>) -> Result<()> {
    match threads {
        Some(threads) if !(1..=MOST_THREADS).contains(&threads) => {
            Err(Error::input(format!("threads: {threads} is not a valid number of threads"))
                .hint(format!("give 1 to {MOST_THREADS}, or leave it out for all processors")))
        }
        _ => Ok(()),
    }
}

/// Creates a pool of `threads` threads, or of one per processor.
fn pool(threads: Option<usize>) -> Result<Threads> {
    check_threads(threads)?;
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    host_memory::check_address_space(threads.unwrap_or_else(all))?;
    Threads::start(threads.unwrap_or(0))
}

/// Returns the number of threads, reduced so that each has enough work; `None` for the default pool
/// if nothing is requested and there is enough work for all processors.
fn threads_for(options: &Options) -> Option<usize> {
    let requested = options.threads;
    remote::allow(options.allow_remote);
    let Some(cells) = options.dem.as_deref().and_then(raster::cells_of) else { return requested };
    let worth = (cells / CELLS_PER_THREAD).clamp(1, MOST_THREADS);
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    match requested {
        // An invalid number is passed on, to be refused later.
        Some(requested) if !(1..=MOST_THREADS).contains(&requested) => Some(requested),
        Some(requested) => Some(requested.min(worth)),
        None => (worth < all()).then_some(worth),
    }
}

/// Returns the output folder of a run.
pub fn out_folder(options: &Options) -> PathBuf {
    options.out.clone().unwrap_or_else(|| Path::new(DEFAULT_OUT).to_path_buf())
}
