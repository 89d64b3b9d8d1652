//! The table of one machine for `docs/performance.md`: the CPU with one thread and with all, and
//! the GPU.

use super::BenchArgs;
use crate::bench::{Measured, cases, copy, grounds, measure};
use crate::engine::backend::cuda::device::discover::devices;
use crate::engine::lanes::InstructionSet;
use crate::error::Result;
use crate::run::with_threads;
use crate::scenario::options::Device;
use crate::speed::target::BenchTarget;

/// A processor, or a number of threads of the CPU, with the columns that it has in the table.
struct Column {
    /// Name in the head of the table.
    name: String,
    target: BenchTarget,
    threads: Option<usize>,
    /// Copy bandwidth (GB/s).
    copy: f64,
}

/// Measures all processors of the machine and prints a section of Markdown.
pub fn report(args: &BenchArgs) -> Result<()> {
    let columns = columns(args)?;
    head(args, &columns);
    for case in cases(args.solver.as_deref(), args.neighbourhood) {
        for &finer in grounds(case.0) {
            let measured = columns
                .iter()
                .map(|Column { target, threads, copy, .. }| {
                    with_threads(*threads, || {
                        measure(target, case, finer, args.size.into(), args.seconds, *copy)
                    })
                })
                .collect::<Result<Vec<Measured>>>()?;
            row(&measured);
        }
    }
    Ok(())
}

fn columns(args: &BenchArgs) -> Result<Vec<Column>> {
    let all = args.threads.unwrap_or(std::thread::available_parallelism().map_or(1, usize::from));
    let counts = if all > 1 { vec![1, all] } else { vec![1] };
    let mut columns = Vec::new();
    for count in counts {
        let name = if count == 1 { "1 thread".into() } else { format!("{count} threads") };
        let (target, threads) = (BenchTarget::Cpu(args.cpu()?), Some(count));
        let copy = with_threads(threads, || Ok(copy::on_host()))?;
        columns.push(Column { name, target, threads, copy });
    }
    if let Ok(gpu) = args.gpu(Device::Auto)? {
        let copy = copy::on_gpu(&gpu.context)?;
        let (target, threads) = (BenchTarget::Gpu(gpu), args.threads);
        columns.push(Column { name: "GPU".into(), target, threads, copy });
    }
    Ok(columns)
}

/// Prints what was measured and where, and the head of the table.
fn head(args: &BenchArgs, columns: &[Column]) {
    let cpu = cpu_name();
    let gpu = columns.iter().find_map(|column| match &column.target {
        BenchTarget::Gpu(gpu) => Some(gpu.name.as_str()),
        BenchTarget::Cpu(_) => None,
    });
    outln!("## {}\n", gpu.unwrap_or(&cpu));
    let found = devices();
    let mut machine = format!("{cpu} ({})", InstructionSet::best().name());
    if let Some(gpu) = gpu {
        machine += &format!(", {gpu}");
    }
    if let Some(driver) = found.driver {
        machine += &format!(", driver for CUDA {driver}");
    }
    if let Some(nvrtc) = found.nvrtc {
        machine += &format!(", NVRTC {}", nvrtc.version);
    }
    let copies: Vec<String> =
        columns.iter().map(|Column { name, copy, .. }| format!("{name} {copy:.0}")).collect();
    outln!(
        "{machine}. Copies in GB/s: {}. `inundate` {}:\n",
        copies.join(", "),
        env!("CARGO_PKG_VERSION")
    );
    outln!(
        "```text\ninundate bench --report --size {} --seconds {}\n```\n",
        args.size,
        args.seconds
    );
    let names: Vec<String> = columns
        .iter()
        .map(|Column { name, .. }| format!(" {name}: wet | of copy | dry/wet |"))
        .collect();
    outln!("| solver | neighbours |{}", names.concat());
    outln!("|---|---|{}", "---|".repeat(3 * columns.len()));
}

/// Prints the throughputs of a solver (10⁹ cell-steps per second).
fn row(measured: &[Measured]) {
    let values: Vec<String> = measured
        .iter()
        .map(|Measured { wet, dry, .. }| {
            let rate = wet.cell_steps_per_s / 1e9;
            let decimals = if rate < 1.0 { 3 } else { 1 };
            let drier = dry.cell_steps_per_s / wet.cell_steps_per_s;
            format!(" {rate:.decimals$} | {:.2} | {drier:.1} |", wet.copy_ratio)
        })
        .collect();
    let Measured { solver, neighbourhood, .. } = &measured[0];
    outln!("| {solver} | {neighbourhood} |{}", values.concat());
}

/// Returns the name of the CPU as Linux gives it, or else its architecture.
fn cpu_name() -> String {
    let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut names = facts.lines().filter_map(|line| line.strip_prefix("model name"));
    let name = names.next().map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_string());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_string())
}
