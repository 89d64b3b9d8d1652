//! Resampling of rasters to the DEM's grid with GDAL's warper, a strip of rows at a time.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::dataset::in_memory;
use crate::input::gdal_access::{gdal_log, gdal_option};
use crate::input::raster::place::{Alignment, Window, moved};
use crate::input::raster::{MISSING, RasterFile, Undeclared};
use gdal::Dataset;
use gdal::raster::Buffer;
use std::ffi::CString;
use std::ops::Range;

/// Approximate number of cells warped at a time.
const STRIP_CELLS: usize = 1 << 21;
/// GDAL option for the number of warper threads. It does not affect the result.
const THREADS: &str = "GDAL_NUM_THREADS";
/// Value of cells that the warper does not reach, and, with [`Resampling::Nearest`], of cells of
/// the raster without a value.
const NOTHING: f64 = -1.0e300;
/// Share of a cell that must have a value, with [`Resampling::Means`].
const COVERED: f64 = 0.5;

/// Resampling method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resampling {
    /// For amounts, the mean over the cell if the raster is finer, else bilinear: where a part of a
    /// cell has no value, the mean with 0 there, which keeps the total.
    Amounts,
    /// For other quantities, the mean over the cell if the raster is finer, else bilinear: where a
    /// part of a cell has no value, the mean of the rest, if that is half of the cell or more.
    Means,
    /// For marks and classes.
    Nearest,
}

/// Rows of the DEM's grid that are warped at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// First row, and number of rows.
    pub rows: (usize, usize),
    /// Window of the raster that they need, if any.
    window: Option<Window>,
}

/// Warper of a raster to the DEM's grid.
///
/// It passes the values of [`RasterFile`] to GDAL's warper, which would ignore the scale of a band
/// and some kinds of mask.
pub struct Warper<'a> {
    file: &'a RasterFile,
    grid: &'a Grid,
    resampling: Resampling,
    /// Set if the raster's cells are smaller than those of the grid.
    is_finer: bool,
    /// Geotransform of the raster.
    own: [f64; 6],
    source_crs: String,
    target_crs: String,
}

/// Warps a raster to the DEM's grid and passes its rows to `each`: values, with [`MISSING`] where
/// there is none, and the share of each cell that has one, 0 to 1.
pub fn warp(
    file: &RasterFile,
    grid: &Grid,
    resampling: Resampling,
    each: &mut impl FnMut(usize, &[f64], &[f64]) -> Result<()>,
) -> Result<()> {
    let warper = Warper::new(file, grid, resampling)?;
    for strip in warper.strips() {
        let [values, shares] = warper.strip(&strip)?;
        let rows = values.chunks(grid.columns).zip(shares.chunks(grid.columns));
        for (row, (values, shares)) in (strip.rows.0..).zip(rows) {
            each(row, values, shares)?;
        }
    }
    Ok(())
}

impl<'a> Warper<'a> {
    /// Creates a warper of a raster; an error if it has no georeference.
    pub fn new(file: &'a RasterFile, grid: &'a Grid, resampling: Resampling) -> Result<Self> {
        gdal_log::take();
        let own = file.transform().ok_or_else(|| failed(file, "it has no georeference"))?;
        let target_crs = grid.crs.clone().or_else(|| file.crs()).unwrap_or_default();
        let source_crs = file.crs().unwrap_or_else(|| target_crs.clone());
        let is_finer = Alignment::new(file, &own, grid).is_finer();
        Ok(Warper { file, grid, resampling, is_finer, own, source_crs, target_crs })
    }

    /// Divides the rows of the grid into strips that need an acceptable number of cells of the
    /// raster.
    pub fn strips(&self) -> Vec<Strip> {
        let (grid, place) = (self.grid, Alignment::new(self.file, &self.own, self.grid));
        let step = (STRIP_CELLS / grid.columns).clamp(1, grid.rows);
        let (mut strips, mut first) = (Vec::new(), 0);
        while first < grid.rows {
            let (rows, window) = place.strip(first, step.min(grid.rows - first));
            strips.push(Strip { rows: (first, rows), window });
            first += rows;
        }
        strips
    }

    /// Returns GDAL's algorithm. Its bilinear kernel for a finer raster reaches beyond the cell.
    fn algorithm(&self) -> gdal_sys::GDALResampleAlg::Type {
        match self.resampling {
            Resampling::Amounts | Resampling::Means if self.is_finer => {
                gdal_sys::GDALResampleAlg::GRA_Average
            }
            Resampling::Amounts | Resampling::Means => gdal_sys::GDALResampleAlg::GRA_Bilinear,
            Resampling::Nearest => gdal_sys::GDALResampleAlg::GRA_NearestNeighbour,
        }
    }

