//! `inundate compare`: statistics compared with hand-computed small maps and with independent
//! implementations of the definitions; maps on other grids, polygons, points, series, and the
//! difference map.

use crate::cli_common;

use cli_common::vectors::{Shapes, number};
use cli_common::{CORNER, Raster, UTM33, Workshop, pixels, write_layer};
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};
use gdal::vector::OGRFieldType::OFTReal;
use serde_json::Value;

/// Runs `compare --json` with these arguments.
#[track_caller]
fn compared(workshop: &Workshop, arguments: &[&str]) -> Value {
    workshop.inundate(&[&["compare", "--json"], arguments].concat()).done().json()
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{value}, not {expected}");
}

/// Returns a pseudo-random depth up to 2 m, dry in a third of the cells.
fn bumpy(column: usize, row: usize, seed: usize) -> f64 {
    let mut mixed = (column * 61 + row * 4093 + seed * 1_299_709) as u64;
    for _ in 0..3 {
        mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x9e37_79b9_7f4a_7c15) % (1 << 40);
    }
    ((mixed % 3001) as f64 / 1000.0 - 1.0).max(0.0)
}

/// Two maps of 3 × 2 cells:
///   result 1.0 0.5 0.0 / 0.2 0.05 NoData, other 0.8 0.0 0.4 / 0.2 0.0 1.0
fn hand_made() -> Workshop {
    let workshop = Workshop::empty();
    let map = |values: [f64; 6]| Raster::new(3, 2, move |column, row| values[row * 3 + column]);
    workshop.raster("a.tif", &map([1.0, 0.5, 0.0, 0.2, 0.05, -9999.0]).unit("m"));
    workshop.raster("b.tif", &map([0.8, 0.0, 0.4, 0.2, 0.0, 1.0]).unit("m"));
    workshop
}

#[test]
fn a_hand_computed_map_has_the_expected_metrics() {
    let json = compared(&hand_made(), &["a.tif", "--with", "b.tif"]);
    assert_eq!(json["kind"], "depth");
    assert_eq!(json["cells"]["grid"], 6);
    assert_eq!(json["cells"]["compared"], 5);
    assert_eq!(json["cells"]["missing_in_result"], 1);
    assert_eq!(json["cell_area_m2"], 100.0);
    // From 0.1 m: hits 1.0/0.8 and 0.2/0.2, false alarm 0.5/0, miss 0/0.4, dry 0.05/0.
    let at = &json["thresholds"][0];
    assert_eq!((&at["hits"], &at["false_alarms"]), (&2.into(), &1.into()));
    assert_eq!((&at["misses"], &at["correct_dry"]), (&1.into(), &1.into()));
    near(&at["csi"], 0.5);
    near(&at["hit_rate"], 2.0 / 3.0);
    near(&at["false_alarm_ratio"], 1.0 / 3.0);
    near(&at["bias"], 1.0);
    // Wet in both: +0.2 and 0; in either: +0.2, 0, +0.5, −0.4.
    assert_eq!(at["wet_in_both"]["count"], 2);
    near(&at["wet_in_both"]["rmse"], 0.02f64.sqrt());
    near(&at["wet_in_both"]["mae"], 0.1);
    assert_eq!(at["wet_in_either"]["count"], 4);
    near(&at["wet_in_either"]["rmse"], (0.45f64 / 4.0).sqrt());
    near(&at["wet_in_either"]["mae"], 1.1 / 4.0);
    near(&at["wet_in_either"]["mean_difference"], 0.3 / 4.0);
    near(&at["wet_in_either"]["max_difference"], 0.5);
    // From 0.3 m: one hit, one false alarm, one miss.
    near(&json["thresholds"][1]["threshold_m"], 0.3);
    near(&json["thresholds"][1]["csi"], 1.0 / 3.0);
}

#[test]
fn the_table_shows_the_same_metrics() {
    let ran = hand_made().inundate("compare a.tif --with b.tif").done();
    ran.prints(&["a.tif against the depths of b.tif", "cells compared: 5 of 6", "0.1 m", "0.500"]);
    // Neither result is an observation.
    assert!(ran.out.contains("only in result") && ran.out.contains("only in other"), "{}", ran.out);
    assert!(!ran.out.contains("false alarms") && !ran.out.contains("misses"), "{}", ran.out);
    assert_eq!(ran.err, "");
}

#[test]
fn metrics_of_larger_maps_follow_the_definitions() {
    let (workshop, columns, rows) = (Workshop::empty(), 61, 47);
    let a = Raster::new(columns, rows, |c, r| bumpy(c, r, 1)).with(3, 4, -9999.0);
    let b = Raster::new(columns, rows, |c, r| bumpy(c, r, 2)).with(9, 2, -9999.0);
    workshop.raster("a.tif", &a);
    workshop.raster("b.tif", &b);
    let json = compared(&workshop, &["a.tif", "--with", "b.tif", "--threshold", "25cm,1 m,0.25"]);
    assert_eq!(json["thresholds"].as_array().unwrap().len(), 2);
    for (at, threshold) in json["thresholds"].as_array().unwrap().iter().zip([0.25, 1.0]) {
        let pairs: Vec<(f64, f64)> = (a.values.iter().zip(&b.values))
            .filter(|(a, b)| **a >= 0.0 && **b >= 0.0)
            .map(|(a, b)| (f64::from(*a as f32), f64::from(*b as f32)))
            .collect();
        let number = |chosen: fn(bool, bool) -> bool| {
            pairs.iter().filter(|(a, b)| chosen(*a >= threshold, *b >= threshold)).count() as f64
        };
        let (both, either) = (number(|a, b| a && b), number(|a, b| a || b));
        let (wet_a, wet_b) = (number(|a, _| a), number(|_, b| b));
        near(&at["csi"], both / either);
        near(&at["hit_rate"], both / wet_b);
        near(&at["false_alarm_ratio"], 1.0 - both / wet_a);
        near(&at["bias"], wet_a / wet_b);
        let differences = |all: bool| -> Vec<f64> {
            let wet = |(a, b): &&(f64, f64)| match (*a >= threshold, *b >= threshold) {
                (true, true) => true,
                (one, other) => all && (one || other),
            };
            pairs.iter().filter(wet).map(|(a, b)| a - b).collect()
        };
        for (name, d) in [("wet_in_both", differences(false)), ("wet_in_either", differences(true))]
        {
            let mean =
                |of: &dyn Fn(f64) -> f64| d.iter().map(|d| of(*d)).sum::<f64>() / d.len() as f64;
            assert_eq!(at[name]["count"], d.len());
            near(&at[name]["rmse"], mean(&|d| d * d).sqrt());
            near(&at[name]["mae"], mean(&f64::abs));
            near(&at[name]["mean_difference"], mean(&|d| d));
            let largest = d.iter().fold(0.0f64, |far, d| far.max(d.abs()));
            near(&Value::from(at[name]["max_difference"].as_f64().unwrap().abs()), largest);
        }
    }
}

