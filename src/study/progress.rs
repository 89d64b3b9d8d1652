//! Progress of a study: a bar on a terminal, an occasional line elsewhere, or JSON for a program that
//! requests it.

use super::execute::Event;
use crate::observer::eta::show_left;
use crate::observer::progress::{Form, bar};
use indicatif::ProgressBar;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Resolution of the bar.
const PARTS: u64 = 1000;
/// Interval between lines, and between lines of JSON.
const LINES: Duration = Duration::from_secs(30);
const JSON: Duration = Duration::from_millis(500);
/// Share of the study from which the remaining time is estimated.
const ENOUGH: f64 = 0.01;

/// Progress of the runs that a command executes.
pub struct StudyProgress {
    bar: ProgressBar,
    form: Form,
    start: Instant,
    shown: Instant,
    /// Number of runs to execute.
    runs: usize,
    /// Number of runs that have ended.
    ended: usize,
    /// Share of each active run that is done, by the number of the run.
    active: BTreeMap<usize, f64>,
}

impl StudyProgress {
    /// Starts the progress of a number of runs.
    pub fn new(runs: usize, quiet: bool) -> StudyProgress {
        let form = Form::of(quiet);
        let bar = bar(PARTS, "{msg}", form == Form::Bar);
        let (start, active) = (Instant::now(), BTreeMap::new());
        StudyProgress { bar, form, start, shown: start, runs, ended: 0, active }
    }

    /// Shows what happens to a run; `line` describes the end of a run.
    pub fn see(&mut self, event: Event, line: impl Fn(&super::execute::Ended) -> String) {
        match event {
            Event::Advanced(run, share) => {
                self.active.insert(run.index, share);
            }
            Event::Ended(ended) => {
                self.active.remove(&ended.run.index);
                self.ended += 1;
                if self.form != Form::Hidden {
                    let line = format!("[{}/{}] {}", self.ended, self.runs, line(ended));
                    self.bar.suspend(|| errln!("{line}"));
                }
            }
        }
        self.show();
    }

    fn show(&mut self) {
        let done = self.share();
        match self.form {
            Form::Bar => {
                self.bar.set_message(self.line());
                self.bar.set_position((done * PARTS as f64) as u64);
            }
            Form::Lines if !self.active.is_empty() && self.shown.elapsed() >= LINES => {
                self.shown = Instant::now();
                errln!("{:.0} % {}", 100.0 * done, self.line());
            }
            Form::Json if self.shown.elapsed() >= JSON || self.ended == self.runs => {
                self.shown = Instant::now();
                let left = self.left();
                errln!("{}", json!({ "progress": done, "runs_ended": self.ended, "left_s": left }));
            }
            _ => {}
        }
    }

    /// Removes the bar from the terminal.
    pub fn end(self) {
        self.bar.finish_and_clear();
    }

    /// Returns the share of all steps that is done, as if runs took equally long.
    fn share(&self) -> f64 {
        (self.ended as f64 + self.active.values().sum::<f64>()) / self.runs as f64
    }

    /// Estimates the remaining time (s).
    fn left(&self) -> Option<f64> {
        let done = self.share();
        let left = self.start.elapsed().as_secs_f64() * (1.0 / done - 1.0);
        (ENOUGH..1.0).contains(&done).then_some(left)
    }

    /// Describes the state: `3 of 16 runs, 4 active (12 to 41 %), about 5 min left`.
    fn line(&self) -> String {
        let percent: Vec<i64> =
            self.active.values().map(|share| (100.0 * share).round() as i64).collect();
        let active = match (percent.iter().min(), percent.iter().max()) {
            (Some(least), Some(most)) if least < most => format!(" ({least} to {most} %)"),
            (Some(all), _) => format!(" ({all} %)"),
            _ => String::new(),
        };
        let left = self.left().map(|left| format!(", about {} left", show_left(left)));
        format!(
            "{} of {} runs, {} active{active}{}",
            self.ended,
            self.runs,
            percent.len(),
            left.unwrap_or_default()
        )
    }
}
