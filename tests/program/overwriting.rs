//! Files that a command must not replace: files not made by this program, and the command's own
//! inputs, by whatever path they are given.

use crate::cli_common;

use cli_common::vectors::{Shapes, text};
use cli_common::{Raster, Workshop};
use gdal::vector::OGRFieldType::OFTString;

/// Scenario that writes every kind of file.
const EVERYTHING: &str = "dem = 'dem.tif'\nrain = '60 mm/h'\nduration = '2 min'\noutput_every = '1 min'\n\
    series = 'zarr'\ngauges = ['500025,4999955,bridge']\nsections = ['500045,4999975,500045,4999935,weir']\n\
    points = 'houses.gpkg'\nkeep_state = true\narrival_depth = '1 mm, 10 mm'\n";

/// Names of the files of [`EVERYTHING`], one of each kind. The last two are folders made by
/// somebody else.
const KINDS: [&str; 18] = [
    "run.json",
    "report.html",
    "project.qgs",
    "mass_balance.csv",
    "gauges.csv",
    "sections.csv",
    "points.csv",
    "points.gpkg",
    "features.gpkg",
    "state.inundate",
    "max_depth.qml",
    "arrival_time.tif",
    "arrival_time_above_0.01m.tif",
    "depth_000h01m00s.tif",
    "depth_000h02m00s.qml",
    "series.zarr",
    "depth.tif/",
    "series.zarr/",
];

fn everything() -> Workshop {
    let workshop = Workshop::new();
    Shapes::new(&[("name", OFTString)])
        .with("POINT (2.5 4.5)", &[text("a")])
        .with("POINT (7.5 3.5)", &[text("b")])
        .write(&workshop, "houses.gpkg");
    workshop.file("all.toml", EVERYTHING);
    workshop
}

/// Creates a foreign file, or a folder if `name` ends in a slash.
fn put(workshop: &Workshop, name: &str) {
    let path = workshop.path(name.trim_end_matches('/'));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match name.ends_with('/') {
        true => std::fs::create_dir(path).unwrap(),
        false => std::fs::write(path, "mine").unwrap(),
    }
}

#[test]
fn a_run_replaces_no_foreign_file_whatever_its_name() {
    let workshop = everything();
    for name in KINDS {
        put(&workshop, &format!("results/{name}"));
        let part = format!("out: 'results/{}' ", name.trim_end_matches('/'));
        for command in ["run", "check"] {
            for more in [&[][..], &["--overwrite"]] {
                let arguments = [&[command, "all.toml"][..], more].concat();
                workshop.refuses(&arguments, &[&part, " a run", "hint: rename or remove it"]);
            }
        }
        std::fs::remove_dir_all(workshop.path("results")).unwrap();
    }
    // GDAL would read this as the statistics of the map.
    put(&workshop, "results/depth.tif.aux.xml");
    workshop.refuses("run all.toml", &["'results/depth.tif.aux.xml' was not made by a run"]);
    std::fs::remove_dir_all(workshop.path("results")).unwrap();
    // All of these are names that this run writes, but other runs leave foreign files with such
    // names alone.
    workshop.inundate("run all.toml").done();
    let names = workshop.names("results");
    for name in KINDS {
        assert!(names.contains(&name.trim_end_matches('/').to_string()), "{name}: {names:?}");
    }
    for name in ["gauges.csv", "points.csv", "features.gpkg", "depth_000h01m00s.tif"] {
        put(&workshop, &format!("plain/{name}"));
    }
    let plain = ["--rain", "60 mm/h", "--duration", "2 min", "--out", "plain"];
    workshop.run(&plain).done();
    workshop.run(&[&plain[..], &["--overwrite"]].concat()).done();
    for name in ["gauges.csv", "points.csv", "features.gpkg", "depth_000h01m00s.tif"] {
        assert_eq!(std::fs::read(workshop.path("plain").join(name)).unwrap(), b"mine", "{name}");
    }
}

#[test]
fn a_file_beside_the_results_of_a_run_does_not_belong_to_it() {
    let workshop = everything();
    let plain = "--rain '60 mm/h' --duration '2 min'";
    workshop.run(plain).done();
    put(&workshop, "results/gauges.csv");
    let parts = ["out: 'results/gauges.csv' was not made by a run, which would replace it"];
    workshop.refuses("run all.toml --overwrite", &parts);
    // A report that lists foreign files, or paths outside the folder, is not trusted.
    put(&workshop, "results/notes.txt");
    put(&workshop, "points.csv");
    let report = workshop.path("results/run.json");
    let listed = std::fs::read_to_string(&report).unwrap();
    let more = "\"outputs\": [\"notes.txt\", \"../points.csv\", \"../dem.tif\",";
    std::fs::write(&report, listed.replace("\"outputs\": [", more)).unwrap();
    workshop.run(&format!("{plain} --overwrite")).done();
    for name in ["results/notes.txt", "points.csv", "results/gauges.csv"] {
        assert_eq!(std::fs::read(workshop.path(name)).unwrap(), b"mine", "{name}");
    }
}

