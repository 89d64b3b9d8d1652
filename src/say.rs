//! The one way to stdout and stderr. Unlike `println!` these do not panic when nobody reads any more
//! (`inundate new dem.tif | head -1`): a closed pipe must not cost a run. Any other failure is kept for the end, where it
//! is an error ([`finish`]). What is said cannot command a terminal: control characters are escaped.

use crate::error::{Error, Result};
use crate::words::harmless;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;

/// Why nothing more goes to stdout.
enum Ended {
    /// Nobody reads any more.
    Closed,
    /// It cannot be written.
    Failed(io::Error),
}

/// Set by the first write to stdout that fails.
static ENDED: Mutex<Option<Ended>> = Mutex::new(None);

/// Writes a line on stdout.
pub fn out(line: Arguments) {
    let mut ended = ENDED.lock().unwrap_or_else(|e| e.into_inner());
    if ended.is_none() {
        *ended = judge(writeln!(io::stdout(), "{}", harmless(&line.to_string())));
    }
}

/// Writes a line on stderr. There is nobody to tell if that fails.
pub fn err(line: Arguments) {
    let _ = writeln!(io::stderr(), "{}", harmless(&line.to_string()));
}

/// Writes what is left of stdout. An error if anything that was said did not get there though someone was to read it.
pub fn finish() -> Result<()> {
    let mut ended = ENDED.lock().unwrap_or_else(|e| e.into_inner());
    if ended.is_none() {
        *ended = judge(io::stdout().flush());
    }
    match ended.take() {
        Some(Ended::Failed(error)) => Err(cannot_write(error)),
        _ => Ok(()),
    }
}

/// The error of a stdout that cannot be written.
pub fn cannot_write(error: io::Error) -> Error {
    Error::run("cannot write on the standard output")
        .because(error)
        .hint("is the disk full? What was to be read there is cut short")
}

fn judge(written: io::Result<()>) -> Option<Ended> {
    written.err().map(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ended::Closed,
        _ => Ended::Failed(error),
    })
}

/// Prints a line on stdout.
macro_rules! say {
    ($($line:tt)*) => { $crate::say::out(format_args!($($line)*)) };
}

/// Prints a line on stderr.
macro_rules! tell {
    ($($line:tt)*) => { $crate::say::err(format_args!($($line)*)) };
}
