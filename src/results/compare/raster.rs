//! Reads rasters of depth or extent, warped onto the result's grid if necessary.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::dem;
use crate::input::raster::RasterFile;
use crate::input::raster::layer::lies_on;
use crate::input::raster::warp::{Resampling, warp};
use crate::measures::quantity::DEPTH;
use crate::output::own_files::{holds_no_depths, not_depths};
use std::path::{Path, PathBuf};

/// Raster that is compared in a folder of results.
const OF_FOLDER: &str = "max_depth.tif";

/// Depth above which a raster is suspected to be a DEM or to hold levels (m).
const DEEPEST: f32 = 300.0;

/// Creates the error for a map of levels, hazards and so on where depths are expected.
pub fn map_refused(file: &RasterFile) -> Error {
    not_depths(file).hint("give the output folder of the run, or its max_depth.tif")
}

/// Meaning of a raster's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum RasterMeaning {
    // In the band's unit, or else m.
    /// Depths
    Depth,
    /// Extent: wet if more than 0, else dry
    Extent,
}

/// A raster on the result's grid.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Depth (m), or 1 for wet and 0 for dry, per cell; NaN if there is no value.
    pub values: Vec<f32>,
    /// Set if it was warped from another grid.
    pub warped: bool,
}

/// Returns the raster for a path: the path itself, or the maximum depth in a folder of results.
pub fn named(path: &Path, role: &str) -> Result<PathBuf> {
    let inside = path.join(OF_FOLDER);
    if path.is_dir() && !inside.is_file() {
        return Err(Error::input(format!(
            "{role}: the folder '{}' has no {OF_FOLDER}",
            path.display()
        ))
        .hint("name the raster itself, or the output folder of a run that is complete"));
    }
    Ok(if path.is_dir() { inside } else { path.to_path_buf() })
}

/// Returns the grid of a result.
pub fn grid_of(file: &RasterFile, warnings: &mut Vec<String>) -> Result<Grid> {
    dem::grid_of(file, false, warnings)
}

/// Returns `true` if a raster holds only 0 and 1 and declares no unit: then it is an extent.
pub fn looks_like_extent(file: &RasterFile) -> Result<bool> {
    let (mut marks, mut ones) = (file.units.first().is_none(), false);
    if marks {
        file.for_each_row(|_, values| {
            marks &= values.iter().all(|value| value.is_nan() || *value == 0.0 || *value == 1.0);
            ones |= values.contains(&1.0);
            Ok(())
        })?;
    }
    Ok(marks && ones)
}

/// Reads a raster onto a grid: depths are interpolated bilinearly, extents use the nearest cell.
/// Where a part of a cell has no value, it is dry with `dry_nodata`, else it does not count.
pub fn read(
    file: &mut RasterFile,
    grid: &Grid,
    meaning: RasterMeaning,
    dry_nodata: bool,
    warnings: &mut Vec<String>,
) -> Result<Compared> {
    if meaning == RasterMeaning::Depth {
        if holds_no_depths(file) {
            return Err(map_refused(file));
        }
        file.measure(&DEPTH)?;
        file.expect_amounts();
        warnings.extend(file.assumed().map(|assumed| assumed.text));
    }
    let file = &*file;
    let (role, shown) = (&file.role, file.path.display());
    let shape = (file.columns, file.rows) == (grid.columns, grid.rows);
    if file.transform().is_none() && !shape {
        return Err(Error::input(format!(
            "{role}: '{shown}' has no georeference, and its {} × {} cells (columns × rows) are not the result's {} × {}",
            file.columns, file.rows, grid.columns, grid.rows
        ))
        .hint(format!("georeference it: gdal_edit.py -a_ullr WEST NORTH EAST SOUTH '{shown}'")));
    }
    if file.transform().is_none() && grid.crs.is_some() {
        warnings.push(format!(
            "{role}: '{shown}' has no georeference; its cells are taken as the result's"
        ));
    }
    warnings.extend(file.gap());
    let warped = !lies_on(file, grid)?;
    if warped && file.crs().is_none() && grid.crs.is_some() {
        warnings.push(format!(
            "{role}: '{shown}' has no coordinate reference system; the result's is assumed"
        ));
    }
    let mut values = vec![f32::NAN; grid.cells()];
    let (mut below, mut lowest) = (0, 0.0f64);
    let mut take = |row: usize, line: &[f64]| {
        let to = &mut values[row * grid.columns..][..grid.columns];
        for (to, &value) in to.iter_mut().zip(line).filter(|(_, value)| !value.is_nan()) {
            *to = match meaning {
                RasterMeaning::Extent => f32::from(u8::from(value > 0.0)),
                RasterMeaning::Depth => value.max(0.0) as f32,
            };
            below += usize::from(value < 0.0);
            lowest = lowest.min(value);
        }
        Ok(())
    };
    if warped {
        let resampling = match meaning {
            RasterMeaning::Depth if dry_nodata => Resampling::Amounts,
            RasterMeaning::Depth => Resampling::Means,
            RasterMeaning::Extent => Resampling::Nearest,
        };
        warp(file, grid, resampling, &mut |row, line, _| take(row, line))?;
    } else {
        let undeclared = file.for_each_row(&mut take)?;
        warnings.extend(undeclared.warnings(file, "missing", None));
    }
    if below > 0 && meaning == RasterMeaning::Depth {
        warnings.push(format!(
            "{role}: '{shown}' has values below 0 in {below} cells, down to {lowest} m; they are taken as dry"
        ));
    }
    let deepest = values.iter().copied().fold(0.0, f32::max);
    if deepest > DEEPEST {
        warnings.push(format!(
            "{role}: '{shown}' has depths of up to {deepest} m: check that its values are depths, not levels"
        ));
    }
    Ok(Compared { values, warped })
}
