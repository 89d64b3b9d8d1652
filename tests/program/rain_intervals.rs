//! Rain rasters fall in the intervals that their metadata give, and running totals are differenced:
//! mass balance volumes equal hand-computed sums.

use crate::cli_common;

use cli_common::netcdf::{Rain, Values};
use cli_common::rain::Bands;
use cli_common::{Ran, Raster, Workshop};
use gdal::raster::RasterCreationOptions;
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DatasetOptions, DriverManager, GdalOpenFlags, Metadata};

/// Area of the domain of [`flat`] [m²].
const AREA: f64 = 9600.0;

/// Runs for some hours from an hour of 2021-07-14 on, and compares the rain depth [mm] with a
/// hand-computed one.
#[track_caller]
fn brings(workshop: &Workshop, rain: &str, from: u32, hours: u32, mm: f64) -> Ran {
    let start = format!("2021-07-{:02}T{:02}:00Z", 14 + from / 24, from % 24);
    let duration = format!("{hours}h");
    let timed = format!("--start '{start}' --duration '{duration}' --step 1min --overwrite");
    let ran = workshop.run(&format!("{rain} {timed}")).done();
    let fell = workshop.volume("results", "rain_m3") / AREA * 1e3;
    assert!((fell - mm).abs() <= 1e-3 * mm.max(1.0), "{rain:?}: {fell} mm, not {mm}");
    ran
}

/// Asserts that the hours that start at times (h) have sums (mm).
#[track_caller]
fn brings_hourly(workshop: &Workshop, rain: &str, hours: &[(u32, f64)]) {
    for &(from, mm) in hours {
        brings(workshop, rain, from, 1, mm);
    }
}

#[track_caller]
fn refused(workshop: &Workshop, rain: &str, parts: &[&str]) {
    let run = "run --dem dem.tif --duration 1h --overwrite";
    workshop.refuses(&format!("{run} {rain}"), parts);
}

/// Returns totals since midnight [m], from one o'clock to midnight, of 1 mm/h with another
/// millimetre in the third hour.
fn daily_totals() -> Vec<(f64, f32)> {
    let total = |hour: u32| f64::from(hour + u32::from(hour >= 3)) * 1e-3;
    (1..=24).map(|hour| (f64::from(hour), total(hour) as f32)).collect()
}

#[test]
fn era5_land_totals_restart_every_day() {
    let workshop = Workshop::flat();
    let mut days = daily_totals();
    // A millimetre in the first hour of the next day, and none after it.
    days.extend((25..=48).map(|hour| (f64::from(hour), 1e-3)));
    let named = |rain: Rain| Rain { name: "tp", ..rain.with("long_name", "Total precipitation") };
    named(Rain::of("m", &days)).write(&workshop, "tp.nc");
    let rain = "--rain tp.nc";
    brings(&workshop, rain, 0, 24, 25.0).never_says("warning").says(&[
        "each value is assumed to be the total since the start of its day (UTC) or forecast",
    ]);
    // The third hour has 2 mm, midnight ends the last hour of the day, and the next day starts
    // again from 0.
    brings_hourly(
        &workshop,
        rain,
        &[(0, 1.0), (2, 2.0), (3, 1.0), (23, 1.0), (24, 1.0), (25, 0.0)],
    );
    // A single day has no reset, and converted files have their attributes as metadata.
    named(Rain::of("m", &daily_totals())).write(&workshop, "day.nc");
    brings(&workshop, "--rain day.nc", 0, 24, 25.0);
    workshop.shell("gdal_translate -q NETCDF:day.nc:tp day.tif").done();
    brings(&workshop, "--rain day.tif", 0, 24, 25.0);
    // For files on ERA5-Land's own grid, a few hours are enough.
    let few = Rain { spacing: 0.1, ..named(Rain::of("m", &daily_totals()[..3])) };
    few.write(&workshop, "few.nc");
    brings(&workshop, "--rain few.nc", 0, 3, 4.0);
    // The option overrides this: then each value is the rain of its hour.
    let interval = "--rain few.nc --rain-values interval";
    brings(&workshop, interval, 0, 3, 7.0);
}