#[test]
fn an_output_folder_means_its_maximum_depth() {
    let workshop = hand_made();
    for (folder, map) in [("one", "a.tif"), ("two", "b.tif")] {
        std::fs::create_dir(workshop.path(folder)).unwrap();
        let to = workshop.path(folder).join("max_depth.tif");
        std::fs::copy(workshop.path(map), to).unwrap();
    }
    let json = compared(&workshop, &["one", "--with", "two"]);
    assert_eq!(json["thresholds"][0]["hits"], 2);
    std::fs::create_dir(workshop.path("empty")).unwrap();
    workshop.refuses(
        "compare empty --with two",
        &["result: the folder 'empty' has no max_depth.tif", "hint:"],
    );
}

#[test]
fn converts_a_map_in_feet() {
    let workshop = Workshop::empty();
    workshop.raster("a.tif", &Raster::new(3, 3, |_, _| 0.3048));
    workshop.raster("b.tif", &Raster::new(3, 3, |_, _| 1.0).unit("ft"));
    let json = compared(&workshop, &["a.tif", "--with", "b.tif"]);
    near(&json["thresholds"][0]["wet_in_both"]["mae"], 0.0);
}

#[test]
fn warps_a_finer_map_onto_the_result() {
    // A plane of depth over cells of 5 m, averaged exactly onto cells of 10 m.
    let workshop = Workshop::empty();
    let plane = |x: f64| 0.5 + x * 0.01;
    workshop.raster("a.tif", &Raster::new(20, 20, |c, _| plane(c as f64 * 10.0 + 5.0)));
    let fine = [CORNER.0 - 50.0, 5.0, 0.0, CORNER.1 + 50.0, 0.0, -5.0];
    let fine = Raster::new(60, 60, |c, _| plane(c as f64 * 5.0 + 2.5 - 50.0)).transform(fine);
    workshop.raster("b.tif", &fine);
    let json = compared(&workshop, &["a.tif", "--with", "b.tif"]);
    assert_eq!(json["warped"], true);
    assert_eq!(json["cells"]["compared"], 400);
    assert_eq!(json["thresholds"][0]["csi"], 1.0);
    let largest = json["thresholds"][0]["wet_in_both"]["max_difference"].as_f64().unwrap();
    assert!(largest.abs() < 1e-5, "{largest}");
}

#[test]
fn warps_a_map_in_another_crs_onto_the_result() {
    let workshop = Workshop::empty();
    workshop.raster("a.tif", &Raster::new(8, 8, |_, _| 0.5));
    // Cells of about 11 × 8 m in degrees, all around the result.
    let degrees = [14.999, 0.0001, 0.0, 45.155, 0.0, -0.0001];
    workshop.raster("b.tif", &Raster::new(40, 40, |_, _| 0.75).epsg(4326).transform(degrees));
    let json = compared(&workshop, &["a.tif", "--with", "b.tif"]);
    assert_eq!((&json["warped"], &json["cells"]["compared"]), (&true.into(), &64.into()));
    near(&json["thresholds"][1]["wet_in_both"]["mean_difference"], -0.25);
    near(&json["thresholds"][1]["wet_in_both"]["mae"], 0.25);
}

#[test]
fn suspects_a_dem_given_in_place_of_depths() {
    let workshop = hand_made();
    workshop.raster("dem.tif", &Raster::new(3, 2, |_, _| 512.0));
    let ran = workshop.inundate("compare dem.tif --with b.tif").done();
    ran.says(&["warning: result: 'dem.tif' has depths of up to 512 m"]);
}

#[test]
fn distinguishes_an_extent_raster_from_depths() {
    let workshop = Workshop::empty();
    let result = Raster::new(4, 1, |c, _| [0.5, 0.5, 0.0, 0.0][c]);
    let extent = Raster::new(4, 1, |c, _| [1.0, 0.0, 1.0, 0.0][c]);
    workshop.raster("a.tif", &result);
    workshop.raster("extent.tif", &extent);
    let json = compared(&workshop, &["a.tif", "--with", "extent.tif", "--difference", "d.tif"]);
    assert_eq!(json["kind"], "extent");
    near(&json["thresholds"][0]["csi"], 1.0 / 3.0);
    assert!(json["thresholds"][0]["wet_in_both"].is_null());
    assert_eq!(pixels(workshop.path("d.tif")), [1.0, 2.0, 3.0, 0.0]);
    let style = workshop.text("d.qml");
    assert!(style.contains("false alarm"));
    let json = compared(&workshop, &["a.tif", "--with", "extent.tif", "--as", "depth"]);
    assert_eq!(json["kind"], "depth");
}

