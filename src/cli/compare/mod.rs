//! `inundate compare`.

mod print;

use super::print_json;
use crate::compare::difference::Target;
use crate::compare::maps::{AtThreshold, Cells};
use crate::compare::points::{self, Quantity};
use crate::compare::raster::{self, Map, Meaning};
use crate::compare::{extent, maps, observed, series, vector};
use crate::error::{Error, Result};
use crate::grid::{Bed, Grid};
use crate::input::dem::{self, DemOptions};
use crate::input::raster::RasterFile;
use crate::units;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub const HELP: &str = "\
Examples:
  inundate compare results --with other_results --difference difference.tif
  inundate compare results --with flooded.gpkg --threshold 0.1,0.3
  inundate compare results --with marks.csv --dem dem.tif
  inundate compare --series computed.csv --with gauge.csv --json

docs/compare.md has the definitions.";

/// What a cell is wet from, unless told (m).
const THRESHOLDS: [f64; 2] = [0.1, 0.3];

#[derive(clap::Args)]
pub struct CompareArgs {
    /// The result: a raster of depths, or an output folder (its max_depth.tif)
    #[arg(required_unless_present = "series", conflicts_with = "series")]
    result: Option<PathBuf>,
    /// What to compare it with: a raster of depths or output folder, an observed extent (raster or
    /// polygons), observed points (CSV or vector layer); with --series the reference, a CSV
    #[arg(long, value_name = "OTHER")]
    with: PathBuf,
    /// Compare this series of time and value (CSV) instead of a result
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = MAP_FLAGS)]
    series: Option<PathBuf>,
    /// Depth from which a cell is wet; may be several [default: 0.1 m and 0.3 m]
    #[arg(long, value_name = "DEPTH", value_delimiter = ',', allow_negative_numbers = true)]
    threshold: Vec<String>,
    /// What the raster OTHER holds (default: extent if there is nothing but 0 and 1 and no unit, else
    /// depth)
    #[arg(long = "as", value_name = "WHAT")]
    meaning: Option<As>,
    /// Cells for which the raster OTHER has no value are dry, instead of left out
    #[arg(long)]
    dry_nodata: bool,
    /// Layer of a vector file that has several
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
    /// Field of the points that holds what was observed
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// What was observed, if the field's name does not say it
    #[arg(long, value_name = "WHAT")]
    quantity: Option<Quantity>,
    /// CRS of the points of a CSV, if not the result's ("EPSG:4326")
    #[arg(long, value_name = "CRS")]
    crs: Option<String>,
    /// DEM of the run, for observed levels
    #[arg(long, value_name = "FILE")]
    dem: Option<PathBuf>,
    /// Leave points out for which the result has no value
    #[arg(long)]
    skip_outside: bool,
    /// Write a map of the difference, result - OTHER, or of hits, false alarms and misses
    #[arg(long, value_name = "FILE.tif")]
    difference: Option<PathBuf>,
    /// Replace the map of the difference if it is there
    #[arg(long, requires = "difference")]
    overwrite: bool,
    /// Column of the series, if it has several
    #[arg(long, value_name = "NAME", requires = "series")]
    column: Option<String>,
    /// Column of the reference, if it has several
    #[arg(long, value_name = "NAME", requires = "series")]
    with_column: Option<String>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Flags that mean nothing to two series.
const MAP_FLAGS: [&str; 10] = [
    "threshold",
    "meaning",
    "dry_nodata",
    "layer",
    "field",
    "quantity",
    "crs",
    "dem",
    "skip_outside",
    "difference",
];

/// What a raster is taken as.
#[derive(Clone, Copy, clap::ValueEnum)]
enum As {
    /// Depths
    Depth,
    /// More than 0 is wet, 0 is dry
    Extent,
}

/// What `compare --json` prints.
#[derive(Serialize)]
struct Comparison {
    result: PathBuf,
    with: PathBuf,
    #[serde(flatten)]
    figures: Figures,
    warnings: Vec<String>,
}

/// The figures, by what was compared.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Figures {
    Depth(OfMaps),
    Extent(OfMaps),
    Points(points::Figures),
    Series(series::Figures),
}

/// Figures of two maps.
#[derive(Serialize)]
struct OfMaps {
    /// Whether the other lay on another grid.
    warped: bool,
    cells: Cells,
    cell_area_m2: f64,
    thresholds: Vec<AtThreshold>,
    /// The map that was written.
    difference: Option<PathBuf>,
}

