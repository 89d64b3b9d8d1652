//! The end of a run: everything that is left to write, and the report.

use super::header::Header;
use super::released::Standing;
use crate::engine::backend::{Backend, Wanted};
use crate::engine::clock::TimeUnit;
use crate::engine::field::{Field, words};
use crate::engine::forcing::link::LinkState;
use crate::engine::grid::Grid;
use crate::engine::ledger::Ledger;
use crate::engine::simulation::Simulation;
use crate::error::{Error, Result};
use crate::observer::greatest::Greatest;
use crate::observer::holds::StepHeld;
use crate::observer::interrupt::{Phase, enter};
use crate::observer::quality::judge::{Quality, judge};
use crate::output::compression::Compression;
use crate::output::folder::{self, OutputFolder, PAGE, REPORT, STATE};
use crate::output::format::geotiff;
use crate::output::layers::fine::FineMap;
use crate::output::layers::{
    ARRIVAL_ABOVE, DEPTH, Layer, MAX_DEPTH, Maps, Now, arrival_above_name, at_points,
};
use crate::output::points::{Points, PointsReport};
use crate::output::results::{Map, NewMap, Results, Writing};
use crate::output::small::{self, Small};
use crate::output::stack::Stack;
use crate::output::tables::Tables;
use crate::output::wall::{Waits, WallParts};
use crate::output::watch::{Accounts, Brought, Records};
use crate::results::headline;
use crate::results::page;
use crate::results::project;
use crate::results::report::{
    GridFacts, LevelVolumes, LinkVolumes, Report, SideVolume, SourceVolume, SubgridFacts, VERSION,
};
use crate::scenario::flow::FlowFacts;
use crate::scenario::options::{Options, OutputGrid};
use crate::scenario::source_facts::{self, SourceFacts};
use crate::scenario::{Facts, LinkFacts};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::time::Instant;

/// A run that has taken its last step.
pub struct Ended<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// The command line.
    pub command: Vec<String>,
    /// Its last state.
    pub simulation: &'a Simulation,
    /// What its maps are read with.
    pub maps: &'a Maps,
    /// The bed, for the page.
    pub bed: Small,
    /// Where water stood at the start.
    pub standing: Option<Standing>,
    /// What was noted on the way.
    pub records: &'a Records,
    /// What was greatest, where and when.
    pub greatest: Vec<Greatest>,
    /// What held its steps.
    pub step_held: Option<StepHeld>,
    /// The maps on the way.
    pub results: Results,
    /// What is said of its state, if that is to be kept.
    pub state: Option<Header>,
    /// Where its files go.
    pub folder: &'a OutputFolder,
    /// How its maps are compressed.
    pub compression: Compression,
    /// Where the time went so far.
    pub spent: WallParts,
    /// The steps after which it went on from a checkpoint.
    pub resumed_at_steps: Vec<u64>,
}

