//! Tables of a quantity over time: a CSV with time and rain rate, flow or level.

use crate::engine::forcing::series::Series;
use crate::error::{Error, Result};
use crate::input::description::mass_curve::{HeaderClaim, classify_header, looks_like};
use crate::input::description::missing::{self, Codes, Spread, without_codes};
use crate::input::description::rain_values::RainValues;
use crate::input::notice::{Notice, Notices};
use crate::input::tables::lines::{self, Interpolation, Line, Of, ValueMeaning};
use crate::input::tables::records::Records;
use crate::input::text;
use crate::input::time::declared_zone::DeclaredZone;
use crate::input::time::wall_time::{WallClock, When};
use crate::measures::quantity::number_and_rest;
use crate::measures::{self, Per, RainUnit};
use crate::units::show_duration;
use crate::words::counted;
use std::path::Path;

/// Quantity over time, in seconds or steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Rain (m per second or step), flow (m³ per second or step) or level (m) over time (s or
    /// steps).
    pub series: Series,
    /// Unit of time and of rates: second or step.
    pub per: Per,
    /// First and last time (s from the start of the run) if they are wall-clock times. The series
    /// itself does not include times before the start.
    pub dated: Option<(f64, f64)>,
    /// Assumed duration of the last depth of a hyetograph of depths per interval (s or steps), if
    /// that depth is not 0.
    pub last_interval: Option<f64>,
    /// Notes on the interpretation of the file.
    pub notes: Vec<Notice>,
    /// Warnings: missing values, gaps, an undeclared mass curve.
    pub warnings: Vec<Notice>,
}

impl Course {
    /// Adds the notes and warnings to `notices`.
    pub fn report(&self, notices: &mut Notices) {
        notices.note_all(self.notes.iter().cloned());
        notices.warn_all(self.warnings.iter().cloned());
    }
}

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ValueKind {
    /// An amount per time.
    Per(Per),
    /// A depth of rain that falls until the next line's time.
    Depth,
    /// A level.
    Level,
}

/// A value and its kind.
type Read = Result<(f64, ValueKind)>;

/// Kind of table: a header line, then a line per time. The header gives the units, in brackets
/// (`time [min],rain [mm/h]`), as the whole name (`hours,mm/h`) or as its last word (`time_h`). A
/// column whose values all carry a unit (`90 min`, `01:30`; `10 mm/h`) needs none in the header. A
/// number without a unit is rejected. Times in steps (`step,rain [mm/step]`) are for automata
/// without a duration; wall-clock times (`2021-07-14T13:05`) need no unit.
#[derive(Clone, Copy)]
pub struct CourseTable {
    /// Option that names the table.
    key: &'static str,
    /// Quantity of the second column.
    quantity: &'static str,
    /// Example of such a table.
    example: &'static str,
    /// Parser of a value with its unit; levels are not per time.
    parse: fn(&str) -> Read,
    /// Constructor of the series from pairs of time and value.
    series: fn(Vec<(f64, f64)>) -> Series,
    /// Interpolation between two values.
    interpolation: Interpolation,
    /// Distribution of the values.
    spread: Spread,
    /// Error for a header that names another quantity of the same unit.
    check: fn(&str) -> Result<()>,
    /// The user's declaration of the meaning of rain values.
    values: Option<RainValues>,
}

/// Rain: a rate applies until the next time, the last rate from its time on. A depth (`rain [mm]`)
/// falls evenly until the next time; the last depth takes as long as the one before it.
pub const HYETOGRAPH: CourseTable = CourseTable {
    key: "rain",
    quantity: "rain",
    example: "time [h],rain [mm/h]\n    0,10\n    1,25\n    2,0",
    parse: |text| {
        measures::parse_rain_amount(text).map(|amount| match amount {
            RainUnit::Rate(rate) => (rate.value, ValueKind::Per(rate.per)),
            RainUnit::Depth(depth) => (depth, ValueKind::Depth),
        })
    },
    series: steps,
    interpolation: Interpolation::Step,
    spread: Spread::FromZero,
    check: |_| Ok(()),
    values: None,
};

/// Flow: linear between values, 0 before the first time, and constant after the last.
pub const HYDROGRAPH: CourseTable = CourseTable {
    key: "source",
    quantity: "flow",
    example: "time [h],flow [m3/s]\n    0,5\n    1,80\n    6,0",
    parse: |text| measures::parse_flow(text).map(|rate| (rate.value, ValueKind::Per(rate.per))),
    series: |pairs| Series::linear(from_start(pairs, true)),
    interpolation: Interpolation::LinearFromZero,
    spread: Spread::FromZero,
    check: |_| Ok(()),
    values: None,
};

