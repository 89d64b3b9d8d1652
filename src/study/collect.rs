//! Tables and maps of the results of all runs: `runs.csv`, `aggregates/`, `study.json`.

use super::aggregate::{Common, Member, aggregate};
use super::annual;
use super::check::Checked;
use super::distinct;
use super::extents;
use super::maps::Aggregate;
use super::outputs::spare_others;
use super::place::check_inside;
use super::points::{self, OverPoints, damage_of, whose};
use super::publish::publish;
use super::resume::State;
use super::row::{EXTENTS, GRID, MAPS, REPORT, Row, Status, TABLE, VARIANT};
use super::show::{self, Sheets};
use super::{Study, page, table};
use crate::engine::clock::Clock;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::output::colour::{Choice, Scales};
use crate::output::folder::{PAGE, cannot_write};
use crate::output::format::USUAL;
use crate::output::layers::{Layer, MAX_DEPTH};
use crate::output::project::{PROJECT, is_saved_by_qgis};
use crate::output::staging::{Staging, recorded};
use crate::results::report::{GridFacts, VERSION};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

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
    /// Warnings about the results.
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
    let mut rows: Vec<Row> = runs.iter().map(row).collect();
    let mut warnings = left_out(&rows);
    let groups = groups(study, runs, &mut warnings);
    let (mut grids, mut sheets) = (Vec::new(), Vec::new());
    let variants = variants(study);
    let extent_depths = extents::depths(study)?;
    for (number, Group { facts, variant, members }) in groups.iter().enumerate() {
        let (mut place, mut name) = (MAPS.to_string(), String::new());
        if variants.len() > 1 {
            let number = variants.iter().position(|own| own == variant).expect("one of them") + 1;
            place += &format!("/{VARIANT}{number}");
            name = (*variant).to_string();
        }
        if groups.iter().filter(|group| group.variant == *variant).count() > 1 {
            let before = groups[..number].iter().filter(|group| group.variant == *variant);
            let number = before.count() + 1;
            place += &format!("/{GRID}{number}");
            name += &format!("{}grid {number}", if name.is_empty() { "" } else { ", " });
        }
        check_inside(out, Path::new(&place))?;
        let folder = staging.path().join(&place);
        fs::create_dir_all(&folder).map_err(&failed)?;
        let grid = GridFacts::grid(facts);
        let clock = clock_of(&runs[members[0]]);
        let mut scales = Scales::new(Choice::Data, facts.bed_range_m.0, 0.0);
        let mut maps: Vec<Aggregate> = Vec::new();
        // The table needs the depths of all runs, whichever maps are requested.
        let depths =
            (!study.aggregates.iter().any(|l| l.key == MAX_DEPTH.key)).then_some(&MAX_DEPTH);
        for layer in depths.into_iter().chain(study.aggregates.iter().copied()) {
            let having: Vec<usize> =
                members.iter().copied().filter(|run| runs[*run].wrote(layer)).collect();
            if having.is_empty() {
                continue;
            }
            let note = format!("{} of {}", having.len(), runs.len());
            let sheet = Common { grid: &grid, clock: &clock, folder: &folder, note: &note };
            let mut found: Vec<Member> =
                having.iter().map(|run| member(&runs[*run], layer, out)).collect();
            let events = study.runs.iter().filter(|run| run.variant == *variant).count();
            let is_whole = study.has_events() && events == having.len();
            if is_whole {
                let events =
                    annual::events(&having.iter().map(|run| runs[*run].run).collect::<Vec<_>>());
                found.iter_mut().zip(events).for_each(|(member, event)| member.event = Some(event));
            }
            let own = match depths {
                Some(depths) if depths.key == layer.key => Vec::new(),
                _ if study.has_events() => Aggregate::annual(layer, &study.depths, is_whole),
                _ => Aggregate::all(layer, &study.depths, &study.percentiles),
            };
            if study.has_events() && !is_whole && layer.key == MAX_DEPTH.key && !own.is_empty() {
                warnings.push(format!(
                    "there are no maps of annual exceedance probabilities{}: {} of its {events} runs are done on this grid",
                    whose(variant), having.len()
                ));
            }
            let extents = aggregate(&found, &sheet, &own, &study.depths, &mut scales)?;
            if layer.key == MAX_DEPTH.key {
                for (run, extent) in having.iter().zip(extents) {
                    let (row, area) = (&mut rows[*run], grid.cell_area());
                    row.max_depth_m = Some(extent.max_depth);
                    row.wet_area_m2 = Some(extent.wet as f64 * area);
                    let above = extent.above.iter().map(|cells| *cells as f64 * area);
                    row.areas_above_m2 = Some(above.collect());
                }
            }
            maps.extend(own);
        }
        let mut of_grid = Sheets {
            place,
            name,
            grid,
            bed_range: facts.bed_range_m,
            clock,
            scales,
            maps,
            extents: extent_depths.clone(),
            runs: members.iter().map(|run| &runs[*run]).collect(),
        };
        let mut files = Vec::new();
        for map in &of_grid.maps {
            let style = format!("{}/{}.qml", of_grid.place, map.stem());
            let path = staging.path().join(&style);
            fs::write(path, of_grid.ramp(map).to_qml()).map_err(&failed)?;
            files.extend([of_grid.file(map), style]);
        }
        if !extent_depths.is_empty() {
            let file = format!("{}/{EXTENTS}", of_grid.place);
            let written = extents::write(&of_grid, &extent_depths, out, staging.path())?;
            match written {
                Ok(()) => files.push(file),
                Err(why) => {
                    of_grid.extents.clear();
                    warnings.push(format!(
                        "{file} could not be written, but all other results are complete: {why}"
                    ));
                }
            }
        }
        grids.push(OnGrid {
            columns: facts.columns,
            rows: facts.rows,
            dx_m: facts.dx_m,
            dy_m: facts.dy_m,
            transform: facts.transform,
            crs: facts.crs.clone(),
            runs: members.iter().map(|run| runs[*run].run.name.clone()).collect(),
            files,
        });
        sheets.push(of_grid);
    }
    let points = points::collect(study, runs, staging.path(), &mut warnings)?;
    table::write(&staging.path().join(TABLE), study, &rows)?;
    let mut shown = vec![PAGE];
    let done = rows.iter().filter(|row| row.status == Status::Done).count();
    if is_saved_by_qgis(&out.join(PROJECT)) {
        warnings.push(format!(
            "'{}' was saved in QGIS and is kept: to get a new project, save it under another name and remove this one",
            out.join(PROJECT).display()
        ));
    } else {
        fs::write(staging.path().join(PROJECT), show::project(study, &sheets, done)?)
            .map_err(&failed)?;
        shown.push(PROJECT);
    }
    let page = page::html(study, staging.path(), &sheets, &rows, &points, &warnings)?;
    fs::write(staging.path().join(PAGE), page).map_err(&failed)?;
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
        warnings,
    };
    let text = serde_json::to_string_pretty(&collected)
        .map_err(|error| Error::run(format!("cannot write {REPORT}")).because(error))?;
    fs::write(staging.path().join(REPORT), text).map_err(&failed)?;
    let maps: Vec<&String> = collected.grids.iter().flat_map(|grid| &grid.files).collect();
    collected.outputs.iter().for_each(|name| staging.record(name));
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    publish(out, staging.path(), &maps, &beside, &failed)?;
    Ok(collected)
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

