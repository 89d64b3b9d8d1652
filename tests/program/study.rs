//! `inundate study`: which runs are run and kept, and the table and the maps over all runs.

use crate::cli_common;

use cli_common::running::{RunningProgram, wait_until};
use cli_common::{Raster, Workshop, pixels};
use std::path::Path;
use std::time::SystemTime;

/// Three short runs.
const THREE: &str =
    "base = 'scenario.toml'\n[matrix]\nrain = ['1 mm/step', '5 mm/step', '9 mm/step']\n";
const NAMES: [&str; 3] = ["rain-1mm-step", "rain-5mm-step", "rain-9mm-step"];

fn workshop(study: &str) -> Workshop {
    let workshop = Workshop::new();
    workshop.file("scenario.toml", "dem = 'dem.tif'\nsteps = 20\nout = 'elsewhere'\n");
    workshop.file("study.toml", study);
    workshop
}

fn study(workshop: &Workshop, more: &[&str]) -> cli_common::Ran {
    workshop.inundate(&[&["study", "study.toml"], more].concat())
}

/// Reads a column of `runs.csv`.
fn column(workshop: &Workshop, name: &str) -> Vec<String> {
    workshop.column("study/runs.csv", name)
}

fn written(path: &Path) -> SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

/// Returns when each run's report was written.
fn times(workshop: &Workshop, names: &[&str]) -> Vec<SystemTime> {
    names
        .iter()
        .map(|name| written(&workshop.path(&format!("study/runs/{name}/run.json"))))
        .collect()
}

/// Returns which of the runs were run since.
fn since(workshop: &Workshop, names: &[&str], before: &[SystemTime]) -> Vec<bool> {
    times(workshop, names).iter().zip(before).map(|(now, then)| now != then).collect()
}

#[test]
fn every_run_of_a_study_matches_its_scenario_run_alone() {
    let workshop = workshop(THREE);
    study(&workshop, &[]).done().says(&["3 of 3 runs to do", "[3/3]"]);
    assert_eq!(column(&workshop, "name"), NAMES);
    assert_eq!(column(&workshop, "rain"), ["1 mm/step", "5 mm/step", "9 mm/step"]);
    assert_eq!(column(&workshop, "status"), ["done"; 3]);
    assert_eq!(column(&workshop, "steps_taken"), ["20"; 3]);
    for (name, rain) in NAMES.iter().zip(["1 mm/step", "5 mm/step", "9 mm/step"]) {
        let alone = format!("alone-{name}");
        workshop.run(&format!("--rain '{rain}' --steps 20 --out '{alone}'")).done();
        for file in ["depth.tif", "max_depth.tif", "arrival_time.tif"] {
            let of = |folder: String| pixels(workshop.path(&folder).join(file));
            assert_eq!(of(format!("study/runs/{name}")), of(alone.clone()), "{name}/{file}");
        }
        let volume = |folder: &str| workshop.report(folder)["volume"].clone();
        assert_eq!(volume(&format!("study/runs/{name}")), volume(&alone));
    }
    let rain: Vec<f64> = column(&workshop, "rain_m3").iter().map(|v| v.parse().unwrap()).collect();
    for (rain, mm) in rain.iter().zip([1.0, 5.0, 9.0]) {
        assert!((rain - 20.0 * mm * 9.6).abs() < 1e-2, "{rain} m³ of {mm} mm/step");
    }
    assert!(!workshop.path("elsewhere").exists(), "the base's own folder is left alone");
    // The study writes an ordinary scenario for each run.
    let scenario = format!("study/runs/{}/scenario.toml", NAMES[0]);
    workshop.inundate(&format!("check '{scenario}' --overwrite")).done();
}