#[test]
fn hourly_era5_accumulations_end_at_their_time() {
    let workshop = Workshop::flat();
    let hours = [(1.0, 1e-3), (2.0, 5e-3), (3.0, 2e-3), (4.0, 0.0), (5.0, 4e-3)];
    let attributes = [("long_name", "Total precipitation"), ("GRIB_stepType", "accum")];
    let file = |attribute: (&'static str, &'static str)| Rain {
        name: "tp",
        ..Rain::of("m", &hours).with(attribute.0, attribute.1)
    };
    for attribute in attributes {
        file(attribute).write(&workshop, "tp.nc");
        for (from, mm) in [(0, 1.0), (1, 5.0), (3, 0.0), (4, 4.0)] {
            brings(&workshop, "--rain tp.nc", from, 1, mm)
                .says(&["the interval that ends at its time"]);
        }
        brings(&workshop, "--rain tp.nc", 0, 5, 12.0).never_says("warning");
    }
    // Without a start, the run starts with the first hour.
    let run = "--rain tp.nc --duration 5h --step 1min --overwrite";
    workshop.run(run).done().says(&["the run starts at its first time, 2021-07-14T00:00:00+00:00"]);
    assert!((workshop.volume("results", "rain_m3") - 12e-3 * AREA).abs() < 1e-3);
}

#[test]
fn bounds_give_the_rain_intervals() {
    let workshop = Workshop::flat();
    let ends = [(1.0, 1.0), (2.0, 5.0), (3.0, 2.0)];
    let hours = [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]];
    Rain::of("mm", &ends).with("cell_methods", "time: sum").bounds(&hours).write(&workshop, "r.nc");
    let rain = "--rain r.nc";
    brings(&workshop, rain, 0, 3, 8.0).never_says("warning");
    brings_hourly(&workshop, rain, &[(0, 1.0), (1, 5.0), (2, 2.0)]);
    // Rates, stamped in the middle, with a pause.
    let middle = [(0.5, 1.0), (1.5, 5.0), (3.5, 2.0)];
    let hours = [[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]];
    Rain::of("mm/h", &middle).bounds(&hours).write(&workshop, "r.nc");
    brings_hourly(&workshop, rain, &[(0, 1.0), (1, 5.0), (2, 0.0), (3, 2.0)]);
    // A single raster with bounds falls within them.
    Rain::of("mm", &[(12.0, 24.0)]).bounds(&[[0.0, 24.0]]).write(&workshop, "day.nc");
    brings(&workshop, "--rain day.nc", 6, 6, 6.0);
    // So does each raster of a folder, even if its name has the end of its hour.
    std::fs::create_dir(workshop.path("hours")).unwrap();
    for (hour, mm) in [(1, 1.0), (2, 5.0), (3, 2.0)] {
        let end = f64::from(hour);
        let one = Rain::of("mm", &[(end, mm)]).bounds(&[[end - 1.0, end]]);
        one.write(&workshop, &format!("hours/rain_20210714_0{hour}00.nc"));
    }
    for (from, mm) in [(0, 1.0), (1, 5.0), (2, 2.0)] {
        brings(&workshop, "--rain hours", from, 1, mm).never_says("another time");
    }
    Rain::of("mm", &middle).bounds(&[[0.0, 2.0], [1.0, 2.0], [3.0, 4.0]]).write(&workshop, "r.nc");
    refused(&workshop, rain, &["the intervals of band 1 of 'r.nc' and band 2 of 'r.nc' overlap"]);
}

