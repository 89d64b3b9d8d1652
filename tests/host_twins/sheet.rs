//! Cells in this machine's memory in the layout of a GPU frame, for kernels that iterate over them.

use super::compare::Numbers;
use super::compile::Twins;
use inundate_engine::backend::cuda::compile::fields::Fields;
use inundate_engine::backend::cuda::compile::source::common_unit;
use inundate_engine::backend::cuda::frame::CHUNK_COLUMNS;
use inundate_engine::backend::cuda::params::{Area, Params, StepConstants, Totals};
use inundate_engine::backend::padded_grid::INSIDE;
use inundate_engine::field::Field;
use inundate_engine::grains::{Grain, MAX_WATER};
use std::sync::OnceLock;

/// Returns the kernels that all flows share.
pub fn twins() -> &'static Twins {
    static TWINS: OnceLock<Twins> = OnceLock::new();
    TWINS.get_or_init(|| Twins::new(&common_unit(), "common.h"))
}

/// Number of columns of a sheet (two blocks side by side) and of rows.
pub const COLUMNS: usize = 240;
pub const ROWS: usize = 1 << 10;
/// Sizes with a margin of one cell on every side.
pub const STRIDE: usize = COLUMNS + 2;
pub const CELLS: usize = STRIDE * (ROWS + 2);
pub const CHUNK_ROWS: usize = 128;
pub const CHUNKS: [usize; 2] = [COLUMNS / CHUNK_COLUMNS, ROWS / CHUNK_ROWS];

/// Returns the index of a cell in an array.
pub fn place(column: usize, row: usize) -> usize {
    (row + 1) * STRIDE + column + 1
}

/// Returns the address of column 0, row 0 of an array.
pub fn origin<T>(array: &mut [T]) -> u64 {
    assert_eq!(array.len(), CELLS);
    &raw mut array[place(0, 0)] as u64
}

/// A frame of cells in this machine's memory.
pub struct Sheet {
    /// Flags of every cell.
    pub flags: Vec<u8>,
    /// Union of the flags of every chunk.
    special: Vec<u8>,
    /// Deepest water of every chunk.
    deepest: Vec<i32>,
    /// Totals that kernels accumulate.
    pub totals: Totals,
    /// Constants of the step.
    pub step_constants: StepConstants,
}

impl Sheet {
    /// Creates a wet sheet before the first step.
    pub fn new() -> Sheet {
        Sheet {
            flags: vec![INSIDE; CELLS],
            special: vec![u8::MAX; CHUNKS[0] * CHUNKS[1]],
            deepest: vec![1; CHUNKS[0] * CHUNKS[1]],
            totals: Totals { halted_at: u64::MAX, ..Totals::default() },
            step_constants: StepConstants::default(),
        }
    }

    /// Returns the parameters of a kernel that works on a water array.
    pub fn params(&mut self, grain: Grain, water: &mut [i32]) -> Params {
        let all = Area { column: 0, row: 0, end_column: COLUMNS as i32, end_row: ROWS as i32 };
        Params {
            fields: Fields::of(|field, _| if field == Field::Water { origin(water) } else { 0 }),
            flags: origin(&mut self.flags),
            special: self.special.as_mut_ptr() as u64,
            deepest: self.deepest.as_mut_ptr() as u64,
            totals: &raw mut self.totals as u64,
            step_constants: &raw mut self.step_constants as u64,
            stride: STRIDE as i32,
            chunks_across: CHUNKS[0] as i32,
            chunks_down: CHUNKS[1] as i32,
            chunk_rows: CHUNK_ROWS as i32,
            chunk_columns: CHUNK_COLUMNS as i32,
            computed: all,
            own: all,
            counted: all,
            columns: COLUMNS as i32,
            metres: grain.metres(),
            per_metre: grain.per_metre(),
            ..Params::default()
        }
    }

    /// Launches a kernel that uses a warp per chunk.
    ///
    /// # Safety
    /// The arguments must match the kernel.
    pub unsafe fn launch(&self, kernel: &str, arguments: &[*const ()]) {
        let blocks = [CHUNKS[0] as u32 / 2, CHUNKS[1] as u32];
        // SAFETY: guaranteed by the caller.
        unsafe { twins().launch(kernel, blocks, [64, 1], arguments) };
    }
}

/// Returns the address of an argument.
pub fn argument<T>(of: &T) -> *const () {
    (&raw const *of).cast()
}

/// Returns a random amount of water that a cell may contain (grains).
pub fn water_of(numbers: &mut Numbers) -> i32 {
    numbers.amount(0, 31).min(MAX_WATER as f32) as i32
}
