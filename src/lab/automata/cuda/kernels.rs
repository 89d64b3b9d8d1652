//! Properties of a technique's kernels.

use crate::board::{Margin, Packing};
use crate::registry::Model;

/// Content of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Elements hold plain states.
    States,
    /// Labels of states, with a table of their sums.
    Labels,
    /// States, with a compact table of two columns.
    Compact,
    /// One bit of the states of many cells, with as many planes as bits.
    Planes,
}

/// Assignment of threads to elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One thread per element.
    Elements,
    /// One thread per cell of blocks that overlap by the reach of the rule.
    Overlapping,
    /// Blocks with one tile of these columns and rows each.
    Tiles(u32, u32),
    /// Warps that march down strips, with a word per lane.
    Warps,
    /// One thread per column of words, marching up. Several steps are a sequence of kernels from
    /// `begin` to `settle`; their number is odd.
    Columns,
}

/// Method of filling the margin of a torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghosts {
    /// There is no margin.
    None,
    /// One kernel fills the whole margin.
    All,
    /// One kernel fills the whole margin, unless the last word of a row is full of cells: then the
    /// kernels of the technique wrap around themselves.
    UnlessWhole,
    /// Separate kernels for rows and columns, as in 001.
    RowsAndColumns,
}

/// Kernels of a technique.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// Name and text of the source below `kernels/automata/`.
    pub source: (&'static str, &'static str),
    /// Type and size (bytes) of an element.
    pub element: (&'static str, usize),
    /// Cells of an element along x, y and z.
    pub cells: [usize; 3],
    /// Bits of a cell in an element.
    pub bits: usize,
    /// Content of an element.
    pub holds: Holds,
    /// Method of filling the margin.
    pub ghosts: Ghosts,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Assignment of threads to elements.
    pub threads: Threads,
    /// Available numbers of steps per visit, the largest first.
    pub steps: &'static [u32],
    /// Set if cells are read through a texture.
    pub texture: bool,
}

impl Kernels {
    /// Returns the packing of cells.
    pub fn packing(&self, model: Model) -> Packing {
        let planes = if self.holds == Holds::Planes { model.bits() } else { 1 };
        Packing { bytes: self.element.1, cells: self.cells, bits: self.bits, planes }
    }

    /// Returns the required margin.
    pub fn margin(&self, model: Model) -> Margin {
        // Align textures, and thin rows whose ends would share sectors with other writers, to whole
        // sectors of 32 bytes.
        let thin = self.threads == Threads::Columns;
        let align = if self.texture || thin { 32 / self.element.1 } else { 1 };
        match self.ghosts {
            Ghosts::None => Margin { align, ..Margin::default() },
            Ghosts::All | Ghosts::UnlessWhole | Ghosts::RowsAndColumns => {
                let reach = if model.automaton.deep { 2 } else { 1 };
                // In a sequence of kernels, the margin is filled before each.
                let steps = if thin { 1 } else { self.steps[0] as usize };
                Margin { cells: reach * steps, rows: usize::from(thin), align }
            }
        }
    }
}
