//! Position of points relative to the DEM, and the most likely fault of points far from it.

use crate::engine::grid::{CellLocation, Grid};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::raster::RasterFile;
use crate::words::{self, and_more, counted};
use rayon::prelude::*;

/// Minimum size of the surroundings of a DEM (m); otherwise they extend by the length of its
/// diagonal.
const SURROUNDINGS: f64 = 50_000.0;
/// Maximum number of points named in a message.
const NAMED: usize = 4;

/// Coordinates in the DEM's CRS.
pub type Coordinates = (f64, f64);

/// Describes the extent of the DEM, for hints.
pub fn covered(grid: &Grid) -> String {
    let [west, south, east, north] = grid.extent();
    format!("the DEM covers x {west} to {east}, y {south} to {north}")
}

/// Returns the distance of a point from the DEM (m).
pub fn distance(grid: &Grid, (x, y): Coordinates) -> f64 {
    let [west, south, east, north] = grid.extent();
    let beyond = |at: f64, low: f64, high: f64| (low - at).max(at - high).max(0.0);
    beyond(x, west, east).hypot(beyond(y, south, north)) * grid.metres_per_unit()
}

/// Returns how far the surroundings extend beyond the DEM (m).
fn reach(grid: &Grid) -> f64 {
    let (width, height) = (grid.columns as f64 * grid.dx, grid.rows as f64 * grid.dy);
    SURROUNDINGS.max(width.hypot(height))
}

/// Returns the most likely fault of points outside the DEM, as the end of a hint; empty if none is
/// likely.
pub fn likely(grid: &Grid, points: &[Coordinates]) -> &'static str {
    let [west, south, east, north] = grid.extent();
    let like_degrees = |x: f64, y: f64| {
        let [least, most] = [x.abs().min(y.abs()), x.abs().max(y.abs())];
        least <= 90.0 && most <= 180.0
    };
    let dem_too = like_degrees(west, south) && like_degrees(east, north);
    if are_swapped(grid, points) {
        ", and x and y look swapped"
    } else if !dem_too && points.iter().all(|&(x, y)| like_degrees(x, y)) {
        match points {
            [_] => " in its CRS, and the point looks like degrees",
            _ => " in its CRS, and the points look like degrees",
        }
    } else {
        ""
    }
}

/// Returns `true` if points are outside the DEM, and would be on it with x and y swapped.
fn are_swapped(grid: &Grid, points: &[Coordinates]) -> bool {
    let is = |&(x, y): &Coordinates| grid.cell_at(x, y).is_none() && grid.cell_at(y, x).is_some();
    points.iter().all(is)
}

/// Returns the error for a raster that does not overlap the DEM; `what` is appended.
pub fn misses(file: &RasterFile, grid: &Grid, what: &str) -> Error {
    let (covered, shown) = (covered(grid), file.path.display());
    file.wrong(format_args!("does not touch the DEM{what}"))
        .hint(format!("{covered}; compare with gdalinfo '{shown}', and check its CRS"))
}

/// Returns the centre of the free cell nearest to a point, for the end of a hint; empty if no cell
/// is free.
pub fn nearest_free((x, y): Coordinates, ground: Topography) -> String {
    let grid = ground.grid;
    let far = |cell: &usize| {
        let at = grid.spot(*cell);
        (at.x - x).hypot(at.y - y)
    };
    let free = (0..grid.cells()).into_par_iter().filter(|cell| ground.is_free(*cell));
    // Of equally near cells the first, whatever the number of threads.
    let nearest = free.min_by(|a, b| far(a).total_cmp(&far(b)).then(a.cmp(b)));
    nearest.map_or(String::new(), |cell| {
        let CellLocation { x, y, column, row } = grid.spot(cell);
        format!("; the nearest free cell is at {x},{y} ({})", words::place(column, row))
    })
}

