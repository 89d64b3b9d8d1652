//! Invalid rain: series, folders, lists and gauges that are refused with exit code 2, and rain that
//! is legal but surprising, with a warning.

use crate::cli_common;

use cli_common::rain::{Bands, SERIES, frames};
use cli_common::vectors::{Shapes, text};
use cli_common::{CORNER, Raster, Workshop};
use gdal::vector::OGRFieldType;

const RUN: &str = "run --dem dem.tif --duration 30min";
const START: &str = "--start 2021-07-14T12:00Z";

#[track_caller]
fn refused(workshop: &Workshop, arguments: &str, parts: &[&str]) {
    workshop.refuses(&format!("{RUN} {arguments}"), parts);
}

#[track_caller]
fn warned(workshop: &Workshop, arguments: &str, parts: &[&str]) {
    workshop.inundate(&format!("{RUN} {arguments} --out warned --overwrite")).done().says(parts);
}

/// Returns bands with these descriptions.
fn described(names: &[&str]) -> Bands {
    let raster = || Raster::new(2, 2, |_, _| 5.0).transform(frames()[0].transform);
    Bands::new(names.iter().map(|name| (raster(), name.to_string())).collect())
}

#[test]
fn rejects_keys_that_do_not_go_with_rain() {
    let workshop = Workshop::new();
    workshop.raster("rain.tif", &Raster::new(12, 8, |_, _| 5.0));
    let rain = "--rain rain.tif";
    for (arguments, parts) in [
        ("--rain-unit mm", &["rain_unit: has no effect without rain", "--rain"][..]),
        ("--rain-factor 0.9", &["rain_factor: has no effect without rain"]),
        (
            &format!("{rain} --rain-unit furlongs"),
            &["rain_unit: 'furlongs' is not a unit of rain", "mm/15min"],
        ),
        (&format!("{rain} --rain-unit mm/15"), &["rain_unit: 'mm/15' is not a unit of rain"]),
        (&format!("{rain} --rain-unit mm/step"), &["rain: 'rain.tif' is a rate per step"]),
        (&format!("{rain} --rain-duration 0s"), &["rain_duration: the time must be more than 0 s"]),
        (&format!("{rain} --rain-interval soon"), &["rain_interval: 'soon' is not a duration"]),
        (&format!("{rain} --rain-factor -1"), &["rain_factor: -1 is not a factor of rain"]),
        (&format!("{rain} --rain-factor NaN"), &["rain_factor: NaN is not a factor of rain"]),
        (
            &format!("{rain} --rain-variable tp"),
            &["rain: 'rain.tif' has no variable 'tp'", "leave rain_variable out"],
        ),
        (
            &format!("{rain} --start noon"),
            &["start: 'noon' is not a date and time", "2021-07-14T12:00+02:00"],
        ),
        ("--rain '4 mm/0min'", &["'mm/0min' is not a unit of rain"]),
    ] {
        refused(&workshop, arguments, parts);
    }
    let unused = "--rain '5 mm/h' --rain-interval 15min";
    warned(&workshop, unused, &["warning: rain_interval: has no effect on rain like '5 mm/h'"]);
    warned(
        &workshop,
        "--rain '5 mm/h' --start 2021-07-14T12:00",
        &["note: start: '2021-07-14T12:00' has no time zone; taken as UTC"],
    );
    workshop.raster("radar.tif", &Raster::new(12, 8, |_, _| 5.0).unit("dBZ"));
    refused(
        &workshop,
        "--rain radar.tif",
        &["rain: 'radar.tif' is in 'dBZ', which is not a unit of rain", "--rain-unit mm/h"],
    );
    warned(&workshop, "--rain radar.tif --rain-unit mm/h", &["done"]);
}

