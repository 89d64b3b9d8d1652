//! Cells that drain at normal depth, in addition to the flow over their edges.
//!
//! Where the water leaves after the flow, it does so by the depth before it
//! (docs/decisions/0015-stage-boundaries-and-outflow.md).

use super::{
    CellView, Line, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags,
};
use crate::forcing::Forcing;
use crate::forcing::normal_depth::NormalDepthOutflow;
use crate::solver::{CudaTwin, SolverInfo, cuda_twin};

/// Parameters: the sides of its port, and the bits of its conveyance (f32).
pub struct NormalDepth;

impl Site for NormalDepth {
    const ABOUT: &'static str = "outflow at normal depth";
    const FLAG: u8 = flags::AFTER_FLOW;
    const CROSSES: bool = true;
    const OVER_SIDES: bool = true;

    const CUDA: Option<CudaTwin> =
        Some(cuda_twin!("NormalDepth", "../../kernels/", "sites/normal_depth.cuh"));

    fn when(solver: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::of_rate(solver))
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        let place = |free: &NormalDepthOutflow| {
            let (port, numbers) = (free.port, [free.port, free.conveyance.to_bits()]);
            let given = SiteParameters { kind, line: Line::Flow, port, numbers };
            PlacedSite { cell: free.cell, given }
        };
        forcing.free.iter().map(place).collect()
    }

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        let conveyance = f32::from_bits(given.numbers[1]);
        let (dt, phase) = (now.step.dt, now.phase);
        let leaves = match seen.conveys {
            None => NormalDepthOutflow::leaves(conveyance, seen.before, dt, phase, now.grain),
            Some(by) => {
                NormalDepthOutflow::leaves_by(by * conveyance, seen.before, dt, phase, now.grain)
            }
        };
        -i64::from(leaves.min(seen.water))
    }
}
