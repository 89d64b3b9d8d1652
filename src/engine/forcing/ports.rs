//! Ports: the places where water enters and leaves the domain apart from rain and sources,
//! accounted separately in the mass balance: the open sides, and the cells of stage boundaries.
//!
//! Flow through a port is counted in whole grains at the same point as the total inflow and
//! outflow, so that the ports add up to the totals.

use serde::{Deserialize, Serialize};

/// Number of a port. Below [`SIDES`] it is a set of sides (the sum of their bits); from there on it
/// is a holder of a level, see [`of_holder`].
pub type Port = u32;

/// Bit of the north side; water leaves over the first row.
pub const NORTH: Port = 1;
/// Bit of the east side.
pub const EAST: Port = 2;
/// Bit of the south side.
pub const SOUTH: Port = 4;
/// Bit of the west side.
pub const WEST: Port = 8;

/// Number of sets of sides. A corner cell that drains at normal depth may touch two open sides; it
/// belongs to both, and reports split its water between them.
pub const SIDES: Port = 16;

/// Bits and names of the sides, in the order of the bits.
pub const NAMES: [(Port, &str); 4] =
    [(NORTH, "north"), (EAST, "east"), (SOUTH, "south"), (WEST, "west")];

/// Upper bound of the volume that a run can book (grains).
const MOST: u64 = 1 << 62;

/// Returns the port of a holder of levels, by its number.
pub fn of_holder(number: u32) -> Port {
    SIDES + number
}

/// Returns the side of a ghost at a place (column, row) that copies the ground of the cell at
/// `source`: the direction from that cell to the ghost. A corner belongs to the north or the south.
pub(crate) fn of_ghost(place: [isize; 2], source: [usize; 2]) -> Port {
    let [right, down] = [0, 1].map(|axis| place[axis] - source[axis] as isize);
    match (right, down) {
        (_, ..=-1) => NORTH,
        (_, 1..) => SOUTH,
        (..=-1, _) => WEST,
        _ => EAST,
    }
}

/// Volumes through the ports of a run so far (grains). They are the same for all tilings and
/// backends: ports without any flow are omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundaryVolumes(Vec<(Port, u64, u64)>);

impl BoundaryVolumes {
    /// Creates volumes from the inflow and outflow (grains) of every port, in order of the ports,
    /// as a GPU counts them.
    pub fn of(totals: &[u64]) -> BoundaryVolumes {
        let mut port_volumes = BoundaryVolumes::default();
        for (port, total) in totals.chunks_exact(2).enumerate() {
            port_volumes.add(port as Port, total[0], total[1]);
        }
        port_volumes
    }

    /// Adds inflow and outflow (grains) to a port.
    #[inline(never)]
    pub fn add(&mut self, port: Port, came: u64, left: u64) {
        if came == 0 && left == 0 {
            return;
        }
        match self.0.binary_search_by_key(&port, |entry| entry.0) {
            Ok(at) => {
                self.0[at].1 += came;
                self.0[at].2 += left;
            }
            Err(at) => self.0.insert(at, (port, came, left)),
        }
    }

    /// Adds all volumes of `other`.
    pub fn add_all(&mut self, other: &BoundaryVolumes) {
        other.0.iter().for_each(|&(port, came, left)| self.add(port, came, left));
    }

    /// Iterates over all ports with any flow, in ascending order, with inflow and outflow (grains).
    pub fn each(&self) -> impl Iterator<Item = (Port, u64, u64)> {
        self.0.iter().copied()
    }

    /// Returns inflow and outflow of a port (grains).
    pub fn at(&self, port: Port) -> (u64, u64) {
        let found = self.0.binary_search_by_key(&port, |entry| entry.0);
        found.map_or((0, 0), |at| (self.0[at].1, self.0[at].2))
    }

    /// Returns the total inflow and outflow of all ports (grains).
    pub fn sums(&self) -> (i128, i128) {
        let sum = |of: fn(&(Port, u64, u64)) -> u64| self.0.iter().map(|e| i128::from(of(e))).sum();
        (sum(|entry| entry.1), sum(|entry| entry.2))
    }

    /// Returns `true` if a run with `ports` ports can have booked these volumes.
    pub fn is_of(&self, ports: Port) -> bool {
        let rise = self.0.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let known = self
            .0
            .iter()
            .all(|&(port, came, _)| (1..ports).contains(&port) && (port >= SIDES || came == 0));
        // Small enough that a run can keep adding without overflow.
        let fits =
            |&(_, came, left): &(Port, u64, u64)| came.max(left) <= MOST && came.max(left) > 0;
        rise && known && self.0.iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ghosts_are_of_the_side_that_they_lie_beyond() {
        assert_eq!([of_ghost([2, -1], [2, 0]), of_ghost([2, 4], [2, 3])], [NORTH, SOUTH]);
        assert_eq!([of_ghost([-1, 2], [0, 2]), of_ghost([5, 2], [4, 2])], [WEST, EAST]);
        assert_eq!([of_ghost([-1, -1], [0, 0]), of_ghost([5, 4], [4, 3])], [NORTH, SOUTH]);
        // West of the western edge, beside NoData.
        assert_eq!([of_ghost([-1, 2], [0, 1]), of_ghost([-1, 2], [0, 3])], [SOUTH, NORTH]);
    }

    #[test]
    fn what_is_booked_is_in_order_whatever_the_order_of_booking() {
        let bookings = [(SOUTH, 0, 3), (of_holder(2), 5, 0), (NORTH, 0, 0), (SOUTH, 0, 4)];
        let mut port_volumes = BoundaryVolumes::default();
        bookings.iter().for_each(|&(port, came, left)| port_volumes.add(port, came, left));
        let mut again = BoundaryVolumes::default();
        bookings.iter().rev().for_each(|&(port, came, left)| again.add(port, came, left));
        assert_eq!(port_volumes, again);
        assert_eq!(
            (port_volumes.at(SOUTH), port_volumes.at(NORTH), port_volumes.sums()),
            ((0, 7), (0, 0), (5, 7))
        );
        assert!(port_volumes.is_of(of_holder(3)) && !port_volumes.is_of(of_holder(2)));
        assert!(
            !BoundaryVolumes(vec![(SOUTH, 1, 0)]).is_of(SIDES),
            "nothing comes in over an open side"
        );
        assert!(!BoundaryVolumes(vec![(WEST, 0, 1), (EAST, 0, 1)]).is_of(SIDES));
    }
}