#[test]
fn declared_times_must_agree_with_those_in_the_names() {
    let workshop = Workshop::flat();
    let fill = |names: [&str; 3], hours: [f64; 3]| {
        let _ = std::fs::remove_dir_all(workshop.path("rain"));
        std::fs::create_dir(workshop.path("rain")).unwrap();
        for ((name, hour), rate) in names.iter().zip(hours).zip([1.0, 5.0, 2.0]) {
            Rain::of("mm/h", &[(hour, rate)]).write(&workshop, &format!("rain/{name}.nc"));
        }
    };
    let rain = "--rain rain";
    let hours = ["r_20210714_0000", "r_20210714_0100", "r_20210714_0200"];
    // Half a minute is rounding.
    fill(hours, [0.0, 1.0 + 1.0 / 120.0, 2.0]);
    brings(&workshop, rain, 1, 1, 5.0).never_says("another time");
    // Names without a time zone are in that of the start.
    fill(hours, [-2.0, -1.0, 0.0]);
    let start = "--start 2021-07-14T01:00+02:00 --duration 1h --step=1min";
    workshop.run(&format!("{rain} {start} --overwrite")).done();
    assert!((workshop.volume("results", "rain_m3") - 5e-3 * AREA).abs() < 1e-3);
    // Names in another time zone.
    fill(hours, [22.0, 23.0, 24.0]);
    let parts = [
        "rain: band 1 of 'rain/r_20210714_0000.nc' declares the time 2021-07-14T22:00:00+00:00, but its name has 2021-07-14T00:00:00",
        "list files and times in a CSV",
    ];
    refused(&workshop, rain, &parts);
    // The times of a list count.
    let lines: Vec<String> = hours
        .iter()
        .enumerate()
        .map(|(at, name)| format!("rain/{name}.nc,2021-07-14T0{at}:00Z\n"))
        .collect();
    workshop.file("list.csv", format!("file,time\n{}", lines.concat()));
    brings(&workshop, "--rain list.csv", 1, 1, 5.0)
        .says(&["declares another time than the list; the list is used"]);
    // Also if only some of its files declare times.
    let plain = Raster::new(9, 9, |_, _| 1.0).epsg(4326).unit("mm/h");
    let transform = [13.875, 0.25, 0.0, 46.275, 0.0, -0.25];
    workshop.raster("rain/plain.tif", &plain.transform(transform));
    let some = lines.concat().replace("r_20210714_0000.nc", "plain.tif");
    workshop.file("list.csv", format!("file,time\n{some}"));
    brings(&workshop, "--rain list.csv", 1, 1, 5.0)
        .says(&["declares another time than the list; the list is used"]);
    // A name with a date alone leaves the hour to the file.
    let days = ["r_20210714", "r_20210715", "r_20210716"];
    fill(days, [6.0, 30.0, 54.0]);
    brings(&workshop, rain, 24, 6, 6.0);
    brings(&workshop, rain, 30, 6, 30.0);
    fill(days, [6.0, 30.0, 78.0]);
    refused(&workshop, rain, &["declares the time 2021-07-17T06:00:00+00:00"]);
}

#[test]
fn maxima_of_intervals_are_warned_of() {
    let workshop = Workshop::flat();
    for (methods, warns) in [("time: maximum", true), ("time: mean area: maximum", false)] {
        let rates = Rain::of("mm/h", &[(0.0, 1.0), (1.0, 5.0), (2.0, 2.0)]);
        rates.with("cell_methods", methods).write(&workshop, "r.nc");
        let run = "--rain r.nc --duration 1h --step 1min --overwrite";
        let ran = workshop.run(run).done();
        match warns {
            true => ran.says(&["rain: 'r.nc': its values are the maximum of each interval"]),
            false => ran.never_says("cell_methods"),
        };
    }
}

#[test]
fn bounds_may_have_units_of_their_own() {
    let workshop = Workshop::flat();
    let minutes = [[0.0, 60.0], [60.0, 120.0], [120.0, 180.0]];
    let units = Values::Text("minutes since 2021-07-14 00:00:00");
    let rates = Rain::of("mm/h", &[(0.5, 1.0), (1.5, 5.0), (2.5, 2.0)]).bounds(&minutes);
    Rain { of_bounds: vec![("units", units)], ..rates }.write(&workshop, "r.nc");
    brings_hourly(&workshop, "--rain r.nc", &[(0, 1.0), (1, 5.0), (2, 2.0)]);
}

