//! Outflow at normal depth, and links that carry water from cell to cell: results compared with
//! manual calculations, and invalid input.

use crate::cli_common;
use crate::common;

use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop, at, pixels};
use common::{Case, every_timed, tier};
use gdal::vector::OGRFieldType::{OFTReal, OFTString};
use inundate::engine::backend::cpu::CpuOptions;

#[track_caller]
fn near(found: f64, expected: f64, part: f64) {
    assert!((found - expected).abs() <= part * expected.abs(), "{found}, not {expected}");
}

/// Creates a plane of 2 × 30 cells of 10 m that falls to the south by a thousandth.
fn plane() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::new(2, 30, |_, row| 50.0 - 0.01 * row as f64));
    // 1 m²/s flows in along the northern side.
    workshop.layer("river.gpkg", "flow", &[("LINESTRING (0.5 0.5, 1.5 0.5)", "20 m3/s")]);
    workshop
}

/// Returns the final depths in the second column, from north to south (m).
fn profile(workshop: &Workshop, outflow: &[&str], solver: &str) -> Vec<f64> {
    // Manning's solver has the shortest steps, and becomes uniform earlier.
    let time = if solver == "aqua-manning" { "24 min" } else { "40 min" };
    let river =
        ["--source", "river.gpkg", "--roughness", "0.03", "--duration", time, "--solver", solver];
    workshop.run(&[&river, outflow, &["--overwrite"]].concat()).done();
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    let depths = pixels(workshop.path("results/depth.tif"));
    depths.iter().skip(1).step_by(2).map(|&depth| f64::from(depth)).collect()
}

/// Returns the normal depth (m) of 1 m²/s with n = 0.03.
fn normal(slope: f64) -> f64 {
    (0.03 / slope.sqrt()).powf(0.6)
}

#[test]
fn a_river_leaves_the_map_at_normal_depth() {
    let workshop = plane();
    for solver in ["aqua-manning", "inertial", "shallow-water"] {
        // With the bed's own slope, the flow is uniform.
        let uniform = profile(&workshop, &["--open", "south", "--outflow-slope", "0.001"], solver);
        let [last, any] = match solver {
            "aqua-manning" => [0.001, 0.002],
            "inertial" => [0.001, 0.01],
            _ => [0.02, 0.02],
        };
        near(uniform[29], normal(0.001), last);
        for depth in &uniform[5..] {
            near(*depth, normal(0.001), any);
        }
        if solver == "aqua-manning" {
            continue;
        }
        // With another slope, the last cell has the normal depth of that slope, and the flow far
        // upstream is unaffected.
        let steep = profile(&workshop, &["--outflow-slope", "south,0.004"], solver);
        near(steep[29], normal(0.004), 0.001);
        let gentle = profile(&workshop, &["--outflow-slope", "south,0.0004"], solver);
        near(gentle[29], normal(0.0004), 0.001);
        assert!(steep[24] < uniform[24] && uniform[24] < gentle[24]);
        // It drops at a free edge.
        let falls = profile(&workshop, &["--open", "south"], solver);
        assert!(falls[29] < 0.8 * uniform[29], "{} m", falls[29]);
    }
    let report = workshop.report("results");
    assert_eq!(report["outflow_slopes"], serde_json::json!([]));
    workshop.file("s.toml", "dem = \"dem.tif\"\nopen = \"south,west\"\noutflow_slope = 0.002\nduration = \"1 min\"\nsource = \"river.gpkg\"\n");
    workshop.inundate("run s.toml --overwrite").done();
    let report = workshop.report("results");
    assert_eq!(report["outflow_slopes"], serde_json::json!([["south", 0.002], ["west", 0.002]]));
    let check = workshop.inundate("check s.toml --outflow-slope south,0.003 --overwrite").done();
    assert!(
        check.out.contains("open edges  south (normal depth, slope 0.003), west (free)"),
        "{}",
        check.out
    );
}

