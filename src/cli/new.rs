//! `inundate new`: a commented scenario file with the DEM's facts filled in.

use super::run::tell_warnings;
use crate::error::Result;
use crate::input::dem::{self, Dem, DemOptions};
use crate::input::remote;
use crate::scenario::options;
use std::path::Path;

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

/// Prints the template for a DEM to stdout.
pub fn new(path: &Path, allow_remote: bool) -> Result<()> {
    remote::allow(allow_remote);
    let dem = dem::read(path, &DemOptions::default())?;
    tell_warnings(&dem.warnings);
    dem.assumed.iter().for_each(|assumed| tell!("assumed: {}", assumed.text));
    let grid = &dem.grid;
    let [west, south, east, north] = grid.extent();
    say!("#:schema ./{SCHEMA}");
    say!("# Scenario for inundate. Check it: inundate check FILE. Run it: inundate run FILE.");
    say!(
        "# For help in an editor (VS Code with Even Better TOML), write the schema beside this file:"
    );
    say!("#   inundate schema > {SCHEMA}");
    say!("#");
    say!(
        "# {} x {} cells of {:.3} x {:.3} m, {} of them in the domain",
        grid.columns,
        grid.rows,
        grid.dx,
        grid.dy,
        dem.domain_cells
    );
    say!(
        "# x {west} to {east}, y {south} to {north}; bed {:.2} to {:.2} m",
        dem.range.0,
        dem.range.1
    );
    say!("# Paths are relative to this file. Quantities carry units; a bare number is SI.");
    let dem_path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let dem_text = dem_path.to_string_lossy();
    let (x, y) = middle(&dem);
    let end = y + 3.0 * grid.transform[1].abs();
    let places = [("{x}", x), ("{y}", y), ("{end}", end)];
    let mut section = String::new();
    for (key, help, heading) in options::describe() {
        if heading != section {
            say!("\n# --- {heading} ---");
            section = heading;
        }
        let value = match key.as_str() {
            "dem" => toml::Value::String(dem_text.clone().into()).to_string(),
            key => options::example(key).unwrap_or_default(),
        };
        let value = places.iter().fold(value, |text, (of, at)| text.replace(of, &at.to_string()));
        let comment = if SET.contains(&&*key) { "" } else { "# " };
        say!("# {help}\n{comment}{key} = {value}");
    }
    Ok(())
}
