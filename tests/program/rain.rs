//! Rain in all its forms adds the volume calculated by hand, according to the mass balance.
//!
//! A rate is exact to a grain per cell. A frame of a series may lose up to two grains per cell (2 ·
//! 2⁻²⁴ m), one for its running total and one for the cell's share of it, and the share is accurate
//! to 2⁻³² of the frame's peak.

use crate::cli_common;
use inundate::engine::ledger::Term;

use cli_common::rain::{Bands, SERIES, frames};
use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Ran, Raster, Workshop};
use gdal::vector::OGRFieldType;
use inundate::engine::cadence::Leg;
use inundate::run::model::Model;
use inundate::run::quantities::QUANTITIES;
use inundate::scenario::options::Options;

/// Area of the domain of [`Workshop::new`] [m²].
const AREA: f64 = 9600.0;
/// Half an hour, the default duration of the runs here.
const HALF_HOUR: [&str; 2] = ["--duration", "30min"];

/// Returns the maximum loss of `frames` frames over the domain [m³]; at least a grain per cell.
fn bound(frames: usize) -> f64 {
    let peak = 0.1;
    frames.max(1) as f64 * AREA * (2.0 * 2f64.powi(-24) + peak * 2f64.powi(-32))
}

/// Runs with rain, and compares the mass balance with a mean depth calculated by hand [mm].
#[track_caller]
fn brings(workshop: &Workshop, arguments: &[&str], mm: f64, frames: usize) -> Ran {
    let run = [arguments, &["--open", "all", "--overwrite"]].concat();
    let timed = arguments.contains(&"--duration") || arguments.contains(&"--steps");
    let ran = workshop.run(&[&run[..], if timed { &[] } else { &HALF_HOUR }].concat()).done();
    let rain = workshop.volume("results", "rain_m3");
    let expected = mm * 1e-3 * AREA;
    assert!(
        (rain - expected).abs() <= bound(frames),
        "{arguments:?}: {rain} m³, not {expected}: off by {:e}, bound {:e}",
        rain - expected,
        bound(frames)
    );
    assert_eq!(workshop.report("results")["volume"]["error_m3"], 0.0);
    ran
}

#[test]
fn rates_and_a_factor() {
    let workshop = Workshop::new();
    for (rate, mm) in [
        ("30 mm/h", 15.0),
        ("0.5 in/h", 6.35),
        ("4 mm/15min", 8.0),
        ("1 mm/5 min", 6.0),
        ("1 in/6h", 25.4 / 12.0),
        ("240 mm/day", 5.0),
    ] {
        brings(&workshop, &["--rain", rate], mm, 0);
    }
    brings(&workshop, &["--rain", "30 mm/h", "--rain-factor", "0.9"], 13.5, 0);
    let steps = ["--rain", "2 mm/step", "--steps", "7", "--rain-factor", "0.5"];
    brings(&workshop, &steps, 7.0, 0);
}

#[test]
fn the_peak_of_a_design_storm_includes_the_factor() {
    let workshop = Workshop::with_dem(&Raster::new(3, 3, |_, _| 10.0));
    let storm = "--rain design:100mm/6h/chicago:0.4 --duration '1 min' --overwrite";
    let peak = |more: &str| -> f64 {
        let said = workshop.run(&format!("{storm} {more}")).done().err;
        let (_, peak) = said.split_once("has a peak of ").expect("the peak");
        peak.split_whitespace().next().expect("a number").parse().expect("a number")
    };
    assert!((peak("") - 2.0 * peak("--rain-factor 0.5")).abs() < 0.11);
}

