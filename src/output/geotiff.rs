//! GeoTIFFs in the cloud-optimized layout: tiled, compressed, with overviews, unit and statistics.

use crate::colour::NODATA;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_log;
use gdal::cpl::CslStringList;
use gdal::raster::Buffer;
use gdal::{Dataset, DriverManager, Metadata};
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::path::Path;

/// About how many cells are handed to GDAL at a time.
const WINDOW_CELLS: usize = 1 << 21;

/// Side of the tiles of a file (cells), and of those of a strip.
const BLOCK: usize = 512;
const NARROW_BLOCK: usize = 64;

/// What is written beside the numbers.
pub struct Labels<'a> {
    /// Description of the band.
    pub description: &'a str,
    /// Unit of the band.
    pub unit: &'a str,
    /// Whether overviews average, or take the nearest cell.
    pub averages: bool,
    /// Further facts for the file's metadata.
    pub metadata: &'a [(&'a str, String)],
}

/// Range and moments of what was written.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Statistics {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// Writes a raster of f32 whose rows `read` fills, [`NODATA`] where there is nothing. Returns the
/// statistics, or `None` if every cell is NoData.
pub fn write(
    path: &Path,
    grid: &Grid,
    labels: &Labels,
    mut read: impl FnMut(usize, &mut [f32]) -> Result<()>,
) -> Result<Option<Statistics>> {
    gdal_log::install();
    gdal_log::take();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |error: gdal::errors::GdalError| write_failed(&name, &error.to_string());
    let memory = DriverManager::get_driver_by_name("MEM").map_err(failed)?;
    let mut image =
        memory.create_with_band_type::<f32, _>("", grid.columns, grid.rows, 1).map_err(failed)?;
    image.set_geo_transform(&grid.transform).map_err(failed)?;
    if let Some(crs) = &grid.crs {
        image.set_projection(crs).map_err(failed)?;
    }
    for (key, value) in labels.metadata {
        image.set_metadata_item(key, value, "").map_err(failed)?;
    }
    let mut moments = Moments::default();
    {
        let mut band = image.rasterband(1).map_err(failed)?;
        band.set_no_data_value(Some(f64::from(NODATA))).map_err(failed)?;
        band.set_description(labels.description).map_err(failed)?;
        let step = (WINDOW_CELLS / grid.columns).clamp(1, grid.rows);
        for first in (0..grid.rows).step_by(step) {
            let rows = step.min(grid.rows - first);
            let mut values = vec![NODATA; rows * grid.columns];
            for (row, values) in values.chunks_mut(grid.columns).enumerate() {
                read(first + row, values)?;
                moments.add(values);
            }
            let size = (grid.columns, rows);
            let mut buffer = Buffer::new(size, values);
            band.write((0, first as isize), size, &mut buffer).map_err(failed)?;
        }
        let unit = CString::new(labels.unit).expect("units hold no zero byte");
        let statistics = moments.statistics();
        // SAFETY: the band is open and the string ends in a zero.
        unsafe {
            gdal_sys::GDALSetRasterUnitType(band.c_rasterband(), unit.as_ptr());
            if let Some(Statistics { min, max, mean, deviation }) = statistics {
                gdal_sys::GDALSetRasterStatistics(band.c_rasterband(), min, max, mean, deviation);
            }
        }
    }
    copy_optimized(&image, path, labels.averages).map_err(failed)?;
    drop(image);
    // Some write errors show only when the file is closed, and then only in GDAL's log.
    if let Some(said) = gdal_log::take() {
        return Err(write_failed(&name, &said));
    }
    verify(path, grid).map_err(|error| write_failed(&name, &error.to_string()))?;
    Ok(moments.statistics())
}

/// Whether a raster is so long and narrow that tiles of the usual size would be nothing but rim, a billion cells for a
/// row of a million, and that overviews would have no height.
fn is_strip((columns, rows): (usize, usize)) -> bool {
    columns.min(rows) <= NARROW_BLOCK && columns.max(rows) > 16 * BLOCK
}

/// Copies a raster into a cloud-optimized GeoTIFF.
fn copy_optimized(image: &Dataset, path: &Path, averages: bool) -> gdal::errors::Result<()> {
    let mut options = CslStringList::new();
    let strip = is_strip(image.raster_size());
    let block = if strip { NARROW_BLOCK } else { BLOCK }.to_string();
    for (key, value) in [
        ("COMPRESS", "DEFLATE"),
        ("PREDICTOR", "YES"),
        ("LEVEL", "6"),
        ("BLOCKSIZE", block.as_str()),
        ("BIGTIFF", "IF_SAFER"),
        ("NUM_THREADS", if strip { "1" } else { "ALL_CPUS" }),
        ("OVERVIEWS", if strip { "NONE" } else { "AUTO" }),
        ("RESAMPLING", if averages { "AVERAGE" } else { "NEAREST" }),
    ] {
        options.set_name_value(key, value)?;
    }
    let driver = DriverManager::get_driver_by_name("COG")?;
    image.create_copy(&driver, path, &options)?.close()
}

/// Opens what was written and reads its last row.
fn verify(path: &Path, grid: &Grid) -> gdal::errors::Result<()> {
    let written = Dataset::open(path)?;
    if written.raster_size() != (grid.columns, grid.rows) {
        return Err(gdal::errors::GdalError::BadArgument("the file is cut short".into()));
    }
    let band = written.rasterband(1)?;
    let last = (0, grid.rows as isize - 1);
    band.read_as::<f32>(last, (grid.columns, 1), (grid.columns, 1), None)?;
    Ok(())
}

fn write_failed(name: &str, said: &str) -> Error {
    let said = gdal_log::take().unwrap_or_else(|| said.to_string());
    Error::run(format!("cannot write {name}: {said}")).hint(
        "is the disk full, or is there a limit on file sizes? nothing incomplete was left behind",
    )
}

/// Sums from which the statistics come.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    sum: f64,
    squares: f64,
    range: Option<(f32, f32)>,
}

impl Moments {
    fn add(&mut self, values: &[f32]) {
        for &value in values.iter().filter(|value| **value != NODATA) {
            self.count += 1;
            self.sum += f64::from(value);
            self.squares += f64::from(value) * f64::from(value);
            let (low, high) = self.range.unwrap_or((value, value));
            self.range = Some((low.min(value), high.max(value)));
        }
    }

    fn statistics(&self) -> Option<Statistics> {
        let (min, max) = self.range?;
        let mean = self.sum / self.count as f64;
        let variance = (self.squares / self.count as f64 - mean * mean).max(0.0);
        Some(Statistics { min: min.into(), max: max.into(), mean, deviation: variance.sqrt() })
    }
}
