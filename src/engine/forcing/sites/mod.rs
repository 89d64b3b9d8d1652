//! Sites: source terms and boundary conditions that act at single cells in a step, apart from the
//! flow. Each kind is a file here and a line of the registry below (docs/adding_a_site.md);
//! backends, mass balance and tests iterate over the registry.
//!
//! A kind defines its cells in a run, the time in a step at which it acts, the change of a cell's
//! water (its law), and the mass balance term for that change. Links, whose law involves two cells,
//! are in [`super::link`].

#[macro_use]
mod registry;

pub mod cell_rain;
pub mod flags;
pub mod ghost_outflow;
pub mod inflow;
pub mod normal_depth;
pub mod pinned_level;
pub mod rated;
pub mod sewer_inlet;
pub mod sink;
pub mod stage;
pub mod top_up;
pub mod trigger;

mod tally;

use super::ports::Port;
use super::step::Step;
use super::{Forcing, StageBoundary};
use crate::grains::{Grain, MAX_WATER, phase};
use crate::solver::{CudaTwin, SolverInfo};
use crate::subgrid::lookup;
use crate::subgrid::tables::CellWords;
pub use registry::{SiteInfo, WithSite};
use serde::{Deserialize, Serialize};
pub use tally::{Line, Tally};

/// Time in a step at which a kind of sites acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteTiming {
    /// At the beginning of a step: after rain over the map, before losses and the flow.
    BeforeFlow,
    /// On the water that a cell has after the flow, before it is recorded. Such a kind is
    /// identified only by a [flag](Site::FLAG) of its cells.
    WithFlow,
    /// After the water of all cells has moved.
    AfterFlow,
}

impl SiteTiming {
    /// Returns when water that comes or leaves at a rate does so. Under a solver with momentum it
    /// is before the flow: velocities are updated by the levels after the water has moved, which
    /// must include it. Other solvers in physical time compute the flow from the levels at the
    /// start of a step. Water that had come or left by then would change them by an amount that
    /// depends on the length of the step (docs/decisions/0015-stage-boundaries-and-outflow.md).
    fn of_rate(solver: &SolverInfo) -> SiteTiming {
        match solver.is_timed() && !solver.has_momentum() {
            true => SiteTiming::AfterFlow,
            false => SiteTiming::BeforeFlow,
        }
    }
}

/// Properties of a site apart from its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct SiteParameters {
    /// Kind of the site.
    pub kind: SiteKind,
    /// Mass balance term.
    pub line: Line,
    /// Port of the site, 0 if it has none.
    pub port: Port,
    /// Parameters of its law, as bits; their meaning depends on the kind.
    pub numbers: [u32; 2],
}

impl SiteParameters {
    /// Creates a site of a kind, without a port or parameters.
    pub fn of(kind: SiteKind) -> SiteParameters {
        SiteParameters { kind, line: kind.info().line, port: 0, numbers: [0; 2] }
    }
}

/// A site at a cell of the grid (row-major).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct PlacedSite {
    /// Index of the cell.
    pub cell: usize,
    /// Properties of the site.
    pub given: SiteParameters,
}

/// State of a cell as a law sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct CellView {
    /// Current water (grains).
    pub water: i32,
    /// Water before the flow of the step (grains); equal to `water` for kinds that act before the
    /// flow.
    pub before: i32,
    /// Bed above the datum (2⁻¹⁶ m).
    pub bed: i32,
    /// State [remembered](Site::remembered) in the previous step; 0 at first.
    pub state: u32,
    /// Subgrid table of the cell, if it has one.
    pub table: Option<CellWords>,
    /// Conveyance of the sides of its port at the level before the flow
    /// ([`super::normal_depth::over_sides`]), for cells with a table and kinds that [need
    /// it](Site::OVER_SIDES).
    pub conveys: Option<f32>,
}

