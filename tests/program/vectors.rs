//! Hydrographs and vector layers: inflow equals manual calculations, to the grain.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text, volumes};
use cli_common::{Raster, Workshop, at, pixels};
use gdal::vector::FieldValue;
use gdal::vector::OGRFieldType::{OFTReal, OFTString};

/// A grain of water in a cell of 10 m (m³).
const GRAIN: f64 = 100.0 / 16_777_216.0;
const TRIANGLE: &str = "time [min],flow [m3/s]\n5,0\n15,6\n25,0\n";
#[track_caller]
fn brings(workshop: &Workshop, arguments: &[&str], expected: f64, cells: usize) {
    volumes(workshop, arguments, |inflow, outflow, stored| {
        let off = (inflow - expected).abs();
        assert!(off <= cells as f64 * GRAIN, "{inflow} m³, not {expected} m³");
        assert_eq!((outflow, stored), (0.0, inflow));
    });
}

/// Returns a point in the middle of a cell, as text.
fn point(column: usize, row: usize, value: &str) -> String {
    format!("{},{value}", at(column as f64 + 0.5, row as f64 + 0.5))
}

#[test]
fn a_hydrograph_delivers_the_area_below_its_straight_lines() {
    let workshop = Workshop::flat();
    let source = point(3, 4, "flood.csv");
    let cases = [
        (TRIANGLE, "1h", 3600.0),
        (TRIANGLE, "15 min", 1800.0),
        (TRIANGLE, "10 min", 450.0),
        ("time [h],flow [l/s]\n0,500\n0.5,1500\n1,0\n", "2h", 1800.0 + 1350.0),
        ("minutes,m3/s\n0,2\n10,4\n20,0\n", "20 min", 1800.0 + 1200.0),
        // No flow before the first time; the last flow is kept.
        ("time,flow\n00:10,2 m3/s\n00:20,2 m3/s\n", "30 min", 2.0 * 600.0 + 2.0 * 600.0),
    ];
    for (table, duration, expected) in cases {
        workshop.file("flood.csv", table);
        brings(&workshop, &["--source", &source, "--duration", duration], expected, 1);
    }
    let ran = workshop.run(&format!("--source '{source}' --duration '30 min' --overwrite")).done();
    ran.says(&["warning: source: 'flood.csv' ends with a flow above 0", "kept to the end"]);
    let inputs = workshop.report("results")["inputs"].to_string();
    assert!(
        inputs.contains("\"path\":\"flood.csv\",\"role\":\"source\",\"sha256\":\""),
        "{inputs}"
    );
}

#[test]
fn a_hydrograph_may_count_steps() {
    let workshop = Workshop::flat();
    workshop.file("flood.csv", "step,flow [m3/step]\n0,0\n4,8\n8,0\n");
    workshop.run(&["--source", &point(3, 4, "flood.csv"), "--steps", "10"]).done();
    assert!((workshop.volume("results", "inflow_m3") - 32.0).abs() <= GRAIN);
}

#[test]
fn several_sources_add_up() {
    let workshop = Workshop::flat();
    workshop.file("flood.csv", TRIANGLE);
    let (one, two) = (point(3, 4, "flood.csv"), point(3, 4, "2 m3/s"));
    let arguments = ["--source", &one, "--source", &two, "--duration", "1h"];
    brings(&workshop, &arguments, 3600.0 + 7200.0, 2);
}

