//! Coupling with EPA SWMM: the exchange and its volume, storage against the level pool, the network
//! alone against SWMM alone, calm nodes, checkpoints and warm starts, and invalid input.
//!
//! Needs SWMM's library (`make test` installs it); without it the tests are skipped with a message,
//! unless INUNDATE_REQUIRE_SWMM is 1.

use crate::cli_common;

use cli_common::running::wait_until;
use cli_common::state_files::StateFile;
use cli_common::vectors::{Shapes, number, text};
use cli_common::{CORNER, Raster, Workshop, pixels};
use gdal::vector::OGRFieldType::{OFTInteger, OFTReal, OFTString};
use inundate::engine::cadence::Leg;
use inundate::machine::swmm::library::swmm;
use inundate::machine::swmm::network::Network;
use inundate::run::model::Model;
use inundate::scenario::options::Options;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;

/// Held by tests that use SWMM in this process, which has one network at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Returns `true` if SWMM is available for testing.
fn has_swmm() -> bool {
    let Err(why) = swmm() else { return true };
    let required = std::env::var("INUNDATE_REQUIRE_SWMM").is_ok_and(|value| value == "1");
    assert!(!required, "SWMM is required, but: {}", why.what);
    let _ = writeln!(std::io::stderr(), "SKIPPED, no sewer was computed: {}", why.what);
    false
}

/// A SWMM input file: sections by name.
#[derive(Clone)]
struct Inp {
    options: Vec<(String, String)>,
    sections: Vec<(String, String)>,
}

impl Inp {
    fn new() -> Inp {
        let options = [
            ("FLOW_UNITS", "CMS"),
            ("FLOW_ROUTING", "DYNWAVE"),
            ("START_DATE", "01/01/2020"),
            ("END_DATE", "01/02/2020"),
            ("ROUTING_STEP", "5"),
            ("VARIABLE_STEP", "0"),
            ("REPORT_STEP", "00:01:00"),
        ];
        let options = options.map(|(key, value)| (key.into(), value.into())).to_vec();
        Inp { options, sections: Vec::new() }
    }

    fn option(mut self, key: &str, value: &str) -> Inp {
        self.options.retain(|(known, _)| known != key);
        self.options.push((key.into(), value.into()));
        self
    }

    fn with(mut self, section: &str, lines: &str) -> Inp {
        self.sections.push((section.into(), lines.into()));
        self
    }

    /// Places a node at the centre of a cell of 10 m (column, row).
    fn at(self, node: &str, (column, row): (usize, usize)) -> Inp {
        let (x, y) = (CORNER.0 + 10.0 * column as f64 + 5.0, CORNER.1 - 10.0 * row as f64 - 5.0);
        self.with("COORDINATES", &format!("{node} {x} {y}"))
    }

    fn text(&self) -> String {
        let mut text = "[TITLE]\na test\n[OPTIONS]\n".to_string();
        for (key, value) in &self.options {
            writeln!(text, "{key} {value}").unwrap();
        }
        let mut names: Vec<&String> = self.sections.iter().map(|section| &section.0).collect();
        names.sort();
        names.dedup();
        for name in names {
            writeln!(text, "[{name}]").unwrap();
            let lines = self.sections.iter().filter(|section| &section.0 == name);
            lines.for_each(|section| writeln!(text, "{}", section.1).unwrap());
        }
        text
    }
}

/// A street of 30 × 5 cells that falls to the east, with a sewer below it: two manholes, and an
/// outfall in a ditch at its end.
fn street() -> (Workshop, Inp) {
    let workshop = Workshop::with_dem(&Raster::new(30, 5, |column, row| {
        let side = if row == 2 { 0.0 } else { 0.3 };
        let ditch = if column > 26 { 2.5 } else { 0.0 };
        20.0 - 0.02 * column as f64 + side - ditch
    }));
    let inp = Inp::new()
        .with("JUNCTIONS", "J1 17.9 2 0 0 0\nJ2 17.7 2 0 0 0")
        .with("OUTFALLS", "O1 17.1 FREE NO")
        .with("CONDUITS", "C1 J1 J2 100 0.013 0 0\nC2 J2 O1 120 0.013 0 0")
        .with("XSECTIONS", "C1 CIRCULAR 0.5 0 0 0\nC2 CIRCULAR 0.5 0 0 0")
        .at("J1", (5, 2))
        .at("J2", (15, 2))
        .at("O1", (28, 2));
    (workshop, inp)
}

/// Arguments of a flood on the street: water flows in at its upper end.
fn flood() -> Vec<String> {
    let source = format!("{},{},0.4 m3/s", CORNER.0 + 5.0, CORNER.1 - 25.0);
    let arguments = ["--sewers", "town.inp", "--source", &source, "--gauge-every", "5s"];
    arguments.map(String::from).to_vec()
}

fn run(workshop: &Workshop, arguments: &[String], more: &[&str]) -> cli_common::Ran {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    workshop.run(&[&arguments[..], more].concat())
}

/// Returns a column of a table of the results.
fn numbers(workshop: &Workshop, out: &str, table: &str, name: &str) -> Vec<f64> {
    workshop.table(&format!("{out}/{table}")).remove(name).expect(name)
}

