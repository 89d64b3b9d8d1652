//! Rain on single cells, at a given rate.

use super::{CellView, Line, PlacedSite, Site, SiteKind, SiteParameters, StepContext};
use crate::forcing::{Account, Footprint, Forcing, Share};
use crate::solver::{CudaTwin, cuda_twin};

/// A share of a rate layer. Parameters: the layer and the share (2⁻³¹).
pub struct CellRain;

impl CellRain {
    /// Returns the sites of a kind for the rate layers of an account that name cells.
    pub(super) fn placed(kind: SiteKind, account: Account, forcing: &Forcing) -> Vec<PlacedSite> {
        let line = if account == Account::Rain { Line::Rain } else { Line::Flow };
        let mut placed = Vec::new();
        for (layer, rate) in forcing.rates.iter().enumerate() {
            if rate.account != account {
                continue;
            }
            if let Footprint::Cells(cells) = &rate.footprint {
                placed.extend(cells.iter().map(|&(cell, share)| {
                    let numbers = [layer as u32, share.bits()];
                    PlacedSite { cell, given: SiteParameters { kind, line, port: 0, numbers } }
                }));
            }
        }
        placed
    }
}

impl Site for CellRain {
    const ABOUT: &'static str = "rain on single cells";
    const BRINGS: bool = true;

    const CUDA: Option<CudaTwin> =
        Some(cuda_twin!("CellRain", "../../kernels/", "sites/cell_rain.cuh"));

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        CellRain::placed(kind, Account::Rain, forcing)
    }

    #[inline(always)]
    fn change(given: &SiteParameters, _: CellView, now: &StepContext) -> i64 {
        let [layer, share] = given.numbers;
        let gains = Share::from_bits(share).gains(now.step.increments[layer as usize]);
        // More than any cell may contain.
        i64::try_from(gains).unwrap_or(i64::MAX)
    }
}
