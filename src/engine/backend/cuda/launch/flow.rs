//! How water flows: the kernels of a rule.

use crate::backend::cuda::compile::source::Edges;
use crate::backend::cuda::launch::entry::Entry;
use crate::backend::cuda::launch::launcher::{Launcher, USUAL_WARPS};
use crate::backend::cuda::listing::{AT_ONCE_WARPS, LISTED_ROWS, LISTED_WARPS};
use crate::backend::cuda::params::Params;
use crate::error::Result;
use crate::rule::RuleInfo;
use cudarc::driver::CudaModule;
use std::sync::Arc;

/// A rule's kernels: of all chunks of a frame, or of those on a list.
pub(crate) struct Flow {
    flow: Entry,
    /// The second half of a step of a rule with momentum, and the discharge before the first at second order.
    momentum_update: Option<Entry>,
    flux: Option<Entry>,
    /// Both halves.
    at_once: Option<Entry>,
}

impl Flow {
    /// Those of a loaded unit.
    pub fn new(module: &Arc<CudaModule>, rule: &RuleInfo, edges: Edges) -> Result<Flow> {
        let momentum = rule.has_momentum();
        let optional = |has: bool, name: &str| has.then(|| Entry::find(module, name)).transpose();
        Ok(Flow {
            flow: Entry::find(module, "flow")?,
            momentum_update: optional(momentum, "momentum_update")?,
            flux: optional(momentum && rule.order > 1, "flux")?,
            at_once: optional(edges.update_at_once(rule), "flow_and_momentum")?,
        })
    }

    /// Launches those that move the water.
    pub fn flow(&self, launch: Launcher, params: &Params) -> Result<()> {
        // Velocities look at the new water one cell further.
        let wide = params.computed.grown(i32::from(self.momentum_update.is_some()));
        let wide = Params { computed: wide, ..*params };
        if let Some(flux) = &self.flux {
            launch.chunks(flux, &wide, warps(params, LISTED_ROWS), |_| {})?;
        }
        launch.chunks(&self.flow, &wide, warps(params, LISTED_WARPS), |_| {})
    }

    /// Whether one kernel can do both halves of a step.
    pub fn updates_at_once(&self) -> bool {
        self.at_once.is_some()
    }

    /// Launches that, by a list.
    pub fn flow_and_momentum(&self, launch: Launcher, params: &Params) -> Result<()> {
        let at_once = |both| launch.chunks(both, params, AT_ONCE_WARPS, |_| {});
        self.at_once.as_ref().map_or(Ok(()), at_once)
    }

    /// Launches what updates velocities, if the rule has any.
    pub fn momentum_update(&self, launch: Launcher, params: &Params) -> Result<()> {
        let update = |kernel| launch.chunks(kernel, params, warps(params, LISTED_ROWS), |_| {});
        self.momentum_update.as_ref().map_or(Ok(()), update)
    }
}

/// Warps of a block, of which a kernel wants so many where it goes by a list.
fn warps(params: &Params, listed: u32) -> u32 {
    if params.active == 0 { USUAL_WARPS } else { listed }
}