#[test]
fn water_enters_manholes_and_leaves_at_the_outfall_and_every_grain_is_booked() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    run(&workshop, &flood(), &["--duration", "20 min", "--open", "east"]).done();
    let report = workshop.report("results");
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    let of = |name: &str| report["sewers"][name].as_f64().unwrap();
    assert!(of("into_sewer_m3") > 100.0 && of("onto_surface_m3") > 60.0, "{}", report["sewers"]);
    // The nodes' volumes add up to the terms of the mass balance.
    for (way, name) in
        [("into_sewer_m3", "into sewer [m3]"), ("onto_surface_m3", "onto surface [m3]")]
    {
        let sum: f64 = numbers(&workshop, "results", "sewer_nodes.csv", name).iter().sum();
        assert_eq!(sum, of(way));
    }
    let last =
        |name: &str| *numbers(&workshop, "results", "mass_balance.csv", name).last().unwrap();
    assert_eq!(last("sewers out [m3]"), of("into_sewer_m3"));
    assert_eq!(last("sewers in [m3]"), of("onto_surface_m3"));
    let others = ["open east [m3]", "sewers out [m3]"].map(last);
    assert_eq!(others.iter().sum::<f64>(), workshop.volume("results", "outflow_m3"));
    // SWMM's own balance, which it writes to its report, has the same volumes.
    let swmm = workshop.text("results/sewers.rpt");
    let of_swmm = |name: &str| -> f64 {
        let line = swmm.lines().find(|line| line.trim().starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().parse::<f64>().unwrap() * 1000.0
    };
    let taken = of_swmm("External Inflow");
    let lent = 0.4 * 5.0 * 2.0;
    assert!((taken - of("into_sewer_m3")).abs() < lent, "{taken}");
    assert!((of_swmm("External Outflow") - of("onto_surface_m3")).abs() < lent);
    let error = swmm.split("Flow Routing Continuity").nth(1).unwrap();
    let error = error.lines().find(|line| line.contains("Continuity Error (%)")).unwrap();
    let error: f64 = error.split_whitespace().last().unwrap().parse().unwrap();
    assert!((of("swmm_flow_error_percent") - error).abs() < 0.01, "{error}");
    let outputs = report["outputs"].as_array().unwrap();
    for name in ["sewers.csv", "sewer_nodes.csv", "sewers.rpt", "sewers.out"] {
        assert!(outputs.iter().any(|output| output == name), "{name}");
        assert!(workshop.path("results").join(name).exists(), "{name}");
    }
}

#[test]
fn water_from_the_sewers_is_no_inflow_and_names_ignore_case() {
    if !has_swmm() {
        return;
    }
    let (workshop, _) = street();
    let (_, inp) = street();
    // Coordinates and crowns with names in another case.
    workshop.file("town.inp", inp.text().replace("J1 50", "j1 50").replace("C2 J2", "C2 j2"));
    let words = "--sewers town.inp --rain '60 mm/h' --duration '20 min' --keep-state";
    let said = workshop.run(words).done();
    said.never_says("no coordinates").prints(&["(sewers "]);
    let report = workshop.report("results");
    let of = |name: &str| report["sewers"][name].as_f64().unwrap();
    assert!(of("into_sewer_m3") > 10.0 && of("onto_surface_m3") > 10.0, "{}", report["sewers"]);
    assert_eq!(report["title"], "Flood from rain");
    let page = workshop.text("results/report.html");
    assert!(page.contains("out of the sewers") && page.contains("into the sewers"));
    // Without the network, the water in its pipes is lost.
    let next = "--rain '1 mm/h' --duration 1min --start-from results --out next";
    let lost = of("into_sewer_m3") - of("onto_surface_m3");
    workshop.run(next).done().says(&[&format!(
        "which took from the surface {} net",
        inundate::units::show_volume(lost)
    )]);
}

#[test]
fn tiles_and_threads_do_not_change_the_exchange() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    // Variable routing steps, which are not those of the coupling.
    workshop.file("town.inp", inp.option("VARIABLE_STEP", "0.75").text());
    let more = ["--duration", "6 min", "--sewer-interval", "7s"];
    run(&workshop, &flood(), &[&more[..], &["--out", "a"]].concat()).done();
    run(
        &workshop,
        &flood(),
        &[&more[..], &["--out", "b", "--tile", "7x2", "--threads", "1"]].concat(),
    )
    .done();
    for table in ["sewers.csv", "sewer_nodes.csv", "mass_balance.csv"] {
        let [a, b] = ["a", "b"].map(|out| std::fs::read(workshop.path(out).join(table)).unwrap());
        assert!(a == b, "{table}");
    }
    assert!(
        numbers(&workshop, "a", "sewer_nodes.csv", "into sewer [m3]").iter().sum::<f64>() > 10.0
    );
}

#[test]
fn a_network_without_exchange_is_swmm_alone() {
    if !has_swmm() {
        return;
    }
    let _one = ONE.lock();
    let (workshop, inp) = street();
    for (units, step) in [("CMS", "0"), ("LPS", "0.75"), ("MLD", "0.75")] {
        let flow = match units {
            "LPS" => "50",
            "MLD" => "4.3",
            _ => "0.05",
        };
        // The outfall is off the map, so that nothing reaches the surface.
        let inp = inp
            .clone()
            .option("FLOW_UNITS", units)
            .option("VARIABLE_STEP", step)
            .with("REPORT", "NODES ALL\nLINKS ALL")
            .with("INFLOWS", &format!("J1 FLOW \"\" FLOW 1.0 1.0 {flow}"))
            .with("COORDINATES", "O1 0 0");
        workshop.file("town.inp", inp.text());
        let dry = "--sewers town.inp --duration '20 min' --overwrite";
        workshop.run(dry).done();
        assert_eq!(workshop.volume("results", "inflow_m3"), 0.0);
        let [report, alone] = ["alone.rpt", "alone.out"].map(|name| workshop.path(name));
        let mut network = Network::open(&workshop.path("town.inp"), &report, &alone).unwrap();
        network.start().unwrap();
        while network.time < 1200.0 - 1e-3 {
            network.step().unwrap();
        }
        network.finish().unwrap();
        let [coupled, alone] =
            [workshop.path("results/sewers.out"), alone].map(|path| std::fs::read(path).unwrap());
        assert!(coupled == alone, "{units}");
    }
}

