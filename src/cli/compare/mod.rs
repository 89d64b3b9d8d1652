//! `inundate compare`: comparing a result with a map, points, or a series.

mod args;
mod print;

pub use args::{CompareArgs, HELP};

use super::print_json;
use super::run::print_warnings;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::remote;
use crate::input::notice::Notice;
use crate::input::raster::RasterFile;
use crate::input::tables::dialect::is_a_csv;
use crate::input::time::wall_time::WallClock;
use crate::output::own_files::holds_levels;
use crate::results::compare::difference::DifferenceMap;
use crate::results::compare::levels::LevelSource;
use crate::results::compare::maps::{AtThreshold, Cells};
use crate::results::compare::points::{self, ObservedQuantity};
use crate::results::compare::raster::{self, Compared, RasterMeaning};
use crate::results::compare::series::{Dates, SeriesRole};
use crate::results::compare::{extent, maps, observed, series, vector};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result, as read.
struct ComparedResult<'a> {
    file: &'a RasterFile,
    grid: &'a Grid,
    /// Depths (m), NaN where there is none.
    depths: &'a [f32],
    /// Levels, if the raster is a map of them.
    levels: Option<LevelSource>,
}

/// Output of `compare --json`.
#[derive(Serialize)]
struct Comparison {
    result: PathBuf,
    with: PathBuf,
    #[serde(flatten)]
    figures: Figures,
    warnings: Vec<String>,
}

/// The statistics, by kind of comparison.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Figures {
    Depth(MapStatistics),
    Extent(MapStatistics),
    Points(points::Figures),
    Series(series::Figures),
}

/// Statistics of a comparison of two maps.
#[derive(Serialize)]
struct MapStatistics {
    /// Set if the other map was warped from another grid.
    warped: bool,
    cells: Cells,
    cell_area_m2: f64,
    thresholds: Vec<AtThreshold>,
    /// Path of the difference map, if one was written.
    difference: Option<PathBuf>,
}

/// Compares, and prints the statistics.
pub fn compare(args: &CompareArgs) -> Result<()> {
    remote::allow(args.allow_remote);
    let mut warnings = Vec::new();
    let (result, figures) = match (&args.series, &args.result) {
        (Some(series), _) => (series.clone(), two_series(args, series, &mut warnings)?),
        (None, Some(result)) => {
            let result = raster::named(result, "result")?;
            let figures = against(args, &result, &mut warnings)?;
            warnings.extend(args.idle(matches!(figures, Figures::Points(_))));
            (result, figures)
        }
        (None, None) => unreachable!("the command line asks for one of them"),
    };
    print_warnings(&warnings);
    let comparison = Comparison { result, with: args.with.clone(), figures, warnings };
    if args.json {
        print_json(&comparison)
    } else {
        print::print(&comparison);
        Ok(())
    }
}

fn two_series(args: &CompareArgs, series: &Path, warnings: &mut Vec<String>) -> Result<Figures> {
    let clock = WallClock::default();
    let mut notes = Vec::new();
    let computed =
        series::read(series, SeriesRole::Series, args.column.as_deref(), &clock, &mut notes)?;
    let with_column = args.with_column.as_deref();
    let reference =
        series::read(&args.with, SeriesRole::Reference, with_column, &clock, &mut notes)?;
    if (computed.dates, reference.dates) == (Dates::Times, Dates::None) {
        let first = clock.show(0.0);
        notes.push(Notice::of(
            "with",
            &args.with.to_string_lossy(),
            format_args!(
                "has no dates; its times count from the first time of the series, {first}"
            ),
        ));
    }
    let figures = series::compare(&computed, &reference, &mut notes)?;
    warnings.extend(clock.notes().into_iter().chain(notes).map(|note| note.text));
    Ok(Figures::Series(figures))
}

