//! Lines of a table over time, some of which may lack a value, and the assumptions for these.

use crate::error::{Error, Result};
use crate::input::description::gaps::{GAP_IN_TABLE, Gaps};
use crate::input::description::mass_curve;
use crate::input::description::missing::{Spread, is_implausible};
use crate::input::notice::Notice;
use crate::words::{and_more, counted};

/// Maximum number of lines named in a message.
const NAMED: usize = 3;

/// Line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Line number in the file.
    pub line: u64,
    /// Time (s or steps).
    pub time: f64,
    /// Time as written, with its unit.
    pub shown: String,
    /// Value as written.
    pub text: String,
    /// Value; `None` if it is missing.
    pub value: Option<f64>,
    /// Number as written, without its unit, if it usually marks a missing value.
    pub code: Option<f64>,
}

/// Interpolation between two values of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Constant: the first value, a rate.
    Step,
    /// Linear; constant before the first value.
    Linear,
    /// Linear; zero before the first value.
    LinearFromZero,
}

/// Meaning of the values of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueMeaning {
    /// Quantity at the time.
    Values(Interpolation),
    /// Depth that falls until the next time.
    Depths,
    /// Cumulative depth up to the time.
    MassCurve,
}

/// Table that a message is about.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// Option that names the table.
    pub key: &'a str,
    /// Name of the table.
    pub name: &'a str,
}

impl Of<'_> {
    /// Returns a notice about the table.
    pub fn notice(self, what: impl std::fmt::Display) -> Notice {
        Notice::of(self.key, self.name, what)
    }

    fn wrong(self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}' {what}", self.key, self.name))
    }
}

/// Times and values.
type Pairs = Vec<(f64, f64)>;

/// Removes values that usually mark missing values where the other values make them implausible.
pub fn leave_out_codes(lines: &mut [Line], spread: Spread) {
    let others: Vec<f64> =
        lines.iter().filter(|line| line.code.is_none()).filter_map(|line| line.value).collect();
    for line in lines {
        if let (Some(value), Some(code)) = (line.value, line.code)
            && is_implausible(value, code, &others, spread)
        {
            line.value = None;
        }
    }
}

/// Returns the times and values of the lines that have a value.
pub fn known(lines: &[Line]) -> Pairs {
    lines.iter().filter_map(|line| Some((line.time, line.value?))).collect()
}

fn without(lines: &[Line]) -> Vec<&Line> {
    lines.iter().filter(|line| line.value.is_none()).collect()
}

/// Names lines without a value: `line 4 (2 h: '-999')`.
fn named(lines: &[&Line]) -> String {
    let name = |line: &&Line| match &line.text[..] {
        "" => format!("line {} ({}: empty)", line.line, line.shown),
        text => format!("line {} ({}: '{text}')", line.line, line.shown),
    };
    and_more(lines.iter().map(name), NAMED)
}

/// Checks that more than half of the lines have a value.
pub fn check_most(lines: &[Line], of: Of) -> Result<()> {
    let without = without(lines);
    if without.is_empty() || 2 * without.len() < lines.len() {
        return Ok(());
    }
    let what = format!(
        "has no value in {} of its {}: {}",
        without.len(),
        counted(lines.len(), "line", "lines"),
        named(&without)
    );
    Err(of.wrong(what).hint("fill them in, or use a complete part of the series; if these are values, remove the declaration of missing values"))
}

/// Describes the missing values, and the assumptions for them.
pub fn missing(lines: &[Line], meaning: ValueMeaning) -> Option<String> {
    let without = without(lines);
    let first = lines.iter().position(|line| line.value.is_some())?;
    let last = lines.iter().rposition(|line| line.value.is_some())?;
    if without.is_empty() {
        return None;
    }
    let rate = matches!(meaning, ValueMeaning::Depths | ValueMeaning::Values(Interpolation::Step));
    let mut assumed = Vec::new();
    if without.len() > first + (lines.len() - 1 - last) {
        assumed.push(match meaning {
            ValueMeaning::MassCurve => "the rain meanwhile is spread evenly over the time",
            _ if rate => "the mean of the rates before and after is assumed",
            _ => "a straight line from the value before to the one after is assumed",
        });
    }
    if first > 0 {
        assumed.push(match meaning {
            ValueMeaning::MassCurve => "the series begins with its first value",
            ValueMeaning::Values(Interpolation::LinearFromZero) => {
                "there is no flow before the first value"
            }
            _ if rate => "the first rate is also assumed before it",
            _ => "the first value is also assumed before it",
        });
    }
    if last + 1 < lines.len() {
        assumed.push(match meaning {
            ValueMeaning::MassCurve => "the series ends with its last value",
            _ if rate => "a rate of 0 is assumed at the end",
            _ => "the last value is kept at the end",
        });
    }
    Some(format!(
        "has no value in {} of its {} lines: {}; {}",
        without.len(),
        lines.len(),
        named(&without),
        assumed.join("; ")
    ))
}

