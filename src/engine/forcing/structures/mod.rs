//! Structures on edges: weirs, the crests of levees, and whatever else decides in the place of the solver what crosses the edge
//! between two cells. A kind of them is a file here and a line of the registry below (docs/adding_a_structure.md).
//!
//! A kind says how much crosses by how high the water stands over the structure's crest on both sides (its law). The water then
//! crosses with all other that moves in the step, and cells that would give more than they have hold it back as any other. A structure
//! is a wall to the momentum of the water beside it: the velocity over its edge is 0. A kind may instead say no more than what the solver
//! may let cross at the most ([`StructureLaw::LIMITS`]), as the soffit of a bridge does: the water below it flows as the solver has it.

pub mod breach;
pub mod bridge;
pub mod gate;
pub mod weir;

use super::sites::StepContext;
use super::sites::trigger::Trigger;
use crate::grains::MAX_WATER;
use crate::grid::{Bed, Grid};
use crate::solver::CudaTwin;
use crate::solver::edge::{Axis, EdgeField};
use crate::units::Metre;
use serde::{Deserialize, Serialize};

/// What stands in [`Field::StructureEast`](crate::field::Field::StructureEast) where a structure lets nothing over (m²/s): less than
/// moves a grain. Without a structure that is 0.
pub const CLOSED: f32 = f32::MIN_POSITIVE;

/// What stands there where a structure only limits what the solver lets cross is this times the greatest velocity (m/s): a number
/// beyond [`DISCHARGES`].
pub const LIMIT: f32 = (1u128 << 64) as f32;

/// More than any discharge (m²/s).
pub const DISCHARGES: f32 = (1u64 << 40) as f32;

/// The least and the most velocity that is a limit (m/s).
pub(crate) const VELOCITIES: [f32; 2] = [1.0 / (1 << 20) as f32, 1024.0];

/// How many numbers a law is told.
pub const NUMBERS: usize = 3;

/// A structure on the edge between a cell and the one east or south of it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Structure {
    /// The cell (row-major).
    pub cell: usize,
    /// Whether the edge is east (0) or south (1) of it.
    pub axis: usize,
    /// Its kind.
    pub kind: StructureKind,
    /// Its crest (m above the same zero as the bed); no lower than the higher bed of both cells.
    pub crest: Metre,
    /// What its law has as parameters: the kind says what.
    pub numbers: [f32; NUMBERS],
    /// The cells of the [triggers](crate::forcing::sites::trigger) of which it waits for the first, of a kind that does
    /// ([`StructureLaw::WAITS`]).
    pub waits: Option<[usize; 2]>,
}

/// What a law sees.
#[derive(Clone, Copy, Debug)]
pub struct FaceHeads {
    /// Water over the crest on the side where it stands higher (m, at least 0).
    pub up: f32,
    /// And on the other.
    pub down: f32,
    /// How long ago that came to be which the structure [waits](Structure::waits) for (s); 0 before.
    pub since: f32,
}

impl FaceHeads {
    /// What of them stands above a height over the crest (m).
    #[inline(always)]
    pub fn above(self, height: f32) -> FaceHeads {
        let above = |head: f32| if head - height > 0.0 { head - height } else { 0.0 };
        FaceHeads { up: above(self.up), down: above(self.down), ..self }
    }
}

/// What is known of an edge when its law is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// See [`FaceHeads::since`].
    pub since: f32,
    /// Its velocity (m/s) or discharge (m²/s), positive ahead, of a solver that remembers it.
    pub flow: Option<(EdgeField, f32)>,
}

/// A kind of structures.
pub trait StructureLaw {
    /// Its law for GPUs, whose `discharge` is what [`StructureLaw::discharge`] is.
    const CUDA: CudaTwin;

    /// Whether its law says the most that the solver may let cross, either way, not what crosses.
    const LIMITS: bool = false;

    /// Whether its law asks how long ago something came to be.
    const WAITS: bool = false;

    /// The discharge per width of the edge (m²/s) from the higher side to the lower. At least 0, and 0 where no water stands over the
    /// crest; or the [most](StructureLaw::LIMITS), which is infinite where it does not touch the water.
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32;

    /// The numbers of a plain one that takes up a share of its edge; what it looks up goes into the run's
    /// [tables](crate::forcing::table). Tests of all kinds are of these.
    fn sample(share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS];
}

