//! Reads and checks all inputs that the options name, and builds the [`Scenario`].

use super::boundary_conditions::BoundaryConditions;
use super::data_after_end::DataAfterEnd;
use super::depths;
use super::flow::FlowFacts;
use super::losses::{self, Plan};
use super::maps::{ChosenMaps, Grids};
use super::memory::check_fits;
use super::options::Options;
use super::points;
use super::quantity::named;
use super::report_details::ReportDetails;
use super::solver::SolverChoice;
use super::start_from::Start;
use super::subgrid::{ComputationalGrid, Subgrid};
use super::terrain::FineTerrain;
use super::time;
use super::validated::ValidatedOptions;
use super::watched::{self, lay_on_pixels};
use super::water::{Rates, Time};
use super::{Facts, Scenario};
use crate::engine::backend::Problem;
use crate::engine::backend::sites::enters_from_rest;
use crate::engine::forcing::sites::{PlacedSite, SiteKind};
use crate::engine::forcing::{Forcing, steady};
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid, beside};
use crate::engine::solver::SolverInfo;
use crate::error::{Error, Result};
use crate::input::background;
use crate::input::dem::Dem;
use crate::input::dem::fine_ground::FineGround;
use crate::input::notice::{Notices, Reading, Texts};
use crate::measures;
use crate::output::checkpoint::about::Remembering;
use crate::output::layers::{Fine, TimeScope};
use crate::output::points::Points;
use crate::output::watch::{Accounts, BoundaryPorts, Sides, Watched};
use crate::words::and_more;
use std::sync::Arc;

/// Share of the area of the domain that evaporation may take from beyond it without a warning.
const MUCH_BEYOND: f64 = 0.01;

/// Reads, checks and converts a run.
pub fn build(options: &Options) -> Result<Scenario> {
    read(options, true)
}

/// Like [`build`], but does not keep the fine ground, which only maps need.
pub fn build_for_check(options: &Options) -> Result<Scenario> {
    read(options, false)
}

/// Returns the input's error, if it has one, instead of `occupied`, which reports that a run has no
/// place for its results. Otherwise the user would give up earlier results and then see the error
/// of the input.
pub fn wrong_input_or(occupied: Error, options: &Options) -> Error {
    build_for_check(options).err().unwrap_or(occupied)
}

fn read(options: &Options, draws: bool) -> Result<Scenario> {
    let (validated, (mut start, about_start)) = ValidatedOptions::of(options)?;
    let report_details = ReportDetails::read(&options.report_details)?;
    let mut notices = Notices::default();
    let pixels = FineTerrain::read(options, validated.dem, validated.solver.info, &mut notices)?;
    let has_tables = validated.ratio > 1 || pixels.narrow_rivers.is_some();
    let draws_fine = validated.draws_fine(options, has_tables)?;
    let report_details =
        report_details_on(options, report_details, &pixels.dem.grid, &mut notices)?;
    let beyond = DataAfterEnd::default();
    let time = Time::of(&validated, start.as_ref(), &beyond);
    let points = points::read(options, validated.curves.clone(), &pixels, &validated.clock)?;
    let points = points.map(|points| Arc::new(notices.of(points)));
    let shows = draws_fine || options.points.is_some();
    let asks = !options.gauges.is_empty() || options.sewers.is_some();
    let keeps = has_tables && (draws && shows || asks);
    let mut ground = ComputationalGrid::read(options, &validated, pixels, keeps, &mut notices)?;
    let grain = start.as_ref().map_or(options.grain, |start| Some(start.grain()));
    let grain = grain.unwrap_or_default();
    let mut water =
        BoundaryConditions::read(options, &validated, &ground, grain, time, &mut notices)?;
    notices.add(about_start);
    if let Some(start) = &mut start {
        // Before the mass balance gets its terms from the rates.
        water.go_on(start, ground.dem.ground())?;
    }
    let watched = watched(options, &validated, &ground, &water, &mut notices)?;
    check_steps(options, &validated, &mut notices)?;
    warn_if_dry(&water, &mut notices);
    let losses = losses(options, &mut ground, &mut water, time, &mut notices)?;
    // Once all dates are read, of which the first may be the start of the run.
    notices.warn_all(water.sewers.as_ref().and_then(|sewers| sewers.check_start(time)));
    let remembering = remembering(&mut start, &mut water.rates.forcing);
    let grids = Grids {
        draws_fine,
        has_gauges: has_tables && !watched.gauges.is_empty(),
        has_points: points.is_some(),
        has_tables,
    };
    let maps = maps(options, &validated, &losses, water.grain, grids, &mut notices)?;
    let grid = &ground.dem.grid;
    if maps.chosen.shows_flow() || watched.gauges.iter().any(|gauge| grid.is_at_edge(gauge.cell)) {
        notices.note_all(weak_flow(validated.solver.info, grid, &water.rates.forcing));
    }
    notices.warn_all(oblong_cells(validated.solver.info, grid));
    notices.note_all(time.beyond_the_end());
    let read = Read { report_details, points, watched, losses, remembering, maps, draws_fine };
    let holders = water.holders.clone();
    let (problem, mut facts) = convert(options, &validated, ground, water, read, notices);
    facts.notes.extend(still_levels(&problem, &holders));
    check_fits(&problem, validated.dem)?;
    let mut scenario = Scenario { problem, clock: validated.clock, facts, start };
    if let Some(start) = &scenario.start {
        start.check_fields(&scenario.problem)?;
        start.describe(&scenario.problem, &mut scenario.facts);
    }
    Ok(scenario)
}

