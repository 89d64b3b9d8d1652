//! Sums of subdomains over the run, with a saved copy for rollbacks.

use crate::backend::cuda::memory::{Block, copy_on_device};
use crate::error::Result;
use cudarc::driver::{CudaStream, DeviceRepr};
use std::sync::Arc;

/// A block of sums in device memory.
pub struct Sum {
    now: Block,
    bytes: usize,
    /// Saved sums for a rollback, if any.
    saved: Option<Block>,
}

impl Sum {
    /// Creates sums with initial values.
    pub fn new<T: DeviceRepr>(stream: &Arc<CudaStream>, first: &[T]) -> Result<Sum> {
        Ok(Sum { now: Block::of(stream, first)?, bytes: size_of_val(first), saved: None })
    }

    /// Returns the address of the sums.
    pub fn address(&self) -> u64 {
        self.now.address
    }

    /// Sets the sums, and waits.
    pub fn fill<T: DeviceRepr>(&mut self, stream: &CudaStream, from: &[T]) -> Result<()> {
        self.now.fill(stream, from)
    }

    /// Reads all sums, which are of type `T`, and waits.
    pub fn all<T: DeviceRepr + Default + Clone>(&self, stream: &CudaStream) -> Result<Vec<T>> {
        let mut all = vec![T::default(); self.bytes / size_of::<T>()];
        self.now.read(stream, &mut all)?;
        Ok(all)
    }

    /// Saves the sums for a rollback, in the stream's order.
    pub fn checkpoint(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        if self.saved.is_none() {
            self.saved = Some(Block::new(stream, self.bytes)?);
        }
        self.copy(stream, |now, saved| (now, saved))
    }

    /// Rolls the sums back, in the stream's order.
    pub fn rollback(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        self.copy(stream, |now, saved| (saved, now))
    }

    fn copy(&self, stream: &CudaStream, way: impl Fn(u64, u64) -> (u64, u64)) -> Result<()> {
        let Some(saved) = self.saved.as_ref().filter(|_| self.bytes > 0) else { return Ok(()) };
        let (from, to) = way(self.now.address, saved.address);
        // SAFETY: both blocks were allocated with `bytes` bytes, and the stream orders the copy
        // with the kernels that add to the sums.
        unsafe { copy_on_device(stream, from, to, self.bytes) }
    }
}
