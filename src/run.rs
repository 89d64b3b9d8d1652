//! A whole run: read, step, write.

use crate::backend::saved::Saved;
use crate::checkpoint::header::Header;
use crate::checkpoint::keeper::Keeper;
use crate::checkpoint::resume::Checkpoint;
use crate::checkpoint::store::{self, Store};
use crate::clock::TimeUnit;
use crate::error::{Error, Result};
use crate::forcing::timeline::Timeline;
use crate::layers::{LAYERS, State};
use crate::observer::interrupt::Interrupt;
use crate::observer::progress::Progress;
use crate::observer::series::DepthSeries;
use crate::output::folder::{self, OutputFolder, REPORT};
use crate::output::report::{GridFacts, Report, WallParts};
use crate::processor::Taken;
use crate::project;
use crate::results::stage_layer;
use crate::scenario::options::{DEFAULT_OUT, Options};
use crate::scenario::{self, Facts, Scenario};
use crate::simulation::{Observer, Simulation};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// More threads than any machine has; a typing error beyond it would exhaust the memory.
const MOST_THREADS: usize = 1024;

/// Share of the flow that may be cut short without a warning.
const MUCH_CUT: f64 = 0.05;

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
    with_threads(options.threads, || go(options, command, None, stop, warn))
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
    with_threads(options.threads, || go(options, command, Some(checkpoint), stop, warn))
}

/// Runs from the start, or from a checkpoint.
fn go(
    options: &Options,
    command: Vec<String>,
    mut from: Option<Checkpoint>,
    stop: &AtomicBool,
    mut warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    let started = Instant::now();
    let out = out_folder(options);
    let earlier = match &from {
        None => folder::check(&out, &layer_keys(), options.overwrite)?,
        Some(from) => from.check_inputs().map(|()| Vec::new())?,
    };
    let taken = Taken::by(options)?;
    let mut scenario = scenario::build(options)?;
    folder::spare_inputs(&earlier, scenario.facts.input_paths())?;
    scenario.facts.warnings.extend_from_slice(&taken.warnings);
    if let Some(from) = &from {
        from.check_scenario(&scenario.problem, &scenario.facts)?;
        scenario.facts.warnings.extend_from_slice(&from.warnings);
    }
    warn(&scenario);
    let Scenario { problem, mut clock, mut facts } = scenario;
    let timeline = Timeline::of(&problem.forcing, facts.grain, &problem.bed);
    let arrays = Saved::arrays(&problem);
    let header = match &from {
        Some(from) => Some(from.header.goes_on()),
        None if facts.checkpoint_every.is_some() => {
            Some(Header::new(options, &command, &facts, &problem)?)
        }
        None => None,
    };
    let backend = match &mut from {
        None => taken.start(problem, None)?,
        Some(from) => from.start(&taken, problem, &mut clock)?,
    };
    let mut simulation = Simulation { backend, clock, timeline };
    let folder = match &from {
        None => {
            let folder = OutputFolder::prepare(&out, &layer_keys(), options.overwrite)?;
            store::clear(&out)?;
            folder
        }
        Some(Checkpoint { header, .. }) => {
            OutputFolder::reopen(&out, &header.earlier, &header.published)?
        }
    };
    let store = match (from, &header) {
        (Some(from), _) => Some(from.store),
        (None, Some(_)) => Some(Store::open(&out)?),
        (None, None) => None,
    };
    let resumed = header.as_ref().map_or(Vec::new(), |header| header.resumed_at_steps.clone());
    let mut spent = header.as_ref().map_or(WallParts::default(), |header| header.spent);
    let read = started.elapsed().as_secs_f64();
    spent.read += read;
    let every = facts.checkpoint_every.unwrap_or_default();
    let mut keeper = header.zip(store.as_ref()).map(|(header, store)| {
        Keeper::new(store, every, Header { spent, ..header }, &arrays, &folder, stop)
    });
    step_through(&mut simulation, &facts, &folder, stop, options.quiet, keeper.as_mut())?;
    spent.compute += started.elapsed().as_secs_f64() - read;
    facts.warnings.extend(keeper.and_then(|keeper| keeper.warning));
    let writing = Instant::now();
    let mut files = stage_results(&simulation, &facts, &folder)?;
    let written = [folder.published(), files.clone()].concat();
    let clock = &simulation.clock;
    let map = project::Run { options, facts: &facts, clock, start: None };
    files.push(project::stage(&folder, &written, &map)?);
    spent.write += writing.elapsed().as_secs_f64();
    let outputs = [folder.published(), files, vec![REPORT.to_string()]].concat();
    let late_warnings = too_much_cut(simulation.backend.crossed().share_cut());
    let late_warnings: Vec<String> = late_warnings.into_iter().collect();
    facts.warnings.extend_from_slice(&late_warnings);
    let mut report = report(&simulation, facts, command, outputs, spent, options)?;
    report.resumed_at_steps = resumed;
    let text = serde_json::to_string_pretty(&report)
        .map_err(|error| Error::run(format!("cannot write {REPORT}: {error}")))?;
    folder.stage_text(REPORT, &text)?;
    // All is whole: now at the latest earlier results give way (a depth series replaces them sooner).
    let already = folder.published().len();
    for file in &report.outputs[already..] {
        folder.publish(file)?;
    }
    if let Some(store) = store {
        store.discard();
    }
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
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| Error::run(format!("cannot start threads: {error}")))?;
    pool.install(what)
}