#[test]
fn an_empty_list_removes_a_key_of_any_type() {
    let workshop = workshop(
        "base = 'scenario.toml'\n[matrix]\nlinks = ['pumps.csv', []]\n\
         [[run]]\nname = 'dry'\nrain = []\nroughness = []\nlinks = []\nsource = '500065,4999955,1 m3/s'\n",
    );
    workshop.file(
        "scenario.toml",
        "dem = 'dem.tif'\nduration = '2 min'\nrain = '90 mm/h'\nroughness = 0.05\nlinks = 'pumps.csv'\n",
    );
    workshop
        .file("pumps.csv", "x1,y1,x2,y2,kind,capacity\n500025,4999955,500085,4999955,pump,0.1\n");
    study(&workshop, &[]).done();
    assert_eq!(column(&workshop, "name"), ["links-pumps", "links-none", "dry"]);
    assert_eq!(column(&workshop, "links"), ["pumps.csv", "none", "none"]);
    assert_eq!(column(&workshop, "rain"), ["", "", "none"]);
    for (name, links, rain) in
        [("links-pumps", true, true), ("links-none", false, true), ("dry", false, false)]
    {
        let scenario = workshop.path(&format!("study/runs/{name}/scenario.toml"));
        let keys: toml::Table =
            toml::from_str(&std::fs::read_to_string(scenario).unwrap()).unwrap();
        let has = ["links", "rain", "roughness"].map(|key| keys.contains_key(key));
        assert_eq!(has, [links, rain, rain], "{name}");
    }
    let depth = |name: &str| pixels(workshop.path(&format!("study/runs/{name}/depth.tif")));
    assert_ne!(depth("links-pumps"), depth("links-none"), "the pump moves water");
}

#[test]
fn repeats_only_runs_that_have_changed() {
    let workshop = workshop(THREE);
    study(&workshop, &[]).done();
    let first = times(&workshop, &NAMES);
    let again = study(&workshop, &[]).done().says(&["0 of 3 runs to do (3 are done already)"]);
    assert!(again.out.contains("3 of 3 runs are done"), "{}", again.out);
    assert_eq!(since(&workshop, &NAMES, &first), [false; 3]);

    // A missing result, and a missing file of a result.
    let missing = workshop.path("study/runs").join(NAMES[1]);
    std::fs::remove_dir_all(&missing).unwrap();
    std::fs::remove_file(workshop.path("study/runs").join(NAMES[2]).join("depth.tif")).unwrap();
    study(&workshop, &[]).done().says(&["2 of 3 runs to do"]);
    assert_eq!(since(&workshop, &NAMES, &first), [false, true, true]);

    // Another value for one run, in the same folder.
    let second = times(&workshop, &NAMES);
    workshop.file(
        "study.toml",
        THREE.replace("'5 mm/step'", "{ value = '6 mm/step', name = 'rain-5mm-step' }"),
    );
    study(&workshop, &[]).done();
    assert_eq!(since(&workshop, &NAMES, &second), [false, true, false]);
    assert_eq!(column(&workshop, "rain")[1], "6 mm/step");

    // Another number of threads changes nothing; another DEM with the same name changes everything.
    let third = times(&workshop, &NAMES);
    workshop.file("scenario.toml", "dem = 'dem.tif'\nsteps = 20\nthreads = 2\n# A remark.\n");
    study(&workshop, &[]).done();
    assert_eq!(since(&workshop, &NAMES, &third), [false; 3]);
    workshop.raster("dem.tif", &Raster::terrain(12, 8).with(3, 3, 90.0));
    study(&workshop, &["--collect"])
        .done()
        .says(&["3 of 3 runs have results from another scenario"]);
    assert_eq!(since(&workshop, &NAMES, &third), [false; 3]);
    study(&workshop, &[]).done();
    assert_eq!(since(&workshop, &NAMES, &third), [true; 3]);
}

#[test]
fn a_moved_study_need_not_be_repeated() {
    let workshop =
        workshop("base = 'in/scenario.toml'\nout = 'out'\n[[run]]\nrain = '2 mm/step'\n");
    std::fs::create_dir(workshop.path("in")).unwrap();
    workshop.raster("in/terrain.tif", &Raster::terrain(9, 9));
    workshop.file("in/scenario.toml", "dem = 'terrain.tif'\nsteps = 9\n");
    study(&workshop, &[]).done();
    let moved = workshop.path("moved to é");
    std::fs::create_dir(&moved).unwrap();
    for name in ["in", "out", "study.toml"] {
        std::fs::rename(workshop.path(name), moved.join(name)).unwrap();
    }
    let again = workshop.inundate("study 'moved to é/study.toml'").done();
    again.says(&["0 of 1 runs to do (1 are done already)"]);
}