/// Water level: linear between values, constant before the first time and after the last.
pub const STAGE: CourseTable = CourseTable {
    key: "level",
    quantity: "level",
    example: "time [h],level [m]\n    0,0.2\n    3,1.8\n    6,0.4",
    parse: |text| measures::parse_level(text).map(|level| (level, ValueKind::Level)),
    series: kept_before,
    interpolation: Interpolation::Linear,
    spread: Spread::About,
    check: check_level,
    values: None,
};

/// Evaporation: like rain.
pub const EVAPORATION: CourseTable = CourseTable {
    key: "evaporation",
    quantity: "evaporation",
    example: "time [h],evaporation [mm/day]\n    0,0\n    6,8\n    18,0",
    parse: |text| measures::parse_evaporation(text).map(|rate| (rate, ValueKind::Per(Per::Second))),
    series: steps,
    interpolation: Interpolation::Step,
    spread: Spread::FromZero,
    check: |_| Ok(()),
    values: None,
};

/// Opening of a gate (m): like a level.
pub const OPENING: CourseTable = CourseTable {
    key: "structures",
    quantity: "opening",
    example: "time [h],opening [m]\n    0,0\n    2,0.6",
    parse: |text| measures::parse_depth(text).map(|opening| (opening, ValueKind::Level)),
    // Times before the start are kept, so that both parts of a split run follow the same line bit
    // for bit.
    series: Series::linear,
    interpolation: Interpolation::Linear,
    spread: Spread::About,
    check: |header| check_difference(header, "openings"),
    values: None,
};

/// Table as read.
struct Table {
    /// Header of the values.
    header: String,
    /// Lines, with ascending times.
    lines: Vec<Line>,
    per: Per,
    /// `true` if the values are depths.
    depths: bool,
    dated: Option<(f64, f64)>,
    /// Note on the dialect of the file, if it is unusual.
    note: Option<String>,
}

impl CourseTable {
    /// Sets the user's declaration of the meaning of rain values.
    pub fn counting(self, values: Option<RainValues>) -> CourseTable {
        CourseTable { values, ..self }
    }

    /// Reads a table of this kind; `clock` is the run's clock.
    pub fn read(&self, path: &Path, clock: &WallClock) -> Result<Course> {
        let text = text::bytes(path, text::TABLE).map_err(|error| {
            let shown = path.display();
            Error::input(format!("{}: cannot open '{shown}'", self.key)).because(error)
                .hint("a path in a scenario file or a vector layer is relative to the folder of that file")
        })?;
        self.parse(&text, &path.display().to_string(), clock)
    }

    /// Like [`CourseTable::read`], but from the contents of a file; `name` is for messages.
    pub fn parse(&self, text: &[u8], name: &str, clock: &WallClock) -> Result<Course> {
        let Table { header, lines, per, depths, dated, note } = parse(text, name, self, clock)?;
        let of = Of { key: self.key, name };
        let mut notes: Vec<Notice> = note.map(|note| of.notice(note)).into_iter().collect();
        if let Some(Line { shown, time, .. }) = lines.first()
            && clock.start().is_some()
            && (dated.is_none() && shown.contains(':') && *time > 0.0)
        {
            let what = format!(
                "has times such as '{shown}', which count from the start of the run, {}; write dates for times of the day",
                clock.show(0.0)
            );
            notes.push(of.notice(what));
        }
        let mut warnings = Vec::new();
        lines::check_most(&lines, of)?;
        let meaning = match (depths, self.interpolation) {
            (false, interpolation) => ValueMeaning::Values(interpolation),
            (true, _) => {
                let (meaning, found) = mass_curve(&header, self.values, &lines);
                notes.extend(found.map(|what| of.notice(what)));
                meaning
            }
        };
        if !depths {
            warnings.extend(self.check_rates(&header, of)?);
        }
        warnings.extend(lines::missing(&lines, meaning).map(|what| of.notice(what)));
        let show = |time: f64| match per {
            Per::Second => clock.show(time),
            Per::Step => format!("step {time}"),
        };
        let length = |length: f64| match per {
            Per::Second => show_duration(length),
            Per::Step => counted(length as usize, "step", "steps"),
        };
        warnings.extend(lines::gaps(&lines, meaning, show, length).map(|what| of.notice(what)));
        let mut last_interval = None;
        let pairs = match meaning {
            ValueMeaning::Values(Interpolation::Step) => lines::filled(&lines),
            ValueMeaning::Values(_) => lines::known(&lines),
            ValueMeaning::Depths => {
                if self.values.is_none() && looks_like(&lines::known(&lines)) {
                    warnings.push(of.notice("has depths that never fall, like a mass curve, but is not declared as one; they are taken as depths per interval (if they are totals since the start: rain_values = \"accumulated\")"));
                }
                let (pairs, last) = lines::depths(&lines, of)?;
                last_interval = last;
                pairs
            }
            ValueMeaning::MassCurve => {
                let rates = lines::differences(&lines, dated.is_some(), show, of)?;
                notes.push(of.notice(rates.note));
                warnings.extend(rates.warnings.into_iter().map(|what| of.notice(what)));
                rates.pairs
            }
        };
        let dated = dated.map(|(first, last)| (first, last + last_interval.unwrap_or(0.0)));
        let series = (self.series)(pairs);
        Ok(Course { series, per, dated, last_interval, notes, warnings })
    }