/// Describes the lines that are skipped because they have no value.
pub fn left_out(lines: &[Line]) -> Option<String> {
    let without = without(lines);
    (!without.is_empty()).then(|| {
        let (some, all) = (without.len(), lines.len());
        format!(
            "has no value in {some} of its {all} lines, which are left out: {}",
            named(&without)
        )
    })
}

/// Describes the gaps between the times of a regular series, and the assumption for them.
pub fn gaps(
    lines: &[Line],
    meaning: ValueMeaning,
    show: impl Fn(f64) -> String,
    length: impl Fn(f64) -> String,
) -> Option<String> {
    let mut times: Vec<f64> = lines.iter().map(|line| line.time).collect();
    if let [.., before, last] = lines {
        let is_steady = before.value == last.value;
        // A last line that only ends the series has no gap before it.
        let only_ends = match meaning {
            ValueMeaning::Depths | ValueMeaning::Values(Interpolation::Step) => {
                before.value == Some(0.0)
            }
            ValueMeaning::MassCurve | ValueMeaning::Values(_) => is_steady,
        };
        if only_ends {
            times.pop();
        }
    }
    let assumed = match meaning {
        ValueMeaning::Depths => "the depth before a gap is spread over it",
        ValueMeaning::MassCurve => "the rain in a gap is spread evenly over it",
        ValueMeaning::Values(Interpolation::Step) => "the rate before a gap holds through it",
        ValueMeaning::Values(_) => "a straight line is assumed across it",
    };
    Gaps::beyond(&times, GAP_IN_TABLE)
        .map(|gaps| format!("{}; {assumed}", gaps.describe(show, length)))
}

/// Returns rates that apply until the next time. A missing rate is the mean of the rates before and
/// after it; missing rates at the end are 0.
pub fn filled(lines: &[Line]) -> Pairs {
    let rates: Vec<Option<f64>> = lines.iter().map(|line| line.value).collect();
    let after = |at: usize| rates[at..].iter().find_map(|rate| *rate);
    let mut before = None;
    let filled = lines.iter().enumerate().map(|(at, line)| {
        let rate = match (line.value, before, after(at)) {
            (Some(rate), ..) => {
                before = Some(rate);
                rate
            }
            (None, _, None) => 0.0,
            (None, None, Some(next)) => next,
            (None, Some(last), Some(next)) => 0.5 * (last + next),
        };
        (line.time, rate)
    });
    filled.collect()
}

/// Converts depths per interval into rates. Also returns the assumed duration of the last depth, if
/// that depth is not 0.
///
/// # Errors
/// If there is only one depth, and it is not 0.
pub fn depths(lines: &[Line], of: Of) -> Result<(Pairs, Option<f64>)> {
    let mut lines = lines.to_vec();
    let mut last_interval = None;
    if let [.., last] = &lines[..]
        && last.value.is_some_and(|depth| depth > 0.0)
    {
        let Some(before) = lines.len().checked_sub(2).map(|at| lines[at].time) else {
            return Err(of
                .wrong("has only one depth, and the duration of its fall is unknown")
                .hint("add a line with the time at which it ends and a depth of 0"));
        };
        let interval = last.time - before;
        last_interval = Some(interval);
        let end = Line { time: last.time + interval, value: Some(0.0), ..last.clone() };
        lines.push(end);
    }
    for at in 0..lines.len() - 1 {
        let interval = lines[at + 1].time - lines[at].time;
        lines[at].value = lines[at].value.map(|depth| depth / interval);
    }
    // Nothing falls after the last time.
    let end = lines.len() - 1;
    let (last, before) = (lines[end].time, &lines[..end]);
    let mut pairs = filled(before);
    pairs.push((last, 0.0));
    Ok((pairs, last_interval))
}

/// Rates of a mass curve.
pub struct MassCurveRates {
    /// Times and rates (m per second or step).
    pub pairs: Vec<(f64, f64)>,
    /// Note on the total.
    pub note: String,
    /// Warnings about the first total, resets and noise.
    pub warnings: Vec<String>,
}

