//! Invalid polygons: rings that cross or overlap, and holes or parts in the wrong place. GDAL's area
//! of such a polygon is too small or 0, and its rasterizer may find no cells.

use crate::input::gdal_access::gdal_log;
use gdal::cpl::CslStringList;
use gdal::errors::Result;
use gdal::vector::{Geometry, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType as Type;

type Point = (f64, f64);

/// Validity of a geometry.
pub enum Validity {
    /// It is valid, or not made of polygons.
    Valid,
    /// It is invalid; its valid counterpart.
    Repaired(Geometry),
    /// It is invalid, and GDAL cannot repair it, for example because it was built without GEOS.
    Invalid,
}

impl Validity {
    /// Checks polygons, and repairs them if they are invalid.
    pub fn of(geometry: &Geometry) -> Validity {
        match Outline::of(geometry) {
            Some(outline) if !outline.is_valid() => {
                repaired(geometry).map_or(Validity::Invalid, Validity::Repaired)
            }
            _ => Validity::Valid,
        }
    }

    /// Returns the valid counterpart of the geometry, if it was repaired.
    pub fn repaired(&self) -> Option<&Geometry> {
        match self {
            Validity::Repaired(geometry) => Some(geometry),
            _ => None,
        }
    }
}

/// Repairs polygons; `None` if nothing remains or GDAL cannot do it.
fn repaired(geometry: &Geometry) -> Option<Geometry> {
    let repair = |method: &str| -> Result<Geometry> {
        let mut options = CslStringList::new();
        options.set_name_value("METHOD", method)?;
        let mut polygons = Geometry::empty(Type::wkbMultiPolygon)?;
        collect(&geometry.make_valid(&options)?, &mut polygons)?;
        Ok(polygons)
    };
    // GEOS before 3.10 has only the second method, which takes overlapping parts for holes.
    let repaired = repair("STRUCTURE").or_else(|_| repair("LINEWORK"));
    // The messages of a failure do not concern the reader of the layer.
    gdal_log::take();
    repaired.ok().filter(|polygons| polygons.area() > 0.0)
}

/// Adds the polygons of a geometry to a multipolygon.
fn collect(geometry: &Geometry, polygons: &mut Geometry) -> Result<()> {
    if geometry_type_flatten(geometry.geometry_type()) == Type::wkbPolygon {
        return polygons.add_geometry(geometry.clone());
    }
    (0..geometry.geometry_count())
        .try_for_each(|part| collect(&geometry.get_geometry(part), polygons))
}

/// Rings of polygons: of each part its shell and its holes.
struct Outline(Vec<Vec<Vec<Point>>>);

/// Edge of a ring, from west to east, with the numbers of its ring and in the ring.
struct Edge {
    from: Point,
    to: Point,
    ring: usize,
    number: usize,
    /// Number of edges of the ring.
    count: usize,
}

impl Outline {
    /// Returns the rings of polygons; `None` for another geometry.
    fn of(geometry: &Geometry) -> Option<Outline> {
        let part = |polygon: &Geometry| -> Vec<Vec<Point>> {
            let rings = (0..polygon.geometry_count()).map(|ring| polygon.get_geometry(ring));
            rings.map(|ring| points(&ring)).collect()
        };
        match geometry_type_flatten(geometry.geometry_type()) {
            Type::wkbPolygon => Some(Outline(vec![part(geometry)])),
            Type::wkbMultiPolygon => {
                let parts = (0..geometry.geometry_count()).map(|at| geometry.get_geometry(at));
                Some(Outline(parts.map(|polygon| part(&polygon)).collect()))
            }
            _ => None,
        }
    }

    fn is_valid(&self) -> bool {
        let mut edges = self.edges();
        edges.sort_unstable_by(|a, b| a.from.0.total_cmp(&b.from.0));
        let crosses = |(at, edge): (usize, &Edge)| {
            let beside = edges[at + 1..].iter().take_while(|other| other.from.0 <= edge.to.0);
            beside.into_iter().any(|other| edge.conflicts_with(other))
        };
        !edges.iter().enumerate().any(crosses) && self.is_nested_well()
    }

    /// Returns the edges of all rings, except those of no length.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (ring, points) in self.0.iter().flatten().enumerate() {
            let pairs = points.iter().zip(points.iter().cycle().skip(1));
            let pairs: Vec<(Point, Point)> =
                pairs.map(|(a, b)| (*a, *b)).filter(|(a, b)| a != b).collect();
            let count = pairs.len();
            edges.extend(pairs.into_iter().enumerate().map(|(number, (a, b))| {
                let (from, to) = if a.0 <= b.0 { (a, b) } else { (b, a) };
                Edge { from, to, ring, number, count }
            }));
        }
        edges
    }

    /// Returns `true` if holes are inside their shells, and parts outside each other. No edges may
    /// cross.
    fn is_nested_well(&self) -> bool {
        let is_outside = |hole: &Vec<Point>, shell: &Vec<Point>| is_in(hole, shell) == Some(false);
        let strays = |part: &Vec<Vec<Point>>| {
            part.split_first()
                .is_some_and(|(shell, holes)| holes.iter().any(|hole| is_outside(hole, shell)))
        };
        let shells: Vec<&Vec<Point>> = self.0.iter().filter_map(|part| part.first()).collect();
        let covers = |at: usize| {
            let others = self.0.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().any(|(_, part)| {
                let mut rings = part.iter();
                rings.next().is_some_and(|shell| is_in(shells[at], shell) == Some(true))
                    && !rings.any(|hole| is_in(shells[at], hole) != Some(false))
            })
        };
        !self.0.iter().any(strays) && (self.0.len() < 2 || !(0..shells.len()).any(covers))
    }
}

