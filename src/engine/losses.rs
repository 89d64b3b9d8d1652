//! Loss terms: initial loss, infiltration, drainage and evaporation.
//!
//! Each step, after the sources and before the flow, the losses are applied to every cell in this
//! order. They are whole grains, rounded with the step's phase, so that rounding has no bias over
//! many steps.

pub mod parameter;

use crate::forcing::Increment;
use crate::grains::Grain;
use serde::{Deserialize, Serialize};

/// Maximum loss from a cell in a step (grains), the limit for exact integers in f32.
pub const MOST: f32 = 536_870_912.0;

/// Code of [`Infiltration::Horton`].
pub(crate) const HORTON: i32 = 2;

/// Number of infiltration models.
pub(crate) const MODELS: i32 = 5;

/// Infiltration model of a kind of ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub enum Infiltration {
    /// No infiltration at all.
    #[default]
    None,
    /// A constant infiltration capacity.
    Constant {
        /// Infiltration capacity (m/s).
        rate: f32,
    },
    /// f = max(fc, f0 − k·E), where E is the infiltration beyond fc. This equals Horton's curve
    /// under constant ponding (Horton 1940) and otherwise follows the water that was available
    /// (Akan 1992; SWMM's modified Horton, Rossman & Huber 2016, eq. 4-12).
    Horton {
        /// Capacity of dry ground, f0 (m/s).
        first: f32,
        /// Final capacity, fc (m/s).
        last: f32,
        /// Decay rate, k (1/s).
        decay: f32,
    },
    /// f = K·(1 + ψ·Δθ/F), where F is the cumulative infiltration (Green & Ampt 1911; Mein & Larson
    /// 1973, eq. 4), by the implicit midpoint rule, which is exact for F = √(2·K·ψ·Δθ·t), the
    /// initial phase on dry ground.
    GreenAmpt {
        /// Saturated conductivity, K (m/s).
        conductivity: f32,
        /// Suction head times moisture deficit, ψ·Δθ (m).
        suction: f32,
    },
    /// F = S·P/(P + S) for rain P after the initial loss (USDA NRCS 2004, National Engineering
    /// Handbook, part 630, eq. 10-11). Water that flows onto a cell does not infiltrate.
    CurveNumber {
        /// Potential retention, S (m).
        retention: f32,
    },
}

impl Infiltration {
    /// Returns the model's code in kernels/losses.cu, and its parameters.
    #[inline(always)]
    pub fn coded(self) -> (i32, [f32; 3]) {
        match self {
            Infiltration::None => (0, [0.0; 3]),
            Infiltration::Constant { rate } => (1, [rate, 0.0, 0.0]),
            Infiltration::Horton { first, last, decay } => (HORTON, [first, last, decay]),
            Infiltration::GreenAmpt { conductivity, suction } => (3, [conductivity, suction, 0.0]),
            Infiltration::CurveNumber { retention } => (4, [retention, 0.0, 0.0]),
        }
    }

    /// Returns the model of a code, with these parameters.
    #[inline(always)]
    pub(crate) fn decoded(code: i32, [a, b, c]: [f32; 3]) -> Infiltration {
        match code {
            0 => Infiltration::None,
            1 => Infiltration::Constant { rate: a },
            HORTON => Infiltration::Horton { first: a, last: b, decay: c },
            3 => Infiltration::GreenAmpt { conductivity: a, suction: b },
            _ => Infiltration::CurveNumber { retention: a },
        }
    }
}

/// Losses of a kind of ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct GroundLosses {
    /// Initial loss: water held by leaves, hollows and topsoil (grains).
    pub initial: i32,
    /// Infiltration after the initial loss.
    pub infiltration: Infiltration,
    /// Capacity of sewers (m/s).
    pub drainage: f32,
}

impl GroundLosses {
    /// Returns the losses as depths over a larger area, of which this ground is a share.
    pub fn scaled(self, share: f64) -> GroundLosses {
        let part = |depth: f32| (f64::from(depth) * share) as f32;
        let infiltration = match self.infiltration {
            Infiltration::None => Infiltration::None,
            Infiltration::Constant { rate } => Infiltration::Constant { rate: part(rate) },
            Infiltration::Horton { first, last, decay } => {
                Infiltration::Horton { first: part(first), last: part(last), decay }
            }
            Infiltration::GreenAmpt { conductivity, suction } => {
                Infiltration::GreenAmpt { conductivity: part(conductivity), suction: part(suction) }
            }
            Infiltration::CurveNumber { retention } => {
                Infiltration::CurveNumber { retention: part(retention) }
            }
        };
        let initial = (f64::from(self.initial) * share).round() as i32;
        GroundLosses { initial, infiltration, drainage: part(self.drainage) }
    }
}

/// Losses of a run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Losses {
    /// The kinds of ground.
    pub grounds: Vec<GroundLosses>,
    /// The kind of each cell of the grid, row-major; empty if there is only one kind.
    pub of_cell: Vec<u32>,
    /// Rate layer that is booked as evaporation, if any.
    pub evaporation: Option<usize>,
}

