//! Valid and invalid study files, and maps over runs compared with independent computations.

use crate::cli_common;

use cli_common::{Raster, Workshop, has, pixels};
use inundate::study::{file, in_words};
use std::process::Command;

const NODATA: f32 = -9999.0;

/// Creates a study of lakes at rest on flat ground, whose maximum depth is the initial depth.
fn lakes(runs: &str, dem: &Raster) -> Workshop {
    let workshop = Workshop::with_dem(dem);
    let head = "depths = [0.1, '25 cm']\npercentiles = [0, 10, 50, 95, 100]\n[base]\ndem = 'dem.tif'\nsteps = 2\n";
    workshop.file("study.toml", format!("{head}{runs}"));
    workshop
}

fn flat() -> Raster {
    Raster::new(700, 3, |column, row| if (column, row) == (650, 1) { -9999.0 } else { 50.0 })
}

/// Returns the common value of a map in all cells except the one without a value.
fn value(workshop: &Workshop, name: &str) -> f32 {
    let values = pixels(workshop.path(&format!("study/aggregates/{name}.tif")));
    assert_eq!(values[700 + 650], NODATA, "{name}");
    let first = values[0];
    assert!(values.iter().enumerate().all(|(i, v)| i == 1350 || *v == first), "{name}");
    first
}

fn close(value: f32, expected: f64, what: &str) {
    assert!((f64::from(value) - expected).abs() < 1e-6, "{what}: {value}, not {expected}");
}

#[test]
fn maps_of_equal_weights_match_a_hand_computation() {
    let workshop = lakes("[matrix]\ninitial_depth = [0.75, 0.125, 0.25, 1.0, 0.0]\n", &flat());
    workshop.inundate("study study.toml").done();
    // In order: 0, 0.125, 0.25, 0.75, 1. The percentiles are numpy.percentile's.
    for (name, expected) in [
        ("probability_above_0.1m", 0.8),
        // 0.25 m is not above 0.25 m.
        ("probability_above_0.25m", 0.4),
        ("max_depth_mean", 0.425),
        ("max_depth_max", 1.0),
        ("max_depth_min", 0.0),
        ("max_depth_p0", 0.0),
        ("max_depth_p10", 0.05),
        ("max_depth_p50", 0.25),
        ("max_depth_p95", 0.95),
        ("max_depth_p100", 1.0),
    ] {
        close(value(&workshop, name), expected, name);
    }
    let mut table = csv::Reader::from_path(workshop.path("study/runs.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let header = table.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|known| known == name).unwrap();
    let number = |row: usize, name: &str| rows[row][at(name)].parse::<f64>().unwrap();
    let area = 100.0 * (700.0 * 3.0 - 1.0);
    assert_eq!((number(1, "max_depth_m"), number(4, "max_depth_m")), (0.125, 0.0));
    assert_eq!((number(1, "wet_area_m2"), number(4, "wet_area_m2")), (area, 0.0));
    assert_eq!((number(1, "area_above_0.1m_m2"), number(1, "area_above_0.25m_m2")), (area, 0.0));
    assert_eq!(number(2, "area_above_0.25m_m2"), 0.0);
    assert_eq!(number(0, "stored_m3"), 0.75 * area);
}

#[test]
fn depths_without_maps_of_the_maximum_depth_are_warned_of() {
    let workshop = Workshop::new();
    let runs = "[base]\ndem = 'dem.tif'\nsteps = 9\n[matrix]\nrain = ['1 mm/step', '5 mm/step']\n";
    let warning = "depths: has no effect on the maps, because 'max_depth' is not in aggregates";
    let dry_run = "study study.toml --dry-run";
    for (head, warned) in [
        ("aggregates = ['depth']\ndepths = ['5 mm']\n", true),
        ("aggregates = ['depth']\ndepths = '5 mm'\n", true),
        ("aggregates = ['depth']\n", false),
        ("aggregates = ['depth']\ndepths = []\n", false),
        ("aggregates = ['depth', 'max_depth']\ndepths = ['5 mm']\n", false),
        ("depths = ['5 mm']\n", false),
    ] {
        workshop.file("study.toml", format!("{head}{runs}"));
        let ran = workshop.inundate(dry_run).done();
        if warned {
            ran.says(&[warning])
        } else {
            ran.never_says("depths:")
        };
    }
}

#[test]
fn hours_and_steps_have_separate_maps() {
    let runs = "[[run]]\nname = 'timed'\nduration = '10 min'\n\
                [[run]]\nname = 'steps'\nsolver = 'aqua-graph'\nsteps = 50\n";
    let base = "[base]\ndem = 'dem.tif'\nrain = '60 mm/h'\narrival_depth = '2 mm'\n";
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8));
    let steps = runs.replace("steps = 50", "steps = 50\nrain = '1 mm/step'");
    workshop.file("study.toml", format!("aggregates = ['arrival_time']\n{base}{steps}"));
    let warning = "the runs have times in different units ('timed' and 'steps' differ), so there \
                   are separate maps for each, in aggregates/grid-1";
    workshop.inundate("study study.toml").done().says(&[warning]);
    for (number, name) in [(1, "timed"), (2, "steps")] {
        let of_run = pixels(workshop.path(&format!("study/runs/{name}/arrival_time.tif")));
        let map = format!("study/aggregates/grid-{number}/arrival_time_mean.tif");
        assert_eq!(pixels(workshop.path(&map)), of_run, "{name}");
    }
    // Depths have the same unit in all runs.
    workshop.file("study.toml", format!("{base}{steps}"));
    workshop.inundate("study study.toml").done().never_says("separate maps");
    assert!(workshop.path("study/aggregates/max_depth_mean.tif").exists());
}

