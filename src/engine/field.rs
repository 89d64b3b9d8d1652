//! The arrays of a state, its variables, inputs and diagnostics: each is a line of one table. Memory for them, copies to and from
//! a device, halos, checkpoints, reading back and the tests' comparison of states follow from it (docs/adding_a_field.md).

use crate::forcing::sites::trigger::Trigger;
use crate::grains::MAX_WATER;
use crate::problem::Problem;
use crate::roughness::Roughness;
use crate::rule::edge::EdgeField;
use crate::subgrid::layout::PLANES;
use crate::track::{self, NEVER};
use Of::{Always, By};
use serde::{Deserialize, Serialize};

/// Where the numbers of a field lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One in each cell.
    Cell,
    /// One over the edge east of each cell, above 0 eastward. Lines of it begin with the edge west of the first cell.
    EastEdge,
    /// One over the edge south of each cell, above 0 southward. The first line of it lies north of the first cells.
    SouthEdge,
}

/// What the 32 bits of a number are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// A whole number with a sign: grains of water, steps of height.
    Whole,
    /// A float (f32).
    Float,
    /// A number without a sign, or bits that mean what their owner says.
    Bits,
}

/// What a field is to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It follows from the problem.
    Input,
    /// Steps go on from it, and look at it around a cell: parts of the grid that take turns see what it was before the
    /// others' steps. Checkpoints keep it.
    State,
    /// A diagnostic: it is recorded for a cell by its owner alone; no step goes on from it. Checkpoints keep it.
    Diagnostic,
    /// It lives within a step.
    Passing,
}

/// What holds of a field in every run, or as the problem has it.
#[derive(Clone, Copy)]
pub enum Of<T> {
    /// The same in every run.
    Always(T),
    /// As the problem has it.
    By(fn(&Problem) -> T),
}

impl<T: Copy> Of<T> {
    /// In the run of a problem.
    pub fn of(&self, problem: &Problem) -> T {
        match self {
            Of::Always(what) => *what,
            Of::By(find) => find(problem),
        }
    }
}

/// What a field holds at first in a cell of the domain (bits).
pub enum First {
    /// The same in every cell, by the field's number among those of its line.
    Same(fn(&Problem, usize) -> u32),
    /// What its cell of the grid (row-major) has.
    ByCell(fn(&Problem, usize) -> u32),
}

/// A line of the table.
pub struct Row {
    /// The field, by its number among those of the line.
    pub field: fn(usize) -> Field,
    /// Its name in messages and checkpoints.
    pub key: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Where its numbers lie.
    pub place: Place,
    /// What they are.
    pub kind: NumberKind,
    /// Whether its fields are told apart by number.
    pub numbered: bool,
    /// What it is to a run.
    pub role: Of<Role>,
    /// Whether a step works it out from what it was before, so that a device needs it twice.
    pub doubled: Of<bool>,
    /// What it holds at first, where that does not follow from the problem's bed and water.
    pub first: First,
    /// How many of it a problem has.
    pub count: Of<usize>,
    /// Whether a run can come to such a number (bits). What is read from files is held to it.
    pub is_plausible: fn(u32) -> bool,
}

impl Row {
    /// Whether it is worked out from what it was before in some run.
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

        /// Every field, in the order in which checkpoints have them.
        pub static TABLE: &[Row] = &[$(Row {
            field: fields!(@make $name $(($number))?),
            key: $key,
            unit: $unit,
            place: Place::$place,
            kind: NumberKind::$kind,
            numbered: fields!(@numbered $(($number))?),
            role: $role,
            doubled: $doubled,
            first: $first,
            count: $count,
            is_plausible: $plausible,
        }),*];

