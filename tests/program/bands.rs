//! Meaning of a band's numbers: scale and offset, masks, undeclared NoData, and layers that mark
//! only some cells; on the DEM's grid and on another.

use crate::cli_common;

use cli_common::{CORNER, Ran, Raster, Workshop, hinted_command, pixels};

const HOUR: &str = "--step 10s --duration 1h --overwrite";

fn flat(columns: usize, rows: usize) -> Raster {
    Raster::new(columns, rows, |_, _| 100.0)
}

/// Sets cells of half the DEM's size from its corner on.
fn fine(raster: Raster) -> Raster {
    raster.transform([CORNER.0, 5.0, 0.0, CORNER.1, 0.0, -5.0])
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{found} instead of {expected}");
}

/// Writes a raster, then converts it to `name` with gdal_translate.
fn translated(workshop: &Workshop, name: &str, raster: &Raster, options: &str) {
    workshop.raster("raw.tif", raster);
    workshop.shell(&format!("gdal_translate -q {options} raw.tif {name}")).done();
}

/// Writes a raster with a mask inside the file: cells below 0 are masked, and NoData is not
/// declared.
fn masked(workshop: &Workshop, name: &str, raster: &Raster) {
    let mask = raster.clone().nodata(None);
    let seen = |value: &f64| if *value < 0.0 { 0.0 } else { 255.0 };
    let mask = Raster { values: mask.values.iter().map(seen).collect(), ..mask };
    workshop.raster("mask.tif", &mask);
    workshop.raster("raw.tif", &raster.clone().nodata(None));
    workshop
        .shell(&format!(
            "gdal_translate -q -ot Byte mask.tif byte.tif && \
             gdalbuildvrt -q -separate both.vrt raw.tif byte.tif && \
             gdal_translate -q --config GDAL_TIFF_INTERNAL_MASK YES -b 1 -mask 2 both.vrt {name} && \
             gdalinfo {name} | grep PER_DATASET"
        ))
        .done();
}

fn rain(workshop: &Workshop) -> Ran {
    workshop.run(&format!("--rain rain.tif {HOUR}")).done()
}

#[test]
fn applies_scale_and_offset_of_the_dem_except_to_nodata() {
    let workshop = Workshop::empty();
    let dem = Raster::new(12, 8, |column, _| 10.0 * column as f64).nodata(-7.0).with(3, 4, -7.0);
    translated(&workshop, "dem.tif", &dem, "-ot Int16 -a_scale 0.1 -a_offset 100");
    workshop.run("--rain '1 mm/step' --steps 1").done().never_says("warning");
    let grid = workshop.report("results")["grid"].clone();
    assert_eq!(grid["domain_cells"], 95);
    assert_eq!(grid["bed_range_m"][0].as_f64(), Some(100.0));
    assert_close(grid["bed_range_m"][1].as_f64().unwrap(), 111.0);
    // The user's NoData is also a stored value.
    workshop.run("--steps 1 --nodata 10 --overwrite").done();
    assert_eq!(workshop.report("results")["grid"]["domain_cells"], 95 - 8);
}

#[test]
fn applies_scale_and_offset_of_a_layer_on_either_grid() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    for (grid, raster) in [
        ("same", Raster::new(12, 8, |_, _| 120.0)),
        ("finer", fine(Raster::new(24, 16, |_, _| 120.0))),
    ] {
        translated(&workshop, "rain.tif", &raster, "-ot Int16 -a_scale 0.1 -a_offset 3");
        rain(&workshop).never_says("warning");
        println!("{grid}");
        assert_close(workshop.volume("results", "rain_m3"), 15e-3 * 9600.0);
    }
}

#[test]
fn masked_dem_cells_are_outside_the_domain() {
    let workshop = Workshop::empty();
    masked(&workshop, "dem.tif", &flat(12, 8).with(3, 4, -50.0).with(5, 6, -50.0));
    workshop.run("--rain '1 mm/step' --steps 1").done().never_says("warning");
    let grid = workshop.report("results")["grid"].clone();
    assert_eq!(grid["domain_cells"], 94);
    assert_eq!(grid["bed_range_m"][0].as_f64(), Some(100.0));
}

