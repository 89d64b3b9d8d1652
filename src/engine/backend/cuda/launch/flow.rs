//! Flow kernels of a solver.

use crate::backend::cuda::compile::source::Edges;
use crate::backend::cuda::launch::entry::Entry;
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
    /// The second half of a step of a solver with momentum.
    momentum_update: Option<Entry>,
    /// At second order, the discharge across the edges of listed chunks, before the first half.
    flux: Option<Entry>,
    /// Both halves in one kernel.
    fused: Option<Entry>,
}

impl Flow {
    /// Finds the kernels in a loaded unit.
    pub fn new(module: &Arc<CudaModule>, solver: &SolverInfo, edges: Edges) -> Result<Flow> {
        let momentum = solver.has_momentum();
        let optional = |has: bool, name: &str| has.then(|| Entry::find(module, name)).transpose();
        Ok(Flow {
            flow: Entry::find(module, "flow")?,
            momentum_update: optional(momentum, "momentum_update")?,
            flux: optional(momentum && solver.order > 1 && edges.listed, "flux")?,
            fused: optional(edges.fuses_momentum(solver), "flow_and_momentum")?,
        })
    }

    /// Launches the mass update.
    pub fn flow(&self, launch: Launcher, params: &Params) -> Result<()> {
        // The velocity update reads the new water one cell further out.
        let wide = params.computed.grown(i32::from(self.momentum_update.is_some()));
        let wide = Params { computed: wide, ..*params };
        if let Some(flux) = &self.flux {
            launch.chunks(flux, &wide, warps(params, LISTED_ROWS), |_| {})?;
        }
        launch.chunks(&self.flow, &wide, warps(params, LISTED_WARPS), |_| {})
    }

    /// Returns whether one kernel can do both halves of a step.
    pub fn fuses_momentum(&self) -> bool {
        self.fused.is_some()
    }

    /// Launches the fused mass and velocity update, using a list.
    pub fn flow_and_momentum(&self, launch: Launcher, params: &Params) -> Result<()> {
        let fused = |both| launch.chunks(both, params, FUSED_WARPS, |_| {});
        self.fused.as_ref().map_or(Ok(()), fused)
    }

    /// Launches the velocity update, if the solver has one.
    pub fn momentum_update(&self, launch: Launcher, params: &Params) -> Result<()> {
        let update = |kernel| launch.chunks(kernel, params, warps(params, LISTED_ROWS), |_| {});
        self.momentum_update.as_ref().map_or(Ok(()), update)
    }
}

/// Returns the number of warps per block; `listed` if the kernel uses a list.
fn warps(params: &Params, listed: u32) -> u32 {
    if params.active == 0 { USUAL_WARPS } else { listed }
}