#[test]
fn nodata_of_an_extent_may_mean_dry() {
    let workshop = Workshop::empty();
    workshop.raster("a.tif", &Raster::new(4, 1, |c, _| [0.5, 0.5, 0.0, 0.0][c]));
    workshop.raster("wet.tif", &Raster::new(4, 1, |c, _| [1.0, -9999.0, 1.0, -9999.0][c]));
    let ran = workshop.inundate("compare a.tif --with wet.tif").done();
    ran.says(&["warning: with: 'wet.tif' is dry nowhere", "--dry-nodata"]);
    let json = compared(&workshop, &["a.tif", "--with", "wet.tif", "--dry-nodata"]);
    assert_eq!(json["cells"]["compared"], 4);
    near(&json["thresholds"][0]["false_alarm_ratio"], 0.5);
}

/// Creates a result of 10 × 10 cells, 1 m deep in its western half, and a rectangle over the
/// columns 3 to 6.
fn half_wet() -> (Workshop, String) {
    let workshop = Workshop::empty();
    workshop.raster("a.tif", &Raster::new(10, 10, |c, _| f64::from(u8::from(c < 5))));
    let (west, east) = (CORNER.0 + 30.0, CORNER.0 + 70.0);
    let (south, north) = (CORNER.1 - 100.0, CORNER.1);
    let ring = format!("{west} {south},{east} {south},{east} {north},{west} {north}");
    (workshop, format!("POLYGON (({ring},{west} {south}))"))
}

#[test]
fn rasterizes_polygons_onto_the_grid() {
    let (workshop, polygon) = half_wet();
    let features = [(&polygon[..], "flood", None)];
    for (name, driver) in [("o.gpkg", "GPKG"), ("o.shp", "ESRI Shapefile"), ("o.fgb", "FlatGeobuf")]
    {
        write_layer(&workshop.path(name), driver, UTM33, "stage", &features);
        let json = compared(&workshop, &["a.tif", "--with", name, "--threshold", "0.1"]);
        assert_eq!(json["kind"], "extent", "{name}");
        let at = &json["thresholds"][0];
        assert_eq!((&at["hits"], &at["misses"]), (&20.into(), &20.into()), "{name}");
        assert_eq!((&at["false_alarms"], &at["correct_dry"]), (&30.into(), &30.into()), "{name}");
    }
}

#[test]
fn reprojects_polygons_in_degrees() {
    let (workshop, _) = half_wet();
    // Far wider than the map on every side except the west, where it is cut at the central
    // meridian.
    workshop.file(
        "o.geojson",
        r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":
        {"type":"Polygon","coordinates":[[[15.0,45],[15.1,45],[15.1,46],[15.0,46],[15.0,45]]]}}]}"#,
    );
    let json = compared(&workshop, &["a.tif", "--with", "o.geojson"]);
    assert_eq!(
        (&json["thresholds"][0]["hits"], &json["thresholds"][0]["misses"]),
        (&50.into(), &50.into())
    );
}

/// Creates a result of 10 × 1 cells whose depth is a tenth of the column's number [m], with NoData
/// in the last one.
fn ramp() -> Workshop {
    let workshop = Workshop::empty();
    let ramp = Raster::new(10, 1, |c, _| c as f64 / 10.0).with(9, 0, -9999.0);
    workshop.raster("a.tif", &ramp);
    workshop.raster("dem.tif", &Raster::new(10, 1, |c, _| 100.0 - c as f64));
    workshop
}

#[test]
fn compares_points_with_their_cells() {
    let workshop = ramp();
    workshop.file(
        "marks.csv",
        "name,x,y,depth [cm]\nbridge,500025,4999995,30\nmill,500055,4999995,40\nlane,500001,4999999,0\n",
    );
    let json = compared(&workshop, &["a.tif", "--with", "marks.csv"]);
    assert_eq!(json["kind"], "points");
    assert_eq!(json["quantity"], "depth");
    // bridge 0.2 − 0.3, mill 0.5 − 0.4, lane 0 − 0.
    near(&json["errors"]["rmse"], (0.02f64 / 3.0).sqrt());
    near(&json["errors"]["mae"], 0.2 / 3.0);
    near(&json["errors"]["mean_difference"], 0.0);
    assert_eq!(json["dry"], 1);
    assert_eq!(json["points"][0]["name"], "bridge");
    near(&json["points"][0]["difference"], -0.1);
}

#[test]
fn levels_need_the_dem_and_water() {
    let workshop = ramp();
    workshop.file("marks.csv", "x,y,level [m]\n500025,4999995,98.5\n500005,4999995,100\n");
    workshop.refuses("compare a.tif --with marks.csv", &["the points are levels", "--dem dem.tif"]);
    let json = compared(&workshop, &["a.tif", "--with", "marks.csv", "--dem", "dem.tif"]);
    // Column 2: 98 + 0.2 against 98.5; column 0 is dry.
    assert_eq!((&json["errors"]["count"], &json["dry"]), (&1.into(), &1.into()));
    near(&json["points"][0]["modelled"], 98.2);
    near(&json["errors"]["mean_difference"], -0.3);
    assert!(json["points"][1]["modelled"].is_null());
}

/// Compares the level of a run's gauge with the run's own maps.
#[track_caller]
fn level_of_gauge(workshop: &Workshop, run: &[&str], compare: &[&str]) -> Value {
    let place = format!("{},{}", CORNER.0 + 55.0, CORNER.1 - 45.0);
    let gauge = ["--gauges", &place, "--initial-level", "9 m", "--duration", "1min"];
    workshop.inundate(&[&["run", "--overwrite"], run, &gauge].concat()).done();
    let level = &workshop.report("results")["gauges"][0]["max_level_m"];
    workshop.file("level.csv", format!("x,y,level [m]\n{place},{level}\n"));
    compared(workshop, &[&["results", "--with", "level.csv"], compare].concat())
}

