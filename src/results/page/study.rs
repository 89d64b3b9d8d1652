//! `report.html` of a study: the maps over its runs, and a table of these, in one file that needs no other.

use super::filters;
use super::map::{Plate, Relief};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::output::colour::Ramp;
use crate::output::small::{LONGEST, Small};
use crate::output::watch::Watched;
use crate::results::report::VERSION;
use askama::Template;
use std::path::{Path, PathBuf};

/// More runs than these are not in the table.
const MOST_ROWS: usize = 200;

/// A map over runs.
#[derive(Debug)]
pub struct StudyMap {
    /// What it tells of its quantity, for who chooses among its maps.
    pub choice: String,
    /// What it shows.
    pub title: String,
    /// Its raster.
    pub raster: PathBuf,
}

/// The maps of a quantity, of which one is shown at a time.
#[derive(Debug)]
pub struct StudyQuantity {
    /// The quantity.
    pub title: String,
    /// The colours of all its maps.
    pub ramp: Ramp,
    /// Whether cells may be averaged.
    pub averages: bool,
    /// The maps, of which the first is shown until another is chosen.
    pub maps: Vec<StudyMap>,
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
    /// The quantities.
    pub quantities: Vec<StudyQuantity>,
}

/// A run in the table.
#[derive(Debug)]
pub struct StudyRow {
    /// Its number.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// The address of its page, if it has one.
    pub page: Option<String>,
    /// What it sets.
    pub said: Vec<String>,
    /// Whether it is done.
    pub is_done: bool,
    /// What became of it.
    pub status: String,
    /// What came of it.
    pub numbers: Vec<String>,
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
    /// Names of the columns of the table of runs: of those of words, and of those of numbers.
    pub head: [Vec<String>; 2],
    /// A row per run.
    pub rows: Vec<StudyRow>,
    /// What the user should know.
    pub warnings: &'a [String],
    /// The files of the study.
    pub files: Vec<String>,
}

/// The maps of a quantity as the page has them.
struct Shown<'a> {
    title: &'a str,
    /// The first map, and all that is around the others, too.
    plate: Plate,
    /// What there is to choose, with its title and its picture (a `data:` address).
    choices: Vec<(&'a StudyMap, String)>,
}

#[derive(Template)]
#[template(path = "study.html")]
struct Page<'a> {
    version: &'static str,
    study: &'a StudyPage<'a>,
    grids: Vec<(&'a str, Vec<Shown<'a>>)>,
    rows: &'a [StudyRow],
    more_runs: usize,
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
        study,
        grids: grids.collect::<Result<_>>()?,
        rows: &study.rows[..shown],
        more_runs: study.rows.len() - shown,
    };
    page.render().map_err(|error| Error::run("cannot write the report").because(error))
}

fn draw<'a>(of: &'a StudyGrid) -> Result<Vec<Shown<'a>>> {
    let Some(first) = of.quantities.first().and_then(|quantity| quantity.maps.first()) else {
        return Ok(Vec::new());
    };
    let bed = match of.dem {
        Some(dem) => Small::of_dem(dem, &of.grid, LONGEST)?,
        // Without its DEM the ground is flat where there are values.
        None => Small::read(&first.raster, &of.grid, false, LONGEST)?.flat(),
    };
    let relief = Relief::new(&of.grid, bed)?;
    let nothing = Watched { every: 1.0, ..Watched::default() };
    let draw = |quantity: &'a StudyQuantity| {
        let plate = |map: &StudyMap| {
            let small = Small::read(&map.raster, &of.grid, quantity.averages, LONGEST)?;
            relief.map(&map.title, &small, &quantity.ramp, &nothing)
        };
        let mut plates = quantity.maps.iter().map(plate).collect::<Result<Vec<_>>>()?;
        let pictures = plates.iter_mut().map(|plate| std::mem::take(&mut plate.picture));
        let choices = quantity.maps.iter().zip(pictures.collect::<Vec<_>>()).collect();
        Ok(Shown { title: &quantity.title, plate: plates.swap_remove(0), choices })
    };
    of.quantities.iter().map(draw).collect()
}
