//! How water flows: by a rule's own kernels, or by others that are to be compared with them.

use crate::backend::cuda::launch::entry::Entry;
use crate::backend::cuda::launch::launcher::{Launcher, USUAL_WARPS};
use crate::backend::cuda::listing::{AT_ONCE_WARPS, LISTED_ROWS, LISTED_WARPS};
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::Params;

use crate::backend::cuda::compile::source::{Edges, Unit};
use crate::error::Result;
use crate::rule::RuleInfo;
use cudarc::driver::CudaModule;
use std::sync::Arc;

/// A rule's own kernels: of all chunks of a frame, or of those on a list.
pub(crate) struct OwnFlow {
    flow: Entry,
    /// The second half of a step of a rule with momentum, and the discharge before the first at second order.
    momentum_update: Option<Entry>,
    flux: Option<Entry>,
    /// Both halves.
    at_once: Option<Entry>,
}

impl OwnFlow {
    /// Those of a loaded unit.
    pub fn new(module: &Arc<CudaModule>, rule: &RuleInfo, edges: Edges) -> Result<OwnFlow> {
        let momentum = rule.has_momentum();
        let optional = |has: bool, name: &str| has.then(|| Entry::find(module, name)).transpose();
        Ok(OwnFlow {
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

/// Kernels that move the water of an automaton in the place of the rule's own, where one frame holds the whole grid.
pub struct OtherFlow {
    /// What is compiled.
    pub unit: Unit,
    /// Its kernels, in the order in which they are launched. Each waits for the one before it (kernels/previous_kernel.cuh).
    pub passes: Vec<Pass>,
    /// Memory that they share: they get its address after [`Params`].
    pub memory: Option<Block>,
}

/// A kernel of such a flow.
pub struct Pass {
    /// Its name.
    pub kernel: &'static str,
    /// Columns and rows of a block of threads.
    pub threads: (u32, u32),
    /// How many there are.
    pub blocks: Blocks,
}

/// Blocks across and down for what is to be computed.
pub type Blocks = Box<dyn Fn(&Params) -> (u32, u32) + Send + Sync>;

/// Such a flow, loaded.
pub(crate) struct LoadedFlow {
    functions: Vec<Entry>,
    other: OtherFlow,
}

impl LoadedFlow {
    /// Its kernels in a loaded unit.
    pub fn new(module: &Arc<CudaModule>, other: OtherFlow) -> Result<LoadedFlow> {
        let functions = other.passes.iter().map(|pass| Entry::find(module, pass.kernel));
        Ok(LoadedFlow { functions: functions.collect::<Result<_>>()?, other })
    }

    /// Launches them.
    pub fn flow(&self, launch: Launcher, params: &Params) -> Result<()> {
        for (function, pass) in self.functions.iter().zip(&self.other.passes) {
            let (blocks, threads) = ((pass.blocks)(params), pass.threads);
            launch.launch(
                function,
                (blocks.0, blocks.1, 1),
                (threads.0, threads.1, 1),
                |args| {
                    args.arg(params);
                    if let Some(memory) = &self.other.memory {
                        args.arg(&memory.address);
                    }
                },
            )?;
        }
        Ok(())
    }
}