#[test]
fn weights_count_in_every_map() {
    // The product of the weights: 0.45, 0.45, 0.05, 0.05 of both n and depth, out of 1.
    let runs = "[matrix]\ninitial_depth = [{ value = 0.125, weight = 9 }, { value = 0.5, weight = 1 }]\n\
                alpha = [{ value = 0.3, weight = 0.25 }, { value = 0.4, weight = 0.75 }]\n";
    let workshop = lakes(runs, &flat());
    workshop.inundate("study study.toml").done();
    close(value(&workshop, "probability_above_0.25m"), 0.1, "probability");
    close(value(&workshop, "max_depth_mean"), 0.9 * 0.125 + 0.1 * 0.5, "mean");
    // Akinshin (2023): weights 2.25, 6.75, 0.25, 0.75 (sum 10), n* = 100 / 51.25.
    let effective: f64 = 100.0 / 51.25;
    for (name, p) in [("max_depth_p10", 0.1_f64), ("max_depth_p50", 0.5), ("max_depth_p95", 0.95)] {
        let window = (p * (effective - 1.0) / effective, (p * (effective - 1.0) + 1.0) / effective);
        // The deeper tenth of the weight, and its share of the window.
        let deep = (window.1 - window.0.max(0.9)).max(0.0) / (window.1 - window.0);
        close(value(&workshop, name), 0.125 + deep * 0.375, name);
    }
    close(
        value(&workshop, "max_depth_p100"),
        0.125 + 0.375 * 0.1 * effective,
        "p100 is no maximum",
    );
    close(value(&workshop, "max_depth_max"), 0.5, "max");
}

/// Lakes at rest on steps of 10, 12.5, 12.95, 15 and 20 m: events of 2, 20 and 100 years reach 11, 13
/// and 16 m.
const EVENTS: &str = "depths = ['10 cm', '1 m']
[base]
dem = 'dem.tif'
duration = '10s'
[matrix]
initial_level = [
  { value = '16 m', name = 'T100', return_period = 100 },
  { value = '11 m', name = 'T2', return_period = 2 },
  { value = '13 m', name = 'T20', return_period = 20 },
]
";

fn steps() -> Raster {
    let beds = [10.0, 12.5, 12.95, 15.0, 20.0, -9999.0];
    Raster::new(6, 3, move |column, _| beds[column])
}

/// Returns the values of a map in the first row.
fn row(workshop: &Workshop, name: &str) -> Vec<f32> {
    pixels(workshop.path(&format!("study/aggregates/{name}.tif")))[..6].to_vec()
}