/// Returns the levels of a lake of `surface` m² and of a store of `store` m² that exchange water
/// through a round opening of 0.6 m at level 0, at multiples of 10 s: exactly, by many small steps.
fn level_pool(surface: f64, store: f64, mut levels: [f64; 2], samples: usize) -> Vec<[f64; 2]> {
    let root = (2.0 * 9.81f64).sqrt();
    let (orifice, weir) = (0.6 * 0.283 * root, 0.4 * 1.885 * root);
    let steps = 20_000;
    let mut all = vec![levels];
    for _ in 1..samples {
        for _ in 0..steps {
            let up = levels[0].max(levels[1]);
            let drop = (levels[0] - levels[1]).abs().min(up.max(0.0));
            let flow = (weir * up.max(0.0)).min(orifice) * drop.sqrt();
            let volume = flow * (levels[0] - levels[1]).signum() * 10.0 / f64::from(steps);
            levels = [levels[0] - volume / surface, levels[1] + volume / store];
        }
        all.push(levels);
    }
    all
}

#[test]
fn a_store_fills_and_empties_like_the_level_pool() {
    if !has_swmm() {
        return;
    }
    // A pond of 20 × 20 m, and a storage unit of 50 m² below it and beside it.
    let workshop = Workshop::with_dem(&Raster::new(2, 2, |_, _| 10.0));
    let inp = |depth: f64| {
        Inp::new()
            .option("ROUTING_STEP", "1")
            .with("STORAGE", &format!("S1 7 6 {depth} FUNCTIONAL 0 0 50 0 0"))
            .with("OUTFALLS", "O1 6 FREE NO")
            .with("CONDUITS", "C1 S1 O1 100 0.013 5.9 0")
            .with("XSECTIONS", "C1 CIRCULAR 0.05 0 0 0")
            .at("S1", (0, 0))
            .with("COORDINATES", "O1 0 0")
    };
    for (order, (depth, water)) in [("1", (0.0, 1.0)), ("2", (0.0, 1.0)), ("2", (5.5, 0.2))] {
        workshop.file("town.inp", inp(depth).text());
        let depth_text = format!("{water} m");
        let words =
            ["--sewers", "town.inp", "--initial-depth", &depth_text, "--duration", "10 min"];
        workshop
            .run(&[&words[..], &["--gauge-every", "10s", "--order", order, "--overwrite"]].concat())
            .done();
        let heads = numbers(&workshop, "results", "sewers.csv", "S1 head [m]");
        let exact = level_pool(400.0, 50.0, [water, depth - 3.0], heads.len());
        let range = (water - (depth - 3.0)).abs();
        for (at, (head, exact)) in heads.iter().zip(&exact).enumerate() {
            let off = (head - 10.0 - exact[1]).abs();
            assert!(
                off < 0.02 * range,
                "order {order}, {} s: {head}, not {}",
                10 * at,
                10.0 + exact[1]
            );
        }
        let level = exact.last().unwrap();
        assert!((level[0] - level[1]).abs() < 0.01, "it has come to rest: {level:?}");
        assert!((heads.last().unwrap() - 10.0 - level[1]).abs() < 2e-3);
        assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    }
}

#[test]
fn a_small_manhole_under_a_large_head_stays_calm() {
    if !has_swmm() {
        return;
    }
    // 0.3 m³/s flow into a manhole whose outlet is nearly blocked, and out onto the street.
    for (order, step) in [("1", "5"), ("2", "5"), ("2", "20")] {
        let (workshop, inp) = street();
        let inp = inp
            .option("ROUTING_STEP", step)
            .with("JUNCTIONS", "J0 24 9 0 0 0")
            .with("CONDUITS", "C0 J0 J1 80 0.013 0 0")
            .with("XSECTIONS", "C0 CIRCULAR 0.4 0 0 0")
            .with("INFLOWS", "J0 FLOW \"\" FLOW 1.0 1.0 0.3")
            .with("COORDINATES", "J0 0 0");
        let blocked = inp.text().replace("C1 CIRCULAR 0.5", "C1 CIRCULAR 0.1");
        workshop.file("town.inp", blocked);
        let every = format!("{step}s");
        let words = "--sewers town.inp --duration '30 min' --open east";
        workshop.run(&format!("{words} --gauge-every '{every}' --order '{order}'")).done();
        let exchange = numbers(&workshop, "results", "sewers.csv", "J1 exchange [m3/s]");
        let settled = &exchange[exchange.len() / 2..];
        let mean = settled.iter().sum::<f64>() / settled.len() as f64;
        assert!(mean < -0.2, "{mean}");
        let swing = settled.iter().fold(0.0f64, |most, flow| most.max((flow - mean).abs()));
        assert!(swing < 0.02 * mean.abs(), "order {order}, {step} s: {mean} ± {swing}");
        assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    }
}

#[test]
fn a_river_drowns_an_outfall_and_flows_back_into_the_pipe() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    // The ditch rises above the outfall and the pipe, to 19 m.
    workshop.file("tide.csv", "time [min],level [m]\n0,17\n10,19\n60,19\n");
    let words = "--sewers town.inp --level east,tide.csv --duration '30 min'";
    workshop.run(&format!("{words} --gauge-every 10s")).done();
    let heads = numbers(&workshop, "results", "sewers.csv", "J1 head [m]");
    assert!((heads.last().unwrap() - 19.0).abs() < 0.02, "{heads:?}");
    let sewers = &workshop.report("results")["sewers"];
    let of = |name: &str| sewers[name].as_f64().unwrap();
    // Pipes of 0.5 m on 220 m, and two manholes. SWMM makes a third of this water itself as the
    // pipes fill from below, and says so.
    let full = std::f64::consts::PI * 0.0625 * 220.0 + 2.0 * 1.167 * 1.2;
    let made = 1.0 - of("swmm_flow_error_percent") / 100.0;
    let held = of("into_sewer_m3") * made - of("onto_surface_m3");
    assert!((held / full - 1.0).abs() < 0.1, "{held} of {full}");
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
}