impl CellView {
    /// Returns the water of the cell at a level above the datum (both in grains): none below its
    /// bed, and at most the maximum of a cell.
    pub fn water_at(&self, level: i64, grain: Grain) -> i32 {
        match &self.table {
            None => StageBoundary::water(level, self.bed, grain),
            Some(table) => {
                let level = level.div_euclid(grain.bed_step());
                lookup::water_at(table, self.bed, level, grain.metres())
            }
        }
    }

    /// Returns the height of the water over the cell's lowest ground (grains).
    pub fn height_of_water(&self, grain: Grain) -> i32 {
        let Some(table) = &self.table else { return self.water };
        let level = lookup::level_of(table, self.bed, self.water, grain.metres());
        let over = i64::from(level - self.bed) * grain.bed_step();
        over.min(MAX_WATER.into()) as i32
    }
}

/// Properties of the step as a law sees it.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    /// The step: its length, the increments of the rates, and the levels at its end.
    pub step: &'a Step,
    /// Rounding phase of the step.
    pub phase: f32,
    /// Unit of water.
    pub grain: Grain,
    /// [Tables](crate::forcing::table) of the run.
    pub tables: &'a [f32],
}

impl StepContext<'_> {
    /// Creates the properties of a step, in a run without tables.
    pub fn of(step: &Step, grain: Grain) -> StepContext<'_> {
        StepContext { step, phase: phase(step.number), grain, tables: &[] }
    }
}

/// A kind of sites.
pub trait Site {
    /// Short description.
    const ABOUT: &'static str;

    /// Flag ([`flags`]) that marks its cells if it does not act at the beginning of a step; 0 if it
    /// always does.
    const FLAG: u8 = 0;

    /// Mass balance term of cells marked by a flag, and default term of [sites](Site::cells).
    const LINE: Line = Line::Flow;

    /// Set if it can add water to a dry cell.
    const BRINGS: bool = false;

    /// Set if its water comes from beyond the edge of the map or leaves across it, where its cells
    /// are there ([`crate::crossed_sides`]).
    const CROSSES: bool = false;

    /// Set if its cells have a state that is kept between steps
    /// ([`Field::SiteState`](crate::field::Field::SiteState)). Such a kind has at most one site per
    /// cell; each kind has its own bits of the state.
    const REMEMBERS: bool = false;

    /// Set if it needs the conveyance of the sides of its port.
    const OVER_SIDES: bool = false;

    /// GPU implementation of its law, whose `change` has the arguments of [`Site::change`]. A kind
    /// without one that is not marked by a flag runs on CPUs only.
    const CUDA: Option<CudaTwin> = None;

    /// Returns when it acts under a solver; `None` if it does not. Default: before the flow.
    fn when(_solver: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::BeforeFlow)
    }

    /// Returns the cells at which it acts in a run, in order. Default: the [sites](Forcing::sites)
    /// of its `kind`.
    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        forcing.sites.iter().filter(|site| site.given.kind == kind).copied().collect()
    }

    /// Returns the port of a cell that is marked by these [`flags`]; `listed` is the port that the
    /// padded grid lists for the cell.
    fn port(_flags: u8, listed: Port) -> Port {
        listed
    }

    /// Returns the state of a cell after this step, for a kind that [has one](Site::REMEMBERS).
    fn remembered(_given: &SiteParameters, seen: CellView, _now: &StepContext) -> u32 {
        seen.state
    }

    /// Returns the change of a cell's water (grains). The water must not become negative; more
    /// water than a cell may contain is an error of the run, which the caller detects.
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64;
}

// The registry: one line per kind, in the order in which they act on a cell. A stage boundary holds
// its level after an outfall or an inlet in its cell.
sites! {
    CellRain: cell_rain::CellRain;
    Inflow: inflow::Inflow;
    TopUp: top_up::TopUp;
    SewerInlet: sewer_inlet::SewerInlet;
    Stage: stage::Stage;
    Rated: rated::Rated;
    Trigger: trigger::Trigger;
    NormalDepth: normal_depth::NormalDepth;
    Sink: sink::Sink;
    GhostOutflow: ghost_outflow::GhostOutflow;
    PinnedLevel: pinned_level::PinnedLevel;
}

