//! A whole run: read, step, write.

use crate::backend::Backend;
use crate::clock::TimeUnit;
use crate::error::{Error, Result};
use crate::forcing::link::LinkState;
use crate::forcing::timeline::Timeline;
use crate::layers::{ARRIVAL_ABOVE, LAYERS, State};
use crate::observer::interrupt::Interrupt;
use crate::observer::progress::Progress;
use crate::observer::series::{MapSeries, Maps};
use crate::observer::watch::Watch;
use crate::output::folder::{self, OutputFolder, PAGE, REPORT};
use crate::output::report::{GridFacts, LinkVolumes, Report, VERSION, WallParts};
use crate::output::tables::Tables;
use crate::page::{self, Small};
use crate::processor::Taken;
use crate::project;
use crate::results::stage_layer;
use crate::scenario::options::{DEFAULT_OUT, Options};
use crate::scenario::{self, Facts, LinkFacts, Scenario};
use crate::simulation::{Observer, Simulation};
use crate::watch::Records;
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
        spare_inputs(&out, earlier, &scenario.facts)?;
        scenario.facts.warnings.extend_from_slice(&taken.warnings);
        warn(&scenario);
        let Scenario { problem, clock, mut facts } = scenario;
        let maps = Maps::of(&problem, &facts);
        let bed = Small::of_bed(&problem.grid, &problem.bed);
        let mut simulation = Simulation {
            timeline: Timeline::of(&problem.forcing, facts.grain, &problem.bed),
            backend: taken.start(problem)?,
            clock,
        };
        let mut folder = OutputFolder::prepare(&out, &layer_keys(), options.overwrite)?;
        let read = started.elapsed().as_secs_f64();
        let records =
            step_through(&mut simulation, &facts, &maps, &mut folder, stop, options.quiet)?;
        let compute = started.elapsed().as_secs_f64() - read;
        let mut files = stage_results(&simulation, &facts, &maps, &folder)?;
        let tables = Tables {
            watched: &facts.watched,
            records: &records,
            clock: &simulation.clock,
            grain: facts.grain,
            grid: &facts.grid,
        };
        files.extend(tables.stage(&folder)?);
        let written = [folder.published(), &files].concat();
        let clock = &simulation.clock;
        let map = project::Run {
            options,
            facts: &facts,
            clock,
            start: facts.start.as_ref().map(jiff::Zoned::timestamp),
        };
        files.push(project::stage(&folder, &written, &map)?);
        let wall_s = started.elapsed().as_secs_f64();
        let parts = WallParts { read, compute, write: wall_s - compute - read };
        files.push(PAGE.into());
        let outputs = [folder.published(), &files, &[REPORT.to_string()]].concat();
        let late_warnings = too_much_cut(simulation.backend.crossed().share_cut());
        let late_warnings: Vec<String> = late_warnings.into_iter().collect();
        facts.warnings.extend_from_slice(&late_warnings);
        let gauges = records.gauge_reports(&facts.watched, facts.grain, &*simulation.backend)?;
        let sections = records.section_reports(&facts.watched);
        let about = facts.clone();
        let mut report = report(&simulation, facts, command, outputs, wall_s, parts, options)?;
        (report.gauges, report.sections) = (gauges, sections);
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Error::run(format!("cannot write {REPORT}: {error}")))?;
        folder.stage_text(REPORT, &text)?;
        let clock = &simulation.clock;
        let page = page::Run { facts: &about, clock, records: &records, bed, folder: &folder };
        folder.stage_text(PAGE, &page::html(&report, &page)?)?;
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
    maps: &Maps,
    folder: &mut OutputFolder,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<Records> {
    let Facts { grid, grain, domain_cells, output_every, watched, .. } = facts;
    let grain = *grain;
    let mut progress = Progress::new(*domain_cells, grid.cell_area(), grain, quiet);
    let mut interrupt = Interrupt(stop);
    let mut series = output_every.map(|every| MapSeries::new(every, &facts.layers, folder, maps));
    let mut watch = Watch::start(watched, grid, grain, &simulation.clock, &*simulation.backend)?;
    let mut observers: Vec<&mut dyn Observer> = vec![&mut progress, &mut watch];
    if let Some(series) = &mut series {
        observers.push(series);
    }
    observers.push(&mut interrupt);
    simulation.run(&mut observers)?;
    Ok(watch.records)
}

/// Writes every final layer; they are published together when all are whole.
fn stage_results(
    simulation: &Simulation,
    facts: &Facts,
    maps: &Maps,
    folder: &OutputFolder,
) -> Result<Vec<String>> {
    let Simulation { backend, clock, .. } = simulation;
    let mut files = Vec::new();
    for layer in &facts.layers.layers {
        let state = maps.state(&**backend, clock);
        files.extend(stage_layer(folder, layer, layer.key, &state, &facts.grid)?);
    }
    for &depth in &facts.layers.arrivals {
        let above = facts.grain.from_depth(depth).expect("it was judged");
        let state = State { above, ..maps.state(&**backend, clock) };
        let name = folder::above(ARRIVAL_ABOVE.key, depth);
        files.extend(stage_layer(folder, &ARRIVAL_ABOVE, &name, &state, &facts.grid)?);
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
        version: VERSION.into(),
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
        outflow_slopes: facts.outflow_slopes,
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
        losses: facts.losses,
        wall_s,
        wall_parts_s,
        cell_steps_per_s: cell_steps / wall_parts_s.compute.max(1e-9),
        wet_cells: backend.wet_cells(),
        links: link_volumes(&**backend, facts.links, f64::from(grain.metres()) * grid.cell_area())?,
        gauges: Vec::new(),
        sections: Vec::new(),
        gauge_every: facts.watched.every,
        volume: ledger.volumes(grain, grid.cell_area()),
        outputs,
        warnings: facts.warnings,
    })
}

/// What went through each link; a grain of a cell is `grain` m³.
fn link_volumes(
    backend: &dyn Backend,
    links: Vec<LinkFacts>,
    grain: f64,
) -> Result<Vec<LinkVolumes>> {
    let volumes = |(link, state): (LinkFacts, LinkState)| LinkVolumes {
        link,
        forward_m3: state.forward as f64 * grain,
        back_m3: state.back as f64 * grain,
    };
    Ok(links.into_iter().zip(backend.links()?).map(volumes).collect())
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

/// Refuses a run whose inputs are among the `earlier` results that it would replace, or among the files
/// that it would write.
pub fn spare_inputs(out: &Path, mut earlier: Vec<PathBuf>, facts: &Facts) -> Result<()> {
    earlier.extend(Tables::names(&facts.watched).into_iter().map(|name| out.join(name)));
    folder::spare_inputs(&earlier, facts.input_paths())
}

/// Where a run's files will be.
pub fn out_folder(options: &Options) -> PathBuf {
    options.out.clone().unwrap_or_else(|| Path::new(DEFAULT_OUT).to_path_buf())
}
