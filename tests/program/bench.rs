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
    assert_eq!((&result["threads"], &result["kernel"]), (&1.into(), &Value::Null));
    assert!(result["wet"]["wet_share"].as_f64().unwrap() > 0.9, "{result}");
    assert!(result["dry"]["wet_share"].as_f64().unwrap() < 0.1, "{result}");
}

#[test]
fn the_papers_tables_go_as_far_as_they_can_without_a_gpu() {
    let ran = bench("--papers --size 256 --seconds 0.02").done();
    shows(&ran, &["Rinaldi et al. 2008", "1 thread", "scaled to 1000", "128 x 128", "256 x 256"]);
    shows(&ran, &["There is no GPU to compare with: "]);
    assert!(!ran.out.contains("512 x 512"), "{}", ran.out);
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
fn what_needs_a_gpu_is_refused_without_one() {
    for arguments in ["--device cuda", "--device cuda:0", "--stream", "--papers --device cuda"] {
        let ran = bench(arguments).says(&["error: device: ", "hint: "]);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
    }
    let ran = bench("--stream --device cpu").says(&["nothing streams", "hint: give --device cuda"]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn sizes_and_flags_that_make_no_sense_are_refused() {
    for (arguments, part) in [
        ("--papers --size 100", "128 x 128 cells"),
        ("--papers --stream", "cannot be used with"),
        ("--papers --rule aqua-graph", "cannot be used with"),
        ("--size 40000", "32768"),
        ("--size 64 --tile 0", "tile: '0' is not a tile size"),
    ] {
        let ran = bench(arguments).says(&[part]);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
    }
}
