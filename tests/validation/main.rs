//! Runs each case of docs/validation.md with the solvers in physical time, and compares every figure
//! with its limit.
//!
//! `make validation` (`--full`) runs everything, again on the GPU if there is one, and writes
//! `target/validation.json`, the plots and the tables of docs/validation/. Without `--full`, the
//! quick cases are run, as part of `make test`. Other arguments select cases by letter, or solvers by
//! name. With `--full` and letters, the plots and tables of these cases are written (`--full aa
//! ab`), without the JSON; with names of solvers, nothing is written.

mod analytic;
mod bench;
mod cases;
mod channel;
#[path = "../program/cli_common/mod.rs"]
mod cli_common;
mod data;
mod engine;
mod metrics;
mod moving;
mod plot;
mod problem;
mod report;
mod setup;
#[path = "../tier.rs"]
mod tier;

use bench::Bench;
use cases::{CASES, Case};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Arguments that cargo and test runners pass to a harness.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    metrics::self_check();
    analytic::self_check();
    report::self_check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs"), CASES);
    let full = arguments.iter().any(|argument| argument == "--full");
    let words: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let (solvers, keys): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| bench::SOLVERS.contains(&word.as_str()));
    let wanted = |case: &&Case| match keys.is_empty() {
        true => full || case.quick,
        false => keys.iter().any(|key| *key == case.key),
    };
    let started = Instant::now();
    let mut benches = run(CASES.iter().filter(wanted).collect(), &solvers, full);
    benches.sort_by_key(|bench| (bench.case, place(bench.solver)));
    let mut outcomes: Vec<_> = benches.iter().flat_map(|bench| bench.outcomes.clone()).collect();
    outcomes.sort_by_key(|outcome| (outcome.case, place(outcome.solver)));
    println!();
    for outcome in &outcomes {
        println!("{}", report::line(outcome));
    }
    let count = |wanted: fn(&bench::Outcome) -> bool| outcomes.iter().filter(|o| wanted(o)).count();
    let missed = count(|outcome| !outcome.passes());
    let kept = count(|outcome| outcome.limit.is_some()) - missed;
    println!(
        "validation: {kept} limits kept, {missed} missed, {} not run, in {:.0} s ({})",
        count(|outcome| outcome.not_run.is_some()),
        started.elapsed().as_secs_f64(),
        engine::gpu_name().unwrap_or_else(|| "no GPU: CPU only".into()),
    );
    if full
        && solvers.is_empty()
        && let Err(error) = write(&benches, &outcomes, keys.is_empty())
    {
        println!("validation: {error}");
        return ExitCode::FAILURE;
    }
    if missed > 0 || kept == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Returns a solver's position in the tables.
fn place(solver: &str) -> usize {
    bench::SOLVERS.iter().position(|other| *other == solver).unwrap_or(usize::MAX)
}

/// Runs every case with each of its solvers, or only the selected ones, the long ones first, on one
/// core each.
fn run(cases: Vec<&Case>, alone: &[&String], full: bool) -> Vec<Bench> {
    let mut tasks: Vec<(&Case, &'static str, f64)> = Vec::new();
    for case in cases {
        let solvers = case
            .solvers
            .iter()
            .filter(|(solver, _)| alone.is_empty() || alone.iter().any(|one| one == solver));
        tasks.extend(solvers.map(|(solver, seconds)| (case, *solver, *seconds)));
    }
    tasks.sort_by(|a, b| a.2.total_cmp(&b.2));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (tasks, done) = (Mutex::new(tasks), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
                loop {
                    let Some((case, solver, _)) = tasks.lock().expect("no panic").pop() else {
                        break;
                    };
                    let started = Instant::now();
                    let mut bench = Bench::new(full, case.key, solver);
                    pool.install(|| (case.run)(&mut bench));
                    bench.close();
                    println!("{} {solver}: {:.1} s", case.key, started.elapsed().as_secs_f64());
                    done.lock().expect("no panic").push(bench);
                }
            });
        }
    });
    done.into_inner().expect("no panic")
}

/// Writes the plots and the tables of the cases that were run, and the JSON if all were run.
fn write(
    benches: &[Bench],
    outcomes: &[bench::Outcome],
    all: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let curves: Vec<&bench::Curve> = benches.iter().flat_map(|bench| &bench.curves).collect();
    let images = root.join("docs/images/validation");
    std::fs::create_dir_all(&images)?;
    for plot in CASES.iter().flat_map(|case| case.plots) {
        let mut ours: Vec<&bench::Curve> = Vec::new();
        for curve in curves.iter().filter(|curve| curve.plot == plot.file) {
            // A reference shared by several solvers is drawn once.
            if !ours.iter().any(|other| other.label == curve.label && other.points == curve.points)
            {
                ours.push(curve);
            }
        }
        if !ours.is_empty() {
            plot::draw(&images, plot, &ours)?;
        }
    }
    if all {
        report::write_json(&root.join("target/validation.json"), CASES, outcomes)?;
    }
    report::write_docs(&root.join("docs"), CASES, outcomes)?;
    Ok(())
}
