//! `inundate check`: checks a scenario and estimates its run.

mod device;
mod divided_cells;
mod places;
mod ranks;
mod rehearsal;
mod river;
mod run_estimate;

use super::print_json;
use super::run::print_input_notes;
use crate::engine::backend::ranks::RankDevice;
use crate::engine::backend::{Problem, saved};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::{Account, RateLayer, StageBoundary};
use crate::error::Result;
use crate::observer::quality::beforehand;
use crate::output::checkpoint::store::check_free;
use crate::output::folder::{self, RUN};
use crate::run::outputs::Outputs;
use crate::run::processor::{TakenProcessor, cuda_options};
use crate::run::{out_folder, with_threads};
use crate::scenario::flow::FlowFacts;
use crate::scenario::memory::memory_bytes;
use crate::scenario::options::Options;
use crate::scenario::{
    self, BreachFacts, ClassShare, LinkFacts, LossRange, Scenario, SourceFacts, StructureFacts,
};
use crate::speed;
use crate::speed::gpu::Gpu;
use crate::speed::target::BenchTarget;
use crate::units::{show_count, show_duration, show_rain, show_volume};
use crate::words::{counted, in_order};
use device::DeviceEstimate;
use divided_cells::Parted;
use places::{GaugePlace, SectionPlace, gauges, sections};
use ranks::RankEstimate;
use river::River;
use run_estimate::RunEstimate;
use serde::Serialize;
use std::path::Path;

/// Label of evaporation.
const EVAPORATION: &str = "evaporation";
/// Label of sources.
const SOURCE: &str = "source";

/// Output of `check --json`.
#[derive(Serialize)]
struct Estimate {
    columns: usize,
    rows: usize,
    domain_cells: usize,
    dx_m: f64,
    dy_m: f64,
    bed_range_m: (f64, f64),
    #[serde(flatten)]
    flow: FlowFacts,
    /// Share of the domain in each land cover class.
    land_cover: Vec<ClassShare>,
    /// Cells in which a crest separates two bodies of water, with subgrid tables.
    #[serde(flatten)]
    parted: Option<Parted>,
    /// How well cells with subgrid tables resolve the river.
    #[serde(skip_serializing_if = "Option::is_none")]
    river: Option<River>,
    #[serde(flatten)]
    on_device: DeviceEstimate,
    /// Estimate for each of several ranks, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_ranks: Option<RankEstimate>,
    /// Host memory (bytes).
    memory_bytes: usize,
    /// Interval between checkpoints, if any (s, wall-clock time).
    checkpoint_every_s: Option<f64>,
    /// Maximum size of a checkpoint on disk (bytes); the last two are kept.
    checkpoint_bytes: Option<u64>,
    /// Initial volume of water (m³).
    initial_m3: f64,
    /// Volumes of rain and sources, in the order given.
    forcing: Vec<InflowSummary>,
    /// Sources, in the order given.
    sources: Vec<SourceFacts>,
    /// Gauges, in the order given.
    gauges: Vec<GaugePlace>,
    /// Sections, in the order given.
    sections: Vec<SectionPlace>,
    /// Stage boundaries.
    levels: Vec<StageSummary>,
    /// Pumps and culverts.
    links: Vec<LinkFacts>,
    /// Structures on the edges between cells.
    structures: Vec<StructureFacts>,
    /// Sewer network.
    #[serde(skip_serializing_if = "Option::is_none")]
    sewers: Option<SewerSummary>,
    inflow_cells: usize,
    sink_cells: usize,
    /// Number of steps, if they are of equal length.
    steps: Option<u64>,
    dt_s: Option<f64>,
    /// Longest allowed time step, if the solver adapts its steps (s).
    dt_max_s: Option<f64>,
    simulated_s: Option<f64>,
    /// Approximate duration of the run if every cell were wet all the time (s), from a brief
    /// benchmark.
    wall_if_all_wet_s: Option<f64>,
    /// Approximate speed if every cell were wet.
    cell_steps_per_s: Option<f64>,
    #[serde(flatten)]
    takes: RunEstimate,
    assumed: Vec<String>,
    warnings: Vec<String>,
}

