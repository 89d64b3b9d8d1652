//! A scenario with all features of a run, and reference runs for comparison.

use super::vectors::{Shapes, number, text};
use super::{Contents, Raster, Workshop, at};
use gdal::vector::OGRFieldType::{OFTReal, OFTString};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Columns and rows.
const SIZE: (usize, usize) = (70, 48);

/// Options that make a run of `flood.toml` physical, or an automaton. Each takes about half a
/// second.
pub const SOLVERS: [&[&str]; 3] = [
    &[
        "--dt-max",
        "1s",
        "--outflow-slope",
        "0.01",
        "--sections",
        SECTION,
        "--structures",
        "crossings.csv",
    ],
    &[
        "--solver",
        "aqua-manning",
        "--duration",
        "80s",
        "--output-every",
        "23s",
        "--sections",
        SECTION,
        "--structures",
        "crossings.csv",
    ],
    &["--step", "0.5s", "--neighbourhood", "moore"],
];

/// From the northern to the southern side.
const SECTION: &str = "500300,5000000,500330,4999520,middle";

/// The files that `flood.toml` reads, with their roles.
pub const INPUTS: [(&str, &str); 19] = [
    ("scenario", "flood.toml"),
    ("dem", "dem.tif"),
    ("buildings", "houses.gpkg"),
    ("walls", "dykes.geojson"),
    ("rain", "rain.csv"),
    ("rain", "hills.csv"),
    ("rain", "valley.csv"),
    ("source", "river.csv"),
    ("level", "tide.csv"),
    ("rating", "weir.csv"),
    ("links", "links.csv"),
    ("links", "rating.csv"),
    ("initial_depth", "ponds.tif"),
    ("loss_classes", "soil.tif"),
    ("loss_table", "soil.csv"),
    ("evaporation", "air.csv"),
    ("gauges", "gauges.csv"),
    ("points", "things.gpkg"),
    ("damage_curves", "curves.csv"),
];

/// Creates a folder with `flood.toml` and all its inputs.
pub fn workshop() -> Workshop {
    let (columns, rows) = SIZE;
    let workshop = Workshop::with_dem(&Raster::terrain(columns, rows));
    workshop.layer(
        "houses.gpkg",
        "height",
        &[("POLYGON ((20 20, 24 20, 24 25, 20 25, 20 20))", 3.0)],
    );
    workshop.layer("dykes.geojson", "height", &[("LINESTRING (40.5 0.5, 40.5 30.5)", 2.0)]);
    let pond = |column, row| if column < 9 && row < 9 { 0.2 } else { 0.0 };
    workshop.raster("ponds.tif", &Raster::new(columns, rows, pond));
    workshop.raster("soil.tif", &Raster::new(columns, rows, |column, _| 1.0 + (column % 4) as f64));
    let (hills, valley) = (at(10.0, 10.0), at(60.0, 40.0));
    workshop.file("rain.csv", format!("x,y,series\n{hills},hills.csv\n{valley},valley.csv\n"));
    let day = "2021-07-14T12";
    let courses = [("hills.csv", [90, 30, 0]), ("valley.csv", [10, 60, 0])];
    for (name, [first, then, last]) in courses {
        let lines = format!("{day}:00,{first}\n{day}:01,{then}\n{day}:07,{last}\n");
        workshop.file(name, format!("time,rain [mm/h]\n{lines}"));
    }
    workshop.file("river.csv", format!("time,flow [m3/s]\n{day}:00,3\n{day}:05,9\n{day}:10,1\n"));
    workshop.file("tide.csv", "time [min],level [m]\n0,109.5\n5,111\n11,109\n");
    let link = |from: (f64, f64), to: (f64, f64), rest: &str| {
        format!("{},{},{rest}\n", at(from.0, from.1), at(to.0, to.1))
    };
    let links = [
        "x1,y1,x2,y2,kind,capacity,start_depth,stop_depth,rating\n",
        &link((3.5, 3.5), (41.5, 21.5), "pump,0.13,0.02,0.01,"),
        &link((39.5, 28.5), (41.5, 32.5), "culvert,,,,rating.csv"),
        &link((39.5, 6.5), (41.5, 10.5), "flap,,,,rating.csv"),
    ];
    workshop.file("links.csv", links.concat());
    workshop.file("rating.csv", "head [m],flow [m3/s]\n0.05,0.02\n0.5,0.7\n");
    let crossings = [
        "x1,y1,x2,y2,kind,crest,bottom_level,bottom_width,formation_time,trigger_level,start,opening_series,soffit\n",
        &link((48.0, 44.0), (68.0, 44.0), "breach,112,108.9,60,1min,110.2,,,"),
        &link((10.0, 30.0), (20.0, 30.0), "breach,121,118,20,1min,,40s,,"),
        &link((30.0, 10.0), (34.0, 22.0), "weir,118,,,,,,,"),
        &link((55.0, 3.0), (55.0, 12.0), "gate,,,,,,,openings.csv,"),
        &link((65.0, 20.0), (65.0, 30.0), "bridge,,,,,,,,110.3"),
    ];
    workshop.file("crossings.csv", crossings.concat());
    workshop.file("openings.csv", "time [min],opening [m]\n0,0.02\n1,0.1\n9,0\n");
    workshop.file(
        "soil.csv",
        "class,initial_loss_mm,infiltration_mm_h,horton_first_mm_h,horton_last_mm_h,\
         horton_decay_per_h,green_ampt_conductivity_mm_h,green_ampt_suction_mm,\
         green_ampt_deficit,curve_number,drainage_mm_h\n\
         1,2,4,,,,,,,,3\n2,1,,30,3,4,,,,,\n3,,,,,,6.5,167,0.3,,1\n4,,,,,,,,,80,\n",
    );
    workshop.file("weir.csv", "depth [m],flow [m3/s]\n0,0\n0.1,0.2\n1,4\n");
    workshop.file("air.csv", "time [h],evaporation [mm/day]\n0,5\n0.1,8\n");
    workshop.file(
        "gauges.csv",
        format!("name,x,y\nbridge,{}\nweir,{}\n", at(42.5, 12.5), at(68.5, 30.5)),
    );
    let (source, weir) = (at(12.5, 24.5), at(42.5, 12.5));
    Shapes::new(&[("name", OFTString), ("class", OFTString), ("value", OFTReal)])
        .with(
            "POLYGON ((20 20, 24 20, 24 25, 20 25, 20 20))",
            &[text("house"), text("homes"), number(9e5)],
        )
        .with(
            "POLYGON ((50.2 5.1, 58 6, 55 14.3, 50.2 5.1))",
            &[text("field"), text("homes"), None],
        )
        .with("POINT (42.5 12.5)", &[text("bridge"), text("other"), number(5.0)])
        .with("POINT (5.5 5.5)", &[text("pond"), text("homes"), number(100.0)])
        .write(&workshop, "things.gpkg");
    workshop.file("curves.csv", "class,depth [m],fraction\nhomes,0,0\nhomes,1,0.4\nhomes,6,1\n");
    workshop.file(
        "flood.toml",
        format!(
            r#"
dem = "dem.tif"
buildings = "houses.gpkg"
walls = "dykes.geojson"
open = "east:0-450"
rain = "rain.csv"
rain_factor = 1.5
start = "2021-07-14T12:00+02:00"
source = "{source},river.csv"
level = "south,tide.csv"
rating = "{weir},weir.csv"
links = "links.csv"
initial_depth = "ponds.tif"
loss_classes = "soil.tif"
loss_table = "soil.csv"
evaporation = "air.csv"
gauges = "gauges.csv"
gauge_every = "7 s"
points = "things.gpkg"
damage_curves = "curves.csv"
layers = "all"
arrival_depth = "0.02 m,0.1 m"
extents = "0.02 m,0.3 m"
extent_series = true
output_every = "5 min"
series = "netcdf"
duration = "11 min"
threads = 1
checkpoint_every = "0.01 s"
"#
        ),
    );
    workshop
}

