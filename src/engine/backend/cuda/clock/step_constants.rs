//! Constants of the coming steps in device memory, which the kernels of a step read instead of
//! receiving them as parameters, so that many steps can be launched at once.

use crate::backend::cuda::memory::{Block, copy_on_device};
use crate::backend::cuda::params::StepConstants;
use crate::error::Result;
use crate::forcing::Increment;
use crate::forcing::step::Step;
use crate::grains;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Number of steps whose constants are held at a time.
pub const HELD: usize = 512;

/// Number of steps launched at once if steps are short. Even, so that the water arrays are in the
/// same order afterwards.
pub const STEPS_PER_GRAPH: usize = 32;

/// A table with the constants of up to [`HELD`] steps, and a window of [`STEPS_PER_GRAPH`] of them
/// at a fixed address. An entry consists of a [`StepConstants`], an [`Increment`] per rate layer,
/// and the level of a stage boundary (i64) each.
pub struct StepConstantsTable {
    table: Block,
    window: Block,
    shape: Entry,
}

/// Contents of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Number of rate layers.
    pub layers: usize,
    /// Number of stage boundaries.
    pub levels: usize,
}

/// Addresses of a step's constants.
#[derive(Clone, Copy, Debug)]
pub struct ConstantAddresses {
    /// Address of its [`StepConstants`].
    pub step_constants: u64,
    /// Address of the first layer's [`Increment`].
    pub increments: u64,
    /// Address of the first level.
    pub levels: u64,
}

impl StepConstantsTable {
    /// Allocates a table for runs with these numbers of rate layers and stage boundaries.
    pub fn new(
        stream: &Arc<CudaStream>,
        layers: usize,
        levels: usize,
    ) -> Result<StepConstantsTable> {
        let shape = Entry { layers, levels };
        Ok(StepConstantsTable {
            table: Block::new(stream, HELD * shape.bytes())?,
            window: Block::new(stream, STEPS_PER_GRAPH * shape.bytes())?,
            shape,
        })
    }

    /// Fills the table, in the stream's order.
    ///
    /// # Panics
    /// If there are more than [`HELD`] steps.
    pub fn fill(&mut self, stream: &CudaStream, steps: &[Step]) -> Result<()> {
        assert!(steps.len() <= HELD);
        let words = self.shape.bytes() / 8;
        let mut table = Vec::with_capacity(steps.len() * words);
        for step in steps {
            let pair =
                |low: f32, high: f32| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32;
            // A [`StepConstants`] with a way of 0.
            let phase = grains::phase(step.number);
            table.extend([
                2 * step.number,
                pair(phase, step.end),
                pair(step.dt, 0.0),
                pair(step.start, step.elapsed[0]),
                pair(step.elapsed[1], 0.0),
                0,
            ]);
            table.extend(step.increments.iter().flat_map(|i| [i.before, i.after]));
            table.extend(step.levels.iter().map(|&level| level as u64));
        }
        self.table.write(stream, &table)
    }

    /// Returns the addresses of the constants of a step in the table.
    pub(crate) fn in_table(&self, step: usize) -> ConstantAddresses {
        self.place(&self.table, step)
    }

    /// Returns the addresses of the constants of a step in the window.
    pub(crate) fn in_window(&self, step: usize) -> ConstantAddresses {
        self.place(&self.window, step)
    }

    /// Moves the window to [`STEPS_PER_GRAPH`] steps of the table, in the stream's order.
    pub fn show(&self, stream: &CudaStream, first: usize) -> Result<()> {
        let from = self.in_table(first).step_constants;
        let bytes = STEPS_PER_GRAPH * self.shape.bytes();
        // SAFETY: the table has at least STEPS_PER_GRAPH steps from `first`, filled by the caller,
        // and the window has room for that many. The stream orders the copy before the kernels that
        // read the window.
        unsafe { copy_on_device(stream, from, self.window.address, bytes) }
    }

    fn place(&self, block: &Block, step: usize) -> ConstantAddresses {
        self.shape.place(block.address + (step * self.shape.bytes()) as u64)
    }
}

impl Entry {
    /// Returns the bytes of an entry.
    pub fn bytes(self) -> usize {
        size_of::<StepConstants>()
            + self.layers * size_of::<Increment>()
            + self.levels * size_of::<i64>()
    }

    /// Returns the addresses within an entry that starts at `step_constants`.
    pub fn place(self, step_constants: u64) -> ConstantAddresses {
        let increments = step_constants + size_of::<StepConstants>() as u64;
        let levels = increments + (self.layers * size_of::<Increment>()) as u64;
        ConstantAddresses { step_constants, increments, levels }
    }
}