/// The keys of all layers, by which their files are known.
pub fn layer_keys() -> Vec<&'static str> {
    LAYERS.iter().map(|layer| layer.key).collect()
}

fn step_through(
    simulation: &mut Simulation,
    facts: &Facts,
    folder: &OutputFolder,
    stop: &AtomicBool,
    quiet: bool,
    keeper: Option<&mut Keeper>,
) -> Result<()> {
    let Facts { grid, grain, domain_cells, output_every, .. } = facts;
    let grain = *grain;
    let progress = Progress::new(*domain_cells, grid.cell_area(), grain, quiet);
    let mut progress = progress.since(&simulation.clock);
    let mut interrupt = Interrupt(stop);
    let mut series = output_every.map(|every| DepthSeries { every, next: 1, folder, grid, grain });
    let mut observers: Vec<&mut dyn Observer> = vec![&mut progress];
    if let Some(series) = &mut series {
        observers.push(series);
    }
    let Some(keeper) = keeper else {
        observers.push(&mut interrupt);
        return simulation.run(&mut observers);
    };
    keeper.restore(&mut observers)?;
    simulation
        .run_and(&mut observers, |clock, backend, observers| keeper.look(clock, backend, observers))
}

/// Writes every final layer; they are published together when all are whole.
fn stage_results(
    simulation: &Simulation,
    facts: &Facts,
    folder: &OutputFolder,
) -> Result<Vec<String>> {
    let Simulation { backend, clock, .. } = simulation;
    let state = State { backend: &**backend, grain: facts.grain, clock };
    let mut files = Vec::new();
    for layer in LAYERS {
        files.extend(stage_layer(folder, layer, layer.key, &state, &facts.grid)?);
    }
    Ok(files)
}

fn report(
    simulation: &Simulation,
    facts: Facts,
    command: Vec<String>,
    outputs: Vec<String>,
    wall_parts_s: WallParts,
    options: &Options,
) -> Result<Report> {
    let Facts { grid, neighbourhood, open, grain, .. } = facts;
    let Simulation { backend, clock, .. } = simulation;
    let timed = clock.unit == TimeUnit::Seconds;
    let ledger = backend.ledger();
    if ledger.error() != 0 {
        return Err(Error::run(format!(
            "the volume ledger is off by {} grains, which is a defect of this program",
            ledger.error()
        ))
        .hint("please report it with the scenario"));
    }
    let cell_steps = facts.domain_cells as f64 * clock.done as f64;
    Ok(Report {
        version: concat!("inundate ", env!("CARGO_PKG_VERSION")).into(),
        command,
        parameters: options.parameters(),
        inputs: facts.inputs,
        grid: GridFacts {
            columns: grid.columns,
            rows: grid.rows,
            dx_m: grid.dx,
            dy_m: grid.dy,
            transform: grid.transform,
            crs: grid.crs.clone(),
            domain_cells: facts.domain_cells,
            bed_range_m: facts.bed_range,
        },
        rule: facts.rule.into(),
        neighbourhood: neighbourhood.name().into(),
        alpha: facts.alpha,
        grain_m: grain.metres(),
        open: open.names(),
        arrival_depth_m: facts.arrival_depth,
        device: backend.describe(),
        tile: backend.tile(),
        steps: clock.done,
        time_unit: if timed { "seconds" } else { "steps" },
        calibrated: clock.is_calibrated(),
        simulated_s: timed.then(|| clock.now()),
        dt_range_s: clock.step_range(),
        flow_cut_share: facts.has_clock.then(|| backend.crossed().share_cut()),
        roughness: facts.roughness,
        wall_s: wall_parts_s.sum(),
        wall_parts_s,
        resumed_at_steps: Vec::new(),
        cell_steps_per_s: cell_steps / wall_parts_s.compute.max(1e-9),
        wet_cells: backend.wet_cells(),
        volume: ledger.volumes(grain, grid.cell_area()),
        outputs,
        warnings: facts.warnings,
    })
}

/// A warning if much of the flow was cut.
fn too_much_cut(share: f64) -> Option<String> {
    (share > MUCH_CUT).then(|| {
        format!(
            "{:.1} % of the flow was cut short, because a step was too long for it or its cell ran dry: give a shorter dt_max and see whether the results change",
            100.0 * share
        )
    })
}

/// Where a run's files will be.
pub fn out_folder(options: &Options) -> PathBuf {
    options.out.clone().unwrap_or_else(|| Path::new(DEFAULT_OUT).to_path_buf())
}
