//! Rasters of amounts of water, and what there is to say of those that are warped.

use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::layer::{self, Cover, Report};
use crate::input::raster::RasterFile;
use crate::words;
use std::path::Path;

/// Says what a warped layer amounts to before and after.
pub fn warp_note(
    report: &Report,
    path: &Path,
    role: &str,
    unit: &str,
    factor: f64,
) -> Option<String> {
    let domain = if report.inside < report.after * (1.0 - 1e-9) {
        format!(", of which {:.6} {unit} in the domain", report.inside * factor)
    } else {
        String::new()
    };
    report.warped.then(|| {
        format!(
            "{role}: '{}' was warped to the DEM's grid: {:.6} {unit} over the DEM's extent before, {:.6} {unit} after{domain}",
            path.display(),
            report.before * factor,
            report.after * factor
        )
    })
}

/// Reads a raster of amounts, which must be finite and ≥ 0; missing values are skipped, and so is
/// what lies outside the domain.
pub fn read_amounts(
    path: &Path,
    role: &str,
    grid: &Grid,
    bed: &Bed,
    kind: Cover,
    each: impl FnMut(usize, f64),
) -> Result<Report> {
    read_amounts_of(&RasterFile::open(path, role)?, grid, bed, kind, each)
}

/// The same of an open raster.
pub fn read_amounts_of(
    file: &RasterFile,
    grid: &Grid,
    bed: &Bed,
    kind: Cover,
    mut each: impl FnMut(usize, f64),
) -> Result<Report> {
    let (role, path) = (&file.role, &file.path);
    layer::read_file(file, grid, bed, kind, |row, values| {
        for (column, &value) in values.iter().enumerate() {
            if value.is_nan() {
                continue;
            }
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::input(format!(
                    "{role}: '{}' holds {value} at {} of the DEM's grid",
                    path.display(),
                    words::place(column, row)
                ))
                .hint("values must be 0 or more; if it marks missing data, declare it as NoData"));
            }
            each(row * grid.columns + column, value);
        }
        Ok(())
    })
}
