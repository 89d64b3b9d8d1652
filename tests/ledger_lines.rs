//! The lines of the ledger for those who bring water: they add up to its totals, and are the same for all tilings and for
//! a run that was stopped.

mod cli_common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop};
use gdal::vector::OGRFieldType;
use std::collections::BTreeMap;

/// A point so many columns and rows from the north-west corner.
fn at(column: f64, row: f64) -> String {
    format!("{},{}", CORNER.0 + 10.0 * column, CORNER.1 - 10.0 * row)
}

/// The columns of the balance of a run.
fn balance(workshop: &Workshop, out: &str) -> BTreeMap<String, Vec<f64>> {
    let path = workshop.path(&format!("{out}/mass_balance.csv"));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for record in reader.records() {
        for (name, value) in header.iter().zip(&record.unwrap()) {
            columns.entry(name.into()).or_default().push(value.parse().unwrap_or(f64::NAN));
        }
    }
    columns
}

/// A valley with sources of every kind, two of whose features share cells.
fn valley() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(24, 16, |column, row| {
        30.0 - 0.2 * column as f64 + 0.05 * ((column * 7 + row * 5) % 4) as f64
    }));
    workshop.raster(
        "spring.tif",
        &Raster::new(24, 16, |c, r| if r == 3 && c > 4 { 0.01 * c as f64 } else { 0.0 }),
    );
    Shapes::new(&[("name", OGRFieldType::OFTString), ("flow", OGRFieldType::OFTReal)])
        .with("LINESTRING (3.5 8.5, 9.5 8.5)", &[text("upper"), number(0.7)])
        .with("LINESTRING (7.5 8.5, 12.5 8.5)", &[text("lower"), number(1.9)])
        .with("POINT (8.5 8.5)", &[text("lower"), number(0.3)])
        .write(&workshop, "rivers.gpkg");
    workshop.file("wave.csv", "time [min],flow [m3/s]\n0,0\n2,3\n5,1\n7,0\n");
    workshop
}

fn sources() -> Vec<String> {
    let wave = format!("{},wave.csv", at(2.5, 12.5));
    let sources = ["rivers.gpkg", "spring.tif", &wave, &format!("{},0.2 m3/s", at(20.5, 2.5))];
    sources.iter().flat_map(|source| ["--source".to_string(), source.to_string()]).collect()
}

#[test]
fn lines_of_sources_add_up_to_the_inflow_at_every_time() {
    let workshop = valley();
    let sources = sources();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for rule in ["shallow-water", "inertial"] {
        let run = |more: &[&str], out: &str| {
            let how =
                ["--duration", "10min", "--gauge-every", "7s", "--open", "east", "--rule", rule];
            workshop.run(&[&sources[..], &how, &["--out", out], more].concat()).done();
            balance(&workshop, out)
        };
        let one = run(&[], &format!("{rule}-one"));
        assert_eq!(one, run(&["--tile", "7x5", "--threads", "2"], &format!("{rule}-tiles")));
        let names: Vec<&String> = one.keys().filter(|name| name.starts_with("source ")).collect();
        assert_eq!(names.len(), 6, "{names:?}");
        assert!(one.contains_key("source lower (2) [m3]"));
        let grain = 100.0 / 16_777_216.0;
        for (row, inflow) in one["inflow [m3]"].iter().enumerate() {
            let sum: f64 = names.iter().map(|name| (one[*name][row] / grain).round()).sum();
            assert_eq!(sum, (inflow / grain).round(), "{rule}, row {row}");
        }
        let report = workshop.report(&format!("{rule}-one"));
        let told: Vec<f64> = report["sources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|source| source["inflow_m3"].as_f64().unwrap())
            .collect();
        assert_eq!(
            told.iter().map(|volume| (volume / grain).round()).sum::<f64>(),
            (report["volume"]["inflow_m3"].as_f64().unwrap() / grain).round()
        );
        assert!(report["other_inflow_m3"].is_null());
        // A constant flow for ten minutes, to a grain per cell and what shares are rounded to.
        for (volume, expected) in told.iter().zip([420.0, 1140.0, 180.0]) {
            assert!((volume - expected).abs() < 1e-3, "{volume}, not {expected}");
        }
        assert!((told[5] - 120.0).abs() < 1e-4 && (told[4] - 600.0).abs() < 1e-3, "{told:?}");
    }
}

#[test]
fn what_held_levels_bring_is_the_rest_and_links_have_columns() {
    let workshop = valley();
    let pump = format!("{},{},pump,20 l/s,weir", at(22.5, 2.5), at(2.5, 2.5));
    workshop.file("links.csv", format!("x1,y1,x2,y2,kind,capacity,name\n{pump}\n"));
    let point = format!("{},0.2 m3/s", at(20.5, 2.5));
    let run =
        ["--source", &point, "--level", "east,26.5", "--links", "links.csv", "--duration", "10min"];
    workshop.run(&run).done();
    let (balance, report) = (balance(&workshop, "results"), workshop.report("results"));
    let last = |name: &str| *balance[name].last().unwrap();
    let [inflow, other] = ["inflow [m3]", "held levels and inflow cells [m3]"].map(last);
    assert!(other > 0.0 && inflow > other);
    assert!((inflow - other - last(&format!("source {point} [m3]"))).abs() < 1e-6);
    let told = report["other_inflow_m3"].as_f64().unwrap();
    assert!((told - other).abs() < 1e-9 * told);
    let forward = report["links"][0]["forward_m3"].as_f64().unwrap();
    assert!(forward > 0.0 && (last("link weir forward [m3]") - forward).abs() < 1e-9 * forward);
    assert_eq!(last("link weir back [m3]"), 0.0);
    let page = std::fs::read_to_string(workshop.path("results/report.html")).unwrap();
    assert!(page.contains("of it held levels and inflow cells"));
}

#[test]
fn automata_have_lines_of_sources_too() {
    let workshop = valley();
    let point = format!("{},2 m3/step", at(20.5, 2.5));
    let other = format!("{},0.5 m3/step", at(3.5, 2.5));
    workshop.run(&["--source", &point, "--source", &other, "--steps", "30"]).done();
    let report = workshop.report("results");
    let told = |at: usize| report["sources"][at]["inflow_m3"].as_f64().unwrap();
    assert!((told(0) - 60.0).abs() < 1e-4 && (told(1) - 15.0).abs() < 1e-4);
    assert_eq!(told(0) + told(1), report["volume"]["inflow_m3"].as_f64().unwrap());
}
