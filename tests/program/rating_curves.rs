//! Outflow by rating curves: results compared with manual calculations, and invalid input.

use crate::cli_common;

use cli_common::vectors::{Shapes, text};
use cli_common::{CORNER, Raster, Workshop, pixels};
use gdal::vector::OGRFieldType::OFTString;

/// Creates a basin of 6 × 4 cells of 10 m, with its first column 0.2 m lower, and an inflow of 3
/// m³/s in the east.
fn basin() -> Workshop {
    let workshop =
        Workshop::with_dem(&Raster::new(6, 4, |column, _| if column == 0 { 9.8 } else { 10.0 }));
    workshop.layer("river.gpkg", "flow", &[("LINESTRING (5.5 0.5, 5.5 3.5)", "3 m3/s")]);
    workshop.file("levels.csv", "level [m],flow [m3/s]\n9.8,0\n10.2,1\n10.6,5\n");
    workshop.file("depths.csv", "depth [cm],flow [l/s]\n0,0\n40,1000\n80,5000\n");
    workshop
}

const RUN: [&str; 4] = ["--source", "river.gpkg", "--duration", "30 min"];

#[test]
fn a_basin_settles_where_its_rating_curve_equals_the_inflow() {
    let workshop = basin();
    Shapes::new(&[("rating", OFTString), ("name", OFTString)])
        .with("LINESTRING (0.5 0.2, 0.5 3.8)", &[text("levels.csv"), text("weir")])
        .write(&workshop, "ratings.gpkg");
    let point = format!("{},{},depths.csv", CORNER.0 + 5.0, CORNER.1 - 15.0);
    for (solver, rating, column) in [
        ("shallow-water", "west,levels.csv", "rating west,levels.csv [m3]"),
        ("inertial", "west:0-20,depths.csv", "rating west:0-20,depths.csv [m3]"),
        ("aqua-manning", "ratings.gpkg", "rating weir [m3]"),
        ("shallow-water", &point, "[m3]"),
    ] {
        let run = ["--rating", rating, "--solver", solver, "--layers", "depth,level"];
        let ran = workshop
            .run(&[&RUN[..], &run, &["--overwrite", "--gauge-every", "1 min"]].concat())
            .done();
        ran.says(&["above its last level, 10.60 m"]);
        // The outflow is 3 m³/s at 10.4 m.
        let level = pixels(workshop.path("results/level.tif"));
        assert!((level[6] - 10.4).abs() < 0.02, "{solver}, {rating}: {}", level[6]);
        let report = workshop.report("results");
        let volume = |line: &str| report["volume"][line].as_f64().unwrap();
        assert_eq!(volume("error_m3"), 0.0);
        let left = report["ratings"][0]["outflow_m3"].as_f64().unwrap();
        assert_eq!(left, volume("outflow_m3"));
        assert!(left > 0.9 * (3.0 * 1800.0 - 24.0 * 100.0 * 0.45), "{left}");
        let balance = workshop.text("results/mass_balance.csv");
        assert!(balance.lines().next().unwrap().contains(column), "{balance}");
    }
}

#[test]
fn a_rating_curve_takes_over_the_cells_of_an_open_edge() {
    let workshop = basin();
    let run = ["--rating", "west,levels.csv", "--open", "west"];
    let ran = workshop.run(&[&RUN[..], &run].concat()).done();
    ran.says(&[
        "rating: 4 cells are along the open side west; water leaves there by the rating curve only",
    ]);
    let report = workshop.report("results");
    assert_eq!(report["open_sides"][0]["outflow_m3"], 0.0);
}

#[test]
fn tells_depths_from_levels_by_the_names_of_columns() {
    let workshop = basin();
    let run = |rating: &str, header: &str, base: f64| {
        let [low, middle, high] = [0.0, 0.4, 0.8].map(|depth| base + depth);
        let lines = format!("{header},flow [m3/s]\n{low},0\n{middle},1\n{high},5\n");
        workshop.file("curve.csv", lines);
        workshop.run(&[&RUN[..], &["--rating", rating, "--overwrite"]].concat()).done();
        workshop.volume("results", "outflow_m3")
    };
    let left = run("west,curve.csv", "level [m]", 9.8);
    for header in ["stage [m]", "Elevation (m)", "water level [m]", "head (m)"] {
        assert_eq!(run("west,curve.csv", header, 9.8), left, "{header}");
    }
    for header in ["water depth [m]", "Flow_depth_m"] {
        let of_depths = run("west,curve.csv", header, 0.0);
        assert!((of_depths / left - 1.0).abs() < 1e-3, "{header}: {of_depths}, not {left}");
    }
    let refused = |header: &str, arguments: &[&str], parts: &[&str]| {
        workshop.file("s.csv", format!("{header}\n0,1\n1,2\n"));
        workshop.refuses(&[&["run", "--dem", "dem.tif"], arguments, &RUN].concat(), parts);
    };
    let level = ["--level", "west,s.csv"];
    let parts = [
        "level: 's.csv', line 1: the column 'water depth [m]' has depths, but levels above the DEM's zero are expected",
        "add the height of the bed",
    ];
    refused("time [h],water depth [m]", &level, &parts);
    refused("time [h],depth_ft", &level, &["the column 'depth_ft' has depths"]);
    let [x, y] = [CORNER.0 + 15.0, CORNER.1 - 15.0];
    workshop.file(
        "links.csv",
        format!("x1,y1,x2,y2,kind,rating\n{x},{y},{},{y},culvert,s.csv\n", x + 30.0),
    );
    let parts = ["line 1: the column 'level [m]' has levels, but heads are expected"];
    refused("level [m],flow [m3/s]", &["--links", "links.csv"], &parts);
}

#[test]
fn refuses_invalid_rating_curves() {
    let workshop = basin();
    workshop.file("falls.csv", "level [m],flow [m3/s]\n10,2\n11,1\n");
    workshop.file("low.csv", "level [m],flow [m3/s]\n1,0\n2,1\n");
    workshop.file("one.csv", "level [m],flow [m3/s]\n11,1\n");
    for (rating, parts) in [
        ("levels.csv", &["rating: 'levels.csv' is a table without a place", "west,rating.csv"][..]),
        ("upstream,levels.csv", &["neither a place with a rating curve nor a vector layer"]),
        ("west,falls.csv", &["the flow falls while the level rises", "line 3"]),
        ("west,low.csv", &["ends at a level of 2.00 m, below the bed of its cells", "depth"]),
        ("west,one.csv", &["two lines or more"]),
        ("west,none.csv", &["none.csv"]),
        ("west:100-200,levels.csv", &["no cell of the domain is along 'west:100-200'"]),
        ("west:0-x,levels.csv", &["neither a place"]),
    ] {
        workshop
            .refuses(&[&["run", "--dem", "dem.tif", "--rating", rating][..], &RUN].concat(), parts);
    }
    let two =
        ["run", "--dem", "dem.tif", "--rating", "west,levels.csv", "--rating", "north,levels.csv"];
    workshop.refuses(&[&two[..], &RUN].concat(), &["share a cell", "one rating curve"]);
    let held = ["run", "--dem", "dem.tif", "--rating", "west,levels.csv", "--level", "west,10.5"];
    workshop.refuses(&[&held[..], &RUN].concat(), &["under a rating curve"]);
    let steps = "run --dem dem.tif --rating west,levels.csv --steps 9";
    workshop.refuses(steps, &["the run's steps have no duration"]);
}
