//! Reordering of NetCDF variables whose rows and columns are not their last two dimensions.

use super::attributes::DIMENSION;
use super::axes::Role;
use super::netcdf::{Dimension, Layout};
use crate::error::{Error, Result};
use crate::input::gdal_access::{dataset, gdal_log};
use gdal::raster::GdalDataType;
use gdal::{Dataset, Metadata};
use std::ffi::CString;
use std::path::Path;

/// Returns a dataset of a NetCDF variable with columns along X and rows along Y: the given dataset
/// if it already has this order, else a copy in memory. Without a layout, as in other formats, it
/// is returned unchanged.
///
/// # Errors
/// If a time axis is along the rows or columns and the other axes cannot be identified, or the copy
/// fails.
pub fn in_order(dataset: Dataset, layout: Option<&Layout>, path: &Path) -> Result<Dataset> {
    let Some(layout) = layout else { return Ok(dataset) };
    let Some((x, y)) = layout.plane()? else { return Ok(dataset) };
    let copy = dataset::multidimensional(path).ok();
    copy.and_then(|whole| layout.copy(&whole, &dataset, (x, y))).ok_or_else(|| {
        let said = gdal_log::why("they must be evenly spaced");
        Error::input(format!(
            "its variable '{}' is stored with the axes {}, which cannot be reordered: {said}",
            layout.variable(),
            layout.names()
        ))
        .hint(layout.fix())
    })
}

impl Layout {
    fn variable(&self) -> &str {
        self.path.trim_start_matches('/')
    }

    /// Returns the dimensions of X and Y if they are not the last two in the order Y, X.
    fn plane(&self) -> Result<Option<(usize, usize)>> {
        let count = self.dimensions.len();
        if count < 2 {
            return Ok(None);
        }
        // The dimension identified by being the only one left.
        let other = |known: usize| {
            let is_left = |at: &usize| {
                let one = &self.dimensions[*at];
                *at != known && one.role.is_none() && one.size > 1
            };
            let mut left = (0..count).filter(is_left);
            left.next().filter(|_| left.next().is_none())
        };
        let (x, y) = (self.with(Role::X), self.with(Role::Y));
        let (x, y) = (x.or_else(|| other(y?)), y.or_else(|| other(x?)));
        if let (Some(x), Some(y)) = (x, y) {
            return Ok(((y, x) != (count - 2, count - 1)).then_some((x, y)));
        }
        let misplaced = self.dimensions[count - 2..]
            .iter()
            .any(|one| matches!(one.role, Some(Role::Time | Role::Vertical)) && one.size > 1);
        if misplaced {
            return Err(Error::input(format!(
                "its variable '{}' is stored with the axes {}, and nothing declares which are its columns and rows",
                self.variable(),
                self.names()
            ))
            .hint(self.fix()));
        }
        Ok(None)
    }

    fn fix(&self) -> String {
        format!(
            "store it in the order time, y, x: ncpdq -a time,y,x with the names of its axes, or in Python with xarray ds['{}'].transpose('time', 'y', 'x')",
            self.variable()
        )
    }

    /// Makes a copy in memory with columns along dimension `x` and rows from north to south along
    /// dimension `y`.
    fn copy(&self, whole: &Dataset, classic: &Dataset, (x, y): (usize, usize)) -> Option<Dataset> {
        let name = CString::new(&self.path[..]).ok()?;
        // SAFETY: `whole` is borrowed, so its handle is open, and `name` is a NUL-terminated string
        // that outlives the calls. Every handle is checked for null and released exactly once; GDAL
        // counts references, so the new dataset keeps the array alive. `Dataset` owns `plane`,
        // which nothing else closes.
        let plane = unsafe {
            let group = gdal_sys::GDALDatasetGetRootGroup(whole.c_dataset());
            if group.is_null() {
                return None;
            }
            let array = gdal_sys::GDALGroupOpenMDArrayFromFullname(
                group,
                name.as_ptr(),
                std::ptr::null_mut(),
            );
            gdal_sys::GDALGroupRelease(group);
            if array.is_null() {
                return None;
            }
            let plane = gdal_sys::GDALMDArrayAsClassicDataset(array, x, y);
            gdal_sys::GDALMDArrayRelease(array);
            if plane.is_null() {
                return None;
            }
            Dataset::from_c_dataset(plane)
        };
        let mut copy = upright(&plane)?;
        self.describe(&plane, classic, &mut copy, (x, y))?;
        Some(copy)
    }

