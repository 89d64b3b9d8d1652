//! Coarse cells that see the DEM's pixels by tables: what is laid on the pixels, that results are the same however they are computed,
//! and what is refused.

use crate::cli_common;
use crate::ranks::{assert_same, end, start};

use cli_common::vectors::{Shapes, number};
use cli_common::{CORNER, Raster, Workshop, pixels};
use gdal::vector::OGRFieldType::OFTReal;

/// Columns and rows of pixels.
const SIZE: (usize, usize) = (88, 60);

/// A valley with a channel of three pixels, and a hole without data.
fn valley() -> Workshop {
    let level = |column: usize, row: usize| {
        let (x, y) = (column as f64, row as f64);
        let away = (y - 30.0 - 6.0 * (x * 0.1).sin()).abs();
        let rough = ((column * 37 + row * 61) % 23) as f64 * 0.02;
        let channel = if away < 1.6 { -1.5 } else { 0.0 };
        20.0 - 0.02 * x + 0.06 * away + rough + channel
    };
    let hole = |column: usize, row: usize| (50..55).contains(&column) && (8..14).contains(&row);
    let dem = Raster::new(SIZE.0, SIZE.1, |column, row| match hole(column, row) {
        true => -9999.0,
        false => level(column, row),
    });
    Workshop::with_dem(&dem.nodata(-9999.0))
}

/// A point so many pixels from the north-west corner.
fn at(column: f64, row: f64) -> String {
    format!("{},{}", CORNER.0 + 10.0 * column, CORNER.1 - 10.0 * row)
}

/// A flood in the valley, with all that is laid on pixels.
fn flood() -> Workshop {
    let workshop = valley();
    Shapes::new(&[("height", OFTReal)])
        .with("POLYGON ((20 24, 23 24, 23 27, 20 27, 20 24))", &[number(4.0)])
        .write(&workshop, "houses.gpkg");
    Shapes::new(&[("height", OFTReal)])
        .with("LINESTRING (40.5 0.5, 40.5 28.5)", &[number(2.0)])
        .write(&workshop, "dykes.gpkg");
    let n = |column: usize, row: usize| 0.03 + 0.01 * ((column / 3 + row / 5) % 4) as f64;
    workshop.raster("n.tif", &Raster::new(SIZE.0, SIZE.1, n));
    let source = at(2.5, 30.5);
    let text = format!(
        r#"
dem = "dem.tif"
subgrid = 4
buildings = "houses.gpkg"
walls = "dykes.gpkg"
roughness = "n.tif"
source = "{source},60 m3/s"
rain = "20 mm/h"
open = "east"
duration = "20 min"
layers = "depth,max_depth,arrival_time"
"#
    );
    workshop.file("flood.toml", text);
    workshop
}

#[test]
fn a_ratio_of_one_is_a_run_without_tables() {
    let workshop = valley();
    let flow = ["--rain", "60 mm/h", "--duration", "5 min"];
    let run = |more: &[&str]| workshop.run(&[&flow[..], more].concat()).done();
    run(&["--out", "plain"]);
    run(&["--subgrid", "1", "--out", "one"]);
    for layer in ["depth", "max_depth", "arrival_time"] {
        let of = |out: &str| pixels(workshop.path(&format!("{out}/{layer}.tif")));
        assert!(of("plain") == of("one"), "{layer}");
    }
}

#[test]
fn every_tiling_number_of_threads_and_of_ranks_gives_the_same() {
    let workshop = flood();
    let run = |more: &[&'static str]| [&["run", "flood.toml"], more].concat();
    workshop.inundate(&run(&["--out", "alone", "--threads", "1"])).done();
    assert!(workshop.volume("alone", "outflow_m3") > 0.0);
    assert_eq!(workshop.report("alone")["grid"]["columns"], 22);
    workshop.inundate(&run(&["--out", "tiles", "--threads", "2", "--tile", "7x5"])).done();
    for layer in ["depth", "max_depth", "arrival_time"] {
        let of = |out: &str| pixels(workshop.path(&format!("{out}/{layer}.tif")));
        assert!(of("alone") == of("tiles"), "{layer}");
    }
    let ranks = start(&workshop, &run(&["--out", "ranks", "--threads", "1"]), 3);
    for (status, said) in end(ranks) {
        assert!(status.success(), "{said}");
    }
    assert_same(&workshop, "ranks", "alone");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let workshop = valley();
    let refused = |ratio: &str, more: &[&str], parts: &[&str]| {
        let run = ["run", "--dem", "dem.tif", "--duration", "1 min", "--rain", "9 mm/h"];
        workshop.refuses(&[&run[..], &["--subgrid", ratio], more].concat(), parts);
    };
    refused("0", &[], &["subgrid: 0 is no number of pixels", "for example 8"]);
    refused("1000", &[], &["subgrid: 1000 is no number of pixels", "give 2 to 256"]);
    refused("70", &[], &["a cell of 70 × 70 pixels is larger than the DEM, which has 88 × 60"]);
    let rule = ["--rule", "aqua-manning"];
    refused("4", &rule, &["subgrid: aqua-manning does not know", "take the rule shallow-water"]);
    refused("4", &["--order", "2"], &["subgrid: shallow-water-2 does not know"]);
}
