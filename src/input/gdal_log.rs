//! GDAL's own messages, kept so that they end up in our errors instead of on the terminal.

use crate::input::network;
use gdal::errors::CplErrType;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, Once};

static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static INSTALL: Once = Once::new();

thread_local! {
    /// What GDAL said to this thread, if that is kept apart.
    static OWN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Starts to keep GDAL's messages. May be called any number of times.
pub fn install() {
    network::guard();
    INSTALL.call_once(|| {
        gdal::config::set_error_handler(|class, _, message| {
            if matches!(class, CplErrType::Failure | CplErrType::Fatal) {
                with_errors(|errors| errors.push(message.to_string()));
            }
        });
    });
}

/// From now on what GDAL says to this thread is for no other thread to take.
pub fn keep_apart() {
    OWN.set(Some(Vec::new()));
}

/// The errors since the last call, joined; `None` if there were none.
pub fn take() -> Option<String> {
    joined(with_errors(std::mem::take))
}

/// Why a call of GDAL failed: what it said in its log, which tells more than the error that it returns.
pub fn why(error: impl std::fmt::Display) -> String {
    take().unwrap_or_else(|| error.to_string())
}

/// The errors since the last call of [`take`], or if there were none those that GDAL's own threads told, which say for whom they worked to no one.
pub fn take_any() -> Option<String> {
    take().or_else(|| joined(std::mem::take(&mut *shared())))
}

fn joined(mut errors: Vec<String>) -> Option<String> {
    errors.dedup();
    errors.truncate(3);
    (!errors.is_empty()).then(|| errors.join("; "))
}

fn shared() -> MutexGuard<'static, Vec<String>> {
    ERRORS.lock().unwrap_or_else(|e| e.into_inner())
}

/// Does something with the errors that were told to this thread.
fn with_errors<T>(what: impl FnOnce(&mut Vec<String>) -> T) -> T {
    OWN.with_borrow_mut(|own| match own {
        Some(own) => what(own),
        None => what(&mut shared()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_to_a_thread_that_keeps_apart_is_its_own() {
        install();
        let fail = || {
            // SAFETY: the text ends in a zero, and is no format.
            unsafe { gdal_sys::CPLError(gdal_sys::CPLErr::CE_Failure, 1, c"broken".as_ptr()) }
        };
        let (own, left) = std::thread::scope(|scope| {
            let apart = scope.spawn(|| {
                keep_apart();
                fail();
                (take(), take())
            });
            apart.join().unwrap()
        });
        assert_eq!(own.as_deref(), Some("broken"));
        assert_eq!(left, None);
    }
}
