//! What the kernels know of tables of finer ground: the constants of kernels/tables.cuh.

use crate::backend::cuda::params::float_assertions;
use crate::subgrid::layout::{KNOTS, cell, edge};
use crate::subgrid::lookup::{SHARE, THIN};

/// C++ that fails to compile unless tables lie as they are made.
pub(crate) fn subgrid_assertions() -> String {
    let wholes = [
        ("KNOTS", KNOTS),
        ("CELL_FULL", cell::FULL),
        ("CELL_PER_FULL", cell::PER_FULL),
        ("CELL_RELIEF", cell::RELIEF),
        ("CELL_SPREAD", cell::SPREAD),
        ("CELL_LEVELS", cell::LEVELS),
        ("CELL_WORDS", cell::WORDS),
        ("EDGE_SILL", edge::SILL),
        ("EDGE_RISE", edge::RISE),
        ("EDGE_PER_RISE", edge::PER_RISE),
        ("EDGE_SECTION", edge::SECTION),
        ("EDGE_SECTION_GROWS", edge::SECTION_GROWS),
        ("EDGE_FRICTION", edge::FRICTION),
        ("EDGE_FRICTION_GROWS", edge::FRICTION_GROWS),
        ("EDGE_SECTIONS", edge::SECTIONS),
        ("EDGE_FRICTIONS", edge::FRICTIONS),
        ("EDGE_WORDS", edge::WORDS),
    ];
    let assertion = |(name, value)| format!("static_assert({name} == {value}, \"{name}\");\n");
    wholes.map(assertion).concat() + &float_assertions(&[("THIN", THIN), ("SHARE", SHARE)])
}
