//! Tables of a quantity over time: a CSV with time and rain rate, flow or level.

use crate::engine::forcing::series::Series;
use crate::error::{Error, Result};
use crate::input::when::{WallClock, When};
use crate::input::{dialect, text};
use crate::measures::{self, Per, RainUnit};
use std::path::Path;

/// A quantity over time, and whether its time counts seconds or steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Rain (m per second or step), flow (m³ per second or step) or level (m) over time (s or steps).
    pub series: Series,
    /// What time and rate are counted in.
    pub per: Per,
    /// The first and the last time (s from the start of the run) if they are wall-clock times. What lies before
    /// the start is not in the series.
    pub dated: Option<(f64, f64)>,
    /// How long the last depth of a hyetograph of depths per interval is taken to last (s or steps), as
    /// nothing says so, if it is not 0.
    pub last_interval: Option<f64>,
}

/// What a value is counted in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counted {
    /// An amount per time.
    Per(Per),
    /// A depth of rain that falls until the next line's time.
    Depth,
    /// A level.
    Level,
}

/// A value as read, and what it is counted in.
type Read = Result<(f64, Counted)>;

/// A kind of table: a header line, then a line per time. The header gives the units, in brackets (`time [min],rain [mm/h]`), as the whole
/// name (`hours,mm/h`) or as its last word (`time_h`); a column whose every value carries its unit
/// (`90 min`, `01:30`; `10 mm/h`) needs none there. A number without a unit is refused. Times
/// counted in steps (`step,rain [mm/step]`) are for automata without a duration; wall-clock times
/// (`2021-07-14T13:05`) need no unit.
pub struct CourseTable {
    /// The key whose value the table is.
    key: &'static str,
    /// What its second column holds.
    quantity: &'static str,
    /// How such a table starts.
    example: &'static str,
    /// Reads a value with its unit; a level has no time in its unit.
    parse: fn(&str) -> Read,
    /// What is made of the pairs of time and value.
    series: fn(Vec<(f64, f64)>) -> Series,
}

/// Rain: a rate holds until the next time, the last from then on. A depth (`rain [mm]`) falls evenly until the next time; the last one
/// for as long as the one before it.
pub const HYETOGRAPH: CourseTable = CourseTable {
    key: "rain",
    quantity: "rain",
    example: "time [h],rain [mm/h]\n    0,10\n    1,25\n    2,0",
    parse: |text| {
        measures::parse_rain_amount(text).map(|amount| match amount {
            RainUnit::Rate(rate) => (rate.value, Counted::Per(rate.per)),
            RainUnit::Depth(depth) => (depth, Counted::Depth),
        })
    },
    series: steps,
};

/// A flow: straight lines from value to value, nothing before the first time, the last value from the last time on.
pub const HYDROGRAPH: CourseTable = CourseTable {
    key: "source",
    quantity: "flow",
    example: "time [h],flow [m3/s]\n    0,5\n    1,80\n    6,0",
    parse: |text| measures::parse_flow(text).map(|rate| (rate.value, Counted::Per(rate.per))),
    series: |pairs| Series::linear(from_start(pairs, true)),
};

/// A water level: straight lines from value to value, the first value before the first time, the last from the last time on.
pub const STAGE: CourseTable = CourseTable {
    key: "level",
    quantity: "level",
    example: "time [h],level [m]\n    0,0.2\n    3,1.8\n    6,0.4",
    parse: |text| measures::parse_level(text).map(|level| (level, Counted::Level)),
    series: kept_before,
};

/// Evaporation: as rain.
pub const EVAPORATION: CourseTable = CourseTable {
    key: "evaporation",
    quantity: "evaporation",
    example: "time [h],evaporation [mm/day]\n    0,0\n    6,8\n    18,0",
    parse: |text| measures::parse_evaporation(text).map(|rate| (rate, Counted::Per(Per::Second))),
    series: steps,
};

/// How far a gate opens (m): as a level.
pub const OPENING: CourseTable = CourseTable {
    key: "structures",
    quantity: "opening",
    example: "time [h],opening [m]\n    0,0\n    2,0.6",
    parse: |text| measures::parse_depth(text).map(|opening| (opening, Counted::Level)),
    // Times before the start stay: a run cut in two then goes along the same line, to the bit.
    series: Series::linear,
};

