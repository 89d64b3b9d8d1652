//! Options of GDAL that hold while something is done.

use gdal::config::{clear_thread_local_config_option, set_thread_local_config_option};
use gdal::errors::Result;

/// Does something with an option of GDAL set for this thread.
///
/// # Errors
/// If the option cannot be set, or what is done fails.
pub fn with<T>((key, value): (&str, &str), what: impl FnOnce() -> Result<T>) -> Result<T> {
    set_thread_local_config_option(key, value)?;
    let done = what();
    clear_thread_local_config_option(key)?;
    done
}