#[test]
fn levels_of_a_run_use_the_bed_that_it_used() {
    let workshop = Workshop::flat();
    workshop.raster("cm.tif", &Raster::new(12, 8, |_, _| 1000.0));
    let river = |width: f64| {
        Shapes::new(&[("width", OFTReal), ("depth", OFTReal)])
            .with("LINESTRING (0 4.5, 12 4.5)", &[number(width), number(2.0)])
            .write(&workshop, "rivers.gpkg");
    };
    river(20.0);
    for dem in [&["dem.tif"][..], &["cm.tif", "--height-unit", "cm"]] {
        for more in [&[][..], &["--subgrid", "2", "--output-grid", "fine"]] {
            for compare in [&[][..], &["--dem", dem[0]]] {
                let run = [&["--rivers", "rivers.gpkg", "--dem"], dem, more].concat();
                let json = level_of_gauge(&workshop, &run, compare);
                assert_eq!(json["points"][0]["modelled"], 9.0, "{run:?} {compare:?}");
                assert_eq!(json["warnings"], serde_json::json!([]));
            }
        }
    }
    // Other rivers than those of the run, or rivers that the DEM's cells cannot show.
    let run = ["--dem", "dem.tif", "--rivers", "rivers.gpkg"];
    level_of_gauge(&workshop, &run, &[]);
    river(40.0);
    let compare = "compare results --with level.csv";
    workshop.refuses(compare, &["rivers: 'rivers.gpkg' does not have", "max_depth,max_level"]);
    let scale = "<PAMRasterBand band=\"1\"><Scale>2</Scale></PAMRasterBand>";
    workshop.file("dem.tif.aux.xml", format!("<PAMDataset>{scale}</PAMDataset>"));
    workshop.refuses(compare, &["dem: 'dem.tif' does not have the contents that the run read"]);
    std::fs::remove_file(workshop.path("dem.tif.aux.xml")).unwrap();
    std::fs::remove_file(workshop.path("rivers.gpkg")).unwrap();
    workshop.refuses(compare, &["rivers.gpkg", "max_depth,max_level"]);
    river(4.0);
    let with_maps = [&run[..], &["--layers", "max_depth,max_level"]].concat();
    let json = level_of_gauge(&workshop, &with_maps, &["--dem", "dem.tif"]);
    assert_eq!(json["points"][0]["modelled"], 9.0);
    assert!(json["warnings"][0].as_str().unwrap().starts_with("--dem has no effect"));
    std::fs::remove_file(workshop.path("results/max_level.tif")).unwrap();
    workshop.refuses(compare, &["rivers narrower than a cell", "max_depth,max_level"]);
}

#[test]
fn maps_of_levels_and_hazards_hold_no_depths() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |column, _| 100.0 + column as f64));
    let layers = "--layers depth,level,max_depth,max_level,hazard,aidr";
    let lake = "--initial-level '102.5 m' --duration 1s";
    workshop.run(&format!("{lake} {layers}")).done();
    let path = |name: &str| workshop.path(name);
    std::fs::copy(path("results/max_level.tif"), path("copy.tif")).unwrap();
    workshop.file("marks.csv", "x,y,level [m]\n500005,4999995,102.25\n500105,4999995,103\n");
    for map in ["results/max_level.tif", "results/level.tif", "copy.tif"] {
        for dem in [&[][..], &["--dem", "dem.tif", "--threshold", "9"]] {
            let json = compared(&workshop, &[&[map, "--with", "marks.csv"], dem].concat());
            near(&json["points"][0]["modelled"], 102.5);
            assert!(json["points"][1]["modelled"].is_null(), "the last column is dry");
            assert_eq!((&json["dry"], &json["outside"]), (&1.into(), &0.into()));
            let warning = "--dem, --threshold has no effect, because the result is a map of levels";
            let warnings: &[&str] = if dem.is_empty() { &[] } else { &[warning] };
            assert_eq!(json["warnings"], serde_json::json!(warnings), "{map}");
        }
    }
    let depths =
        "holds the maximum water level, not depths\n  hint: give the output folder of the run";
    workshop.file("depths.csv", "x,y,depth [m]\n500005,4999995,2.5\n");
    for with in ["depths.csv", "results/max_depth.tif", "results/max_level.tif"] {
        let compare = format!("compare copy.tif --with '{with}'");
        workshop.refuses(&compare, &[&format!("result: 'copy.tif' {depths}")]);
    }
    let compare = "compare results --with copy.tif";
    workshop.refuses(compare, &[&format!("with: 'copy.tif' {depths}")]);
    let difference = "--difference difference.tif";
    let depths = "compare results --with results";
    workshop.inundate(&format!("{depths} {difference}")).done();
    for (map, name) in [
        ("results/hazard.tif", "the flood hazard rating"),
        ("results/aidr.tif", "the flood hazard class H1 to H6"),
        ("difference.tif", "the difference of depth, result - other"),
    ] {
        let holds = [&format!("'{map}' holds {name}, not depths")[..]];
        workshop.refuses(&format!("compare '{map}' --with results"), &holds);
        workshop.refuses(&format!("compare results --with '{map}'"), &holds);
    }
    // Nor is a map of levels from elsewhere.
    workshop.shell("gdal_translate -q -of VRT results/max_depth.tif other.vrt").done();
    let other = workshop.text("other.vrt").replace("INUNDATE_VERSION", "V");
    let named = "<Description>Max_Water_Level</Description>";
    let other = other.replace("<Description>maximum water depth</Description>", named);
    workshop.file("other.vrt", &other);
    assert!(other.contains(named), "{other}");
    let levels = "with: 'other.vrt' holds Max_Water_Level, not depths";
    workshop.refuses("compare results --with other.vrt", &[levels]);
    // Nor are they initial water.
    let run =
        |option| ["run", "--dem", "dem.tif", option, "copy.tif", "--duration", "1s", "--out", "o"];
    for option in ["--initial-depth", "--inflow-depth"] {
        let levels = "'copy.tif' holds the maximum water level, not depths\n  hint: give depths, such as depth.tif";
        workshop.refuses(&run(option), &[levels]);
    }
    let raster =
        "initial_level: 'copy.tif' is a raster, but levels are read from a layer of polygons";
    workshop.refuses(&run("--initial-level"), &[raster, "start_from", "initial_depth"]);
    let start = "--initial-depth results/depth.tif --duration 1s --overwrite";
    workshop.run(&format!("{start} --out again")).done();
    near(&workshop.report("again")["volume"]["stored_m3"], workshop.volume("results", "stored_m3"));
}

