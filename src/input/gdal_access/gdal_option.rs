//! GDAL options that apply during a call.

use gdal::config::{clear_thread_local_config_option, set_thread_local_config_option};
use gdal::errors::Result;

/// Calls a function with a GDAL option set for this thread.
///
/// # Errors
/// If the option cannot be set, or the function fails.
pub fn with<T>((key, value): (&str, &str), what: impl FnOnce() -> Result<T>) -> Result<T> {
    set_thread_local_config_option(key, value)?;
    let done = what();
    clear_thread_local_config_option(key)?;
    done
}
