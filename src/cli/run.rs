//! `inundate run`, and what the other commands share with it.

use super::{print_json, summary};
use crate::error::{Error, Result};
use crate::machine::ranks;
use crate::observer::interrupt;
use crate::run::processor::TakenProcessor;
use crate::run::resume::Checkpoint;
use crate::run::{self, Finished};
use crate::scenario::Scenario;
use crate::scenario::options::Options;
use std::sync::atomic::AtomicBool;

/// Set by Ctrl-C.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Runs a scenario and prints its summary. A rank other than the first helps the first rank
/// instead.
pub fn run(options: Options) -> Result<()> {
    if helps(&options)? {
        return Ok(());
    }
    print(&run_to_end(&options)?, &options)
}

/// Connects to the other ranks, if there are any. A rank other than the first helps the first rank
/// until the end of its run, and the function returns `true`.
pub fn helps(options: &Options) -> Result<bool> {
    let Some(place) = ranks::meet()? else { return Ok(false) };
    if place.rank == 0 {
        return Ok(false);
    }
    // The first rank stops the run, and still needs the state of the other ranks then.
    ctrlc::set_handler(|| ())
        .map_err(|error| Error::run("cannot listen for Ctrl-C").because(error))?;
    let name = |error: Error| error.of(format_args!("rank {}", place.rank));
    run::with_threads(options.threads, || {
        let mut coming = TakenProcessor::to_be_told(options)?;
        ranks::work(|| Ok(coming.wait()?.how))
    })
    .map_err(name)?;
    Ok(true)
}

/// Prints the summary of a run, in the form that the options select.
pub fn print(finished: &Finished, options: &Options) -> Result<()> {
    if options.json {
        print_json(&finished.report)?;
    } else if !options.quiet {
        summary::print(finished, &[]);
    }
    Ok(())
}

/// Runs a scenario. Ctrl-C stops it at the next step, or immediately while it reads or writes.
pub fn run_to_end(options: &Options) -> Result<Finished> {
    stop_on_ctrl_c()?;
    let finished = run::run(options, command_line(), &STOP, |scenario| {
        print_input_notes(scenario, options.quiet);
    })?;
    print_warnings(&finished.late_warnings);
    Ok(finished)
}

/// Resumes a run; Ctrl-C stops it at the next step.
pub fn resume_to_end(checkpoint: Checkpoint, options: &Options) -> Result<Finished> {
    stop_on_ctrl_c()?;
    let warn = |scenario: &Scenario| print_input_notes(scenario, options.quiet);
    let finished = run::resume(checkpoint, options, &STOP, warn)?;
    print_warnings(&finished.late_warnings);
    Ok(finished)
}

/// Returns the command line, for reports.
pub fn command_line() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Prints warnings.
pub fn print_warnings(warnings: &[String]) {
    for warning in warnings {
        errln!("warning: {warning}");
    }
}

/// Makes Ctrl-C, SIGTERM and SIGHUP set [`STOP`]. Under `nohup`, SIGHUP stays ignored.
pub fn stop_on_ctrl_c() -> Result<()> {
    #[cfg(unix)]
    // SAFETY: `signal` only changes how SIGHUP is handled, and no other thread changes that.
    let hang_up = unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    ctrlc::set_handler(|| interrupt::on_signal(&STOP))
        .map_err(|error| Error::run("cannot listen for Ctrl-C").because(error))?;
    #[cfg(unix)]
    if hang_up == libc::SIG_IGN {
        // SAFETY: `signal` only changes how SIGHUP is handled, and no other thread changes that.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    }
    Ok(())
}

/// Prints warnings always, and notes unless `quiet`.
pub fn print_input_notes(scenario: &Scenario, quiet: bool) {
    print_warnings(&scenario.facts.warnings);
    if !quiet {
        for assumed in &scenario.facts.assumed {
            errln!("assumed: {assumed}");
        }
        for note in &scenario.facts.notes {
            errln!("note: {note}");
        }
    }
}
