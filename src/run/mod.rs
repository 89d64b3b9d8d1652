//! A whole run: read, step, write.

mod began;
mod finish;
pub mod header;
pub mod keeper;
pub mod processor;
mod released;
pub mod resume;
mod sound;

use self::header::Header;
use self::keeper::Keeper;
use self::resume::Checkpoint;
use crate::engine::cadence::{Cadence, Decision};
use crate::engine::simulation::{Observer, Simulation};
use crate::error::{Error, Result};
use crate::input::{raster, remote};
use crate::machine::threads::Threads;
use crate::observer::greatest::{Greatest, Maxima};
use crate::observer::holds::StepHeld;
use crate::observer::interrupt::{self, Phase, enter};
use crate::observer::progress::Progress;
use crate::observer::series::MapSeries;
use crate::observer::watch::Watch;
use crate::output::checkpoint::store::{self, Store};
use crate::output::compression::Compression;
use crate::output::folder::{self, OutputFolder};
use crate::output::layers::{self, Domain, Maps};
use crate::output::points::Points;
use crate::output::results::{Results, Writing};
use crate::output::small::Small;
use crate::output::tables::Tables;
use crate::output::wall::{self, Waits, WallParts};
use crate::output::watch::Records;
use crate::results::report::Report;
use crate::run::processor::TakenProcessor;
use crate::scenario::flow::FlowFacts;
use crate::scenario::options::{DEFAULT_OUT, Options};
use crate::scenario::{self, Facts, Scenario};
use finish::{Ended, finish};
use released::Standing;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// More threads than any machine has; a typing error beyond it would exhaust the memory.
const MOST_THREADS: usize = 1024;

/// Fewer cells are not worth a thread: waiting for it takes longer than they do.
const CELLS_PER_THREAD: usize = 1024;

/// A finished run.
#[derive(Debug)]
pub struct Finished {
    /// The report, as in `run.json`.
    pub report: Report,
    /// The output folder.
    pub out: PathBuf,
    /// Those of the report's warnings that only the run itself could give.
    pub late_warnings: Vec<String>,
}

/// Runs what the options say. `command` is the command line, for the report; `stop` ends the run at
/// the next step; `warn` is told warnings and notes as soon as the input is read.
pub fn run(
    options: &Options,
    command: Vec<String>,
    stop: &AtomicBool,
    warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    with_threads(threads_for(options), || go(options, command, None, stop, warn))
}

/// Goes on with a run from a checkpoint, whose options may differ in what changes no result; `stop` and `warn`
/// are as for [`run`].
pub fn resume(
    checkpoint: Checkpoint,
    options: &Options,
    stop: &AtomicBool,
    warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    let command = checkpoint.header.command.clone();
    with_threads(threads_for(options), || go(options, command, Some(checkpoint), stop, warn))
}

