//! Where the time of a run went.

use serde::{Deserialize, Serialize};

/// Where the time went (s).
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct WallParts {
    /// Reading and checking the input.
    pub read: f64,
    /// Stepping, with outputs on the way.
    pub compute: f64,
    /// Writing the final outputs.
    pub write: f64,
}

impl WallParts {
    /// All of it.
    pub fn sum(&self) -> f64 {
        self.read + self.compute + self.write
    }
}

impl std::ops::AddAssign for WallParts {
    fn add_assign(&mut self, other: WallParts) {
        self.read += other.read;
        self.compute += other.compute;
        self.write += other.write;
    }
}
