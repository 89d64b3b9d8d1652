//! Doubtful runs and warnings of runs in the results of `inundate study`, and on the terminal.

use crate::cli_common;

use cli_common::{Ran, Raster, Workshop, at};
use serde_json::Value;

/// End of the advice on a run of `inertial` in fast flow.
const ADVICE: &str = "do not trust levels, speeds and arrivals there; use --solver shallow-water";

/// Creates a study of a flood down a steep slope, which only `shallow-water` can compute, and of
/// more `runs`.
fn steep(runs: &str) -> Workshop {
    let slope = Raster::new(30, 4, |column, _| 50.0 - 0.5 * column as f64);
    let workshop = Workshop::with_dem(&slope);
    let base = "dem = 'dem.tif'\nduration = '2 min'\nopen = 'east'\nroughness = 0.03\n";
    workshop.file("scenario.toml", base);
    let runs = runs.replace("FLOW", &at(1.5, 1.5));
    workshop.file("study.toml", format!("base = 'scenario.toml'\n{runs}"));
    workshop
}

fn study(workshop: &Workshop, more: &[&str]) -> Ran {
    workshop.inundate(&[&["study", "study.toml"], more].concat()).done()
}

/// Returns the texts of a list of JSON.
fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Returns the warnings on the terminal.
fn warned(ran: &Ran) -> Vec<&str> {
    ran.err.lines().filter_map(|line| line.strip_prefix("warning: ")).collect()
}

#[test]
fn a_doubtful_run_is_reported_with_its_reason() {
    let workshop = steep(
        "[[run]]\nname = 'fast'\nsource = 'FLOW,20 m3/s'\nsolver = 'inertial'\n\
         [[run]]\nname = 'sound'\nsource = 'FLOW,20 m3/s'\n",
    );
    let ran = study(&workshop, &["--jobs", "1"]);
    let reason = workshop.report("study/runs/fast")["warnings"][0].as_str().unwrap().to_string();
    assert!(reason.ends_with(ADVICE), "{reason}");
    let end = ran.err.lines().find(|line| line.contains("fast: done")).unwrap();
    assert!(end.ends_with(&format!(", but doubtful: {reason}")), "{end}");
    let end = ran.err.lines().find(|line| line.contains("sound: done")).unwrap();
    assert!(!end.contains("doubtful"), "{end}");

    let doubt = "1 of 2 runs are doubtful by their own checks, but maps and statistics over the \
                 runs include them: fast";
    let expected = [doubt.to_string(), format!("run 'fast': {reason}")];
    assert_eq!(warned(&ran), expected);
    let report = workshop.json("study/study.json");
    assert_eq!(texts(&report["warnings"]), expected);
    let runs = &report["runs"];
    assert_eq!((&runs[0]["verdict"], &runs[1]["verdict"]), (&"doubtful".into(), &"ok".into()));
    assert_eq!(texts(&runs[0]["warnings"]), [&reason]);
    assert_eq!(texts(&runs[1]["warnings"]), [""; 0]);
    let column = |name: &str| workshop.column("study/runs.csv", name);
    assert_eq!(column("verdict"), ["doubtful", "ok"]);
    assert_eq!(column("warnings"), ["1", "0"]);
    let page = workshop.text("study/report.html");
    cli_common::has(&page, &[doubt, "<td class=\"status\">done</td><td>doubtful</td>", ADVICE]);
    assert_eq!(page.matches("<tr class=\"unsound\">").count(), 1);

    // A repeated study gives the same results, and a quiet one the same warnings.
    let again = study(&workshop, &["--quiet"]);
    assert_eq!(warned(&again), expected);
    let repeated = workshop.json("study/study.json");
    assert_eq!((&repeated["warnings"], &repeated["runs"]), (&report["warnings"], &report["runs"]));
    let task = study(&workshop, &["--only", "fast", "--quiet"]);
    task.says(&["warning: 1 of 1 runs are doubtful", &format!("warning: run 'fast': {reason}")]);
}

