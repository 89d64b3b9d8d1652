//! Invalid polygons: rings that cross or overlap, and holes or parts in the wrong place. GDAL's area
//! of such a polygon is too small or 0, and its rasterizer may find no cells.

use crate::input::gdal_access::gdal_log;
use gdal::cpl::CslStringList;
use gdal::errors::Result;
use gdal::vector::{Geometry, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType as Type;
use geo::coordinate_position::{CoordPos, coord_pos_relative_to_ring};
use geo::line_intersection::{LineIntersection, line_intersection};
use geo::{Line, LineString, Polygon};
use std::iter;

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

/// Polygons in the plane.
struct Outline(Vec<Polygon>);

/// Edge of a ring, from west to east, with the numbers of its ring and in the ring.
struct Edge {
    line: Line,
    ring: usize,
    number: usize,
    /// Number of edges of the ring.
    count: usize,
}

impl Outline {
    /// Returns the outline of polygons; `None` for another geometry.
    fn of(geometry: &Geometry) -> Option<Outline> {
        match geometry_type_flatten(geometry.geometry_type()) {
            Type::wkbPolygon => Some(Outline(vec![polygon(geometry)])),
            Type::wkbMultiPolygon => {
                let parts = (0..geometry.geometry_count()).map(|at| geometry.get_geometry(at));
                Some(Outline(parts.map(|part| polygon(&part)).collect()))
            }
            _ => None,
        }
    }

    fn is_valid(&self) -> bool {
        let mut edges = self.edges();
        edges.sort_unstable_by(|a, b| a.line.start.x.total_cmp(&b.line.start.x));
        let crosses = |(at, edge): (usize, &Edge)| {
            let beside = edges[at + 1..].iter();
            let mut beside = beside.take_while(|other| other.line.start.x <= edge.line.end.x);
            beside.any(|other| edge.conflicts_with(other))
        };
        !edges.iter().enumerate().any(crosses) && self.is_nested_well()
    }

    /// Returns the edges of all rings, except those of no length.
    fn edges(&self) -> Vec<Edge> {
        let rings =
            self.0.iter().flat_map(|part| iter::once(part.exterior()).chain(part.interiors()));
        let mut edges = Vec::new();
        for (ring, points) in rings.enumerate() {
            let lines: Vec<Line> = points.lines().filter(|line| line.start != line.end).collect();
            let count = lines.len();
            edges.extend(lines.into_iter().enumerate().map(|(number, Line { start, end })| {
                let line =
                    if start.x <= end.x { Line { start, end } } else { Line::new(end, start) };
                Edge { line, ring, number, count }
            }));
        }
        edges
    }

    /// Returns `true` if holes are inside their shells, and parts outside each other. No edges may
    /// cross.
    fn is_nested_well(&self) -> bool {
        let strays = |part: &Polygon| {
            part.interiors().iter().any(|hole| is_in(hole, part.exterior()) == Some(false))
        };
        let is_covered = |(at, part): (usize, &Polygon)| {
            let others = self.0.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().any(|(_, other)| {
                is_in(part.exterior(), other.exterior()) == Some(true)
                    && other
                        .interiors()
                        .iter()
                        .all(|hole| is_in(part.exterior(), hole) == Some(false))
            })
        };
        !self.0.iter().any(strays) && !self.0.iter().enumerate().any(is_covered)
    }
}

impl Edge {
    /// Returns `true` if two edges cross or overlap, or touch although they belong to the same ring
    /// and are not neighbours.
    fn conflicts_with(&self, other: &Edge) -> bool {
        let apart = self.number.abs_diff(other.number);
        let are_neighbours = apart == 1 || apart + 1 == self.count;
        match line_intersection(self.line, other.line) {
            None => false,
            Some(LineIntersection::Collinear { .. }) => true,
            Some(LineIntersection::SinglePoint { is_proper, .. }) => {
                is_proper || (self.ring == other.ring && !are_neighbours)
            }
        }
    }
}

/// Returns whether a ring is inside another that it does not cross, by its first point that is not
/// on the other; `None` if all are.
fn is_in(ring: &LineString, other: &LineString) -> Option<bool> {
    ring.coords().find_map(|point| match coord_pos_relative_to_ring(*point, other) {
        CoordPos::Inside => Some(true),
        CoordPos::Outside => Some(false),
        CoordPos::OnBoundary => None,
    })
}

fn polygon(geometry: &Geometry) -> Polygon {
    let mut rings = (0..geometry.geometry_count()).map(|at| ring(&geometry.get_geometry(at)));
    Polygon::new(rings.next().unwrap_or_else(LineString::empty), rings.collect())
}

fn ring(geometry: &Geometry) -> LineString {
    let mut points = Vec::new();
    geometry.get_points(&mut points);
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