/// Finished runs with common maps: those on the same grid, and of the same variant if they are
/// events with return periods.
struct Group<'a> {
    facts: &'a GridFacts,
    /// Variant of the runs; empty for runs without return periods.
    variant: &'a str,
    /// The runs, in ascending order of their return periods.
    members: Vec<usize>,
}

/// Groups the finished runs, in order of first appearance.
fn groups<'a>(study: &Study, runs: &'a [Checked], warnings: &mut Vec<String>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, checked) in runs.iter().enumerate() {
        let Some(past) = checked.state.past() else { continue };
        for layer in study.aggregates.iter().filter(|layer| !checked.wrote(layer)) {
            let (name, file) = (&checked.run.name, USUAL.file(layer.key));
            warnings
                .push(format!("run '{name}' wrote no {file}, so its maps do not include the run"));
        }
        let facts = past.map_grid();
        let variant = if study.has_events() { &checked.run.variant[..] } else { "" };
        let is_its_own =
            |group: &&mut Group| group.variant == variant && same_place(group.facts, facts);
        match groups.iter_mut().find(is_its_own) {
            Some(group) => group.members.push(number),
            None => groups.push(Group { facts, variant, members: vec![number] }),
        }
    }
    let years = |run: &usize| runs[*run].run.return_period.unwrap_or(0.0);
    groups.iter_mut().for_each(|group| {
        group.members.sort_by(|a, b| years(a).total_cmp(&years(b)));
    });
    let variants = distinct(groups.iter().map(|group| group.variant.to_string()));
    if groups.len() > variants.len() {
        let first = |group: &Group| runs[group.members[0]].run.name.clone();
        warnings.push(format!(
            "the runs have different grids ('{}' and '{}' differ), so there are separate maps for each, in {MAPS}/grid-1 and so on",
            first(&groups[0]),
            first(&groups[1])
        ));
    }
    groups
}

/// Returns the variants of a study of events, in the order of the runs; a single empty one of other
/// studies.
fn variants(study: &Study) -> Vec<String> {
    match study.has_events() {
        true => distinct(study.runs.iter().map(|run| run.variant.clone())),
        false => vec![String::new()],
    }
}

fn same_place(a: &GridFacts, b: &GridFacts) -> bool {
    (a.columns, a.rows, a.transform, &a.crs) == (b.columns, b.rows, b.transform, &b.crs)
}

/// Returns a clock with the units of a finished run: time or steps.
fn clock_of(checked: &Checked) -> Clock {
    match checked.state.past().and_then(|past| past.simulated_s) {
        Some(end) => Clock::adaptive(end, 1.0, 1.0),
        None => Clock::steps(1),
    }
}

fn member(checked: &Checked, layer: &Layer, out: &Path) -> Member {
    let path: PathBuf = out.join(checked.run.folder()).join(USUAL.file(layer.key));
    let (name, weight) = (checked.run.name.clone(), checked.run.weight);
    Member { name, path, weight, event: None }
}
