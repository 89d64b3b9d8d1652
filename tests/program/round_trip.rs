//! Output of a run, read back through GDAL and as JSON: georeference, layout, values that agree
//! with the mass balance, and identical bits from run to run.

use crate::cli_common;

use cli_common::{Ran, Raster, Workshop, pixels};
use gdal::{Dataset, Metadata};
use std::process::Command;

const LAYERS: [&str; 3] = ["depth", "max_depth", "arrival_time"];
const TIMED: [&str; 8] =
    ["--rain", "60 mm/h", "--step", "10s", "--duration", "1h", "--output-every", "20min"];

/// Creates a valley with a hole of NoData; water gathers in its middle.
fn valley() -> Workshop {
    let dem = Raster::new(40, 30, |column, row| {
        let bump = ((column * 7 + row * 13) % 11) as f64 * 0.05;
        100.0 + 0.2 * (column as f64 - 20.0).abs() + 0.1 * (row as f64 - 15.0).abs() + bump
    });
    Workshop::with_dem(&dem.with(5, 5, -9999.0).with(6, 5, -9999.0).epsg(32633))
}

#[test]
fn outputs_have_the_dems_georeference_and_their_own_labels() {
    let workshop = valley();
    workshop.run(&TIMED).done();
    let dem = Dataset::open(workshop.path("dem.tif")).unwrap();
    let labels = [
        ("water depth", "m"),
        ("maximum water depth", "m"),
        ("arrival time above 0.05 m (by the calibrated step)", "h"),
    ];
    for (layer, (description, unit)) in LAYERS.iter().zip(labels) {
        let path = workshop.path(&format!("results/{layer}.tif"));
        let file = Dataset::open(&path).unwrap();
        assert_eq!(file.raster_size(), (40, 30));
        assert_eq!(file.geo_transform().unwrap(), dem.geo_transform().unwrap());
        assert_eq!(file.spatial_ref().unwrap().auth_code().unwrap(), 32633);
        assert_eq!(file.projection(), dem.projection());
        assert_eq!(file.metadata_item("INUNDATE_TIME", "").as_deref(), Some("3600 s"));
        let band = file.rasterband(1).unwrap();
        assert_eq!(band.no_data_value(), Some(-9999.0));
        assert_eq!(band.unit(), unit);
        assert_eq!(band.description().unwrap(), description);
        assert!(workshop.path(&format!("results/{layer}.qml")).exists());
        // Statistics are stored in the file, and equal those of the pixels.
        let statistics = band.get_statistics(false, true).unwrap().expect("statistics are stored");
        let values: Vec<f64> =
            pixels(&path).into_iter().filter(|v| *v != -9999.0).map(f64::from).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let highest = values.iter().copied().fold(f64::MIN, f64::max);
        let lowest = values.iter().copied().fold(f64::MAX, f64::min);
        // GDAL stores them as text with 14 digits.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        assert!(near(statistics.min, lowest) && near(statistics.max, highest), "{statistics:?}");
        assert!(near(statistics.mean, mean), "{layer}: {statistics:?}");
    }
}

#[test]
fn large_outputs_are_valid_cogs_with_overviews() {
    let dem =
        Raster::new(700, 530, |column, row| 100.0 + ((column * 31 + row * 17) % 97) as f64 * 0.1);
    let workshop = Workshop::with_dem(&dem);
    workshop.run("--rain '20 mm/step' --steps 4").done();
    for layer in LAYERS {
        let path = workshop.path(&format!("results/{layer}.tif"));
        let file = Dataset::open(&path).unwrap();
        let structure = |key| file.metadata_item(key, "IMAGE_STRUCTURE");
        assert_eq!(structure("LAYOUT").as_deref(), Some("COG"));
        assert_eq!(structure("COMPRESSION").as_deref(), Some("DEFLATE"));
        let band = file.rasterband(1).unwrap();
        assert_eq!(band.block_size(), (512, 512));
        assert!(band.overview_count().unwrap() >= 1);
        assert_eq!(band.overview(0).unwrap().size(), (350, 265));
        let python = "import osgeo_utils.samples.validate_cloud_optimized_geotiff as v, sys; \
                      w, e, d = v.validate(sys.argv[1], full_check=True); print(w, e); sys.exit(bool(w or e))";
        let judged = Command::new("/usr/bin/python3").args(["-c", python]).arg(&path).output();
        match judged {
            Ok(judged)
                if !String::from_utf8_lossy(&judged.stderr).contains("ModuleNotFoundError") =>
            {
                let said = String::from_utf8_lossy(&judged.stdout).into_owned();
                assert!(
                    judged.status.success(),
                    "{said}{}",
                    String::from_utf8_lossy(&judged.stderr)
                );
            }
            _ => eprintln!("SKIPPED: GDAL's own validator (python3-gdal) is not installed"),
        }
    }
}

