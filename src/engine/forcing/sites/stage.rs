//! Stage boundaries: cells whose level is held at the beginning of a step, by adding or removing
//! water.

use super::{CellView, Line, PlacedSite, Site, SiteKind, SiteParameters, StepContext};
use crate::forcing::{Forcing, ports};
use crate::solver::{CudaTwin, cuda_twin};

/// Parameters: the index of the group of cells with a common level, and the sides across which water
/// enters with a velocity ([`crate::forcing::approach`]; bits), which backends fill in.
pub struct Stage;

impl Stage {
    /// Returns the cells of stage boundaries, as sites of a kind.
    pub(super) fn as_sites(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        let mut placed = Vec::new();
        for (group, held) in forcing.stage_boundaries.iter().enumerate() {
            let cells = held.cells.iter().zip(&held.holders);
            placed.extend(cells.map(|(&cell, &holder)| {
                let (port, numbers) = (ports::of_holder(holder), [group as u32, 0]);
                PlacedSite { cell, given: SiteParameters { kind, line: Line::Flow, port, numbers } }
            }));
        }
        placed
    }
}

impl Site for Stage {
    const ABOUT: &'static str = "a stage boundary";
    const BRINGS: bool = true;
    const CROSSES: bool = true;

    const CUDA: Option<CudaTwin> = Some(cuda_twin!("Stage", "../../kernels/", "sites/stage.cuh"));

    fn cells(kind: SiteKind, forcing: &Forcing) -> Vec<PlacedSite> {
        Stage::as_sites(kind, forcing)
    }

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        let level = now.step.levels[given.numbers[0] as usize];
        i64::from(seen.water_at(level, now.grain)) - i64::from(seen.water)
    }
}
