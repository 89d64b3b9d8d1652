//! What falls into single cells of a visit's frame, on the device.

use super::memory::Block;
use super::params::Pour;
use crate::backend::worker::{self, VisitForcing};
use crate::error::Result;
use crate::forcing::Account;
use cudarc::driver::CudaStream;
use std::ops::Range;
use std::sync::Arc;

/// Entries for every cell of a visit that gets water of its own.
pub struct Pours {
    block: Block,
    /// Entries of rate layers.
    pub rates: Range<usize>,
    /// Entries that are topped up.
    pub top_ups: Range<usize>,
    /// Entries whose level is held.
    pub held: Range<usize>,
    /// Entries that water leaves at normal depth.
    pub free: Range<usize>,
}

impl Pours {
    /// The entries of a visit; `accounts` has every rate layer's.
    pub fn new(
        stream: &Arc<CudaStream>,
        forcing: &VisitForcing,
        accounts: &[Account],
    ) -> Result<Pours> {
        let entry = |pour: &worker::Pour| Pour {
            column: pour.column as u32,
            row: pour.row as u32,
            own: u32::from(pour.own),
            layer: pour.layer as u32,
            inflow: u32::from(accounts.get(pour.layer) == Some(&Account::Inflow)),
            amount: pour.amount,
            port: pour.port,
        };
        let all =
            forcing.pours.iter().chain(&forcing.top_ups).chain(&forcing.held).chain(&forcing.free);
        let entries: Vec<Pour> = all.map(entry).collect();
        let mut block = Block::new(stream, size_of_val(&*entries))?;
        block.fill(stream, &entries)?;
        let rates = forcing.pours.len();
        let top_ups = rates + forcing.top_ups.len();
        let held = top_ups + forcing.held.len();
        Ok(Pours {
            block,
            rates: 0..rates,
            top_ups: rates..top_ups,
            held: top_ups..held,
            free: held..entries.len(),
        })
    }

    /// The address of an entry.
    pub fn address(&self, entry: usize) -> u64 {
        self.block.address + (entry * size_of::<Pour>()) as u64
    }
}
