//! `inundate run`.

use super::print_json;
use crate::checkpoint::resume::Checkpoint;
use crate::error::{Error, Result};
use crate::ledger::{Line, Side};
use crate::observer::interrupt;
use crate::output::report::Report;
use crate::run::{self, Finished};
use crate::scenario::Scenario;
use crate::scenario::options::Options;
use crate::units::{show_count, show_duration, show_rain, show_volume};
use std::sync::atomic::AtomicBool;

/// Raised by Ctrl-C.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Runs a scenario and prints what came of it.
pub fn run(options: Options) -> Result<()> {
    print(&run_to_end(&options)?, &options)
}

/// Prints what came of a run, as the options ask for.
pub fn print(finished: &Finished, options: &Options) -> Result<()> {
    if options.json {
        print_json(&finished.report)?;
    } else if !options.quiet {
        print_summary(finished);
    }
    Ok(())
}

/// Runs a scenario; Ctrl-C stops it at the next step, or at once while it reads or writes.
pub fn run_to_end(options: &Options) -> Result<Finished> {
    stop_on_ctrl_c()?;
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let finished = run::run(options, command, &STOP, |scenario| {
        tell_input(scenario, options.quiet);
    })?;
    tell_late(&finished);
    Ok(finished)
}

/// Goes on with a run; Ctrl-C stops it at the next step.
pub fn resume_to_end(checkpoint: Checkpoint, options: &Options) -> Result<Finished> {
    stop_on_ctrl_c()?;
    let warn = |scenario: &Scenario| tell_input(scenario, options.quiet);
    let finished = run::resume(checkpoint, options, &STOP, warn)?;
    tell_late(&finished);
    Ok(finished)
}

fn tell_late(finished: &Finished) {
    for warning in &finished.late_warnings {
        tell!("warning: {warning}");
    }
}

/// From now on Ctrl-C raises [`STOP`], and so do SIGTERM and SIGHUP; but under `nohup` the latter does nothing.
pub fn stop_on_ctrl_c() -> Result<()> {
    #[cfg(unix)]
    // SAFETY: signal only says what a signal does, and no other thread asks for this one.
    let hang_up = unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    ctrlc::set_handler(|| interrupt::on_signal(&STOP))
        .map_err(|error| Error::run(format!("cannot listen for Ctrl-C: {error}")))?;
    #[cfg(unix)]
    if hang_up == libc::SIG_IGN {
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    }
    Ok(())
}

/// Warnings always, notes unless quiet.
pub fn tell_input(scenario: &Scenario, quiet: bool) {
    for warning in &scenario.facts.warnings {
        tell!("warning: {warning}");
    }
    if !quiet {
        for note in &scenario.facts.notes {
            tell!("note: {note}");
        }
    }
}

/// What came of a run: files, ledger, speed.
pub fn print_summary(finished: &Finished) {
    let Finished { report, out, .. } = finished;
    let calibrated = if report.calibrated { " (by the calibrated step)" } else { "" };
    let time =
        report.simulated_s.map_or(String::new(), |s| format!(", {}{calibrated}", show_duration(s)));
    say!(
        "{} steps{time} in {:.1} s on {}: {} cell-steps/s",
        report.steps,
        report.wall_s,
        report.device,
        show_count(report.cell_steps_per_s)
    );
    if let (Some((shortest, longest)), Some(share)) = (report.dt_range_s, report.flow_cut_share) {
        let cut = 100.0 * share;
        say!("steps of {shortest:.3} to {longest:.3} s; {cut:.2} % of the flow cut short");
    }
    print_ledger(report);
    say!("results in {}:", out.display());
    for name in report.outputs.iter().filter(|name| !name.ends_with(".qml")) {
        say!("  {}", out.join(name).display());
    }
}

fn print_ledger(report: &Report) {
    let volume = &report.volume;
    say!("volume:");
    // What takes nothing is not worth a line.
    let worth = |(line, value): &(&Line, f64)| line.side != Side::Out || *value != 0.0;
    for (line, value) in volume.lines().filter(worth) {
        let name = format!("{}{}", line.side.sign(), line.about);
        let depth = match line.key {
            "rain" if value > 0.0 => format!("  ({})", show_rain(report.rain_mm)),
            _ => String::new(),
        };
        say!("  {name:<24}{:>20}{depth}", show_volume(value));
    }
    say!("  {:<24}{:>20}", "error", format!("{} m³ exactly", volume.error()));
}