/// Inputs that affect neither the terrain nor the water.
struct Read {
    report_details: ReportDetails,
    points: Option<Arc<Points>>,
    watched: Watched,
    losses: losses::Read,
    remembering: Vec<Remembering>,
    maps: ChosenMaps,
    draws_fine: bool,
}

/// Returns the report details, after a check of its background on the DEM's grid.
fn report_details_on(
    options: &Options,
    report_details: Reading<ReportDetails>,
    grid: &Grid,
    notices: &mut Notices,
) -> Result<ReportDetails> {
    let report_details = notices.of(report_details);
    if let Some(path) = &options.report_details.background {
        notices.add(background::check(path, grid)?);
    }
    Ok(report_details)
}

/// Returns a note about cells at the edge of the map whose water comes or leaves without a face.
fn weak_flow(solver: &SolverInfo, grid: &Grid, forcing: &Forcing) -> Option<String> {
    let kinds = [("source", SiteKind::Inflow), ("rating", SiteKind::Rated)];
    let is_at_edge = |kind: SiteKind| {
        kind.cells(forcing).iter().any(|site: &PlacedSite| grid.is_at_edge(site.cell))
    };
    let keys: Vec<&str> =
        kinds.into_iter().filter(|(_, kind)| is_at_edge(*kind)).map(|(key, _)| key).collect();
    (solver.is_timed() && !keys.is_empty()).then(|| {
        format!(
            "{}: in its cells along the edge of the map, velocities, unit discharges and hazards are about half of those of flow across the edge, because they are means over faces and there is none beyond; read them a cell further in",
            keys.join(", ")
        )
    })
}

/// Maximum number of levels named in a note.
const NAMED_LEVELS: usize = 4;

/// Returns a note about levels along the edge of the map at which water enters from rest; `holders`
/// are the names of all levels.
fn still_levels(problem: &Problem, holders: &[String]) -> Option<String> {
    let still = match problem.solver.has_momentum() {
        true => enters_from_rest(problem),
        false => Vec::new(),
    };
    let grid = &problem.grid;
    let is_outside = |near: usize| problem.bed.levels[near] == Bed::OUTSIDE;
    // Also behind a collar of NoData.
    let is_at_edge = |&cell: &usize| {
        grid.is_at_edge(cell) || beside(cell, (grid.columns, grid.rows)).any(is_outside)
    };
    let at_edge = still
        .iter()
        .filter(|(_, cells)| cells.iter().any(is_at_edge))
        .map(|(holder, _)| format!("'{}'", holders[*holder as usize]));
    let names: Vec<String> = at_edge.collect();
    (!names.is_empty()).then(|| {
        format!(
            "level: water enters from rest, as from a lake, at {}, which borders on ground below its level in more than one direction; the level of a river or an estuary is a straight section from bank to bank",
            and_more(names.iter(), NAMED_LEVELS)
        )
    })
}

/// Ratio of the sides of a cell from which flow across the grid is wrong by more than some percent.
const OBLONG: f64 = 1.15;

/// Returns a warning about cells that are not square, on which `shallow-water` decelerates flow at
/// an angle to the grid.
fn oblong_cells(solver: &SolverInfo, grid: &Grid) -> Option<String> {
    let [least, most] = [grid.dx.min(grid.dy), grid.dx.max(grid.dy)];
    (solver.has_momentum() && most > OBLONG * least).then(|| {
        format!(
            "the cells of {:.4} x {:.4} m are not square: channels at an angle to the grid are too deep with {}, by 8 % and more; resample the DEM to square cells (gdalwarp -tr {least:.4} {least:.4}), or use inertial",
            grid.dx, grid.dy, solver.name
        )
    })
}

