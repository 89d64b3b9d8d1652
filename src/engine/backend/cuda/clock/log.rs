//! What each step of a timed rule finds where tiles take turns: the greatest pace of all tiles' edges, and what was greatest
//! in each tile.

use crate::backend::cuda::memory::Block;
use crate::backend::worker::Found;
use crate::error::Result;
use crate::extremes::{Peak, Peaks};
use crate::pace::EPOCH;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Steps of a turn at the most.
const STEPS: usize = EPOCH as usize;

/// The greatest values of a visit: the bits of [`Peaks`].
type Row = [u64; 3];

/// The log, in the device's memory.
pub(crate) struct StepLog {
    /// The rate of each step (bits of f32).
    rates: Block,
    /// A [`Row`] per visit and step.
    peaks: Block,
    visits: usize,
    /// The visits that took steps, and how many.
    taken: Vec<(usize, usize)>,
}

impl StepLog {
    /// A log of so many visits.
    pub fn new(stream: &Arc<CudaStream>, visits: usize) -> Result<StepLog> {
        let rates = Block::new(stream, STEPS * size_of::<f32>())?;
        let peaks = Block::new(stream, visits * STEPS * size_of::<Row>())?;
        Ok(StepLog { rates, peaks, visits, taken: Vec::new() })
    }

    /// Where the flow says what it allows in a step.
    pub fn rate(&self, step: usize) -> u64 {
        assert!(step < STEPS, "a turn is no longer than an epoch");
        self.rates.address + (step * size_of::<f32>()) as u64
    }

    /// Where what was greatest in a visit after a step is kept.
    pub fn row(&self, visit: usize, step: usize) -> u64 {
        self.peaks.address + ((visit * STEPS + step) * size_of::<Row>()) as u64
    }

    /// A visit took so many steps.
    pub fn add(&mut self, visit: usize, steps: usize) {
        self.taken.push((visit, steps));
    }

    /// What was found since it was last asked; all of it is done.
    pub fn take(&mut self, stream: &CudaStream) -> Result<Vec<Found>> {
        let mut rates = [0u32; STEPS];
        self.rates.read(stream, &mut rates)?;
        self.rates.clear(stream)?;
        let mut rows = vec![0u64; self.visits * STEPS * 3];
        self.peaks.read(stream, &mut rows)?;
        let mut found = Vec::new();
        for (visit, steps) in self.taken.drain(..) {
            for (step, &rate) in rates[..steps].iter().enumerate() {
                let row = &rows[(visit * STEPS + step) * 3..][..3];
                let [speed, froude, rise] = [row[0], row[1], row[2]].map(Peak::of_frame);
                let peaks = Peaks { speed, froude, rise };
                Found::add(&mut found, step, f32::from_bits(rate), (visit, peaks));
            }
        }
        Ok(found)
    }
}
