//! GDAL's warper: brings a raster onto the DEM's grid, a strip of rows at a time.

use super::raster::{MISSING, RasterFile, Undeclared};
use crate::error::{Error, Result};
use crate::gdal_log;
use crate::grid::Grid;
use gdal::raster::Buffer;
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};
use gdal::{Dataset, DriverManager};
use std::ffi::CString;

/// About how many cells are warped at a time.
const STRIP_CELLS: usize = 1 << 21;
/// NoData of what goes through the warper.
const NOTHING: f64 = -1.0e300;
/// So many points along each side tell where a strip lies in the other raster.
const SAMPLES: usize = 32;

/// How values go from grid to grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resampling {
    /// Quantities.
    Bilinear,
    /// Marks and classes.
    Nearest,
}

/// Warps a raster to the DEM's grid and hands over its rows, with [`MISSING`] where there is no value.
///
/// The warper gets the values as [`RasterFile`] hands them over: it would heed neither the scale of a
/// band nor every kind of mask.
pub fn warp(
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
    let own = file.transform().ok_or_else(|| failed("it has no georeference"))?;
    let target_crs = grid.crs.clone().or_else(|| file.crs()).unwrap_or_default();
    let source_crs = file.crs().unwrap_or_else(|| target_crs.clone());
    let place = Place::new(file, &own, grid);
    let step = (STRIP_CELLS / grid.columns).clamp(1, grid.rows);
    for first in (0..grid.rows).step_by(step) {
        let rows = step.min(grid.rows - first);
        let mut result = vec![NOTHING; rows * grid.columns];
        if let Some((corner, size)) = place.window(first, rows) {
            let mut values = vec![0.0; size.0 * size.1];
            file.read_window(corner, size, &mut values, &mut Undeclared::default())?;
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = NOTHING);
            let transform = moved(&own, corner.0, corner.1);
            let source = memory(size, &transform, &source_crs, values).map_err(|e| failed(&e))?;
            let size = (grid.columns, rows);
            let transform = moved(&grid.transform, 0, first);
            let strip = memory(size, &transform, &target_crs, result).map_err(|e| failed(&e))?;
            reproject(&source, &source_crs, &strip, &target_crs, resampling)
                .map_err(|what| failed(&what))?;
            result = strip
                .rasterband(1)
                .and_then(|band| band.read_as::<f64>((0, 0), size, size, None))
                .map_err(|_| failed("cannot read"))?
                .into_shape_and_vec()
                .1;
        }
        result.iter_mut().filter(|value| **value == NOTHING).for_each(|value| *value = MISSING);
        for (row, values) in result.chunks(grid.columns).enumerate() {
            each(first + row, values)?;
        }
    }
    Ok(())
}

/// A geotransform whose origin is moved by columns and rows.
fn moved(transform: &[f64; 6], columns: usize, rows: usize) -> [f64; 6] {
    let mut moved = *transform;
    moved[0] += columns as f64 * transform[1] + rows as f64 * transform[2];
    moved[3] += columns as f64 * transform[4] + rows as f64 * transform[5];
    moved
}

/// A raster in memory.
fn memory(
    size: (usize, usize),
    transform: &[f64; 6],
    crs: &str,
    values: Vec<f64>,
) -> std::result::Result<Dataset, String> {
    let make = || {
        let driver = DriverManager::get_driver_by_name("MEM")?;
        let mut dataset = driver.create_with_band_type::<f64, _>("", size.0, size.1, 1)?;
        dataset.set_geo_transform(transform)?;
        if !crs.is_empty() {
            dataset.set_projection(crs)?;
        }
        let mut band = dataset.rasterband(1)?;
        band.set_no_data_value(Some(NOTHING))?;
        band.write((0, 0), size, &mut Buffer::new(size, values))?;
        drop(band);
        Ok(dataset)
    };
    make().map_err(|error: gdal::errors::GdalError| error.to_string())
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
        Resampling::Bilinear => gdal_sys::GDALResampleAlg::GRA_Bilinear,
        Resampling::Nearest => gdal_sys::GDALResampleAlg::GRA_NearestNeighbour,
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

/// Where the DEM lies in another raster.
pub struct Place<'a> {
    file: &'a RasterFile,
    own: &'a [f64; 6],
    grid: &'a Grid,
    /// From the DEM's CRS to the raster's, if they differ.
    pub to_file: Option<CoordTransform>,
    degrees: bool,
}

