//! A frame in device memory.

use crate::backend::cuda::clock::step_constants::StepConstantsTable;
use crate::backend::cuda::memory::{Block, Rows, copy_on_device};
use crate::error::Result;
use crate::field::{Field, FieldRole};
use crate::problem::Problem;
use crate::solver::SolverInfo;
use cudarc::driver::{CudaGraph, CudaStream};
use std::sync::Arc;

/// Columns of a chunk, as in kernels/params.cuh.
pub const CHUNK_COLUMNS: usize = 60;

/// Rows of memory before and after a frame's own, which warps at its edges read.
const ROWS_BEFORE: usize = 1;
const ROWS_AFTER: usize = 3;

/// Returns the bytes per cell of a frame with `arrays` 32-bit arrays, including its flags.
pub(crate) fn cell_bytes(arrays: usize) -> usize {
    1 + 4 * arrays
}

/// Returns whether one kernel does both the mass and the momentum update of a solver.
pub(crate) fn takes_whole_steps(solver: &SolverInfo, tables: bool) -> bool {
    solver.has_momentum() && solver.order == 1 && !tables
}

/// Dimensions of a frame's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Distance from one row to the next (cells).
    pub stride: usize,
    /// Number of cells of an array, including padding.
    pub cells: usize,
    /// Maximum number of chunks.
    pub chunks: usize,
    /// Number of rows of a chunk.
    pub chunk_rows: usize,
}

/// Returns `true` if the kernels can index the cells of such a frame in 32 bits
/// (kernels/flow_diagnostics.cuh).
pub(crate) fn can_be_numbered((columns, rows): (usize, usize)) -> bool {
    columns.saturating_mul(rows) <= u32::MAX as usize
}

impl Shape {
    /// Computes the dimensions for frames of up to `columns` × `rows` cells with chunks of
    /// `chunk_rows` rows.
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

    /// Returns the bytes of a frame with `arrays` 32-bit arrays.
    pub fn bytes(&self, arrays: usize) -> usize {
        self.cells * cell_bytes(arrays) + self.chunks * 9
    }
}

/// Arrays of a run's frames: the problem's fields, and the number of arrays of each, two if a step
/// computes new values from old ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    /// Fields with the number of their arrays.
    pub fields: Vec<(Field, usize)>,
}

impl Arrays {
    /// Lists the arrays of a problem. A kernel that does a whole step keeps no discharges that
    /// nothing else reads.
    pub fn of(problem: &Problem) -> Arrays {
        let whole_step = takes_whole_steps(problem.solver.info(), problem.subgrid.is_some());
        let passes = |field: Field| {
            whole_step
                && [Field::DischargeEast, Field::DischargeSouth].contains(&field)
                && field.role(problem) == FieldRole::Passing
        };
        let count = |field: Field| if field.row().doubled.of(problem) { 2 } else { 1 };
        let fields = problem.fields().into_iter().filter(|&field| !passes(field));
        Arrays { fields: fields.map(|field| (field, count(field))).collect() }
    }

    /// Returns the total number of arrays.
    pub fn count(&self) -> usize {
        self.fields.iter().map(|(_, count)| count).sum()
    }
}

/// Steps recorded as a CUDA graph.
pub struct Recorded {
    /// Executable graph of the steps.
    pub graph: CudaGraph,
    /// Rate layers that the graph includes.
    pub layers: Vec<usize>,
    /// How many of its warps march down eight, four and two chunks.
    pub marches: [i32; 3],
}

// SAFETY: a graph is a driver handle that any thread of the context may use, one at a time. The
// type is not `Sync`, so threads do not use it concurrently.
unsafe impl Send for Recorded {}

/// Arrays on the device, and the stream in which all work on them is ordered.
pub struct Frame {
    /// Stream of the frame.
    pub stream: Arc<CudaStream>,
    /// Dimensions of every array.
    pub shape: Shape,
    /// Fields with their arrays: now and next, or one for both.
    pub fields: Vec<(Field, Vec<Block>)>,
    /// Flags of the cells.
    pub flags: Block,
    /// Shares of the rate layers that have them.
    pub shares: Vec<Option<Block>>,
    /// Zones of each of the padded grid's zone maps.
    pub zones: Vec<Block>,
    /// Per chunk: deepest water (grains), now and next.
    pub deepest: [Block; 2],
    /// Flags of the chunks.
    pub special: Block,
    /// Constants of the coming steps.
    pub step_constants: StepConstantsTable,
    /// Recorded steps: for both orders of the water arrays or, with a timed solver, plain, listed,
    /// and sampling steps.
    pub graphs: [Option<Recorded>; 3],
    /// Current order of the double arrays, if the host swaps them.
    pub swapped: bool,
    /// Index of the current one of the double arrays, if the device swaps them.
    pub way: usize,
    /// Number of the step after the last one launched.
    pub reached: u64,
    /// Saved arrays for a rollback, if any.
    saved: Option<Saved>,
}

