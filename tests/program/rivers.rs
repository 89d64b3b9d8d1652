//! Rivers and openings drawn as lines: cells, volumes and levels calculated by hand, and invalid
//! input.

use crate::cli_common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop, at, pixels};
use gdal::vector::OGRFieldType::{OFTReal, OFTString};

const COLUMNS: usize = 12;
const ROWS: usize = 8;

/// Creates flat ground at 10 m: 12 × 8 cells of 10 m.
fn flat() -> Workshop {
    Workshop::with_dem(&Raster::new(COLUMNS, ROWS, |_, _| 10.0))
}

/// Writes a river with a width and a bed level (m).
fn river(workshop: &Workshop, wkt: &str, width: f64, bed: f64) {
    Shapes::new(&[("width", OFTReal), ("bed_level", OFTReal)])
        .with(wkt, &[number(width), number(bed)])
        .write(workshop, "r.gpkg");
}

#[track_caller]
fn near(found: f64, expected: f64, part: f64) {
    assert!((found / expected - 1.0).abs() < part, "{found}, not {expected}");
}

#[test]
fn a_river_as_wide_as_a_cell_lowers_its_cells() {
    let workshop = flat();
    river(&workshop, "LINESTRING (0 4, 12 4)", 20.0, 8.0);
    for more in ["", "--subgrid 2 --output-grid fine"] {
        let still = "--rivers r.gpkg --initial-level 9 --duration '1 min'";
        let ran = workshop.run(&format!("{still} {more} --overwrite")).done();
        ran.says(&["rivers: 1 river of 'r.gpkg' lowers 24 cells of the DEM by up to 2.00 m"]);
        assert_eq!(workshop.volume("results", "stored_m3"), 2400.0);
        for (cell, found) in pixels(workshop.path("results/depth.tif")).iter().enumerate() {
            let is_river = (3..5).contains(&(cell / COLUMNS));
            assert_eq!(*found, if is_river { 1.0 } else { 0.0 });
        }
    }
}

#[test]
fn a_narrow_river_stores_its_length_times_its_section() {
    let workshop = flat();
    river(&workshop, "LINESTRING (1.3 2.2, 9.7 6.1)", 2.0, 8.0);
    let length = 10.0 * f64::hypot(8.4, 3.9);
    for more in ["", "--subgrid 2", "--subgrid 3 --solver inertial"] {
        for (level, above) in [(8.5, 0.5), (9.7, 1.7), (10.5, 2.0)] {
            let start = level.to_string();
            let still = format!("--rivers r.gpkg --initial-level '{start}' --duration '1 min'");
            workshop.run(&format!("{still} {more} --overwrite")).done();
            let plain = 9600.0 * f64::max(level - 10.0, 0.0);
            near(workshop.volume("results", "stored_m3"), plain + 2.0 * length * above, 2e-4);
            // The river's water is below the ground: only pixels whose centres are in the river
            // show it.
            let wet = pixels(workshop.path("results/depth.tif"));
            let wet = wet.iter().filter(|depth| **depth > 0.0).count();
            assert!(if level < 10.0 { wet < 4 } else { wet == 96 }, "{wet} pixels at {level}");
        }
    }
}

#[test]
fn a_meander_through_the_cells_of_another_leg_keeps_its_channel() {
    let workshop = flat();
    let meander = "LINESTRING (1.5 2.5, 6.2 2.5, 6.2 5.5, 6.7 5.5, 6.7 2.5, 10.5 2.5)";
    river(&workshop, meander, 2.0, 8.0);
    let still = "--rivers r.gpkg --initial-level 9.7 --duration '1 min'";
    // Of its 13 cells the last belongs, as a bend, to the one before.
    workshop.run(still).done().says(&["through 12 cells: 0.150 km"]);
    near(workshop.volume("results", "stored_m3"), 2.0 * 150.0 * 1.7, 2e-4);
}