#[test]
fn every_feature_of_a_layer_delivers_its_total_on_any_cells() {
    let workshop = Workshop::flat();
    let fields = [("flow", OFTString), ("hydrograph", OFTString)];
    std::fs::create_dir(workshop.path("study")).unwrap();
    workshop.file("study/flood.csv", TRIANGLE);
    let shapes = Shapes::new(&fields)
        .with("POINT (0.5 0.5)", &[text("2 m3/s"), None])
        .with("LINESTRING (1.5 2.5, 6.5 2.5)", &[text("500 l/s"), None])
        .with("POLYGON ((2 4, 9 4, 9 7, 2 7, 2 4))", &[None, text("flood.csv")]);
    // A Shapefile contains geometries of one kind.
    let polygons = Shapes::new(&fields)
        .with("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))", &[text("2"), None])
        .with("POLYGON ((1 2, 7 2, 7 3, 1 3, 1 2))", &[text("0.5"), None])
        .with("POLYGON ((2 4, 9 4, 9 7, 2 7, 2 4))", &[None, text("flood.csv")]);
    let expected = 2.5 * 1800.0 + 3600.0;
    for (name, shapes) in
        [("study/s.gpkg", &shapes), ("study/s.geojson", &shapes), ("study/s.shp", &polygons)]
    {
        shapes.write(&workshop, name);
        // A share is exact to 2⁻³¹ of the highest in its layer.
        let arguments = ["--source", name, "--duration", "30 min"];
        brings(&workshop, &arguments, expected, 1 + 6 + 21);
        let inputs = workshop.report("results")["inputs"].clone();
        let with_sum: Vec<&str> = inputs
            .as_array()
            .unwrap()
            .iter()
            .filter(|input| input["sha256"].is_string())
            .map(|input| input["path"].as_str().unwrap())
            .collect();
        assert!(with_sum.contains(&name) && with_sum.contains(&"study/flood.csv"), "{with_sum:?}");
        let has_parts =
            inputs.to_string().contains("\"companions\":[\"study/s.shx\",\"study/s.dbf\"");
        assert_eq!(has_parts, name.ends_with("shp"), "{inputs}");
    }
    workshop
        .inundate("check --dem dem.tif --source study/s.shp --duration '30 min' --overwrite")
        .done()
        .prints(&[
            "source      3600 m³ by the end, at most 2 m³/s in 1 cell: study/s.shp, feature 0",
            "source      900.00 m³ by the end, at most 0.5 m³/s in 6 cells: study/s.shp, feature 1",
            "source      3600 m³ by the end, at most 6 m³/s in 21 cells: study/s.shp, feature 2",
        ]);
}

#[test]
fn cells_share_a_flow_equally() {
    let workshop = Workshop::flat();
    let geometries: [(&str, &[(usize, usize)]); 4] = [
        ("POINT (3.5 2.5)", &[(3, 2)]),
        ("MULTIPOINT ((3.5 2.5), (7.5 6.5))", &[(3, 2), (7, 6)]),
        ("LINESTRING (2.5 3.5, 5.5 3.5)", &[(2, 3), (3, 3), (4, 3), (5, 3)]),
        (
            "POLYGON ((6.2 1.2, 7.9 1.2, 7.9 2.9, 6.2 2.9, 6.2 1.2))",
            &[(6, 1), (7, 1), (6, 2), (7, 2)],
        ),
    ];
    for (wkt, cells) in geometries {
        workshop.layer("s.gpkg", "Flow", &[(wkt, 100.0)]);
        // Hardly any water moves in a step of this automaton.
        let arguments = "--source s.gpkg --steps 1 --alpha 1e-6 --overwrite";
        workshop.run(arguments).done();
        let depths = pixels(workshop.path("results/depth.tif"));
        for (cell, depth) in depths.into_iter().enumerate() {
            let wet = cells.contains(&(cell % 12, cell / 12));
            let expected = if wet { 1.0 / cells.len() as f32 } else { 0.0 };
            let depth = depth.max(0.0);
            assert!((depth - expected).abs() < 1e-4, "{wkt}: {depth} m in cell {cell}");
        }
        std::fs::remove_file(workshop.path("s.gpkg")).unwrap();
    }
}

#[test]
fn a_layer_in_another_crs_maps_to_the_same_cells() {
    let workshop = Workshop::flat();
    let shapes = Shapes::texts("level")
        .with("POINT (1.5 1.5)", &[text("10.5 m")])
        .with("LINESTRING (3.3 2.4, 8.6 5.1)", &[text("11")])
        .with("POLYGON ((1.6 4.6, 4.4 4.6, 4.4 6.4, 1.6 6.4, 1.6 4.6))", &[text("12")]);
    shapes.write(&workshop, "here.gpkg");
    let run = |name: &str| {
        let arguments = format!("--level '{name}' --duration '5 min' --overwrite");
        workshop.run(&arguments).done();
        (pixels(workshop.path("results/depth.tif")), workshop.volume("results", "inflow_m3"))
    };
    let here = run("here.gpkg");
    for (epsg, name) in [(4326, "a.gpkg"), (32632, "b.gpkg"), (3857, "c.gpkg"), (4326, "d.geojson")]
    {
        shapes.clone().epsg(epsg).write(&workshop, name);
        assert_eq!(run(name), here, "{name}");
    }
    // A Shapefile contains geometries of one kind.
    let points = Shapes::texts("level").with("POINT (1.5 1.5)", &[text("10.5 m")]);
    points.write(&workshop, "point.gpkg");
    points.epsg(32632).write(&workshop, "point.shp");
    assert_eq!(run("point.shp"), run("point.gpkg"));
}

