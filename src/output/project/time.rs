//! Time ranges of the maps of a series, and the animation of the temporal controller.

use crate::units::Second;
use jiff::{SignedDuration, Timestamp};

/// Start of runs without a date: midnight UTC of 1 January 2000.
pub const DEFAULT_START: Timestamp = Timestamp::constant(946_684_800, 0);

/// Tolerance for times that are multiples of an interval except for rounding (s).
const SLACK: Second = 5e-7;

/// QGIS's units for the length of a frame (s), the longest first.
const UNITS: [(f64, &str); 4] = [(86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];

/// Animation of the temporal controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Animation {
    /// From the first frame to the end of the last.
    pub range: (Timestamp, Timestamp),
    /// Length of a frame (s).
    pub frame: Second,
}

/// Start of a run and interval of its maps.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    /// Start of the run.
    pub start: Timestamp,
    /// Interval of its series (s).
    pub every: Second,
}

impl Timeline {
    /// Returns the time range of each map of a series, and the animation, for ascending `times` of
    /// the maps since the start (s). `None` if a moment is outside the calendar.
    ///
    /// Each frame must match exactly one map. So a map is shown for its whole interval, even if its
    /// step ended slightly later, minus a margin at both ends, because QGIS 3.22 counts ranges that
    /// only touch a frame.
    pub fn frames(&self, times: &[Second]) -> Option<(Vec<(Timestamp, Timestamp)>, Animation)> {
        let begin = |time: &Second| self.at(((time + SLACK) / self.every).floor() * self.every);
        let begins: Vec<Timestamp> = times.iter().map(begin).collect::<Option<_>>()?;
        let last = (times.last()? + SLACK) / self.every;
        let end = self.at((last.floor() + 1.0) * self.every)?;
        let ends = begins.iter().skip(1).chain([&end]);
        let margin = self.margin();
        let shown = |(from, to): (&Timestamp, &Timestamp)| {
            Some((from.checked_add(margin).ok()?, to.checked_sub(margin).ok()?))
        };
        let frames = begins.iter().zip(ends).map(shown).collect::<Option<_>>()?;
        Some((frames, Animation { range: (begins[0], end), frame: self.every }))
    }

    /// Returns the margin at each end of a time range: a second, the resolution of QGIS, if that is
    /// negligible.
    fn margin(&self) -> SignedDuration {
        SignedDuration::from_millis(if self.every >= 60.0 { 1000 } else { 1 })
    }

    /// Converts a time of the run to a moment, to the millisecond.
    fn at(&self, time: Second) -> Option<Timestamp> {
        let ms = (time * 1000.0).round();
        let since = SignedDuration::from_millis((ms.abs() < 1e17).then_some(ms as i64)?);
        self.start.checked_add(since).ok()
    }
}

impl Animation {
    /// Returns the length of a frame and its unit in QGIS's terms.
    pub(super) fn step(&self) -> (f64, &'static str) {
        let whole = |(unit, _): &&(f64, &str)| self.frame % unit == 0.0;
        let (unit, name) = UNITS.iter().find(whole).unwrap_or(&UNITS[3]);
        (self.frame / unit, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURLY: Timeline = Timeline { start: DEFAULT_START, every: 3600.0 };

    fn shown(times: &[Second]) -> Vec<String> {
        let (frames, _) = HOURLY.frames(times).unwrap();
        frames.iter().map(|(from, to)| format!("{from} {to}")).collect()
    }

    #[test]
    fn every_moment_of_a_series_has_one_map() {
        let first = "2000-01-01T01:00:01Z 2000-01-01T01:59:59Z";
        let second = "2000-01-01T02:00:01Z 2000-01-01T02:59:59Z";
        assert_eq!(shown(&[3600.0, 7200.0]), [first, second]);
        // Steps that do not end on the hour, and one that passes several hours.
        assert_eq!(shown(&[3607.0, 7204.9999]), [first, second]);
        let longer = "2000-01-01T02:00:01Z 2000-01-01T04:59:59Z";
        assert_eq!(shown(&[3600.0, 7200.0, 18005.0])[1], longer);
        let quick = Timeline { every: 0.5, ..HOURLY };
        let half = quick.frames(&[0.5]).unwrap().0[0];
        let half = (half.0.to_string(), half.1.to_string());
        assert_eq!(half, ("2000-01-01T00:00:00.501Z".into(), "2000-01-01T00:00:00.999Z".into()));
        let (_, animation) = HOURLY.frames(&[3600.0, 7200.0]).unwrap();
        let range = (animation.range.0.to_string(), animation.range.1.to_string());
        assert_eq!(range, ("2000-01-01T01:00:00Z".into(), "2000-01-01T03:00:00Z".into()));
    }

    #[test]
    fn times_beyond_the_calendar_are_none() {
        assert_eq!(HOURLY.frames(&[]), None);
        assert_eq!(HOURLY.frames(&[1e15]), None);
        assert_eq!(HOURLY.frames(&[1e30]), None);
    }
}