/// Compares a result with a map or with points.
fn against(args: &CompareArgs, path: &Path, warnings: &mut Vec<String>) -> Result<Figures> {
    let thresholds = args.thresholds()?;
    let with = &args.with;
    let target = args.difference.as_deref().map(|to| {
        let with = raster::named(with, "with")?;
        let inputs: Vec<&Path> = [path, &with].into_iter().chain(args.dem.as_deref()).collect();
        DifferenceMap::prepare(to, args.overwrite, &inputs)
    });
    let mut file = RasterFile::open(path, "result")?;
    let grid = raster::grid_of(&file, warnings)?;
    let levels = match holds_levels(&file) {
        true => Some(LevelSource::of_map(&mut file, &grid)?),
        false => None,
    };
    let depths = match &levels {
        Some(levels) => levels.depths(),
        None => raster::read(&mut file, &grid, RasterMeaning::Depth, false, warnings)?.values,
    };
    if depths.iter().all(|depth| depth.is_nan()) {
        return Err(Error::input(format!(
            "result: '{}' has no valid cell: all {} are NoData",
            path.display(),
            grid.cells()
        ))
        .hint("check it with gdalinfo -stats"));
    }
    let result = ComparedResult { file: &file, grid: &grid, depths: &depths, levels };
    let is_a_csv = is_a_csv(with);
    let vectors = match with.is_dir() || is_a_csv {
        true => None,
        false => vector::open(with, args.layer.as_deref())?,
    };
    if vectors.is_none() && args.layer.is_some() {
        warnings.push("--layer has no effect, because OTHER is not a vector layer".into());
    }
    if is_a_csv {
        let mut observed =
            observed::from_csv(with, args.field.as_deref(), args.quantity, warnings)?;
        if let Some(crs) = &args.crs {
            observed::bring(&mut observed, crs, &grid)?;
        }
        return at_points(args, &observed, result, thresholds[0], warnings);
    }
    let (other, meaning) = match vectors {
        Some(vectors) if vectors.shape == vector::ObservedAs::Points => {
            let (field, quantity) = (args.field.as_deref(), args.quantity);
            let observed = observed::from_layer(vectors, with, &grid, field, quantity, warnings)?;
            return at_points(args, &observed, result, thresholds[0], warnings);
        }
        _ if result.levels.is_some() => return Err(raster::map_refused(&file)),
        Some(vectors) => (extent::burn(vectors, with, &grid, warnings)?, RasterMeaning::Extent),
        None => other_raster(args, &grid, warnings)?,
    };
    // After the errors of the inputs.
    let target = target.transpose()?;
    let cells = maps::count(&depths, &other.values);
    if cells.compared == 0 {
        let [west, south, east, north] = grid.extent();
        return Err(Error::input(format!(
            "with: there is no cell in which both '{}' and the result have a value",
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
    let of_maps = MapStatistics {
        warped: other.warped,
        cells,
        cell_area_m2: grid.cell_area(),
        thresholds: figures,
        difference: args.difference.clone(),
    };
    Ok(match meaning {
        RasterMeaning::Depth => Figures::Depth(of_maps),
        RasterMeaning::Extent => Figures::Extent(of_maps),
    })
}

/// Reads the other raster on the result's grid, and determines its content.
fn other_raster(
    args: &CompareArgs,
    grid: &Grid,
    warnings: &mut Vec<String>,
) -> Result<(Compared, RasterMeaning)> {
    let path = raster::named(&args.with, "with")?;
    let mut file = RasterFile::open(&path, "with")?;
    let meaning = match args.meaning {
        Some(meaning) => meaning,
        None if raster::looks_like_extent(&file)? => RasterMeaning::Extent,
        None => RasterMeaning::Depth,
    };
    let mut map = raster::read(&mut file, grid, meaning, args.dry_nodata, warnings)?;
    let touches = map.values.iter().any(|value| !value.is_nan());
    if args.dry_nodata && touches {
        map.values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
    } else if meaning == RasterMeaning::Extent && touches && !map.values.contains(&0.0) {
        warnings.push(format!(
            "with: '{}' is dry nowhere, so there can be no false alarm; if its NoData means dry, give --dry-nodata",
            path.display()
        ));
    }
    Ok((map, meaning))
}

fn at_points(
    args: &CompareArgs,
    observed: &points::Observed,
    result: ComparedResult,
    threshold: f64,
    warnings: &mut Vec<String>,
) -> Result<Figures> {
    if args.difference.is_some() {
        return Err(Error::input("difference: a comparison with points has no difference map")
            .hint("--json lists the difference at every point"));
    }
    let ComparedResult { file, grid, depths, levels } = result;
    let levels = match (observed.quantity, levels) {
        (ObservedQuantity::Depth, None) => None,
        (ObservedQuantity::Depth, Some(_)) => return Err(raster::map_refused(file)),
        (ObservedQuantity::Level, Some(levels)) => {
            warnings.extend(args.idle_for_levels());
            Some(levels)
        }
        (ObservedQuantity::Level, None) => {
            Some(LevelSource::of(&file.path, args.dem.as_deref(), grid, warnings)?)
        }
    };
    let skip = args.skip_outside;
    let figures = points::compare(observed, grid, depths, levels.as_ref(), threshold, skip)?;
    if figures.outside > 0 {
        let count = figures.outside;
        warnings.push(format!("with: {count} points are where the result has no value; left out"));
    }
    Ok(Figures::Points(figures))
}
