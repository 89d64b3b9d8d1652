//! Sites: source terms and boundary conditions, that is what happens at single cells in a step, beside the flow. A kind of
//! them is a file here and a line of the registry below (docs/adding_a_site.md); backends, ledger and tests go over the
//! registry.
//!
//! A kind says which cells of a run are its own, when in a step it acts, by how much the water of a cell then changes
//! (its law), and on which line of the ledger that is booked. Links, whose law is of two cells, are [`super::link`]'s.

#[macro_use]
mod registry;

pub mod flags;
pub mod held;
pub mod kept;
pub mod normal_depth;
pub mod rated;
pub mod rim;
pub mod sink;
pub mod source;
pub mod top_up;
pub mod trigger;

mod tally;

use super::ports::Port;
use super::step::Step;
use super::{Forcing, HeldLevel};
use crate::grains::{Grain, MAX_WATER, phase};
use crate::rule::CudaTwin;
use crate::subgrid::lookup;
use crate::subgrid::tables::CellWords;
pub use registry::{SiteInfo, WithSite};
use serde::{Deserialize, Serialize};
pub use tally::{Line, Tally};

/// When a kind of sites acts in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When a step begins: after rain over the map, before losses and the flow.
    BeforeFlow,
    /// On the water that a cell has after the flow, before that is recorded for it. What acts then is known by a
    /// [flag](Site::FLAG) of its cell, and by that alone.
    WithFlow,
    /// When the water of all cells has moved.
    AfterFlow,
}

/// What is known of a site wherever it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct Given {
    /// Of which kind it is.
    pub kind: SiteKind,
    /// The line of the ledger.
    pub line: Line,
    /// Its port, 0 if it has none.
    pub port: Port,
    /// What its law has as parameters, as bits: the kind says what.
    pub numbers: [u32; 2],
}

impl Given {
    /// A site of a kind, without a port and numbers.
    pub fn of(kind: SiteKind) -> Given {
        Given { kind, line: kind.info().line, port: 0, numbers: [0; 2] }
    }
}

/// A site at a cell of the grid (row-major).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Placed {
    /// The cell.
    pub cell: usize,
    /// What is known of it.
    pub given: Given,
}

/// What a law sees of its cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Its water now (grains).
    pub water: i32,
    /// Its water before the flow of the step (grains): the same for what acts before that.
    pub before: i32,
    /// Its bed above the datum (2⁻¹⁶ m).
    pub bed: i32,
    /// What was [remembered](Site::remembered) of it in the step before; 0 at first.
    pub state: u32,
    /// The table of finer ground in it, if it has one.
    pub table: Option<CellWords>,
    /// Then, of a kind that [asks](Site::OVER_SIDES), what the sides of its port convey at the level that it had before the flow
    /// ([`super::outflow::over_sides`]).
    pub conveys: Option<f32>,
}

impl Seen {
    /// The water with which it stands at a level above the datum (both in grains): none below its bed, and no more than it can hold.
    pub fn water_at(&self, level: i64, grain: Grain) -> i32 {
        match &self.table {
            None => HeldLevel::water(level, self.bed, grain),
            Some(table) => {
                let level = level.div_euclid(grain.bed_step());
                lookup::water_at(table, self.bed, level, grain.metres())
            }
        }
    }

    /// How high its water stands over its lowest ground (grains).
    pub fn stands(&self, grain: Grain) -> i32 {
        let Some(table) = &self.table else { return self.water };
        let level = lookup::level_of(table, self.bed, self.water, grain.metres());
        let over = i64::from(level - self.bed) * grain.bed_step();
        over.min(MAX_WATER.into()) as i32
    }
}

/// What a law knows of the step.
#[derive(Clone, Copy, Debug)]
pub struct InStep<'a> {
    /// The step: its length, what rates bring in it, and the levels at its end.
    pub step: &'a Step,
    /// Its rounding phase.
    pub phase: f32,
    /// The unit of water.
    pub grain: Grain,
    /// The run's [tables](crate::forcing::table).
    pub tables: &'a [f32],
}

impl InStep<'_> {
    /// What is known of a step, in a run without tables.
    pub fn of(step: &Step, grain: Grain) -> InStep<'_> {
        InStep { step, phase: phase(step.number), grain, tables: &[] }
    }
}

/// A kind of sites.
pub trait Site {
    /// What it is, in a few words.
    const ABOUT: &'static str;

    /// The flag ([`flags`]) by which its cells are known where it does not act when a step begins; 0 if it always does.
    const FLAG: u8 = 0;

    /// The line of the ledger that [sites](Site::cells) are booked on unless they say otherwise, and cells that are known by a
    /// flag.
    const LINE: Line = Line::Flow;

    /// Whether it may bring water where there is none.
    const BRINGS: bool = false;

    /// Whether its cells remember something from step to step ([`Field::SiteState`](crate::field::Field::SiteState)). Of such a kind, which acts
    /// when a step begins, no two lie on a cell; kinds have bits of their own of it.
    const REMEMBERS: bool = false;

    /// Whether it asks what the sides of its port convey.
    const OVER_SIDES: bool = false;

