//! Vector layers: features, fields, CRSs, and positions.

use crate::bad_corpus::harness::Expect::{Refused, Taken, Warned};
use crate::bad_corpus::harness::{Case, rained};
use crate::cli_common::vectors::{Shapes, number, text};
use crate::cli_common::{Raster, Workshop};
use gdal::vector::OGRFieldType::{OFTInteger, OFTReal};

/// The CRS of the DEM in GeoJSON.
const UTM33: &str =
    r#""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}, "#;

/// Returns a layer of flows.
fn flows() -> Shapes {
    Shapes::new(&[("flow", OFTReal)])
}

fn geojson(workshop: &Workshop, crs: &str, geometry: &str, coordinates: &str) {
    workshop.file(
        "s.geojson",
        format!(
            r#"{{"type": "FeatureCollection", {crs}"features": [{{"type": "Feature", "properties": {{"flow": 1, "level": 119}}, "geometry": {{"type": "{geometry}", "coordinates": {coordinates}}}}}]}}"#
        ),
    );
}

fn polygon(workshop: &Workshop, corners: &str) {
    geojson(workshop, UTM33, "Polygon", &format!("[[{corners}]]"));
}

/// Writes the layer `b.gpkg` of a house with a height.
fn house(workshop: &Workshop, height: &str) {
    let house = "POLYGON ((1 1, 5 1, 5 5, 1 5, 1 1))";
    workshop.layer("b.gpkg", "height", &[(house, height)]);
}