    /// Checks rates against the user's declaration and the header.
    fn check_rates(&self, header: &str, of: Of) -> Result<Option<Notice>> {
        match self.values {
            Some(RainValues::Accumulated) => Err(Error::input(format!(
                "rain_values: '{}' has rates, which cannot be accumulated depths",
                of.name
            ))
            .hint("leave rain_values out, or give the values a unit of depth: rain [mm]")),
            None if self.key == HYETOGRAPH.key
                && classify_header(header) == HeaderClaim::Cumulative =>
            {
                let what = format!(
                    "is cumulative according to its header, '{header}', but has the unit of a rate; it is read as a rate (a mass curve has depths: cumulative rain [mm])"
                );
                Ok(Some(of.notice(what)))
            }
            _ => Ok(None),
        }
    }
}

/// Determines the meaning of depths from their header and the user's declaration; also returns a
/// note if the header is ambiguous.
fn mass_curve(
    header: &str,
    values: Option<RainValues>,
    lines: &[Line],
) -> (ValueMeaning, Option<&'static str>) {
    let known = lines::known(lines);
    let rises = known.windows(2).all(|pair| pair[1].1 >= pair[0].1);
    match (values, classify_header(header)) {
        (Some(RainValues::Accumulated), _) | (None, HeaderClaim::Cumulative) => {
            (ValueMeaning::MassCurve, None)
        }
        (None, HeaderClaim::Total) if rises && known.len() > 2 => (ValueMeaning::MassCurve, None),
        (None, HeaderClaim::Total) => (
            ValueMeaning::Depths,
            Some("has totals that do not rise throughout; they are taken as depths per interval"),
        ),
        (Some(RainValues::Interval), _) | (None, HeaderClaim::Unspecified) => {
            (ValueMeaning::Depths, None)
        }
    }
}

/// Makes a series that is linear between values and constant before the first.
fn kept_before(pairs: Vec<(f64, f64)>) -> Series {
    let mut pairs = from_start(pairs, true);
    if pairs[0].0 > 0.0 {
        pairs.insert(0, (0.0, pairs[0].1));
    }
    Series::linear(pairs)
}

/// Cuts a course to times of 0 or later; the value at 0 becomes its first value.
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

/// Makes a series of values that apply until the next time.
fn steps(pairs: Vec<(f64, f64)>) -> Series {
    Series::new(from_start(pairs, false))
}

/// The two columns of a table: their headers, and what those declare.
struct Columns<'a> {
    table: &'a CourseTable,
    /// Name of the file.
    name: &'a str,
    clock: &'a WallClock,
    /// Headers of the times and of the values.
    headers: [String; 2],
    header_line: u64,
    time_unit: String,
    zone: DeclaredZone,
    value_unit: String,
    /// Declared codes of missing values.
    codes: Codes,
    per: Per,
}

/// A value with its kind, and its number if that usually marks a missing value.
type CodedValue = (Option<(f64, ValueKind)>, Option<f64>);

/// Returns `true` for the header of a column of times.
fn names_time(header: &str) -> bool {
    let word = header.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    ["time", "date", "datetime", "timestamp"].contains(&&word[..])
}

