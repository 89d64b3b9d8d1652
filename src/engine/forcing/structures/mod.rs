//! Structures on edges: weirs, levee crests, and others that determine the flux across the edge
//! between two cells. Each kind is a file here and a line of the registry
//! below (docs/adding_a_structure.md).
//!
//! The law of a kind computes the discharge from the heads over the structure's crest on both
//! sides. It is an upper limit on the speed of the solver's flow, whose friction remains. For a
//! solver that stores the flow on edges, it acts as a resistance to that flow, such that a steady
//! flow equals the law (docs/decisions/0035-a-structure-is-a-resistance.md); where the law lets
//! nothing pass, the edge is a wall. A kind may have no crest ([`StructureLaw::LIMITS`]), as the
//! soffit of a bridge: water below the soffit flows by the solver.

pub mod breach;
pub mod bridge;
pub mod gate;
pub mod weir;

use super::sites::StepContext;
use super::sites::trigger::Trigger;
use crate::forcing::table::Table;
use crate::grains::MAX_WATER;
use crate::grid::{Bed, Grid};
use crate::solver::edge::{Axis, EdgeField};
use crate::solver::{CudaTwin, G};
use crate::units::Metre;
use serde::{Deserialize, Serialize};

/// Value of [`Field::StructureEast`](crate::field::Field::StructureEast) on an edge whose structure
/// lets nothing pass.
pub const CLOSED: f32 = -1.0;

/// Smallest drop from which the resistance of a structure is derived (m).
pub const LEAST_DROP: f32 = 1.0 / 1024.0;

/// Range of velocities that can be a limit (m/s).
pub(crate) const VELOCITIES: [f32; 2] = [1.0 / (1 << 20) as f32, 1024.0];

/// Number of parameters of a law.
pub const NUMBERS: usize = 3;

/// A structure on the edge between a cell and its eastern or southern neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Structure {
    /// Cell west or north of the edge (row-major).
    pub cell: usize,
    /// Axis: 0 if the edge is east of the cell, 1 if it is south.
    pub axis: usize,
    /// Kind of the structure.
    pub kind: StructureKind,
    /// Crest level (m, same datum as the bed), not below the bed of either cell.
    pub crest: Metre,
    /// Parameters of the law; each kind documents its own.
    pub numbers: [f32; NUMBERS],
    /// Length of the edges of the structure over the length of its line: 1 along the grid, √2 at
    /// 45°. The flow across a line is as much faster as that across its edges.
    pub detour: f32,
    /// Cells of the [triggers](crate::forcing::sites::trigger), the first of which to fire starts
    /// the structure, for kinds that wait for one ([`StructureLaw::WAITS`]).
    pub waits: Option<[usize; 2]>,
}

/// Inputs of a law.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaceHeads {
    /// Head over the crest on the side with the higher level (m, at least 0).
    pub up: f32,
    /// Head over the crest on the other side (m, at least 0).
    pub down: f32,
    /// Time since the structure's [trigger](Structure::waits) fired (s); 0 before.
    pub since: f32,
    /// Velocity head of the flow towards the structure (m), for a solver with momentum; 0 for
    /// others, whose levels fall by no velocity head.
    pub approach: f32,
}

impl FaceHeads {
    /// Returns the factor c_v by which the approaching flow increases the discharge over a crest,
    /// 1 + 1.5·(v²/2g)/h₁, where v²/2g counts up to that of critical flow, h₁/2 (Fread 1988, "The
    /// NWS DAMBRK model", section 2.5: 1 + 0.023·v²/h₁ in feet).
    #[inline(always)]
    pub fn approached(self) -> f32 {
        let part = self.approach / self.up;
        1.0 + 1.5 * if part < 0.5 { part } else { 0.5 }
    }

    /// Returns the heads above a height over the crest (m).
    #[inline(always)]
    pub fn above(self, height: f32) -> FaceHeads {
        let above = |head: f32| if head - height > 0.0 { head - height } else { 0.0 };
        FaceHeads { up: above(self.up), down: above(self.down), ..self }
    }
}

/// State of an edge when its law is evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaceState {
    /// See [`FaceHeads::since`].
    pub since: f32,
    /// Velocity (m/s) or discharge (m²/s), positive ahead, if the solver keeps one.
    pub flow: Option<(EdgeField, f32)>,
    /// Depth of the flow (m): its discharge divided by its velocity, or the section of the edge.
    /// `None` if it is not known.
    pub depth: Option<f32>,
    /// Values like `flow` on the edges behind and ahead in its line.
    pub line: [f32; 2],
}

