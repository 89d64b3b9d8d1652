//! Tables and maps of the results of all runs: `runs.csv`, `aggregates/`, `study.json`.

use super::check::Checked;
use super::extents;
use super::groups::{Group, GroupWriter, groups};
use super::outputs::spare_others;
use super::page::{self, PageData};
use super::points::{self, OverPoints, damage_of, whose};
use super::publish::publish;
use super::resume::State;
use super::row::{REPORT, Row, Status, TABLE};
use super::show;
use super::warnings::{merged, of_runs};
use super::{Study, annual, distinct, table};
use crate::error::Result;
use crate::input::file::InputFile;
use crate::output::folder::{PAGE, cannot_write, json_text};
use crate::output::project::{PROJECT, is_saved_by_qgis};
use crate::output::staging::{Staging, recorded};
use crate::results::report::VERSION;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Content of `study.json`.
#[derive(Debug, Serialize)]
pub struct Collected {
    version: &'static str,
    command: Vec<String>,
    /// The study file and the base scenario, with their checksums.
    inputs: Vec<InputFile>,
    /// Depths above which a cell counts as flooded (m).
    depths_m: Vec<f64>,
    percentiles: Vec<f64>,
    /// Keys of the mapped layers.
    aggregates: Vec<&'static str>,
    /// All runs, in study order.
    pub runs: Vec<Row>,
    /// Grids of the runs, with the maps over the runs on each.
    pub grids: Vec<OnGrid>,
    /// Results at the runs' points, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<OverPoints>,
    /// Defaults assumed for the runs because nothing declares the value.
    assumed: Vec<String>,
    /// Warnings about the study file, the runs and the results.
    pub warnings: Vec<String>,
    /// Every file, relative to the study's folder.
    pub outputs: Vec<String>,
}

/// Runs on the same grid.
#[derive(Debug, Serialize)]
pub struct OnGrid {
    /// The grid.
    columns: usize,
    rows: usize,
    dx_m: f64,
    dy_m: f64,
    transform: [f64; 6],
    crs: Option<String>,
    /// Names of the runs.
    pub runs: Vec<String>,
    /// Files, relative to the study's folder.
    pub files: Vec<String>,
}

/// Reads the results of all finished runs and writes tables and maps, all of them or none.
pub fn collect(study: &Study, runs: &[Checked], command: Vec<String>) -> Result<Collected> {
    let out = &study.out;
    let failed = cannot_write::<std::io::Error>(format!("in '{}'", out.display()));
    fs::create_dir_all(out).map_err(&failed)?;
    spare_others(study)?;
    let staging = Staging::new(out, recorded(out)).map_err(&failed)?;
    let rows: Vec<Row> = runs.iter().map(row).collect();
    let mut warnings = [&study.warnings[..], &left_out(&rows), &of_runs(runs)].concat();
    let assumed = merged(runs, |checked| &checked.assumed);
    let groups = groups(study, runs, &mut warnings);
    let (mut grids, mut sheets) = (Vec::new(), Vec::new());
    let mut writer = GroupWriter {
        study,
        runs,
        staging: staging.path(),
        extent_depths: extents::depths(study)?,
        rows,
        warnings,
    };
    for number in 0..groups.len() {
        let (of_group, files) = writer.write(&groups, number)?;
        grids.push(on_grid(&groups[number], runs, files));
        sheets.push(of_group);
    }
    let GroupWriter { rows, mut warnings, .. } = writer;
    warnings.extend(smaller_floods(study, runs, &rows));
    let points = points::collect(study, runs, staging.path(), &mut warnings)?;
    table::write(&staging.path().join(TABLE), study, &rows)?;
    let page = PageData { sheets: &sheets, rows: &rows, points: &points, assumed: &assumed };
    let shown = write_project_and_page(study, staging.path(), &page, &mut warnings)?;
    let mut inputs = vec![InputFile::new("study", &study.file)?];
    if let Some(base) = &study.base {
        inputs.push(InputFile::new("base", base)?);
    }
    let maps = grids.iter().flat_map(|grid| grid.files.clone());
    let tables = shown.iter().map(|name| name.to_string()).chain(points.files.clone());
    let beside: Vec<String> = tables.chain([TABLE, REPORT].map(String::from)).collect();
    let collected = Collected {
        outputs: maps.chain(beside.iter().cloned()).collect(),
        version: VERSION,
        command,
        inputs,
        depths_m: study.depths.clone(),
        percentiles: study.percentiles.clone(),
        aggregates: study.aggregates.iter().map(|layer| layer.key).collect(),
        runs: rows,
        grids,
        points: Some(points).filter(|points| !points.files.is_empty()),
        assumed,
        warnings,
    };
    fs::write(staging.path().join(REPORT), json_text(&collected, REPORT)?).map_err(&failed)?;
    let maps: Vec<&String> = collected.grids.iter().flat_map(|grid| &grid.files).collect();
    collected.outputs.iter().for_each(|name| staging.record(name));
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    publish(out, staging.path(), &maps, &beside, &failed)?;
    Ok(collected)
}