#[test]
fn a_moved_study_with_inputs_in_folders_need_not_be_repeated() {
    let workshop = Workshop::new();
    workshop.run("--rain '5 mm/step' --steps 9 --keep-state --out early").done();
    std::fs::create_dir(workshop.path("radar")).unwrap();
    for (hour, rain) in [(0, 1.0), (1, 2.0)] {
        let name = format!("radar/rain_20240601_0{hour}00.tif");
        workshop.raster(&name, &Raster::new(12, 8, |_, _| rain));
    }
    let warm = "[[run]]\nname = 'warm'\nsteps = 9\nstart_from = 'early'\n";
    let wet = "[[run]]\nname = 'wet'\nduration = '90 min'\nrain = 'radar'\nrain_unit = 'mm/h'\n\
               rain_interval = '1 h'\n";
    workshop.file("study.toml", format!("[base]\ndem = 'dem.tif'\n{warm}{wet}"));
    study(&workshop, &[]).done();
    std::fs::create_dir(workshop.path("moved")).unwrap();
    for name in ["dem.tif", "early", "radar", "study", "study.toml"] {
        std::fs::rename(workshop.path(name), workshop.path("moved").join(name)).unwrap();
    }
    let again = || workshop.inundate("study moved/study.toml").done();
    again().says(&["0 of 2 runs to do (2 are done already)"]);
    // Another state and other rain count.
    let early = ["run", "--dem", "moved/dem.tif", "--rain", "6 mm/step", "--steps", "9"];
    let more = ["--keep-state", "--out", "moved/early", "--overwrite"];
    workshop.inundate(&[&early[..], &more].concat()).done();
    again().says(&["1 of 2 runs to do"]);
    let frame = |hour| workshop.path(&format!("moved/radar/rain_20240601_0{hour}00.tif"));
    std::fs::rename(frame(0), workshop.path("first.tif")).unwrap();
    std::fs::rename(frame(1), frame(0)).unwrap();
    std::fs::rename(workshop.path("first.tif"), frame(1)).unwrap();
    again().says(&["1 of 2 runs to do"]);
}

#[test]
fn a_run_with_a_series_in_zarr_is_done() {
    let workshop = workshop("base = 'scenario.toml'\n[[run]]\nname = 'a'\nrain = '1 mm/step'\n");
    workshop
        .file("scenario.toml", "dem = 'dem.tif'\nsteps = 20\noutput_every = 10\nseries = 'zarr'\n");
    study(&workshop, &[]).done();
    assert!(workshop.path("study/runs/a/series.zarr").is_dir());
    assert_eq!(column(&workshop, "status"), ["done"]);
    study(&workshop, &[]).done().says(&["0 of 1 runs to do"]);
}

