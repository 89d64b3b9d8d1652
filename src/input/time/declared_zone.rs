//! Time zones that the headers of columns and the names of files declare for dates without one.

use crate::measures::quantity::ratio;
use jiff::tz::{Offset, TimeZone};
use std::ops::RangeInclusive;

/// Abbreviations of time zones that are used for several offsets, or only for a part of the year.
const ABBREVIATIONS: [&str; 40] = [
    "ACDT", "ACST", "ADT", "AEDT", "AEST", "AKDT", "AKST", "AST", "AWST", "BRT", "BST", "CDT",
    "CEST", "CET", "CST", "EDT", "EEST", "EET", "EST", "HKT", "HST", "JST", "KST", "MDT", "MESZ",
    "MEST", "MEZ", "MSK", "MST", "NDT", "NST", "NZDT", "NZST", "PDT", "PKT", "PST", "SAST", "SGT",
    "WEST", "WIB",
];
/// Abbreviation that is also a word, in lower case.
const INDIA: &str = "IST";
/// Range of the offsets of time zones (min).
pub(super) const OFFSETS: RangeInclusive<i32> = -12 * 60..=14 * 60;
/// Offsets of time zones are multiples of this (min).
const QUARTER: i32 = 15;

/// Time zone that a text declares.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredZone {
    /// No time zone.
    Undeclared,
    /// Time zone with a certain offset at each time.
    Known(TimeZone),
    /// The text that names a time zone without a certain offset.
    Unclear(String),
}

impl DeclaredZone {
    /// Reads the time zone in the header of a column: `date (UTC)`, `time_utc`, `time [GMT+02:00]`,
    /// `date (Europe/Berlin)`.
    pub fn of(header: &str) -> DeclaredZone {
        let text = header.replace('\u{2212}', "-");
        let parts = text.split(['(', ')', '[', ']']).map(str::trim);
        let mut places = parts.filter(|part| part.contains('/'));
        if let Some(zone) = places.find_map(|part| TimeZone::get(part).ok()) {
            return DeclaredZone::Known(zone);
        }
        let upper = text.to_uppercase();
        let named = ["UTC", "GMT"].into_iter().flat_map(|name| upper.match_indices(name));
        let rests = named.map(|(at, name)| &upper[at + name.len()..]);
        let rests = rests.filter(|rest| !rest.starts_with(char::is_alphabetic));
        let mut zones: Vec<Option<TimeZone>> = rests.map(after_name).collect();
        let words = || text.split(|c: char| !c.is_alphanumeric() && !"+-:".contains(c));
        if zones.is_empty() {
            zones.extend(words().filter_map(alone).map(Some));
        }
        let is_abbreviation =
            |word: &str| word == INDIA || ABBREVIATIONS.contains(&word.to_uppercase().as_str());
        let in_brackets =
            text.split(['(', '[']).skip(1).filter_map(|part| part.split([')', ']']).next());
        let abbreviates =
            words().any(is_abbreviation) || in_brackets.map(str::trim).any(is_like_one);
        match zones.split_first() {
            None if !abbreviates => DeclaredZone::Undeclared,
            // `GMT/BST` is British time, but `CET (UTC+1)` is certain.
            Some((Some(zone), others))
                if others.iter().all(|other| other.as_ref() == Some(zone))
                    && !(abbreviates && *zone == TimeZone::UTC) =>
            {
                DeclaredZone::Known(zone.clone())
            }
            _ => DeclaredZone::Unclear(header.trim().to_string()),
        }
    }

    /// Reads the time zone at the start of the text after a date in the name of a file: `Z`,
    /// `_UTC`, `+0200`.
    pub fn after(text: &str) -> DeclaredZone {
        let text = text.trim_start_matches(['_', ' ']);
        let (name, rest) =
            text.split_at(text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len()));
        // A minus sign also separates numbers, as in `1305-1310` and `1305Z-1310Z`.
        let has_offset =
            rest.starts_with('+') || (rest.starts_with('-') && !matches!(name, "" | "Z"));
        let word = text.split(['_', ' ', '.']).next().unwrap_or_default();
        DeclaredZone::of(if has_offset { word } else { name })
    }
}