#[test]
fn flow_in_cells_at_the_edge_of_the_map_is_that_across_it() {
    let workshop = plane();
    workshop.file("g.csv", "name,x,y\nmiddle,500015,4999845\nout,500015,4999705\n");
    let layers = "velocity,velocity_y,unit_discharge,max_velocity,max_unit_discharge,hazard";
    let river = ["--source", "river.gpkg", "--roughness", "0.03", "--duration", "40 min"];
    let more = ["--layers", layers, "--gauges", "g.csv", "--overwrite"];
    // A level of the normal depth above the last cell keeps the flow uniform.
    let level = format!("south,{}", 50.0 - 0.29 + normal(0.001));
    for outflow in [["--outflow-slope", "south,0.001"], ["--level", &level]] {
        workshop.run(&[&river[..], &outflow, &more].concat()).done();
        let [middle, outflow] = [15 * 2 + 1, 29 * 2 + 1];
        let found = |layer: &str, cell: usize| {
            f64::from(pixels(workshop.path(&format!("results/{layer}.tif")))[cell])
        };
        for layer in ["velocity", "velocity_y", "unit_discharge", "hazard"] {
            near(found(layer, outflow), found(layer, middle), 0.05);
        }
        for layer in ["velocity", "unit_discharge"] {
            assert!(found(&format!("max_{layer}"), outflow) >= 0.999 * found(layer, outflow));
        }
        let report = workshop.report("results");
        let speed = |gauge: usize| report["gauges"][gauge]["max_velocity_m_s"].as_f64().unwrap();
        assert!(speed(1) >= 0.999 * found("velocity", outflow));
        let rows = std::fs::read_to_string(workshop.path("results/gauges.csv")).unwrap();
        let last: Vec<f64> = rows
            .lines()
            .rev()
            .take(2)
            .map(|row| row.rsplit(',').next().unwrap().parse().unwrap())
            .collect();
        near(last[0], last[1], 0.05);
    }
}

#[test]
fn a_source_of_little_water_does_not_change_velocities_beside_it() {
    let workshop = plane();
    workshop.layer("lake.gpkg", "level", &[("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))", 52.0)]);
    let run = |more: &str| {
        let flags = "--initial-level lake.gpkg --roughness 0.03 --duration '2 min' --overwrite";
        workshop.run(&format!("{flags} --layers max_velocity {more}")).done();
        pixels(workshop.path("results/max_velocity.tif"))
    };
    let without = run("");
    for row in [0.5, 29.5] {
        let with = run(&format!("--source '{},0.001 l/s'", at(0.5, row)));
        for (with, without) in with.iter().zip(&without) {
            assert!((with - without).abs() < 0.01, "{with}, {without} m/s");
        }
    }
}

#[test]
fn normal_depth_outflow_is_booked_to_the_grain() {
    for variant in every_timed() {
        // A puddle of 0.5 m in a single cell: the first step removes h^(5/3)·√S/n·dt/dx.
        let case = Case::new(1, 1, variant).water(|_, _| 0.5).runs_out(&[(0, 0)], 0.01);
        let mut simulation = case.start(CpuOptions::default());
        simulation.advance(1).expect("shallow water");
        let dt = simulation.clock.now();
        let left = simulation.backend.ledger().outflow as f64 / 16_777_216.0;
        near(left, 0.5f64.powf(5.0 / 3.0) * 0.1 / 0.03 * dt / 10.0, 1e-5);
        // In the end it is dry except for a film.
        simulation.advance(400).expect("shallow water");
        let ledger = simulation.backend.ledger();
        assert_eq!(ledger.error(), 0);
        assert!((ledger.stored as f64) < 1e-3 * 16_777_216.0, "{ledger:?}");
    }
}

