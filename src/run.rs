//! A whole run: read, step, write.

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
    mut warn: impl FnMut(&Scenario) + Send,
) -> Result<Finished> {
    with_threads(options.threads, || {
        let started = Instant::now();
        let out = out_folder(options);
        let earlier = folder::check(&out, &layer_keys(), options.overwrite)?;
        let taken = Taken::by(options)?;
        let mut scenario = scenario::build(options)?;
        folder::spare_inputs(&earlier, scenario.facts.input_paths())?;
        scenario.facts.warnings.extend_from_slice(&taken.warnings);
        warn(&scenario);
        let Scenario { problem, clock, mut facts } = scenario;
        let mut simulation = Simulation {
            timeline: Timeline::of(&problem.forcing, facts.grain, &problem.bed),
            backend: taken.start(problem, None)?,
            clock,
        };
        let mut folder = OutputFolder::prepare(&out, &layer_keys(), options.overwrite)?;
        let read = started.elapsed().as_secs_f64();
        step_through(&mut simulation, &facts, &mut folder, stop, options.quiet)?;
        let compute = started.elapsed().as_secs_f64() - read;
        let mut files = stage_results(&simulation, &facts, &folder)?;
        let written = [folder.published(), &files].concat();
        let clock = &simulation.clock;
        let map = project::Run { options, facts: &facts, clock, start: None };
        files.push(project::stage(&folder, &written, &map)?);
        let wall_s = started.elapsed().as_secs_f64();
        let parts = WallParts { read, compute, write: wall_s - compute - read };
        let outputs = [folder.published(), &files, &[REPORT.to_string()]].concat();
        let late_warnings = too_much_cut(simulation.backend.crossed().share_cut());
        let late_warnings: Vec<String> = late_warnings.into_iter().collect();
        facts.warnings.extend_from_slice(&late_warnings);
        let report = report(&simulation, facts, command, outputs, wall_s, parts, options)?;
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Error::run(format!("cannot write {REPORT}: {error}")))?;
        folder.stage_text(REPORT, &text)?;
        // All is whole: now at the latest earlier results give way (a depth series replaces them sooner).
        let already = folder.published().len();
        for file in &report.outputs[already..] {
            folder.publish(file)?;
        }
        Ok(Finished { report, out, late_warnings })
    })
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
    folder: &mut OutputFolder,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<()> {
    let Facts { grid, grain, domain_cells, output_every, .. } = facts;
    let grain = *grain;
    let mut progress = Progress::new(*domain_cells, grid.cell_area(), grain, quiet);
    let mut interrupt = Interrupt(stop);
    let mut series = output_every.map(|every| DepthSeries { every, next: 1, folder, grid, grain });
    let mut observers: Vec<&mut dyn Observer> = vec![&mut progress];
    if let Some(series) = &mut series {
        observers.push(series);
    }
    observers.push(&mut interrupt);
    simulation.run(&mut observers)
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
    wall_s: f64,
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
        wall_s,
        wall_parts_s,
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
