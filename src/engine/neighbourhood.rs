//! The cells around a cell that exchange water with it.
//!
//! Neighbours come in pairs on opposite sides. A pair shares an edge *family*: the cell ahead is
//! reached by the family's offset, the cell behind by its negative. An edge is evaluated once, from
//! the cell that comes first, and has the opposite sign from the other side.

use serde::{Deserialize, Serialize};

/// The neighbourhood of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// The four cells that share a side (AQUA-GRAPH; Topa & Młocek's implementation).
    VonNeumann,
    /// The eight cells that share a side or a corner (AQUA).
    Moore,
}

impl Neighbourhood {
    /// All neighbourhoods, for tests and tables that iterate over them.
    pub const ALL: [Neighbourhood; 2] = [Neighbourhood::VonNeumann, Neighbourhood::Moore];

    /// Returns the name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Neighbourhood::VonNeumann => "von-neumann",
            Neighbourhood::Moore => "moore",
        }
    }

    /// Returns a description for the help.
    pub fn about(self) -> &'static str {
        match self {
            Neighbourhood::VonNeumann => {
                "The four cells that share a side (AQUA-GRAPH; Topa & Młocek's implementation)"
            }
            Neighbourhood::Moore => "The eight cells that share a side or a corner (AQUA)",
        }
    }

    /// Returns the number of neighbours of an inner cell.
    pub fn neighbours(self) -> usize {
        match self {
            Neighbourhood::VonNeumann => 4,
            Neighbourhood::Moore => 8,
        }
    }
}

impl std::fmt::Display for Neighbourhood {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Offsets (columns, rows) of the cell ahead, per edge family: east, south, south-east, south-west.
/// A von Neumann neighbourhood uses the first two families, a Moore neighbourhood all four.
pub const FAMILIES: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Returns the offset (columns, rows) of neighbour `k`: even numbers are the cells ahead, odd ones
/// the cells behind, family by family.
#[inline]
pub const fn offset(k: usize) -> (isize, isize) {
    let (i, j) = FAMILIES[k / 2];
    if k.is_multiple_of(2) { (i, j) } else { (-i, -j) }
}
