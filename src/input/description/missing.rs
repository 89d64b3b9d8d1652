//! Missing values: codes and words that mark them in series.

use crate::engine::range::range;
use std::borrow::Cow;

/// Texts that mark a missing value.
const WORDS: [&str; 21] = [
    "", "-", "--", "---", "?", "na", "n/a", "n.a.", "#n/a", "nan", "-nan", "nd", "n.d.", "null",
    "none", "nil", "missing", "nodata", "no data", "#value!", "#div/0!",
];
/// Values that mark missing values, in addition to numbers made of nines: limits of integer types,
/// and repeated digits.
const CODES: [f64; 17] = [
    -32768.0,
    -32767.0,
    32767.0,
    65535.0,
    -2147483648.0,
    -2147483647.0,
    2147483647.0,
    4294967295.0,
    -999.25,
    -888.0,
    -8888.0,
    -777.0,
    -7777.0,
    -6999.0,
    -6666.0,
    -555.0,
    -9997.0,
];
/// Magnitude that no quantity reaches.
const ENDLESS: f64 = 1e15;
/// Keywords with which files declare a code, in lower case.
const KEYS: &str = "_fillvalue, fill_value, fillvalue, fill value, missing_value, missing, nodata, \
     no_data, no data, na_value, na value, null value";
/// Words that may be between such a keyword and the code.
const BETWEEN: [&str; 15] = [
    "value", "values", "code", "codes", "flag", "is", "are", "as", "marked", "by", "with", "data",
    "=", ":", "coded",
];

/// Class of a value in a file, before comparison with the other values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An ordinary value.
    Plain,
    /// A value that usually marks a missing value.
    Code(f64),
    /// A missing value.
    Missing,
}

/// Codes that a file declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Codes(Vec<String>);

impl Codes {
    /// Finds the codes declared in comments or in the header of a column: `missing: -999`,
    /// `_FillValue = -9999.0`.
    pub fn declared(comments: &[String], header: &str) -> Codes {
        let texts = comments.iter().map(String::as_str).chain([header]);
        Codes(
            texts
                .flat_map(|text| declaration(text).map_or_else(Vec::new, |(_, codes)| codes))
                .collect(),
        )
    }

    /// Classifies the text of a value, which may end with a unit.
    pub fn classify(&self, text: &str) -> Value {
        let text = text.trim();
        let same = |code: &String| {
            let (code, number) = (code.trim(), number(text));
            code.eq_ignore_ascii_case(text) || (number.is_some() && number == self::number(code))
        };
        if is_word(text) || self.0.iter().any(same) {
            return Value::Missing;
        }
        match number(text) {
            Some(value) if value.is_nan() => Value::Missing,
            Some(value) if is_code(value) => Value::Code(value),
            _ => Value::Plain,
        }
    }
}

/// Removes the declaration of missing values from a header: `level [m] (missing -999)` becomes
/// `level [m]`.
pub fn without_codes(header: &str) -> Cow<'_, str> {
    let Some((at, _)) = declaration(header) else { return Cow::Borrowed(header) };
    let rest = header[..at].trim_end_matches(|c: char| c.is_whitespace() || "([{,;".contains(c));
    let is_open =
        |open, close| header[..at].contains(open) && !rest.contains(close) && rest.contains(open);
    Cow::Owned(match (is_open('[', ']'), is_open('(', ')')) {
        (true, _) => format!("{rest}]"),
        (_, true) => format!("{rest})"),
        _ => rest.into(),
    })
}

/// Returns the position at which a text declares codes, and the codes.
fn declaration(text: &str) -> Option<(usize, Vec<String>)> {
    let lower = text.to_ascii_lowercase();
    let mut keys = KEYS.split(", ").filter_map(|key| lower.find(key).map(|at| (at, key.len())));
    keys.find_map(|(at, length)| {
        let rest = text[at + length..].replace([':', '='], " ");
        let words = rest.split(|c: char| c.is_whitespace() || ",;()[]{}\"'".contains(c));
        let words = words.filter(|word| !word.is_empty());
        let mut words =
            words.skip_while(|word| BETWEEN.contains(&&word.to_ascii_lowercase()[..])).peekable();
        let is_code = |word: &&str| number(word).is_some() || is_word(word);
        let mut codes = Vec::new();
        while let Some(word) = words.next_if(is_code) {
            codes.push(word.to_string());
        }
        (!codes.is_empty()).then_some((at, codes))
    })
}

/// Parses the number at the start of a text.
fn number(text: &str) -> Option<f64> {
    let first = text.split_whitespace().next()?;
    // A float with the suffix of C and CDL.
    let bare = first.strip_suffix(['f', 'F']).unwrap_or(first);
    first.parse().or_else(|_| bare.parse()).ok()
}

fn is_word(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is = |text: &str| WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    // NaN as C libraries print it.
    is(text) || (is(first) && first.len() > 2) || text.contains("#QNAN") || text.contains("#IND")
}