#[test]
fn events_have_annual_probabilities_and_the_return_period_of_first_flooding() {
    let workshop = Workshop::with_dem(&steps());
    workshop.file("study.toml", EVENTS);
    workshop.inundate("study study.toml").done().never_says("check the return periods");
    // By hand, with p = 0.5, 0.05 and 0.01: flooded by all events 0.5; from 20 years on
    // (0.05 + 0.5) / 2; only by that of 100 years (0.01 + 0.05) / 2.
    for (name, expected) in [
        ("annual_probability_above_0.1m", [0.5, 0.275, 0.03, 0.03, 0.0]),
        // 1 m deep is not deeper than 1 m.
        ("annual_probability_above_1m", [0.275, 0.03, 0.03, 0.0, 0.0]),
    ] {
        let values = row(&workshop, name);
        (0..5).for_each(|at| close(values[at], expected[at], name));
        assert_eq!(values[5], NODATA);
    }
    let years = |depth: &str| row(&workshop, &format!("return_period_above_{depth}"));
    assert_eq!(years("0.1m"), [2.0, 20.0, 100.0, 100.0, NODATA, NODATA]);
    assert_eq!(years("1m"), [20.0, 100.0, 100.0, NODATA, NODATA, NODATA]);
    assert_eq!(row(&workshop, "max_depth_max")[..2], [6.0, 3.5]);
    // The events are not a sample.
    let names = workshop.names("study/aggregates").join(" ");
    for part in ["mean", "_p5", " probability"] {
        assert!(!names.contains(part), "{part}: {names}");
    }
    let style = |name: &str| labels(&workshop, &format!("study/aggregates/{name}.qml"));
    assert_eq!(style("return_period_above_1m")[5], "50 – 100 years");
    assert!(style("annual_probability_above_1m").contains(&"2 – 5 % (20 – 50 years)".into()));
    let project = workshop.text("study/project.qgs");
    let page = workshop.text("study/report.html");
    for text in ["Annual exceedance probability of flooding", "Return period of first flooding"] {
        assert!(project.contains(text) && page.contains(text), "{text}");
    }
    assert!(!page.contains("Probability of flooding"));
    assert!(page.contains("Events more frequent than once in 2 years were not simulated"));
    // A missing event makes the integral unknown, and not 0.
    std::fs::remove_dir_all(workshop.path("study/runs/T20")).unwrap();
    workshop
        .inundate("study study.toml --collect")
        .done()
        .says(&["there are no maps of annual exceedance probabilities: 2 of its 3 runs are done"]);
    let names = workshop.names("study/aggregates").join(" ");
    assert!(names.contains("max_depth_max.tif") && !names.contains("above"), "{names}");
    workshop.file("study.toml", format!("percentiles = [50]\n{EVENTS}"));
    let parts = ["percentiles: the runs have return periods", "remove the key"];
    workshop.refuses("study study.toml", &parts);
}

#[test]
fn events_that_flood_less_than_more_frequent_ones_are_warned_of() {
    let workshop = Workshop::with_dem(&steps());
    workshop.file("study.toml", EVENTS.replace("period = 2 ", "period = 500 "));
    workshop.inundate("study study.toml").done().says(&[
        "the area deeper than 0.1 m of the return period 500 years ('T2') is less than that of 100 years ('T100')",
    ]);
}

