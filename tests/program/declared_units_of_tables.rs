//! Units declared in series, tables and layers, and commands other than `run` that read them.

use crate::cli_common;

use cli_common::vectors::{Shapes, number};
use cli_common::{CORNER, Raster, Workshop};
use gdal::vector::OGRFieldType::OFTReal;

const FOOT: f64 = 0.3048;

/// A table over time: its option with a placeholder for the file, its header without a unit, the
/// unit of its numbers and another unit, the size of that in the first, a unit of another quantity,
/// and other required arguments.
type Series =
    (&'static str, &'static str, [&'static str; 2], f64, &'static str, &'static [&'static str]);

const SERIES: &[Series] = &[
    ("--rain=s.csv", "time [h],rain", ["mm/h", "in/h"], 25.4, "m3/s", &[]),
    (
        "--source=500055,4999955,s.csv",
        "time [h],flow",
        ["m3/s", "cfs"],
        FOOT * FOOT * FOOT,
        "mm/h",
        &[],
    ),
    ("--level=west,s.csv", "time [h],level", ["m", "ft"], FOOT, "m3/s", &[]),
    (
        "--evaporation=s.csv",
        "time [h],evaporation",
        ["mm/day", "mm/h"],
        24.0,
        "m",
        &["--initial-depth", "1 m"],
    ),
];

/// Returns all terms of a run's mass balance.
fn volumes(workshop: &Workshop, arguments: &[&str]) -> Vec<(String, f64)> {
    workshop.run(&[&["--duration", "30min", "--overwrite"], arguments].concat()).done();
    let report = workshop.report("results");
    let parts = report["volume"].as_object().unwrap().iter();
    parts.map(|(name, value)| (name.clone(), value.as_f64().unwrap())).collect()
}

fn assert_alike(one: &[(String, f64)], other: &[(String, f64)], what: &str) {
    for ((name, a), (_, b)) in one.iter().zip(other) {
        assert!((a - b).abs() <= 1e-3 * a.abs().max(1e-3), "{what}: {name} {a} and {b}");
    }
    assert!(one.iter().any(|(_, value)| *value > 0.0), "{what}: {one:?}");
}

#[test]
fn reads_every_series_in_the_unit_of_its_header() {
    let workshop = Workshop::new();
    for (option, header, [own, other], size, unknown, with) in SERIES {
        let write = |unit: &str, factor: f64| {
            let values = [120.0, 121.5, 119.0].map(|value| value * factor);
            let [a, b, c] = values;
            workshop.file("s.csv", format!("{header}{unit}\n0,{a}\n0.25,{b}\n0.5,{c}\n"));
        };
        let arguments = [&[*option], *with].concat();
        write(&format!(" [{own}]"), 1.0);
        let first = volumes(&workshop, &arguments);
        write(&format!(" ({other})"), 1.0 / size);
        assert_alike(&first, &volumes(&workshop, &arguments), option);
        let check =
            [&["check", "--dem", "dem.tif", "--duration", "30min"], &arguments[..]].concat();
        write(&format!(" [{unknown}]"), 1.0);
        workshop.refuses(&check, &["s.csv", unknown, "units of"]);
        write("", 1.0);
        workshop.refuses(&check, &["s.csv", "has no unit"]);
    }
}

#[test]
fn reads_layer_fields_named_with_a_unit() {
    let workshop = Workshop::new();
    let building = |field: &'static str, value: f64| {
        let shape = "POLYGON ((3 3, 5 3, 5 5, 3 5, 3 3))";
        let layer = Shapes::new(&[(field, OFTReal)]).with(shape, &[number(value)]);
        layer.write(&workshop, "buildings.gpkg");
    };
    let buildings = "--buildings buildings.gpkg --rain '20 mm/h'";
    let bed = |field: &'static str, value: f64| {
        building(field, value);
        let run = "--duration 1min --overwrite";
        workshop.run(&format!("{run} {buildings}")).done();
        workshop.report("results")["grid"]["bed_range_m"][1].as_f64().unwrap()
    };
    let bare = bed("height", 30.0);
    for (field, value) in [
        ("height_ft", 30.0 / FOOT),
        ("HEIGHT_M", 30.0),
        ("height (cm)", 3000.0),
        ("height [mm]", 30_000.0),
    ] {
        let found = bed(field, value);
        assert!((found - bare).abs() < 1e-3, "{field}: {found} m, not {bare} m");
        let assumed = workshop.report("results")["assumed"].to_string();
        assert!(!assumed.contains("buildings.gpkg"), "{field}: {assumed}");
    }
    building("height_s", 30.0);
    let check = "check --dem dem.tif --duration 1min";
    workshop.refuses(&format!("{check} {buildings}"), &["'s' is not a unit of"]);
}