#[test]
fn warns_of_lines_that_lie_on_each_other() {
    let workshop = flat();
    let run = "--rivers r.gpkg --rain '10 mm/h' --duration '1 min' --overwrite";
    let [width, bed] = [number(2.0), number(8.0)];
    let points: Vec<String> =
        (0..2000).map(|at| format!("{} 7.3", 1.0 + 0.005 * f64::from(at))).collect();
    let dense = format!("LINESTRING ({})", points.join(", "));
    for (second, length) in [
        ("LINESTRING (1.3 2.2, 9.7 6.1)", Some("93")),
        ("LINESTRING (9.7 6.1, 5.5 4.15)", Some("46")),
        ("LINESTRING (5.5 7.9, 5.5 4.15)", None),
        ("LINESTRING (1.3 2.3, 9.7 6.2)", None),
        // Points are close together.
        (&dense, None),
    ] {
        let _ = std::fs::remove_file(workshop.path("r.gpkg"));
        Shapes::new(&[("width", OFTReal), ("bed_level", OFTReal)])
            .with("LINESTRING (1.3 2.2, 9.7 6.1)", &[width.clone(), bed.clone()])
            .with(second, &[width.clone(), bed.clone()])
            .write(&workshop, "r.gpkg");
        let ran = workshop.run(run).done();
        match length {
            Some(length) => {
                _ = ran.says(&[&format!(
                    "rivers: {length} m of the lines of 'r.gpkg' lie on others, first near 5000"
                )])
            }
            None => assert!(!ran.err.contains("lie on others"), "{second}: {}", ran.err),
        }
    }
}

#[test]
fn warns_of_heights_above_another_datum() {
    // UTM 33N with heights of DHHN92.
    let workshop = Workshop::with_dem(&Raster::new(COLUMNS, ROWS, |_, _| 10.0).epsg(5556));
    let line = |epsg: u32, points: [&str; 2], more: &str| {
        let points = points.map(|point| format!("[{point}, 9]")).join(", ");
        workshop.file("z.geojson", format!(
            r#"{{"type": "FeatureCollection", "crs": {{"type": "name", "properties": {{"name": "urn:ogc:def:crs:EPSG::{epsg}"}}}},
                "features": [{{"type": "Feature", "properties": {{"width": 2{more}}}, "geometry": {{"type": "LineString", "coordinates": [{points}]}}}}]}}"#
        ));
        workshop.run("--rivers z.geojson --duration 1min --overwrite").done()
    };
    let (degrees, metres) =
        (["15.0002, 45.1531", "15.0012, 45.1531"], ["500020, 4999960", "500100, 4999960"]);
    let warning = "the heights of the points are above the ellipsoid, but the DEM's above Deutsches Haupthoehennetz 1992";
    line(4979, degrees, "").says(&["warning: rivers: ", warning, "z.geojson, feature 0"]);
    let none = "they are not transformed";
    line(4979, degrees, r#", "depth": 1"#).never_says(none);
    line(5556, metres, "").never_says(none);
    line(25833, metres, "").never_says(none);
}

#[test]
fn trapezoids_and_lines_with_heights_store_their_volume() {
    let workshop = flat();
    let fields =
        [("width", OFTReal), ("depth", OFTReal), ("shape", OFTString), ("side_slope", OFTReal)];
    let values = [number(1.0), number(2.0), text("Trapezoid"), number(1.5)];
    Shapes::new(&fields).with("LINESTRING (1.3 2.2, 9.7 6.1)", &values).write(&workshop, "r.gpkg");
    let length = 10.0 * f64::hypot(8.4, 3.9);
    let at =
        |x: f64, y: f64, z: f64| format!("[{}, {}, {z}]", CORNER.0 + 10.0 * x, CORNER.1 - 10.0 * y);
    // The bed falls to the middle and rises again: 8.5 m on average.
    let line = [at(1.3, 2.2, 9.0), at(5.5, 4.15, 8.0), at(9.7, 6.1, 9.0)].join(", ");
    workshop.file("z.geojson", format!(
        r#"{{"type": "FeatureCollection", "crs": {{"type": "name", "properties": {{"name": "urn:ogc:def:crs:EPSG::32633"}}}},
            "features": [{{"type": "Feature", "properties": {{"width": 2}}, "geometry": {{"type": "LineString", "coordinates": [{line}]}}}}]}}"#
    ));
    for (file, level, section) in
        [("r.gpkg", "9", 1.0 + 1.5), ("r.gpkg", "10", 2.0 + 1.5 * 4.0), ("z.geojson", "10", 3.0)]
    {
        let still = format!("--rivers '{file}' --initial-level '{level}' --duration '1 min'");
        workshop.run(&format!("{still} --overwrite")).done();
        // Tables have the level at eight volumes, and are linear in between.
        near(workshop.volume("results", "stored_m3"), section * length, 0.01);
    }
}

