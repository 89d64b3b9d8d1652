//! `inundate study`: running many variations of a scenario.

use super::print_json;
use super::run::{STOP, command_line, print_warnings, stop_on_ctrl_c};
use crate::error::{Error, Result};
use crate::observer::interrupt::{Phase, enter};
use crate::output::checkpoint::lock::LockMode;
use crate::output::folder::PAGE;
use crate::output::project::PROJECT;
use crate::scenario::options::{Device, DeviceParser};
use crate::study::check::{Checked, check};
use crate::study::collect::{Collected, collect};
use crate::study::execute::{Ended, Outcome, add_error, execute};
use crate::study::place::Lock;
use crate::study::progress::StudyProgress;
use crate::study::resume::{PastRun, State};
use crate::study::row::{MAPS, Status, TABLE};
use crate::study::slots::slots;
use crate::study::{LOG, Study, StudyRun, file, in_words, place, select, warnings};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

pub const HELP: &str = "\
A study file:
  base = \"scenario.toml\"
  [matrix]
  rain = [\"30 mm/h\", \"50 mm/h\"]
  roughness = [0.03, 0.05]

Examples:
  inundate study study.toml --dry-run
  inundate study study.toml --jobs 4
  inundate study study.toml --only \"$SLURM_ARRAY_TASK_ID\"
  inundate study study.toml --collect

Runs that are done are not run again. docs/study.md has the rest.";

#[derive(clap::Args)]
pub struct StudyArgs {
    /// Study file (TOML)
    study: PathBuf,
    /// Number of simultaneous runs (default: one per GPU; without GPUs one per core, or as many as
    /// fit in memory)
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Processors that the runs use alternately, overriding their own settings (cuda:0,cuda:1)
    #[arg(long, value_name = "DEVICE", value_parser = DeviceParser, value_delimiter = ',')]
    devices: Vec<Device>,
    /// Check and list all runs, and stop
    #[arg(long, conflicts_with = "collect")]
    dry_run: bool,
    /// Run only these runs, by number or name (3 or 1,4-6), and make no tables or maps
    #[arg(long, value_name = "RUNS", conflicts_with_all = ["array_task", "collect"])]
    only: Option<String>,
    /// Run only the share of task I of N (from 1), and make no tables or maps
    #[arg(long, value_name = "I/N", conflicts_with = "collect")]
    array_task: Option<String>,
    /// Run nothing; make tables and maps of the finished runs
    #[arg(long)]
    collect: bool,
    /// Show no progress and no summary
    #[arg(short, long)]
    quiet: bool,
    /// Print the study's report as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Error of a run that has ended without one, but is not done.
const OTHER_RESULTS: &str = "it ended, but its results are incomplete or not those of its scenario; \
                             an input may have changed since the study started";

/// A run in the output of `study --dry-run --json` and `study --only --json`.
#[derive(Serialize)]
struct ListedRun<'a> {
    run: usize,
    name: &'a str,
    weight: f64,
    varied: &'a toml::Table,
    /// `done` if it would not be run again.
    status: Status,
    folder: String,
    memory_bytes: usize,
}

/// Output of `study --json`: the content of `study.json`, and the folder.
#[derive(Serialize)]
struct StudyOutput<'a> {
    out: &'a Path,
    #[serde(flatten)]
    collected: &'a Collected,
}

