//! Halo exchange: strips of the grid that stay on devices of their own take steps at the same time, and in between each takes
//! the cells around its own, its halo, from those whose own they are.

use super::Framed;
use crate::backend::worker::{Totals, Worker};
use crate::error::Result;
use crate::forcing::step::Step;
use crate::tiling::subdomain::{MARGIN, on_canvas};
use std::collections::BTreeMap;
use std::time::Instant;

impl<W: Worker> Framed<W> {
    /// Every strip takes the same steps.
    pub(super) fn advance_strips(&mut self, steps: &[Step]) -> Result<()> {
        let started = Instant::now();
        self.link_strips(steps)?;
        if self.links.are_shared() {
            self.share_links()?;
        }
        let subdomains = 0..self.plan.subdomains.len();
        let computed: Vec<_> =
            subdomains.map(|subdomain| self.computed(subdomain, steps.len())).collect();
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
            for (subdomain, frame) in self.frames.iter_mut().enumerate() {
                self.worker.back_frame(frame)?;
                // The second arrays hold anything now around the strip's own cells.
                self.worker.taken(frame, subdomain)?;
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
        let around = |subdomain: usize| {
            near[subdomain].iter().copied().filter(move |near| *near != subdomain)
        };
        let area =
            |to: usize, from: usize| plan.subdomains[to].frame.within(plan.subdomains[from].own);
        // All offer before anyone takes: who takes may have to wait for it.
        for subdomain in 0..near.len() {
            for other in around(subdomain) {
                worker.offer(&frames[other], other, subdomain, area(subdomain, other))?;
            }
        }
        for subdomain in 0..near.len() {
            for other in around(subdomain) {
                let (to, from) = pair(frames, subdomain, other);
                worker.take(to, subdomain, (from, other), area(subdomain, other))?;
            }
            worker.taken(&mut frames[subdomain], subdomain)?;
        }
        // No one goes on while another still takes from it.
        worker.rest()?;
        spent[1] += started.elapsed();
        Ok(())
    }

    /// Links carry water between cells of any strips before the one step of a turn.
    fn link_strips(&mut self, steps: &[Step]) -> Result<()> {
        let Framed { worker, plan, frames, canvas, links, .. } = self;
        let links = &mut links.between;
        if links.is_empty() {
            return Ok(());
        }
        let [step] = steps else { unreachable!("with such links each turn takes one step") };
        let columns = canvas.columns - 2 * MARGIN;
        let place = |cell: usize| on_canvas(cell, columns);
        // Owners say what there is at the ends; what links make of it is told once, to all who have the cell.
        let mut water = BTreeMap::new();
        for (subdomain, frame) in frames.iter_mut().enumerate() {
            let own = plan.subdomains[subdomain].own;
            let mut ends = links.ends();
            ends.retain(|&cell| own.holds(place(cell).0, place(cell).1));
            if ends.is_empty() {
                continue;
            }
            let places: Vec<_> = ends.iter().map(|&cell| place(cell)).collect();
            let found = worker.waters(frame, subdomain, &places)?;
            water.extend(ends.into_iter().zip(found.into_iter().map(|water| (water, 0))));
        }
        links.step(step.dt, |cell, by| {
            let (water, change) = water.get_mut(&cell).expect("an end of a link");
            (*water, *change) = (*water + by, *change + by);
            *water
        });
        for (cell, (_, by)) in water.into_iter().filter(|(_, (_, by))| *by != 0) {
            for (subdomain, frame) in frames.iter_mut().enumerate() {
                if plan.subdomains[subdomain].frame.holds(place(cell).0, place(cell).1) {
                    worker.change(frame, subdomain, place(cell), by)?;
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
