//! Reads and checks all inputs that the options name, and builds the [`Scenario`].

use super::boundary_conditions::BoundaryConditions;
use super::data_after_end::Beyond;
use super::depths;
use super::flow::FlowFacts;
use super::losses::{self, Plan};
use super::maps::{self, Grids, Maps};
use super::memory::check_fits;
use super::options::Options;
use super::points;
use super::quantity::named;
use super::start_from::Start;
use super::subgrid::{Subgrid, check_keeps};
use super::terrain::Terrain;
use super::time;
use super::validated::ValidatedOptions;
use super::watched::{self, lay_on_pixels};
use super::water::{Rates, Time};
use super::{Facts, Scenario};
use crate::engine::backend::Problem;
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::{Forcing, steady};
use crate::error::Result;
use crate::input::background;
use crate::input::notice::{Notices, Texts};
use crate::measures;
use crate::output::checkpoint::about::Remembering;
use crate::output::layers::Tells;
use crate::output::watch::{Accounts, Sides, Watched};
use std::sync::Arc;

/// Reads, checks and converts a run.
pub fn build(options: &Options) -> Result<Scenario> {
    read(options, true)
}

/// Like [`build`], but does not keep the fine ground, which only maps need.
pub fn look(options: &Options) -> Result<Scenario> {
    read(options, false)
}

fn read(options: &Options, draws: bool) -> Result<Scenario> {
    // Check first what can be checked without reading a raster.
    let mut asked = ValidatedOptions::of(options)?;
    let draws_fine = maps::draws_fine(options, asked.ratio > 1 || options.rivers.is_some())?;
    check_keeps(options, asked.ratio)?;
    let shows = draws_fine || options.points.is_some();
    let keeps = draws && shows || !options.gauges.is_empty();
    let mut said = Notices::default();
    let about_start = std::mem::take(&mut asked.said);
    let mut start = asked.start.take();
    let counted = start.as_ref().map(|start| start.counted(options));
    let mut terrain = Terrain::read(options, asked.dem, asked.solver.0, &mut said)?;
    let has_tables = asked.ratio > 1 || terrain.narrow_rivers.is_some();
    let draws_fine = draws_fine && maps::draws_fine(options, has_tables)?;
    let keeps = keeps && has_tables;
    let imprint = said.of(std::mem::take(&mut asked.imprint));
    if let Some(path) = &options.imprint.background {
        said.add(background::check(path, &terrain.dem.grid)?);
    }
    let (clock, beyond) = (asked.clock.clone(), Beyond::default());
    let wall_clock = std::mem::take(&mut asked.wall_clock);
    let elapsed = start.as_ref().map_or(0.0, Start::elapsed);
    let (unit, end) = (clock.unit, clock.end());
    let time = Time { unit, end, clock: &wall_clock, elapsed, beyond: &beyond };
    let curves = asked.curves.take();
    let points = points::read(options, curves, &terrain.dem, &terrain.roofs, &clock)?;
    let points = points.map(|points| Arc::new(said.of(points)));
    let mut subgrid = Subgrid::lay(options, &mut asked, &mut terrain, keeps, &mut said)?;
    let fine = subgrid.as_mut();
    let counted = counted.as_ref().unwrap_or(options);
    let mut forced =
        BoundaryConditions::read(counted, &mut asked, &mut terrain, fine, time, &mut said)?;
    if let Some(start) = &mut start {
        said.add(about_start);
        forced.initial = start.water(terrain.dem.ground())?;
        // Before the mass balance gets its lines from the rates.
        start.carry_on(&mut forced.rates.forcing.rates);
        start.hold_on(&mut forced.rates.forcing.held);
    }
    let mut watched = watched(options, &asked, &terrain, &forced, &mut said)?;
    if let Some(Subgrid { tables, fine, .. }) = &subgrid {
        let rivers = terrain.narrow_rivers.as_ref();
        said.note_all(lay_on_pixels(&mut watched.gauges, fine, tables, rivers)?);
    }
    check_steps(options, &asked, &mut said)?;
    let BoundaryConditions { mut rates, links, structures, initial, grain, open, friction, .. } =
        forced;
    let none = {
        let Forcing { rates, top_up, held, .. } = &rates.forcing;
        rates.is_empty() && top_up.is_empty() && held.is_empty() && initial.is_empty()
    };
    if none && !said.are_dry() {
        said.warn(
            "there is no water in this run: give --rain, --source, --level, --inflow-depth, --initial-depth or --initial-level",
        );
    }
    let Terrain { dem, roofs, .. } = terrain;
    let arrival = maps::grains("arrival_depth", asked.arrivals[0], grain)?;
    // After rain and sources, because without a given start their first date is the start.
    let losses = Plan::named_in(options, time)?;
    said.note_all(wall_clock.notes());
    let forcing = &mut rates.forcing;
    let losses = losses::read(losses, &roofs, dem.ground(), grain, forcing, clock.end())?;
    if let Some(start) = &start {
        // Again, because the losses add evaporation.
        start.carry_on(&mut forcing.rates);
    }
    let remembering = match &mut start {
        None => Remembering::of(&forcing.sites),
        Some(start) => start.go_on(forcing),
    };
    let losses = said.of(losses);
    let (info, neighbourhood, alpha) = asked.solver;
    let grids = Grids {
        draws_fine,
        has_gauges: subgrid.is_some() && !watched.gauges.is_empty(),
        has_points: points.is_some(),
        has_tables: subgrid.is_some(),
    };
    let maps = Maps::of(options, info, &losses.losses, grain, &asked.arrivals, grids)?;
    if let Some(every) = asked.output_every {
        let series = maps.chosen.layers.iter().filter(|layer| layer.tells == Tells::Now).count();
        said.warn_all(time::check_series(every, series, &clock)?);
    }
    let keeps_discharge = watched.needs_discharge() || maps.chosen.needs_discharge();
    let in_time = (clock.unit == TimeUnit::Seconds).then_some(&wall_clock);
    said.note_all(beyond.note(clock.end(), in_time));
    let gauges = watched.gauges.iter().map(|gauge| gauge.cell).collect();
    let Texts { inputs, assumed, notes, warnings } = said.into_texts(dem.height_unit);
    let timed = info.is_timed();
    let tables = subgrid.as_ref().map(|subgrid| subgrid.tables.clone());
    let mut facts = Facts {
        grid: dem.grid.clone(),
        fine: subgrid.map(|subgrid| subgrid.fine),
        parted: tables.as_ref().map_or_else(Default::default, |tables| tables.parted_cells()),
        draws_fine,
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
            open_shares: rates.rim.shares(dem.ground()),
            open,
            outflow_slopes: {
                let named = asked.slopes.named().into_iter();
                named.filter(|(side, _)| open.names().contains(side)).collect()
            },
        },
        has_clock: timed,
        land_cover: if timed { friction.land_cover } else { Vec::new() },
        links,
        structures: structures.facts,
        sources: rates.sources,
        imprint,
        background: options.imprint.background.clone(),
        arrival_depth: asked.arrivals[0],
        hazard_depth: maps.hazard_depth,
        initial_drop: depths::drop(dem.ground(), &initial, grain, tables.as_deref()),
        output_every: asked.output_every,
        checkpoint_every: asked.checkpoint_every,
        start: wall_clock.start().cloned(),
        remembering,
        steady_since: steady::since(&rates.forcing, clock.end()),
        points,
        watched,
        layers: maps.chosen,
        inputs,
        assumed,
        notes,
        warnings,
    };
    let problem = Problem {
        grid: dem.grid,
        bed: dem.bed,
        initial,
        solver: info.solver(neighbourhood, alpha),
        neighbourhood,
        // Over the sides without a slope, water leaves the cells as onto lower ground.
        open: open.without(asked.slopes.sides()),
        forcing: rates.forcing,
        grain,
        arrival,
        roughness: friction.roughness,
        subgrid: tables,
        losses: losses.losses,
        tracks: maps.tracks,
        gauges,
        keeps_discharge,
    };
    check_fits(&problem, asked.dem)?;
    if let Some(start) = &start {
        start.check_fields(&problem)?;
        start.tell(&problem, &mut facts.notes, &mut facts.warnings);
    }
    Ok(Scenario { problem, clock, facts, start })
}

