//! What a raster's CRS makes of its coordinates, and whether the two go together.

use super::distortion::Distortion;
use super::place::east_first;
use super::raster::RasterFile;
use crate::error::{Error, Result};
use gdal::spatial_ref::{CoordTransform, SpatialRef};

/// The greatest distance from a map's origin (m): the Earth measures 40 000 km around, and some zones of national
/// maps put their number before the coordinate (zone 32: 32 500 000).
const FARTHEST: f64 = 1e8;
/// Cells smaller than this among coordinates like degrees are of degrees.
const LIKE_DEGREES: f64 = 0.01;
/// A length that is off by more than this part is an error, and by more than this one a warning.
const WRONG: f64 = 0.05;
const DOUBTFUL: f64 = 0.01;

/// Refuses a raster that lies beyond the Earth; `metres` is the unit of its coordinates.
pub fn check_place(file: &RasterFile, transform: &[f64; 6], metres: f64) -> Result<()> {
    let (x, y) = (transform[0], transform[3]);
    if x.abs().max(y.abs()) * metres <= FARTHEST {
        return Ok(());
    }
    let (role, shown) = (&file.role, file.path.display());
    Err(Error::input(format!("{role}: '{shown}' lies at x {x}, y {y}, which is no place on Earth"))
        .hint(format!("give it its own place: {}", file.declare("-a_ullr WEST NORTH EAST SOUTH"))))
}

/// Whether the coordinates of a raster can be degrees.
fn like_degrees(file: &RasterFile, transform: &[f64; 6]) -> bool {
    let [x, dx, _, y, _, dy] = *transform;
    let (east, south) = (x + dx * file.columns as f64, y + dy * file.rows as f64);
    x.abs().max(east.abs()) <= 360.5 && y.abs().max(south.abs()) <= 90.5
}

/// Judges a raster without a CRS, whose units are taken as metres: refuses one that is in degrees by the size of its
/// cells and its place, and warns of any other. A raster with a corner at the origin has coordinates of its own, like
/// the model of a flume.
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
        return Err(Error::input(format!(
            "{role}: '{shown}' has no coordinate reference system, and its cells of {dx} at x {x}, y {y} are degrees by their look; water needs metres"
        ))
        .hint(format!(
            "warp it to UTM, from WGS 84 if that is what it is in: {}; if those are metres of its own, like a flume's, {LOCAL}",
            file.warp(Some("EPSG:4326"), &to)
        )));
    }
    warnings.push(format!(
        "{role}: '{shown}' has no coordinate reference system; its units are taken as metres (declare it with: {}), and so are those of points and layers; if they are its own, like a flume's, {LOCAL}",
        file.declare("-a_srs EPSG:xxxxx")
    ));
    Ok(())
}

/// What to say of a grid in metres of its own.
pub const LOCAL: &str = "say so: --local-metres (local_metres = true)";

/// Metres per unit of a raster that is said to lie on no map. Refuses one whose CRS is that of a map.
pub fn check_local(file: &RasterFile, wkt: Option<&str>) -> Result<f64> {
    let Some(srs) = wkt.and_then(|wkt| SpatialRef::from_wkt(wkt).ok()) else { return Ok(1.0) };
    if is_on_earth(&srs) {
        let (shown, name) = (file.path.display(), srs.name().unwrap_or_else(|| "unknown".into()));
        return Err(Error::input(format!(
            "local_metres: '{shown}' lies on the Earth, by its coordinate reference system ({name})"
        ))
        .hint("leave --local-metres out; it is for grids in metres of their own, like a flume's"));
    }
    let metres = srs.linear_units();
    Ok(if metres > 0.0 { metres } else { 1.0 })
}

/// Whether a CRS is that of a map or of the Earth, and not a local one.
pub fn is_on_earth(srs: &SpatialRef) -> bool {
    srs.is_geographic() || srs.is_projected() || srs.is_geocentric()
}

/// Metres per linear unit of a projected CRS. Refuses a geographic one with the way out, and one that the
/// coordinates cannot be in.
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
        Err(Error::input(format!("{role}: '{shown}' {what}"))
            .hint(format!("{how}: {}", declare(crs))))
    };
    if srs.is_geographic() && !like_degrees {
        return wrong(
            format!("says that it is in degrees ({name}), but it lies at x {x}, y {y}"),
            "those are no degrees; give it its own CRS",
            "EPSG:xxxxx",
        );
    }
    if srs.is_geographic() {
        let to = format!("EPSG:{}", utm_zone(place_of(srs, file, transform)));
        return Err(Error::input(format!(
            "{role}: '{shown}' is in degrees ({name}); water needs metres"
        ))
        .hint(format!("warp it to UTM: {}", file.warp(None, &to))));
    }
    if srs.is_geocentric() {
        return wrong(
            format!("counts from the centre of the Earth ({name})"),
            "give it the CRS of a map",
            "EPSG:xxxxx",
        );
    }
    if like_degrees && dx < LIKE_DEGREES {
        return wrong(
            format!(
                "says that it is in metres ({name}), but its cells are {dx} wide at x {x}, y {y}"
            ),
            "if those are degrees, say so, and then warp it to metres",
            "EPSG:4326",
        );
    }
    let metres = srs.linear_units();
    Ok(if metres > 0.0 { metres } else { 1.0 })
}

/// Judges by how much lengths are off in the CRS of a raster where it lies: a warning above 1 %, and above 5 % an
/// error, unless that is `accepted`.
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
        "{role}: lengths in the CRS of '{shown}' ({name}) are off by up to {:.1} % where it lies: a metre counts {:.3}",
        100.0 * error,
        distortion.worst()
    );
    if error > WRONG && !accepted {
        let to = format!("EPSG:{}", utm_zone(place_of(srs, file, transform)));
        return Err(Error::input(format!("{off}, so slopes, areas and volumes would be wrong"))
            .hint(format!(
                "if you mean it, say --accept-distortion; else warp it to UTM: {}",
                file.warp(None, &to)
            )));
    }
    Ok(Some(format!("{off}; areas and volumes are off by up to twice as much, slopes by as much")))
}

/// Longitude and latitude (°, WGS 84) of a raster's centre.
fn place_of(srs: SpatialRef, file: &RasterFile, transform: &[f64; 6]) -> (f64, f64) {
    let (i, j) = (file.columns as f64 / 2.0, file.rows as f64 / 2.0);
    let mut x = [transform[0] + i * transform[1]];
    let mut y = [transform[3] + j * transform[5]];
    if let Ok(wgs84) = SpatialRef::from_epsg(4326)
        && let Ok(to_wgs84) = CoordTransform::new(&east_first(srs), &east_first(wgs84))
    {
        let _ = to_wgs84.transform_coords(&mut x, &mut y, &mut []);
    }
    (x[0], y[0])
}

/// EPSG code of the UTM zone (WGS 84) of a longitude and latitude (°).
fn utm_zone((longitude, latitude): (f64, f64)) -> u32 {
    let zone = (((longitude + 180.0) / 6.0).floor() as i64).rem_euclid(60) as u32 + 1;
    if latitude < 0.0 { 32700 + zone } else { 32600 + zone }
}
