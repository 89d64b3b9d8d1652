//! Pinned staging buffer for reads from a device: copies run at the speed of the link, and all
//! threads distribute the data to its destination.

use crate::arrays::zeros;
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::memory::{CopyDirection, Corner, Pinned, Rows, copy_cells};
use crate::error::Result;
use cudarc::driver::CudaStream;
use rayon::prelude::*;

/// Capacity (words): more takes longer to pin than it saves.
const WORDS: usize = 1 << 22;

/// Reads below this size (words) do not use the buffer.
const FEW: usize = 1 << 14;

/// Pinned memory, allocated on first use.
pub struct PinnedStaging {
    // Dropped first.
    pinned: Pinned,
    words: Vec<u32>,
}

impl PinnedStaging {
    /// Creates an empty buffer.
    pub fn none() -> PinnedStaging {
        PinnedStaging { pinned: Pinned::none(), words: Vec::new() }
    }

    /// Reads a rectangle of columns and rows of words from a place on the device, and waits.
    ///
    /// # Panics
    /// If it does not fit into `to`.
    ///
    /// # Safety
    /// The rectangle must be within live memory of the stream's device.
    pub unsafe fn read(
        &mut self,
        stream: &CudaStream,
        device: Corner,
        (columns, rows): (usize, usize),
        to: &mut [u32],
    ) -> Result<()> {
        let to = &mut to[..columns * rows];
        let wait = || stream.synchronize().map_err(|error| failed("reading results", error));
        if to.len() < FEW || columns > WORDS || !self.is_there() {
            let host = Corner { array: Rows::of_mut(to, columns), column: 0, row: 0 };
            // SAFETY: `to` has room for the rectangle and stays borrowed until the stream is
            // synchronized. The caller guarantees that the rectangle is within live device memory.
            unsafe { copy_cells(stream, CopyDirection::Out, 4, host, device, (columns, rows))? };
            return wait();
        }
        for (portion, to) in to.chunks_mut(WORDS / columns * columns).enumerate() {
            let row = device.row + portion * (WORDS / columns);
            let host = Corner { array: Rows::of_mut(&mut self.words, columns), column: 0, row: 0 };
            let size = (columns, to.len() / columns);
            // SAFETY: `words` has room for every portion and is not used until the stream is
            // synchronized. The caller guarantees that the rectangle is within live device memory.
            unsafe {
                copy_cells(stream, CopyDirection::Out, 4, host, Corner { row, ..device }, size)?
            };
            wait()?;
            to.par_chunks_mut(FEW)
                .zip(self.words.par_chunks(FEW))
                .for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
        }
        Ok(())
    }

    /// Returns `true` if there is a pinned buffer, creating it on the first call. If the system
    /// does not allow pinning, copies are slower.
    fn is_there(&mut self) -> bool {
        if self.words.is_empty() {
            self.words = zeros(WORDS);
            if !self.pinned.add(&self.words) {
                self.words = vec![0];
            }
        }
        self.words.len() == WORDS
    }
}
