//! Cells that water leaves at normal depth, beside what flows over their edges.
//!
//! Under a rule with momentum it leaves when a step begins: velocities are updated by the levels after the water has moved,
//! and what is left then is what they are to see. Other rules work the flow out of the levels when the step begins,
//! so there it leaves after the flow, by the depth before it (docs/decisions/0015-when-water-leaves.md).

use super::{Given, InStep, Line, Placed, Seen, Site, SiteKind, When, flags};
use crate::forcing::Forcing;
use crate::forcing::outflow::FreeOutflow;
use crate::rule::{CudaTwin, cuda_twin};

/// Its numbers are the sides of its port, and the bits of its conveyance (f32).
pub struct NormalDepth;

impl Site for NormalDepth {
    const ABOUT: &'static str = "outflow at normal depth";
    const FLAG: u8 = flags::LEAVES;
    const OVER_SIDES: bool = true;

    const CUDA: Option<CudaTwin> =
        Some(cuda_twin!("NormalDepth", "../../kernels/", "sites/normal_depth.cuh"));

    fn when(momentum: bool) -> Option<When> {
        Some(if momentum { When::BeforeFlow } else { When::AfterFlow })
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<Placed> {
        let place = |free: &FreeOutflow| {
            let (port, numbers) = (free.port, [free.port, free.conveyance.to_bits()]);
            let given = Given { kind, line: Line::Flow, port, numbers };
            Placed { cell: free.cell, given }
        };
        forcing.free.iter().map(place).collect()
    }

    #[inline(always)]
    fn change(given: &Given, seen: Seen, now: &InStep) -> i64 {
        let conveyance = f32::from_bits(given.numbers[1]);
        let (dt, phase) = (now.step.dt, now.phase);
        let leaves = match seen.conveys {
            None => FreeOutflow::leaves(conveyance, seen.before, dt, phase, now.grain),
            Some(by) => FreeOutflow::leaves_by(by * conveyance, seen.before, dt, phase, now.grain),
        };
        -i64::from(leaves.min(seen.water))
    }
}
