//! What a technique needs of a device. A GPU is one; tests have another, which runs the kernels on the CPU.

use crate::board::Board;
use inundate_engine::error::Result;

/// A kernel's name and its threads.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Blocks along each axis.
    pub blocks: [u32; 3],
    /// Threads of a block along each axis.
    pub threads: [u32; 3],
}

/// A device with a technique's kernels.
pub trait Device {
    /// Memory of the device, zero at first.
    type Memory;

    /// Takes memory.
    ///
    /// # Errors
    /// If there is not so much.
    fn take(&self, bytes: usize) -> Result<Self::Memory>;
    /// Copies from the host, and waits for that.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&self, to: &mut Self::Memory, from: &[u8]) -> Result<()>;
    /// Copies to the host, and waits for that.
    ///
    /// # Errors
    /// If the device fails.
    fn read(&self, from: &Self::Memory, to: &mut [u8]) -> Result<()>;
    /// A texture of 32-bit integers over rows in the memory, as a board says. It lives as long as the device.
    ///
    /// # Errors
    /// If they are too many for a texture.
    fn texture(&self, of: &Self::Memory, board: &Board) -> Result<u64>;
    /// Launches a kernel of a board and of the cells now and next.
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
    /// Waits for all that was launched.
    ///
    /// # Errors
    /// If the device fails.
    fn wait(&self) -> Result<()>;
}
