//! Time of a scenario: steps, end, and intervals of outputs.

use super::options::{DEFAULT_SOLVER, Options, Quantity};
use super::quantity::{interval, named};
use crate::engine::clock::Clock;
use crate::engine::solver::SolverInfo;
use crate::engine::time_step::DEFAULT_LONGEST;
use crate::error::{Error, Result};
use crate::measures;

/// Longest run (s): 100 years.
const LONGEST_RUN: f64 = 100.0 * 365.25 * 86400.0;

/// Shortest run, and shortest step of an automaton (s).
const SHORTEST: f64 = 1e-3;

/// Maximum number of maps in a series, and the number from which there is a warning.
const MOST_MAPS: f64 = 100_000.0;
const MANY_MAPS: f64 = 10_000.0;

/// Builds the clock of a solver from --duration, --step, --steps and --dt-max.
pub fn clock_of(options: &Options, solver: &SolverInfo) -> Result<Clock> {
    if options.steps == Some(0) {
        return Err(no_time());
    }
    let duration = named("duration", &options.duration, measures::parse_duration)?;
    if duration == Some(0.0) {
        return Err(no_time());
    }
    if let (Some(Quantity(text)), Some(..SHORTEST)) = (&options.duration, duration) {
        return Err(Error::input(format!("duration: '{text}' is less than a millisecond"))
            .hint("no flood is that short: check its unit (s, min, h, d)"));
    }
    if let Some(Quantity(text)) = options.duration.as_ref().filter(|_| duration > Some(LONGEST_RUN))
    {
        return Err(Error::input(format!("duration: '{text}' is longer than 100 years"))
            .hint("no flood is that long: check its unit (s, min, h, d)"));
    }
    if solver.is_timed() {
        adaptive(options, solver, duration)
    } else {
        equal(options, solver, duration)
    }
}

fn no_time() -> Error {
    Error::input("the run has no time to simulate")
        .hint("give a --duration or a number of --steps above 0")
}

/// Builds the clock of a solver with adaptive steps.
fn adaptive(options: &Options, solver: &SolverInfo, duration: Option<f64>) -> Result<Clock> {
    let name = solver.name;
    if options.step.is_some() || options.steps.is_some() {
        let key = if options.step.is_some() { "step" } else { "steps" };
        return Err(Error::input(format!("{key}: '{name}' chooses the length of its steps itself"))
            .hint("give a --duration alone, and --dt-max if steps are to be short; or name an automaton with --solver"));
    }
    let longest = named("dt_max", &options.dt_max, measures::parse_duration)?;
    let longest = longest.unwrap_or(DEFAULT_LONGEST);
    if !(1e-3..=86400.0).contains(&longest) {
        return Err(Error::input(format!("dt_max: a longest step of {longest} s is out of range"))
            .hint("give 0.001 s to 1 day, for example --dt-max 10s"));
    }
    let end = duration.ok_or_else(|| {
        Error::input("the run has no end").hint("give a --duration, for example --duration 6h")
    })?;
    Ok(Clock::adaptive(end, longest as f32, solver.safety()))
}

