//! Exchange of water between a cell and a node of a sewer network, through an inlet or a manhole.
//!
//! The discharge follows the equations of free and drowned weirs and orifices between a sewer and
//! the surface (Rubinato et al. 2017; Courty et al. 2017), in both directions. With h the height of
//! the higher of both levels over the crest, and Δ the lower of h and the difference of the levels,
//!
//! - weir: Q = ⅔·C_w·L·√(2g)·h·√Δ,
//! - orifice: Q = C_o·A·√(2g)·√Δ,
//!
//! of which the lower applies. It is free while the lower level is below the crest (Δ = h), and
//! drowned above. Q is continuous at both transitions.
//!
//! Both levels respond to the exchange within a step, so the law is implicit: Δ is the one that
//! remains after Q has acted, for a node whose head rises by R per discharge into it, and for the
//! water of the cell. Q = K·√(D − R·Q) has the solution 2·K²·D / (K²·R + √((K²·R)² + 4·K²·D)).

use super::{CellView, Site, SiteParameters, StepContext};
use crate::solver::{CudaTwin, cuda_twin};
use crate::subgrid::lookup;

/// Inlet of a sewer. Parameters: the offset of its [numbers](InletNumbers) in the tables of the
/// run, and the bits of 1/the cell's area (m⁻²).
pub struct SewerInlet;

/// Numbers of an inlet in the tables of the run. Heights are over the lowest ground of the cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InletNumbers {
    /// Height of the crest, which no water below it passes (m).
    pub crest: f32,
    /// C_o·A·√(2g), as an orifice (m^(5/2)/s).
    pub orifice: f32,
    /// ⅔·C_w·L·√(2g), as a weir (m^(3/2)/s).
    pub weir: f32,
    /// Height of the node's head (m).
    pub head: f32,
    /// Height that the node's head would have without the present exchange (m).
    pub idle_head: f32,
    /// Rise R of the node's head per discharge into it (s/m²).
    pub rise: f32,
    /// Discharge that the network releases onto the cell, or draws from it if negative (m³/s).
    pub release: f32,
}

impl InletNumbers {
    /// Number of numbers.
    pub const COUNT: usize = 7;

    /// Returns the numbers in the order of the tables.
    pub fn to_table(self) -> [f32; InletNumbers::COUNT] {
        let InletNumbers { crest, orifice, weir, head, idle_head, rise, release } = self;
        [crest, orifice, weir, head, idle_head, rise, release]
    }

    /// Returns the discharge into the sewer (m³/s), negative out of it, for water of a height (m)
    /// in a cell whose level falls by `falls` per discharge out of it (s/m²).
    pub fn discharge(self, height: f32, falls: f32) -> f32 {
        let surface = height - self.crest;
        let node = self.head - self.crest;
        let idle = self.idle_head - self.crest;
        let up = if surface > node { surface } else { node };
        if up <= 0.0 {
            return 0.0;
        }
        let weir = self.weir * up;
        let capacity = if weir < self.orifice { weir } else { self.orifice };
        if surface > idle {
            if surface <= 0.0 {
                return 0.0;
            }
            let free = remaining(capacity, surface, falls);
            let drowned = remaining(capacity, surface - idle, self.rise + falls);
            if drowned < free { drowned } else { free }
        } else {
            let down = if surface > 0.0 { surface } else { 0.0 };
            if idle <= down {
                return 0.0;
            }
            -remaining(capacity, idle - down, self.rise + falls)
        }
    }
}

/// Solves Q = K·√(D − R·Q) for Q.
fn remaining(capacity: f32, drop: f32, rise: f32) -> f32 {
    let square = capacity * capacity;
    let driven = square * drop;
    if driven <= 0.0 {
        return 0.0;
    }
    let half = 0.5 * (square * rise);
    driven / (half + (half * half + driven).sqrt())
}

impl Site for SewerInlet {
    const ABOUT: &'static str = "exchange with a node of a sewer network";
    const BRINGS: bool = true;

