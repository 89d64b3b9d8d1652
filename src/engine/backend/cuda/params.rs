//! Parameters of every kernel: the twin of kernels/params.cuh, passed by value.

use crate::backend::cuda::compile::fields::Fields;
use crate::backend::{FluxStatistics, worker};
use crate::forcing::Increment;
use crate::losses::Taken;
use crate::run_diagnostics::Maxima;
use crate::tiling::rect::Rect;
use std::fmt::Display;

/// Declares that the kernels have a struct of the same name and C layout, and generates the C++
/// assertions that compare both.
macro_rules! laid_out {
    ($name:ident: $($field:ident)*) => {
        // SAFETY: the type consists of plain numbers in C layout and holds no references.
        unsafe impl cudarc::driver::DeviceRepr for $name {}

        impl $name {
            /// Returns C++ that fails to compile if the kernels' struct of this name has another
            /// layout.
            pub(crate) fn layout_assertions() -> String {
                let mut text = format!(
                    "static_assert(sizeof({0}) == {1}, \"{0}\");\n",
                    stringify!($name), size_of::<$name>(),
                );
                $(text += &format!(
                    "static_assert(__INTADDR__(&((({0} *)0)->{1})) == {2} && sizeof(((({0} *)0)->{1})) == {3}, \"{0}::{1}\");\n",
                    stringify!($name), stringify!($field),
                    std::mem::offset_of!($name, $field),
                    $crate::backend::cuda::params::size_of_field(|of: &$name| &of.$field),
                );)*
                text
            }
        }
    };
}

