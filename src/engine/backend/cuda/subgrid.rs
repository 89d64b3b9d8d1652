//! What the kernels know of tables of finer ground: the constants of kernels/tables.cuh.

use crate::backend::cuda::params::float_assertions;
use crate::forcing::ports;
use crate::subgrid::layout::{KNOTS, cell, edge};
use crate::subgrid::lookup::{PER_CONVEYANCE, PER_SECTION, SHARE, THIN};

/// C++ that fails to compile unless tables lie as they are made.
pub(crate) fn subgrid_assertions() -> String {
    let wholes = [
        ("KNOTS", KNOTS),
        ("CELL_PER_FULL", cell::PER_FULL),
        ("CELL_RELIEF", cell::RELIEF),
        ("CELL_LEVELS", cell::LEVELS),
        ("CELL_WORDS", cell::WORDS),
        ("EDGE_SILL", edge::SILL),
        ("EDGE_PER_RISE", edge::PER_RISE),
        ("EDGE_SECTION", edge::SECTION),
        ("EDGE_CONVEYANCE", edge::CONVEYANCE),
        ("EDGE_GROWS", edge::GROWS),
        ("EDGE_ROOTS", edge::ROOTS),
        ("EDGE_WORDS", edge::WORDS),
        ("ROOT_BITS", edge::ROOT_BITS as usize),
        ("SECTION_ROOT", edge::SECTION_ROOT.into()),
        ("CONVEYANCE_ROOT", edge::CONVEYANCE_ROOT.into()),
        ("GROWS_BITS", edge::GROWS_BITS as usize),
        ("NORTH_SIDE", ports::NORTH as usize),
        ("EAST_SIDE", ports::EAST as usize),
        ("SOUTH_SIDE", ports::SOUTH as usize),
        ("WEST_SIDE", ports::WEST as usize),
    ];
    let assertion = |(name, value)| format!("static_assert({name} == {value}, \"{name}\");\n");
    let reals = [
        ("THIN", THIN),
        ("SHARE", SHARE),
        ("PER_SECTION", PER_SECTION),
        ("PER_CONVEYANCE", PER_CONVEYANCE),
        ("GROWN", edge::GROWN),
        ("EXCESS", edge::EXCESS),
        ("FADES", edge::FADES),
    ];
    wholes.map(assertion).concat() + &float_assertions(&reals)
}