/// Compares, and prints the figures.
pub fn compare(args: &CompareArgs) -> Result<()> {
    let mut warnings = Vec::new();
    let (result, figures) = match (&args.series, &args.result) {
        (Some(series), _) => (series.clone(), two_series(args, series)?),
        (None, Some(result)) => {
            let result = raster::named(result, "result")?;
            let figures = against(args, &result, &mut warnings)?;
            warnings.extend(idle(args, &figures));
            (result, figures)
        }
        (None, None) => unreachable!("the command line asks for one of them"),
    };
    for warning in &warnings {
        tell!("warning: {warning}");
    }
    let comparison = Comparison { result, with: args.with.clone(), figures, warnings };
    if args.json {
        print_json(&comparison)
    } else {
        print::print(&comparison);
        Ok(())
    }
}

/// Warns of flags that mean nothing to what was compared.
fn idle(args: &CompareArgs, figures: &Figures) -> Option<String> {
    let points = matches!(figures, Figures::Points(_));
    let for_maps = [("--as", args.meaning.is_some()), ("--dry-nodata", args.dry_nodata)];
    let for_points = [
        ("--field", args.field.is_some()),
        ("--quantity", args.quantity.is_some()),
        ("--crs", args.crs.is_some()),
        ("--dem", args.dem.is_some()),
        ("--skip-outside", args.skip_outside),
    ];
    let (flags, what) = if points { (&for_maps[..], "points") } else { (&for_points[..], "maps") };
    let given: Vec<&str> =
        flags.iter().filter(|(_, given)| *given).map(|(flag, _)| *flag).collect();
    (!given.is_empty()).then(|| format!("{} has no effect: OTHER is of {what}", given.join(", ")))
}

fn two_series(args: &CompareArgs, series: &Path) -> Result<Figures> {
    let computed = series::read(series, "series", args.column.as_deref())?;
    let reference = series::read(&args.with, "with", args.with_column.as_deref())?;
    Ok(Figures::Series(series::compare(&computed, &reference)?))
}

/// Depths from which a cell is wet (m), ascending.
fn thresholds(args: &CompareArgs) -> Result<Vec<f64>> {
    let mut depths = Vec::new();
    for text in &args.threshold {
        let depth = units::parse_depth(text)
            .map_err(|error| Error { what: format!("threshold: {}", error.what), ..error })?;
        if depth <= 0.0 {
            return Err(Error::input(format!("threshold: '{text}' would make every cell wet"))
                .hint("give a depth of more than 0, such as 0.01"));
        }
        depths.push(depth);
    }
    if depths.is_empty() {
        depths.extend(THRESHOLDS);
    }
    depths.sort_by(f64::total_cmp);
    depths.dedup();
    Ok(depths)
}

/// Compares a result with a map or points.
fn against(args: &CompareArgs, path: &Path, warnings: &mut Vec<String>) -> Result<Figures> {
    let thresholds = thresholds(args)?;
    let with = &args.with;
    let target = args
        .difference
        .as_deref()
        .map(|to| Target::prepare(to, args.overwrite, &[path, &raster::named(with, "with")?]));
    let target = target.transpose()?;
    let file = RasterFile::open(path, "result")?;
    let grid = raster::grid_of(&file, warnings)?;
    let depths = raster::read(&file, &grid, Meaning::Depth, warnings)?.values;
    if depths.iter().all(|depth| depth.is_nan()) {
        return Err(Error::input(format!(
            "result: '{}' has no valid cell: all {} are NoData",
            path.display(),
            grid.cells()
        ))
        .hint("check it with gdalinfo -stats"));
    }
    let is_csv = with.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if is_csv {
        let mut observed = observed::from_csv(with, args.field.as_deref(), args.quantity)?;
        if let Some(crs) = &args.crs {
            observed::bring(&mut observed, crs, &grid)?;
        }
        return at_points(args, &observed, &grid, &depths, thresholds[0], warnings);
    }
    let vectors = if with.is_dir() { None } else { vector::open(with, args.layer.as_deref())? };
    let (other, meaning) = match vectors {
        Some(vectors) if vectors.shape == vector::Shape::Points => {
            let (field, told) = (args.field.as_deref(), args.quantity);
            let observed = observed::from_layer(vectors, with, &grid, field, told, warnings)?;
            return at_points(args, &observed, &grid, &depths, thresholds[0], warnings);
        }
        Some(vectors) => (extent::burn(vectors, with, &grid, warnings)?, Meaning::Extent),
        None => other_raster(args, &grid, warnings)?,
    };
    let cells = maps::count(&depths, &other.values);
    if cells.compared == 0 {
        let [west, south, east, north] = grid.extent();
        return Err(Error::input(format!(
            "with: '{}' and the result have no cell in common for which both have a value",
            with.display()
        ))
        .hint(format!(
            "the result covers x {west} to {east}, y {south} to {north}; compare with gdalinfo '{}'",
            with.display()
        )));
    }
    let figures = maps::compare(&depths, &other.values, meaning, &thresholds)?;
    if let Some(target) = &target {
        let names = [&path.to_string_lossy()[..], &with.to_string_lossy()[..]];
        target.write(&grid, &depths, &other.values, meaning, thresholds[0], names)?;
    }
    let of_maps = OfMaps {
        warped: other.warped,
        cells,
        cell_area_m2: grid.cell_area(),
        thresholds: figures,
        difference: args.difference.clone(),
    };
    Ok(match meaning {
        Meaning::Depth => Figures::Depth(of_maps),
        Meaning::Extent => Figures::Extent(of_maps),
    })
}