/// Writes what is left, and puts all of it in place; returns the report, and those of its warnings that are new.
pub fn finish(ended: Ended, mut facts: Facts) -> Result<(Report, Vec<String>)> {
    let writing = Instant::now();
    geotiff::hold_few_blocks();
    let Ended { options, command, simulation, maps, bed, records, folder, .. } = ended;
    let compression = ended.compression;
    let (mut spent, mut results) = (ended.spent, ended.results);
    let clock = &simulation.clock;
    let files = stage_results(simulation, &facts, maps, folder, (compression, &mut results));
    let mut files = files?;
    let tables = Tables {
        watched: &facts.watched,
        records,
        clock,
        grain: facts.flow.grain,
        grid: &facts.grid,
        start: facts.start.as_ref(),
    };
    files.extend(tables.stage(folder)?);
    if let Some(header) = ended.state {
        stage_state(&header.at(clock, &*simulation.backend)?, &*simulation.backend, folder)?;
        files.push(STATE.into());
    }
    let points = stage_points(simulation, &facts, maps, folder)?;
    files.extend(points.iter().flat_map(|_| Points::names()).map(String::from));
    let already = folder.published();
    let start = facts.start.as_ref().map(jiff::Zoned::timestamp);
    let gauges = Records::gauge_reports(&facts.watched, maps, &*simulation.backend)?;
    let sections = records.section_reports(&facts.watched);
    let cell = f64::from(facts.flow.grain.metres()) * facts.grid.cell_area();
    let links = link_volumes(&*simulation.backend, facts.links.clone(), cell)?;
    let known = project::Known { gauges: &gauges, sections: &sections, links: &links };
    let volume = simulation.backend.ledger().volumes(facts.flow.grain, facts.grid.cell_area());
    let alone = volume.of("rain") + volume.of("inflow") == 0.0;
    let released = match ended.standing.filter(|_| alone) {
        None => None,
        Some(standing) => {
            let there = standing.now(&*simulation.backend, &facts.grid)? as f64 * cell;
            Some((volume.of("initial") - there).max(0.0))
        }
    };
    let map = project::Run {
        options,
        facts: &facts,
        clock,
        start,
        known,
        volume: &volume,
        released,
        results: &results,
    };
    files.extend(project::stage(folder, &map)?);
    let series = Stack {
        grid: maps.raster_grid(),
        maps: results.maps.iter().filter(|map| map.time.is_some()).collect(),
        folder,
        clock,
        start: facts.start.as_ref(),
        title: &headline::title(&facts, &volume),
        compression,
    };
    files.extend(series.stage(options.series.unwrap_or_default())?.map(String::from));
    files.push(PAGE.into());
    let outputs = [&already[..], &files, &[REPORT.to_string()]].concat();
    let quality = judge(&*simulation.backend, clock, &facts, records)?;
    let mut late_warnings: Vec<String> =
        quality.iter().flat_map(Quality::warnings).map(String::from).collect();
    let came = ["initial", "rain", "inflow"].map(|key| volume.of(key)).into_iter().sum();
    late_warnings.extend(source_facts::lost(&facts.sources, came, volume.of("outflow")));
    facts.warnings.extend_from_slice(&late_warnings);
    let about = facts.clone();
    let subgrid = subgrid_facts(&facts, maps, simulation, &results)?;
    let mut report = report(simulation, facts, command, outputs, options)?;
    report.subgrid = subgrid;
    (report.gauges, report.sections) = (gauges, sections);
    report.points = points;
    report.quality = quality;
    report.released_m3 = released;
    report.greatest = ended.greatest;
    report.step_held = ended.step_held;
    let resumed = ended.resumed_at_steps.iter();
    report.resumed_at_steps = resumed.map(|step| step - clock.first).collect();
    (report.styles, report.maps) = (results.styles(), results.maps);
    let page = page::Run { facts: &about, clock, records, bed };
    let pictures = page::draw(&report, &page);
    spent.write += writing.elapsed().as_secs_f64();
    report.took(spent);
    let page = pictures.and_then(|pictures| page::html(&report, &page, pictures));
    let page = page.inspect_err(|error| {
        // A page that cannot be drawn is no reason to lose what was computed.
        let warning = format!("{PAGE} could not be made: {error}");
        report.outputs.retain(|name| name != PAGE);
        report.warnings.push(warning.clone());
        late_warnings.push(warning);
    });
    let text = serde_json::to_string_pretty(&report)
        .map_err(|error| Error::run(format!("cannot write {REPORT}")).because(error))?;
    folder.stage_text(REPORT, &text)?;
    if let Ok(page) = page {
        folder.stage_text(PAGE, &page)?;
    }
    enter(Phase::Publishing);
    // All is whole: now at the latest earlier results give way (a map series replaces them sooner).
    for file in &report.outputs[already.len()..] {
        folder.publish(file)?;
    }
    Ok((report, late_warnings))
}

/// Writes the state at the end.
fn stage_state(header: &Header, backend: &dyn Backend, folder: &OutputFolder) -> Result<()> {
    let written = File::create(folder.staged(STATE)).and_then(|file| header.write(&file, backend));
    written.unwrap_or_else(|error| {
        Err(Error::run(format!("cannot write {STATE} in '{}'", folder.path().display()))
            .because(error)
            .hint("is the disk full?"))
    })
}

/// Writes every final layer; they are published together when all are whole. Then all of them and those on the way get
/// their colours, which follow the values of all.
fn stage_results(
    simulation: &Simulation,
    facts: &Facts,
    maps: &Maps,
    folder: &OutputFolder,
    (compression, results): (Compression, &mut Results),
) -> Result<Vec<String>> {
    let Simulation { backend, clock, .. } = simulation;
    let on_the_way = results.maps.len();
    let mut writing = Writing::new(maps, compression, &Waits::default());
    let now = Now { maps, backend: &**backend, clock, above: 0 };
    for &layer in &facts.layers.layers {
        let (name, about) = (layer.key.to_string(), &maps.name_of(layer, clock));
        let picture = page::shows(layer).then_some(small::LONGEST);
        let above = counts(facts, layer);
        let sheet = NewMap { layer, name, about, time: None, picture, above };
        writing.stage(results, folder, &now, sheet)?;
    }
    for &depth in &facts.layers.arrivals {
        let above = facts.flow.grain.from_depth(depth).expect("it was judged");
        let (name, about) =
            (folder::above(ARRIVAL_ABOVE.key, depth), &arrival_above_name(clock, depth));
        let (layer, time, picture) = (&ARRIVAL_ABOVE, None, None);
        let sheet = NewMap { layer, name, about, time, picture, above: None };
        writing.stage(results, folder, &Now { above, ..now }, sheet)?;
    }
    writing.finish(results)?;
    results.maps.iter().try_for_each(|map| results.stage_style(folder, map))?;
    let (before, last) = results.maps.split_at(on_the_way);
    before.iter().try_for_each(|map| folder.replace(&map.style()))?;
    Ok(last.iter().flat_map(|map| [map.raster(), map.style()]).collect())
}

