//! Progress on stderr: a bar on a terminal, an occasional line elsewhere, or JSON for a program
//! that requests it.

use super::eta::{ProgressSample, TimeLeft, show_left};
use crate::engine::backend::Backend;
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::grains::Grain;
use crate::engine::simulation::Observer;
use crate::error::Result;
use crate::units::{show_count, show_duration, show_volume};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Resolution of the bar.
const PARTS: u64 = 1000;

/// Maximum width of a progress line (columns).
const WIDTH: usize = 80;

/// Width of the bar, and of the bar with its percentage.
const BAR: usize = 12;
const BEFORE: usize = BAR + " 100 %  ".len();

/// Interval between samples for the remaining time (s) when nothing is displayed: one line every
/// ten seconds would be too few.
const SAMPLE_EVERY: Duration = Duration::from_millis(500);

/// Environment variable by which a calling program requests JSON: one object per line, twice a
/// second, on stderr.
pub const VARIABLE: &str = "INUNDATE_PROGRESS";
const JSON: &str = "json";
/// Value of the variable by which a study requests JSON on stdout, also from a quiet run.
pub const PIPED: &str = "stdout";

/// Form in which progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all.
    Hidden,
    /// As a bar on a terminal.
    Bar,
    /// As occasional lines.
    Lines,
    /// As JSON on stderr.
    Json,
    /// As JSON on stdout.
    Piped,
}

impl Form {
    /// Returns the form that the environment asks for.
    pub fn of(quiet: bool) -> Form {
        match std::env::var(VARIABLE).unwrap_or_default().as_str() {
            PIPED => Form::Piped,
            _ if quiet => Form::Hidden,
            JSON => Form::Json,
            _ if std::io::stderr().is_terminal() => Form::Bar,
            _ => Form::Lines,
        }
    }
}

/// Shows simulated time, steps, wet cells, stored volume, cell-steps/s and the remaining time.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: Instant,
    every: Duration,
    sampled: Instant,
    sample_every: Duration,
    left: Option<TimeLeft>,
    cells: f64,
    cubic_metres_per_grain: f64,
    form: Form,
    /// Steps taken before this process started.
    before: u64,
}

/// Returns a progress bar followed by the message template `message`; hidden unless `shown` is set.
pub fn bar(length: u64, message: &str, shown: bool) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:{BAR}}} {{percent:>3}} %  {message}"));
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.with_style(style.expect("the template is valid"))
}

impl Progress {
    /// Creates the progress display of a run over `cells` cells of `area` (m²).
    pub fn new(cells: usize, area: f64, grain: Grain, quiet: bool) -> Progress {
        let form = Form::of(quiet);
        let bar = bar(PARTS, "{msg}", form == Form::Bar);
        let every = match form {
            Form::Bar => Duration::from_millis(200),
            Form::Json | Form::Piped => Duration::from_millis(500),
            Form::Lines | Form::Hidden => Duration::from_secs(10),
        };
        let now = Instant::now();
        Progress {
            bar,
            start: now,
            shown: now,
            every,
            sampled: now,
            sample_every: SAMPLE_EVERY.min(every),
            left: None,
            cells: cells as f64,
            cubic_metres_per_grain: f64::from(grain.metres()) * area,
            form,
            before: 0,
        }
    }

    /// Starts the timing of a (resumed) run: steps taken before do not count.
    pub fn since(mut self, clock: &Clock) -> Progress {
        self.before = clock.done;
        let timed = matches!(clock.time_stepping, TimeStepping::Adaptive { .. });
        let mut left = TimeLeft::new(clock.end(), self.cells, timed);
        left.record(ProgressSample { wall: 0.0, time: clock.now(), wet: 0.0 });
        self.left = Some(left);
        self
    }

    /// Returns `true` if an update is due after this step.
    fn is_due(&self, clock: &Clock) -> bool {
        self.form != Form::Hidden && (clock.is_over() || self.shown.elapsed() >= self.every)
    }

    /// Takes a sample for the remaining time.
    fn take_sample(&mut self, clock: &Clock, backend: &dyn Backend) {
        let requested = Instant::now();
        let sample = ProgressSample {
            wall: self.start.elapsed().as_secs_f64(),
            time: clock.now(),
            wet: backend.wet_cells() as f64,
        };
        if let Some(left) = &mut self.left {
            left.record(sample);
        }
        self.sampled = Instant::now();
        // Counting the wet cells of a large map takes time: limit it to a hundredth of the run.
        self.sample_every = self.sample_every.max(100 * requested.elapsed());
    }

