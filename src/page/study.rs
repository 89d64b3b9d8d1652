//! `report.html` of a study: the maps over its runs, and a table of these, in one file that needs no other.

use super::filters;
use super::map::{Plate, Relief};
use crate::colour::Ramp;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::output::small::{LONGEST, Small};
use crate::report::VERSION;
use crate::watch::Watched;
use askama::Template;
use std::path::{Path, PathBuf};

/// More runs than these are not in the table.
const MOST_ROWS: usize = 200;

/// A map over runs.
#[derive(Debug)]
pub struct StudyMap {
    /// What it shows.
    pub title: String,
    /// Its raster.
    pub raster: PathBuf,
    /// Whether cells may be averaged.
    pub averages: bool,
    /// Its colours.
    pub ramp: Ramp,
}

/// The maps of a grid.
#[derive(Debug)]
pub struct StudyGrid<'a> {
    /// The heading over them.
    pub heading: String,
    /// The grid.
    pub grid: Grid,
    /// The DEM that lies on it.
    pub dem: Option<&'a Path>,
    /// The maps.
    pub maps: Vec<StudyMap>,
}

/// What the page of a study is made of.
#[derive(Debug)]
pub struct StudyPage<'a> {
    /// The study's name.
    pub title: String,
    /// What stands out: a value, and what it is.
    pub highlights: Vec<(String, String)>,
    /// The grids.
    pub grids: Vec<StudyGrid<'a>>,
    /// Names of the columns of the table of runs, and its rows.
    pub head: Vec<String>,
    /// A row per run.
    pub rows: Vec<Vec<String>>,
    /// What the user should know.
    pub warnings: &'a [String],
    /// The files of the study.
    pub files: Vec<String>,
}

#[derive(Template)]
#[template(path = "study.html")]
struct Page<'a> {
    version: &'static str,
    title: &'a str,
    highlights: &'a [(String, String)],
    warnings: &'a [String],
    grids: Vec<(&'a str, Vec<Plate>)>,
    head: &'a [String],
    rows: &'a [Vec<String>],
    more_runs: usize,
    files: &'a [String],
}

/// The page of a study.
///
/// # Errors
/// If a raster cannot be read again.
pub fn study_html(study: &StudyPage) -> Result<String> {
    let grids = study.grids.iter().map(|of| Ok((of.heading.as_str(), draw(of)?)));
    let shown = study.rows.len().min(MOST_ROWS);
    let page = Page {
        version: VERSION,
        title: &study.title,
        highlights: &study.highlights,
        warnings: study.warnings,
        grids: grids.collect::<Result<_>>()?,
        head: &study.head,
        rows: &study.rows[..shown],
        more_runs: study.rows.len() - shown,
        files: &study.files,
    };
    page.render().map_err(|error| Error::run("cannot write the report").because(error))
}

fn draw(of: &StudyGrid) -> Result<Vec<Plate>> {
    let Some(first) = of.maps.first() else { return Ok(Vec::new()) };
    let bed = match of.dem {
        Some(dem) => Small::of_dem(dem, &of.grid, LONGEST)?,
        // Without its DEM the ground is flat where there are values.
        None => Small::read(&first.raster, &of.grid, false, LONGEST)?.flat(),
    };
    let relief = Relief::new(&of.grid, bed)?;
    let nothing = Watched { every: 1.0, ..Watched::default() };
    let draw = |map: &StudyMap| {
        let small = Small::read(&map.raster, &of.grid, map.averages, LONGEST)?;
        relief.map(&map.title, &small, &map.ramp, &nothing)
    };
    of.maps.iter().map(draw).collect()
}