/// Returns the size of a struct's field (bytes).
pub(super) const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// Declares a struct that is [`laid_out`] as in the kernels. The part in parentheses is the base
/// class in C++.
macro_rules! twin {
    ($(#[$about:meta])* $name:ident $(($(#[$base_doc:meta])* $base:ident: $of:ty))? {
        $($(#[$doc:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name { $($(#[$base_doc])* pub $base: $of,)? $($(#[$doc])* pub $field: $type,)* }

        $crate::backend::cuda::params::laid_out! { $name: $($field)* }
    };
}

/// Returns C++ assertions that fail to compile if a struct's layout differs in the kernels.
macro_rules! layouts {
    ($($name:ident)*) => { [$($name::layout_assertions()),*].concat() };
}

pub(super) use {laid_out, layouts, twin};

laid_out! { Increment: before after }
laid_out! { Taken: initial infiltration drainage evaporation }
laid_out! { FluxStatistics: crossed cut deep fast critical }

twin! {
    /// A rectangle of cells of a frame.
    Area {
        /// Index of the first column.
        column: i32,
        /// Index of the first row.
        row: i32,
        /// Column after the last one.
        end_column: i32,
        /// Row after the last one.
        end_row: i32,
    }
}

twin! {
    /// Sums over the run (grains, cells), and the half step in which water got too deep.
    Totals {
        /// Volume added by rain (grains).
        rain: u64,
        /// Volume added by sources and inflow cells (grains).
        inflow: u64,
        /// Volume removed by sinks (grains).
        losses: u64,
        /// Volumes taken by ground, sewers and air.
        taken: Taken,
        /// Volume that left across open edges (grains).
        outflow: u64,
        /// Water when last counted (grains).
        stored: u64,
        /// Number of wet cells when last counted.
        wet: u64,
        /// Flux statistics of the run.
        crossed: FluxStatistics,
        /// The greatest speed (m/s), see [`crate::run_diagnostics::Maximum`], with its cell index
        /// in the frame.
        speed: u64,
        /// The greatest Froude number.
        froude: u64,
        /// The greatest rise in a step (grains).
        rise: u64,
        /// The half step in which water got too deep; [`u64::MAX`] if it never did.
        halted_at: u64,
    }
}

impl Params {
    /// Returns the number of warps that march down chunks, per column of chunks.
    pub fn marches_down(&self) -> i32 {
        self.chunks_down - 7 * self.eights - 3 * self.fours - self.twos
    }
}

impl Area {
    /// Converts a rectangle of the padded grid to the coordinates of a frame.
    pub fn of(rect: Rect, frame: Rect) -> Area {
        let column = rect.column as i32 - frame.column as i32;
        let row = rect.row as i32 - frame.row as i32;
        let (end_column, end_row) = (column + rect.columns as i32, row + rect.rows as i32);
        Area { column, row, end_column, end_row }
    }

    /// Returns the rectangle grown by `by` cells on every side.
    pub fn grown(self, by: i32) -> Area {
        Area {
            column: self.column - by,
            row: self.row - by,
            end_column: self.end_column + by,
            end_row: self.end_row + by,
        }
    }
}

impl Totals {
    /// Returns the half step in which water got too deep, if it did.
    pub(super) fn halted(&self) -> Option<u64> {
        (self.halted_at != u64::MAX).then_some(self.halted_at)
    }

    /// Returns the run diagnostics.
    pub fn maxima(&self) -> Maxima {
        Maxima::of_frame([self.speed, self.froude, self.rise])
    }
}

twin! {
    /// Constants of one step, in device memory.
    StepConstants {
        /// Twice the step's number.
        half_step: u64,
        /// Rounding phase of the step.
        phase: f32,
        /// Time at the end of the step (s, or steps).
        end: f32,
        /// Length of the step (s, or 1 step).
        dt: f32,
        /// Set (1) if the double arrays of now and next are swapped.
        way: u32,
        /// Time at the start of the step (s, or steps).
        start: f32,
        /// [`crate::forcing::step::Step::elapsed`] at its start.
        elapsed_start: f32,
        /// [`crate::forcing::step::Step::elapsed`] at its end.
        elapsed_end: f32,
        /// Padding to a multiple of 16 bytes, the unit in which it is loaded.
        spare: [u32; 3],
    }
}

twin! {
    /// A frame in device memory, and the task of the kernel. Pointers are to the frame's column 0,
    /// row 0.
    Params (
        /// Pointers to the frame's fields.
        fields: Fields
    ) {
        /// Bit flags of each cell.
        flags: u64,
        /// Deepest water per chunk now (grains).
        deepest: u64,
        /// Deepest water per chunk after the step (grains).
        deepest_next: u64,
        /// Union of the cell flags of each chunk.
        special: u64,
        /// Pointer to the subdomain's [`Totals`].
        totals: u64,
        /// Pointer to the step's [`StepConstants`].
        step_constants: u64,
        /// Distance from one row to the next (cells).
        stride: i32,
        /// Number of chunks across.
        chunks_across: i32,
        /// Number of chunks down.
        chunks_down: i32,
        /// Number of rows of a chunk.
        chunk_rows: i32,
        /// Rectangle of cells to compute.
        computed: Area,
        /// Cells whose maxima, arrivals and volumes count.
        own: Area,
        /// Grains per step of the bed's level.
        bed_step: f32,
        /// Level difference below which nothing is rounded up (grains).
        calm: f32,
        /// Depth above which water has arrived (grains).
        threshold: i32,
        /// Parameters of the solver.
        solver: [f32; 4],
        /// See [`EdgeTables`](crate::subgrid::lookup::EdgeTables).
        fall: f32,
        /// Pointer to the greatest CFL rate: 1 / the longest step that an edge allows (the bits of
        /// an f32, s⁻¹).
        rate: u64,
        /// Size of a grain (m).
        metres: f32,
        /// Number of grains per metre.
        per_metre: f32,
        /// 1 / the distance between cells in a row (m⁻¹).
        inverse_dx: f32,
        /// 1 / the distance between cells in a column (m⁻¹).
        inverse_dy: f32,
        /// Manning's n if it is uniform (s/m^⅓).
        all_roughness: f32,
        /// Stencil reach of a step (cells).
        reach: i32,
        /// Number of columns of the frame.
        columns: i32,
        /// Column of the padded grid at which the frame begins.
        first_column: i32,
        /// Own cells on the grid, without ghosts.
        counted: Area,
        /// Pointer to the run's [`Ports`].
        ports: u64,
        /// Row of the padded grid at which the frame begins.
        first_row: i32,
        /// Number of columns of a chunk.
        chunk_columns: i32,
        /// Number of warps per column of chunks that march down eight of them, from the top.
        eights: i32,
        /// Number of warps below these that march down four.
        fours: i32,
        /// Number of warps below these that march down two.
        twos: i32,
        /// Pointer to the list of active chunks, if kernels use one.
        active: u64,
        /// Number of multiprocessors over which its chunks are distributed.
        multiprocessors: u64,
        /// Pointer to the first plane of tables, if cells have any.
        tables: u64,
        /// Distance from one plane to the next (cells).
        apart: u64,
    }
}

impl From<&Totals> for worker::Totals {
    fn from(totals: &Totals) -> worker::Totals {
        worker::Totals {
            rain: totals.rain,
            inflow: totals.inflow,
            losses: totals.losses,
            taken: totals.taken,
            outflow: totals.outflow,
            crossed: totals.crossed,
            maxima: totals.maxima(),
            stored: totals.stored,
            wet: totals.wet,
            too_deep: totals.halted().map(|half_step| half_step / 2),
        }
    }
}

twin! {
    /// Ports, at which inflow and outflow are counted separately, with their volumes. Pointers are
    /// to device memory.
    Ports {
        /// Cells of the padded grid (row-major) that are pinned, in ascending order.
        cells: u64,
        /// Port of each cell.
        numbers: u64,
        /// Inflow and outflow, port by port (grains).
        port_volumes: u64,
        /// Number of pinned cells.
        count: u64,
        /// Number of columns of the padded grid.
        columns: u64,
    }
}

/// Returns C++ that fails to compile if the kernels' constants do not have these integer values.
pub(crate) fn whole_assertions<T: Display>(constants: &[(&str, T)]) -> String {
    let assertion =
        |(name, value): &(&str, T)| format!("static_assert({name} == {value}, \"{name}\");\n");
    constants.iter().map(assertion).collect()
}

/// Returns C++ that fails to compile if the kernels' constants do not have these values.
pub(crate) fn float_assertions(constants: &[(&str, f32)]) -> String {
    // Rust writes the shortest digits that read back as the same number.
    let assertion =
        |(name, value): &(&str, f32)| format!("static_assert({name} == {value:e}f, \"{name}\");\n");
    constants.iter().map(assertion).collect()
}