#[test]
fn masked_layer_cells_have_no_value_on_either_grid() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let west = |column: usize, half: usize| if column < half { -50.0 } else { 12.0 };
    for raster in [
        Raster::new(12, 8, |column, _| west(column, 6)),
        fine(Raster::new(24, 16, |column, _| west(column, 12))),
    ] {
        masked(&workshop, "rain.tif", &raster);
        rain(&workshop).says(&["has no value for 50.00 % of the domain's cells"]);
        assert_close(workshop.volume("results", "rain_m3"), 12e-3 * 4800.0);
    }
}

#[test]
fn an_alpha_band_masks() {
    // GDAL itself does not use an alpha band of floats as a mask.
    for kind in ["UInt16", "Float32"] {
        let workshop = Workshop::empty();
        workshop.raster("raw.tif", &flat(12, 8).nodata(None).with(3, 4, 0.0));
        let warp = format!("gdalwarp -q -ot {kind} -srcnodata 0 -dstalpha raw.tif dem.tif");
        workshop.shell(&format!("{warp} && gdalinfo dem.tif | grep ColorInterp=Alpha")).done();
        workshop.run("--rain '1 mm/step' --steps 1").done().never_says("warning");
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], 95, "{kind}");
    }
}

#[test]
fn undeclared_nodata_of_a_layer_is_missing_and_reported() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    for (value, shown) in [(-9999.0, "-9999"), (-32768.0, "-32768"), (f64::NAN, "NaN")] {
        for (finer, count) in [(1, 95), (2, 380)] {
            let mark = |column: usize, row: usize| column / finer == 4 && row / finer == 3;
            let marks =
                Raster::new(
                    12 * finer,
                    8 * finer,
                    |column, row| {
                        if mark(column, row) { 1.0 } else { value }
                    },
                );
            let marks = if finer == 2 { fine(marks) } else { marks };
            workshop.raster("marks.tif", &marks.nodata(None));
            let message = format!(
                "{count} cells of 'marks.tif' hold {shown}, which is not declared as NoData; taken as missing"
            );
            let flood = "--initial-depth '1 m' --steps 1 --overwrite";
            workshop
                .run(&format!("--sinks marks.tif {flood}"))
                .done()
                .says(&[&format!("sinks: {message}"), "gdal_edit.py -a_nodata"])
                .never_says("has no value for");
            let depth = pixels(workshop.path("results/depth.tif"));
            assert_eq!(depth.iter().filter(|depth| **depth == 0.0).count(), 1, "{value}");
            let source = ["--source", "marks.tif", "--step", "1s", "--steps", "9", "--overwrite"];
            workshop.run(&source).done().says(&[&format!("source: {message}")]);
            assert_close(workshop.volume("results", "inflow_m3"), 9.0 * (finer * finer) as f64);
        }
    }
}

#[test]
fn warps_inflow_cells_and_sinks_by_nearest_cell_and_counts_them() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let marks = Raster::new(24, 16, |c, r| if c / 2 == 4 && r / 2 < 3 { 2.0 } else { 0.0 });
    workshop.raster("marks.tif", &fine(marks));
    for flag in ["inflow-depth", "sinks"] {
        let note = format!(
            "note: {}: 'marks.tif' was warped to the DEM's grid, each cell taking the nearest value: 3 cells are marked",
            flag.replace('-', "_")
        );
        let flag = format!("--{flag}");
        let arguments = [&flag, "marks.tif", "--initial-depth", "1 m", "--steps", "1"];
        workshop.run(&[&arguments[..], &["--overwrite"]].concat()).done().says(&[&note]);
    }
    // Three cells of 100 m² filled from 1 m to 2 m: none is filled less at its edge.
    let arguments = "--inflow-depth marks.tif --initial-depth '1 m' --steps 1";
    workshop.run(&format!("{arguments} --overwrite")).done();
    assert_close(workshop.volume("results", "inflow_m3"), 300.0);
}

