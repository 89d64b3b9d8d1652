//! Blocks and threads, as Table 1 of Rinaldi et al. (2008) tries them.

use super::kernels::{Kernel, Setting, Threads};
use super::{aqua_graph, start, thousand};
use crate::bench::gpu::Gpu;
use crate::engine::backend::cuda::frame::CHUNK_COLUMNS;
use crate::engine::tiling::subdomain::MARGIN;
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
            threads: Threads::Chunks { warps, rows: Some(rows) },
        }));
    }
    settings
}

impl Setting {
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
                let rows = rows.expect("a setting that is tried has its rows");
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
                write!(f, "{warps} warp{plural}")?;
                rows.map_or(Ok(()), |rows| write!(f, ", {rows} rows each"))
            }
        }
    }
}

/// Measures a setting on the plane of `size`² cells; `None` if the GPU does not hold it whole.
pub fn row(size: usize, setting: Setting, gpu: &Gpu) -> Result<Option<Row>> {
    let planes = setting.kernel.planes(aqua_graph::NEIGHBOURHOOD);
    if !gpu.holds(size, aqua_graph::rule(), planes)? {
        return Ok(None);
    }
    let gpu_s = thousand(&mut start(gpu, aqua_graph::problem(size), &setting)?)?;
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
        let chunks = setting(Threads::Chunks { warps: 4, rows: Some(16) });
        assert_eq!(chunks.launch(1014), (5 * 64, 128));
    }
}