#[test]
fn hints_for_a_dem_do_not_name_options_of_runs() {
    let workshop = ramp();
    workshop.file("marks.csv", "x,y,level [m]\n500025,4999995,98.5\n");
    workshop.raster("dem.tif", &Raster::new(10, 1, |c, _| 1e4 - c as f64));
    let compare = "compare a.tif --with marks.csv --dem dem.tif";
    let ran = workshop.refuses(compare, &["no ground on Earth", "gdal_edit.py -units"]);
    ran.never_says("--height-unit");
}

#[test]
fn points_may_be_a_layer_or_in_degrees() {
    let workshop = ramp();
    let features =
        [("POINT (500025 4999995)", "bridge", Some(0.3)), ("POINT (500055 4999995)", "mill", None)];
    write_layer(&workshop.path("m.gpkg"), "GPKG", UTM33, "depth", &features);
    let ran = workshop.inundate("compare a.tif --with m.gpkg").done();
    let ran = ran.says(&["1 point of 'm.gpkg' in 'depth' has no value"]);
    assert!(ran.out.contains("bridge") && ran.out.contains("-0.100"), "{}", ran.out);
    workshop.refuses(
        "compare a.tif --with m.gpkg --field dpeth",
        &["has no field 'dpeth'", "it has: name, depth"],
    );
    write_layer(&workshop.path("n.gpkg"), "GPKG", UTM33, "value", &features);
    workshop.refuses("compare a.tif --with n.gpkg", &["--field NAME --quantity depth"]);
    let message = ["--field", "value", "--quantity", "depth"];
    compared(&workshop, &[&["a.tif", "--with", "n.gpkg"][..], &message].concat());
    // The middle of column 2 in degrees.
    let srs = |epsg| {
        let mut srs = SpatialRef::from_epsg(epsg).unwrap();
        srs.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
        srs
    };
    let to_degrees = CoordTransform::new(&srs(UTM33), &srs(4326)).unwrap();
    let (mut x, mut y) = ([500_025.0], [4_999_995.0]);
    to_degrees.transform_coords(&mut x, &mut y, &mut []).unwrap();
    workshop.file("d.csv", format!("x,y,depth\n{:.9},{:.9},0.3\n", x[0], y[0]));
    let json = compared(&workshop, &["a.tif", "--with", "d.csv", "--crs", "EPSG:4326"]);
    near(&json["points"][0]["modelled"], 0.2);
    workshop.refuses(
        "compare a.tif --with d.csv",
        &["the result has no value at 1 of 1 points", "--crs EPSG:4326"],
    );
}

#[test]
fn metrics_of_series_follow_the_definitions() {
    let workshop = Workshop::empty();
    let model = |t: f64| 10.0 + 5.0 * (t / 3.0).sin() + t * 0.1;
    let gauge = |t: f64| 11.0 + 4.0 * ((t - 0.7) / 3.0).sin();
    let table = |times: &[f64], of: &dyn Fn(f64) -> f64, head: &str| {
        let lines: Vec<String> = times.iter().map(|t| format!("{t},{}\n", of(*t))).collect();
        format!("{head}\n{}", lines.concat())
    };
    let fine: Vec<f64> = (0..=80).map(|i| f64::from(i) * 0.25).collect();
    let coarse: Vec<f64> = (0..=24).map(f64::from).collect();
    workshop.file("a.csv", table(&fine, &model, "time [h],discharge [m3/s]"));
    workshop.file("b.csv", table(&coarse, &gauge, "time_h,Q [m³/s]"));
    let json = compared(&workshop, &["--series", "a.csv", "--with", "b.csv"]);
    // Whole hours are common times; times after 20 h are not covered.
    let times = &coarse[..=20];
    let (m, o): (Vec<f64>, Vec<f64>) = times.iter().map(|t| (model(*t), gauge(*t))).unzip();
    let n = m.len() as f64;
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
    let (mean_m, mean_o) = (mean(&m), mean(&o));
    let var = |v: &[f64], mean: f64| v.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let cov = m.iter().zip(&o).map(|(m, o)| (m - mean_m) * (o - mean_o)).sum::<f64>() / n;
    let squares = m.iter().zip(&o).map(|(m, o)| (m - o) * (m - o)).sum::<f64>();
    let (sd_m, sd_o) = (var(&m, mean_m).sqrt(), var(&o, mean_o).sqrt());
    assert_eq!((&json["errors"]["count"], &json["not_covered"]), (&21.into(), &4.into()));
    assert_eq!((&json["unit"], &json["time_unit"]), (&"m3/s".into(), &"s".into()));
    near(&json["errors"]["rmse"], (squares / n).sqrt());
    near(&json["nse"], 1.0 - squares / n / var(&o, mean_o));
    let (r, alpha, beta) = (cov / (sd_m * sd_o), sd_m / sd_o, mean_m / mean_o);
    let distance = ((r - 1.0).powi(2) + (alpha - 1.0).powi(2) + (beta - 1.0).powi(2)).sqrt();
    near(&json["kge"]["kge"], 1.0 - distance);
    near(&json["kge"]["correlation"], r);
    let highest = |times: &[f64], of: &dyn Fn(f64) -> f64| {
        times.iter().copied().fold(0.0, |best, t| if of(t) > of(best) { t } else { best })
    };
    let (at_m, at_o) = (highest(&fine, &model), highest(times, &gauge));
    near(&json["peak"]["error"], model(at_m) - gauge(at_o));
    near(&json["peak"]["timing_error"], 3600.0 * (at_m - at_o));
    let ran = workshop.inundate("compare --series a.csv --with b.csv").done();
    assert!(ran.out.contains("NSE") && ran.out.contains("timing of the peak"), "{}", ran.out);
}

