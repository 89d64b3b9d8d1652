//! Coarse cells with tables of the DEM's pixels: what is mapped onto pixels, that results do not
//! depend on how they are computed, and invalid input.

use crate::cli_common;
use crate::ranks::{assert_same, end, start};

use cli_common::flood::assert_same as assert_same_run;
use cli_common::vectors::{Shapes, number};
use cli_common::{CORNER, Raster, Workshop, at, pixels};
use gdal::vector::OGRFieldType::OFTReal;
use std::path::Path;

/// Columns and rows of pixels: neither is a multiple of 4.
const SIZE: (usize, usize) = (90, 62);

/// Returns the level of a valley with a channel of three pixels.
fn level(column: usize, row: usize) -> f64 {
    let (x, y) = (column as f64, row as f64);
    let away = (y - 30.0 - 6.0 * (x * 0.1).sin()).abs();
    let rough = ((column * 37 + row * 61) % 23) as f64 * 0.02;
    let channel = if away < 1.6 { -1.5 } else { 0.0 };
    20.0 - 0.02 * x + 0.06 * away + rough + channel
}

/// Returns `true` for pixels without data.
fn is_hole(column: usize, row: usize) -> bool {
    (50..55).contains(&column) && (8..14).contains(&row)
}

/// Iterates over the pixels with data.
fn domain() -> impl Iterator<Item = (usize, usize)> {
    let all = (0..SIZE.0 * SIZE.1).map(|at| (at % SIZE.0, at / SIZE.0));
    all.filter(|(column, row)| !is_hole(*column, *row))
}

fn valley() -> Workshop {
    let dem = Raster::new(SIZE.0, SIZE.1, |column, row| match is_hole(column, row) {
        true => -9999.0,
        false => level(column, row),
    });
    Workshop::with_dem(&dem)
}