#[test]
fn values_that_a_variable_declares_missing_or_invalid_are_not_rain() {
    let workshop = Workshop::flat();
    let code = |name, numbers: &[f32]| (name, Values::Float(numbers.to_vec()));
    for attributes in [
        vec![code("_FillValue", &[-9999.0]), code("missing_value", &[77.0])],
        vec![code("missing_value", &[66.0, 77.0])],
        vec![code("valid_max", &[50.0])],
        vec![code("valid_range", &[0.0, 50.0])],
    ] {
        let mut rain = Rain::of("mm/h", &[(0.0, 10.0), (1.0, 77.0), (2.0, 20.0)]);
        let what = attributes.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        rain.attributes.extend(attributes.iter().cloned());
        rain.write(&workshop, "r.nc");
        println!("{what:?}");
        brings(&workshop, "--rain r.nc", 0, 3, 30.0).says(&["has no value"]);
    }
}

#[test]
fn bounds_with_a_common_start_hold_totals() {
    let workshop = Workshop::flat();
    let totals = [(1.0, 3.0), (2.0, 3.0), (3.0, 10.0), (4.0, 2.0)];
    let since = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [3.0, 4.0]];
    let sums = Rain::of("mm", &totals).with("cell_methods", "time: sum").bounds(&since);
    sums.write(&workshop, "r.nc");
    let rain = "--rain r.nc";
    brings(&workshop, rain, 0, 4, 12.0).never_says("warning");
    brings_hourly(&workshop, rain, &[(0, 3.0), (1, 0.0), (2, 7.0), (3, 2.0)]);
    // Means since a common start: 3, 6 and 12 mm so far.
    let means = [(1.0, 3.0), (2.0, 3.0), (3.0, 4.0)];
    let means = Rain::of("mm/h", &means).with("cell_methods", "time: mean").bounds(&since[..3]);
    means.write(&workshop, "r.nc");
    brings_hourly(&workshop, rain, &[(0, 3.0), (1, 3.0), (2, 6.0)]);
    // A total that decreases within its window is reported with its place.
    let falls = [(1.0, 3.0), (2.0, 2.0), (3.0, 10.0)];
    Rain::of("mm", &falls).bounds(&since[..3]).write(&workshop, "r.nc");
    brings(&workshop, rain, 0, 3, 10.0).says(&[
        "warning: rain: 'r.nc' holds running totals, but they decrease in 1 raster by up to 1.000 mm, in band 2 of 'r.nc' at column 4, row 4",
    ]);
}

#[test]
fn recognizes_totals_by_name_or_by_option() {
    let workshop = Workshop::flat();
    let totals = [(1.0, 0.0), (2.0, 4.0), (3.0, 4.0), (4.0, 10.0), (5.0, 1.0)];
    let named = |text: &'static str| Rain::of("mm", &totals).with("long_name", text);
    let hours = [(1, 4.0), (2, 0.0), (3, 6.0), (4, 1.0)];
    for name in ["accumulated precipitation", "Cumulative rainfall", "total rain since midnight"] {
        named(name).write(&workshop, "r.nc");
        brings_hourly(&workshop, "--rain r.nc", &hours);
    }
    named("rain").write(&workshop, "r.nc");
    brings_hourly(&workshop, "--rain r.nc --rain-values accumulated", &hours);
    // A first total of ordinary size fell in an hour like the others; a larger one is left out.
    let first = [(1.0, 4.0), (2.0, 8.0), (3.0, 9.0)];
    Rain::of("mm", &first).write(&workshop, "r.nc");
    let accumulated = "--rain r.nc --rain-values accumulated";
    brings(&workshop, accumulated, 0, 3, 9.0).never_says("warning");
    let late = [(1.0, 400.0), (2.0, 404.0), (3.0, 405.0)];
    Rain::of("mm", &late).write(&workshop, "r.nc");
    brings(&workshop, accumulated, 0, 3, 5.0)
        .says(&["'r.nc' begins with totals of up to 400.0 mm", "it is left out"]);
    // A name that contradicts the values.
    let belied = [(1.0, 4.0), (2.0, 3.0), (3.0, 4.0)];
    Rain::of("mm", &belied).with("long_name", "accumulated rain").write(&workshop, "r.nc");
    let parts = [
        "declares running totals by its long_name 'accumulated rain', but its values decrease by 1.000 mm in band 2",
        "--rain-values interval",
    ];
    refused(&workshop, "--rain r.nc", &parts);
    brings(&workshop, "--rain r.nc --rain-values interval", 1, 3, 11.0);
    Rain::of("mm/h", &belied).write(&workshop, "r.nc");
    refused(
        &workshop,
        accumulated,
        &["rain_values: the values of 'r.nc' are rates", "--rain-unit mm"],
    );
}

