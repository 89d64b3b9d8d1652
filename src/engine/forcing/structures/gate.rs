//! A gate that water flows under (a sluice).
//!
//! Free flow: q = C·a·√(2·g·h₁) with the opening a and the head h₁ over the sill, C of 0.5 to 0.7
//! (Brunner, HEC-RAS Hydraulic Reference Manual 5.0, 2016, chapter 8). A jet of the depth C·a leaves
//! the gate. Where the tailwater h₂ is higher than the jump behind it, water lies on the jet
//! (`drowned`), and the discharge is less.
//!
//! If the sill alone, as a broad-crested weir ([`super::weir`]), limits the flow more, the water
//! does not touch the gate, and the weir's discharge holds: in free flow for h₁ below about 1.5 a,
//! where the critical depth over the sill equals the opening. Water above the gate's top also flows
//! over it, as over such a weir.

use super::{CudaTwin, FaceHeads, NUMBERS, StepContext, StructureLaw, weir};
use crate::forcing::table::Table;
use crate::solver::{G, cuda_twin};

/// Coefficient C of free flow under a vertical gate.
pub const FREE: f32 = 0.6;

/// Range D/h₁² in which the transition to drowned flow is linear.
const SUDDEN: f32 = 1.0 / 64.0;

/// Height of the top of a gate that is never overtopped (m).
pub const ENDLESS: f32 = 1e9;

/// Parameters: the gate's share of the edge, the offset of its table ([`Gate::table`]), and the
/// height of its top over the sill (m).
pub struct Gate;

impl Gate {
    /// Appends the gate's table to a run's tables and returns its offset: C, and times (s,
    /// ascending) with the openings (m), with linear interpolation.
    ///
    /// # Panics
    /// As [`Table::add`].
    pub fn table(tables: &mut Vec<f32>, coefficient: f32, openings: &[(f32, f32)]) -> f32 {
        let at = tables.len();
        tables.push(coefficient);
        Table::add(tables, openings);
        at as f32
    }

    /// Returns the openings (m) of a gate by time (s), given its parameters and a run's tables.
    pub fn openings<'a>(numbers: &[f32; NUMBERS], tables: &'a [f32]) -> Table<'a> {
        Table { all: tables, at: numbers[1] as usize + 1 }
    }
}

/// Returns the part of the free discharge that passes under a gate with a tailwater, given the depth
/// of its jet y_j (m).
///
/// The momentum of the jet and of the water of depth y above it becomes that of the tailwater, and
/// its energy is that of the headwater above y, without loss (Henderson, Open Channel Flow, 1966,
/// section 6.6): y²/2 + q²/(g·y_j) = h₂²/2 + q²/(g·h₂) and q = y_j·√(2·g·(h₁ − y)), of which y = k +
/// √D with k = 2·y_j·(1 − y_j/h₂) and D = k² − 2·k·h₁ + h₂². As D becomes positive, y would rise from
/// y_j to k at once; here it rises linearly where |D| < h₁²/64.
fn drowned(jet: f32, heads: FaceHeads) -> f32 {
    let FaceHeads { up, down, .. } = heads;
    if down <= jet || up <= jet {
        return 1.0;
    }
    let middle = 2.0 * jet * (1.0 - jet / down);
    let excess = (middle * middle - 2.0 * middle * up) + down * down;
    let size = if excess < 0.0 { -excess } else { excess };
    let least = SUDDEN * (up * up);
    let root = excess / (if size > least { size } else { least }).sqrt();
    let above = if middle + root > jet { middle + root } else { jet };
    let left = up - above;
    if left > 0.0 { (left / (up - jet)).sqrt() } else { 0.0 }
}

impl StructureLaw for Gate {
    const CUDA: CudaTwin = cuda_twin!("Gate", "../../kernels/", "structures/gate.cuh");

    #[inline(always)]
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32 {
        let [share, at, top] = *numbers;
        let opening = Gate::openings(numbers, now.tables).of(now.step.elapsed[1]);
        let jet = now.tables[at as usize] * opening;
        let under = jet * (2.0 * G * heads.up).sqrt() * drowned(jet, heads);
        let sill = weir::over(weir::COEFFICIENT, weir::MODULAR, heads);
        let through = if under < sill { under } else { sill };
        share * (through + weir::over(weir::COEFFICIENT, weir::MODULAR, heads.above(top)))
    }

    fn sample(share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS] {
        [share, Gate::table(tables, FREE, &[(0.0, 0.05), (9.0, 0.4)]), 0.7]
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
        let at = Gate::table(&mut tables, FREE, &[(10.0, 0.0), (50.0, 1.0)]);
        let numbers = [1.0, at, 3.0];
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        f64::from(Gate::discharge(&numbers, FaceHeads { up, down, ..FaceHeads::default() }, &now))
    }

    /// Returns the discharge of a drowned jet of 0.3 m, whose momentum and that of the water above it
    /// are found by bisection for the depth above it.
    fn under_water(up: f64, down: f64) -> f64 {
        const JET: f64 = 0.3;
        let flow = |above: f64| JET * (2.0 * 9.81 * (up - above)).sqrt();
        let surplus = |above: f64| {
            let momentum =
                |depth: f64, area: f64| depth * depth / 2.0 + flow(above).powi(2) / 9.81 / area;
            momentum(above, JET) - momentum(down, down)
        };
        let (mut low, mut high) = (2.0 * JET * (1.0 - JET / down), up);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if surplus(middle) < 0.0 { low = middle } else { high = middle }
        }
        flow(low) * (up / (up - JET)).sqrt()
    }

    #[test]
    fn drowning_reduces_the_discharge_without_a_jump() {
        for up in [1.0f32, 2.0, 7.0] {
            let mut before = 1.0;
            for step in 0..=1000 {
                let heads =
                    FaceHeads { up, down: up * step as f32 / 1000.0, ..FaceHeads::default() };
                let part = drowned(0.3, heads);
                assert!(part <= before && before - part < 0.06, "{up}, {step}: {before}, {part}");
                before = part;
            }
            assert_eq!(before, 0.0);
        }
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
            (2.0, 1.2, 0.6 * 0.5 * root(2.0)),
            // Drowned flow.
            (2.0, 1.4, under_water(2.0, 1.4)),
            (2.0, 1.9, under_water(2.0, 1.9)),
            // Also over the top: free, and drowned.
            (3.5, 0.0, 0.6 * 0.5 * root(3.5) + 1.7 * 0.5f64.powf(1.5)),
            (4.0, 3.9, under_water(4.0, 3.9) + 1.7 * (0.1f64 / 0.2).sqrt()),
        ] {
            let found = found(up, down);
            assert!((found - wanted).abs() < 1e-4 * wanted, "{up} {down}: {found}, {wanted}");
        }
        assert_eq!(found(2.0, 2.0), 0.0);
    }
}