#[test]
fn a_stage_boundary_takes_what_an_outfall_in_its_cell_brings_and_no_more() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    for solver in ["shallow-water", "inertial"] {
        let entered = |column: usize| {
            workshop.file("town.inp", inp.clone().at("O1", (column, 2)).text());
            let more = ["--level", "east,17.5 m", "--duration=20min", "--solver", solver];
            run(&workshop, &flood(), &[&more[..], &["--overwrite"]].concat()).done();
            let last = |name: &str| {
                *numbers(&workshop, "results", "mass_balance.csv", name).last().unwrap()
            };
            let brought = last("sewers in [m3]");
            assert!(brought > 60.0 && last("level east,17.5 m out [m3]") > 0.9 * brought);
            last("level east,17.5 m in [m3]")
        };
        let [beside, inside] = [28, 29].map(entered);
        assert!(inside < 1.3 * beside, "{solver}: {inside} m³ entered, {beside} m³");
    }
}

#[test]
fn a_layer_gives_a_node_several_inlets_with_their_own_sizes() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    let fields =
        [("name", OFTString), ("area", OFTReal), ("length", OFTReal), ("inlets", OFTInteger)];
    let two = Some(gdal::vector::FieldValue::IntegerValue(2));
    Shapes::new(&fields)
        .with("POINT (8.5 2.5)", &[text("J1"), number(0.1), number(0.8), two])
        .with("POINT (10.5 2.5)", &[text("J1"), number(0.2), None, None])
        .with("POINT (28.5 2.5)", &[text("O1"), None, None, None])
        .write(&workshop, "inlets.gpkg");
    let more = ["--duration", "5 min", "--sewer-nodes", "inlets.gpkg"];
    run(&workshop, &flood(), &more).done();
    assert_eq!(workshop.column("results/sewer_nodes.csv", "name"), ["J1", "O1"]);
    assert_eq!(workshop.report("results")["sewers"]["inlets"], 3);
    let twice = numbers(&workshop, "results", "sewer_nodes.csv", "max into sewer [m3/s]");
    Shapes::new(&fields)
        .with("POINT (8.5 2.5)", &[text("J1"), number(0.01), number(0.1), None])
        .write(&workshop, "small.gpkg");
    let more = ["--duration", "5 min", "--sewer-nodes", "small.gpkg", "--overwrite"];
    run(&workshop, &flood(), &more).done();
    let once = numbers(&workshop, "results", "sewer_nodes.csv", "max into sewer [m3/s]");
    assert!(twice[0] > 3.0 * once[0] && once[0] > 0.0, "{twice:?} {once:?}");
    Shapes::new(&fields)
        .with("POINT (8 2)", &[text("J7"), None, None, None])
        .write(&workshop, "wrong.gpkg");
    let arguments = flood();
    let mut words = vec!["run", "--dem", "dem.tif", "--duration", "5 min", "--out", "other"];
    words.extend(arguments.iter().map(String::as_str));
    words.extend(["--sewer-nodes", "wrong.gpkg"]);
    workshop.refuses(&words, &["sewer_nodes: the network has no node 'J7'", "wrong.gpkg, feature"]);
}

#[test]
fn a_run_that_is_stopped_resumes_to_the_same_results() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.option("VARIABLE_STEP", "0.75").text());
    let arguments = flood();
    let mut words: Vec<&str> = vec!["run", "--dem", "dem.tif", "--duration", "60 min"];
    words.extend(arguments.iter().map(String::as_str));
    words.extend(["--checkpoint-every", "0.02 s", "--keep-state"]);
    workshop.inundate(&[&words[..], &["--out", "whole"]].concat()).done();
    let mut stops = 0;
    let mut running = workshop.start(&words);
    loop {
        let before = workshop.path("results/.checkpoint/before");
        wait_until("a checkpoint", || (before.exists() || running.has_ended()).then_some(()));
        // At first killed, then stopped.
        let signal = if stops == 0 { libc::SIGKILL } else { libc::SIGTERM };
        let was_running = stops < 3 && running.signal(signal);
        let ran = running.end();
        if !was_running || ran.code == Some(0) {
            ran.done();
            break;
        }
        stops += 1;
        running = workshop.start("resume results");
    }
    assert!(stops > 0, "it was too fast to be stopped");
    for table in ["sewers.csv", "sewer_nodes.csv", "mass_balance.csv", "sewers.out"] {
        let [a, b] =
            ["whole", "results"].map(|out| std::fs::read(workshop.path(out).join(table)).unwrap());
        assert!(a == b, "{table} after {stops} stops");
    }
    let [a, b] =
        ["whole", "results"].map(|out| StateFile::read(&workshop.path(out).join("state.inundate")));
    assert!(a.numbers == b.numbers && a.header["sewers"] == b.header["sewers"]);
    assert!(a.header["sewers"]["intervals"] == 720, "{}", a.header["sewers"]["intervals"]);
    assert_eq!(
        pixels(workshop.path("whole/max_depth.tif")),
        pixels(workshop.path("results/max_depth.tif"))
    );
}

