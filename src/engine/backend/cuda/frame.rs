//! A frame in the device's memory.

use super::memory::{Block, Rows};
use super::moments::Moments;
use crate::error::Result;
use crate::rule::edge::EdgeField;
use cudarc::driver::{CudaGraph, CudaStream};
use std::sync::Arc;

/// Columns of a chunk, as in kernels/params.cuh.
pub const CHUNK_COLUMNS: usize = 60;

/// Rows of memory before and after a frame's own, into which a warp at its edge reads.
const ROWS_BEFORE: usize = 1;
const ROWS_AFTER: usize = 3;

/// Bytes of a cell of a frame (bed, water twice, maximum, arrival, flags) with so many further layers: of
/// shares, gifts, numbers over edges and roughness.
pub fn cell_bytes(layers: usize) -> usize {
    21 + 4 * layers
}

/// Columns and chunks of the memory of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Cells from one row to the next.
    pub stride: usize,
    /// Cells of an array, padding included.
    pub cells: usize,
    /// Chunks side by side and one below the other, at the most.
    pub chunks: usize,
    /// Rows of a chunk.
    pub chunk_rows: usize,
}

impl Shape {
    /// The shape for frames of up to `columns` × `rows` cells with chunks of `chunk_rows` rows.
    pub fn new(columns: usize, rows: usize, chunk_rows: usize) -> Shape {
        // Whole lines of 128 bytes.
        let stride = (columns + 2).next_multiple_of(32);
        Shape {
            stride,
            cells: stride * (rows + ROWS_BEFORE + ROWS_AFTER),
            chunks: columns.div_ceil(CHUNK_COLUMNS) * rows.div_ceil(chunk_rows),
            chunk_rows,
        }
    }

    /// Bytes of a frame with so many further layers, as for [`cell_bytes`].
    pub fn bytes(&self, layers: usize) -> usize {
        self.cells * cell_bytes(layers) + self.chunks * 9
    }
}

/// What a rule, its kernel and its ground have in frames beside what all have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Planes of gifts that the kernel keeps.
    pub gifts: usize,
    /// How many arrays there are of each [`EdgeField`] and axis: two of what is remembered from step to step, one of
    /// what is kept of the last, or none.
    pub edges: [usize; 2],
    /// Planes of the problem.
    pub planes: usize,
    /// Whether Manning's n differs from cell to cell.
    pub rough: bool,
}

impl Extras {
    /// What they come to in layers of 4 bytes a cell.
    pub fn layers(&self) -> usize {
        self.gifts + self.planes + 2 * (self.edges[0] + self.edges[1]) + usize::from(self.rough)
    }
}

/// Steps recorded as a graph.
pub struct Recorded {
    /// The graph.
    pub graph: CudaGraph,
    /// The rate layers that it has water of.
    pub layers: Vec<usize>,
}

/// Arrays on the device, and the stream in which everything about them happens in order.
pub struct Frame {
    /// The stream.
    pub stream: Arc<CudaStream>,
    /// The shape of every array.
    pub shape: Shape,
    /// Bed height (2⁻¹⁶ m).
    pub bed: Block,
    /// Water (grains): now, and next.
    pub water: [Block; 2],
    /// Discharges (m²/s) and velocities (m/s) over the edges east and south of each cell, per [`EdgeField`] and axis:
    /// now and next, or one array for both, or none.
    pub edges: [[Vec<Block>; 2]; 2],
    /// Manning's n (s/m^⅓), if it is not the same for all.
    pub roughness: Option<Block>,
    /// Most water so far (grains).
    pub most: Block,
    /// Arrival times.
    pub arrival: Block,
    /// Flags.
    pub flags: Block,
    /// Shares of the rate layers that have them.
    pub shares: Vec<Option<Block>>,
    /// The problem's planes.
    pub planes: Vec<Block>,
    /// The zones of each of the canvas's maps of them.
    pub zones: Vec<Block>,
    /// Planes of gifts, if the kernel keeps them.
    pub gifts: Option<Block>,
    /// Per chunk: deepest water (grains), now and next.
    pub deepest: [Block; 2],
    /// Per chunk: flags.
    pub special: Block,
    /// The constants of the steps to come.
    pub moments: Moments,
    /// Steps launched together, for both ways round that the water arrays may be.
    pub graphs: [Option<Recorded>; 2],
    /// Which way round they are, if the host turns them.
    pub turned: bool,
    /// Which of the double arrays is now, if the device turns them.
    pub way: usize,
    /// Number of the step after the last that was launched.
    pub reached: u64,
}

