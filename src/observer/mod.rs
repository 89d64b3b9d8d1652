//! What watches a run: progress, depth series, and the user's wish to stop.

pub mod greatest;
pub mod holds;
pub mod interrupt;
pub mod left;
pub mod progress;
pub mod quality;
pub mod series;
pub mod watch;
