//! Applies the sites that act after the flow.

use super::TooDeep;
use super::after_flow_cells::AfterFlowCells;
use super::flow::Flow;
use super::frame::CpuFrame;
use super::worker::CpuWorker;
use crate::field::{Field, words};

impl CpuWorker {
    /// Applies the sites that act after the flow. Returns an error if water is too deep by then.
    pub(super) fn sites_after_flow(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        flow: &Flow,
    ) -> Result<(), TooDeep> {
        let mut acted = if flow.overflow { Err(TooDeep) } else { Ok(()) };
        if flow.after.is_empty() {
            return acted;
        }
        let number = frame.planes.iter().position(|plane| plane.field == Field::Water);
        let number = number.expect("there is water");
        let before = std::mem::take(&mut frame.planes[number].next);
        let (tiles, basin) = self.basin(frame);
        let mut tallies = Vec::new();
        for AfterFlowCells { tile, .. } in &flow.after {
            let tile = &mut tiles[*tile];
            match tile.act(&flow.terms.now, Some(words(&before)), basin) {
                Ok(tally) if tile.own => tallies.push(tally),
                Err(too_deep) if tile.own => acted = Err(too_deep),
                _ => {}
            }
            // It may have got its first water.
            tile.still[0] &= tile.deepest == 0;
        }
        frame.planes[number].next = before;
        tallies.iter().for_each(|tally| self.took(subdomain, tally));
        let end = flow.terms.now.step.end;
        flow.after.iter().for_each(|cells| cells.record(frame, self.threshold, end));
        acted
    }
}
