//! Resuming from a checkpoint: it is found, verified against its inputs, and read.

use super::header::Header;
use crate::engine::backend::saved::Resumed;
use crate::engine::backend::{Backend, Problem};
use crate::engine::clock::Clock;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::output::checkpoint::arrays::Checked;
use crate::output::checkpoint::file::{CHECKPOINT, CheckpointFault, CheckpointReader};
use crate::output::checkpoint::store::{self, Store, has_checkpoint};
use crate::output::folder::REPORT;
use crate::run::processor::TakenProcessor;
use crate::scenario::Facts;
use crate::scenario::options::Options;
use std::path::{Path, PathBuf};

/// A checkpoint from which a run is resumed.
#[derive(Debug)]
pub struct Checkpoint {
    /// Location of the checkpoint.
    pub store: Store,
    /// Header of the checkpoint.
    pub header: Header,
    /// Reader of the checkpoint's arrays.
    pub reader: CheckpointReader,
    /// Warnings to show to the user.
    pub warnings: Vec<String>,
}

impl Checkpoint {
    /// Opens the latest intact checkpoint in an output folder.
    pub fn open(out: &Path) -> Result<Checkpoint> {
        let shown = out.display();
        if !has_checkpoint(out) {
            let (what, hint) = if !out.is_dir() {
                ("is not a folder", "give the output folder of the run: inundate resume results")
            } else if out.join(REPORT).exists() {
                (
                    "holds a run that is complete",
                    "its results are complete; there is nothing to resume",
                )
            } else {
                store::check_free(out)?;
                (
                    "holds no checkpoint",
                    "start it again from the beginning: a run with --checkpoint-every \"10 min\" writes its first checkpoint after 10 minutes, or when Ctrl-C stops it; a run killed before then has none",
                )
            };
            return Err(Error::input(format!("resume: '{shown}' {what}")).hint(hint));
        }
        let store = Store::open(out)?;
        let mut flaws = Vec::new();
        for path in store.found() {
            match CheckpointReader::open::<Header>(&path, CHECKPOINT) {
                Ok((mut header, reader)) => {
                    let mut warnings: Vec<String> = flaws;
                    if let Some(flaw) = warnings.pop() {
                        let when = &header.when;
                        warnings.push(format!(
                            "{flaw}; the run continues from the previous one, at {when}"
                        ));
                    }
                    header.check_version()?;
                    header.check_names().map_err(|what| unsound(out, &what))?;
                    store.goes_on_from(&path);
                    warnings.extend(header.forget_missing(out));
                    return Ok(Checkpoint { store, header, reader, warnings });
                }
                Err(CheckpointFault::OtherVersion) => {
                    return Err(Error::input(format!(
                        "resume: the checkpoint in '{shown}' was written by another version of inundate"
                    ))
                    .hint(AGAIN));
                }
                Err(CheckpointFault::Damaged(why)) => {
                    flaws.push(format!("the last checkpoint in '{shown}' is damaged: {why}"));
                }
            }
        }
        let flaw = flaws.swap_remove(0);
        let all = if flaws.is_empty() { "" } else { ", and so is the previous one" };
        Err(Error::input(format!("resume: {flaw}{all}"))
            .hint("start the run again from the beginning, with --overwrite"))
    }

    /// Returns the options of the run.
    pub fn options(&self) -> Result<Options> {
        let mut options = Options::from_toml(&self.header.options, "the checkpoint")?;
        options.scenario_file = self.header.scenario_file.as_ref().map(PathBuf::from);
        Ok(options)
    }

    /// Fails if an input of the run has changed.
    pub fn check_inputs(&self) -> Result<()> {
        for input in &self.header.inputs {
            let InputFile { role, path, sha256, .. } = input;
            let Some(before) = sha256 else { continue };
            let file = Path::new(path);
            let Some(now) = InputFile::new(role, file)?.sha256 else {
                let error = Error::input(format!("resume: the {role} '{path}' no longer exists"));
                let folder = &self.header.folder;
                let here = std::env::current_dir().unwrap_or_default();
                return Err(if file.is_relative() && here != Path::new(folder) {
                    error.hint(format!(
                        "the run was started in the folder '{folder}': resume it there"
                    ))
                } else {
                    error.hint("restore it, or start the run again with --overwrite")
                });
            };
            if now != *before {
                return Err(changed(&format!("the {role} '{path}'")));
            }
        }
        Ok(())
    }

