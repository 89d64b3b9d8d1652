//! Rasters small enough to be displayed: each pixel represents a block of cells.

use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::dem::fine_ground::FineGround;
use crate::input::description::vertical;
use crate::input::gdal_access::gdal_log;
use crate::output::colour::NODATA;
use crate::output::format::Downsampling;
use gdal::Dataset;
use gdal::raster::ResampleAlg;
use rayon::prelude::*;
use std::path::Path;
use std::sync::OnceLock;

/// Maximum length of a picture's longer side (pixels).
pub const LONGEST: usize = 1000;

/// A raster at picture size, row-major, with [`NODATA`] for missing values.
#[derive(Clone, Debug)]
pub struct Small {
    /// Number of pixel columns.
    pub columns: usize,
    /// Number of pixel rows.
    pub rows: usize,
    /// Values of the pixels.
    pub values: Vec<f32>,
}

/// Returns columns and rows of a grid's picture, whose longer side has at most `longest` pixels.
fn size(grid: &Grid, longest: usize) -> (usize, usize) {
    let factor = grid.columns.max(grid.rows).div_ceil(longest);
    (grid.columns.div_ceil(factor), grid.rows.div_ceil(factor))
}

/// Converts a level of the ground (2⁻¹⁶ m) to metres.
fn metres(level: &i32) -> f32 {
    match *level {
        Bed::OUTSIDE => NODATA,
        level => (f64::from(level) / Bed::PER_METRE) as f32,
    }
}

impl Small {
    /// Shrinks a bed (m): each pixel takes the mean of its cells.
    pub fn of_bed(grid: &Grid, bed: &Bed) -> Small {
        Small::of_rows(grid, LONGEST, Downsampling::Mean, |row, to| {
            let levels = &bed.levels[row * grid.columns..][..grid.columns];
            to.iter_mut().zip(levels).for_each(|(to, level)| *to = metres(level));
        })
    }

    /// Shrinks a fine ground (m): each pixel takes the mean of the finer pixels.
    ///
    /// # Errors
    /// If the ground cannot be read.
    pub fn of_ground(ground: &FineGround) -> Result<Small> {
        let failed = OnceLock::new();
        let small =
            Small::of_rows(&ground.grid, LONGEST, Downsampling::Mean, |row, to| {
                match ground.rows(row, 1) {
                    Ok(levels) => {
                        to.iter_mut().zip(&levels).for_each(|(to, level)| *to = metres(level))
                    }
                    Err(error) => drop(failed.set(error)),
                }
            });
        failed.into_inner().map_or(Ok(small), Err)
    }

    /// Shrinks a raster whose rows are provided by `read` to at most `longest` pixels along a side.
    pub fn of_rows(
        grid: &Grid,
        longest: usize,
        downsampling: Downsampling,
        read: impl Fn(usize, &mut [f32]) + Sync,
    ) -> Small {
        let (columns, rows) = size(grid, longest);
        let large = ShrinkingRaster { columns: grid.columns, rows: grid.rows, read: &read };
        let mut values = vec![NODATA; columns * rows];
        values.par_chunks_mut(columns).enumerate().for_each(|(line, to)| match downsampling {
            Downsampling::Mean => large.means(line, rows, to),
            Downsampling::Nearest => large.middles(line, rows, to),
        });
        Small { columns, rows, values }
    }

    /// Reads a finished raster file of the grid, using its overviews, at a size whose longer side
    /// has at most `longest` pixels.
    pub fn read(
        path: &Path,
        grid: &Grid,
        downsampling: Downsampling,
        longest: usize,
    ) -> Result<Small> {
        let how = match downsampling {
            Downsampling::Mean => ResampleAlg::Average,
            Downsampling::Nearest => ResampleAlg::NearestNeighbour,
        };
        Small::resampled(path, size(grid, longest), how, |_| Some(NODATA))
    }

    /// Reads a DEM with the extent of the grid at picture size; heights keep their unit, and
    /// declared depths become heights.
    pub fn of_dem(path: &Path, grid: &Grid, longest: usize) -> Result<Small> {
        let mut small =
            Small::resampled(path, size(grid, longest), ResampleAlg::Average, |band| {
                band.no_data_value().map(|value| value as f32)
            })?;
        let down =
            Dataset::open(path).ok().and_then(|file| vertical::counts_down(&file, 1).ok()?);
        if down.is_some() {
            let known = small.values.iter_mut().filter(|value| **value != NODATA);
            known.for_each(|value| *value = -*value);
        }
        Ok(small)
    }

