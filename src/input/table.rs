//! Tables of a quantity over time: a CSV with time and rain rate, flow or level.

use crate::error::{Error, Result};
use crate::forcing::series::Series;
use crate::units::{self, Per};
use std::path::Path;

/// A quantity over time, and whether its time counts seconds or steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Rain (m per second or step), flow (m³ per second or step) or level (m) over time (s or steps).
    pub series: Series,
    /// What time and rate are counted in.
    pub per: Per,
}

/// A value as read, and what it is counted in.
type Read = Result<(f64, Option<Per>)>;

/// The second column of a table.
struct Column {
    /// The key whose value the table is.
    key: &'static str,
    /// What it holds.
    quantity: &'static str,
    /// How such a table starts.
    example: &'static str,
    /// Reads a value with its unit; a level has no time in its unit.
    parse: fn(&str) -> Read,
}

const RAIN: Column = Column {
    key: "rain",
    quantity: "rain",
    example: "time [h],rain [mm/h]\n    0,10\n    1,25\n    2,0",
    parse: |text| units::parse_rain(text).map(|rate| (rate.value, Some(rate.per))),
};
const FLOW: Column = Column {
    key: "source",
    quantity: "flow",
    example: "time [h],flow [m3/s]\n    0,5\n    1,80\n    6,0",
    parse: |text| units::parse_flow(text).map(|rate| (rate.value, Some(rate.per))),
};
const LEVEL: Column = Column {
    key: "level",
    quantity: "level",
    example: "time [h],level [m]\n    0,0.2\n    3,1.8\n    6,0.4",
    parse: |text| units::parse_level(text).map(|level| (level, None)),
};

const EVAPORATION: Column = Column {
    key: "evaporation",
    quantity: "evaporation",
    example: "time [h],evaporation [mm/day]\n    0,0\n    6,8\n    18,0",
    parse: |text| units::parse_evaporation(text).map(|rate| (rate, Some(Per::Second))),
};

/// Reads a hyetograph: a header line, then a line per time with the rate that holds from then on
/// until the next. The header gives the units, in brackets (`time [min],rain [mm/h]`), as the whole
/// name (`hours,mm/h`) or as its last word (`time_h`); a column whose every value carries its unit
/// (`90 min`, `01:30`; `10 mm/h`) needs none there. A number without a unit is refused. Times
/// counted in steps (`step,rain [mm/step]`) are for automata without a duration.
pub fn read_hyetograph(path: &Path) -> Result<Course> {
    parse_hyetograph(&contents(path, &RAIN)?, &path.display().to_string())
}

/// The same from the file's contents; `name` is for messages.
pub fn parse_hyetograph(text: &[u8], name: &str) -> Result<Course> {
    let (pairs, per) = parse(text, name, &RAIN)?;
    Ok(Course { series: Series::new(pairs), per })
}

/// Reads a hydrograph, written like a hyetograph (`time [h],flow [m3/s]`): straight lines from value to
/// value, nothing before the first time, the last value from the last time on.
pub fn read_hydrograph(path: &Path) -> Result<Course> {
    let (pairs, per) = parse(&contents(path, &FLOW)?, &path.display().to_string(), &FLOW)?;
    Ok(Course { series: Series::linear(pairs), per })
}

/// Reads the course of a water level, written like a hyetograph (`time [h],level [m]`): straight lines
/// from value to value, the first value before the first time, the last from the last time on.
pub fn read_stage(path: &Path) -> Result<Course> {
    let (mut pairs, per) = parse(&contents(path, &LEVEL)?, &path.display().to_string(), &LEVEL)?;
    if pairs[0].0 > 0.0 {
        pairs.insert(0, (0.0, pairs[0].1));
    }
    Ok(Course { series: Series::linear(pairs), per })
}

/// Reads evaporation over time, written like a hyetograph (`time [h],evaporation [mm/day]`).
pub fn read_evaporation(path: &Path) -> Result<Series> {
    let text = contents(path, &EVAPORATION)?;
    Ok(Series::new(parse(&text, &path.display().to_string(), &EVAPORATION)?.0))
}

fn contents(path: &Path, column: &Column) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let shown = path.display();
        Error::input(format!("{}: cannot open '{shown}': {error}", column.key))
            .hint("a path in a scenario file is relative to it, and one in a vector layer to the layer's file")
    })
}

/// The times (s or steps, ascending) and values of a table.
fn parse(text: &[u8], name: &str, column: &Column) -> Result<(Vec<(f64, f64)>, Per)> {
    let Column { key, quantity, example, parse } = column;
    let example =
        format!("write the units in the header; the file starts like this:\n    {example}");
    let wrong = |line: u64, what: String| {
        Error::input(format!("{key}: '{name}', line {line}: {what}")).hint(example.as_str())
    };
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text);
    let header = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    if header.len() != 2 {
        let found = format!("expected 2 columns, time and {quantity}, but found {}", header.len());
        let semicolon = header.iter().any(|name| name.contains(';'));
        let why = if semicolon { ": separate them by a comma, not a semicolon (;)" } else { "" };
        return Err(wrong(1, format!("{found}{why}")));
    }
    let numeric = header[1].parse::<f64>().is_ok() || parse(&header[1]).is_ok();
    if units::parse_duration(&header[0]).is_ok() || numeric {
        return Err(wrong(1, "the header line is missing".into()));
    }
    let time_unit = unit_of(&header[0], |word| {
        counts_steps(word) || units::parse_duration(&format!("1 {word}")).is_ok()
    });
    let value_unit = unit_of(&header[1], |word| parse(&format!("1 {word}")).is_ok());
    let per = if counts_steps(&time_unit) { Per::Step } else { Per::Second };
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            wrong(line, error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let time = parse_time(&record[0], &time_unit, per).map_err(|e| wrong(line, e.what))?;
        let value = match (record[1].parse::<f64>().is_ok(), value_unit.as_str()) {
            (true, "") => Err(Error::input(format!("the {quantity} '{}' has no unit", &record[1]))),
            (true, unit) => parse(&format!("{} {unit}", &record[1])),
            (false, _) => parse(&record[1]),
        };
        let (value, value_per) = value.map_err(|e| wrong(line, e.what))?;
        if value_per.is_some_and(|value_per| value_per != per) {
            return Err(wrong(
                line,
                format!(
                    "times in '{}' and rates in '{}' do not go together",
                    &header[0], &header[1]
                ),
            ));
        }
        if let Some(&(before, _)) = pairs.last()
            && time <= before
        {
            let problem = if time == before { "is there twice" } else { "comes after a later one" };
            return Err(wrong(line, format!("time {} {problem}", &record[0])));
        }
        pairs.push((time, value));
    }
    if pairs.is_empty() {
        return Err(wrong(2, "there is no line of data".into()));
    }
    Ok((pairs, per))
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