#[test]
fn reads_layer_and_table_numbers_in_the_unit_of_their_column_name() {
    let workshop = Workshop::new();
    let layer = |field: &'static str, value: f64| {
        let point = Shapes::new(&[(field, OFTReal)]).with("POINT (5.5 4.5)", &[number(value)]);
        point.write(&workshop, "source.geojson");
    };
    let source = ["--source", "source.geojson"];
    layer("flow", 0.5);
    let bare = volumes(&workshop, &source);
    let assumed = workshop.report("results")["assumed"].to_string();
    assert!(assumed.contains("declares no unit for flow; numbers are taken in m3/s"), "{assumed}");
    layer("flow [l/s]", 500.0);
    assert_alike(&bare, &volumes(&workshop, &source), "flow");
    let assumed = workshop.report("results")["assumed"].to_string();
    assert!(!assumed.contains("source.geojson"), "{assumed}");
    layer("flow [mm]", 500.0);
    let check = ["check", "--dem", "dem.tif", "--duration", "30min", "--source", "source.geojson"];
    workshop.refuses(&check, &["'mm' is not a unit of flow", "units of flow"]);

    let [x, y] = [CORNER.0 + 15.0, CORNER.1 - 45.0];
    let pump = |header: &str, capacity: &str| {
        let ends = format!("{x},{y},{},{y}", x + 80.0);
        workshop.file("links.csv", format!("x1,y1,x2,y2,kind,{header}\n{ends},pump,{capacity}\n"));
    };
    let links = ["--links", "links.csv", "--initial-depth", "1 m"];
    pump("capacity", "0.02");
    let bare = volumes(&workshop, &links);
    let assumed = workshop.report("results")["assumed"].to_string();
    assert!(assumed.contains("links: 'links.csv' declares no unit for capacity"), "{assumed}");
    pump("capacity [l/s]", "20");
    assert_alike(&bare, &volumes(&workshop, &links), "capacity");
    pump("capacity [l]", "20");
    let check = "check --dem dem.tif --duration 30min --initial-depth '1 m' --links links.csv";
    workshop.refuses(check, &["links.csv", "'l' is not a unit of flow"]);
}

#[test]
fn a_rating_curve_without_units_is_read_in_si_with_a_note() {
    let workshop = Workshop::new();
    let rated = ["--rating", "east,rating.csv", "--initial-depth", "1 m"];
    workshop.file("rating.csv", "depth,flow\n0,0\n2,4\n");
    let bare = volumes(&workshop, &rated);
    let assumed = workshop.report("results")["assumed"].to_string();
    assert!(assumed.contains("column 'depth' declares no unit; taken in m"), "{assumed}");
    assert!(assumed.contains("column 'flow' declares no unit; taken in m3/s"), "{assumed}");
    workshop.file("rating.csv", "depth [cm],flow [l/s]\n0,0\n200,4000\n");
    assert_alike(&bare, &volumes(&workshop, &rated), "rating");
}

#[test]
fn losses_by_class_use_the_unit_of_their_column() {
    let workshop = Workshop::new();
    workshop.raster("soil.tif", &Raster::new(12, 8, |column, _| 1.0 + (column % 2) as f64));
    let run =
        ["--initial-depth", "1 m", "--loss-classes", "soil.tif", "--loss-table", "losses.csv"];
    workshop.file("losses.csv", "class,infiltration_mm_h\n1,25.4\n2,50.8\n");
    let named = volumes(&workshop, &run);
    workshop.file("losses.csv", "class,infiltration [in/h]\n1,1\n2,2\n");
    assert_alike(&named, &volumes(&workshop, &run), "infiltration");
    workshop.file("losses.csv", "class,infiltration [in]\n1,1\n2,2\n");
    let check = [&["check", "--dem", "dem.tif", "--duration", "30min"], &run[..]].concat();
    workshop.refuses(
        &check,
        &["losses.csv", "'in' is not a unit of infiltration", "units of infiltration"],
    );
}

#[test]
fn a_study_reads_units_like_a_run_and_reports_assumptions() {
    let workshop = Workshop::new();
    workshop.raster("cm.tif", &Raster::new(12, 8, |_, _| 50.0).unit("cm"));
    workshop.raster("bare.tif", &Raster::new(12, 8, |_, _| 0.5));
    workshop.file("scenario.toml", "dem = 'dem.tif'\nduration = '1min'\n");
    workshop.file(
        "study.toml",
        "base = 'scenario.toml'\n[matrix]\ninitial_depth = ['cm.tif', 'bare.tif']\n",
    );
    let ran = workshop.inundate("study study.toml").done();
    ran.says(&[
        "assumed: run 'initial_depth-bare'",
        "bare.tif' declares no unit; its values are taken as depth in m",
    ]);
    for name in workshop.names("study/runs") {
        let volume = workshop.volume(&format!("study/runs/{name}"), "initial_m3");
        assert!((volume / 4800.0 - 1.0).abs() < 1e-6, "{name}: {volume} m³");
    }
}

