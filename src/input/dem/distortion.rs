//! Distortion of lengths by a CRS over a DEM.
//!
//! The scale factor of a projection at a point and in a direction is the length on the map divided
//! by the length on the ground (J. P. Snyder, *Map Projections: A Working Manual*, USGS
//! Professional Paper 1395, 1987, chapter 4). It is computed from small steps on the map, whose
//! ends PROJ transforms to latitude and longitude, and from the radii of the ellipsoid there. So
//! every CRS is judged by its effect, not by its name.

use crate::input::raster::place::{east_first, transform_all};
use gdal::spatial_ref::{CoordTransform, SpatialRef};
use std::f64::consts::PI;

/// Number of sample points along each side of the DEM; the samples form a square grid.
const SAMPLES: usize = 5;
/// Half the length of a step on the map (m): long compared with PROJ's rounding, short compared
/// with the Earth.
const STEP: f64 = 50.0;

/// Minimum and maximum scale factor over a raster, in any direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distortion {
    /// Minimum scale factor.
    pub least: f64,
    /// Maximum scale factor.
    pub greatest: f64,
}

impl Distortion {
    /// Computes the distortion over a raster in a projected CRS; `None` if no point of it can be
    /// transformed to latitude and longitude.
    pub fn over(
        srs: &SpatialRef,
        transform: &[f64; 6],
        columns: usize,
        rows: usize,
    ) -> Option<Distortion> {
        let own = east_first(srs.clone());
        let ground = east_first(own.geog_cs().ok()?);
        let to_ground = CoordTransform::new(&own, &ground).ok()?;
        let (a, b) = (own.semi_major().ok()?, own.semi_minor().ok()?);
        let metres = if own.linear_units() > 0.0 { own.linear_units() } else { 1.0 };
        let ellipsoid = Ellipsoid { a, e2: 1.0 - (b / a).powi(2), radians: ground.angular_units() };
        let mut found: Option<Distortion> = None;
        for i in 0..SAMPLES {
            for j in 0..SAMPLES {
                let part = |n: usize, size: usize| (n * size) as f64 / (SAMPLES - 1) as f64;
                let x = transform[0] + part(i, columns) * transform[1];
                let y = transform[3] + part(j, rows) * transform[5];
                let Some((least, greatest)) = ellipsoid.scales(&to_ground, x, y, STEP / metres)
                else {
                    continue;
                };
                let before = found.unwrap_or(Distortion { least, greatest });
                found = Some(Distortion {
                    least: before.least.min(least),
                    greatest: before.greatest.max(greatest),
                });
            }
        }
        found
    }

    /// Returns the maximum relative error of a length: 0.05 is 5 %.
    pub fn error(&self) -> f64 {
        (self.greatest - 1.0).max(1.0 - self.least)
    }

    /// Returns the scale factor farthest from 1.
    pub fn worst(&self) -> f64 {
        if self.greatest - 1.0 >= 1.0 - self.least { self.greatest } else { self.least }
    }
}

/// Ellipsoid of a CRS.
struct Ellipsoid {
    /// Semi-major axis (m).
    a: f64,
    /// Squared eccentricity.
    e2: f64,
    /// Radians per angular unit of the CRS.
    radians: f64,
}

