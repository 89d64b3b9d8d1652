//! Inflow cells (Topa & Młocek's set A_i), which are topped up to a depth.

use super::{CellView, Line, PlacedSite, Site, SiteKind, SiteParameters, StepContext};
use crate::forcing::Forcing;
use crate::solver::{CudaTwin, cuda_twin};

/// Second parameter: the water that the cell is topped up to (grains).
pub struct TopUp;

impl Site for TopUp {
    const ABOUT: &'static str = "a cell that is topped up to a depth";
    const BRINGS: bool = true;

    const CUDA: Option<CudaTwin> = Some(cuda_twin!("TopUp", "../../kernels/", "sites/top_up.cuh"));

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        let place = |&(cell, level): &(usize, i32)| {
            let numbers = [0, level.max(0) as u32];
            PlacedSite { cell, given: SiteParameters { kind, line: Line::Flow, port: 0, numbers } }
        };
        forcing.top_up.iter().map(place).collect()
    }

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        let depth = given.numbers[1] as i32;
        let wanted = match seen.table {
            None => depth,
            Some(_) => {
                let bed = i64::from(seen.bed) * now.grain.bed_step();
                seen.water_at(bed + i64::from(depth), now.grain)
            }
        };
        i64::from((wanted - seen.water).max(0))
    }
}