#[test]
fn hyetographs_in_every_unit_and_by_wall_clock() {
    let workshop = Workshop::new();
    let noon = ["--start", "2021-07-14T12:00+02:00"];
    // Lines, further arguments, and the depth [mm] that falls in half an hour.
    let cases: [(&str, &[&str], f64); 10] = [
        ("time [min],rain [mm/h]\n0,12\n10,60\n20,0\n", &[], 12.0),
        ("time [min],rain [in/h]\n0,1\n15,0\n", &[], 6.35),
        ("time [min],rain [mm]\n0,3\n5,4\n10,0\n15,2\n20,0\n", &[], 9.0),
        // The last depth lasts as long as the previous one: until the end of the run, or longer.
        ("time [min],rain [mm]\n0,3\n15,4\n", &[], 7.0),
        ("time [min],rain [mm]\n0,3\n20,4\n", &[], 5.0),
        ("time [min],rain [in]\n0,0.1\n30,0\n", &[], 2.54),
        ("time,rain [mm/h]\n2021-07-14T12:00,12\n2021-07-14T12:10,0\n", &noon, 2.0),
        ("time,rain [mm/h]\n14.07.2021 12:05,12\n14.07.2021 12:10,0\n", &noon, 1.0),
        ("time,rain [mm/h]\n2021-07-14 09:50Z,12\n2021-07-14 10:10Z,0\n", &noon, 2.0),
        ("time,rain [mm]\n2021-07-14T12:00,6\n2021-07-14T12:20,3\n2021-07-14T12:40,0\n", &[], 7.5),
    ];
    for (lines, arguments, mm) in cases {
        workshop.file("storm.csv", lines);
        brings(&workshop, &[&["--rain", "storm.csv"], arguments].concat(), mm, 0);
    }
    workshop.file("storm.csv", "step,rain [mm]\n0,3\n2,4\n6,0\n");
    brings(&workshop, &["--rain", "storm.csv", "--steps", "4"], 5.0, 0);
}

#[test]
fn reports_assumptions_about_wall_clock_times() {
    let workshop = Workshop::new();
    workshop.file("storm.csv", "time,rain [mm/h]\n2021-07-14T12:00,12\n2021-07-14T12:10,0\n");
    let rain = ["--rain", "storm.csv"];
    brings(&workshop, &rain, 2.0, 0).says(&[
        "note: rain: 'storm.csv' is dated: the run starts at its first time, 2021-07-14T12:00:00+00:00, taken as UTC (override with --start)",
    ]);
    let early = [&rain[..], &["--start", "2021-07-14T12:05+02:00"]].concat();
    brings(&workshop, &early, 1.0, 0).says(&[
        "note: rain: 'storm.csv' has no time zone; the time zone of the run's start (2021-07-14T12:05:00+02:00) is assumed",
        "warning: rain: 'storm.csv' covers 2021-07-14T12:00:00+02:00 to 2021-07-14T12:10:00+02:00, but the run is 2021-07-14T12:05:00+02:00 to 2021-07-14T12:35:00+02:00; data outside the run are ignored",
    ]);
    let late = [&rain[..], &["--start", "2021-07-14T11:35Z"]].concat();
    brings(&workshop, &late, 1.0, 0).says(&["before its first time it has no effect"]);
    // A TOML date, and a time zone by name.
    workshop.file(
        "s.toml",
        "dem = 'dem.tif'\nrain = 'storm.csv'\nduration = '30 min'\nstart = 2021-07-14T12:05:00+02:00\n",
    );
    workshop
        .inundate("run s.toml --overwrite")
        .done()
        .says(&["the time zone of the run's start ("]);
    let zone = ["--start", "2021-07-14T12:05[Europe/Berlin]"];
    brings(&workshop, &[&rain[..], &zone].concat(), 1.0, 0).says(&["12:05:00+02:00"]);
}