#[test]
fn refuses_invalid_slopes() {
    let workshop = Workshop::new();
    let refused = |arguments: &str, parts: &[&str]| {
        workshop.refuses(&format!("run --dem dem.tif {arguments}"), parts);
    };
    let timed = "--duration 1h --outflow-slope";
    for (slope, parts) in [
        ("0.001", &["outflow_slope: '0.001': no side is open", "--open south"][..]),
        ("south,steep", &["outflow_slope: 'south,steep' is not a slope", "\"south,0.001\""]),
        ("south,0", &["outflow_slope: a slope of 0", "m of fall per m"]),
        ("south,-0.1", &["a slope of -0.1"]),
        ("south,nan", &["a slope of NaN"]),
        ("south,2", &["a slope of 2"]),
        ("up,0.1", &["outflow_slope: 'up,0.1'"]),
    ] {
        let two = format!("{timed} south,0.1 --outflow-slope south,0.2");
        refused(&two, &["the side south has two slopes"]);
        refused(&format!("{timed} '{slope}'"), parts);
    }
    refused(
        "--duration 1h --step 10s --outflow-slope south,0.01",
        &["outflow_slope: 'south,0.01': 'aqua-graph' has no physical time"],
    );
}

/// Creates two basins of 4 × 4 cells at 10 m and 12 m, with a ridge between them.
fn basins() -> Workshop {
    Workshop::with_dem(&Raster::new(9, 4, |column, _| match column {
        0..4 => 10.0,
        4 => 20.0,
        _ => 12.0,
    }))
}

/// Returns a CSV of links between two cells of the basins.
fn between(from: (usize, usize), to: (usize, usize), columns: &str, values: &str) -> String {
    let at = |(column, row): (usize, usize)| {
        let (x, y) = (CORNER.0 + 10.0 * column as f64 + 5.0, CORNER.1 - 10.0 * row as f64 - 5.0);
        format!("{x},{y}")
    };
    format!("x1,y1,x2,y2,{columns}\n{},{},{values}\n", at(from), at(to))
}

/// A solver with physical time, and automata with a step duration.
const SOLVERS: [&[&str]; 3] = [&[], &["--solver", "aqua-manning"], &["--step", "2s"]];

/// Returns the volumes through the first link (m³), to the outlet and back.
fn carried(workshop: &Workshop) -> (f64, f64) {
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    let link = &workshop.report("results")["links"][0];
    (link["forward_m3"].as_f64().unwrap(), link["back_m3"].as_f64().unwrap())
}

/// Returns the final volume in the upper basin (m³), and the depths in both.
fn upper(workshop: &Workshop) -> (f64, f64, f64) {
    let depths = pixels(workshop.path("results/depth.tif"));
    let above = depths.iter().enumerate().filter(|(cell, _)| cell % 9 > 4);
    let volume: f64 = above.map(|(_, &depth)| 100.0 * f64::from(depth)).sum();
    (volume, f64::from(depths[0]), f64::from(depths[8]))
}

#[test]
fn a_pump_lifts_its_capacity() {
    let workshop = basins();
    let lower = "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))";
    workshop.layer("lake.gpkg", "level", &[(lower, "11 m")]);
    workshop.file("links.csv", between((2, 1), (6, 2), "kind,capacity,name", "Pump,500 l/s,P1"));
    let run = ["--links", "links.csv", "--initial-level", "lake.gpkg", "--overwrite"];
    for solver in SOLVERS {
        let timed = ["--duration", "10 min"];
        workshop.run(&[&run[..], &timed, solver].concat()).done();
        let (forward, back) = carried(&workshop);
        assert!((forward - 300.0).abs() < 1e-4, "{forward} m³");
        assert_eq!((back, workshop.volume("results", "inflow_m3")), (0.0, 0.0));
        // The water is there, and nowhere else.
        assert!((upper(&workshop).0 - forward).abs() < 1e-2, "{} m³", upper(&workshop).0);
        let link = &workshop.report("results")["links"][0];
        assert_eq!((&link["name"], &link["kind"]), (&"P1".into(), &"pump".into()));
        // An hour of pumping would need 1800 m³ of the 1600 m³ available: only the available water
        // is moved.
        workshop.run(&[&run[..], &["--duration", "1h"], solver].concat()).done();
        let (forward, _) = carried(&workshop);
        assert!((1500.0..1600.1).contains(&forward), "{forward} m³");
    }
}