#[test]
fn reports_faults_in_hyetographs_of_depths_and_dates() {
    let workshop = Workshop::new();
    for (lines, parts) in [
        ("time [h],rain [mm]\n0,10\n", &["'storm.csv' has only one depth", "a depth of 0"][..]),
        (
            "time,rain\n0 h,10 mm\n1 h,5 mm/h\n",
            &["line 3: rates and depths cannot be mixed ('5 mm/h')"],
        ),
        (
            "time [h],rain [mm/h]\n0,10\n2021-07-14T13:00,5\n",
            &["line 3: dates and times since the start cannot be mixed"],
        ),
        (
            "time,rain [mm/h]\n2021-07-14T13:00,10\n2021-07-14T12:00,5\n",
            &["line 3: time 2021-07-14T12:00 comes after a later one"],
        ),
        (
            "time,rain [mm/h]\n2021-07-14T13:00,10\n2021-07-14T13:00,5\n",
            &["line 3: time 2021-07-14T13:00 appears twice"],
        ),
        (
            "time,rain [mm/h]\n2021-02-30T13:00,10\n",
            &["line 2: '2021-02-30T13:00' is not a duration"],
        ),
        ("2021-07-14T13:00,10\n", &["line 1: the header line is missing"]),
        (
            "time,rain [mm/h]\n2021-07-13T10:00,10\n2021-07-13T11:00,0\n",
            &[
                "rain: 'storm.csv' covers 2021-07-13T10:00:00+00:00 to",
                "but the run is 2021-07-14T12:00:00+00:00 to 2021-07-14T12:30:00+00:00",
                "--start",
            ],
        ),
        (
            "time,rain [mm/h]\n2021-07-14T12:30,10\n2021-07-14T14:00,0\n",
            &["rain: 'storm.csv' covers"],
        ),
    ] {
        workshop.file("storm.csv", lines);
        refused(&workshop, &format!("--rain storm.csv {START}"), parts);
    }
}

#[test]
fn rejects_bands_without_times_or_out_of_order() {
    let workshop = Workshop::new();
    for (names, parts) in [
        (
            &["", ""][..],
            &["rain: the 2 bands of 'bands.tif' have no times", "--rain-interval 15min"][..],
        ),
        (&["red", "green"], &["rain: the 2 bands of 'bands.tif' have no times"]),
        (&["1", "2"], &["rain: the 2 bands of 'bands.tif' have no times"]),
        (&["0 min", ""], &["rain: band 2 of 'bands.tif' has no time, but the bands before it do"]),
        (
            &["0 min", "10 min", "10 min"],
            &[
                "rain: 'bands.tif': band 3 of 'bands.tif' has the same time as band 2 of 'bands.tif' (10 min)",
            ],
        ),
        (&["20 min", "10 min"], &["band 2 of 'bands.tif' has an earlier time than band 1"]),
        (
            &["0 min", "2021-07-14T12:10"],
            &["rain: 'bands.tif': dates and times since the start cannot be mixed"],
        ),
        (
            &["2021-07-13T12:00", "2021-07-13T12:10"],
            &["rain: 'bands.tif' covers 2021-07-13T12:00", "--start"],
        ),
        (&["40 min", "50 min"], &["rain: 'bands.tif' covers"]),
    ] {
        described(names).write(&workshop, "bands.tif");
        refused(&workshop, &format!("--rain bands.tif {START}"), parts);
    }
    let steps = "run --dem dem.tif --rain bands.tif --steps 9";
    workshop.refuses(
        steps,
        &["rain: 'bands.tif' is a series in time, but the run's steps have no duration"],
    );
}

#[test]
fn rejects_netcdf_without_a_valid_time() {
    let workshop = Workshop::new();
    let start = format!("--rain radar.nc {START}");
    SERIES.bands("").write_netcdf(&workshop, "radar.nc", &["rainfall"]);
    // Without a dimension, GDAL writes a variable for each band.
    refused(&workshop, &start, &["rain: 'radar.nc' has several variables: ", "--rain-variable"]);
    SERIES.netcdf("minutes").write_netcdf(&workshop, "radar.nc", &["rainfall"]);
    refused(
        &workshop,
        &start,
        &["rain: the 3 bands of 'radar.nc' have no times", "CF time coordinate"],
    );
    SERIES.netcdf("fortnights since 2021-07-14").write_netcdf(&workshop, "radar.nc", &["rainfall"]);
    refused(
        &workshop,
        &start,
        &[
            "rain: 'radar.nc': its time 0 'fortnights since 2021-07-14' cannot be read",
            "hours since",
        ],
    );
    SERIES.netcdf("minutes since 2021-07-14").write_netcdf(&workshop, "radar.nc", &["rainfall"]);
    refused(
        &workshop,
        &format!("{start} --rain-variable snow"),
        &["rain: 'radar.nc' has no variable 'snow'"],
    );
    workshop.file("radar.nc", "this is no NetCDF");
    refused(&workshop, &start, &["rain: 'radar.nc' is not a raster that GDAL can read"]);
}

#[test]
fn rasters_of_a_series_have_one_grid_whatever_the_size_of_their_pixels() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("radar")).unwrap();
    for pixel in [10.0, 40.0] {
        let put = |name: &str, shift: f64| {
            let transform = [CORNER.0 + shift, pixel, 0.0, CORNER.1, 0.0, -pixel];
            let raster = Raster::new(12, 8, |_, _| 1.0).transform(transform);
            workshop.raster(&format!("radar/20210714_{name}.tif"), &raster);
        };
        put("1200", 0.0);
        put("1210", pixel / 2.0);
        let rain = format!("--rain radar {START}");
        refused(&workshop, &rain, &["'radar/20210714_1210.tif' is on another grid than"]);
        // Rounded coordinates of a corner are not another grid.
        put("1210", pixel / 1000.0);
        workshop.run(&format!("{rain} --duration 20min --overwrite")).done();
    }
}

