//! A frame in the device's memory.

use crate::backend::cuda::clock::step_constants::StepConstantsTable;
use crate::backend::cuda::memory::{Block, Rows, copy_on_device};
use crate::error::Result;
use crate::field::Field;
use crate::problem::Problem;
use cudarc::driver::{CudaGraph, CudaStream};
use std::sync::Arc;

/// Columns of a chunk, as in kernels/params.cuh.
pub const CHUNK_COLUMNS: usize = 60;

/// Rows of memory before and after a frame's own, into which a warp at its edge reads.
const ROWS_BEFORE: usize = 1;
const ROWS_AFTER: usize = 3;

/// Bytes of a cell of a frame with so many arrays of 32 bits, beside its flags.
pub(crate) fn cell_bytes(arrays: usize) -> usize {
    1 + 4 * arrays
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

/// Whether the kernels can number the cells of such a frame, in 32 bits (kernels/quality.cuh).
pub(crate) fn can_be_numbered((columns, rows): (usize, usize)) -> bool {
    columns.saturating_mul(rows) <= u32::MAX as usize
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

    /// Bytes of a frame with so many arrays of 32 bits a cell, beside its flags.
    pub fn bytes(&self, arrays: usize) -> usize {
        self.cells * cell_bytes(arrays) + self.chunks * 9
    }
}

/// The arrays of the frames of a run: the problem's fields, and how many arrays there are of each, two of what a step works out
/// from what it was before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    /// Fields and counts.
    pub fields: Vec<(Field, usize)>,
}

impl Arrays {
    /// Those of a problem.
    pub fn of(problem: &Problem) -> Arrays {
        let count = |field: Field| if field.row().doubled.of(problem) { 2 } else { 1 };
        let fields = problem.fields().into_iter().map(|field| (field, count(field)));
        Arrays { fields: fields.collect() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.fields.iter().map(|(_, count)| count).sum()
    }
}

/// Steps recorded as a graph.
pub struct Recorded {
    /// The graph.
    pub graph: CudaGraph,
    /// The rate layers that it has water of.
    pub layers: Vec<usize>,
}

// SAFETY: a graph is a handle of the driver, which takes it from any thread of a context, one at a time.
unsafe impl Send for Recorded {}

/// Arrays on the device, and the stream in which everything about them happens in order.
pub struct Frame {
    /// The stream.
    pub stream: Arc<CudaStream>,
    /// The shape of every array.
    pub shape: Shape,
    /// The fields: now and next, or one array for both.
    pub fields: Vec<(Field, Vec<Block>)>,
    /// Flags.
    pub flags: Block,
    /// Shares of the rate layers that have them.
    pub shares: Vec<Option<Block>>,
    /// The zones of each of the canvas's maps of them.
    pub zones: Vec<Block>,
    /// Per chunk: deepest water (grains), now and next.
    pub deepest: [Block; 2],
    /// Per chunk: flags.
    pub special: Block,
    /// The constants of the steps to come.
    pub step_constants: StepConstantsTable,
    /// Steps launched together: for both ways round that the water arrays may be; or those of a timed rule, plain, by a list, and
    /// with samples.
    pub graphs: [Option<Recorded>; 3],
    /// Which way round they are, if the host swaps them.
    pub swapped: bool,
    /// Which of the double arrays is now, if the device swaps them.
    pub way: usize,
    /// Number of the step after the last that was launched.
    pub reached: u64,
    /// Arrays as they were when they were marked, if they were.
    marked: Option<Marked>,
}

/// What a frame may have to go back to.
struct Marked {
    fields: Vec<(Field, Block)>,
    deepest: Block,
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
        wanted: &Arrays,
    ) -> Result<Frame> {
        let block = |bytes: usize| Block::new(&stream, bytes);
        let cells = || block(shape.cells * 4);
        // Kernels find the planes of tables by the first one.
        let is_table = |field: Field| matches!(field, Field::Table(_));
        let planes = wanted.fields.iter().filter(|(field, _)| is_table(*field)).count();
        let mut planes = Block::parts(&stream, planes, shape.cells * 4)?.into_iter();
        let arrays = |&(field, count): &(Field, usize)| {
            let blocks = match is_table(field) {
                true => planes.by_ref().take(1).collect(),
                false => (0..count).map(|_| cells()).collect::<Result<Vec<Block>>>()?,
            };
            Ok((field, blocks))
        };
        let shares = shares_of.iter().map(|&has| has.then(cells).transpose());
        let frame = Frame {
            fields: wanted.fields.iter().map(arrays).collect::<Result<_>>()?,
            flags: block(shape.cells)?,
            shares: shares.collect::<Result<_>>()?,
            zones: (0..zones).map(|_| cells()).collect::<Result<_>>()?,
            deepest: [block(shape.chunks * 4)?, block(shape.chunks * 4)?],
            special: block(shape.chunks)?,
            step_constants: StepConstantsTable::new(&stream, shares_of.len(), levels)?,
            graphs: [None, None, None],
            swapped: false,
            way: 0,
            reached: 0,
            marked: None,
            shape,
            stream: stream.clone(),
        };
        Ok(frame)
    }

