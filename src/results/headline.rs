//! Title of a run and summary of its water, shared by the page, the sheets and the project.

use crate::engine::grid::Grid;
use crate::engine::ledger::{Term, Volumes};
use crate::scenario::Facts;
use crate::units::show_volume;
use crate::words::capital;
use gdal::spatial_ref::SpatialRef;
use std::path::Path;

/// File names that are not informative.
const PLAIN: [&str; 6] = ["dem", "flood", "input", "run", "scenario", "terrain"];

/// Returns the title given by the user; otherwise a title from the origin of the water, and the
/// name of the scenario file or the DEM.
pub fn title(facts: &Facts, volume: &Volumes) -> String {
    if let Some(title) = &facts.report_details.title {
        return title.clone();
    }
    let causes: Vec<&str> = [(Term::Rain, "rain"), (Term::Inflow, "inflow")]
        .into_iter()
        .filter_map(|(term, cause)| (volume.of(term) > 0.0).then_some(cause))
        .collect();
    let kind = match (causes.is_empty(), volume.of(Term::Initial) > 0.0) {
        (false, _) => format!("Flood from {}", causes.join(" and ")),
        (true, true) => "Flood from released water".into(),
        (true, false) => "Flood".into(),
    };
    let named = |role: &str| facts.inputs.iter().find(|input| input.role == role);
    let names = ["scenario", "dem"].into_iter().filter_map(named);
    let stems = names.filter_map(|input| Path::new(&input.path).file_stem());
    let mut words = stems.map(|stem| stem.to_string_lossy().replace(['_', '-'], " "));
    let name = words.find(|words| !PLAIN.contains(&words.to_lowercase().trim()));
    name.map_or(kind.clone(), |words| format!("{kind}: {}", capital(words.trim())))
}

/// Returns project, author and date, line by line.
pub fn report_details(facts: &Facts) -> Vec<String> {
    let report_details = &facts.report_details;
    let made: Vec<&str> = [&report_details.author, &report_details.date]
        .into_iter()
        .flatten()
        .map(|s| &**s)
        .collect();
    let made = (!made.is_empty()).then(|| made.join(", "));
    report_details.project.clone().into_iter().chain(made).collect()
}

/// Summarizes the origin and the fate of the water: volumes (m³) with descriptions. `released` is
/// the outflow from the cells that held water at the start, if known.
pub fn water(volume: &Volumes, released: Option<f64>) -> Vec<(f64, &'static str)> {
    let (initial, came) =
        (volume.of(Term::Initial), volume.of(Term::Rain) + volume.of(Term::Inflow));
    let left = volume.of(Term::Outflow);
    let mut all = Vec::new();
    if initial > 0.0 {
        all.push((initial, "water at the start"));
        all.extend(released.map(|released| (released, "released from where it stood")));
    }
    if came > 0.0 || initial == 0.0 {
        all.push((came, "rain and inflow"));
    }
    if initial > 0.0 && left > 0.0 {
        all.push((left, "outflow from the area"));
    }
    all
}

/// Formats a volume to fit on a card.
pub fn show_round(cubic_metres: f64) -> String {
    match cubic_metres {
        volume if volume >= 1e6 => format!("{:.1} million m³", volume / 1e6),
        volume => show_grouped(volume),
    }
}

/// Formats a volume with separated thousands.
pub fn show_grouped(cubic_metres: f64) -> String {
    if cubic_metres == 0.0 {
        return "0 m³".into();
    }
    grouped(&show_volume(cubic_metres))
}

/// Separates the thousands of a number in a text.
pub fn grouped(text: &str) -> String {
    let number = text.trim_start_matches('-');
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let start = text.len() - number.len();
    let mut grouped = text[..start].replace('-', "−");
    for (at, digit) in text[start..start + digits].chars().enumerate() {
        if at > 0 && (digits - at) % 3 == 0 && digits > 4 {
            // A narrow no-break space.
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped + &text[start + digits..]
}

/// Returns the name of a grid's CRS, with its code if it has one.
pub fn crs_name(grid: &Grid) -> Option<String> {
    let srs = SpatialRef::from_wkt(grid.crs.as_deref()?).ok()?;
    let code =
        srs.auth_name().and_then(|name| Some(format!(" ({name}:{})", srs.auth_code().ok()?)));
    Some(srs.name()? + &code.unwrap_or_default())
}
