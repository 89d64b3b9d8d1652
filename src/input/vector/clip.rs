//! Clipping of geometries to the surroundings of the grid. A wrong coordinate can make a geometry
//! reach around the Earth or further; GDAL's rasterizer would traverse all of it, or overflow.

use crate::engine::grid::Grid;
use gdal::errors::Result;
use gdal::vector::{Geometry, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType as Type;

/// Distance beyond the grid to which a geometry is kept (cells). A geometry within it is not
/// changed.
const FAR: f64 = 1024.0;

type Point = (f64, f64);

/// Returns `true` if all coordinates of a geometry are finite.
pub fn is_finite(geometry: &Geometry) -> bool {
    !any_point(geometry, &|(x, y)| !x.is_finite() || !y.is_finite())
}

/// Clips lines or polygons in the grid's CRS to the surroundings of the grid; the result may be
/// empty. `None` if nothing has to be clipped.
pub fn about(geometry: &Geometry, grid: &Grid) -> Result<Option<Geometry>> {
    to_rectangle(geometry, surroundings(grid))
}

/// Returns the west, south, east and north limit of what [`about`] keeps.
pub fn surroundings(grid: &Grid) -> [f64; 4] {
    let [west, south, east, north] = grid.extent();
    let (x, y) = (FAR * grid.transform[1].abs(), FAR * grid.transform[5].abs());
    [west - x, south - y, east + x, north + y]
}

/// Clips lines or polygons to a rectangle (west, south, east and north limit); the result may be
/// empty. `None` if nothing has to be clipped.
pub fn to_rectangle(geometry: &Geometry, rectangle: [f64; 4]) -> Result<Option<Geometry>> {
    let limits = Limits(rectangle);
    let envelope = geometry.envelope();
    let corners = [(envelope.MinX, envelope.MinY), (envelope.MaxX, envelope.MaxY)];
    if corners.iter().all(|corner| limits.sides().iter().all(|side| side.holds(*corner))) {
        return Ok(None);
    }
    match geometry_type_flatten(geometry.geometry_type()) {
        Type::wkbPolygon | Type::wkbMultiPolygon => {
            let mut all = Geometry::empty(Type::wkbMultiPolygon)?;
            polygons(geometry, &limits, &mut all)?;
            Ok(Some(all))
        }
        Type::wkbLineString | Type::wkbMultiLineString => {
            let mut all = Geometry::empty(Type::wkbMultiLineString)?;
            lines(geometry, &limits, &mut all)?;
            Ok(Some(all))
        }
        _ => Ok(None),
    }
}

/// Clips polygons to a rectangle: its west, south, east and north limit.
pub fn within(geometry: &Geometry, rectangle: [f64; 4]) -> Result<Geometry> {
    let mut all = Geometry::empty(Type::wkbMultiPolygon)?;
    polygons(geometry, &Limits(rectangle), &mut all)?;
    Ok(all)
}

/// Returns the area of a ring, negative if it runs clockwise; its last point is joined to the first.
pub fn ring_area(ring: &[Point]) -> f64 {
    let Some(&(x0, y0)) = ring.first() else { return 0.0 };
    let cross =
        |pair: &[Point]| (pair[0].0 - x0) * (pair[1].1 - y0) - (pair[1].0 - x0) * (pair[0].1 - y0);
    ring.windows(2).map(cross).sum::<f64>() / 2.0
}

/// Like [`ring_area`], of the part in a rectangle (west, south, east and north limit); 0 for a ring
/// with a point that is not finite.
pub fn ring_area_within(ring: &[Point], rectangle: [f64; 4]) -> f64 {
    let sides = Limits(rectangle).sides();
    let is_beyond = |side: &Side| !ring.iter().any(|point| side.holds(*point));
    if !ring.iter().all(|(x, y)| x.is_finite() && y.is_finite()) || sides.iter().any(is_beyond) {
        return 0.0;
    }
    ring_area(&sides.into_iter().fold(ring.to_vec(), |ring, side| cut_ring(&ring, side)))
}

/// Moves points of lines or polygons on an outer edge of the grid just inside, where the rasterizer
/// finds their cells; `None` if there are none.
pub fn pull_in(geometry: &Geometry, grid: &Grid) -> Result<Option<Geometry>> {
    let [west, dx, _, north, _, dy] = grid.transform;
    let inside = |&(x, y): &Point| {
        let (column, row) = grid.place_of(x, y);
        let moved = (column, row) != ((x - west) / dx, (y - north) / dy);
        if moved { (west + column * dx, north + row * dy) } else { (x, y) }
    };
    if !any_point(geometry, &|point| inside(point) != *point) {
        return Ok(None);
    }
    with_points(geometry, &inside).map(Some)
}

/// Returns `true` if any point of a geometry meets a condition.
fn any_point(geometry: &Geometry, is: &impl Fn(&Point) -> bool) -> bool {
    match geometry.geometry_count() {
        0 => points(geometry).iter().any(is),
        parts => (0..parts).any(|part| any_point(&geometry.get_geometry(part), is)),
    }
}

/// Copies a geometry of lines or polygons with its points moved.
fn with_points(geometry: &Geometry, moved: &impl Fn(&Point) -> Point) -> Result<Geometry> {
    let kind = geometry_type_flatten(geometry.geometry_type());
    if geometry.geometry_count() == 0 {
        let points: Vec<Point> = points(geometry).iter().map(moved).collect();
        return path(kind, &points);
    }
    let mut all = Geometry::empty(kind)?;
    for part in 0..geometry.geometry_count() {
        let part = geometry.get_geometry(part);
        all.add_geometry(match kind {
            Type::wkbPolygon => {
                let points: Vec<Point> = points(&part).iter().map(moved).collect();
                path(Type::wkbLinearRing, &points)?
            }
            _ => with_points(&part, moved)?,
        })?;
    }
    Ok(all)
}

fn points(geometry: &Geometry) -> Vec<Point> {
    let mut points = Vec::new();
    geometry.get_points(&mut points);
    points.into_iter().map(|(x, y, _)| (x, y)).collect()
}

/// West, south, east and north limit of what is kept.
struct Limits([f64; 4]);

/// Limit on one side, and the half-plane that is kept.
#[derive(Clone, Copy)]
struct Side {
    /// Compared coordinate: 0 for x, 1 for y.
    axis: usize,
    limit: f64,
    /// `true` if coordinates above the limit are kept.
    above: bool,
}

impl Limits {
    fn sides(&self) -> [Side; 4] {
        let side = |axis, limit, above| Side { axis, limit, above };
        let [west, south, east, north] = self.0;
        [side(0, west, true), side(1, south, true), side(0, east, false), side(1, north, false)]
    }
}

impl Side {
    fn holds(self, point: Point) -> bool {
        let place = [point.0, point.1][self.axis];
        if self.above { place >= self.limit } else { place <= self.limit }
    }

    /// Intersects the side with the segment between two points, exactly one of which it keeps.
    /// Halved coordinates cannot overflow.
    fn crossing(self, from: Point, to: Point) -> Point {
        let of = |point: Point| [point.0 / 2.0, point.1 / 2.0];
        let (from, to) = (of(from), of(to));
        let way = [to[0] - from[0], to[1] - from[1]];
        let part = (self.limit / 2.0 - from[self.axis]) / way[self.axis];
        let other = 1 - self.axis;
        let mut at = [0.0; 2];
        at[self.axis] = self.limit;
        at[other] = 2.0 * (from[other] + part * way[other]);
        (at[0], at[1])
    }
}

/// Adds the clipped polygons. A ring is cut by one side after the other (Sutherland and Hodgman
/// 1974, "Reentrant polygon clipping"): where it was outside, it now runs along a side, far beyond
/// the grid.
fn polygons(geometry: &Geometry, limits: &Limits, all: &mut Geometry) -> Result<()> {
    if geometry_type_flatten(geometry.geometry_type()) != Type::wkbPolygon {
        return (0..geometry.geometry_count())
            .try_for_each(|part| polygons(&geometry.get_geometry(part), limits, all));
    }
    let mut polygon = Geometry::empty(Type::wkbPolygon)?;
    for ring in 0..geometry.geometry_count() {
        let mut left = points(&geometry.get_geometry(ring));
        // The last point repeats the first.
        left.pop();
        for side in limits.sides() {
            left = cut_ring(&left, side);
        }
        // A polygon without its outer ring is dropped.
        if left.len() < 3 && ring == 0 {
            return Ok(());
        }
        if left.len() >= 3 {
            left.push(left[0]);
            polygon.add_geometry(path(Type::wkbLinearRing, &left)?)?;
        }
    }
    if polygon.geometry_count() > 0 { all.add_geometry(polygon) } else { Ok(()) }
}

/// Returns the part of a ring that a side keeps; the last point is joined to the first.
fn cut_ring(ring: &[Point], side: Side) -> Vec<Point> {
    let mut left = Vec::with_capacity(ring.len() + 4);
    for (at, &to) in ring.iter().enumerate() {
        let from = ring[(at + ring.len() - 1) % ring.len()];
        if side.holds(from) != side.holds(to) {
            left.push(side.crossing(from, to));
        }
        if side.holds(to) {
            left.push(to);
        }
    }
    left
}

/// Adds the parts of lines within the limits.
fn lines(geometry: &Geometry, limits: &Limits, all: &mut Geometry) -> Result<()> {
    if geometry_type_flatten(geometry.geometry_type()) != Type::wkbLineString {
        return (0..geometry.geometry_count())
            .try_for_each(|part| lines(&geometry.get_geometry(part), limits, all));
    }
    let mut piece: Vec<Point> = Vec::new();
    let mut end = |piece: &mut Vec<Point>| -> Result<()> {
        let points = std::mem::take(piece);
        if points.len() > 1 {
            all.add_geometry(path(Type::wkbLineString, &points)?)
        } else {
            Ok(())
        }
    };
    for pair in points(geometry).windows(2) {
        let Some((from, to)) = cut_way(pair[0], pair[1], limits) else {
            end(&mut piece)?;
            continue;
        };
        if piece.last() != Some(&from) {
            end(&mut piece)?;
            piece.push(from);
        }
        piece.push(to);
    }
    end(&mut piece)
}

/// Returns the part of the segment between two points that is within the limits.
fn cut_way(mut from: Point, mut to: Point, limits: &Limits) -> Option<(Point, Point)> {
    for side in limits.sides() {
        match (side.holds(from), side.holds(to)) {
            (true, true) => {}
            (false, false) => return None,
            (true, false) => to = side.crossing(from, to),
            (false, true) => from = side.crossing(from, to),
        }
    }
    Some((from, to))
}

fn path(kind: gdal_sys::OGRwkbGeometryType::Type, points: &[Point]) -> Result<Geometry> {
    let mut path = Geometry::empty(kind)?;
    points.iter().for_each(|point| path.add_point_2d(*point));
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(wkt: &str) -> Option<String> {
        // On 5 × 4 squares of 10 m, the limits are −10240 and 10290 in x, −10240 and 10280 in y.
        let grid = Grid::plain(5, 4, 10.0);
        about(&Geometry::from_wkt(wkt).unwrap(), &grid).unwrap().map(|left| left.wkt().unwrap())
    }

    #[test]
    fn what_stays_near_is_not_touched() {
        assert_eq!(clipped("POLYGON ((0 0, 9000 0, 9000 40, 0 40, 0 0))"), None);
        assert_eq!(clipped("LINESTRING (-5000 1, 5000 2)"), None);
    }

    #[test]
    fn what_goes_far_is_cut() {
        let strip = clipped("POLYGON ((0 0, 1e300 0, 1e300 40, 0 40, 0 0))").unwrap();
        assert!(strip.contains("10290 0") && strip.contains("10290 40"), "{strip}");
        let line = clipped("LINESTRING (-1e308 20, 20 20, 20 1e12)").unwrap();
        assert_eq!(line, "MULTILINESTRING ((-10240 20,20 20,20 10280))");
        let away = clipped("POLYGON ((1e9 1e9, 2e9 1e9, 2e9 2e9, 1e9 1e9))").unwrap();
        assert_eq!(away, "MULTIPOLYGON EMPTY");
        let hole =
            "POLYGON ((-1e9 -1e9, 1e9 -1e9, 1e9 1e9, -1e9 1e9, -1e9 -1e9), (1 1, 2 1, 2 2, 1 1))";
        assert!(clipped(hole).unwrap().ends_with("),(1 1,2 1,2 2,1 1)))"));
    }

    #[test]
    fn coordinates_that_are_not_finite_are_found() {
        let mut line = Geometry::from_wkt("LINESTRING (1 2, 3 4)").unwrap();
        assert!(is_finite(&line));
        line.add_point_2d((f64::INFINITY, 1.0));
        assert!(!is_finite(&line));
    }
}