#[test]
fn a_failed_run_does_not_affect_the_others() {
    // 90 m of water per step in one cell: two steps later, more than fine grains can represent.
    let flood = "[[run]]\nname = 'flood'\ngrain = 'fine'\nsource = '500065,4999955,9000 m3/step'\n";
    let good =
        |name: &str, rain: u32| format!("[[run]]\nname = '{name}'\nrain = '{rain} mm/step'\n");
    let workshop =
        workshop(&format!("base = 'scenario.toml'\n{}{flood}{}", good("a", 1), good("b", 2)));
    study(&workshop, &[])
        .says(&["flood: failed: ", "deeper than 128 m", "1 of 3 runs failed: flood", "run.log"])
        .exits(1);
    assert_eq!(column(&workshop, "status"), ["done", "failed", "done"]);
    assert!(column(&workshop, "error")[1].contains("deeper than 128 m"));
    assert_eq!(column(&workshop, "max_depth_m")[1], "");
    let report = workshop.json("study/study.json");
    assert_eq!(report["grids"][0]["runs"], serde_json::json!(["a", "b"]));
    assert!(report["warnings"][0].as_str().unwrap().contains("1 of 3 runs failed"), "{report}");

    // Later the reason is still known, and only this run is repeated.
    study(&workshop, &["--collect"]).says(&["1 of 3 runs failed: flood"]).exits(1);
    let before = times(&workshop, &["a", "b"]);
    study(&workshop, &[]).says(&["1 of 3 runs to do", "1 of 3 runs failed"]);
    assert_eq!(since(&workshop, &["a", "b"], &before), [false; 2]);
    let text = workshop.text("study.toml");
    workshop.file("study.toml", text.replace("9000 m3/step", "9 m3/step"));
    study(&workshop, &[]).done();
    assert_eq!(column(&workshop, "status"), ["done"; 3]);
}

#[test]
fn array_tasks_share_the_runs_and_collect_merges_them() {
    let workshop = workshop(THREE);
    study(&workshop, &["--array-task", "1/2"]).done();
    assert_eq!(workshop.names("study"), ["runs"], "a task makes no tables");
    assert_eq!(workshop.names("study/runs"), [NAMES[0], NAMES[2]]);
    study(&workshop, &["--collect"]).done().says(&["1 of 3 runs have no results yet"]);
    assert_eq!(column(&workshop, "status"), ["done", "missing", "done"]);
    study(&workshop, &["--only", "2"]).done();
    study(&workshop, &["--only", "rain-9mm-step,1-2"]).done().says(&["0 of 3 runs to do"]);
    let before = times(&workshop, &NAMES);
    study(&workshop, &["--collect", "--quiet"]).done();
    assert_eq!(since(&workshop, &NAMES, &before), [false; 3]);
    assert_eq!(column(&workshop, "status"), ["done"; 3]);
}

/// Starts a study of a short run and one that would take days, and waits until the second one is
/// running.
fn going_on(workshop: &Workshop) -> RunningProgram {
    let running = workshop.start("study study.toml --jobs 1");
    wait_until("the second run", || goes_on(workshop).then_some(()));
    running
}

/// Returns `true` if the long run has its hidden folder, which it removes when it ends.
fn goes_on(workshop: &Workshop) -> bool {
    let folder = workshop.path("study/runs/long");
    folder.exists()
        && workshop.names("study/runs/long").iter().any(|name| name.starts_with(".inundate-"))
}

const LONG: &str = "base = 'scenario.toml'\n[[run]]\nname = 'short'\nrain = '1 mm/step'\n\
                    [[run]]\nname = 'long'\nrain = '0.001 mm/step'\nsteps = 4000000000\n";

#[test]
fn ctrl_c_stops_active_runs_and_keeps_finished_ones() {
    let workshop = workshop(LONG);
    let said = ["interrupted: stopped by the user; 1 of 2 runs are done"];
    going_on(&workshop).stop(libc::SIGINT).says(&said);
    assert!(!goes_on(&workshop));
    assert!(workshop.path("study/runs/short/max_depth.tif").exists());
    study(&workshop, &["--collect"]).done();
    assert_eq!(column(&workshop, "status"), ["done", "missing"]);
}

/// Runs a study whose only run, `a`, writes checkpoints, and stops it when there is one.
fn stopped(workshop: &Workshop) {
    let last = "study/runs/a/.checkpoint/last";
    workshop.stop_at(last, "study study.toml --quiet");
    assert!(workshop.path(last).exists(), "it was done before it could be stopped");
}

