//! Layers beside the DEM: brought onto its grid, by GDAL's warper where they lie on another.

use super::place::{Alignment, same_crs};
use super::raster::{MISSING, RasterFile, Undeclared};
use super::totals;
use super::warp::{Resampling, warp};
use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::description::axes;
use crate::input::notice::{Notice, Notices};
use crate::input::topography::Topography;
use crate::input::whereabouts::misses;
use std::path::Path;

/// What a layer is, which tells how it is warped and whether it should cover the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// A quantity that every cell has.
    Field,
    /// A quantity that some cells have; the others may be NoData.
    Sparse,
    /// Marks of some cells; the others may be NoData.
    Marks,
    /// Classes. What becomes of cells without one is for whoever reads them.
    Classes,
}

/// How a layer came onto the DEM's grid. Negative values do not count in the amounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Whether it lay on another grid and was warped.
    pub warped: bool,
    /// Values times area (unit · m²) over the DEM's extent, in the layer's own cells.
    pub before: f64,
    /// The same on the DEM's grid.
    pub after: f64,
    /// The same in the domain only.
    pub inside: f64,
    /// Cells with more than 0 that lie on the DEM's NoData.
    pub dropped: usize,
    /// Area of one of the layer's own cells (m²), about the middle of the DEM.
    pub own_cell_area: f64,
    /// Cells of the domain for which the layer has a value.
    pub covered: usize,
    /// Values taken as NoData though nothing declares them as such; the warnings tell of them.
    pub undeclared: Undeclared,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// The assumption that was made about its unit.
    pub assumed: Option<Notice>,
}

impl Report {
    /// Notes that the raster was read for `role`, with its warnings and its assumption.
    pub fn note(&self, role: &str, path: &Path, notices: &mut Notices) -> Result<()> {
        notices.warn_all(self.warnings.iter().cloned());
        self.assumed.iter().for_each(|assumed| notices.assume(assumed.clone()));
        notices.read(role, path)
    }
}