    const CUDA: Option<CudaTwin> =
        Some(cuda_twin!("SewerInlet", "../../kernels/", "sites/sewer_inlet.cuh"));

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        let [at, per_area] = given.numbers;
        let at = at as usize;
        let per_area = f32::from_bits(per_area);
        let table = &now.tables[at..at + InletNumbers::COUNT];
        let inlet = InletNumbers {
            crest: table[0],
            orifice: table[1],
            weir: table[2],
            head: table[3],
            idle_head: table[4],
            rise: table[5],
            release: table[6],
        };
        let height = now.grain.depth(seen.height_of_water(now.grain));
        let rises = match &seen.table {
            None => 1.0,
            Some(table) => lookup::height_and_rise(table, seen.water, now.grain.metres()).1,
        };
        let rises = if rises > 1.0 { rises } else { 1.0 };
        let falls = (now.step.dt * per_area) * rises;
        let net = inlet.release - inlet.discharge(height, falls);
        let size = if net < 0.0 { -net } else { net };
        let grains = (size * per_area) * (now.step.dt * now.grain.per_metre()) + now.phase;
        let whole = grains.clamp(0.0, 1e9) as i32;
        if net < 0.0 { -i64::from(whole.min(seen.water)) } else { i64::from(whole) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round manhole of 0.6 m, with coefficients of 0.6.
    fn manhole(crest: f64, head: f64) -> InletNumbers {
        let root = (2.0f64 * 9.81).sqrt();
        let (area, length) = (0.282_743_34, 1.884_955_6);
        InletNumbers {
            crest: crest as f32,
            orifice: (0.6 * area * root) as f32,
            weir: (2.0 / 3.0 * 0.6 * length * root) as f32,
            head: head as f32,
            idle_head: head as f32,
            ..InletNumbers::default()
        }
    }

    #[test]
    fn the_discharge_at_ten_states_is_that_of_the_equations() {
        // Crest 1 m over the ground of the cell; level, head, and discharge by hand: K is
        // 0.751438 as an orifice, and 3.339724·h as a weir; they are equal at h = 0.225 m.
        let states = [
            // Both below the crest.
            (0.9, 0.5, 0.0),
            // Into the sewer: a free weir, a free orifice, a drowned weir, a drowned orifice.
            (1.1, 0.2, 0.105_611),
            (1.5, -1.0, 0.531_347),
            (1.2, 1.15, 0.149_357),
            (2.0, 1.5, 0.531_347),
            // The transition from free to drowned.
            (1.1, 1.0, 0.105_611),
            // Out of the sewer: a free weir, a free orifice, a drowned weir, a drowned orifice.
            (0.0, 1.1, -0.105_611),
            (0.3, 1.5, -0.531_347),
            (1.15, 1.2, -0.149_357),
            (1.5, 2.0, -0.531_347),
        ];
        for (level, head, expected) in states {
            let found = f64::from(manhole(1.0, head).discharge(level as f32, 0.0));
            assert!((found - expected).abs() < 2e-6, "{level}, {head}: {found} for {expected}");
        }
    }

    #[test]
    fn the_implicit_discharge_fits_the_drop_that_it_leaves() {
        for capacity in [0.01, 0.7, 40.0] {
            for drop in [1e-4, 0.1, 3.0] {
                for rise in [0.0, 0.1, 3.0, 500.0] {
                    let found = remaining(capacity, drop, rise);
                    let left = drop - rise * found;
                    let explicit = f64::from(capacity) * f64::from(left.max(0.0)).sqrt();
                    // The drop that is left is the difference of two numbers of f32.
                    let slack = f64::from(capacity) * (f64::from(drop) * 1e-6).sqrt();
                    assert!(
                        (explicit - f64::from(found)).abs() <= slack + 1e-9,
                        "{capacity} {drop} {rise}"
                    );
                }
            }
        }
        assert_eq!(remaining(1.0, 0.0, 1.0), 0.0);
    }

    #[test]
    fn no_exchange_overshoots_the_other_level() {
        // A cell of 1 m² and a node that holds next to nothing, in steps of a minute.
        let inlet = InletNumbers { rise: 1e4, ..manhole(0.0, 3.0) };
        let out = -inlet.discharge(0.5, 60.0);
        assert!(out > 0.0 && 3.0 - 1e4 * out > 0.5, "{out}");
        let into = manhole(0.0, 0.2).discharge(0.5, 60.0);
        assert!(into > 0.0 && 0.5 - 60.0 * into >= 0.2, "{into}");
    }
}
