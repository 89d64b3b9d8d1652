//! Meaning of the values of a rain series.

use serde::{Deserialize, Serialize};

/// Meaning of each value of a rain series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum RainValues {
    /// Rain of one interval: a rate, or the depth that falls in it.
    Interval,
    /// The depth that has fallen since the start or the last reset, as in a mass curve.
    Accumulated,
}
