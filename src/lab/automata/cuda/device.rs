//! Device interface of the techniques. Implemented for GPUs, and in tests for the CPU.

use crate::board::Board;
use inundate_engine::error::Result;

/// Launch configuration of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Name of the kernel.
    pub kernel: &'a str,
    /// Blocks along each axis.
    pub blocks: [u32; 3],
    /// Threads of a block along each axis.
    pub threads: [u32; 3],
}

/// A device with a technique's kernels.
pub trait Device {
    /// Device memory, initially zero.
    type Memory;

    /// Allocates memory.
    ///
    /// # Errors
    /// If there is not enough.
    fn take(&self, bytes: usize) -> Result<Self::Memory>;
    /// Copies from the host and waits for completion.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&self, to: &mut Self::Memory, from: &[u8]) -> Result<()>;
    /// Copies to the host and waits for completion.
    ///
    /// # Errors
    /// If the device fails.
    fn read(&self, from: &Self::Memory, to: &mut [u8]) -> Result<()>;
    /// Creates a texture of 32-bit integers over the rows of a board in memory. It lives as long as
    /// the device.
    ///
    /// # Errors
    /// If the board is too large for a texture.
    fn texture(&self, of: &Self::Memory, board: &Board) -> Result<u64>;
    /// Launches a kernel with a board and the present and next cells.
    ///
    /// # Errors
    /// If the device fails.
    fn launch(
        &self,
        launch: Launch,
        board: &Board,
        now: &Self::Memory,
        next: &Self::Memory,
    ) -> Result<()>;
    /// Waits for all launched kernels.
    ///
    /// # Errors
    /// If the device fails.
    fn wait(&self) -> Result<()>;
}