/// Returns GeoJSON in degrees of a geometry with a property.
fn in_degrees(property: &str, kind: &str, coordinates: &str) -> String {
    format!(
        r#"{{"type": "Feature", "properties": {{{property}}}, "geometry": {{"type": "{kind}", "coordinates": {coordinates}}}}}"#
    )
}

#[test]
fn long_edges_in_degrees_are_straight_in_degrees() {
    let workshop = Workshop::flat();
    let box_of = |[west, south, east, north]: [f64; 4]| {
        let ring = format!(
            "[[[{west}, {south}], [{east}, {south}], [{east}, {north}], [{west}, {north}], [{west}, {south}]]]"
        );
        workshop.file("box.geojson", in_degrees(r#""level": 11"#, "Polygon", &ring));
        "run --dem dem.tif --initial-level box.geojson --steps 1 --overwrite"
    };
    // The middle of the DEM is at 45.153117° north: the parallel bends by 2 km within 2°.
    for (extent, cells) in [
        ([13.0, 44.0, 17.0, 45.153117], 48.0),
        ([13.0, 45.153117, 17.0, 46.0], 48.0),
        ([-180.0, -90.0, 180.0, 90.0], 96.0),
        ([0.0, -90.0, 360.0, 90.0], 96.0),
        ([-180.0, -90.0, 180.0, 45.153117], 48.0),
    ] {
        workshop.inundate(box_of(extent)).done();
        assert_eq!(workshop.volume("results", "initial_m3"), 100.0 * cells, "{extent:?}");
    }
    let beside = [13.0, 44.0, 17.0, 45.1527];
    workshop.refuses(box_of(beside), &["feature 0 is outside the DEM"]);
    workshop.refuses(box_of([-180.0, -90.0, 180.0, 45.0]), &["feature 0 is outside the DEM"]);
}

#[test]
fn points_on_the_other_side_of_the_earth_are_outside_the_dem() {
    let workshop = Workshop::flat();
    let points = [("here", "[15.0005, 45.1531]"), ("pole", "[-120, 89.9]"), ("far", "[105, 0]")];
    let features =
        points.map(|(name, at)| in_degrees(&format!(r#""name": "{name}""#), "Point", at));
    let features = features.join(", ");
    let collection = format!(r#"{{"type": "FeatureCollection", "features": [{features}]}}"#);
    workshop.file("p.geojson", collection);
    let run = "--points p.geojson --initial-depth 1 --steps 1";
    workshop.run(run).done().says(&["points: 2 of 3 features are outside the DEM"]);
}

#[test]
fn a_feature_partly_outside_the_domain_is_reported_and_delivers_its_whole_flow() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |_, _| 10.0).with(2, 1, -9999.0));
    let fields = [("flow", OFTReal)];
    Shapes::new(&fields)
        .with("LINESTRING (-3.5 4.5, 2.5 4.5)", &[number(1.0)])
        .with("LINESTRING (1.5 1.5, 2.5 1.5)", &[number(1.0)])
        .write(&workshop, "s.gpkg");
    let arguments = ["--source", "s.gpkg", "--duration", "10 min"];
    workshop
        .run(&arguments)
        .done()
        .says(&["source: 2 features of 's.gpkg' extend beyond the domain"]);
    brings(&workshop, &arguments, 1200.0, 4);
}

#[test]
fn scenario_paths_are_relative_to_the_scenario() {
    let workshop = Workshop::empty();
    let folder = "Übung 1";
    std::fs::create_dir(workshop.path(folder)).unwrap();
    let inside = |name: &str| format!("{folder}/{name}");
    workshop.raster(&inside("dem.tif"), &Raster::new(12, 8, |_, _| 10.0));
    workshop.file(&inside("my flood.csv"), TRIANGLE);
    workshop.file(&inside("tide.csv"), "time [h],level [m]\n0,10\n1,11\n");
    let shapes = Shapes::texts("hydrograph").with("POINT (5.5 5.5)", &[text("my flood.csv")]);
    shapes.write(&workshop, &inside("s.gpkg"));
    let scenario = format!(
        "dem = 'dem.tif'\nduration = '1h'\nsource = ['{}', 's.gpkg', '{}']\nlevel = 'west,tide.csv'\nout = 'results'\n",
        point(3, 4, "my flood.csv"),
        point(3, 4, "1 m3/s")
    );
    workshop.file(&inside("s.toml"), scenario);
    workshop
        .inundate(&["check", &inside("s.toml")])
        .done()
        .prints(&["source      3600 m³ by the end", "stage       10.00 to 11.00 m in 8 cells"]);
    workshop.inundate(&["run", &inside("s.toml")]).done();
    let report = workshop.report(&inside("results"));
    assert_eq!(report["volume"]["error_m3"], 0.0);
    assert_eq!(report["parameters"]["level"][0], format!("west,{folder}/tide.csv"));
}

#[test]
fn names_that_a_shapefile_cuts_are_read() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |column, _| 10.0 - 0.1 * column as f64));
    let river = |names: [&'static str; 3], file: &str| {
        Shapes::new(&names.map(|name| (name, OFTReal)))
            .with("LINESTRING (0 4.5, 12 4.5)", &[12.0, 8.5, 5.5].map(number))
            .write(&workshop, file);
    };
    let run = |file: &str| {
        let still = "--initial-depth '0.3 m' --duration 10s --overwrite";
        workshop.run(&format!("{still} --rivers '{file}'")).done()
    };
    let whole = ["width", "bed_level", "bed_level_end"];
    let beds = ["rivers.gpkg", "rivers.shp"].map(|file| {
        river(whole, file);
        let ran = run(file);
        if file.ends_with("shp") {
            ran.says(&["'rivers.shp' has a field 'bed_level_', which is read as 'bed_level_end'"]);
        }
        workshop.report("results")["grid"]["bed_range_m"].clone()
    });
    assert_eq!(beds[0], beds[1]);
    assert!((beds[0][0].as_f64().unwrap() - 5.5).abs() < 0.3, "{}", beds[0]);
    river(["width", "bed_level_start", "bed_level_end"], "cut.shp");
    let refuse = |key: &str, says: &[&str]| {
        let arguments = format!("run --dem dem.tif '{key}' cut.shp --duration 10s");
        workshop.refuses(&arguments, &[says, &["a Shapefile cuts names"]].concat());
    };
    refuse(
        "--rivers",
        &["rivers: 'cut.shp'", "'bed_level_' and 'bed_leve_1' may both be 'bed_level_end'"],
    );
    Shapes::new(&[("kind", OFTString), ("capacity [l/s]", OFTReal)])
        .with("LINESTRING (1.5 4.5, 6.5 4.5)", &[text("pump"), number(10.0)])
        .write(&workshop, "cut.shp");
    refuse("--links", &["links: 'cut.shp'", "the unit in its field 'capacity [' is cut off"]);
}