/// A kind of structure.
pub trait StructureLaw {
    /// CUDA twin of the law, with a `discharge` that matches [`StructureLaw::discharge`].
    const CUDA: CudaTwin;

    /// Set if there is no crest that the water must exceed: the law limits the flow in either
    /// direction, and may not touch it.
    const LIMITS: bool = false;

    /// Set if the law depends on the time since a trigger fired.
    const WAITS: bool = false;

    /// Returns the unit discharge (m²/s) from the higher side to the lower: at least 0, and 0
    /// without water above the crest. With [`StructureLaw::LIMITS`], returns the maximum, which is
    /// infinite where the structure does not touch the water.
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32;

    /// Returns the parameters of a typical structure that occupies a share of its edge, and appends
    /// its lookup tables to the run's [tables](crate::forcing::table). Used by tests of all kinds.
    fn sample(share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS];
}

/// Properties of a kind.
pub struct StructureInfo {
    /// See [`StructureLaw::LIMITS`].
    pub limits: bool,
    /// See [`StructureLaw::WAITS`].
    pub waits: bool,
    /// CUDA twin of the law.
    pub cuda: CudaTwin,
}

/// Generates [`StructureKind`] from lines `Name: type;`.
macro_rules! structures {
    ($($name:ident: $law:ty;)+) => {
        /// A kind of structure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
        #[repr(u8)]
        pub enum StructureKind {
            $(#[doc = concat!("[`", stringify!($law), "`]")] $name,)+
        }

        impl StructureKind {
            /// All kinds.
            pub const ALL: &[StructureKind] = &[$(StructureKind::$name,)+];

            /// Returns the properties of the kind.
            pub fn info(self) -> &'static StructureInfo {
                match self {
                    $(StructureKind::$name => const {
                        &StructureInfo {
                            limits: <$law>::LIMITS,
                            waits: <$law>::WAITS,
                            cuda: <$law>::CUDA,
                        }
                    },)+
                }
            }

            /// See [`StructureLaw::discharge`].
            pub fn discharge(self, numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32 {
                match self {
                    $(StructureKind::$name => <$law>::discharge(numbers, heads, now),)+
                }
            }

            /// See [`StructureLaw::sample`].
            pub fn sample(self, share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS] {
                match self {
                    $(StructureKind::$name => <$law>::sample(share, tables),)+
                }
            }
        }
    };
}

// The registry: one line per kind.
structures! {
    Weir: weir::Weir;
    Gate: gate::Gate;
    Bridge: bridge::Bridge;
    Breach: breach::Breach;
}

impl Structure {
    /// Returns the cell on the other side; `None` if it is outside the grid.
    pub fn ahead(&self, grid: &Grid) -> Option<usize> {
        let (column, row) = (self.cell % grid.columns, self.cell / grid.columns);
        match self.axis {
            0 => (column + 1 < grid.columns).then_some(self.cell + 1),
            _ => (row + 1 < grid.rows).then_some(self.cell + grid.columns),
        }
    }

    /// Returns the table by which it moves, of openings (m) by time
    /// ([elapsed](crate::forcing::Forcing::elapsed), s), for a kind that does.
    pub fn openings<'a>(&self, tables: &'a [f32]) -> Option<Table<'a>> {
        (self.kind == StructureKind::Gate).then(|| gate::Gate::openings(&self.numbers, tables))
    }

    /// Returns the time at which a trigger first fired (s), from the states of both trigger cells;
    /// `None` before.
    pub fn began(states: [u32; 2]) -> Option<f32> {
        states.into_iter().filter_map(Trigger::began).reduce(f32::min)
    }

    /// Returns the time since then at the end of a step (s); 0 before.
    pub fn since(states: [u32; 2], now: &StepContext) -> f32 {
        Structure::began(states).map_or(0.0, |began| now.step.elapsed[1] - began)
    }

    /// Returns the crest level above a datum (2⁻¹⁶ m), clamped between the beds of both cells
    /// (`ahead` is the other one) and the highest possible water level.
    pub fn crest_over(&self, ahead: usize, bed: &Bed, datum: i32) -> i32 {
        let beds = [self.cell, ahead].map(|cell| Bed::height(bed.levels[cell], datum));
        let crest = Bed::quantize(self.crest.clamp(-Bed::LIMIT, Bed::LIMIT)).expect("a level");
        let height = i64::from(crest) - i64::from(datum);
        (height.clamp(0, Bed::HIGHEST) as i32).max(beds[0]).max(beds[1])
    }

    /// Returns the greatest speed of the water across the edge in a step (m/s), in either direction;
    /// [`CLOSED`] if nothing passes; 0 if the structure does not touch the water. `water` (grains)
    /// and `bed` (2⁻¹⁶ m above the datum, like `crest`) are those of both cells.
    pub fn limit(
        &self,
        crest: i32,
        water: [i32; 2],
        bed: [i32; 2],
        known: FaceState,
        axis: Axis,
        now: &StepContext,
    ) -> f32 {
        let grains = |height: i64| height * now.grain.bed_step();
        let over = |k: usize| grains(i64::from(bed[k]) - i64::from(crest)) + i64::from(water[k]);
        let levels = [over(0), over(1)];
        // From the higher bed to the higher level, as the solvers take it.
        let raised = grains(i64::from(crest) - i64::from(bed[0].max(bed[1])));
        let depth = depth_of(levels[0].max(levels[1]) + raised, now);
        let known = FaceState { depth: Some(depth), ..known };
        self.limit_over(water, levels, known, (axis, now))
    }

    /// Like [`Structure::limit`], for cells with tables and their levels (2⁻¹⁶ m above the datum).
    pub fn limit_of_levels(
        &self,
        crest: i32,
        water: [i32; 2],
        levels: [i32; 2],
        known: FaceState,
        axis: Axis,
        now: &StepContext,
    ) -> f32 {
        let over = levels.map(|level| i64::from(level - crest) * now.grain.bed_step());
        self.limit_over(water, over, known, (axis, now))
    }

    /// Returns the limit for levels above the crest (`here` and `there`, grains).
    fn limit_over(
        &self,
        water: [i32; 2],
        [here, there]: [i64; 2],
        known: FaceState,
        (axis, now): (Axis, &StepContext),
    ) -> f32 {
        let ahead = here >= there;
        let (donor, receiver, up, down) = if ahead {
            (water[0], water[1], here, there)
        } else {
            (water[1], water[0], there, here)
        };
        let heads = [up, down].map(|over| depth_of(over, now));
        let heads =
            FaceHeads { up: heads[0], down: heads[1], since: known.since, ..FaceHeads::default() };
        let held = depth_of(i64::from(donor), now);
        let depth = known.depth.unwrap_or(held);
        let Some((field, flow)) = known.flow else {
            return self.without_memory(up >> 2, depth, heads, (axis, now));
        };
        let limits = self.kind.info().limits;
        if !limits && (donor <= 0 || heads.up <= 0.0) {
            return CLOSED;
        }
        // The resistance that the flow meets is finite without a drop, too.
        let least = if heads.up > LEAST_DROP { heads.up - LEAST_DROP } else { heads.up };
        let down = if heads.down < least { heads.down } else { least };
        let [before, after] = known.line;
        let (flow, behind, beyond) =
            if ahead { (flow, before, after) } else { (-flow, -after, -before) };
        let of_law = match field {
            EdgeField::Velocity if flow > 0.0 => FaceHeads {
                approach: self.approach([flow * depth / held, behind]),
                down: tailwater(down, flow, beyond, depth / depth_of(i64::from(receiver), now)),
                ..heads
            },
            _ => FaceHeads { down, ..heads },
        };
        let most = self.kind.discharge(&self.numbers, of_law, now);
        let limit = most / depth;
        if limits {
            // Also without water.
            if limit.is_nan() || limit >= VELOCITIES[1] {
                return 0.0;
            }
        } else if most <= 0.0 {
            return CLOSED;
        }
        let limit = if limit < VELOCITIES[1] { limit } else { VELOCITIES[1] };
        let drop = heads.up - heads.down;
        let velocity = match field {
            EdgeField::Velocity => flow,
            EdgeField::Discharge => flow / depth,
        };
        let gravity = G * (axis.dt * axis.inverse_length);
        let driven = velocity + gravity * drop;
        // Water does not come back from below the crest.
        if !limits && driven <= 0.0 && heads.down <= 0.0 {
            return CLOSED;
        }
        let passed = slowed(driven.abs(), gravity * (heads.up - down) / (limit * limit));
        passed.max(VELOCITIES[0])
    }

    /// Returns the velocity head (m) of the flow towards the structure in the middle of its donor
    /// cell, where the level is: of the mean of the velocities (m/s) at the structure, over the
    /// cell's depth, and on the edge behind. What exceeds the former there passes by.
    fn approach(&self, [own, behind]: [f32; 2]) -> f32 {
        let behind = if behind < own { behind } else { own };
        let behind = if behind > 0.0 { behind } else { 0.0 };
        let speed = 0.5 * (own + behind) * self.detour;
        speed * speed / (2.0 * G)
    }

    /// Returns the limit for a solver that stores no flow. At most `most` grains cross in a step, a
    /// quarter of the water above the crest, as the solver itself takes at most a share of the
    /// level difference, so that levels do not oscillate.
    fn without_memory(
        &self,
        most: i64,
        depth: f32,
        heads: FaceHeads,
        (axis, now): (Axis, &StepContext),
    ) -> f32 {
        let discharge = self.kind.discharge(&self.numbers, heads, now);
        if self.kind.info().limits {
            let limit = discharge / heads.up;
            // Also without water.
            return if limit < VELOCITIES[1] { limit.max(VELOCITIES[0]) } else { 0.0 };
        }
        let limit = most as f32 / (axis.dt * axis.inverse_length * axis.per_metre);
        let limit = (if discharge < limit { discharge } else { limit }) / depth;
        if limit > VELOCITIES[0] { limit } else { CLOSED }
    }
}

