//! Layers in addition to the DEM, resampled to its grid by GDAL's warper if they are on another
//! grid.

use crate::engine::grid::{Bed, Grid};
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notice, Notices};
use crate::input::raster::place::{Alignment, same_crs};
use crate::input::raster::totals;
use crate::input::raster::warp::{Resampling, warp};
use crate::input::raster::{MISSING, NEGLIGIBLE, RasterFile, Undeclared};
use crate::input::vector::point_position::misses;
use std::path::Path;

/// Kind of a layer, which determines how it is warped and whether it must cover the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// A quantity of every cell.
    Field,
    /// A quantity of some cells; the others may be NoData.
    Sparse,
    /// Marks on some cells; the others may be NoData.
    Marks,
    /// Classes. The caller decides about cells without one.
    Classes,
}

/// Report on the resampling of a layer to the DEM's grid. Negative values do not count in the
/// amounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// `true` if the layer was on another grid and was warped.
    pub warped: bool,
    /// Integral of the values over the DEM's extent (unit · m²), in the layer's own cells.
    pub before: f64,
    /// Integral of the values on the DEM's grid (unit · m²).
    pub after: f64,
    /// Integral of the values in the domain (unit · m²).
    pub inside: f64,
    /// Number of cells with positive values on the DEM's NoData.
    pub dropped: usize,
    /// Area of one of the layer's own cells (m²), near the middle of the DEM.
    pub own_cell_area: f64,
    /// Number of domain cells with a value; parts of cells add up.
    pub covered: usize,
    /// Values taken as NoData although not declared; the warnings describe them.
    pub undeclared: Undeclared,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Assumptions about the unit and the place.
    pub assumed: Vec<Notice>,
}

impl Report {
    /// Records that the raster was read for `role`, with its warnings and its assumption.
    pub fn note(&self, role: &str, path: &Path, notices: &mut Notices) -> Result<()> {
        notices.warn_all(self.warnings.iter().cloned());
        self.assumed.iter().for_each(|assumed| notices.assume(assumed.clone()));
        notices.read(role, path)
    }
}

