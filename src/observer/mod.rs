//! Observers of a run: progress, time series and maps, diagnostics, and interruption by the user.

pub mod greatest;
pub mod time_step_limiter;
pub mod interrupt;
pub mod eta;
pub mod progress;
pub mod quality;
pub mod series;
pub mod watch;
