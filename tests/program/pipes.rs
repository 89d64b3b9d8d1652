//! A named pipe, to which nobody may ever write, is refused as any input or output file, without
//! waiting for it.

use crate::cli_common::{Raster, Workshop};

/// Asserts that a command reports that one of its inputs is a pipe, and ends.
fn refuses(workshop: &Workshop, arguments: &[&str]) {
    workshop.start(arguments).end().exits(2).says(&["it is a pipe, not a file"]);
}

#[test]
fn does_not_wait_for_inputs_that_are_pipes() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8));
    let names = ["a.tif", "a.csv", "a.gpkg", "a.vrt", "a.toml", "a.rle"];
    assert_eq!(workshop.shell(&format!("mkfifo {}", names.join(" "))).code, Some(0));
    let of_run = [
        "roughness=a.tif",
        "roughness=a.gpkg",
        "land-cover-table=worldcover --land-cover=a.tif",
        "land-cover-table=worldcover --land-cover=a.gpkg",
        "buildings=a.gpkg",
        "walls=a.gpkg",
        "rain=a.csv",
        "rain=a.tif",
        "rain=a.gpkg",
        "source=500025,4999955,a.csv",
        "source=a.gpkg",
        "source=a.tif",
        "level=west,a.csv",
        "level=a.gpkg",
        "links=a.csv",
        "links=a.gpkg",
        "inflow-depth=a.tif",
        "sinks=a.tif",
        "initial-depth=a.tif",
        "initial-level=a.gpkg",
        "infiltration=a.tif",
        "drainage=a.gpkg",
        "gauges=a.csv",
        "gauges=a.gpkg",
        "sections=a.gpkg",
    ];
    let flood = ["--rain", "20 mm/h", "--duration", "1min"];
    for option in of_run {
        let mut all = vec!["run", "--dem", "dem.tif", "--duration", "1min"];
        let option = format!("--{option}");
        all.extend(option.split(' '));
        if !option.starts_with("--rain") {
            all.extend(["--rain", "20 mm/h"]);
        }
        refuses(&workshop, &all);
    }
    for dem in ["a.tif", "a.vrt"] {
        refuses(&workshop, &[&["run", "--dem", dem], &flood[..]].concat());
    }
    let cover = ["--land-cover", "dem.tif", "--land-cover-table", "a.csv"];
    refuses(&workshop, &[&["check", "--dem", "dem.tif"], &flood[..], &cover].concat());
    // A pipe named inside a file.
    let source =
        "<SimpleSource><SourceFilename relativeToVRT='1'>a.tif</SourceFilename></SimpleSource>";
    let band = format!("<VRTRasterBand dataType='Float32' band='1'>{source}</VRTRasterBand>");
    let vrt = format!("<VRTDataset rasterXSize='12' rasterYSize='8'>{band}</VRTDataset>");
    workshop.file("mosaic.vrt", vrt);
    refuses(&workshop, &[&["run", "--dem", "mosaic.vrt"], &flood[..]].concat());
    refuses(&workshop, &[&["run", "--dem", "mosaic.vrt", "--allow-remote"], &flood[..]].concat());
    std::fs::create_dir(workshop.path("radar")).unwrap();
    let two = "mkfifo radar/r_20210714_1305.tif radar/r_20210714_1310.tif";
    workshop.shell(two).done();
    refuses(&workshop, &["run", "--dem", "dem.tif", "--duration", "1min", "--rain", "radar"]);
    // Other commands.
    workshop.file("of-a-pipe.toml", "base = 'a.toml'\n[matrix]\nroughness = [0.02, 0.03]\n");
    for arguments in [
        &["run", "a.toml"][..],
        &["new", "a.tif"],
        &["study", "a.toml"],
        &["study", "of-a-pipe.toml"],
        &["compare", "dem.tif", "--with", "a.tif"],
        &["compare", "dem.tif", "--with", "a.csv"],
        &["compare", "dem.tif", "--with", "a.gpkg"],
        &["compare", "a.tif", "--with", "dem.tif"],
        &["compare", "--series", "a.csv", "--with", "a.csv"],
        &["automaton", "life", "--in", "a.rle", "--steps", "1", "--out", "life"],
        &["automaton", "life", "--in", "a.tif", "--steps", "1", "--out", "life"],
    ] {
        refuses(&workshop, arguments);
    }
    // In place of a result.
    std::fs::create_dir(workshop.path("results")).unwrap();
    workshop.shell("mkfifo results/run.json").done();
    refuses(&workshop, &["animate", "results"]);
}

#[test]
fn a_scenario_may_be_piped_in() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8));
    workshop.file("flood.toml", "steps = 3\nrain = '1 mm/step'\n");
    workshop.shell("cat flood.toml | \"$INUNDATE\" check /dev/stdin --dem dem.tif").done();
}
