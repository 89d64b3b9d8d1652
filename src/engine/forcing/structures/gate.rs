//! A gate that water flows under (a sluice).
//!
//! Free flow: q = C₁·a·√(2·g·h₁) with the opening a and the head h₁ over the sill. Drowned flow,
//! with a downstream head h₂: q = C₂·a·√(2·g·(h₁ − h₂)). The smaller of the two holds (Brunner,
//! HEC-RAS Hydraulic Reference Manual 5.0, 2016, chapter 8, sluice gates and their orifice
//! equation, with C₁ of 0.5 to 0.7 and C₂ of 0.8; that manual has a separate equation for the
//! transition, which gives larger discharges).
//!
//! If the sill alone, as a broad-crested weir ([`super::weir`]), limits the flow more, the water
//! does not touch the gate, and the weir's discharge holds: in free flow for h₁ below about 1.5 a,
//! where the critical depth over the sill equals the opening. Water above the gate's top also flows
//! over it, as over such a weir.

use super::{CudaTwin, FaceHeads, NUMBERS, StepContext, StructureLaw, weir};
use crate::forcing::table::Table;
use crate::solver::{G, cuda_twin};

/// Coefficient C₁ of free flow under a vertical gate.
pub const FREE: f32 = 0.6;

/// Coefficient C₂ of drowned flow.
pub const DROWNED: f32 = 0.8;

/// Height of the top of a gate that is never overtopped (m).
pub const ENDLESS: f32 = 1e9;

/// Parameters: the gate's share of the edge, the offset of its table ([`Gate::table`]), and the
/// height of its top over the sill (m).
pub struct Gate;

impl Gate {
    /// Appends the gate's table to a run's tables and returns its offset: C₁ and C₂, and times (s,
    /// ascending) with the openings (m), with linear interpolation.
    ///
    /// # Panics
    /// As [`Table::add`].
    pub fn table(tables: &mut Vec<f32>, coefficients: [f32; 2], openings: &[(f32, f32)]) -> f32 {
        let at = tables.len();
        tables.extend(coefficients);
        Table::add(tables, openings);
        at as f32
    }
}

impl StructureLaw for Gate {
    const CUDA: CudaTwin = cuda_twin!("Gate", "../../kernels/", "structures/gate.cuh");

    #[inline(always)]
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32 {
        let [share, at, top] = *numbers;
        let at = at as usize;
        let [free, drowned] = [now.tables[at], now.tables[at + 1]];
        let opening = Table { all: now.tables, at: at + 2 }.of(now.step.elapsed[1]);
        let free = free * (2.0 * G * heads.up).sqrt();
        let drowned = drowned * (2.0 * G * (heads.up - heads.down)).sqrt();
        let under = opening * if free < drowned { free } else { drowned };
        let sill = weir::over(weir::COEFFICIENT, weir::MODULAR, heads);
        let through = if under < sill { under } else { sill };
        share * (through + weir::over(weir::COEFFICIENT, weir::MODULAR, heads.above(top)))
    }

    fn sample(share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS] {
        [share, Gate::table(tables, [FREE, DROWNED], &[(0.0, 0.05), (9.0, 0.4)]), 0.7]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step;
    use crate::grains::Grain;

    /// Returns the discharge per width, 30 s into a run, of a gate that has opened to 0.5 m by
    /// then, with its top 3 m over the sill.
    fn found(up: f32, down: f32) -> f64 {
        let step = step::at(9, 29.0, 1.0);
        let mut tables = vec![4.0; 5];
        let at = Gate::table(&mut tables, [FREE, DROWNED], &[(10.0, 0.0), (50.0, 1.0)]);
        let numbers = [1.0, at, 3.0];
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        f64::from(Gate::discharge(&numbers, FaceHeads { up, down, ..FaceHeads::default() }, &now))
    }

    #[test]
    fn it_is_a_sill_a_sluice_and_drowned_as_the_formulas_say() {
        let root = |head: f64| (2.0 * 9.81 * head).sqrt();
        for (up, down, wanted) in [
            // The water does not touch the gate.
            (0.3, 0.0, 1.7 * 0.3f64.powf(1.5)),
            (0.7, 0.1, 1.7 * 0.7f64.powf(1.5)),
            (0.4, 0.38, 1.7 * 0.4 * (0.02f64 / 0.2).sqrt()),
            // Free flow under the gate.
            (0.9, 0.0, 0.6 * 0.5 * root(0.9)),
            (2.0, 0.0, 0.6 * 0.5 * root(2.0)),
            (2.0, 0.87, 0.6 * 0.5 * root(2.0)),
            // Drowned flow, from where 0.8 √(h1 − h2) is less than 0.6 √h1.
            (2.0, 0.9, 0.8 * 0.5 * root(1.1)),
            (2.0, 1.9, 0.8 * 0.5 * root(0.1)),
            // Also over the top: free, and drowned.
            (3.5, 0.0, 0.6 * 0.5 * root(3.5) + 1.7 * 0.5f64.powf(1.5)),
            (4.0, 3.9, 0.8 * 0.5 * root(0.1) + 1.7 * (0.1f64 / 0.2).sqrt()),
        ] {
            let found = found(up, down);
            assert!((found - wanted).abs() < 1e-4 * wanted, "{up} {down}: {found}, {wanted}");
        }
        assert_eq!(found(2.0, 2.0), 0.0);
    }
}
