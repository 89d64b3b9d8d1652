//! A line with a very distant vertex acts on the DEM as if it ended just outside, and does not slow
//! the program down.

use crate::cli_common;

use cli_common::{Workshop, pixels};

/// Writes a line from inside the DEM through `far`.
fn line(workshop: &Workshop, properties: &str, far: &[(f64, f64)]) {
    let points: Vec<String> = [(500_005.0, 4_999_975.0)]
        .iter()
        .chain(far)
        .map(|(x, y)| format!("[{x:e}, {y:e}]"))
        .collect();
    let crs = r#""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}"#;
    let geometry = format!(r#"{{"type": "LineString", "coordinates": [{}]}}"#, points.join(", "));
    workshop.file(
        "s.geojson",
        format!(
            r#"{{"type": "FeatureCollection", {crs}, "features": [{{"type": "Feature", "properties": {{{properties}}}, "geometry": {geometry}}}]}}"#
        ),
    );
}

#[test]
fn a_vertex_very_far_away_changes_nothing_on_the_dem() {
    let kinds = [
        ("rivers", r#""width": 12, "depth": 1"#),
        ("rivers", r#""width": 12, "bed_level": 107"#),
        ("openings", r#""width": 12, "level": 107"#),
        ("walls", r#""height": 2"#),
        ("structures", r#""kind": "weir", "crest": 125"#),
        ("sections", r#""name": "bridge""#),
    ];
    for (key, properties) in kinds {
        let workshop = Workshop::new();
        let flag = format!("--{key}");
        let run = |out: &str| {
            let rain = format!("--rain '50 mm/h' --duration 1min --out '{out}'");
            workshop.run(&format!("'{flag}' s.geojson {rain}")).done();
            pixels(workshop.path(out).join("depth.tif"))
        };
        line(&workshop, properties, &[(500_500.0, 4_999_975.0)]);
        let near = run("near");
        for (at, far) in [1e12, 1e20, 1e300].into_iter().enumerate() {
            // And back, far outside the DEM.
            line(&workshop, properties, &[(far, 4_999_975.0), (far, -far), (-far, -far)]);
            assert!(run(&format!("far{at}")) == near, "{key} to {far:e}");
        }
    }
}
