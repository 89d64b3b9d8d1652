//! What a raster's CRS makes of its coordinates, and whether the two go together.

use super::raster::RasterFile;
use crate::error::{Error, Result};
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};

/// The greatest distance from a map's origin (m): the Earth measures 40 000 km around, and some zones of national
/// maps put their number before the coordinate (zone 32: 32 500 000).
const FARTHEST: f64 = 1e8;
/// Cells smaller than this among coordinates like degrees are of degrees.
const LIKE_DEGREES: f64 = 0.01;
/// The method of Web Mercator's projection in WKT.
const WEB_MERCATOR: [&str; 3] =
    ["Popular Visualisation Pseudo", "\"EPSG\",\"3857\"", "\"EPSG\",3857"];

/// Refuses a raster that lies beyond the Earth; `metres` is the unit of its coordinates.
pub fn check_place(file: &RasterFile, transform: &[f64; 6], metres: f64) -> Result<()> {
    let (x, y) = (transform[0], transform[3]);
    if x.abs().max(y.abs()) * metres <= FARTHEST {
        return Ok(());
    }
    let (role, shown) = (&file.role, file.path.display());
    Err(Error::input(format!("{role}: '{shown}' lies at x {x}, y {y}, which is no place on Earth"))
        .hint(format!(
            "give it its own place: gdal_edit.py -a_ullr WEST NORTH EAST SOUTH '{shown}'"
        )))
}

/// Metres per linear unit of a projected CRS. Refuses a geographic one with the way out, and one that the
/// coordinates cannot be in.
pub fn metres_per_unit(
    file: &RasterFile,
    wkt: &str,
    transform: &[f64; 6],
    warnings: &mut Vec<String>,
) -> Result<f64> {
    let (role, shown) = (&file.role, file.path.display());
    let srs = SpatialRef::from_wkt(wkt).map_err(|error| {
        Error::input(format!(
            "{role}: the coordinate reference system of '{shown}' is not valid: {error}"
        ))
        .hint(format!("assign the right one: gdal_edit.py -a_srs EPSG:xxxxx '{shown}'"))
    })?;
    let name = srs.name().unwrap_or_else(|| "unknown".into());
    let [x, dx, _, y, _, dy] = *transform;
    let (east, south) = (x + dx * file.columns as f64, y + dy * file.rows as f64);
    let like_degrees = x.abs().max(east.abs()) <= 360.5 && y.abs().max(south.abs()) <= 90.5;
    let wrong = |what: String, how: &str| {
        Err(Error::input(format!("{role}: '{shown}' {what}")).hint(format!("{how} '{shown}'")))
    };
    if srs.is_geographic() && !like_degrees {
        return wrong(
            format!("says that it is in degrees ({name}), but it lies at x {x}, y {y}"),
            "those are no degrees; give it its own CRS: gdal_edit.py -a_srs EPSG:xxxxx",
        );
    }
    if srs.is_geographic() {
        let epsg = utm_zone(place_of(srs, file, transform));
        return Err(Error::input(format!(
            "{role}: '{shown}' is in degrees ({name}); water needs metres"
        ))
        .hint(format!(
            "warp it to UTM: gdalwarp -t_srs EPSG:{epsg} -r bilinear -ot Float32 -dstnodata -9999 '{shown}' {role}_utm.tif"
        )));
    }
    if srs.is_geocentric() {
        return wrong(
            format!("counts from the centre of the Earth ({name})"),
            "give it the CRS of a map: gdal_edit.py -a_srs EPSG:xxxxx",
        );
    }
    if like_degrees && dx < LIKE_DEGREES {
        return wrong(
            format!(
                "says that it is in metres ({name}), but its cells are {dx} wide at x {x}, y {y}"
            ),
            "if those are degrees, say so, and then warp it to metres: gdal_edit.py -a_srs EPSG:4326",
        );
    }
    let metres = srs.linear_units();
    if WEB_MERCATOR.iter().any(|part| wkt.contains(part)) {
        let (longitude, latitude) = place_of(srs, file, transform);
        let stretch = 1.0 / latitude.to_radians().cos();
        let epsg = utm_zone((longitude, latitude));
        warnings.push(format!(
            "{role}: '{shown}' is in Web Mercator, whose metres count {stretch:.2} times what they are here, so areas, slopes and volumes are wrong; warp it: gdalwarp -t_srs EPSG:{epsg} -r bilinear '{shown}' {role}_utm.tif"
        ));
    }
    Ok(if metres > 0.0 { metres } else { 1.0 })
}

/// Longitude and latitude (°, WGS 84) of a raster's centre.
fn place_of(mut srs: SpatialRef, file: &RasterFile, transform: &[f64; 6]) -> (f64, f64) {
    let (i, j) = (file.columns as f64 / 2.0, file.rows as f64 / 2.0);
    let mut x = [transform[0] + i * transform[1]];
    let mut y = [transform[3] + j * transform[5]];
    srs.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    if let Ok(mut wgs84) = SpatialRef::from_epsg(4326) {
        wgs84.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
        if let Ok(to_wgs84) = CoordTransform::new(&srs, &wgs84) {
            let _ = to_wgs84.transform_coords(&mut x, &mut y, &mut []);
        }
    }
    (x[0], y[0])
}

/// EPSG code of the UTM zone (WGS 84) of a longitude and latitude (°).
fn utm_zone((longitude, latitude): (f64, f64)) -> u32 {
    let zone = (((longitude + 180.0) / 6.0).floor() as i64).rem_euclid(60) as u32 + 1;
    if latitude < 0.0 { 32700 + zone } else { 32600 + zone }
}