/// The value above which the report counts pixels of a map at the end, if it does.
fn counts(facts: &Facts, layer: &Layer) -> Option<f32> {
    match layer.key {
        key if key == MAX_DEPTH.key => Some(facts.arrival_depth as f32),
        key if key == DEPTH.key => Some(0.0),
        _ => None,
    }
}

/// Writes what is told of the points, if there are any.
fn stage_points(
    simulation: &Simulation,
    facts: &Facts,
    maps: &Maps,
    folder: &OutputFolder,
) -> Result<Option<PointsReport>> {
    let Some(points) = &facts.points else { return Ok(None) };
    let Simulation { backend, clock, .. } = simulation;
    let now = Now { maps, backend: &**backend, clock, above: 0 };
    let layers = at_points(facts.has_clock, &facts.layers.layers);
    let (ground, wet) = (facts.fine.as_ref(), facts.arrival_depth);
    points.stage(&now, &layers, ground, wet, folder).map(Some)
}

/// What the report tells of the finer ground in cells, if there is any.
fn subgrid_facts(
    facts: &Facts,
    maps: &Maps,
    simulation: &Simulation,
    results: &Results,
) -> Result<Option<SubgridFacts>> {
    let Some(ground) = &facts.fine else { return Ok(None) };
    let Simulation { backend, clock, .. } = simulation;
    let now = Now { maps, backend: &**backend, clock, above: 0 };
    let Grid { columns, rows, dx, dy, transform, ref crs } = ground.grid;
    let fine = GridFacts {
        columns,
        rows,
        dx_m: dx,
        dy_m: dy,
        transform,
        crs: crs.clone(),
        domain_cells: ground.open,
        bed_range_m: facts.bed_range,
    };
    let (mut flooded_pixels, mut shown_m3) = (None, None);
    if facts.draws_fine {
        let of = |layer: &Layer| {
            let last = |map: &&Map| map.time.is_none() && map.layer.key == layer.key;
            match results.maps.iter().find(last).and_then(|map| map.tally) {
                Some(tally) => Ok(tally),
                None => {
                    let above = counts(facts, layer).unwrap_or_default();
                    FineMap::of(&now, layer, ground)?.tally(above)
                }
            }
        };
        flooded_pixels = Some(of(&MAX_DEPTH)?.above);
        shown_m3 = Some(of(&DEPTH)?.sum * ground.grid.cell_area());
    }
    let output_grid = if facts.draws_fine { OutputGrid::Fine } else { OutputGrid::Coarse };
    let ratio = ground.ratio;
    Ok(Some(SubgridFacts { ratio, output_grid, fine, flooded_pixels, shown_m3 }))
}

/// Cells of the domain where water ever counted as arrived.
fn flooded_cells(backend: &dyn Backend, grid: &Grid) -> Result<usize> {
    let step = grid.rows_together();
    let mut bits = vec![0; step * grid.columns];
    let mut count = 0;
    for first in (0..grid.rows).step_by(step) {
        let bits = &mut bits[..step.min(grid.rows - first) * grid.columns];
        backend.read_lines(Field::Arrival, first, bits)?;
        count += words::<f32>(bits).par_iter().filter(|time| **time >= 0.0).count();
    }
    Ok(count)
}

