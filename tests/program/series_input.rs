//! Series in CSV files as loggers and spreadsheets write them: separators and decimal signs,
//! missing values, gaps, and mass curves. Volumes are compared with hand-computed ones.

use crate::cli_common;

use cli_common::{CORNER, Ran, Raster, Workshop, at};

/// Area of the domain of [`Workshop::new`] [m²].
const AREA: f64 = 9600.0;

/// Runs for some time, and returns a mass balance volume.
#[track_caller]
fn volume(workshop: &Workshop, arguments: &[&str], duration: &str, name: &str) -> (f64, Ran) {
    let more = ["--duration", duration, "--open", "all", "--overwrite"];
    let ran = workshop.run(&[arguments, &more].concat()).done();
    assert_eq!(workshop.report("results")["volume"]["error_m3"], 0.0);
    (workshop.volume("results", name), ran)
}

#[track_caller]
fn near(found: f64, expected: f64) {
    let off = (found - expected).abs();
    assert!(off <= 1e-4 * expected.abs().max(1.0), "{found}, not {expected}");
}

/// Runs with `storm.csv` as rain and compares the mean depth [mm].
#[track_caller]
fn rains(workshop: &Workshop, lines: &str, arguments: &[&str], duration: &str, mm: f64) -> Ran {
    workshop.file("storm.csv", lines);
    let arguments = [&["--rain", "storm.csv"], arguments].concat();
    let (rain, ran) = volume(workshop, &arguments, duration, "rain_m3");
    near(rain, mm * 1e-3 * AREA);
    ran
}

/// Runs with `q.csv` as a source and compares the volume [m³].
#[track_caller]
fn pours(workshop: &Workshop, lines: &str, duration: &str, cubic_metres: f64) -> Ran {
    workshop.file("q.csv", lines);
    let source = format!("{},{},q.csv", CORNER.0 + 65.0, CORNER.1 - 35.0);
    let (inflow, ran) = volume(workshop, &["--source", &source], duration, "inflow_m3");
    near(inflow, cubic_metres);
    ran
}

/// Asserts that `check` prints these messages, too.
#[track_caller]
fn checked(workshop: &Workshop, arguments: &str, parts: &[&str]) {
    workshop.inundate(&format!("check --dem dem.tif {arguments}")).done().says(parts);
}

#[test]
fn reads_the_separators_and_decimal_signs_of_spreadsheets() {
    let workshop = Workshop::new();
    for (lines, note) in [
        (
            "time [h];rain [mm/h]\n0;10,5\n0,5;2\n1;0\n",
            "separated by semicolons and numbers with decimal commas",
        ),
        ("time [h];rain [mm/h]\n0;10.5\n0.5;2\n1;0\n", "separated by semicolons"),
        (
            "time [h]\train [mm/h]\n0\t10,5\n0,5\t2\n1\t0\n",
            "separated by tabs and numbers with decimal commas",
        ),
        ("sep=;\r\ntime [h];rain [mm/h]\r\n0;10,5\r\n0,5;2\r\n1;0\r\n", "separated by semicolons"),
        ("sep=,\ntime [h],rain [mm/h]\n0,10.5\n0.5,2\n1,0\n", ""),
        ("\u{feff}time [h],rain [mm/h],,\n0,10.5,,\n0.5,2,,\n1,0,,\n,,,\n", ""),
    ] {
        let ran = rains(&workshop, lines, &[], "1h", 6.25);
        ran.says(&[note]).never_says("warning");
    }
    // Rain gauge lists, levels, points and class tables use the same reader.
    workshop.file("g.csv", "x;y;series\n500025,5;4999975;storm.csv\n");
    near(volume(&workshop, &["--rain", "g.csv"], "1h", "rain_m3").0, 6.25e-3 * AREA);
    workshop.raster("soil.tif", &Raster::new(12, 8, |_, _| 1.0));
    workshop.file("soil.csv", "class;infiltration_mm_h\n1;2,5\n");
    let losses = ["--rain", "20 mm/h", "--loss-classes", "soil.tif", "--loss-table", "soil.csv"];
    near(volume(&workshop, &losses, "1h", "infiltration_m3").0, 2.5e-3 * AREA);
}

