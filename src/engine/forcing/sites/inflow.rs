//! Inflow at single cells at a given rate (hydrograph).

use super::source::Source;
use super::{CellView, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags};
use crate::forcing::{Account, Forcing};
use crate::solver::{CudaTwin, SolverInfo};

/// A share of an inflow, with the parameters of a [`Source`].
pub struct Inflow;

impl Site for Inflow {
    const ABOUT: &'static str = "inflow at a rate";
    const FLAG: u8 = flags::AFTER_FLOW;
    const BRINGS: bool = true;
    const CUDA: Option<CudaTwin> = Source::CUDA;

    fn when(solver: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::of_rate(solver))
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        Source::placed(kind, Account::Inflow, forcing)
    }

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        Source::change(given, seen, now)
    }
}