#[test]
fn interpolates_series_onto_the_reference_times() {
    let workshop = Workshop::empty();
    workshop.file("a.csv", "time [min],h [m]\n0,0\n60,6\n");
    workshop.file("b.csv", "time [min],h [m]\n10,1\n25,2\n60,6\n");
    let json = compared(&workshop, &["--series", "a.csv", "--with", "b.csv"]);
    near(&json["errors"]["max_difference"], 0.5);
    near(&json["errors"]["mae"], 0.5 / 3.0);
    // Compared with itself, all scores are perfect.
    let json = compared(&workshop, &["--series", "b.csv", "--with", "b.csv"]);
    near(&json["nse"], 1.0);
    near(&json["kge"]["kge"], 1.0);
    near(&json["peak"]["timing_error"], 0.0);
    // The efficiency of a constant reference is undefined, which is not an error.
    workshop.file("c.csv", "time [min],h [m]\n0,1\n60,1\n");
    let json = compared(&workshop, &["--series", "a.csv", "--with", "c.csv"]);
    assert!(json["nse"].is_null() && json["kge"].is_null());
}

#[test]
fn an_undated_reference_of_a_dated_series_is_noted() {
    let workshop = Workshop::empty();
    workshop.file("a.csv", "time (UTC),h [m]\n2024-06-01T10:00,0\n2024-06-01T11:00,6\n");
    let undated = "time [min],h [m]\n10,1\n30,3\n";
    workshop.file("b.csv", undated);
    let compare = ["--series", "a.csv", "--with", "b.csv"];
    let note = "with: 'b.csv' has no dates; its times count from the first time of the series, \
                2024-06-01T10:00";
    workshop.inundate(&[&["compare"], &compare[..]].concat()).done().says(&[note]);
    near(&compared(&workshop, &compare)["errors"]["rmse"], 0.0);
    // A column of dates, as in the tables of runs, counts.
    workshop
        .file("b.csv", "time [min],h [m],date\n10,2,2024-06-01T10:20Z\n20,3,2024-06-01T10:30Z\n");
    let json = compared(&workshop, &compare);
    near(&json["errors"]["rmse"], 0.0);
    assert_eq!((&json["errors"]["count"], &json["warnings"]), (&2.into(), &serde_json::json!([])));
    workshop.file("a.csv", undated);
    let json = compared(&workshop, &["--series", "a.csv", "--with", "a.csv"]);
    assert_eq!(json["warnings"], serde_json::json!([]));
}

#[test]
fn selects_series_columns_by_name() {
    let workshop = Workshop::empty();
    workshop.file("a.csv", "time [s],weir,mill\n0,1,2\n10,3,4\n");
    workshop.file("b.csv", "time [s],mill\n0,2\n10,4\n");
    workshop.refuses(
        "compare --series a.csv --with b.csv",
        &["series: 'a.csv' has 2 columns of values", "--column: weir, mill"],
    );
    let arguments = ["--series", "a.csv", "--with", "b.csv", "--column", "mill"];
    near(&compared(&workshop, &arguments)["errors"]["mae"], 0.0);
    // The unit may be left out, unless it distinguishes two columns.
    workshop.file(
        "a.csv",
        "time [s],mill level [m],mill [m],weir [m],weir [ft]\n0,9,2,1,3\n10,9,4,2,6\n",
    );
    near(&compared(&workshop, &arguments)["errors"]["mae"], 0.0);
    workshop.refuses(
        "compare --series a.csv --with b.csv --column weir",
        &["series: 'a.csv', line 1: there is no column 'weir'", "weir [m], weir [ft]"],
    );
}

#[test]
fn converts_dates_to_time_since_the_start_of_the_run() {
    let workshop = Workshop::empty();
    workshop.file("b.csv", "time,Q [m3/s]\n2021-07-14T10:00Z,2\n2021-07-14 13:00:00+02:00,4\n");
    let gauges = "time [s],time [h],date,weir [m3/s]\n\
        3600,1,2021-07-14T12:00:00+02:00,2\n7200,2,2021-07-14T13:00:00+02:00,5\n";
    workshop.file("a.csv", gauges);
    let arguments = ["--series", "a.csv", "--with", "b.csv", "--column", "weir [m3/s]"];
    let json = compared(&workshop, &arguments);
    near(&json["errors"]["mae"], 0.5);
    near(&json["period"][0], 3600.0);
    workshop.file("b.csv", "time (UTC),Q [m3/s]\n2021-07-14 10:00,2\n14.07.2021 11:00,4\n");
    near(&compared(&workshop, &arguments)["errors"]["mae"], 0.5);
    workshop.file("b.csv", "time_cest,Q [m3/s]\n2021-07-14 12:00,2\n14.07.2021 13:00,4\n");
    workshop.refuses(
        &[&["compare"], &arguments[..]].concat(),
        &["with: 'b.csv', line 1: 'time_cest' names a time zone", "(UTC+02:00)"],
    );
    workshop.file("b.csv", "time,Q [m3/s]\n2021-07-14T10:00Z,2\n2021-07-14 13:00:00+02:00,4\n");
    workshop.file("a.csv", "time [h],Q [m3/s]\n1,2\n2,5\n");
    workshop.refuses(
        "compare --series a.csv --with b.csv",
        &["with: 'b.csv' has dates, but the start of the series is unknown", "--start"],
    );
    workshop.file("a.csv", "time,Q [m3/s]\n2021-07-14T10:00Z,2\n2021-07-14T11:00Z,4\n");
    near(&compared(&workshop, &["--series", "a.csv", "--with", "b.csv"])["errors"]["mae"], 0.0);
}

