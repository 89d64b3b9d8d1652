//! How GPUs are used.

use crate::device::Gpus;

/// How the GPU is used. No setting changes a bit of the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaOptions {
    /// Ordinal of the GPU.
    pub gpu: usize,
    /// The GPUs, if there are several.
    pub gpus: Option<Gpus>,
    /// Strips of the grid that stay in memory of their own: as many as there are GPUs unless given. They go round the GPUs.
    pub strips: Option<usize>,
    /// Memory of each GPU to use (bytes); most of what is free unless given.
    pub memory: Option<u64>,
    /// Columns and rows of tiles that take turns, even if the whole grid would fit.
    pub tile: Option<(usize, usize)>,
    /// Whether a timed rule goes by a list of the chunks in which something may happen, where no layer rains; found from the count of
    /// wet cells unless given.
    pub listed: Option<bool>,
}

impl CudaOptions {
    /// The ordinal of the GPU of each strip, or of the one GPU.
    pub(crate) fn ordinals(&self) -> Vec<usize> {
        let gpus: Vec<usize> = self.gpus.map_or(vec![self.gpu], |gpus| gpus.numbers().collect());
        let count = self.strips.unwrap_or(gpus.len());
        gpus.into_iter().cycle().take(count).collect()
    }
}