impl<'a> Columns<'a> {
    /// Reads the header of a table.
    fn of(
        table: &'a CourseTable,
        name: &'a str,
        clock: &'a WallClock,
        records: &Records,
    ) -> Result<Columns<'a>> {
        let Records { header, header_line, comments, .. } = records;
        let (line, parse) = (*header_line, table.parse);
        if header.len() != 2 {
            let (quantity, count) = (table.quantity, header.len());
            let what = format!("expected 2 columns, time and {quantity}, but found {count}");
            return Err(table.wrong(name, line, what));
        }
        let numeric = header[1].parse::<f64>().is_ok() || parse(&header[1]).is_ok();
        let is_time =
            measures::parse_duration(&header[0]).is_ok() || When::parse(&header[0]).is_some();
        if is_time || numeric {
            return Err(table.wrong(name, line, "the header line is missing".into()));
        }
        if names_time(&header[1]) && !names_time(&header[0]) {
            let what = format!("the time is in the second column, '{}': put it first", &header[1]);
            return Err(table.wrong(name, line, what));
        }
        (table.check)(&header[1]).map_err(|error| table.at_line(name, line, error))?;
        let time_unit = time_unit_of(&header[0]);
        let of_values = without_codes(&header[1]);
        Ok(Columns {
            table,
            name,
            clock,
            header_line: line,
            zone: DeclaredZone::of(&header[0]),
            value_unit: unit_of(&of_values, |word| parse(&format!("1 {word}")).is_ok()),
            codes: Codes::declared(comments, &header[1]),
            per: if counts_steps(&time_unit) { Per::Step } else { Per::Second },
            time_unit,
            headers: [&header[0], &header[1]].map(String::from),
        })
    }

    fn at_line(&self, line: u64, error: Error) -> Error {
        self.table.at_line(self.name, line, error)
    }

    fn wrong(&self, line: u64, what: String) -> Error {
        self.table.wrong(self.name, line, what)
    }

    /// Reads a time (s or steps), and whether it is a date.
    fn time(&self, line: u64, text: &str) -> Result<(f64, bool)> {
        let when = dated(text, &self.time_unit).map(|when| when.in_declared(&self.zone));
        let when = when.transpose().map_err(|error| self.at_line(self.header_line, error))?;
        if let Some(when) = when {
            let whose = format!("{}: '{}'", self.table.key, self.name);
            let time = self.clock.seconds(&when, &whose);
            return Ok((time.map_err(|error| self.at_line(line, error))?, true));
        }
        let time = parse_time(text, &self.time_unit, self.per).map_err(|error| {
            let Some(how) = When::how(text) else { return self.wrong(line, error.what) };
            let what = format!("'{text}' is not a duration, and {}", When::why_not(text));
            self.at_line(line, Error::input(what).hint(how))
        })?;
        check_origin(&self.headers[0]).map_err(|error| self.at_line(self.header_line, error))?;
        Ok((time, false))
    }

    /// Reads a value.
    fn value(&self, line: u64, text: &str) -> Result<CodedValue> {
        let parse = self.table.parse;
        let read = || match (text.parse::<f64>().is_ok(), self.value_unit.as_str()) {
            (true, "") => {
                Err(Error::input(format!("the {} '{text}' has no unit", self.table.quantity)))
            }
            (true, unit) => parse(&format!("{text} {unit}")),
            (false, _) => parse(text),
        };
        match self.codes.classify(text) {
            missing::Value::Missing => Ok((None, None)),
            // An impossible quantity marks a missing value.
            missing::Value::Code(code) => {
                Ok(read().map_or((None, None), |value| (Some(value), Some(code))))
            }
            missing::Value::Plain => {
                let value = read().map_err(|error| self.explained(line, text, error))?;
                Ok((Some(value), None))
            }
        }
    }

    /// Adds to the error of a value what helps to correct it.
    fn explained(&self, line: u64, text: &str, error: Error) -> Error {
        let (number, unit) = number_and_rest(text).unwrap_or((f64::NAN, ""));
        let unit = if unit.is_empty() { &self.value_unit } else { unit };
        let example = self.table.how();
        if !number.is_finite() {
            self.wrong(line, error.what)
        } else if (self.table.parse)(&format!("1 {unit}")).is_err() {
            // The hint lists the accepted units.
            self.at_line(line, error.hint_also(&example))
        } else if number.is_sign_negative() {
            self.at_line(line, error.hint(format!("if it marks a missing value, declare it in a comment: # missing: {text}\n  {example}")))
        } else {
            self.wrong(line, error.what)
        }
    }

    /// Refuses a value whose kind does not fit that of the `first` or the times.
    fn check_kind(&self, line: u64, text: &str, kind: ValueKind, first: ValueKind) -> Result<()> {
        if (kind == ValueKind::Depth) != (first == ValueKind::Depth) {
            return Err(self.wrong(line, format!("rates and depths cannot be mixed ('{text}')")));
        }
        if matches!(kind, ValueKind::Per(per) if per != self.per) {
            let [times, values] = &self.headers;
            let what = format!("times in '{times}' and rates in '{values}' cannot be combined");
            return Err(self.wrong(line, what));
        }
        Ok(())
    }

    /// Refuses a time that does not follow the one before.
    fn check_order(&self, line: u64, text: &str, time: f64, before: f64) -> Result<()> {
        if time > before {
            return Ok(());
        }
        let problem = if time == before { "appears twice" } else { "comes after a later one" };
        let hint = "times must increase from line to line: sort them, give each once, and continue past midnight (24:10) or write dates";
        Err(self.at_line(line, Error::input(format!("time {text} {problem}")).hint(hint)))
    }

    /// Refuses numbers with a decimal comma.
    fn check_comma(&self, line: u64, text: &str) -> Result<()> {
        if !text.contains(',') || text.replacen(',', ".", 1).parse::<f64>().is_err() {
            return Ok(());
        }
        let error = Error::input(format!("'{text}' has a decimal comma"));
        Err(self.at_line(line, error.hint("write numbers with a decimal point: 10.5; with decimal commas, columns must be separated by semicolons")))
    }
}

