//! Axis ticks at round numbers, round times or round dates, with distinct labels.

use crate::engine::clock::{Clock, TimeUnit};
use crate::input::time::wall_time;
use crate::output::colour::classes::{at_least, decimals, rounded};
use crate::results::headline::grouped;
use crate::units::Second;
use jiff::Zoned;

/// A place on an axis, in its unit, with its label.
pub type Tick = (f64, String);

/// Approximate numbers of ticks for numbers, times, and dates with times, which need the most room.
const NUMBERS: f64 = 6.0;
const TIMES: f64 = 8.0;
const DATES: f64 = 5.0;

const DAY: Second = 86_400.0;

/// Round times between ticks (s).
const STEPS: [Second; 17] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0,
    10_800.0, 21_600.0, 43_200.0,
];

/// The time axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeAxis {
    /// Label of the axis.
    pub title: String,
    /// Number of seconds (or steps) in its unit.
    pub unit: f64,
    /// End of the axis, in its unit; it begins at 0.
    pub end: f64,
    /// Ticks along the axis.
    pub ticks: Vec<Tick>,
}

/// Returns ticks at round numbers from `low` to `high`.
pub fn numbers(low: f64, high: f64) -> Vec<Tick> {
    multiples(low, high, at_least(((high - low) / NUMBERS).max(1e-12)))
}

fn multiples(low: f64, high: f64, step: f64) -> Vec<Tick> {
    let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
    let decimals = decimals(step);
    let tick = |number: i64| {
        let value = rounded(number as f64 * step, step);
        (value, grouped(&format!("{value:.decimals$}")))
    };
    (first..=last).map(tick).collect()
}

/// Returns a round time that divides a span (s) into about `about` parts.
fn step_of(span: Second, about: f64) -> Second {
    let least = span / about * 0.999;
    if least < STEPS[0] {
        return at_least(least.max(1e-6));
    }
    let listed = STEPS.into_iter().find(|step| *step >= least);
    listed.unwrap_or_else(|| DAY * at_least((least / DAY).max(1.0)))
}

impl TimeAxis {
    /// Creates the axis of a run up to the clock's time, with dates if its start is known.
    pub fn of(clock: &Clock, start: Option<&Zoned>) -> TimeAxis {
        let end = clock.now().max(1e-9);
        if clock.unit == TimeUnit::Steps {
            let title = "time since the start [steps]".into();
            // Nothing happens between two steps.
            let step = at_least((end / TIMES).max(1.0));
            return TimeAxis { title, unit: 1.0, end, ticks: multiples(0.0, end, step) };
        }
        start.and_then(|start| TimeAxis::dated(end, start)).unwrap_or_else(|| since_start(end))
    }

    /// Creates an axis by the wall clock, in seconds since the start. `None` if it exceeds the
    /// calendar.
    fn dated(end: Second, start: &Zoned) -> Option<TimeAxis> {
        let last = wall_time::moment(start, end)?;
        let one_day = start.date() == last.date();
        let one_year = start.year() == last.year();
        let step = step_of(end, if one_day { TIMES } else { DATES });
        let clock = if step < 1.0 {
            "%H:%M:%S%.f"
        } else if step < 60.0 {
            "%H:%M:%S"
        } else {
            "%H:%M"
        };
        let offset = start.strftime("%:z");
        let (format, title) = match (one_day, step >= DAY) {
            (true, _) => {
                (clock.into(), format!("time on {} [{offset}]", start.strftime("%-d %B %Y")))
            }
            (false, true) if one_year => {
                ("%-d %b".into(), format!("date in {} [{offset}]", start.year()))
            }
            (false, true) => ("%-d %b %Y".to_string(), format!("date [{offset}]")),
            (false, false) => {
                (format!("%-d %b {clock}"), format!("date and time, {} [{offset}]", start.year()))
            }
        };
        // Counted from the midnight before the start, so that they are round by the wall clock.
        let midnight = start.start_of_day().ok()?;
        let before = start.duration_since(&midnight).as_secs_f64();
        let (first, last) = ((before / step).ceil() as i64, ((before + end) / step + 1e-9) as i64);
        let tick = |number: i64| {
            let time = number as f64 * step - before;
            Some((time, wall_time::moment(start, time)?.strftime(&format).to_string()))
        };
        let ticks = (first..=last).map(tick).collect::<Option<_>>()?;
        Some(TimeAxis { title, unit: 1.0, end, ticks })
    }
}