#[test]
fn reads_dates_in_the_time_zone_of_their_header_or_name() {
    let workshop = Workshop::new();
    let start = ["--start", "2021-07-14T14:00+02:00"];
    let rain = [&["--rain", "storm.csv"], &start[..]].concat();
    let storm = |header: &str, [from, to]: [&str; 2]| {
        workshop.file("storm.csv", format!("{header},rain [mm/h]\n{from},12\n{to},0\n"));
    };
    let noon = ["2021-07-14 12:00", "2021-07-14 12:10"];
    for header in ["date (UTC)", "time_utc", "Date Time [GMT]", "time (Z)"] {
        storm(header, noon);
        brings(&workshop, &rain, 2.0, 0).never_says("time zone");
    }
    for (header, times) in [
        ("time (UTC+1)", ["2021-07-14 13:00", "2021-07-14 13:10"]),
        ("date (Europe/Berlin)", ["2021-07-14 14:00", "2021-07-14 14:10"]),
        ("date (UTC)", ["2021-07-14T14:00+02:00", "2021-07-14T14:10+02:00"]),
        ("date [CEST]", ["2021-07-14T12:00Z", "2021-07-14T12:10Z"]),
    ] {
        storm(header, times);
        brings(&workshop, &rain, 2.0, 0).never_says("time zone");
    }
    storm("date [CEST]", noon);
    let refuse = |rain: &str, parts: &[&str]| {
        let run = ["run", "--dem", "dem.tif", "--rain", rain, "--duration", "30 min"];
        workshop.refuses(&run, &[parts, &["names a time zone", "(UTC+02:00)"]].concat());
    };
    refuse("storm.csv", &["rain: 'storm.csv', line 1: 'date [CEST]'"]);
    for folder in ["utc", "cest"] {
        std::fs::create_dir(workshop.path(folder)).unwrap();
    }
    let mut list = String::from("file,time (UTC)\n");
    for (at, raster) in frames().iter().enumerate() {
        let name = format!("utc/radar_20210714_12{:02}00_UTC.tif", 10 * at);
        workshop.raster(&name, raster);
        list += &format!("{name},2021-07-14 12:{:02}\n", 10 * at);
    }
    workshop.file("list.csv", &list);
    for series in ["utc", "list.csv"] {
        let arguments = [&["--rain", series], &start[..]].concat();
        let ran = brings(&workshop, &arguments, SERIES.mean_mm(30.0), SERIES.rates.len());
        ran.never_says("time zone");
    }
    workshop.file("list.csv", list.replace("UTC)", "CEST)"));
    refuse("list.csv", &["rain: 'list.csv', line 1: 'time (CEST)'"]);
    workshop.raster("cest/radar_20210714_1200_CEST.tif", &frames()[0]);
    refuse("cest", &["rain: 'cest/radar_20210714_1200_CEST.tif': 'CEST'"]);
}

#[test]
fn reads_hydrographs_and_levels_by_wall_clock() {
    let workshop = Workshop::flat();
    workshop.file(
        "q.csv",
        "time,flow [m3/s]\n2021-07-14T11:50,0\n2021-07-14T12:10,2\n2021-07-14T12:20,0\n",
    );
    let point = format!("{},{},q.csv", CORNER.0 + 55.0, CORNER.1 - 35.0);
    let start = ["--start", "2021-07-14T12:00Z", "--duration", "30min"];
    workshop
        .run(&[&["--source", &point], &start[..]].concat())
        .done()
        .says(&["data outside the run are ignored"]);
    // From 1 m³/s at the start to 2 in ten minutes and to 0 in ten more.
    let inflow = workshop.volume("results", "inflow_m3");
    assert!((inflow - (900.0 + 600.0)).abs() < 1e-4, "{inflow}");
    workshop.file("tide.csv", "time,level [m]\n2021-07-14T11:45,10.0\n2021-07-14T12:15,10.4\n");
    let level = ["--level", "all,tide.csv", "--overwrite"];
    workshop.run(&[&level, &start[..]].concat()).done();
    let depth = cli_common::pixels(workshop.path("results/depth.tif"));
    assert!((depth[0] - 0.4).abs() < 1e-6, "{}", depth[0]);
    workshop.file("tide.csv", "time,level [m]\n2021-07-13T11:45,10.0\n2021-07-13T12:15,10.4\n");
    let all = [&["run", "--dem", "dem.tif", "--out", "new"], &level[..2], &start].concat();
    workshop.refuses(&all, &["level: 'tide.csv' covers", "but the run is", "--start"]);
}

#[test]
fn a_raster_of_the_total_depth_of_an_event() {
    let workshop = Workshop::new();
    workshop.raster("total.tif", &Raster::new(12, 8, |column, _| column as f64));
    let total = ["--rain", "total.tif", "--rain-unit", "mm"];
    // The mean of 0 to 11 mm, independent of the run's duration.
    brings(&workshop, &total, 5.5, 1);
    brings(&workshop, &[&total[..], &["--duration", "2h"]].concat(), 5.5, 1);
    brings(&workshop, &[&total[..], &["--rain-duration", "10min"]].concat(), 5.5, 1);
    brings(&workshop, &[&total[..], &["--rain-duration", "1h"]].concat(), 2.75, 1).says(&[
        "warning: rain_duration: the depth of 'total.tif' falls until 1 h, after the run's end",
    ]);
    brings(&workshop, &["--rain", "total.tif", "--rain-unit", "in/h"], 5.5 * 12.7, 1);
    brings(&workshop, &[&total[..], &["--steps", "5"]].concat(), 5.5, 1);
    // A band that declares its unit.
    workshop.raster("inches.tif", &Raster::new(12, 8, |column, _| column as f64).unit("in"));
    brings(&workshop, &["--rain", "inches.tif"], 5.5 * 25.4, 1)
        .says(&["note: rain: 'inches.tif' is in 'in', as it declares"]);
}