#[test]
fn reports_faults_with_the_line_an_editor_shows() {
    let workshop = Workshop::new();
    let rain = "run --dem dem.tif --duration 1h --rain storm.csv";
    for (lines, parts) in [
        (
            "# a\r\n\r\ntime [h],rain [mm/h]\r\n# b\r\n0,1\r\n\r\nx,2\r\n",
            &["line 7: 'x' is not a duration"][..],
        ),
        ("sep=;\ntime [h];rain [mm/h]\n0;1,5\nx;2\n", &["line 4: 'x' is not a duration"]),
        ("# a\n\nrain [mm/h]\n1\n", &["line 3: expected 2 columns"]),
        (
            "time [h],rain [mm/h],\n0,1,\n1,0,3\n",
            &["line 3: '3' is in column 3, which has no name", "remove it"],
        ),
        (
            "time [h],rain [mm/h]\n0,1,5\n1,0\n",
            &["line 2: 3 columns, but the header has 2", "decimal point"],
        ),
        (
            "time [h];rain [mm/h]\n0;1,5\n1;2.5\n",
            &["line 3: '2.5' has a point, but '1,5' (line 2) a decimal comma"],
        ),
        (
            "time [h];rain [mm/h]\n0;1.234,5\n",
            &["line 2: '1.234,5' has a decimal sign and thousands separators"],
        ),
        (
            "rain [mm/h],rain [mm/h]\n0,1\n",
            &["line 1: the column 'rain [mm/h]' appears twice", "rename"],
        ),
    ] {
        workshop.file("storm.csv", lines);
        workshop.refuses(rain, &[&["rain: 'storm.csv', "], parts].concat());
    }
    let utf16: Vec<u8> =
        "time [h],rain [mm/h]\n0,1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    workshop.file("storm.csv", utf16);
    workshop
        .refuses(rain, &["line 1: it is text in UTF-16, not in UTF-8", "save it as CSV in UTF-8"]);
    // The other readers as well.
    workshop.file("g.csv", "# a\r\n\r\nx,y,X\r\n1,2,3\r\n");
    workshop.refuses(
        "run --dem dem.tif --duration 1h --rain '1 mm/h' --gauges g.csv",
        &["gauges: 'g.csv', line 3: the column 'X' appears twice"],
    );
    workshop.file("g.csv", "# a\r\n\r\nx,y\r\n# b\r\n\r\n1,east\r\n");
    workshop.refuses(
        "run --dem dem.tif --duration 1h --rain '1 mm/h' --gauges g.csv",
        &["gauges: 'g.csv', line 6: 'east' in column 'y' is not a coordinate"],
    );
    workshop.file(
        "l.csv",
        "x1,y1,x2,y2,kind,capacity [l/s],capacity [m3/s]\n500025,4999975,500055,4999975,pump,1,1\n",
    );
    workshop.refuses(
        "run --dem dem.tif --duration 1h --rain '1 mm/h' --links l.csv",
        &["links: 'l.csv', line 1: the column 'capacity' appears twice"],
    );
    workshop.file("a.csv", "time [h],Q,Q\n0,1,2\n1,2,3\n");
    workshop
        .refuses("compare --series a.csv --with a.csv", &["line 1: the column 'Q' appears twice"]);
}

