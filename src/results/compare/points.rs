//! Compares observed depths or levels at points with the cells that contain them.

use super::levels::LevelSource;
use super::metrics::{Differences, Errors};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::words::and_more;
use serde::Serialize;
use std::fmt;

/// Maximum number of points named in a message.
const NAMED: usize = 5;

/// Observed quantity at points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ObservedQuantity {
    /// Depth above ground (m)
    Depth,
    /// Water level above the DEM's zero (m)
    Level,
}

impl ObservedQuantity {
    /// Derives the quantity from a column's name.
    pub fn of(name: &str) -> Option<ObservedQuantity> {
        let name = name.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match (says(&["depth"]), says(&["level", "stage", "wse", "wsl"])) {
            (true, false) => Some(ObservedQuantity::Depth),
            (false, true) => Some(ObservedQuantity::Level),
            _ => None,
        }
    }
}

impl fmt::Display for ObservedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ObservedQuantity::Depth => "depth",
            ObservedQuantity::Level => "level",
        })
    }
}

/// Points as observed, in the CRS of the result.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Observed quantity at the points.
    pub quantity: ObservedQuantity,
    /// Name, x, y and value (m) of each point.
    pub points: Vec<(String, f64, f64, f64)>,
}

/// A point, observed and computed.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedPoint {
    /// Name or number of the point.
    pub name: String,
    /// Easting in the result's CRS.
    pub x: f64,
    /// Northing in the result's CRS.
    pub y: f64,
    /// Observed value (m).
    pub observed: f64,
    /// Computed value (m); `None` for a level where the result is dry.
    pub modelled: Option<f64>,
    /// Difference, result − observed (m).
    pub difference: Option<f64>,
}

/// Comparison at all points.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Observed quantity at the points.
    pub quantity: ObservedQuantity,
    /// Errors over all points with a difference (m).
    pub errors: Errors,
    /// Number of points where the result is dry.
    pub dry: usize,
    /// Number of points left out because the result has no value there.
    pub outside: usize,
    /// Comparison at each point.
    pub points: Vec<ComparedPoint>,
}

/// Compares points with the cells that contain them. A level is compared only if the result is wet
/// there, that is at least `threshold` (m) deep.
pub fn compare(
    observed: &Observed,
    grid: &Grid,
    depths: &[f32],
    levels: Option<&LevelSource>,
    threshold: f64,
    skip_outside: bool,
) -> Result<Figures> {
    let mut outside = Vec::new();
    let (mut points, mut dry) = (Vec::new(), 0);
    let mut differences = Differences::default();
    for (name, x, y, value) in &observed.points {
        let (name, x, y, observed_m) = (name.clone(), *x, *y, *value);
        let cell = grid.cell_at(x, y).map(|(column, row)| row * grid.columns + column);
        let Some(cell) = cell.filter(|&cell| !depths[cell].is_nan()) else {
            outside.push(format!("{name} ({x}, {y})"));
            continue;
        };
        let wet = depths[cell] >= threshold as f32;
        dry += usize::from(!wet);
        let depth = f64::from(depths[cell]);
        let modelled = match observed.quantity {
            ObservedQuantity::Depth => Some(depth),
            ObservedQuantity::Level => {
                levels.filter(|_| wet).and_then(|levels| levels.at(cell, depth))
            }
        };
        let difference = modelled.map(|modelled| modelled - observed_m);
        difference.into_iter().for_each(|difference| differences.add(difference));
        points.push(ComparedPoint { name, x, y, observed: observed_m, modelled, difference });
    }
    if !outside.is_empty() && (!skip_outside || points.is_empty()) {
        let [west, south, east, north] = grid.extent();
        let mut hint =
            format!("it covers x {west} to {east}, y {south} to {north}, NoData excepted");
        let is_degrees =
            |(_, x, y, _): &(String, f64, f64, f64)| x.abs() <= 360.0 && y.abs() <= 90.0;
        if observed.points.iter().all(is_degrees) {
            hint += "; if the points are in degrees, give --crs EPSG:4326";
        }
        if !points.is_empty() {
            hint += "; --skip-outside leaves such points out";
        }
        return Err(Error::input(format!(
            "with: the result has no value at {} of {} points: {}",
            outside.len(),
            observed.points.len(),
            and_more(outside.iter(), NAMED)
        ))
        .hint(hint));
    }
    let errors = differences.errors().ok_or_else(|| {
        Error::input(format!(
            "with: the result is dry at all {} points, so it has no level there (wet is from {threshold} m)",
            points.len()
        ))
        .hint("compare depths, or use a smaller depth with --threshold")
    })?;
    let outside = outside.len();
    Ok(Figures { quantity: observed.quantity, errors, dry, outside, points })
}