#[test]
fn reads_bands_and_lists_of_totals() {
    let workshop = Workshop::flat();
    let totals = [1.0, 3.0, 3.0, 6.0, 10.0];
    let raster =
        |mm: f64| Raster::new(12, 8, move |column, _| mm * (1.0 + column as f64 / 11.0)).unit("mm");
    let bands = totals.iter().map(|mm| (raster(*mm), String::new())).collect();
    Bands::new(bands).write(&workshop, "bands.tif");
    // Depths rise from one to two times the nominal value along the columns.
    let rain = "--rain bands.tif --rain-interval 1h --rain-unit mm";
    let accumulated = format!("{rain} --rain-values accumulated");
    brings(&workshop, &accumulated, 0, 5, 15.0).never_says("warning");
    brings(&workshop, &accumulated, 0, 2, 4.5);
    brings(&workshop, rain, 0, 5, 23.0 * 1.5).says(&[
        "warning: rain: 'bands.tif' never decreases over the domain except at resets",
        "--rain-values accumulated",
    ]);
    brings(&workshop, &format!("{rain} --rain-values interval"), 0, 5, 23.0 * 1.5)
        .never_says("never falls");
    let mut list = String::from("file,time [h]\n");
    for (at, mm) in totals.iter().enumerate() {
        workshop.raster(&format!("{at}.tif"), &raster(*mm));
        list += &format!("{at}.tif,{}\n", at + 1);
    }
    workshop.file("list.csv", list);
    let list = "--rain list.csv --rain-unit mm --rain-values accumulated";
    brings(&workshop, list, 0, 5, 15.0);
    brings(&workshop, list, 0, 2, 4.5);
}

#[test]
fn reads_intervals_from_band_metadata_and_names() {
    let workshop = Workshop::flat();
    let write = |hours: [[&str; 2]; 2]| {
        let bands = [1.0, 5.0].map(|mm| (Raster::new(12, 8, move |_, _| mm), String::new()));
        Bands::new(bands.to_vec()).write(&workshop, "bands.tif");
        let open_flags = GdalOpenFlags::GDAL_OF_UPDATE;
        let options = DatasetOptions { open_flags, ..DatasetOptions::default() };
        let mut file = Dataset::open_ex(workshop.path("bands.tif"), options).unwrap();
        for (number, hours) in [1, 2].into_iter().zip(hours) {
            let mut band = file.rasterband(number).unwrap();
            for (item, hour) in ["START_TIME", "END_TIME"].into_iter().zip(hours) {
                band.set_metadata_item(item, &format!("2021-07-14T{hour}:00Z"), "").unwrap();
            }
        }
        file.flush_cache().unwrap();
        file.close().unwrap();
    };
    write([["01", "02"], ["04", "05"]]);
    let rain = "--rain bands.tif --rain-unit mm";
    brings_hourly(&workshop, rain, &[(1, 1.0), (2, 0.0), (4, 5.0)]);
    // Totals, or means, since a common start.
    write([["01", "02"], ["01", "03"]]);
    for (unit, mm) in [("mm", 4.0), ("mm/h", 9.0)] {
        let rain = format!("--rain bands.tif --rain-unit {unit}");
        brings(&workshop, &rain, 2, 1, mm).says(&["declares intervals that begin at one time"]);
    }
    // The previous hour, by the name.
    let hours = Rain::of("mm", &[(1.0, 1.0), (2.0, 5.0)]);
    hours.with("long_name", "rain of the previous hour").write(&workshop, "r.nc");
    brings(&workshop, "--rain r.nc", 1, 1, 5.0);
    // A name that declares totals also applies with times given by the user.
    let mut totals = Rain::of("mm", &[(0.0, 1.0), (1.0, 3.0), (2.0, 7.0)]);
    totals = totals.with("description", "ACCUMULATED TOTAL GRID SCALE PRECIPITATION");
    totals.of_time = vec![("units", Values::Text("1"))];
    totals.write(&workshop, "wrf.nc");
    let interval = "--rain wrf.nc --rain-interval 1h";
    brings(&workshop, interval, 0, 3, 7.0);
    brings(&workshop, interval, 0, 2, 3.0);
}

