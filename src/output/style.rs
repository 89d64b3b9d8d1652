//! Styles (.qml) that QGIS finds beside a raster of the same name, and takes into projects.

use crate::layers::Style;

/// Number of stops of a ranged style.
const STOPS: u32 = 6;

/// A DEM lit from several sides: `{{z}}` is how much heights count.
pub const HILLSHADE: &str = include_str!("styles/hillshade.qml");
/// A DEM's heights as a pale tint; ranged.
pub const TERRAIN: &str = include_str!("styles/terrain.qml");
/// Points that a run read, in a `{{colour}}`.
pub const POINTS: &str = include_str!("styles/points.qml");
/// Lines that a run read, in a `{{colour}}`.
pub const LINES: &str = include_str!("styles/lines.qml");
/// Polygons that a run read, in a `{{colour}}`, filled with an opacity of `{{fill}}` (0 to 255).
pub const POLYGONS: &str = include_str!("styles/polygons.qml");

/// The text of a style for values of a `range` in `unit`.
pub fn text(style: Style, range: Option<(f64, f64)>, unit: &str) -> String {
    match style {
        Style::Fixed(text) => text.to_string(),
        Style::Ranged(template) => {
            let highest = range.map(|range| range.1).filter(|highest| *highest > 0.0);
            ranged(template, (0.0, highest.unwrap_or(1.0)), unit)
        }
        Style::Between(template) => ranged(template, range.unwrap_or((0.0, 1.0)), unit),
    }
}

/// A template with its six stops spread over a range.
pub fn ranged(template: &str, (low, high): (f64, f64), unit: &str) -> String {
    // A ramp must go up, however little.
    let high = if high > low { high } else { low + 1e-3 * low.abs().max(1.0) };
    (0..STOPS).fold(template.to_string(), |text, stop| {
        let value = low + (high - low) * f64::from(stop) / f64::from(STOPS - 1);
        let label = format!("{} {unit}", short(value, high - low));
        let [t, l] = [format!("t{stop}"), format!("l{stop}")];
        fill(&text, &[(&t, value.to_string()), (&l, label.trim_end().to_string())])
    })
}

/// A template with `{{name}}` replaced. Values must be fit for XML: numbers and units are.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(template.to_string(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

/// A number with about three digits of the `span` that it is one of.
fn short(value: f64, span: f64) -> String {
    let decimals = if value == 0.0 || span >= 100.0 {
        0
    } else if span >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}
