//! GDAL's own messages, kept so that they end up in our errors instead of on the terminal.

use crate::input::remote;
use gdal::errors::CplErrType;
use std::sync::{Mutex, Once};

static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static INSTALL: Once = Once::new();

/// Starts to keep GDAL's messages. May be called any number of times.
pub fn install() {
    remote::guard();
    INSTALL.call_once(|| {
        gdal::config::set_error_handler(|class, _, message| {
            if matches!(class, CplErrType::Failure | CplErrType::Fatal) {
                ERRORS.lock().unwrap_or_else(|e| e.into_inner()).push(message.to_string());
            }
        });
    });
}

/// The errors since the last call, joined; `None` if there were none.
pub fn take() -> Option<String> {
    let mut errors = ERRORS.lock().unwrap_or_else(|e| e.into_inner());
    let mut taken = std::mem::take(&mut *errors);
    taken.dedup();
    taken.truncate(3);
    (!taken.is_empty()).then(|| taken.join("; "))
}