/// Returns `true` if a number often marks a missing value: -999, 9999, -99.9, 1e20 and similar
/// numbers. Whether it does here depends on the other values.
fn is_code(value: f64) -> bool {
    if !value.is_finite() {
        return false;
    }
    let digits = value.abs().to_string();
    let nines = digits.matches('9').count();
    let only_nines =
        digits.chars().all(|c| c == '9' || c == '.') && digits.matches('.').count() <= 1;
    // 9.9 and 9.99 occur as real values.
    let likely = if value < 0.0 { nines >= 2 } else { nines >= 3 && value > 99.0 };
    (only_nines && likely) || CODES.contains(&value) || value.abs() >= ENDLESS
}

/// Distribution of the values of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Around some value: levels, and values of unknown quantities.
    About,
    /// From 0 upwards, by any factor: rates.
    FromZero,
}

/// Minimum distance of an implausible value from the other values, in multiples of their range; at
/// least [`FAR`].
const RANGES: f64 = 2.0;
/// Minimum distance of an implausible value from the other values; see [`RANGES`].
const FAR: f64 = 5.0;
/// Factor above the highest other rate from which a rate is implausible.
const TIMES: f64 = 5.0;
/// Rate from which a rate is implausible if all others are 0.
const BESIDE_NOTHING: f64 = 9999.0;

/// Returns `true` if a value that looks like a code is implausible beside the other values. `value`
/// and `others` have the same unit; `code` is the value as written.
pub fn is_implausible(value: f64, code: f64, others: &[f64], spread: Spread) -> bool {
    if code.abs() >= ENDLESS {
        return true;
    }
    let (low, high) = range(others.iter().copied());
    if others.is_empty() {
        return false;
    }
    if value < 0.0 && low >= 0.0 {
        return true;
    }
    match spread {
        Spread::About => {
            let distance = (low - value).max(value - high);
            distance > (RANGES * (high - low)).max(FAR)
        }
        Spread::FromZero if high > 0.0 => value > TIMES * high,
        Spread::FromZero => code >= BESIDE_NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Value {
        Codes::default().classify(text)
    }

    #[test]
    fn usual_codes_are_recognized() {
        for text in [
            "-999",
            "-99.9",
            "-9999",
            "9999",
            "-32768",
            "1e20",
            "1e30",
            "-9.99e2",
            "-999.0",
            "-99 m",
            "999.9",
            "-9.9",
            "-999.25",
            "9.96921e36",
        ] {
            assert!(matches!(of(text), Value::Code(_)), "{text}");
        }
        for text in [
            "", "NA", "NaN", "nan", "null", "-", "--", "#N/A", "N/A", " None ", "nan mm/h",
            "1.#QNAN",
        ] {
            assert_eq!(of(text), Value::Missing, "{text}");
        }
        for text in [
            "0", "9", "-9", "99", "9.9", "9.99", "-1", "19", "998", "wet", "inf", "5 m", "-0.99",
            "- 5", "noon", "-5",
        ] {
            assert_eq!(of(text), Value::Plain, "{text}");
        }
    }

    #[test]
    fn codes_are_declared_in_comments_and_headers() {
        for text in [
            "missing: -1",
            "Missing value = -1.0",
            "level:_FillValue = -1.f ;",
            "nodata -1",
            "missing data are marked by -1",
            "no data: 7, -1",
        ] {
            let codes = Codes::declared(&[text.into()], "level [m]");
            assert_eq!(codes.classify("-1"), Value::Missing, "{text}");
            assert_eq!(codes.classify("-1 m"), Value::Missing, "{text}");
            assert_eq!(codes.classify("-2"), Value::Plain, "{text}");
        }
        for text in ["missing values are interpolated", "gauge 7, -1", "nodata"] {
            assert_eq!(Codes::declared(&[text.into()], "").classify("-1"), Value::Plain, "{text}");
        }
        for (header, plain) in [
            ("level [m] (missing -1)", "level [m]"),
            ("level [m, missing=-1]", "level [m]"),
            ("level [m] missing_value: -1", "level [m]"),
            ("level (m; nodata -1)", "level (m)"),
            ("level [m]", "level [m]"),
            ("missing level [m]", "missing level [m]"),
        ] {
            assert_eq!(without_codes(header), plain, "{header}");
            let is_declared = Codes::declared(&[], header).classify("-1") == Value::Missing;
            assert_eq!(is_declared, header != plain, "{header}");
        }
    }

    #[test]
    fn a_code_counts_as_missing_only_where_the_other_values_make_it_implausible() {
        let about =
            |value: f64, others: &[f64]| is_implausible(value, value, others, Spread::About);
        let rates =
            |value: f64, others: &[f64]| is_implausible(value, value, others, Spread::FromZero);
        let tide = [-0.5, 0.3, 1.8, 0.2];
        assert!(
            [-999.0, -99.9, -99.0, -9.9, 9999.0, -32768.0, 1e20]
                .iter()
                .all(|&code| about(code, &tide))
        );
        assert!(!about(999.0, &[996.0, 998.0, 1000.0]), "a lake at 1000 m");
        assert!(!about(99.9, &[98.0, 101.0]) && !about(-99.0, &[-105.0, -90.0]));
        assert!(about(-9999.0, &[2.0]) && !about(-99.0, &[]));
        assert!(rates(-99.0, &[0.0, 5.0]) && rates(9999.0, &[0.0, 80.0]) && rates(9999.0, &[0.0]));
        assert!(!rates(999.0, &[300.0, 800.0]) && !rates(999.0, &[0.0, 0.0]));
        assert!(rates(1e20, &[]));
    }
}