/// Reads the other raster onto the result's grid, and says what it is.
fn other_raster(
    args: &CompareArgs,
    grid: &Grid,
    warnings: &mut Vec<String>,
) -> Result<(Map, Meaning)> {
    let path = raster::named(&args.with, "with")?;
    let file = RasterFile::open(&path, "with")?;
    let meaning = match args.meaning {
        Some(As::Depth) => Meaning::Depth,
        Some(As::Extent) => Meaning::Extent,
        None if raster::looks_like_extent(&file)? => Meaning::Extent,
        None => Meaning::Depth,
    };
    let mut map = raster::read(&file, grid, meaning, warnings)?;
    let touches = map.values.iter().any(|value| !value.is_nan());
    if args.dry_nodata && touches {
        map.values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
    } else if meaning == Meaning::Extent && touches && !map.values.contains(&0.0) {
        warnings.push(format!(
            "with: '{}' says nowhere that it is dry, so there can be no false alarm; if its NoData means dry, say --dry-nodata",
            path.display()
        ));
    }
    Ok((map, meaning))
}

fn at_points(
    args: &CompareArgs,
    observed: &points::Observed,
    grid: &Grid,
    depths: &[f32],
    threshold: f64,
    warnings: &mut Vec<String>,
) -> Result<Figures> {
    if args.difference.is_some() {
        return Err(Error::input("difference: there is no map of the difference to points")
            .hint("--json lists the difference at every point"));
    }
    let bed = match (observed.quantity, &args.dem) {
        (Quantity::Depth, _) => None,
        (Quantity::Level, None) => {
            return Err(Error::input("with: the points are levels, and the result is of depths")
                .hint("give the DEM of the run: --dem dem.tif"));
        }
        (Quantity::Level, Some(path)) => Some(bed(path, grid, warnings)?),
    };
    let skip = args.skip_outside;
    let figures = points::compare(observed, grid, depths, bed.as_ref(), threshold, skip)?;
    if figures.outside > 0 {
        let count = figures.outside;
        warnings.push(format!("with: {count} points lie where the result has no value; left out"));
    }
    Ok(Figures::Points(figures))
}

/// The bed of the run, which must lie on the result's grid: a warped one would not be the run's.
fn bed(path: &Path, grid: &Grid, warnings: &mut Vec<String>) -> Result<Bed> {
    let dem = dem::read(path, &DemOptions::default())?;
    warnings.extend(dem.warnings);
    let near = |i: usize| (dem.grid.transform[i] - grid.transform[i]).abs() < 1e-4 * grid.dx;
    let same = (dem.grid.columns, dem.grid.rows) == (grid.columns, grid.rows) && (0..6).all(near);
    if !same {
        return Err(Error::input(format!(
            "dem: '{}' does not lie on the result's grid",
            path.display()
        ))
        .hint("give the DEM that the run was made with; run.json names it"));
    }
    Ok(dem.bed)
}