    /// Its law for GPUs, whose `change` is told what [`Site::change`] is. A kind without one, that is not known by a flag, is
    /// for CPUs alone.
    const CUDA: Option<CudaTwin> = None;

    /// When it acts under a rule with momentum, or without; none if it does not. Before the flow unless it says otherwise.
    fn when(_momentum: bool) -> Option<When> {
        Some(When::BeforeFlow)
    }

    /// Where it acts in a run, in the order in which it does: the [sites](Forcing::sites) of its `kind`, if it is not told
    /// of them in another way.
    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<Placed> {
        forcing.sites.iter().filter(|site| site.given.kind == kind).copied().collect()
    }

    /// The port of a cell with these [`flags`] that is known by them; `listed` is what a canvas says of the cell.
    fn port(_flags: u8, listed: Port) -> Port {
        listed
    }

    /// What a cell remembers of this step, of a kind that [does](Site::REMEMBERS).
    fn remembered(_given: &Given, seen: Seen, _now: &InStep) -> u32 {
        seen.state
    }

    /// By how many grains the water of a cell changes. No cell may come to hold less than none; one that would come to hold
    /// too much is an error of the run, which is found out by whoever asks.
    fn change(given: &Given, seen: Seen, now: &InStep) -> i64;
}

// The registry: one line per kind, in the order in which they act on a cell.
sites! {
    Source: source::Source;
    TopUp: top_up::TopUp;
    Held: held::Held;
    Rated: rated::Rated;
    Trigger: trigger::Trigger;
    NormalDepth: normal_depth::NormalDepth;
    Sink: sink::Sink;
    Rim: rim::Rim;
    Kept: kept::Kept;
}

impl SiteKind {
    /// Its [sites](Site::cells) in a run.
    pub fn cells(self, forcing: &Forcing) -> Vec<Placed> {
        (self.info().cells)(self, forcing)
    }

    /// Those that act at some time of a step, under a rule with momentum or without.
    pub fn acting(when: When, momentum: bool) -> impl Iterator<Item = SiteKind> {
        SiteKind::ALL.iter().copied().filter(move |kind| (kind.info().when)(momentum) == Some(when))
    }

    /// Those whose cells are known by a flag, under a rule with momentum or without.
    pub(crate) fn flagged(momentum: bool) -> impl Iterator<Item = SiteKind> {
        let after = move |kind: &SiteKind| {
            (kind.info().when)(momentum).is_some_and(|when| when != When::BeforeFlow)
        };
        SiteKind::ALL.iter().copied().filter(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::Increment;

    /// Of two knots each, wherever they begin.
    const TABLES: [f32; 9] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

    #[test]
    fn no_law_takes_more_than_there_is() {
        let increments = vec![Increment { before: 1000, after: 900_000 }; 2];
        let step = Step {
            number: 5,
            dt: 7.0,
            start: 0.0,
            end: 7.0,
            elapsed: [0.0, 7.0],
            increments,
            levels: vec![-3, 9999],
        };
        for &kind in SiteKind::ALL {
            for grain in [Grain::Fine, Grain::Coarse] {
                for water in [0, 1, 7, 12_345, 1 << 20, MAX_WATER] {
                    for numbers in [[0, 0], [1, 0x3c23_d70a], [0, 1 << 20], [1, 0x3f80_0000]] {
                        let given = Given { numbers, ..Given::of(kind) };
                        let seen = Seen {
                            water,
                            before: water / 2 + 1,
                            bed: 77,
                            state: 1,
                            ..Seen::default()
                        };
                        let seen = match (kind.info().when)(false) {
                            Some(When::BeforeFlow) => Seen { before: water, ..seen },
                            _ => seen,
                        };
                        let now = InStep { tables: &TABLES, ..InStep::of(&step, grain) };
                        let by = kind.change(&given, seen, &now);
                        assert!(i64::from(water) + by >= 0, "{kind:?}, {seen:?}: {by}");
                        assert!(
                            kind.info().brings || by <= 0 || water > 0 || kind == SiteKind::Kept
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_source_without_bounds_brings_more_than_a_cell_may_hold() {
        let increments = vec![Increment { before: 0, after: u64::MAX }];
        let step = Step {
            number: 0,
            dt: 1.0,
            start: 0.0,
            end: 1.0,
            elapsed: [0.0, 1.0],
            increments,
            levels: Vec::new(),
        };
        let numbers = [0, crate::forcing::Share::WHOLE.bits()];
        let given = Given { numbers, ..Given::of(SiteKind::Source) };
        let seen = Seen::default();
        let by = SiteKind::Source.change(&given, seen, &InStep::of(&step, Grain::Fine));
        assert!(by > i64::from(MAX_WATER), "{by}");
    }

    #[test]
    fn kinds_that_are_known_by_a_flag_have_one_each() {
        let mut known = flags::INSIDE;
        for &kind in SiteKind::ALL {
            let flagged = [true, false]
                .map(|momentum| SiteKind::flagged(momentum).any(|other| other == kind));
            assert_eq!(kind.info().flag != 0, flagged.contains(&true), "{kind:?}");
            assert_eq!(known & kind.info().flag, 0, "{kind:?}: the flag is another's");
            known |= kind.info().flag;
        }
        assert!(known < flags::SIDE, "the sides' flags lie above");
    }
}
