//! Sides with a stretch that is open, has a slope, or has a level.

use crate::cli_common;

use cli_common::vectors::Shapes;
use cli_common::{Raster, Workshop, pixels};

/// Creates two basins of 8 × 3 cells of 10 m, one north of the other, separated by NoData.
fn basins() -> Workshop {
    let dem = Raster::new(8, 7, |_, row| if row == 3 { -9999.0 } else { 10.0 });
    Workshop::with_dem(&dem)
}

/// Returns the remaining volumes of a metre of water in the northern and in the southern basin
/// (m³).
fn left(workshop: &Workshop, arguments: &str) -> [f64; 2] {
    let start = "--initial-depth '1 m' --duration '10 min' --overwrite";
    workshop.run(&format!("{start} {arguments}")).done();
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    let depths = pixels(workshop.path("results/depth.tif"));
    let sum = |rows: std::ops::Range<usize>| {
        let cells = depths[rows.start * 8..rows.end * 8].iter().filter(|depth| **depth > -1.0);
        cells.map(|depth| 100.0 * f64::from(*depth)).sum()
    };
    [sum(0..3), sum(4..7)]
}

#[test]
fn water_leaves_only_over_the_open_stretch() {
    let workshop = basins();
    Shapes::new(&[]).with("LINESTRING (7.9 0.1, 7.2 2.5)", &[]).write(&workshop, "outlet.gpkg");
    for open in [
        "--open west:0-30",
        "--open all --closed south,north,east:30-100,west:30-100",
        "--open outlet.gpkg",
        "--outflow-slope west:0-30,0.01",
        "--open west:0-30 --outflow-slope 0.01",
    ] {
        let [north, south] = left(&workshop, open);
        assert!(north < 0.25 * 2400.0, "{open:?}: {north}");
        assert_eq!(south, 2400.0, "{open:?}");
    }
    let report = workshop.report("results");
    assert_eq!(report["open"], serde_json::json!(["west"]));
    assert_eq!(report["open_shares"], serde_json::json!([["west", 0.5]]));
    let check = "check --dem dem.tif --initial-depth '1 m' --duration 1h";
    let said = workshop.inundate(&format!("{check} --open west:0-30")).done();
    assert!(said.out.contains("open edges  west (free, 50 % of it)"), "{}", said.out);
}

#[test]
fn a_stretch_that_ends_beyond_its_side_is_warned_of() {
    let workshop = basins();
    let run = "run --dem dem.tif --initial-depth '1 m' --duration 1min --overwrite";
    for (option, key) in [("--open west:0-300", "open"), ("--level 'west:0-300,11 m'", "level")] {
        let says = format!("{key}: 'west:0-300' ends beyond its side, which is 70 m long");
        workshop.inundate(&format!("{run} {option}")).done().says(&[&says]);
    }
    let ran = workshop.inundate(&format!("{run} --open west:0-80")).done();
    assert!(!ran.err.contains("ends beyond"), "{}", ran.err);
}

#[test]
fn a_level_is_held_along_a_stretch() {
    let workshop = basins();
    let [north, south] = left(&workshop, "--level 'east:40-70,11.5 m'");
    assert_eq!(north, 2400.0);
    // It still oscillates.
    assert!((south - 3600.0).abs() < 150.0, "{south}");
}

#[test]
fn refuses_invalid_stretches() {
    let workshop = basins();
    Shapes::new(&[]).with("LINESTRING (3 1.2, 5 1.8)", &[]).write(&workshop, "inside.gpkg");
    let run = ["run", "--dem", "dem.tif", "--initial-depth", "1 m", "--duration", "1h"];
    for (option, text, parts) in [
        ("--open", "west:30", &["open: 'west:30' is not a stretch of a side", "west:0-1200"][..]),
        ("--open", "all:0-30", &["is not a stretch of one side"]),
        ("--open", "west:30-30", &["end is not after its start"]),
        (
            "--open",
            "west:90-120",
            &["open: no cell of the domain is along 'west:90-120'", "the side is 70 m long"],
        ),
        ("--open", "inside.gpkg", &["touches a cell along a side", "outermost cells"]),
        ("--open", "none.gpkg", &["none.gpkg"]),
        (
            "--open",
            "west:0-30,west:90-120",
            &["open: no cell of the domain is along 'west:90-120'"],
        ),
        ("--closed", "up", &["closed: 'up' is not a side"]),
        ("--level", "west:90-120,11 m", &["level: no cell of the domain is along 'west:90-120'"]),
    ] {
        workshop.refuses(&[&run[..], &[option, text]].concat(), parts);
    }
    let closed = ["--open", "all", "--closed", "north:400-500"];
    let parts = ["closed: no cell of the domain is along 'north:400-500'", "80 m long"];
    workshop.refuses(&[&run[..], &closed].concat(), &parts);
    for (open, slope) in [("west", "west:0-30,0.01"), ("none", "west:0-30,0.01")] {
        let slopes =
            ["--open", open, "--outflow-slope", slope, "--outflow-slope", "west:40-70,0.02"];
        workshop
            .refuses(&[&run[..], &slopes].concat(), &["of the side west has one kind of outflow"]);
    }
}
