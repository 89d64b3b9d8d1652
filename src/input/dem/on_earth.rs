//! Checks of a raster's CRS against its coordinates.

use crate::error::{Error, Result};
use crate::input::dem::distortion::Distortion;
use crate::input::raster::RasterFile;
use crate::input::raster::place::{east_first, transform_all};
use gdal::spatial_ref::{CoordTransform, SpatialRef};
use gdal_sys::OGRAxisOrientation;

/// Maximum distance from a map's origin (m): the Earth's circumference is 40 000 km, and some
/// national grids prefix the zone number to the coordinate (zone 32: 32 500 000).
const FARTHEST: f64 = 1e8;
/// Size below which cells are taken to be in degrees, at coordinates that look like degrees.
const LIKE_DEGREES: f64 = 0.01;
/// Relative error of lengths above which a CRS is an error (`WRONG`) or gives a warning
/// (`DOUBTFUL`).
const WRONG: f64 = 0.05;
const DOUBTFUL: f64 = 0.01;

/// Rejects a raster outside the Earth; `metres` is the unit of its coordinates.
pub fn check_place(file: &RasterFile, transform: &[f64; 6], metres: f64) -> Result<()> {
    let (x, y) = (transform[0], transform[3]);
    if x.abs().max(y.abs()) * metres <= FARTHEST {
        return Ok(());
    }
    Err(file
        .wrong(format_args!("is at x {x}, y {y}, which is not on Earth"))
        .hint(format!("georeference it: {}", file.declare("-a_ullr WEST NORTH EAST SOUTH"))))
}

/// Returns `true` if the coordinates of a raster can be degrees.
fn like_degrees(file: &RasterFile, transform: &[f64; 6]) -> bool {
    let [x, dx, _, y, _, dy] = *transform;
    let (east, south) = (x + dx * file.columns as f64, y + dy * file.rows as f64);
    x.abs().max(east.abs()) <= 360.5 && y.abs().max(south.abs()) <= 90.5
}

/// Checks a raster without a CRS, whose units are taken as metres: rejects one that is in degrees
/// according to its cell size and position, and warns about any other. A raster with a corner at
/// the origin has local coordinates, like the model of a flume.
pub fn check_unnamed(
    file: &RasterFile,
    transform: &[f64; 6],
    warnings: &mut Vec<String>,
) -> Result<()> {
    let (role, shown) = (&file.role, file.path.display());
    let [x, dx, _, y, _, dy] = *transform;
    let at_origin = x == 0.0 && (y == 0.0 || y + dy * file.rows as f64 == 0.0);
    if like_degrees(file, transform) && dx < LIKE_DEGREES && !at_origin {
        let middle = (x + dx * file.columns as f64 / 2.0, y + dy * file.rows as f64 / 2.0);
        let to = format!("EPSG:{}", utm_zone(middle));
        let what = format!(
            "has no coordinate reference system, and its cells of {dx} at x {x}, y {y} look like degrees, but the model needs metres"
        );
        return Err(file.wrong(what).hint(format!(
            "warp it to UTM, here from WGS 84: {}; if its coordinates are local metres, like a flume's, {LOCAL}",
            file.warp(Some("EPSG:4326"), &to)
        )));
    }
    warnings.push(format!(
        "{role}: '{shown}' has no coordinate reference system; its units are taken as metres (declare it with: {}), and so are the units of points and layers; if its coordinates are local metres, like a flume's, {LOCAL}",
        file.declare("-a_srs EPSG:xxxxx")
    ));
    Ok(())
}

/// Hint for a grid in local metres.
pub const LOCAL: &str = "declare it: --local-metres (local_metres = true)";

/// Returns the metres per unit of a raster declared to have local coordinates. Rejects a raster
/// whose CRS is on the Earth.
pub fn check_local(file: &RasterFile, wkt: Option<&str>) -> Result<f64> {
    let Some(srs) = wkt.and_then(|wkt| SpatialRef::from_wkt(wkt).ok()) else { return Ok(1.0) };
    if is_on_earth(&srs) {
        let (shown, name) = (file.path.display(), srs.name().unwrap_or_else(|| "unknown".into()));
        return Err(Error::input(format!(
            "local_metres: '{shown}' has a coordinate reference system on the Earth ({name})"
        ))
        .hint("leave --local-metres out; it is for grids in local metres, like a flume's"));
    }
    let metres = srs.linear_units();
    Ok(if metres > 0.0 { metres } else { 1.0 })
}

/// Returns `true` if a CRS is on the Earth, not local.
pub fn is_on_earth(srs: &SpatialRef) -> bool {
    srs.is_geographic() || srs.is_projected() || srs.is_geocentric()
}

