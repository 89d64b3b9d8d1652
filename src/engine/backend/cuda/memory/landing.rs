//! Where what is read of a device lands: host memory that is pinned, so that copies run at the speed of the link, from which all threads
//! take it to where it is wanted.

use crate::arrays::zeros;
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::memory::{Corner, Pinned, Rows, Way, copy_cells};
use crate::error::Result;
use cudarc::driver::CudaStream;
use rayon::prelude::*;

/// Words that it holds: more takes longer to pin than it saves.
const WORDS: usize = 1 << 22;

/// Words of a read that are not worth it.
const FEW: usize = 1 << 14;

/// Pinned memory; none until it is wanted.
pub struct Landing {
    // First let go.
    pinned: Pinned,
    words: Vec<u32>,
}

impl Landing {
    /// Nothing yet.
    pub fn none() -> Landing {
        Landing { pinned: Pinned::none(), words: Vec::new() }
    }

    /// Reads a rectangle of so many columns and rows of words from a place on the device, and waits for it.
    ///
    /// # Panics
    /// If there is no room for it in `to`.
    ///
    /// # Safety
    /// The rectangle lies within memory of the stream's device that lives.
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
            // SAFETY: there is room for it, and it is waited for; the rest is the caller's.
            unsafe { copy_cells(stream, Way::Out, 4, host, device, (columns, rows))? };
            return wait();
        }
        for (portion, to) in to.chunks_mut(WORDS / columns * columns).enumerate() {
            let row = device.row + portion * (WORDS / columns);
            let host = Corner { array: Rows::of_mut(&mut self.words, columns), column: 0, row: 0 };
            let size = (columns, to.len() / columns);
            // SAFETY: as above.
            unsafe { copy_cells(stream, Way::Out, 4, host, Corner { row, ..device }, size)? };
            wait()?;
            to.par_chunks_mut(FEW)
                .zip(self.words.par_chunks(FEW))
                .for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
        }
        Ok(())
    }

    /// Whether there is such memory; asked for the first time it is made. Where the system allows none, copies are slower.
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
