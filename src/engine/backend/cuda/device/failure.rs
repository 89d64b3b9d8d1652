//! Converts driver errors to helpful messages.

use crate::error::Error;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

/// Returns the error for a failed driver call; `doing` names the activity: `stepping`.
pub fn failed(doing: &str, error: DriverError) -> Error {
    let name = match error.error_name() {
        Ok(name) => name.to_string_lossy().into_owned(),
        Err(_) => format!("error {}", error.0 as u32),
    };
    match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            Error::run(format!("the GPU ran out of memory while {doing}")).hint(
                "something else uses it: give a smaller device memory, such as half of what \
                 `inundate devices` shows as free",
            )
        }
        _ => Error::run(format!("the GPU failed while {doing}: {name}")).hint(
            "see `dmesg` or `nvidia-smi` for the state of the GPU; the CPU gives the same results",
        ),
    }
}
