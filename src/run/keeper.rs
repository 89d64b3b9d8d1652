//! Writes checkpoints: when a run decides to save its state, and when the user stops it.

use super::header::Header;
use crate::engine::backend::Backend;
use crate::engine::cadence::Decision;
use crate::engine::clock::Clock;
use crate::engine::simulation::{Observer, no_observer};
use crate::error::{Error, Result};
use crate::output::checkpoint::store::{Store, resume_command, sync_folder};
use crate::output::folder::OutputFolder;
use crate::output::timings::Waits;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// Writes a run's checkpoints. It comes after all other observers, so that their records and files
/// match the state exactly.
pub struct Keeper {
    store: Arc<Store>,
    header: Header,
    folder: Arc<OutputFolder>,
    /// Time at which this process began to step.
    started: Instant,
    waits: Waits,
    /// Number of published files that are known to be on disk.
    synced: usize,
    /// Last failure, as a warning.
    pub warning: Option<String>,
}

impl Keeper {
    /// Creates the keeper of a run whose steps begin now. `header` holds the part that is common to
    /// all checkpoints, the time spent so far and, if the run is resumed, the state of the
    /// observers. `waits` measures how long the run waits for its maps.
    pub fn new(
        store: Arc<Store>,
        header: Header,
        folder: Arc<OutputFolder>,
        waits: &Waits,
    ) -> Keeper {
        let (started, synced, warning, waits) = (Instant::now(), 0, None, waits.clone());
        Keeper { store, header, folder, started, waits, synced, warning }
    }

    /// Restores the observers of a resumed run at the clock's time.
    pub fn restore(&mut self, observers: &mut [&mut dyn Observer], clock: &Clock) -> Result<()> {
        let saved = std::mem::take(&mut self.header.observers);
        let goes_on = !self.header.resumed_at_steps.is_empty();
        if (goes_on || !saved.is_empty()) && saved.len() != observers.len() {
            return Err(no_observer());
        }
        let mut pairs = observers.iter_mut().zip(saved);
        pairs.try_for_each(|(observer, saved)| observer.restore(saved, clock))
    }

    /// Acts on the decision of a run.
    pub fn heed(
        &mut self,
        decision: Decision,
        clock: &Clock,
        backend: &dyn Backend,
        observers: &mut [&mut dyn Observer],
    ) -> Result<()> {
        match decision {
            Decision::GoOn => {}
            Decision::Stop => {
                finish(observers)?;
                return Err(self.stop_here(clock, backend, observers));
            }
            Decision::Save => {
                finish(observers)?;
                if let Err(error) = self.write(clock, backend, observers) {
                    let when = clock.show(clock.now());
                    let warning = format!(
                        "checkpoint_every: the checkpoint at {when} could not be written: {}",
                        error.what
                    );
                    errln!("warning: {warning}");
                    self.warning = Some(warning);
                }
            }
        }
        Ok(())
    }

    /// Writes a final checkpoint and returns an error that explains how to resume.
    fn stop_here(
        &mut self,
        clock: &Clock,
        backend: &dyn Backend,
        observers: &mut [&mut dyn Observer],
    ) -> Error {
        let stopped = format!("stopped by the user at {}", clock.show(clock.now()));
        let command = resume_command(self.store.out());
        match self.write(clock, backend, observers) {
            Ok(()) => Error::interrupted(stopped).hint(format!("continue with: {command}")),
            Err(error) => {
                let what = format!("{stopped}; the state could not be written: {}", error.what);
                let stopped = Error::interrupted(what);
                if self.store.found().is_empty() {
                    return stopped;
                }
                stopped.hint(format!("continue from the previous checkpoint with: {command}"))
            }
        }
    }

    fn write(
        &mut self,
        clock: &Clock,
        backend: &dyn Backend,
        observers: &mut [&mut dyn Observer],
    ) -> Result<()> {
        // Files that the checkpoint lists must survive a power failure, as the checkpoint does.
        let published = self.folder.published();
        let out = self.folder.path();
        let failed = |error: io::Error| Error::run(error.to_string());
        for name in &published[self.synced.min(published.len())..] {
            File::open(out.join(name)).and_then(|file| file.sync_all()).map_err(failed)?;
        }
        sync_folder(out).map_err(failed)?;
        self.synced = published.len();
        let mut header = Header {
            observers: observers.iter().map(|observer| observer.save()).collect::<Result<_>>()?,
            published,
            earlier: self.folder.earlier(),
            ..self.header.at(clock, backend)?
        };
        header.spent.took_steps(self.started.elapsed().as_secs_f64(), &self.waits);
        let mut read = Ok(());
        let written = self.store.replace(|file| {
            header.write(file, backend)?.map_err(|error| {
                let what = io::Error::other(error.what.clone());
                read = Err(error);
                what
            })
        });
        read.and(written.map_err(failed))
    }
}

/// Completes the background work of the observers: a checkpoint lists published files, and nothing
/// that is still being written.
fn finish(observers: &mut [&mut dyn Observer]) -> Result<()> {
    observers.iter_mut().try_for_each(|observer| observer.finish())
}
