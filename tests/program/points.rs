//! Many points: their values compared with the maps, damage compared with a published table
//! evaluated by hand, and invalid input. That they do not depend on tiles, ranks and interruptions
//! is tested in `checkpoints` and `ranks`, whose flood has points.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop, pixels};
use gdal::Dataset;
use gdal::vector::LayerAccess;
use gdal::vector::OGRFieldType::{OFTInteger64, OFTReal, OFTString};
use std::collections::BTreeMap;

const NODATA: f32 = -9999.0;

/// Layers that are recorded at points.
const LAYERS: [(&str, &str); 6] = [
    ("max_depth", "max_depth [m]"),
    ("max_level", "max_level [m]"),
    ("max_velocity", "max_velocity [m/s]"),
    ("max_hazard", "max_hazard"),
    ("arrival_time", "arrival_time [h]"),
    ("duration", "duration [h]"),
];

/// Huizinga, de Moel & Szewczyk (2017), Global flood depth-damage functions, JRC105688, table of
/// residential buildings in Europe; and an invented curve of amounts.
const JRC: &str = "# JRC105688\nclass,depth [m],fraction\nresidential,0,0\nresidential,0.5,0.25\nresidential,1,0.40\n\
    residential,1.5,0.50\nresidential,2,0.60\nresidential,3,0.75\nresidential,4,0.85\nresidential,5,0.95\nresidential,6,1\n";

fn value(row: &BTreeMap<String, String>, column: &str) -> Option<f64> {
    let text = row.get(column).unwrap_or_else(|| panic!("no column '{column}' in {row:?}"));
    (!text.is_empty()).then(|| text.parse().unwrap())
}

#[track_caller]
fn near(value: Option<f64>, expected: f64, within: f64) {
    let value = value.expect("a value");
    assert!((value - expected).abs() <= within, "{value} is not {expected}");
}

/// Returns a layer's maximum over some cells, or its minimum for arrivals.
fn of_cells(map: &[f32], key: &str, cells: &[usize]) -> Option<f32> {
    let values = cells.iter().map(|cell| map[*cell]).filter(|value| *value != NODATA);
    match key {
        "arrival_time" => values.reduce(f32::min),
        _ => values.reduce(f32::max),
    }
}

/// Creates rain on a slope, with a hole in the DEM, and features on it.
fn slope() -> Workshop {
    let dem = Raster::terrain(30, 20).with(7, 7, -9999.0);
    let workshop = Workshop::with_dem(&dem);
    Shapes::new(&[("Name", OFTString), ("number", OFTInteger64), ("max_depth_m", OFTReal)])
        .with("POINT (12.5 4.5)", &[text("a, b"), number(3.0), number(9.0)])
        .with("POLYGON ((20 10, 24 10, 24 13, 20 13, 20 10))", &[None, None, None])
        .with("POINT (7.5 7.5)", &[text("=hole"), None, None])
        .with("POINT (-5 3)", &[text("outside"), None, None])
        .with("POLYGON ((28 17, 33 17, 33 25, 28 17))", &[text("partly"), None, None])
        .write(&workshop, "things.gpkg");
    workshop
}

const RAIN: [&str; 8] = [
    "--rain",
    "60 mm/h",
    "--duration",
    "20min",
    "--arrival-depth",
    "1 mm",
    "--points",
    "things.gpkg",
];