#[test]
fn a_pump_starts_and_stops_at_its_depths() {
    let workshop = basins();
    let columns = "kind,capacity,start_depth,stop_depth";
    workshop.file("links.csv", between((2, 1), (6, 2), columns, "pump,0.5,60 cm,0.2"));
    for solver in SOLVERS {
        let run = |level: &str| {
            let _ = std::fs::remove_file(workshop.path("lake.gpkg"));
            let lower = "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))";
            workshop.layer("lake.gpkg", "level", &[(lower, level)]);
            let run = ["--links", "links.csv", "--initial-level", "lake.gpkg", "--overwrite"];
            workshop.run(&[&run[..], &["--duration", "1h"], solver].concat()).done();
            (carried(&workshop).0, upper(&workshop).1)
        };
        assert_eq!(run("10.55 m").0, 0.0, "below where it starts");
        let (forward, left) = run("11 m");
        // From 1 m it runs until the depth at the inlet's cell is 0.2 m, a little before the
        // others.
        assert!((0.19..0.26).contains(&left), "{solver:?}: {left} m");
        assert!((forward - (1.0 - left) * 1600.0).abs() < 40.0, "{solver:?}: {forward} m³");
    }
}

#[test]
fn a_culvert_equalizes_levels_and_a_flap_gate_lets_nothing_back() {
    let workshop = basins();
    workshop.file("rating.csv", "head [m],flow [l/s]\n0.5,4800\n2,10800\n");
    let columns = "Kind,rating,Inlet_Level [m],OUTLET_LEVEL";
    let link = |kind: &str| {
        let values = format!("{kind},rating.csv,10,12");
        workshop.file("links.csv", between((2, 1), (6, 2), columns, &values));
    };
    let run = |lower: &str, upper: &str, solver: &[&str]| {
        let _ = std::fs::remove_file(workshop.path("lake.gpkg"));
        workshop.layer(
            "lake.gpkg",
            "level",
            &[
                ("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))", lower),
                ("POLYGON ((5 0, 9 0, 9 4, 5 4, 5 0))", upper),
            ],
        );
        let run = ["--links", "links.csv", "--initial-level", "lake.gpkg", "--overwrite"];
        workshop.run(&[&run[..], &["--duration", "20 min"], solver].concat()).done();
        carried(&workshop)
    };
    for solver in SOLVERS {
        link("culvert");
        // 15 m against 13 m: one metre of the basin's 1600 m² flows up.
        let (forward, back) = run("15 m", "13 m", solver);
        let (_, low, high) = upper(&workshop);
        assert!((10.0 + low - 12.0 - high).abs() < 0.01, "{} m, {} m", 10.0 + low, 12.0 + high);
        assert!((forward - back - 1600.0).abs() < 8.0, "{forward} m³, {back} m³");
        // Manning's solver is slow on level water.
        if solver == SOLVERS[1] && !tier::all() {
            continue;
        }
        // And down, until the higher invert is dry: 1.5 m stay in the lower basin.
        let (_, back) = run("10 m", "13.5 m", solver);
        let (_, low, high) = upper(&workshop);
        assert!(high < 0.02 && low > 1.47, "{low} m, {high} m");
        assert!((back - 2400.0).abs() < 40.0, "{back} m³");
        link("flap");
        assert_eq!(run("10 m", "13.5 m", solver), (0.0, 0.0));
        assert!((run("15 m", "13 m", solver).0 - 1600.0).abs() < 8.0);
    }
}