#[test]
fn compare_converts_maps_points_and_series() {
    let workshop = Workshop::empty();
    let compared = |arguments: &[&str]| {
        workshop.inundate(&[&["compare", "--json"], arguments].concat()).done().json()
    };
    workshop.raster("metres.tif", &Raster::new(4, 3, |column, _| column as f64).unit("m"));
    workshop.raster("feet.tif", &Raster::new(4, 3, |column, _| column as f64 / FOOT).unit("ft"));
    let maps = compared(&["metres.tif", "--with", "feet.tif"]);
    assert!(maps["thresholds"][0]["wet_in_either"]["rmse"].as_f64().unwrap() < 1e-6, "{maps}");
    workshop.raster("flow.tif", &Raster::new(4, 3, |_, _| 1.0).unit("m3/s"));
    workshop.refuses("compare metres.tif --with flow.tif", &["'m3/s' is not a unit of depth"]);
    let place = format!("{},{}", CORNER.0 + 25.0, CORNER.1 - 15.0);
    let points = |header: &str, value: f64| {
        workshop.file("points.csv", format!("name,x,y,{header}\nbridge,{place},{value}\n"));
    };
    points("depth [ft]", 2.0 / FOOT);
    let observed = compared(&["metres.tif", "--with", "points.csv"]);
    assert!(observed["errors"]["rmse"].as_f64().unwrap() < 1e-6, "{observed}");
    points("depth", 2.0);
    workshop
        .inundate("compare metres.tif --with points.csv")
        .done()
        .says(&["'depth' of 'points.csv' declares no unit; taken in m"]);
    workshop.file("si.csv", "time [h],flow [m3/s]\n0,1\n1,3\n2,2\n");
    let cfs = [1.0, 3.0, 2.0].map(|flow| flow / (FOOT * FOOT * FOOT));
    workshop.file(
        "cfs.csv",
        format!("time [h],flow [cfs]\n0,{}\n1,{}\n2,{}\n", cfs[0], cfs[1], cfs[2]),
    );
    let series = compared(&["--series", "si.csv", "--with", "cfs.csv"]);
    assert!(series["errors"]["rmse"].as_f64().unwrap() < 1e-6, "{series}");
    workshop.file("bare.csv", "time [h],flow\n0,1\n1,3\n2,2\n");
    for (with, warning) in [
        (["si.csv", "bare.csv"], "with: column 'flow' declares no unit; taken in m3/s"),
        (["bare.csv", "si.csv"], "series: column 'flow' declares no unit; taken in m3/s"),
    ] {
        let series = compared(&["--series", with[0], "--with", with[1]]);
        assert_eq!(series["warnings"], serde_json::json!([warning]));
    }
    workshop.file("mm.csv", "time [h],flow [mm]\n0,1\n1,3\n2,2\n");
    workshop.refuses("compare --series si.csv --with mm.csv", &["units of one quantity"]);
}

#[test]
fn rivers_drawn_in_feet_have_beds_in_feet() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |_, _| 6.0).epsg(26918));
    let bed = 12.0;
    let line = format!(
        "{{\"type\":\"LineString\",\"coordinates\":[[500005,4999955,{bed}],[500115,4999955,{bed}]]}}"
    );
    let feature = format!(
        "{{\"type\":\"Feature\",\"properties\":{{\"width\":\"15 m\"}},\"geometry\":{line}}}"
    );
    let collection = |crs: &str| {
        format!("{{\"type\":\"FeatureCollection\",\"name\":\"r\",{crs}\"features\":[{feature}]}}")
    };
    workshop.file("r.geojson", collection("\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::26918\"}},"));
    let run = |crs: &str| {
        let convert = format!("ogr2ogr -overwrite -a_srs {crs} rivers.gpkg r.geojson");
        workshop.shell(&convert).done();
        let ran = workshop
            .inundate(
                "check --dem dem.tif --duration 1min --rain '9 mm/h' --rivers rivers.gpkg --json",
            )
            .done();
        let found = ran.json();
        found["bed_range_m"][0].as_f64().unwrap()
    };
    // 12 m is above the ground, 12 ft below it.
    assert_eq!(run("EPSG:26918+5703"), 6.0);
    assert!((run("EPSG:26918+6360") - bed * 1200.0 / 3937.0).abs() < 1e-3);
    assert!((run("EPSG:26918+8228") - bed * FOOT).abs() < 1e-3);
    assert_eq!(run("EPSG:26918+5715"), -bed, "depths below the mean sea level");
}
