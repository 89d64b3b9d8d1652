//! Reads and checks everything that the options name.

use super::depths::Depths;
use super::grain::{self, mean_depth};
use super::options::{
    DEFAULT_ARRIVAL_DEPTH, DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, GrainChoice, Options, Quantity,
};
use super::water::{self, Time};
use super::{Facts, Scenario};
use crate::backend::Problem;
use crate::boundary::OpenEdges;
use crate::clock::{Clock, TimeUnit};
use crate::error::{Error, Result};
use crate::grains::Grain;
use crate::input::dem::{self, DemOptions};
use crate::neighbourhood::Neighbourhood;
use crate::output::report::InputFile;
use crate::rule::{self, LEAST_ALPHA, RuleInfo};
use crate::units;

/// Reads, checks and converts a run.
pub fn build(options: &Options) -> Result<Scenario> {
    // Everything that can be judged without reading a raster comes first.
    let path = options.dem.as_ref().ok_or_else(|| {
        Error::input("no DEM is given").hint("give one with --dem dem.tif, or dem = \"dem.tif\"")
    })?;
    let (info, neighbourhood, alpha) = rule_of(options)?;
    let clock = clock_of(options, info.name)?;
    let output_every = output_every(options, &clock)?;
    let open = options.open.as_deref().map_or(Ok(OpenEdges::CLOSED), OpenEdges::parse)?;
    let arrival_depth = named("arrival_depth", &options.arrival_depth, units::parse_depth)?
        .unwrap_or(DEFAULT_ARRIVAL_DEPTH);
    options.tile_size()?;

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
    let mean = mean_depth(&forcing.forcing.rates, &dem.bed, clock.end()) + depths.mean(&dem.bed);
    // What a step brings to a cell must fit before it can flow on.
    let brought = forcing.forcing.rates.iter().map(|layer| layer.series.peak() * clock.dt);
    let asked = depths.deepest().max(arrival_depth).max(brought.fold(0.0, f64::max));
    let expected = asked.max(grain::depth_at_the_bottom(&dem.bed, mean));
    let grain = grain::choose(options.grain.unwrap_or_default(), asked, expected)?;
    if grain == Grain::Coarse && options.grain.unwrap_or_default() == GrainChoice::Auto {
        notes.push(format!(
            "if all the water ran to the lowest ground it would stand {expected:.0} m deep; it is counted in coarse grains (2^-20 m) so that even that fits (--grain fine keeps 2^-24 m)"
        ));
    }
    let initial = depths.initial_grains(grain, &dem.bed)?;
    forcing.forcing.top_up = depths.top_up_grains(grain)?;
    forcing.forcing.sinks = depths.sinks;
    inputs.append(&mut forcing.inputs);
    inputs.extend(depths.inputs);
    notes.append(&mut forcing.notes);
    notes.extend(depths.notes);
    warnings.append(&mut forcing.warnings);
    warnings.extend(depths.warnings);
    if let Some(every) = output_every
        && every < clock.dt
    {
        warnings.push(format!(
            "output_every: shorter than a step of {}, so every step is written",
            clock.show(clock.dt)
        ));
    }
    let dry =
        forcing.forcing.rates.is_empty() && forcing.forcing.top_up.is_empty() && initial.is_empty();
    if dry {
        warnings.push(
            "there is no water in this run: give --rain, --source, --inflow-depth or --initial-depth"
                .into(),
        );
    }
    let arrival = grain.from_depth(arrival_depth).ok_or_else(|| {
        Error::input(format!("arrival_depth: {arrival_depth} m is deeper than any water can get"))
    })?;
    let facts = Facts {
        grid: dem.grid.clone(),
        bed_range: dem.range,
        domain_cells: dem.domain_cells,
        rule: info.name,
        neighbourhood,
        alpha,
        grain,
        open,
        arrival_depth,
        output_every,
        inputs,
        notes,
        warnings,
    };
    let problem = Problem {
        grid: dem.grid,
        bed: dem.bed,
        initial,
        rule: (info.with_alpha)(alpha),
        neighbourhood,
        open,
        forcing: forcing.forcing,
        grain,
        arrival,
    };
    Ok(Scenario { problem, clock, facts })
}

