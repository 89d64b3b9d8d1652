//! Gauges, sections and the mass balance: the output agrees with the rasters, with continuity and
//! with the totals, does not change the run, and invalid input is refused.

use crate::cli_common;

use cli_common::vectors::Shapes;
use cli_common::{Raster, Workshop, at, pixels};

/// Columns and rows of the channel.
const CHANNEL: (usize, usize) = (60, 11);
/// Inflow at its upper end (m³/s).
const FLOW: f64 = 11.0;

/// Creates a channel with a slope of 2 ‰ to the east, fed along its western side, with its outlet
/// in the east.
fn channel() -> Workshop {
    let (columns, rows) = CHANNEL;
    let bed = |column: usize, _| 10.0 - 0.02 * column as f64;
    let workshop = Workshop::with_dem(&Raster::new(columns, rows, bed));
    let source = Raster::new(columns, rows, |column, _| if column == 0 { 1.0 } else { 0.0 });
    workshop.raster("source.tif", &source);
    workshop
}

const STEADY: [&str; 8] =
    ["--source", "source.tif", "--duration", "90min", "--open", "east", "--roughness", "0.03"];

/// Returns a line between two such points.
fn line(from: (f64, f64), to: (f64, f64), name: &str) -> String {
    format!("{},{},{name}", at(from.0, from.1), at(to.0, to.1))
}

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

fn last(values: &[f64]) -> f64 {
    *values.last().unwrap()
}

#[test]
fn gauges_agree_with_the_rasters() {
    let workshop = Workshop::new();
    let (near_outlet, upstream) = (format!("{},outlet", at(11.5, 4.5)), at(2.2, 1.7));
    let rain = "--rain '40 mm/h' --duration 20min --open east";
    let gauges = format!("--gauges '{near_outlet}' --gauges '{upstream}' --arrival-depth '0.2 mm'");
    workshop.run(&format!("{rain} {gauges}")).done();
    let series = workshop.table("results/gauges.csv");
    assert_eq!((series["time [s]"][0], last(&series["time [s]"])), (0.0, 1200.0));
    assert_eq!(series["time [s]"].len(), 121, "every 10 s");
    near(last(&series["time [h]"]), 1.0 / 3.0, 1e-6);
    let raster = |name: &str| pixels(workshop.path("results").join(name));
    let (bed, depth) = (pixels(workshop.path("dem.tif")), raster("depth.tif"));
    let (most, arrival) = (raster("max_depth.tif"), raster("arrival_time.tif"));
    let report = workshop.report("results");
    for (number, (name, cell)) in
        [("outlet", 4 * 12 + 11), ("gauge 2", 12 + 2)].into_iter().enumerate()
    {
        let [depths, levels] =
            ["depth", "level"].map(|what| &series[&format!("{name} {what} [m]")]);
        near(last(depths), depth[cell].into(), 1e-5);
        assert!(last(depths) > 0.0);
        for (depth, level) in depths.iter().zip(levels) {
            near(level - depth, bed[cell].into(), 2e-5);
        }
        let reported = &report["gauges"][number];
        let number = |key: &str| reported[key].as_f64().unwrap();
        assert_eq!(reported["name"], name);
        assert_eq!(number("max_depth_m") as f32, most[cell]);
        near(number("arrival") / 3600.0, arrival[cell].into(), 1e-5);
        // The maximum of the recorded depths does not exceed it, and equals it next to its time.
        let deepest = depths.iter().copied().fold(0.0, f64::max);
        assert!(deepest <= number("max_depth_m") + 1e-5);
        let noted = series["time [s]"].iter().position(|&time| time >= number("time_of_max"));
        near(depths[noted.unwrap()], deepest, 2e-5);
    }
}

