//! Missing values: the codes and words that stand for them in series.

use std::borrow::Cow;

/// Texts that stand for a missing value.
const WORDS: [&str; 21] = [
    "", "-", "--", "---", "?", "na", "n/a", "n.a.", "#n/a", "nan", "-nan", "nd", "n.d.", "null",
    "none", "nil", "missing", "nodata", "no data", "#value!", "#div/0!",
];
/// Values that stand for missing ones, beside those of nines alone: limits of integers, and
/// repeated digits.
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
/// No quantity is as great as this.
const ENDLESS: f64 = 1e15;
/// How files declare a code, in lower case.
const KEYS: [&str; 12] = [
    "_fillvalue",
    "fill_value",
    "fillvalue",
    "fill value",
    "missing_value",
    "missing",
    "nodata",
    "no_data",
    "no data",
    "na_value",
    "na value",
    "null value",
];
/// What may come between that and the code.
const BETWEEN: [&str; 15] = [
    "value", "values", "code", "codes", "flag", "is", "are", "as", "marked", "by", "with", "data",
    "=", ":", "coded",
];

/// What a value in a file is, before it is compared with the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A value like others.
    Plain,
    /// One that usually stands for a missing value.
    Code(f64),
    /// None.
    Missing,
}

/// The codes that a file declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Codes(Vec<String>);

impl Codes {
    /// Finds the codes that comments and the header of a column declare: `missing: -999`,
    /// `_FillValue = -9999.0`.
    pub fn declared(comments: &[String], header: &str) -> Codes {
        let texts = comments.iter().map(String::as_str).chain([header]);
        Codes(
            texts
                .flat_map(|text| declaration(text).map_or_else(Vec::new, |(_, codes)| codes))
                .collect(),
        )
    }

    /// Classifies the text of a value, which may have a unit behind it.
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

/// A header without what it declares of missing values: `level [m] (missing -999)` is `level [m]`.
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

/// Where a text declares codes, and the codes.
fn declaration(text: &str) -> Option<(usize, Vec<String>)> {
    let lower = text.to_ascii_lowercase();
    let mut keys = KEYS.iter().filter_map(|key| lower.find(key).map(|at| (at, key.len())));
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

/// The number that a text starts with.
fn number(text: &str) -> Option<f64> {
    let first = text.split_whitespace().next()?;
    // A float as C and CDL write it.
    let bare = first.strip_suffix(['f', 'F']).unwrap_or(first);
    first.parse().or_else(|_| bare.parse()).ok()
}

fn is_word(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is = |text: &str| WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    // What C's libraries make of it.
    is(text) || (is(first) && first.len() > 2) || text.contains("#QNAN") || text.contains("#IND")
}

/// Whether a number usually stands for a missing value: -999, 9999, -99.9, 1e20 and the like.
/// Whether it does, the values beside it show.
fn is_code(value: f64) -> bool {
    if !value.is_finite() {
        return false;
    }
    let digits = value.abs().to_string();
    let nines = digits.matches('9').count();
    let only_nines =
        digits.chars().all(|c| c == '9' || c == '.') && digits.matches('.').count() <= 1;
    // 9.9 and 9.99 are values that come up.
    let likely = if value < 0.0 { nines >= 2 } else { nines >= 3 && value > 99.0 };
    (only_nines && likely) || CODES.contains(&value) || value.abs() >= ENDLESS
}

/// How values of a quantity differ from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// They lie about some value: levels, and values of which nothing is known.
    About,
    /// They rise from 0 by any factor: rates.
    FromZero,
}

/// A value that is this many times the range of the others away from them, and no less than
/// [`FAR`], is not one of them.
const RANGES: f64 = 2.0;
/// See [`RANGES`].
const FAR: f64 = 5.0;
/// A rate that is this many times the greatest of the others is not one of them.
const TIMES: f64 = 5.0;
/// A rate as great as this is not one beside others that are all 0.
const BESIDE_NOTHING: f64 = 9999.0;

/// Whether a value that looks like a code is implausible beside the other values. All are in one
/// unit; `code` is the value as it is written.
pub fn is_implausible(value: f64, code: f64, others: &[f64], spread: Spread) -> bool {
    if code.abs() >= ENDLESS {
        return true;
    }
    let low = others.iter().copied().fold(f64::INFINITY, f64::min);
    let high = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
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
