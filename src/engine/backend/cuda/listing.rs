//! Chunks in which something may happen, listed where few are wet: the twin of kernels/list.cu.

use crate::backend::cuda::clock::step_constants::AT_ONCE;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{Params, whole_assertions};
use crate::error::Result;
use crate::tiling::rect::Rect;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Columns of a chunk that is listed: what a warp computes whose lanes have a column each.
pub const LISTED_COLUMNS: usize = 28;
/// Its rows, which a block computes at the same time.
pub const LISTED_ROWS: u32 = 8;
/// Warps of a block where water flows: some look at the rows around it.
pub const LISTED_WARPS: u32 = LISTED_ROWS + 3;
/// The same where velocities are updated in the same kernel.
pub const AT_ONCE_WARPS: u32 = LISTED_ROWS + 4;

/// Threads of a block that makes the list, and of the one that prepares a step.
pub(crate) const LISTING_THREADS: u32 = 256;
/// See [`LISTING_THREADS`].
pub(crate) const PREPARING_THREADS: u32 = 1024;

/// The steps that a list is good for: those that are launched at once.
pub const LISTED_STEPS: usize = AT_ONCE;

/// Blocks a multiprocessor that go over the list at the most.
pub const MOST_RESIDENT: u32 = 8;

/// Wet cells a multiprocessor up to which it pays: beyond, larger chunks keep the GPU busy with less beside the cells. (On an H200 a wet
/// map of 512² cells, 1986 a multiprocessor, takes `inertial` 19.0 µs a step by a list and 22.9 without, one of 768², 4468 a
/// multiprocessor, 34.8 and 25.2; `shallow-water` 22.3 and 25.4, 40.5 and 36.2.)
const CELLS_PER_MULTIPROCESSOR: usize = 2400;

/// Smaller chunks of a frame, and the list of those in which something may happen.
pub struct Listing {
    list: Block,
    deepest: [Block; 2],
    special: Block,
    /// Whether water is brought to a chunk, or to one beside it, by itself.
    fed: Block,
    across: usize,
    down: usize,
    multiprocessors: usize,
}

impl Listing {
    /// Those of a frame with cells (column, row) that water is brought to by themselves.
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

    /// Device memory that one of a frame of (columns, rows) takes (bytes).
    pub fn bytes(frame: (usize, usize), multiprocessors: usize) -> usize {
        let [list, deepest, flags] = bytes_of(chunks_of(frame), multiprocessors);
        list + 2 * (deepest + flags)
    }

    /// Whether so many wet cells are few.
    pub fn suits(&self, wet: u64) -> bool {
        wet <= (self.multiprocessors * CELLS_PER_MULTIPROCESSOR) as u64
    }

    /// The parameters of the kernels that go by it.
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

    /// Words of 32 chunks side by side.
    pub fn words(&self) -> u32 {
        (self.across.div_ceil(32) * self.down) as u32
    }

    /// Where it says which chunks water is brought to.
    pub fn fed(&self) -> u64 {
        self.fed.address
    }
}

/// Chunks across and down of a frame of (columns, rows).
fn chunks_of((columns, rows): (usize, usize)) -> (usize, usize) {
    (columns.div_ceil(LISTED_COLUMNS), rows.div_ceil(LISTED_ROWS as usize))
}

/// Bytes of the list, of the deepest water of all chunks, and of their flags.
fn bytes_of((across, down): (usize, usize), multiprocessors: usize) -> [usize; 3] {
    let chunks = across * down;
    // Every block asks for an entry before it knows how many there are.
    let blocks = 2 * multiprocessors * MOST_RESIDENT as usize;
    // So does every thread that prepares a step. An entry is two words.
    let beyond = 2 * blocks.max(PREPARING_THREADS as usize);
    let list = 2 + 4 * chunks + across.div_ceil(32) * down + beyond;
    [list * size_of::<u32>(), chunks * size_of::<i32>(), chunks]
}

/// Per chunk, of so many across and down, whether one of the cells (column, row) lies in it or in one beside it (1).
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

/// C++ that fails to compile unless the kernels' constants are these.
pub(crate) fn listing_assertions() -> String {
    let pairs = [
        ("LISTING_THREADS", LISTING_THREADS as usize),
        ("PREPARING_THREADS", PREPARING_THREADS as usize),
        ("LISTED_STEPS", LISTED_STEPS),
        ("LISTED_COLUMNS", LISTED_COLUMNS),
        ("LISTED_ROWS", LISTED_ROWS as usize),
        ("LISTED_WARPS", LISTED_WARPS as usize),
        ("AT_ONCE_WARPS", AT_ONCE_WARPS as usize),
    ];
    whole_assertions(&pairs)
}
