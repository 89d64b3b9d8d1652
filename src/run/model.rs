//! A run that is stepped by another program in its own process: it computes on its own threads,
//! while the caller's thread waits and polls for interruption.

use super::quantities::RunQuantity;
use super::{Finished, Run, StartParameters, pool, threads_for};
use crate::engine::cadence::Leg;
use crate::error::{Error, Failure, Result};
use crate::machine::threads::Threads;
use crate::scenario::Scenario;
use crate::scenario::options::Options;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A run in progress in the caller's process.
pub struct Model {
    /// `None` once it has finished or failed.
    run: Option<Run>,
    /// Reason if the run no longer exists.
    ended: &'static str,
    threads: Threads,
    stop: Arc<AtomicBool>,
}

impl Model {
    /// Starts the run of the options; `command` is recorded in the report as its origin. `warn`
    /// receives warnings and notes.
    ///
    /// # Errors
    /// As [`Run::start`], and if checkpoints are requested: they would not contain changes made
    /// from outside.
    pub fn start(
        options: &Options,
        command: Vec<String>,
        warn: impl FnMut(&Scenario) + Send,
    ) -> Result<Model> {
        if options.checkpoint_every.is_some() {
            return Err(Error::input(
                "checkpoint_every: a model that is stepped by its caller writes no checkpoints",
            )
            .hint("leave it out; keep_state saves the final state"));
        }
        let began = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        let raised = stop.clone();
        let raised = Box::new(move || raised.load(Ordering::Relaxed));
        let beginning = StartParameters { command, began, stop: raised, from: None, changes: true };
        let threads = pool(threads_for(options))?;
        let run = threads.install(|| Run::start(options, beginning, warn))?;
        Ok(Model { run: Some(run), ended: "", threads, stop })
    }

    /// Steps for a leg. Meanwhile `go_on` is polled; if it returns false, the run stops after the
    /// current step, from which it may continue later. Returns `true` if the leg was completed.
    ///
    /// # Errors
    /// As [`Run::step`], and if the run is over.
    pub fn step(&mut self, leg: Leg, mut go_on: impl FnMut() -> bool) -> Result<bool> {
        let run = self.run.as_mut().ok_or_else(|| gone(self.ended))?;
        let clock = run.clock()?;
        if clock.is_over() {
            let end = clock.show(clock.end());
            return Err(Error::input(format!("the run is over: it ended at {end}"))
                .hint("use a longer duration, or finalize it"));
        }
        self.stop.store(false, Ordering::Relaxed);
        let stop = &self.stop;
        let ran = self.threads.install_beside(
            || run.step(leg),
            || {
                if !go_on() {
                    stop.store(true, Ordering::Relaxed);
                }
            },
        );
        match ran {
            Err(error) if error.kind == Failure::Interrupted => Ok(false),
            Err(error) => {
                (self.run, self.ended) = (None, "it has failed");
                Err(error)
            }
            Ok(()) => Ok(!self.stop.load(Ordering::Relaxed)),
        }
    }

    /// Calls `what` with the run, between two steps, on the run's threads.
    ///
    /// # Errors
    /// Errors of `what`, and if the run has finished or failed.
    pub fn with<T: Send>(&mut self, what: impl FnOnce(&mut Run) -> Result<T> + Send) -> Result<T> {
        let run = self.run.as_mut().ok_or_else(|| gone(self.ended))?;
        self.threads.install(|| what(run))
    }

    /// Reads the present values of a quantity ([`Run::read`]).
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn read(&mut self, quantity: &'static RunQuantity) -> Result<Vec<f64>> {
        self.with(|run| run.read(quantity))
    }

    /// Sets the values of a quantity ([`Run::set`]).
    ///
    /// # Errors
    /// As [`Run::set`].
    pub fn set(&mut self, quantity: &'static RunQuantity, values: &[f64]) -> Result<()> {
        self.with(|run| run.set(quantity, values))
    }

    /// Ends the run and writes its results; `None` if it took no step.
    ///
    /// # Errors
    /// As [`Run::finish`].
    pub fn finish(&mut self) -> Result<Option<Finished>> {
        let run = self.run.take().ok_or_else(|| gone(self.ended))?;
        self.ended = "it is finished";
        if run.clock()?.taken() == 0 {
            return Ok(None);
        }
        self.threads.install(|| run.finish()).map(Some)
    }

    /// Ends the run without writing anything more.
    pub fn give_up(&mut self, why: &'static str) {
        (self.run, self.ended) = (None, why);
    }
}

fn gone(why: &str) -> Error {
    Error::input(format!("the run no longer exists: {why}")).hint("start another")
}