/// Builds the clock of an automaton.
fn equal(options: &Options, solver: &SolverInfo, duration: Option<f64>) -> Result<Clock> {
    let name = solver.name;
    if options.dt_max.is_some() {
        return Err(Error::input(format!("dt_max: all steps of '{name}' have the same length"))
            .hint(format!("leave it out, or use --solver {DEFAULT_SOLVER}")));
    }
    let dt = named("step", &options.step, measures::parse_duration)?;
    match (dt, options.steps, duration) {
        (Some(dt), ..) if dt < SHORTEST => {
            Err(Error::input("step: a step must last a millisecond or longer").hint("give a time like \"10s\""))
        }
        (Some(_), Some(_), Some(_)) => Err(Error::input(
            "steps and duration are both given",
        )
        .hint("with --step, give either --steps or --duration")),
        (Some(dt), Some(steps), None) => Ok(Clock::seconds(dt, steps)),
        (Some(dt), None, Some(duration)) => {
            // The last step may end a little after the duration, but never before it.
            let steps = (duration / dt * (1.0 - 1e-12)).ceil().max(1.0);
            if steps > 1e12 {
                return Err(Error::input(format!(
                    "step: {duration} s in steps of {dt} s is too many steps"
                ))
                .hint("give longer steps, or a shorter run"));
            }
            Ok(Clock::seconds(dt, steps as u64))
        }
        (None, Some(steps), None) => Ok(Clock::steps(steps)),
        (None, _, Some(_)) => Err(Error::input(format!(
            "duration: a step of '{name}' has no duration of its own, so the run cannot be timed"
        ))
        .hint(format!(
            "use --solver {DEFAULT_SOLVER}, which has physical time; or give the calibrated duration of a step, --step 10s, or count steps with --steps N alone"
        ))),
        (Some(_), None, None) => Err(Error::input("the run has no end")
            .hint("give a --duration (or a number of --steps) beside --step")),
        (None, None, None) => Err(Error::input("the run has no end")
            .hint("give --step 10s --duration 6h for a calibrated run, or --steps N to count steps")),
    }
}

/// Shortest interval of the series of maps (s), because file names have milliseconds.
const SHORTEST_INTERVAL: f64 = 1e-3;

/// Returns the interval of the series of maps (s, or steps).
pub fn output_every(options: &Options, clock: &Clock) -> Result<Option<f64>> {
    let Some(Quantity(text)) = &options.output_every else { return Ok(None) };
    match interval("output_every", text, clock.unit, 100)? {
        every if every >= SHORTEST_INTERVAL => Ok(Some(every)),
        every if every > 0.0 => Err(Error::input(format!(
            "output_every: '{text}' is less than a millisecond, which file names cannot tell apart"
        ))
        .hint("give a time like \"15 min\"")),
        _ => Err(Error::input(format!("output_every: '{text}' must be more than 0"))
            .hint("give a time like \"15 min\", or a number of steps")),
    }
}

/// Returns the number of maps in a series until the end of a run.
pub fn times(every: f64, clock: &Clock) -> f64 {
    // At most one per step.
    let steps = clock.steps_in_all().map_or(f64::INFINITY, |steps| steps as f64);
    (clock.end() / every + 1e-9).floor().min(steps)
}

/// Refuses an implausible number of maps; returns a warning if there are many, or none. `layers` is
/// the number of layers in the series.
pub fn check_series(every: f64, layers: usize, clock: &Clock) -> Result<Option<String>> {
    let times = times(every, clock);
    if layers == 0 {
        return Ok(Some("output_every: no series is written, because all chosen layers cover the whole run; add depth to layers".into()));
    }
    if times == 0.0 {
        let (every, end) = (clock.show(every), clock.show(clock.end()));
        return Ok(Some(format!(
            "output_every: no series is written, because the run ends at {end}, before {every}; give a shorter interval, or leave it out"
        )));
    }
    let maps = times * layers as f64;
    if maps <= MANY_MAPS {
        return Ok(None);
    }
    let what = format!("output_every: a map every {} makes {maps} maps", clock.show(every));
    if maps > MOST_MAPS {
        let least = clock.show(every * maps / MOST_MAPS);
        return Err(Error::input(format!("{what}; the limit is {MOST_MAPS}"))
            .hint(format!("give a longer time, {least} or more; for time series at short intervals, use gauges: --gauge-every")));
    }
    Ok(Some(format!("{what}; check the unit. For time series at short intervals, use gauges")))
}

/// Returns the interval of checkpoints (s, wall-clock time).
pub fn checkpoint_every(options: &Options) -> Result<Option<f64>> {
    let every = named("checkpoint_every", &options.checkpoint_every, measures::parse_duration)?;
    match (every, &options.checkpoint_every) {
        (Some(every), Some(Quantity(text))) if every <= 0.0 => {
            Err(Error::input(format!("checkpoint_every: '{text}' must be more than 0"))
                .hint("give a wall-clock time like \"10 min\", or leave it out for no checkpoints"))
        }
        _ => Ok(every),
    }
}
