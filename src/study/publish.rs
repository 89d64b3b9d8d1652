//! Publishes the files of a study and removes its outdated maps.

use super::maps::Aggregate;
use super::place::check_inside;
use super::row::{EXPECTED, EXTENTS, GRID, MAPS, POINTS, REPORT, VARIANT};
use crate::error::{Error, Result};
use crate::output::checkpoint::links;
use std::fs;
use std::io;
use std::path::Path;

/// Moves maps and then the other files into place, in that order, and removes maps and point tables
/// of before that no longer exist.
pub fn publish(
    out: &Path,
    staging: &Path,
    maps: &[&String],
    files: &[&str],
    failed: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let earlier = earlier_maps(out);
    for folder in earlier.iter().filter_map(|name| Path::new(name).parent()) {
        check_inside(out, folder)?;
    }
    for old in earlier.iter().filter(|old| !maps.contains(old)) {
        // Ignore files that are already gone; also remove what GDAL and QGIS left beside them.
        let _ = fs::remove_file(out.join(old));
        let _ = fs::remove_file(out.join(format!("{old}.aux.xml")));
        if let Some(folder) = Path::new(old).parent() {
            // Succeeds only if the folder is empty.
            let _ = fs::remove_dir(out.join(folder));
        }
    }
    for old in earlier_tables(out).iter().filter(|old| !files.contains(&&old[..])) {
        let _ = fs::remove_file(out.join(old));
    }
    let place = |file: &str| fs::rename(staging.join(file), out.join(file));
    for map in maps {
        fs::create_dir_all(out.join(map).parent().unwrap_or(out)).map_err(&failed)?;
        place(map).map_err(&failed)?;
        let _ = fs::remove_file(out.join(format!("{map}.aux.xml")));
    }
    files.iter().try_for_each(|file| place(file)).map_err(failed)
}

/// Returns the study's previous report.
fn earlier_report(out: &Path) -> serde_json::Value {
    let text = links::text(&out.join(REPORT)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Returns the point tables listed in the previous report.
fn earlier_tables(out: &Path) -> Vec<String> {
    let files = earlier_report(out)["points"]["files"].as_array().cloned().unwrap_or_default();
    let names = files.iter().filter_map(|file| file.as_str().map(String::from));
    names.filter(|name| [POINTS, EXPECTED].contains(&&name[..])).collect()
}

/// Returns the maps listed in the previous report.
fn earlier_maps(out: &Path) -> Vec<String> {
    let report = earlier_report(out);
    let grids = report["grids"].as_array().cloned().unwrap_or_default();
    let files = grids.iter().filter_map(|grid| grid["files"].as_array()).flatten();
    let names = files.filter_map(|file| file.as_str().map(String::from));
    // Accept only maps in our own folder, whatever the report contains.
    names.filter(|name| is_map(name)).collect()
}

/// Returns `true` if a name is that of a map over runs, of its style, or of extents:
/// `aggregates/max_depth_mean.tif`, `aggregates/grid-2/max_depth_mean.qml`,
/// `aggregates/extents.gpkg`,
/// `aggregates/variant-1/grid-2/annual_probability_above_0.1m.tif`.
pub fn is_map(name: &str) -> bool {
    let Some(mut name) = name.strip_prefix(MAPS).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    for start in [VARIANT, GRID] {
        let numbered = name.split_once('/').and_then(|(folder, rest)| {
            let number = folder.strip_prefix(start)?;
            let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
            (!number.is_empty() && is_number(number)).then_some(rest)
        });
        name = numbered.unwrap_or(name);
    }
    if name == EXTENTS {
        return true;
    }
    [".tif", ".qml"].iter().filter_map(|ending| name.strip_suffix(ending)).any(Aggregate::is_stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::layers::MAX_DEPTH;

    #[test]
    fn every_map_is_known_and_nothing_else() {
        for place in ["", "grid-2/", "variant-1/", "variant-1/grid-2/"] {
            assert!(is_map(&format!("aggregates/{place}extents.gpkg")), "{place}");
        }
        assert!(!is_map("extents.gpkg") && !is_map("aggregates/other/extents.gpkg"));
        let depths = [0.1, 2.0];
        let annual = Aggregate::annual(&MAX_DEPTH, &depths, true);
        for map in Aggregate::all(&MAX_DEPTH, &depths, &[5.0, 33.3]).into_iter().chain(annual) {
            let stem = map.stem();
            assert!(is_map(&format!("aggregates/{stem}.tif")), "{stem}");
            assert!(is_map(&format!("aggregates/grid-12/{stem}.qml")), "{stem}");
            assert!(is_map(&format!("aggregates/variant-2/{stem}.qml")), "{stem}");
            assert!(is_map(&format!("aggregates/variant-2/grid-1/{stem}.qml")), "{stem}");
            assert!(!is_map(&format!("aggregates/grid-1/variant-2/{stem}.qml")), "{stem}");
            for name in [
                stem.clone(),
                format!("aggregates/{stem}"),
                format!("aggregates/{stem}.txt"),
                format!("aggregates/../{stem}.tif"),
                format!("aggregates/grid-/{stem}.tif"),
                format!("aggregates/variant-x/{stem}.tif"),
                format!("aggregates/grid-1/../{stem}.tif"),
                format!("/aggregates/{stem}.tif"),
                format!("aggregates/my_{stem}.tif"),
            ] {
                assert!(!is_map(&name), "{name}");
            }
        }
    }
}