/// Warns if no water is in the run or enters it.
fn warn_if_dry(water: &BoundaryConditions, notices: &mut Notices) {
    let Forcing { rates, top_up, stage_boundaries, .. } = &water.rates.forcing;
    let none = rates.is_empty()
        && top_up.is_empty()
        && stage_boundaries.is_empty()
        && water.initial.is_empty();
    let none = none && water.sewers.is_none();
    if none && !notices.are_dry() {
        notices.warn(
            "there is no water in this run, so its maps will be dry: give --rain, --source, --level, --inflow-depth, --initial-depth, --initial-level or --start-from",
        );
    }
}

/// Reads the losses, and adds evaporation to the forcing. Rain and sources come first, because
/// without a given start their first date is the start.
fn losses(
    options: &Options,
    ground: &mut ComputationalGrid,
    water: &mut BoundaryConditions,
    time: Time,
    notices: &mut Notices,
) -> Result<losses::Read> {
    let means = ground.loss_means.take();
    let plan = Plan::named_in(options, time)?;
    notices.note_all(time.clock.notes());
    let dem = &ground.dem;
    let forcing = &mut water.rates.forcing;
    let losses = losses::read(plan, means, dem.ground(), water.grain, forcing, time.end)?;
    let mut read = notices.of(losses);
    if let (Some(losses), Some(subgrid)) = (&mut read.losses, &ground.subgrid) {
        losses::take_from_open_pixels(losses, &subgrid.tables);
        if losses.evaporation.is_some() {
            notices.warn_all(evaporates_beyond(dem, &subgrid.fine));
        }
    }
    Ok(read)
}

/// Warns if evaporation from whole cells takes much more than from their open pixels.
fn evaporates_beyond(cells: &Dem, fine: &FineGround) -> Option<String> {
    let open = fine.open as f64 * fine.grid.cell_area();
    let beyond = cells.domain_cells as f64 * cells.grid.cell_area() - open;
    (beyond > MUCH_BEYOND * open).then(|| {
        format!(
            "evaporation: it takes water from all of the area of a cell, which is {beyond:.0} m² ({:.1} %) more than the pixels in the domain; use a smaller subgrid if that is too much",
            100.0 * beyond / open
        )
    })
}

/// Returns the sites that keep a state, continued from the state that the run starts from.
fn remembering(start: &mut Option<Start>, forcing: &mut Forcing) -> Vec<Remembering> {
    let Some(start) = start else { return Remembering::of(&forcing.sites) };
    // Again, because the losses add evaporation.
    start.carry_on(&mut forcing.rates);
    start.go_on(forcing)
}

/// Chooses the maps, and warns of very many.
fn maps(
    options: &Options,
    validated: &ValidatedOptions,
    losses: &losses::Read,
    grain: Grain,
    grids: Grids,
    notices: &mut Notices,
) -> Result<ChosenMaps> {
    let maps = ChosenMaps::of(options, validated, &losses.losses, grain, grids)?;
    if let Some(every) = validated.output_every {
        let series =
            maps.chosen.layers.iter().filter(|layer| layer.scope == TimeScope::Now).count();
        notices.warn_all(time::check_series(every, series, &validated.clock)?);
    }
    let shows_hazard = grids.has_points && validated.solver.info.is_timed()
        || maps.chosen.layers.iter().any(|layer| matches!(layer.fine, Fine::Hazard(..)));
    if options.hazard_depth.is_some() && !shows_hazard {
        notices.warn(match validated.solver.info.is_timed() {
            true => "hazard_depth: has no effect, because no layer of hazards is chosen; add max_hazard or max_aidr to layers",
            false => "hazard_depth: has no effect, because the solver has no velocities, and so no hazards",
        });
    }
    Ok(maps)
}

