//! Invalid hydrographs, vector layers and levels: each is refused with exit code 2 and a message
//! that explains what is wrong, where, and how to fix it; no file is touched.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop};
use gdal::vector::OGRFieldType::{OFTDate, OFTReal, OFTString};

#[track_caller]
fn refused(workshop: &Workshop, arguments: &[&str], parts: &[&str]) {
    let timed = ["--duration", "5 min"];
    workshop.refuses(&[&["run", "--dem", "dem.tif"], arguments, &timed].concat(), parts);
}

fn point(value: &str) -> String {
    format!("{},{},{value}", CORNER.0 + 35.0, CORNER.1 - 45.0)
}

#[test]
fn names_the_line_of_a_bad_hydrograph_or_tide() {
    let workshop = Workshop::new();
    let source = point("h.csv");
    refused(
        &workshop,
        &["--source", &source],
        &["source: cannot open 'h.csv'", "relative to the folder"],
    );
    refused(&workshop, &["--level", "west,h.csv"], &["level: cannot open 'h.csv'"]);
    let source_cases: [(&str, &[&str]); 8] = [
        ("0,1\n1,2\n", &["line 1: the header line is missing", "time [h],flow [m3/s]"]),
        ("time [h],flow\n0,1\n", &["line 2: the flow '1' has no unit"]),
        ("time,flow [m3/s]\n0,1\n", &["line 2: the time '0' has no unit"]),
        ("time [h],flow [mm/h]\n0,1\n", &["line 2: '1 mm/h': 'mm/h' is not a unit of flow"]),
        ("time [h],flow [m3/s]\n0,1\n2,1\n1,0\n", &["line 4: time 1 comes after a later one"]),
        ("time [h],flow [m3/s]\n0,1\n0,2\n", &["line 3: time 0 appears twice"]),
        ("time [h],flow [m3/s]\n0,-1\n", &["line 2: '-1 m3/s' is negative"]),
        ("time [h],flow [m3/s]\n", &["line 2: the table has no data lines"]),
    ];
    for (table, parts) in source_cases {
        workshop.file("h.csv", table);
        refused(&workshop, &["--source", &source], &[&["source: 'h.csv', "], parts].concat());
    }
    workshop.file("h.csv", "step,flow [m3/step]\n0,1\n");
    refused(&workshop, &["--source", &source], &["'h.csv' is a rate per step"]);
    refused(&workshop, &["--source", "h.csv"], &["is a table without a point", "\"x,y,h.csv\""]);
    let level_cases: [(&str, &[&str]); 3] = [
        ("time [h],level [m3/s]\n0,1\n", &["line 2: '1 m3/s': 'm3/s' is not a unit of level"]),
        ("time [h],level [m]\n0,nan\n", &["has no value in 1 of its 1 line", "'nan'"]),
        ("time [h],level [m]\n0,1e9\n", &["line 2: '1e9 m' is not a height on Earth"]),
    ];
    for (table, parts) in level_cases {
        workshop.file("h.csv", table);
        refused(&workshop, &["--level", "west,h.csv"], &[&["level: 'h.csv'"], parts].concat());
    }
    workshop.file("h.csv", "step,level [m]\n0,1\n");
    refused(&workshop, &["--level", "west,h.csv"], &["the times of 'h.csv' count steps"]);
    refused(&workshop, &["--level", "h.csv"], &["is a table without a side", "\"west,h.csv\""]);
    workshop.file("h.csv", "time [h],level [m]\n0,1\n");
    let steps = "run --dem dem.tif --steps 3 --level west,h.csv";
    workshop.refuses(steps, &["the times of 'h.csv' are in hours", "--step 10s"]);
}

#[test]
fn explains_the_syntax_of_a_malformed_level() {
    let workshop = Workshop::new();
    for (level, parts) in [
        (
            "2.4 m",
            &["level: '2.4 m' is neither a side with a level nor a vector layer", "west,2.4 m"][..],
        ),
        ("upstream,2.4 m", &["'upstream,2.4 m' is neither a value", "west,2.4 m"]),
        ("500005,4999995,2.4 m", &["is neither a side"]),
        ("none,2.4 m", &["is neither a side"]),
        ("west,high", &["level: 'high' is neither a value nor an existing file"]),
        ("west,2 yd", &["'yd' is not a unit of level"]),
        ("west,1e5", &["'1e5' is not a height on Earth"]),
        ("west,5000 m", &["m of water in a cell at once", "above the highest ground"]),
        ("dem.tif", &["level: 'dem.tif': it is not a vector file", "ogrinfo"]),
    ] {
        refused(&workshop, &["--level", level], parts);
    }
}

