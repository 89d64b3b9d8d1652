//! What a technique's kernels are like.

use crate::board::{Margin, Packing};
use crate::registry::Model;

/// What an element holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// States.
    States,
    /// Labels of states, whose sums a table is for.
    Labels,
    /// States, and there is a table of two columns for them.
    Compact,
    /// One bit of the states of many cells; there are as many planes as bits.
    Planes,
}

/// What threads there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One for each element.
    Elements,
    /// One for each cell of blocks that overlap as far as the rule reaches.
    Overlapping,
    /// Blocks that each have a tile of so many columns and rows.
    Tiles(u32, u32),
    /// Warps that march down strips, with so many words a lane.
    Warps(u32),
    /// One for so many rows of words, marching up. Several steps are a row of kernels, from `begin` to `settle`: their number
    /// is odd.
    Columns(u32),
}

/// What fills the margin of a torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghosts {
    /// There is no margin.
    None,
    /// A kernel for all of it.
    All,
    /// The same, unless the last word of a row is full of cells: then the technique finds the opposite edge itself.
    UnlessWhole,
    /// 001's kernels for rows and for columns.
    RowsAndColumns,
}

/// A technique's kernels.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// Name of the source below `kernels/automata/`, and its text.
    pub source: (&'static str, &'static str),
    /// The type of an element, and its bytes.
    pub element: (&'static str, usize),
    /// Cells of an element along x, y and z.
    pub cells: [usize; 3],
    /// Bits of a cell in it.
    pub bits: usize,
    /// What it holds.
    pub holds: Holds,
    /// What fills the margin.
    pub ghosts: Ghosts,
    /// Threads of a block.
    pub block: [u32; 3],
    /// What threads there are.
    pub threads: Threads,
    /// Steps of a visit that there are kernels for, from the most.
    pub steps: &'static [u32],
    /// Whether cells are read through a texture.
    pub texture: bool,
}

impl Kernels {
    /// How cells are packed.
    pub fn packing(&self, model: Model) -> Packing {
        let planes = if self.holds == Holds::Planes { model.bits() } else { 1 };
        Packing { bytes: self.element.1, cells: self.cells, bits: self.bits, planes }
    }

    /// The margin that they need.
    pub fn margin(&self, model: Model) -> Margin {
        // Textures, and thin rows whose ends would be in sectors that others write to, begin at whole sectors of 32 bytes.
        let thin = matches!(self.threads, Threads::Columns(_));
        let align = if self.texture || thin { 32 / self.element.1 } else { 1 };
        match self.ghosts {
            Ghosts::None => Margin { align, ..Margin::default() },
            Ghosts::All | Ghosts::UnlessWhole | Ghosts::RowsAndColumns => {
                let reach = if model.automaton.deep { 2 } else { 1 };
                let rows =
                    if let Threads::Columns(rows) = self.threads { rows as usize } else { 0 };
                // A row of kernels fills the margin before each.
                let steps = if rows > 0 { 1 } else { self.steps[0] as usize };
                Margin { cells: reach * steps, rows, align }
            }
        }
    }
}