#[test]
fn a_run_cut_in_two_ends_like_the_whole() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    let keep = |more: &[&str]| run(&workshop, &flood(), &[&["--keep-state"], more].concat());
    // The cut is between two coupling times.
    keep(&["--duration", "503s", "--out", "first", "--output-every", "503s"]).done();
    keep(&["--duration", "397s", "--start-from", "first", "--out", "second"]).done();
    keep(&["--duration", "900s", "--out", "whole", "--output-every", "503s"]).done();
    let [second, whole] =
        ["second", "whole"].map(|out| StateFile::read(&workshop.path(out).join("state.inundate")));
    assert!(second.numbers == whole.numbers, "the state differs");
    let end = |out: &str, node: &str| {
        numbers(&workshop, out, "sewers.csv", &format!("{node} head [m]")).pop().unwrap()
    };
    for node in ["J1", "J2", "O1"] {
        assert_eq!(end("second", node), end("whole", node), "{node}");
    }
    // Another network cannot continue.
    let (_, other) = street();
    workshop.file("other.inp", other.option("ROUTING_STEP", "2").text());
    let words = "run --dem dem.tif --sewers other.inp --duration '1 min'";
    workshop.refuses(
        &format!("{words} --start-from first --out third"),
        &["start_from: 'first", "its sewer network differs", "--keep-state"],
    );
}

#[test]
fn what_swmm_cannot_compute_is_refused_with_a_reason() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    let refuse = |text: &str, more: &[&str], parts: &[&str]| {
        workshop.file("town.inp", text);
        let words = ["run", "--dem", "dem.tif", "--sewers", "town.inp", "--duration", "1 min"];
        let mut words = words.to_vec();
        words.extend(more);
        workshop.refuses(&words, parts);
    };
    refuse(
        "[JUNCTIONS]\nJ1 what 2\n",
        &[],
        &["sewers: SWMM refuses the input file", "ERROR 211", "what"],
    );
    refuse("hello\n", &[], &["sewers: SWMM refuses the input file"]);
    let text = inp.text();
    refuse(&text.replace("C2 J2 O1", "C2 J2 O7"), &[], &["ERROR 209", "O7"]);
    for routing in ["KINWAVE", "STEADY"] {
        let is = format!("FLOW_ROUTING is {routing}");
        refuse(
            &text.replace("DYNWAVE", routing),
            &[],
            &[&is, "no heads", "DYNWAVE", "ROUTING_STEP"],
        );
    }
    // SWMM's default, and its other name.
    for text in [text.replace("FLOW_ROUTING DYNWAVE\n", ""), text.replace("DYNWAVE", "DW")] {
        workshop.file("town.inp", text);
        workshop.inundate("check --dem dem.tif --sewers town.inp --duration '1 min'").done();
    }
    refuse(
        &text.replace("01/02/2020", "01/01/2020\nEND_TIME 00:00:30"),
        &[],
        &["ends after 30 s, but the run ends after 1 min", "END_DATE"],
    );
    refuse(
        &text,
        &["--solver", "aqua-graph", "--step", "1s"],
        &["sewers: 'aqua-graph' is an automaton"],
    );
    refuse(&text, &["--sewer-interval", "0.01s"], &["sewer_interval: 0.01 s is less than 0.1 s"]);
    refuse(
        &text,
        &["--sewer-interval", "1s"],
        &["sewer_interval: 1 s is shorter than the ROUTING_STEP", "5 s", "set ROUTING_STEP"],
    );
    let saved = inp.clone().with("FILES", "SAVE OUTFLOWS \"my notes.txt\"").text();
    refuse(&saved, &[], &["lets SWMM write", "my notes.txt", "[FILES]"]);
    refuse(&format!("\u{feff}{text}"), &[], &["begins with a byte order mark"]);
    workshop.file("town.inp", &text);
    let check = "check --dem dem.tif --sewers town.inp --duration '1 min'";
    workshop
        .inundate(&format!("{check} --sewer-interval 5min"))
        .done()
        .says(&["warning: sewer_interval: the heads of the sewers", "only every 5 min"]);
    refuse(
        &text,
        &["--sewer-crs", "EPSG:1"],
        &["sewer_crs: 'EPSG:1' is not a coordinate reference system"],
    );
    let moved = text.replace("500", "700");
    refuse(&moved, &[], &["sewers: none of the 3 nodes is in the domain", "sewer_crs"]);
    let rained = inp
        .clone()
        .with("RAINGAGES", "R INTENSITY 0:05 1.0 TIMESERIES T")
        .with("TIMESERIES", "T 0:00 10\nT 1:00 0")
        .with("SUBCATCHMENTS", "S R J1 1 50 100 1 0")
        .with("SUBAREAS", "S 0.01 0.1 0.05 0.05 25 OUTLET")
        .with("INFILTRATION", "S 3 0.5 4 7 0");
    refuse(
        &rained.text(),
        &["--rain", "20 mm/h"],
        &["'S' first", "counted twice", "IGNORE_RAINFALL"],
    );
    // The map is in the middle of the subcatchment.
    let corners = [(-1e3, -1e3), (2e3, -1e3), (2e3, 1e3), (-1e3, 1e3)];
    let corners = corners.map(|(x, y)| format!("S {} {}", CORNER.0 + x, CORNER.1 + y)).join("\n");
    let wide = rained.clone().with("POLYGONS", &corners);
    refuse(&wide.text(), &["--rain", "20 mm/h"], &["'S' first", "counted twice"]);
    let crs = ["--rain", "20 mm/h", "--sewer-crs", "EPSG:32633"];
    refuse(&wide.text(), &crs, &["'S' first", "counted twice"]);
    workshop.file("town.inp", rained.option("IGNORE_RAINFALL", "YES").text());
    workshop.run("--sewers town.inp --rain '20 mm/h' --duration '1 min'").done();
    workshop.refuses(
        "run --dem dem.tif --sewer-interval 5s --duration '1 min' --out none",
        &["sewer_interval: the run has no sewers"],
    );
    // A path of the results that SWMM cannot open, and a file of the user at one of them.
    let long = "o".repeat(240);
    let run = "--dem dem.tif --sewers town.inp --rain '20 mm/h' --duration '1 min' --out";
    std::fs::create_dir(workshop.path("mine")).unwrap();
    workshop.file("mine/sewer_nodes.csv", "mine");
    for command in ["check", "run"] {
        let parts = ["is longer than the 255 bytes that SWMM accepts", "choose a shorter out"];
        workshop.refuses(&format!("{command} {run} {long}"), &parts);
        let parts = ["'mine/sewer_nodes.csv' was not made by a run"];
        workshop.refuses(&format!("{command} {run} mine"), &parts);
    }
}