#[test]
fn variants_of_events_have_their_own_annual_maps_and_weights_share_an_event() {
    let workshop = Workshop::with_dem(&steps());
    workshop.raster("dam.tif", &Raster::new(6, 3, |_, _| 12.0));
    let more = "dem = ['dem.tif', 'dam.tif']\n\
                roughness = [{ value = 0.03, weight = 3 }, { value = 0.05, weight = 1 }]\n";
    let text = EVENTS.replace("dem = 'dem.tif'\n", "");
    workshop.file("study.toml", format!("{text}{more}"));
    workshop.inundate("study study.toml").done().never_says("grids");
    let first = row(&workshop, "variant-1/annual_probability_above_0.1m");
    [0.5, 0.275, 0.03, 0.03].into_iter().zip(first).for_each(|(p, v)| close(v, p, "as it is"));
    let second = row(&workshop, "variant-2/annual_probability_above_0.1m");
    second.into_iter().for_each(|value| close(value, 0.275, "dam"));
    let page = workshop.text("study/report.html");
    assert!(page.contains("Maps over the 6 runs of dem-dam"));
    // A variant keeps its folder while another has no results.
    for name in workshop.names("study/runs").iter().filter(|name| name.contains("dem-dem")) {
        std::fs::remove_dir_all(workshop.path(&format!("study/runs/{name}"))).unwrap();
    }
    workshop.inundate("study study.toml --collect");
    let again = row(&workshop, "variant-2/annual_probability_above_0.1m");
    again.into_iter().for_each(|value| close(value, 0.275, "dam"));
    assert!(
        !workshop.path("study/aggregates/variant-1/annual_probability_above_0.1m.tif").exists()
    );
}

/// All values of a map over bumpy ground, compared with a plain loop over the runs' own rasters.
#[test]
fn maps_over_terrain_match_a_plain_computation_and_skip_missing_cells() {
    let workshop = Workshop::empty();
    let hole = |column: usize, row: usize| (column + 3 * row) % 17 == 5;
    let terrain = Raster::terrain(40, 30);
    let mut holed = terrain.clone();
    for cell in (0..1200).filter(|cell| hole(cell % 40, cell / 40) || *cell == 7) {
        holed.values[cell] = -9999.0;
    }
    workshop.raster("dem.tif", &terrain.with(7, 0, -9999.0));
    workshop.raster("holed.tif", &holed);
    workshop.file(
        "study.toml",
        "percentiles = [30]\ndepths = [0.02]\n[base]\nsteps = 30\n[matrix]\n\
         dem = ['dem.tif', 'holed.tif']\nrain = ['1 mm/step', '2 mm/step', '4 mm/step']\n",
    );
    workshop.inundate("study study.toml").done();
    let folders = workshop.names("study/runs");
    assert_eq!(folders.len(), 6);
    let runs: Vec<Vec<f32>> = folders
        .iter()
        .map(|name| pixels(workshop.path(&format!("study/runs/{name}/max_depth.tif"))))
        .collect();
    let map = |name: &str| pixels(workshop.path(&format!("study/aggregates/{name}.tif")));
    let (mean, p30, above) =
        (map("max_depth_mean"), map("max_depth_p30"), map("probability_above_0.02m"));
    let mut mixed = 0;
    for cell in 0..1200 {
        let mut depths: Vec<f64> =
            runs.iter().map(|run| f64::from(run[cell])).filter(|depth| *depth >= 0.0).collect();
        if depths.is_empty() {
            assert_eq!([mean[cell], p30[cell], above[cell]], [NODATA; 3]);
            continue;
        }
        mixed += usize::from(depths.len() == 3);
        depths.sort_by(f64::total_cmp);
        let count = depths.len() as f64;
        close(mean[cell], depths.iter().sum::<f64>() / count, "mean");
        let deep = depths.iter().filter(|depth| **depth > f64::from(0.02f32)).count();
        close(above[cell], deep as f64 / count, "probability");
        // Hyndman and Fan's type 7, from the two neighbours of the position.
        let place = 0.3 * (count - 1.0);
        let (low, share) = (place as usize, place.fract());
        close(p30[cell], depths[low] * (1.0 - share) + depths[low + 1] * share, "p30");
    }
    assert!(mixed > 50, "only {mixed} cells are missing in some runs");
    assert!(above.iter().any(|v| *v > 0.0 && *v < 1.0));
}

