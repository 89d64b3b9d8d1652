//! Tables and maps of what came of all runs: `runs.csv`, `aggregates/`, `study.json`.

use super::aggregate::{Extent, Member, aggregate};
use super::check::Checked;
use super::maps::Map;
use super::resume::State;
use super::{Study, table};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::layers::MAX_DEPTH;
use crate::output::report::{GridFacts, InputFile, VERSION};
use serde::{Serialize, Serializer};
use std::fs;
use std::path::{Path, PathBuf};

/// The table of runs.
pub const TABLE: &str = "runs.csv";
/// The report of a study; it is moved into place last.
pub const REPORT: &str = "study.json";
/// The folder of the maps over runs.
pub const MAPS: &str = "aggregates";

/// What `study.json` holds.
#[derive(Debug, Serialize)]
pub struct Collected {
    version: &'static str,
    command: Vec<String>,
    /// The study file and the base scenario, with their checksums.
    inputs: Vec<InputFile>,
    /// Depths above which a cell is flooded (m).
    depths_m: Vec<f64>,
    percentiles: Vec<f64>,
    /// Every run, in the order of the study.
    pub runs: Vec<Row>,
    /// Every grid that runs lie on, with the maps over these runs.
    pub grids: Vec<OnGrid>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A run in `study.json` and `runs.csv`.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its number.
    pub run: usize,
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// What it sets.
    pub varied: toml::Table,
    /// `done`, `failed`, `changed` or `missing`.
    pub status: &'static str,
    /// Why it failed.
    pub error: Option<String>,
    /// Its folder, relative to the study's.
    pub folder: String,
    /// What it ran on.
    pub ran_on: Option<String>,
    /// Time of the whole run (s).
    pub wall_s: Option<f64>,
    /// Steps taken.
    pub steps_taken: Option<u64>,
    /// Simulated time (s).
    pub simulated_s: Option<f64>,
    /// The ledger (m³).
    #[serde(serialize_with = "as_map")]
    pub volume: Option<Vec<(String, f64)>>,
    /// Greatest depth of any cell and step (m).
    pub max_depth_m: Option<f32>,
    /// Area of the cells that ever held water (m²).
    pub wet_area_m2: Option<f64>,
    /// Area of the cells that were ever deeper than each depth (m²).
    pub areas_above_m2: Option<Vec<f64>>,
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

fn as_map<S: Serializer>(
    volume: &Option<Vec<(String, f64)>>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    match volume {
        Some(lines) => to.collect_map(lines.iter().map(|(name, volume)| (name, volume))),
        None => to.serialize_none(),
    }
}

/// Reads the results of every run that is done and writes tables and maps, all of them or none.
pub fn collect(study: &Study, runs: &[Checked], command: Vec<String>) -> Result<Collected> {
    let out = &study.out;
    let failed = |error: std::io::Error| {
        Error::run(format!("cannot write in '{}': {error}", out.display()))
            .hint("is the disk full?")
    };
    fs::create_dir_all(out).map_err(failed)?;
    let staging = tempfile::Builder::new().prefix(".inundate-").tempdir_in(out).map_err(failed)?;
    let mut rows: Vec<Row> = runs.iter().map(row).collect();
    let mut warnings = left_out(&rows);
    let groups = by_grid(runs, &mut warnings);
    let mut grids = Vec::new();
    for (number, (facts, members)) in groups.iter().enumerate() {
        let place =
            if groups.len() == 1 { MAPS.into() } else { format!("{MAPS}/grid-{}", number + 1) };
        let folder = staging.path().join(&place);
        fs::create_dir_all(&folder).map_err(failed)?;
        let grid = grid_of(facts);
        let maps = Map::all(&study.depths, &study.percentiles);
        let found: Vec<Member> = members.iter().map(|i| member(&runs[*i], out)).collect();
        let note = format!("{} of {}", members.len(), runs.len());
        let (extents, files) = aggregate(&found, &grid, &maps, &study.depths, &folder, &note)?;
        for (run, extent) in members.iter().zip(extents) {
            rows[*run].tell(&extent, grid.cell_area());
        }
        grids.push(OnGrid {
            columns: facts.columns,
            rows: facts.rows,
            dx_m: facts.dx_m,
            dy_m: facts.dy_m,
            transform: facts.transform,
            crs: facts.crs.clone(),
            runs: found.into_iter().map(|member| member.name).collect(),
            files: files.iter().map(|file| format!("{place}/{file}")).collect(),
        });
    }
    table::write(&staging.path().join(TABLE), study, &rows)?;
    let mut inputs = vec![InputFile::new("study", &study.file)?];
    if let Some(base) = &study.base {
        inputs.push(InputFile::new("base", base)?);
    }
    let collected = Collected {
        version: VERSION,
        command,
        inputs,
        depths_m: study.depths.clone(),
        percentiles: study.percentiles.clone(),
        runs: rows,
        grids,
        warnings,
    };
    let text = serde_json::to_string_pretty(&collected)
        .map_err(|error| Error::run(format!("cannot write {REPORT}: {error}")))?;
    fs::write(staging.path().join(REPORT), text).map_err(failed)?;
    publish(out, staging.path(), &collected).map_err(failed)?;
    Ok(collected)
}

/// Moves everything into place, `study.json` last, and removes maps of before that are not there now.
fn publish(out: &Path, staging: &Path, collected: &Collected) -> std::io::Result<()> {
    let files: Vec<&String> = collected.grids.iter().flat_map(|grid| &grid.files).collect();
    for old in earlier_maps(out).iter().filter(|old| !files.contains(old)) {
        // Gone already is as good as removed; so is what GDAL and QGIS left beside it.
        let _ = fs::remove_file(out.join(old));
        let _ = fs::remove_file(out.join(format!("{old}.aux.xml")));
        if let Some(folder) = Path::new(old).parent() {
            // Only goes when it is empty.
            let _ = fs::remove_dir(out.join(folder));
        }
    }
    for file in files {
        let to = out.join(file);
        fs::create_dir_all(to.parent().unwrap_or(out))?;
        fs::rename(staging.join(file), &to)?;
        let _ = fs::remove_file(out.join(format!("{file}.aux.xml")));
    }
    for file in [TABLE, REPORT] {
        fs::rename(staging.join(file), out.join(file))?;
    }
    Ok(())
}

/// The maps that the study's report of before lists.
fn earlier_maps(out: &Path) -> Vec<String> {
    let text = fs::read_to_string(out.join(REPORT)).unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let grids = report["grids"].as_array().cloned().unwrap_or_default();
    let files = grids.iter().filter_map(|grid| grid["files"].as_array()).flatten();
    let names = files.filter_map(|file| file.as_str().map(String::from));
    // Nothing outside our own folder, whatever the report says.
    names.filter(|name| name.starts_with(MAPS) && !name.contains("..")).collect()
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
        varied: checked.run.varied.clone(),
        status: checked.state.name(),
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
    }
}

