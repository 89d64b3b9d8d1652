//! Ports on the device: those of the pinned cells of the canvas, and what went through each.

use crate::backend::cuda::memory::Block;
use crate::backend::cuda::memory::sum::Sum;
use crate::backend::cuda::params::Ports;
use crate::error::Result;
use crate::forcing::ports::{Booked, Port};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// The ports of a run, for all of its frames. What frames add up is integers, so their order does not matter.
pub(crate) struct DevicePorts {
    ports: Block,
    // The block above has their addresses.
    _cells: Block,
    _numbers: Block,
    /// What came in and what left, port by port (grains).
    pub booked: Sum,
    /// How many there are.
    pub count: usize,
}

impl DevicePorts {
    /// The first `count` ports, of which nothing is booked yet, and the pinned cells of a canvas of `columns` columns
    /// with theirs, in rising order.
    pub fn new(
        stream: &Arc<CudaStream>,
        cells: &[(usize, Port)],
        columns: usize,
        count: Port,
    ) -> Result<DevicePorts> {
        let places: Vec<u64> = cells.iter().map(|&(cell, _)| cell as u64).collect();
        let numbers: Vec<u32> = cells.iter().map(|&(_, port)| port).collect();
        let (cells, of) = (Block::of(stream, &places)?, Block::of(stream, &numbers)?);
        let count = count as usize;
        let booked = Sum::new(stream, &vec![[0u64; 2]; count].concat())?;
        let parameters = Ports {
            cells: cells.address,
            numbers: of.address,
            booked: booked.address(),
            count: places.len() as u64,
            columns: columns as u64,
        };
        let ports = Block::of(stream, &[parameters])?;
        Ok(DevicePorts { ports, _cells: cells, _numbers: of, booked, count })
    }

    /// Where kernels find them.
    pub fn address(&self) -> u64 {
        self.ports.address
    }

    /// What went through them; waits for the stream.
    pub fn booked(&self, stream: &CudaStream) -> Result<Booked> {
        Ok(Booked::of(&self.booked.all(stream)?))
    }
}
