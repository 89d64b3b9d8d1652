//! How the values of each quantity become colours: fixed, or between round values that follow the data.

use super::breaks;
use super::classes::{even, ladder, times};
use super::palette::{self, Palette};
use super::{Blend, Colour, Ramp, Stop};
use crate::units::show_duration;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The share of the values that may lie below the first stop, and above the last.
pub const BEYOND: f64 = 0.02;
/// Classes of values that go both ways, to each side.
const RUNGS: usize = 5;

/// What colours of maps go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Round values about what the run has.
    #[default]
    Data,
    /// The same for every run, so that maps of several can be laid side by side.
    Fixed,
}

/// How a quantity is painted. Layers of one scale share what it follows.
#[derive(Debug)]
pub struct Scale {
    /// What it is of.
    pub name: &'static str,
    /// What its values are like.
    pub kind: ScaleKind,
    /// Its colours; classes have their own.
    pub palette: Palette,
}

/// A class: the value up to which it goes (or that it is), what it is called, and its colour.
pub type Class = (f64, &'static str, Colour);

/// What values are like.
#[derive(Clone, Copy, Debug)]
pub enum ScaleKind {
    /// From 0 on; up to `dry` they are not painted, and up to the first usual value but faintly.
    Amount {
        /// What counts as nothing.
        dry: f64,
        /// What that is called.
        nothing: &'static str,
        /// What parts its classes as a rule; those of the fixed scale.
        usual: &'static [f64],
    },
    /// Below 0 and above it.
    Signed {
        /// What counts as nothing, either way.
        still: f64,
        /// What a label has before the number below 0 and above it, and behind its unit.
        ways: [(&'static str, &'static str); 2],
        /// What parts the classes of the fixed scale, either way.
        fixed: &'static [f64],
    },
    /// Since the start, in hours or steps.
    Time {
        /// What 0 is called, if it is not painted.
        nothing: Option<&'static str>,
    },
    /// Above some datum; [`super::Scales`] counts them from the lowest ground.
    Level(Blend),
    /// Classes that never change.
    Classes(Blend, &'static [Class]),
}

impl Scale {
    /// The value above which it is counted what scales follow; all if it is below 0.
    pub fn counts_above(&self) -> f64 {
        match self.kind {
            ScaleKind::Amount { dry, .. } => dry,
            ScaleKind::Signed { still, .. } => still,
            ScaleKind::Time { nothing: Some(_) } => 0.0,
            _ => -1.0,
        }
    }

    /// Its colours for values about a `range` in a unit; those of the fixed scale without one, or of 0 to 1 where there
    /// is no such.
    pub fn ramp(&self, range: Option<(f64, f64)>, unit: &str) -> Ramp {
        self.ramp_of(range, &|_| 0.0, unit)
    }

    /// The same where it is known what share of the values is `below` one.
    pub fn ramp_of(
        &self,
        range: Option<(f64, f64)>,
        below: &dyn Fn(f64) -> f64,
        unit: &str,
    ) -> Ramp {
        // Nothing but zeros is no range.
        let is_level = matches!(self.kind, ScaleKind::Level(_));
        let range = range.filter(|(_, high)| *high > 0.0 || is_level);
        match self.kind {
            ScaleKind::Amount { dry, nothing, usual } => {
                let (dry, values) = match range {
                    None => (dry, usual.to_vec()),
                    // So little that all of it would count as nothing.
                    Some((low, high)) if high <= usual[0] => {
                        let mut values = ladder(low.max(high / 100.0), high);
                        values.pop();
                        (0.2 * values[0], values)
                    }
                    Some(range) => (dry, breaks::of(usual, range, below)),
                };
                self.amount((dry, nothing), &values, unit)
            }
            ScaleKind::Signed { ways, fixed, .. } => match range {
                None => self.signed(ways, fixed, unit),
                Some((_, high)) => {
                    let mut all = ladder(high / 1e3, high);
                    all.pop();
                    self.signed(ways, &all[all.len().saturating_sub(RUNGS)..], unit)
                }
            },
            ScaleKind::Time { nothing } => self.time(nothing, range.unwrap_or((0.0, 1.0)), unit),
            ScaleKind::Level(blend) => {
                let (low, high) = range.unwrap_or((0.0, 1.0));
                let values = even(low, high);
                match blend {
                    Blend::Smooth => self.smooth(&values, unit),
                    _ => self.classes(&values, |value| with_unit(value, unit), unit),
                }
            }
            ScaleKind::Classes(blend, classes) => {
                let stop = |(value, label, colour): &Class| Stop {
                    value: *value,
                    colour: *colour,
                    label: (*label).into(),
                };
                Ramp { blend, stops: classes.iter().map(stop).collect() }
            }
        }
    }

    /// Classes above what counts as `nothing`, parted by `values`.
    fn amount(&self, (dry, nothing): (f64, &str), values: &[f64], unit: &str) -> Ramp {
        let count = values.len();
        let shade =
            |number: usize| palette::at(self.palette, number as f64 / (count - 1).max(1) as f64);
        let [red, green, blue, opacity] = shade(0);
        let bare = [red, green, blue, 0];
        let pale = |part: u8| part / 2 + 128;
        let mut stops = vec![Stop { value: dry, colour: bare, label: nothing.into() }];
        for (number, &value) in values.iter().enumerate() {
            let (from, colour) = match number.checked_sub(1) {
                // Hardly any: what is below must be seen. Paler, too, for legends that know no opacity.
                None => (dry, [pale(red), pale(green), pale(blue), opacity / 2]),
                Some(before) => (values[before], shade(before)),
            };
            stops.push(Stop { value, colour, label: between(from, value, unit) });
        }
        let label = format!("> {}", with_unit(values[count - 1], unit));
        stops.push(Stop { value: f64::INFINITY, colour: shade(count - 1), label });
        Ramp { blend: Blend::UpTo, stops }
    }

    fn time(&self, nothing: Option<&str>, (low, high): (f64, f64), unit: &str) -> Ramp {
        let hours = unit == "h";
        // A map of durations begins where there is none.
        let low = if nothing.is_some() { 0.0 } else { low };
        let values = if hours { times(3600.0 * low, 3600.0 * high) } else { even(low, high) };
        let mut ramp = match hours {
            true => self.classes(&values, show_duration, ""),
            false => self.classes(&values, |value| with_unit(value, unit), unit),
        };
        if hours {
            ramp.stops.iter_mut().for_each(|stop| stop.value /= 3600.0);
        }
        if let Some(nothing) = nothing {
            let [red, green, blue, _] = ramp.stops[0].colour;
            let colour = [red, green, blue, 0];
            ramp.stops.insert(0, Stop { value: 0.0, colour, label: nothing.into() });
        }
        ramp
    }

    /// Classes between values, open at both ends; `show` tells a value, `unit` is that of all if there is one.
    fn classes(&self, values: &[f64], show: impl Fn(f64) -> String, unit: &str) -> Ramp {
        // The first and the last value lie beyond what is there.
        let parts = &values[1..(values.len() - 1).max(2)];
        let last = parts.len();
        let stop = |number: usize| {
            let label = match number {
                0 => format!("≤ {}", show(parts[0])),
                _ if number == last => format!("> {}", show(parts[last - 1])),
                _ if unit.is_empty() => {
                    format!("{} – {}", show(parts[number - 1]), show(parts[number]))
                }
                _ => between(parts[number - 1], parts[number], unit),
            };
            let value = parts.get(number).copied().unwrap_or(f64::INFINITY);
            let share = number as f64 / last as f64;
            Stop { value, colour: palette::at(self.palette, share), label }
        };
        Ramp { blend: Blend::UpTo, stops: (0..=last).map(stop).collect() }
    }

    /// Stops spread over the palette, whose colours go over into each other.
    fn smooth(&self, values: &[f64], unit: &str) -> Ramp {
        let last = values.len() - 1;
        let stop = |(number, &value): (usize, &f64)| {
            let share = number as f64 / last.max(1) as f64;
            Stop { value, colour: palette::at(self.palette, share), label: with_unit(value, unit) }
        };
        Ramp { blend: Blend::Smooth, stops: values.iter().enumerate().map(stop).collect() }
    }
}

/// A value with its unit, if it has one.
pub(super) fn with_unit(value: f64, unit: &str) -> String {
    format!("{value} {unit}").trim_end().replace('-', "−")
}

/// `0.1 – 0.3 m`; below zero `−2 to −1 m`.
pub(super) fn between(from: f64, to: f64, unit: &str) -> String {
    let dash = if from < 0.0 { "to" } else { "–" };
    format!("{} {dash} {}", with_unit(from, ""), with_unit(to, unit))
}