impl Row {
    fn tell(&mut self, extent: &Extent, cell_area: f64) {
        self.max_depth_m = Some(extent.max_depth);
        self.wet_area_m2 = Some(extent.wet as f64 * cell_area);
        self.areas_above_m2 =
            Some(extent.above.iter().map(|cells| *cells as f64 * cell_area).collect());
    }
}

/// Warnings of runs that tables have no figures of.
fn left_out(rows: &[Row]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (status, what) in [
        ("failed", "failed"),
        ("changed", "have results of another scenario, of other inputs or of another version"),
        ("missing", "have no results yet"),
    ] {
        let names: Vec<&str> =
            rows.iter().filter(|row| row.status == status).map(|row| &row.name[..]).collect();
        if !names.is_empty() {
            warnings.push(format!(
                "{} of {} runs {what}, and maps and probabilities are of the others: {}",
                names.len(),
                rows.len(),
                names.join(", ")
            ));
        }
    }
    warnings
}

/// The runs that are done, by their grids, in the order in which these come.
fn by_grid<'a>(
    runs: &'a [Checked],
    warnings: &mut Vec<String>,
) -> Vec<(&'a GridFacts, Vec<usize>)> {
    let mut groups: Vec<(&GridFacts, Vec<usize>)> = Vec::new();
    for (number, checked) in runs.iter().enumerate() {
        let Some(past) = checked.state.past() else { continue };
        if !past.outputs.contains(&map_file()) {
            warnings.push(format!(
                "run '{}' wrote no {}: no map counts it",
                checked.run.name,
                map_file()
            ));
            continue;
        }
        match groups.iter_mut().find(|(grid, _)| same_place(grid, &past.grid)) {
            Some((_, members)) => members.push(number),
            None => groups.push((&past.grid, vec![number])),
        }
    }
    if groups.len() > 1 {
        let first = |group: &(&GridFacts, Vec<usize>)| runs[group.1[0]].run.name.clone();
        warnings.push(format!(
            "the runs lie on {} grids ('{}' and '{}' on different ones), and each has maps of its own in {MAPS}/grid-1 and so on",
            groups.len(),
            first(&groups[0]),
            first(&groups[1])
        ));
    }
    groups
}

fn same_place(a: &GridFacts, b: &GridFacts) -> bool {
    (a.columns, a.rows, a.transform, &a.crs) == (b.columns, b.rows, b.transform, &b.crs)
}

fn map_file() -> String {
    format!("{}.tif", MAX_DEPTH.key)
}

fn member(checked: &Checked, out: &Path) -> Member {
    let path: PathBuf = out.join(checked.run.folder()).join(map_file());
    Member { name: checked.run.name.clone(), path, weight: checked.run.weight }
}

fn grid_of(facts: &GridFacts) -> Grid {
    Grid {
        columns: facts.columns,
        rows: facts.rows,
        transform: facts.transform,
        dx: facts.dx_m,
        dy: facts.dy_m,
        crs: facts.crs.clone(),
    }
}
