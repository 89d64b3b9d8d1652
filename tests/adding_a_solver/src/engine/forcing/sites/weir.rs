//! Water that leaves a cell over a weir: q = C·h^(3/2), with the head h over its crest (Poleni 1717).

use super::{CellView, CudaTwin, Site, SiteParameters, StepContext};
use crate::solver::cuda_twin;

/// Weir. Its numbers are the height of its crest above the cell's bed (grains), and the bits of C times its width divided by the
/// cell's area (m^(-1/2)/s).
pub struct Weir;

impl Site for Weir {
    const ABOUT: &'static str = "a weir that water leaves over";
    const CUDA: Option<CudaTwin> = Some(cuda_twin!("Weir", "../../kernels/", "sites/weir.cuh"));

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        let [crest, coefficient] = given.numbers;
        let over = (i64::from(seen.water) - i64::from(crest)).max(0) as i32;
        let head = over as f32 * now.grain.metres();
        let rate = f32::from_bits(coefficient) * (head * head.sqrt());
        let grains = rate * (now.step.dt * now.grain.per_metre()) + now.phase;
        // At most half of it per step, so that the level does not oscillate.
        -i64::from((grains.min(1e9) as i32).min(over / 2))
    }
}
