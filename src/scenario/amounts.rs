//! Rasters of water amounts, and of a value for every cell; notes on warped rasters.

use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::Notices;
use crate::input::raster::RasterFile;
use crate::input::raster::layer::{self, Cover, Report};
use crate::input::raster::negative::{self, Amounts};
use crate::measures::quantity::{DEPTH, Quantity};
use crate::output::own_files::{holds_no_depths, not_depths};
use crate::words;
use std::path::Path;

/// Returns a note with the total of a warped layer before and after warping, if it was warped.
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

/// Reads a raster of amounts of a quantity, in its unit. Amounts must be finite and ≥ 0; cells
/// without a value and cells outside the domain are skipped.
pub fn read_amounts(
    path: &Path,
    role: &str,
    quantity: &'static Quantity,
    ground: Topography,
    kind: Cover,
    each: impl FnMut(usize, f64),
) -> Result<Report> {
    let mut file = RasterFile::open(path, role)?;
    if *quantity == DEPTH && holds_no_depths(&file) {
        return Err(not_depths(&file).hint("give depths, such as depth.tif of the same run"));
    }
    file.measure(quantity)?;
    file.expect_amounts();
    read_amounts_of(&file, ground, kind, each)
}

/// Like [`read_amounts`], but reads an open raster that is expected to hold amounts.
pub fn read_amounts_of(
    file: &RasterFile,
    ground: Topography,
    kind: Cover,
    mut each: impl FnMut(usize, f64),
) -> Result<Report> {
    let whose = format!("{}: '{}'", file.role, file.path.display());
    let mut amounts = Amounts::default();
    let report = layer::read_file(file, ground, kind, |row, values| {
        for (column, &value) in values.iter().enumerate() {
            if value.is_nan() {
                continue;
            }
            let place = || format!("{} of the DEM's grid", words::place(column, row));
            let amount = amounts.take(&whose, value, place)?;
            each(row * ground.grid.columns + column, amount);
        }
        Ok(())
    })?;
    amounts.check(&whose, file)?;
    Ok(report)
}

/// Raster that must have a value in every cell of the domain.
pub struct FullCoverageRaster<'a> {
    pub role: &'a str,
    pub path: &'a Path,
    /// Noun for a value, for messages.
    pub what: &'a str,
    /// Quantity of the values.
    pub quantity: &'static Quantity,
    /// Predicate for valid values; `hint` describes them.
    pub fits: &'a dyn Fn(f64) -> bool,
    pub hint: String,
}

impl FullCoverageRaster<'_> {
    /// Passes the values of the grid on row by row; cells outside of the domain get `outside`, which
    /// is never used.
    pub fn each_row(
        &self,
        outside: f32,
        ground: Topography,
        notices: &mut Notices,
        each: &mut dyn FnMut(&[f32]) -> Result<()>,
    ) -> Result<()> {
        let grid = ground.grid;
        let FullCoverageRaster { role, path, what, quantity, fits, hint } = self;
        let shown = path.display();
        let mut cells = vec![outside; grid.columns];
        let mut gap = None;
        let mut file = RasterFile::open(path, role)?;
        file.measure(quantity)?;
        file.expect_amounts();
        let rounding = negative::rounding(&file);
        let report = layer::read_file(&file, ground, Cover::Marks, |row, values| {
            cells.fill(outside);
            for (column, &value) in values.iter().enumerate() {
                if !ground.is_inside(row * grid.columns + column) {
                    continue;
                }
                let place = || format!("at {} of the DEM's grid", words::place(column, row));
                let value = if value < 0.0 && value >= -rounding { 0.0 } else { value };
                if value.is_nan() {
                    gap.get_or_insert_with(place);
                } else if fits(value) {
                    cells[column] = value as f32;
                } else {
                    let what = format!("{role}: '{shown}' holds {value} {}", place());
                    return Err(Error::input(what).hint(hint));
                }
            }
            each(&cells)
        })?;
        if let Some(place) = gap {
            let gap = Error::input(format!("{role}: '{shown}' has no value {place}"));
            let undeclared = report.undeclared.warnings(&file, "missing", None);
            let undeclared = undeclared.first().map_or(String::new(), |what| format!("{what}; "));
            return Err(gap.hint(format!(
                "{undeclared}give every cell of the domain {what}; fill NoData, with gdal_fillnodata.py for example"
            )));
        }
        report.note(role, path, notices)?;
        if report.warped {
            notices.note(format!(
                "{role}: '{shown}' is on another grid; each cell takes the nearest value"
            ));
        }
        Ok(())
    }
}