#[test]
fn names_the_bad_file_of_a_folder_or_list() {
    let workshop = Workshop::new();
    let put = |name: &str, raster: &Raster| workshop.raster(&format!("radar/{name}"), raster);
    std::fs::create_dir(workshop.path("radar")).unwrap();
    workshop.file("radar/readme.txt", "nothing");
    let rain = format!("--rain radar {START}");
    refused(&workshop, "--rain nowhere/", &["rain: cannot open 'nowhere/'"]);
    refused(
        &workshop,
        &rain,
        &["rain: the folder 'radar' contains no raster", "radar_20210714_1305.tif"],
    );
    let [first, second, third] = &frames()[..] else { panic!("three frames") };
    put("frame_001.tif", first);
    refused(
        &workshop,
        &rain,
        &["rain: the name of 'radar/frame_001.tif' contains no date", "list files and times"],
    );
    std::fs::remove_file(workshop.path("radar/frame_001.tif")).unwrap();
    put("20210714_1200.tif", first);
    refused(
        &workshop,
        &rain,
        &["rain: 'radar' is a single raster without a duration", "--rain-interval"],
    );
    put("b20210714_1200.tif", second);
    refused(&workshop, &rain, &["'radar/b20210714_1200.tif' has the same time as"]);
    std::fs::remove_file(workshop.path("radar/b20210714_1200.tif")).unwrap();
    put("20210714_1210.tif", &Raster::new(2, 3, |_, _| 1.0).transform(first.transform));
    refused(
        &workshop,
        &rain,
        &["'radar/20210714_1210.tif' is on another grid than the rasters before it"],
    );
    put("20210714_1210.tif", &third.clone().with(1, 0, -3.0));
    refused(
        &workshop,
        &rain,
        &[
            "band 1 of 'radar/20210714_1210.tif' holds -3 at column 1, row 0",
            "declare it as NoData",
        ],
    );
    workshop.file("radar/20210714_1210.tif", "");
    refused(&workshop, &rain, &["rain: 'radar/20210714_1210.tif' is empty (0 bytes)"]);
    for (lines, parts) in [
        ("file,time\n", &["rain: 'list.csv', line 2: the table has no data lines"][..]),
        ("file\na.tif\n", &["line 1: expected the columns file and time, but found file"]),
        ("file,time\na.tif,10\n", &["line 2: the time '10' has no unit", "file,time [min]"]),
        ("file,time\n,2021-07-14T12:00\n", &["line 2: the file name is missing"]),
        ("file,step\na.tif,1\n", &["line 1: times in steps cannot be used with rain rasters"]),
        (
            "file,time [min]\nradar/20210714_1200.tif,0\nnone.tif,10\n",
            &["rain: cannot open 'none.tif'"],
        ),
        (
            "file,time [min]\na.tif,10\nb.tif,0\n",
            &["band 1 of 'b.tif' has an earlier time than band 1 of 'a.tif' (0 s)"],
        ),
    ] {
        workshop.file("list.csv", lines);
        refused(&workshop, "--rain list.csv", parts);
    }
}

#[test]
fn rejects_multi_band_files_in_a_folder_or_list() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("radar")).unwrap();
    workshop.raster("radar/20210714_1200.tif", &frames()[0]);
    SERIES.bands("").write(&workshop, "radar/20210714_1210.tif");
    let said = "rain: 'radar/20210714_1210.tif' has 3 bands, but in a folder or a list";
    let parts = [said, "gdal_translate -b 1 'radar/20210714_1210.tif' one.tif"];
    refused(&workshop, &format!("--rain radar {START}"), &parts);
    let list = "file,time [min]\nradar/20210714_1200.tif,0\nradar/20210714_1210.tif,10\n";
    workshop.file("list.csv", list);
    refused(&workshop, "--rain list.csv", &parts);
}

