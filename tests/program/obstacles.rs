//! Buildings, walls, and initial levels: cells and volumes calculated by hand, and invalid input.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop, at, pixels};
use gdal::vector::OGRFieldType::{OFTReal, OFTString};

const COLUMNS: usize = 12;
const ROWS: usize = 8;
/// Solvers, with the neighbourhoods of their flow.
const SOLVERS: [&[&str]; 3] =
    [&[], &["--step", "10s"], &["--step", "10s", "--neighbourhood", "moore"]];

/// Creates flat ground at 10 m: 12 × 8 cells of 10 m.
fn flat() -> Workshop {
    Workshop::with_dem(&Raster::new(COLUMNS, ROWS, |_, _| 10.0))
}

fn depths(workshop: &Workshop) -> Vec<f32> {
    pixels(workshop.path("results/depth.tif"))
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-3 * expected.max(1.0), "{found}, not {expected}");
}

#[test]
fn a_building_keeps_the_flood_out_and_sheds_its_rain() {
    for (buildings, note) in [
        (Shapes::new(&[]), "2 buildings of 'b.gpkg' raise 7 cells by 10.00 m"),
        (
            Shapes::new(&[("height", OFTReal)]),
            "2 buildings of 'b.gpkg' raise 7 cells by 4.00 to 10.00 m",
        ),
    ] {
        let workshop = flat();
        let has_heights = note.contains("4.00");
        let value = |height: Option<f64>| match has_heights {
            true => vec![height.and_then(number)],
            false => Vec::new(),
        };
        buildings
            .with("POLYGON ((2 2, 5 2, 5 4, 2 4, 2 2))", &value(Some(4.0)))
            // Smaller than a cell and off its centre: still a building.
            .with("POLYGON ((8.6 5.6, 8.9 5.6, 8.9 5.9, 8.6 5.9, 8.6 5.6))", &value(None))
            .write(&workshop, "b.gpkg");
        for solver in SOLVERS {
            let rain = ["--buildings", "b.gpkg", "--rain", "100 mm/h", "--duration", "1h"];
            let ran = workshop.run(&[&rain, solver, &["--overwrite"][..]].concat()).done();
            ran.says(&[&format!("buildings: {note}")]);
            // All of the rain is there, with hardly any on the roofs.
            near(workshop.volume("results", "rain_m3"), 0.1 * 96.0 * 100.0);
            near(workshop.volume("results", "stored_m3"), 0.1 * 96.0 * 100.0);
            let depths = depths(&workshop);
            let roof = |column: usize, row: usize| {
                ((2..5).contains(&column) && (2..4).contains(&row)) || (column, row) == (8, 5)
            };
            for (cell, depth) in depths.iter().enumerate() {
                let (column, row) = (cell % COLUMNS, cell / COLUMNS);
                assert_eq!(*depth < 0.02, roof(column, row), "{column}, {row}: {depth}");
            }
        }
    }
}

#[test]
fn roofs_take_no_water() {
    let workshop = flat();
    let roof = Shapes::new(&[]).with("POLYGON ((2 2, 5 2, 5 4, 2 4, 2 2))", &[]);
    roof.write(&workshop, "b.gpkg");
    let rain = "--buildings b.gpkg --rain '20 mm/h' --duration 1h --layers infiltration";
    let losses = "--initial-loss '2 mm' --infiltration '8 mm/h' --drainage '1 mm/h'";
    workshop.run(&format!("{rain} {losses}")).done();
    let taken = pixels(workshop.path("results/infiltration.tif"));
    for (cell, taken) in taken.into_iter().enumerate() {
        let is_roof = (2..5).contains(&(cell % COLUMNS)) && (2..4).contains(&(cell / COLUMNS));
        assert_eq!(taken == 0.0, is_roof, "{cell}: {taken} m");
    }
    near(workshop.volume("results", "initial_loss_m3"), 0.002 * 90.0 * 100.0);
    assert!(workshop.volume("results", "drainage_m3") > 0.0);
}

