//! Reads and checks everything that the options name.

use super::beyond::Beyond;
use super::depths::{self, Depths};
use super::elsewhere;
use super::friction::Friction;
use super::grain::{self, mean_depth};
use super::held_rim::HeldRim;
use super::imprint::Imprint;
use super::land_cover::LandCover;
use super::levels::Levels;
use super::links::LinkInput;
use super::losses::{self, Plan};
use super::maps::{self, Maps};
use super::memory::{check_fits, least_bytes_per_cell};
use super::obstacles::Obstacles;
use super::options::{
    DEFAULT_AUTOMATON, DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, GrainChoice, Moment, Options, Quantity,
};
use super::outflow::OutflowSlopes;
use super::source_facts::OpenRim;
use super::time;
use super::watched;
use super::water::{self, Time};
use super::{Facts, Scenario};
use crate::engine::backend::Problem;
use crate::engine::boundary::OpenEdges;
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::Forcing;
use crate::engine::forcing::steady;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::pace::FIRST;
use crate::engine::rule::{self, LEAST_ALPHA, RuleInfo};
use crate::error::{Error, Result};
use crate::input::background;
use crate::input::checksum;
use crate::input::dem::{self, DemOptions};
use crate::input::file::InputFile;
use crate::input::notice::Notices;
use crate::input::when::WallClock;
use crate::output::layers::Tells;
use crate::output::watch::{Accounts, Sides};
use crate::units;
use std::path::Path;