#[test]
fn reported_source_volumes_match_the_mass_balance() {
    let hole = |raster: Raster| (0..8).fold(raster, |raster, row| raster.with(11, row, -9999.0));
    let source = fine(Raster::new(24, 16, |_, _| 0.25));
    let timed = "--source q.tif --step 1s --duration 100s --overwrite";
    let workshop = Workshop::with_dem(&flat(12, 8));
    workshop.raster("q.tif", &source);
    let note = "source: 'q.tif' was warped to the DEM's grid: its total of 96.000000 m³/s is kept";
    workshop.run(timed).done().says(&[note]).never_says("warning");
    assert_close(workshop.volume("results", "inflow_m3"), 9600.0);
    workshop.raster("dem.tif", &hole(flat(12, 8)));
    let note = "of its 96.000000 m³/s over the DEM's extent, 88.000000 m³/s are in the domain";
    workshop.run(timed).done().says(&[note, "source: 8 cells of 'q.tif' are on NoData cells"]);
    assert_close(workshop.volume("results", "inflow_m3"), 8800.0);
    workshop.raster("q.tif", &Raster::new(12, 8, |_, _| 1.0));
    workshop.run(timed).done().says(&["are ignored; 88.000000 of 96.000000 m³/s remain"]);
    assert_close(workshop.volume("results", "inflow_m3"), 8800.0);
}

#[test]
fn ignores_values_outside_the_domain() {
    let workshop = Workshop::with_dem(&flat(12, 8).with(5, 5, -9999.0));
    for value in [-3.0, 1e6] {
        workshop.raster("layer.tif", &Raster::new(12, 8, |_, _| 1.0).with(5, 5, value));
        for flag in ["--rain", "--source", "--initial-depth", "--inflow-depth"] {
            let steps = ["layer.tif", "--steps", "1", "--overwrite"];
            workshop.run(&[&[flag], &steps[..]].concat()).done().never_says("units of");
        }
    }
    // Inside the domain, a negative value stays an error.
    workshop.raster("layer.tif", &Raster::new(12, 8, |_, _| 1.0).with(5, 4, -3.0));
    workshop
        .run("--rain layer.tif --steps 1 --overwrite")
        .exits(2)
        .says(&["rain: 'layer.tif' holds -3 at column 5, row 4"]);
}

#[test]
fn accepts_nodata_around_sources_and_marks() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let some = |c: usize, r: usize| if (c, r) == (4, 4) { 1.0 } else { -9999.0 };
    for layer in [Raster::new(12, 8, some), fine(Raster::new(24, 16, |c, r| some(c / 2, r / 2)))] {
        workshop.raster("some.tif", &layer);
        for flag in ["--source", "--sinks", "--inflow-depth"] {
            let steps = ["some.tif", "--rain", "1 mm/step", "--steps", "1", "--overwrite"];
            workshop.run(&[&[flag], &steps[..]].concat()).done().never_says("warning");
        }
    }
}

#[test]
fn a_layer_without_a_georeference_must_have_the_dems_shape() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let bare = "-of PNG -ot Byte --config GDAL_PAM_ENABLED NO";
    translated(&workshop, "rain.png", &Raster::new(5, 4, |_, _| 1.0).nodata(None), bare);
    let parts = ["rain: 'rain.png' has no georeference", "5 × 4 cells (columns × rows)", "12 × 8"];
    workshop.refuses("run --dem dem.tif --rain rain.png --steps 1", &parts);
    translated(&workshop, "rain.png", &Raster::new(12, 8, |_, _| 1.0).nodata(None), bare);
    let ran = workshop.run("--rain rain.png --steps 1").done();
    ran.says(&["assumed: rain: 'rain.png' has no georeference; its cells are taken as the DEM's"])
        .never_says("warning");
    let depths = "--initial-depth rain.png --steps 1 --overwrite";
    workshop.run(depths).done().says(&["assumed: initial_depth: 'rain.png' has no georeference"]);
}