/// Volume of a rain layer or a source until the end of the run.
#[derive(Serialize)]
struct InflowSummary {
    /// `rain`, `source`, or `evaporation`, which removes water.
    what: &'static str,
    /// Volume (m³).
    volume_m3: f64,
    /// For rain, the mean depth over the domain (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_mm: Option<f64>,
}

/// A group of cells held at a level.
#[derive(Serialize)]
struct StageSummary {
    cells: usize,
    /// Lowest and highest level during the run (m above the DEM's zero).
    level_range_m: (f64, f64),
}

/// A sewer network and its exchange with the surface.
#[derive(Serialize)]
struct SewerSummary {
    nodes: usize,
    inlets: usize,
    interval_s: f64,
}

/// Reads and checks everything, and prints an estimate of a run, with `ranks` for each rank too.
/// Cells in which a crest separates two bodies of water are mapped in the file `parted`.
pub fn check(options: &Options, ranks: Option<usize>, parted: Option<&Path>) -> Result<()> {
    with_threads(options.threads, || {
        let out = out_folder(options);
        let earlier = folder::find_earlier_results(&out, &RUN, options.overwrite);
        let earlier = earlier.and_then(|earlier| check_free(&out).map(|()| earlier));
        let earlier = earlier.map_err(|error| scenario::wrong_input_or(error, options))?;
        let taken = TakenProcessor::by(options)?;
        let mut scenario = scenario::build_for_check(options)?;
        if !earlier.is_empty() && !options.overwrite {
            let holds = folder::holds_results(&out);
            scenario.facts.warnings.push(format!("{holds}; a run needs --overwrite"));
        }
        Outputs::of(options, &scenario.facts).check(&out, &earlier, &scenario.facts)?;
        scenario.facts.warnings.extend_from_slice(&taken.warnings);
        scenario.facts.warnings.extend(beforehand::warning(&scenario));
        print_input_notes(&scenario, options.quiet);
        if let Some(path) = parted {
            let problem = &scenario.problem;
            let inputs: Vec<&Path> = scenario.facts.input_paths().map(Path::new).collect();
            divided_cells::draw(path, &problem.grid, problem.subgrid.as_deref(), &inputs)?;
        }
        let memory = cuda_options(0, options)?.memory;
        let on_ranks = ranks.map(|ranks| RankEstimate::new(&scenario.problem, ranks, memory));
        let on_ranks = on_ranks.transpose()?;
        let estimate = Estimate { on_ranks, ..estimate(scenario, options, &taken, &out)? };
        if options.json {
            print_json(&estimate)?;
        } else if !options.quiet {
            print(&estimate, &out);
        }
        Ok(())
    })
}

/// Computes the volume of a layer until the end of the run.
fn brings(layer: &RateLayer, scenario: &Scenario) -> InflowSummary {
    let what = match layer.account {
        Account::Rain => "rain",
        Account::Evaporation => EVAPORATION,
        Account::Inflow => SOURCE,
    };
    let total = layer.total(scenario.facts.domain_cells, scenario.clock.end());
    let volume_m3 = total * scenario.problem.grid.cell_area();
    let depth_mm =
        (layer.account == Account::Rain).then(|| 1000.0 * volume_m3 / scenario.facts.domain_area());
    InflowSummary { what, volume_m3, depth_mm }
}