#[test]
fn check_lists_nodes_that_do_not_fit_the_map() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    let inp = inp
        .with("JUNCTIONS", "HIGH 17.7 4 0 0 0\nDEEP 17.7 0.6 0 0 0\nSHUT 17.7 2 0 3 0\nFAR 17.7 2 0 0 0\nLOST 17.7 2 0 0 0")
        .with("CONDUITS", "D1 HIGH J1 50 0.013 0 0\nD2 DEEP J1 50 0.013 0 0\nD3 SHUT J1 50 0.013 0 0\nD4 FAR J1 50 0.013 0 0\nD5 LOST J1 50 0.013 0 0")
        .with("XSECTIONS", "D1 CIRCULAR 0.5 0 0 0\nD2 CIRCULAR 0.5 0 0 0\nD3 CIRCULAR 0.5 0 0 0\nD4 CIRCULAR 0.5 0 0 0\nD5 CIRCULAR 0.5 0 0 0")
        .at("HIGH", (7, 2))
        .at("DEEP", (8, 2))
        .at("SHUT", (9, 2))
        .with("COORDINATES", "FAR 1 1");
    workshop.file("town.inp", inp.text().replace("O1 17.1 FREE NO", "O1 17.1 FIXED 17.3 NO"));
    let words = "check --dem dem.tif --sewers town.inp --duration '1 min'";
    workshop.inundate(words).done().says(&[
        "1 node is outside the domain and exchanges no water with the surface: FAR",
        "1 node has no coordinates and exchanges no water with the surface: LOST",
        "1 node has its rim more than 0.5 m above the ground; water enters and leaves at the ground: HIGH",
        "1 node has its rim more than 0.5 m below the ground; water enters and leaves at the ground: DEEP",
        "1 node is sealed",
        "SHUT",
        "the stage of 1 outfall is the water level on the map",
    ]);
}

#[test]
fn reports_a_start_of_the_sewers_that_is_not_that_of_the_run() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    let source = format!("{},{}", CORNER.0 + 5.0, CORNER.1 - 25.0);
    let requested = |command: &str, more: &[&str]| {
        let words = [command, "--dem", "dem.tif", "--sewers", "town.inp", "--duration", "1 min"];
        workshop.inundate(&[&words[..], more].concat()).done()
    };
    let warning = "warning: sewers: 'town.inp' starts at 2020-01-01T00:00:00, but the run at 2021-07-14T00:10:00+02:00; the start of the file is taken as that of the run";
    let late = ["--start", "2021-07-14T00:10+02:00"];
    requested("check", &late).says(&[warning, "START_DATE"]);
    requested("run", &[&late[..], &["--out", "late"]].concat()).says(&[warning]);
    // The clock of the run, in whatever time zone.
    let same = ["--start", "2020-01-01T00:00+02:00"];
    requested("check", &same).never_says("starts at");
    requested("check", &[]).never_says("starts at");
    requested("run", &[&same[..], &["--out", "first", "--keep-state"]].concat());
    requested("check", &["--start-from", "first"]).never_says("starts at");
    requested("check", &["--start-from", "first", "--start", "2020-01-01T00:00+02:00"])
        .says(&["but the first of the runs at 2019-12-31T23:59:00+02:00"]);
    // Without a start, the first date of the data.
    workshop.file("q.csv", "date,flow [m3/s]\n2021-07-14T00:10+02:00,0.1\n2021-07-15,0\n");
    requested("check", &["--source", &format!("{source},q.csv")]).says(&[warning]);
    workshop.file(
        "study.toml",
        "[base]\ndem = \"dem.tif\"\nsewers = \"town.inp\"\nduration = \"1 min\"\nsource = \"SOURCE,0.1 m3/s\"\n[matrix]\nstart = [\"2021-07-14T00:10+02:00\", \"2020-01-01T00:00Z\"]\n"
            .replace("SOURCE", &source),
    );
    let names_both = warning.split_at(warning.find("town").unwrap()).1;
    workshop.inundate("study study.toml").done().says(&[names_both]);
}