impl CourseTable {
    /// Returns the hint with an example.
    fn how(&self) -> String {
        let example = self.example;
        format!("write the units in the header; the file starts like this:\n    {example}")
    }

    fn at_line(&self, name: &str, line: u64, error: Error) -> Error {
        error.of(format_args!("{}: '{name}', line {line}", self.key))
    }

    fn wrong(&self, name: &str, line: u64, what: String) -> Error {
        self.at_line(name, line, Error::input(what).hint(self.how()))
    }
}

/// Reads a table; `clock` is the run's clock.
fn parse(text: &[u8], name: &str, table: &CourseTable, clock: &WallClock) -> Result<Table> {
    let records = Records::read(text)
        .map_err(|fault| fault.error(|line, what| table.wrong(name, line, what)))?;
    let columns = Columns::of(table, name, clock, &records)?;
    let mut lines: Vec<Line> = Vec::new();
    let (mut first_is_dated, mut first_kind) = (None, None);
    for (line, record) in records.rows {
        let [time_text, value_text] = [&record[0], &record[1]];
        columns.check_comma(line, time_text)?;
        columns.check_comma(line, value_text)?;
        let (time, is_dated) = columns.time(line, time_text)?;
        if is_dated != *first_is_dated.get_or_insert(is_dated) {
            let what = format!("dates and times since the start cannot be mixed ('{time_text}')");
            return Err(columns.wrong(line, what));
        }
        if let Some(before) = lines.last() {
            columns.check_order(line, time_text, time, before.time)?;
        }
        let (value, code) = columns.value(line, value_text)?;
        if let Some((_, kind)) = value {
            let first = *first_kind.get_or_insert(kind);
            columns.check_kind(line, value_text, kind, first)?;
        }
        let is_bare = time_text.parse::<f64>().is_ok() && !is_dated;
        let shown = match is_bare {
            true => format!("{time_text} {}", columns.time_unit),
            false => time_text.into(),
        };
        let value = value.map(|(value, _)| value);
        lines.push(Line { line, time, shown, text: value_text.into(), value, code });
    }
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return Err(columns.wrong(columns.header_line + 1, "the table has no data lines".into()));
    };
    let span = (first.time, last.time);
    lines::leave_out_codes(&mut lines, table.spread);
    Ok(Table {
        header: without_codes(&columns.headers[1]).into_owned(),
        lines,
        per: columns.per,
        depths: first_kind == Some(ValueKind::Depth),
        dated: first_is_dated.filter(|is_dated| *is_dated).map(|_| span),
        note: records.note,
    })
}

/// Reads a wall-clock time; `None` if the text is a number and the column has a unit.
pub(crate) fn dated(text: &str, unit: &str) -> Option<When> {
    let number = text.parse::<f64>().is_ok() && !unit.is_empty();
    if number { None } else { When::parse(text) }
}