#[test]
fn writes_a_map_of_the_difference() {
    let workshop = hand_made();
    let arguments = ["compare", "a.tif", "--with", "b.tif", "--difference", "d.tif"];
    workshop.inundate(&arguments).done();
    let expected = [1.0f32 - 0.8, 0.5, -0.4, 0.0, 0.05, -9999.0];
    assert_eq!(pixels(workshop.path("d.tif")), expected);
    assert_eq!(workshop.names("."), ["a.tif", "b.tif", "d.qml", "d.tif"]);
    // As in maps of afflux: red where the result is deeper, blue where it is lower, white at zero;
    // the ends are the extremes of the data.
    let style = workshop.text("d.qml");
    let items: Vec<&str> = style.split("<item").skip(1).collect();
    let colour = |item: &str| {
        let at = item.find("color=\"#").unwrap() + 8;
        [0, 2, 4].map(|part| u8::from_str_radix(&item[at + part..at + part + 2], 16).unwrap())
    };
    let (lower, deeper) = (colour(items[0]), colour(items[items.len() - 1]));
    assert!(lower[2] > lower[0] && deeper[0] > deeper[2], "{lower:?} {deeper:?}");
    assert!(items[0].contains("label=\"≤ −0.2 m\"") && items[0].contains("value=\"-0.2\""));
    let zero = items.iter().find(|item| item.contains("within ±")).unwrap();
    assert_eq!(colour(zero), [255; 3]);
    let file = gdal::Dataset::open(workshop.path("d.tif")).unwrap();
    assert_eq!(file.rasterband(1).unwrap().unit(), "m");
    assert_eq!(file.geo_transform().unwrap()[0], CORNER.0);
    drop(file);
    workshop.refuses(&arguments, &["difference: 'd.tif' exists already", "--overwrite"]);
    workshop.inundate(&[&arguments[..], &["--overwrite"]].concat()).done();
    for (path, part) in [
        ("b.tif", "'b.tif' is an input of this command"),
        ("d.png", "does not end in .tif"),
        ("nowhere/d.tif", "the folder 'nowhere' does not exist"),
    ] {
        let arguments =
            ["compare", "a.tif", "--with", "b.tif", "--overwrite", "--difference", path];
        workshop.refuses(&arguments, &[part, "hint:"]);
    }
}

#[test]
fn a_map_that_cannot_be_written_whole_leaves_nothing() {
    let workshop = Workshop::empty();
    workshop.raster("a.tif", &Raster::new(200, 200, |c, r| bumpy(c, r, 1)));
    workshop.raster("b.tif", &Raster::new(200, 200, |c, r| bumpy(c, r, 2)));
    let ran =
        workshop.shell("ulimit -f 8; \"$INUNDATE\" compare a.tif --with b.tif --difference d.tif");
    assert_eq!((ran.code, &ran.out[..]), (Some(1), ""));
    ran.says(&["cannot write", "hint:"]);
    assert_eq!(workshop.names("."), ["a.tif", "b.tif"]);
}

#[test]
fn refuses_maps_that_cannot_be_compared() {
    let workshop = hand_made();
    let elsewhere = [CORNER.0 + 5000.0, 10.0, 0.0, CORNER.1, 0.0, -10.0];
    workshop.raster("far.tif", &Raster::new(3, 2, |_, _| 1.5).transform(elsewhere));
    workshop.raster("dry.tif", &Raster::new(3, 2, |_, _| 0.02));
    workshop.raster("hours.tif", &Raster::new(3, 2, |_, _| 1.5).unit("h"));
    workshop.raster("nothing.tif", &Raster::new(3, 2, |_, _| -9999.0));
    workshop.file("text.tif", "no raster\n");
    for (a, b, parts) in [
        (
            "a.tif",
            "far.tif",
            &["there is no cell in which both 'far.tif' and the result have a value", "x 500000"][..],
        ),
        ("dry.tif", "dry.tif", &["nothing is wet in either", "0.1 m", "--threshold 0.01"]),
        ("a.tif", "hours.tif", &["with: 'hours.tif': 'h' is not a unit of depth"]),
        (
            "hours.tif",
            "a.tif",
            &["result: 'hours.tif': 'h' is not a unit of depth", "units of depth"],
        ),
        ("nothing.tif", "a.tif", &["result: 'nothing.tif' has no valid cell"]),
        ("a.tif", "missing.tif", &["with: cannot open 'missing.tif'"]),
        ("a.tif", "text.tif", &["with: 'text.tif' is not a raster that GDAL can read"]),
    ] {
        workshop.refuses(&format!("compare '{a}' --with '{b}'"), parts);
    }
    let threshold = "compare a.tif --with b.tif --threshold";
    for (depth, part) in [("0", "make every cell wet"), ("1 h", "unit"), ("-1", "negative")] {
        workshop.refuses(&format!("{threshold} '{depth}'"), &["threshold:", part]);
    }
}