#[test]
fn without_the_library_or_with_another_version_it_explains_how_to_get_it() {
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    let run = "$INUNDATE run --dem dem.tif --sewers town.inp --duration '1 min'";
    workshop.shell(&format!("INUNDATE_SWMM=./none {run}")).exits(2).says(&[
        "INUNDATE_SWMM is '",
        "there is no libswmm5.so there",
        "pip install --target swmm swmm-toolkit",
    ]);
    workshop.file("old.c", "int swmm_getVersion(void) { return 51015; }\n");
    workshop.file("other.c", "int anything(void) { return 1; }\n");
    let made =
        workshop.shell("cc -shared -fPIC -o old.so old.c && cc -shared -fPIC -o other.so other.c");
    assert_eq!(made.code, Some(0), "{}", made.err);
    workshop
        .shell(&format!("INUNDATE_SWMM=./old.so {run}"))
        .exits(2)
        .says(&["the library is SWMM 5.1.15, but SWMM 5.2 is needed", "swmm-toolkit"]);
    workshop
        .shell(&format!("INUNDATE_SWMM=./other.so {run}"))
        .exits(2)
        .says(&["the library is not SWMM's"]);
    // Without sewers, nobody asks for it.
    workshop
        .shell(
            "INUNDATE_SWMM=./none $INUNDATE run --dem dem.tif --rain '9 mm/h' --duration '1 min'",
        )
        .done();
}

#[test]
fn models_of_a_process_have_networks_one_after_the_other() {
    if !has_swmm() {
        return;
    }
    let _one = ONE.lock();
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    let options = |out: &str| {
        let path = |name: &str| workshop.path(name).to_str().unwrap().to_string();
        let source = format!("{},{},0.4 m3/s", CORNER.0 + 5.0, CORNER.1 - 25.0);
        let (dem, inp, out) = (path("dem.tif"), path("town.inp"), path(out));
        let text = format!(
            "dem = {dem:?}\nsewers = {inp:?}\nsource = {source:?}\nduration = \"10 min\"\nout = {out:?}\nquiet = true\n"
        );
        Options::from_toml(&text, "a test").unwrap()
    };
    let start = |out: &str| Model::start(&options(out), vec!["a test".into()], |_| {});
    let mut first = start("a").unwrap();
    assert!(first.step(Leg::until(123.0), || true).unwrap());
    let error = start("b").err().expect("SWMM is in use");
    assert!(error.what.contains("another run of this process has an open SWMM network"), "{error}");
    // A change loads the state onto the device again, with the present heads.
    first.with(|run| run.set_water("water", &[(75, 1 << 22)])).unwrap();
    assert!(first.step(Leg::WHOLE, || true).unwrap());
    let finished = first.finish().unwrap().expect("it took steps");
    assert_eq!(finished.report.volume.error(), 0.0);
    let sewers = finished.report.sewers.expect("it has sewers");
    assert!(sewers.into_sewer_m3 > 20.0 && sewers.onto_surface_m3 > 10.0, "{sewers:?}");
    start("b").unwrap().give_up("the test is over");
}

#[test]
fn a_network_in_feet_exchanges_the_water_of_the_same_network_in_metres() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    let feet = |metres: f64| metres / 0.3048;
    let [i1, i2, i3] = [17.9, 17.7, 17.1].map(feet);
    let (depth, diameter, l1, l2) = (feet(2.0), feet(0.5), feet(100.0), feet(120.0));
    let text = inp
        .text()
        .replace("J1 17.9 2", &format!("J1 {i1} {depth}"))
        .replace("J2 17.7 2", &format!("J2 {i2} {depth}"))
        .replace("O1 17.1", &format!("O1 {i3}"))
        .replace("J1 J2 100", &format!("J1 J2 {l1}"))
        .replace("J2 O1 120", &format!("J2 O1 {l2}"))
        .replace("CIRCULAR 0.5", &format!("CIRCULAR {diameter}"));
    let into = |text: &str| {
        workshop.file("town.inp", text);
        run(&workshop, &flood(), &["--duration", "6 min", "--overwrite"]).done();
        workshop.report("results")["sewers"]["into_sewer_m3"].as_f64().unwrap()
    };
    let metric = into(&inp.text());
    for units in ["CFS", "GPM", "MGD"] {
        let found = into(&text.replace("FLOW_UNITS CMS", &format!("FLOW_UNITS {units}")));
        assert!((found / metric - 1.0).abs() < 1e-3, "{units}: {found}, not {metric}");
    }
}

#[test]
fn a_town_of_many_nodes_closes_to_the_grain() {
    if !has_swmm() {
        return;
    }
    // 14 × 14 manholes, a street per row, which drain to the west into a trunk that is too small.
    let size = 14;
    let ground = |column: usize, row: usize| {
        30.0 + 0.02 * column as f64 - 0.02 * row as f64 + 0.1 * ((column * 7 + row * 5) % 3) as f64
    };
    let workshop = Workshop::with_dem(&Raster::new(3 * size, 3 * size, ground));
    let mut inp = Inp::new();
    for row in 0..size {
        for column in 0..size {
            let cell = (3 * column + 1, 3 * row + 1);
            let invert = 28.0 + 0.06 * column as f64 - 0.06 * row as f64;
            let depth = ground(cell.0, cell.1) - invert;
            inp = inp.with("JUNCTIONS", &format!("M{row}_{column} {invert} {depth} 0 0 0"));
            inp = inp.at(&format!("M{row}_{column}"), cell);
            let to = match (row, column) {
                (_, 1..) => format!("M{row}_{}", column - 1),
                (row, _) if row + 1 < size => format!("M{}_0", row + 1),
                _ => "OUT".into(),
            };
            let pipe = format!("P{row}_{column} M{row}_{column} {to} 30 0.013 0 0");
            inp = inp.with("CONDUITS", &pipe);
            let diameter = if column == 0 { 0.6 } else { 0.4 };
            inp = inp.with("XSECTIONS", &format!("P{row}_{column} CIRCULAR {diameter} 0 0 0"));
        }
    }
    let inp = inp.with("OUTFALLS", "OUT 27.1 FREE NO").at("OUT", (0, 3 * size - 1));
    workshop.file("town.inp", inp.text());
    let words = "--sewers town.inp --rain '60 mm/h' --duration '15 min'";
    for (out, more) in [("a", ""), ("b", "--tile 16x9 --threads 1")] {
        workshop.run(&format!("{words} {more} --out '{out}'")).done();
        assert_eq!(workshop.volume(out, "error_m3"), 0.0);
        let report = workshop.report(out);
        let of = |name: &str| report["sewers"][name].as_f64().unwrap();
        assert_eq!(of("into_sewer_m3"), workshop.volume(out, "outflow_m3"));
        assert_eq!(of("onto_surface_m3"), workshop.volume(out, "inflow_m3"));
        assert!(of("into_sewer_m3") > 500.0 && of("onto_surface_m3") > 5.0, "{}", report["sewers"]);
    }
    for table in ["sewers.csv", "sewer_nodes.csv", "mass_balance.csv"] {
        let [a, b] = ["a", "b"].map(|out| std::fs::read(workshop.path(out).join(table)).unwrap());
        assert!(a == b, "{table}");
    }
}

