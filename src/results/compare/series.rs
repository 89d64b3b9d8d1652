//! Compares two time series, such as hydrographs.

use super::metrics::{Differences, Errors, Kge, kge, nse};
use crate::error::{Error, Result};
use crate::input::description::missing::{self, Codes, Spread, without_codes};
use crate::input::notice::Notice;
use crate::input::tables::columns::CsvTable;
use crate::input::tables::lines::{self, Interpolation, Line, Of, ValueMeaning};
use crate::input::tables::series_table::{
    check_origin, counts_steps, parse_time, time_unit_of, unit_of,
};
use crate::input::time::declared_zone::DeclaredZone;
use crate::input::time::wall_time::{WallClock, When};
use crate::measures::{self, Per};
use crate::output::tables::DATE;
use crate::units::show_duration;
use crate::words::counted;
use serde::Serialize;
use std::path::Path;

/// Example of a CSV with a series.
const EXAMPLE: &str =
    "the file starts like this:\n    time [h],discharge [m3/s]\n    0,12.5\n    0.5,14.1";

/// Values over time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSeries {
    /// Name of the column of values.
    pub name: String,
    /// Unit of the values as in the header, or empty.
    pub unit: String,
    /// Unit in which time is counted.
    pub per: Per,
    /// Times (s or steps), ascending.
    pub times: Vec<f64>,
    /// Values at these times.
    pub values: Vec<f64>,
    /// Dates of the times.
    pub dates: Dates,
}

/// Dates of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dates {
    /// It has none: times count from an unknown start.
    None,
    /// Times count from a start that is known from a column of dates.
    FromStart,
    /// Its times are dates.
    Times,
}

/// Role of a series in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesRole {
    /// The compared series.
    Series,
    /// The reference.
    Reference,
}

impl SeriesRole {
    /// Returns its name in messages.
    fn name(self) -> &'static str {
        match self {
            SeriesRole::Series => "series",
            SeriesRole::Reference => "with",
        }
    }

    /// Returns the flag that selects its column of values.
    fn column_flag(self) -> &'static str {
        match self {
            SeriesRole::Series => "--column",
            SeriesRole::Reference => "--with-column",
        }
    }
}

/// Comparison of two series.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Unit of the values.
    pub unit: String,
    /// Unit of times, `s` or `steps`.
    pub time_unit: &'static str,
    /// Period covered by both (s or steps).
    pub period: (f64, f64),
    /// Number of times of the reference outside this period, which do not count.
    pub not_covered: usize,
    /// Errors at the reference's times.
    pub errors: Errors,
    /// Nash–Sutcliffe efficiency; `None` if the reference does not vary.
    pub nse: Option<f64>,
    /// Kling–Gupta efficiency; `None` if either does not vary or the reference's mean is 0.
    pub kge: Option<Kge>,
    /// Comparison of the peaks.
    pub peak: Peak,
}

/// The first maximum of each series in the common period, each at its own times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// Highest value of the result.
    pub modelled: f64,
    /// Highest value of the reference.
    pub observed: f64,
    /// Difference of both peaks.
    pub error: f64,
    /// Difference divided by the reference's peak; `None` if that is 0.
    pub relative_error: Option<f64>,
    /// Time of the result's peak (s or steps).
    pub modelled_time: f64,
    /// Time of the reference's peak (s or steps).
    pub observed_time: f64,
    /// Delay of the result's peak (s or steps).
    pub timing_error: f64,
}