/// Returns the unit in a column's name: `rain [mm/h]` → `mm/h`; without brackets, the whole name or
/// its last or first word, in lower case, if it is `known` as a unit (`hours`, `time_h`); else
/// empty.
pub(crate) fn unit_of(header: &str, known: impl Fn(&str) -> bool) -> String {
    let header = header.trim();
    let bracket = |open, close| {
        let (_, rest) = header.split_once(open)?;
        Some(rest.strip_suffix(close)?.trim())
    };
    if let Some(unit) = bracket('[', ']').or_else(|| bracket('(', ')')) {
        return unit.to_string();
    }
    let header = header.to_lowercase();
    let last = header.rsplit(|c: char| c == '_' || c.is_whitespace()).next();
    let first = header.split(|c: char| c == '_' || c.is_whitespace()).next();
    let words = [header.as_str(), last.unwrap_or_default(), first.unwrap_or_default()];
    words.into_iter().find(|word| known(word)).unwrap_or_default().to_string()
}

/// Refuses a header that names depths where levels above the DEM's zero are expected.
fn check_level(header: &str) -> Result<()> {
    if !names_depths(header) || names_levels(header) {
        return Ok(());
    }
    Err(Error::input(format!(
        "the column '{header}' has depths, but levels above the DEM's zero are expected"
    ))
    .hint("add the height of the bed to them, and name the column 'level'"))
}

/// Refuses a header that names levels where differences of levels, such as heads, are expected.
pub(crate) fn check_difference(header: &str, expected: &str) -> Result<()> {
    if !names_levels(header) {
        return Ok(());
    }
    Err(Error::input(format!("the column '{header}' has levels, but {expected} are expected"))
        .hint(format!("subtract the level from which {expected} count, and rename the column")))
}

/// Returns `true` if the name of a column is that of depths of water.
pub(crate) fn names_depths(header: &str) -> bool {
    header.to_lowercase().contains("depth")
}

fn names_levels(header: &str) -> bool {
    let header = header.to_lowercase();
    ["level", "stage", "elevation"].iter().any(|name| header.contains(name))
}

/// Returns the unit of time in a column's name, or the form of its clock times (`mm:ss`); a time
/// zone is not a unit.
pub(crate) fn time_unit_of(header: &str) -> String {
    let unit = unit_of(header, |word| counts_steps(word) || is_time_unit(word)).to_lowercase();
    if DeclaredZone::of(&unit) != DeclaredZone::Undeclared {
        return String::new();
    }
    // `yyyy-mm-dd hh:mm` is for dates.
    let form = unit.split_whitespace().find(|word| word.contains(':'));
    form.map_or(unit.clone(), String::from)
}

/// Returns `true` if a text is a unit of time or the form of a clock time.
fn is_time_unit(text: &str) -> bool {
    let is_unit = || measures::parse_duration(&format!("1 {text}")).is_ok();
    !text.is_empty() && (measures::is_clock_form(text) || is_unit())
}

/// Returns `true` if a unit of time is the step.
pub(crate) fn counts_steps(unit: &str) -> bool {
    matches!(unit, "step" | "steps")
}

/// Refuses a header under which times without dates do not count from the start of the run:
/// `time (UTC)`, `hours since 2021-07-14`, `hour of day`.
pub(crate) fn check_origin(header: &str) -> Result<()> {
    let text = header.to_lowercase().replace('_', " ");
    let dated = text.split_once("since ").is_some_and(|(_, origin)| {
        origin.trim_start().starts_with(|first: char| first.is_ascii_digit())
    });
    if !dated && !text.contains("of day") && DeclaredZone::of(header) == DeclaredZone::Undeclared {
        return Ok(());
    }
    Err(Error::input(format!("times under '{header}' do not count from the start of the run"))
        .hint("write dates (2021-07-14T06:00Z), or times since the start under 'time [h]'"))
}

/// Reads a time (s or steps) in its own unit or else in the unit of its column.
pub(crate) fn parse_time(text: &str, unit: &str, per: Per) -> Result<f64> {
    if per == Per::Step {
        let steps: u32 =
            text.parse().map_err(|_| Error::input(format!("'{text}' is not a whole step")))?;
        return Ok(f64::from(steps));
    }
    match text.parse::<f64>().is_ok() {
        true if unit.is_empty() => Err(Error::input(format!("the time '{text}' has no unit"))),
        true => measures::parse_duration(&format!("{text} {unit}")),
        false if text.contains(':') && (unit.contains(':') || is_time_unit(unit)) => {
            measures::parse_duration(&format!("{text} {unit}"))
        }
        false => measures::parse_duration(text),
    }
}