#[test]
fn the_next_run_replaces_files_placed_by_a_killed_one() {
    let workshop = everything();
    workshop.inundate("run all.toml").done();
    // As if killed before its last file was in place. No process has this number: it exceeds the
    // kernel's maximum.
    let listed = workshop.report("results")["outputs"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    std::fs::remove_file(workshop.path("results/run.json")).unwrap();
    put(&workshop, "results/.inundate-2000000000-x/.made");
    workshop.refuses("run all.toml --overwrite", &["was not made by a run"]);
    workshop.file("results/.inundate-2000000000-x/.made", names.join("\n"));
    workshop.refuses("run all.toml", &["holds the results of an earlier run"]);
    workshop.inundate("run all.toml --overwrite").done();
    assert_eq!(workshop.report("results")["outputs"], listed);
    assert!(!workshop.path("results/.inundate-2000000000-x").exists());
}

#[test]
fn recognizes_an_input_by_every_path_to_it() {
    let workshop = everything();
    let steps = "--rain '60 mm/h' --duration '2 min'";
    let replaces = "is an input of this run";
    Shapes::new(&[("name", OFTString)])
        .with("POINT (2.5 4.5)", &[text("a")])
        .write(&workshop, "features.gpkg");
    let gauges = "run --dem dem.tif --gauges features.gpkg --out .";
    workshop.refuses(&format!("{gauges} {steps}"), &["'features.gpkg'", replaces]);
    workshop.run(&format!("{steps} --keep-state")).done();
    std::fs::copy(workshop.path("results/state.inundate"), workshop.path("state.inundate"))
        .unwrap();
    let state = "--start-from state.inundate --keep-state --out ./.";
    let arguments = format!("run --dem dem.tif {steps} {state}");
    workshop.refuses(&arguments, &["'state.inundate'", replaces]);
    // A result that the run would replace: by name, by a symbolic link, by a hard link and in a
    // VRT.
    let result = workshop.path("results/depth.tif");
    std::os::unix::fs::symlink(&result, workshop.path("link.tif")).unwrap();
    std::fs::hard_link(&result, workshop.path("hard.tif")).unwrap();
    let grid = "<GeoTransform>500000,10,0,5000000,0,-10</GeoTransform>";
    let source = "<SimpleSource><SourceFilename relativeToVRT=\"1\">results/depth.tif</SourceFilename>\
        <SourceBand>1</SourceBand></SimpleSource>";
    workshop.file(
        "depths.vrt",
        format!(
            "<VRTDataset rasterXSize=\"12\" rasterYSize=\"8\"><SRS>EPSG:32633</SRS>{grid}\
             <VRTRasterBand dataType=\"Float32\" band=\"1\">{source}</VRTRasterBand></VRTDataset>"
        ),
    );
    for name in ["results/../results/depth.tif", "link.tif", "hard.tif", "depths.vrt"] {
        let arguments =
            format!("run --dem dem.tif --initial-depth '{name}' --overwrite --duration '1 min'");
        workshop.refuses(&arguments, &[replaces, "--out"]);
    }
}

#[test]
fn check_draws_over_no_input_and_no_foreign_file() {
    let workshop = Workshop::with_dem(&Raster::terrain(16, 16));
    std::fs::create_dir(workshop.path("sub")).unwrap();
    std::os::unix::fs::symlink(workshop.path("dem.tif"), workshop.path("link.tif")).unwrap();
    std::fs::hard_link(workshop.path("dem.tif"), workshop.path("hard.tif")).unwrap();
    let check = |parted: &'static str| {
        [
            "check",
            "--dem",
            "dem.tif",
            "--rain",
            "9 mm/h",
            "--duration",
            "1 min",
            "--subgrid",
            "4",
            "--parted",
            parted,
        ]
    };
    for name in ["dem.tif", "./sub/../dem.tif", "link.tif", "hard.tif"] {
        workshop.refuses(&check(name), &["parted: '", "is an input of this command"]);
    }
    workshop.raster("survey.tif", &Raster::terrain(4, 4));
    workshop.refuses(&check("survey.tif"), &["parted: 'survey.tif' exists already", "hint:"]);
    workshop.inundate(&check("drawn.tif")).done();
    workshop.inundate(&check("drawn.tif")).done();
    // A map of a run is not a map drawn by check.
    workshop.run("--rain '9 mm/h' --duration '1 min'").done();
    workshop.refuses(
        &check("results/depth.tif"),
        &["'results/depth.tif' exists already, and is a result of a run"],
    );
}

