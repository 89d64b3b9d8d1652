//! Sides of cells across which water crosses the edge of the map although the grid has no face there.
//!
//! At stage boundaries and outflow at normal depth, water comes and leaves as a change of a cell
//! ([`crate::forcing::sites`]); the state has no flow on the faces beyond. Flow in a cell is a mean
//! over opposite faces, and would be half of what crosses the edge. On such a side the value of the
//! opposite face counts instead: the flow is uniform across the edge.
//!
//! Sources and rating curves do not count: what crosses the edge there may be little or nothing,
//! beside a wall.
//!
//! The CUDA twin is in `kernels/speed.cuh`.

use crate::forcing::sites::flags::{CROSSED, DRAIN};

/// Sides of a cell that water crosses without a face: west, east, north and south.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrossedSides([bool; 4]);

impl CrossedSides {
    /// Returns the sides of the cell at index `at`, from the flags of a grid with its margin that
    /// has `columns` columns.
    pub fn of(flags: &[u8], at: usize, columns: usize) -> CrossedSides {
        if flags[at] & (CROSSED | DRAIN) != CROSSED {
            return CrossedSides::default();
        }
        CrossedSides::outer(flags, at, columns)
    }

    /// Returns the sides of a cell without a neighbour: neither a cell of the domain nor a ghost.
    pub(crate) fn outer(flags: &[u8], at: usize, columns: usize) -> CrossedSides {
        CrossedSides([at - 1, at + 1, at - columns, at + columns].map(|beside| flags[beside] == 0))
    }

    /// Returns `true` if there is any.
    pub fn any(self) -> bool {
        self.0.contains(&true)
    }

    /// Returns the flow over the faces west, east, north and south of the cell, with that over the
    /// opposite face on its crossed sides.
    pub fn complete<T: Copy>(self, faces: [T; 4]) -> [T; 4] {
        std::array::from_fn(|side| faces[if self.0[side] { side ^ 1 } else { side }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::sites::flags::{INSIDE, drain_of};

    #[test]
    fn a_side_without_a_neighbour_takes_the_flow_of_the_opposite_one() {
        let crossed = INSIDE | CROSSED;
        // In a corner, with a ghost to the east and a cell to the south.
        let flags = [0, 0, 0, 0, crossed, drain_of(1 << 3), 0, INSIDE, 0];
        let sides = CrossedSides::of(&flags, 4, 3);
        assert_eq!(sides, CrossedSides([true, false, true, false]));
        assert_eq!(sides.complete([0.0, 2.0, 0.0, 3.0]), [2.0, 2.0, 3.0, 3.0]);
        // Other cells, and ghosts whose bits of their side look the same.
        assert!(!CrossedSides::of(&flags, 7, 0).any());
        assert!(!CrossedSides::of(&[0, 0, 0, 0, drain_of(1 << 2), 0, 0, 0, 0], 4, 3).any());
    }
}