/// Reads what the run records, with a share of the mass balance for each inflow.
fn watched(
    options: &Options,
    asked: &ValidatedOptions,
    terrain: &Terrain,
    forced: &BoundaryConditions,
    said: &mut Notices,
) -> Result<Watched> {
    let Terrain { dem, roofs, .. } = terrain;
    let watched = watched::read(options, &asked.clock, asked.solver.0, dem.ground(), roofs)?;
    let mut watched = said.of(watched);
    watched::add_structures(&mut watched, &forced.structures.sections)?;
    let Rates { forcing, sources, stakes, .. } = &forced.rates;
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let holders: Vec<&str> = forced.holders.iter().map(String::as_str).collect();
    let holders = (&holders[..], forced.ratings);
    let sides = Sides::new(forced.open, asked.slopes.pulls(&dem.grid));
    let cells = dem.domain_cells;
    watched.accounts = Accounts::new(forcing, cells, &names, stakes.clone(), holders, sides);
    Ok(watched)
}

/// Warns if steps are longer than the duration or the output interval.
fn check_steps(options: &Options, asked: &ValidatedOptions, said: &mut Notices) -> Result<()> {
    let (clock, step) = (&asked.clock, asked.clock.longest_step());
    if asked.output_every.is_some_and(|every| clock.steps_in_all().is_some() && every < step) {
        said.warn(format!(
            "output_every: shorter than a step of {}, so every step is written",
            clock.show(step)
        ));
    }
    let duration = named("duration", &options.duration, measures::parse_duration)?;
    if let Some(duration) = duration.filter(|duration| clock.end() > 1.5 * duration) {
        said.warn(format!(
            "step: a step of {} is longer than the duration of {}, so the run is longer",
            clock.show(step),
            clock.show(duration)
        ));
    }
    Ok(())
}
