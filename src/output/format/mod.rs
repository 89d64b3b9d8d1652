//! The formats that maps are written in. Each is a file in this folder and a line of [`FORMATS`].

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

/// Cells beyond which a map is not laid out in memory as a whole where it need not be, and of the bands that it comes in then.
const LARGE: usize = 1 << 26;
const BAND: usize = 1 << 22;

/// Every format; the first is that of the maps of runs.
pub const FORMATS: &[Format] = &[
    // Every GIS reads it.
    geotiff::FORMAT,
];

/// The format of the maps of runs.
pub const USUAL: &Format = &FORMATS[0];

/// A format of files of maps.
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// The endings of its files, without a dot; the first is that of those that are made.
    pub endings: &'static [&'static str],
    /// Begins a file.
    pub open: for<'a> fn(Sheet<'a>) -> Result<Box<dyn MapWriter<'a> + 'a>>,
}

/// A map of a layer on its way into a file.
pub trait MapWriter<'a> {
    /// Takes the next rows, from the first on, row-major, [`NODATA`] where there is nothing: all, which may be lent and stay where
    /// they are until the map is finished, or a band of them, of which the next may be made when it is written.
    ///
    /// # Errors
    /// If they cannot be written.
    fn rows(&mut self, values: Cow<'a, [f32]>) -> Result<()>;

    /// Makes the file whole, with what is known of all its values; nothing if no cell has one.
    ///
    /// # Errors
    /// If it cannot be written, which some disks tell only now.
    fn finish(self: Box<Self>, statistics: Option<Statistics>) -> Result<()>;
}

/// What a map is told of before it has values.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    /// Where its file is to be.
    pub path: &'a Path,
    /// Where it lies, with its CRS.
    pub grid: &'a Grid,
    /// What is written beside the numbers.
    pub labels: &'a Labels<'a>,
    /// How its numbers are packed, in formats that pack them.
    pub compression: Compression,
}

/// What is written beside the numbers.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// What the map shows.
    pub description: &'a str,
    /// Its unit; empty if it has none.
    pub unit: &'a str,
    /// Whether overviews average, or take the nearest cell.
    pub averages: bool,
    /// Further facts: their names and texts.
    pub metadata: &'a [(&'a str, String)],
}

impl<'a> Sheet<'a> {
    /// A map that is packed as usual.
    pub fn new(path: &'a Path, grid: &'a Grid, labels: &'a Labels<'a>) -> Sheet<'a> {
        Sheet { path, grid, labels, compression: Compression::default() }
    }
}

impl<'a> Labels<'a> {
    /// A name and a unit, of what has a mean.
    pub fn of(description: &'a str, unit: &'a str) -> Labels<'a> {
        Labels { description, unit, averages: true, metadata: &[] }
    }
}

impl Format {
    /// The format that a file's ending names.
    pub fn of(path: &Path) -> Option<&'static Format> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        FORMATS.iter().find(|format| format.endings.contains(&ending.as_str()))
    }

    /// The name of a file of it.
    pub fn file(&self, stem: &str) -> String {
        format!("{stem}.{}", self.endings[0])
    }

    /// Writes a map whose values are at hand, row-major, [`NODATA`] where there is nothing. Returns its statistics, or
    /// `None` if every cell is NoData.
    ///
    /// # Panics
    /// If the grid has another number of cells.
    pub fn write(&self, sheet: Sheet, values: &[f32]) -> Result<Option<Statistics>> {
        assert_eq!(values.len(), sheet.grid.cells());
        let statistics = Statistics::of(values, sheet.grid.columns);
        let mut writer = (self.open)(sheet)?;
        writer.rows(Cow::Borrowed(values))?;
        writer.finish(statistics)?;
        Ok(statistics)
    }

    /// Writes a map whose rows `read` fills; what it leaves alone is [`NODATA`].
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

    /// Writes a map that comes in bands of so many `rows`, which `make` makes (first row, rows), one after the other: there need be no
    /// memory for all of it.
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

/// Room for the values of a map that is to be written at `path`.
pub fn room(path: &Path, grid: &Grid) -> Result<Vec<f32>> {
    host_memory::zeros(grid.cells()).ok_or_else(|| {
        let why = format!("there is no memory for its {} cells", grid.cells());
        Error::run(format!("cannot write {}: {why}", name_of(path)))
    })
}

/// The name of a file, for messages.
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