/// Parses an optional quantity and names its key in the error.
fn named<T>(
    key: &str,
    quantity: &Option<Quantity>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Option<T>> {
    let parsed = quantity.as_ref().map(|Quantity(text)| parse(text)).transpose();
    parsed.map_err(|error| Error { what: format!("{key}: {}", error.what), ..error })
}

fn rule_of(options: &Options) -> Result<(&'static RuleInfo, Neighbourhood, f32)> {
    let name = options.rule.as_deref().unwrap_or(DEFAULT_RULE);
    let info = rule::find(name).ok_or_else(|| {
        let names: Vec<&str> = rule::RULES.iter().map(|rule| rule.name).collect();
        Error::input(format!("rule: there is no rule '{name}'"))
            .hint(format!("rules: {}", names.join(", ")))
    })?;
    let neighbourhood = options.neighbourhood.unwrap_or(DEFAULT_NEIGHBOURHOOD);
    let alpha = match options.alpha {
        None => (info.default_alpha)(neighbourhood),
        Some(alpha) if (LEAST_ALPHA..=1.0).contains(&alpha) => alpha as f32,
        Some(alpha) => {
            let hint = if alpha > 0.0 && alpha < LEAST_ALPHA {
                format!("give {LEAST_ALPHA} or more: less moves next to no water")
            } else {
                format!("alpha must be at least {LEAST_ALPHA} and no more than 1")
            };
            return Err(Error::input(format!("alpha: {alpha} is out of range")).hint(hint));
        }
    };
    Ok((info, neighbourhood, alpha))
}

/// The clock that --step, --steps and --duration make.
fn clock_of(options: &Options, rule: &str) -> Result<Clock> {
    let duration = named("duration", &options.duration, units::parse_duration)?;
    let dt = named("step", &options.step, units::parse_duration)?;
    if options.steps == Some(0) || duration == Some(0.0) {
        return Err(Error::input("the run has no time to simulate")
            .hint("give a --duration or a number of --steps above 0"));
    }
    match (dt, options.steps, duration) {
        (Some(dt), ..) if dt <= 0.0 => {
            Err(Error::input("step: a step must last longer than 0 s"))
        }
        (Some(_), Some(_), Some(_)) => Err(Error::input(
            "steps and duration are both given",
        )
        .hint("with --step, give either --steps or --duration")),
        (Some(dt), Some(steps), None) => Ok(Clock::seconds(dt, steps)),
        (Some(dt), None, Some(duration)) => {
            // The last step may end a little after the duration, never before it.
            let steps = (duration / dt * (1.0 - 1e-12)).ceil().max(1.0);
            if steps > 1e12 {
                return Err(Error::input(format!("step: {duration} s in steps of {dt} s are too many steps")));
            }
            Ok(Clock::seconds(dt, steps as u64))
        }
        (None, Some(steps), None) => Ok(Clock::steps(steps)),
        (None, _, Some(_)) => Err(Error::input(format!(
            "duration: a step of '{rule}' has no duration of its own, so the run cannot be timed"
        ))
        .hint("give the calibrated duration of a step, --step 10s, or count steps with --steps N alone")),
        (Some(_), None, None) => Err(Error::input("the run has no end")
            .hint("give a --duration (or a number of --steps) beside --step")),
        (None, None, None) => Err(Error::input("the run has no end")
            .hint("give --step 10s --duration 6h for a calibrated run, or --steps N to count steps")),
    }
}

fn output_every(options: &Options, clock: &Clock) -> Result<Option<f64>> {
    let Some(Quantity(text)) = &options.output_every else { return Ok(None) };
    let every = match clock.unit {
        TimeUnit::Seconds => named("output_every", &options.output_every, units::parse_duration)?,
        TimeUnit::Steps => Some(text.trim().parse::<u32>().map(f64::from).map_err(|_| {
            Error::input(format!("output_every: '{text}' is not a whole number of steps"))
                .hint("this run counts steps: give a number like 100")
        })?),
    };
    match every {
        Some(every) if every > 0.0 => Ok(Some(every)),
        _ => Err(Error::input(format!("output_every: '{text}' must be more than 0"))),
    }
}
