//! The extents of the flood as polygons: compared with the maps cell by cell, of a run and of a
//! study, and invalid requests. That they do not depend on tiles, ranks and interruptions is tested
//! in `checkpoints` and `ranks`, whose flood has extents.

use crate::cli_common;

use cli_common::{CORNER, Raster, Workshop, has, pixels};
use gdal::Dataset;
use gdal::vector::{Feature, Geometry, LayerAccess};
use gdal_sys::OGRwkbGeometryType::wkbMultiPolygon;

const RAIN: [&str; 8] =
    ["--rain", "60 mm/h", "--duration", "10min", "--extents", "1 mm,12 mm", "--open", "east"];

fn number(feature: &Feature, field: &str) -> f64 {
    feature.field_as_double(feature.field_index(field).unwrap()).unwrap().unwrap()
}

fn text(feature: &Feature, field: &str) -> String {
    feature.field_as_string(feature.field_index(field).unwrap()).unwrap().unwrap()
}

/// Asserts that an extent is the outline of the cells of a map that are deeper than its depth, and
/// has their area and volume. The map has `columns` of 10 m and may have NoData.
#[track_caller]
fn matches(feature: &Feature, map: &[f32], columns: usize) {
    let depth = number(feature, "depth_m");
    let outline = feature.geometry().unwrap();
    assert_eq!(outline.geometry_type(), wkbMultiPolygon);
    assert!(outline.is_valid(), "{depth} m");
    let mut volume = 0.0;
    for (cell, &value) in map.iter().enumerate() {
        let (x, y) = ((cell % columns) as f64 + 0.5, (cell / columns) as f64 + 0.5);
        let mut middle = Geometry::empty(gdal_sys::OGRwkbGeometryType::wkbPoint).unwrap();
        middle.add_point_2d((CORNER.0 + 10.0 * x, CORNER.1 - 10.0 * y));
        let is_deeper = value > depth as f32;
        assert_eq!(outline.contains(&middle), is_deeper, "cell {cell}: {value} m, {depth} m");
        volume += if is_deeper { 100.0 * f64::from(value) } else { 0.0 };
    }
    assert!((outline.area() - number(feature, "area_m2")).abs() < 1e-6);
    assert!((volume - number(feature, "volume_m3")).abs() < 1e-6 * (1.0 + volume));
}

#[test]
fn extents_are_the_outlines_of_the_maps() {
    let workshop = Workshop::with_dem(&Raster::terrain(30, 20).with(7, 7, -9999.0));
    let series = ["--output-every", "200s", "--extent-series", "--start", "2021-07-14T12:00+02:00"];
    workshop.run(&[&RAIN[..], &series].concat()).done();
    let file = Dataset::open(workshop.path("results/extents.gpkg")).unwrap();
    let map = |name: &str| pixels(workshop.path(&format!("results/{name}.tif")));
    let most = map("max_depth");
    let mut layer = file.layer_by_name("max_extents").unwrap();
    assert!(layer.spatial_ref().unwrap().name().unwrap().contains("UTM zone 33N"));
    let features: Vec<Feature> = layer.features().collect();
    let names: Vec<String> = features.iter().map(|feature| text(feature, "name")).collect();
    assert_eq!(names, ["deeper than 0.001 m", "deeper than 0.012 m"]);
    features.iter().for_each(|feature| matches(feature, &most, 30));
    let areas = [0, 1].map(|at: usize| number(&features[at], "area_m2"));
    assert!(areas[0] > areas[1] && areas[1] > 0.0, "{areas:?}");
    // Several separate parts, some with holes.
    let parts = features[1].geometry().unwrap();
    assert!(parts.geometry_count() > 3, "{}", parts.geometry_count());
    let mut layer = file.layer_by_name("extents").unwrap();
    let features: Vec<Feature> = layer.features().collect();
    assert_eq!(features.len(), 6);
    for (at, feature) in features.iter().enumerate() {
        let time = 200.0 * (at / 2 + 1) as f64;
        assert_eq!(number(feature, "time_s"), time);
        assert!((number(feature, "time_h") - time / 3600.0).abs() < 1e-6);
        assert!(text(feature, "date").starts_with("2021-07-14T12:"), "{}", text(feature, "date"));
        let name = ["3m20s", "6m40s", "10m00s"][at / 2];
        let stems = workshop.names("results");
        let is_map = |stem: &&String| stem.starts_with("depth_") && stem.ends_with(".tif");
        let stem = stems.iter().filter(is_map).nth(at / 2).unwrap_or_else(|| panic!("{name}"));
        matches(feature, &map(stem.trim_end_matches(".tif")), 30);
    }
    // The report has the same figures, and QGIS shows the outlines.
    let report = workshop.report("results");
    let reported = report["extents"].as_array().unwrap();
    assert_eq!(
        (reported.len(), &reported[0]["time"], &reported[2]["time"]),
        (8, &().into(), &200.0.into())
    );
    assert_eq!([0, 1].map(|at: usize| reported[at]["area_m2"].as_f64().unwrap()), areas);
    assert!(report["outputs"].as_array().unwrap().contains(&"extents.gpkg".into()));
    let page = workshop.text("results/report.html");
    assert!(page.contains("<li>extents.gpkg</li>") && page.contains("deeper than 0.012 m, with"));
    let project = workshop.text("results/project.qgs");
    has(&project, &["max_extents|subset=&quot;depth_m&quot; = 0.012", "&quot;time_s&quot; = 400"]);
    // They belong to the results: without the option, the next run removes them.
    workshop.run("--rain '60 mm/h' --duration 1min --overwrite").done();
    assert!(!workshop.path("results/extents.gpkg").exists());
}