/// Converts all that was read into the input of the backend and the facts for outputs.
fn convert(
    options: &Options,
    validated: &ValidatedOptions,
    ground: ComputationalGrid,
    water: BoundaryConditions,
    read: Read,
    notices: Notices,
) -> (Problem, Facts) {
    let ComputationalGrid { dem, subgrid, friction, .. } = ground;
    let BoundaryConditions { rates, links, structures, initial, shut, grain, open, sewers, .. } =
        water;
    let Read { report_details, points, watched, losses, remembering, maps, draws_fine } = read;
    let Texts { inputs, assumed, notes, warnings } = notices.into_texts(dem.height_unit);
    let SolverChoice { info, neighbourhood, alpha } = validated.solver;
    let timed = info.is_timed();
    let tables = subgrid.as_ref().map(|subgrid| subgrid.tables.clone());
    let keeps_discharge = watched.needs_discharge() || maps.chosen.needs_discharge();
    let gauges = watched.gauges.iter().map(|gauge| gauge.cell).collect();
    let facts = Facts {
        grid: dem.grid.clone(),
        fine: subgrid.map(|subgrid| subgrid.fine),
        parted: tables.as_ref().map_or_else(Default::default, |tables| tables.parted_cells()),
        continues_infiltration: false,
        draws_fine,
        surface: options.output_surface.unwrap_or_default(),
        height_unit: dem.height_unit,
        bed_range: dem.range,
        domain_cells: dem.domain_cells,
        flow: FlowFacts {
            solver: info.name,
            order: info.order,
            neighbourhood,
            alpha: info.default_alpha(neighbourhood).map(|default| alpha.unwrap_or(default)),
            roughness: timed.then(|| friction.roughness.range(&dem.bed)),
            losses: losses.ranges,
            grain,
            open_shares: rates.open_cells.shares(dem.ground()),
            open,
            outflow_slopes: {
                let named = validated.slopes.named().into_iter();
                named.filter(|(side, _)| open.names().contains(side)).collect()
            },
        },
        has_clock: timed,
        land_cover: if timed { friction.land_cover } else { Vec::new() },
        links,
        structures: structures.facts,
        sources: rates.sources,
        report_details,
        background: options.report_details.background.clone(),
        arrival_depth: validated.arrivals[0],
        extents: validated.extents.clone(),
        extent_series: options.extent_series,
        hazard_depth: maps.hazard_depth,
        initial_drop: depths::drop(dem.ground(), &initial, grain, tables.as_deref()),
        output_every: validated.output_every,
        checkpoint_every: validated.checkpoint_every,
        start: validated.wall_clock.start().cloned(),
        remembering,
        steady_since: steady::since(&rates.forcing, validated.clock.end()),
        points,
        sewers: sewers.map(Arc::new),
        watched,
        layers: maps.chosen,
        inputs,
        assumed,
        notes,
        warnings,
    };
    let problem = Problem {
        grid: dem.grid,
        bed: Bed { shut, ..dem.bed },
        initial,
        solver: info.solver(neighbourhood, alpha),
        neighbourhood,
        // Over the sides without a slope, water leaves the cells as onto lower ground.
        open: open.without(validated.slopes.sides()),
        forcing: rates.forcing,
        grain,
        arrival: maps.arrival,
        roughness: friction.roughness,
        subgrid: tables,
        losses: losses.losses,
        cell_diagnostics: maps.cell_diagnostics,
        gauges,
        keeps_discharge,
    };
    (problem, facts)
}

/// Reads what the run records, with a share of the mass balance for each inflow.
fn watched(
    options: &Options,
    validated: &ValidatedOptions,
    ground: &ComputationalGrid,
    forced: &BoundaryConditions,
    notices: &mut Notices,
) -> Result<Watched> {
    let dem = &ground.dem;
    let watched = watched::read(options, &validated.clock, validated.solver.info, dem.ground())?;
    let mut watched = notices.of(watched);
    let Rates { forcing, sources, shares, .. } = &forced.rates;
    notices.warn_all(watched::check_sides(&watched.sections, forcing, dem.ground()));
    watched::add_structures(&mut watched, &forced.structures.sections)?;
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let levels: Vec<&str> = forced.holders.iter().map(String::as_str).collect();
    let inlets = forced.sewers.as_ref().map_or(0, |sewers| sewers.inlets.len());
    let ports = BoundaryPorts { levels: &levels, ratings: forced.ratings, inlets };
    let sides = Sides::new(forced.open, validated.slopes.pulls(&dem.grid));
    let cells = dem.domain_cells;
    watched.accounts = Accounts::new(forcing, cells, &names, shares.clone(), ports, sides);
    if let Some(Subgrid { tables, fine, rivers }) = &ground.subgrid {
        notices.note_all(lay_on_pixels(&mut watched.gauges, fine, tables, rivers.as_ref())?);
    }
    Ok(watched)
}

/// Warns if steps are longer than the duration or the output interval.
fn check_steps(
    options: &Options,
    validated: &ValidatedOptions,
    notices: &mut Notices,
) -> Result<()> {
    let (clock, step) = (&validated.clock, validated.clock.longest_step());
    if validated.output_every.is_some_and(|every| clock.steps_in_all().is_some() && every < step) {
        notices.warn(format!(
            "output_every: shorter than a step of {}, so every step is written",
            clock.show(step)
        ));
    }
    let duration = named("duration", &options.duration, measures::parse_duration)?;
    if let Some(duration) = duration.filter(|duration| clock.end() > 1.5 * duration) {
        notices.warn(format!(
            "step: a step of {} is longer than the duration of {}, so the run is longer",
            clock.show(step),
            clock.show(duration)
        ));
    }
    Ok(())
}