#[test]
fn reads_clock_times_in_the_form_of_their_column() {
    let workshop = Workshop::new();
    for (header, times) in [
        ("time [mm:ss]", ["0:00", "60:00", "120:00"]),
        ("time (min:sec)", ["00:00", "60:00", "120:00"]),
        ("time_mm:ss", ["0:00", "60:00", "2:00:00"]),
        ("Time [HH:MM]", ["0:00", "1:00", "2:00"]),
        ("time [h:mm]", ["0:00", "1:00", "2:00:00"]),
        ("hh:mm:ss", ["0:00:00", "1:00:00", "2:00:00"]),
        ("time [d:hh:mm]", ["0:00:00", "0:01:00", "0:02:00"]),
        ("time [h]", ["0:00", "1:00", "2"]),
        ("time (since the start)", ["0:00", "1:00", "02:00:00"]),
    ] {
        let [a, b, c] = times;
        pours(&workshop, &format!("{header},flow [l/s]\n{a},10\n{b},20\n{c},0\n"), "4h", 90.0);
    }
    let at = format!("{},{}", CORNER.0 + 65.0, CORNER.1 - 35.0);
    let source = format!("{at},q.csv");
    let run = format!("run --dem dem.tif --duration 4h --source '{source}'");
    for (header, time, parts) in [
        ("time [min]", "60:30", &["'60:30' is a clock time, but its unit is min", "mm:ss"][..]),
        ("time [s]", "60:30", &["'60:30' is a clock time, but its unit is s"]),
        ("day", "1:30", &["'1:30' is a clock time, but its unit is day"]),
        ("time [mm:ss]", "60:60", &["'60:60 mm:ss' is not a duration"]),
        ("time [hh:mm:ss]", "60:30", &["'60:30 hh:mm:ss' is not a duration"]),
        ("time [hh:mm]", "90", &["'90 hh:mm' is not a duration"]),
        ("time [ww:dd]", "1:30", &["'1:30 ww:dd' is not a duration"]),
    ] {
        workshop.file("q.csv", format!("{header},flow [l/s]\n{time},10\n200 h,0\n"));
        workshop.refuses(&run, &[&["source: 'q.csv', line 2: "], parts].concat());
    }
    // As a time of the day it would be 10:00.
    let note = "has times such as '10:00', which count from the start of the run, 2021-07-14";
    for (time, start, is_noted) in [
        ("10:00", "2021-07-14T09:00", true),
        ("0:00", "2021-07-14T09:00", false),
        ("10:00", "", false),
    ] {
        workshop.file("q.csv", format!("time,flow [l/s]\n{time},10\n12:00,0\n"));
        let start = if start.is_empty() { String::new() } else { format!(" --start {start}") };
        let ran = workshop.inundate(&format!("{run} --overwrite{start}")).done();
        assert_eq!(ran.err.contains(note), is_noted, "{time}{start}: {}", ran.err);
    }
    // The other tables with times.
    workshop.file("a.csv", "time [mm:ss],Q [m3/s]\n0:00,0\n60:00,2\n");
    workshop.file("b.csv", "time [h],Q [m3/s]\n0,0\n1,2\n");
    let compared = ["compare", "--series", "a.csv", "--with", "b.csv", "--json"];
    let compared = workshop.inundate(&compared).done().json();
    assert_eq!(compared["errors"]["rmse"], 0.0, "{compared}");
    assert_eq!(compared["period"], serde_json::json!([0.0, 3600.0]));
    workshop.raster("r.tif", &Raster::new(12, 8, |_, _| 10.0).unit("mm/h"));
    workshop.file("list.csv", "file,time [mm:ss]\nr.tif,0:00\nr.tif,60:00\n");
    near(volume(&workshop, &["--rain", "list.csv"], "4h", "rain_m3").0, 0.02 * AREA);
    workshop.file(
        "s.csv",
        format!("x1,y1,x2,y2,kind,crest,bottom_level,bottom_width,formation_time [min],start\n{at},{},{},breach,200,100,5,1:30,0\n", CORNER.0 + 65.0, CORNER.1 - 65.0),
    );
    workshop.refuses(
        "run --dem dem.tif --duration 1h --structures s.csv",
        &["formation_time: '1:30' is a clock time, but its unit is min"],
    );
}

/// Creates a sea over a bed at -5 m, filled to 0 m and closed except in the west.
fn sea() -> Workshop {
    Workshop::with_dem(&Raster::new(12, 8, |_, _| -5.0))
}