#[test]
fn runs_on_two_grids_have_separate_maps_and_old_maps_are_removed() {
    let workshop = Workshop::new();
    workshop
        .raster("fine.tif", &Raster::terrain(24, 16).transform([5e5, 5.0, 0.0, 5e6, 0.0, -5.0]));
    let text = "[base]\nsteps = 5\nrain = '3 mm/step'\n[matrix]\ndem = ['dem.tif', 'fine.tif']\n";
    workshop.file("study.toml", text);
    workshop
        .inundate("study study.toml")
        .done()
        .says(&["the runs have different grids ('dem-dem' and 'dem-fine' differ)"]);
    let size = |path: &str| pixels(workshop.path(path)).len();
    assert_eq!(size("study/aggregates/grid-1/max_depth_mean.tif"), 96);
    assert_eq!(size("study/aggregates/grid-2/max_depth_mean.tif"), 384);
    workshop.file("study.toml", text.replace(", 'fine.tif'", ""));
    workshop.inundate("study study.toml").done().never_says("grids");
    let files = ["aggregates", "project.qgs", "report.html", "runs", "runs.csv", "study.json"];
    assert_eq!(workshop.names("study"), files);
    assert!(workshop.names("study/aggregates").iter().all(|name| name.contains("_")));
    assert_eq!(workshop.names("study/runs"), ["dem-dem", "dem-fine"], "results of runs stay");
}

/// Returns the labels of the stops of a style.
fn labels(workshop: &Workshop, style: &str) -> Vec<String> {
    let text = workshop.text(style);
    let label = |item: &str| item.split("label=\"").nth(1)?.split('"').next().map(String::from);
    text.split("<item").skip(1).filter_map(label).collect()
}

#[test]
fn any_layer_has_maps_and_a_quantity_shares_one_scale() {
    let workshop = Workshop::with_dem(&Raster::terrain(30, 20));
    let head = "aggregates = ['max_depth', 'arrival_time', 'max-velocity', 'duration', 'max_hazard']\n\
                percentiles = [50]\n[base]\ndem = 'dem.tif'\nduration = '20 min'\n";
    let text = format!("{head}[matrix]\nrain = ['60 mm/h', '240 mm/h']\n");
    workshop.file("study.toml", &text);
    workshop.inundate("study study.toml").done().never_says("no map");
    let run = |name: &str, layer: &str| {
        pixels(workshop.path(&format!("study/runs/rain-{name}-h/{layer}.tif")))
    };
    for layer in ["arrival_time", "max_velocity", "duration", "max_hazard"] {
        let (one, two) = (run("60mm", layer), run("240mm", layer));
        let map = |of: &str| pixels(workshop.path(&format!("study/aggregates/{layer}_{of}.tif")));
        let (most, least, mean) = (map("max"), map("min"), map("mean"));
        let mut both = 0;
        for cell in 0..600 {
            let values: Vec<f32> =
                [one[cell], two[cell]].into_iter().filter(|value| *value != NODATA).collect();
            let [Some(low), Some(high)] =
                [f32::min, f32::max].map(|f| values.iter().copied().reduce(f))
            else {
                assert_eq!([most[cell], least[cell]], [NODATA; 2]);
                continue;
            };
            both += usize::from(values.len() == 2);
            assert_eq!([most[cell], least[cell]], [high, low], "{layer}");
            close(mean[cell], f64::from(0.5 * (low + high)), layer);
        }
        assert!(both > 50, "{layer}: {both}");
    }
    let of = |map: &str| labels(&workshop, &format!("study/aggregates/max_depth_{map}.qml"));
    assert_eq!([of("max"), of("p50")], [of("min"), of("min")], "one scale for all");
    let project = workshop.text("study/project.qgs");
    has(
        &project,
        &[
            "./aggregates/arrival_time_mean.tif",
            "./aggregates/probability_above_0.1m.tif",
            "./runs/rain-60mm-h/max_depth.tif",
            "../dem.tif",
            "Mean of the maximum flow velocity over the runs",
            "<Layout name=",
        ],
    );
    let page = workshop.text("study/report.html");
    // One map for each of six quantities, in which all of its maps can be selected.
    assert_eq!(page.matches("<figure class=\"map\">").count(), 6);
    let pictures = "<image class=\"choice\" href=\"data:image/png;base64,";
    assert_eq!(page.matches(pictures).count(), 5 * 4 + 1);
    let hidden = page.split(pictures).skip(1).filter(|picture| {
        picture.split('>').next().is_some_and(|tag| tag.ends_with("display:none\""))
    });
    assert_eq!(hidden.count(), 5 * 3, "one at a time");
    assert_eq!(page.matches("<input type=\"radio\"").count(), 5 * 4);
    assert!(page.contains("<a href=\"runs/rain-240mm-h/report.html\">rain-240mm-h</a>"));
    assert_eq!(project.matches("<Layout name=").count(), 6, "a sheet for each quantity");
    assert_eq!(project.matches("<visibility-preset name=").count(), 6);
    assert!(page.contains("rain-240mm-h") && !page.contains("src="), "the page needs no other");
    for label in of("max").iter().skip(1) {
        assert!(page.contains(&label.replace("&gt;", "&#62;")), "no {label}");
    }
    // A project saved by the user is kept.
    let saved = project.replace("<qgis version", "<qgis saveDateTime=\"2026-01-01\" version");
    workshop.file("study/project.qgs", &saved);
    workshop.inundate("study study.toml --collect").done().says(&["is kept: to get"]);
    assert_eq!(workshop.text("study/project.qgs"), saved);
    workshop.file("study.toml", text.replace("'duration'", "'durations'"));
    let parts = ["aggregates: ", "there is no layer 'durations'", "did you mean 'duration'?"];
    workshop.refuses("study study.toml", &parts);
}

