//! A run of the laboratory: reads or generates a grid of states, steps an automaton, and writes the
//! results.

mod frames;
mod progress;
mod read;
mod states;
mod write;

pub use frames::Frames;
pub use read::{Georeference, read};

use crate::automata::grid::{Edges, Grid};
use crate::automata::machine::{Machine, Setup};
use crate::automata::registry::Model;
use crate::automata::techniques::{self, Technique};
use crate::engine::backend::cuda::device::choose::{Processor, choose};
use crate::engine::backend::cuda::device::discover::name_of;
use crate::engine::backend::cuda::open::contexts;
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::device::Device;
use crate::error::{Error, Result};
use crate::observer::interrupt::{self, Phase};
use crate::output::folder::{OutputFolder, json_text, spare_others};
use crate::output::own_files::Maker;
use crate::results::report::VERSION;
use progress::AutomatonProgress;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use write::Writer;

/// The report, which is moved into place last.
const REPORT: &str = "automaton.json";

/// Maker of the files of automaton runs.
const AUTOMATON: Maker =
    Maker { name: "an automaton", report: REPORT, list: "files", can_make: write::is_result };

/// A task: an automaton, its initial states, and the requested outputs.
pub struct Task {
    /// Automaton with its states.
    pub model: Model,
    /// Initial states of the cells.
    pub grid: Grid,
    /// Georeference of the grid.
    pub place: Georeference,
    /// Boundary condition of the grid.
    pub edges: Edges,
    /// Number of steps to take.
    pub steps: u64,
    /// Steps between two maps of a series, if one is requested.
    pub every: Option<u64>,
    /// Name of the technique, or `auto`.
    pub technique: String,
    /// Device requested by the user.
    pub device: Device,
    /// Kind of pictures of the series, if requested.
    pub frames: Option<Frames>,
    /// Folder for the results.
    pub out: PathBuf,
    /// Set if earlier results may be replaced.
    pub overwrite: bool,
    /// Set if progress is not shown.
    pub quiet: bool,
}

/// Results of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Done {
    /// The program.
    pub version: &'static str,
    /// The automaton.
    pub automaton: &'static str,
    /// Number of its states.
    pub states: usize,
    /// Columns, rows and layers.
    pub size: [usize; 3],
    /// Boundary condition of the grid.
    pub edges: &'static str,
    /// Name of the technique.
    pub technique: &'static str,
    /// Name of the device used.
    pub device: String,
    /// Number of steps taken.
    pub steps: u64,
    /// Duration of the steps, without reading and writing (s).
    pub seconds: f64,
    /// Throughput in cell-steps per second.
    pub cell_steps_per_s: f64,
    /// Number of cells in each state at the end, by the state's name.
    pub population: Vec<(String, u64)>,
    /// Names of the written files.
    pub files: Vec<String>,
}

/// Runs a task; raising `stop` ends it early.
///
/// # Errors
/// If the grid is invalid for the automaton, the technique does not support it, or the device or
/// the disk fails.
pub fn run(task: &Task, stop: &AtomicBool) -> Result<Done> {
    task.model.check(&task.grid)?;
    if task.frames.is_some() && task.every.is_none() {
        return Err(Error::input("frames: pictures need a series, but none is requested")
            .hint("request a series with --every"));
    }
    let (technique, device, mut machine) = start(task)?;
    let folder = OutputFolder::prepare(&task.out, &AUTOMATON, task.overwrite)?;
    let ours: Vec<PathBuf> = folder.earlier().iter().map(|name| task.out.join(name)).collect();
    spare_others(&task.out, &AUTOMATON, &ours, |name| write::writes(task, name))?;
    interrupt::makes_ready_in(&task.out, folder.staged("").as_path());
    interrupt::enter(Phase::Stepping);
    let mut writer = Writer::new(task, &folder)?;
    writer.add(0, &task.grid, task.every.is_some())?;
    let mut progress = AutomatonProgress::new(task);
    let (mut done, mut seconds) = (0, 0.0);
    while done < task.steps {
        let until =
            task.every.map_or(task.steps, |every| ((done / every + 1) * every).min(task.steps));
        seconds += advance(&mut *machine, done..until, stop, &mut progress)?;
        done = until;
        let is_due = task.every.is_some_and(|every| done.is_multiple_of(every));
        if is_due || done == task.steps {
            writer.add(done, &machine.read()?, is_due)?;
        }
    }
    progress.end();
    interrupt::enter(Phase::Writing);
    let population = writer.end(&machine.read()?)?;
    let mut files = folder.ready()?;
    files.push(REPORT.into());
    let cells = task.grid.cells() as f64;
    let done = Done {
        version: VERSION,
        automaton: task.model.automaton.name,
        states: task.model.states,
        size: [task.grid.columns, task.grid.rows, task.grid.layers],
        edges: task.edges.name(),
        technique: technique.name,
        device,
        steps: task.steps,
        seconds,
        cell_steps_per_s: if seconds > 0.0 { cells * task.steps as f64 / seconds } else { 0.0 },
        population,
        files,
    };
    folder.stage_text(REPORT, &json_text(&done, REPORT)?)?;
    interrupt::enter(Phase::Publishing);
    done.files.iter().try_for_each(|name| folder.publish(name))?;
    interrupt::enter(Phase::Done);
    Ok(done)
}

/// Selects the device and the technique, and starts there.
fn start(task: &Task) -> Result<(&'static Technique, String, Box<dyn Machine>)> {
    let setup = Setup { model: task.model, edges: task.edges, grid: &task.grid };
    let ordinal = match choose(task.device)?.what {
        Processor::Cpu => None,
        Processor::Gpu(ordinal) => Some(ordinal),
        Processor::Gpus(_) => {
            return Err(Error::input("device: an automaton runs on one GPU")
                .hint("name one: --device cuda:0"));
        }
    };
    let technique = techniques::choose(&task.technique, task.model, ordinal.is_some())?;
    let Some(gpu) = ordinal else {
        let cpu = technique.cpu.expect("only what runs on the CPU is chosen for it");
        return Ok((technique, "CPU".into(), cpu(&setup)));
    };
    let context = contexts(&CudaOptions { gpu, ..CudaOptions::default() })?.remove(0);
    let machine = technique.start_on(&context, &setup)?;
    Ok((technique, name_of(&context)?, machine))
}

/// Takes steps in small batches and returns their duration (s).
fn advance(
    machine: &mut dyn Machine,
    steps: std::ops::Range<u64>,
    stop: &AtomicBool,
    progress: &mut AutomatonProgress,
) -> Result<f64> {
    /// Maximum time between two checks of the stop flag (s).
    const PAUSE_EVERY: f64 = 0.1;
    let (mut done, mut seconds, mut at_once) = (steps.start, 0.0, 16);
    while done < steps.end {
        let count = at_once.min(steps.end - done);
        let started = Instant::now();
        machine.step(count)?;
        let took = started.elapsed().as_secs_f64();
        (done, seconds) = (done + count, seconds + took);
        // Multiples of 16, to complete whole visits.
        match took {
            took if took < PAUSE_EVERY / 2.0 => at_once *= 2,
            took if took > 2.0 * PAUSE_EVERY && at_once > 16 => at_once /= 2,
            _ => {}
        }
        progress.update(done);
        if stop.load(Ordering::Relaxed) && done < steps.end {
            return Err(Error::interrupted(format!("stopped by the user at step {done}"))
                .hint("nothing was written; with --every, maps are written during the run"));
        }
    }
    Ok(seconds)
}
