//! Wall-clock times: in tables, in the names and bands of rasters, and as the start of a run.

use crate::error::{Error, Result};
use crate::input::notice::Notice;
use crate::input::time::declared_zone::{DeclaredZone, OFFSETS, offset};
use crate::units::Second;
use jiff::Zoned;
use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use std::cell::{OnceCell, RefCell};

/// Unambiguous formats of dates and times besides ISO 8601.
const OTHER_FORMATS: [&str; 6] = [
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
];

/// Accepted formats of dates, for hints.
const FORMS: &str = "2021-07-14T13:05, 2021-07-14 13:05+02:00 or 14.07.2021 13:05";

/// Returns `true` if a text has three numbers like a date.
fn looks_dated(text: &str) -> bool {
    let parts = text
        .split(['-', '/', '.'])
        .filter(|part| part.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    parts.count() >= 3
}

/// Date and time of day, with a time zone if the data declare one.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    at: DateTime,
    zone: Option<TimeZone>,
}

impl When {
    /// Reads `2021-07-14T13:05`, with or without seconds and a time zone (`Z`, `+02:00`, ` UTC+2`,
    /// `[Europe/Berlin]`), a date alone (its midnight), or `14.07.2021 13:05`; `None` if it is not
    /// a date.
    pub fn parse(text: &str) -> Option<When> {
        let text = text.trim();
        if let Ok(pieces) = Pieces::parse(text) {
            let zone = pieces.to_time_zone().ok()?;
            let offset = pieces.to_numeric_offset();
            if offset.is_some_and(|offset| !OFFSETS.contains(&(offset.seconds() / 60))) {
                return None;
            }
            let at = pieces.date().to_datetime(pieces.time().unwrap_or(Time::midnight()));
            let zone = match (zone, offset) {
                // The offset distinguishes two equal hours, and must be valid in the zone at that
                // time.
                (Some(zone), Some(offset)) => {
                    let there = zone.to_offset(offset.to_timestamp(at).ok()?);
                    let twice = zone.to_ambiguous_zoned(at).is_ambiguous();
                    (there == offset)
                        .then(|| if twice { TimeZone::fixed(offset) } else { zone.clone() })
                        .map(Some)?
                }
                (zone, offset) => zone.or(offset.map(TimeZone::fixed)),
            };
            return Some(When { at, zone });
        }
        let last = text.rsplit_once(' ').map(|(rest, word)| (rest, DeclaredZone::of(word)));
        let (rest, zone) = match (last, text.strip_suffix('Z')) {
            (Some((rest, DeclaredZone::Known(zone))), _) => (rest, Some(zone)),
            (_, Some(rest)) => (rest, Some(TimeZone::UTC)),
            _ => (text, None),
        };
        let parsed = OTHER_FORMATS.iter().find_map(|format| DateTime::strptime(format, rest).ok());
        // A two-digit year is ambiguous.
        parsed.filter(|at| at.year() >= 1000).map(|at| When { at, zone })
    }

    /// Reads the reference of a CF time: like `parse`, but months, days and hours may have one
    /// digit, and the offset of the time zone may be separate (`2021-7-4 6:0:0 +2:00`).
    pub fn parse_loosely(text: &str) -> Option<When> {
        let mut parts = text.trim().splitn(2, ['T', ' ']);
        let date = parts.next()?;
        let mut rest = parts.next().unwrap_or_default().split_whitespace();
        let time = rest.next().unwrap_or("0:0:0");
        let seconds = if time.matches(':').count() == 1 { ":0" } else { "" };
        let plain = format!("{date} {time}{seconds}");
        let at = DateTime::strptime("%Y-%m-%d %H:%M:%S%.f", &plain).ok();
        let zone = match rest.next() {
            None | Some("UTC" | "Z" | "GMT") => Some(TimeZone::UTC),
            Some(text) => match text.strip_prefix('-') {
                Some(digits) => offset('-', digits),
                None => offset('+', text.trim_start_matches('+')),
            },
        };
        let loose = || Some(When { at: at.filter(|at| at.year() >= 1000)?, zone: Some(zone?) });
        When::parse(text).or_else(loose)
    }