#[test]
fn the_names_of_a_variable_give_its_intervals_and_are_quoted() {
    let workshop = Workshop::flat();
    let hours = [(1.0, 1.0), (2.0, 5.0), (3.0, 5.0)];
    let rain = "--rain r.nc";
    for (attribute, text) in [
        ("long_name", "precipitation accumulated since previous time"),
        ("standard_name", "rainfall_amount_of_the_last_hour"),
        ("description", "Rain of the previous hour"),
        ("cell_methods", "time: sum (comment: hour ending)"),
    ] {
        Rain::of("mm", &hours).with(attribute, text).write(&workshop, "r.nc");
        let why = format!("that ends at its time, because of its {attribute} '{text}' (");
        brings(&workshop, rain, 1, 1, 5.0).says(&[&why]);
    }
    // Moving totals overlap.
    let moving = Rain::of("mm", &hours).with("long_name", "rain of the previous 24 hours");
    moving.write(&workshop, "r.nc");
    workshop.refuses(
        "run --dem dem.tif --rain r.nc --duration 1h",
        &[
            "r.nc",
            "declares values of 24 h, but its rasters come every 1 h",
            "--rain-values interval",
        ],
    );
    brings(&workshop, "--rain r.nc --rain-values interval", 1, 1, 5.0);
    for (attribute, text) in [
        ("long_name", "rain since 00 UTC"),
        ("standard_name", "cumulative_rainfall"),
        ("description", "ACCUMULATED TOTAL GRID SCALE PRECIPITATION"),
    ] {
        Rain::of("mm", &hours).with(attribute, text).write(&workshop, "r.nc");
        let why = format!("taken as running totals because of its {attribute} '{text}', ");
        brings(&workshop, rain, 1, 1, 4.0).says(&[&why]);
    }
    // A description beside a name is free text.
    let named = Rain::of("mm", &hours).with("long_name", "rainfall");
    named.with("description", "accumulated by tipping buckets").write(&workshop, "r.nc");
    brings(&workshop, rain, 1, 1, 1.0).says(&["is assumed to fall from its time on"]);
}

#[test]
fn reads_times_in_the_middle_of_a_day_or_hour() {
    let workshop = Workshop::flat();
    let noon = [(12.0, 24.0), (36.0, 48.0), (60.0, 0.0)];
    let rain = "--rain r.nc";
    for rain_of in [Rain::of("mm", &noon), Rain::of("mm/day", &noon)] {
        rain_of.write(&workshop, "r.nc");
        for (from, mm) in [(0, 6.0), (18, 6.0), (24, 12.0), (47, 12.0 / 6.0)] {
            let hours = if from == 47 { 1 } else { 6 };
            brings(&workshop, rain, from, hours, mm)
                .says(&["the rain of the interval around its time"]);
        }
    }
    let half_past = [(0.5, 1.0), (1.5, 5.0), (2.5, 2.0)];
    Rain::of("mm/h", &half_past).with("cell_methods", "time: mean").write(&workshop, "r.nc");
    brings_hourly(&workshop, rain, &[(0, 1.0), (1, 5.0), (2, 2.0)]);
    // An instant at half past is not an interval, and full hours are not the middle of one.
    Rain::of("mm/h", &half_past).with("cell_methods", "time: point").write(&workshop, "r.nc");
    brings(&workshop, rain, 1, 1, 3.0).says(&["is assumed to fall from its time on"]);
    let full = [(0.0, 1.0), (1.0, 5.0), (2.0, 2.0)];
    Rain::of("mm", &full).with("cell_methods", "time: sum").write(&workshop, "r.nc");
    brings(&workshop, rain, 1, 1, 5.0).says(&["is assumed to fall from its time on"]);
}