#[test]
fn a_warning_of_several_runs_is_said_once() {
    let workshop = steep(
        "[matrix]\nsolver = ['inertial']\n\
         source = [{ value = 'FLOW,20 m3/s', name = 'a' }, { value = 'FLOW,25 m3/s', name = 'b' }, \
         { value = 'FLOW,30 m3/s', name = 'c' }]\n",
    );
    let ran = study(&workshop, &[]);
    let names = workshop.column("study/runs.csv", "name");
    let reason = workshop.report(&format!("study/runs/{}", names[0]))["warnings"][0].clone();
    let reason = reason.as_str().unwrap();
    let warned = warned(&ran);
    let shared = format!("all 3 runs (details of '{}'): {reason}", names[0]);
    assert!(warned.contains(&&shared[..]), "{shared} is not in {warned:#?}");
    assert_eq!(warned.iter().filter(|warning| warning.ends_with(ADVICE)).count(), 1, "{warned:#?}");
    assert!(warned[0].starts_with("3 of 3 runs are doubtful"), "{warned:#?}");
    assert_eq!(texts(&workshop.json("study/study.json")["warnings"]), warned);
}

#[test]
fn warnings_about_input_are_in_the_results_too() {
    // Heights in a CRS in US survey feet (North Carolina), without a declared unit; the last run
    // fails, because it gets deeper than fine grains can represent.
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).epsg(2264));
    workshop.file("scenario.toml", "dem = 'dem.tif'\nsteps = 20\ngrain = 'fine'\n");
    let runs = "[[run]]\nname = 'a'\nrain = '1 mm/step'\n\
                [[run]]\nname = 'b'\nrain = '1 mm/step'\nheight_unit = 'm'\n\
                [[run]]\nname = 'c'\nsource = 'FLOW,800 m3/step'\n";
    let idle = "aggregates = ['arrival_time']\ndepths = ['0.2 m']\n";
    let runs = runs.replace("FLOW", &at(6.5, 4.5));
    workshop.file("study.toml", format!("base = 'scenario.toml'\n{idle}{runs}"));
    let ran = workshop.inundate("study study.toml").exits(1);
    let warned = warned(&ran);
    let about_file = "depths: has no effect on the maps";
    let about_input =
        "run 'a' and 1 more: dem: heights are taken to be in the CRS's unit of 0.3048006 m";
    for text in [about_file, about_input] {
        let times = warned.iter().filter(|warning| warning.contains(text)).count();
        assert_eq!(times, 1, "{text} in {warned:#?}");
    }
    let report = workshop.json("study/study.json");
    let mut written = texts(&report["warnings"]);
    assert!(written.iter().any(|warning| warning.starts_with(about_input)), "{written:#?}");
    let mut said = warned.clone();
    written.sort();
    said.sort();
    assert_eq!(written, said);
    assert_eq!(workshop.column("study/runs.csv", "status"), ["done", "done", "failed"]);
    assert_eq!(workshop.column("study/runs.csv", "verdict"), [""; 3]);
    assert_eq!(workshop.column("study/runs.csv", "warnings"), ["2", "1", "2"]);
    let page = workshop.text("study/report.html");
    cli_common::has(&page, &["heights are taken to be in the CRS", about_file]);
}

#[test]
fn defaults_assumed_for_runs_are_in_the_results() {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8));
    workshop.file("scenario.toml", "dem = 'dem.tif'\nduration = '1 min'\nrain = '20 mm/h'\n");
    let runs = "[[run]]\nname = 'a'\n[[run]]\nname = 'b'\nroughness = 0.03\n";
    workshop.file("study.toml", format!("base = 'scenario.toml'\n{runs}"));
    let ran = study(&workshop, &[]);
    let said: Vec<&str> =
        ran.err.lines().filter_map(|line| line.strip_prefix("assumed: ")).collect();
    let report = workshop.json("study/study.json");
    assert_eq!(texts(&report["assumed"]), said);
    let roughness: Vec<_> = said.iter().filter(|text| text.contains("roughness")).collect();
    assert!(matches!(roughness[..], [text] if text.starts_with("run 'a': ")), "{said:#?}");
    cli_common::has(&workshop.text("study/report.html"), &["id=\"assumed\"", "roughness: none"]);
}
