//! Gauges on the device: the twins of kernels/gauge.cu, and their memory.

use crate::backend::cuda::memory::Block;
use crate::backend::cuda::memory::sum::Sum;
use crate::backend::cuda::params::{laid_out, layouts, twin};
use crate::error::Result;
use crate::gauged::{GaugeState, Gauges};
use crate::tiling::subdomain::{Subdomain, on_canvas};
use cudarc::driver::CudaStream;
use std::sync::Arc;

twin! {
    /// A gauge within a subdomain's own cells.
    Gauge {
        /// Column in the frame.
        column: u32,
        /// Row in the frame.
        row: u32,
        /// Its number among all of the run.
        number: u64,
    }
}

laid_out! { GaugeState: most time speed }

twin! {
    /// Gauges to look at: addresses, and how many there are.
    Gauging {
        /// The [`Gauge`]s.
        gauges: u64,
        /// The [`GaugeState`]s of all.
        states: u64,
        /// How many there are.
        count: u64,
    }
}

/// C++ that fails to compile unless the structs are laid out the same.
pub(crate) fn gauge_assertions() -> String {
    layouts!(Gauge GaugeState Gauging)
}

/// The gauges of a run. Their states stay on the device while frames come and go.
pub(crate) struct DeviceGauges {
    /// What is known of each.
    pub states: Sum,
    /// Per subdomain: those in its own cells, and how many.
    of_subdomains: Vec<(Block, usize)>,
}

impl DeviceGauges {
    /// Gauges on the device, on a grid of `columns` columns.
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
                let (column, row) = on_canvas(cell, columns);
                subdomain.own.holds(column, row).then(|| Gauge {
                    column: (column - subdomain.frame.column) as u32,
                    row: (row - subdomain.frame.row) as u32,
                    number: number as u64,
                })
            });
            let own: Vec<Gauge> = own.collect();
            of_subdomains.push((Block::of(stream, &own)?, own.len()));
        }
        Ok(DeviceGauges { states, of_subdomains })
    }

    /// Those in a subdomain's own cells.
    pub(crate) fn gauging(&self, subdomain: usize) -> Gauging {
        let (list, count) = &self.of_subdomains[subdomain];
        let (gauges, states) = (list.address, self.states.address());
        Gauging { gauges, states, count: *count as u64 }
    }

    /// What is known of each; waits for the stream.
    pub fn states(&self, stream: &CudaStream) -> Result<Vec<GaugeState>> {
        self.states.all(stream)
    }
}
