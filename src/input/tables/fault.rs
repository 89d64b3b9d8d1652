//! Faults in CSV files.

use crate::error::Error;

/// Fault in a line of a CSV.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Line number in the file.
    pub line: u64,
    /// Description of the fault.
    pub what: String,
    /// Hint, if it is better than the reader's own.
    pub hint: Option<&'static str>,
}

impl Fault {
    pub(super) fn new(line: u64, what: impl Into<String>) -> Fault {
        Fault { line, what: what.into(), hint: None }
    }

    pub(super) fn hint(self, hint: &'static str) -> Fault {
        Fault { hint: Some(hint), ..self }
    }

    /// Converts the fault into an error with `wrong`, which adds the file name and a default hint.
    pub fn error(self, wrong: impl FnOnce(u64, String) -> Error) -> Error {
        let error = wrong(self.line, self.what);
        match self.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