#[test]
fn blocked_cells_leave_the_domain() {
    let workshop = flat();
    Shapes::new(&[("height", OFTString)])
        .with("POLYGON ((2 2, 5 2, 5 4, 2 4, 2 2))", &[text("4 m")])
        // At a side of the raster, and partly outside it; another one entirely outside.
        .with("POLYGON ((10 6, 14 6, 14 9, 10 9, 10 6))", &[None])
        .with("POLYGON ((30 6, 34 6, 34 9, 30 9, 30 6))", &[None])
        .write(&workshop, "b.gpkg");
    let rain = ["--rain", "100 mm/h", "--duration", "1h", "--buildings", "b.gpkg", "--overwrite"];
    let block = [&rain[..], &["--building-height", "block"]].concat();
    for solver in SOLVERS {
        let ran = workshop.run(&[&block[..], solver].concat()).done();
        ran.says(&["2 buildings of 'b.gpkg' take 10 cells out of the domain; 1 is outside"]);
        near(workshop.volume("results", "stored_m3"), 0.1 * 86.0 * 100.0);
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], 86);
        let depths = depths(&workshop);
        assert_eq!(depths.iter().filter(|depth| **depth == -9999.0).count(), 10);
    }
    // A building that blocks a side is not a collar: the side behind it stays closed.
    let wide = flat();
    wide.layer("b.gpkg", "height", &[("POLYGON ((0 7, 12 7, 12 8, 0 8, 0 7))", "BLOCK")]);
    let open = [&rain[..], &["--open", "south"]].concat();
    wide.run(&open).done();
    assert_eq!(wide.volume("results", "outflow_m3"), 0.0);
    near(wide.volume("results", "stored_m3"), 0.1 * 84.0 * 100.0);
    // check reports the same as run, before anything is run.
    let check = [&["check", "--dem", "dem.tif"], &rain[..]].concat();
    let checked = wide.inundate(&check).done().says(&["takes 12 cells out of the domain"]);
    assert!(checked.out.contains("84 of them in the domain"), "{}", checked.out);
}

#[test]
fn suggests_the_nearest_free_cell_for_a_source_on_a_building() {
    let workshop = flat();
    Shapes::new(&[])
        .with("POLYGON ((2 2, 7 2, 7 6, 2 6, 2 2))", &[])
        .write(&workshop, "buildings.gpkg");
    // In the south-east corner of the building, one cell away from two others.
    let (column, row) = (6, 4);
    let x = CORNER.0 + 10.0 * (f64::from(column) + 0.5);
    let y = CORNER.1 - 10.0 * (f64::from(row) + 0.5);
    let beside = format!("the nearest free cell is at {},{y} (column 7, row 4)", x + 10.0);
    let flood = ["run", "--dem", "dem.tif", "--buildings", "buildings.gpkg", "--rain", "9 mm/h"];
    let flood = [&flood[..], &["--duration", "1 min", "--overwrite"]].concat();
    let block = [&flood[..], &["--building-height", "block"]].concat();
    let gauge = format!("{x},{y},bridge");
    let warned = workshop.inundate(&[&flood[..], &["--gauges", &gauge]].concat()).done();
    warned.says(&["gauges: 'bridge' is on the roof of a building", &beside]);
    workshop.refuses(
        &[&block[..], &["--gauges", &gauge]].concat(),
        &["a cell that a building blocks", &beside],
    );
    let source = format!("{x},{y},1 m3/s");
    workshop.refuses(
        &[&block[..], &["--source", &source]].concat(),
        &["a cell that a building blocks", &beside],
    );
    workshop.layer("source.gpkg", "flow", &[("POINT (6.5 4.5)", "1 m3/s")]);
    workshop.refuses(
        &[&block[..], &["--source", "source.gpkg"]].concat(),
        &["feature 1 is on cells that buildings block", &beside],
    );
}

#[test]
fn a_wall_holds_water_up_to_its_crest() {
    let fields = [("level", OFTReal), ("height", OFTString)];
    for (wall, values) in [
        ("LINESTRING (6.5 -1, 6.5 9)", vec![number(12.0), None]),
        ("LINESTRING (8 0, 0 8)", vec![None, text("2 m")]),
        ("LINESTRING (10.3 -0.5, 3.2 3.1, 1.7 8.4)", vec![None, text("200 cm")]),
    ] {
        let workshop = flat();
        Shapes::new(&fields).with(wall, &values).write(&workshop, "w.geojson");
        for solver in SOLVERS {
            let arguments = ["--walls", "w.geojson", "--duration", "3h", "--overwrite"];
            let run = |source: &str| {
                workshop.run(&[&arguments[..], solver, &["--source", source]].concat()).done();
                let depths = depths(&workshop);
                (depths[0], depths[COLUMNS * ROWS - 1])
            };
            // 2160 m³ on 2800 m² or more stay below the crest, 10800 m³ on 4800 m² or less would
            // not.
            let (depth, behind) = run("500005,4999995,0.2 m3/s");
            assert_eq!(behind, 0.0, "{wall}: it leaks");
            assert!(depth > 0.3, "{wall}: {depth} m");
            let (depth, behind) = run("500005,4999995,1 m3/s");
            assert!(behind > 0.0 && depth > 1.9, "{wall}: {depth} m, and {behind} m behind it");
        }
    }
}