/// Runs a study, or the selected part of it.
pub fn study(args: &StudyArgs) -> Result<()> {
    let study = file::read(&args.study)?;
    let runs: Vec<&StudyRun> = match (&args.only, &args.array_task) {
        (Some(only), _) => select::only(&study, only)?,
        (_, Some(task)) => select::share(&study, task)?,
        _ => study.runs.iter().collect(),
    };
    print_warnings(&study.warnings);
    let mut said = study.warnings.clone();
    let here = !args.collect && !args.dry_run && args.devices.is_empty();
    let mut checked = check(&study, &runs, here)?;
    said.extend(print_input_notices(&checked, args.quiet));
    if args.dry_run {
        return list(args, &study, &checked);
    }
    let is_task = args.only.is_some() || args.array_task.is_some();
    let held = if is_task { LockMode::Shared } else { LockMode::Alone };
    let (failed, running) = match args.collect {
        true => (Vec::new(), None),
        false => execute_all(args, &study, &mut checked, held).map(|(f, lock)| (f, Some(lock)))?,
    };
    if is_task {
        print_others(&warnings::of_runs(&checked), &said);
        if args.json {
            print_json(&checked.iter().map(listed).collect::<Vec<_>>())?;
        }
        return all_done(&failed, &study, checked.len());
    }
    let collecting = place::to_collect(&study.out)?;
    if args.collect {
        update_states(&study, &mut checked);
    }
    let collected = collect(&study, &checked, command_line())?;
    drop((collecting, running));
    print_others(&collected.warnings, &said);
    if args.json {
        print_json(&StudyOutput { out: &study.out, collected: &collected })?;
    } else if !args.quiet {
        print_summary(&study, &collected);
    }
    let failed: Vec<String> = collected
        .runs
        .iter()
        .filter(|run| run.status == Status::Failed)
        .map(|run| run.name.clone())
        .collect();
    all_done(&failed, &study, checked.len())
}

/// Executes the runs that are not done yet. Returns the names of the failed runs, and the lock on
/// the study.
fn execute_all(
    args: &StudyArgs,
    study: &Study,
    checked: &mut [Checked],
    held: LockMode,
) -> Result<(Vec<String>, Lock)> {
    let is_to_do = |checked: &&Checked| checked.state.past().is_none();
    let wait: Vec<&Checked> = checked.iter().filter(is_to_do).collect();
    let slots = slots(&wait, args.jobs, &args.devices)?;
    let running = place::to_run(&study.out, held)?;
    // Another command may have finished runs before it released the lock.
    update_states(study, checked);
    let (wait, kept): (Vec<&Checked>, Vec<&Checked>) = checked.iter().partition(is_to_do);
    if !args.quiet {
        let done = match kept.len() {
            0 => String::new(),
            count => format!(" ({count} are done already)"),
        };
        let (jobs, threads) = (slots.len(), slots[0].threads);
        let how = match wait.len() {
            0 => String::new(),
            _ => format!(", {jobs} at a time, on {threads} of the CPU's threads each"),
        };
        errln!("{} of {} runs to do{done}{how}", wait.len(), checked.len());
    }
    stop_on_ctrl_c()?;
    enter(Phase::Stepping);
    let runs: Vec<&StudyRun> = wait.iter().map(|checked| checked.run).collect();
    let mut progress = StudyProgress::new(runs.len(), args.quiet);
    let ended = execute(&runs, &slots, &study.out, &STOP, |event| {
        progress.see(event, |ended| end_of(ended, &study.out))
    });
    progress.end();
    enter(Phase::Writing);
    if STOP.load(Ordering::Relaxed) {
        let done = kept.len() + ended.iter().filter(|ended| ended.outcome == Outcome::Done).count();
        return Err(Error::interrupted(format!(
            "stopped by the user; {done} of {} runs are done",
            checked.len()
        ))
        .hint("repeat the command to run the others, or add --collect to use the results so far"));
    }
    update_states(study, checked);
    let mut failed = Vec::new();
    for ended in ended {
        let mine = checked.iter_mut().find(|checked| checked.run.index == ended.run.index);
        let Some(mine) = mine else { continue };
        let error = match ended.outcome {
            Outcome::Failed(error) => error,
            Outcome::Done if mine.state.past().is_none() => {
                add_error(&study.out.join(mine.run.folder()).join(LOG), OTHER_RESULTS);
                OTHER_RESULTS.into()
            }
            _ => continue,
        };
        failed.push(ended.run.name.clone());
        // The log contains the error too, unless it could not be written either.
        mine.state = State::Failed(error);
    }
    Ok((failed, running))
}

/// Updates the states of the runs.
fn update_states(study: &Study, checked: &mut [Checked]) {
    for checked in checked {
        checked.state = State::of(&study.out.join(checked.run.folder()), &checked.identity);
    }
}