/// Runs that sea with a tide in the west, and returns inflow and outflow [m³].
#[track_caller]
fn tide(workshop: &Workshop, lines: &str) -> ([f64; 2], Ran) {
    workshop.file("tide.csv", lines);
    let arguments = "--level west,tide.csv --initial-level '0 m' --duration 40min --overwrite";
    let ran = workshop.run(arguments).done();
    (["inflow_m3", "outflow_m3"].map(|name| workshop.volume("results", name)), ran)
}

#[test]
fn interpolates_a_missing_level_between_its_neighbours() {
    let workshop = sea();
    let head = "time [min],level [m]\n0,0\n10,0.3\n";
    let (whole, ran) = tide(&workshop, &format!("{head}30,0.2\n40,0\n"));
    ran.never_says("warning");
    for code in [
        "-999", "-99.9", "-9999", "9999", "-32768", "1e20", "1e30", "NaN", "NA", "", "null", "-",
        "-999 m",
    ] {
        let (found, ran) = tide(&workshop, &format!("{head}20,{code}\n30,0.2\n40,0\n"));
        assert_eq!(found, whole, "{code:?}");
        let shown = if code.is_empty() { "empty".into() } else { format!("'{code}'") };
        let warning = format!(
            "level: 'tide.csv' has no value in 1 of its 5 lines: line 4 (20 min: {shown}); a straight line"
        );
        ran.says(&[&warning]);
        assert!(
            workshop.report("results")["warnings"]
                .to_string()
                .contains("has no value in 1 of its 5")
        );
    }
    checked(&workshop, "--level west,tide.csv --duration 40min", &["line 4 (20 min: '-999 m')"]);
    // A declared code, although the value would be plausible.
    for (comment, header) in [("# missing: 0.9\n", "level [m]"), ("", "level [m] (missing 0.9)")] {
        let lines = format!("{comment}time [min],{header}\n0,0\n10,0.3\n20,0.9\n30,0.2\n40,0\n");
        let (found, ran) = tide(&workshop, &lines);
        assert_eq!(found, whole, "{comment}{header}");
        ran.says(&["(20 min: '0.9')"]);
    }
    // The first and the last value are extended to the ends.
    let (ends, _) = tide(&workshop, "time [min],level [m]\n10,0.3\n20,0.25\n30,0.2\n");
    let lines = "time [min],level [m]\n0,-999\n10,0.3\n20,0.25\n30,0.2\n40,-999\n";
    let (found, ran) = tide(&workshop, lines);
    assert_eq!(found, ends);
    ran.says(&["the first value is also assumed before it", "the last value is kept at the end"]);
}

#[test]
fn accepts_a_code_like_value_among_similar_neighbours() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |_, _| 990.0));
    workshop.file("lake.csv", "time [min],level [m]\n0,998\n10,999\n20,1001\n");
    let arguments = "--level west,lake.csv --initial-level '998 m' --duration 20min";
    workshop.run(arguments).done().never_says("has no value");
    let ran = pours(
        &Workshop::new(),
        "time [min],flow [m3/s]\n0,0\n10,999\n20,800\n30,0\n",
        "30min",
        600.0 * (499.5 + 899.5 + 400.0),
    );
    ran.never_says("has no value");
}

#[test]
fn interpolates_a_missing_flow_between_its_neighbours() {
    let workshop = Workshop::new();
    for code in ["-999", "-9999.0", "9999", "1e30", "NA", ""] {
        let lines = format!("time [min],flow [m3/s]\n0,1\n10,2\n20,{code}\n30,4\n40,1\n");
        let expected = 600.0 * (1.5 + 2.5 + 3.5 + 2.5);
        let ran = pours(&workshop, &lines, "40min", expected);
        ran.says(&[
            "source: 'q.csv' has no value in 1 of its 5 lines: line 4 (20 min:",
            "a straight line",
        ]);
    }
    let ran = pours(
        &workshop,
        "time [min],flow [m3/s]\n0,-999\n10,2\n20,2\n30,0\n",
        "30min",
        600.0 * 3.0,
    );
    ran.says(&["there is no flow before the first value"]);
}