#[test]
fn a_box_culvert_under_stage_boundaries_follows_its_formula() {
    // Two cells with nothing between them.
    let workshop = Workshop::with_dem(
        &Raster::new(3, 1, |column, _| if column == 1 { -9999.0 } else { 10.0 }).nodata(-9999.0),
    );
    workshop.layer(
        "levels.gpkg",
        "level",
        &[("POINT (0.5 0.5)", "12 m"), ("POINT (2.5 0.5)", "11 m")],
    );
    let lengths = ["width", "height", "length", "barrels"].map(|name| (name, OFTReal));
    let fields = [&[("kind", OFTString)], &lengths[..]].concat();
    let run = "--links links.gpkg --level levels.gpkg --duration '10 min'";
    for barrels in [3.0, 1.0] {
        let values = [text("culvert"), number(2.0), number(1.0), number(10.0), number(barrels)];
        Shapes::new(&fields)
            .with("LINESTRING (0.5 0.5, 1.2 0.1, 2.5 0.5)", &values)
            .write(&workshop, "links.gpkg");
        workshop.run(&format!("{run} --dt-max 1s --overwrite")).done();
        // The inlet is submerged: 2 = 0.04·x² + 0.8 has x = 5.477, and Q = 2·x/1.811 = 6.049 m³/s.
        near(carried(&workshop).0, barrels * 6.049 * 600.0, 0.01);
    }
    let says = workshop.inundate(&format!("check --dem dem.tif --overwrite {run}"));
    assert!(says.out.contains("link        culvert 1, from column 0, row 0 to column 2, row 0"));
    let assumed = workshop.report("results")["assumed"].to_string();
    let inlet = "'links.gpkg' has a culvert without inlet: headwall (square edges) is assumed";
    assert!(assumed.contains(inlet), "{assumed}");
}

#[test]
fn refuses_invalid_links() {
    let workshop = basins();
    let refused = |links: &str, parts: &[&str]| {
        let run = format!("run --dem dem.tif --duration 1h --links '{links}'");
        workshop.refuses(&run, parts);
    };
    let ends = ((2, 1), (6, 2));
    let cases: [(&str, &str, &[&str]); 18] = [
        ("kind", "siphon", &["links: 'siphon' is not a kind of link", "links.csv, line 2", "flap"]),
        ("kind", "pump", &["links: the pump has no capacity", "0.5 m3/s"]),
        ("kind,capacity", "pump,nan", &["links: capacity: 'nan' is not"]),
        ("kind,capacity", "pump,-1", &["links: capacity: '-1' is negative"]),
        ("kind,capacity", "pump,1 m3/step", &["the flow is per step"]),
        (
            "kind,capacity,start_depth,stop_depth",
            "pump,1,0.1,0.5",
            &["the pump stops at 0.5 m, above the 0.1 m at which it starts"],
        ),
        ("kind", "culvert", &["the flow through this culvert is not defined", "a diameter"]),
        ("kind,width", "flap,1", &["the flow through this flap is not defined"]),
        ("kind,diameter,rating", "culvert,1,r.csv", &["is not defined"]),
        ("kind,diameter", "culvert,0", &["links: diameter: it is 0"]),
        ("kind,diameter,barrels", "culvert,1,0", &["'0' is not a number of barrels"]),
        ("kind,capacity,barrels", "pump,1,2", &["barrels"]),
        ("kind,diameter,n", "culvert,1,rough", &["'rough' is not a Manning's n"]),
        (
            "kind,diameter,inlet",
            "culvert,1,wingwalls",
            &["'wingwalls' is not an inlet of a pipe", "headwall, groove, bevelled"],
        ),
        ("kind,diameter,inlet_level", "culvert,1,low", &["inlet_level: 'low' is not a level"]),
        ("kind,rating", "culvert,none.csv", &["cannot open 'none.csv'"]),
        ("kind,speed", "pump,1", &["the column 'speed' is unknown", "start_depth"]),
        ("name", "P1", &["there is no column 'kind'"]),
    ];
    for (columns, values, parts) in cases {
        workshop.file("links.csv", between(ends.0, ends.1, columns, values));
        refused("links.csv", parts);
    }
    for (rating, part) in [
        ("head [m],flow [m3/s]\n1,2\n0.5,3\n", "line 3: the head 0.5 does not rise"),
        ("head [m],flow [m3/s]\n0,nan\n", "line 2: 'nan m3/s' is not"),
        ("head [m],flow [m3/s]\n", "line 2: the table has no data lines"),
        ("1,2\n3,4\n", "line 1: the header line is missing"),
        ("head [m]\n1\n", "line 1: expected 2 columns"),
    ] {
        workshop.file("r.csv", rating);
        workshop.file("links.csv", between(ends.0, ends.1, "kind,rating", "culvert,r.csv"));
        refused("links.csv", &["links: 'r.csv', ", part]);
    }
    let pump = "kind,capacity";
    for (from, to, part) in [
        ((2, 1), (2, 1), "the inlet and the outlet are in the same cell (column 2, row 1)"),
        ((2, 1), (90, 1), "links: the outlet (500905, 4999985) is outside the DEM"),
        ((2, 70), (3, 1), "links: the inlet "),
    ] {
        workshop.file("links.csv", between(from, to, pump, "pump,1"));
        refused("links.csv", &[part]);
    }
    workshop.file("links.csv", "x1,y1,x2,y2,kind\n1,2,3,here,pump\n");
    refused("links.csv", &["'links.csv', line 2: 'here' in column 'y2' is not a coordinate"]);
    workshop.file("links.csv", "x1,y1,x2,y2,kind\n");
    refused("links.csv", &["'links.csv', line 2: the table has no data lines"]);
    refused("none.csv", &["links: cannot open 'none.csv'"]);
    let kinds = Shapes::texts("kind");
    kinds.clone().write(&workshop, "empty.gpkg");
    refused("empty.gpkg", &["links: 'empty.gpkg': the layer has no features"]);
    kinds.clone().with("POINT (1 1)", &[text("pump")]).write(&workshop, "points.gpkg");
    refused("points.gpkg", &["feature 1 is made of points", "give a layer of lines"]);
    kinds.clone().with("LINESTRING (1 1)", &[text("pump")]).write(&workshop, "one.geojson");
    refused("one.geojson", &["is a line of one point", "draw its other end"]);
    let line = "LINESTRING (1 1, 3 3)";
    kinds.clone().epsg(None).with(line, &[text("pump")]).write(&workshop, "no_crs.gpkg");
    refused("no_crs.gpkg", &["its coordinate reference system is not known"]);
    workshop.layer("no_kind.gpkg", "name", &[(line, "P1")]);
    refused("no_kind.gpkg", &["it has no field 'kind'; its fields: name"]);
    let holed =
        Workshop::with_dem(&Raster::new(4, 4, |_, _| 1.0).with(3, 3, -9999.0).nodata(-9999.0));
    holed.file("links.csv", between((0, 0), (3, 3), pump, "pump,1"));
    let run = "run --dem dem.tif --links links.csv";
    holed.refuses(
        &format!("{run} --duration 1h"),
        &["links: the outlet ", "is on a NoData cell of the DEM (column 3, row 3)"],
    );
    holed.refuses(&format!("{run} --steps 10"), &["the run's steps have no duration"]);
}