#[test]
fn point_values_match_the_maps() {
    let workshop = slope();
    let keys = LAYERS.map(|(key, _)| key).join(",");
    let ran = workshop.run(&[&RAIN[..], &["--layers", &keys, "--hazard-depth", "1 mm"]].concat());
    ran.done().says(&[
        "warning: points: 2 of 5 features are outside the DEM or on its NoData cells and have no values: 3, 4",
        "points: 1 feature extends beyond the DEM",
        "points: the field 'max_depth_m' is not kept",
    ]);
    let rows = workshop.rows("results/points.csv");
    let cell = |column: usize, row: usize| row * 30 + column;
    let rectangle: Vec<usize> =
        (10..13).flat_map(|row| (20..24).map(move |column| cell(column, row))).collect();
    for (key, column) in LAYERS {
        let map = pixels(workshop.path(&format!("results/{key}.tif")));
        for (row, cells) in rows.iter().zip([&[cell(12, 4)][..], &rectangle, &[], &[]]) {
            let expected = of_cells(&map, key, cells);
            assert_eq!(value(row, column).map(|value| value as f32), expected, "{key}");
        }
        assert!(value(&rows[1], column).unwrap() > 0.0, "{key} is always 0");
        assert!(value(&rows[4], column).is_some(), "{key}: what lies within counts");
    }
    assert_eq!(
        rows.iter().map(|row| &row["fid"][..]).collect::<Vec<_>>(),
        ["1", "2", "3", "4", "5"]
    );
    assert_eq!((&rows[0]["Name"][..], &rows[0]["number"][..]), ("a, b", "3"));
    assert_eq!(rows[2]["Name"], "'=hole", "no spreadsheet takes it for a formula");
    assert_eq!(rows[0].len(), 9, "fid, two fields and six layers: {:?}", rows[0].keys());
    let reported = &workshop.report("results")["points"];
    let counts = ["features", "placed", "flooded"].map(|key| reported[key].as_u64().unwrap());
    assert_eq!(counts, [5, 3, 3]);
    // The layer has the same values, with unchanged geometries and fields.
    let file = Dataset::open(workshop.path("results/points.gpkg")).unwrap();
    let mut layer = file.layer_by_name("points").unwrap();
    assert!(layer.spatial_ref().unwrap().name().unwrap().contains("UTM zone 33N"));
    let mut count = 0;
    for (feature, row) in layer.features().zip(&rows) {
        count += 1;
        assert_eq!(feature.fid().unwrap().to_string(), row["fid"]);
        let at = feature.field_index("max_velocity_m_s").unwrap();
        assert_eq!(feature.field_as_double(at).unwrap(), value(row, "max_velocity [m/s]"));
        if count == 1 {
            let (x, y, _) = feature.geometry().unwrap().get_point(0);
            assert_eq!((x, y), (CORNER.0 + 125.0, CORNER.1 - 45.0));
            let at = feature.field_index("Name").unwrap();
            assert_eq!(feature.field_as_string(at).unwrap().unwrap(), "a, b");
        }
    }
    assert_eq!(count, 5);
    let project = workshop.text("results/project.qgs");
    assert!(project.contains("./points.gpkg|layername=points"), "QGIS shows them");
    // For any selection of maps, and any way to compute them.
    let other = ["--hazard-depth", "1 mm", "--tile", "7x4", "--threads", "3", "--out", "other"];
    workshop.run(&[&RAIN[..], &other].concat()).done();
    for name in ["points.csv", "points.gpkg"] {
        let file = |folder: &str| std::fs::read(workshop.path(folder).join(name)).unwrap();
        assert!(file("results") == file("other"), "{name}");
    }
    assert!(!workshop.path("other/max_hazard.tif").exists());
}

#[test]
fn further_layers_and_automata_have_the_columns_that_apply() {
    let workshop = slope();
    let more = "max_depth,max_aidr,max_unit_discharge,time_of_max";
    workshop.run(&[&RAIN[..], &["--layers", more]].concat()).done();
    let row = &workshop.rows("results/points.csv")[0];
    let map = pixels(workshop.path("results/max_unit_discharge.tif"));
    assert_eq!(value(row, "max_unit_discharge [m²/s]").unwrap() as f32, map[4 * 30 + 12]);
    assert!(row.contains_key("max_aidr") && !row.keys().any(|name| name.contains("time_of_max")));
    let steps = ["--rain", "1 mm/step", "--steps", "30", "--points", "things.gpkg", "--overwrite"];
    workshop.run(&steps).done();
    let row = &workshop.rows("results/points.csv")[0];
    assert!(value(row, "arrival_time [steps]").is_some() || value(row, "max_depth [m]").is_some());
    assert!(!row.keys().any(|name| name.contains("velocity") || name.contains("hazard")));
}

/// With subgrid tables, points have the values of the pixel maps, whatever the grid of the run's
/// maps.
#[test]
fn points_use_pixels_on_subgrid_cells() {
    let workshop = slope();
    let keys = LAYERS.map(|(key, _)| key).join(",");
    let subgrid = ["--subgrid", "4", "--initial-depth", "0.3 m", "--layers", &keys];
    workshop.run(&[&RAIN[..], &subgrid].concat()).done();
    workshop
        .run(&[&RAIN[..], &subgrid[..4], &["--output-grid", "coarse", "--out", "coarse"]].concat())
        .done();
    let rows = workshop.rows("results/points.csv");
    for (key, column) in LAYERS {
        let map = pixels(workshop.path(&format!("results/{key}.tif")));
        let rectangle: Vec<usize> =
            (10..13).flat_map(|row| (20..24).map(move |column| row * 30 + column)).collect();
        for (row, cells) in rows.iter().zip([&[4 * 30 + 12][..], &rectangle]) {
            let expected = of_cells(&map, key, cells);
            assert_eq!(value(row, column).map(|value| value as f32), expected, "{key}");
        }
        // There is water from the start.
        let least = if key == "arrival_time" { -1.0 } else { 0.0 };
        assert!(value(&rows[1], column).unwrap() > least, "{key} is always 0");
    }
    let file = |folder: &str| std::fs::read(workshop.path(folder).join("points.csv")).unwrap();
    assert!(file("results") == file("coarse"));
}