#[test]
fn rejects_mixed_units_within_a_series() {
    let workshop = Workshop::new();
    workshop.raster("a.tif", &frames()[0].clone().unit("mm/h"));
    workshop.raster("b.tif", &frames()[1].clone().unit("in/h"));
    workshop.file("list.csv", "file,time [min]\na.tif,0\nb.tif,10\n");
    let said = "band 1 of 'b.tif' is in 'in/h', but the rasters before it are in another unit";
    refused(&workshop, "--rain list.csv", &["rain: 'list.csv': ", said, "--rain-unit mm/h"]);
    let replaced = "warning: rain: 'b.tif' declares its values in 'in/h'; rain_unit = \"mm/h\" is used instead";
    warned(&workshop, "--rain list.csv --rain-unit mm/h", &[replaced]);
    let single = "--rain b.tif --rain-unit mm/h";
    warned(&workshop, single, &[replaced]);
    // Without a unit, mm/h is assumed.
    workshop.raster("b.tif", &frames()[1]);
    warned(&workshop, "--rain list.csv", &[]);
    workshop.raster("a.tif", &frames()[0].clone().unit("mm"));
    let said = "band 1 of 'b.tif' has no unit, which would be mm/h, but the rasters before it";
    refused(&workshop, "--rain list.csv", &[said]);
}

#[test]
fn warns_once_about_oddities_of_a_raster_series() {
    let workshop = Workshop::new();
    workshop.file("list.csv", "file,time [min]\na.tif,0\nb.tif,10\n");
    let once = |said: &str| {
        let rain = "--rain list.csv --out list --overwrite";
        let ran = workshop.inundate(&format!("{RUN} {rain}")).done();
        assert_eq!(ran.err.matches(said).count(), 1, "{said:?} in: {}", ran.err);
    };
    // Pixels, and warped cells of another grid.
    let fine = |value: f64| {
        let transform = [CORNER.0 - 5.0, 10.0, 0.0, CORNER.1 + 5.0, 0.0, -10.0];
        Raster::new(14, 10, |_, _| value).transform(transform)
    };
    for [first, second] in [[frames()[0].clone(), frames()[1].clone()], [fine(3.0), fine(5.0)]] {
        workshop.raster("a.tif", &first.clone().epsg(None));
        workshop.raster("b.tif", &second.clone().epsg(None));
        once("rain: 'a.tif' has no coordinate reference system; the DEM's is assumed");
    }
    // Values that cannot be rain are refused.
    let without = |raster: &Raster| raster.clone().with(0, 0, -25.0).nodata(None);
    workshop.raster("a.tif", &without(&frames()[0]));
    workshop.raster("b.tif", &frames()[1]);
    refused(&workshop, "--rain list.csv", &["holds -25", "declare it as NoData"]);
    workshop.raster("a.tif", &without(&fine(3.0)));
    workshop.raster("b.tif", &fine(5.0));
    refused(&workshop, "--rain list.csv", &["rain: 'a.tif' holds -", "declare it as NoData"]);
}

#[test]
fn handles_a_series_that_covers_the_dem_partly_or_not_at_all() {
    let workshop = Workshop::new();
    let far = [CORNER.0 + 5000.0, 60.0, 0.0, CORNER.1, 0.0, -40.0];
    let moved = |transform: [f64; 6]| {
        let bands = frames().into_iter().enumerate();
        Bands::new(
            bands
                .map(|(at, raster)| (raster.transform(transform), format!("{} min", 10 * at)))
                .collect(),
        )
    };
    moved(far).write(&workshop, "far.tif");
    refused(
        &workshop,
        "--rain far.tif",
        &["rain: 'far.tif' does not touch the DEM", "the DEM covers x 500000 to 500120"],
    );
    moved([CORNER.0 + 30.0, 60.0, 0.0, CORNER.1, 0.0, -40.0]).write(&workshop, "part.tif");
    warned(
        &workshop,
        "--rain part.tif",
        &[
            "rain: 'part.tif' has no value for up to 25.00 % of the domain's cells in 3 of 3 rasters; they are taken as 0",
        ],
    );
    let hole = frames().into_iter().enumerate().map(|(at, raster)| {
        let raster = if at == 1 { raster.with(0, 0, -9999.0) } else { raster };
        (raster, format!("{} min", 10 * at))
    });
    Bands::new(hole.collect()).write(&workshop, "hole.tif");
    warned(&workshop, "--rain hole.tif", &["in 1 of 3 rasters; they are taken as 0"]);
}

