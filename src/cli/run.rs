//! `inundate run`.

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

/// Raised by Ctrl-C.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Runs a scenario and prints what came of it; one of several ranks that is not the first helps it.
pub fn run(options: Options) -> Result<()> {
    if helps(&options)? {
        return Ok(());
    }
    print(&run_to_end(&options)?, &options)
}

/// Meets the other ranks, if there are any, and helps the first of them to the end of its run unless this is it; says whether
/// it did.
pub fn helps(options: &Options) -> Result<bool> {
    let Some(place) = ranks::meet()? else { return Ok(false) };
    if place.rank == 0 {
        return Ok(false);
    }
    // The run is the first rank's to stop; the others are asked for what they hold then.
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

/// Prints what came of a run, as the options ask for.
pub fn print(finished: &Finished, options: &Options) -> Result<()> {
    if options.json {
        print_json(&finished.report)?;
    } else if !options.quiet {
        summary::print(finished, &[]);
    }
    Ok(())
}

/// Runs a scenario; Ctrl-C stops it at the next step, or at once while it reads or writes.
pub fn run_to_end(options: &Options) -> Result<Finished> {
    stop_on_ctrl_c()?;
    let finished = run::run(options, command_line(), &STOP, |scenario| {
        tell_input(scenario, options.quiet);
    })?;
    tell_warnings(&finished.late_warnings);
    Ok(finished)
}

/// Goes on with a run; Ctrl-C stops it at the next step.
pub fn resume_to_end(checkpoint: Checkpoint, options: &Options) -> Result<Finished> {
    stop_on_ctrl_c()?;
    let warn = |scenario: &Scenario| tell_input(scenario, options.quiet);
    let finished = run::resume(checkpoint, options, &STOP, warn)?;
    tell_warnings(&finished.late_warnings);
    Ok(finished)
}

/// The command line, for reports.
pub fn command_line() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Tells warnings.
pub fn tell_warnings(warnings: &[String]) {
    for warning in warnings {
        tell!("warning: {warning}");
    }
}

/// From now on Ctrl-C raises [`STOP`], and so do SIGTERM and SIGHUP; but under `nohup` the latter does nothing.
pub fn stop_on_ctrl_c() -> Result<()> {
    #[cfg(unix)]
    // SAFETY: signal only says what a signal does, and no other thread asks for this one.
    let hang_up = unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    ctrlc::set_handler(|| interrupt::on_signal(&STOP))
        .map_err(|error| Error::run("cannot listen for Ctrl-C").because(error))?;
    #[cfg(unix)]
    if hang_up == libc::SIG_IGN {
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    }
    Ok(())
}

/// Warnings always, notes unless quiet.
pub fn tell_input(scenario: &Scenario, quiet: bool) {
    tell_warnings(&scenario.facts.warnings);
    if !quiet {
        for assumed in &scenario.facts.assumed {
            tell!("assumed: {assumed}");
        }
        for note in &scenario.facts.notes {
            tell!("note: {note}");
        }
    }
}
