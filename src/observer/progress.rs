//! Progress on stderr: a bar on a terminal, a line now and then elsewhere.

use crate::backend::Backend;
use crate::clock::Clock;
use crate::error::Result;
use crate::grains::Grain;
use crate::simulation::Observer;
use crate::units::{show_count, show_duration, show_volume};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Parts of a run that the bar shows.
const PARTS: u64 = 1000;

/// Shows simulated time, steps, wet cells, stored volume, cell-steps/s and the time left.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: Instant,
    every: Duration,
    cells: f64,
    cubic_metres_per_grain: f64,
    terminal: bool,
    quiet: bool,
    /// Steps taken before, and their part of the run.
    before: (u64, f64),
}

impl Progress {
    /// Progress of a run over a domain of `cells` cells of `area` (m²).
    pub fn new(cells: usize, area: f64, grain: Grain, quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::new(PARTS);
        let target = if terminal && !quiet {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        bar.set_draw_target(target);
        let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}  {eta} left");
        bar.set_style(style.expect("the template is valid"));
        let every = if terminal { Duration::from_millis(200) } else { Duration::from_secs(10) };
        let now = Instant::now();
        Progress {
            bar,
            start: now,
            shown: now,
            every,
            cells: cells as f64,
            cubic_metres_per_grain: f64::from(grain.metres()) * area,
            terminal,
            quiet,
            before: (0, 0.0),
        }
    }

    /// Progress of a run that goes on: what was done before took none of the time.
    pub fn since(mut self, clock: &Clock) -> Progress {
        self.before = (clock.done, clock.now() / clock.end());
        self.bar.set_position((self.before.1 * PARTS as f64) as u64);
        self.bar.reset_eta();
        self
    }

    /// Whether there is something to show after this step, whichever number it has.
    fn is_due(&self, clock: &Clock) -> bool {
        !self.quiet && (clock.is_over() || self.shown.elapsed() >= self.every)
    }

    fn message(&self, clock: &Clock, backend: &dyn Backend) -> String {
        let steps = clock.done - self.before.0;
        let speed = self.cells * steps as f64 / self.start.elapsed().as_secs_f64().max(1e-9);
        let stored = backend.ledger().stored as f64 * self.cubic_metres_per_grain;
        let time = clock.show(clock.now());
        format!(
            "{time}, {}{} steps, {} wet cells, {} stored, {} cell-steps/s",
            clock.done,
            clock.steps_in_all().map_or(String::new(), |steps| format!(" of {steps}")),
            show_count(backend.wet_cells() as f64),
            show_volume(stored),
            show_count(speed),
        )
    }
}

impl Observer for Progress {
    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if !self.is_due(clock) {
            return Ok(());
        }
        let asked = Instant::now();
        let gone = clock.now() / clock.end();
        let message = self.message(clock, backend);
        self.shown = Instant::now();
        // Counting the water of a large map takes a while: never more than a hundredth of the run.
        self.every = self.every.max(100 * asked.elapsed());
        if self.terminal {
            self.bar.set_position((gone * PARTS as f64) as u64);
            self.bar.set_message(message);
            if clock.is_over() {
                self.bar.finish_and_clear();
            }
        } else if clock.is_over() {
            tell!("done: {message}");
        } else {
            let left = self.start.elapsed().as_secs_f64() * (1.0 - gone)
                / (gone - self.before.1).max(1e-9);
            tell!("{message}, about {} left", show_duration(left.round()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_due_after_any_step_when_its_time_has_come() {
        let mut clock = Clock::steps(100);
        let mut progress = Progress::new(1, 1.0, Grain::Fine, false);
        progress.every = Duration::from_secs(1000);
        for done in [1, 2, 7, 8, 31] {
            clock.done = done;
            assert!(!progress.is_due(&clock));
        }
        progress.every = Duration::ZERO;
        for done in [1, 2, 7, 8, 31] {
            clock.done = done;
            assert!(progress.is_due(&clock));
        }
        clock.done = 100;
        progress.every = Duration::from_secs(1000);
        assert!(progress.is_due(&clock));
        progress.quiet = true;
        assert!(!progress.is_due(&clock));
    }
}
