//! Placement of labels on a map: without overlaps with each other, marks, lines or the map's
//! furniture.

use geo::{Intersects, Line, Rect};

/// A place on a map (SVG units).
pub type SvgPoint = (f64, f64);

/// Height of a line of text, and mean width of its letters with some reserve (SVG units).
const HEIGHT: f64 = 15.0;
const LETTER: f64 = 7.9;
/// Free space around a label.
const MARGIN: f64 = 2.0;
/// Minimum distance of a label from its mark, and the number and size of steps by which it is moved
/// out.
const LEAST: f64 = 10.0;
const RINGS: usize = 24;
const RING: f64 = 9.0;
/// Directions to try, best first: to the right, the left, above, below, and between.
const WAYS: [f64; 16] = [
    0.0, 180.0, 315.0, 225.0, 45.0, 135.0, 270.0, 90.0, 337.5, 202.5, 22.5, 157.5, 292.5, 247.5,
    67.5, 112.5,
];

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds(pub [f64; 4]);

impl Bounds {
    /// Returns a square around a point.
    pub fn about((x, y): SvgPoint, half: f64) -> Bounds {
        Bounds([x - half, y - half, x + half, y + half])
    }

    fn meets(&self, other: &Bounds) -> bool {
        let (Bounds([l, t, r, b]), Bounds([l2, t2, r2, b2])) = (self, other);
        l < r2 && l2 < r && t < b2 && t2 < b
    }

    fn distance(&self, (x, y): SvgPoint) -> f64 {
        let Bounds([left, top, right, bottom]) = *self;
        (x - x.clamp(left, right)).hypot(y - y.clamp(top, bottom))
    }

    /// Returns `true` if a line segment meets the rectangle.
    fn is_crossed(&self, from: SvgPoint, to: SvgPoint) -> bool {
        let Bounds([left, top, right, bottom]) = *self;
        Rect::new((left, top), (right, bottom)).intersects(&Line::new(from, to))
    }
}

/// Occupied parts of a map.
#[derive(Debug, Default)]
pub struct Occupied {
    rooms: Vec<Bounds>,
    lines: Vec<[SvgPoint; 2]>,
    marks: Vec<SvgPoint>,
    size: (f64, f64),
}

/// Placement of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    /// Left end of its baseline.
    pub at: SvgPoint,
    /// Position of its mark.
    pub from: SvgPoint,
    /// End of a leader line from its mark, if the label is not next to it.
    pub leader: Option<SvgPoint>,
}

impl Occupied {
    /// Creates an empty map of a width and height.
    pub fn new(size: (f64, f64)) -> Occupied {
        Occupied { size, ..Occupied::default() }
    }

    /// Keeps a rectangle free.
    pub fn room(&mut self, room: Bounds) {
        self.rooms.push(room);
    }

    /// Keeps a mark free, with a margin of `half` on each side; no other label is placed next to
    /// it.
    pub fn mark(&mut self, point: SvgPoint, half: f64) {
        self.rooms.push(Bounds::about(point, half));
        self.marks.push(point);
    }

    /// Keeps a line free.
    pub fn line(&mut self, points: &[SvgPoint]) {
        self.lines.extend(points.windows(2).map(|ends| [ends[0], ends[1]]));
    }