#[test]
fn a_river_across_the_grid_follows_manning() {
    // Down the line from (5, 3) to (35, 20), by 0.002 of its length.
    let (from, way) = ((5.0, 3.0), (30.0, 17.0));
    let length = f64::hypot(way.0, way.1);
    let fall = |x: f64, y: f64| 0.02 * ((x - from.0) * way.0 + (y - from.1) * way.1) / length;
    let ground = |column: usize, row: usize| 50.0 - fall(column as f64 + 0.5, row as f64 + 0.5);
    let workshop = Workshop::with_dem(&Raster::new(36, 24, ground));
    let ends = [(5.2, 3.1), (36.5, from.1 + 31.5 / 30.0 * 17.0)];
    let [a, b] = ends.map(|(x, y)| (format!("{x} {y}"), 47.0 - fall(x, y)));
    let names = ["width", "bed_level", "bed_level_end", "roughness"];
    let (line, values) =
        (format!("LINESTRING ({}, {})", a.0, b.0), [number(3.0), number(a.1), number(b.1)]);
    Shapes::new(&names.map(|name| (name, OFTReal))[..3])
        .with(&line, &values)
        .write(&workshop, "r.gpkg");
    Shapes::new(&names.map(|name| (name, OFTReal)))
        .with(&line, &[&values[..], &[number(0.03)]].concat())
        .write(&workshop, "rough.gpkg");
    let fields = names[..3].iter().map(|name| (*name, OFTReal));
    Shapes::new(&fields.chain([("banks", OFTString)]).collect::<Vec<_>>())
        .with(&line, &[&values[..], &[text("Smooth")]].concat())
        .write(&workshop, "smooth.gpkg");
    let source = format!("{},5 m3/s", at(5.3, 3.2));
    let middle = at(from.0 + 0.5 * way.0, from.1 + 0.5 * way.1);
    let upper = at(from.0 + 0.3 * way.0, from.1 + 0.3 * way.1);
    // Q = A·R^(2/3)·√S/n, with R = A/P, or R = h if only the bed has friction.
    let smooth = (5.0 / 3.0 * 0.03 / 0.002f64.sqrt()).powf(0.6);
    let mut normal = smooth;
    for _ in 0..100 {
        normal = smooth * ((3.0 + 2.0 * normal) / 3.0).powf(0.4);
    }
    let flow = ["--source", &source];
    let out = ["--open", "east", "--outflow-slope", "0.002", "--duration", "30 min"];
    let gauges = ["--gauges", &middle, "--gauges", &upper, "--overwrite"];
    let own = ["--rivers", "rough.gpkg", "--roughness", "0.1"];
    let grounds = ["--rivers", "r.gpkg", "--roughness", "0.03"];
    let bed_only = ["--rivers", "smooth.gpkg", "--roughness", "0.03"];
    for (solver, rivers, normal) in [
        ("shallow-water", grounds, normal),
        ("inertial", grounds, normal),
        ("inertial", own, normal),
        ("inertial", bed_only, smooth),
    ] {
        let solver = ["--solver", solver];
        workshop.run(&[&flow[..], &rivers, &out, &gauges, &solver].concat()).done();
        let table = workshop.text("results/gauges.csv");
        let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let last: Vec<&str> = table.lines().last().unwrap().split(',').collect();
        let depths = names.iter().zip(last).filter(|(name, _)| name.ends_with("depth [m]"));
        let depths: Vec<f64> = depths.map(|(_, depth)| depth.parse().unwrap()).collect();
        assert_eq!(depths.len(), 2);
        // A cell has the level of the middle of its reach, within a few metres: 0.01 m.
        depths.iter().for_each(|&depth| near(depth, normal, 0.02));
        assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    }
}

