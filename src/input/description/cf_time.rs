//! Time coordinates of the CF conventions (1.11, section 4.4).

use crate::error::{Error, Result};
use crate::input::time::wall_time::When;
use crate::units::Second;

/// Names of the standard calendar, and of calendars that agree with it since 1582.
const CALENDARS: [&str; 4] = ["standard", "gregorian", PROLEPTIC, ""];
/// Name of the calendar that is Gregorian before 1582 too.
const PROLEPTIC: &str = "proleptic_gregorian";
/// Unit of dates that `cdo` writes as numbers.
const ABSOLUTE: &str = "day as %Y%m%d.%f";
/// Description of valid times, for hints.
const EXAMPLE: &str =
    "CF times are like 'hours since 2021-07-14 00:00:00' in the standard calendar";

/// Unit and calendar of a time coordinate.
#[derive(Clone, Debug)]
pub struct CfTime {
    units: String,
    calendar: String,
}

impl CfTime {
    /// Creates a time coordinate from its attributes; `None` if the units are not units of time.
    pub fn new(units: &str, calendar: Option<&str>) -> Option<CfTime> {
        let is_time = units.contains(" since ") || units.trim() == ABSOLUTE;
        let calendar = calendar.unwrap_or_default().trim().to_lowercase();
        is_time.then(|| CfTime { units: units.trim().to_string(), calendar })
    }

    /// Returns the time coordinate with other units; empty units change nothing.
    pub fn in_units(&self, units: &str) -> CfTime {
        let units = if units.is_empty() { &self.units } else { units.trim() };
        CfTime { units: units.to_string(), calendar: self.calendar.clone() }
    }

    /// Returns `true` if the units name a time zone.
    pub fn has_zone(&self) -> bool {
        self.units.split_once(" since ").is_some_and(|(_, since)| {
            let parsed = When::parse(since).is_some_and(|when| when.has_zone());
            parsed || since.split_whitespace().nth(2).is_some()
        })
    }

    /// Returns the date of a coordinate, in UTC unless the units name another time zone.
    ///
    /// # Errors
    /// If the calendar differs from the standard one, or the units cannot be parsed.
    pub fn date(&self, value: f64) -> Result<When> {
        let CfTime { units, calendar } = self;
        if !CALENDARS.contains(&calendar.as_str()) {
            return Err(Error::input(format!(
                "its times are in the calendar '{calendar}', which differs from the standard calendar"
            ))
            .hint("convert them to the standard calendar, in Python with xarray: ds.convert_calendar('standard', align_on='date')"));
        }
        self.read(value).ok_or_else(|| {
            Error::input(format!("its time {value} '{units}' cannot be read")).hint(EXAMPLE)
        })
    }

    fn read(&self, value: f64) -> Option<When> {
        if self.units == ABSOLUTE {
            let (day, part) = (value.floor(), value - value.floor());
            let (year, month, day) = (day / 1e4, day / 1e2 % 1e2, day % 1e2);
            let midnight = format!("{:04}-{:02}-{:02}", year as i64, month as i64, day as i64);
            return When::parse(&midnight)?.or_utc().later((part * 86400.0).round());
        }
        let (unit, since) = self.units.split_once(" since ")?;
        let reference = When::parse_loosely(since)?.or_utc();
        // The standard calendar is Julian before October 1582.
        let shift = if self.calendar == PROLEPTIC { 0 } else { reference.days_from_julian() };
        reference.later(value * seconds(unit)? + f64::from(shift) * 86400.0)
    }
}

/// Returns the length of a unit of time (s) from its CF name.
pub fn seconds(unit: &str) -> Option<Second> {
    match unit.trim().to_lowercase().as_str() {
        "microseconds" | "microsecond" | "microsecs" | "microsec" | "us" => Some(1e-6),
        "milliseconds" | "millisecond" | "millisecs" | "millisec" | "msecs" | "msec" | "ms" => {
            Some(1e-3)
        }
        "seconds" | "second" | "secs" | "sec" | "s" => Some(1.0),
        "minutes" | "minute" | "mins" | "min" => Some(60.0),
        "hours" | "hour" | "hrs" | "hr" | "h" => Some(3600.0),
        "days" | "day" | "d" => Some(86400.0),
        "weeks" | "week" => Some(604_800.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(units: &str, calendar: &str, value: f64) -> Option<String> {
        let time = CfTime::new(units, Some(calendar))?;
        time.date(value).ok().map(|when| when.to_string())
    }

    #[test]
    fn cf_times_count_from_their_reference_in_utc() {
        for (units, value, expected) in [
            ("hours since 1900-01-01 00:00:0.0", 1_065_180.0, "2021-07-07T12:00:00+00:00"),
            ("days since 2021-07-14", 0.25, "2021-07-14T06:00:00+00:00"),
            ("minutes since 2021-07-14T12:00+02:00", 90.0, "2021-07-14T13:30:00+02:00"),
            ("seconds since 1970-01-01 00:00:00 UTC", 1_626_264_000.0, "2021-07-14T12:00:00+00:00"),
            ("days since 2021-7-4", 1.0, "2021-07-05T00:00:00+00:00"),
            ("hours since 2021-7-4 6:0:0", 1.0, "2021-07-04T07:00:00+00:00"),
            ("hours since 2021-7-4 6:0:0 +0200", 1.0, "2021-07-04T07:00:00+02:00"),
            ("hours since 2021-7-4 6:0:0 -2:30", 1.0, "2021-07-04T07:00:00-02:30"),
            ("hours since 2021-07-14 00:00:00 +00:00", 1.0, "2021-07-14T01:00:00+00:00"),
            ("hours since 2021-07-14 00:00:00 2:00", 1.0, "2021-07-14T01:00:00+02:00"),
            ("milliseconds since 2021-07-14", 1000.0, "2021-07-14T00:00:01+00:00"),
            // As in NumPy and udunits: two days before the proleptic Gregorian calendar.
            ("hours since 0001-01-01 00:00:00", 17_709_588.0, "2021-04-18T12:00:00+00:00"),
            ("day as %Y%m%d.%f", 20_210_714.75, "2021-07-14T18:00:00+00:00"),
        ] {
            assert_eq!(read(units, "", value).as_deref(), Some(expected), "{units}");
        }
        for units in ["months since 2021-07-14", "hours since then", "hours"] {
            assert_eq!(read(units, "", 1.0), None, "{units}");
        }
    }

    #[test]
    fn calendars_with_other_days_are_refused() {
        let day = "days since 2021-07-14";
        for calendar in ["Standard", "GREGORIAN", "proleptic_gregorian", " gregorian "] {
            assert!(read(day, calendar, 1.0).is_some(), "{calendar}");
        }
        for calendar in ["360_day", "noleap", "365_day", "all_leap", "366_day", "julian", "none"] {
            assert_eq!(read(day, calendar, 1.0), None, "{calendar}");
        }
    }
}