#[test]
fn small_maps_are_cogs_with_a_single_fitting_tile() {
    let workshop = valley();
    workshop.run(&TIMED).done();
    let file = Dataset::open(workshop.path("results/depth.tif")).unwrap();
    let structure = |key| file.metadata_item(key, "IMAGE_STRUCTURE");
    assert_eq!(structure("LAYOUT").as_deref(), Some("COG"));
    assert_eq!(file.rasterband(1).unwrap().block_size(), (48, 48), "of 40 x 30 cells");
}

#[test]
fn depths_times_area_equal_the_stored_volume() {
    let workshop = valley();
    workshop.run(&[&TIMED[..], &["--open", "east"]].concat()).done();
    let depth = pixels(workshop.path("results/depth.tif"));
    let sum: f64 = depth.iter().filter(|d| **d != -9999.0).map(|d| f64::from(*d) * 100.0).sum();
    let volume = |name: &str| workshop.volume("results", name);
    assert!((sum - volume("stored_m3")).abs() <= 6e-8 * sum, "{sum} {}", volume("stored_m3"));
    assert_eq!(volume("error_m3"), 0.0);
    assert!(volume("outflow_m3") > 0.0);
    let expected = 60e-3 * 100.0 * (40.0 * 30.0 - 2.0);
    assert!((volume("rain_m3") - expected).abs() < 1e-4 * expected);
    let balance = volume("rain_m3") - volume("outflow_m3") - volume("stored_m3");
    assert!(balance.abs() < 1e-9 * expected, "{balance}");
}

#[test]
fn arrival_exists_where_max_depth_exceeds_the_threshold_and_max_is_at_least_depth() {
    let workshop = valley();
    let limit = 0.03f32;
    let arrival_depth = limit.to_string();
    workshop.run(&[&TIMED[..], &["--arrival-depth", &arrival_depth]].concat()).done();
    let [depth, deepest, arrival] =
        LAYERS.map(|l| pixels(workshop.path(&format!("results/{l}.tif"))));
    let (mut arrived, mut never) = (0, 0);
    for cell in 0..depth.len() {
        if depth[cell] == -9999.0 {
            assert_eq!((deepest[cell], arrival[cell]), (-9999.0, -9999.0));
            continue;
        }
        assert!(deepest[cell] >= depth[cell] && depth[cell] >= 0.0, "cell {cell}");
        if deepest[cell] > limit {
            assert!(arrival[cell] > 0.0 && arrival[cell] <= 1.0, "hours: {}", arrival[cell]);
            arrived += 1;
        } else {
            assert_eq!(arrival[cell], -9999.0, "cell {cell}: {}", deepest[cell]);
            never += 1;
        }
    }
    assert!(arrived > 50 && never > 50, "{arrived} {never}");
}

#[test]
fn arrival_without_a_step_duration_counts_steps_with_a_note() {
    let workshop = valley();
    workshop.run("--rain '10 mm/step' --steps 30").done();
    let path = workshop.path("results/arrival_time.tif");
    let file = Dataset::open(&path).unwrap();
    let band = file.rasterband(1).unwrap();
    assert_eq!(band.unit(), "steps");
    assert_eq!(
        band.description().unwrap(),
        "arrival step above 0.05 m (the run's steps have no duration)"
    );
    let times: Vec<f32> = pixels(&path).into_iter().filter(|time| *time != -9999.0).collect();
    assert!(times.iter().all(|time| time.fract() == 0.0 && (1.0..=30.0).contains(time)));
    assert!(times.iter().any(|time| *time > 3.0));
    let report = workshop.report("results");
    assert_eq!(
        (report["time_unit"].as_str(), report["calibrated"].as_bool()),
        (Some("steps"), Some(false))
    );
    assert!(report["simulated_s"].is_null() && report["dt_range_s"].is_null());
    let style = workshop.text("results/arrival_time.qml");
    assert!(style.contains(" steps\"") && !style.contains("{{"), "{style}");
}