#[test]
fn a_wall_across_a_river_dams_it() {
    let workshop = flat();
    river(&workshop, "LINESTRING (0.5 4.5, 11.5 4.5)", 2.0, 8.0);
    workshop.layer("dam.gpkg", "level", &[("LINESTRING (6.5 3.2, 6.5 5.8)", 10.6)]);
    let at = format!("{},{},0.2 m3/s", CORNER.0 + 5.0, CORNER.1 - 45.0);
    let pour = format!("--rivers r.gpkg --source '{at}' --duration '10 min' --overwrite");
    let far = format!("{},{}", CORNER.0 + 105.0, CORNER.1 - 45.0);
    let run = |more: &str| {
        let ran = workshop.run(&format!("{pour} --gauges '{far}' {more}")).done();
        let table = workshop.text("results/gauges.csv");
        let depth: f64 = table.lines().last().unwrap().split(',').nth(2).unwrap().parse().unwrap();
        (ran, depth)
    };
    assert!(run("").1 > 0.2);
    let (ran, depth) = run("--walls dam.gpkg");
    ran.says(&["warning: rivers: buildings or walls are on 1 pixel with rivers of 'r.gpkg'"]);
    assert_eq!(depth, 0.0);
}

#[test]
fn an_opening_lets_water_under_a_road() {
    let road =
        |column: usize, _: usize| if column == 6 { 13.0 } else { 10.0 - 0.1 * column as f64 };
    let workshop = Workshop::with_dem(&Raster::new(COLUMNS, ROWS, road));
    Shapes::new(&[("width", OFTReal)])
        .with("LINESTRING (5.5 4.5, 7.5 4.5)", &[None])
        .with("LINESTRING (5.5 1.0, 7.5 1.0)", &[number(24.0)])
        .write(&workshop, "o.gpkg");
    let at = format!("{},{},1 m3/s", CORNER.0 + 15.0, CORNER.1 - 45.0);
    let pour = format!("--source '{at}' --duration '10 min' --overwrite");
    let beyond = |more: &str| {
        workshop.run(&format!("{pour} {more}")).done();
        let depth = pixels(workshop.path("results/depth.tif"));
        depth.iter().enumerate().filter(|(cell, depth)| cell % COLUMNS > 6 && **depth > 0.0).count()
    };
    assert_eq!(beyond(""), 0);
    for more in ["", "--subgrid 2"] {
        assert!(beyond(&format!("--openings o.gpkg {more}")) > 20);
    }
    // From 9.5 to 9.3 m: the road in one cell is cut to 9.4 m by the first opening, and in two
    // cells by the second, whose width covers their centres.
    let check = "check --dem dem.tif --rain '1 mm/h' --duration 1h";
    let said = workshop.inundate(&format!("{check} --openings o.gpkg")).done();
    said.says(&["openings: 2 openings of 'o.gpkg' lower 3 cells of the DEM by up to 3.60 m"]);
}

#[test]
fn rebuilds_tables_of_other_rivers() {
    let workshop = flat();
    river(&workshop, "LINESTRING (1.3 2.2, 9.7 6.1)", 2.0, 8.0);
    let rain = "--rivers r.gpkg --rain '10 mm/h' --duration '1 min' --overwrite";
    let run =
        |more: &str| workshop.run(&format!("{rain} --subgrid 2 --subgrid-tables t.bin {more}"));
    run("").done().says(&["the tables are kept in 't.bin'"]);
    run("").done().says(&["the tables are read from 't.bin'"]);
    // The tables do not contain a uniform roughness.
    run("--roughness 0.05").done().says(&["the tables are read from 't.bin'"]);
    std::fs::remove_file(workshop.path("r.gpkg")).unwrap();
    river(&workshop, "LINESTRING (1.3 2.2, 9.7 6.1)", 2.5, 8.0);
    run("").done().says(&["'t.bin' has tables of other rivers; they are built again"]);
}