/// Water beside a house counts, not water on its roof, whether it is raised or blocked.
#[test]
fn houses_get_the_water_beside_them() {
    let workshop = Workshop::with_dem(&Raster::new(20, 12, |_, row| 10.0 - 0.1 * row as f64));
    workshop.layer(
        "houses.gpkg",
        "name",
        &[("POLYGON ((5 4, 9 4, 9 7, 5 7, 5 4))", "house"), ("POINT (6.5 5.5)", "its door bell")],
    );
    workshop.layer("walls.gpkg", "name", &[("POLYGON ((5 4, 9 4, 9 7, 5 7, 5 4))", "house")]);
    let lake = ["--initial-level", "10 m", "--duration", "1min", "--points", "houses.gpkg"];
    for (number, height) in ["5 m", "block"].into_iter().enumerate() {
        let house = ["--buildings", "walls.gpkg", "--building-height", height];
        let out = ["--out", ["raised", "blocked"][number], "--roughness", "0.05"];
        let ran = workshop.run(&[&lake[..], &house, &out].concat()).done();
        ran.says(&["points: 2 features are on buildings"]);
        let rows = workshop.rows(&format!("{}/points.csv", ["raised", "blocked"][number]));
        // The row south of it is 0.7 m deep; it is two cells from the bell, and so is shallower
        // ground to the north and west.
        near(value(&rows[0], "max_depth [m]"), 0.7, 1e-4);
        near(value(&rows[1], "max_depth [m]"), 0.7, 1e-4);
    }
}

/// Creates a lake at rest over steps in the ground: cells of known depths.
fn lake() -> Workshop {
    let depths = [0.0, 0.05, 0.5, 1.1, 2.75, 6.0, 9.0];
    let dem = Raster::new(7, 3, |column, _| if column == 0 { 20.0 } else { 16.0 - depths[column] });
    let workshop = Workshop::with_dem(&dem);
    workshop.file("jrc.csv", JRC);
    let fields = [("class", OFTString), ("value", OFTReal)];
    let mut houses = Shapes::new(&fields);
    for column in 0..7 {
        let point = format!("POINT ({}.5 1.5)", column);
        houses = houses.with(&point, &[text("Residential"), number(200_000.0)]);
    }
    houses.write(&workshop, "houses.gpkg");
    workshop
}

const STILL: [&str; 4] = ["--initial-level", "16 m", "--duration", "10s"];

#[test]
fn damage_follows_the_published_curve_computed_by_hand() {
    let workshop = lake();
    let damage = ["--points", "houses.gpkg", "--damage-curves", "jrc.csv"];
    let ran = workshop.run(&[&STILL[..], &damage].concat()).done();
    ran.never_says("warning: points");
    let rows = workshop.rows("results/points.csv");
    // 0.05 m: a tenth of 0.25. 1.1 m: 0.40 + 0.2 · 0.10. 2.75 m: 0.60 + 0.75 · 0.15. 9 m:
    // everything.
    let shares = [0.0, 0.025, 0.25, 0.42, 0.7125, 1.0, 1.0];
    for (row, share) in rows.iter().zip(shares) {
        near(value(row, "damage_share"), share, 2e-4);
        near(value(row, "damage"), 200_000.0 * share, 40.0);
    }
    assert_eq!(value(&rows[0], "damage"), Some(0.0), "a dry house has no damage");
    let reported = &workshop.report("results")["points"]["damage"];
    near(reported["total"].as_f64(), 200_000.0 * shares.iter().sum::<f64>(), 100.0);
    assert_eq!((reported["features"].as_u64(), reported["damaged"].as_u64()), (Some(7), Some(6)));
    let page = workshop.text("results/report.html");
    assert!(page.contains("damage at 7 points"), "the page has the total");
    // The same curve in feet, and without a unit.
    let curves = workshop.text("jrc.csv");
    let total = |name: &str, text: &str| {
        workshop.file(name, text);
        let damage = ["--points", "houses.gpkg", "--damage-curves", name, "--overwrite"];
        workshop.run(&[&STILL[..], &damage].concat()).done();
        let report = workshop.report("results");
        (report["points"]["damage"]["total"].as_f64().unwrap(), report["assumed"].to_string())
    };
    let lines = curves.lines().skip(1).map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [class, depth, share] => match depth.parse::<f64>() {
            Ok(metres) => format!("{class},{},{share}\n", metres / 0.3048),
            Err(_) => format!("{class},depth [ft],{share}\n"),
        },
        _ => unreachable!("three columns"),
    });
    let (in_feet, assumed) = total("feet.csv", &lines.collect::<String>());
    near(Some(in_feet), reported["total"].as_f64().unwrap(), 1.0);
    assert!(!assumed.contains("feet.csv"), "{assumed}");
    let (bare, assumed) = total("bare.csv", &curves.replace("depth [m]", "depth"));
    near(Some(bare), reported["total"].as_f64().unwrap(), 1.0);
    let what = "'bare.csv' declares no unit for depth; numbers are taken in m";
    assert!(assumed.contains(what), "{assumed}");
    // And in percent.
    let lines = curves.lines().skip(1).map(|line| match line.rsplit_once(',') {
        Some((start, "fraction")) => format!("{start},fraction [%]\n"),
        Some((start, share)) => format!("{start},{}\n", 100.0 * share.parse::<f64>().unwrap()),
        None => unreachable!("three columns"),
    });
    let (percent, _) = total("percent.csv", &lines.collect::<String>());
    near(Some(percent), reported["total"].as_f64().unwrap(), 1.0);
    // Without values there are only shares; with areas, amounts per m².
    Shapes::texts("use")
        .with("POLYGON ((3 0, 4 0, 4 2, 3 2, 3 0))", &[text("maize")])
        .with("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))", &[text("barn")])
        .with("POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))", &[None])
        .write(&workshop, "fields.geojson");
    workshop.file("fields.csv", "class,depth,per_m2\nmaize,0.1,0.02\nmaize,2.1,0.06\n");
    let fields =
        ["--points", "fields.geojson", "--damage-curves", "fields.csv", "--damage-field", "USE"];
    let ran = workshop.run(&[&STILL[..], &fields, &["--out", "fields"]].concat()).done();
    ran.says(&["points: 2 features have no damage curve and so no damage; classes: empty, 'barn'"]);
    let rows = workshop.rows("fields/points.csv");
    // 1.1 m deep: 0.04 of each of 200 m², drawn in degrees.
    near(value(&rows[0], "damage"), 8.0, 0.02);
    assert_eq!((value(&rows[1], "damage"), value(&rows[2], "damage")), (None, None));
    assert!(!rows[0].contains_key("damage_share"));
    let one = ["--points", "fields.geojson", "--damage-curves", "jrc.csv", "--out", "shares"];
    let ran = workshop.run(&[&STILL[..], &one].concat()).done();
    ran.says(&["all features have the damage curve 'residential'", "there is no field 'value'"]);
    let rows = workshop.rows("shares/points.csv");
    near(value(&rows[0], "damage_share"), 0.42, 1e-4);
    assert!(!rows[0].contains_key("damage"));
    assert!(workshop.report("shares")["points"]["damage"]["total"].is_null());
}

