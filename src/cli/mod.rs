//! The command line.

mod animate;
mod automaton;
mod bench;
mod check;
mod compare;
mod demo;
mod devices;
mod help;
mod kernels;
mod layers;
mod new;
mod resume;
mod run;
mod schema;
mod study;
mod summary;
mod usage;

use crate::engine::backend::cuda::device::channels;
use crate::engine::notices;
use crate::error::{Error, Failure, Result};
use crate::input::gdal_access::own_gdal;
use crate::machine::host_memory;
use crate::machine::ranks;
use crate::observer::interrupt;
use crate::output::timings;
use crate::say;
use crate::scenario::options::Options;
use crate::scenario::toml_text;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Flood model on rasters: terrain, rain, rivers and tides in; maps, gauges, a QGIS project and a
/// report out.
#[derive(Parser)]
#[command(name = "inundate", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  inundate demo
  inundate run --dem dem.tif --rain \"50 mm/h\" --duration 6h --open all --out results
  inundate new dem.tif > scenario.toml && inundate check scenario.toml && inundate run scenario.toml

Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Run a flood: a scenario file, flags, or both (flags win)
    #[command(after_help = RUN_HELP)]
    Run(ScenarioArgs),
    /// Resume a run that was stopped, from its last checkpoint (see --checkpoint-every)
    Resume(resume::ResumeArgs),
    /// Read and check everything a run would, and estimate its time and resources; runs nothing
    Check(CheckArgs),
    /// Print a commented scenario file for a DEM, or write it
    New {
        /// DEM file
        dem: PathBuf,
        /// Scenario file to write (default: standard output)
        file: Option<PathBuf>,
        /// Also read from remote machines and databases
        #[arg(long)]
        allow_remote: bool,
    },
    /// Print the JSON Schema of scenario files, for editors
    #[command(after_help = schema::HELP)]
    Schema(schema::SchemaArgs),
    /// Compare a result with another one, with an observed extent or with observed points; or two
    /// series
    #[command(after_help = compare::HELP)]
    Compare(compare::CompareArgs),
    /// Write a run's series of maps as an animation (GIF)
    #[command(after_help = animate::HELP)]
    Animate(animate::AnimateArgs),
    /// Run a cellular automaton of the laboratory: life, forest fire, cyclic, WireWorld or clouds
    #[command(after_help = automaton::HELP)]
    Automaton(automaton::AutomatonArgs),
    /// Run many variations of a scenario, and summarize them in a table and in maps
    #[command(after_help = study::HELP)]
    Study(study::StudyArgs),
    /// Run a storm over bundled terrain: mountains or, with --town, a town
    Demo(demo::DemoArgs),
    /// Measure the speed of every solver against the machine's own copy bandwidth
    Bench(bench::BenchArgs),
    /// List the processors that a run can use, and the one it would choose
    #[command(after_help = GPU_HELP)]
    Devices(devices::DevicesArgs),
    /// List the rasters that a run can write
    Layers(layers::LayersArgs),
    /// Compile every GPU kernel and print its use of GPU resources (needs NVRTC, but no GPU)
    #[command(after_help = GPU_HELP)]
    Kernels(kernels::KernelsArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
}

const RUN_HELP: &str = "\
Examples:
  inundate run --dem dem.tif --rain storm.csv --duration 6h --output-every 30min --open all
  inundate run scenario.toml --rain \"25 mm/h\" --out less_rain

Every flag is a key of the same name in a scenario file, with underscores for dashes:
  dem = \"dem.tif\"
  rain = \"50 mm/h\"
  duration = \"6h\"

Quantities carry units; a bare number is SI (m, s, m3/s). Rain and losses must have a unit.

A duration alone takes a solver that finds the length of its steps. Automata have no clock: count
their steps, with rain in mm/step, or give a step the duration that you calibrated:
  inundate run --dem dem.tif --rain \"0.1 mm/step\" --steps 1000 --solver aqua-graph
  inundate run --dem dem.tif --rain \"50 mm/h\" --step 10s --duration 1h --solver aqua-graph";

const GPU_HELP: &str = "\
Environment:
  INUNDATE_NVRTC        where NVIDIA's run-time compiler is: a file, or the folder with libnvrtc.so
  INUNDATE_SWMM         where EPA SWMM is: libswmm5.so, or the folder of `pip install --target`
  INUNDATE_CACHE        where compiled kernels are kept (default: ~/.cache/inundate)
  INUNDATE_LINEINFO     1: kernels carry their source lines, for a profiler
  CUDA_VISIBLE_DEVICES  which GPUs the driver shows";

#[derive(clap::Args)]
struct ScenarioArgs {
    /// Scenario file (TOML); flags override its keys
    scenario: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

#[derive(clap::Args)]
struct CheckArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Estimate the resources of each of N ranks (with --device-memory, also whether they fit on
    /// the GPUs)
    #[arg(long, value_name = "N", help_heading = "Check")]
    ranks: Option<usize>,
    /// With --subgrid, map the cells in which a crest separates two bodies of water (GeoTIFF)
    #[arg(long, value_name = "FILE", help_heading = "Check")]
    parted: Option<PathBuf>,
}

impl ScenarioArgs {
    /// Executes a command with the options. Its errors about keys of the scenario file get their
    /// lines. `words` are those of the command line.
    fn execute(self, words: &[String], command: impl FnOnce(Options) -> Result<()>) -> Result<()> {
        let (file, flags) = (self.scenario.clone(), self.options.parameters());
        let options = self.resolve(words)?;
        command(options).map_err(|error| {
            let is_of_file = |key: &&str| error.kind == Failure::Input && flags.get(key).is_none();
            let key = error.what.split(':').next().filter(is_of_file);
            let place = file.zip(key).and_then(|(file, key)| toml_text::line_of(&file, key));
            place.map_or(error.clone(), |place| error.of(place))
        })
    }

