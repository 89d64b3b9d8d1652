//! Cells with a prescribed level during the flow of a solver with momentum: velocities are updated
//! by the levels after the water has moved, and those of these cells are prescribed
//! (docs/decisions/0013-water-first.md).

use super::held::Held;
use super::{CellView, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags};
use crate::forcing::Forcing;
use crate::solver::SolverInfo;

/// Books the water added and removed on the port of the level's holder.
pub struct PinnedLevel;

impl Site for PinnedLevel {
    const ABOUT: &'static str = "a stage boundary while water flows";
    const FLAG: u8 = flags::PINNED;

    fn when(solver: &SolverInfo) -> Option<SiteTiming> {
        solver.has_momentum().then_some(SiteTiming::WithFlow)
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        Held::as_sites(kind, forcing)
    }

    #[inline(always)]
    fn change(_: &SiteParameters, seen: CellView, _: &StepContext) -> i64 {
        i64::from(seen.before) - i64::from(seen.water)
    }
}
