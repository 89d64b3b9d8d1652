//! What a run is called, and what its water was: the same on the page, on the sheets and in the project.

use crate::engine::grid::Grid;
use crate::engine::ledger::Volumes;
use crate::scenario::Facts;
use crate::units::show_volume;
use crate::words::capital;
use gdal::spatial_ref::SpatialRef;
use std::path::Path;

/// Names of files that tell nothing.
const PLAIN: [&str; 6] = ["dem", "flood", "input", "run", "scenario", "terrain"];

/// The title that was given; else what brought the water, and the name of the scenario file or of the DEM.
pub fn title(facts: &Facts, volume: &Volumes) -> String {
    if let Some(title) = &facts.imprint.title {
        return title.clone();
    }
    let causes: Vec<&str> = [("rain", "rain"), ("inflow", "inflow")]
        .into_iter()
        .filter_map(|(key, cause)| (volume.of(key) > 0.0).then_some(cause))
        .collect();
    let kind = match (causes.is_empty(), volume.of("initial") > 0.0) {
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

/// Project, author and date, in lines.
pub fn imprint(facts: &Facts) -> Vec<String> {
    let imprint = &facts.imprint;
    let made: Vec<&str> =
        [&imprint.author, &imprint.date].into_iter().flatten().map(|s| &**s).collect();
    let made = (!made.is_empty()).then(|| made.join(", "));
    imprint.project.clone().into_iter().chain(made).collect()
}

/// What there was of water, and what became of it: volumes (m³), and what each is. `released` is what flowed out of where it
/// stood at the start, if that is known.
pub fn water(volume: &Volumes, released: Option<f64>) -> Vec<(f64, &'static str)> {
    let (initial, came) = (volume.of("initial"), volume.of("rain") + volume.of("inflow"));
    let left = volume.of("outflow");
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

/// A volume in words that fit on a card.
pub fn show_round(cubic_metres: f64) -> String {
    match cubic_metres {
        volume if volume >= 1e6 => format!("{:.1} million m³", volume / 1e6),
        volume => show_grouped(volume),
    }
}

/// A volume with its thousands apart.
pub fn show_grouped(cubic_metres: f64) -> String {
    if cubic_metres == 0.0 {
        return "0 m³".into();
    }
    grouped(&show_volume(cubic_metres))
}

/// A number in words with its thousands apart.
pub fn grouped(text: &str) -> String {
    let digits = text.trim_start_matches('-').find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let start = text.len() - text.trim_start_matches('-').len();
    let mut grouped = text[..start].replace('-', "−");
    for (at, digit) in text[start..start + digits].chars().enumerate() {
        if at > 0 && (digits - at) % 3 == 0 && digits > 4 {
            // A narrow space that does not break.
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped + &text[start + digits..]
}

/// The name of the CRS of a grid, with its code if it has one.
pub fn crs_name(grid: &Grid) -> Option<String> {
    let srs = SpatialRef::from_wkt(grid.crs.as_deref()?).ok()?;
    let code =
        srs.auth_name().and_then(|name| Some(format!(" ({name}:{})", srs.auth_code().ok()?)));
    Some(srs.name()? + &code.unwrap_or_default())
}
