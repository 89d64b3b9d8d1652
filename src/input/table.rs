//! Hyetographs: a CSV with time and rain rate.

use crate::error::{Error, Result};
use crate::forcing::series::Series;
use crate::units::{self, Per};
use std::path::Path;

/// A hyetograph, and whether its time counts seconds or steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyetograph {
    /// Rate (m per second or step) over time (s or steps).
    pub series: Series,
    /// What time and rate are counted in.
    pub per: Per,
}

/// Reads a hyetograph: a header line, then a line per time with the rate that holds from then on
/// until the next. The header gives the units, in brackets (`time [min],rain [mm/h]`), as the whole
/// name (`hours,mm/h`) or as its last word (`time_h`); a column whose every value carries its unit
/// (`90 min`, `01:30`; `10 mm/h`) needs none there. A number without a unit is refused. Times
/// counted in steps (`step,rain [mm/step]`) are for automata without a duration.
pub fn read_hyetograph(path: &Path) -> Result<Hyetograph> {
    let shown = path.display();
    let text = std::fs::read(path)
        .map_err(|error| Error::input(format!("rain: cannot open '{shown}': {error}")))?;
    parse_hyetograph(&text, &shown.to_string())
}

/// The same from the file's contents; `name` is for messages.
pub fn parse_hyetograph(text: &[u8], name: &str) -> Result<Hyetograph> {
    let example = "write the units in the header; the file starts like this:\n    time [h],rain [mm/h]\n    0,10\n    1,25\n    2,0";
    let wrong = |line: u64, what: String| {
        Error::input(format!("rain: '{name}', line {line}: {what}")).hint(example)
    };
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text);
    let header = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    if header.len() != 2 {
        let found = format!("expected 2 columns, time and rain, but found {}", header.len());
        let semicolon = header.iter().any(|name| name.contains(';'));
        let why = if semicolon { ": separate them by a comma, not a semicolon (;)" } else { "" };
        return Err(wrong(1, format!("{found}{why}")));
    }
    let numeric = header[1].parse::<f64>().is_ok() || units::parse_rain(&header[1]).is_ok();
    if units::parse_duration(&header[0]).is_ok() || numeric {
        return Err(wrong(1, "the header line is missing".into()));
    }
    let time_unit = unit_of(&header[0], |word| {
        counts_steps(word) || units::parse_duration(&format!("1 {word}")).is_ok()
    });
    let rain_unit = unit_of(&header[1], |word| units::parse_rain(&format!("1 {word}")).is_ok());
    let per = if counts_steps(&time_unit) { Per::Step } else { Per::Second };
    let mut pieces: Vec<(f64, f64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            wrong(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let time = parse_time(&record[0], &time_unit, per).map_err(|e| wrong(line, e.what))?;
        let rate = parse_rate(&record[1], &rain_unit).map_err(|e| wrong(line, e.what))?;
        if rate.per != per {
            return Err(wrong(
                line,
                format!(
                    "times in '{}' and rates in '{}' do not go together",
                    &header[0], &header[1]
                ),
            ));
        }
        if let Some(&(before, _)) = pieces.last()
            && time <= before
        {
            let problem = if time == before { "is there twice" } else { "comes after a later one" };
            return Err(wrong(line, format!("time {} {problem}", &record[0])));
        }
        pieces.push((time, rate.value));
    }
    if pieces.is_empty() {
        return Err(wrong(2, "there is no line of data".into()));
    }
    Ok(Hyetograph { series: Series::new(pieces), per })
}

/// The unit in a column's name, in lower case: `rain [mm/h]` → `mm/h`; without brackets the whole
/// name or its last word, if that is `known` as a unit (`hours`, `time_h`); else empty.
pub(crate) fn unit_of(header: &str, known: impl Fn(&str) -> bool) -> String {
    let header = header.trim().to_lowercase();
    let bracket = |open, close| {
        let (_, rest) = header.split_once(open)?;
        Some(rest.strip_suffix(close)?.trim())
    };
    if let Some(unit) = bracket('[', ']').or_else(|| bracket('(', ')')) {
        return unit.to_string();
    }
    let last = header.rsplit(|c: char| c == '_' || c.is_whitespace()).next();
    let first = header.split(|c: char| c == '_' || c.is_whitespace()).next();
    let words = [header.as_str(), last.unwrap_or_default(), first.unwrap_or_default()];
    words.into_iter().find(|word| known(word)).unwrap_or_default().to_string()
}

/// Whether a unit of time counts steps.
pub(crate) fn counts_steps(unit: &str) -> bool {
    matches!(unit, "step" | "steps")
}

/// A time (s or steps) with its own unit or else that of its column.
pub(crate) fn parse_time(text: &str, unit: &str, per: Per) -> Result<f64> {
    if per == Per::Step {
        let steps: u32 =
            text.parse().map_err(|_| Error::input(format!("'{text}' is not a whole step")))?;
        return Ok(f64::from(steps));
    }
    match (text.parse::<f64>().is_ok(), unit) {
        (true, "") => Err(Error::input(format!("the time '{text}' has no unit"))),
        (true, unit) => units::parse_duration(&format!("{text} {unit}")),
        (false, _) => units::parse_duration(text),
    }
}

fn parse_rate(text: &str, unit: &str) -> Result<units::Rate> {
    match (text.parse::<f64>().is_ok(), unit) {
        (true, "") => Err(Error::input(format!("the rain '{text}' has no unit"))),
        (true, unit) => units::parse_rain(&format!("{text} {unit}")),
        (false, _) => units::parse_rain(text),
    }
}