/// Returns the head (m) of the tailwater, given that in the receiving cell, the velocities (m/s) on
/// the face of the structure and on the face beyond the cell, and the depth of the former over that of
/// the cell. Where the water speeds up to its velocity at the depth of the cell, the level falls by its
/// momentum, v·Δv/g: at most half of the head. (ST 8)
fn tailwater(head: f32, own: f32, beyond: f32, ratio: f32) -> f32 {
    let most = own * ratio;
    let beyond = if most < beyond { most } else { beyond };
    let gain = if beyond > own { beyond - own } else { 0.0 };
    let fall = beyond * gain / G;
    head - if fall < 0.5 * head { fall } else { 0.5 * head }
}

/// Returns the depth (m) of water between two levels (grains), at least 0.
fn depth_of(grains: i64, now: &StepContext) -> f32 {
    grains.clamp(0, i64::from(MAX_WATER)) as f32 * now.grain.metres()
}

/// Returns the speed (m/s) that remains of a speed after a step with a resistance (s/m): the root
/// of v = `speed` − `resistance`·v².
#[inline(always)]
fn slowed(speed: f32, resistance: f32) -> f32 {
    2.0 * speed / (1.0 + (1.0 + 4.0 * (resistance * speed)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step;
    use crate::grains::Grain;

    /// Returns the most grains that cross a crest of 1 m in 2 s, between cells with beds of 0 and 0.5 m
    /// and the given depths (m).
    fn grains(kind: StructureKind, depths: [f64; 2]) -> f64 {
        let step = step::at(3, 4.0, 2.0);
        let mut tables = vec![7.0];
        let numbers = kind.sample(1.0, &mut tables);
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        let [axis, _] = Axis::both(step.dt, [0.1, 0.1], Grain::Fine);
        let structure =
            Structure { cell: 0, axis: 0, kind, crest: 1.0, numbers, detour: 1.0, waits: None };
        let water = depths.map(|depth| Grain::Fine.from_depth(depth).unwrap());
        let limit = structure.limit(
            1 << 16,
            water,
            [0, 1 << 15],
            FaceState { since: 3.0, ..FaceState::default() },
            axis,
            &now,
        );
        let depth = depths[0].max(depths[1] + 0.5) - 0.5;
        let per_metre = axis.dt * axis.inverse_length * axis.per_metre;
        f64::from(limit.max(0.0) * per_metre) * depth
    }

    #[test]
    fn every_law_lets_nothing_over_below_its_crest_and_never_too_much() {
        let metre = f64::from(Grain::Fine.per_metre());
        for &kind in StructureKind::ALL {
            if kind.info().limits {
                continue;
            }
            for depths in [[0.0, 0.0], [1.0, 0.2], [0.3, 0.5]] {
                assert!(grains(kind, depths) < 1.0, "{kind:?}, {depths:?}");
            }
            for high in [1.001, 1.1, 1.7, 3.0, 90.0] {
                for low in [0.0, 0.45, 0.7, 2.0, 80.0] {
                    let crosses = grains(kind, [high, low]);
                    let most = 1.000_001 * (high.max(low + 0.5) - 1.0) * metre / 4.0 + 1.0;
                    assert!(crosses <= most, "{kind:?}: {high}, {low}");
                }
            }
        }
    }
}
