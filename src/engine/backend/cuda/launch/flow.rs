//! Flow kernels of a solver.

use crate::backend::cuda::compile::source::Edges;
use crate::backend::cuda::launch::entry::{Args, Entry};
use crate::backend::cuda::launch::launcher::{Launcher, USUAL_WARPS};
use crate::backend::cuda::listing::{FUSED_WARPS, LISTED_ROWS, LISTED_WARPS};
use crate::backend::cuda::params::Params;
use crate::error::Result;
use crate::solver::SolverInfo;
use cudarc::driver::CudaModule;
use std::sync::Arc;

/// Kernels of a solver, for all chunks of a frame or for those on a list.
pub(crate) struct Flow {
    flow: Entry,
    /// Warps per block of `flow` with a list.
    listed_warps: u32,
    /// The second half of a step of a solver with momentum, if `flow` does not do it.
    momentum_update: Option<Entry>,
    /// At second order, the discharge across the edges of listed chunks, before the first half.
    flux: Option<Entry>,
}

impl Flow {
    /// Finds the kernels in a loaded unit.
    pub fn new(module: &Arc<CudaModule>, solver: &SolverInfo, edges: Edges) -> Result<Flow> {
        let fused = edges.fuses_momentum(solver);
        let momentum = solver.has_momentum() && !fused;
        let optional = |has: bool, name: &str| has.then(|| Entry::find(module, name)).transpose();
        Ok(Flow {
            flow: Entry::find(module, "flow")?,
            listed_warps: if fused { FUSED_WARPS } else { LISTED_WARPS },
            momentum_update: optional(momentum, "momentum_update")?,
            flux: optional(momentum && solver.order > 1 && edges.listed, "flux")?,
        })
    }

    /// Launches the mass update, or both halves of the step.
    pub fn flow(&self, launch: Launcher, params: &Params) -> Result<()> {
        // The velocity update reads the new water one cell further out.
        let wide = params.computed.grown(i32::from(self.momentum_update.is_some()));
        let wide = Params { computed: wide, ..*params };
        if let Some(flux) = &self.flux {
            launch.chunks(flux, &wide, warps(params, LISTED_ROWS), Args::of(&wide))?;
        }
        let (down, warps) = (params.marches_down(), warps(params, self.listed_warps));
        launch.over_chunks(&self.flow, &wide, down, warps, Args::of(&wide))
    }

    /// Launches the velocity update, if it is a kernel of its own.
    pub fn momentum_update(&self, launch: Launcher, params: &Params) -> Result<()> {
        let (down, warps) = (params.marches_down(), warps(params, LISTED_ROWS));
        let update = |kernel| launch.over_chunks(kernel, params, down, warps, Args::of(params));
        self.momentum_update.as_ref().map_or(Ok(()), update)
    }
}

/// Returns the number of warps per block; `listed` if the kernel uses a list.
fn warps(params: &Params, listed: u32) -> u32 {
    if params.active == 0 { USUAL_WARPS } else { listed }
}