        impl Field {
            /// Its line in the table, and its number among the fields of that line.
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
    /// Water now (grains).
    Water: "water", "grains", Cell, Whole, Always(Role::State), doubled Always(true), first First::Same(|_, _| 0), count Always(1),
        plausible is_water;
    /// The most water so far (grains).
    Most: "most", "grains", Cell, Whole, Always(Role::Diagnostic), doubled Always(false), first First::Same(|_, _| 0), count Always(1),
        plausible is_water;
    /// When water first exceeded the threshold (s, or steps), or [`NEVER`].
    Arrival: "arrival", "s or steps", Cell, Float, Always(Role::Diagnostic), doubled Always(false),
        first First::Same(|_, _| NEVER.to_bits()), count Always(1),
        plausible is_arrival;
    /// One of the planes of the tracks, by its place among them.
    Track(usize): "track", "as the track has it", Cell, Bits, Always(Role::Diagnostic), doubled Always(false),
        first First::Same(|problem, number| track::initials(&problem.tracks)[number]),
        count By(|problem| track::places(&problem.tracks).1),
        plausible any;
    /// Initial loss and infiltration so far (grains).
    Soaked: "soaked", "grains", Cell, Whole, Always(Role::State), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.losses.is_some().into()),
        plausible is_amount;
    /// What infiltrated beyond Horton's last capacity (grains).
    Excess: "excess", "grains", Cell, Whole, Always(Role::State), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.losses.as_ref().is_some_and(|losses| losses.has_excess()).into()),
        plausible is_amount;
    /// What a site remembers from step to step, of kinds that do ([`Site::REMEMBERS`](crate::forcing::sites::Site::REMEMBERS)).
    SiteState: "site state", "as the kind has it", Cell, Bits, Always(Role::State), doubled Always(false),
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
    Bed: "bed", "2^-16 m", Cell, Whole, Always(Role::Input), doubled Always(false), first First::Same(|_, _| 0), count Always(1),
        plausible any;
    /// Manning's n, where it differs from cell to cell (s/m^⅓).
    Roughness: "roughness", "s/m^(1/3)", Cell, Float, Always(Role::Input), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| (problem.rule.info().is_timed() && matches!(problem.roughness, Roughness::Cells(_))).into()),
        plausible any;
    /// Kind of ground, by its number among the losses'.
    Ground: "ground", "number", Cell, Bits, Always(Role::Input), doubled Always(false),
        first First::ByCell(|problem, cell| problem.losses.as_ref().map_or(0, |losses| losses.of_cell[cell])),
        count By(|problem| problem.losses.as_ref().is_some_and(|losses| !losses.of_cell.is_empty()).into()),
        plausible any;
    /// What crosses the edge east of a cell by a structure in the step at hand (m²/s); 0 where there is none, at least
    /// [`CLOSED`](crate::forcing::structures::CLOSED) where there is, or a [`LIMIT`](crate::forcing::structures::LIMIT).
    StructureEast: "structure east", "m2/s", EastEdge, Float, Always(Role::Passing), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| (!problem.forcing.structures.is_empty()).into()),
        plausible any;
    /// The same of the edge south of it.
    StructureSouth: "structure south", "m2/s", SouthEdge, Float, Always(Role::Passing), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| (!problem.forcing.structures.is_empty()).into()),
        plausible any;
    /// A plane of the tables of cells and edges, where cells have them ([`crate::subgrid::layout`]).
    Table(usize): "table", "as the table has it", Cell, Bits, Always(Role::Input), doubled Always(false),
        first First::Same(|_, _| 0), count By(|problem| if problem.subgrid.is_some() { PLANES } else { 0 }),
        plausible any;
    /// Level of the water by these tables (2⁻¹⁶ m above the datum).
    Level: "level", "2^-16 m", Cell, Whole, Always(Role::Passing), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.subgrid.is_some().into()),
        plausible any;
    /// How fast it rises with the mean depth of the cell.
    Rises: "rises", "m/m", Cell, Float, Always(Role::Passing), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.subgrid.is_some().into()),
        plausible any;
    /// Rain of the step at hand (grains), where the ground asks for it.
    Rained: "rained", "grains", Cell, Whole, Always(Role::Passing), doubled Always(false), first First::Same(|_, _| 0),
        count By(|problem| problem.losses.as_ref().is_some_and(|losses| losses.asks_rain()).into()),
        plausible any;
}

/// The greatest velocity (m/s) and unit discharge (m²/s) that a run can come to.
const FASTEST: f32 = 1e5;
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

// No comparison holds for a number that is not one.
fn is_velocity(bits: u32) -> bool {
    f32::from_bits(bits).abs() <= FASTEST
}

fn is_discharge(bits: u32) -> bool {
    f32::from_bits(bits).abs() <= MOST_DISCHARGE
}

/// What is known of every edge: kept if a step goes on from it or someone reads it.
fn flow(problem: &Problem, field: EdgeField) -> Role {
    if problem.saves(field) { Role::State } else { Role::Passing }
}

impl Field {
    /// What is known of every edge of an axis: eastward (0) or southward (1).
    pub fn edge(field: EdgeField, axis: usize) -> Field {
        match (field, axis) {
            (EdgeField::Discharge, 0) => Field::DischargeEast,
            (EdgeField::Discharge, _) => Field::DischargeSouth,
            (EdgeField::Velocity, 0) => Field::VelocityEast,
            (EdgeField::Velocity, _) => Field::VelocitySouth,
        }
    }