    fn resampled(
        path: &Path,
        (columns, rows): (usize, usize),
        how: ResampleAlg,
        nothing: impl Fn(&gdal::raster::RasterBand) -> Option<f32>,
    ) -> Result<Small> {
        let read = || {
            let file = Dataset::open(path)?;
            let band = file.rasterband(1)?;
            let values =
                band.read_as::<f32>((0, 0), file.raster_size(), (columns, rows), Some(how))?;
            let nothing = nothing(&band);
            let known = |value: &f32| {
                if Some(*value) == nothing || !value.is_finite() { NODATA } else { *value }
            };
            Ok(Small { columns, rows, values: values.data().iter().map(known).collect() })
        };
        read().map_err(|error: gdal::errors::GdalError| {
            let said = gdal_log::why(error);
            Error::run(format!("cannot draw '{}': {said}", path.display()))
        })
    }

    /// Resamples to another size by the nearest pixel.
    pub fn to_size(&self, (columns, rows): (usize, usize)) -> Small {
        let at = |to: usize, all: usize, few: usize| to * few / all;
        let value = |pixel: usize| {
            let (row, column) = (pixel / columns, pixel % columns);
            self.values[at(row, rows, self.rows) * self.columns + at(column, columns, self.columns)]
        };
        Small { columns, rows, values: (0..columns * rows).map(value).collect() }
    }

    /// Returns flat ground (0) where there are values.
    pub fn flat(self) -> Small {
        let flat = |value: &f32| if *value == NODATA { NODATA } else { 0.0 };
        Small { values: self.values.iter().map(flat).collect(), ..self }
    }
}

/// A large raster that is shrunk row by row.
struct ShrinkingRaster<'a, R> {
    columns: usize,
    rows: usize,
    /// Reads a row.
    read: &'a R,
}

impl<R: Fn(usize, &mut [f32]) + Sync> ShrinkingRaster<'_, R> {
    /// Computes a row of a small raster with `rows` rows: the mean of the values in each pixel.
    fn means(&self, line: usize, rows: usize, to: &mut [f32]) {
        let first = |at: usize, all: usize, few: usize| (at * all).div_ceil(few);
        let few = to.len();
        let mut sums = vec![(0.0, 0u32); few];
        let mut values = vec![NODATA; self.columns];
        for row in first(line, self.rows, rows)..first(line + 1, self.rows, rows) {
            (self.read)(row, &mut values);
            for (pixel, (sum, count)) in sums.iter_mut().enumerate() {
                let block = first(pixel, self.columns, few)..first(pixel + 1, self.columns, few);
                for &value in values[block].iter().filter(|value| **value != NODATA) {
                    *sum += f64::from(value);
                    *count += 1;
                }
            }
        }
        for (to, (sum, count)) in to.iter_mut().zip(sums) {
            *to = if count == 0 { NODATA } else { (sum / f64::from(count)) as f32 };
        }
    }

    /// Computes a row of the values in the middle of each pixel.
    fn middles(&self, line: usize, rows: usize, to: &mut [f32]) {
        let middle = |at: usize, all: usize, few: usize| (2 * at + 1) * all / (2 * few);
        let mut values = vec![NODATA; self.columns];
        (self.read)(middle(line, self.rows, rows), &mut values);
        let few = to.len();
        for (pixel, to) in to.iter_mut().enumerate() {
            *to = values[middle(pixel, self.columns, few)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_take_the_mean_of_their_cells_or_what_lies_in_the_middle() {
        let grid = Grid::plain(5, 7, 10.0);
        let small = |longest: usize, downsampling: Downsampling| {
            Small::of_rows(&grid, longest, downsampling, |row, to| {
                let value = |column| if row < 2 && column < 2 { NODATA } else { row as f32 };
                to.iter_mut().enumerate().for_each(|(column, to)| *to = value(column));
            })
        };
        let same = small(7, Downsampling::Mean);
        assert_eq!((same.columns, same.rows, same.values[34]), (5, 7, 6.0));
        assert_eq!(same.values[..3], [NODATA, NODATA, 0.0]);
        let mean = small(3, Downsampling::Mean);
        assert_eq!((mean.columns, mean.rows), (2, 3));
        // Rows 0 to 2, 3 and 4, 5 and 6; columns 0 to 2, 3 and 4.
        assert_eq!(mean.values, [7.0 / 5.0, 1.0, 3.5, 3.5, 5.5, 5.5]);
        let nearest = small(3, Downsampling::Nearest);
        assert_eq!(nearest.values, [NODATA, 1.0, 3.0, 3.0, 5.0, 5.0]);
        assert_eq!(small(1, Downsampling::Mean).values, [103.0 / 31.0]);
    }
}