#[test]
fn a_study_compares_networks() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("town.inp", inp.text());
    workshop.file("blocked.inp", inp.text().replace("C2 CIRCULAR 0.5", "C2 CIRCULAR 0.05"));
    let source = format!("{},{},0.4 m3/s", CORNER.0 + 5.0, CORNER.1 - 25.0);
    workshop.file(
        "base.toml",
        format!("dem = \"dem.tif\"\nsource = {source:?}\nduration = \"8 min\"\n"),
    );
    workshop.file(
        "study.toml",
        "base = \"base.toml\"\nout = \"study\"\n[matrix]\nsewers = [\"town.inp\", \"blocked.inp\"]\n",
    );
    workshop.inundate("study study.toml --jobs 2").done();
    let runs = std::fs::read_dir(workshop.path("study/runs")).unwrap();
    let onto = runs.map(|run| {
        let out = format!("study/runs/{}", run.unwrap().file_name().to_str().unwrap());
        workshop.report(&out)["sewers"]["onto_surface_m3"].as_f64().unwrap()
    });
    let onto: Vec<f64> = onto.collect();
    assert!(onto.len() == 2 && (onto[0] - onto[1]).abs() > 5.0, "{onto:?}");
}

#[test]
fn a_dry_node_above_the_ground_brings_no_water() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    let ground = 20.0 - 0.02 * 5.0;
    let above = format!("J1 {} 2 0 0 0", ground + 0.05);
    workshop.file("town.inp", inp.text().replace("J1 17.9 2 0 0 0", &above));
    let run = "--sewers town.inp --initial-depth '0 m' --duration '5 min'";
    workshop.run(run).done().says(&["invert above the ground", "J1"]);
    assert_eq!(workshop.volume("results", "stored_m3"), 0.0);
}

#[test]
fn names_in_latin_1_stay_different() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    let bytes = |text: String| -> Vec<u8> {
        text.replace("J1", "\u{c4}1").replace("J2", "\u{d6}1").chars().map(|c| c as u8).collect()
    };
    workshop.file("town.inp", bytes(inp.text()));
    let run: Vec<String> = flood();
    let more = ["--duration", "2 min", "--overwrite"];
    self::run(&workshop, &run, &more).done();
    let names = workshop.column("results/sewer_nodes.csv", "name");
    assert!(names.contains(&"\u{c4}1".to_string()) && names.contains(&"\u{d6}1".to_string()));
    let into = |workshop: &Workshop| workshop.report("results")["sewers"]["into_sewer_m3"].clone();
    let latin = into(&workshop);
    workshop.file("town.inp", inp.text());
    self::run(&workshop, &run, &more).done();
    assert_eq!(latin, into(&workshop));
}

#[test]
fn water_that_leaves_the_network_elsewhere_is_reported() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    // A node off the map floods by its own inflow.
    let text = inp
        .with("JUNCTIONS", "OFF 17.9 1 0 0 0")
        .with("CONDUITS", "C0 OFF J1 50 0.013 0 0")
        .with("XSECTIONS", "C0 CIRCULAR 0.1 0 0 0")
        .with("INFLOWS", "OFF FLOW \"\" FLOW 1.0 1.0 0.2")
        .with("COORDINATES", "OFF 1 1")
        .text();
    workshop.file("town.inp", &text);
    let run = "--sewers town.inp --initial-depth '0 m' --duration '10 min'";
    let flooded = "flooded out of nodes without exchange with the surface, and are lost";
    workshop.run(run).done().says(&[flooded]);
    let sewers = &workshop.report("results")["sewers"];
    let lost = sewers["flooded_m3"].as_f64().unwrap();
    assert!((80.0..120.0).contains(&lost), "{sewers}");
}

#[test]
fn files_that_the_network_reads_are_listed_and_part_of_its_checksum() {
    if !has_swmm() {
        return;
    }
    let (workshop, inp) = street();
    workshop.file("q.dat", "0:00 0.1\n24:00 0.1\n");
    let inp = inp.with("TIMESERIES", "T FILE \"q.dat\"").with("INFLOWS", "J1 FLOW T FLOW 1.0 1.0");
    workshop.file("town.inp", inp.text());
    let run = "--sewers town.inp --duration '2 min'";
    let first = "--initial-depth '0 m' --keep-state";
    workshop.run(&format!("{run} {first}")).done();
    let inputs = workshop.report("results")["inputs"].to_string();
    assert!(inputs.contains("q.dat"), "{inputs}");
    workshop.file("q.dat", "0:00 0.4\n24:00 0.4\n");
    let more = "run --dem dem.tif --start-from results --out next";
    workshop.refuses(&format!("{more} {run}"), &["the network"]);
}
