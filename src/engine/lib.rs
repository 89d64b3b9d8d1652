//! The flow engine. It does not read user files and prints nothing. The wall clock only decides when
//! a run interrupts stepping ([`cadence`]).
//!
//! # As a library
//!
//! The items re-exported at the root are the public interface: a [`Case`] builds a run, a
//! [`Simulation`] is a run, [`Field`]s are the arrays that can be read from it, [`SOLVERS`] lists the
//! solvers, and every failure is an [`Error`] with a hint on how to fix it.
//!
//! ```
//! use inundate_engine::{Case, Field, Term};
//!
//! # fn main() -> inundate_engine::Result<()> {
//! // A valley of 60 x 40 cells of 5 m, with a pond above a dam that has a gap.
//! let (columns, rows) = (60, 40);
//! let bed = |column: usize, row: usize| {
//!     let dam = column == 20 && !(18..22).contains(&row);
//!     5.0 - 0.02 * column as f64 + if dam { 3.0 } else { 0.0 }
//! };
//! let case = Case::new(columns, rows, 5.0)
//!     .bed(bed)
//!     .water(|column, _| if column < 20 { 2.0 } else { 0.0 })
//!     .roughness(0.03)
//!     .rain(20e-3 / 3600.0)
//!     .sink(&[(50, 20)])
//!     .open("east")?;
//! // A run can be sent to any thread.
//! let mut run = case.start()?;
//! let run = std::thread::spawn(move || run.advance_to(120.0).map(|()| run));
//! let run = run.join().expect("it does not panic")?;
//!
//! // Fields are read as numbers, row by row from the north-west.
//! let (depths, eastward) = (case.depths(&run)?, run.floats(Field::VelocityEast)?);
//! let through_the_gap = (18..22).map(|row| depths[row * columns + 20]);
//! assert!(through_the_gap.min_by(f32::total_cmp) > Some(0.1));
//! // A line has one more edge than cells.
//! assert!(eastward[20 * (columns + 1) + 21] > 0.5);
//! // Water is counted in whole grains: none is created or lost.
//! let volumes = case.volumes(&run);
//! assert!(volumes.of(Term::Outflow) > 0.0 && volumes.of(Term::Losses) > 0.0);
//! assert_eq!(volumes.error(), 0.0);
//! # Ok(())
//! # }
//! ```
//!
//! The modules are public because the program and the tests, which are separate crates, use them.
//! They change without notice.
//!
//! # Modules, from the bottom up
//!
//! - Numbers: [`lanes`], [`grains`] and the [`grid`].
//! - Physics: the flow ([`solver`], [`neighbourhood`], [`roughness`], [`boundary`], [`hazard`]), and
//!   source terms ([`forcing`], [`losses`]), at single cells as [`forcing::sites`].
//! - Diagnostics: [`cell_diagnostics`], [`gauged`], [`run_diagnostics`] and [`ledger`], in the arrays of the table of
//!   [`field`]s.
//! - Time: [`clock`], [`time_step`], [`forcing::step`] and the stages of a [`mod@step`].
//! - Execution: domain decomposition ([`tiling`]), backends ([`backend`], chosen by a [`device`]) and
//!   the main loop ([`simulation`]).

#[cfg(doctest)]
#[doc = include_str!("library.md")]
struct Library;

/// Implements `AddAssign` for a struct by adding each of its fields.
macro_rules! add_assign {
    ($Sums:ident: $($field:ident)+) => {
        impl std::ops::AddAssign for $Sums {
            #[inline(always)]
            fn add_assign(&mut self, other: $Sums) {
                $(self.$field += other.$field;)+
            }
        }
    };
}

pub mod arrays;
pub mod backend;
pub mod boundary;
pub mod cadence;
pub mod case;
pub mod cell_diagnostics;
pub mod clock;
pub mod crossed_sides;
pub mod device;
pub mod error;
pub mod field;
pub mod forcing;
pub mod gauged;
pub mod grains;
pub mod grid;
pub mod hazard;
pub mod lanes;
pub mod ledger;
pub mod losses;
pub mod neighbourhood;
pub mod notices;
pub mod own_file;
mod problem;
pub mod range;
pub mod roughness;
pub mod run_diagnostics;
pub mod segment;
pub mod simulation;
pub mod snapshot;
pub mod solver;
pub mod step;
pub mod subgrid;
pub mod sums;
pub mod tiling;
pub mod time_step;
pub mod units;
pub mod words;

pub use cadence::{Cadence, Decision};
pub use case::Case;
pub use device::Device;
pub use error::{Error, Result};
pub use field::Field;
pub use ledger::{Term, Volumes};
pub use simulation::{Observer, Simulation};
pub use snapshot::Snapshot;
pub use solver::{SOLVERS, SolverInfo};
