//! Output to stdout and stderr; all output goes through this module.
//!
//! Unlike `println!`, these functions do not panic when the reader has gone (`inundate new dem.tif
//! | head -1`): a closed pipe must not abort a run. Any other write failure is kept until the end
//! and reported as an error ([`finish`]). Control characters are escaped, so a message cannot send
//! commands to the terminal. On a terminal, the label at the beginning of a line is coloured, unless
//! NO_COLOR is set (<https://no-color.org>).

use crate::error::{Error, Result};
use crate::words::harmless;
use clap::builder::styling::{AnsiColor, Style};
use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{LazyLock, Mutex};

/// Labels of messages, each with its style, which is that of the argument parser.
const LABELS: [(&str, Style); 4] = [
    ("error:", AnsiColor::Red.on_default().bold()),
    ("interrupted:", AnsiColor::Red.on_default().bold()),
    ("warning:", AnsiColor::Yellow.on_default().bold()),
    ("  hint:", AnsiColor::Green.on_default()),
];

/// True if labels on stderr are coloured.
static COLOURED: LazyLock<bool> = LazyLock::new(|| {
    let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    io::stderr().is_terminal() && unset("NO_COLOR") && !dumb
});

/// Reason why nothing more is written to stdout.
enum Ended {
    /// The reader has closed the pipe.
    Closed,
    /// Writing failed.
    Failed(io::Error),
}

/// Set by the first failed write to stdout.
static ENDED: Mutex<Option<Ended>> = Mutex::new(None);

/// Writes a line to stdout.
pub fn out(line: Arguments) {
    let mut ended = ENDED.lock().unwrap_or_else(|e| e.into_inner());
    if ended.is_none() {
        *ended = judge(writeln!(io::stdout(), "{}", harmless(&line.to_string())));
    }
}

/// Writes a line to stderr. A failure is ignored, since there is nowhere to report it.
pub fn err(line: Arguments) {
    let text = line.to_string();
    let text = harmless(&text);
    // One write, so that lines of several threads stay whole.
    let shown = if *COLOURED { coloured(&text) } else { text.into_owned() };
    let _ = writeln!(io::stderr(), "{shown}");
}

/// Colours the labels at the beginnings of lines.
fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let labelled = LABELS.iter().find_map(|(label, style)| {
            line.strip_prefix(label).map(|rest| format!("{style}{label}{style:#}{rest}"))
        });
        labelled.unwrap_or_else(|| line.to_string())
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Flushes stdout.
///
/// # Errors
/// If a write failed although the reader was still there.
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

/// Returns the error for a stdout that cannot be written.
pub fn cannot_write(error: io::Error) -> Error {
    Error::run("cannot write to standard output")
        .because(error)
        .hint("is the disk full? The output is incomplete")
}

fn judge(written: io::Result<()>) -> Option<Ended> {
    written.err().map(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ended::Closed,
        _ => Ended::Failed(error),
    })
}

/// Prints a line to stdout.
macro_rules! outln {
    ($($line:tt)*) => { $crate::say::out(format_args!($($line)*)) };
}

/// Prints a line to stderr.
macro_rules! errln {
    ($($line:tt)*) => { $crate::say::err(format_args!($($line)*)) };
}
