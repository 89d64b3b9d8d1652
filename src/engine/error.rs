//! Errors: what is wrong, where, and how to mend it.

use crate::words::short;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of failure it is, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Failure {
    /// The input is wrong: exit code 2.
    Input,
    /// The run failed: exit code 1.
    Run,
    /// The run failed, and would fail again however often it is tried: exit code 1.
    Always,
    /// The user stopped the run: exit code 130.
    Interrupted,
}

/// An error with an optional hint on how to mend it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Error {
    /// What kind of failure it is.
    pub kind: Failure,
    /// What is wrong and where.
    pub what: String,
    /// How to mend it.
    pub hint: Option<String>,
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    fn new(kind: Failure, what: impl Into<String>) -> Error {
        Error { kind, what: short(&what.into()).into_owned(), hint: None }
    }

    /// Wrong input.
    pub fn input(what: impl Into<String>) -> Error {
        Error::new(Failure::Input, what)
    }

    /// A failed run.
    pub fn run(what: impl Into<String>) -> Error {
        Error::new(Failure::Run, what)
    }

    /// A run that fails, and would fail again.
    pub fn always(what: impl Into<String>) -> Error {
        Error::new(Failure::Always, what)
    }

    /// The user stopped the run.
    pub fn interrupted(what: impl Into<String>) -> Error {
        Error::new(Failure::Interrupted, what)
    }

    /// The same error with advice on how to mend it.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(short(&hint.into()).into_owned());
        self
    }

    /// The exit code that the program ends with.
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

impl std::error::Error for Error {}