#[test]
fn refuses_unsuitable_polygons() {
    let (workshop, _) = half_wet();
    let far = "POLYGON ((0 0,9 0,9 9,0 0))";
    let tiny = "POLYGON ((500001 4999999,500002 4999999,500002 4999998,500001 4999999))";
    let line = "LINESTRING (500000 5000000,500050 4999950)";
    for (name, wkt, part) in [
        ("far.gpkg", far, "no polygon of 'far.gpkg' touches the result: they cover x 0 to 9"),
        ("tiny.gpkg", tiny, "contains the centre of a cell"),
        ("line.gpkg", line, "contains a linestring"),
    ] {
        write_layer(&workshop.path(name), "GPKG", UTM33, "depth", &[(wkt, "one", None)]);
        workshop.refuses(&format!("compare a.tif --with '{name}'"), &[part, "hint:"]);
    }
    workshop.file("empty.geojson", r#"{"type":"FeatureCollection","features":[]}"#);
    workshop.refuses("compare a.tif --with empty.geojson", &["'empty.geojson' is empty"]);
    let json = r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":
        {"type":"Point","coordinates":[15.0001,45.153]}}]}"#;
    workshop.file("point.geojson", json);
    workshop.refuses("compare a.tif --with point.geojson --layer x", &["no layer 'x'"]);
}

#[test]
fn refuses_unsuitable_points() {
    let workshop = ramp();
    let refused = |csv: &str, parts: &[&str]| {
        workshop.file("p.csv", csv);
        workshop.refuses("compare a.tif --with p.csv", parts);
    };
    let outside = "name,x,y,depth\nin,500005,4999995,0\nfar,1,2,0.5\nedge,500095,4999995,0.5\n";
    refused(outside, &["no value at 2 of 3 points: far (1, 2), edge", "--skip-outside"]);
    refused("name,east,north,depth\na,1,2,3\n", &["line 1", "expected columns x and y"]);
    refused("x,y,z\n1,2,3\n", &["no field of 'p.csv' is named as a depth or a level", "x, y, z"]);
    refused("x,y,depth,level\n1,2,3,4\n", &["several fields", "--field"]);
    refused(
        "x,y,depth\n500005,4999995,wet\n",
        &["line 2: 'wet' in column 'depth' is not a number"],
    );
    refused("x,y,depth\n500005,4999995,-1\n", &["line 2: the depth -1 is negative"]);
    refused("x,y,depth [furlong]\n1,2,3\n", &["'furlong' is not a unit of depth"]);
    refused("1,2,3\n4,5,6\n", &["the header line is missing"]);
    refused("x,y,depth\n", &["the table has no data lines"]);
    refused("", &["p.csv"]);
    workshop.file("p.csv", outside);
    let json = compared(&workshop, &["a.tif", "--with", "p.csv", "--skip-outside"]);
    assert_eq!((&json["errors"]["count"], &json["outside"]), (&1.into(), &2.into()));
    let arguments =
        ["compare", "a.tif", "--with", "p.csv", "--skip-outside", "--difference", "d.tif"];
    workshop.refuses(&arguments, &["a comparison with points has no difference map"]);
    workshop.file("p.csv", "x,y,level\n500025,4999995,98\n");
    workshop.raster("other.tif", &Raster::terrain(7, 7));
    workshop.refuses(
        "compare a.tif --with p.csv --dem other.tif",
        &["dem: 'other.tif' is not on the result's grid"],
    );
    workshop.refuses(
        "compare a.tif --with p.csv --crs nonsense",
        &["crs: 'nonsense' is not a coordinate reference system", "EPSG:4326"],
    );
}

#[test]
fn refuses_unsuitable_series() {
    let workshop = Workshop::empty();
    workshop.file("b.csv", "time [h],Q [m3/s]\n0,1\n1,2\n");
    for (csv, parts) in [
        (
            "time [h],Q\n1,2\n0,3\n",
            &["series: 'a.csv', line 3: time 0 comes after a later one"][..],
        ),
        ("time [h],Q\n1,2\n1,3\n", &["line 3: time 1 appears twice"]),
        ("time,Q\n1,2\n", &["line 2: the time '1' has no unit", "time [h]"]),
        (
            "time,Q\n28/06/2012 15:15,2\n",
            &[
                "line 2: '28/06/2012 15:15' is not",
                "2021-07-14T13:05, 2021-07-14 13:05+02:00 or 14.07.2021 13:05",
            ],
        ),
        ("time [h],Q\n1,x\n", &["line 2: 'x' in column 'Q' is not a number"]),
        ("time [h],Q\n1,inf\n", &["is not a number"]),
        ("time [h]\n1\n", &["expected 2 columns"]),
        ("time [h],Q [mm]\n0,1\n1,2\n", &["not in units of one quantity: 'mm' and 'm3/s'"]),
        ("time [h],Q\n5,1\n6,2\n", &["the series do not overlap in time", "same start"]),
        ("step,Q\n0,1\n1,2\n", &["one series counts time in steps"]),
    ] {
        workshop.file("a.csv", csv);
        workshop.refuses("compare --series a.csv --with b.csv", parts);
    }
    workshop.refuses("compare --series no.csv --with b.csv", &["cannot open 'no.csv'"]);
}

#[test]
fn refuses_an_inconsistent_command_line() {
    let workshop = hand_made();
    let ran = workshop.inundate("compare a.tif --with b.tif --field depth");
    ran.done().says(&["warning: --field has no effect, because OTHER contains maps"]);
    let ran = workshop.inundate("compare a.tif --with b.tif --layer a");
    ran.done().says(&["warning: --layer has no effect, because OTHER is not a vector layer"]);
    for column in ["--column", "--with-column"] {
        let parts = ["cannot be used with"];
        workshop.refuses(&format!("compare a.tif --with b.tif '{column}' x"), &parts);
    }
    workshop.refuses("compare --with b.tif", &["RESULT"]);
    workshop.refuses("compare a.tif", &["--with"]);
    workshop
        .refuses("compare --series a.csv --with b.csv --threshold 0.1", &["cannot be used with"]);
}