    /// Returns the options of the flags and the scenario file; `words` are those of the command
    /// line.
    fn resolve(self, words: &[String]) -> Result<Options> {
        let Some(path) = self.scenario else { return Ok(self.options) };
        let file = Options::from_file(&path).map_err(|error| {
            let split = (!path.exists()).then(|| usage::split_value(words)).flatten();
            split.unwrap_or(error)
        })?;
        Ok(self.options.over(file))
    }
}

/// Runs the command line and returns its exit code.
pub fn main() -> ExitCode {
    timings::began();
    own_gdal::keep_to_itself();
    channels::open_few();
    host_memory::keep_what_is_given_back();
    notices::listen(|line| errln!("{line}"));
    ignore_file_size_signal();
    let words = match arguments(std::env::args_os().skip(1)) {
        Ok(words) => words,
        Err(error) => return end(error),
    };
    let cli = match parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            let error = match usage::explain(error, &words) {
                Ok(error) => return end(error),
                Err(error) => error,
            };
            return match error.print() {
                Err(unsaid) if unsaid.kind() != std::io::ErrorKind::BrokenPipe => {
                    end(say::cannot_write(unsaid))
                }
                _ => ExitCode::from(error.exit_code() as u8),
            };
        }
    };
    let done = dispatch(cli.command, &words);
    ranks::part();
    interrupt::leave_the_end_to_a_signal();
    match done.and_then(|()| say::finish()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => end(error),
    }
}

/// Parses a command line, which starts with the program's name.
fn parse<W: Into<OsString> + Clone>(
    words: impl IntoIterator<Item = W>,
) -> std::result::Result<Cli, clap::Error> {
    Cli::from_arg_matches(&help::command().try_get_matches_from(words)?)
}

/// Parses the words that follow `run` on a command line into options, for programs that start runs
/// in their own process.
pub fn options_of(words: &[String]) -> Result<Options> {
    let words: Vec<String> = [&["run".to_string()], words].concat();
    let all = ["inundate"].into_iter().chain(words.iter().map(String::as_str));
    match parse(all).map(|cli| cli.command) {
        Ok(Command::Run(args)) => args.resolve(&words),
        Ok(_) => Err(Error::input("the arguments are not those of a run")),
        Err(error) => {
            Err(usage::explain(error, &words).unwrap_or_else(|error| as_input(&error.to_string())))
        }
    }
}

/// Converts a message of the argument parser to an [`Error`].
fn as_input(said: &str) -> Error {
    let mut parts = said.trim_start_matches("error: ").split("\n\n").map(str::trim);
    let error = Error::input(parts.next().unwrap_or_default());
    match parts.find_map(|part| part.strip_prefix("tip: ")) {
        Some(tip) => error.hint(tip),
        None => error.hint("`inundate run --help` lists the flags"),
    }
}

/// Prints an error, and returns its exit code.
fn end(error: Error) -> ExitCode {
    let label = if error.kind == Failure::Interrupted { "interrupted" } else { "error" };
    errln!("{label}: {error}");
    ExitCode::from(error.exit_code())
}

/// Returns the words of the command line after a check that all are UTF-8: GDAL, `run.json` and
/// QGIS projects do not support other names.
fn arguments(words: impl Iterator<Item = OsString>) -> Result<Vec<String>> {
    let wrong = |word: OsString| {
        Error::input(format!(
            "{word:?} is not UTF-8, and run.json and QGIS projects can hold no such name"
        ))
        .hint(
            "rename the file or folder; folders above it may have any name if you cd into it first",
        )
    };
    words.map(|word| word.into_string().map_err(wrong)).collect()
}

fn dispatch(command: Command, words: &[String]) -> Result<()> {
    match command {
        Command::Run(args) => args.execute(words, run::run),
        Command::Resume(args) => resume::resume(args),
        Command::Check(args) => {
            let CheckArgs { scenario, ranks, parted } = args;
            scenario.execute(words, |options| check::check(&options, ranks, parted.as_deref()))
        }
        Command::New { dem, file, allow_remote } => new::new(&dem, file.as_deref(), allow_remote),
        Command::Schema(args) => schema::schema(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Animate(args) => animate::animate(&args),
        Command::Automaton(args) => automaton::automaton(&args),
        Command::Study(args) => study::study(&args),
        Command::Demo(args) => demo::demo(args),
        Command::Bench(args) => bench::bench(&args),
        Command::Devices(args) => devices::devices(&args),
        Command::Layers(args) => layers::layers(&args),
        Command::Kernels(args) => kernels::kernels(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "inundate", &mut script);
            outln!("{}", String::from_utf8_lossy(&script).trim_end());
            Ok(())
        }
    }
}

/// Ignores the signal that kills a process that exceeds the limit on file sizes, so that the write
/// fails with an error instead.
fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal installs no handler.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Prints JSON on stdout.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::run("cannot write JSON").because(error))?;
    outln!("{text}");
    Ok(())
}