#[test]
fn explains_why_a_layer_cannot_be_read() {
    let workshop = Workshop::new();
    for flag in ["--source", "--level"] {
        let key = &flag[2..];
        refused(&workshop, &[flag, "no.gpkg"], &[&format!("{key}: 'no.gpkg': cannot open it")]);
        workshop.file("empty.gpkg", "");
        refused(&workshop, &[flag, "empty.gpkg"], &["'empty.gpkg': it is empty (0 bytes)"]);
        workshop.file("text.geojson", "{\"type\": \"Nothing\"}");
        refused(&workshop, &[flag, "text.geojson"], &["'text.geojson': it is not a vector file"]);
        workshop.file("cut.geojson", "{\"type\": \"FeatureCollection\", \"features\": [{");
        refused(&workshop, &[flag, "cut.geojson"], &["'cut.geojson': it "]);
        workshop.file("town.tab", "neither points nor polygons");
        refused(
            &workshop,
            &[flag, "town.tab"],
            &[
                "'town.tab': it is not a vector file in a format of this build of inundate",
                "ogr2ogr -f GPKG 'town.gpkg' 'town.tab'",
            ],
        );
    }
}

#[test]
fn names_features_with_missing_or_conflicting_attributes() {
    let workshop = Workshop::new();
    workshop.file("h.csv", "time [h],flow [m3/s]\n0,1\n1,0\n");
    let at = "POINT (2.5 2.5)";
    let both = [("flow", OFTString), ("hydrograph", OFTString)];
    let layer = |values: [Option<gdal::vector::FieldValue>; 2]| {
        Shapes::new(&both).with(at, &[text("1"), None]).with(at, &values)
    };
    let cases: [(Shapes, &[&str]); 10] = [
        (
            Shapes::texts("q").with(at, &[text("1")]),
            &["neither a field 'flow' nor 'hydrograph'; its fields: q", "add a field"],
        ),
        (layer([None, None]), &["feature 2 has neither a 'flow' nor a 'hydrograph'"]),
        (layer([text("1"), text("h.csv")]), &["feature 2 has both a 'flow' and a 'hydrograph'"]),
        (
            layer([text("much"), None]),
            &["source: 'much' is not a rate of flow (s.gpkg, feature 2)"],
        ),
        (layer([text("1 mm/h"), None]), &["'mm/h' is not a unit of flow (s.gpkg, feature 2)"]),
        (layer([text("-1"), None]), &["'-1' is negative (s.gpkg, feature 2)"]),
        (
            layer([None, text("no.csv")]),
            &["cannot open 'no.csv'", "feature 2", "or a vector layer"],
        ),
        (Shapes::new(&[("flow", OFTReal)]), &["the layer has no features"]),
        (
            Shapes::new(&[("flow", OFTReal)]).with("", &[number(1.0)]),
            &["feature 1 has no geometry"],
        ),
        (
            Shapes::new(&[("flow", OFTReal)])
                .with("GEOMETRYCOLLECTION (POINT (1 1))", &[number(1.0)]),
            &["feature 1 is neither point, line nor polygon but a GEOMETRYCOLLECTION"],
        ),
    ];
    for (shapes, parts) in cases {
        shapes.write(&workshop, "s.gpkg");
        refused(&workshop, &["--source", "s.gpkg"], parts);
        std::fs::remove_file(workshop.path("s.gpkg")).unwrap();
    }
    // A second field with a value for the same key, and a field of true and false.
    let feature = |properties: &str, geometry: &str| {
        let head = r#"{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32633"}},"#;
        format!(
            r#"{head} "features": [{{"type": "Feature", "properties": {{{properties}}}, "geometry": {{{geometry}}}}}]}}"#
        )
    };
    let inside = r#""type": "Point", "coordinates": [500025, 4999975]"#;
    let still = r#""type": "LineString", "coordinates": [[500025, 4999975], [500025, 4999975]]"#;
    for (properties, geometry, part) in [
        (r#""flow": 1, "flow_cfs": 100"#, inside, "fields 'flow' and 'flow_cfs' both give 'flow'"),
        (r#""flow": true"#, inside, "'true' is not a rate of flow"),
        (r#""flow": 1"#, still, "feature 0 has no length"),
    ] {
        workshop.file("s.geojson", feature(properties, geometry));
        refused(&workshop, &["--source", "s.geojson"], &[part]);
    }
    let day = gdal::vector::FieldValue::StringValue("2020/01/01".into());
    let dated = Shapes::new(&[("level", OFTDate)]).with(at, &[Some(day)]);
    dated.write(&workshop, "l.gpkg");
    refused(&workshop, &["--level", "l.gpkg"], &["the field 'level' is neither text nor a number"]);
    let level = Shapes::texts("level").with(at, &[text("1 m3/s")]);
    level.write(&workshop, "m.gpkg");
    refused(
        &workshop,
        &["--level", "m.gpkg"],
        &["'m3/s' is not a unit of level (m.gpkg, feature 1)"],
    );
}

#[test]
fn names_and_counts_features_outside_or_on_nodata() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).with(2, 1, -9999.0));
    let flow = [number(1.0)];
    let mut shapes = Shapes::new(&[("flow", OFTReal)]).with("POINT (2.5 3.5)", &flow);
    for x in 0..7 {
        shapes = shapes.with(&format!("POINT ({}.5 9.5)", x), &flow);
    }
    shapes.write(&workshop, "s.gpkg");
    let parts = ["features 2, 3, 4, 5, 6 and 2 more are outside the DEM", "x 500000 to 500120"];
    refused(&workshop, &["--source", "s.gpkg"], &parts);
    let hole = Shapes::texts("level").with("POINT (2.5 1.5)", &[text("120")]);
    hole.write(&workshop, "l.gpkg");
    refused(&workshop, &["--level", "l.gpkg"], &["level: 'l.gpkg': feature 1 is on NoData cells"]);
}