#[test]
fn resumes_a_stopped_run_unless_it_has_changed() {
    let run = "base = 'scenario.toml'\n[[run]]\nname = 'a'\nrain = '0.01 mm/step'\n";
    let workshop = workshop(run);
    let scenario = |more: &str| {
        let text = format!("dem = 'dem.tif'\nsteps = 200000\n{more}");
        workshop.file("scenario.toml", text);
    };
    let resumed = || workshop.report("study/runs/a")["resumed_at_steps"].as_array().unwrap().len();
    scenario("checkpoint_every = '0.01 s'\n");
    stopped(&workshop);
    study(&workshop, &[]).done();
    assert_eq!(resumed(), 1);
    let alone = ["--rain", "0.01 mm/step", "--steps", "200000", "--out", "alone"];
    workshop.run(&alone).done();
    for file in ["depth.tif", "max_depth.tif", "arrival_time.tif", "mass_balance.csv"] {
        let of = |folder: &str| std::fs::read(workshop.path(folder).join(file)).unwrap();
        assert_eq!(of("study/runs/a"), of("alone"), "{file}");
    }
    // Writing checkpoints changes no result.
    scenario("threads = 1\n");
    study(&workshop, &[]).done().says(&["0 of 1 runs to do"]);

    std::fs::remove_dir_all(workshop.path("study")).unwrap();
    scenario("checkpoint_every = '0.01 s'\n");
    stopped(&workshop);
    scenario("checkpoint_every = '0.01 s'\nalpha = 0.3\n");
    study(&workshop, &[]).done();
    assert_eq!(resumed(), 0);
    assert_eq!(workshop.report("study/runs/a")["alpha"].as_f64().unwrap() as f32, 0.3);
}

#[test]
fn a_run_with_results_of_another_scenario_fails_the_study() {
    let workshop = workshop(
        "base = 'scenario.toml'\n[[run]]\nname = 'a'\nrain = '0.01 mm/step'\nsteps = 200000\n\
         [[run]]\nname = 'b'\nrain = 'rain.csv'\n",
    );
    workshop.file("rain.csv", "step,mm/step\n0,1\n10,0\n");
    let mut running = workshop.start("study study.toml --jobs 1");
    let log = workshop.path("study/runs/a/run.log");
    wait_until("the first run", || log.exists().then_some(()));
    workshop.file("rain.csv", "step,mm/step\n0,2\n10,0\n");
    running.end().exits(1).says(&["error: 1 of 2 runs failed: b"]);
    assert_eq!(column(&workshop, "status"), ["done", "failed"]);
    assert!(column(&workshop, "error")[1].contains("an input may have changed"));
    // Its results are those of the scenario with the new rain.
    study(&workshop, &[]).done().says(&["0 of 2 runs to do"]);
    assert_eq!(column(&workshop, "status"), ["done"; 2]);
}

#[test]
#[cfg(target_os = "linux")]
fn no_run_outlives_a_killed_study() {
    let workshop = workshop(LONG);
    drop(going_on(&workshop));
    wait_until("the end of the run", || (!goes_on(&workshop)).then_some(()));
}

#[test]
fn refuses_invalid_thread_counts_before_any_run() {
    let runs =
        "[[run]]\nthreads = 1\n[[run]]\nname = 'threads-0'\nthreads = 0\nrain = '1 mm/step'\n";
    let workshop = workshop(&format!("base = 'scenario.toml'\n{runs}"));
    for more in [&[][..], &["--dry-run"]] {
        workshop.refuses(
            &[&["study", "study.toml"], more].concat(),
            &["run 2 'threads-0': threads: 0 is not a valid number of threads", "give 1 to 1024"],
        );
    }
}

#[test]
fn refuses_missing_devices_before_any_run() {
    let workshop = workshop(THREE);
    study(&workshop, &["--devices", "cpu,cuda:99"]).says(&["devices: ", "hint: "]).exits(2);
    assert!(!workshop.path("study").exists());
    study(&workshop, &["--devices", "cpu", "--jobs", "2"]).done().says(&["2 at a time", "on cpu"]);
    study(&workshop, &["--jobs", "0"])
        .says(&["jobs: 0 is not a valid number of simultaneous runs"])
        .exits(2);
}