    /// Returns the days from this date in the Julian calendar to the same date in the Gregorian
    /// calendar; 0 from October 1582 on.
    pub fn days_from_julian(&self) -> i32 {
        if self.at.date() >= jiff::civil::date(1582, 10, 15) {
            return 0;
        }
        let year = i32::from(self.at.year()) - i32::from(self.at.month() < 3);
        year.div_euclid(100) - year.div_euclid(400) - 2
    }

    /// Returns the seconds since 1970-01-01 UTC; a time without a time zone is taken as UTC.
    pub fn unix(&self) -> Option<Second> {
        Some(self.zoned(&TimeZone::UTC)?.timestamp().as_duration().as_secs_f64())
    }

    /// Describes why a text is not a valid time.
    pub fn why_not(text: &str) -> &'static str {
        if looks_dated(text) {
            "is not a valid date and time in an unambiguous form (2021-07-14T13:05)"
        } else {
            "is not a time"
        }
    }

    /// Returns the hint for a date that cannot be parsed; `None` for a text that does not look like
    /// a date.
    pub fn how(text: &str) -> Option<String> {
        looks_dated(text)
            .then(|| format!("write dates like {FORMS}, or times since the start like 90 min"))
    }

    /// Rejects a time that a time zone skips or repeats when clocks are put forward or back;
    /// `otherwise` is the zone of times without one.
    ///
    /// # Errors
    /// If the time is skipped or repeated; the error describes which.
    fn once(&self, otherwise: &TimeZone) -> Result<()> {
        let zone = self.zone.as_ref().unwrap_or(otherwise);
        let there = zone.to_ambiguous_zoned(self.at);
        if !there.is_ambiguous() {
            return Ok(());
        }
        let what = match there.offset() {
            jiff::tz::AmbiguousOffset::Gap { .. } => {
                "does not exist: clocks are put forward over it"
            }
            _ => "occurs twice: clocks are put back after it",
        };
        let at = self.at.strftime("%Y-%m-%dT%H:%M");
        let name = zone.iana_name().unwrap_or("its time zone");
        Err(Error::input(format!("{at} {what} in {name}"))
            .hint(format!("give times in UTC ({at}Z), or with their offset ({at}+01:00)")))
    }

    /// Returns the date and time in a file's name: `radar_20210714_1305`, `2021-07-14T13:05Z`,
    /// `20210714_1305_UTC`, `rain-20210714` (its midnight); `None` if there is none.
    ///
    /// # Errors
    /// If the name of a time zone follows whose offset is not certain.
    pub fn in_name(stem: &str) -> Result<Option<When>> {
        let mut groups: Vec<(&str, &str)> = Vec::new();
        let mut rest = stem;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let digits = &rest[start..];
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            groups.push((&digits[..end], &digits[end..]));
            rest = &digits[end..];
        }
        // A date begins with its year; a group of 8, 12 or 14 digits is one by itself, whatever is
        // before it: `v2.0_20210714`, `20km_20210714`.
        let starts = |whole: bool| {
            let groups = &groups;
            (0..groups.len()).filter(move |&at| match groups[at].0.len() {
                8 | 12 | 14 => whole,
                length => !whole && length >= 4,
            })
        };
        let mut starts = starts(true).chain(starts(false));
        let found = starts.find_map(|first| When::of_digits(&groups[first..]));
        found.map(|(when, zone)| when.in_declared(&zone)).transpose()
    }

    /// Reads the date, the time and the time zone at the start of groups of digits; each group has
    /// the text after it.
    fn of_digits(groups: &[(&str, &str)]) -> Option<(When, DeclaredZone)> {
        let mut digits = String::new();
        let mut zone = DeclaredZone::Undeclared;
        let mut half = None;
        for &(group, after) in groups {
            let own_half = half_of_day(after);
            // `1PM` and `130PM` have hours of one digit.
            let padded = match own_half {
                Some(_) if digits.len() == 8 => match group.len() {
                    1 => format!("0{group}00"),
                    2 => format!("{group}00"),
                    3 | 5 => format!("0{group}"),
                    _ => group.to_string(),
                },
                _ => group.to_string(),
            };
            let (group, after) = match own_half {
                Some((_, rest)) => (&padded[..], rest),
                None => (&padded[..], after),
            };
            // Year, month and day; then hours and minutes; then seconds, unless the digits are a
            // duration such as `10min`.
            let is_amount = after.starts_with(|c: char| c.is_alphabetic() && c != 'Z');
            let room = match digits.len() {
                12 if zone != DeclaredZone::Undeclared => 0,
                12 if is_amount && DeclaredZone::after(after) == DeclaredZone::Undeclared => 0,
                12 if group.len() == 2 => 2,
                12.. => 0,
                have => 14 - have,
            };
            if group.len() > room || (digits.len() == 8 && !matches!(group.len(), 2 | 4 | 6)) {
                break;
            }
            digits += group;
            half = half.or(own_half.map(|(half, _)| half));
            if zone == DeclaredZone::Undeclared {
                zone = DeclaredZone::after(after);
            }
        }
        let format = match digits.len() {
            8 => "%Y%m%d",
            12 => "%Y%m%d%H%M",
            14 => "%Y%m%d%H%M%S",
            _ => return None,
        };
        let digits = in_half(digits, half);
        let plausible = digits.starts_with("19") || digits.starts_with("20");
        let time = jiff::fmt::strtime::parse(format, digits.as_bytes()).ok()?;
        let date = time.to_date().ok().filter(|_| plausible)?;
        let time = if digits.len() == 8 { Time::midnight() } else { time.to_time().ok()? };
        Some((When { at: date.to_datetime(time), zone: None }, zone))
    }

    /// Sets the time zone that a header or a name declares, if the date has none of its own.
    ///
    /// # Errors
    /// If the offset of the time zone is not certain.
    pub fn in_declared(self, zone: &DeclaredZone) -> Result<When> {
        match zone {
            _ if self.zone.is_some() => Ok(self),
            DeclaredZone::Undeclared => Ok(self),
            DeclaredZone::Known(zone) => Ok(When { zone: Some(zone.clone()), ..self }),
            DeclaredZone::Unclear(text) => Err(Error::input(format!(
                "'{text}' names a time zone whose offset from UTC is not certain"
            ))
            .hint("write the offset (UTC+02:00) or, in a header, a place (Europe/Berlin), or give each time its own offset: 2021-07-14T13:05+02:00")),
        }
    }

    /// Returns the time `seconds` after 1970-01-01 UTC.
    pub fn of_unix(seconds: Second) -> Option<When> {
        When { at: jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0), zone: Some(TimeZone::UTC) }
            .later(seconds)
    }

    /// Returns the time `seconds` later, to the millisecond, in the same time zone.
    pub fn later(&self, seconds: Second) -> Option<When> {
        let span = jiff::SignedDuration::try_from_secs_f64((seconds * 1e3).round() / 1e3).ok()?;
        let zone = self.zone.clone().unwrap_or(TimeZone::UTC);
        let then = self.at.to_zoned(zone).ok()?.checked_add(span).ok()?;
        Some(When { at: then.datetime(), zone: self.zone.clone() })
    }

    /// Sets the time zone to UTC if the data declare none.
    pub fn or_utc(self) -> When {
        When { zone: self.zone.or(Some(TimeZone::UTC)), ..self }
    }

    /// Returns `true` if it has a time zone.
    pub fn has_zone(&self) -> bool {
        self.zone.is_some()
    }

    fn zoned(&self, otherwise: &TimeZone) -> Option<Zoned> {
        self.at.to_zoned(self.zone.clone().unwrap_or_else(|| otherwise.clone())).ok()
    }
}