/// A table as read: times (s or steps, ascending) and values.
struct Table {
    pairs: Vec<(f64, f64)>,
    per: Per,
    /// Whether the values are depths per interval.
    depths: bool,
    dated: Option<(f64, f64)>,
}

impl CourseTable {
    /// Reads a table of this kind; `clock` is that of the run.
    pub fn read(&self, path: &Path, clock: &WallClock) -> Result<Course> {
        let text = text::bytes(path, text::TABLE).map_err(|error| {
            let shown = path.display();
            Error::input(format!("{}: cannot open '{shown}'", self.key)).because(error)
                .hint("a path in a scenario file is relative to it, and one in a vector layer to the layer's file")
        })?;
        self.parse(&text, &path.display().to_string(), clock)
    }

    /// The same from the file's contents; `name` is for messages.
    pub fn parse(&self, text: &[u8], name: &str, clock: &WallClock) -> Result<Course> {
        let Table { mut pairs, per, depths, dated } = parse(text, name, self, clock)?;
        let mut last_interval = None;
        if depths {
            let count = pairs.len();
            let (last, depth) = pairs[count - 1];
            if depth > 0.0 {
                let Some(&(before, _)) = count.checked_sub(2).map(|at| &pairs[at]) else {
                    return Err(Error::input(format!(
                        "{}: '{name}' has but one depth, and nothing says how long it takes to fall",
                        self.key
                    ))
                    .hint("add a line with the time at which it ends and a depth of 0"));
                };
                last_interval = Some(last - before);
                pairs.push((last + (last - before), 0.0));
            }
            for at in 0..pairs.len() - 1 {
                pairs[at].1 /= pairs[at + 1].0 - pairs[at].0;
            }
            pairs.last_mut().expect("there are lines").1 = 0.0;
        }
        let dated = dated.map(|(first, last)| (first, last + last_interval.unwrap_or(0.0)));
        Ok(Course { series: (self.series)(pairs), per, dated, last_interval })
    }
}

/// Straight lines from value to value, of which the first holds before the first time.
fn kept_before(pairs: Vec<(f64, f64)>) -> Series {
    let mut pairs = from_start(pairs, true);
    if pairs[0].0 > 0.0 {
        pairs.insert(0, (0.0, pairs[0].1));
    }
    Series::linear(pairs)
}

/// What of a course lies at 0 or later; what holds at 0 is kept as its first value.
fn from_start(pairs: Vec<(f64, f64)>, straight: bool) -> Vec<(f64, f64)> {
    let Some(before) = pairs.iter().rposition(|&(time, _)| time < 0.0) else { return pairs };
    let (from, value) = pairs[before];
    let now = match pairs.get(before + 1) {
        Some(&(to, next)) if straight => value + (next - value) * (0.0 - from) / (to - from),
        _ => value,
    };
    let rest = pairs[before + 1..].iter().copied();
    let starts = rest.clone().next().is_some_and(|(time, _)| time == 0.0);
    (!starts).then_some((0.0, now)).into_iter().chain(rest).collect()
}

/// Values that hold until the next time.
fn steps(pairs: Vec<(f64, f64)>) -> Series {
    Series::new(from_start(pairs, false))
}

