//! The arrays of a state: variables, inputs and diagnostics, one row each in a single table. Memory
//! allocation, device copies, halos, checkpoints, reading back and state comparison in tests are
//! derived from the table (docs/adding_a_field.md).

use crate::cell_diagnostics::{self, NEVER};
use crate::forcing::sites::trigger::Trigger;
use crate::grains::MAX_WATER;
use crate::problem::Problem;
use crate::roughness::Roughness;
use crate::solver::edge::EdgeField;
use crate::subgrid::layout::PLANES;
use FieldProperty::{Always, By};
use serde::{Deserialize, Serialize};

/// Location of a field's values on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldLocation {
    /// One value per cell.
    Cell,
    /// One value per east edge of a cell, positive eastward. Each line starts with the edge west of
    /// the first cell.
    EastEdge,
    /// One value per south edge of a cell, positive southward. The first line is north of the first
    /// row of cells.
    SouthEdge,
}

/// Type of the 32-bit values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Signed integer: grains of water, steps of height.
    Whole,
    /// 32-bit float (f32).
    Float,
    /// Unsigned integer, or bits whose meaning the owner defines.
    Bits,
}

/// Role of a field in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRole {
    /// Input, derived from the problem.
    Input,
    /// State that steps continue from and read around a cell, so subdomains that step alternately
    /// must see their neighbours' values from before the step. Saved in checkpoints.
    State,
    /// Diagnostic: recorded per cell by its owner, never read by a step. Saved in checkpoints.
    Diagnostic,
    /// Scratch values that live within one step.
    Passing,
}

/// A property of a field: either constant or derived from the problem.
#[derive(Clone, Copy)]
pub enum FieldProperty<T> {
    /// Constant for every run.
    Always(T),
    /// Derived from the problem.
    By(fn(&Problem) -> T),
}

impl<T: Copy> FieldProperty<T> {
    /// Evaluates the property for a problem.
    pub fn of(&self, problem: &Problem) -> T {
        match self {
            FieldProperty::Always(what) => *what,
            FieldProperty::By(find) => find(problem),
        }
    }
}

/// Initial value (bits) of a field in the cells of the domain.
pub enum First {
    /// One value for all cells, given the field's number within its row.
    Same(fn(&Problem, usize) -> u32),
    /// One value per cell of the grid (row-major).
    ByCell(fn(&Problem, usize) -> u32),
}

/// A row of the field table.
pub struct Row {
    /// Constructs the field from its number within the row.
    pub field: fn(usize) -> Field,
    /// Name in messages and checkpoints.
    pub key: &'static str,
    /// Unit of the values, for people.
    pub unit: &'static str,
    /// Location of the values on the grid.
    pub place: FieldLocation,
    /// Type of the values.
    pub kind: NumberKind,
    /// Set if the row holds several fields, distinguished by number.
    pub numbered: bool,
    /// Role of the field in a run.
    pub role: FieldProperty<FieldRole>,
    /// Set if a step computes new values from old ones, so that a device needs two buffers.
    pub doubled: FieldProperty<bool>,
    /// Initial value, unless it follows from the problem's bed and water.
    pub first: First,
    /// Number of such fields in a problem.
    pub count: FieldProperty<usize>,
    /// Returns `true` if a run can produce a value (bits). Checked when files are read.
    pub is_plausible: fn(u32) -> bool,
}