impl Losses {
    /// Returns `true` if any ground stores its excess infiltration (Horton).
    pub(crate) fn has_excess(&self) -> bool {
        self.grounds.iter().any(|g| matches!(g.infiltration, Infiltration::Horton { .. }))
    }

    /// Returns `true` if any ground depends on the rain of the step (curve number).
    pub(crate) fn asks_rain(&self) -> bool {
        self.grounds.iter().any(|g| matches!(g.infiltration, Infiltration::CurveNumber { .. }))
    }
}

/// Volumes taken from cells (grains).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct Taken {
    /// Taken as initial loss.
    pub initial: i64,
    /// Taken by infiltration.
    pub infiltration: i64,
    /// Taken by sewers (drainage).
    pub drainage: i64,
    /// Taken by evaporation.
    pub evaporation: i64,
}

add_assign! { Taken: initial infiltration drainage evaporation }

/// Constants of a step, common to all cells.
#[derive(Clone, Copy, Debug)]
pub struct StepLosses {
    /// Length of the step (s, or 1 step).
    pub dt: f32,
    /// Rounding phase of the step.
    pub phase: f32,
    /// Size of a grain (m).
    pub metres: f32,
    /// Number of grains per metre.
    pub per_metre: f32,
    /// Evaporation from a wet cell in the step (grains).
    pub evaporation: i32,
}

impl StepLosses {
    /// Computes the constants of a step.
    pub fn new(dt: f32, phase: f32, grain: Grain, evaporation: Option<Increment>) -> StepLosses {
        let gain = evaporation.map_or(0, |increment| increment.after - increment.before);
        StepLosses {
            dt,
            phase,
            metres: grain.metres(),
            per_metre: grain.per_metre(),
            evaporation: gain.min(MOST as u64) as i32,
        }
    }

    /// Converts a depth (m) to whole grains, rounded with the step's phase.
    #[inline(always)]
    fn whole(&self, depth: f32) -> i32 {
        let grains = depth * self.per_metre + self.phase;
        let grains = if grains < MOST { grains } else { MOST };
        // SAFETY: the number is from 0 to `MOST`, which fits into an i32. (A saturating conversion
        // would not be vectorized.)
        unsafe { grains.max(0.0).to_int_unchecked() }
    }

    /// Applies the losses of a cell's ground to its `water` (grains) in a step with `rain`
    /// (grains). `soaked` is the initial loss and infiltration so far, `excess` the infiltration
    /// beyond Horton's final capacity.
    #[inline(always)]
    pub fn take(
        &self,
        ground: &GroundLosses,
        water: &mut i32,
        rain: i32,
        soaked: &mut i32,
        excess: Option<&mut i32>,
    ) -> Taken {
        let mut left = *water;
        let from_rain = matches!(ground.infiltration, Infiltration::CurveNumber { .. });
        let offered = if from_rain { left.min(rain) } else { left };
        let initial = offered.min((ground.initial - *soaked).max(0));
        let offered = offered - initial;
        left -= initial;
        let so_far = (*soaked - ground.initial).max(0) as f32 * self.metres;
        let infiltrated = if offered > 0 {
            self.infiltrate(ground.infiltration, offered, so_far, excess)
        } else {
            0
        };
        left -= infiltrated;
        *soaked = soaked.saturating_add(initial + infiltrated);
        let drained = left.min(self.whole(ground.drainage * self.dt));
        left -= drained;
        let evaporated = left.min(self.evaporation);
        *water = left - evaporated;
        Taken {
            initial: initial.into(),
            infiltration: infiltrated.into(),
            drainage: drained.into(),
            evaporation: evaporated.into(),
        }
    }

    /// Computes the infiltration (grains) of `offered` water (grains); `so_far` is the cumulative
    /// infiltration (m).
    #[inline(always)]
    fn infiltrate(
        &self,
        how: Infiltration,
        offered: i32,
        so_far: f32,
        excess: Option<&mut i32>,
    ) -> i32 {
        let dt = self.dt;
        match how {
            Infiltration::None => 0,
            Infiltration::Constant { rate } => offered.min(self.whole(rate * dt)),
            Infiltration::Horton { first, last, decay } => {
                let excess = excess.expect("Horton's ground remembers its excess");
                let above = (first - last) - decay * (*excess as f32 * self.metres);
                let more = above.max(0.0) * dt / (1.0 + 0.5 * (decay * dt));
                let steady = self.whole(last * dt);
                let taken = offered.min(steady + self.whole(more));
                *excess = excess.saturating_add((taken - steady).max(0));
                taken
            }
            Infiltration::GreenAmpt { conductivity, suction } => {
                let flowed = conductivity * dt;
                let behind = 2.0 * so_far - flowed;
                let pulled = 4.0 * (flowed * (so_far + suction));
                let root = (behind * behind + (pulled + pulled)).sqrt();
                offered.min(self.whole(pulled / (behind + root)))
            }
            Infiltration::CurveNumber { retention } => {
                let room = (1.0 - so_far / retention).max(0.0);
                let rain = offered as f32 * self.metres;
                let part = rain * room;
                offered.min(self.whole(part * room / (1.0 + part / retention)))
            }
        }
    }
}
