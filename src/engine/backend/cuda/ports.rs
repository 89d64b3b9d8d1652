//! Ports of the padded grid's pinned cells on the device, and the volume through each.

use crate::backend::cuda::memory::Block;
use crate::backend::cuda::memory::sum::Sum;
use crate::backend::cuda::params::Ports;
use crate::error::Result;
use crate::forcing::ports::{BoundaryVolumes, Port};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Ports of a run, for all of its frames. The sums of frames are integers, so their order does not
/// matter.
pub(crate) struct DevicePorts {
    ports: Block,
    // The block above holds their addresses.
    _cells: Block,
    _numbers: Block,
    /// Inflow and outflow, port by port (grains).
    pub port_volumes: Sum,
    /// Number of ports in the run.
    pub count: usize,
}

impl DevicePorts {
    /// Sets up `count` ports with nothing booked yet, and the pinned cells of a padded grid of
    /// `columns` columns with their ports, in ascending order.
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
        let port_volumes = Sum::new(stream, &vec![[0u64; 2]; count].concat())?;
        let parameters = Ports {
            cells: cells.address,
            numbers: of.address,
            port_volumes: port_volumes.address(),
            count: places.len() as u64,
            columns: columns as u64,
        };
        let ports = Block::of(stream, &[parameters])?;
        Ok(DevicePorts { ports, _cells: cells, _numbers: of, port_volumes, count })
    }

    /// Returns the address for the kernels.
    pub fn address(&self) -> u64 {
        self.ports.address
    }

    /// Reads the volumes per port; waits for the stream.
    pub fn volumes(&self, stream: &CudaStream) -> Result<BoundaryVolumes> {
        Ok(BoundaryVolumes::of(&self.port_volumes.all(stream)?))
    }
}