/// Reads a series: the first column is time, with its unit in the header or in every value; another
/// column (the only one, or the one called `column`) holds the values. Times may be dates: a run
/// with a known start writes a column of them, which sets the `clock`.
/// Lines without a value are left out, with a warning.
pub fn read(
    path: &Path,
    role: SeriesRole,
    column: Option<&str>,
    clock: &WallClock,
    warnings: &mut Vec<Notice>,
) -> Result<TimeSeries> {
    let key = role.name();
    let table = CsvTable::read(path, key, EXAMPLE)?;
    let header = &table.header;
    let column = value_column(&table, path, role, column)?;
    let time_unit = time_unit_of(&header[0]);
    let per = if counts_steps(&time_unit) { Per::Step } else { Per::Second };
    let whose = format!("{key}: '{}'", path.display());
    let zone = DeclaredZone::of(&header[0]);
    let dated = |text: &str| {
        let when = When::parse(text).map(|when| when.in_declared(&zone)).transpose();
        when.map_err(|error| match error.hint {
            Some(hint) => table.wrong_header(error.what).hint(hint),
            None => table.wrong_header(error.what),
        })
    };
    let is_dated = dated(&table.rows[0].1[0])?.is_some();
    if is_dated && role == SeriesRole::Reference && clock.start().is_none() {
        return Err(Error::input(format!("{whose} has dates, but the start of the series is unknown"))
            .hint("run it with --start, so that its gauges.csv has dates; or count time from the run's start"));
    }
    let unit =
        unit_of(&without_codes(&header[column]), |_| false).replace('³', "3").replace('²', "2");
    let codes = Codes::declared(&table.comments, &header[column]);
    if !is_dated {
        check_origin(&header[0])
            .map_err(|error| table.wrong_header(error.what).hint(error.hint.unwrap_or_default()))?;
    }
    let first = &table.rows[0].1;
    let mut dates = if is_dated { Dates::Times } else { Dates::None };
    // Start of the series on the clock (s).
    let mut start_s = 0.0;
    if is_dated {
        dated(&first[0])?.iter().for_each(|start| clock.begin(start));
    } else if let Some(column) = header.iter().position(|name| name == DATE) {
        // The first line need not be the start.
        let time = parse_time(&first[0], &time_unit, per).unwrap_or_default();
        if let Some(start) = When::parse(&first[column]).and_then(|when| when.later(-time)) {
            clock.begin(&start);
            (dates, start_s) = (Dates::FromStart, clock.seconds(&start, &whose)?);
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    for (line, record) in &table.rows {
        let time = match dated(&record[0])?.filter(|_| is_dated) {
            Some(when) => clock.seconds(&when, &whose).map_err(|error| error.what),
            None if is_dated => Err(format!("'{}' is not a date and time", &record[0])),
            None => parse_time(&record[0], &time_unit, per)
                .map(|time| start_s + time)
                .map_err(|error| error.what),
        };
        let time = time.map_err(|what| {
            let error = table.wrong(*line, what);
            match When::how(&record[0]) {
                Some(how) => error.hint(how),
                None => error,
            }
        })?;
        check_order(&table, *line, &record[0], time, lines.last())?;
        let (value, code) = match codes.classify(&record[column]) {
            missing::Value::Missing => (None, None),
            missing::Value::Code(code) => (Some(code), Some(code)),
            missing::Value::Plain => (Some(table.number(*line, record, column)?), None),
        };
        let (shown, text) = (record[0].to_string(), record[column].to_string());
        lines.push(Line { line: *line, time, shown, text, value, code });
    }
    let of = Of { key, name: &path.display().to_string() };
    lines::leave_out_codes(&mut lines, Spread::About);
    lines::check_most(&lines, of)?;
    warnings.extend(
        table.note().into_iter().chain(lines::left_out(&lines).map(|what| of.notice(what))),
    );
    if role == SeriesRole::Series {
        warnings.extend(gaps(&lines, per, clock).map(|what| of.notice(what)));
    }
    let (times, values) = lines::known(&lines).into_iter().unzip();
    Ok(TimeSeries { name: header[column].into(), unit, per, times, values, dates })
}

/// Returns the index of the column of values: the one called `column`, or the only one.
fn value_column(
    table: &CsvTable,
    path: &Path,
    role: SeriesRole,
    column: Option<&str>,
) -> Result<usize> {
    let header = &table.header;
    let values: Vec<usize> = (1..header.len()).filter(|&at| &header[at] != DATE).collect();
    let column = match (column, &values[..]) {
        (Some(name), _) => table.column(name)?,
        (None, [column]) => *column,
        (None, []) => {
            return Err(table.wrong_header("expected 2 columns, time and a value, but found 1"));
        }
        (None, _) => {
            let (key, flag) = (role.name(), role.column_flag());
            let names: Vec<&str> = values.iter().map(|&at| &header[at]).collect();
            return Err(Error::input(format!(
                "{key}: '{}' has {} columns of values",
                path.display(),
                names.len()
            ))
            .hint(format!("choose one with {flag}: {}", names.join(", "))));
        }
    };
    if column == 0 {
        return Err(table.wrong_header(format!("column '{}' holds the times", &header[0])));
    }
    Ok(column)
}

/// Checks that a time, shown as in the file, is later than that of the line `before`.
fn check_order(
    table: &CsvTable,
    line: u64,
    shown: &str,
    time: f64,
    before: Option<&Line>,
) -> Result<()> {
    match before {
        Some(before) if time <= before.time => {
            let equal = time == before.time;
            let problem = if equal { "appears twice" } else { "comes after a later one" };
            Err(table.wrong(line, format!("time {shown} {problem}")))
        }
        _ => Ok(()),
    }
}

/// Describes the gaps in a series.
fn gaps(lines: &[Line], per: Per, clock: &WallClock) -> Option<String> {
    let show = |time: f64| if per == Per::Step { format!("step {time}") } else { clock.show(time) };
    let length = |length: f64| match per {
        Per::Second => show_duration(length),
        Per::Step => counted(length as usize, "step", "steps"),
    };
    lines::gaps(lines, ValueMeaning::Values(Interpolation::Linear), show, length)
}

impl TimeSeries {
    /// Returns the value at a time within the series, with linear interpolation.
    fn at(&self, time: f64) -> f64 {
        let after = self.times.partition_point(|&known| known < time);
        if self.times[after] == time {
            return self.values[after];
        }
        let (t, v) = (&self.times[after - 1..=after], &self.values[after - 1..=after]);
        v[0] + (v[1] - v[0]) * ((time - t[0]) / (t[1] - t[0]))
    }

    /// Converts the series to the unit of another; `None` if it is in that unit already, or if
    /// either declares none.
    ///
    /// # Errors
    /// If the units are of different quantities.
    fn in_unit_of(&self, other: &TimeSeries) -> Result<Option<TimeSeries>> {
        if self.unit.is_empty() || other.unit.is_empty() || self.unit == other.unit {
            return Ok(None);
        }
        let factor = measures::quantity::ratio(&self.unit, &other.unit).ok_or_else(|| {
            Error::input(format!(
                "the series are not in units of one quantity: '{}' and '{}'",
                self.unit, other.unit
            ))
            .hint("compare a column of the same quantity, or correct the unit in its header")
        })?;
        let values = self.values.iter().map(|value| value * factor).collect();
        Ok(Some(TimeSeries { unit: other.unit.clone(), values, ..self.clone() }))
    }

    fn span(&self) -> (f64, f64) {
        (self.times[0], self.times[self.times.len() - 1])
    }

    /// Returns time and value of the first maximum within a period that the series covers. Values
    /// are interpolated linearly, so the ends of the period count, too.
    fn peak(&self, (from, to): (f64, f64)) -> (f64, f64) {
        let own = self.times.iter().zip(&self.values).map(|(&time, &value)| (time, value));
        let inside = own.filter(|(time, _)| (from..=to).contains(time));
        let (first, last) = ((from, self.at(from)), (to, self.at(to)));
        inside.chain([last]).fold(first, |peak, next| if next.1 > peak.1 { next } else { peak })
    }
}

/// Returns the only quantity that the name of a column contains as a word, if any.
fn quantity_named(column: &str) -> Option<&'static str> {
    const QUANTITIES: [&str; 5] = ["level", "depth", "velocity", "discharge", "volume"];
    let column = column.to_lowercase();
    let words: Vec<&str> = column.split(|c: char| !c.is_alphanumeric()).collect();
    let mut named = QUANTITIES.into_iter().filter(|quantity| words.contains(quantity));
    named.next().filter(|_| named.next().is_none())
}

/// Compares a series with a reference at the reference's times. Warns if only one of them declares
/// its unit, and if their names contain different quantities.
pub fn compare(
    series: &TimeSeries,
    reference: &TimeSeries,
    warnings: &mut Vec<Notice>,
) -> Result<Figures> {
    if series.per != reference.per {
        return Err(Error::input("one series counts time in steps, the other in hours")
            .hint("use one unit for both: a run with --step counts hours"));
    }
    for (key, one, other) in [("series", series, reference), ("with", reference, series)] {
        if one.unit.is_empty() && !other.unit.is_empty() {
            let (name, unit) = (&one.name, &other.unit);
            warnings
                .push(format!("{key}: column '{name}' declares no unit; taken in {unit}").into());
        }
    }
    let named = [series, reference].map(|one| quantity_named(&one.name));
    if let [Some(own), Some(other)] = named
        && own != other
    {
        let (own, other) = (&series.name, &reference.name);
        warnings.push(format!("column '{own}' is compared with '{other}'").into());
    }
    let converted = series.in_unit_of(reference)?;
    let series = converted.as_ref().unwrap_or(series);
    let ((a, b), (c, d)) = (series.span(), reference.span());
    let period = (a.max(c), b.min(d));
    let time_unit = if series.per == Per::Step { "steps" } else { "s" };
    let inside: Vec<usize> = (0..reference.times.len())
        .filter(|&i| (period.0..=period.1).contains(&reference.times[i]))
        .collect();
    if inside.is_empty() {
        return Err(Error::input(format!(
            "the series do not overlap in time: one runs from {a} to {b} {time_unit}, the reference from {c} to {d} {time_unit}"
        ))
        .hint("both must count time from the same start"));
    }
    let (modelled, observed) = (series.peak(period), reference.peak(period));
    let at_times: Vec<f64> = inside.iter().map(|&i| series.at(reference.times[i])).collect();
    let observed_values: Vec<f64> = inside.iter().map(|&i| reference.values[i]).collect();
    let mut differences = Differences::default();
    at_times.iter().zip(&observed_values).for_each(|(m, o)| differences.add(m - o));
    let error = modelled.1 - observed.1;
    Ok(Figures {
        unit: if reference.unit.is_empty() { &series.unit } else { &reference.unit }.clone(),
        time_unit,
        period,
        not_covered: reference.times.len() - inside.len(),
        errors: differences.errors().expect("a time of the reference lies in the period"),
        nse: nse(&at_times, &observed_values),
        kge: kge(&at_times, &observed_values),
        peak: Peak {
            modelled: modelled.1,
            observed: observed.1,
            error,
            relative_error: (observed.1 != 0.0).then(|| error / observed.1),
            modelled_time: modelled.0,
            observed_time: observed.0,
            timing_error: modelled.0 - observed.0,
        },
    })
}
