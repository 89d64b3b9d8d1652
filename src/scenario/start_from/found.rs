//! Finds and opens the state that a run starts from.

use super::Header;
use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::output::checkpoint::file::{CHECKPOINT, CheckpointFault, CheckpointReader};
use crate::output::checkpoint::store;
use crate::output::folder::STATE;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Hint for a state that cannot be used.
pub const AGAIN: &str = "run the earlier run again with --keep-state";

/// Opens a state: a file, or the output folder of a run, with its last valid checkpoint if the run
/// was stopped, otherwise its final state.
pub fn open(named: &Path, notices: &mut Notices) -> Result<(PathBuf, Header, CheckpointReader)> {
    let shown = named.display();
    if !named.exists() {
        return Err(Error::input(format!("start_from: '{shown}' does not exist"))
            .hint("give the output folder of a run with --keep-state or of a stopped run, or a state file"));
    }
    let checkpoints = store::found(named);
    let is_stopped = !checkpoints.is_empty();
    let files = match () {
        () if is_stopped => checkpoints,
        () if named.is_dir() => vec![named.join(STATE)],
        // A link is followed only if the user names it.
        () if named.is_symlink() => vec![named.canonicalize().unwrap_or_else(|_| named.into())],
        () => vec![named.into()],
    };
    if named.is_dir() && !files[0].exists() {
        return Err(Error::input(format!("start_from: '{shown}' does not contain a state of a run")).hint(
            "a run keeps its final state with --keep-state; a stopped run has a checkpoint if it had --checkpoint-every",
        ));
    }
    let mut error = None;
    for path in files {
        match CheckpointReader::open::<Header>(&path, CHECKPOINT) {
            Ok((header, reader)) => {
                notices.warn_all(
                    error.map(|error: Error| format!("{}; the previous one is used", error.what)),
                );
                notices.read("start_from", &path)?;
                return Ok((path, header, reader));
            }
            Err(CheckpointFault::OtherVersion) => {
                let what =
                    format!("start_from: '{}' is from another version of inundate", path.display());
                return Err(Error::input(what).hint(AGAIN));
            }
            Err(flaw) => {
                error.get_or_insert(unreadable(&path, flaw));
            }
        }
    }
    Err(error.expect("there was a file"))
}

/// Creates the error for a file that is not a usable state.
pub fn unreadable(path: &Path, why: impl Display) -> Error {
    Error::input(format!("start_from: '{}' is not a usable state: {why}", path.display()))
        .hint(AGAIN)
}