impl<'a> Place<'a> {
    /// The DEM in a raster with this geotransform.
    pub fn new(file: &'a RasterFile, own: &'a [f64; 6], grid: &'a Grid) -> Place<'a> {
        let crs = file.crs();
        let to_file = projection(grid.crs.as_deref(), crs.as_deref());
        let srs = crs.and_then(|wkt| SpatialRef::from_wkt(&wkt).ok());
        let degrees = srs.is_some_and(|srs| srs.is_geographic());
        Place { file, own, grid, to_file, degrees }
    }

    /// Column and row in the raster of a point in its CRS.
    pub fn cell(&self, x: f64, y: f64) -> (f64, f64) {
        let [x0, a, b, y0, c, d] = *self.own;
        let (x, y, determinant) = (x - x0, y - y0, a * d - b * c);
        ((x * d - y * b) / determinant, (y * a - x * c) / determinant)
    }

    /// Corner and size of the part of the raster that a strip of the DEM's rows needs, if any.
    fn window(&self, first: usize, rows: usize) -> Option<((usize, usize), (usize, usize))> {
        let whole = Some(((0, 0), (self.file.columns, self.file.rows)));
        let strip = moved(&self.grid.transform, 0, first);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for i in 0..=SAMPLES {
            for j in 0..=SAMPLES {
                let part = |n: usize, size: usize| (n * size) as f64 / SAMPLES as f64;
                x.push(strip[0] + part(i, self.grid.columns) * strip[1]);
                y.push(strip[3] + part(j, rows) * strip[5]);
            }
        }
        if let Some(to_file) = &self.to_file {
            if to_file.transform_coords(&mut x, &mut y, &mut []).is_err() {
                return whole;
            }
        }
        let span = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (west, east) = span(&mut x.iter().copied());
        let columns = span(&mut x.iter().zip(&y).map(|(x, y)| self.cell(*x, *y).0));
        let lines = span(&mut x.iter().zip(&y).map(|(x, y)| self.cell(*x, *y).1));
        let known = x.iter().chain(&y).all(|value| value.is_finite());
        // Degrees may be counted from 0 to 360 or across the 180th meridian: the warper sees to that.
        let turned = self.degrees && (east - west > 180.0);
        if !known || turned {
            return whole;
        }
        // The warper looks at the cells about a point, more of them where it must average.
        let cut = |(low, high): (f64, f64), size: usize, cells: usize| {
            let length = high - low;
            let margin = 3.0 + 0.1 * length + 2.0 * (length / cells as f64).ceil();
            let first = (low - margin).floor().clamp(0.0, size as f64) as usize;
            let last = (high + margin).ceil().clamp(0.0, size as f64) as usize;
            (last > first).then(|| (first, last - first))
        };
        let columns = cut(columns, self.file.columns, self.grid.columns);
        let lines = cut(lines, self.file.rows, rows);
        match (columns, lines) {
            (Some((column, width)), Some((row, height))) => Some(((column, row), (width, height))),
            _ if self.degrees => whole,
            _ => None,
        }
    }
}

/// Whether two CRSs are the same as far as is known.
pub fn same_crs(a: Option<&str>, b: Option<&str>) -> bool {
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

/// The transformation between two CRSs, if both are known and differ.
pub fn projection(from: Option<&str>, to: Option<&str>) -> Option<CoordTransform> {
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
