//! Velocity of approach at stage boundaries under a solver with momentum.
//!
//! A stage boundary that reaches to the edge of the map is a section of a river or an estuary: water
//! that enters has the discharge per width of the face that it enters through. The face behind the
//! cell with the level therefore has the velocity q/h, with the depth h of that cell (SW 11). If its
//! velocity were 0, the water would start from rest, and lose a velocity head that the river has.
//!
//! A level alone does not determine supercritical inflow. There the water starts from rest, as from
//! a lake. Between the Froude numbers 0.82 and 1 of the cell inside, the velocity falls from one
//! value to the other.
//!
//! The CUDA twin is `kernels/approach.cuh`.

use crate::solver::G;
use crate::solver::edge::DRY;

/// How fast the share of the velocity falls with the square of the Froude number, to 0 at 1.
pub const FALL: f32 = 3.0;

/// A side of a cell, across which water may enter the domain.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Axis of its faces: 0 for west and east.
    pub axis: usize,
    /// Cell whose face ahead is the one behind the cell, as the water flows.
    pub behind: isize,
    /// Cell whose face ahead is the opposite one, through which water enters the domain.
    pub entered: isize,
    /// Cell on the other side of that face.
    pub inside: isize,
    /// Direction of inflow along the axis: 1 or -1.
    pub inward: f32,
}

/// Lists the sides west, east, north and south among the `sides` (bits) of a cell; cells are relative
/// to it, in an array with this distance between rows.
pub fn sides_of(sides: u32, stride: usize) -> impl Iterator<Item = Side> {
    (0..4).filter(move |side| sides >> side & 1 != 0).map(move |side| {
        let axis = side / 2;
        let ahead = [1, stride as isize][axis];
        match side % 2 {
            0 => Side { axis, behind: -ahead, entered: 0, inside: ahead, inward: 1.0 },
            _ => Side { axis, behind: 0, entered: -ahead, inside: -ahead, inward: -1.0 },
        }
    })
}

/// State of the flow at a side, with velocity and discharge inward.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Velocity on the face through which water enters (m/s).
    pub velocity: f32,
    /// Discharge per width of that face (m²/s).
    pub discharge: f32,
    /// Mean depth of the cell with the level (m).
    pub depth: f32,
    /// Hydraulic depth of the cell inside: volume per area of its water surface (m).
    pub inside: f32,
}

impl Entry {
    /// Returns the velocity behind the cell (m/s), inward; 0 unless water enters.
    pub fn approaches(self) -> f32 {
        let Entry { velocity, discharge, depth, inside } = self;
        if !(velocity > 0.0 && depth > DRY && inside > DRY) {
            return 0.0;
        }
        let critical = G * inside;
        let below = FALL * ((critical - velocity * velocity) / critical);
        let share = below.clamp(0.0, 1.0);
        let from_afar = discharge / depth;
        share * if from_afar < velocity { from_afar } else { velocity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subcritical_river_enters_with_its_velocity_and_a_torrent_from_rest() {
        let river = Entry { velocity: 2.0, discharge: 4.0, depth: 2.0, inside: 2.0 };
        assert_eq!(river.approaches(), 2.0);
        // Over a wall, from a deep cell.
        assert_eq!(Entry { depth: 20.0, ..river }.approaches(), 0.2);
        assert_eq!(Entry { velocity: 5.0, discharge: 10.0, ..river }.approaches(), 0.0);
        let part = Entry { velocity: 4.0, discharge: 8.0, ..river }.approaches();
        assert!((0.5 * 4.0..0.6 * 4.0).contains(&part), "{part}");
        for still in [
            Entry { velocity: 0.0, discharge: 0.0, ..river },
            Entry { velocity: -2.0, discharge: -4.0, ..river },
            Entry { inside: 0.0, ..river },
        ] {
            assert_eq!(still.approaches(), 0.0, "{still:?}");
        }
    }

    #[test]
    fn each_side_has_its_faces() {
        let found: Vec<_> = sides_of(0b1111, 10)
            .map(|side| (side.axis, side.behind, side.entered, side.inside, side.inward))
            .collect();
        let expected = [
            (0, -1, 0, 1, 1.0),
            (0, 0, -1, -1, -1.0),
            (1, -10, 0, 10, 1.0),
            (1, 0, -10, -10, -1.0),
        ];
        assert_eq!(found, expected);
        assert_eq!(sides_of(0b0100, 10).count(), 1);
    }
}
