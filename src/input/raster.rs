//! A raster file, read by windows of whole rows.

use crate::error::{Error, Result};
use crate::gdal_log;
use gdal::Dataset;
use gdal::raster::GdalDataType;
use std::path::{Path, PathBuf};

/// About how many cells are read at a time.
const WINDOW_CELLS: usize = 1 << 21;

/// An open raster; its first band is what counts.
pub struct RasterFile {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// What the user wants of it, for messages: `dem`, `rain` …
    pub role: String,
    /// GDAL's dataset.
    pub dataset: Dataset,
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Declared NoData of the first band.
    pub nodata: Option<f64>,
    /// Unit of the first band, as declared (`m`, `ft` …), or empty.
    pub unit: String,
    /// Whether the band holds 32-bit floats, whose NoData is compared as such.
    single: bool,
}

impl RasterFile {
    /// Opens a raster to be used as `role`.
    pub fn open(path: &Path, role: &str) -> Result<RasterFile> {
        gdal_log::install();
        let shown = path.display();
        let remote = path.to_string_lossy().starts_with("/vsi");
        if !remote {
            let data = std::fs::metadata(path).map_err(|error| {
                Error::input(format!("{role}: cannot open '{shown}': {error}"))
                    .hint("check the path; in a scenario file it is relative to that file's folder")
            })?;
            if data.is_file() && data.len() == 0 {
                return Err(Error::input(format!("{role}: '{shown}' is empty (0 bytes)")));
            }
        }
        gdal_log::take();
        let dataset = Dataset::open(path).map_err(|_| {
            let said = gdal_log::take().unwrap_or_else(|| "format not recognized".into());
            Error::input(format!("{role}: '{shown}' is not a raster that GDAL can read: {said}"))
                .hint(format!("see what GDAL makes of it: gdalinfo '{shown}'"))
        })?;
        if dataset.raster_count() == 0 {
            return Err(Error::input(format!("{role}: '{shown}' has no raster band")).hint(
                format!("if it holds several rasters, name one: gdalinfo '{shown}' lists them"),
            ));
        }
        let (columns, rows) = dataset.raster_size();
        let (nodata, unit, single) = {
            let band = dataset.rasterband(1).map_err(|error| broken(role, path, &error))?;
            (band.no_data_value(), band.unit(), band.band_type() == GdalDataType::Float32)
        };
        let path = path.to_path_buf();
        Ok(RasterFile { path, role: role.into(), dataset, columns, rows, nodata, unit, single })
    }

    /// Whether a value is the declared NoData.
    pub fn is_nodata(&self, value: f64) -> bool {
        self.nodata.is_some_and(|nodata| self.same(value, nodata))
    }

    /// Whether a value is a certain number, as far as the band can hold it.
    pub fn same(&self, value: f64, number: f64) -> bool {
        value == number
            || (self.single && value as f32 == number as f32)
            || (value.is_nan() && number.is_nan())
    }

    /// The geotransform; `None` if the file has none.
    pub fn transform(&self) -> Option<[f64; 6]> {
        self.dataset.geo_transform().ok()
    }

    /// The CRS as WKT; `None` if the file has none.
    pub fn crs(&self) -> Option<String> {
        Some(self.dataset.projection()).filter(|wkt| !wkt.is_empty())
    }

    /// Reads the first band row by row, a window of rows at a time.
    pub fn for_each_row(&self, mut each: impl FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        gdal_log::take();
        let band =
            self.dataset.rasterband(1).map_err(|error| broken(&self.role, &self.path, &error))?;
        let step = (WINDOW_CELLS / self.columns).clamp(1, self.rows);
        let mut buffer = vec![0.0f64; step * self.columns];
        for first in (0..self.rows).step_by(step) {
            let count = step.min(self.rows - first);
            let size = (self.columns, count);
            let values = &mut buffer[..count * self.columns];
            band.read_into_slice((0, first as isize), size, size, values, None)
                .map_err(|error| broken(&self.role, &self.path, &error))?;
            for (row, values) in values.chunks(self.columns).enumerate() {
                each(first + row, values)?;
            }
        }
        Ok(())
    }
}

fn broken(role: &str, path: &Path, error: &gdal::errors::GdalError) -> Error {
    let said = gdal_log::take().unwrap_or_else(|| error.to_string());
    Error::input(format!("{role}: '{}' cannot be read whole: {said}", path.display()))
        .hint("the file may be damaged or cut short: copy it again")
}
