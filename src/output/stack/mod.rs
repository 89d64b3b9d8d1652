//! The maps of a series as one file, for xarray and others: arrays along time, with their coordinates, described by the CF
//! conventions (1.10). Values are read from the GeoTIFFs, so they are the same to the bit.

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

/// Rows and columns of a chunk, a map of one time: those of the GeoTIFFs' tiles.
const CHUNK: usize = 512;

/// The files beside the GeoTIFFs in which the series of a run is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum StackFormat {
    /// None: GeoTIFFs alone.
    #[default]
    Tif,
    /// Zarr (version 2), a folder.
    Zarr,
    /// NetCDF-4.
    Netcdf,
}

/// A series that is to be written as one file.
pub struct Stack<'a> {
    /// The grid of its maps.
    pub grid: &'a Grid,
    /// Its maps; those of a layer are in the order of their times, which all layers have.
    pub maps: Vec<&'a Map>,
    /// The folder in which the maps are.
    pub folder: &'a OutputFolder,
    /// The clock of the run.
    pub clock: &'a Clock,
    /// When the run began, if that is known.
    pub start: Option<&'a Zoned>,
    /// What the run is called.
    pub title: &'a str,
    /// How its numbers are packed: not at all, or by Deflate.
    pub compression: Compression,
}

/// An array of the file.
struct Array<'a> {
    name: &'static str,
    /// Its dimensions; none of a single number.
    dimensions: &'static [&'static str],
    attributes: Vec<(&'static str, Attribute)>,
    values: Values<'a>,
}

/// What is said of an array or of the file.
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
    /// Nothing but what is said of it.
    Nothing,
    /// A map for each time.
    Maps(Vec<&'a Map>),
}

impl StackFormat {
    /// The name of its file.
    pub fn file(self) -> Option<&'static str> {
        match self {
            StackFormat::Tif => None,
            StackFormat::Zarr => Some(ZARR),
            StackFormat::Netcdf => Some(NETCDF),
        }
    }

    /// An error if there is no series, or the GDAL at hand cannot write it.
    pub fn check(self, has_series: bool) -> Result<()> {
        if self == StackFormat::Tif {
            return Ok(());
        }
        if !has_series {
            return Err(Error::input("series: there is none: the run writes no maps on the way")
                .hint("give --output-every \"15 min\", or leave --series out"));
        }
        if self == StackFormat::Netcdf && !netcdf::is_there() {
            return Err(Error::input("series: the GDAL of this program cannot write NetCDF")
                .hint("take --series zarr, which xarray and QGIS open, too; or a build with the system's GDAL (cargo build --release), where gdalinfo --formats lists netCDF"));
        }
        Ok(())
    }
}

impl Stack<'_> {
    /// Writes it, ready to be published; returns its name, if the format has a file and there are maps.
    ///
    /// # Errors
    /// If a map cannot be read, or the file not be written.
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

    /// Hands out the values of a map, row-major, a row of chunks at a time: their first row, and they.
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

    /// The size of a dimension, and of a chunk along it.
    fn size(&self, dimension: &str) -> (usize, usize) {
        match dimension {
            describe::Y => (self.grid.rows, self.grid.rows.min(CHUNK)),
            describe::X => (self.grid.columns, self.grid.columns.min(CHUNK)),
            _ => (self.times().len(), 1),
        }
    }
}