fn all_done(failed: &[String], study: &Study, of: usize) -> Result<()> {
    if failed.is_empty() {
        return Ok(());
    }
    let first = study.out.join(crate::study::RUNS).join(&failed[0]).join(LOG);
    Err(Error::run(format!("{} of {of} runs failed: {}", failed.len(), failed.join(", "))).hint(
        format!("see '{}', then repeat the command: completed runs are kept", first.display()),
    ))
}

/// Prints the warnings about the input of the runs, and their assumptions unless `quiet`. Returns
/// the warnings.
fn print_input_notices(checked: &[Checked], quiet: bool) -> Vec<String> {
    let warnings = warnings::merged(checked, |checked| &checked.input_warnings);
    print_warnings(&warnings);
    if !quiet {
        let assumed = warnings::merged(checked, |checked| &checked.assumed);
        assumed.iter().for_each(|text| errln!("assumed: {text}"));
    }
    warnings
}

/// Prints the warnings that were not said before.
fn print_others(warnings: &[String], said: &[String]) {
    let others: Vec<String> =
        warnings.iter().filter(|warning| !said.contains(warning)).cloned().collect();
    print_warnings(&others);
}

/// Describes the end of a run whose study is in the folder `out`.
fn end_of(ended: &Ended, out: &Path) -> String {
    let name = &ended.run.name;
    match &ended.outcome {
        Outcome::Done => {
            let past = PastRun::read(&out.join(ended.run.folder()));
            let doubt = past.as_ref().and_then(PastRun::first_doubt);
            let doubt = doubt.map_or(String::new(), |doubt| format!(", but doubtful: {doubt}"));
            format!("{name}: done in {:.1} s on {}{doubt}", ended.wall.as_secs_f64(), ended.device)
        }
        Outcome::Failed(error) => format!("{name}: failed: {error}"),
        Outcome::Stopped => format!("{name}: stopped"),
    }
}

fn listed<'a>(checked: &'a Checked) -> ListedRun<'a> {
    let StudyRun { index, name, weight, varied, .. } = checked.run;
    ListedRun {
        run: *index,
        name,
        weight: *weight,
        varied,
        status: checked.state.status(),
        folder: checked.run.folder().to_string_lossy().into_owned(),
        memory_bytes: checked.memory_bytes,
    }
}

fn list(args: &StudyArgs, study: &Study, checked: &[Checked]) -> Result<()> {
    if args.json {
        return print_json(&checked.iter().map(listed).collect::<Vec<_>>());
    }
    for checked in checked {
        let StudyRun { index, name, varied, weight, .. } = checked.run;
        let weighted = study.runs.iter().any(|run| run.weight != 1.0);
        let weight = if weighted { format!(" (weight {weight})") } else { String::new() };
        let sets: Vec<String> =
            varied.iter().map(|(key, value)| format!("{key} = {}", in_words(value))).collect();
        outln!(
            "{index:>4}  {:<8}{name}{weight}: {}",
            checked.state.status().name(),
            sets.join(", ")
        );
    }
    let wait = checked.iter().filter(|checked| checked.state.past().is_none()).count();
    let largest = checked.iter().map(|checked| checked.memory_bytes).max().unwrap_or(0);
    outln!(
        "{} runs, {wait} to do, up to {:.0} MB each; results in {}",
        checked.len(),
        largest as f64 / 1e6,
        study.out.display()
    );
    Ok(())
}

fn print_summary(study: &Study, collected: &Collected) {
    let done = collected.runs.iter().filter(|run| run.status == Status::Done).count();
    outln!("{done} of {} runs are done; results in {}:", collected.runs.len(), study.out.display());
    let points = collected.points.iter();
    let maps = collected.grids.iter().flat_map(|grid| &grid.files);
    let maps = maps.filter(|file| !file.ends_with(".qml"));
    let files = maps.chain(points.clone().flat_map(|points| &points.files)).map(String::as_str);
    for file in [TABLE, PROJECT, PAGE].into_iter().chain(files) {
        outln!("  {}", study.out.join(file).display());
    }
    if collected.grids.is_empty() {
        outln!("  no {MAPS}: no run is done");
    }
    for expected in points.flat_map(|points| &points.expected_annual_damage) {
        let of = if expected.variant.is_empty() { "" } else { " of " };
        outln!("expected annual damage{of}{}: {:.2}", expected.variant, expected.total);
    }
}