#[test]
fn missing_rain_is_the_mean_of_adjacent_rates_and_never_silently_zero() {
    let workshop = Workshop::new();
    for code in ["-999", "-99.9", "9999", "nan", ""] {
        let lines = format!("time [min],rain [mm/h]\n0,6\n10,{code}\n20,18\n30,0\n");
        let ran = rains(&workshop, &lines, &[], "30min", 1.0 + 2.0 + 3.0);
        ran.says(&[
            "rain: 'storm.csv' has no value in 1 of its 4 lines: line 3 (10 min:",
            "the mean of the rates before and after",
        ]);
        // For depths as well: 1 mm and 3 mm in 10 min.
        let lines = format!("time [min],rain [mm]\n0,1\n10,{code}\n20,3\n30,0\n");
        rains(&workshop, &lines, &[], "30min", 6.0).says(&["line 3 (10 min:", "is assumed"]);
    }
    let lines = "time [min],rain [mm/h]\n0,6\n10,6\n20,12\n30,-999\n";
    rains(&workshop, lines, &[], "1h", 4.0)
        .says(&["line 5 (30 min: '-999')", "a rate of 0 is assumed at the end"]);
    // Gauges with wall clock times.
    workshop.file("g.csv", "x,y,series\n500025,4999975,one.csv\n");
    let dated = "time,rain [mm/h]\n2021-07-14T12:00,6\n2021-07-14T12:10,NA\n2021-07-14T12:20,18\n2021-07-14T12:30,0\n";
    workshop.file("one.csv", dated);
    let (rain, ran) = volume(&workshop, &["--rain", "g.csv"], "30min", "rain_m3");
    near(rain, 6e-3 * AREA);
    ran.says(&["rain: 'one.csv' has no value", "line 3 (2021-07-14T12:10: 'NA')"]);
}

#[test]
fn missing_evaporation_is_the_mean_of_adjacent_rates() {
    let workshop = Workshop::flat();
    let run = |lines: &str| {
        workshop.file("air.csv", lines);
        let water = "--initial-depth '1 m' --evaporation air.csv --duration 30min --overwrite";
        let ran = workshop.run(water).done();
        (workshop.volume("results", "evaporation_m3"), ran)
    };
    let head = "time [min],evaporation [mm/day]\n0,4\n";
    let (whole, _) = run(&format!("{head}10,6\n20,8\n"));
    let (found, ran) = run(&format!("{head}10,-99\n20,8\n"));
    near(found, whole);
    // 4 and then 6 mm/day for 10 min each, and 8 for the rest.
    near(whole, (4.0 + 6.0 + 8.0) / 144.0 * 1e-3 * AREA);
    ran.says(&["evaporation: 'air.csv' has no value in 1 of its 3 lines: line 3 (10 min: '-99')"]);
}

#[test]
fn refuses_a_series_without_most_of_its_values() {
    let workshop = Workshop::new();
    let run = "run --dem dem.tif --duration 1h";
    workshop.file("s.csv", "time [h],level [m]\n0,111\n1,-999\n2,-999\n3,112\n");
    workshop.refuses(
        &format!("{run} --level east,s.csv"),
        &[
            "level: 's.csv' has no value in 2 of its 4 lines: line 3 (1 h: '-999'), line 4",
            "fill them in",
        ],
    );
    workshop.file("s.csv", "time [h],rain [mm/h]\n0,NA\n1,NA\n2,5\n");
    workshop.refuses(
        &format!("{run} --rain s.csv"),
        &["rain: 's.csv' has no value in 2 of its 3 lines"],
    );
    workshop.file("s.csv", "time [h],rain [mm/h]\n0,5\n1,-1\n2,5\n");
    let parts = ["rain: 's.csv', line 3: '-1 mm/h' is negative", "# missing: -1"];
    workshop.refuses(&format!("{run} --rain s.csv"), &parts);
    rains(&workshop, "# missing: -1\ntime [h],rain [mm/h]\n0,5\n1,-1\n2,5\n3,0\n", &[], "3h", 15.0);
}