    /// What crosses the edges of an axis by structures: eastward (0) or southward (1).
    pub fn structure(axis: usize) -> Field {
        [Field::StructureEast, Field::StructureSouth][axis]
    }

    /// Its place in the order in which checkpoints have fields.
    pub fn order(self) -> (usize, usize) {
        self.line()
    }

    /// Returns the first number of a line (bits) that no run can come to, as it reads, with its place in the line.
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

    /// Its line of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self.line().0]
    }

    /// Its name.
    pub fn name(self) -> String {
        match self.line().1 {
            0 => self.row().key.into(),
            number => format!("{} {number}", self.row().key),
        }
    }

    /// What it is to the run of a problem.
    pub fn role(self, problem: &Problem) -> Role {
        self.row().role.of(problem)
    }

    /// What it holds at first (bits), by cell of the grid (row-major). What is the same for all is worked out once.
    pub fn first(self, problem: &Problem) -> impl Fn(usize) -> u32 + '_ {
        let (same, by_cell) = match self.row().first {
            First::Same(of) => (of(problem, self.line().1), None),
            First::ByCell(of) => (0, Some(of)),
        };
        move |cell| by_cell.map_or(same, |of| of(problem, cell))
    }

    /// Whether it is 0 in every cell at first.
    pub(crate) fn begins_at_zero(self, problem: &Problem) -> bool {
        matches!(self.row().first, First::Same(of) if of(problem, self.line().1) == 0)
    }

    /// Whether it is 0 wherever there is no water near and nothing flows: water, and what is known of edges.
    pub(crate) fn is_of_flow(self) -> bool {
        self == Field::Water || self.row().place != Place::Cell
    }

    /// Whether checkpoints keep it, and steps or people go on from it.
    pub(crate) fn is_kept(self, problem: &Problem) -> bool {
        matches!(self.role(problem), Role::State | Role::Diagnostic)
    }

    /// Numbers of a line and number of lines on a grid of (columns, rows).
    pub fn shape(self, (columns, rows): (usize, usize)) -> (usize, usize) {
        match self.row().place {
            Place::Cell => (columns, rows),
            Place::EastEdge => (columns + 1, rows),
            Place::SouthEdge => (columns, rows + 1),
        }
    }

    /// How many columns and rows before the cell of the grid that a line's first number is counted with it lies: an edge
    /// belongs to the cell before it.
    pub fn before(self) -> (usize, usize) {
        match self.row().place {
            Place::Cell => (0, 0),
            Place::EastEdge => (1, 0),
            Place::SouthEdge => (0, 1),
        }
    }
}

impl Problem {
    /// The fields of its run, in the order of the table.
    pub fn fields(&self) -> Vec<Field> {
        let of = |row: &'static Row| (0..row.count.of(self)).map(row.field);
        TABLE.iter().flat_map(of).collect()
    }

    /// Those that steps go on from.
    pub fn state(&self) -> Vec<Field> {
        self.fields().into_iter().filter(|field| field.role(self) == Role::State).collect()
    }

    /// Those that checkpoints keep.
    pub fn kept(&self) -> Vec<Field> {
        self.fields().into_iter().filter(|field| field.is_kept(self)).collect()
    }
}

/// A number of 32 bits.
pub trait Word: Copy {}
impl Word for i32 {}
impl Word for u32 {}
impl Word for f32 {}

/// Numbers as their bits.
pub fn bits<T: Word>(numbers: &[T]) -> &[u32] {
    // SAFETY: all words have the size and alignment of u32, and any bits are a u32.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), numbers.len()) }
}

/// Numbers as their bits, to be written.
pub fn bits_mut<T: Word>(numbers: &mut [T]) -> &mut [u32] {
    // SAFETY: as above, and any bits are any word.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
}

/// Bits as the numbers that they are.
pub fn words<T: Word>(bits: &[u32]) -> &[T] {
    // SAFETY: all words have the size and alignment of u32, and any bits are any word.
    unsafe { std::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
}

/// Bits as the numbers that they are, to be written.
pub(crate) fn words_mut<T: Word>(bits: &mut [u32]) -> &mut [T] {
    // SAFETY: as above.
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
        assert_eq!(Field::Track(3).line().1, 3);
        assert_eq!(Field::Track(3).name(), "track 3");
        let mut keys: Vec<&str> = TABLE.iter().map(|row| row.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), TABLE.len(), "each has a key of its own");
    }
}
