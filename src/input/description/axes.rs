//! Roles of axes from their attributes and units. Also, the CRS of a raster that declares none but
//! has longitude and latitude axes, like the reanalyses of ECMWF, many other NetCDF files, and
//! GeoTIFFs converted from these with `gdal_translate`.

use super::attributes::Attributes;
use crate::error::{Error, Result};
use crate::measures::quantity;
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, Metadata};

/// Units of longitudes and latitudes (CF conventions 1.11, sections 4.1 and 4.2).
const EAST: [&str; 6] =
    ["degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese"];
const NORTH: [&str; 6] =
    ["degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn"];
/// Names that identify axes without attributes.
const X: [&str; 5] = ["x", "lon", "longitude", "easting", "rlon"];
const Y: [&str; 5] = ["y", "lat", "latitude", "northing", "rlat"];
/// Names of the axis of ensemble members.
const MEMBERS: [&str; 6] =
    ["number", "member", "realization", "ensemble", "ens", "ensemble_member"];

/// Minimum number of ground control points that place a grid. GDAL makes one of the corner of a
/// GeoTIFF without a cell size.
const LEAST_POINTS: usize = 3;

/// Role of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Longitude or easting: columns.
    X,
    /// Latitude or northing: rows.
    Y,
    /// Time.
    Time,
    /// Height, depth or pressure.
    Vertical,
}

impl Role {
    /// Determines the role of an axis (CF conventions 1.11, chapter 4): from its attribute `axis`,
    /// its standard name or its units, else from its name; `attribute` looks up an attribute of its
    /// coordinates.
    pub fn of(name: &str, attribute: impl Fn(&str) -> Option<String>) -> Option<Role> {
        let text = |what: &str| attribute(what).unwrap_or_default().trim().to_lowercase();
        let units = text("units");
        let role = match (text("axis").as_str(), text("standard_name").as_str()) {
            ("x", _) | (_, "longitude" | "projection_x_coordinate" | "grid_longitude") => Role::X,
            ("y", _) | (_, "latitude" | "projection_y_coordinate" | "grid_latitude") => Role::Y,
            ("t", _) | (_, "time") => Role::Time,
            ("z", _) | (_, "height" | "altitude" | "depth" | "air_pressure") => Role::Vertical,
            _ if EAST.contains(&units.as_str()) => Role::X,
            _ if NORTH.contains(&units.as_str()) => Role::Y,
            _ if units.contains(" since ") => Role::Time,
            _ => {
                let name = name.to_lowercase();
                let named = |known: &[&str]| known.contains(&name.as_str());
                return match () {
                    () if named(&X) => Some(Role::X),
                    () if named(&Y) => Some(Role::Y),
                    () if name == "time" => Some(Role::Time),
                    () => None,
                };
            }
        };
        Some(role)
    }
}

/// Rejects bands of a NetCDF variable that differ in more than their time, such as ensemble members
/// or levels.
///
/// # Errors
/// If they do; the error names the axis.
pub fn check_other_axes(
    dataset: &Dataset,
    path: &str,
    are_times: impl Fn(&str) -> bool,
) -> Result<()> {
    let mut axes: Vec<(String, Vec<String>)> = Vec::new();
    for number in 1..=dataset.raster_count() {
        let Some(band) = Attributes::of(dataset, number) else { continue };
        for (name, value) in band.dimensions() {
            match axes.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) if values.len() < 100 => values.push(value),
                Some(_) => {}
                None => axes.push((name, vec![value])),
            }
        }
    }
    let other = |(name, values): &&(String, Vec<String>)| values.len() > 1 && !are_times(name);
    let Some((name, values)) = axes.iter().find(other) else { return Ok(()) };
    let is_member = MEMBERS.contains(&name.to_lowercase().as_str());
    if axes.len() < 2 && !is_member && name != "expver" {
        // Numbered rasters: the user gives the time between them.
        return Ok(());
    }
    let count = values.len();
    Err(if name == "expver" {
        Error::input(format!(
            "its axis 'expver' holds both final and preliminary data ({})",
            values.join(" and ")
        ))
        .hint(format!(
            "merge them, in Python with xarray: ds = xarray.open_dataset('{path}'); ds.sel(expver=1).combine_first(ds.sel(expver=5)).to_netcdf('merged.nc')"
        ))
    } else if is_member {
        Error::input(format!("its axis '{name}' has {count} members of an ensemble"))
            .hint(format!("extract one: ncks -d {name},0 '{path}' member.nc"))
    } else {
        Error::input(format!("its axis '{name}' has {count} values beside the times"))
            .hint(format!("extract one: ncks -d {name},0 '{path}' one.nc"))
    })
}