#[test]
fn rejects_a_layer_without_a_crs() {
    let workshop = Workshop::new();
    let shapes = Shapes::texts("flow").with("POINT (2.5 2.5)", &[text("1")]);
    for name in ["s.shp", "s.gpkg"] {
        shapes.clone().epsg(None).write(&workshop, name);
        refused(
            &workshop,
            &["--source", name],
            &["its coordinate reference system", "ogr2ogr -a_srs"],
        );
    }
    // If the DEM has no CRS either, the coordinates are the DEM's.
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(None));
    shapes.clone().epsg(None).write(&workshop, "s.shp");
    workshop.run("--source s.shp --duration '1 min'").done();
    shapes.write(&workshop, "t.gpkg");
    let ran = workshop.run("--source t.gpkg --duration '1 min' --overwrite").done();
    ran.says(&["the coordinates of 't.gpkg' are taken as the DEM's"]);
}

#[test]
fn rejects_other_roles_for_a_stage_boundary_cell() {
    let workshop = Workshop::new();
    let parts = ["level: 1 cell is a stage boundary and also a source (column 3, row 4)", "move"];
    workshop.layer("l.gpkg", "level", &[("POINT (3.5 4.5)", "120")]);
    refused(&workshop, &["--level", "l.gpkg", "--source", &point("1 m3/s")], &parts);
    workshop.raster("marks.tif", &Raster::new(12, 8, |_, _| 1.0));
    for (flag, what) in
        [("--source", "a source"), ("--inflow-depth", "an inflow cell"), ("--sinks", "a sink")]
    {
        let parts = [format!("also {what} (column 0, row 0)"), "8 cells are".into()];
        let parts = parts.each_ref().map(String::as_str);
        refused(&workshop, &["--level", "west,120", flag, "marks.tif"], &parts);
    }
}

#[test]
fn rejects_a_file_of_several_layers_and_suggests_a_fix() {
    let workshop = Workshop::new();
    workshop.layer("s.gpkg", "flow", &[("POINT (2.5 2.5)", "1")]);
    let copy = "ogr2ogr t.gpkg s.gpkg && ogr2ogr -update t.gpkg s.gpkg drawn -nln other";
    if workshop.shell("ogr2ogr --version").code != Some(0) {
        return;
    }
    workshop.shell(copy).done();
    refused(
        &workshop,
        &["--source", "t.gpkg"],
        &["it has 2 layers: drawn, other", "ogr2ogr layer.gpkg 't.gpkg' 'drawn'"],
    );
}
