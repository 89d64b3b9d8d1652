//! Log of a timed solver's steps with streaming tiles or strips: the greatest CFL rate over all
//! edges, and the maxima of each subdomain.

use crate::backend::cuda::memory::Block;
use crate::backend::worker::StepFindings;
use crate::error::Result;
use crate::run_diagnostics::Maxima;
use crate::time_step::EPOCH;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Maximum number of steps per round.
const STEPS: usize = EPOCH as usize;

/// Maxima of a subdomain: the bits of [`Maxima`].
type Row = [u64; 3];

/// The log, in device memory.
pub(crate) struct StepLog {
    /// CFL rate of each step (bits of f32).
    rates: Block,
    /// A [`Row`] per subdomain and step.
    maxima: Block,
    subdomains: usize,
    /// Subdomains that took steps, with the number of steps.
    taken: Vec<(usize, usize)>,
}

impl StepLog {
    /// Creates a log for `subdomains` subdomains.
    pub fn new(stream: &Arc<CudaStream>, subdomains: usize) -> Result<StepLog> {
        let rates = Block::new(stream, STEPS * size_of::<f32>())?;
        let maxima = Block::new(stream, subdomains * STEPS * size_of::<Row>())?;
        Ok(StepLog { rates, maxima, subdomains, taken: Vec::new() })
    }

    /// Returns the address for the CFL rate of a step.
    pub fn rate(&self, step: usize) -> u64 {
        assert!(step < STEPS, "a turn is no longer than an epoch");
        self.rates.address + (step * size_of::<f32>()) as u64
    }

    /// Returns the address for the maxima of a subdomain after a step.
    pub fn row(&self, subdomain: usize, step: usize) -> u64 {
        self.maxima.address + ((subdomain * STEPS + step) * size_of::<Row>()) as u64
    }

    /// Records that a subdomain took some steps.
    pub fn add(&mut self, subdomain: usize, steps: usize) {
        self.taken.push((subdomain, steps));
    }

    /// Returns the findings since the last call; the steps must be finished.
    pub fn take(&mut self, stream: &CudaStream) -> Result<Vec<StepFindings>> {
        let mut rates = [0u32; STEPS];
        self.rates.read(stream, &mut rates)?;
        self.rates.clear(stream)?;
        let mut rows = vec![0u64; self.subdomains * STEPS * 3];
        self.maxima.read(stream, &mut rows)?;
        let mut found = Vec::new();
        for (subdomain, steps) in self.taken.drain(..) {
            for (step, &rate) in rates[..steps].iter().enumerate() {
                let row = &rows[(subdomain * STEPS + step) * 3..][..3];
                let maxima = Maxima::of_frame([row[0], row[1], row[2]]);
                StepFindings::add(&mut found, step, f32::from_bits(rate), (subdomain, maxima));
            }
        }
        Ok(found)
    }
}