#[test]
fn reads_calendars_and_time_formats() {
    let workshop = Workshop::flat();
    let file = |units: &'static str, calendar: &'static str, times: [f64; 2]| {
        let mut file = Rain::of("mm/h", &[(times[0], 3.0), (times[1], 0.0)]);
        file.of_time = vec![("units", Values::Text(units)), ("calendar", Values::Text(calendar))];
        file.write(&workshop, "r.nc");
    };
    let rain = "--rain r.nc";
    for (units, calendar, times) in [
        ("hours since 2021-7-14", "Standard", [1.0, 2.0]),
        ("hours since 2021-7-14 0:0:0", "GREGORIAN", [1.0, 2.0]),
        ("minutes since 2021-07-14T00:00:00Z", "proleptic_gregorian", [60.0, 120.0]),
        ("milliseconds since 2021-07-14 00:00:00", "standard", [3.6e6, 7.2e6]),
    ] {
        file(units, calendar, times);
        brings(&workshop, rain, 1, 1, 3.0);
    }
    for calendar in ["360_day", "noleap", "365_day", "julian"] {
        file("hours since 2021-07-14", calendar, [1.0, 2.0]);
        let message = format!(
            "its times are in the calendar '{calendar}', which differs from the standard calendar"
        );
        refused(&workshop, rain, &["rain: 'r.nc'", &message, "convert_calendar"]);
    }
}

/// Writes GRIB2 messages of 9 × 9 pixels of a quarter of a degree around 15° E, 45.15° N. Each
/// message has its start and end (h since midnight) and its value. `template` contains the fields
/// up to the forecast hour; `process` is 1 for sums and 0 for means.
fn grib(
    workshop: &Workshop,
    name: &str,
    template: &str,
    process: u32,
    messages: &[(u32, u32, f32)],
) {
    let memory = DriverManager::get_driver_by_name("MEM").unwrap();
    let mut file: Dataset =
        memory.create_with_band_type::<f64, _>("", 9, 9, messages.len()).unwrap();
    file.set_geo_transform(&[13.875, 0.25, 0.0, 46.275, 0.0, -0.25]).unwrap();
    file.set_spatial_ref(&SpatialRef::from_epsg(4326).unwrap()).unwrap();
    let mut options = vec![
        "DISCIPLINE=0".to_string(),
        "IDS=CENTER=7(US-NCEP) SUBCENTER=0 MASTER_TABLE=4 LOCAL_TABLE=0 SIGNF_REF_TIME=1(Start_of_Forecast) REF_TIME=2021-07-14T00:00:00Z PROD_STATUS=0(Operational) TYPE=1(Forecast)".to_string(),
        "PDS_PDTN=8".to_string(),
        "DATA_ENCODING=IEEE_FLOATING_POINT".to_string(),
    ];
    for (at, (start, end, value)) in messages.iter().enumerate() {
        let mut band = file.rasterband(at + 1).unwrap();
        let values = vec![f64::from(*value); 81];
        band.write((0, 0), (9, 9), &mut gdal::raster::Buffer::new((9, 9), values)).unwrap();
        let (day, hour, length) = (14 + end / 24, end % 24, end - start);
        options.push(format!(
            "BAND_{}_PDS_TEMPLATE_ASSEMBLED_VALUES={template} 0 255 128 0 0 1 {start} 1 0 0 255 0 0 2021 7 {day} {hour} 0 0 1 0 {process} 2 1 {length} 255 0",
            at + 1
        ));
    }
    let grib = DriverManager::get_driver_by_name("GRIB").unwrap();
    let options = RasterCreationOptions::from_iter(options.iter().map(String::as_str));
    file.create_copy(&grib, workshop.path(name), &options).unwrap().close().unwrap();
}

