//! Roughness from land cover: classes looked up in a table, cell by cell.

use crate::cli_common;

use cli_common::{CORNER, Raster, Workshop, has, pixels};

const RAIN: &str = "--rain '30 mm/h' --duration 5min";
const TABLE: &str =
    "class,n,name\n10,0.16,Tree cover\n-3,0.02,\n30,0.035,\"Grass, short\"\n77,5,\n";

/// Returns classes that change from cell to cell.
fn class(column: usize, row: usize) -> f64 {
    [10.0, -3.0, 30.0][(column + 2 * row) % 3]
}

/// Returns Manning's n of a class in `TABLE`.
fn n_of(class: f64) -> f64 {
    match class {
        10.0 => 0.16,
        -3.0 => 0.02,
        30.0 => 0.035,
        _ => panic!("{class}"),
    }
}

/// Creates a folder with `dem.tif`, the classes as `lc.tif` and `TABLE` as `t.csv`.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.raster("lc.tif", &Raster::new(12, 8, class));
    workshop.file("t.csv", TABLE);
    workshop
}

const COVER: &str = "--land-cover lc.tif --land-cover-table t.csv";

/// Runs with land cover and with a raster of roughness, and asserts that every GeoTIFF has the same
/// bits.
#[track_caller]
fn same_results(workshop: &Workshop, cover: &str, roughness: &str) {
    for (out, arguments) in [("a", cover), ("b", roughness)] {
        workshop.run(&format!("{RAIN} {arguments} --out {out} --overwrite")).done();
    }
    let rasters: Vec<String> =
        workshop.names("a").into_iter().filter(|name| name.ends_with(".tif")).collect();
    assert!(rasters.len() >= 3, "{rasters:?}");
    for name in rasters {
        let bits = |folder: &str| -> Vec<u32> {
            pixels(workshop.path(folder).join(&name)).into_iter().map(f32::to_bits).collect()
        };
        assert_eq!(bits("a"), bits("b"), "{name}");
    }
}

#[test]
fn classes_give_each_cell_the_roughness_of_the_table() {
    let workshop = workshop();
    workshop.raster("n.tif", &Raster::new(12, 8, |column, row| n_of(class(column, row))));
    same_results(&workshop, COVER, "--roughness n.tif");
    // Another roughness gives other results, so the comparison is meaningful.
    workshop.run(&format!("{RAIN} --roughness 0.035 --out c")).done();
    let depth = |folder: &str| pixels(workshop.path(folder).join("depth.tif"));
    assert_ne!(depth("a"), depth("c"));
    let report = workshop.report("a");
    for (end, n) in [(0, 0.02f32), (1, 0.16f32)] {
        assert_eq!(report["roughness"][end].as_f64().unwrap() as f32, n);
    }
}

#[test]
fn classes_on_another_grid_use_the_nearest_cell() {
    let workshop = workshop();
    // Cells of 7 m that start 4 m outside the DEM; no centre of the DEM's cells is near their
    // edges.
    let transform = [CORNER.0 - 4.0, 7.0, 0.0, CORNER.1 + 4.0, 0.0, -7.0];
    workshop.raster("fine.tif", &Raster::new(20, 14, class).transform(transform));
    let nearest = |place: usize| ((place as f64 * 10.0 + 5.0 + 4.0) / 7.0).floor() as usize;
    let expected = |column, row| n_of(class(nearest(column), nearest(row)));
    workshop.raster("n.tif", &Raster::new(12, 8, expected));
    let cover = "--land-cover fine.tif --land-cover-table t.csv";
    same_results(&workshop, cover, "--roughness n.tif");
    workshop
        .run(&format!("{RAIN} {cover} --overwrite"))
        .done()
        .says(&["note: land_cover: 'fine.tif' is on another grid", "nearest class"])
        .never_says("warning");
}

