//! Colour classes of signed values: velocities along an axis, differences.

use super::scale::{Scale, between, with_unit};
use super::{Blend, Ramp, Stop, palette};

impl Scale {
    /// Returns classes on both sides of an unpainted middle, bounded by `values` in either
    /// direction.
    pub(super) fn signed(&self, ways: [(&str, &str); 2], values: &[f64], unit: &str) -> Ramp {
        let count = values.len();
        let label = |way: usize, from: f64, to: Option<&f64>| {
            let (before, behind) = ways[way];
            match to {
                // The sign precedes the number, so a dash between numbers could be mistaken for
                // one.
                Some(&to) if !before.is_empty() => {
                    let (small, great) = if way == 0 { (to, from) } else { (from, to) };
                    format!("{before}{small} to {before}{}", with_unit(great, unit))
                }
                Some(&to) => between(from, to, unit) + behind,
                None if way == 0 && !before.is_empty() => {
                    format!("≤ {before}{}", with_unit(from, unit))
                }
                None => format!("> {before}{}{behind}", with_unit(from, unit)),
            }
        };
        let shade = |way: f64, number: usize| {
            palette::at(self.palette, 0.5 + way * 0.5 * (number + 1) as f64 / count as f64)
        };
        let low = |number: usize| Stop {
            value: -values[number],
            colour: shade(-1.0, number),
            label: label(0, values[number], values.get(number + 1)),
        };
        let high = |number: usize| Stop {
            value: values.get(number + 1).copied().unwrap_or(f64::INFINITY),
            colour: shade(1.0, number),
            label: label(1, values[number], values.get(number + 1)),
        };
        let middle = Stop {
            value: values[0],
            colour: palette::at(self.palette, 0.5),
            label: format!("within ±{}", with_unit(values[0], unit)),
        };
        let stops = (0..count).rev().map(low).chain([middle]).chain((0..count).map(high));
        Ramp { blend: Blend::UpTo, stops: stops.collect() }
    }
}