/// Creates a flood in the valley, with everything that is mapped onto pixels.
pub fn flood() -> Workshop {
    let workshop = valley();
    workshop.layer(
        "houses.gpkg",
        "height",
        &[("POLYGON ((20 24, 23 24, 23 27, 20 27, 20 24))", 4.0)],
    );
    workshop.layer("dykes.gpkg", "height", &[("LINESTRING (40.5 0.5, 40.5 28.5)", 2.0)]);
    Shapes::new(&[("width", OFTReal), ("depth", OFTReal)])
        .with("LINESTRING (3 30, 24 37, 42 22, 89 33)", &[number(12.0), number(2.0)])
        .with("LINESTRING (20 60, 33 41, 38 26)", &[number(4.0), number(1.0)])
        .write(&workshop, "brooks.gpkg");
    let n = |column: usize, row: usize| 0.03 + 0.01 * ((column / 3 + row / 5) % 4) as f64;
    workshop.raster("n.tif", &Raster::new(SIZE.0, SIZE.1, n));
    let source = at(2.5, 30.5);
    let text = format!(
        r#"
dem = "dem.tif"
subgrid = 4
buildings = "houses.gpkg"
walls = "dykes.gpkg"
rivers = "brooks.gpkg"
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
fn a_ratio_of_one_equals_a_run_without_tables() {
    let workshop = valley();
    let flow = "--rain '60 mm/h' --duration '5 min'";
    let run = |more: &str| workshop.run(&format!("{flow} {more}")).done();
    run("--out plain");
    run("--subgrid 1 --out one");
    for layer in ["depth", "max_depth", "arrival_time"] {
        let of = |out: &str| pixels(workshop.path(&format!("{out}/{layer}.tif")));
        assert!(of("plain") == of("one"), "{layer}");
    }
}

#[test]
fn results_do_not_depend_on_tiles_threads_or_ranks() {
    let workshop = flood();
    let run = |more: &[&'static str]| [&["run", "flood.toml"], more].concat();
    workshop.inundate(&run(&["--out", "alone", "--threads", "1"])).done();
    assert!(workshop.volume("alone", "outflow_m3") > 0.0);
    assert_eq!(workshop.report("alone")["grid"]["columns"], 23);
    workshop.inundate(&run(&["--out", "tiles", "--threads", "2", "--tile", "7x5"])).done();
    for layer in ["depth", "max_depth", "arrival_time"] {
        let of = |out: &str| pixels(workshop.path(&format!("{out}/{layer}.tif")));
        assert!(of("alone") == of("tiles"), "{layer}");
    }
    let ranks = start(&workshop, &run(&["--out", "ranks", "--threads", "1"]), 3);
    end(ranks).into_iter().for_each(|ran| drop(ran.done()));
    assert_same(&workshop, "ranks", "alone");
}

#[test]
fn a_stopped_run_resumes_to_the_same_files() {
    let workshop = flood();
    let run = |more: &[&'static str]| {
        [&["run", "flood.toml", "--duration", "2h", "--threads", "1"], more].concat()
    };
    let every = ["--checkpoint-every", "0.02s"];
    workshop.inundate(&run(&[&every[..], &["--out", "alone"]].concat())).done();
    let stopped = run(&[&every[..], &["--out", "stopped"]].concat());
    workshop.stop_at("stopped/.checkpoint/before", &stopped);
    workshop.inundate("resume stopped").done();
    assert_same_run(&workshop, "stopped", "alone");
}

/// Creates flat ground of 40 × 16 pixels at 10 m, with a wall through the middle of cells of 4 × 4:
/// the pixels of column 22.
fn basin() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(40, 16, |_, _| 10.0));
    workshop.layer("wall.gpkg", "height", &[("LINESTRING (22.5 -1, 22.5 17)", 2.0)]);
    let water = |column: usize, _| if column < 20 { 0.5 } else { 0.0 };
    workshop.raster("water.tif", &Raster::new(40, 16, water));
    workshop
}

/// Initial arguments of a run in the basin.
const BASIN: &str = "--subgrid 4 --initial-depth water.tif --duration '5 min' --output-grid coarse";

#[test]
fn a_wall_of_one_pixel_holds_and_the_split_cell_is_reported() {
    let workshop = basin();
    let walls = format!("{BASIN} --walls wall.gpkg");
    let ran = workshop.run(&format!("{walls} --out wall")).done();
    ran.says(&["walls: 1 wall of 'wall.gpkg' raises 16 cells", "in 4 of 24 flooded cells (17 %)"]);
    let wet_behind = |out: &str| {
        let depths = pixels(workshop.path(out).join("depth.tif"));
        (0..40).filter(|cell| cell % 10 > 5).any(|cell| depths[cell] > 0.0)
    };
    assert!(!wet_behind("wall"));
    let volume = workshop.volume("wall", "stored_m3");
    assert!((volume - 0.5 * 320.0 * 100.0).abs() < 1e-3, "{volume}");
    let share = workshop.report("wall")["quality"]["share_parted"].clone();
    assert_eq!(share["verdict"], "doubtful");
    assert_eq!(share["column"], 5);
    workshop.run(&format!("{BASIN} --out none")).done();
    assert!(wet_behind("none"), "without the wall");
    assert_eq!(workshop.report("none")["quality"]["share_parted"]["value"], 0.0);

    let check = format!("check --dem dem.tif {walls} --parted parted.tif");
    let ran = workshop.inundate(&check).done();
    assert!(ran.out.contains("parted      4 cells (10 %)"), "{}", ran.out);
    let drawn = pixels(workshop.path("parted.tif"));
    assert_eq!(drawn, (0..40).map(|cell| f32::from(u8::from(cell % 10 == 5))).collect::<Vec<_>>());
    let plain = "check --dem dem.tif --duration '5 min' --rain '9 mm/h'";
    let drawn = format!("{plain} --parted none.tif");
    workshop.refuses(&drawn, &["parted: the run has no subgrid", "--subgrid 8"]);
}

#[test]
fn check_tells_up_to_which_ratio_the_river_is_resolved() {
    let source = format!("{},60 m3/s", at(2.5, 3.5));
    let check = ["check", "--dem", "dem.tif", "--subgrid", "4", "--open", "east"];
    let check = [&check[..], &["--duration", "1h", "--source", &source]].concat();
    let reported = |fall: f64| {
        // A channel that falls from pixel to pixel along a quarter of its length.
        let level = |column: usize, row: usize| {
            let falls = column.clamp(31, 47) - 31;
            let bank = if row == 3 { 0.0 } else { 2.0 };
            30.0 - 0.001 * column as f64 - fall * falls as f64 + bank
        };
        let workshop = Workshop::with_dem(&Raster::new(64, 8, level));
        let json = workshop.inundate(&[&check[..], &["--json"]].concat()).done().json();
        (workshop.inundate(&check).done().out, json["river"].clone())
    };
    // It falls by 1.6 m from cell to cell.
    let (text, river) = reported(0.4);
    assert!(
        text.contains("river       resolved up to subgrid 2: levels off by about 0.08 m"),
        "{text}"
    );
    assert_eq!(river["resolved_ratio"], 2);
    assert!((river["level_error_m"].as_f64().unwrap() - 0.08).abs() < 0.001, "{river}");
    assert!(river["x"].as_f64().unwrap() < CORNER.0 + 480.0, "{river}");
    let (_, river) = reported(0.01);
    assert_eq!(river["resolved_ratio"], 4);
}

#[test]
fn closed_pixels_get_no_rain_and_store_no_water() {
    let workshop = valley();
    Shapes::texts("height")
        .with(
            "POLYGON ((20 24, 23 24, 23 27, 20 27, 20 24))",
            &[cli_common::vectors::text("block")],
        )
        .write(&workshop, "houses.gpkg");
    let run = ["--subgrid", "4", "--rain", "30 mm/h", "--duration", "10 min"];
    let ran = workshop.run(&[&run[..], &["--buildings", "houses.gpkg"]].concat()).done();
    ran.says(&["1 building of 'houses.gpkg' takes 9 cells out of the domain"]);
    let open = domain().count() - 9;
    let rain = workshop.volume("results", "rain_m3");
    assert!((rain / (0.005 * 100.0 * open as f64) - 1.0).abs() < 1e-5, "{rain}");
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    // Per area of the open pixels, on the report and in the check.
    let depth = workshop.report("results")["rain_mm"].as_f64().unwrap();
    assert!((depth - 5.0).abs() < 1e-3, "{depth}");
    let check =
        ["check", "--dem", "dem.tif", "--buildings", "houses.gpkg", "--json", "--overwrite"];
    let json = workshop.inundate(&[&check[..], &run].concat()).done().json();
    assert!((json["forcing"][0]["depth_mm"].as_f64().unwrap() - 5.0).abs() < 1e-3);
}

#[test]
fn warns_of_evaporation_from_beyond_the_dem() {
    let workshop = Workshop::with_dem(&Raster::new(40, 40, |_, _| 10.0));
    let run = "--initial-depth '1 m' --duration '10 s' --overwrite";
    let ran =
        |ratio: &str, more: &str| workshop.run(&format!("--subgrid '{ratio}' {run} {more}")).done();
    let evaporation = "--evaporation '5 mm/day'";
    let warning = "evaporation: it takes water from all of the area of a cell, which is 70400 m² (44.0 %) more than the pixels in the domain";
    ran("16", evaporation).says(&[warning]);
    ran("8", evaporation).never_says("evaporation: it takes");
    ran("16", "--infiltration '5 mm/h'").never_says("evaporation: it takes");
}

#[test]
fn cells_lose_the_mean_of_their_pixels() {
    // Neither size is a multiple of the ratios.
    let workshop = Workshop::with_dem(&Raster::new(42, 30, |_, _| 10.0));
    let soil = |column: usize, row: usize| if column % 8 == 3 && row % 4 == 1 { 96.0 } else { 0.0 };
    workshop.raster("soil.tif", &Raster::new(42, 30, soil));
    let pixels = (0..42 * 30).filter(|at| soil(at % 42, at / 42) > 0.0).count();
    for key in ["infiltration_m3", "drainage_m3"] {
        let loss = format!("--{}", key.trim_end_matches("_m3"));
        for ratio in ["1", "4", "8"] {
            let run = ["--initial-depth", "1 m", "--duration", "1 h", "--overwrite"];
            let run = [&run[..], &["--subgrid", ratio, &loss, "soil.tif"]].concat();
            workshop.run(&run).done();
            let volume = workshop.volume("results", key);
            let expected = 0.096 * 100.0 * pixels as f64;
            assert!((volume / expected - 1.0).abs() < 1e-3, "{ratio}: {volume}, not {expected}");
        }
    }
}

#[test]
fn rasters_that_cover_the_dem_cover_cells_that_reach_beyond_it() {
    // The last column of cells is one, two or three pixels wide, the last row two.
    for columns in 49..=51 {
        let workshop =
            Workshop::with_dem(&Raster::new(columns, 42, |column, _| 100.0 - 0.1 * column as f64));
        workshop.raster("rain.tif", &Raster::new(columns, 42, |_, _| 60.0));
        workshop.raster("soil.tif", &Raster::new(columns, 42, |_, _| 6.0));
        workshop.raster("flow.tif", &Raster::new(columns, 42, |_, _| 1e-3));
        let area = 100.0 * (columns * 42) as f64;
        let run = "--subgrid 4 --duration '10 min'";
        let more = "--rain rain.tif --infiltration soil.tif --source flow.tif";
        workshop.run(&format!("{run} {more}")).done().never_says("no value").never_says("NoData");
        let of = |name| workshop.volume("results", name);
        assert!((of("rain_m3") / (0.01 * area) - 1.0).abs() < 1e-5, "{columns}: {}", of("rain_m3"));
        let flow = 0.6 * (columns * 42) as f64;
        assert!((of("inflow_m3") / flow - 1.0).abs() < 1e-5, "{columns}: {}", of("inflow_m3"));
        assert!((of("infiltration_m3") / (0.001 * area) - 1.0).abs() < 1e-3, "{columns}");
    }
}

#[test]
fn water_leaves_cells_that_are_mostly_beyond_the_dem() {
    // A plane whose last column of cells is four, one, two or three pixels wide.
    for solver in ["shallow-water", "inertial"] {
        let depths = [40, 37, 38, 39].map(|columns| {
            let dem = Raster::new(columns, 24, |column, _| 100.0 - 0.1 * column as f64);
            let workshop = Workshop::with_dem(&dem);
            let inflow = |column, _| if column < 4 { 1.25 } else { 0.0 };
            workshop.raster("flow.tif", &Raster::new(columns, 24, inflow));
            let run = format!("--subgrid 4 --solver '{solver}' --duration '1 h'");
            workshop.run(&format!("{run} --source flow.tif --open east")).done();
            let depth = pixels(workshop.path("results/depth.tif"));
            depth[12 * columns + columns - 1]
        });
        // The fall to the last cell counts for a whole cell: √(4 / 2.5)^0.6 with one pixel.
        let [whole, parts @ ..] = depths;
        assert!(parts.iter().all(|depth| (0.95..1.15).contains(&(depth / whole))), "{depths:?}");
    }
}

#[test]
fn a_weir_across_the_map_is_as_wide_as_the_dem() {
    // Between lakes, from side to side of a DEM of 8 to 11 rows, and drawn beyond it.
    let mut flows = Vec::new();
    for (rows, beyond) in (8..=11).flat_map(|rows| [(rows, 0.0), (rows, 5.0)]) {
        let dem = Raster::new(48, rows, |column, _| if column < 24 { 98.0 } else { 96.0 });
        let workshop = Workshop::with_dem(&dem);
        let line = [at(24.0, -beyond), at(24.0, rows as f64 + beyond)].join(",");
        workshop.file("weir.csv", format!("x1,y1,x2,y2,kind,name,crest\n{line},weir,w,100\n"));
        let run = "--subgrid 4 --duration '20 min' --structures weir.csv";
        let lakes = "--initial-level '100 m' --level 'west,100.5 m' --level 'east,98 m'";
        workshop.run(&format!("{run} {lakes}")).done();
        let report = workshop.report("results");
        let (weir, passed) = (&report["structures"][0], &report["sections"][0]["volume_m3"]);
        let width = 10.0 * rows as f64;
        assert_eq!(weir["edges"], rows.div_ceil(4), "{rows} rows");
        assert!((weir["width_m"].as_f64().unwrap() - width).abs() < 1e-6, "{rows} rows: {weir}");
        flows.push(passed.as_f64().unwrap() / width);
        assert!(
            (flows.last().unwrap() / flows[0] - 1.0).abs() < 0.01,
            "{rows}, {beyond}: {flows:?}"
        );
    }
}

#[test]
fn initial_water_is_placed_on_the_pixels() {
    let workshop = valley();
    let start = |more: &[&'static str], out: &'static str| {
        let run = ["--subgrid", "4", "--roughness", "0.03", "--overwrite", "--out", out];
        workshop.run(&[&run[..], more].concat()).done();
        workshop.volume(out, "initial_m3")
    };
    // A lake, which stays at rest.
    let lake = ["--initial-level", "19.2 m", "--duration", "1 min"];
    let volume = start(&lake, "lake");
    let depth = |(column, row): (usize, usize)| (19.2 - level(column, row)).max(0.0);
    let exact: f64 = domain().map(depth).sum::<f64>() * 100.0;
    assert!((volume / exact - 1.0).abs() < 0.03, "{volume} of {exact} m³");
    let later = ["--initial-level", "19.2 m", "--duration", "20 min"];
    start(&later, "later");
    let depths = |out: &str| pixels(workshop.path(out).join("depth.tif"));
    assert!(depths("lake") == depths("later"), "it is not still");
    // A part of it, which ends inside a cell.
    workshop.layer("lake.gpkg", "level", &[("POLYGON ((0 0, 41 0, 41 62, 0 62, 0 0))", 19.2)]);
    let volume = start(&["--initial-level", "lake.gpkg", "--duration", "1 s"], "part");
    let exact: f64 = domain().filter(|at| at.0 < 41).map(depth).sum::<f64>() * 100.0;
    assert!((volume / exact - 1.0).abs() < 0.03, "{volume} of {exact} m³");
    // Depths, as a raster and uniform, and a sink in a pixel.
    let some = |column: usize, row: usize| (column * row % 7) as f64 * 0.1;
    workshop.raster("depths.tif", &Raster::new(SIZE.0, SIZE.1, some));
    let volume = start(&["--initial-depth", "depths.tif", "--duration", "1 s"], "raster");
    let exact: f64 = domain().map(|(column, row)| some(column, row)).sum::<f64>() * 100.0;
    assert!((volume / exact - 1.0).abs() < 1e-5, "{volume} of {exact} m³");
    let mark = |column: usize, row: usize| f64::from(u8::from((column, row) == (30, 31)));
    workshop.raster("sinks.tif", &Raster::new(SIZE.0, SIZE.1, mark));
    let sink = ["--initial-depth", "0.2 m", "--sinks", "sinks.tif", "--duration", "5 min"];
    let volume = start(&sink, "everywhere");
    let exact = 0.2 * 100.0 * domain().count() as f64;
    assert!((volume / exact - 1.0).abs() < 1e-6, "{volume} of {exact} m³");
    assert!(workshop.volume("everywhere", "losses_m3") > 0.0);
}

#[test]
fn keeps_tables_and_reuses_matching_ones() {
    let workshop = flood();
    let run = |more: &[&'static str]| {
        let all = ["run", "flood.toml", "--subgrid-tables", "t.bin", "--overwrite"];
        workshop.inundate(&[&all[..], &["--duration", "3 min"], more].concat())
    };
    let keeps = "subgrid_tables: the tables are kept in 't.bin'";
    run(&["--out", "first"]).done().says(&[keeps]);
    let kept = std::fs::read(workshop.path("t.bin")).unwrap();
    // The tables do not depend on rain.
    let takes = "subgrid_tables: the tables are read from 't.bin'";
    run(&["--rain", "1 mm/h"]).done().says(&[takes]);
    run(&["--out", "second"]).done().says(&[takes]);
    assert_same_run(&workshop, "second", "first");
    assert!(std::fs::read(workshop.path("t.bin")).unwrap() == kept);
    let anew = |ran: cli_common::Ran, why: &str| {
        ran.done().says(&[&format!("'t.bin' {why}"), "they are built again", keeps]);
    };
    anew(run(&["--subgrid", "3"]), "has tables of another number of pixels per cell");
    workshop.raster("n.tif", &Raster::new(SIZE.0, SIZE.1, |_, _| 0.04));
    run(&["--subgrid", "4"]).done();
    workshop.raster("n.tif", &Raster::new(SIZE.0, SIZE.1, |_, _| 0.05));
    anew(run(&[]), "has tables of another roughness");
    workshop.raster("dem.tif", &Raster::new(SIZE.0, SIZE.1, |c, r| level(c, r) + 0.01));
    anew(run(&[]), "has tables of other ground (DEM, rivers, openings, buildings or walls)");
    let mut damaged = std::fs::read(workshop.path("t.bin")).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    workshop.file("t.bin", &damaged);
    anew(run(&[]), "is damaged (its checksum does not fit)");
    workshop.file("t.bin", &damaged[..40]);
    anew(run(&[]), "is damaged (");
    assert!(workshop.names(".").iter().all(|name| !name.starts_with(".tmp")));
    // The tables do not contain a uniform roughness.
    run(&["--roughness", "0.03"]).done().says(&["another roughness"]);
    run(&["--roughness", "0.05"]).done().says(&[takes]);

    let wrong = |file: &'static str, parts: &[&str]| {
        let run = format!("run flood.toml --out none --subgrid-tables '{file}'");
        workshop.refuses(&run, parts);
    };
    wrong("dem.tif", &["subgrid_tables: 'dem.tif' does not hold subgrid tables"]);
    wrong("nowhere/t.bin", &["'nowhere/t.bin' is in a folder that does not exist"]);
}

#[test]
fn the_runs_of_a_study_share_their_tables() {
    let workshop = flood();
    workshop.file("study.toml", "base = 'flood.toml'\n[matrix]\nrain = ['5 mm/h', '20 mm/h']\n");
    workshop.inundate("study study.toml").done();
    let kept = |workshop: &Workshop| {
        let names = workshop.names("study").into_iter();
        names.filter(|name| name.starts_with(".subgrid_tables-")).count()
    };
    assert_eq!(kept(&workshop), 1);
    workshop.inundate("run flood.toml --out alone").done();
    let runs = workshop.names("study/runs");
    let same = runs.iter().find(|name| name.contains("20mm"));
    let of = |folder: &Path| pixels(folder.join("max_depth.tif"));
    let shared = of(&workshop.path("study/runs").join(same.expect("a run")));
    assert!(shared == of(&workshop.path("alone")));
    // Then it is done.
    workshop.inundate("study study.toml").done().says(&["0 of 2 runs to do"]);
}

#[test]
fn refuses_invalid_options() {
    let workshop = valley();
    let refused = |ratio: &str, more: &str, parts: &[&str]| {
        let run = "run --dem dem.tif --duration '1 min' --rain '9 mm/h'";
        workshop.refuses(&format!("{run} --subgrid '{ratio}' {more}"), parts);
    };
    refused("0", "", &["subgrid: 0 is not a valid number of pixels", "for example 8"]);
    refused("1000", "", &["subgrid: 1000 is not a valid number of pixels", "give 2 to 256"]);
    refused("70", "", &["a cell of 70 × 70 pixels is larger than the DEM, which has 90 × 62"]);
    let solver = "--solver aqua-manning";
    refused(
        "4",
        solver,
        &["subgrid: aqua-manning does not support", "take the solver shallow-water"],
    );
    refused("4", "--order 2", &["subgrid: shallow-water-2 does not support"]);
}
