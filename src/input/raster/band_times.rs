//! Rasters over time: the variables of NetCDF files, and the times of bands.

use crate::error::{Error, Result};
use crate::input::description::interval::{self, BandTime, TimeReader};
use crate::input::description::netcdf::Layout;
use crate::input::description::{axes, order, spacing};
use crate::input::gdal_access::gdal_log;
use crate::input::raster::{RasterFile, open_dataset};
use gdal::{Dataset, DatasetOptions, GdalOpenFlags, Metadata};
use std::path::Path;

/// Opens a raster that may be one of several variables of a NetCDF file: the variable named
/// `variable`, or else the only variable whose bands have times.
pub fn open(path: &Path, role: &str, variable: Option<&str>) -> Result<RasterFile> {
    let dataset = open_dataset(path, role)?;
    let inside = variables(&dataset);
    let shown = path.display();
    if inside.is_empty() && dataset.raster_count() > 0 {
        if let Some(name) = variable
            && !(0..dataset.raster_count()).any(|at| {
                let band = dataset.rasterband(at + 1);
                band.is_ok_and(|band| {
                    band.metadata_item("NETCDF_VARNAME", "").is_some_and(|own| is_named(name, &own))
                })
            })
        {
            return Err(Error::input(format!("{role}: '{shown}' has no variable '{name}'"))
                .hint(format!("the file has only one raster: leave {role}_variable out")));
        }
        return RasterFile::of(dataset, path, role);
    }
    let named: Vec<&(String, String)> = match variable {
        Some(name) => inside.iter().filter(|(known, _)| is_named(known, name)).collect(),
        None => inside.iter().filter(|(_, address)| is_over_time(path, address)).collect(),
    };
    let names: Vec<&str> = inside.iter().map(|(name, _)| name.as_str()).collect();
    match (&named[..], variable) {
        ([(_, address)], _) => {
            let dataset = open_quietly(address).ok_or_else(|| {
                Error::input(format!("{role}: '{address}' is not a raster that GDAL can read"))
            })?;
            RasterFile::of(dataset, path, role)
        }
        (_, Some(name)) => Err(Error::input(format!("{role}: '{shown}' has no variable '{name}'"))
            .hint(format!("its variables: {}", names.join(", ")))),
        (_, None) if names.is_empty() => {
            Err(Error::input(format!("{role}: '{shown}' has no raster band"))
                .hint(format!("inspect it with gdalinfo '{shown}'")))
        }
        _ => Err(Error::input(format!(
            "{role}: '{shown}' has several variables: {}",
            names.join(", ")
        ))
        .hint(format!("name one of them: --{role}-variable {}", names[0]))),
    }
}

/// Returns `true` if a file contains rasters. GDAL can also open NetCDF as a vector layer.
pub fn has_rasters(path: &Path) -> bool {
    gdal_log::install();
    let dataset = path.to_str().and_then(open_quietly);
    gdal_log::take();
    dataset.is_some_and(|dataset| dataset.raster_count() > 0 || !variables(&dataset).is_empty())
}

/// Lists the rasters inside a file: name and GDAL address.
fn variables(dataset: &Dataset) -> Vec<(String, String)> {
    let items = dataset.metadata_domain("SUBDATASETS").unwrap_or_default();
    let address = |item: &String| {
        let (key, address) = item.split_once('=')?;
        let name = address.rsplit(':').next()?;
        key.ends_with("_NAME").then(|| (name.to_string(), address.to_string()))
    };
    items.iter().filter_map(address).collect()
}

/// Returns `true` if a name is that of a variable, with or without the path of its group.
fn is_named(path: &str, name: &str) -> bool {
    path == name || path.rsplit('/').next() == Some(name)
}

fn open_quietly(address: &str) -> Option<Dataset> {
    let flags = GdalOpenFlags::GDAL_OF_RASTER;
    Dataset::open_ex(address, DatasetOptions { open_flags: flags, ..DatasetOptions::default() })
        .ok()
}

/// Returns `true` if a variable is georeferenced and its bands have times; time bounds have
/// neither.
fn is_over_time(path: &Path, address: &str) -> bool {
    let Some(dataset) = open_quietly(address) else { return false };
    let layout = Layout::of_raster(&dataset, path);
    if layout.as_ref().is_some_and(|layout| spacing::uneven(layout, path).is_some()) {
        return interval::is_over_time(&dataset);
    }
    let Ok(dataset) = order::in_order(dataset, layout.as_ref(), path) else { return false };
    let has_place = dataset.geo_transform().is_ok() || axes::irregular(&dataset).is_some();
    has_place && interval::is_over_time(&dataset)
}

/// Reads the time of each band; `None` if the bands have none.
pub fn of_bands(file: &RasterFile) -> Result<Option<Vec<BandTime>>> {
    let named = |error: Error| error.of(format_args!("{}: '{}'", file.role, file.path.display()));
    let reader = TimeReader::new(&file.dataset, &file.path);
    let mut times = Vec::new();
    axes::check_other_axes(&file.dataset, &file.path.display().to_string(), |name| {
        interval::is_of_times(&file.dataset, name)
    })
    .map_err(named)?;
    for number in 1..=file.bands() {
        match reader.read(number).map_err(named)? {
            Some(time) => times.push(time),
            None if times.is_empty() => return Ok(None),
            None => {
                return Err(Error::input(format!(
                    "{}: band {number} of '{}' has no time, but the bands before it do",
                    file.role,
                    file.path.display()
                ))
                .hint(
                    "give every band a time, as its description or as TIMESTAMP in its metadata",
                ));
            }
        }
    }
    Ok(Some(times))
}
