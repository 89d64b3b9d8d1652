//! `inundate automaton`: running a cellular automaton of the laboratory.

use super::print_json;
use super::run::{STOP, stop_on_ctrl_c};
use crate::automata::grid::{Edges, Grid};
use crate::automata::registry::{AUTOMATA, Model};
use crate::engine::device::Device;
use crate::error::{Error, Result};
use crate::lab::automaton::{Done, Frames, Georeference, Task, read, run};
use crate::machine::host_memory;
use crate::run::with_threads;
use crate::scenario::options::DeviceParser;
use crate::units::{show_bytes, show_count};
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::PathBuf;

pub const HELP: &str = "\
Examples:
  inundate automaton life --random 1 --size 1024 --steps 1000 --out life
  inundate automaton wireworld --in clock.rle --size 64 --edges dead --steps 100 --every 1 --frames gif --out clock
  inundate automaton life --in soup.tif --steps 1000 --technique byte --out life

Techniques, automata and what goes with what: docs/automata.md";

#[derive(clap::Args)]
pub struct AutomatonArgs {
    /// Name of the automaton
    #[arg(value_parser = names())]
    automaton: String,
    /// Initial states: a raster of state numbers (for clouds, one band per layer), or a pattern
    /// (.rle, .mcl)
    #[arg(
        long = "in",
        value_name = "FILE",
        required_unless_present = "random",
        conflicts_with = "random"
    )]
    input: Option<PathBuf>,
    /// Random initial states; equal seeds give equal states
    #[arg(long, value_name = "SEED")]
    random: Option<u64>,
    /// Grid size with --random, or of the grid around a pattern: "N", "COLUMNSxROWS" or, for
    /// clouds, "COLUMNSxROWSxLAYERS" (default: 1024; for clouds 128)
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Number of states of the cyclic automaton (default: 15)
    #[arg(long, value_name = "N")]
    states: Option<usize>,
    /// Number of steps
    #[arg(long, value_name = "N")]
    steps: u64,
    /// Boundary: wrap around to the opposite edge, or cells that stay in state 0
    #[arg(long, value_name = "EDGES", default_value = "wrap", value_parser = edges())]
    edges: String,
    /// Technique of computing the steps; all give the same states
    #[arg(long, value_name = "NAME", default_value = "auto")]
    technique: String,
    /// Device to compute on
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = DeviceParser)]
    device: Device,
    /// Also write the states every N steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Also write pictures of that series
    #[arg(long, value_name = "KIND", value_enum)]
    frames: Option<Frames>,
    /// Output folder
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Replace earlier results in the folder
    #[arg(long)]
    overwrite: bool,
    /// CPU threads (default: all)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print nothing
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON on stdout
    #[arg(long)]
    json: bool,
}

fn names() -> PossibleValuesParser {
    AUTOMATA
        .iter()
        .map(|automaton| PossibleValue::new(automaton.name).help(automaton.about))
        .collect::<Vec<_>>()
        .into()
}

fn edges() -> PossibleValuesParser {
    Edges::ALL.map(Edges::name).into()
}

/// Runs an automaton, and prints a summary.
pub fn automaton(args: &AutomatonArgs) -> Result<()> {
    let model = Model::named(&args.automaton, args.states)?;
    stop_on_ctrl_c()?;
    let size = args.size.as_deref().map(|text| size(text, model)).transpose()?;
    let done = with_threads(args.threads, || {
        let (grid, place) = start(args, model, size)?;
        let edges = Edges::ALL.into_iter().find(|edges| edges.name() == args.edges);
        let task = Task {
            model,
            grid,
            place,
            edges: edges.expect("one of them"),
            steps: args.steps,
            every: args.every,
            technique: args.technique.clone(),
            device: args.device,
            frames: args.frames,
            out: args.out.clone(),
            overwrite: args.overwrite,
            quiet: args.quiet || args.json,
        };
        run(&task, &STOP)
    })?;
    if args.json {
        return print_json(&done);
    }
    if !args.quiet {
        print_done(&done, args);
    }
    Ok(())
}

/// Creates the initial grid.
fn start(
    args: &AutomatonArgs,
    model: Model,
    size: Option<[usize; 3]>,
) -> Result<(Grid, Georeference)> {
    match (&args.input, args.random) {
        (Some(path), _) => read(path, model, size),
        (None, seed) => {
            let usual = if model.automaton.deep { [128; 3] } else { [1024, 1024, 1] };
            let [columns, rows, layers] = size.unwrap_or(usual);
            Ok((
                model.soup(columns, rows, layers, seed.unwrap_or_default()),
                Georeference::default(),
            ))
        }
    }
}

/// Approximate host memory per cell (bytes): the grid, its compressed copy, and a copy being
/// written.
const BYTES_PER_CELL: u64 = 4;

/// Parses a grid size.
fn size(text: &str, model: Model) -> Result<[usize; 3]> {
    let numbers: Option<Vec<usize>> =
        text.split('x').map(|part| part.trim().parse().ok()).collect();
    let size = match (numbers.as_deref(), model.automaton.deep) {
        (Some(&[n]), true) => Some([n; 3]),
        (Some(&[n]), false) => Some([n, n, 1]),
        (Some(&[columns, rows]), false) => Some([columns, rows, 1]),
        (Some(&[columns, rows, layers]), true) => Some([columns, rows, layers]),
        _ => None,
    };
    let forms =
        if model.automaton.deep { "\"64\" or \"512x512x64\"" } else { "\"1024\" or \"640x480\"" };
    let cells = size.and_then(|size| {
        let sides = size.iter().all(|side| (1..1 << 24).contains(side));
        size.iter().try_fold(1usize, |cells, side| cells.checked_mul(*side)).filter(|_| sides)
    });
    let (Some(size), Some(cells)) = (size, cells) else {
        return Err(Error::input(format!(
            "size: '{text}' is not a size of {}",
            model.automaton.name
        ))
        .hint(format!("write it like {forms}")));
    };
    let needed = (cells as u64).saturating_mul(BYTES_PER_CELL);
    match host_memory::room() {
        Some(room) if room.bytes < needed => Err(Error::input(format!(
            "size: {} cells need {} of memory, but only {} are available",
            show_count(cells as f64),
            show_bytes(needed),
            show_bytes(room.bytes)
        ))
        .hint("give a smaller --size")),
        _ => Ok(size),
    }
}

fn print_done(done: &Done, args: &AutomatonArgs) {
    let size: Vec<String> =
        done.size.iter().filter(|side| **side > 1).map(usize::to_string).collect();
    let size = if size.is_empty() { "1".into() } else { size.join(" x ") };
    let Done { automaton, edges, technique, device, steps, seconds, .. } = done;
    outln!("{automaton}: {size} cells, edges {edges}, technique {technique} on {device}");
    let speed = done.cell_steps_per_s / 1e9;
    outln!("{steps} steps in {seconds:.3} s: {speed:.3} G cell-steps/s");
    let counts: Vec<String> =
        done.population.iter().map(|(name, count)| format!("{name} {count}")).collect();
    outln!("population: {}", counts.join(", "));
    outln!("{} files in {}", done.files.len(), args.out.display());
}