#[test]
fn bands_netcdf_folder_and_list_give_the_same_series() {
    let workshop = Workshop::new();
    let (mm, count) = (SERIES.mean_mm(30.0), SERIES.rates.len());
    SERIES.bands("2021-07-14T").write(&workshop, "dated.tif");
    SERIES.bands("").write(&workshop, "plain.tif");
    SERIES.netcdf("minutes since 2021-07-14 12:00:00").write_netcdf(
        &workshop,
        "radar.nc",
        &["rainfall"],
    );
    std::fs::create_dir(workshop.path("radar")).unwrap();
    let mut list = String::from("file,time [min]\n");
    for (at, raster) in frames().iter().enumerate() {
        workshop.raster(&format!("radar/radar_20210714_12{:02}.tif", 10 * at), raster);
        list += &format!("radar/radar_20210714_12{:02}.tif,{}\n", 10 * at, 10 * at);
    }
    workshop.file("radar/readme.txt", "not a raster");
    workshop.file("list.csv", &list);
    let start = ["--start", "2021-07-14T12:00Z"];
    let mut maps = Vec::new();
    for arguments in [
        &[&["--rain", "dated.tif"], &start[..]].concat()[..],
        &["--rain", "dated.tif"],
        &["--rain", "plain.tif", "--rain-interval", "10min"],
        &[&["--rain", "radar.nc"], &start[..]].concat(),
        &[&["--rain", "radar.nc", "--rain-variable", "rainfall"], &start[..]].concat(),
        &[&["--rain", "radar"], &start[..]].concat(),
        &["--rain", "list.csv"],
    ] {
        brings(&workshop, arguments, mm, count).never_says("warning");
        maps.push(std::fs::read(workshop.path("results/max_depth.tif")).unwrap());
    }
    assert!(maps.windows(2).all(|pair| pair[0] == pair[1]), "the same rain gives the same bits");
    // Depths per interval: a sixth of the rates per hour.
    let depth = ["--rain", "plain.tif", "--rain-interval", "10min", "--rain-unit", "mm"];
    brings(&workshop, &depth, 6.0 * mm, count);
}

#[test]
fn a_netcdf_series_keeps_its_times_through_gdal_translate() {
    let workshop = Workshop::new();
    SERIES.netcdf("hours since 2021-07-14 12:00").write_netcdf(
        &workshop,
        "radar.nc",
        &["rainfall"],
    );
    workshop.shell("gdal_translate -q NETCDF:radar.nc:rainfall bands.tif").done();
    // Frames are hours apart, so the first one lasts for the whole run.
    let first = SERIES.rates[0].iter().sum::<f64>() / 4.0 * 0.5;
    brings(&workshop, &["--rain", "bands.tif"], first, 1)
        .says(&["is dated: the run starts at its first time"]);
}

#[test]
fn a_series_as_fine_as_the_dem_falls_cell_by_cell() {
    let workshop = Workshop::new();
    let rate = |at: usize, column: usize, row: usize| ((column * 3 + row * 5 + at * 7) % 13) as f64;
    let bands = (0..3).map(|at| {
        (Raster::new(12, 8, |column, row| rate(at, column, row)), format!("{} min", at * 10))
    });
    Bands::new(bands.collect()).write(&workshop, "fine.tif");
    let cells = (0..96).map(|cell| (cell % 12, cell / 12));
    let total: f64 = cells.map(|(c, r)| (0..3).map(|at| rate(at, c, r)).sum::<f64>()).sum();
    brings(&workshop, &["--rain", "fine.tif"], total / 96.0 / 6.0, 3).never_says("warning");
}

