//! Constants of subgrid tables that the kernels share: see kernels/tables.cuh.

use crate::backend::cuda::params::float_assertions;
use crate::forcing::ports;
use crate::subgrid::layout::{ShortFloat, cell, edge};
use crate::subgrid::lookup::{CRITICAL_FALL, LEVEL_SHARE, PER_TOP, SHARE, THIN};

/// Returns C++ that fails to compile if the kernels' layout of tables differs.
pub(crate) fn subgrid_assertions() -> String {
    let wholes = [
        ("CELL_KNOTS", cell::KNOTS),
        ("CELL_FULL", cell::FULL),
        ("CELL_LEVELS", cell::LEVELS),
        ("CELL_WORDS", cell::WORDS),
        ("LEVEL_BITS", cell::LEVEL_BITS as usize),
        ("EDGE_KNOTS", edge::KNOTS),
        ("EDGE_SILL", edge::SILL),
        ("EDGE_TOPS", edge::TOPS),
        ("EDGE_ABOVE", edge::ABOVE),
        ("EDGE_FADING", edge::FADING),
        ("EDGE_ROOTS", edge::ROOTS),
        ("EDGE_WORDS", edge::WORDS),
        ("ROOT_BITS", edge::ROOT_BITS as usize),
        ("TOP_ROOT", edge::TOP_ROOT as usize),
        ("GROWS_BITS", edge::GROWS_BITS as usize),
        ("NORTH_SIDE", ports::NORTH as usize),
        ("EAST_SIDE", ports::EAST as usize),
        ("SOUTH_SIDE", ports::SOUTH as usize),
        ("WEST_SIDE", ports::WEST as usize),
    ];
    let assertion = |(name, value)| format!("static_assert({name} == {value}, \"{name}\");\n");
    let shorts = [
        ("Relief", cell::RELIEF),
        ("PerFull", cell::PER_FULL),
        ("Spread", cell::SPREAD),
        ("Top", edge::TOP),
        ("PerRise", edge::PER_RISE),
    ];
    let short = |(name, ShortFloat { bits, mantissa, least })| {
        let shape = 65536 * bits as i32 + 256 * mantissa as i32 + least;
        format!("static_assert({name}::SHAPE == {shape}, \"{name}\");\n")
    };
    let reals = [
        ("THIN", THIN),
        ("CRITICAL_FALL", CRITICAL_FALL),
        ("SHARE", SHARE),
        ("LEVEL_SHARE", LEVEL_SHARE),
        ("PER_TOP", PER_TOP),
        ("GROWN", edge::GROWN),
        ("EXCESS", edge::EXCESS),
        ("FADES", edge::FADES),
    ];
    wholes.map(assertion).concat() + &shorts.map(short).concat() + &float_assertions(&reals)
}
