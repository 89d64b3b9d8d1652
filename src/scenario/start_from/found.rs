//! Where the state lies that a run starts from.

use super::Header;
use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::output::checkpoint::file::{CHECKPOINT, Flaw, Reader};
use crate::output::checkpoint::store;
use crate::output::folder::STATE;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// How to mend what cannot be started from.
pub const AGAIN: &str = "run the earlier run again with --keep-state";

/// Opens a state: a file, or in the output folder of a run its last checkpoint that is whole, if it was stopped, or what it kept at its
/// end.
pub fn open(named: &Path, said: &mut Notices) -> Result<(PathBuf, Header, Reader)> {
    let shown = named.display();
    if !named.exists() {
        return Err(Error::input(format!("start_from: '{shown}' is not there"))
            .hint("give the output folder of a run with --keep-state, or of one that was stopped, or the file of a state"));
    }
    let checkpoints = store::found(named);
    let is_stopped = !checkpoints.is_empty();
    let files = match () {
        () if is_stopped => checkpoints,
        () if named.is_dir() => vec![named.join(STATE)],
        // A link is followed where the user names it.
        () if named.is_symlink() => vec![named.canonicalize().unwrap_or_else(|_| named.into())],
        () => vec![named.into()],
    };
    if named.is_dir() && !files[0].exists() {
        return Err(Error::input(format!("start_from: '{shown}' holds no state of a run")).hint(
            "a run keeps the state at its end with --keep-state, and one that was stopped has a checkpoint if it had --checkpoint-every",
        ));
    }
    let mut error = None;
    for path in files {
        match Reader::open::<Header>(&path, CHECKPOINT) {
            Ok((header, reader)) => {
                said.warn_all(
                    error.map(|error: Error| format!("{}; the one before it is taken", error.what)),
                );
                said.read("start_from", &path)?;
                return Ok((path, header, reader));
            }
            Err(Flaw::OtherVersion) => {
                let what =
                    format!("start_from: '{}' is of another version of inundate", path.display());
                return Err(Error::input(what).hint(AGAIN));
            }
            Err(flaw) => {
                error.get_or_insert(unreadable(&path, flaw));
            }
        }
    }
    Err(error.expect("there was a file"))
}

/// The error of what is no state.
pub fn unreadable(path: &Path, why: impl Display) -> Error {
    Error::input(format!(
        "start_from: '{}' is no state that can be started from: {why}",
        path.display()
    ))
    .hint(AGAIN)
}