#[test]
fn damage_per_area_counts_only_the_area_inside() {
    let workshop = Workshop::with_dem(&Raster::new(10, 6, |_, _| 10.0).with(4, 2, -9999.0));
    workshop.file("fields.csv", "class,depth,per_m2\nfield,0,0\nfield,1,100\n");
    let fields = [("class", OFTString), ("area", OFTReal)];
    let draw = |fields: &[_], area: &[_]| {
        let values = [&[text("field")], area].concat();
        Shapes::new(fields)
            .with("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))", &values)
            .with("POLYGON ((8 0, 90 0, 90 2, 8 2, 8 0), (9 0, 9 1, 50 1, 50 0, 9 0))", &values)
            .with("POLYGON ((3.5 1.5, 5 1.5, 5 3, 3.5 3, 3.5 1.5))", &values)
            .with("POLYGON ((6 3, 8 3, 8 5, 6 5, 6 3))", &values)
            .write(&workshop, "fields.gpkg");
    };
    let damages = |more: &[&str], says: &str| {
        let still = ["--initial-depth", "1 m", "--duration", "10s", "--overwrite"];
        let curves = ["--points", "fields.gpkg", "--damage-curves", "fields.csv"];
        workshop.run(&[&still[..], &curves, more].concat()).done().says(&[says]);
        let rows = workshop.rows("results/points.csv");
        rows.iter().map(|row| value(row, "damage").unwrap()).collect::<Vec<_>>()
    };
    // The second has three of its cells inside, the third surrounds a NoData cell.
    draw(&fields[..1], &[]);
    let warning = "points: 2 features extend beyond the DEM or onto its NoData cells; only the part inside counts";
    for (found, area) in damages(&[], warning).into_iter().zip([100.0, 300.0, 125.0, 400.0]) {
        near(Some(found), 100.0 * area, 0.01 * area);
    }
    // Water beside a building that blocks its cells damages all of it.
    Shapes::texts("name")
        .with("POLYGON ((6 3, 8 3, 8 5, 6 5, 6 3))", &[None])
        .write(&workshop, "house.gpkg");
    let blocked = ["--buildings", "house.gpkg", "--building-height", "block"];
    near(Some(damages(&blocked, warning)[3]), 40_000.0, 4.0);
    for (name, area) in [("area [ha]", 0.005), ("area_ha", 0.005), ("area (m²)", 50.0)] {
        draw(&[fields[0], (name, OFTReal)], &[number(area)]);
        near(Some(damages(&[], "the field 'area' counts as a whole")[0]), 5000.0, 1.0);
    }
    draw(&[fields[0], ("area_rod", OFTReal)], &[number(50.0)]);
    near(Some(damages(&[], "the field 'area_rod' is not read")[0]), 10_000.0, 1.0);
    draw(&fields, &[number(50.0)]);
    for found in damages(&[], "only the part inside counts, but the field 'area' counts as a whole")
    {
        near(Some(found), 5000.0, 1.0);
    }
    // Amounts per other areas, and names of the run's own columns.
    workshop.file("fields.csv", "class,depth,per_m2 [EUR/ha]\nfield,0,0\nfield,1,100\n");
    draw(&[fields[0], ("max_depth [m]", OFTReal)], &[number(9.0)]);
    let of_own = damages(&[], "the field 'max_depth [m]' is not kept");
    near(Some(of_own[0]), 1.0, 0.01);
    assert!(
        workshop.text("results/points.csv").lines().next().unwrap().matches("max_depth").count()
            == 1
    );
}