impl Row {
    /// Returns `true` if some run needs two buffers for it.
    pub const fn may_be_doubled(&self) -> bool {
        !matches!(self.doubled, Always(false))
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident $(($number:ty))?: $key:literal, $unit:literal, $place:ident, $kind:ident,
       $role:expr, doubled $doubled:expr, first $first:expr, count $count:expr, plausible $plausible:expr;)*) => {
        /// An array of a state, 32 bits a cell or edge.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
        pub enum Field {
            $($(#[$doc])* $name $(($number))?,)*
        }

        /// All fields, in checkpoint order.
        pub static TABLE: &[Row] = &[$(Row {
            field: fields!(@make $name $(($number))?),
            key: $key,
            unit: $unit,
            place: FieldLocation::$place,
            kind: NumberKind::$kind,
            numbered: fields!(@numbered $(($number))?),
            role: $role,
            doubled: $doubled,
            first: $first,
            count: $count,
            is_plausible: $plausible,
        }),*];

        impl Field {
            /// Returns the index of its row in the table, and its number within the row.
            fn line(self) -> (usize, usize) {
                #[derive(Clone, Copy)]
                enum Line { $($name),* }
                match self { $(fields!(@pattern $name $(($number))? number) => {
                    (Line::$name as usize, fields!(@number $(($number))? number))
                })* }
            }
        }
    };
    (@make $name:ident) => { |_| Field::$name };
    (@make $name:ident ($number:ty)) => { Field::$name };
    (@pattern $name:ident $n:ident) => { Field::$name };
    (@pattern $name:ident ($number:ty) $n:ident) => { Field::$name($n) };
    (@numbered) => { false };
    (@numbered ($number:ty)) => { true };
    (@number $n:ident) => { 0 };
    (@number ($number:ty) $n:ident) => { $n };
}

fields! {
    /// Current water (grains).
    Water: "water", "grains", Cell, Whole, Always(FieldRole::State), doubled Always(true), first First::Same(|_, _| 0), count Always(1),
        plausible is_water;
    /// Maximum water so far (grains).
    #[serde(rename = "Most")]
    MaxDepth: "most", "grains", Cell, Whole, Always(FieldRole::Diagnostic), doubled Always(false), first First::Same(|_, _| 0), count Always(1),
        plausible is_water;
    /// Time at which water first exceeded the threshold (s, or steps), or [`NEVER`].
    Arrival: "arrival", "s or steps", Cell, Float, Always(FieldRole::Diagnostic), doubled Always(false),
        first First::Same(|_, _| NEVER.to_bits()), count Always(1),
        plausible is_arrival;
    /// One of the planes of the cell diagnostics, by index.
    #[serde(rename = "Track")]
    Diagnostic(usize): "diagnostic", "as the diagnostic has it", Cell, Bits, Always(FieldRole::Diagnostic), doubled Always(false),
        first First::Same(|problem, number| cell_diagnostics::initial_bits(&problem.cell_diagnostics)[number]),
        count By(|problem| cell_diagnostics::first_planes(&problem.cell_diagnostics).1),
        plausible any;
    /// Initial loss and infiltration so far (grains).
    Soaked: "soaked", "grains", Cell, Whole, Always(FieldRole::State), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.losses.is_some().into()),
        plausible is_amount;
    /// Infiltration beyond Horton's final capacity (grains).
    Excess: "excess", "grains", Cell, Whole, Always(FieldRole::State), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.losses.as_ref().is_some_and(|losses| losses.has_excess()).into()),
        plausible is_amount;
    /// State that a site keeps between steps, for kinds with
    /// [`Site::REMEMBERS`](crate::forcing::sites::Site::REMEMBERS).
    SiteState: "site state", "as the kind has it", Cell, Bits, Always(FieldRole::State), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| problem.forcing.remembers().into()),
        plausible Trigger::is_plausible;
    /// Unit discharge over the edge east of a cell (m²/s).
    DischargeEast: "discharge east", "m2/s", EastEdge, Float, By(|problem| flow(problem, EdgeField::Discharge)),
        doubled By(|problem| problem.goes_on_from(EdgeField::Discharge)), first First::Same(|_, _| 0),
        count By(|problem| problem.has(EdgeField::Discharge).into()),
        plausible is_discharge;
    /// Unit discharge over the edge south of a cell (m²/s).
    DischargeSouth: "discharge south", "m2/s", SouthEdge, Float, By(|problem| flow(problem, EdgeField::Discharge)),
        doubled By(|problem| problem.goes_on_from(EdgeField::Discharge)), first First::Same(|_, _| 0),
        count By(|problem| problem.has(EdgeField::Discharge).into()),
        plausible is_discharge;
    /// Velocity over the edge east of a cell (m/s).
    VelocityEast: "velocity east", "m/s", EastEdge, Float, By(|problem| flow(problem, EdgeField::Velocity)),
        doubled By(|problem| problem.goes_on_from(EdgeField::Velocity)), first First::Same(|_, _| 0),
        count By(|problem| problem.has(EdgeField::Velocity).into()),
        plausible is_velocity;
    /// Velocity over the edge south of a cell (m/s).
    VelocitySouth: "velocity south", "m/s", SouthEdge, Float, By(|problem| flow(problem, EdgeField::Velocity)),
        doubled By(|problem| problem.goes_on_from(EdgeField::Velocity)), first First::Same(|_, _| 0),
        count By(|problem| problem.has(EdgeField::Velocity).into()),
        plausible is_velocity;
    /// Bed height above the datum (2⁻¹⁶ m).
    Bed: "bed", "2^-16 m", Cell, Whole, Always(FieldRole::Input), doubled Always(false), first First::Same(|_, _| 0), count Always(1),
        plausible any;
    /// Manning's n, if it varies from cell to cell (s/m^⅓).
    Roughness: "roughness", "s/m^(1/3)", Cell, Float, Always(FieldRole::Input), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| (problem.solver.info().is_timed() && matches!(problem.roughness, Roughness::Cells(_))).into()),
        plausible any;
    /// Kind of ground, by its index in the losses.
    Ground: "ground", "number", Cell, Bits, Always(FieldRole::Input), doubled Always(false),
        first First::ByCell(|problem, cell| problem.losses.as_ref().map_or(0, |losses| losses.of_cell[cell])),
        count By(|problem| problem.losses.as_ref().is_some_and(|losses| !losses.of_cell.is_empty()).into()),
        plausible any;
    /// Greatest speed over the structure on the edge east of a cell in the current step (m/s); 0
    /// without a structure, [`CLOSED`](crate::forcing::structures::CLOSED) if nothing passes.
    StructureEast: "structure east", "m/s", EastEdge, Float, Always(FieldRole::Passing), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| (!problem.forcing.structures.is_empty()).into()),
        plausible any;
    /// Greatest speed over the structure on the edge south of a cell, likewise (m/s).
    StructureSouth: "structure south", "m/s", SouthEdge, Float, Always(FieldRole::Passing), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| (!problem.forcing.structures.is_empty()).into()),
        plausible any;
    /// A plane of the tables of cells and edges, if cells have tables ([`crate::subgrid::layout`]).
    Table(usize): "table", "as the table has it", Cell, Bits, Always(FieldRole::Input), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| if problem.subgrid.is_some() { PLANES } else { 0 }),
        plausible any;
    /// Water level from these tables (2⁻¹⁶ m above the datum).
    Level: "level", "2^-16 m", Cell, Whole, Always(FieldRole::Passing), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.subgrid.is_some().into()),
        plausible any;
    /// Rise of the level per unit of mean depth.
    #[serde(rename = "Rises")]
    LevelPerDepth: "rises", "m/m", Cell, Float, Always(FieldRole::Passing), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.subgrid.is_some().into()),
        plausible any;
    /// Rain of the current step (grains), if the losses need it.
    Rained: "rained", "grains", Cell, Whole, Always(FieldRole::Passing), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.losses.as_ref().is_some_and(|losses| losses.asks_rain()).into()),
        plausible any;
}