/// Reads a layer without units, such as classes, on the DEM's grid, and passes its rows from north
/// to south to `each`, with [`MISSING`] where it has no value and outside the domain. Fails if it
/// has no value in the domain.
pub fn read(
    path: &Path,
    role: &str,
    ground: Topography,
    kind: Cover,
    each: impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<Report> {
    read_file(&RasterFile::open(path, role)?, ground, kind, each)
}

/// Like [`read`], but for an open raster, which may measure a quantity.
pub fn read_file(
    file: &RasterFile,
    ground: Topography,
    kind: Cover,
    mut each: impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<Report> {
    let Topography { grid, bed, .. } = ground;
    let role = &file.role;
    let shown = file.path.display();
    let assumed = file.assumed().into_iter().chain(without_place(file)).collect();
    let mut report = Report { assumed, ..Report::default() };
    let same_grid = lies_on(file, grid)?;
    report.warnings.extend(without_crs(file, grid)?);
    report.warnings.extend(file.gap());
    let area = grid.cell_area();
    let mut kept = vec![MISSING; grid.columns];
    let mut covered = 0.0;
    let mut take = |row: usize, values: &[f64], shares: Option<&[f64]>| {
        for (cell, (kept, &value)) in (row * grid.columns..).zip(kept.iter_mut().zip(values)) {
            let level = bed.levels[cell];
            *kept = if level == Bed::OUTSIDE { MISSING } else { value };
            let amount = if value > 0.0 { value * area * grid.share(cell) } else { 0.0 };
            report.after += amount;
            if level != Bed::OUTSIDE {
                report.inside += amount;
                covered += match shares {
                    Some(shares) => shares[cell % grid.columns],
                    None => f64::from(u8::from(!value.is_nan())),
                };
            } else {
                report.dropped += usize::from(amount > 0.0);
            }
        }
        each(row, &kept)
    };
    let undeclared;
    let mut uncovered = None;
    if same_grid {
        undeclared = file.for_each_row(&mut |row, values: &[f64]| take(row, values, None))?;
        report.before = report.after;
        report.own_cell_area = area;
    } else {
        let resampling = match kind {
            Cover::Field | Cover::Sparse if file.holds_amounts() => Resampling::Amounts,
            Cover::Field | Cover::Sparse => Resampling::Means,
            Cover::Marks | Cover::Classes => Resampling::Nearest,
        };
        warp(file, grid, resampling, &mut |row, values, shares| take(row, values, Some(shares)))?;
        report.warped = true;
        if kind == Cover::Classes {
            // Sums of classes are meaningless, and their files are much larger than the DEM.
            undeclared = Undeclared::default();
        } else {
            (report.before, report.own_cell_area, undeclared) = totals::over(file, grid)?;
        }
        uncovered = beyond(file, ground);
    }
    report.covered = (covered + 0.5) as usize;
    if covered == 0.0 {
        let overlaps = |own| Alignment::new(file, &own, grid).overlaps();
        if same_grid || file.transform().is_some_and(overlaps) {
            return Err(file.wrong("has no value in the domain").hint(
                "check the NoData value that it declares, or give a raster with values there",
            ));
        }
        return Err(misses(file, grid, ": none of the domain's cells has a value"));
    }
    report.warnings.extend(undeclared.warnings(file, "missing", None));
    report.undeclared = undeclared;
    let domain = bed.domain_cells();
    let uncovered = match kind {
        Cover::Field => domain - report.covered,
        Cover::Sparse | Cover::Marks => uncovered.unwrap_or(0),
        Cover::Classes => 0,
    };
    if uncovered > 0 {
        let missing = 100.0 * uncovered as f64 / domain as f64;
        report.warnings.push(format!(
            "{role}: '{shown}' has no value for {missing:.2} % of the domain's cells; they are taken as 0"
        ));
    }
    Ok(report)
}

/// Returns `true` if a raster is on the DEM's grid. A layer without a georeference is if it has the
/// same shape, and is an error otherwise; a layer without a CRS is assumed to have the DEM's.
pub(crate) fn lies_on(file: &RasterFile, grid: &Grid) -> Result<bool> {
    let shape = file.columns == grid.columns && file.rows == grid.rows;
    let Some(transform) = file.transform() else {
        if shape {
            return Ok(true);
        }
        return Err(file
            .wrong(format_args!(
                "has no georeference, and its {} × {} cells (columns × rows) are not the DEM's {} × {}",
                file.columns, file.rows, grid.columns, grid.rows
            ))
            .hint(format!("georeference it: {}", file.declare("-a_ullr WEST NORTH EAST SOUTH"))));
    };
    let tolerance = NEGLIGIBLE * grid.transform[1].abs().min(grid.transform[5].abs());
    let near = |i: usize, cells: usize| {
        (transform[i] - grid.transform[i]).abs() * (cells as f64) < tolerance
    };
    let cells = grid.columns.max(grid.rows);
    let place = [0, 3].iter().all(|&i| near(i, 1)) && [1, 2, 4, 5].iter().all(|&i| near(i, cells));
    Ok(shape && place && same_crs(file.crs().as_deref(), grid.crs.as_deref()))
}

/// Returns `true` if the centre of a cell of the DEM's grid is in a raster's extent, or if this
/// cannot be determined.
pub fn reaches(path: &Path, role: &str, grid: &Grid, cell: usize) -> bool {
    let Ok(file) = RasterFile::open(path, role) else { return true };
    let Some(own) = file.transform() else { return true };
    let place = Alignment::new(&file, &own, grid);
    let at = grid.spot(cell);
    place.cell_below((at.x, at.y)).is_none_or(|at| place.holds(at))
}

/// Warns that a layer has no CRS, unless it is on the DEM's own grid.
pub(crate) fn without_crs(file: &RasterFile, grid: &Grid) -> Result<Option<String>> {
    let unsure = file.crs().is_none() && grid.crs.is_some() && !lies_on(file, grid)?;
    Ok(unsure.then(|| {
        format!(
            "{}: '{}' has no coordinate reference system; the DEM's is assumed",
            file.role,
            file.path.display()
        )
    }))
}

/// Returns the assumption about a layer without a georeference, which [`lies_on`] accepts.
pub(crate) fn without_place(file: &RasterFile) -> Option<Notice> {
    let is_bare = file.transform().is_none();
    is_bare.then(|| file.notice("has no georeference; its cells are taken as the DEM's"))
}

/// Counts the domain cells whose centre is outside a raster; `None` if it has another CRS.
fn beyond(file: &RasterFile, ground: Topography) -> Option<usize> {
    let grid = ground.grid;
    let own = file.transform()?;
    let place = Alignment::new(file, &own, grid);
    if place.to_file.is_some() {
        return None;
    }
    let outside = |cell: usize| {
        let at = grid.spot(cell);
        !place.holds(place.cell(at.x, at.y))
    };
    let domain = (0..grid.cells()).filter(|&cell| ground.is_inside(cell));
    Some(domain.filter(|&cell| outside(cell)).count())
}
