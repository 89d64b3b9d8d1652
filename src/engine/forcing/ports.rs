//! Ports: where water comes into the domain and goes out of it beside rain and sources, told apart for the ledger's
//! lines: the open sides, and those whose level is held.
//!
//! What goes through a port is counted in whole grains where the ledger's inflow and outflow are, so that the lines
//! add up to them.

use serde::{Deserialize, Serialize};

/// The number of a port. Below [`SIDES`] it is a set of sides, the sum of their bits; from there on it is one of those
/// that hold a level, see [`of_holder`].
pub type Port = u32;

/// The bit of the north; water leaves over the first row.
pub const NORTH: Port = 1;
/// The bit of the east.
pub const EAST: Port = 2;
/// The bit of the south.
pub const SOUTH: Port = 4;
/// The bit of the west.
pub const WEST: Port = 8;

/// How many sets of sides there are. A cell in a corner that water leaves at normal depth may lie along two open
/// sides; it is of both, and its water is parted between them when lines are told.
pub const SIDES: Port = 16;

/// The bits and names of the sides, in the order of the bits.
pub const NAMES: [(Port, &str); 4] =
    [(NORTH, "north"), (EAST, "east"), (SOUTH, "south"), (WEST, "west")];

/// More than any run books (grains).
const MOST: u64 = 1 << 62;

/// The port of one of those that hold levels, by its number.
pub fn of_holder(number: u32) -> Port {
    SIDES + number
}

/// The side of a ghost at a place (column, row) that takes its ground from the cell at `source`: that towards which it
/// lies from there. One in a corner is of the north or the south.
pub(crate) fn of_ghost(place: [isize; 2], source: [usize; 2]) -> Port {
    let [right, down] = [0, 1].map(|axis| place[axis] - source[axis] as isize);
    match (right, down) {
        (_, ..=-1) => NORTH,
        (_, 1..) => SOUTH,
        (..=-1, _) => WEST,
        _ => EAST,
    }
}

/// What went through the ports of a run so far (grains). The same for all tilings and backends: ports that nothing
/// went through are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked(Vec<(Port, u64, u64)>);

impl Booked {
    /// Of every port from the first on, one after the other, what came in and what went out (grains): as a GPU counts it.
    pub fn of(totals: &[u64]) -> Booked {
        let mut booked = Booked::default();
        for (port, total) in totals.chunks_exact(2).enumerate() {
            booked.add(port as Port, total[0], total[1]);
        }
        booked
    }

    /// Adds what came in and what went out (grains) at a port.
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

    /// Adds all of another's.
    pub fn add_all(&mut self, other: &Booked) {
        other.0.iter().for_each(|&(port, came, left)| self.add(port, came, left));
    }

    /// Every port that anything went through, in rising order, with what came in and what went out (grains).
    pub fn each(&self) -> impl Iterator<Item = (Port, u64, u64)> {
        self.0.iter().copied()
    }

    /// What came in and what went out at a port (grains).
    pub fn at(&self, port: Port) -> (u64, u64) {
        let found = self.0.binary_search_by_key(&port, |entry| entry.0);
        found.map_or((0, 0), |at| (self.0[at].1, self.0[at].2))
    }

    /// What came in and what went out at all ports (grains).
    pub fn sums(&self) -> (i128, i128) {
        let sum = |of: fn(&(Port, u64, u64)) -> u64| self.0.iter().map(|e| i128::from(of(e))).sum();
        (sum(|entry| entry.1), sum(|entry| entry.2))
    }

    /// Whether a run with so many ports can have booked this.
    pub fn is_of(&self, ports: Port) -> bool {
        let rise = self.0.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let known = self
            .0
            .iter()
            .all(|&(port, came, _)| (1..ports).contains(&port) && (port >= SIDES || came == 0));
        // So little that a run can add to it for ever.
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
        // Beyond the western edge, beside NoData.
        assert_eq!([of_ghost([-1, 2], [0, 1]), of_ghost([-1, 2], [0, 3])], [SOUTH, NORTH]);
    }

    #[test]
    fn what_is_booked_is_in_order_whatever_the_order_of_booking() {
        let bookings = [(SOUTH, 0, 3), (of_holder(2), 5, 0), (NORTH, 0, 0), (SOUTH, 0, 4)];
        let mut booked = Booked::default();
        bookings.iter().for_each(|&(port, came, left)| booked.add(port, came, left));
        let mut again = Booked::default();
        bookings.iter().rev().for_each(|&(port, came, left)| again.add(port, came, left));
        assert_eq!(booked, again);
        assert_eq!((booked.at(SOUTH), booked.at(NORTH), booked.sums()), ((0, 7), (0, 0), (5, 7)));
        assert!(booked.is_of(of_holder(3)) && !booked.is_of(of_holder(2)));
        assert!(!Booked(vec![(SOUTH, 1, 0)]).is_of(SIDES), "nothing comes in over an open side");
        assert!(!Booked(vec![(WEST, 0, 1), (EAST, 0, 1)]).is_of(SIDES));
    }
}