#[test]
fn a_study_repeats_runs_whose_companion_files_have_changed() {
    let workshop = Workshop::new();
    let aux = |band: &str| {
        format!("<PAMDataset><PAMRasterBand band=\"1\">{band}</PAMRasterBand></PAMDataset>")
    };
    let statistics = "<Histograms><HistItem><HistMin>0</HistMin></HistItem></Histograms>\
                      <Metadata><MDI key=\"STATISTICS_MAXIMUM\">9</MDI></Metadata>";
    let half = "<Scale>0.5</Scale><Offset>0</Offset>";
    let to = |format: &str, name: &str| format!("gdal_translate -q {format} dem.tif {name}");
    let archive = |level: u32| format!("echo {level} > note && tar cf dem.tar dem.tif note");
    let world_file = to("-co TFW=YES -co PROFILE=BASELINE", "w.tif");
    workshop.shell(&format!("{world_file} && rm w.tif.aux.xml")).done();
    workshop.shell(&to("-of AAIGrid", "g.asc")).done();
    workshop.shell(&archive(1)).done();
    let write = |name: &str, text: String| format!("printf '%s' '{text}' > {name}");
    for (dem, change, is_repeated) in [
        ("dem.tif", write("dem.tif.aux.xml", aux(half)), true),
        ("dem.tif", write("dem.tif.aux.xml", aux(&(half.to_string() + statistics))), false),
        ("dem.tif", "rm dem.tif.aux.xml".into(), true),
        ("dem.tif", write("dem.tif.aux.xml", aux(statistics)), false),
        ("dem.tif", "gdaladdo -q -ro dem.tif 2".into(), false),
        (
            "dem.tif",
            "gdal_translate -q -of GTiff -ot Byte -scale 0 1 255 255 dem.tif dem.tif.msk".into(),
            true,
        ),
        ("w.tif", "sed -i '1s/.*/5/' w.tfw".into(), true),
        ("g.asc", "sed -i s/32/33/ g.prj".into(), true),
        ("/vsitar/dem.tar/dem.tif", archive(2), true),
    ] {
        let base = format!("[base]\ndem = '{dem}'\nsteps = 2\naccept_distortion = true\n");
        workshop.file("study.toml", base + "[matrix]\nrain = ['1 mm/step']\n");
        let names = ["rain-1mm-step"];
        study(&workshop, &[]).done();
        let before = times(&workshop, &names);
        workshop.shell(&change).done();
        study(&workshop, &[]).done();
        assert_eq!(since(&workshop, &names, &before), [is_repeated], "{dem}: {change}");
    }
}

#[test]
fn changes_in_a_database_that_another_program_has_open_count() {
    let workshop = Workshop::new();
    workshop.layer("source.gpkg", "flow", &[("POINT (3.5 2.5)", 1.0)]);
    workshop.file(
        "study.toml",
        "[base]\ndem = 'dem.tif'\nduration = '1min'\nsource = 'source.gpkg'\n[matrix]\nroughness = [0.03]\n",
    );
    let options = gdal::DatasetOptions {
        open_flags: gdal::GdalOpenFlags::GDAL_OF_VECTOR | gdal::GdalOpenFlags::GDAL_OF_UPDATE,
        ..Default::default()
    };
    // As QGIS opens it.
    let open = gdal::Dataset::open_ex(workshop.path("source.gpkg"), options).unwrap();
    let sql = |text: &str| {
        open.execute_sql(text, None, gdal::vector::sql::Dialect::DEFAULT).unwrap();
    };
    sql("PRAGMA journal_mode = wal");
    let inflow = || {
        study(&workshop, &[]).done();
        workshop.volume("study/runs/roughness-0.03", "inflow_m3")
    };
    assert_eq!(inflow().round(), 60.0);
    let layer = open.layer(0).unwrap();
    sql(&format!("UPDATE \"{}\" SET flow = 5", gdal::vector::LayerAccess::name(&layer)));
    assert!(workshop.path("source.gpkg-wal").metadata().unwrap().len() > 0);
    assert_eq!(inflow().round(), 300.0);
}