#[test]
fn a_series_is_named_and_stamped_by_time() {
    let workshop = valley();
    workshop.run(&TIMED).done();
    for (name, seconds) in [("000h20m00s", 1200), ("000h40m00s", 2400), ("001h00m00s", 3600)] {
        let file = Dataset::open(workshop.path(&format!("results/depth_{name}.tif"))).unwrap();
        assert_eq!(file.metadata_item("INUNDATE_TIME", ""), Some(format!("{seconds} s")));
    }
    let last = pixels(workshop.path("results/depth_001h00m00s.tif"));
    assert_eq!(last, pixels(workshop.path("results/depth.tif")));
    assert_ne!(last, pixels(workshop.path("results/depth_000h20m00s.tif")));
    let outputs = workshop.report("results")["outputs"].clone();
    let mut listed: Vec<&str> =
        outputs.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    listed.sort_unstable();
    assert_eq!(listed, workshop.names("results"), "run.json lists every file and no other");
}

#[test]
fn a_series_of_fractions_of_a_second_has_a_file_for_each() {
    let workshop = valley();
    let rain =
        ["--rain", "60 mm/h", "--step", "0.25s", "--duration", "1s", "--output-every", "0.5s"];
    workshop.run(&rain).done();
    let names = workshop.names("results");
    for name in ["depth_000h00m00s500ms.tif", "depth_000h00m01s.tif"] {
        assert!(names.contains(&name.to_string()), "{names:?}");
    }
    workshop.run("--steps 1 --overwrite").done();
    assert!(!workshop.names("results").iter().any(|name| name.starts_with("depth_0")));
}

#[test]
fn run_json_records_the_scenario_and_the_machine() {
    let workshop = valley();
    let Ran { out, .. } = workshop.run(&[&TIMED[..], &["--json"]].concat()).done();
    let report = workshop.report("results");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), report);
    let keys = [
        "version",
        "command",
        "inputs",
        "grid",
        "rule",
        "neighbourhood",
        "alpha",
        "device",
        "steps",
        "simulated_s",
        "dt_range_s",
        "wall_s",
        "cell_steps_per_s",
        "volume",
        "outputs",
        "warnings",
    ];
    for key in keys {
        assert!(!report[key].is_null(), "{key} is missing");
    }
    let volumes = ["initial", "rain", "inflow", "losses", "outflow", "stored", "error"];
    assert!(volumes.iter().all(|name| report["volume"][format!("{name}_m3")].is_f64()), "{report}");
    assert_eq!(report["steps"], 360);
    assert_eq!(report["simulated_s"], 3600.0);
    assert_eq!(report["grid"]["domain_cells"], 1198);
    assert_eq!(report["command"][1], "run");
    let sum = workshop.shell("sha256sum dem.tif").done().out;
    assert_eq!(report["inputs"][0]["sha256"].as_str(), sum.split_whitespace().next());
    assert_eq!(report["inputs"][0]["role"], "dem");
}

#[test]
fn pixels_do_not_depend_on_tiles_or_threads() {
    let workshop = valley();
    workshop.run(&[&TIMED[..], &["--out", "first"]].concat()).done();
    let names: Vec<String> =
        workshop.names("first").into_iter().filter(|name| name.ends_with(".tif")).collect();
    assert_eq!(names.len(), 6);
    let cases: [&[&str]; 4] =
        [&[], &["--tile", "7x5"], &["--threads", "1"], &["--tile", "1x64", "--threads", "3"]];
    for more in cases {
        workshop.run(&[&TIMED[..], &["--out", "again", "--overwrite"], more].concat()).done();
        for name in &names {
            let bits = |folder: &str| {
                let values = pixels(workshop.path(folder).join(name));
                values.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
            };
            assert_eq!(bits("first"), bits("again"), "{name} with {more:?}");
        }
    }
}