/// Runs from the start, or from a checkpoint.
fn go(
    options: &Options,
    command: Vec<String>,
    mut from: Option<Checkpoint>,
    stop: &AtomicBool,
    mut warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    enter(Phase::Reading);
    let out = out_folder(options);
    let earlier = match &from {
        None => {
            let earlier = folder::check(&out, &layers::keys(), options.overwrite)?;
            store::check_free(&out)?;
            earlier
        }
        Some(from) => {
            folder::spare_project(&out)?;
            from.check_inputs()?;
            // What it would remove may be no input either.
            from.header.earlier.iter().map(|name| out.join(name)).collect()
        }
    };
    let mut coming = TakenProcessor::soon(options)?;
    let start = wall::began().elapsed().as_secs_f64();
    let read = scenario::build(options);
    // A device that cannot be had is told first, whatever else there is to tell.
    let taken = coming.wait()?;
    let mut scenario = read?;
    spare_inputs(&out, earlier, &scenario.facts)?;
    scenario.facts.warnings.extend_from_slice(&taken.warnings);
    if let Some(from) = &from {
        from.check_scenario(&scenario.problem, &scenario.facts, &scenario.clock)?;
        scenario.facts.warnings.extend_from_slice(&from.warnings);
    }
    warn(&scenario);
    let Scenario { problem, mut clock, mut facts, start: state } = scenario;
    let maps = Maps {
        grid: facts.grid.clone(),
        domain: Domain::of(&problem.grid, &problem.bed),
        grain: facts.flow.grain,
        bed: (facts.layers.needs_bed() || facts.points.is_some()).then(|| problem.bed.clone()),
        tables: problem.subgrid.clone(),
        fine: facts.fine.clone().filter(|_| facts.draws_fine),
        tracks: problem.tracks.clone(),
        arrival: problem.arrival,
        hazard: scenario::maps::grains("hazard_depth", facts.hazard_depth, facts.flow.grain)?,
    };
    let bed = match &maps.fine {
        Some(ground) => Small::of_ground(ground)?,
        None => Small::of_bed(&problem.grid, &problem.bed),
    };
    let standing = Standing::of(&problem.initial);
    let keeps_any = facts.checkpoint_every.is_some() || options.keep_state;
    let header = match &from {
        Some(from) => Some(from.header.goes_on()),
        None if keeps_any => Some(Header::new(options, &command, &facts, &problem)?),
        None => None,
    };
    let at_end = header.clone().filter(|_| options.keep_state);
    let at_end = at_end.map(|header| header.at_the_end(&problem));
    let backend = match (&mut from, state) {
        (None, None) => taken.start(problem, None)?,
        (None, Some(state)) => {
            state.begin(problem, |problem, state| taken.start(problem, Some(state)))?
        }
        (Some(from), _) => from.start(taken, problem, &mut clock)?,
    };
    let mut simulation = Simulation::new(backend, clock);
    // What is made from here on is put away when the steps end.
    enter(Phase::Stepping);
    let (folder, store) = match from {
        None => {
            // First the lock: what is looked at under it stays so.
            let store = Store::open(&out)?;
            let folder = OutputFolder::prepare(&out, &layers::keys(), options.overwrite)?;
            store.discard();
            (folder, store)
        }
        Some(Checkpoint { header, store, .. }) => {
            (OutputFolder::reopen(&out, &header.earlier, &header.published)?, store)
        }
    };
    interrupt::makes_ready_in(&out, &folder.staged(""));
    let resumed_at_steps = header.as_ref().map_or(Vec::new(), |h| h.resumed_at_steps.clone());
    let mut spent = header.as_ref().map_or(WallParts::default(), |header| header.spent);
    spent.start += start;
    spent.read += wall::began().elapsed().as_secs_f64() - start;
    let every = facts.checkpoint_every.unwrap_or_default();
    let every = Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX);
    let waits = Waits::default();
    let header = header.filter(|_| facts.checkpoint_every.is_some());
    let mut keeper = header.map(|header| {
        let header = Header { spent, ..header };
        Keeper::new(&store, header, &folder, &waits)
    });
    let scales = facts.scales(options.style.unwrap_or_default(), &simulation.clock);
    let compression = options.compress.unwrap_or_default();
    let outputs = Outputs {
        facts: &facts,
        maps: &maps,
        folder: &folder,
        compression,
        waits: &waits,
        results: Results::new(scales),
    };
    let advise = |error| store.advise(error);
    let stepping = Instant::now();
    let keeping = keeper.as_mut().map(|keeper| (keeper, every));
    let Recorded { records, greatest, step_held, results } =
        step_through(&mut simulation, outputs, stop, options.quiet, keeping).map_err(advise)?;
    enter(Phase::Writing);
    spent.took_steps(stepping.elapsed().as_secs_f64(), &waits);
    facts.warnings.extend(keeper.and_then(|keeper| keeper.warning));
    let ended = Ended {
        options,
        command,
        simulation: &simulation,
        maps: &maps,
        bed,
        standing,
        records: &records,
        greatest,
        step_held,
        results,
        state: at_end,
        folder: &folder,
        compression,
        spent,
        resumed_at_steps,
    };
    let (report, late_warnings) = finish(ended, facts).map_err(advise)?;
    store.discard();
    enter(Phase::Done);
    Ok(Finished { report, out, late_warnings })
}

/// Runs something on a pool of so many threads, or on all.
pub fn with_threads<T: Send>(
    threads: Option<usize>,
    what: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    if let Some(threads) = threads
        && !(1..=MOST_THREADS).contains(&threads)
    {
        return Err(Error::input(format!("threads: {threads} threads cannot compute"))
            .hint(format!("give 1 to {MOST_THREADS}, or leave it out for all processors")));
    }
    Threads::start(threads.unwrap_or(0))?.install(what)
}

