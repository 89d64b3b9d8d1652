//! Cells with a prescribed level during the flow: what crosses their edges is counted, and their
//! water stays. A solver with momentum updates velocities by these levels
//! (docs/decisions/0013-water-first.md); with the others in physical time, gauges, maps and maxima
//! would be off by the flow of a step.

use super::stage::Stage;
use super::{CellView, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags};
use crate::forcing::Forcing;
use crate::solver::SolverInfo;

/// Books the water added and removed on the port of the level's holder.
pub struct PinnedLevel;

impl Site for PinnedLevel {
    const ABOUT: &'static str = "a stage boundary while water flows";
    const FLAG: u8 = flags::PINNED;

    fn when(solver: &SolverInfo) -> Option<SiteTiming> {
        solver.is_timed().then_some(SiteTiming::WithFlow)
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        Stage::as_sites(kind, forcing)
    }

    #[inline(always)]
    fn change(_: &SiteParameters, seen: CellView, _: &StepContext) -> i64 {
        i64::from(seen.before) - i64::from(seen.water)
    }
}