#[test]
fn pixels_in_another_crs_fall_in_the_right_place() {
    // Four pixels in degrees, whose common corner is in the middle of the terrain.
    let workshop = Workshop::flat();
    let middle = (15.0 + 60.0 / 78_600.0, 45.0 + 9_000.0 / 111_130.0);
    let (wide, high) = (0.01, 0.01);
    let transform = [middle.0 - wide, wide, 0.0, 45.1532 + high, 0.0, -high];
    let bands = [[5.0; 4], [8.0; 4]].iter().enumerate().map(|(at, rates)| {
        let raster = Raster::new(2, 2, |column, row| rates[row * 2 + column]);
        (raster.epsg(4326).transform(transform), format!("{} min", at * 15))
    });
    Bands::new(bands.collect()).write(&workshop, "degrees.tif");
    brings(&workshop, &["--rain", "degrees.tif"], 3.25, 2).never_says("warning");
}

#[test]
fn gauges_rain_on_the_nearest_cells() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |_, _| 10.0).with(0, 0, -9999.0));
    let area = 9500.0;
    std::fs::create_dir(workshop.path("gauges")).unwrap();
    workshop.file("gauges/a.csv", "time [min],rain [mm/h]\n0,12\n10,60\n20,0\n");
    workshop.file("gauges/b.csv", "time [min],rain [mm]\n5,4\n15,2\n20,0\n");
    // The border is between columns 3 and 4: 4 columns of 8 cells, one of them outside, and 8
    // columns.
    let (x, y) = (CORNER.0, CORNER.1 - 40.0);
    let lines = format!("name,x,y,series\nA,{},{y},a.csv\nB,{},{y},b.csv\n", x + 15.0, x + 65.0);
    workshop.file("gauges/table.csv", lines);
    let run = |arguments: &[&str]| {
        let ran = workshop.run(&[arguments, &HALF_HOUR, &["--overwrite"]].concat()).done();
        let rain = workshop.volume("results", "rain_m3");
        let expected = (12.0 * 3100.0 + 6.0 * 6400.0) * 1e-3;
        assert!((rain - expected).abs() < bound(5), "{rain} {expected} of {area} m²");
        ran
    };
    run(&["--rain", "gauges/table.csv"])
        .says(&["note: rain: 'gauges/table.csv': 2 gauges, each the nearest of some cells"]);
    let both = [("hyetograph", OGRFieldType::OFTString), ("rain", OGRFieldType::OFTReal)];
    let layer = Shapes::new(&both)
        .with("POINT (1.5 4)", &[text("a.csv"), None])
        .with("POINT (6.5 4)", &[text("b.csv"), None]);
    layer.write(&workshop, "gauges/layer.gpkg");
    run(&["--rain", "gauges/layer.gpkg"]);
    // In degrees, by GDAL's own transformation.
    workshop.shell("ogr2ogr -t_srs EPSG:4326 gauges/degrees.gpkg gauges/layer.gpkg").done();
    run(&["--rain", "gauges/degrees.gpkg"]);
    // Rates instead of series; a distant gauge is not the nearest one of any cell.
    let rates = Shapes::new(&[("rain", OGRFieldType::OFTString)])
        .with("POINT (1.5 4)", &[text("24 mm/h")])
        .with("POINT (900 4)", &[text("99 mm/h")])
        .with("POINT (6.5 4)", &[text("12 mm/h")]);
    rates.write(&workshop, "rates.gpkg");
    run(&["--rain", "rates.gpkg"]).says(&["3 gauges, of which 1 are not the nearest of any cell"]);
    let _ = number(1.0);
}

#[test]
fn scenario_paths_are_relative_to_the_file() {
    let workshop = Workshop::new();
    std::fs::create_dir_all(workshop.path("study/radar")).unwrap();
    for (at, raster) in frames().iter().enumerate() {
        workshop.raster(&format!("study/radar/radar_20210714_12{:02}.tif", 10 * at), raster);
    }
    workshop.file("study/s.toml", "dem = '../dem.tif'\nrain = 'radar'\nduration = '30 min'\n");
    workshop.inundate("run study/s.toml --out results").done();
    let expected = SERIES.mean_mm(30.0) * 1e-3 * AREA;
    assert!((workshop.volume("results", "rain_m3") - expected).abs() < bound(3));
    assert_eq!(workshop.report("results")["inputs"].as_array().unwrap().len(), 5);
}