impl Edge {
    /// Returns `true` if two edges cross or overlap, or touch although they belong to the same ring
    /// and are not neighbours.
    fn conflicts_with(&self, other: &Edge) -> bool {
        let range = |edge: &Edge| (edge.from.1.min(edge.to.1), edge.from.1.max(edge.to.1));
        let ((low, high), (other_low, other_high)) = (range(self), range(other));
        if low > other_high || other_low > high {
            return false;
        }
        let of_other = [other.from, other.to].map(|point| side(self, point));
        let of_self = [self.from, self.to].map(|point| side(other, point));
        let crosses = |[a, b]: [f64; 2]| a * b < 0.0;
        if crosses(of_other) && crosses(of_self) {
            return true;
        }
        if of_other == [0.0; 2] && of_self == [0.0; 2] {
            // Along the longer axis, both are intervals on a line.
            let axis = |point: Point| {
                if (self.to.0 - self.from.0).abs() >= (self.to.1 - self.from.1).abs() {
                    point.0
                } else {
                    point.1
                }
            };
            let span = |edge: &Edge| {
                let (a, b) = (axis(edge.from), axis(edge.to));
                (a.min(b), a.max(b))
            };
            let ((first, last), (other_first, other_last)) = (span(self), span(other));
            return first.max(other_first) < last.min(other_last);
        }
        let apart = self.number.abs_diff(other.number);
        let are_neighbours = apart == 1 || apart + 1 == self.count;
        let touches = |edge: &Edge, points: [Point; 2], sides: [f64; 2]| {
            points.iter().zip(sides).any(|(point, side)| side == 0.0 && edge.spans(*point))
        };
        self.ring == other.ring
            && !are_neighbours
            && (touches(self, [other.from, other.to], of_other)
                || touches(other, [self.from, self.to], of_self))
    }

    /// Returns `true` if a point on the line of the edge is on the edge.
    fn spans(&self, (x, y): Point) -> bool {
        let (low, high) = (self.from.1.min(self.to.1), self.from.1.max(self.to.1));
        (self.from.0..=self.to.0).contains(&x) && (low..=high).contains(&y)
    }
}

/// Returns the side of an edge on which a point is, as the sign of a number; 0 on its line.
fn side(edge: &Edge, point: Point) -> f64 {
    let (x, y) = (edge.to.0 - edge.from.0, edge.to.1 - edge.from.1);
    x * (point.1 - edge.from.1) - y * (point.0 - edge.from.0)
}

/// Returns whether a ring is inside another that it does not cross, by its first point that is not
/// on the other; `None` if all are.
fn is_in(ring: &[Point], other: &[Point]) -> Option<bool> {
    ring.iter().find_map(|point| contains(other, *point))
}

/// Returns whether a ring contains a point; `None` if the point is on the ring.
fn contains(ring: &[Point], point: Point) -> Option<bool> {
    let mut inside = false;
    for (&a, &b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        let (from, to) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        let edge = Edge { from, to, ring: 0, number: 0, count: 0 };
        if side(&edge, point) == 0.0 && edge.spans(point) {
            return None;
        }
        if (a.1 > point.1) != (b.1 > point.1) {
            let x = a.0 + (point.1 - a.1) / (b.1 - a.1) * (b.0 - a.0);
            inside ^= point.0 < x;
        }
    }
    Some(inside)
}

/// Returns the points of a ring, without the last, which repeats the first.
fn points(ring: &Geometry) -> Vec<Point> {
    let mut points = Vec::new();
    ring.get_points(&mut points);
    points.pop();
    points.into_iter().map(|(x, y, _)| (x, y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(wkt: &str) -> bool {
        Outline::of(&Geometry::from_wkt(wkt).unwrap()).unwrap().is_valid()
    }

    #[test]
    fn valid_polygons_stay_as_they_are() {
        for wkt in [
            "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))",
            "POLYGON ((0 0, 4 0, 4 0, 4 4, 0 4, 0 0))",
            "POLYGON ((0 0, 2 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))",
            // A hole that touches its shell, and an island in a hole.
            "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (0 2, 2 1, 2 3, 0 2))",
            "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 8 1, 8 8, 1 8, 1 1)), ((3 3, 4 3, 4 4, 3 3)))",
            "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((4 4, 5 4, 5 5, 4 4)))",
        ] {
            assert!(is_valid(wkt), "{wkt}");
        }
    }

    #[test]
    fn invalid_polygons_are_found() {
        for wkt in [
            "POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))",
            "POLYGON ((0 0, 2 2, 4 4, 4 0, 2 2, 0 4, 0 0))",
            "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0, 4 0, 4 4, 0 4, 0 0))",
            "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (5 0, 6 0, 6 1, 5 1, 5 0))",
            "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((0 0, 4 0, 4 4, 0 4, 0 0)))",
            "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((1 1, 2 1, 2 2, 1 1)))",
            "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((2 2, 6 2, 6 3, 2 3, 2 2)))",
        ] {
            assert!(!is_valid(wkt), "{wkt}");
        }
    }
}
