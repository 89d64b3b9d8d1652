//! The kernels that the papers compared, and blocks of other sizes: flows that a GPU takes in the place of the rule's own.

use crate::engine::backend::cuda::compile::source::{Unit, automaton_unit};
use crate::engine::backend::cuda::frame::Shape;
use crate::engine::backend::cuda::launch::flow::{OtherFlow, Pass};
use crate::engine::backend::cuda::launch::launcher::USUAL_WARPS;
use crate::engine::backend::cuda::memory::Block;
use crate::engine::backend::cuda::params::Params;
use crate::engine::error::Result;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::{RULES, RuleInfo};
use crate::engine::tiling::subdomain::MARGIN;
use cudarc::driver::CudaContext;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// How water flows. All give the same bits, at different speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// One pass with the rows at hand in registers: the one that runs.
    Fused,
    /// One pass over tiles in shared memory.
    Shared,
    /// Two passes through global memory.
    Global,
}

impl Kernel {
    /// Every kernel, in the order of the paper of 2013, whose own are the first two.
    pub const ALL: [Kernel; 3] = [Kernel::Global, Kernel::Shared, Kernel::Fused];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Fused => "fused",
            Kernel::Shared => "shared",
            Kernel::Global => "global",
        }
    }

    /// Arrays of 32 bits a cell that it keeps beside the frame's.
    pub fn planes(self, neighbourhood: Neighbourhood) -> usize {
        if self == Kernel::Global { neighbourhood.neighbours() } else { 0 }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the threads of a kernel share out the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Threads {
    /// A thread per cell, in blocks.
    Cells {
        /// Columns of a block.
        columns: u32,
        /// Rows of a block.
        rows: u32,
    },
    /// A chunk per warp.
    Chunks {
        /// Warps of a block.
        warps: u32,
        /// Rows of a chunk; as many as suit the grid unless given.
        rows: Option<usize>,
    },
}

/// Columns and rows of the blocks that are compiled in advance.
pub const USUAL_BLOCK: (u32, u32) = (16, 16);

/// A kernel and how its threads share out the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The kernel.
    pub kernel: Kernel,
    /// Its threads.
    pub threads: Threads,
}

impl Setting {
    /// A kernel in the usual blocks.
    pub fn usual(kernel: Kernel) -> Setting {
        let (columns, rows) = USUAL_BLOCK;
        let threads = match kernel {
            Kernel::Fused => Threads::Chunks { warps: USUAL_WARPS, rows: None },
            Kernel::Shared | Kernel::Global => Threads::Cells { columns, rows },
        };
        Setting { kernel, threads }
    }

    /// Whether its kernel is one that is compiled in advance.
    pub fn is_usual(&self) -> bool {
        match self.threads {
            Threads::Cells { columns, rows } => (columns, rows) == USUAL_BLOCK,
            Threads::Chunks { warps, .. } => warps == USUAL_WARPS,
        }
    }

    /// The kernel's text, and how large its blocks are.
    pub fn source(&self) -> String {
        match self.threads {
            Threads::Cells { columns, rows } => {
                let text = match self.kernel {
                    Kernel::Global => include_str!("../../../kernels/papers/global.cu"),
                    _ => include_str!("../../../kernels/papers/shared.cu"),
                };
                let cell = include_str!("../../../kernels/papers/cell.cuh");
                format!("#define BLOCK_COLUMNS {columns}\n#define BLOCK_ROWS {rows}\n{cell}{text}")
            }
            Threads::Chunks { warps, .. } => {
                format!("#define WARPS_PER_BLOCK {warps}\n#include \"fused.cu\"\n")
            }
        }
    }

    /// What is compiled for a rule.
    pub fn unit(&self, rule: &RuleInfo, neighbourhood: Neighbourhood) -> Unit {
        let size = match self.threads {
            _ if self.is_usual() => String::new(),
            Threads::Cells { columns, rows } => format!("-{columns}x{rows}"),
            Threads::Chunks { warps, .. } => format!("-{warps}"),
        };
        let name = format!("{}-{}-{neighbourhood}{size}", self.kernel, rule.name);
        automaton_unit(name, rule, neighbourhood, &self.source())
    }

    /// The flow of a rule over a grid of (columns, rows) that lies whole in a GPU's memory; `None` if it is the rule's own.
    pub fn flow(
        &self,
        rule: &RuleInfo,
        neighbourhood: Neighbourhood,
        context: &Arc<CudaContext>,
        (columns, rows): (usize, usize),
    ) -> Result<Option<OtherFlow>> {
        let passes = match self.threads {
            Threads::Chunks { warps: USUAL_WARPS, .. } => return Ok(None),
            Threads::Chunks { warps, .. } => {
                let blocks = move |params: &Params| {
                    ((params.chunks_across as u32).div_ceil(warps), params.chunks_down as u32)
                };
                vec![Pass { kernel: "flow", threads: (32 * warps, 1), blocks: Box::new(blocks) }]
            }
            Threads::Cells { columns, rows } => {
                let pass = |&(kernel, around): &(&'static str, i32)| {
                    let blocks =
                        move |params: &Params| (blocks(params, around, (columns, rows)), 1);
                    Pass { kernel, threads: (columns, rows), blocks: Box::new(blocks) }
                };
                self.kernels().iter().map(pass).collect()
            }
        };
        let memory = match self.kernel.planes(neighbourhood) {
            0 => None,
            planes => {
                let frame =
                    Shape::new(columns + 2 * MARGIN, rows + 2 * MARGIN + MOST_ROWS, MOST_ROWS);
                Some(Block::new(
                    &context.default_stream(),
                    planes * frame.cells * size_of::<i32>(),
                )?)
            }
        };
        Ok(Some(OtherFlow { unit: self.unit(rule, neighbourhood), passes, memory }))
    }

    /// The kernels with a thread per cell, and how far around the cells that are computed each looks.
    pub fn kernels(&self) -> &'static [(&'static str, i32)] {
        match self.kernel {
            Kernel::Global => &[("give", 1), ("gather", 0)],
            _ => &[("flow", 0)],
        }
    }
}

/// The most rows of a chunk: planes of outflows have the rows of whole chunks.
const MOST_ROWS: usize = 128;

/// Blocks of some size with a thread for each cell computed, and for so many around them.
pub fn blocks(params: &Params, around: i32, (columns, rows): (u32, u32)) -> u32 {
    let area = params.computed.grown(around);
    let across = ((area.end_column - area.column) as u32).div_ceil(columns);
    across * ((area.end_row - area.row) as u32).div_ceil(rows)
}

/// The papers' kernels for every automaton, as they are compiled in advance.
pub fn every_unit() -> Vec<Unit> {
    let rules = RULES.iter().filter(|rule| !rule.is_timed());
    let units = rules.flat_map(|rule| {
        let of = |&near: &Neighbourhood| {
            [Kernel::Shared, Kernel::Global].map(|kernel| Setting::usual(kernel).unit(rule, near))
        };
        rule.neighbourhoods().iter().flat_map(of).collect::<Vec<Unit>>()
    });
    units.collect()
}