#[test]
fn invalid_polygons_are_repaired() {
    let workshop = Workshop::with_dem(&Raster::new(10, 6, |_, _| 10.0));
    workshop.file("fields.csv", "class,depth,per_m2\nfield,0,0\nfield,1,100\n");
    let square = "(1 1, 3 1, 3 3, 1 3, 1 1)";
    let shapes = [
        ("POLYGON ((1 1, 3 3, 3 1, 1 3, 1 1))".into(), 200.0),
        // A hole outside its shell is a part of its own.
        (format!("POLYGON ({square}, (5 1, 6 1, 6 2, 5 2, 5 1))"), 500.0),
        (format!("MULTIPOLYGON (({square}), ({square}))"), 400.0),
        ("POLYGON ((1 1, 3 1, 3 3, 1 3, 1 1, 3 1, 3 3, 1 3, 1 1))".into(), 400.0),
        (format!("POLYGON ({square})"), 400.0),
    ];
    let mut fields = Shapes::texts("class");
    for (wkt, _) in &shapes {
        fields = fields.with(wkt, &[text("field")]);
    }
    fields.write(&workshop, "fields.gpkg");
    let run = ["--initial-depth", "1 m", "--duration", "10s"];
    let curves = ["--points", "fields.gpkg", "--damage-curves", "fields.csv"];
    workshop.run(&[&run[..], &curves].concat()).done().says(&[
        "points: 'fields.gpkg' has 4 invalid polygons (features 1, 2, 3, 4); areas and cells are of the repaired polygons",
    ]);
    let rows = workshop.rows("results/points.csv");
    assert_eq!(rows.len(), shapes.len());
    for (row, (wkt, area)) in rows.iter().zip(&shapes) {
        let damage = value(row, "damage").unwrap();
        assert!((damage / (100.0 * area) - 1.0).abs() < 1e-3, "{wkt}: {damage}");
    }
}

#[test]
fn refuses_invalid_points_and_curves() {
    let workshop = lake();
    let refuse = |arguments: &[&str], parts: &[&str]| {
        workshop.refuses(&[&["run", "--dem", "dem.tif"], &STILL[..], arguments].concat(), parts);
    };
    Shapes::texts("name").with("LINESTRING (0 0, 3 2)", &[None]).write(&workshop, "lines.gpkg");
    Shapes::texts("name").write(&workshop, "none.gpkg");
    Shapes::texts("name").with("POINT (90 90)", &[None]).write(&workshop, "far.gpkg");
    workshop.layer("sheds.gpkg", "class", &[("POINT (1 1)", "shed")]);
    Shapes::new(&[("class", OFTString), ("value", OFTString)])
        .with("POINT (1 1)", &[text("residential"), text("much")])
        .write(&workshop, "much.gpkg");
    refuse(&["--points", "gone.gpkg"], &["points: 'gone.gpkg': cannot open it"]);
    workshop.file("per.csv", "class,depth [m],per_m2 [ha]\nshed,0,0\nshed,1,100\n");
    refuse(
        &["--points", "sheds.gpkg", "--damage-curves", "per.csv"],
        &["'ha' is not an amount per area", "per_m2 [EUR/ha]"],
    );
    Shapes::new(&[("class", OFTString), ("value [EUR/m2]", OFTReal)])
        .with("POINT (1 1)", &[text("residential"), number(1000.0)])
        .write(&workshop, "dear.gpkg");
    refuse(
        &["--points", "dear.gpkg", "--damage-curves", "jrc.csv"],
        &["its field 'value [EUR/m2]' is not of whole values"],
    );
    refuse(&["--points", "lines.gpkg"], &["feature 1 is neither point nor polygon", "LINESTRING"]);
    refuse(&["--points", "none.gpkg"], &["points: 'none.gpkg': the layer has no features"]);
    refuse(&["--points", "far.gpkg"], &["none of its 1 features is on the DEM", "the DEM covers"]);
    refuse(&["--damage-curves", "jrc.csv"], &["damage_curves: has no effect without points"]);
    refuse(
        &["--points", "houses.gpkg", "--damage-field", "class"],
        &["damage_field: has no effect without damage curves"],
    );
    let with = |points: &str, parts: &[&str]| {
        refuse(
            &["--points", points, "--damage-curves", "jrc.csv", "--damage-field", "class"],
            parts,
        );
    };
    with("far.gpkg", &["it has no field 'class'; its fields: name", "--damage-field use"]);
    with(
        "sheds.gpkg",
        &["no feature has a class with a damage curve; their classes: 'shed'", "residential"],
    );
    with("much.gpkg", &["feature 1: its value 'much' is not a number"]);
    let head = "class,depth [m],fraction\n";
    for (lines, says) in [
        ("class,depth [m],damage\nhome,0,0\n", "line 1: there is no column 'fraction' or 'per_m2'"),
        ("class,depth [m2],fraction\nhome,0,0\n", "'m2' is not a unit of depth"),
        ("class,depth,fraction [m]\nhome,0,0\n", "'m' is not a unit of 'fraction'"),
        ("class,depth,fraction,per_m2\nhome,0,0,0\n", "'fraction' and 'per_m2' exclude each other"),
        ("depth,fraction\n0,0\n", "there is no column 'class'"),
        ("class,depth,fraction,fraction\nhome,0,0,0\n", "the column 'fraction' appears twice"),
        ("class,depth,per_m2\nhome,0,0\nhome,1,1e308\n", "is not from 0 to 1e30"),
        (
            "home,0,0\nhome,1,0.5\nhome,0.5,0.6\n",
            "line 4: 'home': the depth 0.5 m does not exceed the depth before it, 1 m",
        ),
        (
            "home,0,0\nhome,1,0.5\nhome,2,0.4\n",
            "line 4: 'home': the damage falls from 0.5 to 0.4 at 2 m",
        ),
        ("home,0,0\nhome,1,50\n", "line 3: a fraction of 50 is not from 0 to 1"),
        ("home,-1,0\nhome,1,0.5\n", "line 2: a depth of -1 m is below 0"),
        ("home,0,x\nhome,1,0.5\n", "'x' in column 'fraction' is not a number"),
        ("home,0,0.3\n", "'home' has only one depth"),
        (",0,0.3\n,1,0.4\n", "line 2: the class is empty"),
    ] {
        let head = if lines.starts_with(['c', 'd']) { "" } else { head };
        workshop.file("wrong.csv", format!("{head}{lines}"));
        refuse(
            &["--points", "houses.gpkg", "--damage-curves", "wrong.csv"],
            &["damage_curves: 'wrong.csv'", says],
        );
    }
    workshop.file("area.csv", "class,depth,per_m2\nresidential,0,0\nresidential,1,9\n");
    refuse(
        &["--points", "houses.gpkg", "--damage-curves", "area.csv"],
        &["feature 1 is a point, which has no area", "add a field 'area'"],
    );
    // A result that the run would replace cannot be an input.
    workshop.run(&[&STILL[..], &["--points", "houses.gpkg"]].concat()).done();
    refuse(
        &["--points", "results/points.gpkg", "--overwrite"],
        &["is an input of this run and would be replaced"],
    );
}