    /// Warps a strip. Returns the values and the shares of the cells that have one.
    pub fn strip(&self, strip: &Strip) -> Result<[Vec<f64>; 2]> {
        let Warper { file, grid, own, source_crs, target_crs, .. } = self;
        let failed = |what: &str| failed(file, what);
        let Strip { rows: (first, rows), window } = *strip;
        let mut result = [vec![NOTHING; rows * grid.columns], vec![0.0; rows * grid.columns]];
        if let Some((corner, size)) = window {
            let mut values = file.buffer(0.0, size.0.saturating_mul(size.1))?;
            file.read_window(corner, size, &mut values, &mut Undeclared::default())?;
            // GDAL would take a cell whose middle has no value as one without, however large.
            let weighs =
                self.resampling != Resampling::Nearest && values.iter().any(|v| v.is_nan());
            let share = |value: &f64| f64::from(u8::from(!value.is_nan()));
            let shares = weighs.then(|| values.iter().map(share).collect());
            let missing = if weighs { 0.0 } else { NOTHING };
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = missing);
            let bands: Vec<Vec<f64>> = [Some(values), shares].into_iter().flatten().collect();
            let transform = moved(own, corner.0, corner.1);
            let count = bands.len();
            let source = memory(size, &transform, source_crs, bands).map_err(|e| failed(&e))?;
            for patch in patches(grid, first..first + rows) {
                let empty = vec![vec![NOTHING; patch.size.0 * patch.size.1]; count];
                let to = memory(patch.size, &patch.transform, target_crs, empty);
                let to = to.map_err(|e| failed(&e))?;
                reproject(&source, source_crs, &to, target_crs, self.algorithm())
                    .map_err(|what| failed(&what))?;
                let band = |number: usize| {
                    let band = to.rasterband(number);
                    let values =
                        band.and_then(|band| band.read_as((0, 0), patch.size, patch.size, None));
                    values.map_err(|_| failed("cannot read"))
                };
                let values: Buffer<f64> = band(1)?;
                let shares: Option<Buffer<f64>> = weighs.then(|| band(2)).transpose()?;
                let (column, row) = (patch.corner.0, patch.corner.1 - first);
                for (at, &value) in values.data().iter().enumerate() {
                    let share = match &shares {
                        Some(shares) => shares.data()[at].max(0.0),
                        None => f64::from(u8::from(value != NOTHING)),
                    };
                    let value = match self.resampling {
                        Resampling::Amounts if weighs && share > 0.0 => value,
                        Resampling::Means if weighs && share >= COVERED => value / share,
                        _ if weighs => NOTHING,
                        _ => value,
                    };
                    let cell =
                        (row + at / patch.size.0) * grid.columns + column + at % patch.size.0;
                    (result[0][cell], result[1][cell]) = (value, share);
                }
            }
        }
        result[0].iter_mut().filter(|value| **value == NOTHING).for_each(|value| *value = MISSING);
        Ok(result)
    }
}

/// Cells of the grid with the same size.
struct Patch {
    /// First column and row.
    corner: (usize, usize),
    /// Number of columns and rows.
    size: (usize, usize),
    transform: [f64; 6],
}

/// Divides rows of a grid into patches: the last column and row are on their own if only a part of
/// them is in the DEM, since a raster need not cover the rest.
fn patches(grid: &Grid, rows: Range<usize>) -> Vec<Patch> {
    let split = |range: Range<usize>, end: usize, last: f64| {
        let whole = if last < 1.0 { range.end.min(end - 1) } else { range.end };
        [(range.start..whole, 1.0), (whole..range.end, last)]
    };
    let [width, height] = grid.last;
    let mut patches = Vec::new();
    for (rows, height) in split(rows, grid.rows, height) {
        for (columns, width) in split(0..grid.columns, grid.columns, width) {
            let mut transform = moved(&grid.transform, columns.start, rows.start);
            transform[1] *= width;
            transform[5] *= height;
            let corner = (columns.start, rows.start);
            patches.push(Patch { corner, size: (columns.len(), rows.len()), transform });
        }
    }
    patches.retain(|patch| patch.size.0 * patch.size.1 > 0);
    patches
}

fn failed(file: &RasterFile, what: &str) -> Error {
    let said = gdal_log::why(what);
    let (role, shown) = (&file.role, file.path.display());
    Error::input(format!("{role}: cannot warp '{shown}' to the other grid: {said}"))
        .hint("warp it yourself with gdalwarp and give the result")
}

/// Creates a raster of some bands in memory.
fn memory(
    size: (usize, usize),
    transform: &[f64; 6],
    crs: &str,
    bands: Vec<Vec<f64>>,
) -> std::result::Result<Dataset, String> {
    let make = || {
        let dataset = in_memory::<f64>(size, bands.len(), transform, crs)?;
        for (at, values) in bands.into_iter().enumerate() {
            let mut band = dataset.rasterband(at + 1)?;
            band.set_no_data_value(Some(NOTHING))?;
            band.write((0, 0), size, &mut Buffer::new(size, values))?;
        }
        Ok(dataset)
    };
    make().map_err(|error: gdal::errors::GdalError| error.to_string())
}

/// Calls GDAL's warper; the safe binding has no choice of resampling.
fn reproject(
    source: &Dataset,
    source_crs: &str,
    target: &Dataset,
    target_crs: &str,
    algorithm: gdal_sys::GDALResampleAlg::Type,
) -> std::result::Result<(), String> {
    let text = |wkt: &str| CString::new(wkt).map_err(|error| error.to_string());
    let (source_crs, target_crs) = (text(source_crs)?, text(target_crs)?);
    let threads = rayon::current_num_threads().to_string();
    // SAFETY: both datasets are borrowed, so their handles are open; both CRS strings are
    // NUL-terminated and outlive the call; the null callback, progress argument and options are
    // allowed.
    let warp = || unsafe {
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
    let result = gdal_option::with((THREADS, &threads), || Ok(warp()));
    let result = result.map_err(|error| error.to_string())?;
    if result != gdal_sys::CPLErr::CE_None {
        return Err("the warper failed".into());
    }
    // Pixels without a place in the other CRS give messages, but no error.
    gdal_log::take();
    gdal_log::drop_of_threads();
    Ok(())
}