/// What is known of a kind.
pub struct StructureInfo {
    /// See [`StructureLaw::LIMITS`].
    pub limits: bool,
    /// See [`StructureLaw::WAITS`].
    pub waits: bool,
    /// Its law for GPUs.
    pub cuda: CudaTwin,
}

/// Makes [`StructureKind`] of lines `Name: type;`.
macro_rules! structures {
    ($($name:ident: $law:ty;)+) => {
        /// A kind of structures.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
        #[repr(u8)]
        pub enum StructureKind {
            $(#[doc = concat!("[`", stringify!($law), "`]")] $name,)+
        }

        impl StructureKind {
            /// All of them.
            pub const ALL: &[StructureKind] = &[$(StructureKind::$name,)+];

            /// What is known of it.
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
    /// The cell on the other side, if both lie on the grid.
    pub fn ahead(&self, grid: &Grid) -> Option<usize> {
        let (column, row) = (self.cell % grid.columns, self.cell / grid.columns);
        match self.axis {
            0 => (column + 1 < grid.columns).then_some(self.cell + 1),
            _ => (row + 1 < grid.rows).then_some(self.cell + grid.columns),
        }
    }

    /// When that came to be which it waits for (s), if it has, by what both cells remember.
    pub fn began(states: [u32; 2]) -> Option<f32> {
        states.into_iter().filter_map(Trigger::began).reduce(f32::min)
    }

    /// How long ago that was at the end of a step (s); 0 before.
    pub fn since(states: [u32; 2], now: &StepContext) -> f32 {
        Structure::began(states).map_or(0.0, |began| now.step.elapsed[1] - began)
    }

    /// Its crest above a datum (2⁻¹⁶ m): no lower than the beds of its cell and of the one `ahead`, and no higher than any water.
    pub fn crest_over(&self, ahead: usize, bed: &Bed, datum: i32) -> i32 {
        let beds = [self.cell, ahead].map(|cell| Bed::height(bed.levels[cell], datum));
        let crest = Bed::quantize(self.crest.clamp(-Bed::LIMIT, Bed::LIMIT)).expect("a level");
        let height = i64::from(crest) - i64::from(datum);
        (height.clamp(0, Bed::HIGHEST) as i32).max(beds[0]).max(beds[1])
    }

    /// The discharge over it (m²/s), positive from its cell to the one ahead, or [`CLOSED`]; of one that limits its [`LIMIT`], or 0
    /// if it does not: `water` (grains) and `bed` (2⁻¹⁶ m above
    /// the datum) are of both, as `crest` is. In a step no more than a quarter of the higher side's water crosses, of what
    /// stands over the crest there, and of the difference of the levels: they cannot come to swing.
    pub fn crossing(
        &self,
        crest: i32,
        water: [i32; 2],
        bed: [i32; 2],
        known: Known,
        axis: Axis,
        now: &StepContext,
    ) -> f32 {
        let over = |k: usize| {
            (i64::from(bed[k]) - i64::from(crest)) * now.grain.bed_step() + i64::from(water[k])
        };
        let same = |difference| difference;
        self.crossing_over(water, [over(0), over(1)], (same, 1.0), known, (axis, now))
    }

    /// The same between cells with tables, whose levels (2⁻¹⁶ m above the datum) rise so fast with their mean depths.
    pub fn crossing_of_levels(
        &self,
        crest: i32,
        water: [i32; 2],
        (levels, rises): ([i32; 2], [f32; 2]),
        known: Known,
        axis: Axis,
        now: &StepContext,
    ) -> f32 {
        let over = levels.map(|level| i64::from(level - crest) * now.grain.bed_step());
        // So much water makes the difference, in the cell in which it takes less.
        let fastest = if rises[0] > rises[1] { rises[0] } else { rises[1] };
        let water_of = |difference: i64| (difference as f32 / fastest) as i64;
        self.crossing_over(water, over, (water_of, fastest), known, (axis, now))
    }

    /// The discharge where levels stand so far `over` the crest (grains); `water_of` says what water makes a difference of
    /// levels, which rise so fast with it.
    fn crossing_over(
        &self,
        water: [i32; 2],
        [here, there]: [i64; 2],
        (water_of, rises): (impl Fn(i64) -> i64, f32),
        known: Known,
        (axis, now): (Axis, &StepContext),
    ) -> f32 {
        let metres = now.grain.metres();
        let ahead = here >= there;
        let (donor, up, down) =
            if ahead { (water[0], here, there) } else { (water[1], there, here) };
        let head = |over: i64| over.clamp(0, i64::from(MAX_WATER)) as f32 * metres;
        let heads = FaceHeads { up: head(up), down: head(down), since: known.since };
        if self.kind.info().limits {
            let most = self.kind.discharge(&self.numbers, heads, now);
            let velocity = most / heads.up;
            // Without water, too.
            if velocity.is_nan() || velocity >= VELOCITIES[1] {
                return 0.0;
            }
            let most = known.flow.map_or(most, |(field, flow)| {
                let flow = if field == EdgeField::Velocity { flow * heads.up } else { flow };
                let carried = if ahead { flow } else { -flow };
                let answer = 2.0 * (axis.dt * axis.inverse_length) * rises;
                calmed(most, heads.up - heads.down, carried, answer)
            });
            return LIMIT * (most / heads.up).max(VELOCITIES[0]);
        }
        let most = i64::from(donor).min(water_of(up.min(up - down))) >> 2;
        if most <= 0 {
            return CLOSED;
        }
        let discharge = self.kind.discharge(&self.numbers, heads, now);
        let limit = most as f32 / (axis.dt * axis.inverse_length * axis.per_metre);
        let discharge = if discharge < limit { discharge } else { limit };
        let discharge = if discharge > CLOSED { discharge } else { CLOSED };
        if ahead { discharge } else { -discharge }
    }
}

/// A limit (m²/s) that goes by the root of the drop of the level over it (m), so that it does not swing: by the drop that there is at the
/// end of the step, if what is carried so far (m²/s) goes on to come, and each m²/s less of it adds so much to the drop (m): the `answer`.
#[inline(always)]
fn calmed(most: f32, drop: f32, carried: f32, answer: f32) -> f32 {
    let carried = if carried > 0.0 { carried } else { 0.0 };
    if drop <= 0.0 {
        return most;
    }
    // q² = K²·(D + a·(q₀ − q)), with K² = q²/D of the law.
    let square = most * most / drop;
    let lag = square * answer;
    let reach = square * (drop + answer * carried);
    2.0 * reach / (lag + (lag * lag + 4.0 * reach).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step::Step;
    use crate::grains::Grain;

    /// Both sides of a crest of 1 m on beds of 0 and 0.5 m, with water of so many metres: grains that cross in 2 s.
    fn grains(kind: StructureKind, depths: [f64; 2]) -> f64 {
        let (increments, levels) = (Vec::new(), Vec::new());
        let step = Step {
            number: 3,
            dt: 2.0,
            start: 4.0,
            end: 6.0,
            elapsed: [4.0, 6.0],
            increments,
            levels,
        };
        let mut tables = vec![7.0];
        let numbers = kind.sample(1.0, &mut tables);
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        let [axis, _] = Axis::both(step.dt, [0.1, 0.1], Grain::Fine);
        let structure = Structure { cell: 0, axis: 0, kind, crest: 1.0, numbers, waits: None };
        let water = depths.map(|depth| Grain::Fine.from_depth(depth).unwrap());
        let over = structure.crossing(
            1 << 16,
            water,
            [0, 1 << 15],
            Known { since: 3.0, flow: None },
            axis,
            &now,
        );
        f64::from(over * (axis.dt * axis.inverse_length * axis.per_metre))
    }

    #[test]
    fn every_law_lets_nothing_over_below_its_crest_and_never_too_much() {
        let metre = f64::from(Grain::Fine.per_metre());
        for &kind in StructureKind::ALL {
            if kind.info().limits {
                continue;
            }
            for depths in [[0.0, 0.0], [1.0, 0.2], [0.3, 0.5], [1.4, 0.9]] {
                assert!(grains(kind, depths).abs() < 1.0, "{kind:?}, {depths:?}");
            }
            for high in [1.001, 1.1, 1.7, 3.0, 90.0] {
                for low in [0.0, 0.45, 0.7, 2.0, 80.0] {
                    let (level, other) = (high, low + 0.5);
                    let crosses = grains(kind, [high, low]);
                    assert!((crosses >= 0.0) == (level >= other), "{kind:?}: {high}, {low}");
                    let difference = (level - other).abs() * metre;
                    let most = 1.000_001 * difference / 4.0 + 1.0;
                    assert!(crosses.abs() <= most, "{kind:?}: {high}, {low}");
                }
            }
        }
    }
}