    /// Copies the metadata of GDAL's classic driver and the coordinates of each band.
    fn describe(
        &self,
        plane: &Dataset,
        classic: &Dataset,
        copy: &mut Dataset,
        (x, y): (usize, usize),
    ) -> Option<()> {
        let items = |all: Option<Vec<String>>| {
            let all = all.unwrap_or_default().into_iter();
            let pairs = all.filter_map(|item| {
                let (key, value) = item.split_once('=')?;
                (!key.starts_with(DIMENSION)).then(|| (key.to_string(), value.to_string()))
            });
            pairs.collect::<Vec<_>>()
        };
        for (key, value) in items(classic.metadata_domain("")) {
            copy.set_metadata_item(&key, &value, "").ok()?;
        }
        let of_first = items(classic.rasterband(1).ok()?.metadata_domain(""));
        let outer = || (0..self.dimensions.len()).filter(|&at| at != x && at != y);
        for number in 1..=copy.raster_count() {
            let from = plane.rasterband(number).ok()?;
            let mut band = copy.rasterband(number).ok()?;
            for (key, value) in &of_first {
                band.set_metadata_item(key, value, "").ok()?;
            }
            // The last dimension varies fastest.
            let mut rest = number - 1;
            for at in outer().collect::<Vec<_>>().into_iter().rev() {
                let Dimension { name, size, coordinates, .. } = &self.dimensions[at];
                let index = rest % size;
                rest /= size;
                let value = coordinates.get(index).copied().unwrap_or(index as f64);
                band.set_metadata_item(&format!("{DIMENSION}{name}"), &value.to_string(), "")
                    .ok()?;
            }
            band.set_no_data_value(from.no_data_value()).ok()?;
            band.set_scale(from.scale().unwrap_or(1.0)).ok()?;
            band.set_offset(from.offset().unwrap_or(0.0)).ok()?;
        }
        Some(())
    }
}

/// Copies a dataset into memory, with columns from west to east and rows from north to south.
fn upright(plane: &Dataset) -> Option<Dataset> {
    let (size, count) = (plane.raster_size(), plane.raster_count());
    let (columns, rows) = size;
    let [west, dx, a, north, b, dy] = plane.geo_transform().ok()?;
    let (mirrored, turned) = (dx < 0.0, dy > 0.0);
    let west = if mirrored { west + dx * columns as f64 } else { west };
    let north = if turned { north + dy * rows as f64 } else { north };
    let transform = [west, dx.abs(), a, north, b, -dy.abs()];
    let is_single = matches!(
        plane.rasterband(1).ok()?.band_type(),
        GdalDataType::Float32 | GdalDataType::Int16 | GdalDataType::UInt16 | GdalDataType::UInt8
    );
    let crs = plane.projection();
    let copy = match is_single {
        true => dataset::in_memory::<f32>(size, count, &transform, &crs).ok()?,
        false => dataset::in_memory::<f64>(size, count, &transform, &crs).ok()?,
    };
    for number in 1..=count {
        let (from, mut to) = (plane.rasterband(number).ok()?, copy.rasterband(number).ok()?);
        for row in 0..rows {
            let source = if turned { rows - 1 - row } else { row };
            let mut line =
                from.read_as::<f64>((0, source as isize), (columns, 1), (columns, 1), None).ok()?;
            if mirrored {
                line.data_mut().reverse();
            }
            to.write((0, row as isize), (columns, 1), &mut line).ok()?;
        }
    }
    Some(copy)
}
