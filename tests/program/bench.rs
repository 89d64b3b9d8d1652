//! `inundate bench` on machines without a GPU.

use crate::cli_common;

use cli_common::{Ran, Workshop};
use inundate::engine::rule::RULES;
use serde_json::Value;

/// Runs the program where no GPU can be seen.
fn bench(arguments: &str) -> Ran {
    let hidden = "export CUDA_VISIBLE_DEVICES=-1; exec \"$INUNDATE\" bench";
    Workshop::empty().shell(&format!("{hidden} {arguments}"))
}

#[track_caller]
fn shows(ran: &Ran, parts: &[&str]) {
    for part in parts {
        assert!(ran.out.contains(part), "no {part:?} in: {}", ran.out);
    }
}

#[test]
fn the_table_has_a_line_per_rule_and_neighbourhood() {
    for device in ["", "--device cpu", "--device auto"] {
        let ran = bench(&format!("--size 64 --seconds 0.02 --threads 1 {device}")).done();
        shows(&ran, &["64 x 64 cells;", "copy GB/s", "wet M/s"]);
        let variants: usize = RULES.iter().map(|rule| rule.neighbourhoods().len()).sum();
        assert_eq!(ran.out.lines().count(), 2 + variants, "{}", ran.out);
    }
}

#[test]
fn json_tells_the_processor_and_how_wet_the_maps_were() {
    let arguments = "--size 64 --seconds 0.02 --threads 1 --tile 32x16 --rule aqua-graph --json";
    let json = bench(arguments).done();
    let results: Value = serde_json::from_str(&json.out).expect("nothing but JSON on stdout");
    let result = &results[0];
    assert!(result["device"].as_str().unwrap().starts_with("CPU, 1 thread, "), "{result}");
    assert_eq!(result["threads"], 1);
    assert!(result["wet"]["wet_share"].as_f64().unwrap() > 0.9, "{result}");
    assert!(result["dry"]["wet_share"].as_f64().unwrap() < 0.1, "{result}");
}

#[test]
fn the_papers_tables_go_as_far_as_they_can_without_a_gpu() {
    let ran = bench("--papers --size 128 --seconds 0.02").done();
    shows(&ran, &["Rinaldi et al. 2008", "1 thread", "scaled to 1000", "128 x 128"]);
    shows(&ran, &["There is no GPU to compare with: "]);
    assert!(!ran.out.contains("256 x 256"), "{}", ran.out);
    let json = bench("--papers --size 128 --seconds 0.02 --device cpu --json").done();
    let papers: Value = serde_json::from_str(&json.out).expect("nothing but JSON on stdout");
    let row = &papers["aqua_graph"][0];
    assert_eq!((&row["size"], &row["gpu_s"]), (&128.into(), &Value::Null));
    assert!(row["cpu_s"].as_f64().unwrap() > 0.0 && row["cpu_steps"].as_u64().unwrap() > 0);
    assert_eq!(
        papers["left_out"],
        serde_json::json!(["No GPU was measured: the CPU alone was asked for."])
    );
}

