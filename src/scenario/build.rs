//! Reads and checks everything that the options name.

use super::depths::Depths;
use super::grain::{self, mean_depth};
use super::ground::Ground;
use super::land_cover::LandCover;
use super::levels::Levels;
use super::options::{
    DEFAULT_ARRIVAL_DEPTH, DEFAULT_AUTOMATON, DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, GrainChoice,
    Options, Quantity,
};
use super::time;
use super::water::{self, Time};
use super::{Facts, Scenario};
use crate::backend::Problem;
use crate::boundary::OpenEdges;
use crate::error::{Error, Result};
use crate::forcing::Forcing;
use crate::grains::Grain;
use crate::input::dem::{self, DemOptions};
use crate::neighbourhood::Neighbourhood;
use crate::output::report::InputFile;
use crate::pace::FIRST;
use crate::rule::{self, LEAST_ALPHA, RuleInfo};
use crate::units;

/// Reads, checks and converts a run.
pub fn build(options: &Options) -> Result<Scenario> {
    // Everything that can be judged without reading a raster comes first.
    let path = options.dem.as_ref().ok_or_else(|| {
        Error::input("no DEM is given").hint("give one with --dem dem.tif, or dem = \"dem.tif\"")
    })?;
    let (info, neighbourhood, alpha) = rule_of(options)?;
    let clock = time::clock_of(options, info)?;
    let output_every = time::output_every(options, &clock)?;
    let checkpoint_every = time::checkpoint_every(options)?;
    let open = options.open.as_deref().map_or(Ok(OpenEdges::CLOSED), OpenEdges::parse)?;
    let arrival_depth = named("arrival_depth", &options.arrival_depth, units::parse_depth)?
        .unwrap_or(DEFAULT_ARRIVAL_DEPTH);
    options.tile_size()?;
    let land_cover = LandCover::named_in(options)?;

    let dem_options =
        DemOptions { nodata: options.nodata, height_unit: options.height_unit.clone() };
    let dem = dem::read(path, &dem_options)?;
    let mut inputs = Vec::new();
    if let Some(file) = &options.scenario_file {
        inputs.push(InputFile::new("scenario", file)?);
    }
    inputs.push(InputFile::new("dem", path)?);
    let mut notes = Vec::new();
    let mut warnings = dem.warnings;
    let time = Time { unit: clock.unit, end: clock.end() };
    let depths = Depths::read(options, &dem.grid, &dem.bed)?;
    let mut forcing = water::rates(options, &dem.grid, &dem.bed, time)?;
    let levels = Levels::read(&options.level, open, &dem.grid, &dem.bed, time)?;
    let mean = mean_depth(&forcing.forcing.rates, &dem.bed, clock.end()) + depths.mean(&dem.bed);
    // What a step brings to a cell must fit before it can flow on.
    let step = if info.is_timed() { f64::from(FIRST) } else { clock.longest_step() };
    let brought = forcing.forcing.rates.iter().map(|layer| layer.series.peak() * step);
    let held = levels.deepest(&dem.bed, clock.end());
    let asked = depths.deepest().max(held).max(arrival_depth).max(brought.fold(0.0, f64::max));
    let expected = asked.max(grain::depth_at_the_bottom(&dem.bed, mean));
    let expected = expected.max(levels.deepest_fill(&dem.bed, clock.end()));
    let grain = grain::choose(options.grain.unwrap_or_default(), asked, expected)?;
    if grain == Grain::Coarse && options.grain.unwrap_or_default() == GrainChoice::Auto {
        notes.push(format!(
            "if all the water ran to the lowest ground it would stand {expected:.0} m deep; it is counted in coarse grains (2^-20 m) so that even that fits (--grain fine keeps 2^-24 m)"
        ));
    }
    let initial = depths.initial_grains(grain, &dem.bed)?;
    forcing.forcing.top_up = depths.top_up_grains(grain)?;
    forcing.forcing.sinks = depths.sinks;
    levels.check_apart(&forcing.forcing, &dem.grid)?;
    forcing.forcing.held = levels.held;
    let ground = Ground::read(options, land_cover, &dem.grid, &dem.bed, info.is_timed())?;
    inputs.extend(ground.inputs);
    notes.extend(ground.notes);
    warnings.extend(ground.warnings);
    inputs.append(&mut forcing.inputs);
    inputs.extend(levels.inputs);
    inputs.extend(depths.inputs);
    notes.append(&mut forcing.notes);
    notes.extend(depths.notes);
    warnings.append(&mut forcing.warnings);
    warnings.extend(levels.warnings);
    warnings.extend(depths.warnings);
    if let Some(every) = output_every
        && clock.steps_in_all().is_some()
        && every < clock.longest_step()
    {
        warnings.push(format!(
            "output_every: shorter than a step of {}, so every step is written",
            clock.show(clock.longest_step())
        ));
    }
    let Forcing { rates, top_up, held, .. } = &forcing.forcing;
    if rates.is_empty() && top_up.is_empty() && held.is_empty() && initial.is_empty() {
        warnings.push(
            "there is no water in this run: give --rain, --source, --level, --inflow-depth or --initial-depth"
                .into(),
        );
    }
    let arrival = grain.from_depth(arrival_depth).ok_or_else(|| {
        Error::input(format!("arrival_depth: {arrival_depth} m is deeper than any water can get"))
    })?;
    let facts = Facts {
        grid: dem.grid.clone(),
        height_unit: dem.height_unit,
        bed_range: dem.range,
        domain_cells: dem.domain_cells,
        rule: info.name,
        neighbourhood,
        has_clock: info.is_timed(),
        alpha: info.default_alpha(neighbourhood).map(|default| alpha.unwrap_or(default)),
        roughness: info.is_timed().then(|| ground.roughness.range(&dem.bed)),
        land_cover: if info.is_timed() { ground.land_cover } else { Vec::new() },
        grain,
        open,
        arrival_depth,
        output_every,
        checkpoint_every,
        inputs,
        notes,
        warnings,
    };
    let problem = Problem {
        grid: dem.grid,
        bed: dem.bed,
        initial,
        rule: info.rule(neighbourhood, alpha),
        neighbourhood,
        open,
        forcing: forcing.forcing,
        grain,
        arrival,
        roughness: ground.roughness,
        losses: None,
        tracks: Vec::new(),
        keeps_discharge: false,
    };
    Ok(Scenario { problem, clock, facts })
}

/// Parses an optional quantity and names its key in the error.
pub(super) fn named<T>(
    key: &str,
    quantity: &Option<Quantity>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let parsed = quantity.as_ref().map(|Quantity(text)| parse(text)).transpose();
    parsed.map_err(|error| Error { what: format!("{key}: {}", error.what), ..error })
}

fn rule_of(options: &Options) -> Result<(&'static RuleInfo, Neighbourhood, Option<f32>)> {
    // A run in time takes the rule that finds its own steps, unless it is told how long a step is.
    let physical = options.step.is_none() && options.steps.is_none();
    let default = if physical { DEFAULT_RULE } else { DEFAULT_AUTOMATON };
    let name = options.rule.as_deref().unwrap_or(default);
    let info = rule::find(name).ok_or_else(|| {
        let names: Vec<&str> = rule::RULES.iter().map(|rule| rule.name).collect();
        Error::input(format!("rule: there is no rule '{name}'"))
            .hint(format!("rules: {}", names.join(", ")))
    })?;
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
