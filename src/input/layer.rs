//! Layers beside the DEM: brought onto its grid, by GDAL's warper where they lie on another.

use super::raster::RasterFile;
use crate::error::{Error, Result};
use crate::gdal_log;
use crate::grid::{Bed, Grid};
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};
use gdal::{Dataset, DriverManager};
use std::ffi::CString;
use std::path::Path;

/// About how many cells are warped at a time.
const STRIP_CELLS: usize = 1 << 21;

/// Marks cells for which the layer has nothing to say.
pub const MISSING: f64 = f64::NAN;

/// How a layer's values go from grid to grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resampling {
    /// Quantities: bilinear.
    Rates,
    /// Marks and classes: nearest.
    Classes,
}

/// How a layer came onto the DEM's grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Whether it lay on another grid and was warped.
    pub warped: bool,
    /// Values times area (unit · m²) over the DEM's extent, in the layer's own cells.
    pub before: f64,
    /// The same on the DEM's grid.
    pub after: f64,
    /// Area of one of the layer's own cells (m²), about the middle of the DEM.
    pub own_cell_area: f64,
    /// Cells of the domain for which the layer has a value.
    pub covered: usize,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Reads a layer on the DEM's grid and hands over its rows from north to south, with
/// [`MISSING`] where it has no value. Fails if it has none in the domain at all.
pub fn read(
    path: &Path,
    role: &str,
    grid: &Grid,
    bed: &Bed,
    resampling: Resampling,
    mut each: impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<Report> {
    let file = RasterFile::open(path, role)?;
    let mut report = Report::default();
    let same_grid = lies_on(&file, grid);
    if file.crs().is_none() && grid.crs.is_some() && !same_grid {
        report.warnings.push(format!(
            "{role}: '{}' has no coordinate reference system; taken to be the DEM's",
            path.display()
        ));
    }
    let area = grid.cell_area();
    let mut count = |row: usize, values: &[f64]| {
        let levels = &bed.levels[row * grid.columns..];
        let valid = values.iter().zip(levels).filter(|(value, _)| !value.is_nan());
        report.covered += valid.clone().filter(|(_, level)| **level != Bed::OUTSIDE).count();
        report.after += valid.map(|(value, _)| value).sum::<f64>() * area;
        each(row, values)
    };
    if same_grid {
        let mut clean = vec![0.0; grid.columns];
        file.for_each_row(|row, values| {
            for (clean, &value) in clean.iter_mut().zip(values) {
                let missing = file.is_nodata(value) || value.is_nan();
                *clean = if missing { MISSING } else { value };
            }
            count(row, &clean)
        })?;
        report.before = report.after;
        report.own_cell_area = area;
    } else {
        warp(&file, grid, resampling, &mut count)?;
        report.warped = true;
        (report.before, report.own_cell_area) = total_over(&file, grid)?;
    }
    if report.covered == 0 {
        let [west, south, east, north] = grid.extent();
        return Err(Error::input(format!(
            "{role}: '{}' does not touch the DEM: it has a value for none of the domain's cells",
            path.display()
        ))
        .hint(format!(
            "the DEM covers x {west} to {east}, y {south} to {north}; compare with gdalinfo '{}'",
            path.display()
        )));
    }
    let domain = bed.levels.iter().filter(|level| **level != Bed::OUTSIDE).count();
    if report.covered < domain {
        let missing = 100.0 * (1.0 - report.covered as f64 / domain as f64);
        report.warnings.push(format!(
            "{role}: '{}' has no value for {missing:.2} % of the domain's cells; they are taken as 0",
            path.display()
        ));
    }
    Ok(report)
}

/// Whether a raster lies on the DEM's grid. A layer without a georeference or CRS of its own does if
/// it has the same shape.
fn lies_on(file: &RasterFile, grid: &Grid) -> bool {
    let shape = file.columns == grid.columns && file.rows == grid.rows;
    let place = file.transform().is_none_or(|transform| {
        let tolerance = 1e-4 * grid.transform[1].abs().min(grid.transform[5].abs());
        let far = [0, 3].iter().all(|&i| (transform[i] - grid.transform[i]).abs() < tolerance);
        let cells = grid.columns.max(grid.rows) as f64;
        let size = [1, 2, 4, 5]
            .iter()
            .all(|&i| (transform[i] - grid.transform[i]).abs() * cells < tolerance);
        far && size
    });
    shape && place && same_crs(file.crs().as_deref(), grid.crs.as_deref())
}

fn same_crs(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return true;
    };
    if a == b {
        return true;
    }
    match (SpatialRef::from_wkt(a), SpatialRef::from_wkt(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// Warps a layer to the DEM's grid, a strip of rows at a time.
fn warp(
    file: &RasterFile,
    grid: &Grid,
    resampling: Resampling,
    each: &mut impl FnMut(usize, &[f64]) -> Result<()>,
) -> Result<()> {
    let failed = |what: &str| {
        let said = gdal_log::take().unwrap_or_else(|| what.to_string());
        Error::input(format!(
            "{}: cannot warp '{}' to the DEM's grid: {said}",
            file.role,
            file.path.display()
        ))
        .hint("warp it yourself with gdalwarp and give the result")
    };
    gdal_log::take();
    let memory = DriverManager::get_driver_by_name("MEM").map_err(|_| failed("no MEM driver"))?;
    let target_crs = grid.crs.clone().or_else(|| file.crs()).unwrap_or_default();
    let source_crs = file.crs().unwrap_or_else(|| target_crs.clone());
    let nothing = -1.0e300;
    let step = (STRIP_CELLS / grid.columns).clamp(1, grid.rows);
    let mut values = vec![0.0f64; step * grid.columns];
    for first in (0..grid.rows).step_by(step) {
        let rows = step.min(grid.rows - first);
        let mut strip = memory
            .create_with_band_type::<f64, _>("", grid.columns, rows, 1)
            .map_err(|_| failed("out of memory"))?;
        let mut transform = grid.transform;
        transform[3] += first as f64 * transform[5];
        strip.set_geo_transform(&transform).map_err(|_| failed("no geotransform"))?;
        if !target_crs.is_empty() {
            strip.set_projection(&target_crs).map_err(|_| failed("no CRS"))?;
        }
        {
            let mut band = strip.rasterband(1).map_err(|_| failed("no band"))?;
            band.set_no_data_value(Some(nothing)).map_err(|_| failed("no NoData"))?;
            band.fill(nothing, None).map_err(|_| failed("cannot fill"))?;
        }
        reproject(&file.dataset, &source_crs, &strip, &target_crs, resampling)
            .map_err(|what| failed(&what))?;
        let values = &mut values[..rows * grid.columns];
        let size = (grid.columns, rows);
        let band = strip.rasterband(1).map_err(|_| failed("no band"))?;
        band.read_into_slice((0, 0), size, size, values, None)
            .map_err(|_| failed("cannot read"))?;
        for (row, values) in values.chunks_mut(grid.columns).enumerate() {
            for value in values.iter_mut() {
                if *value == nothing {
                    *value = MISSING;
                }
            }
            each(first + row, values)?;
        }
    }
    Ok(())
}

/// GDAL's warper; the safe crate offers it without a choice of resampling.
fn reproject(
    source: &Dataset,
    source_crs: &str,
    target: &Dataset,
    target_crs: &str,
    resampling: Resampling,
) -> std::result::Result<(), String> {
    let algorithm = match resampling {
        Resampling::Rates => gdal_sys::GDALResampleAlg::GRA_Bilinear,
        Resampling::Classes => gdal_sys::GDALResampleAlg::GRA_NearestNeighbour,
    };
    let text = |wkt: &str| CString::new(wkt).map_err(|error| error.to_string());
    let (source_crs, target_crs) = (text(source_crs)?, text(target_crs)?);
    // SAFETY: both datasets are open, both strings end in a zero, and no callback is given.
    let result = unsafe {
        gdal_sys::GDALReprojectImage(
            source.c_dataset(),
            source_crs.as_ptr(),
            target.c_dataset(),
            target_crs.as_ptr(),
            algorithm,
            0.0,
            0.0,
            None,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    if result == gdal_sys::CPLErr::CE_None { Ok(()) } else { Err("the warper failed".into()) }
}

/// Sum of a raster's values times area (unit · m²) over the cells whose centre lies in the DEM's
/// extent, and the area of one of its cells (m²) in the middle.
fn total_over(file: &RasterFile, grid: &Grid) -> Result<(f64, f64)> {
    let own = file.transform().unwrap_or(grid.transform);
    let to_dem = projection(file.crs().as_deref(), grid.crs.as_deref());
    let [west, south, east, north] = grid.extent();
    let metres = grid.dx / grid.transform[1];
    // Centres of a row of cells, in units of the DEM's CRS.
    let centres = |row: f64| {
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = (0..=file.columns)
            .map(|i| i as f64 + 0.5)
            .map(|i| (own[0] + i * own[1] + row * own[2], own[3] + i * own[4] + row * own[5]))
            .unzip();
        if let Some(to_dem) = &to_dem {
            // Points that cannot be projected come back infinite and lie outside the extent.
            let _ = to_dem.transform_coords(&mut x, &mut y, &mut []);
        }
        (x, y)
    };
    let mut total = 0.0;
    let (mut areas, mut cells) = (0.0, 0usize);
    let mut here = centres(0.5);
    file.for_each_row(|row, values| {
        let below = centres(row as f64 + 1.5);
        for (i, &value) in values.iter().enumerate() {
            let (x, y) = (here.0[i], here.1[i]);
            if !(x >= west && x <= east && y >= south && y <= north) {
                continue;
            }
            let (along, down) =
                ((here.0[i + 1] - x, here.1[i + 1] - y), (below.0[i] - x, below.1[i] - y));
            let area = (along.0 * down.1 - along.1 * down.0).abs() * metres * metres;
            areas += area;
            cells += 1;
            if !file.is_nodata(value) && !value.is_nan() {
                total += value * area;
            }
        }
        here = below;
        Ok(())
    })?;
    let area =
        if cells > 0 { areas / cells as f64 } else { (own[1] * own[5]).abs() * metres * metres };
    Ok((total, area))
}

/// The transformation between two CRSs, if both are known and differ.
fn projection(from: Option<&str>, to: Option<&str>) -> Option<CoordTransform> {
    let (from, to) = (from?, to?);
    if same_crs(Some(from), Some(to)) {
        return None;
    }
    let srs = |wkt| {
        let mut srs = SpatialRef::from_wkt(wkt).ok()?;
        srs.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
        Some(srs)
    };
    CoordTransform::new(&srs(from)?, &srs(to)?).ok()
}
