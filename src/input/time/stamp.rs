//! Time of a raster: a date, or a time since the start of the run.

use crate::input::time::wall_time::When;
use crate::measures;
use crate::units::{self, Second};

/// Time of a raster.
#[derive(Clone, Debug, PartialEq)]
pub enum Stamp {
    /// Wall-clock time.
    Wall(When),
    /// Time since the start of the run (s).
    Since(Second),
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stamp::Wall(when) => write!(f, "{when}"),
            Stamp::Since(seconds) => f.write_str(&units::show_duration(*seconds)),
        }
    }
}

impl Stamp {
    /// Reads a date, or a time since the start with its unit.
    pub fn parse(text: &str) -> Option<Stamp> {
        let wall = When::parse(text).map(Stamp::Wall);
        let since = || {
            let bare = text.trim().parse::<f64>().is_ok();
            measures::parse_duration(text).ok().filter(|_| !bare).map(Stamp::Since)
        };
        wall.or_else(since)
    }

    /// Returns the time `seconds` later; `None` if it is outside the calendar.
    pub fn later(&self, seconds: Second) -> Option<Stamp> {
        match self {
            Stamp::Wall(when) => when.later(seconds).map(Stamp::Wall),
            Stamp::Since(since) => Some(Stamp::Since(since + seconds)),
        }
    }
}