/// Reads a table; `clock` is that of the run.
fn parse(text: &[u8], name: &str, of: &CourseTable, clock: &WallClock) -> Result<Table> {
    let CourseTable { key, quantity, example, parse, .. } = of;
    let example =
        format!("write the units in the header; the file starts like this:\n    {example}");
    let at_line = |line: u64, what: String, hint: &str| {
        Error::input(format!("{key}: '{name}', line {line}: {what}")).hint(hint)
    };
    let wrong = |line: u64, what: String| at_line(line, what, &example);
    let unread = |line: u64, error: csv::Error| match error.kind() {
        csv::ErrorKind::Utf8 { .. } => at_line(
            line,
            "it is not text in UTF-8".into(),
            "save it as CSV in UTF-8, with commas between the columns",
        ),
        _ => wrong(line, error.to_string()),
    };
    let mut reader = dialect::reader(text);
    let header = reader.headers().map_err(|error| unread(1, error))?.clone();
    if header.len() != 2 {
        let found = format!("expected 2 columns, time and {quantity}, but found {}", header.len());
        let has = |separator| header.iter().any(|name| name.contains(separator));
        let why = match (has(';'), has('\t')) {
            (true, _) => ": separate them by a comma, not a semicolon (;)",
            (_, true) => ": separate them by a comma, not a tab",
            _ => "",
        };
        return Err(wrong(1, format!("{found}{why}")));
    }
    let numeric = header[1].parse::<f64>().is_ok() || parse(&header[1]).is_ok();
    let is_time = measures::parse_duration(&header[0]).is_ok() || When::parse(&header[0]).is_some();
    if is_time || numeric {
        return Err(wrong(1, "the header line is missing".into()));
    }
    let time_unit = time_unit_of(&header[0]);
    let value_unit = unit_of(&header[1], |word| parse(&format!("1 {word}")).is_ok());
    let per = if counts_steps(&time_unit) { Per::Step } else { Per::Second };
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    let mut of_first = None;
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            unread(line, error)
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |text: &str| text.replacen(',', ".", 1).parse::<f64>().is_ok();
        if let Some(text) = record.iter().find(|text| text.contains(',') && number(text)) {
            let what = format!("'{text}' has a decimal comma");
            return Err(at_line(line, what, "write numbers with a decimal point: 10.5"));
        }
        let when = dated(&record[0], &time_unit);
        let time = match &when {
            Some(when) => clock
                .seconds(when, &format!("{key}: '{name}'"))
                .map_err(|error| at_line(line, error.what, &error.hint.unwrap_or_default()))?,
            None => parse_time(&record[0], &time_unit, per).map_err(|error| {
                match When::how(&record[0]) {
                    None => wrong(line, error.what),
                    Some(how) => {
                        let why = When::why_not(&record[0]);
                        let what = format!("'{}' is not a duration, and {why}", &record[0]);
                        at_line(line, what, &how)
                    }
                }
            })?,
        };
        let value = match (record[1].parse::<f64>().is_ok(), value_unit.as_str()) {
            (true, "") => Err(Error::input(format!("the {quantity} '{}' has no unit", &record[1]))),
            (true, unit) => parse(&format!("{} {unit}", &record[1])),
            (false, _) => parse(&record[1]),
        };
        let (value, counted) = value.map_err(|error| match error.hint {
            // It lists the units that are taken.
            Some(hint) if hint.starts_with("units of") => {
                at_line(line, error.what, &format!("{hint}; {example}"))
            }
            _ => wrong(line, error.what),
        })?;
        let (is_dated, before) = *of_first.get_or_insert((when.is_some(), counted));
        if when.is_some() != is_dated {
            let what = "dates and times since the start do not go together";
            return Err(wrong(line, format!("{what} ('{}')", &record[0])));
        }
        if (counted == Counted::Depth) != (before == Counted::Depth) {
            let what = "rates and depths do not go together";
            return Err(wrong(line, format!("{what} ('{}')", &record[1])));
        }
        if matches!(counted, Counted::Per(value_per) if value_per != per) {
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
            let hint = "times must rise from line to line: sort them, give each once, and go on past midnight (24:10) or write dates";
            return Err(at_line(line, format!("time {} {problem}", &record[0]), hint));
        }
        pairs.push((time, value));
    }
    if pairs.is_empty() {
        return Err(wrong(2, "there is no line of data".into()));
    }
    let span = (pairs[0].0, pairs[pairs.len() - 1].0);
    let (is_dated, counted) = of_first.expect("there is a line");
    let depths = counted == Counted::Depth;
    Ok(Table { pairs, per, depths, dated: is_dated.then_some(span) })
}

/// A wall-clock time, unless the column has a unit and this is a number.
pub(crate) fn dated(text: &str, unit: &str) -> Option<When> {
    let number = text.parse::<f64>().is_ok() && !unit.is_empty();
    if number { None } else { When::parse(text) }
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

/// The unit of time in a column's name.
pub(crate) fn time_unit_of(header: &str) -> String {
    unit_of(header, |word| {
        counts_steps(word) || measures::parse_duration(&format!("1 {word}")).is_ok()
    })
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
        (true, unit) => measures::parse_duration(&format!("{text} {unit}")),
        (false, _) => measures::parse_duration(text),
    }
}