#[test]
fn classes_in_degrees_are_warped_without_blending() {
    let workshop = workshop();
    // Grass in the west of the domain and trees in the east, in WGS 84: the corner of the DEM is at
    // 15° E, 45.153° N, and a metre to the east is about 1.272e-5°.
    let step = 1e-5;
    let transform = [15.0 - 20.0 * step, step, 0.0, 45.155, 0.0, -step];
    let split = |column: usize, _| if column < 20 + 77 { 30.0 } else { 10.0 };
    workshop.raster("wgs.tif", &Raster::new(220, 400, split).epsg(4326).transform(transform));
    let cover = "--land-cover wgs.tif --land-cover-table t.csv";
    let check = format!("check --dem dem.tif --json {RAIN}");
    let ran = workshop.inundate(&format!("{check} {cover}")).done();
    let json = ran.json();
    // 77e-5° are 60.5 m: six columns of 10 m lie west of it.
    let shares = json["land_cover"].as_array().unwrap();
    let cells: Vec<_> = shares.iter().map(|share| (&share["class"], &share["cells"])).collect();
    assert_eq!(cells, [(&10.into(), &48.into()), (&30.into(), &48.into())], "{json}");
}

#[test]
fn cells_without_a_class_use_the_fallback_and_are_refused_without_one() {
    let workshop = workshop();
    let gaps = Raster::new(12, 8, class).with(5, 2, -9999.0).with(0, 7, -9999.0);
    workshop.raster("lc.tif", &gaps);
    let n = Raster::new(12, 8, |column, row| n_of(class(column, row)));
    workshop.raster("n.tif", &n.with(5, 2, 0.07).with(0, 7, 0.07));
    same_results(&workshop, &format!("{COVER} --roughness 0.07"), "--roughness n.tif");
    let run = format!("run --dem dem.tif {RAIN} {COVER}");
    workshop
        .inundate(&format!("{run} --roughness 0.07 --out c"))
        .done()
        .says(&["note: land_cover: 'lc.tif' has no class for 2 of the domain's cells (2.08 %); they take the roughness 0.07"])
        .never_says("warning");
    workshop.refuses(
        &format!("{run} --out d"),
        &[
            "land_cover: 'lc.tif' has no class for 2 of the domain's 96 cells, the first of them at column 5, row 2",
            "--roughness",
        ],
    );
}

#[test]
fn a_partial_raster_leaves_the_rest_to_the_fallback_without_a_false_warning() {
    let workshop = workshop();
    workshop.raster("lc.tif", &Raster::new(6, 8, class));
    let n = |column, row| if column < 6 { n_of(class(column, row)) } else { 0.07 };
    workshop.raster("n.tif", &Raster::new(12, 8, n));
    let cover = format!("{COVER} --roughness 0.07");
    same_results(&workshop, &cover, "--roughness n.tif");
    let again = format!("{RAIN} {cover} --overwrite");
    workshop.run(&again).done().says(&["no class for 48"]).never_says("taken as 0");
    workshop.refuses(
        &format!("run --dem dem.tif --out c {RAIN} {COVER}"),
        &[
            "land_cover: 'lc.tif' does not cover the DEM: it has no class for 48 of the domain's 96 cells, the first of them at column 6, row 0",
            "take a raster that covers the DEM",
        ],
    );
}

#[test]
fn cells_outside_the_domain_need_no_class_and_are_not_counted() {
    let dem = Raster::terrain(12, 8).with(3, 3, -9999.0);
    let workshop = Workshop::with_dem(&dem);
    workshop.file("t.csv", TABLE);
    workshop.raster("lc.tif", &Raster::new(12, 8, |_, _| 30.0).with(3, 3, 99.0));
    let check = format!("check --dem dem.tif --json {RAIN} {COVER}");
    let ran = workshop.inundate(&check).done();
    let json = ran.json();
    assert_eq!(json["land_cover"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&json["land_cover"][0]["cells"], &json["land_cover"][0]["share"]),
        (&95.into(), &1.0.into())
    );
}

