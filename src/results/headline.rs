//! Title of a run and summary of its water, shared by the page, the sheets and the project.

use crate::engine::grid::Grid;
use crate::engine::ledger::{Term, Volumes};
use crate::results::report::Report;
use crate::scenario::Facts;
use crate::units::show_volume;
use crate::words::capital;
use gdal::spatial_ref::SpatialRef;
use std::path::Path;

/// Volume that is none (m³): differences of sums are not exactly 0.
const LITTLE: f64 = 1e-6;

/// File names that are not informative.
const PLAIN: [&str; 6] = ["dem", "flood", "input", "run", "scenario", "terrain"];

/// Returns the title given by the user; otherwise a title from the origin of the water, of which
/// `from_sewers` (m³) came out of a network, and the name of the scenario file or the DEM.
pub fn title(facts: &Facts, volume: &Volumes, from_sewers: f64) -> String {
    if let Some(title) = &facts.report_details.title {
        return title.clone();
    }
    let inflow = volume.of(Term::Inflow) - from_sewers;
    let causes = [(volume.of(Term::Rain), "rain"), (inflow, "inflow")];
    let causes = causes.into_iter().filter(|(volume, _)| *volume > LITTLE);
    let mut causes: Vec<&str> = causes.map(|(_, cause)| cause).collect();
    if causes.is_empty() && from_sewers > LITTLE {
        causes.push("sewers");
    }
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

/// Summarizes the origin and the fate of the water: volumes (m³) with descriptions.
pub fn water(report: &Report) -> Vec<(f64, &'static str)> {
    let Report { volume, released_m3, sewers, .. } = report;
    let [up, down] = sewers.as_ref().map_or([0.0; 2], |it| [it.onto_surface_m3, it.into_sewer_m3]);
    let initial = volume.of(Term::Initial);
    let came = volume.of(Term::Rain) + volume.of(Term::Inflow) - up;
    let left = volume.of(Term::Outflow) - down;
    let mut all = Vec::new();
    if initial > 0.0 {
        all.push((initial, "water at the start"));
        all.extend(released_m3.map(|released| (released, "released from where it stood")));
    }
    if came > 0.0 || initial == 0.0 {
        all.push((came, "rain and inflow"));
    }
    if sewers.is_some() {
        all.extend([(down, "into the sewers"), (up, "out of the sewers")]);
    }
    if initial > 0.0 && left > LITTLE {
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