#[test]
fn water_exactly_at_a_threshold_is_not_deeper() {
    let workshop = Workshop::with_dem(&Raster::new(30, 20, |_, _| 0.0));
    let lake = |depth: &str| {
        let depths = ["--initial-depth", depth, "--arrival-depth", depth, "--extents", depth];
        let points = ["--points", "points.geojson", "--duration", "1s", "--overwrite"];
        [&depths[..], &points].concat().into_iter().map(String::from).collect::<Vec<_>>()
    };
    let point = r#"{"type": "Feature", "properties": {},
        "geometry": {"type": "Point", "coordinates": [500155, 4999905]}}"#;
    let crs = r#""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}"#;
    workshop.file(
        "points.geojson",
        format!(r#"{{"type": "FeatureCollection", {crs}, "features": [{point}]}}"#),
    );
    // In grains, and in steps of levels, 0.1, 0.2 and 0.3 m are rounded up or down.
    for depth in ["0.1 m", "0.2 m", "0.3 m", "0.7 m", "0.5 m"] {
        for more in [&[][..], &["--subgrid", "5"]] {
            let run = lake(depth);
            let run: Vec<&str> = run.iter().map(String::as_str).collect();
            workshop.run(&[&run, more].concat()).done();
            let report = workshop.report("results");
            assert_eq!(report["flooded_cells"], 0, "{depth} {more:?}");
            assert_eq!(report["extents"][0]["area_m2"], 0.0, "{depth} {more:?}");
            assert_eq!(report["points"]["flooded"], 0, "{depth} {more:?}");
            let pixels = &report["subgrid"]["flooded_pixels"];
            assert_eq!(pixels.as_u64().unwrap_or(0), 0, "{depth} {more:?}");
        }
    }
    // In a study, and in the maps over its runs.
    let keys = "dem = 'dem.tif'\nduration = '1s'\nextents = '0.1 m,0.3 m'\n";
    let runs = "[matrix]\ninitial_depth = ['0.1 m', '0.3 m']\n";
    workshop.file("study.toml", format!("depths = [0.1, 0.3]\n[base]\n{keys}{runs}"));
    workshop.inundate("study study.toml").done();
    let map = |depth| pixels(workshop.path(&format!("study/aggregates/{depth}.tif")));
    assert_eq!(map("probability_above_0.1m"), [0.5; 600]);
    assert_eq!(map("probability_above_0.3m"), [0.0; 600]);
    let study = workshop.json("study/study.json");
    let areas = |run: usize| study["runs"][run]["areas_above_m2"].clone();
    assert_eq!(areas(0), serde_json::json!([0.0, 0.0]));
    assert_eq!(areas(1), serde_json::json!([60000.0, 0.0]));
    let file = Dataset::open(workshop.path("study/aggregates/extents.gpkg")).unwrap();
    let mut layer = file.layer_by_name("runs").unwrap();
    let areas: Vec<f64> = layer.features().map(|feature| number(&feature, "area_m2")).collect();
    assert_eq!(areas, [0.0, 0.0, 60000.0, 0.0]);
    let mut layer = file.layer_by_name("aggregates").unwrap();
    let deep = layer.features().filter(|feature| text(feature, "map") == "max_depth_max");
    let areas: Vec<f64> = deep.map(|feature| number(&feature, "area_m2")).collect();
    assert_eq!(areas, [60000.0, 0.0]);
}