    /// The arrays of a field; none if the frame does not have it.
    pub fn blocks(&self, field: Field) -> &[Block] {
        let found = self.fields.iter().find(|(held, _)| *held == field);
        found.map_or(&[], |(_, blocks)| blocks)
    }

    /// Whether cells have tables of finer ground.
    pub fn has_tables(&self) -> bool {
        !self.blocks(Field::Table(0)).is_empty()
    }

    /// The address of column 0, row 0 of a field, 0 if the frame does not have it; `way` says which of double arrays.
    pub fn address(&self, field: Field, way: usize) -> u64 {
        match self.blocks(field) {
            [] => 0,
            blocks => self.origin(&blocks[way % blocks.len()], 4),
        }
    }

    /// Remembers what some fields are, in the stream's order; those of the first time.
    pub fn mark(&mut self, fields: &[Field]) -> Result<()> {
        if self.marked.is_none() {
            let block = |&field| Ok((field, Block::new(&self.stream, self.shape.cells * 4)?));
            self.marked = Some(Marked {
                fields: fields.iter().map(block).collect::<Result<_>>()?,
                deepest: Block::new(&self.stream, self.shape.chunks * 4)?,
            });
        }
        self.copy_marked(|now, marked| (now, marked))
    }

    /// Makes them what they were when they were marked, in the stream's order.
    pub fn back(&mut self) -> Result<()> {
        self.copy_marked(|now, marked| (marked, now))
    }

    fn copy_marked(&self, way: impl Fn(u64, u64) -> (u64, u64)) -> Result<()> {
        let Some(Marked { fields, deepest }) = &self.marked else { return Ok(()) };
        let arrays = fields.iter().map(|(field, marked)| {
            (self.blocks(*field)[0].address, marked.address, self.shape.cells * 4)
        });
        let deepest = (self.deepest[0].address, deepest.address, self.shape.chunks * 4);
        for (now, marked, bytes) in arrays.chain([deepest]) {
            let (from, to) = way(now, marked);
            // SAFETY: both blocks have so many bytes.
            unsafe { copy_on_device(&self.stream, from, to, bytes)? };
        }
        Ok(())
    }

    /// The array with a field now. If nothing was computed any more from half step `halted` on (twice the
    /// step's number, and one more while water flowed), double arrays have changed places in vain since.
    ///
    /// # Panics
    /// If the frame does not have it.
    pub fn now(&self, field: Field, halted: Option<u64>) -> &Block {
        let blocks = self.blocks(field);
        &blocks[self.side_now(halted) % blocks.len()]
    }

    fn side_now(&self, halted: Option<u64>) -> usize {
        let in_vain = halted.map_or(0, |half_step| self.reached - half_step.div_ceil(2));
        (self.way + in_vain as usize) % 2
    }

    /// The arrays change places after a step.
    pub fn swap(&mut self) {
        self.deepest.swap(0, 1);
        for (_, blocks) in self.fields.iter_mut().filter(|(_, blocks)| blocks.len() == 2) {
            blocks.swap(0, 1);
        }
        self.swapped = !self.swapped;
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