/// Creates an axis of times since the start, in a suitable unit.
fn since_start(end: Second) -> TimeAxis {
    let (name, unit) = match end {
        end if end < 120.0 => ("s", 1.0),
        end if end < 7200.0 => ("min", 60.0),
        end if end <= 96.0 * 3600.0 => ("h", 3600.0),
        _ => ("days", DAY),
    };
    let step = step_of(end, TIMES) / unit;
    let (title, end) = (format!("time since the start [{name}]"), end / unit);
    TimeAxis { title, unit, end, ticks: multiples(0.0, end, step) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    fn after(end: Second, start: Option<&str>) -> TimeAxis {
        let start = start.map(|start| start.parse::<Zoned>().unwrap());
        let mut clock = Clock::seconds(end, 1);
        clock.done = 1;
        TimeAxis::of(&clock, start.as_ref())
    }

    #[test]
    fn labels_differ_whatever_the_span() {
        assert_eq!(labels(&numbers(0.0, 2.3)), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(&numbers(-0.3, 0.9)), ["−0.2", "0.0", "0.2", "0.4", "0.6", "0.8"]);
        for exponent in -6..8 {
            for digit in 10..100 {
                let high = f64::from(digit) * 10f64.powi(exponent);
                for low in [0.0, -0.37 * high, 431.27] {
                    let ticks = numbers(low, low + high);
                    let mut once = labels(&ticks);
                    once.dedup();
                    assert!((2..=8).contains(&once.len()), "{low} + {high}: {ticks:?}");
                    assert_eq!(once.len(), ticks.len(), "{low} + {high}: {ticks:?}");
                }
            }
        }
    }

    #[test]
    fn times_since_the_start_are_round() {
        let day = after(86_400.0, None);
        assert_eq!(day.title, "time since the start [h]");
        assert_eq!(labels(&day.ticks), ["0", "3", "6", "9", "12", "15", "18", "21", "24"]);
        assert_eq!(labels(&after(3.0, None).ticks)[..3], ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(&after(3600.0, None).ticks)[..3], ["0", "10", "20"]);
        assert_eq!(
            labels(&after(86_400.0 * 40.0, None).ticks),
            ["0", "5", "10", "15", "20", "25", "30", "35", "40"]
        );
        let mut steps = Clock::steps(3);
        steps.done = 3;
        assert_eq!(labels(&TimeAxis::of(&steps, None).ticks), ["0", "1", "2", "3"]);
    }

    #[test]
    fn a_run_with_dates_has_them_on_its_axis() {
        let night = after(2.0 * 3600.0, Some("2012-06-28T22:45:00+01:00[+01:00]"));
        assert_eq!(night.title, "date and time, 2012 [+01:00]");
        let expected = ["28 Jun 23:00", "28 Jun 23:30", "29 Jun 00:00", "29 Jun 00:30"];
        assert_eq!(labels(&night.ticks), expected);
        assert_eq!(night.ticks[0].0, 900.0);
        let noon = after(7200.0, Some("2012-06-28T12:00:00+01:00[+01:00]"));
        assert_eq!(noon.title, "time on 28 June 2012 [+01:00]");
        assert_eq!(labels(&noon.ticks)[..3], ["12:00", "12:15", "12:30"]);
        let weeks = after(86_400.0 * 20.0, Some("2012-06-28T12:00:00+01:00[+01:00]"));
        assert_eq!(labels(&weeks.ticks), ["3 Jul", "8 Jul", "13 Jul", "18 Jul"]);
    }
}
