//! Table of greatest values, with places and times, for the page.

use super::{Table, show_place};
use crate::observer::greatest::Greatest;
use crate::observer::quality::DEEP;
use crate::observer::quality::judge::Quality;
use crate::output::layers::MAX_VELOCITY;
use crate::words::capital;

/// Returns a row for each value; `show` formats a time (s, or steps) of the run. `None` if nothing
/// was ever wet. The speed is the one used in the quality checks, so that the table and the
/// warnings agree.
pub fn table(
    greatest: &[Greatest],
    quality: Option<&Quality>,
    show: &dyn Fn(f64) -> String,
) -> Option<Table> {
    let judged = quality.and_then(|quality| Some((quality.max_speed.value, quality.max_speed.at?)));
    let speed = judged.map(|(value, moment)| Greatest {
        layer: SPEED,
        value,
        unit: "m/s",
        at: moment.at,
        time: moment.time_s,
        within: 0.0,
        upper_bound: false,
    });
    let is_other = |one: &&Greatest| speed.is_none() || one.layer != MAX_VELOCITY.key;
    let (first, rest) = greatest.split_at(greatest.len().min(1));
    let all = first.iter().chain(&speed).chain(rest.iter().filter(is_other));
    // Sampling times are not finer than a step.
    let whole = |time: f64| show(if time < 10.0 { time } else { time.round() });
    let row = |one: &Greatest| {
        let [x, y] = show_place(one.at);
        let time = match one.within {
            within if within > 0.0 => {
                format!("{} to {}", whole((one.time - within).max(0.0)), whole(one.time))
            }
            _ => whole(one.time),
        };
        let unit = if one.unit.is_empty() { String::new() } else { format!(" {}", one.unit) };
        let bound = if one.upper_bound { ", at most" } else { "" };
        vec![capital(&name(one.layer)) + bound, format!("{:.2}{unit}", one.value), x, y, time]
    };
    let head = vec!["greatest", "value", "x", "y", "time"];
    Table::of(head, all.map(row))
}

/// Key of the speed used in the quality checks.
const SPEED: &str = "max_speed";

/// Returns the name of a layer's greatest value.
fn name(key: &str) -> String {
    match key {
        "max_depth" => "depth".into(),
        SPEED => format!("velocity, in water deeper than {DEEP} m"),
        "max_velocity" => "velocity, in water of any depth".into(),
        "max_hazard" => "hazard rating".into(),
        other => other.into(),
    }
}
