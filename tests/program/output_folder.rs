//! The output folder: refused if it cannot be used, earlier results protected, and each file
//! complete or absent, on a full disk too.

use crate::cli_common;

use cli_common::{Raster, Workshop};

const STEPS: [&str; 4] = ["--rain", "1 mm/step", "--steps", "20"];
const FINAL: [&str; 10] = [
    "arrival_time.qml",
    "arrival_time.tif",
    "depth.qml",
    "depth.tif",
    "mass_balance.csv",
    "max_depth.qml",
    "max_depth.tif",
    "project.qgs",
    "report.html",
    "run.json",
];

#[test]
fn refuses_an_unusable_output_folder() {
    let workshop = Workshop::new();
    workshop.file("plain", "a file");
    let cases: [(&str, &[&str]); 3] = [
        ("plain", &["out: 'plain' is a file, not a folder", "--out"]),
        ("plain/below/it", &["out: cannot write in 'plain/below/it'", "--out"]),
        ("/proc/none/results", &["out: cannot write in '/proc/none/results'", "--out"]),
    ];
    for (out, parts) in cases {
        let arguments = [&["run", "--dem", "dem.tif", "--out", out][..], &STEPS].concat();
        workshop.refuses(&arguments, parts);
    }
}

#[test]
fn check_makes_no_output_folder_and_run_makes_missing_parents() {
    let workshop = Workshop::new();
    let before = workshop.contents();
    let arguments = [&["--dem", "dem.tif", "--out", "a/b/c"][..], &STEPS].concat();
    workshop.inundate(&[&["check"], &arguments[..]].concat()).done();
    assert_eq!(workshop.contents(), before);
    workshop.inundate(&[&["run"], &arguments[..]].concat()).done();
    assert_eq!(workshop.names("a/b/c"), FINAL);
}

#[test]
fn refuses_names_that_are_not_utf8_at_once() {
    use std::os::unix::ffi::OsStrExt;
    let workshop = Workshop::new();
    let odd = std::ffi::OsStr::from_bytes(b"r\xffs");
    std::fs::copy(workshop.path("dem.tif"), workshop.path("").join(odd)).unwrap();
    let before = workshop.contents();
    let cases: [&[&str]; 4] = [
        &["run", "--rain", "1 mm/step", "--steps", "3", "--dem", "dem.tif", "--out"],
        &["run", "--rain", "1 mm/step", "--steps", "3", "--dem"],
        &["new"],
        &["resume"],
    ];
    for arguments in cases {
        let output = workshop.command(arguments).arg(odd).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("error: \"r\\xFFs\" is not UTF-8"), "{said}");
        assert!(said.contains("hint: rename"), "{said}");
    }
    assert_eq!(workshop.contents(), before);
}

#[test]
fn refuses_to_replace_earlier_results_without_overwrite() {
    let workshop = Workshop::new();
    workshop.run(&[&STEPS[..], &["--output-every", "5"]].concat()).done();
    let arguments = [&["run", "--dem", "dem.tif"][..], &STEPS].concat();
    let parts = ["out: 'results' holds the results of an earlier run", "--overwrite"];
    refused(&workshop, &arguments, &parts);
    // A map of a run that was killed is enough.
    for name in FINAL {
        std::fs::rename(workshop.path("results").join(name), workshop.path("aside")).unwrap();
    }
    assert!(workshop.names("results").iter().all(|name| name.starts_with("depth_step")));
    refused(&workshop, &arguments, &parts);
    let again = [&arguments[..], &["--overwrite"]].concat();
    workshop.inundate(&again).done();
    assert_eq!(workshop.names("results"), FINAL);
}

/// Asserts that a run is refused and changes nothing.
fn refused(workshop: &Workshop, arguments: &[&str], parts: &[&str]) {
    let before = workshop.contents();
    assert_eq!(workshop.inundate(arguments).says(parts).code, Some(2));
    assert_eq!(workshop.contents(), before);
}

#[test]
fn check_warns_of_earlier_results_and_continues() {
    let workshop = Workshop::new();
    workshop.run(&STEPS).done();
    let before = workshop.contents();
    let check = [&["check", "--dem", "dem.tif"][..], &STEPS].concat();
    let what = "out: 'results' holds the results of an earlier run; a run needs --overwrite";
    workshop.inundate(&check).done().says(&[&format!("warning: {what}")]);
    let json = workshop.inundate(&[&check[..], &["--json"]].concat()).done().json();
    assert!(json["warnings"].as_array().unwrap().contains(&what.into()), "{json}");
    workshop.inundate(&[&check[..], &["--overwrite"]].concat()).done().never_says("earlier run");
    // Other errors are still reported, and an input among the results stays an error.
    workshop.refuses(&[&check[..], &["--roughness", "-1"]].concat(), &["roughness: "]);
    let arguments = "check --dem results/depth.tif --steps 3 --rain '1 mm/step'";
    workshop.refuses(arguments, &["'results/depth.tif' is an input of this run"]);
    assert_eq!(workshop.contents(), before);
}

