//! Checks that a GPU gives the CPU's bits, for every solver and neighbourhood, in one piece and in
//! tiles computed one after the other, over terrain with every feature: water, maxima, arrivals and
//! the mass balance.
//!
//! `make gpu-check` runs this on a machine with a GPU, and fails without one. Without
//! `INUNDATE_GPU_CHECK=required`, a missing GPU is reported and the check is skipped. `make test`
//! does not include it. `--small` leaves out the large grids, for compute-sanitizer;
//! `--part=I/N` checks only every Nth case, from the Ith on (of 0 to N − 1), so that N processes share
//! the work; other arguments select the lines that contain them.

mod arithmetic;
#[path = "../engine/common/mod.rs"]
mod common;
mod dry_chunks;
mod resume;
mod roots;
mod samples;
mod vanishing_water;

use common::all_features::{LARGE, cases, everything};
use common::finer;
use common::links::{cornered, pumped};
use common::{Case, State, Variant, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::backend::cuda::device::choose::{Processor, choose, choose_awake};
use inundate_engine::backend::cuda::open::open;
use inundate_engine::backend::cuda::options::{ChunkList, CudaOptions};
use inundate_engine::device::Device;
use inundate_engine::simulation::Simulation;
use std::cell::Cell;
use std::process::ExitCode;
use std::time::Instant;

/// Numbers of steps after which states are compared.
const STEPS: [u64; 3] = [1, 17, 1000];

/// Numbers of steps on a grid of millions of cells, on which a thousand steps take the CPU minutes.
const STEPS_OF_MANY: [u64; 3] = [1, 17, 100];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Arguments that cargo and test runners pass to a harness.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let required = std::env::var("INUNDATE_GPU_CHECK").is_ok_and(|value| value == "required");
    // The contexts stay open, since opening a GPU takes longer than most checks.
    let (gpu, _awake) = match choose_awake(Device::Cuda(None)) {
        Ok((chosen, awake)) => match chosen.what {
            Processor::Gpu(gpu) => (gpu, awake),
            Processor::Cpu | Processor::Gpus(_) => unreachable!("a GPU was asked for"),
        },
        Err(error) if required => {
            println!("gpu_check: FAILED: {error}");
            return ExitCode::FAILURE;
        }
        Err(error) => {
            println!("gpu_check: SKIPPED, nothing was checked: {error}");
            return ExitCode::SUCCESS;
        }
    };
    let small = arguments.iter().any(|argument| argument == "--small");
    let words: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let (part, parts) = match part(&arguments) {
        Ok(part) => part,
        Err(argument) => {
            println!("gpu_check: FAILED: {argument} is not of the form --part=I/N with I below N");
            return ExitCode::FAILURE;
        }
    };
    let mut table = Table { words, failed: 0, passed: 0 };
    if part == 0 {
        arithmetic::check(gpu, small, &mut table);
    }
    let number = Cell::new(0);
    let in_part = || {
        number.set(number.get() + 1);
        number.get() % parts == part
    };
    for variant in every_case() {
        let seed = 1 + std::process::id() as u64;
        let cases = cases(small, variant, seed);
        let of_chunks =
            [vanishing_water::cases, dry_chunks::cases, finer::cases].map(|cases| cases(variant));
        let linked = [
            ("400 x 420, links".to_string(), cornered(400, 420, variant)),
            ("20 x 900, a pump".into(), pumped(20, 450, variant)),
            ("130 x 90, sewers".into(), sewers(130, 90, variant)),
        ];
        let all = cases.into_iter().chain(of_chunks.into_iter().flatten()).chain(linked);
        // Building a large one takes seconds.
        let large = LARGE.into_iter().filter(|_| !small && in_part()).map(|(size, open)| {
            (format!("{} x {}", size.0, size.1), everything(size, open, variant, seed))
        });
        for (name, case) in all.filter(|_| in_part()).chain(large) {
            let ways = ways(&case, gpu);
            let line = |way: &str| format!("{:<30} {name:<22} {way}", case.name());
            if !ways.iter().any(|way| table.wants(&line(&way.name))) {
                continue;
            }
            let last = if small { 1 } else { STEPS.len() - 1 };
            let many = case.bed.len() > 1 << 20;
            let all = if many { STEPS_OF_MANY } else { STEPS };
            let started = Instant::now();
            let expected =
                states(&mut case.start(CpuOptions::default()), &case, (&all[..=last], u64::MAX));
            println!("{:<90} {:>6.1} s", line("on the CPU"), started.elapsed().as_secs_f64());
            let seen = if many { Vec::new() } else { samples::on_the_cpu(&case) };
            let stops = expected.iter().any(Result::is_err);
            assert_eq!(stops, name.contains("too deep"), "{name} on the CPU");
            for way in ways {
                let line = line(&way.name);
                if table.wants(&line) {
                    let started = Instant::now();
                    let result = compare(&case, &way, &all[..=last], &expected);
                    let took = format!("{:>6.1} s", started.elapsed().as_secs_f64());
                    table.report(&format!("{line:<90} {took}"), result);
                    if !seen.is_empty() {
                        let result = samples::compare(&case, &way.options, way.alone(), &seen);
                        table.report(&format!("{line}, sampled"), result);
                    }
                    let stop = STEPS[1];
                    if let (Some(Ok(end)), false) = (expected.get(2), many) {
                        let result = resume::compare(&case, &way.options, (stop, STEPS[2]), end);
                        table.report(&format!("{line}, gone on"), result);
                        let result = resume::forced(&case, &way.options, (stop, STEPS[2]));
                        table.report(&format!("{line}, forced anew"), result);
                    }
                }
            }
        }
    }
    println!("{} equal to the bit, {} not", table.passed, table.failed);
    if table.failed > 0 || table.passed == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Returns the part of the cases to check, and the number of parts: `(0, 1)` unless an argument states
/// them.
///
/// # Errors
///
/// Returns the argument if it does not.
fn part(arguments: &[String]) -> Result<(usize, usize), &str> {
    let Some(argument) = arguments.iter().find(|argument| argument.starts_with("--part")) else {
        return Ok((0, 1));
    };
    let part = argument.strip_prefix("--part=").and_then(|part| part.split_once('/'));
    part.and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)))
        .filter(|(part, parts)| part < parts)
        .ok_or(argument.as_str())
}