#[test]
fn reports_gaps_of_regular_series_with_time_and_assumption() {
    let workshop = Workshop::new();
    // 20 mm/h hold through a gap of 7 h.
    let lines = "time [h],rain [mm/h]\n0,0\n1,5\n2,20\n9,5\n10,0\n11,0\n12,0\n";
    rains(&workshop, lines, &[], "12h", 5.0 + 140.0 + 5.0).says(&["rain: 'storm.csv' comes every 1 h, but has a gap of 7 h from 2 h; the rate before a gap holds through it"]);
    let lines = "time [h],rain [mm]\n0,1\n1,5\n2,6\n5,5\n6,3\n7,0\n";
    rains(&workshop, lines, &[], "7h", 20.0)
        .says(&["but has a gap of 3 h from 2 h; the depth before a gap is spread over it"]);
    let lines = "time [min],flow [m3/s]\n0,1\n5,2\n10,2\n15,2\n35,4\n40,1\n";
    let ran = pours(&workshop, lines, "40min", 300.0 * (1.5 + 2.0 + 2.0 + 4.0 * 3.0 + 2.5));
    ran.says(&["source: 'q.csv' comes every 5 min, but has a gap of 20 min from 15 min; a straight line is assumed across it"]);
    workshop.file(
        "tide.csv",
        "time [min],level [m]\n0,111\n5,111.2\n10,111.1\n15,111\n35,111\n40,111.2\n",
    );
    let level = "--level east,tide.csv --duration 40min";
    workshop
        .run(&format!("{level} --overwrite"))
        .done()
        .says(&["level: 'tide.csv' comes every 5 min, but has a gap"]);
    checked(
        &workshop,
        level,
        &["level: 'tide.csv' comes every 5 min, but has a gap of 20 min from 15 min"],
    );
    for lines in [
        // A last line that only ends the rain, and irregular hand-written times.
        "time [h],rain [mm/h]\n0,5\n1,8\n2,3\n3,0\n24,0\n",
        "time [h],rain [mm/h]\n0,5\n1,8\n6,0\n",
        "time [h],rain [mm/h]\n0,5\n0.5,8\n1.5,7\n6,0\n",
    ] {
        workshop.file("storm.csv", lines);
        volume(&workshop, &["--rain", "storm.csv"], "1h", "rain_m3").1.never_says("gap");
    }
}