/// The houses of [`lake`] at three return periods, on two DEMs.
const STUDY: &str = "
[base]
points = 'houses.gpkg'
damage_curves = 'jrc.csv'
duration = '10s'
dem = 'dem.tif'
[matrix]
initial_level = [
  { value = '11 m', name = 'T2', return_period = 2 },
  { value = '13 m', name = 'T10', return_period = 10 },
  { value = '16 m', name = 'T100', return_period = 100 },
]
";

#[test]
fn a_study_has_one_table_of_all_points_and_the_expected_annual_damage() {
    let workshop = lake();
    // Levels of 11, 13 and 16 m over beds at 20, 15.95, 15.5, 14.9, 13.25, 10 and 7 m: depths of
    // the last three of 1, 3, 6 and 4, 6, 9 m.
    let depths = [[0.0, 1.0, 4.0], [0.0, 3.0, 6.0], [2.75, 6.0, 9.0]];
    let share = |depth: f64| match depth {
        0.0 => 0.0,
        1.0 => 0.40,
        2.75 => 0.7125,
        3.0 => 0.75,
        4.0 => 0.85,
        _ => 1.0,
    };
    workshop.file("study.toml", STUDY);
    let ran = workshop.inundate("study study.toml").done();
    ran.says(&[
        "the expected annual damage is too low: events more frequent than once in 2 years count without damage",
    ]);
    let rows = workshop.rows("study/points.csv");
    assert_eq!(rows.len(), 21);
    for (number, run) in ["T2", "T10", "T100"].into_iter().enumerate() {
        for (at, row) in rows[number * 7..][..7].iter().enumerate() {
            assert_eq!((&row["name"][..], &row["weight"][..]), (run, "1"));
            assert_eq!(row["fid"], (at + 1).to_string());
            if at > 3 {
                near(value(row, "max_depth [m]"), depths[number][at - 4], 1e-4);
                near(value(row, "damage"), 200_000.0 * share(depths[number][at - 4]), 40.0);
            }
            let own = workshop.rows(&format!("study/runs/{run}/points.csv"));
            assert_eq!(row["max_depth [m]"], own[at]["max_depth [m]"]);
        }
    }
    assert_eq!(rows[20]["return_period"], "100");
    // (D2 + D10)/2 · (1/2 − 1/10) + (D10 + D100)/2 · (1/10 − 1/100) + D100 · 1/100.
    let expected = |at: usize| {
        let damage = depths.map(|depths| 200_000.0 * share(depths[at]));
        (damage[0] + damage[1]) / 2.0 * 0.4
            + (damage[1] + damage[2]) / 2.0 * 0.09
            + damage[2] * 0.01
    };
    // The house in a cell at 10 m: 0.2 · 80 000 + 0.2 · 150 000 + 0.045 · 350 000 + 0.01 · 200 000.
    assert!((expected(1) - 63_750.0).abs() < 1e-6);
    let rows = workshop.rows("study/expected_damage.csv");
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[0]["expected_annual_damage"], "0");
    for at in 0..3 {
        near(value(&rows[4 + at], "expected_annual_damage"), expected(at), 20.0);
    }
    let report = workshop.json("study/study.json");
    let reported = &report["points"]["expected_annual_damage"][0];
    let sum = rows.iter().map(|row| value(row, "expected_annual_damage").unwrap()).sum::<f64>();
    near(reported["total"].as_f64(), sum, 1e-6);
    assert_eq!(reported["events"][2][0], 100.0);
    assert_eq!(report["runs"][1]["return_period"], 10.0);
    let page = workshop.text("study/report.html");
    assert!(page.contains("expected annual damage"));
    let runs = workshop.rows("study/runs.csv");
    near(value(&runs[0], "damage"), 200_000.0 * 1.25, 80.0);
    assert_eq!(runs[2]["return_period"], "100");
    // Results that are no longer requested are removed.
    workshop.file(
        "study.toml",
        STUDY.replace("points = 'houses.gpkg'\ndamage_curves = 'jrc.csv'\n", ""),
    );
    workshop.inundate("study study.toml").done().never_says("expected annual damage");
    let names = workshop.names("study");
    assert!(
        !names.iter().any(|name| name == "points.csv" || name == "expected_damage.csv"),
        "{names:?}"
    );
}

