//! Does a GPU give the CPU's bits? For every rule, neighbourhood and kernel, in one piece and in tiles
//! that take turns, over terrain with everything on it: water, maxima, arrivals and the ledger.
//!
//! `make gpu-check` runs this where there is a GPU, and fails without one. As part of `make test`
//! it says that it was skipped if there is none. `--small` leaves out the large grids, for
//! compute-sanitizer; other arguments are words that a line must contain to be run.

mod common;

use common::{Case, State, every_case};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use inundate::backend::cpu::CpuOptions;
use inundate::backend::cuda::choose::{Processor, choose};
use inundate::backend::cuda::load::load;
use inundate::backend::cuda::open::{CudaOptions, open};
use inundate::backend::cuda::program::Choice;
use inundate::backend::cuda::source::{Kernel, Unit};
use inundate::boundary::OpenEdges;
use inundate::scenario::options::Device;
use inundate::simulation::Simulation;
use std::process::ExitCode;
use std::time::Instant;

/// After how many steps states are compared.
const STEPS: [u64; 3] = [1, 17, 1000];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // What cargo and test runners pass to a harness.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let required = std::env::var("INUNDATE_GPU_CHECK").is_ok_and(|value| value == "required");
    let gpu = match choose(Device::Cuda(None)) {
        Ok(chosen) => match chosen.what {
            Processor::Gpu(gpu) => gpu,
            Processor::Cpu => unreachable!("a GPU was asked for"),
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
    let mut table = Table { words, failed: 0, passed: 0 };
    arithmetic(gpu, small, &mut table);
    for (rule, neighbourhood) in every_case() {
        for (name, case) in cases(small, rule, neighbourhood) {
            let ways = ways(&case, gpu);
            let line = |way: &str| format!("{:<30} {name:<22} {way}", case.name());
            if !ways.iter().any(|(way, _)| table.wants(&line(way))) {
                continue;
            }
            let last = if small { 1 } else { STEPS.len() - 1 };
            let expected = states(&mut case.start(CpuOptions::default()), &case, &STEPS[..=last]);
            for (way, options) in ways {
                if table.wants(&line(&way)) {
                    let started = Instant::now();
                    let result = compare(&case, &options, &expected);
                    let took = format!("{:>6.1} s", started.elapsed().as_secs_f64());
                    table.tell(&format!("{:<90} {took}", line(&way)), result);
                }
            }
        }
    }
    println!("{} equal to the bit, {} not", table.passed, table.failed);
    if table.failed > 0 || table.passed == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
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

    fn tell(&mut self, line: &str, result: Result<(), String>) {
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

/// Everything that can happen to water, on grids of awkward sizes.
fn cases(
    small: bool,
    rule: &'static inundate::rule::RuleInfo,
    near: inundate::neighbourhood::Neighbourhood,
) -> Vec<(String, Case)> {
    let seed = 1 + std::process::id() as u64;
    let everything = |columns: usize, rows: usize, open: OpenEdges| {
        let mut case = Case::new(columns, rows, (rule, near))
            .hills(100.0, seed)
            .holes(0.03, seed + 1)
            .ponds(0.8, seed + 2)
            .rain(2e-6)
            .uneven_rain(3e-5, seed + 3)
            .open(open);
        let cell = |part: usize| (columns * part / 7, rows * part / 7);
        case = case
            .source(&[cell(1), cell(3)], &[(0.0, 0.01), (5.0, 0.0), (9.0, 0.02)])
            .source(&[cell(3)], &[(2.0, 0.03)]);
        let (column, row) = cell(5);
        case = case.top_up(column, row, 0.7);
        let (column, row) = cell(2);
        case.sink(column, row)
    };
    let sides = OpenEdges { north: true, west: true, ..OpenEdges::CLOSED };
    let mut cases = vec![
        ("1 x 777".to_string(), everything(1, 777, OpenEdges::ALL)),
        ("777 x 1".into(), everything(777, 1, sides)),
        ("65 x 33".into(), everything(65, 33, OpenEdges::ALL)),
        ("200 x 150, closed".into(), everything(200, 150, OpenEdges::CLOSED)),
    ];
    // Mostly dry, with a collar of NoData whose rim is open.
    let mut collar = Case::new(190, 170, (rule, near))
        .hills(3000.0, seed + 4)
        .source(&[(90, 60)], &[(0.0, 0.02)])
        .open(OpenEdges::ALL);
    for (cell, level) in collar.bed.iter_mut().enumerate() {
        let (column, row) = (cell % 190, cell / 190);
        if column + row < 60 || column > 150 + row / 8 {
            *level = f64::NAN;
        }
    }
    cases.push(("190 x 170, collar".into(), collar));
    if !small {
        cases.push(("1000 x 777".into(), everything(1000, 777, sides)));
        cases.push(("4096 x 4096".into(), everything(4096, 4096, OpenEdges::ALL)));
    }
    cases
}

/// Every kernel with the whole grid in one piece, and in tiles.
fn ways(case: &Case, gpu: usize) -> Vec<(String, CudaOptions)> {
    let mut ways = Vec::new();
    for kernel in Kernel::ALL {
        let options = CudaOptions {
            gpu,
            choice: Choice { kernel, ..Choice::default() },
            ..CudaOptions::default()
        };
        ways.push((kernel.name().to_string(), options));
        // At least nine tiles, unless there are fewer cells than that across.
        let tile = (case.columns.div_ceil(4), case.rows.div_ceil(3));
        ways.push((format!("{kernel}, 12 tiles"), CudaOptions { tile: Some(tile), ..options }));
    }
    // A budget of device memory that forces at least nine tiles.
    let bytes = (case.columns * case.rows) as u64 * 30 / 4;
    if bytes > 1 << 20 {
        let options = CudaOptions { gpu, memory: Some(bytes), ..CudaOptions::default() };
        ways.push(("fused, a quarter of the memory".into(), options));
    }
    ways
}

fn states(simulation: &mut Simulation, case: &Case, steps: &[u64]) -> Vec<State> {
    steps
        .iter()
        .map(|&step| {
            let more = step - simulation.clock.done;
            simulation.advance(more).expect("a run that stays shallow");
            case.state(simulation)
        })
        .collect()
}

fn compare(case: &Case, options: &CudaOptions, expected: &[State]) -> Result<(), String> {
    let backend = open(case.problem(), options).map_err(|error| error.to_string())?;
    if options.memory.is_some() && backend.plan().visits.len() < 9 {
        return Err(format!("only {} tiles", backend.plan().visits.len()));
    }
    let mut simulation = case.start_on(backend);
    for (expected, step) in expected.iter().zip(STEPS) {
        let more = step - simulation.clock.done;
        simulation.advance(more).map_err(|error| error.to_string())?;
        let state = case.state(&simulation);
        if state.ledger.error() != 0 {
            return Err(format!("step {step}: the ledger is off by {}", state.ledger.error()));
        }
        if let Some(what) = difference(&state, expected, case.columns) {
            return Err(format!("step {step}: {what}"));
        }
    }
    Ok(())
}

/// The first thing in which two states differ.
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
    (state.ledger != expected.ledger)
        .then(|| format!("ledger {:?}, not {:?}", state.ledger, expected.ledger))
}

/// The kernels' own root and quotient against the processor's correctly rounded ones.
fn arithmetic(gpu: usize, small: bool, table: &mut Table) {
    let source = r#"
#include "arithmetic.cuh"
extern "C" __global__ void roots(unsigned first, unsigned count, unsigned long long *wrong)
{
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        const float x = __uint_as_float(first + at);
        if (__float_as_uint(root(x)) != __float_as_uint(__fsqrt_rn(x))) atomicAdd(wrong, 1ull);
    }
}
extern "C" __global__ void quotients(unsigned seed, unsigned count, unsigned long long *wrong)
{
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        // 2^-30 to 2^40 over 2^-4 to 2^40, or small whole numbers over each other.
        unsigned long long bits = (seed + (unsigned long long)at) * 0x9E3779B97F4A7C15ull;
        bits ^= bits >> 29;
        bits *= 0xBF58476D1CE4E5B9ull;
        bits ^= bits >> 32;
        const unsigned high = (unsigned)(bits >> 32), low = (unsigned)bits;
        float a = __uint_as_float(((97u + high % 70u) << 23) | (low & 0x7fffffu));
        float b = __uint_as_float(((123u + low / 0x800000u % 44u) << 23) | (high >> 9));
        if (at % 4 == 0) {
            a = (float)(low % 100000u);
            b = (float)(1u + high % 100000u);
        }
        if (__float_as_uint(divide(a, b)) != __float_as_uint(__fdiv_rn(a, b))) atomicAdd(wrong, 1ull);
    }
}
"#;
    let unit = Unit { name: "arithmetic".into(), source: source.into() };
    let context = CudaContext::new(gpu).expect("a context");
    let stream = context.default_stream();
    let module = match load(&context, &unit) {
        Ok(module) => module,
        Err(error) => return table.tell("arithmetic", Err(error.to_string())),
    };
    // Every float from 1 to 2^64, and 0; then random quotients.
    let one = 1.0f32.to_bits();
    let all: u32 = if small { 1 << 20 } else { (64 << 23) + 1 };
    for (name, function, first, count) in [
        ("root, 0", "roots", 0u32, 1u32),
        ("root, every float from 1 to 2^64", "roots", one, all),
        (
            "quotient, random",
            "quotients",
            std::process::id(),
            if small { 1 << 20 } else { 3_000_000_000 },
        ),
    ] {
        let line = format!("arithmetic: {name} ({count} cases)");
        if !table.wants(&line) {
            continue;
        }
        let function = module.load_function(function).expect("the kernel");
        let mut wrong = stream.alloc_zeros::<u64>(1).expect("memory");
        let config =
            LaunchConfig { grid_dim: (4096, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are what the kernels above declare.
        unsafe {
            let mut launch = stream.launch_builder(&function);
            launch.arg(&first).arg(&count).arg(&mut wrong).launch(config).expect("a launch");
        }
        let wrong = stream.clone_dtoh(&wrong).expect("a result")[0];
        table.tell(&line, if wrong == 0 { Ok(()) } else { Err(format!("{wrong} wrong")) });
    }
}
