//! Launches kernels in a stream: by themselves, a thread an entry, or a warp a chunk.

use crate::backend::cuda::launch::entry::{Args, Entry};
use crate::backend::cuda::listing::MOST_RESIDENT;
use crate::backend::cuda::params::Params;
use crate::error::Result;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Threads of a block, where a warp has a chunk.
pub(crate) const WARP: u32 = 32;

/// Warps of a block of the kernels with a chunk per warp.
pub const USUAL_WARPS: u32 = 2;

/// Launches kernels in a stream.
#[derive(Clone, Copy)]
pub struct Launcher<'a> {
    /// The stream.
    pub stream: &'a Arc<CudaStream>,
}

impl Launcher<'_> {
    /// A thread for each of `count` entries.
    pub(crate) fn each<'b>(
        &'b self,
        function: &'b Entry,
        count: i32,
        with: impl FnOnce(&mut Args<'b>),
    ) -> Result<()> {
        const THREADS: u32 = 128;
        let blocks = (count as u32).div_ceil(THREADS);
        self.launch(function, (blocks, 1, 1), (THREADS, 1, 1), with)
    }

    /// A warp for each chunk, `warps` of them to a block; or as many blocks as a GPU holds at once, which go over the list, if kernels go by
    /// one: blocks beyond them would come when the others are done, only to find nothing to do.
    pub(crate) fn chunks<'b>(
        &'b self,
        function: &'b Entry,
        params: &'b Params,
        warps: u32,
        with: impl FnOnce(&mut Args<'b>),
    ) -> Result<()> {
        let grid = match params.active {
            0 => ((params.chunks_across as u32).div_ceil(warps), params.chunks_down as u32, 1),
            _ => {
                let resident = function.resident(WARP * warps).min(MOST_RESIDENT);
                (params.multiprocessors as u32 * resident, 1, 1)
            }
        };
        self.launch(function, grid, (WARP * warps, 1, 1), |args| {
            args.arg(params);
            with(args);
        })
    }

    pub(crate) fn launch<'b>(
        &'b self,
        function: &'b Entry,
        grid: (u32, u32, u32),
        block: (u32, u32, u32),
        with: impl FnOnce(&mut Args<'b>),
    ) -> Result<()> {
        let mut args = Args::default();
        with(&mut args);
        // SAFETY: the arguments are what the kernel declares (params.rs), and the memory they point
        // to lives until the stream is waited for.
        unsafe { function.launch(self.stream, grid, block, args) }
    }
}
