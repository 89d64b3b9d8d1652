//! A broad-crested weir, or the crest of a levee or a road.
//!
//! Free flow: q = C·h₁^(3/2). Drowned flow, when the downstream head h₂ is more than m·h₁ (m: the
//! modular limit): q = C·h₁·√(h₁ − h₂)/√(1 − m), which equals the free discharge at the limit
//! (Bates et al., LISFLOOD-FP user manual 5.9, 2013, section 2.7). Both are multiplied by the factor
//! of the approaching flow ([`FaceHeads::approached`]).

use super::{CudaTwin, FaceHeads, NUMBERS, StepContext, StructureLaw};
use crate::solver::cuda_twin;

/// Coefficient C of a broad crest (m^(1/2)/s): critical flow over it has (2/3)^(3/2)·√g = 1.705.
pub const COEFFICIENT: f32 = 1.7;

/// Modular limit of a broad crest.
pub const MODULAR: f32 = 0.8;

/// Parameters: C, scaled by the weir's share of the edge (m^(1/2)/s; 1.7 over the whole edge), and
/// the modular limit m, less than 1.
pub struct Weir;

/// Returns the discharge per width over a crest (m²/s) with a coefficient and a modular limit.
#[inline(always)]
pub fn over(coefficient: f32, modular: f32, heads: FaceHeads) -> f32 {
    let FaceHeads { up, down, .. } = heads;
    let under = if down > modular * up { (up - down) / (1.0 - modular) } else { up };
    coefficient * (heads.approached() * (up * under.sqrt()))
}

impl StructureLaw for Weir {
    const CUDA: CudaTwin = cuda_twin!("Weir", "../../kernels/", "structures/weir.cuh");

    #[inline(always)]
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, _: &StepContext) -> f32 {
        let [coefficient, modular, _] = *numbers;
        over(coefficient, modular, heads)
    }

    fn sample(share: f32, _: &mut Vec<f32>) -> [f32; NUMBERS] {
        [share * COEFFICIENT, MODULAR, 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step;
    use crate::grains::Grain;

    #[test]
    fn approaching_flow_adds_one_and_a_half_times_its_velocity_head_up_to_critical_flow() {
        let over =
            |approach| over(1.7, 0.8, FaceHeads { up: 0.8, approach, ..FaceHeads::default() });
        let still = over(0.0);
        for (approach, factor) in [(0.08, 1.15), (0.4, 1.75), (0.5, 1.75), (f32::INFINITY, 1.75)] {
            assert!((over(approach) / still - factor).abs() < 1e-6, "{approach}");
        }
        let dry = FaceHeads { approach: 0.3, ..FaceHeads::default() };
        assert_eq!(super::over(1.7, 0.8, dry), 0.0);
    }

    #[test]
    fn free_and_drowned_discharges_are_those_of_the_formula() {
        let step = step::at(0, 0.0, 1.0);
        let now = StepContext::of(&step, Grain::Fine);
        for up in [0.01f32, 0.3, 1.0, 2.5] {
            for part in [0.0f32, 0.5, 0.8, 0.81, 0.9, 0.99, 1.0] {
                let heads = FaceHeads { up, down: part * up, ..FaceHeads::default() };
                let (h1, h2) = (f64::from(up), f64::from(part * up));
                let wanted = match part > 0.8 {
                    true => 1.7 * h1 * ((h1 - h2) / 0.2).sqrt(),
                    false => 1.7 * h1.powf(1.5),
                };
                let found = f64::from(Weir::discharge(&[1.7, 0.8, 0.0], heads, &now));
                assert!((found - wanted).abs() < 1e-4 * wanted.max(1e-3), "{up} {part}: {found}");
            }
        }
    }
}
