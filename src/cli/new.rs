//! `inundate new`: a commented scenario file with the DEM's facts filled in.

use super::run::print_warnings;
use crate::error::{Error, Result};
use crate::input::dem::{self, Dem, DemOptions};
use crate::input::gdal_access::remote;
use crate::output::folder::folder_of;
use crate::results::project::Base;
use crate::scenario::options;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// File name of the schema beside the scenario.
const SCHEMA: &str = "scenario.schema.json";

/// Keys that are set, not commented out, in the template.
const SET: [&str; 4] = ["dem", "rain", "duration", "out"];

/// Returns the centre of the domain's cell that is nearest to the middle of the raster, in CRS
/// units.
fn middle(dem: &Dem) -> (f64, f64) {
    let grid = &dem.grid;
    let (columns, rows) = (grid.columns as f64, grid.rows as f64);
    let distance = |cell: usize| {
        let (column, row) = grid.column_row(cell);
        (column as f64 + 0.5 - columns / 2.0).hypot(row as f64 + 0.5 - rows / 2.0)
    };
    let inside = (0..grid.cells()).filter(|&cell| dem.ground().is_inside(cell));
    let nearest = inside.min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
    let at = grid.spot(nearest);
    let rounded = |place: f64| (place * 1000.0).round() / 1000.0;
    (rounded(at.x), rounded(at.y))
}

/// Writes the template for a DEM to a new file, or to stdout.
pub fn new(path: &Path, file: Option<&Path>, allow_remote: bool) -> Result<()> {
    remote::allow(allow_remote);
    let dem = dem::read(path, &DemOptions::default())?;
    print_warnings(&dem.warnings);
    dem.note.iter().for_each(|note| errln!("note: {}", note.text));
    dem.assumed.iter().for_each(|assumed| errln!("assumed: {}", assumed.text));
    let redirected = redirected_to();
    let dem_path = path_from(file.or(redirected.as_deref()).map(folder_of), path);
    let text = template(&dem, &dem_path);
    let Some(file) = file else {
        outln!("{text}");
        return Ok(());
    };
    let shown = file.display();
    let written = File::create_new(file).and_then(|mut to| writeln!(to, "{text}"));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::input(format!("'{shown}' exists already"))
            .hint("choose another name, or remove the file first"),
        _ => Error::run(format!("cannot write '{shown}'")).because(error),
    })?;
    outln!("{shown} is written; check it: inundate check {shown}");
    Ok(())
}

/// Returns the file to which stdout is redirected, if that is known.
fn redirected_to() -> Option<PathBuf> {
    let file = fs::read_link("/proc/self/fd/1").ok()?;
    file.is_file().then_some(file)
}

/// Returns the path of the DEM for a scenario in `folder`: relative to it, or absolute if the
/// scenario may be put anywhere.
fn path_from(folder: Option<&Path>, dem: &Path) -> String {
    let (Some(folder), Some(name)) = (folder, dem.file_name()) else {
        let dem = std::path::absolute(dem).unwrap_or_else(|_| dem.to_path_buf());
        return dem.to_string_lossy().into_owned();
    };
    if remote::is_remote(&dem.to_string_lossy()) || !dem.exists() {
        return dem.to_string_lossy().into_owned();
    }
    // A link to the DEM is not followed.
    let inside = Path::new(&Base::of(folder).source(folder_of(dem))).join(name);
    inside.strip_prefix(".").unwrap_or(&inside).to_string_lossy().into_owned()
}

/// Returns the template for a DEM, whose path in the template is `dem_path`.
fn template(dem: &Dem, dem_path: &str) -> String {
    let grid = &dem.grid;
    let [west, south, east, north] = grid.extent();
    let (low, high) = dem.range;
    let mut text = format!(
        "\
#:schema ./{SCHEMA}
# Scenario for inundate. Check it: inundate check FILE. Run it: inundate run FILE.
# For help in an editor (VS Code with Even Better TOML), write the schema beside this file:
#   inundate schema > {SCHEMA}
#
# {} x {} cells of {:.3} x {:.3} m, {} of them in the domain
# x {west} to {east}, y {south} to {north}; bed {low:.2} to {high:.2} m
# Paths are relative to this file. Quantities carry units; a bare number is SI.",
        grid.columns, grid.rows, grid.dx, grid.dy, dem.domain_cells
    );
    let (x, y) = middle(dem);
    let end = y + 3.0 * grid.transform[1].abs();
    let places = [("{x}", x), ("{y}", y), ("{end}", end)];
    let mut section = String::new();
    for options::OptionHelp { key, help, heading } in options::describe() {
        if heading != section {
            text += &format!("\n\n# --- {heading} ---");
            section = heading;
        }
        let value = match key.as_str() {
            "dem" => toml::Value::String(dem_path.into()).to_string(),
            key => {
                places.iter().fold(options::example(key).unwrap_or_default(), |text, (of, at)| {
                    text.replace(of, &at.to_string())
                })
            }
        };
        let comment = if SET.contains(&&*key) { "" } else { "# " };
        text += &format!("\n# {help}\n{comment}{key} = {value}");
    }
    text
}