#[test]
fn water_starts_at_its_level() {
    // A bed that falls to the south by 1 m per row, from 10 m.
    let slope = Raster::new(COLUMNS, ROWS, |_, row| 10.0 - row as f64);
    let workshop = Workshop::with_dem(&slope);
    // Levels above the bed of rows 5, 6 and 7: depths 0.5, 1.5 and 2.5 m.
    workshop.run("--initial-level '5.5 m' --duration 1h").done();
    let expected = (0.5 + 1.5 + 2.5) * 12.0 * 100.0;
    near(workshop.volume("results", "initial_m3"), expected);
    // A lake at rest stays at rest, to the bit.
    let depths = depths(&workshop);
    for (cell, depth) in depths.iter().enumerate() {
        assert_eq!(*depth, (5.5 - (10.0 - (cell / COLUMNS) as f32)).max(0.0));
    }
    // Polygons: where two overlap, the higher level counts; of depth and level, the deeper water.
    Shapes::new(&[("level", OFTString)])
        .with("POLYGON ((0 4, 3 4, 3 8, 0 8, 0 4))", &[text("5.5 m")])
        .with("POLYGON ((2 4, 4 4, 4 8, 2 8, 2 4))", &[text("7 m")])
        .write(&workshop, "dam.gpkg");
    let dam = "--initial-level dam.gpkg --duration '1 min' --overwrite";
    workshop.run(dam).done().never_says("warning: initial_level");
    let expected = (2.0 * (0.5 + 1.5 + 2.5) + 2.0 * (1.0 + 2.0 + 3.0 + 4.0)) * 100.0;
    near(workshop.volume("results", "initial_m3"), expected);
    workshop.run(&format!("{dam} --initial-depth '0.75 m'")).done();
    let expected = 2.0 * (0.75 * 6.0 + 1.5 + 2.5) + 2.0 * (0.75 * 4.0 + 1.0 + 2.0 + 3.0 + 4.0);
    near(workshop.volume("results", "initial_m3"), (expected + 8.0 * 8.0 * 0.75) * 100.0);
    // No wet cell.
    workshop.layer("dry.gpkg", "level", &[("POLYGON ((0 0, 3 0, 3 2, 0 2, 0 0))", 8.5)]);
    let dry = ["--initial-level", "dry.gpkg", "--duration", "1 min", "--overwrite"];
    workshop.run(&dry).done().says(&[
        "warning: initial_level: the level of 8.5 m is below the bed of all its cells",
        "dry.gpkg, feature 1",
    ]);
    let dry = "--initial-level '2 m' --duration '1 min' --overwrite";
    workshop.run(dry).done().says(&["warning: initial_level: 2 m is below the whole bed"]);
}

#[test]
fn a_side_may_be_declared_closed() {
    let workshop = flat();
    let run = |sides: &str| {
        let water = "--initial-depth '1 m' --duration '10 min' --overwrite";
        workshop.run(&format!("{water} {sides}")).done();
        workshop.report("results")["open"].clone()
    };
    assert_eq!(run("--open all --closed north,east"), serde_json::json!(["south", "west"]));
    assert_eq!(run("--closed all"), serde_json::json!([]));
    let both = ["run", "--dem", "dem.tif", "--duration", "1h", "--open", "west,south"];
    workshop.refuses(
        &[&both[..], &["--closed", "west", "--overwrite"]].concat(),
        &["closed: the side west is also open"],
    );
    workshop.refuses(
        &[&both[..3], &["--duration", "1h", "--open", "all", "--closed", "all"]].concat(),
        &["closed: the side north is also open"],
    );
    workshop.refuses(
        "run --dem dem.tif --duration 1h --outflow-slope south,0.001 --closed south --overwrite",
        &["outflow_slope: 'south,0.001': the side south is also closed"],
    );
    workshop.refuses(
        &[&both[..], &["--closed", "up", "--overwrite"]].concat(),
        &["closed: 'up' is not a side"],
    );
}

