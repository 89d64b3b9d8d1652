//! Options for the use of GPUs.

use crate::device::Gpus;

/// Options for the use of GPUs. They do not affect the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaOptions {
    /// Ordinal of the GPU.
    pub gpu: usize,
    /// The GPUs, if there are several.
    pub gpus: Option<Gpus>,
    /// Number of resident strips of the grid, assigned to the GPUs in rotation; by default the
    /// number of GPUs.
    pub strips: Option<usize>,
    /// Memory to use on each GPU (bytes); by default most of the free memory.
    pub memory: Option<u64>,
    /// Columns and rows of streaming tiles, used even if the whole grid would fit.
    pub tile: Option<(usize, usize)>,
    /// Use of a list of active chunks by a timed solver.
    pub chunk_list: ChunkList,
    /// Number of chunks that a warp marches down at most (1, 2, 4 or 8), even if few warps have
    /// work; by default as many as suit the map and its wet cells.
    pub march: Option<usize>,
}

/// Use of a list of active chunks while no layer rains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChunkList {
    /// While few cells are wet.
    #[default]
    IfFewWet,
    /// In every step.
    Always,
    /// In no step.
    Never,
}

impl CudaOptions {
    /// Returns the ordinal of the GPU of each strip, or of the only GPU.
    pub(crate) fn ordinals(&self) -> Vec<usize> {
        let gpus: Vec<usize> = self.gpus.map_or(vec![self.gpu], |gpus| gpus.numbers().collect());
        let count = self.strips.unwrap_or(gpus.len());
        gpus.into_iter().cycle().take(count).collect()
    }
}
