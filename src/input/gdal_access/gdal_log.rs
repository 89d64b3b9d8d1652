//! GDAL's messages, collected for our errors instead of printed to the terminal.

use crate::input::gdal_access::{network, own_gdal};
use gdal::errors::CplErrType;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, Once};

static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static INSTALL: Once = Once::new();

thread_local! {
    /// GDAL's messages in this thread, if collected separately.
    static OWN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Starts collecting GDAL's messages. May be called any number of times.
pub fn install() {
    network::guard();
    INSTALL.call_once(|| {
        own_gdal::clear_reading_options();
        gdal::config::set_error_handler(|class, _, message| {
            if matches!(class, CplErrType::Failure | CplErrType::Fatal) {
                with_errors(|errors| errors.push(message.to_string()));
            }
        });
    });
}

/// Collects the messages of this thread separately from now on, so that no other thread takes them.
pub fn keep_apart() {
    OWN.set(Some(Vec::new()));
}

/// Calls a function and drops its messages, if its result alone shows that it has failed.
pub fn without_messages<T>(call: impl FnOnce() -> T) -> T {
    let own = OWN.replace(Some(Vec::new()));
    let result = call();
    OWN.set(own);
    result
}

/// Drops the messages of GDAL's own threads, after a successful call that has used them.
pub fn drop_of_threads() {
    shared().clear();
}

/// Takes the errors since the last call, joined; `None` if there were none.
pub fn take() -> Option<String> {
    joined(with_errors(std::mem::take))
}

/// Returns the reason for a failed GDAL call: the messages in the log, which are more specific,
/// else the returned error.
pub fn why(error: impl std::fmt::Display) -> String {
    take().unwrap_or_else(|| error.to_string())
}

/// Takes the errors since the last call of [`take`] or, if there were none, the errors of GDAL's
/// own threads, which cannot be attributed to a caller.
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

/// Calls a function with the errors of this thread.
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
            // SAFETY: the text is a NUL-terminated literal without format specifiers, so no further
            // arguments are read.
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
