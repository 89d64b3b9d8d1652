//! Links on the device: the twins of kernels/link.cu, and their memory.

use crate::backend::cuda::memory::Block;
use crate::backend::cuda::memory::sum::Sum;
use crate::backend::cuda::params::{laid_out, layouts, twin};
use crate::error::Result;
use crate::forcing::link::{Fitted, LinkDriver, LinkState, Links};
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::on_padded_grid;
use cudarc::driver::CudaStream;
use std::sync::Arc;

twin! {
    /// A link; see kernels/link.cu.
    Link {
        /// Beds at the inlet and the outlet (grains above the datum).
        beds: [i64; 2],
        /// Level below which nothing flows through.
        crest: i64,
        /// Depth above which a pump starts (m).
        start: f64,
        /// Depth at which it stops (m).
        stop: f64,
        /// Offset of its knots and flows in the tables.
        table: u64,
        /// Number of knots of the head.
        heads: u32,
        /// Number of knots of the difference.
        differences: u32,
        /// Columns of the inlet and the outlet in the frame.
        columns: [u32; 2],
        /// Rows of the inlet and the outlet in the frame.
        rows: [u32; 2],
        /// Set if it is a pump.
        pump: u32,
        /// Set if water does not flow back.
        one_way: u32,
        /// Set if the flow starts from the levels that the links leave behind.
        drawn: u32,
        /// Number of links at the end that has more of them.
        sharing: u32,
        /// Index of the next link that shares cells with it, or -1.
        next: i32,
        /// Set if it is the first of the links that share cells.
        first: u32,
    }
}

laid_out! { LinkState: carry flow wanted forward back on }

/// Returns C++ that fails to compile if the structs have different layouts.
pub(crate) fn link_assertions() -> String {
    layouts!(Link LinkState)
}

/// Converts links on a grid of `columns` columns to the kernel's format for a frame, with their
/// knots and flows.
pub fn entries(links: &Links, columns: usize, frame: Rect) -> (Vec<Link>, Vec<f64>) {
    let mut tables: Vec<f64> = Vec::new();
    let mut entries = Vec::with_capacity(links.fitted.len());
    for Fitted { link, beds, crest, drawn, sharing, .. } in &links.fitted {
        let cells = [link.inlet, link.outlet].map(|cell| on_padded_grid(cell, columns));
        let (start, stop, pump, one_way) = match link.drive {
            LinkDriver::Pump { start, stop } => (start, stop, 1, 0),
            LinkDriver::Fall { one_way, .. } => (0.0, 0.0, 0, u32::from(one_way)),
        };
        entries.push(Link {
            beds: *beds,
            crest: *crest,
            start,
            stop,
            table: tables.len() as u64,
            heads: link.rating.heads.len() as u32,
            differences: link.rating.differences.len() as u32,
            columns: cells.map(|cell| (cell.0 - frame.column) as u32),
            rows: cells.map(|cell| (cell.1 - frame.row) as u32),
            pump,
            one_way,
            drawn: u32::from(*drawn),
            sharing: *sharing,
            next: -1,
            first: 0,
        });
        tables.extend(&link.rating.heads);
        tables.extend(&link.rating.differences);
        tables.extend(&link.rating.flows);
    }
    for chain in links.chains() {
        entries[chain[0]].first = 1;
        chain.windows(2).for_each(|pair| entries[pair[0]].next = pair[1] as i32);
    }
    (entries, tables)
}

/// Links that a subdomain steps. Their states stay on the device while frames are loaded and
/// stored.
pub struct DeviceLinks {
    links: Block,
    tables: Block,
    /// States of the links.
    pub states: Sum,
    /// Number of links in the frame.
    pub count: usize,
    /// Size of a grain (m).
    pub metres: f64,
    /// Grains of a cell per cubic metre.
    pub per_cubic_metre: f64,
}

impl DeviceLinks {
    /// Sets up the links on the device, for a grid of `columns` columns.
    pub fn new(
        stream: &Arc<CudaStream>,
        links: &Links,
        columns: usize,
        frame: Rect,
    ) -> Result<DeviceLinks> {
        let (entries, tables) = entries(links, columns, frame);
        Ok(DeviceLinks {
            links: Block::of(stream, &entries)?,
            tables: Block::of(stream, &tables)?,
            states: Sum::new(stream, &links.states)?,
            count: entries.len(),
            metres: links.metres,
            per_cubic_metre: links.per_cubic_metre,
        })
    }

    /// Returns the addresses of the links, their tables and their states.
    pub fn addresses(&self) -> [u64; 3] {
        [self.links.address, self.tables.address, self.states.address()]
    }

    /// Sets the state of each link; waits for the stream.
    pub fn put(&mut self, stream: &CudaStream, states: &[LinkState]) -> Result<()> {
        self.states.fill(stream, states)
    }

    /// Reads the state of each link; waits for the stream.
    pub fn states(&self, stream: &CudaStream) -> Result<Vec<LinkState>> {
        self.states.all(stream)
    }
}
