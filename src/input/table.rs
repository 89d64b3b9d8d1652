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
/// until the next. The header may give units in brackets, `time [min],rain [mm/h]`; without them
/// times are durations (`90 min`, `01:30`, a bare number of seconds) and rates are mm/h. Times
/// called `step` with rates in `mm/step` are for automata without a duration.
pub fn read_hyetograph(path: &Path) -> Result<Hyetograph> {
    let shown = path.display();
    let text = std::fs::read(path)
        .map_err(|error| Error::input(format!("rain: cannot open '{shown}': {error}")))?;
    parse_hyetograph(&text, &shown.to_string())
}

/// The same from the file's contents; `name` is for messages.
pub fn parse_hyetograph(text: &[u8], name: &str) -> Result<Hyetograph> {
    let example =
        "the file starts like this:\n    time [h],rain [mm/h]\n    0,10\n    1,25\n    2,0";
    let wrong = |line: u64, what: String| {
        Error::input(format!("rain: '{name}', line {line}: {what}")).hint(example)
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let header = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    if header.len() != 2 {
        return Err(wrong(
            1,
            format!("expected 2 columns, time and rain, but found {}", header.len()),
        ));
    }
    let (time_name, time_unit) = split_unit(&header[0]);
    let (_, rain_unit) = split_unit(&header[1]);
    if units::parse_duration(&header[0]).is_ok() || header[1].parse::<f64>().is_ok() {
        return Err(wrong(1, "the header line is missing".into()));
    }
    let per = if time_name.eq_ignore_ascii_case("step") { Per::Step } else { Per::Second };
    let default_rain = if per == Per::Step { "mm/step" } else { "mm/h" };
    let rain_unit = rain_unit.unwrap_or(default_rain);
    let mut pieces: Vec<(f64, f64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            wrong(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let time = parse_time(&record[0], time_unit, per).map_err(|e| wrong(line, e.what))?;
        let rate = parse_rate(&record[1], rain_unit).map_err(|e| wrong(line, e.what))?;
        if rate.per != per {
            return Err(wrong(line, format!("times and rates do not go together: '{rain_unit}'")));
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

/// `rain [mm/h]` → (`rain`, Some(`mm/h`)).
fn split_unit(header: &str) -> (&str, Option<&str>) {
    let bracket = |open, close| {
        let (name, rest) = header.split_once(open)?;
        Some((name.trim(), Some(rest.trim_end().strip_suffix(close)?.trim())))
    };
    bracket('[', ']').or_else(|| bracket('(', ')')).unwrap_or((header.trim(), None))
}

fn parse_time(text: &str, unit: Option<&str>, per: Per) -> Result<f64> {
    let bare = text.parse::<f64>().is_ok();
    match (per, unit) {
        (Per::Second, Some(unit)) if bare => units::parse_duration(&format!("{text} {unit}")),
        (Per::Second, _) => units::parse_duration(text),
        (Per::Step, _) => {
            let steps: u32 =
                text.parse().map_err(|_| Error::input(format!("'{text}' is not a whole step")))?;
            Ok(f64::from(steps))
        }
    }
}

fn parse_rate(text: &str, unit: &str) -> Result<units::Rate> {
    if text.parse::<f64>().is_ok() {
        units::parse_rain(&format!("{text} {unit}"))
    } else {
        units::parse_rain(text)
    }
}