#[test]
fn warns_of_gaps_in_mosaics_without_nodata() {
    let workshop = Workshop::empty();
    let tile = |name: &str, east: f64| {
        let at = [CORNER.0 + east, 10.0, 0.0, CORNER.1, 0.0, -10.0];
        workshop.raster(name, &Raster::new(4, 8, |_, _| 100.0).nodata(None).transform(at));
    };
    tile("west.tif", 0.0);
    tile("middle.tif", 40.0);
    tile("east.tif", 80.0);
    let run = |tiles: &str| {
        workshop.shell(&format!("gdalbuildvrt -q -overwrite dem.vrt {tiles}")).done();
        let run = ["run", "--dem", "dem.vrt", "--rain", "1 mm/step", "--steps=1", "--overwrite"];
        workshop.inundate(&run).done()
    };
    run("west.tif east.tif").says(&[
        "warning: dem: 'dem.vrt' declares no NoData, and its sources leave 33.33 % of its cells without a value, which hold 0",
        "gdalbuildvrt -vrtnodata -9999",
    ]);
    run("west.tif middle.tif east.tif").never_says("sources leave");
    run("-vrtnodata -9999 west.tif east.tif").never_says("sources leave");
    run("-addalpha west.tif east.tif").never_says("sources leave");
    run("west.tif middle.tif east.tif");
    workshop.shell("gdalbuildvrt -q rain.vrt west.tif east.tif").done();
    workshop.file("rain.csv", "file,time [min]\nrain.vrt,0\n");
    let series = ["--rain", "rain.csv", "--rain-interval", "10 min", "--duration", "10 min"];
    for rain in [&["--rain", "rain.vrt", "--steps", "1"][..], &series] {
        let run = [&["run", "--dem", "dem.vrt", "--overwrite"][..], rain].concat();
        workshop.inundate(&run).done().says(&["warning: rain: 'rain.vrt' declares no NoData"]);
    }
}

#[test]
fn refuses_esri_grids_with_half_a_corner() {
    let workshop = Workshop::empty();
    let header = |corner: &str| format!("ncols 3\nnrows 2\n{corner}cellsize 10\n");
    let run = |dem: &'static str| ["run", "--dem", dem, "--rain", "1 mm/step", "--steps", "1"];
    for (corner, what) in [
        ("xllcorner 500000\nyllcenter 4999925\n", "declares xllcorner with yllcenter"),
        ("XLLCENTER 500005\nYLLCORNER 4999920\n", "declares xllcenter with yllcorner"),
        ("yllcorner 4999920\n", "declares yllcorner without xllcorner"),
    ] {
        workshop.file("dem.asc", header(corner) + "1 2 3\n4 5 6\n");
        workshop.refuses(&run("dem.asc"), &["dem: 'dem.asc'", what, "declare both coordinates"]);
    }
    workshop.file("dem.flt", [1.0f32; 6].map(f32::to_le_bytes).concat());
    let corner = "xllcorner 500000\nyllcenter 4999925\nbyteorder LSBFIRST\n";
    workshop.file("dem.hdr", header(corner));
    workshop.refuses(&run("dem.flt"), &["dem: 'dem.flt' declares xllcorner with yllcenter"]);
    for corner in ["xllcorner 500000\nyllcorner 4999920\n", "xllcenter 500005\nyllcenter 4999925\n"]
    {
        workshop.file("dem.asc", header(corner) + "1 2 3\n4 5 6\n");
        workshop.inundate(&[&run("dem.asc")[..], &["--overwrite"]].concat()).done();
    }
}

