//! `points.csv` and `expected_damage.csv`: results of all runs at their points. Tables are read
//! line by line, so that only the numbers of one are in memory, however many runs there are.

use super::annual;
use super::check::Checked;
use super::row::{EXPECTED, POINTS};
use super::{Study, StudyRun, distinct};
use crate::error::{Error, Result};
use crate::output::folder::{POINTS_TABLE, cannot_write};
use crate::output::points::{DAMAGE, DamageReport, FID, PointsReport};
use crate::words::cell;
use csv::{ByteRecord, Reader, Writer};
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// Results of the runs at their points.
#[derive(Debug, Default, Serialize)]
pub struct OverPoints {
    /// Files, relative to the study's folder.
    pub files: Vec<String>,
    /// Expected annual damage of each variant of runs with return periods.
    pub expected_annual_damage: Vec<Expected>,
}

/// Expected annual damage of a variant.
#[derive(Debug, Serialize)]
pub struct Expected {
    /// Name of the variant: values without a weight that its runs share; empty if there are none.
    pub variant: String,
    /// Number of features with a damage.
    pub features: usize,
    /// Sum over all features.
    pub total: f64,
    /// Return period (years) and mean damage of each event, the most frequent first.
    pub events: Vec<(f64, f64)>,
}

/// Returns the point results of a finished run.
fn points_of<'a>(checked: &'a Checked) -> Option<&'a PointsReport> {
    checked.state.past()?.points.as_ref()
}

/// Returns the damage of a finished run.
pub fn damage_of<'a>(checked: &'a Checked) -> Option<&'a DamageReport> {
    points_of(checked)?.damage.as_ref()
}

/// The opened point table of a run. Of columns with the same name the last one counts, because the
/// run's own columns come last.
struct Lines {
    reader: Reader<File>,
    path: String,
    header: csv::StringRecord,
}

impl Lines {
    fn open(study: &Study, run: &StudyRun) -> Result<Lines> {
        let path = study.out.join(run.folder()).join(POINTS_TABLE);
        let path = path.display().to_string();
        let broken = |error: csv::Error| unreadable(&path, error);
        let mut reader = Reader::from_path(&path).map_err(broken)?;
        let header = reader.headers().map_err(broken)?.clone();
        Ok(Lines { reader, path, header })
    }

    fn column(&self, name: &str) -> Option<usize> {
        (0..self.header.len()).rev().find(|at| &self.header[*at] == name)
    }

    /// Calls `see` with each line.
    fn each(mut self, mut see: impl FnMut(&ByteRecord) -> Result<()>) -> Result<()> {
        let mut record = ByteRecord::new();
        while self.reader.read_byte_record(&mut record).map_err(|e| unreadable(&self.path, e))? {
            see(&record)?;
        }
        Ok(())
    }
}

fn unreadable(path: &str, error: csv::Error) -> Error {
    Error::run(format!("'{path}' cannot be read"))
        .because(error)
        .hint("remove that file and run the study again: only its run is computed anew")
}