    /// Fails if the newly built scenario differs from the run's.
    pub fn check_scenario(&self, problem: &Problem, facts: &Facts, clock: &Clock) -> Result<()> {
        for (now, before) in facts.inputs.iter().zip(&self.header.inputs) {
            if now != before {
                return Err(changed(&format!("the {} '{}'", now.role, now.path)));
            }
        }
        if facts.inputs.len() != self.header.inputs.len() {
            return Err(changed("the list of input files"));
        }
        if !self.header.about.has_ground(problem) {
            return Err(changed("the terrain from the DEM"));
        }
        if self.header.about.elapsed().to_bits() != problem.forcing.elapsed.to_bits() {
            return Err(changed("the time of the state that the run started from"));
        }
        if problem.kept() != self.header.arrays {
            return Err(changed("the values that the run keeps for every cell"));
        }
        if problem.forcing.links.len() != self.header.sums.links.len() {
            return Err(changed("the list of links"));
        }
        if problem.gauges.len() != self.header.sums.gauges.len() {
            return Err(changed("the list of gauges"));
        }
        let ports = problem.forcing.ports();
        self.header.check_ports(ports).map_err(|what| unsound(self.store.out(), &what))?;
        self.header.check_progress(clock).map_err(|what| unsound(self.store.out(), &what))?;
        Ok(())
    }

    /// Sets up the run's state on a processor, and sets the clock.
    pub fn start(
        &mut self,
        taken: TakenProcessor,
        problem: Problem,
        clock: &mut Clock,
    ) -> Result<Box<dyn Backend>> {
        let Checkpoint { header, reader, .. } = self;
        let fields = header.arrays.clone();
        let mut checked = Checked::new(&fields, (problem.grid.columns, problem.grid.rows));
        let mut lines =
            |to: &mut [u32]| reader.take(to).and_then(|()| checked.line(to)).map_err(unreadable);
        let saved = Resumed { sums: header.sums.clone(), fields, lines: &mut lines };
        let backend = taken.start(problem, Some(saved))?;
        if !reader.is_at_the_end() {
            return Err(unreadable(CheckpointFault::Damaged(
                "it contains more than the run's state".into(),
            )));
        }
        if backend.ledger() != header.sums.ledger {
            return Err(unreadable(CheckpointFault::Damaged(
                "its water does not match its mass balance".into(),
            )));
        }
        header.time.set(clock);
        Ok(backend)
    }
}

/// Hint for a run that cannot be resumed.
const AGAIN: &str = "resume it with the version that wrote it, or start the run again from the beginning, with --overwrite";

impl Header {
    /// Drops files that no longer exist from the list, with a warning.
    fn forget_missing(&mut self, out: &Path) -> Option<String> {
        let (there, gone): (Vec<String>, Vec<String>) = std::mem::take(&mut self.published)
            .into_iter()
            .partition(|name| out.join(name).exists());
        self.published = there;
        let first = gone.first()?;
        Some(format!(
            "{} of the run's files no longer exist in '{}', {first} first; they are not written again",
            gone.len(),
            out.display()
        ))
    }

    /// Another version may compute different bits.
    fn check_version(&self) -> Result<()> {
        let (before, now) = (&self.version, env!("CARGO_PKG_VERSION"));
        if before == now {
            return Ok(());
        }
        let what =
            format!("resume: the run was made by inundate {before}, but this is inundate {now}");
        Err(Error::input(what).hint(AGAIN))
    }
}

fn changed(what: &str) -> Error {
    Error::input(format!("resume: {what} has changed since the run was started"))
        .hint("restore it, or start the run again from the beginning, with --overwrite")
}

/// Returns the error of arrays that cannot be read despite a valid checksum.
fn unreadable(flaw: CheckpointFault) -> Error {
    Error::input(format!("resume: the checkpoint cannot be read: {flaw}"))
        .hint("start the run again from the beginning, with --overwrite")
}

/// Returns the error of a header that was not written by a run.
fn unsound(out: &Path, what: &str) -> Error {
    Error::input(format!(
        "resume: the checkpoint in '{}' was not written by a run: {what}",
        out.display()
    ))
    .hint("start the run again from the beginning, with --overwrite; nothing was changed")
}