#[test]
fn refuses_rasters_placed_by_control_points_with_a_command_that_warps_them() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    // The shape of the DEM, but 20 km away.
    let (west, north) = (CORNER.0 + 2e4, CORNER.1 + 2e4);
    let points: Vec<String> = [(0, 0), (12, 0), (0, 8), (12, 8)]
        .map(|(column, row)| {
            let (x, y) = (west + 10.0 * f64::from(column), north - 10.0 * f64::from(row));
            format!("-gcp {column} {row} {x} {y}")
        })
        .into();
    translated(&workshop, "far.tif", &flat(12, 8), &points.join(" "));
    let parts = ["'far.tif' has no geotransform: ground control points place its cells"];
    let ran = workshop.refuses("run --dem far.tif --steps 1", &parts);
    workshop.shell(&hinted_command(&ran)).done();
    let placed = "run --dem placed.tif --rain '1 mm/step' --steps 1";
    workshop.inundate(placed).done();
    assert_eq!(workshop.report("results")["grid"]["transform"][0], west);
    let flags = [
        "--rain",
        "--initial-depth",
        "--inflow-depth",
        "--source",
        "--sinks",
        "--roughness",
        "--land-cover-table worldcover --land-cover",
        "--infiltration",
        "--initial-loss",
        "--background",
    ];
    for flag in flags {
        let rain = if flag == "--rain" { "" } else { "--rain 1mm/h" };
        let run = format!("run --dem dem.tif --duration 1min --overwrite {rain} {flag} far.tif");
        workshop.refuses(&run.split_whitespace().collect::<Vec<_>>(), &parts);
    }
    workshop.refuses("compare dem.tif --with far.tif", &parts);
}

#[test]
fn ignores_options_of_gdal_that_change_what_is_read() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let water = Raster::new(12, 8, |column, _| column as f64 - 3.0);
    // With its mask in another file, and pixels that are points.
    masked(&workshop, "inside.tif", &water);
    let command = "gdal_translate -q --config GDAL_TIFF_INTERNAL_MASK NO -mo AREA_OR_POINT=Point";
    workshop.shell(&format!("{command} inside.tif water.tif && ls water.tif.msk")).done();
    workshop.file("gdalrc", "[configoptions]\nGTIFF_POINT_GEO_IGNORE=YES\n");
    let initial = |environment: &str| {
        let run = "run --dem dem.tif --initial-depth water.tif --steps 1 --overwrite";
        let ran = workshop.shell(&format!("{environment} \"$INUNDATE\" {run}")).done();
        (ran.err.contains("warped"), workshop.volume("results", "initial_m3"))
    };
    let usual = initial("");
    assert_eq!(usual, (false, 36.0 * 800.0));
    for environment in [
        "GDAL_DISABLE_READDIR_ON_OPEN=EMPTY_DIR",
        "GTIFF_POINT_GEO_IGNORE=YES",
        "GDAL_GEOREF_SOURCES=NONE",
        "GDAL_CONFIG_FILE=gdalrc",
    ] {
        assert_eq!(initial(environment), usual, "{environment}");
    }
}

#[test]
fn refuses_damaged_files_beside_a_raster() {
    let workshop = Workshop::with_dem(&flat(12, 8));
    let run = "run --dem dem.tif --initial-depth 1 --steps 1 --overwrite";
    workshop.file("dem.tif.aux.xml", "<PAMDataset><Metadata/></PAMDataset>");
    workshop.inundate(run).done();
    for damaged in ["<PAMDataset><PAMRasterBand band=\"1\">", "<PAMDataset></PAM>", ""] {
        workshop.file("dem.tif.aux.xml", damaged);
        workshop.refuses(
            run,
            &["dem: 'dem.tif' has a damaged file beside it, 'dem.tif.aux.xml'", "copy it again"],
        );
    }
    std::fs::remove_file(workshop.path("dem.tif.aux.xml")).unwrap();
    workshop.file("dem.tif.msk", "II*\0");
    workshop.refuses(run, &["dem: 'dem.tif' has a damaged file beside it, 'dem.tif.msk'"]);
}