impl Frame {
    /// Memory for a frame; `shares_of` says for each rate layer whether it has shares, `zones` how many maps of
    /// zones there are, `levels` how many levels are held.
    pub fn new(
        stream: Arc<CudaStream>,
        shape: Shape,
        shares_of: &[bool],
        zones: usize,
        levels: usize,
        extras: Extras,
    ) -> Result<Frame> {
        let block = |bytes: usize| Block::new(&stream, bytes);
        let cells = || block(shape.cells * 4);
        let arrays = |count: usize| (0..count).map(|_| cells()).collect::<Result<Vec<Block>>>();
        let shares = shares_of.iter().map(|&has| has.then(cells).transpose());
        Ok(Frame {
            bed: cells()?,
            water: [cells()?, cells()?],
            most: cells()?,
            arrival: cells()?,
            flags: block(shape.cells)?,
            shares: shares.collect::<Result<_>>()?,
            zones: (0..zones).map(|_| cells()).collect::<Result<_>>()?,
            gifts: if extras.gifts > 0 {
                Some(block(shape.cells * 4 * extras.gifts)?)
            } else {
                None
            },
            planes: (0..extras.planes).map(|_| cells()).collect::<Result<_>>()?,
            edges: [
                [arrays(extras.edges[0])?, arrays(extras.edges[0])?],
                [arrays(extras.edges[1])?, arrays(extras.edges[1])?],
            ],
            roughness: if extras.rough { Some(cells()?) } else { None },
            deepest: [block(shape.chunks * 4)?, block(shape.chunks * 4)?],
            special: block(shape.chunks)?,
            moments: Moments::new(&stream, shares_of.len(), levels)?,
            graphs: [None, None],
            turned: false,
            way: 0,
            reached: 0,
            shape,
            stream,
        })
    }

    /// The array with the water now. If nothing was computed any more from turn `halted` on (twice the
    /// step's number, and one more while water flowed), the arrays have changed places in vain since.
    pub fn water_now(&self, halted: Option<u64>) -> &Block {
        &self.water[self.side_now(halted)]
    }

    /// The array with what is known of the edges of an axis now; `halted` is as for [`Frame::water_now`].
    ///
    /// # Panics
    /// If the frame has none.
    pub fn edges_now(&self, field: EdgeField, axis: usize, halted: Option<u64>) -> &Block {
        let arrays = &self.edges[field as usize][axis];
        &arrays[self.side_now(halted) % arrays.len()]
    }

    fn side_now(&self, halted: Option<u64>) -> usize {
        let in_vain = halted.map_or(0, |turn| self.reached - turn.div_ceil(2));
        (self.way + in_vain as usize) % 2
    }

    /// The arrays change places after a step.
    pub fn turn(&mut self) {
        self.water.swap(0, 1);
        self.deepest.swap(0, 1);
        for layer in self.edges.iter_mut().flatten().filter(|layer| layer.len() == 2) {
            layer.swap(0, 1);
        }
        self.turned = !self.turned;
    }

    /// The address of column 0, row 0 of an array with `bytes` bytes a cell.
    pub fn origin(&self, block: &Block, bytes: usize) -> u64 {
        block.address + (ROWS_BEFORE * self.shape.stride * bytes) as u64
    }

    /// An array of the frame as rows of cells of `bytes` bytes.
    pub fn rows(&self, block: &Block, bytes: usize) -> Rows {
        Rows { address: self.origin(block, bytes), stride: self.shape.stride }
    }
}
