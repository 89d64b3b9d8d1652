//! `extents.gpkg`: the extents of the flood as polygons, with area and volume, drawn from maps of
//! depths that have been written.

mod polygons;

use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::time::wall_time;
use crate::output::features::{Fact, WriteOutcome, add_feature, create_table, undated};
use crate::output::folder::{EXTENTS, OutputFolder};
use crate::output::layers::{DEPTH, DepthRounding, MAX_DEPTH};
use crate::output::results::Map;
use crate::output::style::Symbol;
use crate::units::show_duration;
use gdal::DriverManager;
use gdal::spatial_ref::SpatialRef;
use gdal_sys::OGRwkbGeometryType::wkbMultiPolygon;
use jiff::Zoned;
use serde::Serialize;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Table of the extents of the maximum depth of a run.
pub const OF_MAXIMUM: &str = "max_extents";
/// Table of the extents at the times of a series.
pub const OF_SERIES: &str = "extents";
/// Field of the depth that the water exceeds (m).
pub const ABOVE: &str = "depth_m";
/// Fields of the area (m²) and of the volume of the water in it (m³).
const SIZE: [&str; 2] = ["area_m2", "volume_m3"];
/// Field of the time since the start (s).
pub const SECONDS: &str = "time_s";
/// Field of the time of a run whose steps have no duration.
pub const STEP: &str = "step";

/// Colours of the outlines, from the first depth on; they are repeated if there are more depths.
const COLOURS: [[u8; 3]; 6] =
    [[20, 20, 30], [194, 24, 91], [230, 97, 1], [123, 31, 162], [0, 121, 107], [183, 28, 28]];

/// Extent of the water that is deeper than a depth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extent {
    /// Depth that the water exceeds (m).
    pub depth_m: f64,
    /// Time of the map (s, or steps); `None` for the maximum of the run.
    pub time: Option<f64>,
    /// Area (m²).
    pub area_m2: f64,
    /// Volume of the water in the area, at the time of the map or as deep as at its maximum (m³).
    pub volume_m3: f64,
}

/// A map of depths whose extents are features of a table.
#[derive(Clone, Debug)]
pub struct ExtentMap {
    /// Path of the raster.
    pub path: PathBuf,
    /// Last part of the features' names: " after 2 h".
    pub about: String,
    /// Time of the map (s, or steps), if it has one.
    pub time: Option<f64>,
    /// Values of the table's own fields.
    pub facts: Vec<Fact>,
    /// Resolution of its depths.
    pub rounding: DepthRounding,
}

/// A table of extents, with a feature for each map and depth.
#[derive(Clone, Debug)]
pub struct ExtentTable {
    /// Name of the table.
    pub name: &'static str,
    /// Fields besides those of every table.
    pub fields: Vec<&'static str>,
    /// Maps of the table, all on the same grid.
    pub maps: Vec<ExtentMap>,
}

/// Extents of a run.
pub struct RunExtents<'a> {
    /// Depths that the water exceeds (m).
    pub depths: &'a [f64],
    /// Set if there are extents at the times of the series.
    pub with_series: bool,
    /// Maps of the run: those of a series are in place, the others are staged.
    pub maps: &'a [Map],
    /// Grid of the maps.
    pub grid: &'a Grid,
    /// Resolution of the depths in the maps.
    pub rounding: DepthRounding,
    /// Folder of the maps.
    pub folder: &'a OutputFolder,
    /// Clock of the run.
    pub clock: &'a Clock,
    /// Start of the run, if known.
    pub start: Option<&'a Zoned>,
}

