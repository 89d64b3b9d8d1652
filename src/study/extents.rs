//! Extents of the runs of a study, and of the maps of the maximum depth over them, as polygons.

use super::Study;
use super::maps::{Aggregate, Tells};
use super::row::EXTENTS;
use super::show::Sheets;
use crate::error::Result;
use crate::output::extents::{ABOVE, ExtentMap, ExtentTable, write as write_tables};
use crate::output::features::{Fact, Written};
use crate::output::format::USUAL;
use crate::output::layers::MAX_DEPTH;
use crate::output::project::MapLayer;
use crate::results::project;
use crate::scenario::maps;
use std::path::Path;

/// Table of the extents of the runs.
const OF_RUNS: &str = "runs";
/// Table of the extents of the maps over the runs.
const OF_MAPS: &str = "aggregates";
/// Field of the run, and of the map, of an extent.
const RUN: &str = "run";
const MAP: &str = "map";

/// Returns the depths of the extents of all runs (m), ascending; none if no run has extents.
///
/// # Errors
/// If a depth is invalid.
pub fn depths(study: &Study) -> Result<Vec<f64>> {
    let mut depths = Vec::new();
    for run in &study.runs {
        depths.extend(maps::extent_depths(&run.options, true)?);
    }
    depths.sort_by(f64::total_cmp);
    depths.dedup();
    Ok(depths)
}

/// Returns the maps of depths over the runs.
fn of_depths<'a>(sheets: &'a Sheets<'_>) -> impl Iterator<Item = &'a Aggregate> {
    let is_depth = |map: &&Aggregate| {
        let is_value = !matches!(
            map.tells,
            Tells::Probability(_) | Tells::AnnualProbability(_) | Tells::ReturnPeriod(_)
        );
        is_value && map.layer.key == MAX_DEPTH.key
    };
    sheets.maps.iter().filter(is_depth)
}

/// Writes the extents above each depth (m) of the runs on a grid, whose results are in `out`, and
/// of the maps over them, which are in `staging`. Returns whether the file could be written.
///
/// # Errors
/// If the disk is full.
pub fn write(sheets: &Sheets, depths: &[f64], out: &Path, staging: &Path) -> Result<Written> {
    let runs = sheets.runs.iter().filter(|checked| checked.wrote(&MAX_DEPTH)).map(|checked| {
        let run = checked.run;
        let period = run.return_period.map(|years| Fact::Number(Some(years)));
        ExtentMap {
            path: out.join(run.folder()).join(USUAL.file(MAX_DEPTH.key)),
            about: format!(", {}", run.name),
            time: None,
            facts: [Fact::Text(run.name.clone())].into_iter().chain(period).collect(),
        }
    });
    let has_events = sheets.runs.iter().any(|checked| checked.run.return_period.is_some());
    let runs = ExtentTable {
        name: OF_RUNS,
        fields: [RUN].into_iter().chain(has_events.then_some("return_period")).collect(),
        maps: runs.collect(),
    };
    let maps = of_depths(sheets).map(|map| ExtentMap {
        path: staging.join(sheets.file(map)),
        about: format!(", {} of the runs", map.choice()),
        time: None,
        facts: vec![Fact::Text(map.stem())],
    });
    let maps = ExtentTable { name: OF_MAPS, fields: vec![MAP], maps: maps.collect() };
    let mut tables = vec![runs, maps];
    tables.retain(|table| !table.maps.is_empty());
    let path = staging.join(&sheets.place).join(EXTENTS);
    Ok(write_tables(&path, &sheets.grid, depths, &tables)?.1)
}

/// Returns the layers of the extents of a grid, unticked: of all runs, and of each map over them.
/// `behind` ends their names, `number` distinguishes their ids from those of other grids.
pub fn layers(sheets: &Sheets, behind: &str, number: usize) -> Vec<MapLayer> {
    let file = format!("{}/{EXTENTS}", sheets.place);
    let mut layers = Vec::new();
    for (at, depth) in sheets.extents.iter().enumerate() {
        let condition = format!("\"{ABOVE}\" = {depth}");
        let mut add = |table: &str, what: &str, condition: &str| {
            let name = format!("Deeper than {depth} m, {what}{behind}");
            let id = format!("extent_{number}_{}", layers.len() + 1);
            let layer = project::outlines(&id, name, (&file, table), condition, at);
            layers.push(MapLayer { shown: false, ..layer });
        };
        add(OF_RUNS, "each run", &condition);
        for map in of_depths(sheets) {
            let of_map = format!("{condition} AND \"{MAP}\" = '{}'", map.stem());
            add(OF_MAPS, &format!("{} of the runs", map.choice()), &of_map);
        }
    }
    layers
}
