//! A bridge: a soffit above the bed, which limits the flow below it when the water level is above
//! the soffit, and a deck that can be overtopped.
//!
//! Pressure flow under a soffit of height Z contracts to a jet of c·Z, and loses energy downstream
//! as in a sudden expansion (Borda and Carnot, (v − v₂)²/2g; Chow 1959, section 17-1 ff.): q =
//! √(2g·(h₁ − h₂))/(1/(c·Z) − 1/h₂), with the contraction c = c₀ + (1 − c₀)·(Z/h₁)³, c₀ = 0.62
//! (fitted to within 1.5 % to Weisbach's table of two-dimensional contraction, 1855).
//!
//! Deeply submerged, this is the orifice equation of bridges in pressure flow with the coefficient
//! c₀ (Brunner, HEC-RAS Hydraulic Reference Manual 5.0, 2016, chapter 5; Bradley 1978, FHWA HDS-1,
//! chapter VIII, uses 0.8). As the level falls to the soffit it goes to infinity, so that pressure
//! flow begins without a discontinuity. With a tailwater below the jet, the energy of the free jet
//! limits the flow, q = c·Z·√(2g·h₁/(1 + c·Z/h₁)). Flow over the deck is weir flow
//! ([`super::weir`]).
//!
//! Flow with a level below the soffit is not limited: piers are not modelled.

use super::{CudaTwin, FaceHeads, NUMBERS, StepContext, StructureLaw, weir};
use crate::solver::{G, cuda_twin};

/// Contraction coefficient c₀.
pub const CONTRACTION: f32 = 0.62;

/// Parameters: the bridge's share of the edge, the height of its soffit over the bed (m), and the
/// offset of its table ([`Bridge::table`]).
pub struct Bridge;

impl Bridge {
    /// Appends the bridge's table to a run's tables and returns its offset: c₀, and the height of
    /// the deck over the soffit (m).
    pub fn table(tables: &mut Vec<f32>, contraction: f32, thickness: f32) -> f32 {
        let at = tables.len();
        tables.extend([contraction, thickness]);
        at as f32
    }
}

impl StructureLaw for Bridge {
    const CUDA: CudaTwin = cuda_twin!("Bridge", "../../kernels/", "structures/bridge.cuh");

    const LIMITS: bool = true;

    #[inline(always)]
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32 {
        let [share, soffit, at] = *numbers;
        let [contraction, thickness] = [0, 1].map(|number| now.tables[at as usize + number]);
        let FaceHeads { up, down, .. } = heads;
        if up <= soffit {
            return f32::INFINITY;
        }
        let part = soffit / up;
        let jet = (contraction + (1.0 - contraction) * (part * part * part)) * soffit;
        let free = jet * (2.0 * G * up / (1.0 + jet / up)).sqrt();
        let drowned = (2.0 * G * (up - down)).sqrt() / (1.0 / jet - 1.0 / down);
        let under = if down > jet && drowned < free { drowned } else { free };
        let deck = heads.above(soffit + thickness);
        share * (under + weir::over(weir::COEFFICIENT, weir::MODULAR, deck))
    }

    fn sample(share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS] {
        [share, 0.3, Bridge::table(tables, CONTRACTION, 0.4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step;
    use crate::grains::Grain;

    /// Returns the maximum discharge with a soffit at 2 m and a deck at 3 m.
    fn most(up: f32, down: f32) -> f64 {
        let step = step::at(9, 29.0, 1.0);
        let mut tables = vec![4.0; 5];
        let numbers = [1.0, 2.0, Bridge::table(&mut tables, CONTRACTION, 1.0)];
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        f64::from(Bridge::discharge(&numbers, FaceHeads { up, down, ..FaceHeads::default() }, &now))
    }

    /// Returns the drop of the level (m) of a discharge that passes under the bridge and expands
    /// behind it: momentum of the jet and of the tailwater, by Borda and Carnot.
    fn drop(discharge: f64, up: f64, down: f64) -> f64 {
        let contraction = 0.62 + 0.38 * (2.0 / up).powi(3);
        (discharge / (contraction * 2.0) - discharge / down).powi(2) / (2.0 * 9.81)
    }

    #[test]
    fn it_lets_under_what_the_formulas_say() {
        for (up, down) in [(2.2f32, 2.18f32), (2.5, 2.45), (2.5, 2.49), (2.9, 2.7), (2.9, 2.88)] {
            let [h1, h2] = [up, down].map(f64::from);
            let back = drop(most(up, down), h1, h2);
            assert!((back - (h1 - h2)).abs() < 1e-3 * (h1 - h2), "{up} {down}: {back}");
        }
        // A free jet has the energy of the upstream water, including its approach velocity.
        for (up, down) in [(2.4f32, 0.0f32), (2.9, 0.7), (2.9, 1.2)] {
            let h1 = f64::from(up);
            let jet = 2.0 * (0.62 + 0.38 * (2.0 / h1).powi(3));
            let q = most(up, down);
            let energy = |depth: f64| depth + (q / depth).powi(2) / (2.0 * 9.81);
            assert!((energy(h1) - energy(jet)).abs() < 1e-3, "{up} {down}: {q}");
        }
        // Over the deck, free and drowned.
        let under = |h1: f64, h2: f64| {
            let jet = 2.0 * (0.62 + 0.38 * (2.0 / h1).powi(3));
            (2.0 * 9.81 * (h1 - h2)).sqrt() / (1.0 / jet - 1.0 / h2)
        };
        for (up, down, over) in [(4.0f32, 3.5f32, 1.7), (4.0, 3.9, 1.7 * (0.1f64 / 0.2).sqrt())] {
            let wanted = under(f64::from(up), f64::from(down)) + over;
            let found = most(up, down);
            assert!((found - wanted).abs() < 1e-3 * wanted, "{up} {down}: {found}, {wanted}");
        }
    }

    #[test]
    fn pressure_begins_without_a_step() {
        assert_eq!(most(2.0, 1.9), f64::INFINITY);
        // With a drop of a millimetre: the limit rises as the water falls to the soffit.
        let mut before = 0.0;
        for over in [0.8f32, 0.4, 0.2, 0.1, 0.05, 0.01] {
            let now = most(2.0 + over, 2.0 + over - 0.001);
            assert!(now > before, "{over}: {now}");
            before = now;
        }
        // As much as critical flow, which is a free jet through the whole depth.
        assert!(before > 0.7 * 2.0 * (9.81f64 * 2.0).sqrt(), "{before}");
    }
}