struct Table<'a> {
    words: Vec<&'a String>,
    failed: usize,
    passed: usize,
}

impl Table<'_> {
    fn wants(&self, line: &str) -> bool {
        self.words.iter().all(|word| line.contains(word.as_str()))
    }

    fn report(&mut self, line: &str, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.passed += 1;
                println!("{line:<100} equal");
            }
            Err(why) => {
                self.failed += 1;
                println!("{line:<100} DIFFERENT: {why}");
            }
        }
    }
}

/// A way to distribute a grid over GPUs.
struct Way {
    name: String,
    options: CudaOptions,
    /// Maximum number of steps requested at a time.
    at_a_time: u64,
}

impl Way {
    /// Returns `true` if a single GPU holds the whole grid.
    fn alone(&self) -> bool {
        let CudaOptions { tile, strips, gpus, memory, .. } = self.options;
        tile.is_none() && strips.is_none() && gpus.is_none() && memory.is_none()
    }
}

/// Returns the variants: whole grid, list of chunks, tiles, and strips.
fn ways(case: &Case, gpu: usize) -> Vec<Way> {
    let usual = CudaOptions { gpu, ..CudaOptions::default() };
    let way = |name: &str, options| Way { name: name.into(), options, at_a_time: u64::MAX };
    let whole = CudaOptions { chunk_list: ChunkList::Never, ..usual };
    let long = CudaOptions { march: Some(8), ..whole };
    let mut ways = vec![way("fused", whole), way("fused, long marches", long)];
    if case.solver.is_timed() {
        let listed = CudaOptions { chunk_list: ChunkList::Always, ..usual };
        ways.push(way("fused, by a list", listed));
        // Listed chunks take over from wider ones each time, after even and odd numbers of steps.
        ways.push(Way { at_a_time: 1, ..way("fused, by a list, step by step", listed) });
    }
    // At least nine tiles, if the grid is wide enough.
    let tile = Some((case.columns.div_ceil(4), case.rows.div_ceil(3)));
    ways.push(way("fused, 12 tiles", CudaOptions { tile, ..usual }));
    // Strips on a single GPU, and on all GPUs.
    for strips in [2, 3] {
        let options = CudaOptions { strips: Some(strips), ..usual };
        ways.push(way(&format!("fused, {strips} strips"), options));
    }
    if let Ok(Processor::Gpus(gpus)) = choose(Device::CudaAll).map(|chosen| chosen.what) {
        let options = CudaOptions { gpus: Some(gpus), ..usual };
        ways.push(way(&format!("fused, {} GPUs", gpus.numbers().count()), options));
        let tiled = format!("fused, {} GPUs, 12 tiles", gpus.numbers().count());
        ways.push(way(&tiled, CudaOptions { tile, ..options }));
    }
    // A device memory budget that forces at least nine tiles.
    let bytes = (case.columns * case.rows) as u64 * 30 / 4;
    if bytes > 1 << 20 {
        let options = CudaOptions { gpu, memory: Some(bytes), ..CudaOptions::default() };
        ways.push(way("fused, a quarter of the memory", options));
    }
    ways
}