/// Returns a folder as in [`workshop`], in which the flood has run with further arguments. It runs
/// once for all tests with the same arguments, and each gets a copy.
pub fn with_run(arguments: &[&str]) -> Workshop {
    type Made = Arc<OnceLock<Contents>>;
    static RUNS: Mutex<BTreeMap<String, Made>> = Mutex::new(BTreeMap::new());
    let made = RUNS.lock().unwrap().entry(arguments.join(" ")).or_default().clone();
    let contents = made.get_or_init(|| {
        let workshop = workshop();
        workshop.inundate(&[&["run", "flood.toml"], arguments].concat()).done();
        workshop.contents()
    });
    Workshop::holding(contents)
}

/// Returns such a folder with the results of a solver's run in `whole`.
pub fn with_whole(solver: &[&str]) -> Workshop {
    with_run(&[solver, &["--out", "whole"]].concat())
}

/// Returns the visible files in a folder, without a page's data about the run's time and place.
/// `run.json` is left to [`findings`].
pub fn results(workshop: &Workshop, folder: &str) -> BTreeMap<String, Vec<u8>> {
    const ROWS: [&str; 7] =
        ["Wall time", "Command", "Device", "out", "overwrite", "threads", "device"];
    let of_the_run = |line: &str| {
        let is = |row| [format!("<th>{row}</th>"), format!("<th><code>{row}</code></th>")];
        ROWS.iter().any(|row| is(row).iter().any(|head| line.contains(head)))
    };
    let names = workshop.names(folder).into_iter();
    let seen = names.filter(|name| !name.starts_with('.') && name != "run.json");
    let read = |name: String| {
        let mut bytes = std::fs::read(workshop.path(folder).join(&name)).unwrap();
        if name == "report.html" {
            let text = String::from_utf8(bytes).unwrap();
            let lines: Vec<&str> = text.lines().filter(|line| !of_the_run(line)).collect();
            bytes = lines.join("\n").into_bytes();
        }
        (name, bytes)
    };
    seen.map(read).collect()
}

/// Returns the content of a report, without the time and origin of the run.
pub fn findings(workshop: &Workshop, folder: &str) -> serde_json::Value {
    let mut report = workshop.report(folder);
    for key in
        ["wall_s", "wall_parts_s", "cell_steps_per_s", "command", "resumed_at_steps", "device"]
    {
        report.as_object_mut().unwrap().remove(key).expect("a key");
    }
    for key in ["out", "overwrite", "threads", "device"] {
        report["parameters"].as_object_mut().unwrap().remove(key);
    }
    report
}

/// Asserts that two runs have the same results.
#[track_caller]
pub fn assert_same(workshop: &Workshop, folder: &str, expected: &str) {
    let (here, there) = (results(workshop, folder), results(workshop, expected));
    let names = |results: &BTreeMap<String, Vec<u8>>| results.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&here), names(&there));
    let others: Vec<_> = here.iter().filter(|(name, bytes)| there[*name] != **bytes).collect();
    assert!(
        others.is_empty(),
        "{:?} differ",
        others.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    assert_eq!(findings(workshop, folder), findings(workshop, expected));
}