#[test]
fn mass_curves_deliver_their_differences() {
    let workshop = Workshop::new();
    let lines = "0,0\n1,5\n2,12\n3,20\n4,25\n5,25\n6,25\n";
    for header in [
        "cumulative rain [mm]",
        "Accumulated_rain [mm]",
        "accum [mm]",
        "total rain [mm]",
        "rain mass curve [mm]",
        "rain (cumulative) [mm]",
    ] {
        let ran = rains(&workshop, &format!("time [h],{header}\n{lines}"), &[], "6h", 25.0);
        ran.says(&["rain: 'storm.csv' is a mass curve with 25.0000 mm of rain"])
            .never_says("warning");
    }
    // Undeclared values are taken as depths of intervals with a warning, or as the option says.
    let plain = format!("time [h],rain [mm]\n{lines}");
    let depths = 5.0 + 12.0 + 20.0 + 25.0 * 3.0;
    let warning = "rain: 'storm.csv' has depths that never fall, like a mass curve";
    rains(&workshop, &plain, &[], "7h", depths).says(&[warning, "rain_values"]);
    checked(&workshop, "--rain storm.csv --duration 7h", &[warning]);
    rains(&workshop, &plain, &["--rain-values", "accumulated"], "7h", 25.0).never_says("warning");
    rains(&workshop, &plain, &["--rain-values", "interval"], "7h", depths).never_says("never fall");
    let cumulative = format!("time [h],cumulative rain [mm]\n{lines}");
    rains(&workshop, &cumulative, &["--rain-values", "interval"], "7h", depths);
    // Totals per interval may decrease.
    let lines = "time [h],total rain [mm]\n0,2\n1,5\n2,3\n3,0\n";
    rains(&workshop, lines, &[], "3h", 10.0).says(&["has totals that do not rise throughout"]);
    // A gauge that restarts, and one with a missing value, which the total bridges.
    let lines = "time [h],cumulative rain [mm]\n0,0\n1,6\n2,10\n3,1\n4,3\n5,3\n";
    rains(&workshop, lines, &[], "5h", 13.0).says(&["restarts its total in line 5 (3 h)"]);
    let lines = "time [h],cumulative rain [mm]\n0,0\n1,6\n2,-999\n3,10\n4,12\n";
    rains(&workshop, lines, &[], "4h", 12.0).says(&["line 4 (2 h: '-999')", "spread evenly"]);
    // Rain before the first time falls from 0 on, or is ignored if the series has dates.
    let lines = "time [h],cumulative rain [mm]\n1,4\n2,6\n3,10\n";
    rains(&workshop, lines, &[], "3h", 10.0).says(&["begins with a total of 4.0000 mm"]);
    let lines = "time,cumulative rain [mm]\n2021-07-14T12:00,840\n2021-07-14T13:00,842\n2021-07-14T14:00,845\n";
    rains(&workshop, lines, &[], "2h", 5.0)
        .says(&["begins with a total of 840.0000 mm", "is not used"]);
    // In gauges and in a study.
    workshop.file("g.csv", "x,y,series\n500025,4999975,storm.csv\n");
    near(volume(&workshop, &["--rain", "g.csv"], "2h", "rain_m3").0, 5e-3 * AREA);
    workshop.file("one.csv", plain);
    workshop.file("scenario.toml", "dem = 'dem.tif'\nrain = 'one.csv'\nduration = '7h'\n");
    workshop.file(
        "study.toml",
        "base = 'scenario.toml'\n[matrix]\nrain_values = ['interval', 'accumulated']\n",
    );
    workshop.inundate("study study.toml").done();
    for (run, mm) in [("interval", depths), ("accumulated", 25.0)] {
        near(
            workshop.volume(&format!("study/runs/rain_values-{run}"), "rain_m3"),
            mm * 1e-3 * AREA,
        );
    }
}

#[test]
fn refuses_invalid_mass_curves() {
    let workshop = Workshop::new();
    let run = "run --dem dem.tif --duration 1h --rain storm.csv";
    workshop.file("storm.csv", "time [h],cumulative rain [mm]\n0,0\n1,6\n2,4\n3,10\n");
    workshop.refuses(
        run,
        &[
            "rain: 'storm.csv', line 4: the cumulative rain falls from 6 to 4",
            "--rain-values interval",
        ],
    );
    workshop.file("storm.csv", "time [h],cumulative rain [mm]\n1,6\n");
    workshop.refuses(run, &["is a mass curve with only one value"]);
    workshop.file("storm.csv", "time [h],rain [mm/h]\n0,6\n1,0\n");
    workshop.refuses(
        &format!("{run} --rain-values accumulated"),
        &["rain_values: 'storm.csv' has rates", "unit of depth"],
    );
    let ran = rains(&workshop, "time [h],accumulated rain [mm/h]\n0,6\n1,0\n", &[], "1h", 6.0);
    ran.says(&["is cumulative according to its header", "read as a rate"]);
}