/// Computes the rates of a mass curve.
///
/// # Errors
/// If it decreases other than by a reset, or has only one value.
pub fn differences(
    lines: &[Line],
    dated: bool,
    show: impl Fn(f64) -> String,
    of: Of,
) -> Result<MassCurveRates> {
    let used: Vec<&Line> = lines.iter().filter(|line| line.value.is_some()).collect();
    let known = known(lines);
    let millimetres = |metres: f64| format!("{:.4}", 1e3 * metres);
    let totals: Vec<f64> = known.iter().map(|(_, total)| *total).collect();
    let found = mass_curve::differences(&totals).map_err(|at| {
        let what = format!(
            "line {}: the cumulative rain falls from {} to {}",
            used[at].line,
            used[at - 1].text,
            used[at].text
        );
        Error::input(format!("{}: '{}', {what}", of.key, of.name)).hint(
            "correct it; if these are depths per interval, declare it: --rain-values interval",
        )
    })?;
    if known.len() < 2 {
        return Err(of
            .wrong("is a mass curve with only one value, so its rain is unknown")
            .hint("give the cumulative depths at two times or more"));
    }
    let mut warnings = Vec::new();
    let mut pairs: Pairs = known
        .windows(2)
        .zip(&found.depths)
        .map(|(pair, depth)| (pair[0].0, depth / (pair[1].0 - pair[0].0)))
        .collect();
    pairs.push((known[known.len() - 1].0, 0.0));
    let mut sum: f64 = found.depths.iter().sum();
    let (start, before) = known[0];
    if before > 0.0 && !dated && start > 0.0 {
        pairs.insert(0, (0.0, before / start));
        sum += before;
        warnings.push(format!(
            "begins with a total of {} mm at {}; it is taken to have fallen evenly since 0",
            millimetres(before),
            show(start)
        ));
    } else if before > 0.0 {
        warnings.push(format!(
            "begins with a total of {} mm at {}, which fell earlier and is not used",
            millimetres(before),
            show(start)
        ));
    }
    let of_lines = |numbers: &[usize]| {
        and_more(
            numbers.iter().map(|&at| format!("line {} ({})", used[at].line, used[at].shown)),
            NAMED,
        )
    };
    if !found.resets.is_empty() {
        warnings.push(format!(
            "restarts its total in {}; the new total is taken to have fallen since the line before",
            of_lines(&found.resets)
        ));
    }
    if !found.noise.is_empty() {
        warnings.push(format!(
            "decreases slightly in {}; no rain is assumed there",
            of_lines(&found.noise)
        ));
    }
    let note = format!("is a mass curve with {} mm of rain", millimetres(sum));
    Ok(MassCurveRates { pairs, note, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(values: &[Option<f64>]) -> Vec<Line> {
        let line = |(at, value): (usize, &Option<f64>)| Line {
            line: at as u64 + 2,
            time: at as f64,
            shown: format!("{at} h"),
            text: String::new(),
            value: *value,
            code: None,
        };
        values.iter().enumerate().map(line).collect()
    }

    const OF: Of = Of { key: "rain", name: "x" };

    #[test]
    fn missing_rates_are_the_mean_of_their_neighbours() {
        let rates = |values: &[Option<f64>]| -> Vec<f64> {
            filled(&lines(values)).into_iter().map(|(_, rate)| rate).collect()
        };
        let (some, none) = (|value| Some(value), None);
        assert_eq!(rates(&[some(4.0), none, none, some(8.0)]), [4.0, 6.0, 6.0, 8.0]);
        assert_eq!(rates(&[none, some(8.0), none]), [8.0, 8.0, 0.0]);
        // Depths are treated likewise, up to the last.
        let (pairs, last) = depths(&lines(&[some(2.0), none, some(4.0), some(0.0)]), OF).unwrap();
        assert_eq!(
            (&pairs[..], last),
            (&[(0.0, 2.0), (1.0, 3.0), (2.0, 4.0), (3.0, 0.0)][..], None)
        );
        let (pairs, last) = depths(&lines(&[some(2.0), some(4.0)]), OF).unwrap();
        assert_eq!((&pairs[..], last), (&[(0.0, 2.0), (1.0, 4.0), (2.0, 0.0)][..], Some(1.0)));
    }

    #[test]
    fn a_series_with_few_values_is_refused() {
        assert!(check_most(&lines(&[Some(1.0), None, Some(2.0)]), OF).is_ok());
        assert!(check_most(&lines(&[Some(1.0), None]), OF).is_err());
        assert!(check_most(&lines(&[None]), OF).is_err());
    }
}