#[test]
fn refuses_invalid_buildings_walls_and_levels() {
    let workshop = Workshop::new();
    let refused = |arguments: &str, parts: &[&str]| {
        let run = "run --dem dem.tif --duration '5 min'";
        workshop.refuses(&format!("{run} {arguments}"), parts);
    };
    let square = "POLYGON ((2 2, 5 2, 5 4, 2 4, 2 2))";
    let heights = Shapes::texts("height");
    for (value, parts) in [
        ("nan", &["buildings: 'nan' is not a depth", "b.gpkg, feature 1", "\"block\""][..]),
        ("-3", &["buildings: '-3' is negative"]),
        ("3 floors", &["'floors' is not a unit"]),
        ("1e6", &["buildings: '1e6' is not a valid height of a building", "1000 m"]),
    ] {
        let _ = std::fs::remove_file(workshop.path("b.gpkg"));
        heights.clone().with(square, &[text(value)]).write(&workshop, "b.gpkg");
        refused("--buildings b.gpkg", parts);
    }
    for (value, part) in [("tall", "building_height: 'tall' is not"), ("-1 m", "is negative")] {
        refused(&format!("--buildings b.gpkg --building-height '{value}'"), &[part, "\"block\""]);
    }
    refused("--buildings none.gpkg", &["buildings: 'none.gpkg': cannot open it"]);
    heights.clone().write(&workshop, "empty.gpkg");
    refused("--buildings empty.gpkg", &["buildings: 'empty.gpkg': the layer has no features"]);
    heights.clone().epsg(None).with(square, &[None]).write(&workshop, "no_crs.gpkg");
    refused("--buildings no_crs.gpkg", &["its coordinate reference system is not known"]);
    heights.clone().with("POINT (3 3)", &[None]).write(&workshop, "points.gpkg");
    refused(
        "--buildings points.gpkg",
        &["feature 1 is made of points", "give a layer of polygons"],
    );
    let away = "POLYGON ((900 2, 905 2, 905 4, 900 4, 900 2))";
    heights.clone().with(away, &[None]).write(&workshop, "away.gpkg");
    refused("--buildings away.gpkg", &["buildings: ", "feature 1 is outside the DEM"]);
    let all = "POLYGON ((-9 -9, 900 -9, 900 900, -9 900, -9 -9))";
    heights.clone().with(all, &[text("block")]).write(&workshop, "all.gpkg");
    refused("--buildings all.gpkg", &["buildings: they block every cell of the domain"]);

    let line = "LINESTRING (1 1, 5 5)";
    workshop.layer("bare.gpkg", "name", &[(line, "dyke")]);
    refused(
        "--walls bare.gpkg",
        &["walls: 'bare.gpkg': it has neither a field 'level' nor 'height'; its fields: name"],
    );
    let fields = [("level", OFTString), ("height", OFTString)];
    for (name, values, parts) in [
        ("w1.gpkg", vec![None, None], &["feature 1 has neither a 'level' nor a 'height'"][..]),
        ("w2.gpkg", vec![text("3"), text("1")], &["has both a 'level' and a 'height'"]),
        (
            "w3.gpkg",
            vec![text("nan"), None],
            &["walls: 'nan' is not a level", "w3.gpkg, feature 1"],
        ),
        ("w4.gpkg", vec![text("9000 m"), None], &["walls: a crest ", "above its ground"]),
        ("w5.gpkg", vec![None, text("-1")], &["walls: '-1' is negative"]),
    ] {
        Shapes::new(&fields).with(line, &values).write(&workshop, name);
        refused(&format!("--walls '{name}'"), parts);
    }
    Shapes::new(&fields).with(square, &[text("3"), None]).write(&workshop, "area.gpkg");
    refused("--walls area.gpkg", &["is made of polygons", "give a layer of lines"]);

    for (value, parts) in [
        (
            "high",
            &["initial_level: 'high' is neither a value nor an existing file", "vector layer"][..],
        ),
        ("2 yd", &["'yd' is not a unit of level"]),
        ("1e9", &["not a height on Earth"]),
        ("none.gpkg", &["initial_level: 'none.gpkg': cannot open it"]),
        ("bare.gpkg", &["it has no field 'level'; its fields: name"]),
        ("w3.gpkg", &["is made of lines"]),
    ] {
        refused(&format!("--initial-level '{value}'"), parts);
    }
    Shapes::texts("level").with(square, &[None]).write(&workshop, "null.gpkg");
    refused("--initial-level null.gpkg", &["feature 1 has no 'level'"]);
    workshop.layer("deep.gpkg", "level", &[(square, "5000")]);
    refused("--initial-level deep.gpkg", &["m of water in a cell at once"]);
}