/// Reads the offset, if any, at the start of the text after `UTC`; `None` if it is invalid.
fn after_name(text: &str) -> Option<TimeZone> {
    let text = text.trim_start();
    let Some(sign) = text.chars().next().filter(|c| "+-".contains(*c)) else {
        // `UTC 02:00` and `utc_plus_2` have lost their sign.
        let rest = text.trim_start_matches('_');
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let says_sign = ["PLUS", "MINUS"].iter().any(|sign| rest.starts_with(sign));
        return Some(TimeZone::UTC).filter(|_| !is_number && !says_sign);
    };
    let number = text[1..].trim_start();
    if sign == '-' && !number.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(TimeZone::UTC);
    }
    let end = number.find(|c: char| !c.is_ascii_digit() && !":.".contains(c));
    offset(sign, &number[..end.unwrap_or(number.len())])
}

/// Returns `true` for the text of brackets that may abbreviate a time zone, like `WIT`, and is no unit and no
/// format such as `YYYY` or `HH`.
fn is_like_one(text: &str) -> bool {
    (2..=5).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_uppercase())
        && !text.bytes().all(|byte| b"YMDHS".contains(&byte))
        && !["UTC", "GMT", "UT", "ZULU"].contains(&text)
        && ratio(text, text).is_none()
}

/// Reads a word that is a time zone by itself: `Z`, `UT`, `+02:00` or `+0200`.
fn alone(word: &str) -> Option<TimeZone> {
    if matches!(word, "Z" | "z" | "UT" | "ZULU" | "Zulu") {
        return Some(TimeZone::UTC);
    }
    let sign = word.chars().next().filter(|c| "+-".contains(*c))?;
    // `1200-1300` is a period.
    let is_offset = word.contains(':') || (sign == '+' && word.len() == "+0200".len());
    offset(sign, &word[1..]).filter(|_| is_offset)
}

/// Returns the time zone of an offset from UTC: `2`, `02`, `0200` or `02:00`.
pub(super) fn offset(sign: char, text: &str) -> Option<TimeZone> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') {
        return None;
    }
    let split = if text.len() > 2 { text.len() - 2 } else { text.len() };
    let (hours, minutes) = text.split_once(':').unwrap_or(text.split_at(split));
    let hours: i32 = hours.parse::<u8>().ok()?.into();
    let minutes: i32 = if minutes.is_empty() { 0 } else { minutes.parse::<u8>().ok()?.into() };
    let all = (hours * 60 + minutes) * if sign == '-' { -1 } else { 1 };
    let is_valid = minutes < 60 && minutes % QUARTER == 0 && OFFSETS.contains(&all);
    Offset::from_seconds(all * 60).ok().filter(|_| is_valid).map(TimeZone::fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_declare_time_zones() {
        for (header, expected) in [
            ("date", ""),
            ("time [h]", ""),
            ("date (dd/mm/yyyy)", ""),
            ("Zeit_ist", ""),
            ("utcoffset", ""),
            ("date (local time)", ""),
            ("date (UTC)", "+00:00"),
            ("time_utc", "+00:00"),
            ("TimestampUTC", "+00:00"),
            ("UTC", "+00:00"),
            ("Date Time (GMT)", "+00:00"),
            ("time (Z)", "+00:00"),
            ("UTC - end of interval", "+00:00"),
            ("time (UTC+1)", "+01:00"),
            ("time [UTC + 5:30]", "+05:30"),
            ("Date Time, GMT-0500", "-05:00"),
            ("date (UTC\u{2212}3)", "-03:00"),
            ("CET (UTC+01:00)", "+01:00"),
            ("date [+02:00]", "+02:00"),
            ("date (Europe/Berlin)", "+02:00"),
            ("date (America/New_York)", "-04:00"),
            ("date (UT)", "+00:00"),
            ("TIME (MIN)", ""),
            ("DATE (YYYY)", ""),
            ("date (WET)", "?"),
            ("date [CEST]", "?"),
            ("date UTC 02:00", "?"),
            ("date_utc_plus_2", "?"),
            ("time_est", "?"),
            ("date (IST)", "?"),
            ("date (UTC+25)", "?"),
            ("date (UTC-1310)", "?"),
            ("date (GMT/BST)", "?"),
            ("date (UTC+5.5)", "?"),
            ("date (UTC/GMT+1)", "?"),
        ] {
            let summer = "2021-07-14T12:00Z".parse().unwrap();
            let found = match DeclaredZone::of(header) {
                DeclaredZone::Undeclared => String::new(),
                DeclaredZone::Known(zone) => {
                    let minutes = zone.to_offset(summer).seconds() / 60;
                    format!("{:+03}:{:02}", minutes / 60, minutes.abs() % 60)
                }
                DeclaredZone::Unclear(_) => "?".into(),
            };
            assert_eq!(found, expected, "{header}");
        }
    }
}