#[test]
fn section_discharge_in_a_steady_channel_equals_the_inflow_for_any_line() {
    let workshop = channel();
    let lines = [
        line((30.0, 0.0), (30.0, 11.0), "down"),
        line((30.0, 11.0), (30.0, 0.0), "up"),
        line((20.3, 0.0), (44.8, 11.0), "aslant"),
        line((50.0, -3.0), (35.0, 14.0), "beyond"),
        line((60.0, 0.0), (60.0, 11.0), "outlet"),
    ];
    let mut arguments: Vec<&str> = STEADY.to_vec();
    lines.iter().for_each(|line| arguments.extend(["--sections", line]));
    let gauge = format!("{},middle", at(30.5, 5.5));
    arguments.extend(["--gauges", &gauge]);
    let ran = workshop.run(&arguments).done();
    ran.says(&["sections: 'beyond' extends beyond the DEM"]).never_says("'outlet'");
    let series = workshop.table("results/sections.csv");
    for (name, sign) in
        [("down", 1.0), ("up", -1.0), ("aslant", 1.0), ("beyond", 1.0), ("outlet", 1.0)]
    {
        let discharge = &series[&format!("{name} discharge [m3/s]")];
        near(last(discharge), sign * FLOW, 0.01 * FLOW);
        assert_eq!(discharge[0], 0.0);
    }
    let balance = workshop.table("results/mass_balance.csv");
    let through = last(&series["outlet volume [m3]"]);
    near(through, last(&balance["outflow [m3]"]), 0.02 * through);
    // v = Q/(h·b), to the east.
    let gauges = workshop.table("results/gauges.csv");
    let of = |what: &str| last(&gauges[&format!("middle {what}")]);
    let width = 10.0 * CHANNEL.1 as f64;
    near(of("velocity x [m/s]"), FLOW / (of("depth [m]") * width), 0.01);
    near(of("velocity [m/s]"), of("velocity x [m/s]"), 1e-3);
    near(of("velocity y [m/s]"), 0.0, 1e-3);
    let reported = &workshop.report("results")["sections"];
    assert_eq!(reported.as_array().unwrap().len(), 5);
    near(
        reported[1]["volume_m3"].as_f64().unwrap(),
        -reported[0]["volume_m3"].as_f64().unwrap(),
        1e-6,
    );
}

#[test]
fn storage_in_a_reach_equals_inflow_minus_outflow() {
    let workshop = channel();
    // While the reach between two lines fills, on uneven ground.
    let bed = |column: usize, row: usize| {
        10.0 - 0.02 * column as f64 + 0.05 * ((column * 7 + row * 5) % 4) as f64
    };
    workshop.raster("dem.tif", &Raster::new(CHANNEL.0, CHANNEL.1, bed));
    let (upper, lower) =
        (line((10.0, 0.0), (16.4, 11.0), "upper"), line((45.0, 0.0), (39.0, 11.0), "lower"));
    let arguments = format!("--sections '{upper}' --sections '{lower}' --gauge-every 1s");
    let filling = "--source source.tif --duration 20min --roughness 0.03";
    workshop.run(&format!("{filling} {arguments}")).done();
    let series = workshop.table("results/sections.csv");
    let stored = last(&series["upper volume [m3]"]) - last(&series["lower volume [m3]"]);
    // Depths of the cells whose centres are between the lines; the stairs pass the corners of the
    // others.
    let depths = pixels(workshop.path("results/depth.tif"));
    let volume = |west: &dyn Fn(f64) -> f64, east: &dyn Fn(f64) -> f64| -> f64 {
        let cells = depths.iter().enumerate().filter(|(cell, _)| {
            let (x, y) = ((cell % CHANNEL.0) as f64 + 0.5, (cell / CHANNEL.0) as f64 + 0.5);
            (west(y)..east(y)).contains(&x)
        });
        cells.map(|(_, depth)| f64::from(*depth) * 100.0).sum()
    };
    let there = volume(&|y| 10.0 + 6.4 * y / 11.0, &|y| 45.0 - 6.0 * y / 11.0);
    assert!(there > 2000.0);
    near(stored, there, 0.03 * there);
}