pub fn cases() -> Vec<Case> {
    let source = "--source s.gpkg";
    let json = "--source s.geojson";
    vec![
        rained(
            "GeoJSON in metres without a CRS",
            |w| geojson(w, "", "Point", "[500025, 4999975]"),
            json,
            Refused(&[
                "source: 's.geojson': feature 0 cannot be transformed to the DEM's CRS",
                "GeoJSON",
            ]),
        ),
        rained(
            "GeoJSON with latitude before longitude",
            |w| geojson(w, "", "Point", "[45.1532, 15.0005]"),
            json,
            Refused(&["source: 's.geojson': feature 0 is outside the DEM", "x and y look swapped"]),
        ),
        rained(
            "a point at infinity",
            |w| geojson(w, UTM33, "Point", "[1e400, 4999975]"),
            json,
            Refused(&[
                "source: 's.geojson': feature 0 has a coordinate that is not a finite number",
                "redraw or delete it",
            ]),
        ),
        rained(
            "a building that goes around the Earth",
            |w| polygon(w, "[500000,4999960],[500050,4999960],[500050,-3e10],[500000,4999960]"),
            "--buildings s.geojson",
            Taken,
        ),
        rained(
            "a level that goes around the Earth",
            |w| polygon(w, "[500000,4999960],[500050,4999960],[500050,-3e10],[500000,4999960]"),
            "--level s.geojson",
            Taken,
        ),
        rained(
            "a polygon over the DEM and far to the east",
            |w| {
                polygon(
                    w,
                    "[500000,5000000],[1e13,5000000],[1e13,4999900],[500000,4999900],[500000,5000000]",
                )
            },
            json,
            Warned(&["source: "]),
        ),
        rained(
            "a line over the DEM and far to the east",
            |w| geojson(w, UTM33, "LineString", "[[500005,4999975],[1e13,4999975]]"),
            json,
            Warned(&["source: "]),
        ),
        rained(
            "a polygon far to the east",
            |w| polygon(w, "[1e12,5000000],[1e13,5000000],[1e13,4999900],[1e12,5000000]"),
            json,
            Refused(&["source: 's.geojson': feature 0 is outside the DEM"]),
        ),
        rained(
            "a point at 1e300",
            |w| {
                polygon(
                    w,
                    "[500005, 4999975], [1e300, 4999975], [500005, 1e300], [500005, 4999975]",
                )
            },
            json,
            Warned(&["source: "]),
        ),
        rained(
            "a layer tagged with the zone next door",
            |w| {
                flows().with("POINT (2.5 2.5)", &[number(1.0)]).write(w, "a.gpkg");
                w.shell("ogr2ogr -a_srs EPSG:32634 s.gpkg a.gpkg && rm a.gpkg");
            },
            source,
            Refused(&["source: 's.gpkg': feature 1 is outside the DEM", "layer's CRS"]),
        ),
        rained(
            "a GeoPackage cut off",
            |w| {
                flows().with("POINT (2.5 2.5)", &[number(1.0)]).write(w, "s.gpkg");
                let whole = std::fs::read(w.path("s.gpkg")).unwrap();
                w.file("s.gpkg", &whole[..5000]);
            },
            source,
            Refused(&["source: 's.gpkg'"]),
        ),
        rained(
            "a Shapefile without its table",
            |w| {
                flows().with("POINT (2.5 2.5)", &[number(1.0)]).write(w, "s.shp");
                std::fs::remove_file(w.path("s.dbf")).unwrap();
            },
            "--source s.shp",
            Refused(&["source: 's.shp'", "field"]),
        ),
        rained(
            "a Shapefile without its index",
            |w| {
                flows().with("POINT (2.5 2.5)", &[number(1.0)]).write(w, "s.shp");
                std::fs::remove_file(w.path("s.shx")).unwrap();
            },
            "--source s.shp",
            Refused(&["source: 's.shp'"]),
        ),
        rained(
            "a polygon that crosses itself",
            |w| {
                let bow = "POLYGON ((1 1, 5 5, 5 1, 1 5, 1 1))";
                flows().with(bow, &[number(1.0)]).write(w, "s.gpkg");
            },
            source,
            Taken,
        ),
        rained(
            "a source that lies half on NoData",
            |w| {
                w.raster("dem.tif", &Raster::terrain(12, 8).with(2, 2, -9999.0));
                let area = "POLYGON ((1 1, 5 1, 5 5, 1 5, 1 1))";
                flows().with(area, &[number(1.0)]).write(w, "s.gpkg");
            },
            source,
            Warned(&["source: "]),
        ),
        rained(
            "a whole number as flow",
            |w| {
                let flow = gdal::vector::FieldValue::IntegerValue(2);
                Shapes::new(&[("flow", OFTInteger)])
                    .with("POINT (2.5 2.5)", &[Some(flow)])
                    .write(w, "s.gpkg");
            },
            source,
            Taken,
        ),
        rained(
            "a flow with a decimal comma",
            |w| w.layer("s.gpkg", "flow", &[("POINT (2.5 2.5)", "2,5")]),
            source,
            Refused(&["source: '2,5'", "s.gpkg, feature 1"]),
        ),
        rained(
            "a source that brings nothing",
            |w| flows().with("POINT (2.5 2.5)", &[number(0.0)]).write(w, "s.gpkg"),
            source,
            Warned(&["source: "]),
        ),
        rained(
            "two sources in one cell",
            |w| {
                flows()
                    .with("POINT (2.5 2.5)", &[number(1.0)])
                    .with("POINT (2.6 2.5)", &[number(1.0)])
                    .write(w, "s.gpkg");
            },
            source,
            Taken,
        ),
        rained(
            "a gauge on a blocked building",
            |w| house(w, "block"),
            "--buildings b.gpkg --gauges 500025,4999975,yard",
            Refused(&["gauges: 'yard' (500025, 4999975) is on a cell that a building blocks"]),
        ),
        rained(
            "a source on a blocked building",
            |w| house(w, "block"),
            "--buildings b.gpkg --source '500025,4999975,1 m3/s'",
            Refused(&["source: the point (500025, 4999975) is on a cell that a building blocks"]),
        ),
        rained(
            "a gauge on a raised building",
            |w| house(w, "8 m"),
            "--buildings b.gpkg --gauges 500025,4999975,yard",
            Warned(&["gauges: 'yard' is on the roof of a building"]),
        ),
        rained(
            "a pump from a cell to itself",
            |w| {
                Shapes::new(&[
                    ("kind", gdal::vector::OGRFieldType::OFTString),
                    ("capacity", OFTReal),
                ])
                .with("LINESTRING (2.2 2.2, 2.8 2.8)", &[text("pump"), number(1.0)])
                .write(w, "l.gpkg");
            },
            "--links l.gpkg",
            Refused(&["links: ", "same cell (column 2, row 2)"]),
        ),
        rained(
            "a culvert that begins outside",
            |w| {
                Shapes::new(&[
                    ("kind", gdal::vector::OGRFieldType::OFTString),
                    ("diameter", OFTReal),
                ])
                .with("LINESTRING (-3 2.2, 2.8 2.8)", &[text("culvert"), number(1.0)])
                .write(w, "l.gpkg");
            },
            "--links l.gpkg",
            Refused(&["links: the inlet", "is outside the DEM"]),
        ),
        rained(
            "a culvert whose invert hangs in the air",
            |w| {
                w.file(
                    "l.csv",
                    "x1,y1,x2,y2,kind,diameter,inlet_level\n500025,4999975,500055,4999975,culvert,1,900\n",
                );
            },
            "--links l.csv",
            Warned(&["links: the invert of this culvert is 78", "l.csv, line 2"]),
        ),
        rained(
            "a culvert wider than its cell",
            |w| {
                w.file(
                    "l.csv",
                    "x1,y1,x2,y2,kind,diameter\n500025,4999975,500055,4999975,culvert,600\n",
                );
            },
            "--links l.csv",
            Warned(&["links: this culvert is 600 m wide or high", "l.csv, line 2"]),
        ),
        rained(
            "buildings whose heights are levels",
            |w| house(w, "412.5 m"),
            "--buildings b.gpkg",
            Warned(&["buildings: 'b.gpkg' has heights of up to 412.5 m", "levels"]),
        ),
        rained(
            "a section through no water's way",
            |w| w.layer("c.gpkg", "name", &[("LINESTRING (1 1, 1 1, 6 6)", "a")]),
            "--sections c.gpkg",
            Taken,
        ),
        rained(
            "a layer with heights in its points",
            |w| {
                w.layer("a.gpkg", "flow", &[("POINT (2.5 2.5)", 1.0)]);
                w.shell("ogr2ogr -dim XYZM s.gpkg a.gpkg && rm a.gpkg").done();
            },
            source,
            Taken,
        ),
        rained(
            "an initial level below the bed",
            |_| {},
            "--initial-level '3 m'",
            Warned(&["initial_level: "]),
        ),
        rained(
            "a layer of levels above nothing but NoData",
            |w| {
                let dem = Raster::terrain(12, 8);
                let dem = (0..8).fold(dem, |dem, row| dem.with(0, row, -9999.0));
                w.raster("dem.tif", &dem);
                w.layer("l.gpkg", "level", &[("LINESTRING (0.5 0.5, 0.5 7.5)", "121")]);
            },
            "--level l.gpkg",
            Refused(&["level: 'l.gpkg': feature 1 is on NoData cells of the DEM"]),
        ),
        rained(
            "a layer of thousands of points outside",
            |w| {
                let flows = (0..2000).fold(flows(), |shapes, at| {
                    shapes.with(&format!("POINT (-5 {at})"), &[number(0.1)])
                });
                flows.write(w, "s.gpkg");
            },
            source,
            Refused(&["features 1, 2, 3, 4, 5 and 1995 more are outside the DEM"]),
        ),
    ]
}