/// Writes the tables to a folder, and adds warnings about them.
pub fn collect(
    study: &Study,
    runs: &[Checked],
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<OverPoints> {
    let mut over = OverPoints::default();
    if runs.iter().all(|run| points_of(run).is_none()) {
        return Ok(over);
    }
    long_table(study, runs, &folder.join(POINTS))?;
    over.files.push(POINTS.into());
    let has_damage = runs.iter().any(|run| damage_of(run).is_some_and(|d| d.total.is_some()));
    if has_damage && study.has_events() {
        over.expected_annual_damage = expected(study, runs, &folder.join(EXPECTED), warnings)?;
        over.files.push(EXPECTED.into());
    }
    Ok(over)
}

/// Writes a line for each point of each run.
fn long_table(study: &Study, runs: &[Checked], path: &Path) -> Result<()> {
    let failed = cannot_write::<csv::Error>(POINTS);
    let columns = runs.iter().filter_map(points_of).flat_map(|points| &points.columns);
    let columns: Vec<&str> = distinct(columns.map(String::as_str));
    let events = runs.iter().any(|run| run.run.return_period.is_some());
    let mut writer = Writer::from_path(path).map_err(&failed)?;
    let period = events.then_some("return_period");
    let head = ["run", "name", "weight"].into_iter().chain(period).chain([FID]);
    writer.write_record(head.chain(columns.iter().copied())).map_err(&failed)?;
    for run in runs.iter().filter(|run| points_of(run).is_some()).map(|checked| checked.run) {
        let lines = Lines::open(study, run)?;
        let places: Vec<Option<usize>> = columns.iter().map(|name| lines.column(name)).collect();
        let period = events.then(|| run.return_period.map_or(String::new(), |t| t.to_string()));
        let name = cell(&run.name).into_owned();
        let of_run = [run.index.to_string(), name, run.weight.to_string()];
        let of_run: Vec<String> = of_run.into_iter().chain(period).collect();
        lines.each(|record| {
            let of_run = of_run.iter().map(String::as_bytes);
            let values = places.iter().map(|at| at.map_or(&b""[..], |at| &record[at]));
            let line = of_run.chain([&record[0]]).chain(values);
            writer.write_record(line).map_err(&failed)
        })?;
    }
    writer.flush().map_err(|error| failed(error.into()))
}

/// Names the variant of a result, for messages.
pub fn whose(variant: &str) -> String {
    if variant.is_empty() { String::new() } else { format!(" of '{variant}'") }
}

/// Writes a line for each point of each variant.
fn expected(
    study: &Study,
    runs: &[Checked],
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<Expected>> {
    let failed = cannot_write::<csv::Error>(EXPECTED);
    let mut writer = Writer::from_path(path).map_err(&failed)?;
    writer.write_record(["variant", FID, "expected_annual_damage"]).map_err(&failed)?;
    let mut all = Vec::new();
    for variant in distinct(runs.iter().map(|checked| &checked.run.variant[..])) {
        let of: Vec<&Checked> = runs.iter().filter(|run| run.run.variant == variant).collect();
        let whose = whose(variant);
        let totals: Vec<f64> = of.iter().filter_map(|run| damage_of(run)?.total).collect();
        if totals.len() < of.len() {
            let lacks = of.iter().find(|run| damage_of(run).is_none_or(|d| d.total.is_none()));
            let name = lacks.map_or("", |run| &run.run.name);
            warnings.push(format!(
                "there is no expected annual damage{whose}: run '{name}' has no damage"
            ));
            continue;
        }
        let Some((fids, damage)) = sum(study, &of)? else {
            warnings.push(format!(
                "there is no expected annual damage{whose}: the runs have different points"
            ));
            continue;
        };
        for (fid, damage) in fids.iter().zip(&damage) {
            let damage = if damage.is_nan() { String::new() } else { damage.to_string() };
            writer
                .write_record([&cell(variant), &fid.to_string()[..], &damage])
                .map_err(&failed)?;
        }
        let known = || damage.iter().filter(|damage| !damage.is_nan());
        let events = annual::means(of.iter().map(|run| run.run).zip(totals));
        warnings.extend(tails(&events, &whose));
        let (features, total) = (known().count(), known().sum());
        all.push(Expected { variant: variant.into(), features, total, events });
    }
    writer.flush().map_err(|error| failed(error.into()))?;
    Ok(all)
}

/// Returns the points of some runs and the expected annual damage of each, NaN where a run's damage
/// is unknown; `None` if the runs have different points.
fn sum(study: &Study, runs: &[&Checked]) -> Result<Option<(Vec<u64>, Vec<f64>)>> {
    let events = annual::events(&runs.iter().map(|checked| checked.run).collect::<Vec<_>>());
    let (mut fids, mut sums): (Vec<u64>, Vec<f64>) = (Vec::new(), Vec::new());
    for (number, (checked, event)) in runs.iter().zip(events).enumerate() {
        let lines = Lines::open(study, checked.run)?;
        let damage = lines.column(DAMAGE);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (mut at, mut same) = (0, true);
        lines.each(|record| {
            let fid = text(&record[0]).parse::<u64>().unwrap_or(u64::MAX);
            let much = damage.and_then(|damage| text(&record[damage]).parse::<f64>().ok());
            let much = event.annual * much.unwrap_or(f64::NAN);
            match (number, fids.get(at)) {
                (0, _) => {
                    fids.push(fid);
                    sums.push(much);
                }
                (_, Some(known)) if *known == fid => sums[at] += much,
                _ => same = false,
            }
            at += 1;
            Ok(())
        })?;
        if !same || at != fids.len() {
            return Ok(None);
        }
    }
    Ok(Some((fids, sums)))
}

/// Returns warnings about the tails of the integral over the events.
fn tails(events: &[(f64, f64)], whose: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let (period, damage) = events[0];
    if damage > 0.0 && period > 1.0 {
        warnings.push(format!(
            "the expected annual damage{whose} is too low: events more frequent than once in {period} years count without damage, though that one has some; add runs of shorter return periods, down to one without damage"
        ));
    }
    if let Some(pair) = events.windows(2).find(|pair| pair[1].1 < pair[0].1) {
        warnings.push(format!(
            "the damage{whose} of the return period {} years is less than that of {} years",
            pair[1].0, pair[0].0
        ));
    }
    warnings
}