#[test]
fn the_balance_closes_at_every_time() {
    let workshop = Workshop::new();
    let point = format!("{},2 m3/s", at(3.5, 3.5));
    workshop.raster("sinks.tif", &Raster::new(12, 8, |c, r| f64::from(c == 8 && r == 3)));
    let water = format!("--rain '30 mm/h' --source '{point}' --sinks sinks.tif");
    let run = "--initial-depth '5 cm' --open east --duration 1h";
    workshop.run(&format!("{water} {run} --gauge-every 90s")).done();
    let balance = workshop.table("results/mass_balance.csv");
    let rows = balance["time [s]"].len();
    assert_eq!(balance["time [s]"], (0..rows).map(|n| 90.0 * n as f64).collect::<Vec<_>>());
    assert_eq!(rows, 41);
    for at in 0..rows {
        let of = |key: &str| balance[&format!("{key} [m3]")][at];
        assert_eq!(of("error"), 0.0);
        let sum = of("initial") + of("rain") + of("inflow") - of("losses") - of("outflow");
        near(of("stored"), sum, 1e-9 * sum);
    }
    let volume = &workshop.report("results")["volume"];
    for key in ["initial", "rain", "inflow", "losses", "outflow", "stored"] {
        let reported = volume[format!("{key}_m3")].as_f64().unwrap();
        near(last(&balance[&format!("{key} [m3]")]), reported, 1e-9 * reported);
        assert!(reported > 0.0, "{key}");
    }
    assert_eq!(
        workshop.report("results")["wet_cells"].as_f64().unwrap() * 100.0,
        last(&balance["wet area [m2]"])
    );
}

#[test]
fn gauges_change_no_bit_of_the_run_and_do_not_depend_on_tiling() {
    let workshop = channel();
    let (gauge, section) = (at(40.5, 3.5), line((33.0, 0.0), (35.0, 11.0), "weir"));
    let watched = ["--gauges", &gauge, "--sections", &section];
    let arguments = [&STEADY[..], &["--duration", "15min"]].concat();
    let arguments: Vec<&str> = arguments.iter().filter(|word| **word != "90min").copied().collect();
    let at = arguments.iter().position(|word| *word == "--duration").unwrap();
    let arguments = [&arguments[..at], &arguments[at + 1..]].concat();
    workshop.run(&[&arguments[..], &["--out", "alone"]].concat()).done();
    workshop.run(&[&arguments[..], &watched, &["--out", "watched"]].concat()).done();
    let other = ["--tile", "7x4", "--threads", "3", "--out", "tiles"];
    workshop.run(&[&arguments[..], &watched, &other].concat()).done();
    let file = |name: &str| std::fs::read(workshop.path(name)).unwrap();
    for name in ["depth.tif", "max_depth.tif", "arrival_time.tif", "mass_balance.csv"] {
        assert!(file(&format!("alone/{name}")) == file(&format!("watched/{name}")), "{name}");
    }
    for name in ["gauges.csv", "sections.csv", "mass_balance.csv"] {
        assert!(file(&format!("tiles/{name}")) == file(&format!("watched/{name}")), "{name}");
    }
}

#[test]
fn text_tables_and_layers_agree() {
    let workshop = channel();
    let point = |column, row| at(column, row);
    workshop.file(
        "points.csv",
        format!("x,y,name\n{},\"bridge, old\"\n{},mill\n", point(20.5, 2.5), point(40.1, 9.9)),
    );
    workshop.layer(
        "points.gpkg",
        "NAME",
        &[("POINT (20.5 2.5)", "bridge, old"), ("POINT (40.1 9.9)", "mill")],
    );
    workshop.layer("lines.shp", "Name", &[("LINESTRING (30 0, 30 6, 31.5 11)", "weir")]);
    workshop.layer("lines.geojson", "label", &[("LINESTRING (30 0, 30 6, 31.5 11)", "weir")]);
    let (bridge, mill) =
        (format!("{}, bridge, old", point(20.5, 2.5)), format!("{},mill", point(40.1, 9.9)));
    workshop.file("study.toml", "dem = \"dem.tif\"\nsource = \"source.tif\"\nduration = \"10min\"\ngauges = \"points.gpkg\"\nsections = [\"lines.geojson\"]\n");
    let short = "--source source.tif --duration 10min --sections lines.shp";
    workshop.run(&format!("{short} --gauges points.csv --out table")).done();
    let texts = format!("--gauges '{bridge}' --gauges '{mill}' --out text");
    workshop.run(&format!("{short} {texts}")).done();
    workshop.inundate("run study.toml --out layer").done();
    let file = |name: &str| workshop.text(name);
    for other in ["text", "layer"] {
        for name in ["gauges.csv", "sections.csv"] {
            assert_eq!(file(&format!("table/{name}")), file(&format!("{other}/{name}")), "{other}");
        }
    }
    let report = workshop.report("layer");
    let inputs = report["inputs"].as_array().unwrap();
    assert!(["gauges", "sections"].iter().all(|role| inputs.iter().any(|i| i["role"] == *role)));
    // The output can be compared without conversion.
    workshop
        .inundate(
            "compare --series table/gauges.csv --with text/gauges.csv --column 'mill depth [m]' \
             --with-column 'mill depth [m]'",
        )
        .done();
}