/// Computes the volumes of all layers, with all rain layers summed: a series of rasters has
/// hundreds.
fn bring_all(scenario: &Scenario) -> Vec<InflowSummary> {
    let mut all: Vec<InflowSummary> = Vec::new();
    for layer in &scenario.problem.forcing.rates {
        let now = brings(layer, scenario);
        match all.iter_mut().find(|known| layer.account == Account::Rain && known.what == now.what)
        {
            Some(known) => {
                known.volume_m3 += now.volume_m3;
                known.depth_mm = known.depth_mm.zip(now.depth_mm).map(|(a, b)| a + b);
            }
            None => all.push(now),
        }
    }
    all
}

/// Summarizes a group of held cells.
fn stage_summary(stage: &StageBoundary, scenario: &Scenario) -> StageSummary {
    StageSummary {
        cells: stage.cells.len(),
        level_range_m: stage.level.range(scenario.clock.end()),
    }
}

fn estimate(
    mut scenario: Scenario,
    options: &Options,
    taken: &TakenProcessor,
    out: &Path,
) -> Result<Estimate> {
    let on_device = DeviceEstimate::new(taken, &scenario.problem)?;
    let Problem { solver, neighbourhood, .. } = scenario.problem;
    // A failed benchmark only leaves out the speed.
    let cells = scenario.problem.grid.cells();
    let quick = target(&taken.how)
        .and_then(|target| speed::quick(&target, solver, neighbourhood, cells))
        .ok();
    let speed = quick.map(|quick| quick.cell_steps_per_s);
    let checkpoint = scenario.facts.checkpoint_every.map(|_| saved::bytes(&scenario.problem));
    let takes = RunEstimate::of(&scenario, options, quick, checkpoint);
    if let Some(warning) = takes.warning(out) {
        errln!("warning: {warning}");
        scenario.facts.warnings.push(warning);
    }
    let river = River::of(&scenario);
    let problem = &scenario.problem;
    let grid = &problem.grid;
    let forcing = &problem.forcing;
    let initial: i64 = problem.initial.iter().map(|&grains| i64::from(grains)).sum();
    let steps = scenario.clock.steps_in_all();
    let all_wet = scenario.facts.domain_cells as f64;
    let timed = scenario.clock.unit == TimeUnit::Seconds;
    Ok(Estimate {
        columns: grid.columns,
        rows: grid.rows,
        domain_cells: scenario.facts.domain_cells,
        dx_m: grid.dx,
        dy_m: grid.dy,
        bed_range_m: scenario.facts.bed_range,
        memory_bytes: memory_bytes(problem),
        checkpoint_every_s: scenario.facts.checkpoint_every,
        checkpoint_bytes: checkpoint,
        initial_m3: initial as f64 * f64::from(problem.grain.metres()) * grid.cell_area(),
        forcing: bring_all(&scenario),
        sources: scenario.facts.sources.clone(),
        gauges: gauges(&scenario.facts.watched),
        sections: sections(&scenario.facts.watched, grid),
        levels: forcing
            .stage_boundaries
            .iter()
            .map(|stage| stage_summary(stage, &scenario))
            .collect(),
        links: scenario.facts.links.clone(),
        structures: scenario.facts.structures.clone(),
        sewers: scenario.facts.sewers.as_deref().map(|sewers| SewerSummary {
            nodes: sewers.nodes.len(),
            inlets: sewers.inlets.len(),
            interval_s: sewers.every,
        }),
        inflow_cells: forcing.top_up.len(),
        sink_cells: forcing.sinks.len(),
        steps,
        dt_s: scenario.clock.is_calibrated().then(|| scenario.clock.longest_step()),
        dt_max_s: steps.is_none().then(|| scenario.clock.longest_step()),
        simulated_s: timed.then(|| scenario.clock.end()),
        wall_if_all_wet_s: steps.zip(speed).map(|(steps, speed)| all_wet * steps as f64 / speed),
        cell_steps_per_s: speed,
        takes,
        on_device,
        on_ranks: None,
        flow: scenario.facts.flow,
        land_cover: scenario.facts.land_cover,
        parted: Parted::of(scenario.problem.subgrid.as_deref()),
        river,
        assumed: scenario.facts.assumed,
        warnings: scenario.facts.warnings,
    })
}