impl SiteKind {
    /// Returns its [sites](Site::cells) in a run.
    pub fn cells(self, forcing: &Forcing) -> Vec<PlacedSite> {
        (self.info().cells)(self, forcing)
    }

    /// Iterates over the kinds that act at a time of a step under a solver.
    pub fn acting(when: SiteTiming, solver: &SolverInfo) -> impl Iterator<Item = SiteKind> {
        SiteKind::ALL.iter().copied().filter(move |kind| (kind.info().when)(solver) == Some(when))
    }

    /// Iterates over the kinds whose cells are marked by a flag under a solver.
    pub(crate) fn flagged(solver: &SolverInfo) -> impl Iterator<Item = SiteKind> {
        let after = move |kind: &SiteKind| {
            (kind.info().when)(solver).is_some_and(|when| when != SiteTiming::BeforeFlow)
        };
        SiteKind::ALL.iter().copied().filter(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::Increment;
    use crate::forcing::step::{self, Step};
    use crate::solver::SOLVERS;

    /// Valid as a table of two knots at any offset.
    const TABLES: [f32; 9] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

    #[test]
    fn no_law_takes_more_than_there_is() {
        let increments = vec![Increment { before: 1000, after: 900_000 }; 2];
        let step = Step { increments, levels: vec![-3, 9999], ..step::at(5, 0.0, 7.0) };
        for &kind in SiteKind::ALL {
            for grain in [Grain::Fine, Grain::Coarse] {
                for water in [0, 1, 7, 12_345, 1 << 20, MAX_WATER] {
                    for numbers in [[0, 0], [1, 0x3c23_d70a], [0, 1 << 20], [1, 0x3f80_0000]] {
                        let given = SiteParameters { numbers, ..SiteParameters::of(kind) };
                        let seen = CellView {
                            water,
                            before: water / 2 + 1,
                            bed: 77,
                            state: 1,
                            ..CellView::default()
                        };
                        let seen = match (kind.info().when)(&crate::solver::inertial::INFO) {
                            Some(SiteTiming::BeforeFlow) => CellView { before: water, ..seen },
                            _ => seen,
                        };
                        let now = StepContext { tables: &TABLES, ..StepContext::of(&step, grain) };
                        let by = kind.change(&given, seen, &now);
                        assert!(i64::from(water) + by >= 0, "{kind:?}, {seen:?}: {by}");
                        assert!(
                            kind.info().brings
                                || by <= 0
                                || water > 0
                                || kind == SiteKind::PinnedLevel
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_source_without_bounds_brings_more_than_a_cell_may_hold() {
        let increments = vec![Increment { before: 0, after: u64::MAX }];
        let step = Step { increments, ..step::at(0, 0.0, 1.0) };
        let numbers = [0, crate::forcing::Share::WHOLE.bits()];
        let given = SiteParameters { numbers, ..SiteParameters::of(SiteKind::CellRain) };
        let seen = CellView::default();
        let by = SiteKind::CellRain.change(&given, seen, &StepContext::of(&step, Grain::Fine));
        assert!(by > i64::from(MAX_WATER), "{by}");
    }

    #[test]
    fn kinds_that_act_with_the_flow_have_a_flag_each() {
        let mut known = flags::INSIDE | flags::AFTER_FLOW;
        for &kind in SiteKind::ALL {
            let at = |when| SOLVERS.iter().any(|solver| (kind.info().when)(solver) == Some(when));
            let own = if at(SiteTiming::WithFlow) { kind.info().flag } else { 0 };
            let after = if at(SiteTiming::AfterFlow) { flags::AFTER_FLOW } else { 0 };
            assert_eq!(kind.info().flag, own | after, "{kind:?}");
            assert_eq!(own != 0, at(SiteTiming::WithFlow), "{kind:?}");
            assert_eq!(known & own, 0, "{kind:?}: the flag is another's");
            known |= own;
        }
        assert!(known < flags::SIDE, "the sides' flags lie above");
    }
}
