//! Outflow over each open side. A corner cell that drains at normal depth over two sides belongs to
//! both: its outflow is divided in proportion to their flows, exact to the grain.

use super::portions::{part_of, parts};
use crate::engine::boundary::OpenSides;
use crate::engine::forcing::ports::{self, BoundaryVolumes, Port};

/// Open sides of a run.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// Names of the sides.
    pub names: Vec<&'static str>,
    /// Ports of the sides.
    ports: Vec<Port>,
    /// Relative conveyance of a cell of each side at normal depth.
    pulls: Vec<f64>,
}

impl Sides {
    /// Creates the open sides; `pulls` is the relative conveyance at normal depth of a cell along
    /// the north, east, south and west.
    pub fn new(open: OpenSides, pulls: [f64; 4]) -> Sides {
        let mut sides = Sides::default();
        for ((port, name), pull) in ports::NAMES.into_iter().zip(pulls) {
            if open.names().contains(&name) {
                sides.names.push(name);
                sides.ports.push(port);
                sides.pulls.push(pull);
            }
        }
        sides
    }

    /// Returns the outflow over each side (grains).
    pub fn left(&self, port_volumes: &BoundaryVolumes) -> Vec<u64> {
        let mut left = vec![0; self.ports.len()];
        for (set, _, grains) in port_volumes.each().filter(|&(port, ..)| port < ports::SIDES) {
            let along = (0..left.len()).filter(|&side| self.ports[side] & set != 0);
            let along: Vec<usize> = along.collect();
            let pulls: Vec<f64> = along.iter().map(|&side| self.pulls[side]).collect();
            for (side, part) in along.into_iter().zip(parts(&pulls)) {
                left[side] += part_of(grains, part);
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_a_corner_is_parted_to_the_grain() {
        let open = OpenSides::parse("north,west,south").unwrap();
        let sides = Sides::new(open, [1.0, 9.0, 0.0, 2.0]);
        assert_eq!(sides.names, ["north", "south", "west"]);
        let mut before = vec![0; 3];
        for corner in [0u64, 1, 2, 3, 1000, 123_456_789_012_345] {
            let mut port_volumes = BoundaryVolumes::default();
            port_volumes.add(ports::NORTH | ports::WEST, 0, corner);
            port_volumes.add(ports::WEST, 0, 7);
            port_volumes.add(ports::SOUTH, 0, 5);
            port_volumes.add(ports::of_holder(0), 11, 13);
            let left = sides.left(&port_volumes);
            assert_eq!(left.iter().sum::<u64>(), corner + 12);
            let third = corner as f64 / 3.0;
            assert!((left[0] as f64 - third).abs() <= 1.0 + 1e-9 * third && left[1] == 5);
            assert!(left.iter().zip(&before).all(|(now, before)| now >= before));
            before = left;
        }
    }
}
