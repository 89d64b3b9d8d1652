//! How fast the techniques are on a GPU, and the fast kernels in other shapes.

use cudarc::driver::CudaContext;
use inundate_automata::cpu::lanes::Lanes;
use inundate_automata::cpu::tiles;
use inundate_automata::cuda::gpu::Gpu;
use inundate_automata::cuda::kernels::{Kernels, Threads};
use inundate_automata::cuda::machine::OnDevice;
use inundate_automata::grid::Edges;
use inundate_automata::machine::{Machine, Setup};
use inundate_automata::measure::step_time;
use inundate_automata::papers::TABLES;
use inundate_automata::registry::Model;
use inundate_automata::techniques::{TECHNIQUES, Technique};
use std::sync::Arc;

/// Seconds of a measurement.
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

/// Every technique of every automaton.
pub fn table(context: &Arc<CudaContext>, words: &[&str]) {
    for model in models() {
        let [x, y, z] = size(model);
        let grid = model.soup(x, y, z, 1);
        let setup = Setup { model, edges: Edges::Wrap, grid: &grid };
        for technique in &TECHNIQUES {
            let name = format!("{}-{} {}", model.automaton.name, model.states, technique.name);
            let Some(kernels) = technique.cuda.filter(|_| technique.goes_with(model)) else {
                continue;
            };
            if !wanted(words, &name) {
                continue;
            }
            let mut machine = technique
                .start_on(context, &setup)
                .expect("kernels")
                .unwrap_or_else(|error| panic!("{error}"));
            let step = step_time(&mut *machine, SECONDS, kernels.steps[0].into());
            let rate = grid.cells() as f64 / step.unwrap_or_else(|error| panic!("{error}"));
            let bytes = 2.0 * kernels.bits_per_cell(model) / 8.0;
            println!(
                "{name:<28} {:>9.1} G/s, {:>8.2} TB/s at {bytes:.3} B",
                rate / 1e9,
                rate * bytes / 1e12
            );
        }
    }
}

/// The papers' tables, as `inundate bench --papers` has them.
pub fn papers(context: &Arc<CudaContext>, words: &[&str]) {
    let on_gpu = |technique: &Technique, setup: &Setup| technique.start_on(context, setup);
    for table in TABLES.iter().filter(|table| wanted(words, table.name)) {
        println!("{}: ms of {} steps", table.title, table.steps);
        for (size, _) in table.rows {
            let times =
                table.measure(*size, SECONDS, &on_gpu).unwrap_or_else(|error| panic!("{error}"));
            let shown = |ms: Option<f64>| ms.map_or("-".into(), |ms| format!("{ms:.2}"));
            let cells: Vec<String> = times
                .iter()
                .map(|time| {
                    format!(
                        "{} {} ({})",
                        time.technique,
                        shown(time.ours_ms),
                        shown(time.printed_ms)
                    )
                })
                .collect();
            println!("{size:>6}: {}", cells.join(", "));
        }
    }
}

/// Every technique on one core of the CPU, the fast one with all lanes.
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

/// The kernels that march, in other shapes, of every automaton.
pub fn tuned() -> Vec<(Model, String, Technique)> {
    let of = |model: Model| {
        let name = if model.automaton.deep { "march" } else { "fused" };
        let found = TECHNIQUES.iter().find(|technique| technique.name == name);
        let found = *found.expect("it is there");
        let shapes = shapes(model, found.cuda.expect("kernels"));
        let all = shapes.into_iter().map(move |(what, kernels)| {
            let name = format!("{}-{} {what}", model.automaton.name, model.states);
            (model, name, Technique { cuda: Some(kernels), ..found })
        });
        all.collect::<Vec<_>>()
    };
    models().into_iter().flat_map(of).collect()
}

/// Measures them.
pub fn tune(context: &Arc<CudaContext>, words: &[&str]) {
    for (model, name, technique) in tuned() {
        if !wanted(words, &name) {
            continue;
        }
        let [x, y, z] = size(model);
        let grid = model.soup(x, y, z, 1);
        let setup = Setup { model, edges: Edges::Wrap, grid: &grid };
        let kernels = technique.cuda.expect("kernels");
        let gpu = Gpu::new(context, (technique.name, &kernels), model);
        let machine = gpu.and_then(|gpu| OnDevice::new(gpu, &kernels, &setup, None));
        let mut machine = machine.unwrap_or_else(|error| panic!("{error}"));
        print!("{name:<32}");
        for strip in if model.automaton.deep { [8, 16, 32, 64] } else { [64, 128, 256, 512] } {
            machine.march(strip);
            let step = step_time(&mut machine, SECONDS / 2.0, kernels.steps[0].into());
            let rate = grid.cells() as f64 / step.unwrap_or_else(|error| panic!("{error}"));
            print!("  {strip:>4}: {:>8.1} G/s", rate / 1e9);
        }
        println!();
    }
}

fn shapes(model: Model, kernels: Kernels) -> Vec<(String, Kernels)> {
    if model.automaton.deep {
        let with =
            |rows| (format!("{rows} rows"), Kernels { threads: Threads::Columns(rows), ..kernels });
        return [1, 2, 4, 8].map(with).to_vec();
    }
    let mut shapes = Vec::new();
    for words in [1, 2, 3] {
        for steps in [&[4u32, 2, 1][..], &[8, 4, 2, 1]] {
            let threads = Threads::Warps(words);
            shapes.push((
                format!("{words} words, {} steps", steps[0]),
                Kernels { threads, steps, ..kernels },
            ));
        }
    }
    shapes
}