#[test]
fn extents_are_on_the_grid_of_the_maps() {
    let workshop = Workshop::with_dem(&Raster::terrain(30, 20));
    let lake = "--initial-level '115 m' --subgrid 5 --duration 1min";
    for (grid, columns) in [("fine", 30), ("coarse", 6)] {
        let more = format!("--extents '0.5 m,20 m' --output-grid '{grid}' --overwrite");
        workshop.run(&format!("{lake} {more}")).done();
        let map = pixels(workshop.path("results/max_depth.tif"));
        assert_eq!(map.len() % columns, 0);
        let file = Dataset::open(workshop.path("results/extents.gpkg")).unwrap();
        let mut layer = file.layer_by_name("max_extents").unwrap();
        let features: Vec<Feature> = layer.features().collect();
        if grid == "fine" {
            matches(&features[0], &map, columns);
        }
        let cell = 600.0 * 100.0 / map.len() as f64;
        let deeper = map.iter().filter(|depth| **depth > 0.5).count();
        assert_eq!(number(&features[0], "area_m2"), cell * deeper as f64);
        // No water is that deep.
        assert_eq!(number(&features[1], "area_m2"), 0.0);
        assert_eq!(features[1].geometry().unwrap().geometry_count(), 0);
    }
}

#[test]
fn a_study_has_the_extents_of_its_runs_and_of_the_maps_over_them() {
    let workshop = Workshop::with_dem(&Raster::terrain(30, 20).with(7, 7, -9999.0));
    let text_of = |extents: &str| {
        format!(
            "percentiles = [50]\n[base]\ndem = 'dem.tif'\nduration = '5min'\n{extents}\n[matrix]\n\
             rain = ['60 mm/h', '120 mm/h', '90 mm/h']\n"
        )
    };
    workshop.file("study.toml", text_of("extents = '2 mm'"));
    workshop.inundate("study study.toml").done();
    let map = |name: &str| pixels(workshop.path(&format!("study/{name}.tif")));
    let file = Dataset::open(workshop.path("study/aggregates/extents.gpkg")).unwrap();
    let mut layer = file.layer_by_name("runs").unwrap();
    let runs: Vec<Feature> = layer.features().collect();
    assert_eq!(runs.len(), 3);
    for feature in &runs {
        matches(feature, &map(&format!("runs/{}/max_depth", text(feature, "run"))), 30);
    }
    assert!(number(&runs[1], "area_m2") > number(&runs[0], "area_m2"));
    let mut layer = file.layer_by_name("aggregates").unwrap();
    let maps: Vec<Feature> = layer.features().collect();
    let names: Vec<String> = maps.iter().map(|feature| text(feature, "map")).collect();
    assert_eq!(names, ["max_depth_mean", "max_depth_max", "max_depth_min", "max_depth_p50"]);
    for (feature, name) in maps.iter().zip(&names) {
        matches(feature, &map(&format!("aggregates/{name}")), 30);
    }
    let report = workshop.text("study/study.json");
    assert!(report.contains("\"aggregates/extents.gpkg\""));
    assert!(workshop.path("study/runs/rain-60mm-h/extents.gpkg").exists());
    let project = workshop.text("study/project.qgs");
    assert!(project.contains("./aggregates/extents.gpkg|layername=runs|subset="));
    workshop.file("study.toml", text_of(""));
    workshop.inundate("study study.toml").done();
    assert!(!workshop.path("study/aggregates/extents.gpkg").exists());
}

#[test]
fn extents_that_cannot_be_drawn_are_refused() {
    let workshop = Workshop::new();
    let run = ["run", "--dem", "dem.tif", "--rain", "60 mm/h", "--duration", "10min"];
    let cases: [(&[&str], &[&str]); 7] = [
        (&["--extents", "deep"], &["extents: 'deep'"]),
        (&["--extents", "-1 m"], &["extents: '-1 m'"]),
        (&["--extents", "10 cm,0.1 m"], &["extents: 0.1 m is given twice"]),
        (&["--extents", "1,2,3,4,5,6,7"], &["extents: 7 depths are too many", "up to 6"]),
        (&["--extent-series"], &["extent_series: no depth is given", "--extents"]),
        (&["--extents", "1 m", "--extent-series"], &["extent_series", "--output-every"]),
        (
            &["--extents", "1 m", "--layers", "depth,level"],
            &["extents: the layer 'max_depth' is not written", "add max_depth to the layers"],
        ),
    ];
    for (arguments, parts) in cases {
        workshop.refuses(&[&run[..], arguments].concat(), parts);
    }
}
