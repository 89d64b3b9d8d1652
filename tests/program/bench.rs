//! `inundate bench` on machines without a GPU.

use crate::cli_common;

use cli_common::{Ran, Workshop};
use inundate::engine::solver::{SOLVERS, SolverInfo};

/// Runs the program without visible GPUs.
fn bench(arguments: &str) -> Ran {
    let hidden = "export CUDA_VISIBLE_DEVICES=-1; exec \"$INUNDATE\" bench";
    Workshop::empty().shell(&format!("{hidden} {arguments}"))
}

#[test]
fn the_table_has_a_line_per_solver_neighbourhood_and_ground() {
    let ran = bench("--size 64 --seconds 0.01 --threads 1 --device auto").done();
    ran.prints(&["64 x 64 cells;", "copy GB/s", "wet M/s"]);
    // Solvers that support subgrid tables are measured with and without them.
    let grounds = |solver: &SolverInfo| 1 + usize::from(solver.knows_tables());
    let variants: usize =
        SOLVERS.iter().map(|solver| solver.neighbourhoods().len() * grounds(solver)).sum();
    assert_eq!(ran.out.lines().count(), 2 + variants, "{}", ran.out);
}

#[test]
fn json_gives_the_processor_and_the_wet_share_of_the_maps() {
    let arguments = "--size 64 --seconds 0.02 --threads 1 --tile 32x16 --solver aqua-graph --json";
    let json = bench(arguments).done();
    let results = json.json();
    let result = &results[0];
    assert!(result["device"].as_str().unwrap().starts_with("CPU, 1 thread, "), "{result}");
    assert_eq!(result["threads"], 1);
    assert!(result["wet"]["wet_share"].as_f64().unwrap() > 0.9, "{result}");
    assert!(result["dry"]["wet_share"].as_f64().unwrap() < 0.1, "{result}");
    for state in ["wet", "dry"] {
        assert!(result[state]["cell_steps_per_s"].as_f64().unwrap() > 0.0, "{result}");
        assert!(result[state]["copy_ratio"].as_f64().unwrap() > 0.0, "{result}");
    }
}

#[test]
fn the_report_is_a_markdown_table_of_the_machine() {
    let ran = bench("--report --size 64 --seconds 0.01 --threads 2 --solver inertial").done();
    ran.prints(&["## ", "Copies in GB/s: 1 thread ", "inundate bench --report --size 64"]);
    let rows: Vec<&str> = ran.out.lines().filter(|line| line.starts_with('|')).collect();
    let [names, _, plain, tables] = rows[..] else { panic!("{}", ran.out) };
    assert!(names.contains("1 thread: wet") && names.contains("2 threads: wet"), "{names}");
    assert!(plain.starts_with("| inertial | von-neumann |"), "{plain}");
    assert!(tables.starts_with("| inertial, tables |"), "{tables}");
    let columns = |row: &str| row.matches('|').count();
    assert!(rows.iter().all(|row| columns(row) == columns(plain)), "{}", ran.out);
}

#[test]
fn refuses_gpu_options_without_a_gpu() {
    for arguments in ["--device cuda", "--device cuda:0"] {
        let ran = bench(arguments).says(&["error: device: ", "hint: "]);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
    }
}

#[test]
fn refuses_invalid_sizes_and_flags() {
    for (arguments, part) in [
        ("--scaling --tile 32", "cannot be used with"),
        ("--report --json", "cannot be used with"),
        ("--size 60001", "60000"),
        ("--solver lattice", "lattice"),
        ("--size 64 --tile 0", "tile: '0' is not a tile size"),
    ] {
        let ran = bench(arguments).says(&[part]);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
    }
}

#[test]
fn compares_ranks_on_one_machine_with_a_single_process() {
    // As many ranks as cores: the machine may have only one.
    let ran = bench("--scaling --device cpu --size 64 --seconds 0.02 --solver aqua-graph");
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        return;
    }
    let ran = ran.done();
    ran.prints(&["ranks with 1 thread each", "weak     1        64 x 64"]);
    ran.prints(&["weak     2       64 x 128", "strong     2        64 x 64", "%"]);
}
