//! Grids: declared positions, CRSs, and sizes of rasters.

use crate::bad_corpus::harness::Expect::{Refused, Taken, Warned};
use crate::bad_corpus::harness::{Case, rained, run};
use crate::cli_common::{CORNER, Raster, UTM33, Workshop};

/// Approximate position of 15° E, 45° N in both kinds of Mercator projections.
const MERCATOR: [f64; 6] = [1_670_000.0, 10.0, 0.0, 5_615_000.0, 0.0, -10.0];
/// Arguments of a run with rain gauges; each case writes the hyetograph.
const GAUGES: &str = "--rain g.csv --duration 2min";

fn gauges(workshop: &Workshop, table: &str) {
    workshop.file("g.csv", table);
    workshop.file("a.csv", "time [min],rain [mm/h]\n0,12\n1,0\n");
}

fn dem(workshop: &Workshop, dem: Raster) {
    workshop.raster("dem.tif", &dem);
}

/// Writes a DEM in a CRS, with the coordinates of its north-west corner.
fn placed(workshop: &Workshop, epsg: u32, x: f64, y: f64) {
    dem(workshop, Raster::terrain(12, 8).epsg(epsg).transform([x, 10.0, 0.0, y, 0.0, -10.0]));
}

pub fn cases() -> Vec<Case> {
    vec![
        rained(
            "cells without a size",
            |w| {
                let none = [CORNER.0, 0.0, 0.0, CORNER.1, 0.0, 0.0];
                dem(w, Raster::terrain(12, 8).transform(none));
            },
            "",
            Refused(&["dem: 'dem.tif' has cells of 0 x 0", "gdal_edit.py -a_ullr"]),
        ),
        rained(
            "a DEM without any georeference",
            |w| {
                let none = [CORNER.0, 0.0, 0.0, CORNER.1, 0.0, -10.0];
                dem(w, Raster::terrain(12, 8).epsg(None).transform(none));
            },
            "",
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
            "",
            Warned(&["the cells of 5.0000 x 20.0000 m are not square"]),
        ),
        run(
            "rain on a rotated grid",
            |w| {
                let turned = [CORNER.0 - 40.0, 60.0, 10.0, CORNER.1 + 40.0, 10.0, -60.0];
                w.raster("rain.tif", &Raster::new(9, 9, |_, _| 20.0).transform(turned));
            },
            "--rain rain.tif --duration 2min",
            Taken,
        ),
        rained("a DEM of one cell", |w| dem(w, Raster::new(1, 1, |_, _| 10.0)), "", Taken),
        run(
            "a row of a million cells",
            |w| {
                let fine = [CORNER.0, 0.1, 0.0, CORNER.1, 0.0, -0.1];
                let dem = Raster::new(1_000_000, 1, |column, _| (column % 7) as f64 * 0.01);
                w.raster("dem.tif", &dem.transform(fine));
            },
            "--rain '20 mm/h' --duration 2s",
            Taken,
        ),
        run(
            "a column of a hundred thousand cells",
            |w| dem(w, Raster::new(1, 100_000, |_, row| (row % 7) as f64)),
            "--rain '20 mm/h' --duration 2s",
            Taken,
        ),
        rained(
            "a DEM in metres that says it is in degrees",
            |w| dem(w, Raster::terrain(12, 8).epsg(4326)),
            "",
            Refused(&[
                "dem: 'dem.tif' is declared to be in degrees (WGS 84)",
                "gdal_edit.py -a_srs",
            ]),
        ),
        rained(
            "a DEM in degrees that says it is in metres",
            |w| {
                let degrees = [15.0, 0.0001, 0.0, 45.0, 0.0, -0.0001];
                dem(w, Raster::terrain(12, 8).transform(degrees));
            },
            "",
            Refused(&[
                "dem: 'dem.tif' is declared to be in metres",
                "degrees",
                "gdal_edit.py -a_srs EPSG:4326",
            ]),
        ),
        rained(
            "a DEM beyond the Earth",
            |w| {
                dem(w, Raster::terrain(12, 8).transform([1e15, 10.0, 0.0, 5e15, 0.0, -10.0]));
            },
            "",
            Refused(&["dem: ", "which is not on Earth"]),
        ),
        rained(
            "a DEM in Web Mercator",
            |w| dem(w, Raster::terrain(12, 8).epsg(3857).transform(MERCATOR)),
            "",
            Refused(&[
                "dem: lengths in the CRS of 'dem.tif' (WGS 84 / Pseudo-Mercator) are off by up to 41",
                "--accept-distortion",
                "gdalwarp -t_srs EPSG:32633",
            ]),
        ),
        rained(
            "a DEM in the other Mercator",
            |w| dem(w, Raster::terrain(12, 8).epsg(3395).transform(MERCATOR)),
            "",
            Refused(&[
                "dem: lengths in the CRS of 'dem.tif' (WGS 84 / World Mercator) are off by",
                "gdalwarp -t_srs EPSG:32633",
            ]),
        ),
        rained(
            "a DEM in Mercator by someone who means it",
            |w| dem(w, Raster::terrain(12, 8).epsg(3395).transform(MERCATOR)),
            "--accept-distortion",
            Warned(&["dem: lengths in the CRS of 'dem.tif'", "a metre counts as 1.4"]),
        ),
        rained(
            "a DEM in a plate carrée in metres",
            |w| placed(w, 4087, 1_670_000.0, 5_010_000.0),
            "",
            Refused(&["dem: lengths in the CRS of 'dem.tif' (WGS 84 / World Equidistant"]),
        ),
        rained(
            "a DEM in the wrong zone of UTM",
            |w| placed(w, UTM33, 4_600_000.0, 7_000_000.0),
            "",
            Refused(&["dem: lengths in the CRS of 'dem.tif'", "gdalwarp -t_srs EPSG:326"]),
        ),
        rained(
            "a DEM in Europe's equal area grid, in the Netherlands",
            |w| placed(w, 3035, 3_970_000.0, 3_230_000.0),
            "",
            Taken,
        ),
        rained(
            "a DEM in Europe's equal area grid, in Crete",
            |w| placed(w, 3035, 5_720_000.0, 1_500_000.0),
            "",
            Warned(&["dem: lengths in the CRS of 'dem.tif'", "are off by up to 1."]),
        ),
        rained(
            "a DEM in the Albers grid of the United States, in Florida",
            |w| placed(w, 5070, 1_540_000.0, 450_000.0),
            "",
            Taken,
        ),
        rained(
            "a DEM in degrees that names no CRS",
            |w| {
                let degrees = [-105.0, 0.0008, 0.0, 40.0, 0.0, -0.0008];
                dem(w, Raster::terrain(12, 8).epsg(None).transform(degrees));
            },
            "",
            Refused(&[
                "dem: 'dem.tif' has no coordinate reference system",
                "look like degrees, but the model needs metres",
                "gdalwarp -s_srs EPSG:4326 -t_srs EPSG:32613 -r bilinear -ot Float32 -dstnodata -9999 'dem.tif' dem_utm.tif",
            ]),
        ),
        rained(
            "a flume of cells of 5 mm with its corner at the origin",
            |w| {
                let own = [0.0, 0.005, 0.0, 0.04, 0.0, -0.005];
                dem(w, Raster::new(12, 8, |_, _| 0.1).epsg(None).transform(own));
            },
            "",
            Warned(&[
                "dem: 'dem.tif' has no coordinate reference system; its units are taken as metres",
            ]),
        ),
        rained(
            "a grid of text without a CRS",
            |w| {
                dem(w, Raster::terrain(12, 8).epsg(None));
                w.shell("gdal_translate -q -of AAIGrid dem.tif d.asc && rm -f dem.tif d.prj d.asc.aux.xml && mv d.asc dem.tif").done();
            },
            "",
            Warned(&["gdal_translate -a_srs EPSG:xxxxx 'dem.tif' 'dem_declared.tif'"]),
        ),
        run(
            "rain gauges in degrees",
            |w| gauges(w, "x,y,series\n15.0005,45.1532,a.csv\n15.001,45.153,a.csv\n"),
            GAUGES,
            Refused(&[
                "rain: 'g.csv': 2 gauges are outside the DEM and its surroundings, the nearest 50",
                "the points look like degrees",
            ]),
        ),
        run(
            "rain gauges with x and y swapped",
            |w| gauges(w, "x,y,series\n4999990,500010,a.csv\n"),
            GAUGES,
            Refused(&["rain: 'g.csv': 1 gauge is outside the DEM", "x and y look swapped"]),
        ),
        run(
            "a rain gauge far off",
            |w| gauges(w, "x,y,series\n500010,4999990,a.csv\n500060,4799920,a.csv\n"),
            GAUGES,
            Warned(&["rain: 'g.csv': 1 of 2 gauges is far from the DEM: line 3 (200 km)"]),
        ),
        run(
            "a rain gauge in the next valley",
            |w| gauges(w, "x,y,series\n500010,4999990,a.csv\n500060,4980000,a.csv\n"),
            GAUGES,
            Taken,
        ),
        rained(
            "a source with x and y swapped",
            |_| {},
            "--source '4999955,500055,1 m3/s'",
            Refused(&["source: the point (4999955, 500055) is outside the DEM", "look swapped"]),
        ),
        rained(
            "a section in degrees",
            |_| {},
            "--sections 15.0001,45.1532,15.0009,45.1531,weir",
            Refused(&["sections: 'weir' is outside the DEM", "the points look like degrees"]),
        ),
        rained(
            "a DEM in coordinates from the centre of the Earth",
            |w| dem(w, Raster::terrain(12, 8).epsg(4978)),
            "",
            Refused(&["dem: 'dem.tif' has a geocentric CRS"]),
        ),
        rained(
            "heights in feet by a vertical CRS",
            |w| dem(w, Raster::terrain(12, 8).epsg(None).unit("US survey foot")),
            "",
            Warned(&["no coordinate reference system"]),
        ),
        rained(
            "a mosaic whose parts are gone",
            |w| {
                w.shell("mv dem.tif part.tif && gdalbuildvrt -q m.vrt part.tif && rm part.tif && mv m.vrt dem.tif").done();
            },
            "",
            Refused(&["dem: 'dem.tif' cannot be read completely: part.tif", "No such file"]),
        ),
        run(
            "rain tagged with the zone next door",
            |w| w.raster("rain.tif", &Raster::new(12, 8, |_, _| 20.0).epsg(32634)),
            "--rain rain.tif --duration 2min",
            Refused(&["rain: 'rain.tif' does not touch the DEM", "CRS"]),
        ),
        run(
            "rain in another CRS that touches a corner",
            |w| {
                let place = [15.0, 0.0005, 0.0, 45.1536, 0.0, -0.0005];
                w.raster("rain.tif", &Raster::new(2, 1, |_, _| 20.0).epsg(4326).transform(place));
            },
            "--rain rain.tif --duration 2min",
            Warned(&["rain: 'rain.tif' has no value for", "taken as 0"]),
        ),
    ]
}