#[test]
fn automata_have_gauges_by_step_but_no_sections() {
    let workshop = Workshop::new();
    let gauge = format!("{},pond", at(5.5, 5.5));
    let steps = ["--rain", "1 mm/step", "--steps", "40", "--gauges", &gauge];
    workshop.run(&[&steps[..], &["--gauge-every", "15"]].concat()).done();
    let series = workshop.table("results/gauges.csv");
    assert_eq!(series["step"], [0.0, 15.0, 30.0, 40.0]);
    assert_eq!(series.len(), 3, "no velocity: {:?}", series.keys());
    let line = line((2.0, 0.0), (2.0, 8.0), "weir");
    let arguments =
        [&["run", "--dem", "dem.tif"][..], &steps, &["--sections", &line, "--overwrite"]].concat();
    workshop
        .refuses(&arguments, &["sections: 'aqua-graph' is an automaton", "--solver shallow-water"]);
}

#[test]
fn refuses_invalid_gauges_and_sections() {
    let workshop = channel();
    workshop.raster(
        "hole.tif",
        &Raster::new(CHANNEL.0, CHANNEL.1, |column, _| if column > 50 { -9999.0 } else { 1.0 }),
    );
    workshop.layer("polygons.gpkg", "name", &[("POLYGON ((1 1, 5 1, 5 5, 1 1))", "field")]);
    Shapes::texts("name").write(&workshop, "empty.gpkg");
    workshop.layer("stub.gpkg", "name", &[("LINESTRING (3 3, 3 3)", "stub")]);
    workshop.layer("two.gpkg", "name", &[("MULTIPOINT ((1 1), (3 3))", "two")]);
    workshop.file("nothing.gpkg", "");
    workshop.file("points.csv", "name,x,z\na,1,2\n");
    workshop.file("words.csv", "name,x,y\na,1,north\n");
    let (twice, inside) = (format!("{},mill", at(3.0, 3.0)), format!("{},mill", at(5.0, 3.0)));
    let on_nodata = format!("{},pier", at(55.0, 3.0));
    let cases: [(&[&str], &[&str]); 16] = [
        (&["--gauges", "1,2,far"], &["gauges: 'far' (1, 2) is outside the DEM", "covers x 500000"]),
        (
            &["--dem", "hole.tif", "--gauges", &on_nodata],
            &["gauges: 'pier'", "NoData", "column 55, row 3"],
        ),
        (
            &["--gauges", &twice, "--gauges", &inside],
            &["two are called 'mill' (number 1 and number 2)"],
        ),
        (
            &["--gauges", "500010,bridge"],
            &["gauges: '500010,bridge' is neither a point nor a file", "x,y,name"],
        ),
        (&["--gauges", "missing.gpkg"], &["gauges: 'missing.gpkg'", "cannot open it"]),
        (&["--gauges", "nothing.gpkg"], &["gauges: 'nothing.gpkg'", "empty (0 bytes)"]),
        (&["--gauges", "empty.gpkg"], &["gauges: 'empty.gpkg'", "no features"]),
        (&["--gauges", "polygons.gpkg"], &["feature 1 is a polygon", "layer of points"]),
        (&["--gauges", "two.gpkg"], &["feature 1 has 2 parts", "-explodecollections"]),
        (&["--gauges", "points.csv"], &["gauges: 'points.csv', line 1", "columns x and y"]),
        (&["--gauges", "words.csv"], &["gauges: 'words.csv', line 2", "'north'"]),
        (&["--sections", "words.csv"], &["sections: 'words.csv' is a table", "x1,y1,x2,y2"]),
        (&["--sections", "1,2,3,bank"], &["sections: '1,2,3,bank' is neither a line"]),
        (&["--sections", "1,2,3,4,far"], &["sections: 'far' is outside the DEM"]),
        (&["--sections", "stub.gpkg"], &["sections: 'stub' is a single point"]),
        (
            &["--sections", "500011,4999989,500012,4999988,tiny"],
            &["sections: 'tiny' does not reach from one corner of the cells"],
        ),
    ];
    for (arguments, parts) in cases {
        let dem: &[&str] = if arguments[0] == "--dem" { &[] } else { &["--dem", "dem.tif"] };
        workshop.refuses(&[&["run"], dem, &STEADY[..], arguments].concat(), parts);
    }
    for (every, said) in [("0s", "must be at least a millisecond"), ("often", "gauge_every: ")] {
        let arguments =
            [&["run", "--dem", "dem.tif"][..], &STEADY, &["--gauge-every", every]].concat();
        workshop.refuses(&arguments, &[said]);
    }
    // A table of points may be in the results folder, but not with the name of a result.
    workshop.file("gauges.csv", format!("name,x,y\nmill,{}\n", at(3.0, 3.0)));
    let arguments = ["--gauges", "gauges.csv", "--out", "."];
    let arguments = [&["run", "--dem", "dem.tif"][..], &STEADY, &arguments].concat();
    workshop.refuses(&arguments, &["out: 'gauges.csv' is an input of this run"]);
}

