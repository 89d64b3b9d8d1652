//! Launches kernels in a stream: single ones, one thread per entry, or one warp per chunk.

use crate::backend::cuda::launch::entry::{Args, Entry};
use crate::backend::cuda::listing::MOST_RESIDENT;
use crate::backend::cuda::params::Params;
use crate::error::Result;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Number of threads of a warp.
pub(crate) const WARP: u32 = 32;

/// Number of warps per block in kernels with one warp per chunk.
pub const USUAL_WARPS: u32 = 2;

/// Launches kernels in a stream.
#[derive(Clone, Copy)]
pub struct Launcher<'a> {
    /// Stream of the launches.
    pub stream: &'a Arc<CudaStream>,
}

impl Launcher<'_> {
    /// Launches one thread for each of `count` entries, if there are any.
    pub(crate) fn each<'b>(
        &'b self,
        function: &'b Entry,
        count: u64,
        args: Args<'b>,
    ) -> Result<()> {
        const THREADS: u32 = 128;
        if count == 0 {
            return Ok(());
        }
        let blocks = (count as u32).div_ceil(THREADS);
        self.launch(function, (blocks, 1, 1), (THREADS, 1, 1), args)
    }

    /// Launches one warp per chunk, `warps` of them per block. With a list, launches as many blocks
    /// as the GPU holds at once, which loop over the list: further blocks would start when the
    /// others are done, and find nothing to do.
    pub(crate) fn chunks<'b>(
        &'b self,
        function: &'b Entry,
        params: &'b Params,
        warps: u32,
        args: Args<'b>,
    ) -> Result<()> {
        self.over_chunks(function, params, params.chunks_down, warps, args)
    }

    /// The same with `down` warps per column of chunks, for kernels whose warps march down several.
    pub(crate) fn over_chunks<'b>(
        &'b self,
        function: &'b Entry,
        params: &'b Params,
        down: i32,
        warps: u32,
        args: Args<'b>,
    ) -> Result<()> {
        let grid = match params.active {
            0 => ((params.chunks_across as u32).div_ceil(warps), down as u32, 1),
            _ => {
                let resident = function.resident(WARP * warps).min(MOST_RESIDENT);
                (params.multiprocessors as u32 * resident, 1, 1)
            }
        };
        self.launch(function, grid, (WARP * warps, 1, 1), args)
    }

    pub(crate) fn launch<'b>(
        &'b self,
        function: &'b Entry,
        grid: (u32, u32, u32),
        block: (u32, u32, u32),
        args: Args<'b>,
    ) -> Result<()> {
        // SAFETY: the arguments match the kernel's declaration (params.rs), and the memory they
        // point to lives until the stream is synchronized.
        unsafe { function.launch(self.stream, grid, block, args) }
    }
}