/// Returns the metres per linear unit of a projected CRS. Rejects a geographic CRS, with a command
/// to warp, and a CRS that does not fit the coordinates.
pub fn metres_per_unit(file: &RasterFile, wkt: &str, transform: &[f64; 6]) -> Result<f64> {
    let (role, shown) = (&file.role, file.path.display());
    let declare = |crs: &str| file.declare(&format!("-a_srs {crs}"));
    let srs = SpatialRef::from_wkt(wkt).map_err(|error| {
        Error::input(format!("{role}: the coordinate reference system of '{shown}' is not valid"))
            .because(error)
            .hint(format!("assign the right one: {}", declare("EPSG:xxxxx")))
    })?;
    let name = srs.name().unwrap_or_else(|| "unknown".into());
    let [x, dx, _, y, ..] = *transform;
    let like_degrees = like_degrees(file, transform);
    let wrong = |what: String, how: &str, crs: &str| {
        Err(file.wrong(what).hint(format!("{how}: {}", declare(crs))))
    };
    if srs.is_geographic() && !like_degrees {
        return wrong(
            format!("is declared to be in degrees ({name}), but is at x {x}, y {y}"),
            "these are not degrees; assign the right CRS",
            "EPSG:xxxxx",
        );
    }
    if srs.is_geographic() {
        let to = format!("EPSG:{}", utm_zone(place_of(srs, file, transform)));
        return Err(file
            .wrong(format_args!("is in degrees ({name}), but the model needs metres"))
            .hint(format!("warp it to UTM: {}", file.warp(None, &to))));
    }
    if srs.is_geocentric() {
        return wrong(
            format!("has a geocentric CRS ({name})"),
            "assign the CRS of a map",
            "EPSG:xxxxx",
        );
    }
    if like_degrees && dx < LIKE_DEGREES {
        return wrong(
            format!(
                "is declared to be in metres ({name}), but its cells are {dx} wide at x {x}, y {y}"
            ),
            "if these are degrees, declare it, then warp it to metres",
            "EPSG:4326",
        );
    }
    if has_turned_axes(&srs) {
        let to = format!("EPSG:{}", utm_zone(place_of(srs, file, transform)));
        let what = format!("has a CRS whose axes point west or south ({name})");
        return Err(file.wrong(what).hint(format!("warp it to UTM: {}", file.warp(None, &to))));
    }
    let metres = srs.linear_units();
    Ok(if metres > 0.0 { metres } else { 1.0 })
}

/// Returns `true` if an axis of a projected CRS points west, or only one points south. At the South
/// and North Pole, both axes point north or south.
fn has_turned_axes(srs: &SpatialRef) -> bool {
    let axis = |number| srs.axis_orientation("PROJCS", number).ok();
    let axes = [axis(0), axis(1)];
    let [west, south] = [OGRAxisOrientation::OAO_West, OGRAxisOrientation::OAO_South]
        .map(|one| axes.iter().filter(|axis| **axis == Some(one)).count());
    west > 0 || south == 1
}

/// Checks the error of lengths in the CRS of a raster at its location: a warning above 1 %, and an
/// error above 5 % unless `accepted`.
pub fn check_distortion(
    file: &RasterFile,
    wkt: &str,
    transform: &[f64; 6],
    accepted: bool,
) -> Result<Option<String>> {
    let Ok(srs) = SpatialRef::from_wkt(wkt) else { return Ok(None) };
    let Some(distortion) = Distortion::over(&srs, transform, file.columns, file.rows) else {
        return Ok(None);
    };
    let error = distortion.error();
    if error.is_nan() || error <= DOUBTFUL {
        return Ok(None);
    }
    let (role, shown) = (&file.role, file.path.display());
    let name = srs.name().unwrap_or_else(|| "unknown".into());
    let off = format!(
        "{role}: lengths in the CRS of '{shown}' ({name}) are off by up to {:.1} % there: a metre counts as {:.3}",
        100.0 * error,
        distortion.worst()
    );
    if error > WRONG && !accepted {
        let to = format!("EPSG:{}", utm_zone(place_of(srs, file, transform)));
        return Err(Error::input(format!("{off}, so slopes, areas and volumes would be wrong"))
            .hint(format!(
                "accept the error with --accept-distortion, or warp it to UTM: {}",
                file.warp(None, &to)
            )));
    }
    Ok(Some(format!("{off}; areas and volumes are off by up to twice as much, slopes by as much")))
}

/// Returns longitude and latitude (°, WGS 84) of a raster's centre.
fn place_of(srs: SpatialRef, file: &RasterFile, transform: &[f64; 6]) -> (f64, f64) {
    let (i, j) = (file.columns as f64 / 2.0, file.rows as f64 / 2.0);
    let mut x = [transform[0] + i * transform[1]];
    let mut y = [transform[3] + j * transform[5]];
    if let Ok(wgs84) = SpatialRef::from_epsg(4326)
        && let Ok(to_wgs84) = CoordTransform::new(&east_first(srs), &east_first(wgs84))
    {
        transform_all(&to_wgs84, &mut x, &mut y);
    }
    (x[0], y[0])
}

/// Returns the EPSG code of the UTM zone (WGS 84) of a longitude and latitude (°).
fn utm_zone((longitude, latitude): (f64, f64)) -> u32 {
    let zone = (((longitude + 180.0) / 6.0).floor() as i64).rem_euclid(60) as u32 + 1;
    if latitude < 0.0 { 32700 + zone } else { 32600 + zone }
}
