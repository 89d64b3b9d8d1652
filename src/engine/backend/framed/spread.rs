//! Halo exchange: strips of the grid that stay on devices of their own take steps at the same time, and in between each takes
//! the cells around its own, its halo, from those whose own they are.

use super::Framed;
use crate::backend::worker::{Totals, Worker};
use crate::error::Result;
use crate::forcing::step::Step;
use crate::tiling::visit::{MARGIN, on_canvas};
use std::collections::BTreeMap;
use std::time::Instant;

impl<W: Worker> Framed<W> {
    /// Every strip takes the same steps.
    pub(super) fn advance_strips(&mut self, steps: &[Step]) -> Result<()> {
        let started = Instant::now();
        self.link_strips(steps)?;
        let visits = 0..self.plan.visits.len();
        let computed: Vec<_> = visits.map(|visit| self.computed(visit, steps.len())).collect();
        self.worker.advance_all(&mut self.frames, &computed, steps)?;
        self.totals = self.worker.wait()?;
        self.spent[0] += started.elapsed();
        Ok(())
    }

    /// Remembers the state from which an epoch goes on. Tiles that take turns leave it alone anyway.
    pub(super) fn mark(&mut self) -> Result<()> {
        if self.plan.spread {
            self.frames.iter_mut().try_for_each(|frame| self.worker.mark_frame(frame))?;
        }
        self.worker.mark()
    }

    /// Goes back to it, and to what all parts had added up by then.
    pub(super) fn back(&mut self, totals: Vec<Totals>) -> Result<()> {
        self.totals = totals;
        self.worker.back()?;
        if self.plan.spread {
            for (visit, frame) in self.frames.iter_mut().enumerate() {
                self.worker.back_frame(frame)?;
                // The second arrays hold anything now around the strip's own cells.
                self.worker.taken(frame, visit)?;
            }
            return Ok(());
        }
        // What was stored in vain is to be wiped where nothing is now.
        self.awake[1].fill(true);
        Ok(())
    }

    /// Every strip takes its halo, what lies around its own cells, from those whose own it is.
    pub(super) fn exchange(&mut self) -> Result<()> {
        let started = Instant::now();
        let Framed { worker, plan, frames, near, spent, .. } = self;
        let around = |visit: usize| near[visit].iter().copied().filter(move |near| *near != visit);
        let area = |to: usize, from: usize| plan.visits[to].frame.within(plan.visits[from].own);
        // All offer before anyone takes: who takes may have to wait for it.
        for visit in 0..near.len() {
            for other in around(visit) {
                worker.offer(&frames[other], other, visit, area(visit, other))?;
            }
        }
        for visit in 0..near.len() {
            for other in around(visit) {
                let (to, from) = pair(frames, visit, other);
                worker.take(to, visit, (from, other), area(visit, other))?;
            }
            worker.taken(&mut frames[visit], visit)?;
        }
        // No one goes on while another still takes from it.
        worker.rest()?;
        spent[1] += started.elapsed();
        Ok(())
    }

    /// Links carry water between cells of any strips before the one step of a turn.
    fn link_strips(&mut self, steps: &[Step]) -> Result<()> {
        if self.links.is_empty() {
            return Ok(());
        }
        let [step] = steps else { unreachable!("with links each turn takes one step") };
        let columns = self.canvas.columns - 2 * MARGIN;
        let Framed { worker, plan, frames, links, .. } = self;
        let place = |cell: usize| on_canvas(cell, columns);
        // Owners say what there is at the ends; what links make of it is told once, to all who have the cell.
        let mut water = BTreeMap::new();
        for (visit, frame) in frames.iter_mut().enumerate() {
            let own = plan.visits[visit].own;
            let mut ends = links.ends();
            ends.retain(|&cell| own.holds(place(cell).0, place(cell).1));
            if ends.is_empty() {
                continue;
            }
            let places: Vec<_> = ends.iter().map(|&cell| place(cell)).collect();
            let found = worker.waters(frame, visit, &places)?;
            water.extend(ends.into_iter().zip(found.into_iter().map(|water| (water, 0))));
        }
        links.step(step.dt, |cell, by| {
            let (water, change) = water.get_mut(&cell).expect("an end of a link");
            (*water, *change) = (*water + by, *change + by);
            *water
        });
        for (cell, (_, by)) in water.into_iter().filter(|(_, (_, by))| *by != 0) {
            for (visit, frame) in frames.iter_mut().enumerate() {
                if plan.visits[visit].frame.holds(place(cell).0, place(cell).1) {
                    worker.change(frame, visit, place(cell), by)?;
                }
            }
        }
        Ok(())
    }
}

/// Two frames at once.
fn pair<F>(frames: &mut [F], first: usize, second: usize) -> (&mut F, &F) {
    if first < second {
        let (before, after) = frames.split_at_mut(second);
        (&mut before[first], &after[0])
    } else {
        let (before, after) = frames.split_at_mut(first);
        (&mut after[0], &before[second])
    }
}
