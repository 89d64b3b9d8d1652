//! Corner of ESRI's grids (ASCII, EHdr). GDAL places those that declare it in parts or by different
//! points at the origin, or half a cell off.

use crate::input::gdal_access::dataset;
use gdal::{Dataset, Metadata};
use std::path::{Path, PathBuf};

/// Maximum number of lines of a header that are read.
const LINES: i32 = 20;

/// Returns a description of how the header of a grid declares its corner, if GDAL misplaces it.
pub fn misplaced(dataset: &Dataset) -> Option<String> {
    let name = PathBuf::from(dataset.description().ok()?);
    let header = match dataset.driver().short_name().as_str() {
        "AAIGrid" => name,
        "EHdr" => {
            let files = dataset::files(dataset, Path::new("")).into_iter();
            let is_hdr =
                |file: &PathBuf| file.extension().is_some_and(|e| e.eq_ignore_ascii_case("hdr"));
            files.into_iter().find(is_hdr)?
        }
        _ => return None,
    };
    let lines = dataset::lines(&header, LINES);
    let keys: Vec<String> = lines
        .iter()
        .filter_map(|line| Some(line.split_whitespace().next()?.to_lowercase()))
        .collect();
    let has = |key: &str| keys.iter().any(|known| known == key);
    for [one, same, other] in [
        ["xllcorner", "yllcorner", "yllcenter"],
        ["xllcenter", "yllcenter", "yllcorner"],
        ["yllcorner", "xllcorner", "xllcenter"],
        ["yllcenter", "xllcenter", "xllcorner"],
    ] {
        if has(one) && !has(same) {
            let what = if has(other) { format!("with {other}") } else { format!("without {same}") };
            return Some(format!("declares {one} {what}"));
        }
    }
    None
}
