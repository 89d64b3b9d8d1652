//! The kernels of a run.

use crate::backend::cuda::compile::load::load;
use crate::backend::cuda::compile::source::{Edges, Unit, common_unit, edges_unit, flow_unit};
use crate::backend::cuda::launch::entry::Entry;
use crate::backend::cuda::launch::flow::Flow;
use crate::backend::cuda::params::Params;
use crate::error::Result;
use crate::neighbourhood::Neighbourhood;
use crate::solver::SolverInfo;
use cudarc::driver::{CudaContext, CudaModule};
use rayon::prelude::*;
use std::sync::Arc;

/// Returns the flow unit of a solver; `edges` are the features of a timed solver's flow.
fn unit(solver: &SolverInfo, neighbourhood: Neighbourhood, edges: Edges) -> Unit {
    if solver.is_timed() { edges_unit(solver, edges) } else { flow_unit(solver, neighbourhood) }
}

/// Units loaded ahead of time, by source.
#[derive(Default)]
pub struct Modules(Vec<(String, Arc<CudaModule>)>);

impl Modules {
    /// Loads the units that [`Program::new`] would load, ignoring failures.
    pub fn load(
        context: &Arc<CudaContext>,
        solver: &SolverInfo,
        neighbourhood: Neighbourhood,
        edges: Edges,
    ) -> Modules {
        let mut units = vec![unit(solver, neighbourhood, edges), common_unit()];
        if solver.is_timed() {
            units.push(edges_unit(solver, Edges { listed: true, ..edges }));
        }
        let load = |unit: Unit| load(context, &unit).ok().map(|module| (unit.source, module));
        Modules(units.into_par_iter().filter_map(load).collect())
    }

    /// Returns a preloaded unit, or loads it now.
    fn get(&self, context: &Arc<CudaContext>, unit: &Unit) -> Result<Arc<CudaModule>> {
        let found = self.0.iter().find(|(source, _)| *source == unit.source);
        found.map_or_else(|| load(context, unit), |(_, module)| Ok(module.clone()))
    }
}

/// Declares the kernels that all flows share, by name.
macro_rules! common_kernels {
    ($($name:ident)*) => {
        /// Kernels that all flows share.
        pub(in crate::backend::cuda) struct Common {
            $(pub $name: Entry,)*
        }

        impl Common {
            fn find(module: &Arc<CudaModule>) -> Result<Common> {
                Ok(Common { $($name: Entry::find(module, stringify!($name))?,)* })
            }
        }
    };
}

common_kernels! {
    rain sites_before_flow sites_after_flow link over_structures levels
    tick sample end_samples prepare take_over mark_wet list
    survey record_maxima record_diagnostics losses gauge count
}

/// Loaded kernels of a run.
pub struct Program {
    /// Flow kernels, and for a timed solver the kernels that use a list of chunks.
    flow: Flow,
    pub(in crate::backend::cuda) listed: Option<Flow>,
    pub(in crate::backend::cuda) common: Common,
}

impl Program {
    /// Collects the kernels for a solver from the preloaded units, loading the rest; `edges` are
    /// the features of a timed solver's flow.
    pub fn new(
        context: &Arc<CudaContext>,
        modules: &Modules,
        solver: &SolverInfo,
        neighbourhood: Neighbourhood,
        edges: Edges,
    ) -> Result<Program> {
        let flow = |unit, edges| Flow::new(&modules.get(context, &unit)?, solver, edges);
        let few = Edges { listed: true, ..edges };
        let listed = solver.is_timed().then(|| flow(edges_unit(solver, few), few));
        Ok(Program {
            flow: flow(unit(solver, neighbourhood, edges), edges)?,
            listed: listed.transpose()?,
            common: Common::find(&modules.get(context, &common_unit())?)?,
        })
    }

    /// Returns the flow kernels, those for a list if the parameters have one.
    pub(in crate::backend::cuda) fn flow(&self, params: &Params) -> &Flow {
        match params.active {
            0 => &self.flow,
            _ => self.listed.as_ref().expect("passes that go by a list"),
        }
    }
}