#[test]
fn tables_have_dates_if_the_start_is_known() {
    let workshop = channel();
    let gauge = format!("{},mill", at(30.5, 5.5));
    let short = ["--rain", "5 mm/h", "--duration", "10min", "--gauge-every", "150s"];
    let start = ["--start", "2021-03-28T01:55+01:00[Europe/Berlin]", "--gauges", &gauge];
    workshop.run(&[&short[..], &start].concat()).done();
    for file in ["gauges.csv", "mass_balance.csv"] {
        let mut reader = csv::Reader::from_path(workshop.path(&format!("results/{file}"))).unwrap();
        assert_eq!(reader.headers().unwrap().iter().position(|name| name == "date"), Some(2));
        let dates: Vec<String> = reader.records().map(|row| row.unwrap()[2].to_string()).collect();
        // Clocks are put forward at two.
        assert_eq!(dates[1], "2021-03-28T01:57:30+01:00");
        assert_eq!(dates[4], "2021-03-28T03:05:00+02:00");
    }
}

#[test]
fn escapes_names_that_look_like_spreadsheet_formulas() {
    let workshop = Workshop::new();
    let gauge = "500005,4999995,=HYPERLINK(\"x\")";
    workshop.run(&format!("--rain '20 mm/h' --duration 1min --gauges '{gauge}'")).done();
    let text = workshop.text("results/gauges.csv");
    let cells = csv::Reader::from_reader(text.as_bytes()).headers().unwrap().clone();
    assert!(cells.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{cells:?}");
    // It is still identified by its name.
    let column = "=HYPERLINK(\"x\") depth";
    let same = "compare --series results/gauges.csv --with results/gauges.csv";
    let columns = format!("--column '{column}' --with-column '{column}'");
    workshop.inundate(&format!("{same} {columns}")).done();
}

/// A wave from a dam break passes a gauge between two recorded times: run.json has the values of
/// every step, for any interval, tiling and number of threads.
#[test]
fn a_peak_between_two_samples_has_its_own_time_and_speed() {
    let workshop = channel();
    let dam = Raster::new(CHANNEL.0, CHANNEL.1, |column, _| if column < 6 { 4.0 } else { 0.0 });
    workshop.raster("dam.tif", &dam);
    let (ford, lake) = (format!("{},ford", at(14.5, 5.5)), format!("{},lake", at(2.5, 5.5)));
    let gauges = ["--gauges", &ford, "--gauges", &lake, "--gauges", &at(58.5, 5.5)];
    let wave =
        ["--initial-depth", "dam.tif", "--open", "east", "--layers", "time_of_max,max_velocity"];
    for (solver, duration) in [("shallow-water", "6min"), ("inertial", "6min")] {
        let run = |every: &str, more: &[&str], out: &str| {
            let how =
                ["--duration", duration, "--solver", solver, "--gauge-every", every, "--out", out];
            workshop.run(&[&wave[..], &gauges, &how, more].concat()).done();
            workshop.report(out)["gauges"].clone()
        };
        let out = |name: &str| format!("{solver}-{name}");
        let rare = run("6min", &[], &out("rare"));
        let often = run("0.2s", &["--tile", "13x4", "--threads", "2"], &out("often"));
        assert_eq!(rare, often, "{solver}");
        let of = |at: usize, key: &str| rare[at][key].as_f64().unwrap();
        let noted = workshop.table(&format!("{}/gauges.csv", out("often")));
        let (times, depths) = (&noted["time [s]"], &noted["ford depth [m]"]);
        let peak = depths.iter().copied().fold(0.0, f64::max);
        let when = times[depths.iter().position(|&depth| depth == peak).unwrap()];
        assert!((1.0..300.0).contains(&when), "{solver}: between the two times, at {when} s");
        // Recorded values are interpolated between steps of a second or two.
        near(of(0, "max_depth_m"), peak, 0.01 * peak);
        assert!(peak <= of(0, "max_depth_m") + 1e-5);
        near(of(0, "time_of_max"), when, 3.0);
        let fastest = noted["ford velocity [m/s]"].iter().copied().fold(0.0, f64::max);
        near(of(0, "max_velocity_m_s"), fastest, 0.02 * fastest);
        assert!(of(0, "max_velocity_m_s") >= fastest - 1e-5);
        // The lake is deepest at the start; and all values agree with the rasters.
        assert_eq!((of(1, "time_of_max"), of(1, "max_depth_m")), (0.0, 4.0));
        let raster = |name: &str| pixels(workshop.path(&format!("{}/{name}.tif", out("rare"))));
        let (peaks, speeds) = (raster("time_of_max"), raster("max_velocity"));
        for (gauge, column) in [(0, 14), (1, 2), (2, 58)] {
            let cell = 5 * CHANNEL.0 + column;
            near(of(gauge, "time_of_max") / 3600.0, peaks[cell].into(), 1e-5);
            assert_eq!(of(gauge, "max_velocity_m_s") as f32, speeds[cell], "{solver}");
        }
    }
}

#[test]
fn peaks_and_volumes_of_sections_do_not_depend_on_the_interval_of_the_records() {
    let workshop = channel();
    workshop.file("wave.csv", "time [s],discharge [m3/s]\n0,1\n600,1\n610,20\n730,20\n740,1\n");
    let source = format!("{},wave.csv", at(1.5, 5.5));
    let section = line((40.5, 0.0), (40.5, 11.0), "s");
    let common =
        ["--source", &source, "--duration", "40min", "--open", "east", "--sections", &section];
    let report = |every: &str, folder: &str| {
        let arguments = ["--gauge-every", every, "--out", folder];
        workshop.run(&[&common[..], &arguments].concat()).done();
        let reported = workshop.report(folder)["sections"][0].clone();
        [reported["peak_m3_s"].as_f64().unwrap(), reported["volume_m3"].as_f64().unwrap()]
    };
    let [peak, volume] = report("5s", "often");
    let [rough_peak, rough_volume] = report("5min", "seldom");
    assert!(peak > 3.0, "{peak}");
    near(rough_peak, peak, 0.1 * peak);
    near(rough_volume, volume, 0.02 * volume);
    let series = workshop.table("seldom/sections.csv");
    assert_eq!(series["time [s]"].len(), 9);
    let recorded = series["s discharge [m3/s]"].iter().fold(0.0, |most: f64, flow| most.max(*flow));
    assert!((peak - rough_peak).abs() < peak - recorded, "{recorded}, {rough_peak}, {peak}");
    near(last(&series["s volume [m3]"]), rough_volume, 0.01);
}

#[test]
fn a_section_along_a_side_whose_cells_drain_is_reported() {
    let workshop = channel();
    let sections = |column: f64| line((column, 0.0), (column, 11.0), "outlet");
    let run = |side: &[&str], column: f64| {
        let more = ["--sections", &sections(column), "--overwrite"];
        let source = ["--source", "source.tif", "--duration", "1 min"];
        workshop.run(&[&source[..], side, &more].concat()).done()
    };
    let warned = "sections: 'outlet' follows the side of the domain along 11 cells, in which a slope, a level or a rating";
    for side in [["--outflow-slope", "east,0.002"], ["--level", "east,9"]] {
        run(&side, 60.0).says(&[warned, "move it a cell inward"]);
        run(&side, 59.0).never_says("follows the side");
    }
    run(&["--open", "east"], 60.0).never_says("follows the side");
}

#[test]
fn discharges_of_laboratory_plots_have_digits() {
    let cells = [0.0, 0.1, 0.0, 1.0, 0.0, -0.1];
    let plot = Raster::new(10, 10, |column, _| 1.0 - 0.02 * column as f64).transform(cells);
    let workshop = Workshop::with_dem(&plot.epsg(32633));
    let rain = "--rain '20 mm/h' --open east --duration '20 min'";
    workshop.run(&format!("{rain} --sections 1,0,1,1,foot")).done();
    // 1 m² of 20 mm/h.
    let flow = last(&workshop.table("results/sections.csv")["foot discharge [m3/s]"]);
    near(flow.abs(), 0.02 / 3600.0, 2e-8);
}

#[test]
fn a_gauge_on_a_dry_bank_has_no_velocity() {
    // A channel of two pixels in cells of four.
    let bed = |column: usize, row: usize| {
        3.0 - 0.02 * column as f64 - if (7..9).contains(&row) { 2.0 } else { 0.0 }
    };
    let workshop = Workshop::with_dem(&Raster::new(40, 16, bed));
    let source = format!("{},3 m3/s", at(1.5, 7.5));
    let [channel, bank] = [7.5, 4.5].map(|row| format!("{},at {row}", at(20.5, row)));
    let gauges = format!("--gauges '{channel}' --gauges '{bank}' --duration '20 min'");
    let run = format!("--subgrid 4 --source '{source}' --outflow-slope east,0.002");
    workshop.run(&format!("{run} {gauges}")).done();
    let series = workshop.table("results/gauges.csv");
    assert!(last(&series["at 7.5 velocity [m/s]"]) > 0.3);
    assert_eq!(last(&series["at 4.5 velocity [m/s]"]), 0.0);
    let reported = &workshop.report("results")["gauges"];
    assert!(reported[0]["max_velocity_m_s"].as_f64().unwrap() > 0.3);
    assert_eq!(
        (&reported[1]["max_depth_m"], &reported[1]["max_velocity_m_s"]),
        (&0.0.into(), &0.0.into())
    );
}

#[test]
fn volumes_that_depend_on_the_sampling_are_warned_of() {
    // A lake empties into a dry half of the map at once.
    let workshop = Workshop::with_dem(&Raster::new(20, 20, |_, _| 100.0));
    let ponds = Raster::new(20, 20, |column, _| if column < 10 { 1.5 } else { 0.0 });
    workshop.raster("pond.tif", &ponds);
    let run = |more: &str| {
        let section = format!("{},{}", at(10.0, 0.0), at(10.0, 20.0));
        let flags =
            format!("--initial-depth pond.tif --roughness 0.1 --sections {section},s --overwrite");
        let ran = workshop.run(&format!("{flags} --layers depth {more}")).done();
        let depths = pixels(workshop.path("results/depth.tif"));
        let there: f64 = (0..400).filter(|at| at % 20 >= 10).map(|at| f64::from(depths[at])).sum();
        let volume = workshop.report("results")["sections"][0]["volume_m3"].as_f64().unwrap();
        (volume / (100.0 * there) - 1.0, ran)
    };
    let warning = "the discharge through 's' changes faster than it is sampled";
    let (off, ran) = run("--duration 6h");
    assert!(off.abs() < 0.02, "{off}");
    ran.never_says(warning);
    let (off, ran) = run("--duration 20min --gauge-every 10min");
    assert!(off.abs() > 0.03, "{off}");
    ran.says(&[warning, "give a shorter gauge_every"]);
}