#[test]
fn a_difference_map_replaces_only_difference_maps() {
    let workshop = Workshop::empty();
    for name in ["a.tif", "b.tif", "mine.tif"] {
        workshop.raster(name, &Raster::new(6, 4, |column, _| column as f64));
    }
    let compare = |to: &'static str| {
        ["compare", "a.tif", "--with", "b.tif", "--difference", to, "--overwrite"]
    };
    let foreign = "difference: 'mine.tif' exists already, and was not made by inundate";
    workshop.refuses(&compare("mine.tif"), &[foreign]);
    // A map of a run is not a difference map.
    workshop.raster("dem.tif", &Raster::terrain(6, 4));
    workshop.run("--rain '9 mm/h' --duration 1s").done();
    let of_run = "difference: 'results/depth.tif' exists already, and is a result of a run";
    workshop.refuses(&compare("results/depth.tif"), &[of_run]);
    workshop.refuses(&compare("./a.tif"), &["is an input of this command"]);
    // The style beside the map is foreign.
    put(&workshop, "d.qml");
    workshop.refuses(&compare("d.tif"), &["difference: 'd.qml' exists already"]);
    std::fs::remove_file(workshop.path("d.qml")).unwrap();
    workshop.inundate(&compare("d.tif")).done();
    workshop.inundate(&compare("d.tif")).done();
}

#[test]
fn an_animation_replaces_only_animations() {
    let workshop = Workshop::new();
    workshop.run("--rain '60 mm/h' --duration '2 min' --output-every '1 min'").done();
    put(&workshop, "holiday.gif");
    let animate = "animate results --overwrite --quiet --to";
    let parts = ["to: 'holiday.gif' exists already, and was not made by inundate"];
    workshop.refuses(&format!("{animate} holiday.gif"), &parts);
    for _ in 0..2 {
        workshop.inundate(&format!("{animate} flood.gif")).done();
    }
    // A foreign picture in a run's folder stays, too.
    put(&workshop, "results/max_depth.gif");
    workshop.inundate("animate results --quiet").done();
    workshop.run("--rain '60 mm/h' --duration '2 min' --overwrite").done();
    let names = workshop.names("results");
    assert!(!names.contains(&"depth.gif".to_string()), "{names:?}");
    assert_eq!(std::fs::read(workshop.path("results/max_depth.gif")).unwrap(), b"mine");
}

#[test]
fn a_study_replaces_no_foreign_file() {
    let workshop = everything();
    workshop.file(
        "study.toml",
        "base = 'all.toml'\nout = 'study'\n[[run]]\nname = 'often'\nreturn_period = 2\n[[run]]\nname = 'rare'\nreturn_period = 100\n",
    );
    for name in [
        "study/runs.csv",
        "study/study.json",
        "study/report.html",
        "study/project.qgs",
        "study/points.csv",
        "study/aggregates/max_depth_mean.tif",
        "study/runs/rare/scenario.toml",
        "study/runs/rare/run.log",
        "study/runs/rare/gauges.csv",
        "study/runs/rare/depth.tif/",
    ] {
        put(&workshop, name);
        let name = name.trim_end_matches('/');
        for more in ["", "--dry-run", "--collect"] {
            let arguments = format!("study study.toml {more}");
            workshop.refuses(&arguments, &["out: '", name, "hint:"]);
        }
        std::fs::remove_dir_all(workshop.path("study")).unwrap();
    }
    // The study replaces its own tables and maps, but no foreign file beside them.
    workshop.inundate("study study.toml").done();
    workshop.inundate("study study.toml --collect").done();
    put(&workshop, "study/aggregates/probability_above_7m.tif");
    workshop.refuses("study study.toml --collect", &["probability_above_7m.tif'"]);
}

#[test]
fn an_automaton_replaces_no_foreign_file() {
    let workshop = Workshop::empty();
    let life = "automaton life --random 1 --size 8 --steps 2 --every 1 --device cpu --out life";
    for (name, frames) in [
        ("population.csv", "png"),
        ("frame_step1.png", "png"),
        ("states.gif", "gif"),
        ("states_step2.tif", "gif"),
        ("automaton.json", "gif"),
    ] {
        put(&workshop, &format!("life/{name}"));
        let arguments = format!("{life} --frames '{frames}' --overwrite");
        let part = format!("out: 'life/{name}' was not made by an automaton");
        workshop.refuses(&arguments, &[&part]);
        std::fs::remove_dir_all(workshop.path("life")).unwrap();
    }
    put(&workshop, "life/frame_step1.png");
    workshop.inundate(life).done();
    assert_eq!(std::fs::read(workshop.path("life/frame_step1.png")).unwrap(), b"mine");
}