impl std::fmt::Display for When {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.zoned(&TimeZone::UTC).filter(|_| self.zone.is_some()) {
            Some(zoned) => write!(f, "{}", shown(&zoned)),
            None => write!(f, "{}", self.at.strftime("%Y-%m-%dT%H:%M:%S")),
        }
    }
}

/// Half of a day on a 12-hour clock.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Am,
    Pm,
}

/// Reads `AM` or `PM` at the start of the text after a time in a name; also returns the rest.
fn half_of_day(after: &str) -> Option<(Half, &str)> {
    let text = after.trim_start_matches(['_', '-', ' ']);
    let rest = text.get(2..).filter(|rest| !rest.starts_with(char::is_alphabetic))?;
    match &text[..2] {
        "AM" => Some((Half::Am, rest)),
        // A separate `am` is also a German word.
        "am" if text == after => Some((Half::Am, rest)),
        "PM" | "pm" => Some((Half::Pm, rest)),
        _ => None,
    }
}

/// Converts the hour of a date in digits from a 12-hour clock; 13 to 24 are not of such a clock.
fn in_half(digits: String, half: Option<Half>) -> String {
    let hour = digits.get(8..10).and_then(|hour| hour.parse().ok());
    let (Some(half), Some(hour @ 1..=12)) = (half, hour) else { return digits };
    let hour = hour % 12 + if half == Half::Pm { 12 } else { 0 };
    format!("{}{hour:02}{}", &digits[..8], &digits[10..])
}

