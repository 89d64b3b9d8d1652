//! Gauges on the device: the twins of kernels/gauge.cu, and their memory.

use crate::backend::cuda::memory::Block;
use crate::backend::cuda::memory::sum::Sum;
use crate::backend::cuda::params::{laid_out, layouts, twin};
use crate::error::Result;
use crate::gauged::{GaugeState, Gauges};
use crate::tiling::subdomain::{Subdomain, on_padded_grid};
use cudarc::driver::CudaStream;
use std::sync::Arc;

twin! {
    /// A gauge within a subdomain's own cells.
    Gauge {
        /// Column in the frame.
        column: u32,
        /// Row in the frame.
        row: u32,
        /// Index among all gauges of the run.
        number: u64,
    }
}

laid_out! { GaugeState: most time speed }

twin! {
    /// Gauges to record: addresses, and their number.
    Gauging {
        /// Device array of [`Gauge`]s.
        gauges: u64,
        /// Array of the [`GaugeState`]s of all gauges.
        states: u64,
        /// Number of gauges to record.
        count: u64,
    }
}

/// Returns C++ that fails to compile if the structs have different layouts.
pub(crate) fn gauge_assertions() -> String {
    layouts!(Gauge GaugeState Gauging)
}

/// The gauges of a run. Their states stay on the device while frames are loaded and stored.
pub(crate) struct DeviceGauges {
    /// State of each gauge.
    pub states: Sum,
    /// Per subdomain: the gauges in its own cells, and their number.
    of_subdomains: Vec<(Block, usize)>,
}

impl DeviceGauges {
    /// Sets up gauges on the device, for a grid of `columns` columns.
    pub fn new(
        stream: &Arc<CudaStream>,
        gauges: &Gauges,
        subdomains: &[Subdomain],
        columns: usize,
    ) -> Result<DeviceGauges> {
        let states = Sum::new(stream, &gauges.states)?;
        let mut of_subdomains = Vec::with_capacity(subdomains.len());
        for subdomain in subdomains {
            let own = gauges.cells.iter().enumerate().filter_map(|(number, &cell)| {
                let (column, row) = on_padded_grid(cell, columns);
                subdomain.own.holds(column, row).then(|| Gauge {
                    column: (column - subdomain.extent.column) as u32,
                    row: (row - subdomain.extent.row) as u32,
                    number: number as u64,
                })
            });
            let own: Vec<Gauge> = own.collect();
            of_subdomains.push((Block::of(stream, &own)?, own.len()));
        }
        Ok(DeviceGauges { states, of_subdomains })
    }

    /// Returns the gauges in a subdomain's own cells.
    pub(crate) fn gauging(&self, subdomain: usize) -> Gauging {
        let (list, count) = &self.of_subdomains[subdomain];
        let (gauges, states) = (list.address, self.states.address());
        Gauging { gauges, states, count: *count as u64 }
    }

    /// Reads the state of each gauge; waits for the stream.
    pub fn states(&self, stream: &CudaStream) -> Result<Vec<GaugeState>> {
        self.states.all(stream)
    }
}
