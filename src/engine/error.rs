//! Errors: what is wrong, where, and how to fix it.

use crate::words::short;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Kind of failure, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Failure {
    /// The input is wrong: exit code 2.
    Input,
    /// The run failed: exit code 1.
    Run,
    /// The run failed, and would fail on every retry: exit code 1.
    Always,
    /// The user stopped the run: exit code 130.
    Interrupted,
}

/// Underlying error from another library or the system.
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// An error with an optional hint on how to fix it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Error {
    /// Kind of failure, which determines the exit code.
    pub kind: Failure,
    /// Message: what is wrong and where, including the cause.
    pub what: String,
    /// Hint on how to fix it.
    pub hint: Option<String>,
    /// Underlying error, if any. It is not sent to other processes, which only receive its text.
    #[serde(skip)]
    pub cause: Option<Cause>,
}

/// Result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    fn new(kind: Failure, what: impl Into<String>) -> Error {
        Error { kind, what: short(&what.into()).into_owned(), hint: None, cause: None }
    }

    /// Creates an error for wrong input.
    pub fn input(what: impl Into<String>) -> Error {
        Error::new(Failure::Input, what)
    }

    /// Creates an error for a failed run.
    pub fn run(what: impl Into<String>) -> Error {
        Error::new(Failure::Run, what)
    }

    /// Creates an error for a run that would fail on every retry.
    pub fn always(what: impl Into<String>) -> Error {
        Error::new(Failure::Always, what)
    }

    /// Creates an error for a run that the user stopped.
    pub fn interrupted(what: impl Into<String>) -> Error {
        Error::new(Failure::Interrupted, what)
    }

    /// Sets a hint on how to fix the error.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(short(&hint.into()).into_owned());
        self
    }

    /// Appends another hint to the hint, or sets it if there is none.
    pub fn hint_also(self, more: impl fmt::Display) -> Error {
        let hint = match &self.hint {
            Some(hint) => format!("{hint}; {more}"),
            None => more.to_string(),
        };
        self.hint(hint)
    }

    /// Prefixes the error with its subject: a key of the scenario, a file, a rank. Callers add the
    /// outermost subject last.
    ///
    /// ```
    /// use inundate_engine::Error;
    ///
    /// let error = Error::input("'4 pints' has an unknown unit").of("source").at("column 3, row 7");
    /// assert_eq!(error.what, "source: '4 pints' has an unknown unit (column 3, row 7)");
    /// ```
    pub fn of(mut self, key: impl fmt::Display) -> Error {
        self.what = format!("{key}: {}", self.what);
        self
    }

    /// Adds the location of the error: a cell, a feature of a file, a line.
    pub fn at(mut self, place: impl fmt::Display) -> Error {
        self.what = format!("{} ({place})", self.what);
        self
    }

    /// Adds the underlying error and appends its text to the message.
    pub fn because(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.what = format!("{}: {}", self.what, short(&cause.to_string()));
        self.cause = Some(Arc::new(cause));
        self
    }

    /// Returns the exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Failure::Run | Failure::Always => 1,
            Failure::Input => 2,
            Failure::Interrupted => 130,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;
    use std::io;

    fn unread() -> Error {
        Error::input("cannot read 'dem.tif'").because(io::Error::from(io::ErrorKind::NotFound))
    }

    #[test]
    fn an_error_tells_its_cause_and_hands_it_on() {
        let error = unread().hint("look for it").of("dem").at("line 3");
        assert_eq!(error.what, "dem: cannot read 'dem.tif': entity not found (line 3)");
        assert_eq!((error.exit_code(), error.hint.as_deref()), (2, Some("look for it")));
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::NotFound));
        assert!(Error::run("it failed").source().is_none());
    }

    #[test]
    fn in_another_process_its_text_is_known() {
        let sent = postcard::to_allocvec(&unread()).unwrap();
        let came: Error = postcard::from_bytes(&sent).unwrap();
        assert_eq!(came.what, unread().what);
        assert!(came.cause.is_none());
    }

    #[test]
    fn advice_is_added_to_what_there_is() {
        let hint = |error: Error| error.hint_also("or stop").hint.unwrap();
        assert_eq!(hint(unread().hint("look for it")), "look for it; or stop");
        assert_eq!(hint(unread()), "or stop");
    }
}
