//! Epochs of a timed solver if the grid is divided: all parts take their steps independently. If
//! one of them turns out to end the epoch, all are rolled back and repeat the valid steps
//! (docs/decisions/0018-epochs.md).

use super::TiledBackend;
use crate::backend::worker::{StepFindings, Worker};
use crate::error::Result;
use crate::forcing::step::Step;
use crate::run_diagnostics::Maxima;
use crate::time_step::{Limits, StepControl, Stride, Until};

impl<W: Worker> TiledBackend<W> {
    /// Takes the remaining steps of an epoch in all parts, as far as they are valid.
    pub(super) fn advance_epoch(
        &mut self,
        control: &mut StepControl,
        limits: Limits,
        strides: &[Stride],
        until: Until,
    ) -> Result<()> {
        let steps: Vec<Step> = strides.iter().map(|&stride| self.timeline.step(stride)).collect();
        // A single step is always valid.
        let before = (steps.len() > 1).then(|| self.totals.clone());
        if before.is_some() {
            self.checkpoint()?;
        }
        self.advance_parts(&steps)?;
        let mut found = self.worker.collect_findings()?;
        found.resize_with(steps.len(), StepFindings::default);
        let rates: Vec<f32> = found.iter().map(|found| found.rate).collect();
        // Steps after one in which water gets too deep do not count.
        let deep = self.totals.iter().filter_map(|totals| totals.too_deep).min();
        let last = deep.and_then(|step| steps.iter().position(|other| other.number == step));
        let sound = last.map_or(steps.len(), |last| last + 1);
        let holds = control.take(limits, until, &strides[..sound], &rates);
        if let (Some(before), true) = (before, holds < steps.len()) {
            self.rollback(before)?;
            self.redone += u64::from(holds < sound);
            self.advance_parts(&steps[..holds])?;
            found = self.worker.collect_findings()?;
        }
        self.accept_steps()?;
        for (found, stride) in found.iter().zip(strides) {
            let maxima = found
                .maxima
                .iter()
                .map(|&(subdomain, maxima)| self.on_padded_grid(subdomain, maxima));
            self.watch.record(maxima.fold(Maxima::default(), Maxima::with), stride.end);
        }
        Ok(())
    }

    /// Takes some steps from the current state, which is kept until they are accepted
    /// ([`TiledBackend::accept_steps`]).
    pub(super) fn advance_parts(&mut self, steps: &[Step]) -> Result<()> {
        if self.plan.spread { self.advance_strips(steps) } else { self.stream_tiles(steps) }
    }

    /// Accepts the state after the steps as the current one.
    pub(super) fn accept_steps(&mut self) -> Result<()> {
        if self.plan.spread {
            return self.exchange_halos();
        }
        self.padded_grid.swap();
        self.awake.swap(0, 1);
        Ok(())
    }
}