/// Reads, checks and converts a run.
pub fn build(options: &Options) -> Result<Scenario> {
    elsewhere::check(options)?;
    // Everything that can be judged without reading a raster comes first.
    let path = options.dem.as_ref().ok_or_else(|| {
        Error::input("no DEM is given").hint("give one with --dem dem.tif, or dem = \"dem.tif\"")
    })?;
    let (info, neighbourhood, alpha) = rule_of(options)?;
    let clock = time::clock_of(options, info)?;
    let output_every = time::output_every(options, &clock)?;
    let checkpoint_every = time::checkpoint_every(options)?;
    let mut open = OpenEdges::parse_both(options.open.as_deref(), options.closed.as_deref())?;
    let slopes = OutflowSlopes::read(&options.outflow_slope, &mut open, info)?;
    let arrivals = maps::arrival_depths(options)?;
    let arrival_depth = arrivals[0];
    options.tile_size()?;
    options.compress.unwrap_or_default().check()?;
    let wall_clock = match &options.start {
        Some(Moment(text)) => WallClock::starting(text)?,
        None => WallClock::default(),
    };
    let land_cover = LandCover::named_in(options)?;
    no_layer_is_the_dem(options, path)?;
    let imprint = Imprint::read(&options.imprint)?;

    let dem_options = DemOptions {
        nodata: options.nodata,
        height_unit: options.height_unit.clone(),
        accept_distortion: options.accept_distortion,
        local_metres: options.local_metres,
        bytes_per_cell: least_bytes_per_cell(),
    };
    // GDAL keeps its messages in one place, so a VRT's files are found when nothing else is read.
    let sum = || (!checksum::is_vrt(path)).then(|| InputFile::new("dem", path));
    let (dem, file) = rayon::join(|| dem::read(path, &dem_options), sum);
    let mut dem = dem?;
    let obstacles = Obstacles::build(options, &mut dem)?;
    let mut said = Notices::default();
    if let Some(file) = &options.scenario_file {
        said.read("scenario", file)?;
    }
    said.inputs.push(file.unwrap_or_else(|| InputFile::new("dem", path))?);
    said.warn_all(std::mem::take(&mut dem.warnings));
    let obstacles = said.of(obstacles);
    let imprint = said.of(imprint);
    if let Some(path) = &options.imprint.background {
        said.add(background::check(path, &dem.grid)?);
    }
    let beyond = Beyond::default();
    let time = Time { unit: clock.unit, end: clock.end(), clock: &wall_clock, beyond: &beyond };
    let depths = said.of(Depths::read(options, &dem.grid, &dem.bed)?);
    let rim = OpenRim::of(open, &dem.grid, &dem.bed);
    let mut forcing = said.of(water::rates(options, rim, &dem.grid, &dem.bed, time)?);
    let levels = said.of(Levels::read(&options.level, &dem.grid, &dem.bed, time)?);
    let held_cells = levels.cells();
    let held_rim = said.of(HeldRim::close(open, &held_cells, &dem.grid, &dem.bed));
    let open = held_rim.open;
    dem.bed.shut = held_rim.shut;
    let links = said.of(LinkInput::read(options.links.as_deref(), &dem.grid, &dem.bed, time)?);
    let mean = mean_depth(&forcing.forcing.rates, &dem.bed, clock.end()) + depths.mean(&dem.bed);
    // What a step brings to a cell must fit before it can flow on.
    let step = if info.is_timed() { f64::from(FIRST) } else { clock.longest_step() };
    let brought = forcing.forcing.rates.iter().map(|layer| layer.series.peak() * step);
    let held = levels.deepest(&dem.bed, clock.end());
    let asked =
        depths.deepest(&dem.bed).max(held).max(arrival_depth).max(brought.fold(0.0, f64::max));
    let expected = asked.max(grain::depth_at_the_bottom(&dem.bed, mean));
    let expected = expected.max(levels.deepest_fill(&dem.bed, clock.end()));
    let grain = grain::choose(options.grain.unwrap_or_default(), asked, expected)?;
    grain::check_asked(asked, dem.range.1 - dem.range.0)?;
    match grain::note(grain, expected) {
        Some((says, false)) => said.warn(says),
        Some((says, true)) if options.grain.unwrap_or_default() == GrainChoice::Auto => {
            said.note(says);
        }
        _ => {}
    }
    let initial = depths.initial_grains(grain, &dem.bed)?;
    forcing.forcing.top_up = depths.top_up_grains(grain)?;
    forcing.forcing.sinks = depths.sinks;
    levels.check_apart(&forcing.forcing, &dem.grid)?;
    forcing.forcing.held = levels.held;
    forcing.forcing.links = links.links;
    let friction =
        said.of(Friction::read(options, land_cover, &dem.grid, &dem.bed, info.is_timed())?);
    forcing.forcing.free = slopes.cells(&dem.grid, &dem.bed, &friction.roughness);
    forcing.forcing.free.retain(|free| !held_cells.contains(&free.cell));
    let rule = info.rule(neighbourhood, alpha);
    let roofs = &obstacles.roofs;
    let mut watched = said.of(watched::read(options, &clock, info, &dem.grid, &dem.bed, roofs)?);
    let names: Vec<&str> = forcing.sources.iter().map(|source| source.name.as_str()).collect();
    let holders: Vec<&str> = levels.holders.iter().map(String::as_str).collect();
    let sides = Sides::new(open, slopes.pulls(&dem.grid));
    watched.accounts =
        Accounts::new(&forcing.forcing, dem.domain_cells, &names, forcing.stakes, &holders, sides);
    let gauges = watched.gauges.iter().map(|gauge| gauge.cell).collect();
    let keeps_discharge = watched.needs_discharge();
    if let Some(every) = output_every
        && clock.steps_in_all().is_some()
        && every < clock.longest_step()
    {
        said.warn(format!(
            "output_every: shorter than a step of {}, so every step is written",
            clock.show(clock.longest_step())
        ));
    }
    let asked = named("duration", &options.duration, units::parse_duration)?;
    if let Some(asked) = asked.filter(|asked| clock.end() > 1.5 * asked) {
        said.warn(format!(
            "step: a step of {} is longer than the duration of {}, so the run is longer",
            clock.show(clock.longest_step()),
            clock.show(asked)
        ));
    }
    let Forcing { rates, top_up, held, .. } = &forcing.forcing;
    let none = rates.is_empty() && top_up.is_empty() && held.is_empty() && initial.is_empty();
    if none && !said.are_dry() {
        said.warn(
            "there is no water in this run: give --rain, --source, --level, --inflow-depth, --initial-depth or --initial-level",
        );
    }
    let arrival = maps::grains("arrival_depth", arrival_depth, grain)?;
    // After rain and sources: without a start, the first dates of those are it.
    let losses = Plan::named_in(options, time)?;
    said.note_all(wall_clock.notes());
    let losses = said.of(losses::read(
        losses,
        &obstacles.roofs,
        &dem.grid,
        &dem.bed,
        grain,
        &mut forcing.forcing,
        clock.end(),
    )?);
    let maps = Maps::of(options, info, &losses.losses, grain, &arrivals)?;
    if let Some(every) = output_every {
        let series = maps.chosen.layers.iter().filter(|layer| layer.tells == Tells::Now).count();
        said.warn_all(time::check_series(every, series, &clock)?);
    }
    let keeps_discharge = keeps_discharge || maps.chosen.needs_discharge();
    let in_time = (clock.unit == TimeUnit::Seconds).then_some(&wall_clock);
    said.note_all(beyond.note(clock.end(), in_time));
    let (inputs, notes, warnings) = said.told();
    let facts = Facts {
        grid: dem.grid.clone(),
        height_unit: dem.height_unit,
        bed_range: dem.range,
        domain_cells: dem.domain_cells,
        rule: info.name,
        order: info.order,
        neighbourhood,
        has_clock: info.is_timed(),
        alpha: info.default_alpha(neighbourhood).map(|default| alpha.unwrap_or(default)),
        roughness: info.is_timed().then(|| friction.roughness.range(&dem.bed)),
        land_cover: if info.is_timed() { friction.land_cover } else { Vec::new() },
        losses: losses.ranges,
        grain,
        open,
        outflow_slopes: {
            let named = slopes.named().into_iter();
            named.filter(|(side, _)| open.names().contains(side)).collect()
        },
        links: links.facts,
        sources: forcing.sources,
        imprint,
        background: options.imprint.background.clone(),
        arrival_depth,
        hazard_depth: maps.hazard_depth,
        initial_drop: depths::drop(&dem.grid, &dem.bed, &initial, grain),
        output_every,
        checkpoint_every,
        start: wall_clock.start().cloned(),
        steady_since: steady::since(&forcing.forcing, clock.end()),
        watched,
        layers: maps.chosen,
        inputs,
        notes,
        warnings,
    };
    let problem = Problem {
        grid: dem.grid,
        bed: dem.bed,
        initial,
        rule,
        neighbourhood,
        // Water leaves over the others from the cells along them, as to lower ground beyond.
        open: open.without(slopes.sides()),
        forcing: forcing.forcing,
        grain,
        arrival,
        roughness: friction.roughness,
        losses: losses.losses,
        tracks: maps.tracks,
        gauges,
        keeps_discharge,
    };
    check_fits(&problem, path)?;
    Ok(Scenario { problem, clock, facts })
}

