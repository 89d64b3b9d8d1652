//! The list of chunks in which something may happen, where few are wet: the twin of kernels/list.cu.

use super::frame::CHUNK_COLUMNS;
use super::memory::Block;
use super::moments::AT_ONCE;
use crate::backend::sites::VisitForcing;
use crate::error::Result;
use crate::forcing::link::Links;
use crate::tiling::visit::{MARGIN, Visit};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Threads of the block that makes it, as in kernels/list.cu.
pub const LISTING_THREADS: u32 = 1024;

/// The steps that a list is good for: those that are launched at once.
pub const LISTED_STEPS: usize = AT_ONCE;

/// Words of 32 chunks side by side that a frame whose chunks are listed has at the most.
pub const MOST_WORDS: usize = 1 << 12;

/// Rows of the piece of a chunk that a block computes at a time.
pub const ROWS_OF_A_BLOCK: u32 = 8;
/// Its warps where water flows: some look at the rows around it.
pub const WARPS_OF_A_BLOCK: u32 = ROWS_OF_A_BLOCK + 3;

/// Blocks a multiprocessor that go over the list.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

/// Wet cells a multiprocessor up to which pieces pay: beyond, chunks keep it busy, and two columns a lane are faster.
const CELLS_PER_MULTIPROCESSOR: u64 = 4096;

/// A frame's list, and what makes it.
pub struct Listing {
    list: Block,
    /// Whether a chunk has cells that water is brought to by themselves.
    fed: Block,
    multiprocessors: u32,
}

impl Listing {
    /// The list of a visit's frame with chunks of so many rows, if it has not too many; `links` are those of the grid, with
    /// its columns.
    pub fn new(
        stream: &Arc<CudaStream>,
        visit: &Visit,
        chunk_rows: usize,
        forcing: &VisitForcing,
        links: Option<(&Links, usize)>,
        multiprocessors: usize,
    ) -> Result<Option<Listing>> {
        let across = visit.frame.columns.div_ceil(CHUNK_COLUMNS);
        let chunks = across * visit.frame.rows.div_ceil(chunk_rows);
        if across.div_ceil(32) * visit.frame.rows.div_ceil(chunk_rows) > MOST_WORDS {
            return Ok(None);
        }
        let sites = forcing.sites.iter().map(|site| (site.column as usize, site.row as usize));
        let ends = links.into_iter().flat_map(|(links, columns)| {
            let place = move |cell: usize| (cell % columns + MARGIN, cell / columns + MARGIN);
            links.ends().into_iter().map(place)
        });
        let ends = ends.map(|(column, row)| (column - visit.frame.column, row - visit.frame.row));
        let mut marks = vec![0u8; chunks];
        for (column, row) in sites.chain(ends) {
            marks[row / chunk_rows * across + column / CHUNK_COLUMNS] = 1;
        }
        let mut fed = Block::new(stream, chunks)?;
        fed.fill(stream, &marks)?;
        let list = Block::new(stream, (2 + 2 * chunks) * size_of::<u32>())?;
        Ok(Some(Listing { list, fed, multiprocessors: multiprocessors as u32 }))
    }

    /// Whether so many wet cells are few.
    pub fn suits(&self, wet: u64) -> bool {
        wet <= u64::from(self.multiprocessors) * CELLS_PER_MULTIPROCESSOR
    }

    /// Its address.
    pub fn address(&self) -> u64 {
        self.list.address
    }

    /// Where it is told which chunks water is brought to.
    pub fn fed(&self) -> u64 {
        self.fed.address
    }

    /// Blocks that go over it.
    pub fn blocks(&self) -> i32 {
        (self.multiprocessors * BLOCKS_PER_MULTIPROCESSOR) as i32
    }
}

/// C++ that fails to compile unless the kernels' constants are these.
pub fn listing_assertions() -> String {
    let pairs = [
        ("LISTING_THREADS", LISTING_THREADS as usize),
        ("LISTED_STEPS", LISTED_STEPS),
        ("MOST_WORDS", MOST_WORDS),
        ("ROWS_OF_A_BLOCK", ROWS_OF_A_BLOCK as usize),
        ("WARPS_OF_A_BLOCK", WARPS_OF_A_BLOCK as usize),
    ];
    pairs.map(|(name, value)| format!("static_assert({name} == {value}, \"{name}\");\n")).concat()
}
