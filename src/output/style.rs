//! Styles (.qml) that QGIS finds beside a raster of the same name.

use crate::layers::{Layer, Style};

/// Number of stops of a ranged style.
const STOPS: u32 = 6;

/// The text of a layer's style for values from 0 to `highest` in `unit`.
pub fn text(layer: &Layer, highest: Option<f64>, unit: &str) -> String {
    match layer.style {
        Style::Fixed(text) => text.to_string(),
        Style::Ranged(template) => {
            let highest = highest.filter(|highest| *highest > 0.0).unwrap_or(1.0);
            (0..STOPS).fold(template.to_string(), |text, stop| {
                let value = highest * f64::from(stop) / f64::from(STOPS - 1);
                let label = format!("{} {unit}", short(value));
                text.replace(&format!("{{{{t{stop}}}}}"), &value.to_string())
                    .replace(&format!("{{{{l{stop}}}}}"), &label)
            })
        }
    }
}

/// A number with about three digits.
fn short(value: f64) -> String {
    let decimals = if value >= 100.0 || value == 0.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}