impl Ellipsoid {
    /// Returns the minimum and the maximum scale factor at a point of the map, from steps of `step`
    /// (map units).
    fn scales(&self, to_ground: &CoordTransform, x: f64, y: f64, step: f64) -> Option<(f64, f64)> {
        let mut xs = [x - step, x + step, x, x];
        let mut ys = [y, y, y - step, y + step];
        if !transform_all(to_ground, &mut xs, &mut ys)
            || !xs.iter().chain(&ys).all(|value| value.is_finite())
        {
            return None;
        }
        let latitude = ys.iter().sum::<f64>() / 4.0 * self.radians;
        let flat = 1.0 - self.e2 * latitude.sin().powi(2);
        let (across, along) = (self.a / flat.sqrt(), self.a * (1.0 - self.e2) / flat.powf(1.5));
        // Length on the ground, to the east and to the north, divided by length on the map.
        let ground = |from: usize| {
            let turn = (xs[from + 1] - xs[from]) * self.radians;
            let east = (turn + PI).rem_euclid(2.0 * PI) - PI;
            let north = (ys[from + 1] - ys[from]) * self.radians;
            [east * across * latitude.cos(), north * along]
        };
        let ([a, c], [b, d]) = (ground(0), ground(2));
        let length = 2.0 * STEP;
        // The singular values of this matrix are the reciprocal semi-axes of Tissot's indicatrix.
        let (sum, product) = ((a * a + b * b + c * c + d * d) / length.powi(2), a * d - b * c);
        let product = product.abs() / length.powi(2);
        let root = (sum * sum - 4.0 * product * product).max(0.0).sqrt();
        let (long, short) = (((sum + root) / 2.0).sqrt(), ((sum - root) / 2.0).max(0.0).sqrt());
        (short > 0.0 && long.is_finite()).then(|| (1.0 / long, 1.0 / short))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distortion over ten cells of 10 m around a longitude and latitude (°) in a CRS.
    fn at(crs: &str, longitude: f64, latitude: f64) -> Distortion {
        let traditional =
            |definition: &str| east_first(SpatialRef::from_definition(definition).unwrap());
        let (own, ground) = (traditional(crs), traditional("EPSG:4326"));
        let (mut x, mut y) = ([longitude], [latitude]);
        let to_own = CoordTransform::new(&ground, &own).unwrap();
        to_own.transform_coords(&mut x, &mut y, &mut []).unwrap();
        let cell = 10.0 / own.linear_units();
        Distortion::over(&own, &[x[0], cell, 0.0, y[0], 0.0, -cell], 10, 10).unwrap()
    }

    #[test]
    fn scale_factors_are_those_of_the_formulas() {
        // UTM on its central meridian: 0.9996 (Snyder, chapter 8).
        let utm = at("EPSG:32633", 15.0, 45.0);
        assert!((utm.least - 0.9996).abs() < 1e-6 && (utm.greatest - 0.9996).abs() < 1e-6);
        // Mercator on the ellipsoid: √(1 − e² sin²φ) / cos φ.
        for latitude in [0.0f64, 45.0, -60.0] {
            let sine = latitude.to_radians().sin();
            let expected = (1.0 - 0.006_694_38 * sine * sine).sqrt() / latitude.to_radians().cos();
            let found = at("EPSG:3395", 15.0, latitude);
            assert!((found.least / expected - 1.0).abs() < 1e-4, "{found:?}, {expected}");
            assert!((found.greatest / expected - 1.0).abs() < 1e-4, "{found:?}, {expected}");
        }
        // The same in feet and in metres: North Carolina.
        assert!(at("EPSG:2264", -79.0, 35.5).error() < 2e-4);
    }

    #[test]
    fn national_grids_pass_and_world_maps_do_not() {
        for (crs, longitude, latitude) in [
            ("EPSG:3035", 10.0, 52.0),
            ("EPSG:3035", 27.0, 36.0),
            ("EPSG:5070", -80.5, 25.5),
            ("EPSG:5070", -96.0, 38.0),
            ("EPSG:3577", 147.0, -43.0),
            ("EPSG:27700", -3.0, 57.0),
            ("EPSG:2154", 3.0, 46.5),
            ("EPSG:28992", 5.4, 52.2),
            ("EPSG:3413", -45.0, 75.0),
        ] {
            let error = at(crs, longitude, latitude).error();
            assert!(error < 0.05, "{crs} at {longitude}, {latitude}: {error}");
        }
        for (crs, longitude, latitude) in [
            ("EPSG:3857", 15.0, 45.0),
            ("EPSG:3395", 15.0, 45.0),
            ("EPSG:32633", 60.0, 45.0),
            ("EPSG:4087", 15.0, 45.0),
            ("ESRI:54008", 100.0, 45.0),
        ] {
            let error = at(crs, longitude, latitude).error();
            assert!(error > 0.05, "{crs} at {longitude}, {latitude}: {error}");
        }
    }
}