#[test]
fn notes_features_without_effect() {
    let workshop = flat();
    let run = "--rain '1 mm/h' --duration '1 min' --overwrite";
    let ran = workshop.run(&format!("{run} --building-height '3 m'")).done();
    ran.says(&["warning: building_height: of no effect without buildings"]);
    workshop.layer("low.gpkg", "level", &[("LINESTRING (1.5 1.5, 5.5 1.5)", 9.0)]);
    let ran = workshop.run(&format!("{run} --walls low.gpkg")).done();
    ran.says(&["warning: walls: in 5 of 5 cells the crests of 'low.gpkg' do not rise above"]);
}

#[test]
fn names_the_place_of_a_source_on_a_roof_and_the_way_off_it() {
    let workshop = flat();
    workshop.layer("b.gpkg", "height", &[("POLYGON ((2 2, 5 2, 5 4, 2 4, 2 2))", 4.0)]);
    let source = |column: f64, row: f64| format!("{},1 m3/s", at(column, row));
    let run = |source: &str| {
        let arguments = "--buildings b.gpkg --duration 1min --overwrite";
        workshop.run(&format!("--source '{source}' {arguments}")).done()
    };
    let warning = "puts 100 % of its flow onto the roof of a building, from where it runs down (column 2, row 3)";
    run(&source(2.5, 3.5)).says(&[warning, "the nearest free cell is at 500015,4999965"]);
    run(&source(1.5, 3.5)).never_says("roof");
    // One of the four cells of a line.
    workshop.layer(
        "springs.gpkg",
        "flow",
        &[("LINESTRING (0.5 7.5, 0.5 3.5)", 1.0), ("LINESTRING (4.5 2.5, 7.5 2.5)", 2.0)],
    );
    run("springs.gpkg")
        .says(&["feature 2' puts 25 % of its flow onto the roof", "(column 4, row 2)"]);
}

#[test]
fn warns_of_inputs_on_walls() {
    let workshop = flat();
    workshop.layer("w.gpkg", "height", &[("LINESTRING (6.5 -1, 6.5 9)", 3.0)]);
    Shapes::new(&[]).with("POINT (6.5 2.5)", &[]).write(&workshop, "houses.gpkg");
    workshop.file(
        "links.csv",
        "x1,y1,x2,y2,kind,diameter,inlet_level\n500065,4999955,500085,4999955,culvert,1 m,\n500045,4999955,500085,4999955,culvert,1 m,0 m",
    );
    workshop.file(
        "gates.csv",
        "x1,y1,x2,y2,kind,opening,name\n500060,4999990,500060,4999960,gate,1 m,sluice",
    );
    workshop.file("curve.csv", "level [m],discharge [m3/s]\n10,0\n15,5");
    let arguments = "--walls w.gpkg --duration 1min --rain '9 mm/h' --overwrite";
    let inputs = "--links links.csv --structures gates.csv --points houses.gpkg";
    let places = "--gauges 500065,4999955,bridge --source '500065,4999955,1 m3/s'";
    let rating = "--rating 500065,4999935,curve.csv";
    workshop.run(&format!("{arguments} {inputs} {places} {rating}")).done().says(&[
        "gauges: 'bridge' is on a wall; move it beside it",
        "puts 100 % of its flow onto a wall, from where it runs down (column 6, row 4)",
        "the inlet of this culvert is on a wall",
        "the inlet_level of this culvert is 10.0 m below the ground of its end",
        "in 3 of its 3 edges the crest counts from the top of a wall",
        "has 1 of its 1 cell on a wall",
        "points: 1 feature is on buildings or walls: their values are from the ground beside",
        "the nearest free cell is at 500055,4999955 (column 5, row 4)",
    ]);
}