#[test]
fn reports_suspicious_rivers() {
    let workshop = flat();
    let fields = [
        ("width", OFTString),
        ("bed_level", OFTReal),
        ("bed_level_end", OFTReal),
        ("depth", OFTReal),
        ("shape", OFTString),
        ("side_slope", OFTReal),
        ("roughness", OFTReal),
    ];
    let line = "LINESTRING (1 2, 9 2)";
    let bed = number(9.0);
    let wide = || text("3 m");
    let run = "--rivers r.gpkg --rain '10 mm/h' --duration '1 min' --overwrite";
    let refused = |more: &str, parts: &[&str]| {
        workshop.refuses(&format!("run --dem dem.tif {run} {more}"), parts);
    };
    let write = |wkt: &str, values: [Option<gdal::vector::FieldValue>; 7]| {
        let _ = std::fs::remove_file(workshop.path("r.gpkg"));
        Shapes::new(&fields).with(wkt, &values).write(&workshop, "r.gpkg");
    };
    for (values, part) in [
        ([None, bed.clone(), None, None, None, None, None], "the line has no 'width'"),
        (
            [text("0"), bed.clone(), None, None, None, None, None],
            "width: 0 m is not a valid length",
        ),
        (
            [wide(), None, None, None, None, None, None],
            "the line has neither a 'bed_level' nor a 'depth'",
        ),
        (
            [wide(), bed.clone(), None, bed.clone(), None, None, None],
            "both a 'bed_level' and a 'depth'",
        ),
        ([wide(), None, bed.clone(), None, None, None, None], "a 'bed_level_end' without"),
        ([wide(), bed.clone(), None, None, text("round"), None, None], "'round' is not a shape"),
        ([wide(), bed.clone(), None, None, text("trapezoid"), None, None], "has no 'side_slope'"),
        ([wide(), bed.clone(), None, None, None, number(2.0), None], "needs the shape 'trapezoid'"),
        ([wide(), bed.clone(), None, None, None, None, number(30.0)], "30 is not a Manning's n"),
        (
            [wide(), number(-2000.0), None, None, None, None, None],
            "a bed is 2010 m below the ground",
        ),
    ] {
        write(line, values);
        refused("", &["rivers", part, "r.gpkg, feature 1"]);
    }
    let _ = std::fs::remove_file(workshop.path("r.gpkg"));
    Shapes::new(&[("width", OFTReal), ("depth", OFTReal), ("banks", OFTString)])
        .with(line, &[number(3.0), number(1.0), text("grassy")])
        .write(&workshop, "r.gpkg");
    refused("", &["'grassy' is not a kind of banks", "write rough", "or smooth"]);
    write("LINESTRING (100 2, 109 2)", [wide(), bed.clone(), None, None, None, None, None]);
    refused("", &["none of its lines is on the DEM"]);
    write(line, [wide(), bed.clone(), None, None, None, None, None]);
    refused("--step 10s", &["narrower than a cell of 10.000 m, and aqua-graph does not support"]);
    for (values, part) in [
        ([wide(), number(12.0), None, None, None, None, None], "is nowhere below the ground"),
        ([wide(), number(8.0), number(9.0), None, None, None, None], "may be drawn upstream"),
        ([wide(), None, None, number(60.0), None, None, None], "up to 60.0 m below the ground"),
    ] {
        write(line, values);
        workshop.run(run).done().says(&["warning: rivers: ", part]);
    }
}

#[test]
fn a_river_has_its_width_on_the_cells_or_a_warning() {
    // Twice as wide as a cell: through the centres, on their sides, and in between.
    let workshop = flat();
    for (wkt, cells) in [
        ("LINESTRING (0 4.5, 12 4.5)", 24),
        ("LINESTRING (12 4.5, 0 4.5)", 24),
        ("LINESTRING (0 4, 12 4)", 24),
        ("LINESTRING (0 4.3, 12 4.3)", 24),
        ("LINESTRING (4.5 0, 4.5 8)", 16),
    ] {
        let checked = |width: f64| {
            let _ = std::fs::remove_file(workshop.path("r.gpkg"));
            river(&workshop, wkt, width, 7.0);
            let arguments = "check --dem dem.tif --rivers r.gpkg --rain '1 mm/h'";
            workshop.inundate(&format!("{arguments} --duration 1h")).done()
        };
        checked(20.0).says(&[&format!("lowers {cells} cells")]).never_says("differs by more than");
        if wkt.contains("4.5") {
            checked(19.0).says(&["has 1 line whose width on the cells differs by more than 15 %"]);
        }
    }
}