/// Writes the QGIS project, unless the user saved it, and the page. Returns their names.
fn write_project_and_page(
    study: &Study,
    staging: &Path,
    page: &PageData,
    warnings: &mut Vec<String>,
) -> Result<Vec<&'static str>> {
    let failed = cannot_write::<std::io::Error>(format!("in '{}'", study.out.display()));
    let mut shown = vec![PAGE];
    let project = study.out.join(PROJECT);
    if is_saved_by_qgis(&project) {
        warnings.push(format!(
            "'{}' was saved in QGIS and is kept: to get a new project, save it under another name and remove this one",
            project.display()
        ));
    } else {
        let done = page.rows.iter().filter(|row| row.status == Status::Done).count();
        let project = show::project(study, page.sheets, done)?;
        fs::write(staging.join(PROJECT), project).map_err(&failed)?;
        shown.push(PROJECT);
    }
    let html = page::html(study, staging, page, warnings)?;
    fs::write(staging.join(PAGE), html).map_err(&failed)?;
    Ok(shown)
}

fn on_grid(group: &Group, runs: &[Checked], files: Vec<String>) -> OnGrid {
    let facts = group.facts;
    OnGrid {
        columns: facts.columns,
        rows: facts.rows,
        dx_m: facts.dx_m,
        dy_m: facts.dy_m,
        transform: facts.transform,
        crs: facts.crs.clone(),
        runs: group.members.iter().map(|run| runs[*run].run.name.clone()).collect(),
        files,
    }
}

fn row(checked: &Checked) -> Row {
    let past = checked.state.past();
    let error = match &checked.state {
        State::Failed(error) => Some(error.clone()),
        _ => None,
    };
    Row {
        run: checked.run.index,
        name: checked.run.name.clone(),
        weight: checked.run.weight,
        return_period: checked.run.return_period,
        varied: checked.run.varied.clone(),
        status: checked.state.status(),
        verdict: past.and_then(|past| past.verdict()).map(String::from),
        warnings: checked.warnings().to_vec(),
        error,
        folder: checked.run.folder().to_string_lossy().into_owned(),
        ran_on: past.map(|past| past.device.clone()),
        wall_s: past.map(|past| past.wall_s),
        steps_taken: past.map(|past| past.steps),
        simulated_s: past.and_then(|past| past.simulated_s),
        volume: past.map(|past| past.volume.clone()),
        max_depth_m: None,
        wet_area_m2: None,
        areas_above_m2: None,
        damage: damage_of(checked).and_then(|damage| damage.total),
    }
}

/// Returns warnings about events that flood less than a more frequent event, one per variant.
fn smaller_floods(study: &Study, runs: &[Checked], rows: &[Row]) -> Vec<String> {
    let runs = || runs.iter().map(|checked| checked.run).zip(rows);
    let of_variant = |variant: &str| {
        let less = |what: &str, value: &dyn Fn(&Row) -> Option<f64>| {
            let of = runs().filter(|(run, _)| run.variant == variant);
            let means = annual::means(of.filter_map(|(run, row)| Some((run, value(row)?))));
            let pair = means.windows(2).find(|pair| pair[1].1 < pair[0].1)?;
            let event = |years: f64| {
                let of = runs().filter(|(run, _)| run.variant == variant);
                let of = of.filter(|(run, _)| run.return_period == Some(years));
                let names: Vec<String> = of.map(|(run, _)| format!("'{}'", run.name)).collect();
                format!("{years} years ({})", names.join(", "))
            };
            Some(format!(
                "{what}{} of the return period {} is less than that of {}; check the return periods of these runs",
                whose(variant),
                event(pair[1].0),
                event(pair[0].0)
            ))
        };
        let mut areas = study.depths.iter().enumerate().filter_map(|(at, depth)| {
            less(&format!("the area deeper than {depth} m"), &|row| {
                row.areas_above_m2.as_ref().map(|areas| areas[at])
            })
        });
        let depth = || less("the greatest depth", &|row| row.max_depth_m.map(f64::from));
        areas.next().or_else(depth)
    };
    distinct(runs().map(|(run, _)| &run.variant[..])).into_iter().filter_map(of_variant).collect()
}

/// Returns warnings about runs that are missing from the tables.
fn left_out(rows: &[Row]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (status, what) in [
        (Status::Failed, "failed"),
        (Status::Changed, "have results from another scenario, other inputs or another version"),
        (Status::Missing, "have no results yet"),
    ] {
        let names: Vec<&str> =
            rows.iter().filter(|row| row.status == status).map(|row| &row.name[..]).collect();
        if !names.is_empty() {
            warnings.push(format!(
                "{} of {} runs {what}, so maps and probabilities cover only the others: {}",
                names.len(),
                rows.len(),
                names.join(", ")
            ));
        }
    }
    warnings
}