fn report(
    simulation: &Simulation,
    facts: Facts,
    command: Vec<String>,
    outputs: Vec<String>,
    options: &Options,
) -> Result<Report> {
    let Facts { grid, flow: FlowFacts { grain, .. }, .. } = facts;
    let Simulation { backend, clock, .. } = simulation;
    let timed = clock.unit == TimeUnit::Seconds;
    let ledger = backend.ledger();
    let flooded_cells = flooded_cells(&**backend, &grid)?;
    if ledger.error() != 0 {
        return Err(Error::always(format!(
            "the mass balance is off by {} units of depth, which is a defect of this program",
            ledger.error()
        ))
        .hint("please report it with the scenario"));
    }
    let cell = f64::from(grain.metres()) * grid.cell_area();
    let wanted = Wanted { places: Vec::new(), ..facts.watched.wanted() };
    let seen = backend.sample(&wanted, clock.done, clock.now())?;
    let brought = facts.watched.accounts.at(clock.now(), grain, &seen.booked, &seen.links);
    check_lines(&facts.watched.accounts, &brought, &ledger)?;
    let mut held_levels = level_volumes(&facts.watched.accounts.levels, &brought, cell);
    let ratings = held_levels.split_off(facts.watched.accounts.stages());
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
        subgrid: None,
        flow: facts.flow,
        arrival_depth_m: facts.arrival_depth,
        hazard_depth_m: facts.hazard_depth,
        device: backend.describe(),
        tile: backend.tile(),
        steps: clock.taken(),
        time_unit: if timed { "seconds" } else { "steps" },
        calibrated: clock.is_calibrated(),
        simulated_s: timed.then(|| clock.now()),
        dt_range_s: clock.step_range(),
        epochs_redone: facts.has_clock.then(|| backend.epochs_redone()),
        quality: None,
        maps: Vec::new(),
        styles: BTreeMap::new(),
        greatest: Vec::new(),
        step_held: None,
        flow_cut_share: facts.has_clock.then(|| backend.crossed().share_cut()),
        wall_s: 0.0,
        wall_parts_s: WallParts::default(),
        resumed_at_steps: Vec::new(),
        cell_steps_per_s: 0.0,
        wet_cells: backend.wet_cells(),
        flooded_cells,
        links: link_volumes(&**backend, facts.links, f64::from(grain.metres()) * grid.cell_area())?,
        sources: source_volumes(&facts.sources, &facts.watched.accounts.sources, &brought, cell),
        held_levels,
        ratings,
        other_inflow_m3: facts
            .watched
            .accounts
            .has_other
            .then(|| brought.other(&ledger) as f64 * cell),
        open_sides: side_volumes(&facts.watched.accounts.sides.names, &brought, cell),
        points: None,
        gauges: Vec::new(),
        sections: Vec::new(),
        gauge_every: facts.watched.every,
        released_m3: None,
        rain_mm: {
            let area = facts.domain_cells as f64 * grid.cell_area();
            1000.0 * ledger.volumes(grain, grid.cell_area()).of("rain") / area
        },
        volume: ledger.volumes(grain, grid.cell_area()),
        outputs,
        warnings: facts.warnings,
    })
}

/// An error unless the lines of those who bring and take water make up the ledger's inflow and outflow.
fn check_lines(accounts: &Accounts, brought: &Brought, ledger: &Ledger) -> Result<()> {
    let (came, left) = (brought.other(ledger), brought.other_out(ledger));
    if left == 0 && (came == 0 || (accounts.has_other && came > 0)) {
        return Ok(());
    }
    Err(Error::always(format!(
        "the lines of the mass balance are off by {came} units of inflow and {left} of outflow, which is a defect of this program"
    ))
    .hint("please report it with the scenario"))
}

/// What came in and went out where levels are held; a grain of a cell is `grain` m³.
fn level_volumes(names: &[String], brought: &Brought, grain: f64) -> Vec<LevelVolumes> {
    let volumes = |(name, &(came, left)): (&String, &(u64, u64))| LevelVolumes {
        name: name.clone(),
        inflow_m3: came as f64 * grain,
        outflow_m3: left as f64 * grain,
    };
    names.iter().zip(&brought.levels).map(volumes).collect()
}

/// What left over open sides; a grain of a cell is `grain` m³.
fn side_volumes(names: &[&'static str], brought: &Brought, grain: f64) -> Vec<SideVolume> {
    let sides = names.iter().zip(&brought.sides);
    sides.map(|(&side, &left)| SideVolume { side, outflow_m3: left as f64 * grain }).collect()
}

/// What each source brought; a grain of a cell is `grain` m³.
fn source_volumes(
    sources: &[SourceFacts],
    names: &[String],
    brought: &Brought,
    grain: f64,
) -> Vec<SourceVolume> {
    let volumes = sources.iter().zip(names).zip(&brought.sources);
    let volume = |((source, name), &grains): ((&SourceFacts, &String), &u64)| SourceVolume {
        name: name.clone(),
        cells: source.cells,
        inflow_m3: grains as f64 * grain,
    };
    volumes.map(volume).collect()
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