#[test]
fn a_matrix_is_every_combination_and_paths_are_relative_to_its_files() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("base")).unwrap();
    workshop.file(
        "base/scenario.toml",
        "dem = '../dem.tif'\nsteps = 9\nsource = ['500065,4999955,1']\n",
    );
    workshop.file("heavy.csv", "step,rain [mm/step]\n0,9\n");
    workshop.file(
        "study.toml",
        "base = 'base/scenario.toml'\n[matrix]\nrain = ['heavy.csv', '1 mm/step']\n\
         alpha = [0.1, { value = 0.3, name = 'fast' }]\n\
         [[run]]\nname = 'no source'\nsource = []\nrain = '2 mm/step'\n[[run]]\nduration = '1 h'\nrain = '5 mm/h'\n",
    );
    let study = file::read(&workshop.path("study.toml")).unwrap();
    let names: Vec<&str> = study.runs.iter().map(|run| &run.name[..]).collect();
    let made = [
        "rain-heavy_alpha-0.1",
        "rain-heavy_fast",
        "rain-1mm-step_alpha-0.1",
        "rain-1mm-step_fast",
        "no source",
        "duration-1h_rain-5mm-h",
    ];
    assert_eq!(names, made);
    assert_eq!(study.varied, ["rain", "alpha", "source", "duration"]);
    let options = |run: usize| &study.runs[run].options;
    assert_eq!(
        options(0).rain.as_ref().unwrap().file(),
        Some(workshop.path("heavy.csv").as_path())
    );
    assert!(options(0).dem.as_ref().unwrap().ends_with("base/../dem.tif"));
    assert_eq!(
        (options(3).alpha, options(3).source.len(), options(3).steps),
        (Some(0.3), 1, Some(9))
    );
    assert!(options(4).source.is_empty(), "an empty list takes the place of the base's");
    assert_eq!((options(5).steps, options(5).duration.is_some()), (None, true));
    assert_eq!(in_words(&study.runs[0].varied["alpha"]), "0.1");

    // --dry-run lists the runs and writes nothing. The source makes the last run's flow unusual,
    // not wrong.
    let before = workshop.contents();
    let ran = workshop.inundate("study study.toml --dry-run").done();
    assert!(
        ran.out.contains("   5  missing no source: source = none, rain = 2 mm/step"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("6 runs, 6 to do"), "{}", ran.out);
    let ran = workshop.inundate("study study.toml --dry-run --json --only 2-3").done();
    let listed = ran.json();
    assert_eq!(listed[0]["name"], "rain-heavy_fast");
    assert_eq!((listed[1]["run"].as_u64(), listed.as_array().unwrap().len()), (Some(3), 2));
    assert_eq!(workshop.contents(), before);
}