/// Returns the target to benchmark.
fn target(how: &RankDevice) -> Result<BenchTarget> {
    Ok(match how {
        RankDevice::Cpu(options) => BenchTarget::Cpu(*options),
        RankDevice::Cuda(options) => BenchTarget::Gpu(Gpu::new(*options)?),
    })
}

fn print(estimate: &Estimate, out: &Path) {
    estimate.print_grid();
    estimate.print_duration();
    estimate.print_sides();
    estimate.print_water();
    estimate.print_structures();
    for (what, cells, done) in [
        ("inflow", estimate.inflow_cells, "topped up at every step"),
        ("sinks", estimate.sink_cells, "emptied at every step"),
    ] {
        if cells > 0 {
            outln!("{what:<12}{}, {done}", counted(cells, "cell", "cells"));
        }
    }
    places::print_watched(&estimate.gauges, &estimate.sections);
    print_losses(&estimate.flow.losses);
    estimate.print_resources();
    estimate.takes.print(out);
}

impl Estimate {
    /// Prints the grid, the solver and the ground.
    fn print_grid(&self) {
        let Estimate { columns, rows, dx_m, dy_m, bed_range_m, flow, .. } = self;
        outln!(
            "domain      {columns} x {rows} cells of {dx_m:.3} x {dy_m:.3} m, {} of them in the domain, bed {:.2} to {:.2} m",
            self.domain_cells,
            bed_range_m.0,
            bed_range_m.1
        );
        outln!(
            "solver      {}{}, {}{}{}, depth resolution {:.0e} m",
            flow.solver,
            in_order(flow.order),
            flow.neighbourhood.name(),
            flow.alpha.map_or(String::new(), |alpha| format!(", alpha {alpha}")),
            match flow.roughness {
                Some((low, high)) if low == high => format!(", roughness {low} s/m^(1/3)"),
                Some((low, high)) => format!(", roughness {low} to {high} s/m^(1/3)"),
                None => String::new(),
            },
            flow.grain.metres()
        );
        print_land_cover(&self.land_cover);
        if let Some(parted) = &self.parted {
            parted.print();
        }
        if let Some(river) = &self.river {
            river.print();
        }
    }

    /// Prints the duration and the steps.
    fn print_duration(&self) {
        let total = self.simulated_s.map(show_duration).unwrap_or_default();
        match (self.steps, self.dt_s, self.dt_max_s) {
            (Some(steps), Some(dt), _) => {
                outln!("steps       {steps} of {} = {total} (calibrated)", show_duration(dt));
            }
            (Some(steps), ..) => outln!("steps       {steps} without a duration"),
            (_, _, longest) => outln!(
                "duration    {total}, in time steps as the flow allows, up to {}",
                show_duration(longest.unwrap_or(f64::INFINITY))
            ),
        }
    }

    /// Prints the open sides.
    fn print_sides(&self) {
        let flow = &self.flow;
        let named = |(side, part): (&'static str, String)| {
            let slope = flow.outflow_slopes.iter().find(|(name, _)| *name == side);
            slope.map_or(format!("{side} (free{part})"), |(_, slope)| {
                format!("{side} (normal depth, slope {slope}{part})")
            })
        };
        let open: Vec<String> = flow.open_sides().into_iter().map(named).collect();
        let open =
            if open.is_empty() { "none, all edges are closed".into() } else { open.join(", ") };
        outln!("open edges  {open}");
    }