/// Maximum plausible velocity (m/s).
const FASTEST: f32 = 1e5;
/// Maximum plausible unit discharge (m²/s).
const MOST_DISCHARGE: f32 = 1e9;

fn any(_: u32) -> bool {
    true
}

fn is_water(bits: u32) -> bool {
    bits <= MAX_WATER as u32
}

fn is_amount(bits: u32) -> bool {
    bits <= i32::MAX as u32
}

fn is_arrival(bits: u32) -> bool {
    let time = f32::from_bits(bits);
    bits == NEVER.to_bits() || (time.is_finite() && time >= 0.0)
}

// NaN fails every comparison.
fn is_velocity(bits: u32) -> bool {
    f32::from_bits(bits).abs() <= FASTEST
}

fn is_discharge(bits: u32) -> bool {
    f32::from_bits(bits).abs() <= MOST_DISCHARGE
}

/// Returns the role of an edge quantity: state if later steps or outputs use it, otherwise scratch.
fn flow(problem: &Problem, field: EdgeField) -> FieldRole {
    if problem.saves(field) { FieldRole::State } else { FieldRole::Passing }
}

impl Field {
    /// Returns the field of an edge quantity along an axis: eastward (0) or southward (1).
    pub fn edge(field: EdgeField, axis: usize) -> Field {
        match (field, axis) {
            (EdgeField::Discharge, 0) => Field::DischargeEast,
            (EdgeField::Discharge, _) => Field::DischargeSouth,
            (EdgeField::Velocity, 0) => Field::VelocityEast,
            (EdgeField::Velocity, _) => Field::VelocitySouth,
        }
    }

    /// Returns the structure flux field of an axis: eastward (0) or southward (1).
    pub fn structure(axis: usize) -> Field {
        [Field::StructureEast, Field::StructureSouth][axis]
    }

    /// Returns its position in checkpoint order.
    pub fn order(self) -> (usize, usize) {
        self.line()
    }

    /// Returns the first implausible value of a line (bits), with its index and formatted; `None`
    /// if all values are plausible.
    pub fn implausible(self, bits: &[u32]) -> Option<(usize, String)> {
        let row = self.row();
        let at = bits.iter().position(|&bits| !(row.is_plausible)(bits))?;
        let number = match row.kind {
            NumberKind::Whole => (bits[at] as i32).to_string(),
            NumberKind::Float => f32::from_bits(bits[at]).to_string(),
            NumberKind::Bits => format!("{:#010x}", bits[at]),
        };
        Some((at, number))
    }