#[test]
fn variants_have_their_own_expected_damage_and_weights_are_averaged() {
    let workshop = lake();
    let dem = Raster::new(7, 3, |column, _| if column == 0 { 20.0 } else { 15.0 });
    workshop.raster("raised.tif", &dem);
    let more = "dem = ['dem.tif', 'raised.tif']\nroughness = [{ value = 0.03, weight = 3 }, { value = 0.05, weight = 1 }]\n";
    workshop.file("study.toml", format!("{}{more}", STUDY.replace("dem = 'dem.tif'\n", "")));
    workshop.inundate("study study.toml").done();
    let rows = workshop.rows("study/expected_damage.csv");
    assert_eq!(rows.len(), 14);
    let of = |variant: &str, fid: &str| {
        let row = rows.iter().find(|row| row["variant"] == variant && row["fid"] == fid);
        value(row.expect("a row"), "expected_annual_damage")
    };
    near(of("dem-dem", "6"), 63_750.0, 20.0);
    // 1 m deep once in 100 years: 80 000 · (0.09 / 2 + 0.01).
    near(of("dem-raised", "6"), 4400.0, 5.0);
    assert_eq!(workshop.rows("study/points.csv").len(), 12 * 7);
    // A failed run leaves its variant without a value, with a message.
    std::fs::remove_dir_all(workshop.path("study/runs/T10_dem-raised_roughness-0.03")).unwrap();
    let ran = workshop.inundate("study study.toml --collect").done();
    ran.says(&["there is no expected annual damage of 'dem-raised': run 'T10_dem-raised_roughness-0.03' has no damage"]);
    assert_eq!(workshop.rows("study/expected_damage.csv").len(), 7);
}

#[test]
fn refuses_invalid_return_periods() {
    let workshop = lake();
    let base = "[base]\ndem = 'dem.tif'\nduration = '10s'\n";
    for (rest, parts) in [
        (
            "[[run]]\nreturn_period = 0.5\n",
            ["the return period 0.5 is not a number of 1 or more", "in years"],
        ),
        (
            "[[run]]\nreturn_period = 'T10'\n",
            ["the return period \"T10\" is not a number", "return_period = 100"],
        ),
        (
            "[[run]]\nname = 'a'\nreturn_period = 5\n[[run]]\nname = 'b'\nrain = '5 mm/h'\n",
            ["run 'a' has a return period, but run 'b' has none", "or none"],
        ),
        (
            "[matrix]\nrain = [{ value = '5 mm/h', return_period = 5 }, '9 mm/h']\n",
            ["rain has a return period for only 1 of 2 values", "or none"],
        ),
        (
            "[matrix]\nrain = [{ value = '5 mm/h', return_period = 5 }]\nroughness = [{ value = 0.1, return_period = 5 }]\n",
            ["both rain and roughness have return periods", "[[run]]"],
        ),
    ] {
        workshop.file("study.toml", format!("{base}{rest}"));
        workshop.refuses("study study.toml", &parts);
    }
}