/// So many threads as a run is to have that there is work for each: the pool's own number where nothing is said and there
/// is enough for every processor.
fn threads_for(options: &Options) -> Option<usize> {
    let asked = options.threads;
    remote::allow(options.allow_remote);
    let Some(cells) = options.dem.as_deref().and_then(raster::cells_of) else { return asked };
    let worth = (cells / CELLS_PER_THREAD).clamp(1, MOST_THREADS);
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    match asked {
        // A wrong number is refused as it is.
        Some(asked) if !(1..=MOST_THREADS).contains(&asked) => Some(asked),
        Some(asked) => Some(asked.min(worth)),
        None => (worth < all()).then_some(worth),
    }
}

/// What a run writes on the way, and where.
struct Outputs<'a> {
    facts: &'a Facts,
    maps: &'a Maps,
    folder: &'a OutputFolder,
    compression: Compression,
    waits: &'a Waits,
    /// No maps so far.
    results: Results,
}

/// What was noted on the way.
struct Recorded {
    records: Records,
    /// What was greatest, where and when.
    greatest: Vec<Greatest>,
    /// What held its steps.
    step_held: Option<StepHeld>,
    /// The maps on the way.
    results: Results,
}

/// Steps to the end; returns what was noted. The keeper, if there is one, saves the state so often.
fn step_through(
    simulation: &mut Simulation,
    outputs: Outputs,
    stop: &AtomicBool,
    quiet: bool,
    keeper: Option<(&mut Keeper, Duration)>,
) -> Result<Recorded> {
    let Outputs { facts, maps, folder, compression, waits, results } = outputs;
    let Facts { grid, flow: FlowFacts { grain, .. }, domain_cells, output_every, watched, .. } =
        facts;
    let grain = *grain;
    let progress = Progress::new(*domain_cells, grid.cell_area(), grain, quiet);
    let mut progress = progress.since(&simulation.clock);
    let mut series = output_every.map(|every| {
        let clock = &simulation.clock;
        let writing = Writing::new(maps, compression, waits);
        MapSeries::new(every, &facts.layers, folder, maps, clock, (writing, results.clone()))
    });
    let mut watch = Watch::start(watched, grid, grain, &simulation.clock, &*simulation.backend)?;
    let mut maxima = Maxima::new(facts, maps, &simulation.clock);
    let mut observers: Vec<&mut dyn Observer> = vec![&mut progress, &mut watch, &mut maxima];
    if let Some(series) = &mut series {
        observers.push(series);
    }
    let mut cadence = Cadence::default().stopped_by(stop);
    let mut keeper = keeper;
    if let Some((keeper, every)) = &mut keeper {
        keeper.restore(&mut observers, &simulation.clock)?;
        cadence = cadence.saving_every(*every);
    }
    let ran = simulation.run_by(&mut cadence, &mut observers, |decision, clock, backend, seen| {
        match (&mut keeper, decision) {
            (Some((keeper, _)), decision) => keeper.heed(decision, clock, backend, seen),
            (None, Decision::Stop) => Err(interrupt::stopped(clock)),
            (None, _) => Ok(()),
        }
    });
    // Maps from before whatever stopped it are put in place, too.
    let finished = observers.iter_mut().try_for_each(|observer| observer.finish());
    ran.and(finished)?;
    let (greatest, step_held) = maxima.conclude(&simulation.clock, &*simulation.backend)?;
    let results = series.map_or(results, |series| series.results);
    Ok(Recorded { records: watch.records, greatest, step_held, results })
}

/// Refuses a run whose inputs are among the `earlier` results that it would replace, or among the files
/// that it would write.
pub fn spare_inputs(out: &Path, mut earlier: Vec<PathBuf>, facts: &Facts) -> Result<()> {
    earlier.extend(store::found(out));
    let points = facts.points.iter().flat_map(|_| Points::names());
    let names = Tables::names(&facts.watched).into_iter().chain(points);
    earlier.extend(names.map(|name| out.join(name)));
    folder::spare_inputs(&earlier, facts.input_paths())
}

/// Where a run's files will be.
pub fn out_folder(options: &Options) -> PathBuf {
    options.out.clone().unwrap_or_else(|| Path::new(DEFAULT_OUT).to_path_buf())
}
