//! The laboratory: cellular automata used in GPU benchmark papers, and the techniques of these
//! papers next to newer ones. It is separate from the flow engine, of which it only uses the
//! devices, the kernel compiler and the errors. It depends on neither files nor GDAL.
//!
//! [`grid`]: grids and their boundary conditions; [`word`]: many cells in a number; [`rule`]:
//! traits of the rules; [`rules`]: the rules of the automata; [`registry`]: the automata by name;
//! [`reference`](mod@reference): plain steps against which all techniques are tested; [`soup`]:
//! random states; [`pattern`]: pattern files; [`techniques`]: the techniques by name, with their
//! automata; [`board`]: packed cells with a margin; [`cpu`] and [`cuda`]: implementations of the
//! techniques.

pub mod board;
pub mod cpu;
pub mod cuda;
pub mod grid;
pub mod labels;
pub mod machine;
pub mod pattern;
pub mod reference;
pub mod registry;
pub mod rule;
pub mod rules;
pub mod soup;
pub mod techniques;
pub mod word;
