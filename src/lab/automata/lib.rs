//! The laboratory: cellular automata that papers measured GPUs with, and the techniques of these papers beside newer ones.
//! It stands apart from the flow engine, of which it uses the devices, the compiler of kernels and the errors. It knows no
//! file and no GDAL.
//!
//! [`grid`]: cells and what lies beyond the edge; [`word`]: many of them in a number; [`rule`]: what the automata have in common, [`rules`]: what each of them
//! does; [`registry`]: the automata by name; [`reference`](mod@reference): the plain steps that everything else is held to; [`soup`]: random
//! states; [`pattern`]: texts of patterns; [`techniques`]: ways to take steps by name, and which goes with which automaton;
//! [`board`]: cells packed into elements with a margin around them; [`cpu`] and [`cuda`]: the techniques.

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