/// State of a frame saved for a rollback.
struct Saved {
    fields: Vec<(Field, Block)>,
    deepest: Block,
}

impl Frame {
    /// Allocates a frame. `shares_of` flags the rate layers with shares; `zones` is the number of
    /// zone maps, `levels` the number of stage boundaries.
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
        // Kernels find the planes of tables from the first one.
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
            saved: None,
            shape,
            stream: stream.clone(),
        };
        Ok(frame)
    }

    /// Returns the arrays of a field; empty if the frame does not have it.
    pub fn blocks(&self, field: Field) -> &[Block] {
        let found = self.fields.iter().find(|(held, _)| *held == field);
        found.map_or(&[], |(_, blocks)| blocks)
    }

    /// Returns `true` if cells have subgrid tables.
    pub fn has_tables(&self) -> bool {
        !self.blocks(Field::Table(0)).is_empty()
    }

    /// Returns the address of column 0, row 0 of a field, 0 if the frame does not have it; `way`
    /// selects one of double arrays.
    pub fn address(&self, field: Field, way: usize) -> u64 {
        match self.blocks(field) {
            [] => 0,
            blocks => self.origin(&blocks[way % blocks.len()], 4),
        }
    }

    /// Saves some fields for a rollback, in the stream's order. The first call determines the
    /// fields.
    pub fn checkpoint(&mut self, fields: &[Field]) -> Result<()> {
        if self.saved.is_none() {
            let block = |&field| Ok((field, Block::new(&self.stream, self.shape.cells * 4)?));
            self.saved = Some(Saved {
                fields: fields.iter().map(block).collect::<Result<_>>()?,
                deepest: Block::new(&self.stream, self.shape.chunks * 4)?,
            });
        }
        self.copy_saved(|now, saved| (now, saved))
    }

    /// Restores the saved fields, in the stream's order.
    pub fn rollback(&mut self) -> Result<()> {
        self.copy_saved(|now, saved| (saved, now))
    }

    fn copy_saved(&self, way: impl Fn(u64, u64) -> (u64, u64)) -> Result<()> {
        let Some(Saved { fields, deepest }) = &self.saved else { return Ok(()) };
        let arrays = fields.iter().map(|(field, saved)| {
            (self.blocks(*field)[0].address, saved.address, self.shape.cells * 4)
        });
        let deepest = (self.deepest[0].address, deepest.address, self.shape.chunks * 4);
        for (now, saved, bytes) in arrays.chain([deepest]) {
            let (from, to) = way(now, saved);
            // SAFETY: both blocks hold at least this many bytes, and the stream orders the copy
            // with all work on the frame.
            unsafe { copy_on_device(&self.stream, from, to, bytes)? };
        }
        Ok(())
    }

    /// Returns the current array of a field. `halted` is the half step from which nothing was
    /// computed any more (twice the step's number, plus one in the momentum update); since then the
    /// double arrays were swapped without effect.
    ///
    /// # Panics
    /// If the frame does not have the field.
    pub fn now(&self, field: Field, halted: Option<u64>) -> &Block {
        let blocks = self.blocks(field);
        &blocks[self.side_now(halted) % blocks.len()]
    }

    fn side_now(&self, halted: Option<u64>) -> usize {
        let in_vain = halted.map_or(0, |half_step| self.reached - half_step.div_ceil(2));
        (self.way + in_vain as usize) % 2
    }

    /// Swaps the double arrays after a step.
    pub fn swap(&mut self) {
        self.deepest.swap(0, 1);
        for (_, blocks) in self.fields.iter_mut().filter(|(_, blocks)| blocks.len() == 2) {
            blocks.swap(0, 1);
        }
        self.swapped = !self.swapped;
    }

    /// Returns the address of column 0, row 0 of an array with `bytes` bytes per cell.
    pub fn origin(&self, block: &Block, bytes: usize) -> u64 {
        block.address + (ROWS_BEFORE * self.shape.stride * bytes) as u64
    }

    /// Returns an array of the frame as rows of cells of `bytes` bytes.
    pub fn rows(&self, block: &Block, bytes: usize) -> Rows {
        Rows { address: self.origin(block, bytes), stride: self.shape.stride }
    }
}
