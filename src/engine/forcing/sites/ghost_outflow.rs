//! Open boundaries: ghosts beyond the open sides of the map, which are emptied in every step. Water
//! that flows into them has left the domain.
//!
//! They are not cells of the domain: a padded grid places them (`backend/ground.rs`), and their
//! flags contain their side.

use super::{CellView, PlacedSite, Site, SiteKind, SiteParameters, SiteTiming, StepContext, flags};
use crate::forcing::Forcing;
use crate::forcing::ports::Port;
use crate::solver::SolverInfo;

/// Removes the water that the ghost contains after the flow, as outflow through its side.
pub struct GhostOutflow;

impl Site for GhostOutflow {
    const ABOUT: &'static str = "an open edge of the map";
    const FLAG: u8 = flags::DRAIN;

    fn when(_: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::WithFlow)
    }

    fn cells(_: SiteKind, _: &Forcing) -> Vec<PlacedSite> {
        Vec::new()
    }

    fn port(flags: u8, _: Port) -> Port {
        flags::port_of_drain(flags)
    }

    #[inline(always)]
    fn change(_: &SiteParameters, seen: CellView, _: &StepContext) -> i64 {
        -i64::from(seen.water)
    }
}
