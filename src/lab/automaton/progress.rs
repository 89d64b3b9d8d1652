//! Progress of an automaton on stderr: a bar on a terminal, an occasional line elsewhere.

use super::Task;
use crate::observer::progress::bar;
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Progress of a run in steps.
pub struct AutomatonProgress {
    bar: ProgressBar,
    steps: u64,
    last_line: Instant,
    lines: bool,
}

impl AutomatonProgress {
    /// Starts the progress of a task.
    pub fn new(task: &Task) -> AutomatonProgress {
        let terminal = std::io::stderr().is_terminal();
        let message = "step {pos} of {len}, {eta} left";
        let bar = bar(task.steps, message, terminal && !task.quiet);
        let lines = !terminal && !task.quiet;
        AutomatonProgress { bar, steps: task.steps, last_line: Instant::now(), lines }
    }

    /// Reports the number of steps taken.
    pub fn update(&mut self, done: u64) {
        self.bar.set_position(done);
        if self.lines && self.last_line.elapsed() > Duration::from_secs(10) {
            self.last_line = Instant::now();
            errln!("step {done} of {}", self.steps);
        }
    }

    /// Removes the bar from the terminal.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
