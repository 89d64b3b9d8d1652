//! Colour scales of quantities: fixed, or with round values that fit the data.

use super::breaks;
use super::classes::{even, ladder, times};
use super::palette::{self, Palette};
use super::{Blend, Colour, Ramp, Stop};
use crate::units::show_duration;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Share of the values that may be below the first stop, and above the last.
pub const BEYOND: f64 = 0.02;
/// Number of classes of signed values on each side, and of further ones for few extreme values.
const RUNGS: usize = 5;
const BEYOND_RUNGS: usize = 2;

/// Basis of the colours of maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Round values that fit the run's data
    #[default]
    Data,
    /// The same values for every run, so that maps of several runs can be compared
    Fixed,
}

/// Colour scale of a quantity. Layers with the same scale share the range of the data.
#[derive(Debug)]
pub struct Scale {
    /// Name of the quantity.
    pub name: &'static str,
    /// Kind of its values.
    pub kind: ScaleKind,
    /// Palette; fixed classes have their own colours.
    pub palette: Palette,
}

/// A class: upper bound (or exact value), label, and colour.
pub type Class = (f64, &'static str, Colour);

/// Kind of a quantity's values.
#[derive(Clone, Copy, Debug)]
pub enum ScaleKind {
    /// Amounts from 0; unpainted up to `dry`, and faint up to the first usual value.
    Amount {
        /// Value up to which nothing is painted.
        dry: f64,
        /// Label of the unpainted class.
        nothing: &'static str,
        /// Usual class breaks, also used for the fixed scale.
        usual: &'static [f64],
        /// Set if few extreme values keep classes of their own.
        keeps_extremes: bool,
    },
    /// Values of either sign.
    Signed {
        /// Absolute value up to which nothing is painted.
        still: f64,
        /// Prefix and suffix of a label, for values below and above 0.
        ways: [(&'static str, &'static str); 2],
        /// Class breaks of the fixed scale, in either direction.
        fixed: &'static [f64],
    },
    /// Times since the start, in hours or steps.
    Time {
        /// Label of 0, if it is not painted.
        nothing: Option<&'static str>,
    },
    /// Levels above a datum; [`super::Scales`] counts them from the lowest ground.
    Level(Blend),
    /// Ratings from 0 in named classes with fixed bounds and colours, above which is a class with
    /// this name. If ratings are far above its bound, that class is divided at round values.
    Ratings(&'static [Class], &'static str),
    /// Classes with fixed bounds and colours.
    Classes(Blend, &'static [Class]),
}

impl Scale {
    /// Returns the value above which data count for the range of a scale; negative if all count.
    pub fn counts_above(&self) -> f64 {
        match self.kind {
            ScaleKind::Amount { dry, .. } => dry,
            ScaleKind::Signed { still, .. } => still,
            ScaleKind::Time { nothing: Some(_) } | ScaleKind::Ratings(..) => 0.0,
            _ => -1.0,
        }
    }

    /// Returns the colours for values in a `range`, with labels in a unit; without a range, the
    /// fixed scale, or 0 to 1 if there is none.
    pub fn ramp(&self, range: Option<(f64, f64)>, unit: &str) -> Ramp {
        self.ramp_of(range, range.map_or(0.0, |(_, high)| high), &|_| 0.0, unit)
    }

    /// Like [`Scale::ramp`], given the greatest value, which may be beyond the range, and a
    /// function for the share of the values `below` a value.
    pub fn ramp_of(
        &self,
        range: Option<(f64, f64)>,
        most: f64,
        below: &dyn Fn(f64) -> f64,
        unit: &str,
    ) -> Ramp {
        // A range of zeros only is not a range.
        let is_level = matches!(self.kind, ScaleKind::Level(_));
        let range = range.filter(|(_, high)| *high > 0.0 || is_level);
        match self.kind {
            ScaleKind::Amount { dry, nothing, usual, keeps_extremes } => {
                let most = if keeps_extremes { most } else { 0.0 };
                let (dry, values) = match range {
                    None => (dry, usual.to_vec()),
                    // So little that all of it would be in the unpainted class.
                    Some((low, high)) if high.max(most) <= usual[0] => {
                        let mut values = ladder(low.max(high / 100.0), high);
                        values.pop();
                        (0.2 * values[0], values)
                    }
                    Some((low, high)) => {
                        let range = (low, high.max(most));
                        (dry, breaks::of(usual, range, keeps_extremes, below))
                    }
                };
                self.amount((dry, nothing), &values, unit)
            }
            ScaleKind::Signed { ways, fixed, .. } => match range {
                None => self.signed(ways, fixed, unit),
                Some((_, high)) => {
                    let mut values = ladder(high / 1e3, high);
                    values.pop();
                    values.drain(..values.len().saturating_sub(RUNGS));
                    // Few extreme values have at most two classes more.
                    let last = values[values.len() - 1];
                    let mut beyond = ladder(last, most.max(high));
                    beyond.pop();
                    beyond.retain(|value| *value > last);
                    values.extend(&beyond[beyond.len().saturating_sub(BEYOND_RUNGS)..]);
                    self.signed(ways, &values, unit)
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
            ScaleKind::Ratings(classes, highest) => {
                let last = classes[classes.len() - 1].0;
                let most = range.map_or(0.0, |(_, high)| high.max(most));
                let values = breaks::beyond(last, most, below);
                self.ratings(classes, highest, &values)
            }
            ScaleKind::Classes(blend, classes) => {
                Ramp { blend, stops: classes.iter().map(fixed_stop).collect() }
            }
        }
    }

    /// Returns named classes, and the one with the name `highest` divided at `values`, the first of
    /// which is its bound.
    fn ratings(&self, classes: &[Class], highest: &str, values: &[f64]) -> Ramp {
        let stop = |(number, value): (usize, &f64)| {
            let next = values.get(number + 1);
            let to = next.map_or(format!("above {value}"), |next| format!("{value} to {next}"));
            let share = number as f64 / (values.len() - 1).max(1) as f64;
            Stop {
                value: next.copied().unwrap_or(f64::INFINITY),
                colour: palette::at(self.palette, share),
                label: format!("{highest} ({to})"),
            }
        };
        let highest = values.iter().enumerate().map(stop);
        Ramp { blend: Blend::UpTo, stops: classes.iter().map(fixed_stop).chain(highest).collect() }
    }

    /// Returns the classes above the unpainted one (`nothing`), bounded by `values`.
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
                // Almost nothing: the map below must remain visible. Also paler, for legends
                // without opacity.
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
        // A map of durations starts at 0.
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

    /// Returns the classes between values, open at both ends; `show` formats a value, and `unit` is
    /// a common unit, if there is one.
    fn classes(&self, values: &[f64], show: impl Fn(f64) -> String, unit: &str) -> Ramp {
        // The first and the last value are outside the data.
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

    /// Returns stops spread over the palette, with interpolated colours.
    fn smooth(&self, values: &[f64], unit: &str) -> Ramp {
        let last = values.len() - 1;
        let stop = |(number, &value): (usize, &f64)| {
            let share = number as f64 / last.max(1) as f64;
            Stop { value, colour: palette::at(self.palette, share), label: with_unit(value, unit) }
        };
        Ramp { blend: Blend::Smooth, stops: values.iter().enumerate().map(stop).collect() }
    }
}

fn fixed_stop((value, label, colour): &Class) -> Stop {
    Stop { value: *value, colour: *colour, label: (*label).into() }
}

/// Formats a value with its unit, if it has one.
pub(super) fn with_unit(value: f64, unit: &str) -> String {
    format!("{value} {unit}").trim_end().replace('-', "−")
}

/// Formats a range: `0.1 – 0.3 m`; with negative numbers `−2 to −1 m`.
pub(super) fn between(from: f64, to: f64, unit: &str) -> String {
    let dash = if from < 0.0 { "to" } else { "–" };
    format!("{} {dash} {}", with_unit(from, ""), with_unit(to, unit))
}