impl RunExtents<'_> {
    /// Writes the file, ready to be published. Returns the extents, and whether the file could be
    /// written.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn stage(&self) -> Result<(Vec<Extent>, WriteOutcome)> {
        let place = |map: &Map| match map.time {
            Some(_) => self.folder.path().join(map.raster()),
            None => self.folder.staged(&map.raster()),
        };
        let all = || self.maps.iter();
        let last = all().filter(|map| map.time.is_none() && map.layer.key == MAX_DEPTH.key);
        let last = last.map(|map| ExtentMap {
            path: place(map),
            about: String::new(),
            time: None,
            facts: Vec::new(),
            rounding: self.rounding,
        });
        let series = all().filter(|map| self.with_series && map.layer.key == DEPTH.key);
        let series = series.filter_map(|map| {
            let time = map.time?;
            let facts = self.time_facts(time).into_iter().map(|(_, fact)| fact).collect();
            let path = place(map);
            let about = after(self.clock, time);
            Some(ExtentMap { path, about, time: Some(time), facts, rounding: self.rounding })
        });
        let fields = self.time_facts(0.0).into_iter().map(|(field, _)| field).collect();
        let series = ExtentTable { name: OF_SERIES, fields, maps: series.collect() };
        let mut tables =
            vec![ExtentTable { name: OF_MAXIMUM, fields: Vec::new(), maps: last.collect() }];
        tables.extend((!series.maps.is_empty()).then_some(series));
        write(&self.folder.staged(EXTENTS), self.grid, self.depths, &tables)
    }

    /// Returns the fields of a time and their values.
    fn time_facts(&self, time: f64) -> Vec<(&'static str, Fact)> {
        let number = |value: f64| Fact::Number(Some(value));
        match self.clock.unit {
            TimeUnit::Steps => vec![(STEP, number(time))],
            TimeUnit::Seconds => {
                let hours = (time / 3600.0 * 1e7).round() / 1e7;
                let date = self.start.map(|start| Fact::Text(wall_time::after(start, time)));
                let date = date.map(|date| ("date", date));
                [(SECONDS, number(time)), ("time_h", number(hours))]
                    .into_iter()
                    .chain(date)
                    .collect()
            }
        }
    }
}

/// Describes a time of a run in a name: " after 2 h".
pub fn after(clock: &Clock, time: f64) -> String {
    match clock.unit {
        TimeUnit::Seconds => format!(" after {}", show_duration(time)),
        TimeUnit::Steps => format!(" after {time} steps"),
    }
}

/// Returns the symbol of the extents above a depth, by its number.
pub fn symbol(number: usize) -> Symbol {
    Symbol { colour: COLOURS[number % COLOURS.len()], shape: "square", filled: false }
}

/// Writes the extents of maps above each depth (m) to a new file. Returns the extents in the order
/// of tables, maps and depths, and whether the file could be written.
///
/// # Errors
/// If the disk is full.
pub fn write(
    path: &Path,
    grid: &Grid,
    depths: &[f64],
    tables: &[ExtentTable],
) -> Result<(Vec<Extent>, WriteOutcome)> {
    let extents = RefCell::new(Vec::new());
    let scratch = path.parent().unwrap_or(Path::new("."));
    let written = undated(path, |path| {
        *extents.borrow_mut() = write_all(path, scratch, grid, depths, tables)?;
        Ok(())
    })?;
    Ok((extents.into_inner(), written))
}

fn write_all(
    path: &Path,
    scratch: &Path,
    grid: &Grid,
    depths: &[f64],
    tables: &[ExtentTable],
) -> gdal::errors::Result<Vec<Extent>> {
    let failed = |error: std::io::Error| gdal::errors::GdalError::BadArgument(error.to_string());
    let scratch = tempfile::tempdir_in(scratch).map_err(failed)?;
    let srs = grid.crs.as_deref().map(SpatialRef::from_wkt).transpose()?;
    let mut file = DriverManager::get_driver_by_name("GPKG")?.create_vector_only(path)?;
    let mut extents = Vec::new();
    for ExtentTable { name, fields, maps } in tables {
        let fields: Vec<&str> = fields.iter().copied().chain([ABOVE]).chain(SIZE).collect();
        let mut first = maps.first().map_or(Vec::new(), |map| map.facts.clone());
        first.resize(fields.len(), Fact::Number(None));
        let layer = create_table(&mut file, name, wkbMultiPolygon, srs.as_ref(), &fields, &first)?;
        for map in maps {
            let above = map.rounding.thresholds(depths);
            let flooded = polygons::of_map(&map.path, &above, scratch.path())?;
            for (&depth, flooded) in depths.iter().zip(flooded) {
                let extent = Extent {
                    depth_m: depth,
                    time: map.time,
                    area_m2: flooded.cells as f64 * grid.cell_area(),
                    volume_m3: flooded.depths * grid.cell_area(),
                };
                let sizes = [depth, extent.area_m2, extent.volume_m3];
                let sizes = sizes.map(|value| Fact::Number(Some(value)));
                let facts: Vec<Fact> = map.facts.iter().cloned().chain(sizes).collect();
                let about = format!("deeper than {depth} m{}", map.about);
                add_feature(&layer, flooded.outline, &about, &facts)?;
                extents.push(extent);
            }
        }
    }
    file.close()?;
    Ok(extents)
}
