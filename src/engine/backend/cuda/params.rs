//! The parameters of every kernel: the twin of kernels/params.cuh, passed by value.

use crate::backend::cuda::compile::fields::Fields;
use crate::backend::{Crossed, worker};
use crate::extremes::Maxima;
use crate::forcing::Increment;
use crate::losses::Taken;
use crate::tiling::rect::Rect;
use std::fmt::Display;

/// Says of a struct in C layout that the kernels have one of its name, and makes the C++ assertions that hold both together.
macro_rules! laid_out {
    ($name:ident: $($field:ident)*) => {
        // SAFETY: plain numbers in C layout, without references.
        unsafe impl cudarc::driver::DeviceRepr for $name {}

        impl $name {
            /// C++ that fails to compile unless the kernels' struct of this name is laid out the same.
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

/// Bytes of a field of a struct.
pub(super) const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// Declares a struct that is [`laid_out`] as the kernels have it. What is in brackets is what the C++ one inherits.
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

/// C++ that fails to compile unless all of these structs are laid out there as here.
macro_rules! layouts {
    ($($name:ident)*) => { [$($name::layout_assertions()),*].concat() };
}

pub(super) use {laid_out, layouts, twin};

laid_out! { Increment: before after }
laid_out! { Taken: initial infiltration drainage evaporation }
laid_out! { Crossed: crossed cut deep fast held }

twin! {
    /// Cells of a frame.
    Area {
        /// First column.
        column: i32,
        /// First row.
        row: i32,
        /// Column after the last.
        end_column: i32,
        /// Row after the last.
        end_row: i32,
    }
}

twin! {
    /// Sums over the run (grains, cells), and the half step at which water got too deep.
    Totals {
        /// Rain (grains).
        rain: u64,
        /// Sources and inflow cells (grains).
        inflow: u64,
        /// Sinks (grains).
        losses: u64,
        /// Taken by ground, sewers and air.
        taken: Taken,
        /// Open edges (grains).
        outflow: u64,
        /// Water when last counted (grains).
        stored: u64,
        /// Wet cells when last counted.
        wet: u64,
        /// What cells gave over edges.
        crossed: Crossed,
        /// The greatest speed (m/s), see [`crate::extremes::Maximum`]; cells are counted in the frame.
        speed: u64,
        /// The greatest Froude number.
        froude: u64,
        /// The greatest rise in a step (grains).
        rise: u64,
        /// The half step at which water got too deep; [`u64::MAX`] if it never did.
        halted_at: u64,
    }
}

impl Area {
    /// A rectangle of the canvas in the coordinates of a frame.
    pub fn of(rect: Rect, frame: Rect) -> Area {
        let column = rect.column as i32 - frame.column as i32;
        let row = rect.row as i32 - frame.row as i32;
        let (end_column, end_row) = (column + rect.columns as i32, row + rect.rows as i32);
        Area { column, row, end_column, end_row }
    }

    /// The same with so many cells more on every side.
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
    /// The half step at which water got too deep, if it did.
    pub(super) fn halted(&self) -> Option<u64> {
        (self.halted_at != u64::MAX).then_some(self.halted_at)
    }

    /// The greatest speed and the like.
    pub fn maxima(&self) -> Maxima {
        Maxima::of_frame([self.speed, self.froude, self.rise])
    }
}

twin! {
    /// Constants of one step, in the device's memory.
    StepConstants {
        /// Twice the step's number.
        half_step: u64,
        /// Rounding phase of the step.
        phase: f32,
        /// Time at the end of the step (s, or steps).
        end: f32,
        /// Its length (s, or 1 step).
        dt: f32,
        /// Whether what is now and what is next change places (1).
        way: u32,
        /// Time at the start of the step (s, or steps).
        start: f32,
        /// [`crate::forcing::step::Step::elapsed`] at its start.
        elapsed_start: f32,
        /// The same at its end.
        elapsed_end: f32,
        /// Nothing; makes up a multiple of 16 bytes, by which it is loaded.
        spare: [u32; 3],
    }
}

twin! {
    /// A frame in the device's memory, and what is to be done with it. Pointers are to the frame's column 0,
    /// row 0.
    Params (
        /// The frame's fields.
        fields: Fields
    ) {
        /// Flags per cell.
        flags: u64,
        /// Deepest water per chunk now (grains).
        deepest: u64,
        /// The same after the step.
        deepest_next: u64,
        /// Flags per chunk.
        special: u64,
        /// The subdomain's [`Totals`].
        totals: u64,
        /// The step's [`StepConstants`].
        step_constants: u64,
        /// Cells from one row to the next.
        stride: i32,
        /// Chunks side by side.
        chunks_across: i32,
        /// Chunks one below the other.
        chunks_down: i32,
        /// Rows of a chunk.
        chunk_rows: i32,
        /// Cells to compute.
        computed: Area,
        /// Cells whose maxima, arrivals and volumes count.
        own: Area,
        /// Grains in a step of the bed.
        bed_step: f32,
        /// Level difference below which nothing is rounded up (grains).
        calm: f32,
        /// Depth above which water has arrived (grains).
        threshold: i32,
        /// The rule's own parameters.
        rule: [f32; 4],
        /// Where the greatest CFL rate goes: 1 / the longest step that an edge allows (the bits of an f32, s⁻¹).
        rate: u64,
        /// Metres per grain.
        metres: f32,
        /// Grains per metre.
        per_metre: f32,
        /// 1 / the distance between cells side by side (m⁻¹).
        inverse_dx: f32,
        /// 1 / that between cells one below the other (m⁻¹).
        inverse_dy: f32,
        /// Manning's n where it is the same for all (s/m^⅓).
        all_roughness: f32,
        /// How far from a cell its new state reaches in a step (cells).
        reach: i32,
        /// Columns of the frame.
        columns: i32,
        /// Column of the canvas at which the frame begins.
        first_column: i32,
        /// The own cells of the grid: without ghosts.
        counted: Area,
        /// The run's [`Ports`].
        ports: u64,
        /// Row of the canvas at which the frame begins.
        first_row: i32,
        /// Columns of a chunk.
        chunk_columns: i32,
        /// The list of chunks in which something may happen, where kernels go by one.
        active: u64,
        /// Multiprocessors over which its chunks are spread.
        multiprocessors: u64,
        /// The first plane of tables, if cells have any.
        tables: u64,
        /// Cells from one plane to the next.
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
    /// The ports, at which inflow and outflow are counted apart, and what did. Pointers are to the device's memory.
    Ports {
        /// Cells of the canvas (row-major) that are pinned, in rising order.
        cells: u64,
        /// The port of each.
        numbers: u64,
        /// What came in and what left, port by port (grains).
        booked: u64,
        /// How many cells there are.
        count: u64,
        /// Columns of the canvas.
        columns: u64,
    }
}

/// C++ that fails to compile unless the kernels' constants have these whole values.
pub(crate) fn whole_assertions<T: Display>(constants: &[(&str, T)]) -> String {
    let assertion =
        |(name, value): &(&str, T)| format!("static_assert({name} == {value}, \"{name}\");\n");
    constants.iter().map(assertion).collect()
}

/// C++ that fails to compile unless the kernels' constants have these values.
pub(crate) fn float_assertions(constants: &[(&str, f32)]) -> String {
    // Rust writes the shortest digits that read the same again.
    let assertion =
        |(name, value): &(&str, f32)| format!("static_assert({name} == {value:e}f, \"{name}\");\n");
    constants.iter().map(assertion).collect()
}
