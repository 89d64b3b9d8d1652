//! `inundate new`: a commented scenario file with the DEM's facts filled in.

use crate::engine::grid::Bed;
use crate::error::Result;
use crate::input::dem::{self, Dem, DemOptions};
use crate::input::remote;
use crate::scenario::LossOptions;
use crate::scenario::options;
use std::path::Path;

/// The name of the schema beside the scenario.
const SCHEMA: &str = "scenario.schema.json";

/// Keys that are not comments in the template, with their values.
fn filled(key: &str, dem: &str) -> Option<String> {
    Some(match key {
        "dem" => toml::Value::String(dem.into()).to_string(),
        "rain" => "\"30 mm/h\"".into(),
        "duration" => "\"2h\"".into(),
        "out" => "\"results\"".into(),
        _ => return None,
    })
}

/// Values for the commented keys.
fn example(key: &str, dem: &Dem) -> String {
    let value = match key {
        "source" => {
            let (x, y) = middle(dem);
            return format!(
                "[\"{x},{y},20 m3/s\", \"{x},{y},hydrograph.csv\", \"sources.gpkg\", \"inflow.tif\"]"
            );
        }
        "level" => "[\"west,2.4 m\", \"east,tide.csv\", \"levels.gpkg\"]",
        "nodata" => "-9999",
        "height_unit" => "\"ft\"",
        "open" => "\"all\"",
        "outflow_slope" => "\"south,0.001\"",
        "links" => "\"links.gpkg\"",
        "closed" => "\"north\"",
        "inflow_depth" => "\"inflow_depth.tif\"",
        "sinks" => "\"sinks.tif\"",
        "buildings" => "\"buildings.gpkg\"",
        "building_height" => "\"5 m\"",
        "walls" => "\"walls.gpkg\"",
        "initial_level" => "\"12.5 m\"",
        "initial_depth" => "\"initial_depth.tif\"",
        "rain_unit" => "\"mm\"",
        "rain_duration" => "\"6h\"",
        "rain_interval" => "\"15min\"",
        "rain_variable" => "\"rainfall\"",
        "rain_factor" => "0.95",
        "start" => "\"2021-07-14T12:00+02:00\"",
        "steps" => "1000",
        "step" => "\"10s\"",
        "dt_max" => "\"10s\"",
        "roughness" => "0.03",
        "land_cover" => "\"worldcover.tif\"",
        "land_cover_table" => "\"worldcover\"",
        "rule" => "\"shallow-water\"",
        "neighbourhood" => "\"von-neumann\"",
        "order" => "2",
        "alpha" => "0.4",
        "grain" => "\"auto\"",
        "layers" => "\"depth,max_depth,arrival_time,max_velocity,max_hazard\"",
        "output_every" => "\"30 min\"",
        "style" => "\"fixed\"",
        "checkpoint_every" => "\"10 min\"",
        "gauges" => {
            let (x, y) = middle(dem);
            return format!("[\"{x},{y},bridge\", \"gauges.gpkg\", \"gauges.csv\"]");
        }
        "sections" => {
            let (x, y) = middle(dem);
            let end = y + 3.0 * dem.grid.transform[1].abs();
            return format!("[\"{x},{y},{x},{end},weir\", \"sections.gpkg\"]");
        }
        "gauge_every" => "\"1 min\"",
        "arrival_depth" => "\"0.05 m\"",
        "device" => "\"auto\"",
        "device_memory" => "\"2 GiB\"",
        "threads" => "2",
        "tile" => "\"512x256\"",
        "accept_distortion" | "allow_remote" | "overwrite" | "quiet" | "json" => "true",
        key => LossOptions::example(key).unwrap_or("\"\""),
    };
    value.into()
}

/// The centre of the domain's cell that lies nearest to the middle of the raster, in units of the
/// CRS.
fn middle(dem: &Dem) -> (f64, f64) {
    let grid = &dem.grid;
    let (columns, rows) = (grid.columns as f64, grid.rows as f64);
    let centre =
        |cell: usize| ((cell % grid.columns) as f64 + 0.5, (cell / grid.columns) as f64 + 0.5);
    let distance = |cell: usize| {
        let (column, row) = centre(cell);
        (column - columns / 2.0).hypot(row - rows / 2.0)
    };
    let inside = (0..grid.cells()).filter(|&cell| dem.bed.levels[cell] != Bed::OUTSIDE);
    let nearest = inside.min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
    let (column, row) = centre(nearest);
    let [west, dx, _, north, _, dy] = grid.transform;
    let rounded = |place: f64| (place * 1000.0).round() / 1000.0;
    (rounded(west + column * dx), rounded(north + row * dy))
}

/// Prints the template for a DEM on stdout.
pub fn new(path: &Path, allow_remote: bool) -> Result<()> {
    remote::allow(allow_remote);
    let dem = dem::read(path, &DemOptions::default())?;
    for warning in &dem.warnings {
        tell!("warning: {warning}");
    }
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
    let mut section = String::new();
    for (key, help, heading) in options::describe() {
        if heading != section {
            say!("\n# --- {heading} ---");
            section = heading;
        }
        say!("# {help}");
        match filled(&key, &dem_text) {
            Some(value) => say!("{key} = {value}"),
            None => say!("# {key} = {}", example(&key, &dem)),
        }
    }
    Ok(())
}