#[test]
fn overwrite_replaces_results_drops_stale_series_and_keeps_foreign_files() {
    let workshop = Workshop::new();
    workshop.run(&[&STEPS[..], &["--output-every", "5"]].concat()).done();
    assert!(workshop.names("results").contains(&"depth_step000015.tif".to_string()));
    let foreign = [
        "notes.txt",
        "depth_survey.tif",
        "depth_2021_flood.qml",
        "depth.txt",
        "dem.tif",
        "depthless.tif",
    ];
    for name in foreign {
        workshop.file(&format!("results/{name}"), name);
    }
    // Files that QGIS creates beside a raster belong to it.
    workshop.file("results/depth.tif.aux.xml", "<PAMDataset/>");
    let before = std::fs::read(workshop.path("results/depth.tif")).unwrap();
    workshop.run("--rain '2 mm/step' --steps 20 --overwrite").done();
    assert_ne!(std::fs::read(workshop.path("results/depth.tif")).unwrap(), before);
    let mut expected: Vec<&str> = FINAL.iter().chain(&foreign).copied().collect();
    expected.sort_unstable();
    assert_eq!(workshop.names("results"), expected);
    for name in foreign {
        assert_eq!(std::fs::read_to_string(workshop.path("results").join(name)).unwrap(), name);
    }
}

#[test]
fn does_not_replace_a_project_saved_in_qgis() {
    let workshop = Workshop::new();
    workshop.run(&STEPS).done();
    let saved = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n\
                 <qgis version=\"3.22.16\" saveDateTime=\"2026-01-01T00:00:00\"></qgis>";
    workshop.file("results/project.qgs", saved);
    let arguments = [&["run", "--dem", "dem.tif", "--overwrite"][..], &STEPS].concat();
    let parts = ["out: 'results/project.qgs' was saved in QGIS", "under another name", "--out"];
    workshop.refuses(&arguments, &parts);
}

#[test]
fn a_folder_with_only_foreign_files_needs_no_overwrite() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("results")).unwrap();
    workshop.file("results/depth_survey.tif", "mine");
    workshop.run(&STEPS).done();
    assert_eq!(workshop.text("results/depth_survey.tif"), "mine");
}

#[test]
fn wrong_input_keeps_earlier_results() {
    let workshop = Workshop::new();
    workshop.run(&STEPS).done();
    let arguments = "run --dem dem.tif --overwrite --steps 3 --rain 50";
    workshop.refuses(arguments, &["'50' has no unit"]);
}

/// Returns a terrain whose results need many blocks of 512 B.
fn large() -> Raster {
    Raster::new(300, 200, |column, row| {
        100.0 + ((column * 7919 + row * 104_729) % 997) as f64 * 0.01
    })
}

#[test]
fn a_full_disk_ends_the_run_with_exit_1_and_leaves_nothing() {
    let workshop = Workshop::with_dem(&large());
    for blocks in [0, 1, 8, 40] {
        let ran = workshop.shell(&format!(
            "ulimit -f {blocks}; exec $INUNDATE run --dem dem.tif --rain '99 mm/step' --steps 20"
        ));
        let ran = ran.exits(1).says(&["error: cannot write depth.tif: ", "free disk space"]);
        assert_eq!(ran.out, "");
        assert!(workshop.names("results").is_empty(), "{:?}", workshop.names("results"));
    }
}

