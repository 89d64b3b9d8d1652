//! Halo exchange: strips of the grid that stay on separate devices step simultaneously. In between,
//! each receives its halo from the strips that own those cells.

use super::TiledBackend;
use crate::backend::worker::{Totals, Worker};
use crate::error::Result;
use crate::forcing::step::Step;
use crate::tiling::subdomain::{MARGIN, on_padded_grid};
use std::collections::BTreeMap;
use std::time::Instant;

impl<W: Worker> TiledBackend<W> {
    /// Takes the steps in every strip.
    pub(super) fn advance_strips(&mut self, steps: &[Step]) -> Result<()> {
        let started = Instant::now();
        self.move_linked_water_of_strips(steps)?;
        if self.links.are_shared() {
            self.share_links()?;
        }
        let subdomains = 0..self.plan.subdomains.len();
        let computed: Vec<_> =
            subdomains.map(|subdomain| self.computed(subdomain, steps.len())).collect();
        self.worker.advance_all(&mut self.frames, &computed, steps)?;
        self.totals = self.worker.collect_totals()?;
        self.spent[0] += started.elapsed();
        Ok(())
    }

    /// Saves the state at the start of an epoch. Streaming tiles keep it anyway.
    pub(super) fn checkpoint(&mut self) -> Result<()> {
        if self.plan.spread {
            self.frames.iter_mut().try_for_each(|frame| self.worker.checkpoint_frame(frame))?;
        }
        self.worker.checkpoint_sums()
    }

    /// Rolls back to the saved state and to the given totals.
    pub(super) fn rollback(&mut self, totals: Vec<Totals>) -> Result<()> {
        self.totals = totals;
        self.worker.rollback_sums()?;
        if self.plan.spread {
            for (subdomain, frame) in self.frames.iter_mut().enumerate() {
                self.worker.rollback_frame(frame)?;
                // The second buffers now hold arbitrary values around the strip's own cells.
                self.worker.complete_halo(frame, subdomain)?;
            }
            return Ok(());
        }
        // Discarded results must be wiped where there is nothing now.
        self.awake[1].fill(true);
        Ok(())
    }

    /// Exchanges halos: every strip receives the cells around its own from the strips that own
    /// them.
    pub(super) fn exchange_halos(&mut self) -> Result<()> {
        let started = Instant::now();
        let TiledBackend { worker, plan, frames, near, spent, .. } = self;
        let around = |subdomain: usize| {
            near[subdomain].iter().copied().filter(move |near| *near != subdomain)
        };
        let area =
            |to: usize, from: usize| plan.subdomains[to].extent.within(plan.subdomains[from].own);
        // All send before anyone receives, since receiving may block.
        for subdomain in 0..near.len() {
            for other in around(subdomain) {
                worker.send_halo(&frames[other], other, subdomain, area(subdomain, other))?;
            }
        }
        for subdomain in 0..near.len() {
            for other in around(subdomain) {
                let (to, from) = pair(frames, subdomain, other);
                worker.receive_halo(to, subdomain, (from, other), area(subdomain, other))?;
            }
            worker.complete_halo(&mut frames[subdomain], subdomain)?;
        }
        // No strip continues while another still reads from it.
        worker.synchronize()?;
        spent[1] += started.elapsed();
        Ok(())
    }

    /// Moves water through links between any strips, before the single step of a round.
    fn move_linked_water_of_strips(&mut self, steps: &[Step]) -> Result<()> {
        let TiledBackend { worker, plan, frames, padded_grid, links, .. } = self;
        let links = &mut links.between;
        if links.is_empty() {
            return Ok(());
        }
        let [step] = steps else { unreachable!("with such links each turn takes one step") };
        let columns = padded_grid.columns - 2 * MARGIN;
        let place = |cell: usize| on_padded_grid(cell, columns);
        // Owners report the water at the ends; the changes are sent once, to all strips that hold
        // the cell.
        let mut water = BTreeMap::new();
        for (subdomain, frame) in frames.iter_mut().enumerate() {
            let own = plan.subdomains[subdomain].own;
            let mut ends = links.ends();
            ends.retain(|&cell| own.holds(place(cell).0, place(cell).1));
            if ends.is_empty() {
                continue;
            }
            let places: Vec<_> = ends.iter().map(|&cell| place(cell)).collect();
            let found = worker.read_water(frame, subdomain, &places)?;
            water.extend(ends.into_iter().zip(found.into_iter().map(|water| (water, 0))));
        }
        links.step(step.dt, |cell, by| {
            let (water, change) = water.get_mut(&cell).expect("an end of a link");
            (*water, *change) = (*water + by, *change + by);
            *water
        });
        for (cell, (_, by)) in water.into_iter().filter(|(_, (_, by))| *by != 0) {
            for (subdomain, frame) in frames.iter_mut().enumerate() {
                if plan.subdomains[subdomain].extent.holds(place(cell).0, place(cell).1) {
                    worker.add_water(frame, subdomain, place(cell), by)?;
                }
            }
        }
        Ok(())
    }
}

/// Borrows two frames at once.
fn pair<F>(frames: &mut [F], first: usize, second: usize) -> (&mut F, &F) {
    if first < second {
        let (before, after) = frames.split_at_mut(second);
        (&mut before[first], &after[0])
    } else {
        let (before, after) = frames.split_at_mut(first);
        (&mut after[0], &before[second])
    }
}