#[test]
fn reports_levels_far_below_the_bed_with_place_and_depth() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |_, row| 10.0 + row as f64));
    workshop.file("tide.csv", "time [min],level [m]\n0,19\n10,-91\n20,19\n");
    let level = "--level west,tide.csv --duration 20min";
    let warning = "level: 'west,tide.csv' falls to -91.00 m (10 min), 101.00 m below the lowest bed of its cells (10.00 m, at column 0, row 0)";
    workshop.run(level).done().says(&[warning]);
    checked(&workshop, level, &[warning]);
    let below = "--level 'west,-90 m' --initial-depth '0.1 m' --duration 1min";
    checked(
        &workshop,
        below,
        &["never rises above the bed of its cells (at least 10.00 m, at column 0, row 0)"],
    );
    checked(
        &workshop,
        "--initial-level '-90 m' --rain '1 mm/h' --duration 1min",
        &[
            "initial_level: -90 m is below the whole bed",
            "the lowest bed is 100.00 m above it, 10.00 m at column 0, row 0",
        ],
    );
    // An ebb below the bed of a tidal flat is normal.
    workshop.file("tide.csv", "time [min],level [m]\n0,19\n10,5\n20,19\n");
    workshop.run(&format!("{level} --overwrite")).done().never_says("below the lowest bed");
}

#[test]
fn a_comparison_skips_missing_observations() {
    let workshop = Workshop::empty();
    workshop.file("a.csv", "time [h],Q [m3/s]\n0,1\n1,3\n2,5\n3,7\n4,9\n");
    for code in ["-999", "-99.9", "9999", "NaN", "", "1e20"] {
        workshop
            .file("b.csv", format!("# gauge\ntime [h],Q [m3/s]\n0,2\n1,3\n\n2,{code}\n3,6\n4,9\n"));
        let arguments = "compare --series a.csv --with b.csv --json";
        let ran = workshop.inundate(arguments).done();
        let json = ran.json();
        // Differences of -1, 0, 1 and 0.
        assert_eq!(json["errors"]["count"], 4, "{code}");
        near(json["errors"]["rmse"].as_f64().unwrap(), 0.5f64.sqrt());
        assert_eq!(json["peak"]["observed"], 9.0);
        ran.says(&[
            "with: 'b.csv' has no value in 1 of its 5 lines, which are left out: line 6 (2:",
        ]);
        // A gap in the compared series is bridged by a straight line.
        let ran = workshop.inundate("compare --series b.csv --with a.csv --json").done();
        ran.says(&["series: 'b.csv' has no value in 1 of its 5 lines"]);
    }
    workshop.file("b.csv", "time [h],Q [m3/s]\n0,NA\n1,NA\n2,NA\n3,6\n4,9\n");
    workshop.refuses(
        "compare --series a.csv --with b.csv",
        &["with: 'b.csv' has no value in 3 of its 5 lines"],
    );
    workshop.file("b.csv", "time [h];Q [m3/s]\n0;2,5\n1;3,5\n2;5\n3;7\n40;9\n");
    let ran = workshop.inundate("compare --series b.csv --with a.csv").done();
    ran.says(&["series: 'b.csv' comes every 1 h, but has a gap of 37 h from 3 h"]);
}

#[test]
fn a_comparison_skips_points_without_a_value() {
    let workshop = Workshop::empty();
    workshop.raster("depth.tif", &Raster::new(10, 10, |column, _| column as f64 * 0.25));
    let points = |code: &str| {
        format!(
            "name,x,y,depth [m]\na,500015,4999995,0.25\nb,500025,4999995,{code}\nc,500035,4999995,0.85\n"
        )
    };
    for code in ["-999", "-9999", "NA", "", "9999"] {
        workshop.file("p.csv", points(code));
        let ran = workshop.inundate("compare depth.tif --with p.csv --json").done();
        let json = ran.json();
        assert_eq!(json["errors"]["count"], 2, "{code}");
        ran.says(&["with: 1 point of 'p.csv' has no value; left out: b"]);
    }
    workshop.file("p.csv", points("-0.5"));
    workshop.refuses("compare depth.tif --with p.csv", &["line 3: the depth -0.5 is negative"]);
}

#[test]
fn a_time_in_the_second_column_is_named() {
    let workshop = Workshop::new();
    workshop.file("q.csv", "flow [m3/s],time [h]\n10,0\n10,1\n");
    let source = format!("{},q.csv", at(6.5, 4.5));
    workshop.refuses(
        &["run", "--dem", "dem.tif", "--duration", "1h", "--source", &source],
        &["line 1", "the time is in the second column, 'time [h]': put it first"],
    );
}
