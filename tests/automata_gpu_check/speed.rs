//! Speed of the techniques.

use cudarc::driver::CudaContext;
use inundate_automata::cpu::lanes::Lanes;
use inundate_automata::cpu::tiles;
use inundate_automata::grid::Edges;
use inundate_automata::machine::{Machine, Setup};
use inundate_automata::registry::Model;
use inundate_automata::techniques::TECHNIQUES;
use inundate_engine::error::Result;
use std::sync::Arc;
use std::time::Instant;

/// Duration of a measurement (s).
const SECONDS: f64 = 0.1;

fn models() -> Vec<Model> {
    let many = Model::named("cyclic", Some(32)).expect("so many states");
    Model::all().chain([many]).collect()
}

fn size(model: Model) -> [usize; 3] {
    if model.automaton.deep { [512, 512, 512] } else { [16384, 16384, 1] }
}

fn wanted(words: &[&str], line: &str) -> bool {
    words.iter().all(|word| line.contains(word))
}

/// Measures every technique of every automaton.
pub fn table(context: &Arc<CudaContext>, words: &[&str]) {
    for model in models() {
        let [x, y, z] = size(model);
        let grid = model.soup(x, y, z, 1);
        let setup = Setup { model, edges: Edges::Wrap, grid: &grid };
        for technique in &TECHNIQUES {
            let name = format!("{}-{} {}", model.automaton.name, model.states, technique.name);
            if !technique.goes_with(model) || !wanted(words, &name) {
                continue;
            }
            let kernels = &technique.cuda;
            let machine = technique.start_on(context, &setup);
            let mut machine = machine.unwrap_or_else(|error| panic!("{error}"));
            let step = step_time(&mut *machine, SECONDS, kernels.steps[0].into());
            let rate = grid.cells() as f64 / step.unwrap_or_else(|error| panic!("{error}"));
            let packing = kernels.packing(model);
            let cells = packing.cells.iter().product::<usize>() as f64;
            let bytes = (2 * packing.bytes * packing.planes) as f64 / cells;
            println!(
                "{name:<28} {:>9.1} G/s, {:>8.2} TB/s at {bytes:.3} B",
                rate / 1e9,
                rate * bytes / 1e12
            );
        }
    }
}

/// Measures every technique on one core of the CPU, the fast one with all vector widths.
pub fn on_cpu(words: &[&str]) {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for model in models() {
        let [x, y, z] = if model.automaton.deep { [256, 256, 128] } else { [4096, 4096, 1] };
        let grid = model.soup(x, y, z, 1);
        let setup = Setup { model, edges: Edges::Wrap, grid: &grid };
        let measure = |what: &str, machine: &mut dyn Machine, visit: u64| {
            let name = format!("{}-{} {what}", model.automaton.name, model.states);
            let step = step_time(machine, 10.0 * SECONDS, visit).expect("a step");
            println!("{name:<40} {:>9.3} G/s", grid.cells() as f64 / step / 1e9);
        };
        for technique in TECHNIQUES.iter().filter(|technique| technique.goes_with(model)) {
            let line = format!("{} {}", model.automaton.name, technique.name);
            let Some(cpu) = technique.cpu.filter(|_| wanted(words, &line)) else {
                continue;
            };
            one.install(|| match technique.name {
                "fused" => {
                    for lanes in Lanes::available() {
                        let mut machine = tiles::start(&setup, lanes, tiles::MOST);
                        measure(
                            &format!("fused, {}", lanes.name()),
                            &mut *machine,
                            tiles::MOST as u64,
                        );
                    }
                }
                name => measure(name, &mut *cpu(&setup), 1),
            });
        }
    }
}

/// Number of calls whose median is used.
const CALLS: usize = 5;

/// Returns the time of a step (s): the median of five calls, each with as many steps as take a
/// fifth of `seconds` (s), and a multiple of `visit` steps.
fn step_time(machine: &mut dyn Machine, seconds: f64, visit: u64) -> Result<f64> {
    let mut time = |steps: u64| -> Result<f64> {
        let start = Instant::now();
        machine.step(steps)?;
        Ok(start.elapsed().as_secs_f64() / steps as f64)
    };
    time(visit)?;
    let wanted = seconds / CALLS as f64;
    let mut steps = visit;
    loop {
        let took = time(steps)? * steps as f64;
        if took >= wanted {
            break;
        }
        let factor = (1.1 * wanted / took).clamp(1.5, 16.0);
        steps = ((steps as f64 * factor / visit as f64).ceil() as u64) * visit;
    }
    let mut calls = [0.0; CALLS];
    for took in &mut calls {
        *took = time(steps)?;
    }
    calls.sort_unstable_by(f64::total_cmp);
    Ok(calls[CALLS / 2])
}
