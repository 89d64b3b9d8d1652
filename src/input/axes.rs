//! The CRS of a raster that names none, but says what its axes are: latitudes and longitudes with their units, as the
//! reanalyses of ECMWF and many other NetCDF files have them, and GeoTIFFs that `gdal_translate` made of those.

use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, Metadata};

/// Units of longitudes and latitudes (CF conventions 1.11, sections 4.1 and 4.2).
const EAST: [&str; 6] =
    ["degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese"];
const NORTH: [&str; 6] =
    ["degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn"];

/// WGS 84 as WKT, if a dataset's axes are longitudes and latitudes and its cells lie there; `None` else.
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
    // Beside latitudes and longitudes of every cell there may be axes in metres.
    let in_degrees = x.abs().max(east.abs()) <= 361.0 && y.abs().max(south.abs()) <= 91.0;
    if !(in_degrees && has(&EAST) && has(&NORTH)) {
        return None;
    }
    SpatialRef::from_epsg(4326).ok()?.to_wkt().ok()
}
