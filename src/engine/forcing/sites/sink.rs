//! Sink cells (Topa & Młocek's set A_o), which are emptied in every step.

use super::{
    CellView, Line, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags,
};
use crate::forcing::Forcing;
use crate::solver::SolverInfo;

/// Removes the water that the cell contains after the flow, as a loss.
pub struct Sink;

impl Site for Sink {
    const ABOUT: &'static str = "a cell that is emptied";
    const FLAG: u8 = flags::SINK;
    const LINE: Line = Line::Loss;

    fn when(_: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::WithFlow)
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        forcing
            .sinks
            .iter()
            .map(|&cell| PlacedSite { cell, given: SiteParameters::of(kind) })
            .collect()
    }

    #[inline(always)]
    fn change(_: &SiteParameters, seen: CellView, _: &StepContext) -> i64 {
        -i64::from(seen.water)
    }
}
