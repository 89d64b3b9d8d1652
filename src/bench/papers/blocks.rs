//! Blocks and threads, as Table 1 of Rinaldi et al. (2008) tries them.

use super::{aqua_graph, thousand};
use crate::bench::gpu::Gpu;
use crate::bench::target::on_gpu;
use crate::engine::backend::cuda::frame::CHUNK_COLUMNS;
use crate::engine::backend::cuda::open::CudaOptions;
use crate::engine::backend::cuda::program::{Choice, USUAL_BLOCK, USUAL_WARPS};
use crate::engine::backend::cuda::source::Kernel;
use crate::engine::tiling::visit::MARGIN;
use crate::error::Result;
use serde::Serialize;
use std::fmt;

/// Cells along each side of the grids.
pub const SIZES: [usize; 2] = [1024, 4096];
/// Columns and rows of blocks with a thread per cell.
const BLOCKS: [(u32, u32); 6] = [(8, 8), (16, 8), (16, 16), (32, 4), (32, 8), (32, 16)];
/// Warps of blocks with a chunk per warp.
const WARPS: [u32; 4] = [1, 2, 4, 8];
/// Rows of a chunk.
const CHUNK_ROWS: [usize; 5] = [8, 16, 32, 64, 128];

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
        /// Rows of a chunk.
        rows: usize,
    },
}

/// A kernel and how its threads share out the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The kernel.
    pub kernel: Kernel,
    /// Its threads.
    pub threads: Threads,
}

/// What was measured with a setting.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Cells along each side.
    pub size: usize,
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Number of blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads_per_block: usize,
    /// Time of 1000 steps (s).
    pub gpu_s: f64,
}

/// Every setting that is tried.
pub fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for kernel in [Kernel::Global, Kernel::Shared] {
        settings.extend(
            BLOCKS.map(|(columns, rows)| Setting {
                kernel,
                threads: Threads::Cells { columns, rows },
            }),
        );
    }
    for warps in WARPS {
        settings.extend(CHUNK_ROWS.map(|rows| Setting {
            kernel: Kernel::Fused,
            threads: Threads::Chunks { warps, rows },
        }));
    }
    settings
}

impl Setting {
    /// Whether its kernel is one that is compiled in advance.
    pub fn is_usual(&self) -> bool {
        let Choice { block, warps, .. } = self.choice();
        block.is_none() && warps.is_none()
    }

    fn choice(&self) -> Choice {
        let other = Choice { kernel: self.kernel, ..Choice::default() };
        match self.threads {
            Threads::Cells { columns, rows } => {
                let block = Some((columns, rows)).filter(|block| *block != USUAL_BLOCK);
                Choice { block, ..other }
            }
            Threads::Chunks { warps, .. } => {
                Choice { warps: Some(warps).filter(|warps| *warps != USUAL_WARPS), ..other }
            }
        }
    }

    fn options(&self, gpu: &Gpu) -> CudaOptions {
        let chunk_rows = match self.threads {
            Threads::Cells { .. } => None,
            Threads::Chunks { rows, .. } => Some(rows),
        };
        CudaOptions { choice: self.choice(), chunk_rows, ..gpu.with_kernel(self.kernel) }
    }

    /// Blocks for a grid of `size`² cells, and threads of each.
    fn launch(&self, size: usize) -> (usize, usize) {
        match self.threads {
            Threads::Cells { columns, rows } => {
                let (columns, rows) = (columns as usize, rows as usize);
                // The ghosts around the grid are computed as well.
                let cells = size + 2;
                (cells.div_ceil(columns) * cells.div_ceil(rows), columns * rows)
            }
            Threads::Chunks { warps, rows } => {
                let (canvas, warps) = (size + 2 * MARGIN, warps as usize);
                let across = canvas.div_ceil(CHUNK_COLUMNS).div_ceil(warps);
                (across * canvas.div_ceil(rows), 32 * warps)
            }
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.threads {
            Threads::Cells { columns, rows } => write!(f, "{columns} x {rows} cells"),
            Threads::Chunks { warps, rows } => {
                let plural = if warps == 1 { "" } else { "s" };
                write!(f, "{warps} warp{plural}, {rows} rows each")
            }
        }
    }
}

/// Measures a setting on the plane of `size`² cells; `None` if the GPU does not hold it whole.
pub fn row(size: usize, setting: Setting, gpu: &Gpu) -> Result<Option<Row>> {
    if !gpu.holds(size, aqua_graph::rule(), setting.kernel, aqua_graph::NEIGHBOURHOOD)? {
        return Ok(None);
    }
    let mut started = on_gpu(gpu, aqua_graph::problem(size), &setting.options(gpu))?;
    let gpu_s = thousand(&mut started.simulation)?;
    let (blocks, threads_per_block) = setting.launch(size);
    Ok(Some(Row { size, setting, blocks, threads_per_block, gpu_s }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_differ_and_the_usual_ones_are_among_them() {
        let settings = settings();
        for (index, setting) in settings.iter().enumerate() {
            assert!(!settings[..index].contains(setting), "{setting}");
        }
        let usual: Vec<_> = settings.iter().filter(|setting| setting.is_usual()).collect();
        assert_eq!(usual.len(), 2 + CHUNK_ROWS.len());
    }

    #[test]
    fn launches_cover_the_grid_and_its_ghosts() {
        let setting = |threads| Setting { kernel: Kernel::Fused, threads };
        let cells = setting(Threads::Cells { columns: 16, rows: 8 });
        assert_eq!(cells.launch(1022), (64 * 128, 128));
        let chunks = setting(Threads::Chunks { warps: 4, rows: 16 });
        assert_eq!(chunks.launch(1014), (5 * 64, 128));
    }
}