/// Returns the state after each number of steps, or the step in which water got too deep. At most
/// `at_a_time` steps are requested at a time.
fn states(
    simulation: &mut Simulation,
    case: &Case,
    (steps, at_a_time): (&[u64], u64),
) -> Vec<Result<State, u64>> {
    let mut states = Vec::new();
    for &step in steps {
        while simulation.clock.done < step {
            let more = (step - simulation.clock.done).min(at_a_time);
            if simulation.advance(more).is_err() {
                states.push(Err(simulation.clock.done));
                return states;
            }
        }
        states.push(Ok(case.state(simulation)));
    }
    states
}

fn compare(
    case: &Case,
    Way { options, at_a_time, .. }: &Way,
    steps: &[u64],
    expected: &[Result<State, u64>],
) -> Result<(), String> {
    let failed = |error: inundate_engine::error::Error| error.to_string();
    let backend = open(case.problem(), options).map_err(failed)?;
    if options.memory.is_some() && backend.plan().subdomains.len() < 9 {
        return Err(format!("only {} tiles", backend.plan().subdomains.len()));
    }
    let states = states(&mut case.start_on(backend), case, (steps, *at_a_time));
    for ((state, expected), step) in states.iter().zip(expected).zip(steps) {
        match (state, expected) {
            (Ok(state), Ok(expected)) => {
                if state.ledger.error() != 0 {
                    return Err(format!(
                        "step {step}: the ledger is off by {}",
                        state.ledger.error()
                    ));
                }
                if let Some(what) = difference(state, expected, case.columns) {
                    return Err(format!("step {step}: {what}"));
                }
            }
            (Err(at), Err(wanted)) if at == wanted => {}
            (state, expected) => {
                let shown = |state: &Result<State, u64>| match state {
                    Ok(_) => "went on".to_string(),
                    Err(at) => format!("got too deep in step {at}"),
                };
                return Err(format!("{}, where the CPU {}", shown(state), shown(expected)));
            }
        }
    }
    Ok(())
}

/// Describes the first difference of two states.
fn difference(state: &State, expected: &State, columns: usize) -> Option<String> {
    let cell = |name: &str, cell: usize, a: &dyn std::fmt::Display, b: &dyn std::fmt::Display| {
        format!("{name} in column {}, row {}: {a}, not {b}", cell % columns, cell / columns)
    };
    for (name, a, b) in
        [("water", &state.water, &expected.water), ("maximum", &state.most, &expected.most)]
    {
        if let Some(at) = (0..a.len()).find(|&at| a[at] != b[at]) {
            let count = (0..a.len()).filter(|&at| a[at] != b[at]).count();
            return Some(format!("{} ({count} cells)", cell(name, at, &a[at], &b[at])));
        }
    }
    let (a, b) = (&state.arrival, &expected.arrival);
    if let Some(at) = (0..a.len()).find(|&at| a[at] != b[at]) {
        let (a, b) = (f32::from_bits(a[at]), f32::from_bits(b[at]));
        return Some(cell("arrival", at, &a, &b));
    }
    let (a, b) = (&state.diagnostics, &expected.diagnostics);
    if let Some(at) = (0..a.len()).find(|&at| a[at] != b[at]) {
        let count = (0..a.len()).filter(|&at| a[at] != b[at]).count();
        let (a, b) = (f32::from_bits(a[at]), f32::from_bits(b[at]));
        return Some(format!(
            "note {at} of {}: {a}, not {b} ({count} notes)",
            state.diagnostics.len()
        ));
    }
    if state.gauges != expected.gauges {
        return Some(format!("gauges {:?}, not {:?}", state.gauges, expected.gauges));
    }
    if state.links != expected.links {
        return Some(format!("links {:?}, not {:?}", state.links, expected.links));
    }
    if state.port_volumes != expected.port_volumes {
        return Some(format!("ports {:?}, not {:?}", state.port_volumes, expected.port_volumes));
    }
    if state.wet_cells != expected.wet_cells {
        return Some(format!("{} wet cells, not {}", state.wet_cells, expected.wet_cells));
    }
    if state.control != expected.control {
        return Some(format!("step control {:?}, not {:?}", state.control, expected.control));
    }
    if state.crossed != expected.crossed {
        return Some(format!("{:?}, not {:?}", state.crossed, expected.crossed));
    }
    (state.ledger != expected.ledger)
        .then(|| format!("ledger {:?}, not {:?}", state.ledger, expected.ledger))
}

/// Ponds and dry hills with inlets of a sewer.
fn sewers(columns: usize, rows: usize, variant: Variant) -> Case {
    let cells: Vec<(usize, usize)> =
        (0..60).map(|at| (2 + (at * 37) % (columns - 4), 1 + (at * 53) % (rows - 2))).collect();
    Case::new(columns, rows, variant).hills(100.0, 91).ponds(2.0, 92).sewer_inlets(&cells)
}
