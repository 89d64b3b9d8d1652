//! Grids: where rasters say that they lie, in which CRS, and how large they are.

use crate::cli_common::{CORNER, Raster, Workshop};
use crate::harness::Expect::{self, Refused, Taken, Warned};
use crate::harness::{Case, run};

/// A case with uniform rain.
fn rained(name: &'static str, build: fn(&Workshop), more: &[&'static str], expect: Expect) -> Case {
    run(name, build, &[&["--rain", "20 mm/h", "--duration", "2min"], more].concat(), expect)
}

fn dem(workshop: &Workshop, dem: Raster) {
    workshop.raster("dem.tif", &dem);
}

pub fn cases() -> Vec<Case> {
    vec![
        rained(
            "cells without a size",
            |w| {
                let none = [CORNER.0, 0.0, 0.0, CORNER.1, 0.0, 0.0];
                dem(w, Raster::terrain(12, 8).transform(none));
            },
            &[],
            Refused(&["dem: 'dem.tif' has cells of 0 x 0", "gdal_edit.py -a_ullr"]),
        ),
        rained(
            "a DEM without any georeference",
            |w| {
                let none = [CORNER.0, 0.0, 0.0, CORNER.1, 0.0, -10.0];
                dem(w, Raster::terrain(12, 8).epsg(None).transform(none));
            },
            &[],
            Warned(&["dem: 'dem.tif' has no georeference; cells are taken as 1 m squares"]),
        ),
        rained(
            "cells that are not square",
            |w| {
                dem(
                    w,
                    Raster::terrain(12, 8).transform([CORNER.0, 5.0, 0.0, CORNER.1, 0.0, -20.0]),
                );
            },
            &[],
            Taken,
        ),
        run(
            "rain on a rotated grid",
            |w| {
                let turned = [CORNER.0 - 40.0, 60.0, 10.0, CORNER.1 + 40.0, 10.0, -60.0];
                w.raster("rain.tif", &Raster::new(9, 9, |_, _| 20.0).transform(turned));
            },
            &["--rain", "rain.tif", "--duration", "2min"],
            Taken,
        ),
        rained("a DEM of one cell", |w| dem(w, Raster::new(1, 1, |_, _| 10.0)), &[], Taken),
        run(
            "a row of a million cells",
            |w| dem(w, Raster::new(1_000_000, 1, |column, _| (column % 7) as f64)),
            &["--rain", "20 mm/h", "--duration", "2s"],
            Taken,
        ),
        run(
            "a column of a hundred thousand cells",
            |w| dem(w, Raster::new(1, 100_000, |_, row| (row % 7) as f64)),
            &["--rain", "20 mm/h", "--duration", "2s"],
            Taken,
        ),
        rained(
            "a DEM in metres that says it is in degrees",
            |w| dem(w, Raster::terrain(12, 8).epsg(4326)),
            &[],
            Refused(&["dem: 'dem.tif' says that it is in degrees (WGS 84)", "gdal_edit.py -a_srs"]),
        ),
        rained(
            "a DEM in degrees that says it is in metres",
            |w| {
                let degrees = [15.0, 0.0001, 0.0, 45.0, 0.0, -0.0001];
                dem(w, Raster::terrain(12, 8).transform(degrees));
            },
            &[],
            Refused(&[
                "dem: 'dem.tif' says that it is in metres",
                "degrees",
                "gdal_edit.py -a_srs EPSG:4326",
            ]),
        ),
        rained(
            "a DEM beyond the Earth",
            |w| {
                dem(w, Raster::terrain(12, 8).transform([1e15, 10.0, 0.0, 5e15, 0.0, -10.0]));
            },
            &[],
            Refused(&["dem: ", "no place on Earth"]),
        ),
        rained(
            "a DEM in Web Mercator",
            |w| {
                let place = [1_670_000.0, 10.0, 0.0, 5_620_000.0, 0.0, -10.0];
                dem(w, Raster::terrain(12, 8).epsg(3857).transform(place));
            },
            &[],
            Warned(&["dem: ", "Web Mercator", "gdalwarp -t_srs EPSG:32633"]),
        ),
        rained(
            "a DEM in coordinates from the centre of the Earth",
            |w| dem(w, Raster::terrain(12, 8).epsg(4978)),
            &[],
            Refused(&["dem: 'dem.tif' counts from the centre of the Earth"]),
        ),
        rained(
            "heights in feet by a vertical CRS",
            |w| dem(w, Raster::terrain(12, 8).epsg(None).unit("US survey foot")),
            &[],
            Warned(&["no coordinate reference system"]),
        ),
        rained(
            "a mosaic whose parts are gone",
            |w| {
                w.shell("mv dem.tif part.tif && gdalbuildvrt -q m.vrt part.tif && rm part.tif && mv m.vrt dem.tif").done();
            },
            &[],
            Refused(&["dem: 'dem.tif' cannot be read whole: part.tif", "No such file"]),
        ),
        run(
            "rain tagged with the zone next door",
            |w| w.raster("rain.tif", &Raster::new(12, 8, |_, _| 20.0).epsg(32634)),
            &["--rain", "rain.tif", "--duration", "2min"],
            Refused(&["rain: 'rain.tif' does not touch the DEM", "CRS"]),
        ),
        run(
            "rain in another CRS that touches a corner",
            |w| {
                let place = [15.0, 0.0005, 0.0, 45.1536, 0.0, -0.0005];
                w.raster("rain.tif", &Raster::new(2, 1, |_, _| 20.0).epsg(4326).transform(place));
            },
            &["--rain", "rain.tif", "--duration", "2min"],
            Warned(&["rain: 'rain.tif' has no value for", "taken as 0"]),
        ),
    ]
}
