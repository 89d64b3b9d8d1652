//! Writes the maps of a series as one file for xarray and similar tools: arrays with a time
//! dimension and coordinates, following the CF conventions (1.10). Values are read from the
//! GeoTIFFs, so they are identical to the bit.

mod describe;
mod grid_mapping;
mod netcdf;
mod zarr;

use crate::engine::clock::Clock;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::output::compression::Compression;
use crate::output::folder::{NETCDF, OutputFolder, ZARR};
use crate::output::results::Map;
use gdal::Dataset;
use gdal::errors::GdalError;
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Rows and columns of a chunk, which has a single time; equal to the tiles of the GeoTIFFs.
const CHUNK: usize = 512;

/// Format of a run's series file, written beside the GeoTIFFs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum StackFormat {
    /// No file beside the GeoTIFFs
    #[default]
    Tif,
    /// Zarr (version 2), a folder
    Zarr,
    /// NetCDF-4
    Netcdf,
}

/// A series to be written as one file.
pub struct Stack<'a> {
    /// Grid of the maps.
    pub grid: &'a Grid,
    /// Maps of the series; maps of the same layer are in order of time, and all layers have the
    /// same times.
    pub maps: Vec<&'a Map>,
    /// Folder of the maps.
    pub folder: &'a OutputFolder,
    /// Clock of the run.
    pub clock: &'a Clock,
    /// Start of the run, if known.
    pub start: Option<&'a Zoned>,
    /// Title of the run.
    pub title: &'a str,
    /// Compression of the values: none, or Deflate.
    pub compression: Compression,
}

/// An array of the file.
struct Array<'a> {
    name: &'static str,
    /// Dimensions; empty for a scalar.
    dimensions: &'static [&'static str],
    attributes: Vec<(&'static str, Attribute)>,
    values: Values<'a>,
}

/// Value of an attribute.
enum Attribute {
    Text(String),
    Numbers(Vec<f64>),
}

fn text(text: impl Into<String>) -> Attribute {
    Attribute::Text(text.into())
}

enum Values<'a> {
    /// Coordinates.
    Numbers(Vec<f64>),
    /// No values, only attributes.
    Nothing,
    /// A map for each time.
    Maps(Vec<&'a Map>),
}

impl StackFormat {
    /// Returns the name of the file.
    pub fn file(self) -> Option<&'static str> {
        match self {
            StackFormat::Tif => None,
            StackFormat::Zarr => Some(ZARR),
            StackFormat::Netcdf => Some(NETCDF),
        }
    }

    /// Fails if the run writes no series, or if the installed GDAL cannot write this format.
    pub fn check(self, has_series: bool) -> Result<()> {
        if self == StackFormat::Tif {
            return Ok(());
        }
        if !has_series {
            return Err(Error::input("series: the run writes no maps during the simulation")
                .hint("give --output-every \"15 min\", or leave --series out"));
        }
        if self == StackFormat::Netcdf && !netcdf::is_there() {
            return Err(Error::input("series: this program's GDAL cannot write NetCDF")
                .hint("use --series zarr, which xarray and QGIS can open, too; or a build with the system's GDAL (cargo build --release), where gdalinfo --formats lists netCDF"));
        }
        Ok(())
    }
}

impl Stack<'_> {
    /// Writes the file, ready to be published; returns its name, if the format has a file and there
    /// are maps.
    ///
    /// # Errors
    /// If a map cannot be read, or the file cannot be written.
    pub fn stage(self, format: StackFormat) -> Result<Option<&'static str>> {
        let Some(name) = format.file().filter(|_| !self.maps.is_empty()) else {
            return Ok(None);
        };
        let arrays = self.arrays();
        let path = self.folder.staged(name);
        match format {
            StackFormat::Netcdf => netcdf::write(&self, &arrays, &path)?,
            _ => zarr::write(&self, &arrays, &path)?,
        }
        Ok(Some(name))
    }

    /// Reads the values of a map, row-major, one row of chunks at a time, and calls `take` with the
    /// first row and the values.
    fn bands(&self, map: &Map, mut take: impl FnMut(usize, &[f32]) -> Result<()>) -> Result<()> {
        let failed = |error| self.unread(map, error);
        let file = Dataset::open(self.path(map)).map_err(failed)?;
        let band = file.rasterband(1).map_err(failed)?;
        for first in (0..self.grid.rows).step_by(CHUNK) {
            let size = (self.grid.columns, CHUNK.min(self.grid.rows - first));
            let values = band.read_as::<f32>((0, first as isize), size, size, None);
            take(first, values.map_err(failed)?.data())?;
        }
        Ok(())
    }

    fn path(&self, map: &Map) -> PathBuf {
        self.folder.path().join(map.raster())
    }

    fn unread(&self, map: &Map, error: GdalError) -> Error {
        let what = format!("cannot read '{}' for the series", self.path(map).display());
        Error::run(what).because(error)
    }

    /// Returns the size of a dimension, and of a chunk along it.
    fn size(&self, dimension: &str) -> (usize, usize) {
        match dimension {
            describe::Y => (self.grid.rows, self.grid.rows.min(CHUNK)),
            describe::X => (self.grid.columns, self.grid.columns.min(CHUNK)),
            _ => (self.times().len(), 1),
        }
    }
}