    /// Returns its row of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self.line().0]
    }

    /// Returns its name, with its number if the row holds several.
    pub fn name(self) -> String {
        match self.line().1 {
            0 => self.row().key.into(),
            number => format!("{} {number}", self.row().key),
        }
    }

    /// Returns its role in the run of a problem.
    pub fn role(self, problem: &Problem) -> FieldRole {
        self.row().role.of(problem)
    }

    /// Returns its initial value (bits) by cell of the grid (row-major). A value common to all
    /// cells is computed only once.
    pub fn first(self, problem: &Problem) -> impl Fn(usize) -> u32 + '_ {
        let (same, by_cell) = match self.row().first {
            First::Same(of) => (of(problem, self.line().1), None),
            First::ByCell(of) => (0, Some(of)),
        };
        move |cell| by_cell.map_or(same, |of| of(problem, cell))
    }

    /// Returns `true` if its initial value is 0 everywhere.
    pub(crate) fn begins_at_zero(self, problem: &Problem) -> bool {
        matches!(self.row().first, First::Same(of) if of(problem, self.line().1) == 0)
    }

    /// Returns `true` if it is 0 away from water and flow: true for water and for edge quantities.
    pub(crate) fn is_of_flow(self) -> bool {
        self == Field::Water || self.row().place != FieldLocation::Cell
    }

    /// Returns `true` if checkpoints save it, because later steps or outputs use it.
    pub(crate) fn is_kept(self, problem: &Problem) -> bool {
        matches!(self.role(problem), FieldRole::State | FieldRole::Diagnostic)
    }

    /// Returns the number of values per line and the number of lines on a grid of (columns, rows).
    pub fn shape(self, (columns, rows): (usize, usize)) -> (usize, usize) {
        match self.row().place {
            FieldLocation::Cell => (columns, rows),
            FieldLocation::EastEdge => (columns + 1, rows),
            FieldLocation::SouthEdge => (columns, rows + 1),
        }
    }

    /// Number of columns and rows by which a line starts before the first cell of the grid: an edge
    /// is counted with the cell before it.
    pub fn before(self) -> (usize, usize) {
        match self.row().place {
            FieldLocation::Cell => (0, 0),
            FieldLocation::EastEdge => (1, 0),
            FieldLocation::SouthEdge => (0, 1),
        }
    }
}

impl Problem {
    /// Returns the fields of its run, in table order.
    pub fn fields(&self) -> Vec<Field> {
        let of = |row: &'static Row| (0..row.count.of(self)).map(row.field);
        TABLE.iter().flat_map(of).collect()
    }

    /// Returns the fields that steps continue from.
    pub fn state(&self) -> Vec<Field> {
        self.fields().into_iter().filter(|field| field.role(self) == FieldRole::State).collect()
    }

    /// Returns the fields saved in checkpoints.
    pub fn kept(&self) -> Vec<Field> {
        self.fields().into_iter().filter(|field| field.is_kept(self)).collect()
    }
}

/// A 32-bit number type.
pub trait Word: Copy {}
impl Word for i32 {}
impl Word for u32 {}
impl Word for f32 {}

/// Reinterprets numbers as their bits.
pub fn bits<T: Word>(numbers: &[T]) -> &[u32] {
    // SAFETY: all words have the size and alignment of u32, and any bits are a u32.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), numbers.len()) }
}

/// Reinterprets numbers as their bits, mutably.
pub fn bits_mut<T: Word>(numbers: &mut [T]) -> &mut [u32] {
    // SAFETY: every word has the size and alignment of u32, and every bit pattern is valid for both
    // types. The slice is borrowed mutably, so it is not aliased.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
}

/// Reinterprets bits as numbers.
pub fn words<T: Word>(bits: &[u32]) -> &[T] {
    // SAFETY: every word has the size and alignment of u32, and every bit pattern is a valid word.
    unsafe { std::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
}

/// Reinterprets bits as numbers, mutably.
pub(crate) fn words_mut<T: Word>(bits: &mut [u32]) -> &mut [T] {
    // SAFETY: every word has the size and alignment of u32, and every bit pattern is valid for both
    // types. The slice is borrowed mutably, so it is not aliased.
    unsafe { std::slice::from_raw_parts_mut(bits.as_mut_ptr().cast(), bits.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_knows_itself() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!((row.field)(0).line(), (at, 0), "{}", row.key);
            assert_eq!((row.field)(0).name(), row.key);
        }
        assert_eq!(Field::Diagnostic(3).line().1, 3);
        assert_eq!(Field::Diagnostic(3).name(), "diagnostic 3");
        let mut keys: Vec<&str> = TABLE.iter().map(|row| row.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), TABLE.len(), "each has a key of its own");
    }
}
