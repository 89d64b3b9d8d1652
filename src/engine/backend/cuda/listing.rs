//! List of active chunks, used while few cells are wet: the twin of kernels/list.cu.

use crate::backend::cuda::clock::step_constants::STEPS_PER_GRAPH;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{Params, whole_assertions};
use crate::error::Result;
use crate::tiling::rect::Rect;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Columns of a listed chunk: the cells that a warp computes with one column per lane.
pub const LISTED_COLUMNS: usize = 28;
/// Rows of a listed chunk, which a block computes simultaneously.
pub const LISTED_ROWS: u32 = 8;
/// Warps of a block in the mass update, some of which handle the rows around the chunk.
pub const LISTED_WARPS: u32 = LISTED_ROWS + 3;
/// Warps of a block if the mass and momentum updates are fused.
pub const FUSED_WARPS: u32 = LISTED_ROWS + 4;

/// Threads of a block that builds the list.
pub(crate) const LISTING_THREADS: u32 = 256;
/// Threads of the block that prepares a step.
pub(crate) const PREPARING_THREADS: u32 = 1024;

/// Number of steps for which a list is valid: those that are launched at once.
pub const LISTED_STEPS: usize = STEPS_PER_GRAPH;

/// Maximum number of blocks per multiprocessor that process the list.
pub const MOST_RESIDENT: u32 = 8;

/// Number of wet cells per multiprocessor up to which the list pays: beyond, larger chunks keep the
/// GPU busy with less overhead around the cells. (On an H200 a wet map of 512² cells, 1986 per
/// multiprocessor, takes `inertial` 19.0 µs per step with a list and 22.9 without, one of 768²,
/// 4468 per multiprocessor, 34.8 and 25.2; `shallow-water` 22.3 and 25.4, 40.5 and 36.2.)
const CELLS_PER_MULTIPROCESSOR: usize = 2400;

/// Small chunks of a frame, and the list of the active ones.
pub struct Listing {
    list: Block,
    deepest: [Block; 2],
    special: Block,
    /// Set for chunks that receive water from sources, or that are beside one.
    fed: Block,
    across: usize,
    down: usize,
    multiprocessors: usize,
}

impl Listing {
    /// Sets up the chunks of a frame with source cells (column, row).
    pub fn new(
        stream: &Arc<CudaStream>,
        frame: Rect,
        cells: impl Iterator<Item = (usize, usize)>,
        multiprocessors: usize,
    ) -> Result<Listing> {
        let (across, down) = chunks_of((frame.columns, frame.rows));
        let fed = fed_chunks(cells, (across, down));
        let [list, deepest, flags] = bytes_of((across, down), multiprocessors);
        let block = |bytes: usize| Block::new(stream, bytes);
        Ok(Listing {
            list: block(list)?,
            deepest: [block(deepest)?, block(deepest)?],
            special: block(flags)?,
            fed: Block::of(stream, &fed)?,
            across,
            down,
            multiprocessors,
        })
    }

    /// Returns the device memory needed for a frame of (columns, rows) (bytes).
    pub fn bytes(frame: (usize, usize), multiprocessors: usize) -> usize {
        let [list, deepest, flags] = bytes_of(chunks_of(frame), multiprocessors);
        list + 2 * (deepest + flags)
    }

    /// Returns `true` if the number of wet cells is small enough for a list.
    pub fn suits(&self, wet: u64) -> bool {
        wet <= (self.multiprocessors * CELLS_PER_MULTIPROCESSOR) as u64
    }

    /// Returns the parameters of the kernels that use the list.
    pub fn params(&self, wide: Params) -> Params {
        Params {
            deepest: self.deepest[0].address,
            deepest_next: self.deepest[1].address,
            special: self.special.address,
            chunks_across: self.across as i32,
            chunks_down: self.down as i32,
            chunk_rows: LISTED_ROWS as i32,
            chunk_columns: LISTED_COLUMNS as i32,
            active: self.list.address,
            multiprocessors: self.multiprocessors as u64,
            ..wide
        }
    }

    /// Returns the number of words, each of which covers 32 chunks side by side.
    pub fn words(&self) -> u32 {
        (self.across.div_ceil(32) * self.down) as u32
    }

    /// Returns the address of the flags of chunks with sources.
    pub fn fed(&self) -> u64 {
        self.fed.address
    }
}

/// Returns the number of chunks across and down in a frame of (columns, rows).
fn chunks_of((columns, rows): (usize, usize)) -> (usize, usize) {
    (columns.div_ceil(LISTED_COLUMNS), rows.div_ceil(LISTED_ROWS as usize))
}

/// Returns the bytes of the list, of the deepest water of all chunks, and of their flags.
fn bytes_of((across, down): (usize, usize), multiprocessors: usize) -> [usize; 3] {
    let chunks = across * down;
    // Every block fetches an entry before it knows the number of entries.
    let blocks = 2 * multiprocessors * MOST_RESIDENT as usize;
    // So does every thread that prepares a step. An entry has two words.
    let beyond = 2 * blocks.max(PREPARING_THREADS as usize);
    let list = 2 + 4 * chunks + across.div_ceil(32) * down + beyond;
    [list * size_of::<u32>(), chunks * size_of::<i32>(), chunks]
}

/// Returns a flag for each chunk, across and down: 1 if one of the cells (column, row) is in it or
/// in an adjacent one.
pub fn fed_chunks(
    cells: impl Iterator<Item = (usize, usize)>,
    (across, down): (usize, usize),
) -> Vec<u8> {
    let mut fed = vec![0; across * down];
    for (column, row) in cells {
        let (i, j) = (column / LISTED_COLUMNS, row / LISTED_ROWS as usize);
        for j in j.saturating_sub(1)..(j + 2).min(down) {
            fed[j * across..][i.saturating_sub(1)..(i + 2).min(across)].fill(1);
        }
    }
    fed
}

/// Returns C++ that fails to compile if the kernels' constants differ.
pub(crate) fn listing_assertions() -> String {
    let pairs = [
        ("LISTING_THREADS", LISTING_THREADS as usize),
        ("PREPARING_THREADS", PREPARING_THREADS as usize),
        ("LISTED_STEPS", LISTED_STEPS),
        ("LISTED_COLUMNS", LISTED_COLUMNS),
        ("LISTED_ROWS", LISTED_ROWS as usize),
        ("LISTED_WARPS", LISTED_WARPS as usize),
        ("FUSED_WARPS", FUSED_WARPS as usize),
    ];
    whole_assertions(&pairs)
}
