//! Rasters small enough to be shown: each pixel stands for a block of cells.

use crate::colour::NODATA;
use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::gdal_log;
use gdal::Dataset;
use gdal::raster::ResampleAlg;
use std::path::Path;

/// The longer side of a picture (pixels) at the most.
pub const LONGEST: usize = 1000;

/// A raster at the size of a picture, row-major, [`NODATA`] where there is nothing.
#[derive(Clone, Debug)]
pub struct Small {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Values.
    pub values: Vec<f32>,
}

/// Columns and rows of a picture of a grid, whose longer side has no more than `longest` pixels.
fn size(grid: &Grid, longest: usize) -> (usize, usize) {
    let factor = grid.columns.max(grid.rows).div_ceil(longest);
    (grid.columns.div_ceil(factor), grid.rows.div_ceil(factor))
}

impl Small {
    /// A bed (m): each pixel takes the mean of its cells.
    pub fn of_bed(grid: &Grid, bed: &Bed) -> Small {
        let metres = |level: &i32| match *level {
            Bed::OUTSIDE => NODATA,
            level => (f64::from(level) / Bed::PER_METRE) as f32,
        };
        let mut shrinking = Shrinking::new(grid, LONGEST, true);
        for (row, levels) in bed.levels.chunks(grid.columns).enumerate() {
            let levels: Vec<f32> = levels.iter().map(metres).collect();
            shrinking.add(row, &levels);
        }
        shrinking.end()
    }

    /// A raster file of the grid that is finished, read through its overviews, at a size of which the longer side has no
    /// more than `longest` pixels.
    pub fn read(path: &Path, grid: &Grid, averages: bool, longest: usize) -> Result<Small> {
        let how = if averages { ResampleAlg::Average } else { ResampleAlg::NearestNeighbour };
        Small::resampled(path, size(grid, longest), how, |_| Some(NODATA))
    }

    /// A DEM that lies on the grid, likewise; its heights in whatever unit they are.
    pub fn of_dem(path: &Path, grid: &Grid, longest: usize) -> Result<Small> {
        Small::resampled(path, size(grid, longest), ResampleAlg::Average, |band| {
            band.no_data_value().map(|value| value as f32)
        })
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
            let said = gdal_log::take().unwrap_or_else(|| error.to_string());
            Error::run(format!("cannot draw '{}': {said}", path.display()))
        })
    }

    /// The same at another size: each pixel takes what lies at its place.
    pub fn to_size(&self, (columns, rows): (usize, usize)) -> Small {
        let at = |to: usize, all: usize, few: usize| to * few / all;
        let value = |pixel: usize| {
            let (row, column) = (pixel / columns, pixel % columns);
            self.values[at(row, rows, self.rows) * self.columns + at(column, columns, self.columns)]
        };
        Small { columns, rows, values: (0..columns * rows).map(value).collect() }
    }

    /// Flat ground where it has a value.
    pub fn flat(self) -> Small {
        let flat = |value: &f32| if *value == NODATA { NODATA } else { 0.0 };
        Small { values: self.values.iter().map(flat).collect(), ..self }
    }
}

/// A small raster in the making, while the rows of a large one go by.
#[derive(Debug)]
pub struct Shrinking {
    small: Small,
    /// Columns and rows of the large one.
    cells: (usize, usize),
    /// Whether a pixel takes the mean of its cells, or what lies in the middle.
    averages: bool,
    /// Sum and number of the values in each pixel of the row that is under way.
    sums: Vec<(f64, u32)>,
}

impl Shrinking {
    /// Of a raster of the grid; no side will have more than `longest` pixels.
    pub fn new(grid: &Grid, longest: usize, averages: bool) -> Shrinking {
        let (columns, rows) = size(grid, longest);
        let small = Small { columns, rows, values: vec![NODATA; columns * rows] };
        let cells = (grid.columns, grid.rows);
        Shrinking { small, cells, averages, sums: vec![(0.0, 0); columns] }
    }

    /// Takes the next row.
    pub fn add(&mut self, row: usize, values: &[f32]) {
        let Shrinking { small, cells, averages, sums } = self;
        let line = row * small.rows / cells.1;
        let to = &mut small.values[line * small.columns..][..small.columns];
        if !*averages {
            let middle = |pixel: usize, all: usize, few: usize| (2 * pixel + 1) * all / (2 * few);
            if row == middle(line, cells.1, small.rows) {
                let at = |pixel: usize| values[middle(pixel, cells.0, small.columns)];
                to.iter_mut().enumerate().for_each(|(pixel, to)| *to = at(pixel));
            }
            return;
        }
        let first = |pixel: usize| (pixel * cells.0).div_ceil(small.columns);
        for (pixel, (sum, count)) in sums.iter_mut().enumerate() {
            let block = &values[first(pixel)..first(pixel + 1)];
            for &value in block.iter().filter(|value| **value != NODATA) {
                *sum += f64::from(value);
                *count += 1;
            }
        }
        let is_last = (row + 1) * small.rows / cells.1 > line;
        if is_last {
            for (to, sum) in to.iter_mut().zip(sums) {
                let (sum, count) = std::mem::take(sum);
                *to = if count == 0 { NODATA } else { (sum / f64::from(count)) as f32 };
            }
        }
    }

    /// The small raster, when all rows have gone by.
    pub fn end(self) -> Small {
        self.small
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_take_the_mean_of_their_cells_or_what_lies_in_the_middle() {
        let grid = Grid::plain(5, 7, 10.0);
        let small = |longest: usize, averages: bool| {
            let mut shrinking = Shrinking::new(&grid, longest, averages);
            for row in 0..7 {
                let value = |column| if row < 2 && column < 2 { NODATA } else { row as f32 };
                shrinking.add(row, &(0..5).map(value).collect::<Vec<_>>());
            }
            shrinking.end()
        };
        let same = small(7, true);
        assert_eq!((same.columns, same.rows, same.values[34]), (5, 7, 6.0));
        assert_eq!(same.values[..3], [NODATA, NODATA, 0.0]);
        let mean = small(3, true);
        assert_eq!((mean.columns, mean.rows), (2, 3));
        // Rows 0 to 2, 3 and 4, 5 and 6; columns 0 to 2, 3 and 4.
        assert_eq!(mean.values, [7.0 / 5.0, 1.0, 3.5, 3.5, 5.5, 5.5]);
        let nearest = small(3, false);
        assert_eq!(nearest.values, [NODATA, 1.0, 3.0, 3.0, 5.0, 5.0]);
        assert_eq!(small(1, true).values, [103.0 / 31.0]);
    }
}
