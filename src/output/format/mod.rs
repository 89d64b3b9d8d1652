//! Formats of raster maps. Each is a file in this folder and an entry of [`FORMATS`].

mod banded;
pub mod geotiff;

use super::colour::NODATA;
use super::compression::Compression;
use super::statistics::{Moments, Statistics};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::machine::host_memory;
use std::borrow::Cow;
use std::path::Path;

/// Number of cells above which a map is processed in bands where possible, and the number of cells
/// in a band.
const LARGE: usize = 1 << 26;
const BAND: usize = 1 << 22;

/// All formats; the first one is used for the maps of runs.
pub const FORMATS: &[Format] = &[
    // Every GIS reads it.
    geotiff::FORMAT,
];

/// Format of the maps of runs.
pub const USUAL: &Format = &FORMATS[0];

/// A raster file format.
pub struct Format {
    /// Name of the format.
    pub name: &'static str,
    /// File extensions, without a dot; the first one is used for new files.
    pub endings: &'static [&'static str],
    /// Starts writing a file.
    pub open: for<'a> fn(Sheet<'a>) -> Result<Box<dyn MapWriter<'a> + 'a>>,
}

/// Writer of a map of a layer.
pub trait MapWriter<'a> {
    /// Adds the next rows, row-major, with [`NODATA`] for missing values: either the whole map,
    /// which may be borrowed until it is finished, or a band.
    ///
    /// # Errors
    /// If they cannot be written.
    fn rows(&mut self, values: Cow<'a, [f32]>) -> Result<()>;

    /// Completes the file, given the statistics of all its values; `None` if no cell has a value.
    ///
    /// # Errors
    /// If the file cannot be written, which some disks report only now.
    fn finish(self: Box<Self>, statistics: Option<Statistics>) -> Result<()>;
}

/// Properties of a map that are known before its values.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// Grid, with its CRS.
    pub grid: &'a Grid,
    /// Labels and metadata of the map.
    pub labels: &'a Labels<'a>,
    /// Compression, in formats that support it.
    pub compression: Compression,
}

/// How cells are combined when a raster is shrunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Downsampling {
    /// Mean of the covered cells, for quantities such as depths.
    Mean,
    /// Value of the nearest cell, for times and classes.
    Nearest,
}

/// Labels and metadata of a map.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// Description of the band.
    pub description: &'a str,
    /// Unit; empty if it has none.
    pub unit: &'a str,
    /// How overviews are computed.
    pub downsampling: Downsampling,
    /// Further metadata: keys and values.
    pub metadata: &'a [(&'a str, String)],
}

impl<'a> Sheet<'a> {
    /// Creates the properties of a map with default compression.
    pub fn new(path: &'a Path, grid: &'a Grid, labels: &'a Labels<'a>) -> Sheet<'a> {
        Sheet { path, grid, labels, compression: Compression::default() }
    }
}

impl<'a> Labels<'a> {
    /// Creates labels with a description and a unit, for values that can be averaged.
    pub fn of(description: &'a str, unit: &'a str) -> Labels<'a> {
        Labels { description, unit, downsampling: Downsampling::Mean, metadata: &[] }
    }
}

impl Format {
    /// Returns the format of a file extension.
    pub fn of(path: &Path) -> Option<&'static Format> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        FORMATS.iter().find(|format| format.endings.contains(&ending.as_str()))
    }

    /// Returns the file name for a stem.
    pub fn file(&self, stem: &str) -> String {
        format!("{stem}.{}", self.endings[0])
    }

    /// Writes a map from values in memory, row-major, with [`NODATA`] for missing values. Returns
    /// its statistics, or `None` if every cell is NoData.
    ///
    /// # Panics
    /// If the number of values differs from the number of cells.
    pub fn write(&self, sheet: Sheet, values: &[f32]) -> Result<Option<Statistics>> {
        assert_eq!(values.len(), sheet.grid.cells());
        let statistics = Statistics::of(values, sheet.grid.columns);
        let mut writer = (self.open)(sheet)?;
        writer.rows(Cow::Borrowed(values))?;
        writer.finish(statistics)?;
        Ok(statistics)
    }

    /// Writes a map whose rows are filled by `read`; values that it leaves untouched are
    /// [`NODATA`].
    pub fn write_rows(
        &self,
        sheet: Sheet,
        mut read: impl FnMut(usize, &mut [f32]) -> Result<()>,
    ) -> Result<Option<Statistics>> {
        let columns = sheet.grid.columns;
        let mut fill = |first: usize, values: &mut [f32]| {
            values.chunks_mut(columns).enumerate().try_for_each(|(row, values)| {
                values.fill(NODATA);
                read(first + row, values)
            })
        };
        if sheet.grid.cells() <= LARGE {
            let mut values = room(sheet.path, sheet.grid)?;
            fill(0, &mut values)?;
            return self.write(sheet, &values);
        }
        let rows = (BAND / columns).max(1);
        self.write_bands(sheet, rows, |first, count| {
            let mut values = vec![NODATA; count * columns];
            fill(first, &mut values)?;
            Ok(values)
        })
    }

    /// Writes a map in bands of `rows` rows, each computed by `make` (first row, number of rows),
    /// without memory for the whole map.
    pub fn write_bands(
        &self,
        sheet: Sheet,
        rows: usize,
        mut make: impl FnMut(usize, usize) -> Result<Vec<f32>>,
    ) -> Result<Option<Statistics>> {
        let Grid { columns, rows: all, .. } = *sheet.grid;
        let mut writer = (self.open)(sheet)?;
        let mut moments = Moments::default();
        for first in (0..all).step_by(rows) {
            let values = make(first, rows.min(all - first))?;
            moments.add(&values, columns);
            writer.rows(Cow::Owned(values))?;
        }
        let statistics = moments.statistics();
        writer.finish(statistics)?;
        Ok(statistics)
    }
}

/// Allocates the values of a map that is to be written to `path`.
pub fn room(path: &Path, grid: &Grid) -> Result<Vec<f32>> {
    host_memory::zeros(grid.cells()).ok_or_else(|| {
        let why = format!("there is not enough memory for its {} cells", grid.cells());
        Error::run(format!("cannot write {}: {why}", name_of(path)))
    })
}

/// Returns the name of a file, for messages.
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
