//! `report.html` of a study: the maps over its runs and a table of the runs, in one self-contained
//! file.

use super::Study;
use super::maps::Aggregate;
use super::points::OverPoints;
use super::row::{MAPS, Row, Status, TABLE};
use super::runs::{self, ShownRun};
use super::show::{Sheets, title};
use crate::error::{Error, Result};
use crate::output::format::Downsampling;
use crate::output::small::{LONGEST, Small};
use crate::results::headline::grouped;
use crate::results::page::filters;
use crate::results::page::map::{Marked, PageMap, Relief};
use crate::results::report::VERSION;
use crate::units::show_duration;
use crate::words::{capital, counted, printable};
use askama::Template;
use std::path::Path;

/// Maximum number of runs in the table.
const MOST_ROWS: usize = 200;

/// Maps of a quantity, of which one is shown at a time, initially the first.
struct Quantity {
    title: String,
    /// The first map without its picture: frame and legend are common to all.
    plate: PageMap,
    choices: Vec<Choice>,
}

/// A map over runs.
struct Choice {
    /// Name of its statistic.
    name: String,
    title: String,
    /// Picture as a `data:` URI.
    picture: String,
}

#[derive(Template)]
#[template(path = "study.html")]
struct Page<'a> {
    version: &'static str,
    title: String,
    /// Key figures: value and description.
    highlights: Vec<(String, String)>,
    warnings: &'a [String],
    assumed: &'a [String],
    /// Meaning of the maps over the runs.
    meaning: String,
    /// Maps of each grid, under a heading.
    grids: Vec<(String, Vec<Quantity>)>,
    /// Column names of the table of runs: text columns and number columns.
    head: [Vec<String>; 2],
    rows: Vec<ShownRun>,
    more_runs: usize,
    files: Vec<String>,
}

/// Results of a study's runs that its report shows.
pub struct PageData<'a> {
    /// Maps over the runs.
    pub sheets: &'a [Sheets<'a>],
    /// All runs.
    pub rows: &'a [Row],
    /// Results at the runs' points.
    pub points: &'a OverPoints,
    /// Defaults assumed because nothing declares the value.
    pub assumed: &'a [String],
}

/// Returns the report of a study whose maps are in the folder `staged`.
///
/// # Errors
/// If a raster cannot be read back.
pub fn html(study: &Study, staged: &Path, data: &PageData, warnings: &[String]) -> Result<String> {
    let PageData { sheets: all, rows, points, assumed } = *data;
    let done = rows.iter().filter(|row| row.status == Status::Done).count();
    let deepest = rows.iter().filter_map(|row| row.max_depth_m).fold(0.0, f32::max);
    let mut highlights = vec![
        (format!("{done} of {}", rows.len()), "runs are done".to_string()),
        (format!("{deepest:.2} m"), "greatest depth of any run".into()),
    ];
    let longest = rows.iter().filter_map(|row| row.simulated_s).fold(0.0, f64::max);
    if longest > 0.0 {
        highlights.push((show_duration(longest), "simulated, by the longest".into()));
    }
    highlights.extend(points.expected_annual_damage.iter().map(|expected| {
        let of = match &expected.variant[..] {
            "" => String::new(),
            name => format!(" of {name}"),
        };
        (grouped(&format!("{:.0}", expected.total)), format!("expected annual damage{of}"))
    }));
    let grids = all.iter().map(|sheets| {
        let heading = match &sheets.name[..] {
            "" => "Maps over the runs".into(),
            name => {
                let runs = counted(sheets.runs.len(), "run", "runs");
                format!("Maps over the {runs} of {name}")
            }
        };
        Ok((heading, draw(sheets, staged)?))
    });
    let maps = all.iter().flat_map(|sheets| sheets.maps.iter().map(|map| sheets.file(map)));
    debug_assert!(all.iter().all(|sheets| sheets.place.starts_with(MAPS)));
    let tables = [TABLE.to_string()].into_iter().chain(points.files.iter().cloned());
    let (head, mut rows) = runs::table(study, rows);
    let more_runs = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let page = Page {
        version: VERSION,
        title: title(study),
        highlights,
        warnings,
        assumed,
        meaning: meaning(study),
        grids: grids.collect::<Result<_>>()?,
        head,
        rows,
        more_runs,
        files: tables.chain(maps).collect(),
    };
    let html =
        page.render().map_err(|error| Error::run("cannot write the report").because(error))?;
    Ok(printable(&html).into_owned())
}

/// Explains the maps over the runs.
fn meaning(study: &Study) -> String {
    if study.has_events() {
        let years = study.runs.iter().filter_map(|run| run.return_period);
        let (most, least) = years.fold((f64::INFINITY, 0.0_f64), |(most, least), years| {
            (most.min(years), least.max(years))
        });
        return format!(
            "The annual exceedance probability is integrated over the return periods by the trapezoidal rule: where an event floods a cell and the next more frequent one does not, it is the mean of their probabilities. Events more frequent than once in {most} years were not simulated and count as dry, so cells that flood in the {most}-year event may flood more often. Cells that stay dry in the {least}-year event may flood in rarer ones. The return period of first flooding is that of the most frequent simulated event that floods the cell; the true one is between it and the next more frequent event."
        );
    }
    if study.runs.iter().all(|run| run.weight == study.runs[0].weight) {
        return "All runs have the same weight, so probabilities are shares of the runs: they are probabilities of flooding only if all runs are equally likely.".into();
    }
    "Probabilities are shares of the weights of the runs.".into()
}

/// Draws the maps of a grid.
fn draw(sheets: &Sheets, staged: &Path) -> Result<Vec<Quantity>> {
    let grid = &sheets.grid;
    let read = |map: &Aggregate, downsampling: Downsampling| {
        Small::read(&staged.join(sheets.file(map)), grid, downsampling, LONGEST)
    };
    let Some(first) = sheets.maps.first() else { return Ok(Vec::new()) };
    let bed = match sheets.dem() {
        Some(dem) => Small::of_dem(dem, grid, LONGEST)?,
        // Without a DEM, use flat ground where there are values.
        None => read(first, Downsampling::Nearest)?.flat(),
    };
    let relief = Relief::new(grid, bed)?;
    let nothing = Marked::default();
    let draw = |(title, maps): (String, &[Aggregate])| {
        let ramp = sheets.ramp(&maps[0]);
        let plate = |map: &Aggregate| {
            let small = read(map, maps[0].downsampling())?;
            relief.map(&sheets.name(map, ""), &small, &ramp, &nothing)
        };
        let mut plates = maps.iter().map(plate).collect::<Result<Vec<_>>>()?;
        let choice = |(map, plate): (&Aggregate, &mut PageMap)| Choice {
            name: capital(&map.choice()),
            title: plate.title.clone(),
            picture: std::mem::take(&mut plate.picture),
        };
        let choices = maps.iter().zip(&mut plates).map(choice).collect();
        Ok(Quantity { title, plate: plates.swap_remove(0), choices })
    };
    sheets.quantities().map(draw).collect()
}
