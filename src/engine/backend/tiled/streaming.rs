//! Streaming of tiles: every active one is loaded, stepped and stored, one after the other.

use super::TiledBackend;
use crate::backend::worker::Worker;
use crate::error::Result;
use crate::forcing::step::Step;
use crate::tiling::subdomain::{MARGIN, on_padded_grid};

/// Assigns frames to subdomains: the frames of a device in rotation.
struct FrameTurns {
    /// Number of subdomains of each device so far.
    taken: Vec<usize>,
    /// Number of frames per device.
    each: usize,
}

impl FrameTurns {
    fn new(devices: usize, frames: usize) -> FrameTurns {
        FrameTurns { taken: vec![0; devices], each: frames.div_ceil(devices) }
    }

    fn next(&mut self, subdomain: usize) -> usize {
        let device = subdomain % self.taken.len();
        let turn = self.taken[device];
        self.taken[device] += 1;
        device * self.each + turn % self.each
    }
}

impl<W: Worker> TiledBackend<W> {
    /// Takes the steps in every tile, one after the other. The padded grid keeps the old state
    /// until it swaps its buffers.
    pub(super) fn stream_tiles(&mut self, steps: &[Step]) -> Result<()> {
        self.move_linked_water(steps);
        let brings = |step: &Step| step.increments.iter().any(|i| i.after > i.before);
        let rains = self.forced_everywhere && steps.iter().any(brings);
        let remembers = self.padded_grid.flows().next().is_some();
        let mut turns = FrameTurns::new(self.worker.devices(), self.frames.len());
        let links = self.share_links()?;
        for subdomain in 0..self.plan.subdomains.len() {
            let own = self.plan.subdomains[subdomain].own;
            let near = &self.near[subdomain];
            let wakes = rains
                || self.forced[subdomain]
                || near.iter().any(|&other| self.awake[0][other])
                || links.get(subdomain).is_some_and(|of| self.links.stir(subdomain, of, steps));
            if !wakes {
                // An inactive tile does not change; only the other buffers may hold values from two
                // sweeps ago.
                if std::mem::take(&mut self.awake[1][subdomain]) {
                    self.padded_grid.wipe(own);
                }
                if std::mem::take(&mut self.moved[subdomain]) {
                    self.padded_grid.keep(own);
                }
                continue;
            }
            // Discharges may remain even where the water has gone.
            let flows = near.iter().any(|&other| self.totals[other].wet > 0);
            self.awake[1][subdomain] =
                remembers && (flows || rains || near.iter().any(|&other| self.forced[other]));
            let computed = self.computed(subdomain, steps.len());
            let frame = &mut self.frames[turns.next(subdomain)];
            self.moved[subdomain] = true;
            self.worker.load(frame, &self.padded_grid, subdomain)?;
            self.worker.advance(frame, subdomain, &computed, steps)?;
            self.worker.count_water(frame, subdomain)?;
            self.worker.store(frame, &mut self.padded_grid, subdomain)?;
        }
        self.totals = self.worker.collect_totals()?;
        for (awake, totals) in self.awake[1].iter_mut().zip(&self.totals) {
            *awake |= totals.wet > 0;
        }
        Ok(())
    }

    /// Moves water through links between cells of the padded grid, before the single step of a
    /// sweep.
    fn move_linked_water(&mut self, steps: &[Step]) {
        if self.links.between.is_empty() {
            return;
        }
        let [step] = steps else { unreachable!("with such links each sweep takes one step") };
        let columns = self.padded_grid.columns;
        let water = self.padded_grid.water();
        let (plan, awake, totals) = (&self.plan, &mut self.awake[0], &mut self.totals);
        let grid_columns = columns - 2 * MARGIN;
        self.links.between.step(step.dt, |cell, by| {
            let (column, row) = on_padded_grid(cell, grid_columns);
            let water = &mut water[row * columns + column];
            *water += by;
            if by > 0 {
                let subdomains =
                    plan.subdomains.iter().zip(awake.iter_mut()).zip(totals.iter_mut());
                for ((_, awake), totals) in
                    subdomains.filter(|((v, _), _)| v.own.holds(column, row))
                {
                    *awake = true;
                    totals.wet = totals.wet.max(1);
                }
            }
            *water
        });
    }

    /// Records the state of every tile that may hold water, for the run's cell diagnostics.
    pub(super) fn record_tiles(&mut self, time: f32) -> Result<()> {
        let subdomains =
            (0..self.plan.subdomains.len()).filter(|&subdomain| self.awake[0][subdomain]);
        let subdomains: Vec<usize> = subdomains.collect();
        let mut recorded = Vec::new();
        let mut turns = FrameTurns::new(self.worker.devices(), self.frames.len());
        for subdomain in subdomains {
            let frame = &mut self.frames[turns.next(subdomain)];
            self.worker.load(frame, &self.padded_grid, subdomain)?;
            self.worker.record_diagnostics(frame, subdomain, time)?;
            // The stored water goes to the second buffers, which no one reads before the next
            // sweep.
            self.worker.store(frame, &mut self.padded_grid, subdomain)?;
            self.awake[1][subdomain] = true;
            recorded.push(self.plan.subdomains[subdomain].own);
        }
        self.worker.collect_totals()?;
        recorded.into_iter().for_each(|own| self.padded_grid.take_diagnostics(own));
        Ok(())
    }
}
