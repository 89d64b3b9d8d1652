//! Extents of the runs of a study, and of the maps of the maximum depth over them, as polygons.

use super::Study;
use super::aggregate::coarsest;
use super::resume::PastRun;
use super::row::{EXTENTS, EXTENTS_OF_MAPS, EXTENTS_OF_RUNS, MAP, RUN};
use super::show::Sheets;
use crate::error::Result;
use crate::output::extents::{ExtentMap, ExtentTable, write as write_tables};
use crate::output::features::{Fact, WriteOutcome};
use crate::output::format::USUAL;
use crate::output::layers::MAX_DEPTH;
use crate::scenario::map_options;
use std::path::Path;

/// Returns the depths of the extents of all runs (m), ascending; none if no run has extents.
///
/// # Errors
/// If a depth is invalid.
pub fn depths(study: &Study) -> Result<Vec<f64>> {
    let mut depths = Vec::new();
    for run in &study.runs {
        depths.extend(map_options::extent_depths(&run.options, true)?);
    }
    depths.sort_by(f64::total_cmp);
    depths.dedup();
    Ok(depths)
}

/// Writes the extents above each depth (m) of the runs on a grid, whose results are in `out`, and
/// of the maps over them, which are in `staging`. Returns `true` if the file could be written.
///
/// # Errors
/// If the disk is full.
pub fn write(sheets: &Sheets, depths: &[f64], out: &Path, staging: &Path) -> Result<WriteOutcome> {
    let runs = sheets.runs.iter().filter(|checked| checked.wrote(&MAX_DEPTH)).map(|checked| {
        let run = checked.run;
        let period = run.return_period.map(|years| Fact::Number(Some(years)));
        ExtentMap {
            path: out.join(run.folder()).join(USUAL.file(MAX_DEPTH.key)),
            about: format!(", {}", run.name),
            time: None,
            facts: [Fact::Text(run.name.clone())].into_iter().chain(period).collect(),
            rounding: checked.state.past().expect("the run is done").rounding(),
        }
    });
    let has_events = sheets.runs.iter().any(|checked| checked.run.return_period.is_some());
    let runs = ExtentTable {
        name: EXTENTS_OF_RUNS,
        fields: [RUN].into_iter().chain(has_events.then_some("return_period")).collect(),
        maps: runs.collect(),
    };
    let done = sheets.runs.iter().filter_map(|checked| checked.state.past());
    let rounding = coarsest(done.map(PastRun::rounding));
    let maps = sheets.depths().map(|map| ExtentMap {
        path: staging.join(sheets.file(map)),
        about: format!(", {} of the runs", map.choice()),
        time: None,
        facts: vec![Fact::Text(map.stem())],
        rounding,
    });
    let maps = ExtentTable { name: EXTENTS_OF_MAPS, fields: vec![MAP], maps: maps.collect() };
    let mut tables = vec![runs, maps];
    tables.retain(|table| !table.maps.is_empty());
    let path = staging.join(&sheets.place).join(EXTENTS);
    Ok(write_tables(&path, &sheets.grid, depths, &tables)?.1)
}
