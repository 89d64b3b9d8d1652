//! Faults in CSV files.

use crate::error::Error;

/// A fault in a line of a CSV.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The line of the file.
    pub line: u64,
    /// What is wrong there.
    pub what: String,
    /// How to fix it, if the reader has no better advice.
    pub hint: Option<&'static str>,
}

impl Fault {
    pub(super) fn new(line: u64, what: impl Into<String>) -> Fault {
        Fault { line, what: what.into(), hint: None }
    }

    pub(super) fn hint(self, hint: &'static str) -> Fault {
        Fault { hint: Some(hint), ..self }
    }

    /// Makes an error of it by `wrong`, which adds the file and a hint of its own.
    pub fn error(self, wrong: impl FnOnce(u64, String) -> Error) -> Error {
        let error = wrong(self.line, self.what);
        match self.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