#[test]
fn check_counts_the_rain_and_memory_of_a_series_once() {
    let workshop = Workshop::new();
    let check = |rain: &[&str]| {
        let arguments =
            [&["check", "--dem", "dem.tif", "--json", "--device", "cpu"], &HALF_HOUR[..], rain];
        workshop.inundate(&arguments.concat()).done().json()
    };
    let bytes = |estimate: &serde_json::Value| estimate["memory_bytes"].as_u64().unwrap();
    SERIES.bands("2021-07-14T").write(&workshop, "dated.tif");
    let plain = check(&["--rain", "1 mm/h"]);
    let coarse = check(&["--rain", "dated.tif"]);
    // A zone (4 bytes) per cell, and a share (4 bytes) for each of five zones in three frames.
    assert_eq!(bytes(&coarse) - bytes(&plain), 96 * 4 + 3 * 5 * 4);
    let brought = coarse["forcing"].as_array().unwrap();
    assert_eq!(brought.len(), 1, "{brought:?}");
    let volume = brought[0]["volume_m3"].as_f64().unwrap();
    assert!((volume - SERIES.mean_mm(30.0) * 1e-3 * AREA).abs() < bound(3), "{volume}");
    let fine = |differ: usize| {
        let band =
            |at: usize| Raster::new(12, 8, move |column, _| (5 + differ * at * column) as f64);
        let bands = (0..3).map(|at| (band(at), format!("{} min", at * 10)));
        Bands::new(bands.collect()).write(&workshop, "fine.tif");
        bytes(&check(&["--rain", "fine.tif"])) - bytes(&plain)
    };
    // Rasters with equal shares are one layer.
    assert_eq!([fine(1), fine(0)], [3 * 96 * 4, 96 * 4]);
}

#[test]
fn cells_without_replaced_rain_keep_their_hyetograph() {
    let workshop = Workshop::new();
    workshop.file("rain.csv", "time [min],rain [mm/h]\n0,36\n10,72\n20,0\n");
    let path = |name: &str| workshop.path(name).display().to_string();
    let text = format!(
        "dem = '{}'\nrain = '{}'\nduration = '30 min'\nout = '{}'\nquiet = true\n",
        path("dem.tif"),
        path("rain.csv"),
        path("results")
    );
    let options = Options::from_toml(&text, "scenario").unwrap();
    let mut model = Model::start(&options, Vec::new(), |_| {}).unwrap();
    let rain = QUANTITIES.iter().find(|quantity| quantity.name == "rain").unwrap();
    let to = |model: &mut Model, minutes: f64| {
        model.step(Leg::until(60.0 * minutes), || true).unwrap();
        (model.read(rain).unwrap(), model.with(|run| Ok(run.volumes()?.of(Term::Rain))).unwrap())
    };
    let (cells, unset) = (12 * 8, f64::NAN);
    let mm_h = 1e-3 / 3600.0;
    let is_near = |found: f64, expected: f64| (found - expected).abs() <= bound(1);
    let part = |set: f64| (0..cells).map(|cell| if cell < 24 { set } else { unset }).collect();
    let (_, before) = to(&mut model, 5.0);
    assert!(is_near(before, 3e-3 * AREA), "{before}");
    // A quarter has 18 mm/h from now on, then none; the others 36, from 10 min on 72, and from 20
    // min on none.
    for (set, minutes, other, quarter_mm, other_mm) in
        [(18.0, 8.0, 36.0, 0.9, 1.8), (18.0, 12.0, 72.0, 1.2, 3.6), (0.0, 25.0, 0.0, 0.0, 9.6)]
    {
        let (_, before) = to(&mut model, 0.0);
        let values: Vec<f64> = part(set * mm_h);
        model.set(rain, &values).unwrap();
        model.set(rain, &vec![unset; cells]).unwrap();
        let (rates, after) = to(&mut model, minutes);
        for (rate, expected) in [(rates[0], set), (rates[95], other)] {
            assert!((rate / mm_h - expected).abs() < 1e-6, "{rate} at {minutes} min");
        }
        let came = (0.25 * quarter_mm + 0.75 * other_mm) * 1e-3 * AREA;
        assert!(is_near(after - before, came), "{} to {minutes} min, not {came}", after - before);
    }
    // If it is set everywhere, it is a single rate again.
    model.set(rain, &[36.0 * mm_h]).unwrap();
    let (rates, _) = to(&mut model, 30.0);
    assert!(rates.iter().all(|rate| (rate / mm_h - 36.0).abs() < 1e-6));
    let report = model.finish().unwrap().unwrap().report;
    assert_eq!(report.volume.error(), 0.0);
}