/// Returns the description of an irregular grid, whose cells are placed by longitudes and
/// latitudes, ground control points or a sensor model instead of a geotransform, and the command
/// that warps it to a regular grid; `None` for other rasters.
pub fn irregular(dataset: &Dataset) -> Option<(&'static str, String)> {
    if dataset.geo_transform().is_ok() {
        return None;
    }
    let has = |domain| dataset.metadata_domain(domain).is_some_and(|items| !items.is_empty());
    let (what, flags) = if has("GEOLOCATION") {
        let what = "has a curvilinear grid: each cell has its own longitude and latitude";
        (what, "-geoloc -t_srs EPSG:4326 ")
    } else if dataset.gcps().len() >= LEAST_POINTS {
        ("has no geotransform: ground control points place its cells", "")
    } else if has("RPC") {
        ("has no geotransform: a sensor model (RPC) places its cells", "-rpc -t_srs EPSG:4326 ")
    } else {
        return None;
    };
    let address = dataset.description().ok()?;
    Some((what, format!("gdalwarp {flags}'{address}' placed.tif")))
}

/// Returns the unit of the axes of a raster (NetCDF) and that of its projected CRS if they differ;
/// GDAL places such cells as if both were equal.
pub fn other_unit(dataset: &Dataset) -> Option<(String, String)> {
    let crs = dataset.spatial_ref().ok().filter(SpatialRef::is_projected)?;
    let items = dataset.metadata_domain("")?;
    let easting = items
        .iter()
        .find_map(|item| item.strip_suffix("#standard_name=projection_x_coordinate"))?;
    let unit = dataset.metadata_item(&format!("{easting}#units"), "")?;
    let metres = match unit.to_lowercase().trim() {
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => 1000.0,
        unit => quantity::ratio(unit, "m")?,
    };
    let differs = (metres / crs.linear_units() - 1.0).abs() > 1e-3;
    differs.then(|| (unit, crs.linear_units_name().unwrap_or_else(|| "its own unit".into())))
}

/// Returns WGS 84 as WKT if the axes of a dataset are longitudes and latitudes and its extent is in
/// their range; else `None`.
pub fn crs(dataset: &Dataset) -> Option<String> {
    let items = dataset.metadata_domain("")?;
    let has = |known: &[&str]| {
        items.iter().any(|item| {
            let unit = item.split_once('=').filter(|(key, _)| key.ends_with("#units"));
            unit.is_some_and(|(_, unit)| known.contains(&unit.trim().to_lowercase().as_str()))
        })
    };
    let [x, dx, _, y, _, dy] = dataset.geo_transform().ok()?;
    let (columns, rows) = dataset.raster_size();
    let (east, south) = (x + dx * columns as f64, y + dy * rows as f64);
    // Besides two-dimensional latitudes and longitudes, a file may have axes in metres.
    let in_degrees = x.abs().max(east.abs()) <= 361.0 && y.abs().max(south.abs()) <= 91.0;
    if !(in_degrees && has(&EAST) && has(&NORTH)) {
        return None;
    }
    SpatialRef::from_epsg(4326).ok()?.to_wkt().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdal::DriverManager;

    #[test]
    fn sensor_models_place_a_grid_only_without_a_geotransform() {
        let driver = DriverManager::get_driver_by_name("MEM").unwrap();
        let mut raster = driver.create("", 3, 2, 1).unwrap();
        assert!(irregular(&raster).is_none());
        raster.set_metadata_item("LINE_OFF", "1", "RPC").unwrap();
        let (what, command) = irregular(&raster).unwrap();
        assert!(what.contains("a sensor model") && command.starts_with("gdalwarp -rpc"));
        raster.set_geo_transform(&[5e5, 10.0, 0.0, 5e6, 0.0, -10.0]).unwrap();
        assert!(irregular(&raster).is_none());
    }
}