    /// Prints the initial water, the volumes of the forcing, the sources and the stage boundaries.
    fn print_water(&self) {
        if self.initial_m3 > 0.0 {
            outln!("at start    {}", show_volume(self.initial_m3));
        }
        for InflowSummary { what, volume_m3, depth_mm } in &self.forcing {
            let more = match (*what, depth_mm) {
                // Sources are printed individually below.
                (SOURCE, _) => continue,
                (EVAPORATION, _) => " at most, from wet cells".into(),
                (_, Some(depth)) => format!(", {} over the domain", show_rain(*depth)),
                _ => String::new(),
            };
            outln!("{what:<12}{} by the end{more}", show_volume(*volume_m3));
        }
        places::print_sources(&self.sources, self.simulated_s.is_some());
        for StageSummary { cells, level_range_m: (low, high) } in &self.levels {
            let cells = counted(*cells, "cell", "cells");
            let range = if low == high { String::new() } else { format!("{low:.2} to ") };
            outln!("stage       {range}{high:.2} m in {cells}");
        }
    }

    /// Prints the links, the structures and the sewers.
    fn print_structures(&self) {
        for LinkFacts { name, inlet, outlet, .. } in &self.links {
            outln!(
                "link        {name}, from column {}, row {} to column {}, row {}",
                inlet.0,
                inlet.1,
                outlet.0,
                outlet.1
            );
        }
        for structure in &self.structures {
            let StructureFacts { name, kind, width_m, edges, breach, .. } = structure;
            let levels = structure.shown_levels(" m");
            let grows = breach.as_ref().map_or_else(String::new, |breach| {
                let BreachFacts { bottom_level_m, bottom_width_m, formation_s, .. } = breach;
                let time = show_duration(*formation_s);
                format!(", which breaches down to {bottom_level_m:.2} m, {bottom_width_m:.1} m wide there, in {time}")
            });
            outln!(
                "structure   {name}, a {kind} {width_m:.1} m wide on {edges} cell edges, {levels}{grows}"
            );
        }
        if let Some(SewerSummary { nodes, inlets, interval_s }) = &self.sewers {
            let (nodes, inlets) =
                (counted(*nodes, "node", "nodes"), counted(*inlets, "inlet", "inlets"));
            outln!(
                "sewers      {nodes} with {inlets}, coupled every {}",
                show_duration(*interval_s)
            );
        }
    }

    /// Prints the devices, the memory, the checkpoints and the speed.
    fn print_resources(&self) {
        self.on_device.print();
        if let Some(ranks) = &self.on_ranks {
            ranks.print();
        }
        outln!("memory      about {:.0} MB", self.memory_bytes as f64 / 1e6);
        if let (Some(every), Some(bytes)) = (self.checkpoint_every_s, self.checkpoint_bytes) {
            outln!(
                "checkpoints every {} by the clock on the wall, up to {:.0} MB each; the last two are kept",
                show_duration(every),
                bytes as f64 / 1e6
            );
        }
        if let Some(speed) = self.cell_steps_per_s {
            outln!("speed       about {} wet cell-steps/s on this machine", show_count(speed));
        }
    }
}

/// Prints a line for every class that occurs.
fn print_land_cover(shares: &[ClassShare]) {
    for (i, ClassShare { class, name, n, cells, share }) in shares.iter().enumerate() {
        let label = if i == 0 { "land cover" } else { "" };
        let class = class.map_or("no class".into(), |class| class.to_string());
        let name = name.as_ref().map_or(String::new(), |name| format!(" {name}"));
        let cells = counted(*cells, "cell", "cells");
        outln!("{label:<12}{class}{name}: {:.2} % ({cells}), n {n}", 100.0 * share);
    }
}

/// Prints a line for every parameter of the losses.
fn print_losses(losses: &[LossRange]) {
    for (i, LossRange { what, unit, lowest, highest, share, .. }) in losses.iter().enumerate() {
        let label = if i == 0 { "losses" } else { "" };
        let low = if lowest == highest { String::new() } else { format!("{lowest} to ") };
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let part = if *share < 1.0 {
            format!(", {:.2} % of the domain", 100.0 * share)
        } else {
            String::new()
        };
        outln!("{label:<12}{what} {low}{highest}{unit}{part}");
    }
}
