//! The colours of maps are adapted to the run, equally in QGIS and in the report; `--style fixed`
//! keeps one scale.

use crate::cli_common;

use cli_common::{Raster, Workshop};

/// Returns values and labels of the stops of a style.
fn stops(workshop: &Workshop, style: &str) -> Vec<(f64, String)> {
    let text = workshop.text(style);
    let part = |item: &str, key: &str| {
        let value = item.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap();
        value.to_string()
    };
    let items = text.split("<item").skip(1);
    let label = |item: &str| part(item, "label").replace("&gt;", ">");
    items.map(|item| (part(item, "value").parse().unwrap(), label(item))).collect()
}

fn labels(workshop: &Workshop, style: &str) -> Vec<String> {
    stops(workshop, style).into_iter().map(|(_, label)| label).collect()
}

/// Runs a river 7 m deep through flat ground with rain, for an hour.
fn river(more: &str) -> Workshop {
    let bed = Raster::new(40, 30, |column, row| match column {
        18..=21 => 20.0 - 0.01 * row as f64,
        _ => 30.0 + 0.02 * column as f64,
    });
    let water =
        Raster::new(40, 30, |column, _| if (18..=21).contains(&column) { 7.0 } else { 0.0 });
    let workshop = Workshop::with_dem(&bed);
    workshop.raster("water.tif", &water);
    let run = "--initial-depth water.tif --rain '60 mm/h' --duration 1h";
    workshop.run(&format!("{run} --output-every 20min {more}")).done();
    workshop
}

#[test]
fn a_deep_river_keeps_its_contrast_and_series_and_maximum_share_a_scale() {
    let workshop = river("--layers depth,max_depth,velocity,max_velocity,arrival_time,level");
    let depth = labels(&workshop, "results/max_depth.qml");
    assert_eq!(depth.last().unwrap(), "> 5 m", "{depth:?}");
    assert!(depth.contains(&"0.01 – 0.05 m".into()) && depth[0] == "dry", "{depth:?}");
    for map in ["depth", "depth_000h20m00s", "depth_000h40m00s", "depth_001h00m00s"] {
        assert_eq!(labels(&workshop, &format!("results/{map}.qml")), depth, "{map}");
    }
    let speeds = |map: &str| stops(&workshop, &format!("results/{map}.qml"));
    assert_eq!(speeds("velocity"), speeds("max_velocity"));
    assert_eq!(speeds("velocity_000h20m00s"), speeds("max_velocity"));
    let arrivals = stops(&workshop, "results/arrival_time.qml");
    for (value, label) in arrivals.iter().filter(|(value, _)| value.is_finite()) {
        let minutes = 60.0 * value;
        assert!((minutes / 5.0 - (minutes / 5.0).round()).abs() < 1e-9, "{label} is not round");
    }
    let level = labels(&workshop, "results/level.qml");
    assert!(level[0].starts_with("≤ ") && level.last().unwrap().starts_with("> "), "{level:?}");
    // QGIS uses classes, too.
    let style = workshop.text("results/max_depth.qml");
    assert!(style.contains("colorRampType=\"DISCRETE\""));
    // The page shows the same as QGIS.
    let page = workshop.text("results/report.html");
    for label in depth.iter().skip(1).chain(&labels(&workshop, "results/max_velocity.qml")[1..]) {
        let label = label.replace('>', "&#62;");
        assert!(page.contains(&format!("</span>{label}</div>")), "no {label}");
    }
}

#[test]
fn fixed_scales_are_the_same_for_every_run() {
    let deep = river("--style fixed --layers max_depth,max_velocity,arrival_time");
    let depth = labels(&deep, "results/max_depth.qml");
    assert_eq!(depth[..3], ["dry", "0.01 – 0.05 m", "0.05 – 0.1 m"]);
    assert_eq!(
        depth[3..],
        ["0.1 – 0.3 m", "0.3 – 0.5 m", "0.5 – 1 m", "1 – 2 m", "2 – 5 m", "> 5 m"]
    );
    let shallow = Workshop::new();
    let run = "--rain '5 mm/h' --duration 1h --style fixed";
    shallow.run(&format!("{run} --layers max_depth,max_velocity,arrival_time")).done();
    for map in ["max_depth", "max_velocity", "arrival_time"] {
        let style = format!("results/{map}.qml");
        assert_eq!(stops(&deep, &style), stops(&shallow, &style), "{map}");
    }
    assert_eq!(labels(&deep, "results/arrival_time.qml").last().unwrap(), "> 50 min");
}

#[test]
fn refuses_an_unknown_style() {
    let workshop = Workshop::new();
    let run = "run --dem dem.tif --rain '5 mm/h' --duration 1min";
    workshop.refuses(&format!("{run} --style pretty"), &["pretty", "data", "fixed"]);
}

#[test]
fn the_highest_hazard_class_is_divided_up_to_the_greatest_rating() {
    let layers = "--layers depth,max_depth,max_hazard --overwrite";
    let workshop = river(layers);
    let report = workshop.report("results");
    let maps = report["maps"].as_array().unwrap();
    let map = maps.iter().find(|map| map["name"] == "max_hazard").unwrap();
    let most = map["statistics"]["max"].as_f64().unwrap();
    assert!(most > 5.0, "{most}");
    let found = stops(&workshop, "results/max_hazard.qml");
    let names: Vec<&str> = found.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(names[3], "significant: danger for most (1.25 to 2)");
    assert_eq!(names[4], "extreme: danger for all (2 to 5)");
    let last = names.last().unwrap();
    assert!(last.starts_with("extreme: danger for all (above "), "{last}");
    // The last class holds the greatest rating.
    let bound = found[found.len() - 2].0;
    assert!(bound >= 5.0 && bound < most, "{bound}, {most}");
    // The same classes in QGIS and in the report, and one class on the fixed scale.
    let page = workshop.text("results/report.html");
    assert!(names[1..].iter().all(|name| page.contains(name)), "{names:?}");
    let fixed = labels(&river(&format!("{layers} --style fixed")), "results/max_hazard.qml");
    assert_eq!(fixed[4..], ["extreme: danger for all (above 2)"]);
}