#[test]
fn warns_of_gaps_and_of_series_that_are_too_short_or_too_long() {
    let workshop = Workshop::new();
    for (names, parts) in [
        (
            &["0 min", "5 min"][..],
            &[
                "warning: rain: 'bands.tif' ends 10 min, before the run does; no rain falls after that",
            ][..],
        ),
        (
            &["0 min", "2 min", "4 min", "6 min", "20 min", "22 min"],
            &[
                "warning: rain: 'bands.tif' comes every 2 min, but has a gap of 14 min from 6 min; the raster before a gap holds through it",
            ],
        ),
        (
            &["20 min", "50 min"],
            &[
                "warning: rain: 'bands.tif' covers 20 min to 1 h 20 min, but the run is 0 s to 30 min; before its first time it has no effect",
                "note: the run ends at 30 min; what comes after that is left out of rain: 'bands.tif' (to 1 h 20 min)",
            ],
        ),
    ] {
        described(names).write(&workshop, "bands.tif");
        warned(&workshop, "--rain bands.tif", parts);
    }
    // Frames at irregular times are not a series with gaps.
    described(&["0 min", "5 min", "25 min"]).write(&workshop, "bands.tif");
    let ran = workshop.inundate(&format!("{RUN} --rain bands.tif --overwrite")).done();
    ran.never_says("gap");
    let dry = (0..2).map(|at| {
        (Raster::new(2, 2, |_, _| 0.0).transform(frames()[0].transform), format!("{} min", 15 * at))
    });
    Bands::new(dry.collect()).write(&workshop, "dry.tif");
    warned(
        &workshop,
        "--rain dry.tif",
        &["warning: rain: 'dry.tif' brings no rain during the run"],
    );
}

#[test]
fn requires_a_place_and_a_series_for_rain_gauges() {
    let workshop = Workshop::new();
    workshop.file("a.csv", "time [min],rain [mm/h]\n0,12\n10,0\n");
    workshop.file("open.csv", "time [min],rain [mm/h]\n0,12\n");
    for (lines, parts) in [
        ("x,y,series\n", &["rain: 'gauges.csv', line 2: the table has no data lines"][..]),
        ("x,y\n1,2\n", &["rain: 'gauges.csv', line 1: there is no column 'series'", "612300"]),
        ("x,y,series\n500010,4999990,\n", &["line 2: the gauge has no series"]),
        ("x,y,series\neast,4999990,a.csv\n", &["line 2: 'east' in column 'x' is not a coordinate"]),
        ("x,y,series\n500010,4999990,none.csv\n", &["rain: cannot open 'none.csv'", "(line 2)"]),
        (
            "x,y,series\n1,2,a.csv\n1,2,a.csv\n",
            &["the gauges of line 2 and line 3 are at the same point"],
        ),
    ] {
        workshop.file("gauges.csv", lines);
        refused(&workshop, "--rain gauges.csv", parts);
    }
    workshop.file("gauges.csv", "x,y,series\n500010,4999990,open.csv\n");
    warned(&workshop, "--rain gauges.csv", &["rain: 'open.csv' ends with a rate above 0"]);
    let both = [("hyetograph", OGRFieldType::OFTString), ("rain", OGRFieldType::OFTString)];
    // In cells: one is 200 km away, the other one too, alone.
    let far = |shapes: Shapes| shapes.with("POINT (20001 1)", &[text("a.csv"), None]);
    far(Shapes::new(&both).with("POINT (1 1)", &[text("a.csv"), None])).write(&workshop, "f.gpkg");
    let parts = ["rain: 'f.gpkg': 1 of 2 gauges is far from the DEM: feature 2 (200 km)"];
    warned(&workshop, "--rain f.gpkg", &parts);
    far(Shapes::new(&both)).write(&workshop, "g.gpkg");
    let parts = ["rain: 'g.gpkg': 1 gauge is outside the DEM and its surroundings, 200 km from it"];
    refused(&workshop, "--rain g.gpkg", &parts);
    for (shapes, parts) in [
        (
            Shapes::new(&both).with("POINT (1 1)", &[None, None]),
            &["rain: 'g.gpkg': feature 1 has neither a 'rain' nor a 'hyetograph'"][..],
        ),
        (
            Shapes::texts("flow").with("POINT (1 1)", &[text("9")]),
            &["it has neither a field 'rain' nor 'hyetograph'; its fields: flow"],
        ),
        (
            Shapes::new(&both).with("LINESTRING (1 1, 2 2)", &[text("a.csv"), None]),
            &["feature 1 is a line (LINESTRING)"],
        ),
        (
            Shapes::new(&both).with("POINT (1 1)", &[None, text("12")]),
            &["rain: '12' has no unit", "feature 1"],
        ),
        (
            Shapes::new(&both).epsg(None).with("POINT (1 1)", &[text("a.csv"), None]),
            &["its coordinate reference system is not known"],
        ),
        (Shapes::new(&both), &["the layer has no features"]),
    ] {
        let _ = std::fs::remove_file(workshop.path("g.gpkg"));
        shapes.write(&workshop, "g.gpkg");
        refused(&workshop, "--rain g.gpkg", parts);
    }
}
