//! Converts errors and panics to exceptions of the package.

use inundate::error::{Error, Failure, Result};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Start of the message of a panic.
const DEFECT: &str = "a defect of this program";

/// Runs a closure without holding the GIL; raises its error or panic.
pub fn guarded<T: Send>(py: Python<'_>, what: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(what)));
    let done = done.unwrap_or_else(|panic| {
        Err(Error::always(format!("{DEFECT}: {}", said(&*panic)))
            .hint("please report it with the scenario; the model cannot continue"))
    });
    done.map_err(|error| raise(py, error))
}

/// Returns the message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Returns `true` if an exception reports a panic.
pub fn is_of_a_panic(py: Python<'_>, error: &PyErr) -> bool {
    error.value(py).to_string().starts_with(DEFECT)
}

/// Converts an error to an exception of the package.
fn raise(py: Python<'_>, error: Error) -> PyErr {
    let Error { kind, what, hint, .. } = error;
    let made = || {
        let errors = py.import("inundate.errors")?;
        match kind {
            Failure::Input => errors.getattr("InputError")?.call1((what, hint, 2)),
            Failure::Run | Failure::Always => errors.getattr("RunError")?.call1((what, hint, 1)),
            Failure::Interrupted => errors.getattr("Stopped")?.call1((what, hint)),
        }
    };
    made().map_or_else(|failed| failed, PyErr::from_value)
}