/// Reads a layer without units, such as classes, on the DEM's grid and hands over its rows from north to south, with
/// [`MISSING`] where it has no value and outside the domain. Fails if it has none in the domain at all.
pub fn read(
    path: &Path,
    role: &str,
    ground: Topography,
    kind: Cover,
    each: impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<Report> {
    read_file(&RasterFile::open(path, role)?, ground, kind, each)
}

/// Like [`read`], but for a raster that is open already, which may measure a quantity.
pub fn read_file(
    file: &RasterFile,
    ground: Topography,
    kind: Cover,
    mut each: impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<Report> {
    let Topography { grid, bed } = ground;
    let role = &file.role;
    let shown = file.path.display();
    let mut report = Report { assumed: file.assumed(), ..Report::default() };
    let same_grid = lies_on(file, grid)?;
    report.warnings.extend(without_crs(file, grid)?);
    let area = grid.cell_area();
    let mut kept = vec![MISSING; grid.columns];
    let mut take = |row: usize, values: &[f64]| {
        let levels = &bed.levels[row * grid.columns..];
        for ((kept, &value), &level) in kept.iter_mut().zip(values).zip(levels) {
            *kept = if level == Bed::OUTSIDE { MISSING } else { value };
            let amount = if value > 0.0 { value * area } else { 0.0 };
            report.after += amount;
            if level != Bed::OUTSIDE {
                report.inside += amount;
                report.covered += usize::from(!value.is_nan());
            } else {
                report.dropped += usize::from(amount > 0.0);
            }
        }
        each(row, &kept)
    };
    let undeclared;
    let mut uncovered = None;
    if same_grid {
        undeclared = file.for_each_row(&mut take)?;
        report.before = report.after;
        report.own_cell_area = area;
    } else {
        let resampling = match kind {
            Cover::Field | Cover::Sparse => Resampling::Bilinear,
            Cover::Marks | Cover::Classes => Resampling::Nearest,
        };
        warp(file, grid, resampling, &mut take)?;
        report.warped = true;
        if kind == Cover::Classes {
            // They add up to nothing, and their files are larger by far than the DEM.
            undeclared = Undeclared::default();
        } else {
            (report.before, report.own_cell_area, undeclared) = totals::over(file, grid)?;
        }
        uncovered = beyond(file, ground);
    }
    if report.covered == 0 {
        return Err(misses(file, grid, ": it has a value for none of the domain's cells"));
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

/// Whether a raster lies on the DEM's grid. A layer without a georeference does if it has the same
/// shape, and cannot be used if it has another; one without a CRS has the DEM's.
pub(crate) fn lies_on(file: &RasterFile, grid: &Grid) -> Result<bool> {
    let shape = file.columns == grid.columns && file.rows == grid.rows;
    let Some(transform) = file.transform() else {
        if shape {
            return Ok(true);
        }
        let (role, shown) = (&file.role, file.path.display());
        if let Some(command) = axes::command_for_curvilinear(&file.dataset) {
            return Err(Error::input(format!(
                "{role}: '{shown}' lies on a curvilinear grid: each of its cells has a longitude and latitude of its own"
            ))
            .hint(format!("warp it to a regular grid: {command}")));
        }
        return Err(Error::input(format!(
            "{role}: '{shown}' has no georeference, and its {} × {} cells (columns × rows) are not the DEM's {} × {}",
            file.columns, file.rows, grid.columns, grid.rows
        ))
        .hint(format!(
            "tell where it lies: {}",
            file.declare("-a_ullr WEST NORTH EAST SOUTH")
        )));
    };
    let tolerance = 1e-4 * grid.transform[1].abs().min(grid.transform[5].abs());
    let near = |i: usize, cells: usize| {
        (transform[i] - grid.transform[i]).abs() * (cells as f64) < tolerance
    };
    let cells = grid.columns.max(grid.rows);
    let place = [0, 3].iter().all(|&i| near(i, 1)) && [1, 2, 4, 5].iter().all(|&i| near(i, cells));
    Ok(shape && place && same_crs(file.crs().as_deref(), grid.crs.as_deref()))
}

/// Whether the centre of a cell of the DEM's grid lies in a raster's extent; also `true` where that cannot be told.
pub fn reaches(path: &Path, role: &str, grid: &Grid, cell: usize) -> bool {
    let Ok(file) = RasterFile::open(path, role) else { return true };
    let Some(own) = file.transform() else { return true };
    let place = Alignment::new(&file, &own, grid);
    let at = grid.spot(cell);
    let (mut x, mut y) = ([at.x], [at.y]);
    if let Some(to_file) = &place.to_file
        && to_file.transform_coords(&mut x, &mut y, &mut []).is_err()
    {
        return true;
    }
    let (i, j) = place.cell(x[0], y[0]);
    (0.0..=file.columns as f64).contains(&i) && (0.0..=file.rows as f64).contains(&j)
}

/// Says that a layer has no CRS, where that matters: not on the DEM's own grid.
pub(crate) fn without_crs(file: &RasterFile, grid: &Grid) -> Result<Option<String>> {
    let unsure = file.crs().is_none() && grid.crs.is_some() && !lies_on(file, grid)?;
    Ok(unsure.then(|| {
        format!(
            "{}: '{}' has no coordinate reference system; taken to be the DEM's",
            file.role,
            file.path.display()
        )
    }))
}

/// Cells of the domain whose centre lies outside a raster; `None` if it has another CRS.
fn beyond(file: &RasterFile, ground: Topography) -> Option<usize> {
    let grid = ground.grid;
    let own = file.transform()?;
    let place = Alignment::new(file, &own, grid);
    if place.to_file.is_some() {
        return None;
    }
    let outside = |cell: usize| {
        let at = grid.spot(cell);
        let (i, j) = place.cell(at.x, at.y);
        !(0.0..=file.columns as f64).contains(&i) || !(0.0..=file.rows as f64).contains(&j)
    };
    let domain = (0..grid.cells()).filter(|&cell| ground.is_inside(cell));
    Some(domain.filter(|&cell| outside(cell)).count())
}