fn shown(zoned: &Zoned) -> String {
    zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Formats the date and time `seconds` after another; empty outside the calendar.
pub fn after(start: &Zoned, seconds: Second) -> String {
    moment(start, seconds).as_ref().map_or_else(String::new, shown)
}

/// Returns the moment `seconds` after another; `None` outside the calendar.
pub fn moment(start: &Zoned, seconds: Second) -> Option<Zoned> {
    let span = jiff::SignedDuration::try_from_secs_f64(seconds).ok();
    span.and_then(|span| start.checked_add(span).ok())
}

/// Wall-clock start of a run: as set by the user, or else the first dated value that is read.
#[derive(Debug, Default)]
pub struct WallClock {
    start: OnceCell<Zoned>,
    /// A moment and the start's distance from it (s), if the start is known this way: exact to the
    /// bit, while a moment has only nanoseconds.
    since: Option<(Zoned, Second)>,
    /// Data whose first time is the start, if the user did not set it.
    of: RefCell<Option<String>>,
    notes: RefCell<Vec<Notice>>,
}

impl WallClock {
    /// Creates a clock with the user's start.
    pub fn starting(text: &str) -> Result<WallClock> {
        let clock = WallClock::default();
        let when = When::parse(text).ok_or_else(|| {
            Error::input(format!("start: '{text}' is not a date and time"))
                .hint("write it like \"2021-07-14T12:00+02:00\"; an offset and a zone ([Europe/Berlin]) must agree")
        })?;
        when.once(&TimeZone::UTC).map_err(|error| error.of("start"))?;
        if when.zone.is_none() {
            clock.note(format!("start: '{text}' has no time zone; taken as UTC"));
        }
        let zoned = when
            .zoned(&TimeZone::UTC)
            .ok_or_else(|| Error::input(format!("start: '{text}' is out of range")))?;
        clock.start.set(zoned).expect("it was not set");
        Ok(clock)
    }

    /// Creates a clock that starts `seconds` after a moment; its start is unknown if that is
    /// outside the calendar.
    pub fn starting_after(from: Zoned, seconds: Second) -> WallClock {
        let start = moment(&from, seconds).map_or_else(OnceCell::new, OnceCell::from);
        WallClock { start, since: Some((from, seconds)), ..WallClock::default() }
    }

    /// Sets the start to a time, unless it is already known.
    pub fn begin(&self, when: &When) {
        if let Some(start) = when.zoned(&TimeZone::UTC) {
            self.start.get_or_init(|| start);
        }
    }

    /// Returns the seconds from the start of the run to a time (negative before it); this time
    /// becomes the start if none is set. `whose` is the data's role and name, for notes.
    ///
    /// # Errors
    /// If the time does not exist or occurs twice in its time zone.
    pub fn seconds(&self, when: &When, whose: &str) -> Result<Second> {
        when.once(&self.start.get().map_or(TimeZone::UTC, |start| start.time_zone().clone()))?;
        let start = self.start.get_or_init(|| {
            *self.of.borrow_mut() = Some(whose.into());
            let zoned = when.zoned(&TimeZone::UTC).expect("a date within the calendar");
            let tail = if when.zone.is_none() { ", taken as UTC" } else { "" };
            self.note(format!(
                "{whose} is dated: the run starts at its first time, {}{tail} (override with --start)",
                shown(&zoned)
            ));
            zoned
        });
        if when.zone.is_none() && self.of.borrow().as_deref() != Some(whose) {
            self.note(Notice::about(whose, |whose| {
                format!(
                    "{whose} has no time zone; the time zone of the run's start ({}) is assumed",
                    shown(start)
                )
            }));
        }
        let zoned = when.zoned(start.time_zone()).expect("a date within the calendar");
        let (from, less) =
            self.since.as_ref().map_or((start, 0.0), |(from, seconds)| (from, *seconds));
        Ok(zoned.timestamp().duration_since(from.timestamp()).as_secs_f64() - less)
    }

    /// Sets the time zone of the run's start, if it is known, for a time without one.
    pub fn localize(&self, when: &When) -> When {
        let zone = || self.start.get().map(|start| start.time_zone().clone());
        When { zone: when.zone.clone().or_else(zone), ..when.clone() }
    }

    /// Returns the start of the run, if it is known.
    pub fn start(&self) -> Option<&Zoned> {
        self.start.get()
    }

    /// Formats a time of the run (s): as wall-clock time if the start is known.
    pub fn show(&self, seconds: Second) -> String {
        let then = self.start().and_then(|start| moment(start, seconds));
        then.map_or_else(|| crate::units::show_duration(seconds), |then| shown(&then))
    }

    /// Returns the notes on the clock.
    pub fn notes(&self) -> Vec<Notice> {
        self.notes.borrow().clone()
    }

    fn note(&self, note: impl Into<Notice>) {
        let note = note.into();
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(text: &str) -> Option<String> {
        When::parse(text).map(|when| when.to_string())
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        for (text, expected) in [
            ("2021-07-14T13:05", "2021-07-14T13:05:00"),
            ("2021-07-14 13:05:30", "2021-07-14T13:05:30"),
            ("2021-07-14", "2021-07-14T00:00:00"),
            ("2021-07-14T13:05Z", "2021-07-14T13:05:00+00:00"),
            ("2021-07-14T13:05+02:00", "2021-07-14T13:05:00+02:00"),
            ("2021-07-14T13:05+0200", "2021-07-14T13:05:00+02:00"),
            ("2021-07-14 13:05+02:00", "2021-07-14T13:05:00+02:00"),
            ("2021-07-14 13:05 UTC", "2021-07-14T13:05:00+00:00"),
            ("14.07.2021 13:05 GMT+1", "2021-07-14T13:05:00+01:00"),
            ("14.07.2021 13:05", "2021-07-14T13:05:00"),
            ("2021/07/14 13:05", "2021-07-14T13:05:00"),
            ("1990-1-1 0:0:0.0", "1990-01-01T00:00:00"),
        ] {
            assert_eq!(shown_of(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "noon",
            "13:05",
            "90",
            "1.5",
            "07/14/2021 13:05",
            "2021-02-30",
            "14.07.21 13:05",
            "14.07.2021 13:05 CEST",
            "2021-07-14T13:05+05:00[Europe/Berlin]",
            "2021-07-14T13:05+14:15",
        ] {
            assert_eq!(shown_of(text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_found_in_names() {
        for (name, expected) in [
            ("radar_20210714_1305", "2021-07-14T13:05:00"),
            ("2021-07-14T13:05", "2021-07-14T13:05:00"),
            ("2021-07-14T13-05-30Z", "2021-07-14T13:05:30+00:00"),
            ("rw10000_202107141305_10min", "2021-07-14T13:05:00"),
            ("rain-20210714", "2021-07-14T00:00:00"),
            ("x12_20210714T130500Z", "2021-07-14T13:05:00+00:00"),
            ("gpm.20210714-S1305", "2021-07-14T13:05:00"),
            ("radar_20210714_130500_UTC", "2021-07-14T13:05:00+00:00"),
            ("20210714_UTC", "2021-07-14T00:00:00+00:00"),
            ("20210714_UTC_1305", "2021-07-14T13:05:00+00:00"),
            ("2021-07-14-13:05", "2021-07-14T13:05:00"),
            ("20210714_1305utc_10min", "2021-07-14T13:05:00+00:00"),
            ("20210714_1305_GMT+02_v1", "2021-07-14T13:05:00+02:00"),
            ("2021-07-14T13-05-30UTC", "2021-07-14T13:05:30+00:00"),
            ("20210714T1305+0200", "2021-07-14T13:05:00+02:00"),
            ("20210714_1305-1310", "2021-07-14T13:05:00"),
            ("2021-07-14T13-05Z-2021-07-14T13-10Z", "2021-07-14T13:05:00+00:00"),
            ("rain_v2.0_20110714_0605", "2011-07-14T06:05:00"),
            ("wrf_20km_20110714_0600", "2011-07-14T06:00:00"),
            ("rain20_201107140600", "2011-07-14T06:00:00"),
            ("chirps-v2.0.2010.12.05.0630", "2010-12-05T06:30:00"),
            ("radar_20210714_0100PM", "2021-07-14T13:00:00"),
            ("radar_20210714_1230am", "2021-07-14T00:30:00"),
            ("radar_20210714_01-30-15_PM_UTC", "2021-07-14T13:30:15+00:00"),
            ("radar_20210714_1PM", "2021-07-14T13:00:00"),
            ("radar_20210714_130pm", "2021-07-14T13:30:00"),
            ("radar_20210714_1200PM", "2021-07-14T12:00:00"),
            ("regen_20210714_1200_am_rhein", "2021-07-14T12:00:00"),
        ] {
            let found = When::in_name(name).unwrap().map(|when| when.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{name}");
        }
        for name in ["frame_001", "radar", "20211399_1305", "12345678"] {
            assert_eq!(When::in_name(name).unwrap(), None, "{name}");
        }
        assert!(When::in_name("radar_20210714_1305_CEST").is_err());
    }

    fn seconds_of(clock: &WallClock, text: &str) -> f64 {
        clock.seconds(&When::parse(text).unwrap(), "rain: 'x'").unwrap()
    }

    #[test]
    fn seconds_are_counted_from_the_start_over_time_zones() {
        let clock = WallClock::starting("2021-07-14T12:00+02:00").unwrap();
        let seconds = |text: &str| seconds_of(&clock, text);
        assert_eq!(seconds("2021-07-14T13:00"), 3600.0);
        assert_eq!(seconds("2021-07-14T10:00Z"), 0.0);
        assert_eq!(seconds("2021-07-14T11:30+02:00"), -1800.0);
        assert_eq!(clock.notes().len(), 1, "that one has no time zone");
        let clock = WallClock::default();
        let first = When::parse("2021-07-14T13:00").unwrap();
        assert_eq!(clock.seconds(&first, "rain: 'x'").unwrap(), 0.0);
        assert_eq!(clock.seconds(&first.later(90.5).unwrap(), "rain: 'x'").unwrap(), 90.5);
        assert_eq!(clock.show(3600.0), "2021-07-14T14:00:00+00:00");
        assert!(WallClock::starting("noon").is_err());
        let from = When::parse("2021-07-14T12:00+02:00").and_then(|at| at.zoned(&TimeZone::UTC));
        let clock = WallClock::starting_after(from.unwrap(), 1800.0 + 2f64.powi(-40));
        assert_eq!(seconds_of(&clock, "2021-07-14T13:00"), 1800.0 - 2f64.powi(-40));
        assert_eq!(seconds_of(&clock, "2021-07-14T11:00+02:00"), -5400.0 - 2f64.powi(-40));
        assert_eq!(clock.show(0.0), "2021-07-14T12:30:00+02:00");
    }
}
