//! Recognizes files that this program made: by the reports that list them, the records of killed
//! commands, and marks in the files themselves.

use super::checkpoint::links;
use super::layers::{WATER_DEPTH, WATER_LEVEL};
use super::staging;
use crate::error::Error;
use crate::input::checksum;
use crate::input::gdal_access::gdal_log;
use crate::input::raster::RasterFile;
use crate::input::text;
use gdal::{Dataset, DatasetOptions, GdalOpenFlags, Metadata};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Suffix of the sidecar files that GDAL and QGIS may create; they are handled with their raster.
pub const SIDECAR: &str = checksum::DESCRIPTION;

/// Metadata item of every map that a run writes.
pub const VERSION_ITEM: &str = "INUNDATE_VERSION";
/// Metadata item of a difference map, which names the map it was compared with.
pub const COMPARED_ITEM: &str = "INUNDATE_WITH";
/// Metadata item of a map of cells in which a crest separates two water bodies.
pub const PARTED_ITEM: &str = "INUNDATE_PARTED";

/// Names of water levels in descriptions of rasters, in lower case.
const LEVELS: [&str; 2] = [WATER_LEVEL, "water surface"];

/// Comment in every GIF.
pub const GIF_COMMENT: &[u8] = b"inundate";

/// Size up to which a GIF is searched for its comment, which is behind the palette (bytes).
const GIF_HEAD: u64 = 4096;

/// File name of the scenario in the folder of a study's run.
pub const SCENARIO: &str = "scenario.toml";
/// First line of [`SCENARIO`]. All files in a folder with such a file belong to the study.
pub const HEADER: &str = "# A run of a study, written by `inundate study`.";

/// A kind of command that writes an output folder.
pub struct Maker {
    /// Name in messages: `a run`.
    pub name: &'static str,
    /// File name of the report that lists its files.
    pub report: &'static str,
    /// Key of the list in the report.
    pub list: &'static str,
    /// Returns `true` if the command can make a file of this bare name.
    pub can_make: fn(&str) -> bool,
}

/// The files that commands of one kind made in a folder.
pub struct MadeFiles<'a> {
    folder: &'a Path,
    maker: &'a Maker,
    /// Names that reports and records list.
    listed: HashSet<String>,
    /// Set if there is a report, which lists all files.
    has_report: bool,
    /// Set if the folder belongs to a run of a study.
    is_of_study: bool,
}

impl<'a> MadeFiles<'a> {
    /// Reads the report and the records in a folder.
    pub fn by(maker: &'a Maker, folder: &'a Path) -> MadeFiles<'a> {
        let report = listed_in(&folder.join(maker.report), maker.list);
        let has_report = report.is_some();
        let listed = report.into_iter().flatten().chain(staging::recorded(folder)).collect();
        let scenario = links::text(&folder.join(SCENARIO)).unwrap_or_default();
        let is_of_study = scenario.starts_with(HEADER);
        MadeFiles { folder, maker, listed, has_report, is_of_study }
    }

    /// Returns `true` if a file of this name, or the raster of this sidecar, was made by such a
    /// command.
    pub fn has(&self, name: &str) -> bool {
        let name = name.strip_suffix(SIDECAR).unwrap_or(name);
        if !(self.maker.can_make)(name) {
            return false;
        }
        self.is_of_study || self.listed.contains(name) || self.is_marked(name)
    }

    /// Returns `true` if a file, or the map of a style, has a mark of ours. If a report lists all
    /// maps, any others are copies made by the user.
    fn is_marked(&self, name: &str) -> bool {
        let path = self.folder.join(name);
        let map = path.with_extension("tif");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gif") => is_our_gif(&path),
            Some("tif" | "qml") => !self.has_report && is_our_map(&map, VERSION_ITEM),
            _ => false,
        }
    }
}

/// Returns the names in a list of one of our reports; `None` if there is no such report.
fn listed_in(report: &Path, list: &str) -> Option<Vec<String>> {
    let text = text::text(report, text::TABLE).ok()?;
    let report: serde_json::Value = serde_json::from_str(&text).ok()?;
    if !report["version"].as_str()?.starts_with("inundate ") {
        return None;
    }
    let names = report[list].as_array()?.iter();
    Some(names.filter_map(|name| name.as_str().map(String::from)).collect())
}

/// Returns `true` if a file is a GeoTIFF with a metadata item of this program.
pub fn is_our_map(path: &Path, item: &str) -> bool {
    // Opening a pipe of that name would block.
    if !path.is_file() {
        return false;
    }
    gdal_log::install();
    let options = DatasetOptions {
        open_flags: GdalOpenFlags::GDAL_OF_RASTER,
        allowed_drivers: Some(&["GTiff"]),
        ..DatasetOptions::default()
    };
    let file = Dataset::open_ex(path, options);
    let found = file.is_ok_and(|file| file.metadata_item(item, "").is_some());
    gdal_log::take();
    found
}

/// Returns the description of a map of this program, `None` for other rasters.
fn description(file: &RasterFile) -> Option<String> {
    file.dataset.metadata_item(VERSION_ITEM, "")?;
    described(file)
}

/// Returns the description of a raster's first band.
fn described(file: &RasterFile) -> Option<String> {
    file.dataset.rasterband(1).ok()?.description().ok()
}

/// Returns `true` if a raster is a map of water levels of this program.
pub fn holds_levels(file: &RasterFile) -> bool {
    description(file).is_some_and(|description| description.contains(WATER_LEVEL))
}

/// Returns `true` if a raster is a map of this program of anything but depths of water, or a map of
/// water levels by its description.
pub fn holds_no_depths(file: &RasterFile) -> bool {
    let names_levels = |text: String| {
        let text = text.to_lowercase().replace('_', " ");
        LEVELS.iter().any(|name| text.contains(name))
    };
    match description(file) {
        Some(description) => !description.contains(WATER_DEPTH),
        None => described(file).is_some_and(names_levels),
    }
}

/// Creates the error for another map of this program where depths are expected.
pub fn not_depths(file: &RasterFile) -> Error {
    let described = described(file).unwrap_or_default();
    let article = if description(file).is_some() { "the " } else { "" };
    file.wrong(format!("holds {article}{described}, not depths"))
}

/// Describes the origin of a map of this program, or of the map of a style; `None` for other files.
pub fn origin(path: &Path) -> Option<&'static str> {
    let map = path.with_extension("tif");
    let has = |item: &str| is_our_map(&map, item);
    let is_of_map = path.extension().is_some_and(|ending| ending == "tif" || ending == "qml");
    match () {
        () if !is_of_map || !has(VERSION_ITEM) => None,
        () if has(COMPARED_ITEM) => Some("is a map of `inundate compare`"),
        () if has(PARTED_ITEM) => Some("is a map of `inundate check`"),
        () => Some("is a result of a run or a study"),
    }
}

/// Returns `true` if a file is a GIF with the comment of this program.
pub fn is_our_gif(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = path.is_file()
        && File::open(path).is_ok_and(|file| file.take(GIF_HEAD).read_to_end(&mut head).is_ok());
    let block = [&[0x21, 0xfe, GIF_COMMENT.len() as u8], GIF_COMMENT].concat();
    read && head.starts_with(b"GIF89a") && head.windows(block.len()).any(|part| part == block)
}