#[test]
fn grib_rain_falls_within_its_step_range() {
    let workshop = Workshop::flat();
    let rain = "--rain r.grib2";
    let precipitation = "1 8";
    // 0-1, 0-2 and 0-3 h: 10 mm in the first hour only.
    let since_start = [(0, 1, 10.0), (0, 2, 10.0), (0, 3, 10.0)];
    grib(&workshop, "r.grib2", precipitation, 1, &since_start);
    brings(&workshop, rain, 0, 3, 10.0).never_says("warning");
    brings(&workshop, rain, 1, 2, 0.0);
    // The same after a message for the start itself.
    grib(&workshop, "r.grib2", precipitation, 1, &[(0, 0, 0.0), (0, 1, 10.0), (0, 2, 12.0)]);
    brings(&workshop, rain, 0, 2, 12.0);
    brings(&workshop, rain, 1, 1, 2.0);
    // Consecutive intervals.
    grib(&workshop, "r.grib2", precipitation, 1, &[(0, 1, 1.0), (1, 2, 5.0), (2, 3, 2.0)]);
    brings_hourly(&workshop, rain, &[(0, 1.0), (1, 5.0), (2, 2.0)]);
    // Buckets of six hours, as in NCEP's forecasts.
    let buckets = [(0, 3, 3.0), (0, 6, 9.0), (6, 9, 3.0), (6, 12, 3.0)];
    grib(&workshop, "r.grib2", precipitation, 1, &buckets);
    for (from, mm) in [(0, 3.0), (3, 6.0), (6, 3.0), (9, 0.0)] {
        brings(&workshop, rain, from, 3, mm);
    }
    // Mean rates (kg m⁻² s⁻¹), and sums of rates, for which GRIB keeps the unit.
    let rate = "1 52";
    grib(&workshop, "r.grib2", rate, 0, &[(0, 1, 1.0 / 3600.0), (1, 2, 5.0 / 3600.0)]);
    brings(&workshop, rain, 1, 1, 5.0);
    grib(&workshop, "r.grib2", rate, 1, &[(0, 1, 1.0), (0, 2, 6.0)]);
    brings(&workshop, rain, 0, 2, 6.0);
    brings(&workshop, rain, 1, 1, 5.0);
    // A single message falls in its range.
    grib(&workshop, "r.grib2", precipitation, 1, &[(0, 6, 12.0)]);
    brings(&workshop, rain, 3, 3, 6.0);
    // A folder of files with one message each, named by their end times.
    std::fs::create_dir(workshop.path("steps")).unwrap();
    for (end, mm) in [(1, 1.0), (2, 6.0), (3, 8.0)] {
        let name = format!("steps/apcp_20210714_0{end}00.grib2");
        grib(&workshop, &name, precipitation, 1, &[(0, end, mm)]);
    }
    brings_hourly(&workshop, "--rain steps", &[(0, 1.0), (1, 5.0), (2, 2.0)]);
}

#[test]
fn forecasts_by_lead_time_are_totals_since_their_start() {
    let workshop = Workshop::flat();
    let totals = [1e-3, 3e-3, 3e-3, 6e-3, 7e-3, 7e-3f32];
    let mut file = Rain::of("m", &[(0.0, 0.0)]).with("GRIB_stepType", "accum");
    file.name = "tp";
    file.order = vec!["time", "step", "lat", "lon"];
    file.others = vec![("step", (1..=6).collect(), "hours")];
    file.value = Box::new(move |at| totals[at("step")]);
    file.write(&workshop, "tp.nc");
    brings_hourly(&workshop, "--rain tp.nc", &[(0, 1.0), (1, 2.0), (2, 0.0), (3, 3.0), (4, 1.0)]);
}

#[test]
fn times_in_another_zone_than_their_units_name_are_refused() {
    let workshop = Workshop::flat();
    let write = |units: &'static str, zone: (&'static str, &'static str)| {
        let mut file = Rain::of("mm/h", &[(1.0, 3.0), (2.0, 0.0)]);
        file.of_time = vec![("units", Values::Text(units)), (zone.0, Values::Text(zone.1))];
        file.write(&workshop, "r.nc");
    };
    let units = "hours since 2021-07-14 00:00:00";
    for zone in
        [("time_zone", "+02:00"), ("long_name", "local time (UTC+2)"), ("tz", "Europe/Berlin")]
    {
        write(units, zone);
        let run = "run --dem dem.tif --rain r.nc --duration 1h";
        workshop.refuses(run, &["r.nc", zone.0, zone.1, "their units name no time zone"]);
    }
    for (units, zone) in [
        (units, ("time_zone", "UTC")),
        (units, ("long_name", "time of the measurement")),
        ("hours since 2021-07-14 02:00:00 +02:00", ("time_zone", "+02:00")),
    ] {
        write(units, zone);
        brings(&workshop, "--rain r.nc", 1, 1, 3.0);
    }
}
