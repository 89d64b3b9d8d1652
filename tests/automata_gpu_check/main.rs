//! Checks that the automata's kernels give the CPU's states on a GPU, and measures their speed:
//! every technique of every automaton, on grids of awkward sizes, with both kinds of edges, up to a
//! thousand steps.
//!
//! `make gpu-check` runs this on a machine with a GPU, and fails without one. Without
//! `INUNDATE_GPU_CHECK=required`, a missing GPU is reported and the check is skipped. `make test`
//! does not include it. `--speed` measures instead of comparing, `--cpu` on one core of the CPU;
//! other arguments select the lines that contain them.

mod speed;

use inundate_automata::grid::{Edges, Grid};
use inundate_automata::machine::{Machine, Setup};
use inundate_automata::registry::Model;
use inundate_automata::techniques::{TECHNIQUES, choose};
use inundate_engine::backend::cuda::compile::Target;
use inundate_engine::backend::cuda::compile::cache::compile_once;
use inundate_engine::backend::cuda::compile::nvrtc::nvrtc;
use inundate_engine::backend::cuda::device::choose::{Processor, choose as choose_processor};
use inundate_engine::backend::cuda::open::contexts;
use inundate_engine::backend::cuda::options::CudaOptions;
use inundate_engine::device::Device;
use rayon::prelude::*;
use std::process::ExitCode;

/// Numbers of steps after which states are compared.
const STEPS: [u64; 4] = [1, 2, 7, 1000];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Arguments that cargo and test runners pass to a harness.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let words: Vec<&str> =
        arguments.iter().filter(|word| !word.starts_with('-')).map(String::as_str).collect();
    if has("--cpu") {
        speed::on_cpu(&words);
        return ExitCode::SUCCESS;
    }
    let required = std::env::var("INUNDATE_GPU_CHECK").is_ok_and(|value| value == "required");
    let gpu = match choose_processor(Device::Cuda(None)) {
        Ok(chosen) => match chosen.what {
            Processor::Gpu(gpu) => gpu,
            Processor::Cpu | Processor::Gpus(_) => unreachable!("a GPU was asked for"),
        },
        Err(error) if required => {
            println!("automata_gpu_check: FAILED: {error}");
            return ExitCode::FAILURE;
        }
        Err(error) => {
            println!("automata_gpu_check: SKIPPED, nothing was checked: {error}");
            return ExitCode::SUCCESS;
        }
    };
    let context = contexts(&CudaOptions { gpu, ..CudaOptions::default() });
    let context = context.unwrap_or_else(|error| panic!("{error}")).remove(0);
    compile_all(inundate_engine::backend::cuda::compile::load::capability(&context).unwrap_or(0));
    if has("--speed") {
        speed::table(&context, &words);
        return ExitCode::SUCCESS;
    }
    let (mut passed, mut failed) = (0, 0);
    for model in models() {
        for grid in grids(model) {
            for edges in Edges::ALL {
                let setup = Setup { model, edges, grid: &grid };
                let wanted = |name: &str| {
                    let line = format!("{}-{} {name}", model.automaton.name, model.states);
                    words.iter().all(|word| line.contains(word))
                };
                if !TECHNIQUES.iter().any(|technique| wanted(technique.name)) {
                    continue;
                }
                let cpu =
                    choose("auto", model, false).expect("a technique").cpu.expect("on the CPU");
                let expected = states(&mut *cpu(&setup));
                for technique in TECHNIQUES {
                    if !technique.goes_with(model) || !wanted(technique.name) {
                        continue;
                    }
                    let machine = technique.start_on(&context, &setup);
                    let result = machine.map(|mut machine| states(&mut *machine));
                    let why = match result {
                        Ok(states) if states == expected => None,
                        Ok(states) => {
                            let at = states.iter().zip(&expected).position(|(a, b)| a != b);
                            Some(format!("after {} steps", STEPS[at.unwrap_or(0)]))
                        }
                        Err(error) => Some(error.to_string()),
                    };
                    let size = format!("{} x {} x {}", grid.columns, grid.rows, grid.layers);
                    let line = format!("{model:?} {size} {} {}", edges.name(), technique.name);
                    match why {
                        None => passed += 1,
                        Some(why) => {
                            failed += 1;
                            println!("{line:<90} DIFFERENT: {why}");
                        }
                    }
                }
            }
        }
        println!("{:<14} {:>3} states, every technique", model.automaton.name, model.states);
    }
    println!("automata: {passed} equal, {failed} not");
    if failed > 0 || passed == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn models() -> Vec<Model> {
    let cyclic =
        [3, 16, 32].map(|states| Model::named("cyclic", Some(states)).expect("so many states"));
    Model::all().chain(cyclic).collect()
}

/// Returns grids with every state everywhere.
fn grids(model: Model) -> Vec<Grid> {
    let sizes: &[[usize; 3]] = match model.automaton.deep {
        true => &[[65, 33, 17], [1, 1, 1], [3, 2, 7], [130, 70, 61], [64, 6, 37]],
        false => &[[65, 33, 1], [1, 97, 1], [97, 1, 1], [1000, 777, 1], [4100, 300, 1], [1, 1, 1]],
    };
    let noise = Model::named("cyclic", Some(32)).expect("so many states");
    let lively = |&[x, y, z]: &[usize; 3]| {
        let grid = noise.soup(x, y, z, std::process::id().into());
        let states =
            grid.states.iter().map(|state| (usize::from(*state) * model.states / 32) as u8);
        Grid { states: states.collect(), ..grid }
    };
    sizes.iter().map(lively).collect()
}

/// Returns the states after each of [`STEPS`].
fn states(machine: &mut dyn Machine) -> Vec<Vec<u8>> {
    let mut done = 0;
    let after = |steps: &u64| {
        machine.step(steps - done).unwrap_or_else(|error| panic!("{error}"));
        done = *steps;
        machine.read().unwrap_or_else(|error| panic!("{error}")).states
    };
    STEPS.iter().map(after).collect()
}

/// Compiles everything, many units at a time, into the cache.
fn compile_all(capability: u32) {
    let Ok(nvrtc) = nvrtc() else { return };
    let Some(target) = Target::best(capability, &nvrtc.architectures) else { return };
    let all: Vec<_> = models()
        .into_iter()
        .flat_map(|model| TECHNIQUES.iter().map(move |technique| (model, technique)))
        .filter(|(model, technique)| technique.goes_with(*model))
        .map(|(model, technique)| technique.unit(model))
        .collect();
    // A unit that does not compile is reported when it is loaded.
    let made = all.par_iter().filter(|unit| compile_once(nvrtc, unit, target).is_ok()).count();
    println!("{made} of {} units compiled", all.len());
}