/// Refuses the DEM in the place of depths or rain, which it would pass for.
fn no_layer_is_the_dem(options: &Options, dem: &Path) -> Result<()> {
    let texts = [("initial_depth", &options.initial_depth), ("rain", &options.rain)];
    let texts =
        texts.into_iter().filter_map(|(key, said)| Some((key, Path::new(&said.as_ref()?.0))));
    let depth = options.inflow_depth.as_deref().map(|path| ("inflow_depth", path));
    let real = |path: &Path| path.canonicalize().ok();
    let same = |path: &Path| real(path).is_some_and(|path| Some(path) == real(dem));
    match texts.chain(depth).find(|(_, path)| same(path)) {
        Some((key, path)) => Err(Error::input(format!("{key}: '{}' is the DEM", path.display()))
            .hint("give a raster of its own: heights are no depths; for a level, there is initial_level")),
        None => Ok(()),
    }
}

/// Parses an optional quantity and names its key in the error.
pub(super) fn named<T>(
    key: &str,
    quantity: &Option<Quantity>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let parsed = quantity.as_ref().map(|Quantity(text)| parse(text)).transpose();
    parsed.map_err(|error| error.of(key))
}

/// The rule, its neighbourhood and its relaxation, as asked for or by default.
pub fn rule_of(options: &Options) -> Result<(&'static RuleInfo, Neighbourhood, Option<f32>)> {
    // A run in time takes the rule that finds its own steps, unless it is told how long a step is.
    let physical = options.step.is_none() && options.steps.is_none();
    let default = if physical { DEFAULT_RULE } else { DEFAULT_AUTOMATON };
    let name = options.rule.as_deref().unwrap_or(default);
    let info = rule::find(name).ok_or_else(|| {
        Error::input(format!("rule: there is no rule '{name}'"))
            .hint(format!("rules: {}", rule::names().join(", ")))
    })?;
    let info = match options.order {
        None => info,
        Some(order) => rule::find_order(name, order).ok_or_else(|| {
            let others = rule::RULES.iter().filter(|rule| rule.name == name);
            let orders: Vec<String> = others.map(|rule| rule.order.to_string()).collect();
            Error::input(format!("order: '{name}' has no order {order} in space"))
                .hint(format!("'{name}' has {}", orders.join(" and ")))
        })?,
    };
    let neighbourhood = options.neighbourhood.unwrap_or(DEFAULT_NEIGHBOURHOOD);
    if !info.neighbourhoods().contains(&neighbourhood) {
        let names = info.neighbourhoods().iter().map(|near| near.name());
        let names: Vec<&str> = names.collect();
        return Err(Error::input(format!("neighbourhood: '{name}' has no '{neighbourhood}'"))
            .hint(format!("it works with {}; leave the neighbourhood out", names.join(", "))));
    }
    match options.alpha {
        Some(_) if info.default_alpha(neighbourhood).is_none() => {
            return Err(Error::input(format!("alpha: '{name}' has no relaxation"))
                .hint("leave alpha out; what slows its water down is the roughness"));
        }
        Some(alpha) if !(LEAST_ALPHA..=1.0).contains(&alpha) => {
            let hint = if alpha > 0.0 && alpha < LEAST_ALPHA {
                format!("give {LEAST_ALPHA} or more: less moves next to no water")
            } else {
                format!("alpha must be at least {LEAST_ALPHA} and no more than 1")
            };
            return Err(Error::input(format!("alpha: {alpha} is out of range")).hint(hint));
        }
        _ => {}
    }
    Ok((info, neighbourhood, options.alpha.map(|alpha| alpha as f32)))
}