#[test]
fn links_and_structures_in_a_shapefile_are_those_of_a_geopackage() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |column, _| 10.0 - 0.1 * column as f64));
    let volume = |key: &str, ending: &str, line: &str, values: &[(&'static str, _)]| {
        let is_text = |value: &_| matches!(value, Some(FieldValue::StringValue(_)));
        let kind = |value: &_| if is_text(value) { OFTString } else { OFTReal };
        let fields: Vec<_> = values.iter().map(|(name, value)| (*name, kind(value))).collect();
        let (_, values): (Vec<_>, Vec<_>) = values.iter().cloned().unzip();
        let file = format!("lines.{ending}");
        Shapes::new(&fields).with(line, &values).write(&workshop, &file);
        let flow = "--level 'west,11 m' --open east --duration 2min --overwrite";
        workshop.run(&format!("{flow} '{key}' '{file}'")).done();
        workshop.report("results")["volume"].clone()
    };
    for (key, line, values) in [
        (
            "--links",
            "LINESTRING (1.5 4.5, 6.5 4.5)",
            vec![
                ("kind", text("culvert")),
                ("diameter", number(1.0)),
                ("inlet_level", number(10.8)),
                ("outlet_level", number(10.6)),
            ],
        ),
        (
            "--structures",
            "LINESTRING (6 0, 6 8)",
            vec![("kind", text("weir")), ("crest", number(10.2)), ("coefficient", number(0.2))],
        ),
    ] {
        let whole = volume(key, "gpkg", line, &values);
        assert_eq!(whole, volume(key, "shp", line, &values), "{key}");
        assert_ne!(whole, volume(key, "gpkg", line, &values[..2]), "{key}");
    }
}