/// Heights, several parts, dates, lists and fields with our names: all are preserved, or reported.
#[test]
fn reads_layers_of_all_kinds() {
    let workshop = Workshop::new();
    let at = |x: f64, y: f64| format!("[{}, {}, 7.5]", CORNER.0 + x, CORNER.1 - y);
    let ring =
        [at(20.0, 20.0), at(40.0, 20.0), at(40.0, 40.0), at(20.0, 40.0), at(20.0, 20.0)].join(", ");
    let feature = |kind: &str, coordinates: &str, properties: &str| {
        format!(
            r#"{{"type": "Feature", "properties": {{{properties}}}, "geometry": {{"type": "{kind}", "coordinates": {coordinates}}}}}"#
        )
    };
    let properties =
        r#""fid": "k7", "built": "2021/07/14", "tags": ["a", "b"], "wet": true, "n": 3000000000"#;
    let layer = |features: &[String]| {
        format!(
            r#"{{"type": "FeatureCollection", "crs": {{"type": "name", "properties": {{"name": "urn:ogc:def:crs:EPSG::32633"}}}}, "features": [{}]}}"#,
            features.join(", ")
        )
    };
    let (point, polygon) = (at(55.0, 15.0), format!("[[{ring}]]"));
    let mixed = [
        feature("Point", &point, properties),
        feature("Polygon", &polygon, "\"built\": null"),
        feature("MultiPolygon", &format!("[{polygon}]"), ""),
        feature("MultiPoint", &format!("[{point}, {}]", at(-50.0, 5.0)), ""),
    ];
    for (name, features) in [("mixed", &mixed[..]), ("alone", &mixed[..1])] {
        workshop.file("things.geojson", layer(features));
        let rain = "--rain '60 mm/h' --duration 2min --points things.geojson";
        let ran = workshop.run(&format!("{rain} --out '{name}'")).done();
        ran.says(&["points: the field 'fid' is not kept"]);
        let rows = workshop.rows(&format!("{name}/points.csv"));
        assert_eq!((&rows[0]["built"][..], &rows[0]["n"][..]), ("2021/07/14", "3000000000"));
        assert!(rows[0]["tags"].contains('a') && rows[0]["tags"].contains('b'));
        assert!(rows.iter().all(|row| value(row, "max_depth [m]").unwrap() > 0.0));
        let file = Dataset::open(workshop.path(&format!("{name}/points.gpkg"))).unwrap();
        let mut layer = file.layer_by_name("points").unwrap();
        let heights: Vec<f64> = layer
            .features()
            .take(1)
            .map(|feature| feature.geometry().unwrap().get_point(0).2)
            .collect();
        assert_eq!(heights, [7.5]);
    }
    let shapes = Shapes::texts("name").with("POLYGON ((2 2, 4 2, 4 4, 2 4, 2 2))", &[text("x")]);
    shapes.write(&workshop, "shapes.shp");
    let rain = "--rain '60 mm/h' --duration 2min --points shapes.shp";
    workshop.run(rain).done().never_says("warning: points");
}

/// Returns a GeoJSON layer of features, given as text, in UTM 33N.
fn geojson(features: &[String]) -> String {
    let crs = r#"{"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}"#;
    let features = features.join(",");
    format!(r#"{{"type": "FeatureCollection", "crs": {crs}, "features": [{features}]}}"#)
}

/// Returns a feature on the lake, with an id and properties as text.
fn house(id: usize, properties: &str) -> String {
    let place = r#"{"type": "Point", "coordinates": [500025, 4999985]}"#;
    format!(
        r#"{{"type": "Feature", "id": {id}, "geometry": {place}, "properties": {{{properties}}}}}"#
    )
}

#[test]
fn refuses_points_that_no_geopackage_can_hold_before_the_run() {
    let workshop = lake();
    let many: Vec<String> = (0..1990).map(|at| format!("\"f{at}\": 1")).collect();
    for (features, part) in [
        (vec![house(7, "\"a\": 1"), house(7, "\"a\": 2")], "two features have the id 7"),
        (
            vec![house(1, "\"Name\": 1, \"name\": 2")],
            "the fields 'Name' and 'name' differ only in case",
        ),
        (vec![house(1, &many.join(","))], "too many columns"),
    ] {
        workshop.file("odd.geojson", geojson(&features));
        let arguments = [&["run", "--dem", "dem.tif"], &STILL[..], &["--points", "odd.geojson"]];
        let parts = ["points: 'odd.geojson': points.gpkg cannot hold it: ", part, "hint: "];
        workshop.refuses(&arguments.concat(), &parts);
    }
    workshop.file("odd.geojson", geojson(&[house(1, "\"a\": 1"), house(2, "\"a\": 2")]));
    workshop.run(&[&STILL[..], &["--points", "odd.geojson"]].concat()).done();
}

#[test]
fn escapes_text_that_looks_like_a_formula_in_every_table() {
    let workshop = lake();
    let name = "=HYPERLINK(\"x\")";
    workshop.file(
        "gauges.csv",
        format!("name,x,y\n\"{}\",500025,4999985\n", name.replace('"', "\"\"")),
    );
    let study = STUDY.replace("name = 'T2'", "name = '-T2'");
    let study = format!("{study}title = [{{ value = '@SUM(A1)', name = 't' }}]\n");
    workshop.file("study.toml", study);
    workshop.inundate("study study.toml").done();
    let own = [&STILL[..], &["--gauges", "gauges.csv", "--points", "houses.gpkg"]].concat();
    workshop.run(&own).done();
    for file in [
        "results/gauges.csv",
        "results/points.csv",
        "study/points.csv",
        "study/runs.csv",
        "study/expected_damage.csv",
    ] {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).from_path(workshop.path(file)).unwrap();
        for record in reader.records() {
            for cell in record.unwrap().iter() {
                let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(!is_formula || cell.parse::<f64>().is_ok(), "{file}: {cell}");
            }
        }
    }
    assert_eq!(workshop.rows("study/points.csv")[0]["name"], "'-T2_t");
    assert_eq!(workshop.rows("study/runs.csv")[0]["title"], "'@SUM(A1)");
}
