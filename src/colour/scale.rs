//! How the values of each quantity become colours: fixed, or between round values that follow the data.

use super::classes::{self, amounts, even, ladder, times};
use super::palette::{self, Palette};
use super::{Blend, Colour, Ramp, Stop};
use crate::units::show_duration;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The share of the values that may lie below the first stop, and above the last.
pub const BEYOND: f64 = 0.02;
/// From so many times the depth, speed or discharge that is not painted on, colours are whole.
const WHOLE: f64 = 5.0;
/// Rungs of values that go both ways, to each side.
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
    /// From 0 on; up to `dry` they are not painted.
    Amount {
        /// What counts as nothing.
        dry: f64,
        /// What that is called.
        nothing: &'static str,
        /// The stops of the fixed scale.
        fixed: &'static [f64],
    },
    /// Below 0 and above it.
    Signed {
        /// What counts as nothing, either way.
        still: f64,
        /// What that is called.
        nothing: &'static str,
        /// What a label has before the number below 0 and above it, and behind its unit.
        ways: [(&'static str, &'static str); 2],
        /// The stops of the fixed scale, either way.
        fixed: &'static [f64],
    },
    /// Since the start, in hours or steps.
    Time {
        /// What 0 is called, if it is not painted.
        nothing: Option<&'static str>,
    },
    /// Above some datum; [`super::Scales`] counts them from the lowest ground.
    Level,
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
        // Nothing but zeros is no range.
        let range = range.filter(|(_, high)| *high > 0.0 || matches!(self.kind, ScaleKind::Level));
        match self.kind {
            ScaleKind::Amount { dry, nothing, fixed } => {
                self.amount(dry, nothing, fixed, range, unit)
            }
            ScaleKind::Signed { still, nothing, ways, fixed } => {
                let values = match range {
                    None => fixed.to_vec(),
                    Some((_, high)) => {
                        let all = ladder(high / 1e3, high);
                        all[all.len().saturating_sub(RUNGS)..].to_vec()
                    }
                };
                self.signed(still, nothing, ways, &values, unit)
            }
            ScaleKind::Time { nothing } => self.time(nothing, range.unwrap_or((0.0, 1.0)), unit),
            ScaleKind::Level => {
                let (low, high) = range.unwrap_or((0.0, 1.0));
                self.smooth(&even(low, high), |value| with_unit(value, unit), true)
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

    fn amount(
        &self,
        dry: f64,
        nothing: &str,
        fixed: &[f64],
        range: Option<(f64, f64)>,
        unit: &str,
    ) -> Ramp {
        let whole = classes::rounded(WHOLE * dry, 1e-6);
        let (dry, values) = match range {
            None => (dry, fixed.to_vec()),
            // So little that all of it would count as nothing.
            Some((low, high)) if high <= whole => {
                let values = ladder(low.max(high / 100.0), high);
                (0.2 * values[0], values)
            }
            Some((low, high)) => {
                let mut values = amounts(low.max(whole), high);
                values.retain(|value| *value >= whole);
                if values[0] > whole {
                    values.insert(0, whole);
                }
                (dry, values)
            }
        };
        let mut ramp = self.smooth(&values, |value| with_unit(value, unit), false);
        let [red, green, blue, _] = ramp.stops[0].colour;
        let colour = [red, green, blue, 0];
        ramp.stops.insert(0, Stop { value: dry, colour, label: nothing.into() });
        ramp
    }

    fn signed(
        &self,
        still: f64,
        nothing: &str,
        ways: [(&str, &str); 2],
        values: &[f64],
        unit: &str,
    ) -> Ramp {
        let count = values.len();
        // Where everything is so small, less counts as nothing.
        let still = still.min(0.5 * values[0]);
        let last = values[count - 1];
        let side = |way: usize, number: usize| {
            let value = values[number];
            let share = 0.5 * (number + 1) as f64 / count as f64;
            let (sign, share) = if way == 0 { (-1.0, 0.5 - share) } else { (1.0, 0.5 + share) };
            let (before, behind) = ways[way];
            let open = match (value == last, way) {
                (false, _) => "",
                (true, 0) if behind.is_empty() => "≤ ",
                (true, _) => "≥ ",
            };
            let label = format!("{open}{before}{}{behind}", with_unit(value, unit));
            Stop { value: sign * value, colour: palette::at(self.palette, share), label }
        };
        let mut stops: Vec<Stop> = (0..count).rev().map(|number| side(0, number)).collect();
        let zero = palette::at(self.palette, 0.5);
        let ends = if still > 0.0 { vec![-still, still] } else { vec![0.0] };
        stops.extend(ends.into_iter().map(|value| Stop {
            value,
            colour: zero,
            label: nothing.into(),
        }));
        stops.extend((0..count).map(|number| side(1, number)));
        Ramp { blend: Blend::Smooth, stops }
    }

    fn time(&self, nothing: Option<&str>, (low, high): (f64, f64), unit: &str) -> Ramp {
        let hours = unit == "h";
        // A map of durations begins where there is none.
        let low = if nothing.is_some() { 0.0 } else { low };
        let values = if hours { times(3600.0 * low, 3600.0 * high) } else { even(low, high) };
        let show = |value: f64| {
            if hours { show_duration(value) } else { with_unit(value, unit) }
        };
        let mut ramp = self.smooth(&values, show, low > 0.0 && values[0] > 0.0);
        if let Some(nothing) = nothing {
            let first = &mut ramp.stops[0];
            (first.colour[3], first.label) = (0, nothing.into());
        }
        if hours {
            ramp.stops.iter_mut().for_each(|stop| stop.value /= 3600.0);
        }
        ramp
    }

    /// Stops spread over the palette, open at the end, and at the beginning if so.
    fn smooth(&self, values: &[f64], show: impl Fn(f64) -> String, open: bool) -> Ramp {
        let last = values.len() - 1;
        let stop = |(number, &value): (usize, &f64)| {
            let label = match number {
                0 if open => format!("≤ {}", show(value)),
                number if number == last => format!("≥ {}", show(value)),
                _ => show(value),
            };
            let share = number as f64 / last.max(1) as f64;
            Stop { value, colour: palette::at(self.palette, share), label }
        };
        Ramp { blend: Blend::Smooth, stops: values.iter().enumerate().map(stop).collect() }
    }
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{value} {unit}").trim_end().replace('-', "−")
}
