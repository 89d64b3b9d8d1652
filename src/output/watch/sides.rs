//! What left over each open side. A corner cell that water leaves at normal depth over two sides is of both: what left
//! it is parted between them as the flow is, to the grain.

use super::accounts::{part_of, parts};
use crate::engine::boundary::OpenEdges;
use crate::engine::forcing::ports::{self, Booked, Port};

/// The open sides of a run.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// Their names.
    pub names: Vec<&'static str>,
    /// Their ports.
    ports: Vec<Port>,
    /// What a cell of each conveys at normal depth, in proportion.
    pulls: Vec<f64>,
}

impl Sides {
    /// Those that are open; `pulls` is what a cell along the north, east, south and west conveys at normal depth, in
    /// proportion.
    pub fn new(open: OpenEdges, pulls: [f64; 4]) -> Sides {
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

    /// What left over each of them (grains).
    pub fn left(&self, booked: &Booked) -> Vec<u64> {
        let mut left = vec![0; self.ports.len()];
        for (set, _, grains) in booked.each().filter(|&(port, ..)| port < ports::SIDES) {
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
        let open = OpenEdges::parse("north,west,south").unwrap();
        let sides = Sides::new(open, [1.0, 9.0, 0.0, 2.0]);
        assert_eq!(sides.names, ["north", "south", "west"]);
        let mut before = vec![0; 3];
        for corner in [0u64, 1, 2, 3, 1000, 123_456_789_012_345] {
            let mut booked = Booked::default();
            booked.add(ports::NORTH | ports::WEST, 0, corner);
            booked.add(ports::WEST, 0, 7);
            booked.add(ports::SOUTH, 0, 5);
            booked.add(ports::of_holder(0), 11, 13);
            let left = sides.left(&booked);
            assert_eq!(left.iter().sum::<u64>(), corner + 12);
            let third = corner as f64 / 3.0;
            assert!((left[0] as f64 - third).abs() <= 1.0 + 1e-9 * third && left[1] == 5);
            assert!(left.iter().zip(&before).all(|(now, before)| now >= before));
            before = left;
        }
    }
}
