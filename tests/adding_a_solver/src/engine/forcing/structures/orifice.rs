//! Flow through an opening in a wall: q = C·a·√(2·g·(h₁ − h₂)), where a is the height of the opening, or the head h₁ over the sill if
//! that is lower (Chow 1959, section 17-7).

use super::{CudaTwin, FaceHeads, NUMBERS, StepContext, StructureLaw};
use crate::solver::{G, cuda_twin};

/// Orifice. Its numbers are C times the share of the edge that it is wide (0.6 along the whole edge), and the height of its opening (m).
pub struct Orifice;

impl StructureLaw for Orifice {
    const CUDA: CudaTwin = cuda_twin!("Orifice", "../../kernels/", "structures/orifice.cuh");

    #[inline(always)]
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, _: &StepContext) -> f32 {
        let [coefficient, opening, _] = *numbers;
        let FaceHeads { up, down, .. } = heads;
        let open = if up < opening { up } else { opening };
        coefficient * (open * (2.0 * G * (up - down)).sqrt())
    }

    fn sample(share: f32, _: &mut Vec<f32>) -> [f32; NUMBERS] {
        [share * 0.6, 0.5, 0.0]
    }
}
