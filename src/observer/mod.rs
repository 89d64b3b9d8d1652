//! Observers of a run: progress, time series and maps, diagnostics, and interruption by the user.

pub mod eta;
pub mod greatest;
pub mod interrupt;
pub mod progress;
pub mod quality;
pub mod series;
pub mod time_step_limiter;
pub mod watch;