/// Checks points that may be outside the DEM, like rain gauges: the points of `whose` (`rain:
/// 'gauges.csv'`), each with a name. Returns a warning about distant points, with their distances.
///
/// # Errors
/// If all points are outside the DEM and its surroundings, or would be on it with x and y swapped.
pub fn judge(
    grid: &Grid,
    whose: &str,
    (one, many): (&str, &str),
    points: &[(String, Coordinates)],
) -> Result<Option<String>> {
    let reach = reach(grid);
    let places: Vec<Coordinates> = points.iter().map(|(_, point)| *point).collect();
    let far: Vec<(&str, f64)> = points
        .iter()
        .map(|(name, point)| (name.as_str(), distance(grid, *point)))
        .filter(|&(_, metres)| metres > reach)
        .collect();
    let why = likely(grid, &places);
    let nearest = places.iter().map(|&at| distance(grid, at)).fold(f64::INFINITY, f64::min);
    if !points.is_empty() && (far.len() == points.len() || are_swapped(grid, &places)) {
        let (all, nearest) = (counted(points.len(), one, many), show(nearest));
        let (are_outside, from) = match points {
            [_] => ("is outside the DEM and its surroundings", format!("{nearest} from it")),
            _ => (
                "are outside the DEM and its surroundings",
                format!("the nearest {nearest} from it"),
            ),
        };
        return Err(Error::input(format!("{whose}: {all} {are_outside}, {from}")).hint(format!(
            "{}{why}; give points in its CRS, no more than {} beside it",
            covered(grid),
            show(reach)
        )));
    }
    let named = far.iter().map(|(name, metres)| format!("{name} ({})", show(*metres)));
    let named = and_more(named, NAMED);
    let are = if far.len() == 1 { "is" } else { "are" };
    Ok((!far.is_empty()).then(|| {
        format!(
            "{whose}: {} of {} {many} {are} far from the DEM: {named}; check their coordinates",
            far.len(),
            points.len()
        )
    }))
}

/// Formats a distance (m).
fn show(metres: f64) -> String {
    match metres / 1000.0 {
        km if km >= 10.0 => format!("{km:.0} km"),
        km => format!("{km:.1} km"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let transform = [500_000.0, 10.0, 0.0, 5_000_000.0, 0.0, -10.0];
        Grid { transform, ..Grid::plain(12, 8, 10.0) }
    }

    fn judged(points: &[Coordinates]) -> Result<Option<String>> {
        let points: Vec<_> = points.iter().map(|&point| ("line 2".to_string(), point)).collect();
        judge(&grid(), "rain: 'g.csv'", ("gauge", "gauges"), &points)
    }

    #[test]
    fn points_beside_the_dem_are_its_own() {
        assert_eq!(judged(&[(500_010.0, 4_999_990.0), (530_000.0, 4_980_000.0)]).unwrap(), None);
        assert_eq!(distance(&grid(), (500_150.0, 5_000_040.0)), 50.0);
        assert_eq!(judged(&[]).unwrap(), None);
    }

    #[test]
    fn one_far_off_is_told_with_its_distance() {
        let warning =
            judged(&[(500_010.0, 4_999_990.0), (700_120.0, 5_000_000.0)]).unwrap().unwrap();
        assert!(
            warning.contains("1 of 2 gauges is far from the DEM: line 2 (200 km)"),
            "{warning}"
        );
    }

    #[test]
    fn degrees_and_swapped_axes_are_named() {
        let hint = |points: &[Coordinates]| judged(points).unwrap_err().hint.unwrap();
        assert!(hint(&[(15.0, 45.1), (15.1, 45.2)]).contains("the points look like degrees"));
        assert!(hint(&[(4_999_990.0, 500_010.0)]).contains("x and y look swapped"));
        // In a grid with similar coordinates on both axes, swapped points may be near.
        let near = Grid { transform: [400_000.0, 10.0, 0.0, 410_000.0, 0.0, -10.0], ..grid() };
        let swapped = [("line 2".to_string(), (409_950.0, 400_050.0))];
        assert!(judge(&near, "rain: 'g.csv'", ("gauge", "gauges"), &swapped).is_err());
    }
}