#[test]
fn reports_the_place_of_errors_in_study_files() {
    let workshop = Workshop::new();
    workshop.file("scenario.toml", "dem = 'dem.tif'\nsteps = 3\nrain = '1 mm/step'\n");
    workshop.file("bad.toml", "dem = 'dem.tif'\nstep = 3\nrian = 5\n");
    let with = |text: &str| format!("base = 'scenario.toml'\n{text}");
    let cases: Vec<(String, &[&str])> = vec![
        ("base = 'scenario.toml'\n[matrix".into(), &["'study.toml', line 2: "]),
        (String::new(), &["there is no base scenario", "base = \"scenario.toml\""]),
        ("base = 5\n".into(), &["base is 5, which is neither a scenario file nor a table"]),
        ("base = 'none.toml'\n[[run]]\n".into(), &["cannot open the scenario", "none.toml"]),
        (
            "base = 'bad.toml'\n[[run]]\n".into(),
            &["bad.toml', line 3: unknown key 'rian'", "'rain'"],
        ),
        (
            with("matrx = 1"),
            &["'study.toml', line 2: unknown key 'matrx'", "did you mean 'matrix'?"],
        ),
        (
            with("rain = '5 mm/h'"),
            &["unknown key 'rain'", "is a scenario key", "[matrix] or in [[run]]"],
        ),
        (with(""), &["'study.toml': it has no runs"]),
        (with("matrix = 3"), &["matrix is not a table"]),
        (with("[matrix]\n"), &["the matrix is empty"]),
        (
            with("[matrix]\nrian = [1]"),
            &["'study.toml', line 3, matrix: unknown key 'rian'", "'rain'"],
        ),
        (
            with("[matrix]\nrain = '5 mm/step'"),
            &["matrix: rain is not a list of values", "rain = [\"5 mm/step\"]"],
        ),
        (with("[matrix]\nrain = []"), &["matrix: rain has no value"]),
        (with("[matrix]\nsteps = [3, 4, 3]"), &["matrix: steps has 3 twice"]),
        (
            with("[matrix]\nrain = ['5 mm/step', '6 mm/step', '5 mm/step ']"),
            &["matrix: rain has 5 mm/step twice", "both would be the same run"],
        ),
        (with("[matrix]\nrain = ['5 mm/step', '5.0mm/step']"), &["rain has 5.0mm/step twice"]),
        (with("[matrix]\nrain = ['30 mm/h', '0.5 mm/min']"), &["rain has 0.5 mm/min twice"]),
        (
            with(
                "[matrix]\nrain = ['1 mm/step', '2 mm/step']\n[[run]]\nname = 'A'\nrain = '0.2 cm/step'",
            ),
            &["runs 'rain-2mm-step' and 'A' have the same scenario", "remove one"],
        ),
        (
            with(
                "[[run]]\nname = 'A'\ndevice = 'cpu'\n[[run]]\nname = 'B'\ntitle = 'B'\n[[run]]\nrain = 0",
            ),
            &["runs 'A' and 'B' have the same results", "differ only in device, title"],
        ),
        (
            with("[matrix]\nsource = [['1,2,a.csv', ' b.csv'], ['1,2,a.csv', 'b.csv']]"),
            &["source has 1,2,a.csv; b.csv twice"],
        ),
        (with("[matrix]\nsteps = [{ weight = 1 }]"), &["steps, value 1 has no 'value'"]),
        (
            with("[matrix]\nsteps = [{ value = 1, wait = 1 }]"),
            &["steps, value 1: unknown key 'wait'"],
        ),
        (
            with("[matrix]\nsteps = [{ value = 1, weight = 1 }, 2]"),
            &["steps has a weight for only 1 of 2 values"],
        ),
        (with("[matrix]\nout = ['a', 'b']"), &["matrix: out cannot be varied"]),
        (with("[run]\nrain = 1"), &["run is not a list of tables", "[[run]]"]),
        (with("[[run]]\nname = 'a/b'"), &["run 1: \"a/b\" cannot be the name of a run"]),
        (with("[[run]]\nname = '..'"), &["cannot be the name of a run"]),
        (with("[[run]]\nname = 'a'\n[[run]]\nname = 'A'"), &["runs 1 and 2 are both called 'A'"]),
        (
            with("[[run]]\nname = 'x'\nrian = 1"),
            &["'study.toml', line 4, run 'x': unknown key 'rian'"],
        ),
        (with("[[run]]\nweight = 0"), &["run 1: the weight 0 is not a number above 0"]),
        (
            with("[[run]]\nweight = 1\nname = 'a'\n[[run]]\nname = 'b'"),
            &["run 'a' has a weight, but run 'b' has none"],
        ),
        (
            with("[[run]]\nname = 'x'\nsteps = 'many'"),
            &["line 4, run 'x': steps: ", "invalid type"],
        ),
        (with("[[run]]\nduration = 01:30:00"), &["duration: invalid type", "text or a number"]),
        (with("depths = ['-1 m']\n[[run]]"), &["depths: ", "-1 m"]),
        (
            with("percentiles = [50, 101]\n[[run]]"),
            &["percentiles: 101 is not a number from 0 to 100"],
        ),
        (with("percentiles = [50, 50.0]\n[[run]]"), &["percentiles: 50 appears twice"]),
        (
            with("percentiles = [0.07, 1]\n[[run]]"),
            &["percentiles: [0.07, 1.0] are fractions", "write percentiles = [7.0, 100.0]"],
        ),
        (with("out = 3\n[[run]]"), &["out is 3, not the name of a folder"]),
        // Errors that only the scenario reveals, in the last of many runs.
        (
            with("[matrix]\nrain = ['1 mm/step', '2 mm/step', '3 mm']"),
            &["run 3 'rain-3mm': rain: '3 mm'"],
        ),
        (with("[matrix]\ndem = ['dem.tif', 'den.tif']"), &["run 2 'dem-den': dem: cannot open"]),
    ];
    assert!(cases.len() >= 30);
    for (text, parts) in cases {
        workshop.file("study.toml", &text);
        workshop.refuses("study study.toml", parts);
    }
    workshop.file("study.toml", with("[matrix]\nsteps = [3, 4]"));
    let cases: [(&[&str], &[&str]); 5] = [
        (&["none.toml"], &["cannot open the study 'none.toml'"]),
        (&["study.toml", "--only", "3"], &["only: there is no run 3", "1 to 2"]),
        (&["study.toml", "--only", "fast"], &["only: there is no run 'fast'", "--dry-run"]),
        (&["study.toml", "--array-task", "0/4"], &["array_task: '0/4' is not an array task"]),
        (&["study.toml", "--array-task", "3"], &["array_task: '3' is not an array task", "3/10"]),
    ];
    for (arguments, parts) in cases {
        workshop.refuses(&[&["study"], arguments].concat(), parts);
    }
    // Results that do not belong to the study are never replaced.
    workshop.run("--steps 3 --rain '1 mm/step' --out study/runs/steps-3").done();
    let parts =
        ["run 1 'steps-3': out: ", "holds the results of a run that does not belong to a study"];
    workshop.refuses("study study.toml", &parts);
}

#[test]
fn the_python_example_reads_a_study() {
    let python = std::env::var("INUNDATE_PYTHON").unwrap_or("python3".into());
    let mut probe = Command::new(&python);
    if !probe.args(["-c", "import rasterio, pandas"]).output().is_ok_and(|ran| ran.status.success())
    {
        println!("skipped: {python} has no rasterio and pandas (INUNDATE_PYTHON names another)");
        return;
    }
    let workshop = lakes("[matrix]\ninitial_depth = [0.125, 0.25, 0.375]\n", &flat());
    workshop.inundate("study study.toml").done();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/data/examples/read_results.py");
    let ran = Command::new(&python).arg(example).arg(workshop.path("study")).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{err}");
    has(
        &out,
        &[
            "initial_depth-0.375",
            "700 x 3 cells, 3 runs",
            "max_depth_mean.tif: mean of the maximum water depth over the runs: 0.2500 on average",
            "probability_above_0.1m.tif: probability of water deeper than 0.1 m: 209900 likely",
            "standard deviation of the maximum depth: up to 0.102 m",
        ],
    );
}