#[test]
fn the_papers_automata_are_measured_and_written_as_tables_and_curves() {
    let workshop = Workshop::empty();
    let hidden = "export CUDA_VISIBLE_DEVICES=-1; exec \"$INUNDATE\" bench";
    let ran = workshop
        .shell(&format!("{hidden} --papers --size 256 --seconds 0.002 --out tables"))
        .done();
    shows(
        &ran,
        &[
            "002, table 1: Game of Life, on the CPU: ms of 1024 steps",
            "004: clouds",
            "256 x 256",
            "The tables are in tables",
        ],
    );
    let names = workshop.names("tables");
    for table in ["000-aqua-graph", "002-table-1-life", "002-table-4-wireworld", "004-clouds"] {
        for ending in ["csv", "svg"] {
            assert!(names.contains(&format!("{table}.{ending}")), "{names:?}");
        }
    }
    let table = std::fs::read_to_string(workshop.path("tables/002-table-1-life.csv")).unwrap();
    let mut lines = table.lines();
    let head = "size,\"baseline (ms, printed)\",byte (ms),";
    assert!(lines.next().unwrap().replace('"', "").starts_with(&head.replace('"', "")), "{table}");
    assert!(lines.next().unwrap().starts_with("256,6.2,"), "{table}");
    let curves = std::fs::read_to_string(workshop.path("tables/002-table-1-life.svg")).unwrap();
    assert!(curves.starts_with("<svg") && curves.contains("packet64"), "{curves}");
    let ran = bench("--size 64 --out tables").says(&["--papers"]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn what_needs_a_gpu_is_refused_without_one() {
    for arguments in ["--device cuda", "--device cuda:0", "--papers --device cuda"] {
        let ran = bench(arguments).says(&["error: device: ", "hint: "]);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
    }
}

#[test]
fn sizes_and_flags_that_make_no_sense_are_refused() {
    for (arguments, part) in [
        ("--papers --size 100", "128 x 128 cells"),
        ("--papers --scaling", "cannot be used with"),
        ("--papers --rule aqua-graph", "cannot be used with"),
        ("--size 60001", "60000"),
        ("--size 64 --tile 0", "tile: '0' is not a tile size"),
    ] {
        let ran = bench(arguments).says(&[part]);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
    }
}

#[test]
fn ranks_on_the_cores_of_a_machine_are_measured_against_one() {
    // As many as there are cores: the machine may have one alone.
    let ran = bench("--scaling --device cpu --size 64 --seconds 0.02 --rule aqua-graph");
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        return;
    }
    let ran = ran.done();
    shows(
        &ran,
        &["ranks with 1 thread each", "weak     1        64 x 64", "weak     2       64 x 128"],
    );
    shows(&ran, &["strong     2        64 x 64", "%"]);
}

#[test]
fn whole_runs_are_told_with_their_parts_and_the_floor() {
    let ran = bench("--whole --size 128 --runs 1 --device cpu --threads 2").done();
    shows(&ran, &["valley", "rain, 30 min", "town", "automaton", "128 x 128", "floor", "ratio"]);
    assert_eq!(ran.out.lines().count(), 2 + 6, "{}", ran.out);
    let json = bench("--whole --size 128 --runs 1 --json").done();
    let results: Value = serde_json::from_str(&json.out).expect("nothing but JSON on stdout");
    for result in results.as_array().unwrap() {
        let sum = |key: &str| {
            let parts = result[key].as_object().unwrap().values();
            parts.map(|part| part.as_f64().unwrap()).sum::<f64>()
        };
        let wall = result["wall_s"].as_f64().unwrap();
        assert!(sum("parts_s") <= wall && sum("floor_s") > 0.0, "{result}");
        let ratio = wall / sum("floor_s");
        assert!((result["ratio"].as_f64().unwrap() - ratio).abs() < 1e-6, "{result}");
    }
    assert_eq!(results[5]["steps"], 1000);
    let ran = bench("--whole --size 64");
    assert_eq!(ran.code, Some(2));
    ran.says(&["size: with --whole 64 cells are too few", "--size 128"]);
}

/// Races against programs in the place of other models.
fn race(script: &str, variables: &str) -> Ran {
    let workshop = Workshop::empty();
    workshop.file("model.sh", script);
    workshop.shell(&format!(
        "model=\"sh $PWD/model.sh\"; export PATH=/usr/bin:/bin CUDA_VISIBLE_DEVICES=-1 {variables}; exec \"$INUNDATE\" bench --race --size 40 --runs 1"
    ))
}

#[test]
fn the_race_runs_models_that_are_there_on_the_same_terrain_and_says_how_to_have_the_others() {
    // Each gets what it reads: the same 40 rows of heights, and the rain.
    let reads = "set -e; test $(head -6 dem.asc | grep -c .) = 6; test $(tail -n +7 dem.asc | wc -l) = 40\n\
                 grep -q 50 race.rain 2> /dev/null || grep -q 50 rain.csv\n";
    let both = "INUNDATE_RACE_LISFLOOD=\"$model\" INUNDATE_RACE_CAFLOOD=\"$model\"";
    let ran = race(reads, both).done();
    shows(&ran, &["inundate", "1.00", "LISFLOOD-FP  ", "CADDIES-caflood  "]);
    shows(&ran, &["not here: TRITON: set INUNDATE_RACE_TRITON", "'triton' into the PATH"]);
    let alone = race(reads, "INUNDATE_RACE_TRITON=").done();
    assert_eq!(alone.out.matches("not here: ").count(), 3, "{}", alone.out);
    let zones = "set -e; test $(wc -l < zones.asc) = 40; grep -q 'sim_duration=1200' race.cfg\n";
    race(zones, "INUNDATE_RACE_TRITON=\"$model\"").done();
    let broken = race("echo no such grid; exit 3\n", "INUNDATE_RACE_TRITON=\"$model\"");
    assert_eq!(broken.code, Some(1));
    broken.says(&["TRITON failed", "no such grid", "its command was: sh "]);
}