/// Returns the sizes of the final files in blocks of 512 B, rounded up, smallest first.
fn blocks(workshop: &Workshop) -> Vec<u64> {
    let mut blocks: Vec<u64> = FINAL
        .iter()
        .map(|name| std::fs::metadata(workshop.path("results").join(name)).unwrap().len())
        .map(|length| length.div_ceil(512))
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

#[test]
fn a_full_disk_keeps_earlier_results_whichever_file_does_not_fit() {
    // run.json contains the command: with many spaces it is the largest file except for the page,
    // which is written later.
    let run = "exec $INUNDATE run --dem dem.tif --steps 20 --rain \"1$(printf '%30000s')mm/step\"";
    let workshop = Workshop::new();
    workshop.shell(run).done();
    let before = workshop.contents();
    let sizes = blocks(&workshop);
    let mut named = Vec::new();
    for limit in sizes.iter().map(|blocks| blocks - 1) {
        let ran = workshop.shell(&format!("ulimit -f {limit}; {run} --overwrite"));
        assert_eq!(ran.code, Some(1), "limit {limit}: {}", ran.err);
        assert!(ran.err.contains("error: cannot write "), "{}", ran.err);
        named.push(
            ran.err
                .split("cannot write ")
                .nth(1)
                .unwrap()
                .split([':', ' '])
                .next()
                .unwrap()
                .to_string(),
        );
        assert_eq!(workshop.contents(), before, "limit {limit}: {}", ran.err);
    }
    assert!(named.iter().any(|name| name.ends_with(".tif")), "{named:?}");
    assert!(named.contains(&"run.json".to_string()), "{named:?}");
}

#[test]
fn a_full_disk_while_writing_features_is_reported_without_sql() {
    let workshop = Workshop::new();
    // All other files of this run are smaller.
    for blocks in [100, 130, 160, 190] {
        let ran = workshop.shell(&format!(
            "ulimit -f {blocks}; exec $INUNDATE run --dem dem.tif --rain '9 mm/step' --steps 5 --gauges 500025,4999955"
        ));
        let ran =
            ran.exits(1).says(&["error: cannot write features.gpkg", "hint: is the disk full"]);
        for word in ["sqlite", "CREATE", "INSERT", "gpkg_", "PRAGMA"] {
            assert!(!ran.err.contains(word), "{}", ran.err);
        }
        assert!(workshop.names("results").is_empty(), "{:?}", workshop.names("results"));
    }
}

#[test]
fn a_series_that_no_longer_fits_keeps_only_its_complete_files() {
    // Flat and dry at first, so that the first file is small; then every cell has a different
    // depth.
    let workshop = Workshop::with_dem(&large());
    workshop.raster("rain.tif", &Raster::new(300, 200, |c, r| ((c * 31 + r * 17) % 101) as f64));
    workshop.file("late.csv", "step,rain [mm/step]\n0,0\n4,50\n");
    let ran = workshop.shell(
        "ulimit -f 60; exec $INUNDATE run --dem dem.tif --rain late.csv --steps 40 --output-every 2",
    ).exits(1);
    assert!(ran.err.contains("error: cannot write depth_step0000"), "{}", ran.err);
    let names = workshop.names("results");
    assert!(names.contains(&"depth_step000002.tif".to_string()), "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("depth_step")), "{names:?}");
    for name in names.iter().filter(|name| name.ends_with(".tif")) {
        assert_eq!(cli_common::pixels(workshop.path("results").join(name)).len(), 300 * 200);
    }
}

#[test]
fn the_next_run_removes_the_hidden_folder_of_a_killed_one() {
    let workshop = Workshop::new();
    // No process has this number: it is above the kernel's maximum.
    let dead = workshop.path("results/.inundate-2000000000-x");
    let foreign = workshop.path("results/.inundate-notes");
    for folder in [&dead, &foreign] {
        std::fs::create_dir_all(folder.join("inner")).unwrap();
    }
    workshop.run(&STEPS).done();
    assert!(!dead.exists() && foreign.exists());
}

#[test]
fn does_not_overwrite_an_input_in_the_output_folder() {
    let workshop = Workshop::new();
    std::fs::copy(workshop.path("dem.tif"), workshop.path("depth.tif")).unwrap();
    let arguments =
        [&["run", "--dem", "depth.tif", "--out", ".", "--overwrite"][..], &STEPS].concat();
    let parts = ["'depth.tif' is an input of this run and would be replaced", "--out"];
    workshop.refuses(&arguments, &parts);
}

#[test]
fn the_demo_does_not_replace_the_results_of_another_run() {
    let workshop = Workshop::new();
    workshop.run(&[&STEPS[..], &["--out", "mine"]].concat()).done();
    let parts = ["'mine' holds the results of an earlier run", "--out"];
    workshop.refuses("demo --out mine", &parts);
}

#[test]
#[cfg(unix)]
fn the_demo_does_not_follow_links() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("demo")).unwrap();
    // A dangling link, whose target would be created.
    std::os::unix::fs::symlink("../elsewhere.csv", workshop.path("demo/storm.csv")).unwrap();
    // A folder in place of the scenario stops it there.
    std::fs::create_dir(workshop.path("demo/demo.toml")).unwrap();
    workshop.inundate("demo --out demo").exits(2);
    assert!(workshop.path("demo/storm.csv").is_file() && !workshop.path("elsewhere.csv").exists());
}