    /// Returns the progress as JSON: the fraction done (0 to 1) and its details.
    fn object(&self, clock: &Clock, backend: &dyn Backend) -> serde_json::Value {
        let left = self.left.as_ref().and_then(TimeLeft::left);
        json!({
            "progress": (clock.now() / clock.end()).clamp(0.0, 1.0),
            "time": clock.now(),
            "steps": clock.taken(),
            "wet_cells": backend.wet_cells(),
            "stored_m3": backend.ledger().stored as f64 * self.cubic_metres_per_grain,
            "left_s": left.filter(|_| !clock.is_over()),
        })
    }

    /// Returns the parts of the progress line in order, each with a priority for shortening the
    /// line.
    fn parts(&self, clock: &Clock, backend: &dyn Backend) -> Vec<(u8, String)> {
        let steps = clock.done - self.before;
        let speed = self.cells * steps as f64 / self.start.elapsed().as_secs_f64().max(1e-9);
        let stored = backend.ledger().stored as f64 * self.cubic_metres_per_grain;
        let of = clock.steps_in_all().map_or(String::new(), |steps| format!(" of {steps}"));
        let left = self.left.as_ref().and_then(TimeLeft::left);
        let left = left.filter(|_| !clock.is_over());
        let wet = backend.wet_cells();
        let cells = if wet == 1 { "cell" } else { "cells" };
        // In a run counted in steps, the time is already the step number.
        let time = if clock.unit == crate::engine::clock::TimeUnit::Seconds {
            show_duration(clock.now())
        } else {
            String::new()
        };
        vec![
            (0, time),
            (2, format!("{}{of} steps", clock.taken())),
            (3, format!("{} wet {cells}", show_count(wet as f64))),
            (5, format!("{} stored", show_volume(stored))),
            (4, format!("{} cell-steps/s", show_count(speed))),
            (1, left.map_or(String::new(), |left| format!("about {} left", show_left(left)))),
        ]
    }
}

/// Joins parts with commas into at most `width` columns, dropping the least important ones.
fn fitted(mut parts: Vec<(u8, String)>, width: usize) -> String {
    parts.retain(|(_, part)| !part.is_empty());
    loop {
        let texts: Vec<&str> = parts.iter().map(|(_, part)| part.as_str()).collect();
        let line = texts.join(", ");
        if line.chars().count() <= width || parts.len() == 1 {
            return line;
        }
        let least = parts.iter().enumerate().max_by_key(|(_, (rank, _))| *rank);
        let least = least.expect("there is more than one").0;
        parts.remove(least);
    }
}

impl Observer for Progress {
    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if self.form != Form::Hidden && self.sampled.elapsed() >= self.sample_every {
            self.take_sample(clock, backend);
        }
        if !self.is_due(clock) {
            return Ok(());
        }
        let requested = Instant::now();
        let parts = self.parts(clock, backend);
        self.shown = Instant::now();
        self.every = self.every.max(100 * requested.elapsed());
        let over = clock.is_over();
        match self.form {
            Form::Hidden => {}
            Form::Json => errln!("{}", self.object(clock, backend)),
            Form::Piped => outln!("{}", self.object(clock, backend)),
            Form::Bar => {
                self.bar.set_position((clock.now() / clock.end() * PARTS as f64) as u64);
                self.bar.set_message(fitted(parts, WIDTH - BEFORE));
                if over {
                    self.bar.finish_and_clear();
                }
            }
            Form::Lines if over => errln!("done: {}", fitted(parts, WIDTH - "done: ".len())),
            Form::Lines => errln!("{}", fitted(parts, WIDTH)),
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
        progress.form = Form::Hidden;
        assert!(!progress.is_due(&clock));
    }

    #[test]
    fn a_line_fits_and_tells_what_matters_most() {
        let parts = |texts: &[(u8, &str)]| {
            texts.iter().map(|(rank, text)| (*rank, (*text).to_string())).collect::<Vec<_>>()
        };
        let long = [
            (0, "123 h 45 min 59 s"),
            (2, "12345678 of 12345678 steps"),
            (3, "123.4 M wet cells"),
            (5, "1234567890123 m³ stored"),
            (4, "12.34 G cell-steps/s"),
            (1, "about 123 h left"),
        ];
        for width in [WIDTH, WIDTH - BEFORE] {
            let line = fitted(parts(&long), width);
            assert!(line.chars().count() <= width, "{line}");
            assert!(line.starts_with("123 h 45") && line.ends_with("about 123 h left"), "{line}");
        }
        let short = [(0, "5 min"), (2, "30 of 30 steps"), (3, "96 wet cells"), (1, "")];
        assert_eq!(fitted(parts(&short), WIDTH), "5 min, 30 of 30 steps, 96 wet cells");
    }
}
