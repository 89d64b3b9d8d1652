//! Inflow at single cells at a given rate (hydrograph).

use super::cell_rain::CellRain;
use super::{CellView, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags};
use crate::forcing::{Account, Forcing};
use crate::solver::{CudaTwin, SolverInfo};

/// A share of an inflow, with the parameters of [`CellRain`].
pub struct Inflow;

impl Site for Inflow {
    const ABOUT: &'static str = "inflow at a rate";
    const FLAG: u8 = flags::AFTER_FLOW;
    const BRINGS: bool = true;
    const CUDA: Option<CudaTwin> = CellRain::CUDA;

    fn when(solver: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::of_rate(solver))
    }

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        CellRain::placed(kind, Account::Inflow, forcing)
    }

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        CellRain::change(given, seen, now)
    }
}