#[test]
fn links_of_one_name_have_names_of_their_own_in_all_outputs() {
    let workshop = basins();
    let pump = between((2, 1), (6, 2), "kind,capacity,name", "pump,500 l/s,P");
    let (_, line) = pump.trim_end().split_once('\n').expect("two lines");
    workshop.file("links.csv", format!("{pump}{line}\n"));
    workshop.run("--links links.csv --initial-depth '1 m' --duration '1 min'").done();
    let links = &workshop.report("results")["links"];
    assert_eq!((&links[0]["name"], &links[1]["name"]), (&"P".into(), &"P (2)".into()));
    let table = workshop.text("results/mass_balance.csv");
    assert!(table.contains("link P (2) forward [m3]"), "{table}");
}

#[test]
fn names_fields_of_links_that_are_not_read() {
    let workshop = Workshop::with_dem(&Raster::new(8, 8, |_, _| 10.0));
    let fields = ["kind", "capacity", "inlet_lvl", "owner"].map(|name| (name, OFTString));
    Shapes::new(&fields)
        .with("LINESTRING (1.5 1.5, 4.5 1.5)", &["pump", "1 m3/s", "9", "city"].map(text))
        .write(&workshop, "links.gpkg");
    workshop.run("--links links.gpkg --duration '1 min' --rain '9 mm/h'").done().says(
        &[
            "warning: links: 'links.gpkg' has a field 'inlet_lvl', which is not read; rename it if it is 'inlet_level'",
            "has fields that are not read: inlet_lvl, owner",
        ],
    );
}
