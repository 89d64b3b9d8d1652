//! The constants of the steps to come, in the device's memory: what the kernels of a step read there
//! instead of being told, so that many steps can be launched at once.

use super::memory::{Block, copy_on_device};
use super::params::{Increment, Moment};
use crate::backend::Step;
use crate::error::Result;
use crate::grains;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Steps whose constants are held at a time.
pub const HELD: usize = 512;

/// Steps that are launched at once where steps are short. Even, so that the water arrays are the same
/// way round after them.
pub const AT_ONCE: usize = 32;

/// A table of the constants of up to [`HELD`] steps, and a window onto [`AT_ONCE`] of them whose place
/// never changes. An entry is a [`Moment`] and an [`Increment`] per rate layer.
pub struct Moments {
    table: Block,
    window: Block,
    layers: usize,
}

/// Where a step's constants are.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Address of its [`Moment`].
    pub moment: u64,
    /// Address of the first layer's [`Increment`].
    pub increments: u64,
}

impl Moments {
    /// Room for the constants of runs with so many rate layers.
    pub fn new(stream: &Arc<CudaStream>, layers: usize) -> Result<Moments> {
        let entry = entry_bytes(layers);
        Ok(Moments {
            table: Block::new(stream, HELD * entry)?,
            window: Block::new(stream, AT_ONCE * entry)?,
            layers,
        })
    }

    /// Fills the table, in the stream's order.
    ///
    /// # Panics
    /// If there are more than [`HELD`] steps.
    pub fn fill(&mut self, stream: &CudaStream, steps: &[Step]) -> Result<()> {
        assert!(steps.len() <= HELD);
        let words = entry_bytes(self.layers) / 8;
        let mut table = Vec::with_capacity(steps.len() * words);
        for step in steps {
            let moment =
                Moment { turn: 2 * step.number, phase: grains::phase(step.number), end: step.end };
            let floats = u64::from(moment.phase.to_bits()) | u64::from(moment.end.to_bits()) << 32;
            table.extend([moment.turn, floats]);
            table.extend(step.increments.iter().flat_map(|i| [i.before, i.after]));
        }
        self.table.write(stream, &table)
    }

    /// Where the constants of a step of the table are.
    pub fn in_table(&self, step: usize) -> Place {
        self.place(&self.table, step)
    }

    /// Where those of a step in the window are.
    pub fn in_window(&self, step: usize) -> Place {
        self.place(&self.window, step)
    }

    /// Moves the window to [`AT_ONCE`] steps of the table, in the stream's order.
    pub fn show(&self, stream: &CudaStream, first: usize) -> Result<()> {
        let from = self.in_table(first).moment;
        let bytes = AT_ONCE * entry_bytes(self.layers);
        // SAFETY: both lie within their blocks, as long as the table is full so far.
        unsafe { copy_on_device(stream, from, self.window.address, bytes) }
    }

    fn place(&self, block: &Block, step: usize) -> Place {
        let moment = block.address + (step * entry_bytes(self.layers)) as u64;
        Place { moment, increments: moment + size_of::<Moment>() as u64 }
    }
}

fn entry_bytes(layers: usize) -> usize {
    size_of::<Moment>() + layers * size_of::<Increment>()
}