    /// Finds a place for the label of a mark at one of several points; `None` if there is no room.
    pub fn place(&mut self, name: &str, marks: &[SvgPoint]) -> Option<Name> {
        let letters: f64 = name.chars().map(|c| if c.is_ascii() { 1.0 } else { 1.8 }).sum();
        let (width, height) = (LETTER * letters, HEIGHT);
        for ring in 0..RINGS {
            let distance = LEAST + RING * ring as f64;
            for &mark in marks {
                for way in WAYS {
                    let (across, down) = (way.to_radians().cos(), way.to_radians().sin());
                    // The side of the label that faces the mark is at that distance from it.
                    let centre = (
                        mark.0 + across * (distance + 0.5 * width),
                        mark.1 + down * (distance + 0.5 * height),
                    );
                    let room = Bounds([
                        centre.0 - 0.5 * width - MARGIN,
                        centre.1 - 0.5 * height - MARGIN,
                        centre.0 + 0.5 * width + MARGIN,
                        centre.1 + 0.5 * height + MARGIN,
                    ]);
                    // Further out there is a line to the mark, so that labels are not confused.
                    if self.is_free(&room) && (ring > 1 || self.is_nearest(mark, &room)) {
                        self.rooms.push(room);
                        let at = (centre.0 - 0.5 * width, centre.1 + 0.32 * height);
                        let Bounds([left, top, right, bottom]) = room;
                        let leader = (mark.0.clamp(left, right), mark.1.clamp(top, bottom));
                        return Some(Name { at, from: mark, leader: (ring > 1).then_some(leader) });
                    }
                }
            }
        }
        None
    }

    /// Returns `true` if no other mark is nearer to a label.
    fn is_nearest(&self, own: SvgPoint, room: &Bounds) -> bool {
        let own_distance = room.distance(own);
        !self.marks.iter().any(|mark| *mark != own && room.distance(*mark) < own_distance + RING)
    }

    fn is_free(&self, room: &Bounds) -> bool {
        let Bounds([left, top, right, bottom]) = *room;
        left >= 0.0
            && top >= 0.0
            && right <= self.size.0
            && bottom <= self.size.1
            && !self.rooms.iter().any(|other| room.meets(other))
            && !self.lines.iter().any(|[from, to]| room.is_crossed(*from, *to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_off_each_other_and_off_lines() {
        let mut taken = Occupied::new((700.0, 500.0));
        let line = [(100.0, 100.0), (600.0, 120.0)];
        taken.line(&line);
        // Gauges all in one place, and along the line.
        let gauges: Vec<SvgPoint> = (0..20).map(|n| (300.0 + 4.0 * f64::from(n), 110.0)).collect();
        gauges.iter().for_each(|gauge| taken.mark(*gauge, 6.0));
        let before = taken.rooms.len();
        let names: Vec<Option<Name>> =
            gauges.iter().map(|gauge| taken.place("gauge 12", &[*gauge])).collect();
        assert!(names.iter().flatten().count() >= 18, "{names:?}");
        let rooms = taken.rooms[before..].to_vec();
        for (at, room) in rooms.iter().enumerate() {
            assert!(!room.is_crossed(line[0], line[1]));
            assert!(!taken.rooms[..before + at].iter().any(|other| room.meets(other)));
        }
        assert!(names.iter().flatten().any(|name| name.leader.is_some()));
    }

    #[test]
    fn a_name_is_not_taken_for_that_of_the_mark_beside() {
        let mut taken = Occupied::new((700.0, 500.0));
        let marks = [(300.0, 200.0), (307.0, 197.0)];
        marks.iter().for_each(|mark| taken.mark(*mark, 7.0));
        for (number, mark) in marks.into_iter().enumerate() {
            let name = taken.place("bridge", &[mark]).unwrap();
            let room = *taken.rooms.last().unwrap();
            let other = marks[1 - number];
            let nearer = room.distance(mark) < room.distance(other);
            assert!(nearer || name.leader.is_some(), "{name:?}");
        }
    }

    #[test]
    fn a_lone_name_stands_to_the_right_and_within() {
        let mut taken = Occupied::new((700.0, 500.0));
        let name = taken.place("weir", &[(100.0, 100.0)]).unwrap();
        assert!(name.at.0 > 105.0 && name.leader.is_none(), "{name:?}");
        let name = taken.place("weir", &[(690.0, 100.0)]).unwrap();
        assert!(name.at.0 < 660.0, "{name:?}");
        assert_eq!(Occupied::new((30.0, 30.0)).place("no room for it", &[(5.0, 5.0)]), None);
    }
}