#[test]
fn lists_classes_missing_from_the_table_with_their_cells() {
    let workshop = workshop();
    let odd = Raster::new(12, 8, class).with(0, 0, 0.0).with(1, 0, 0.0).with(2, 0, 10.5);
    workshop.raster("lc.tif", &odd.with(3, 0, 200.0).with(4, 0, -9999.0));
    let run = format!("run --dem dem.tif {RAIN}");
    workshop.refuses(
        &format!("{run} {COVER}"),
        &[
            "land_cover: 'lc.tif' has classes that the table 't.csv' lacks: 0 (2 cells), 10.5 (1 cell), 200 (1 cell)\n",
            "add them to 't.csv'",
            "gdal_edit.py -a_nodata 0 'lc.tif'",
        ],
    );
    workshop.refuses(
        &format!("{run} --land-cover lc.tif --land-cover-table nlcd"),
        &["that the table 'nlcd' lacks: -3 (", "write a table of your own"],
    );
    // A DEM given by mistake has a different class in every cell.
    workshop.refuses(&format!("{run} --land-cover dem.tif --land-cover-table nlcd"), &[" more\n"]);
}

#[test]
fn check_reports_the_share_of_each_class() {
    let workshop = workshop();
    workshop.raster("lc.tif", &Raster::new(12, 8, class).with(1, 0, -9999.0));
    let check = format!("check --dem dem.tif --roughness 0.5 {RAIN} {COVER}");
    let out = workshop.inundate(&check).done().out;
    has(
        &out,
        &[
            "land cover  -3: 32.29 % (31 cells), n 0.02\n",
            "            10 Tree cover: 33.33 % (32 cells), n 0.16\n",
            "            30 Grass, short: 33.33 % (32 cells), n 0.035\n",
            "            no class: 1.04 % (1 cell), n 0.5\n",
        ],
    );
    assert!(!out.contains("77"), "a class that does not occur: {out}");
    let json = workshop.inundate(&format!("{check} --json")).done().json();
    let shares = json["land_cover"].as_array().unwrap();
    assert_eq!(shares.len(), 4);
    assert_eq!(shares[1]["name"], "Tree cover");
    assert_eq!(shares[1]["n"].as_f64().unwrap() as f32, 0.16f32);
    assert_eq!(shares[3]["class"], serde_json::Value::Null);
    let sum: f64 = shares.iter().map(|share| share["share"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-12);
}

#[test]
fn the_report_has_checksums_and_a_scenario_finds_files_beside_it() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("study")).unwrap();
    for name in ["dem.tif", "lc.tif", "t.csv"] {
        std::fs::rename(workshop.path(name), workshop.path("study").join(name)).unwrap();
    }
    let head = "dem = 'dem.tif'\nrain = '30 mm/h'\nduration = '2min'\nland_cover = 'lc.tif'\n";
    workshop.file("study/s.toml", format!("{head}land_cover_table = 't.csv'\n"));
    workshop.inundate("run study/s.toml --out r").done();
    let inputs = workshop.report("r")["inputs"].clone();
    for (role, file) in [("land_cover", "lc.tif"), ("land_cover_table", "t.csv")] {
        let input = inputs.as_array().unwrap().iter().find(|input| input["role"] == role).unwrap();
        assert!(input["path"].as_str().unwrap().ends_with(file), "{input}");
        assert_eq!(input["sha256"].as_str().unwrap().len(), 64, "{input}");
    }
    // The name of a bundled table is not a path.
    workshop.raster("study/lc.tif", &Raster::new(12, 8, |_, _| 41.0));
    workshop.file("study/s.toml", format!("{head}land_cover_table = 'nlcd'\n"));
    workshop.inundate("run study/s.toml --out r --overwrite").done();
    let report = workshop.report("r");
    assert_eq!(report["parameters"]["land_cover_table"], "nlcd");
    assert_eq!(report["roughness"][0].as_f64().unwrap() as f32, 0.16f32);
    // A flag overrides the file.
    let flag = "--land-cover-table study/t.csv --out r --overwrite";
    workshop.refuses(&format!("run study/s.toml {flag}"), &["lacks: 41 (96 cells)"]);
}

#[test]
fn automata_warn_that_it_has_no_effect() {
    let workshop = workshop();
    let run = format!("--rain '1 mm/step' --steps 4 {COVER}");
    workshop.run(&run).done().says(&["warning: land_cover: of no effect"]);
    let check = format!("check --dem dem.tif --overwrite {run}");
    let out = workshop.inundate(&check).done().out;
    assert!(!out.contains("land cover"), "{out}");
    // There is no note about a missing roughness.
    workshop.run(&format!("{RAIN} {COVER} --overwrite")).done().never_says("roughness: none");
}
