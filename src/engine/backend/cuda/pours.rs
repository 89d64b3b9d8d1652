//! What falls into single cells of a visit's frame, on the device.

use super::memory::Block;
use super::params::Pour;
use crate::backend::sites::{SiteAt, VisitForcing};
use crate::error::{Error, Result};
use crate::forcing::sites::{Line, SiteKind};
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
    /// The entries of a visit.
    pub fn new(stream: &Arc<CudaStream>, forcing: &VisitForcing) -> Result<Pours> {
        let entry = |site: &SiteAt| Pour {
            column: site.column,
            row: site.row,
            own: u32::from(site.own),
            layer: site.given.numbers[0],
            inflow: u32::from(site.given.line == Line::Flow),
            amount: site.given.numbers[1],
            port: site.given.port,
        };
        let known = [SiteKind::Source, SiteKind::TopUp, SiteKind::Held, SiteKind::NormalDepth];
        if let Some(site) = forcing.sites.iter().find(|site| !known.contains(&site.given.kind)) {
            let about = site.given.kind.info().about;
            return Err(Error::input(format!("{about}: there is no kernel for it"))
                .hint("run it on the CPU: --device cpu"));
        }
        let of = |kind: SiteKind| forcing.of_kind(kind);
        let [pours, top_ups] = [of(SiteKind::Source), of(SiteKind::TopUp)];
        let [held, free] = [of(SiteKind::Held), of(SiteKind::NormalDepth)];
        let all = [pours, top_ups, held, free].concat();
        let entries: Vec<Pour> = all.iter().map(entry).collect();
        let mut block = Block::new(stream, size_of_val(&*entries))?;
        block.fill(stream, &entries)?;
        let rates = pours.len();
        let top_ups = rates + top_ups.len();
        let held = top_ups + held.len();
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
