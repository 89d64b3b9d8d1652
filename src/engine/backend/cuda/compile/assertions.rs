//! Assertions in kernel units about the structs and constants shared with Rust.

use crate::backend::FluxStatistics;
use crate::backend::cuda::clock::clock_params::clock_assertions;
use crate::backend::cuda::clock::sampling::sampling_assertions;
use crate::backend::cuda::compile::fields::field_assertions;
use crate::backend::cuda::diagnostics::diagnostic_assertions;
use crate::backend::cuda::gauges::gauge_assertions;
use crate::backend::cuda::launch::launcher::USUAL_WARPS;
use crate::backend::cuda::links::link_assertions;
use crate::backend::cuda::listing::listing_assertions;
use crate::backend::cuda::params::{
    Area, Params, Ports, StepConstants, Totals, float_assertions, layouts, whole_assertions,
};
use crate::backend::cuda::sites::site_assertions;
use crate::backend::cuda::structures::structure_assertions;
use crate::backend::cuda::subgrid::subgrid_assertions;
use crate::backend::padded_grid;
use crate::forcing::Increment;
use crate::grains::{MAX_WATER, SHALLOW_WATER};
use crate::grid::Bed;
use crate::losses::Taken;
use crate::run_diagnostics::{DEEP, EVERY, FAST};
use crate::solver::ROOT_G;
use crate::solver::edge::{DRY, MAX_FACE_FLUX};

/// Returns C++ that fails to compile if the shared constants differ.
fn constant_assertions() -> String {
    let pairs = [
        ("INSIDE", i64::from(padded_grid::INSIDE)),
        ("SINK", i64::from(padded_grid::SINK)),
        ("DRAIN", i64::from(padded_grid::DRAIN)),
        ("WALL", i64::from(Bed::WALL)),
        ("MAX_WATER", i64::from(MAX_WATER)),
        ("SHALLOW_WATER", i64::from(SHALLOW_WATER)),
        ("PINNED", i64::from(padded_grid::PINNED)),
        ("AFTER_FLOW", i64::from(padded_grid::AFTER_FLOW)),
        ("INTAKE", i64::from(padded_grid::INTAKE)),
        ("CROSSED", i64::from(padded_grid::CROSSED)),
        ("SIDE", i64::from(padded_grid::SIDE)),
        ("STRUCTURE", i64::from(padded_grid::STRUCTURE)),
    ];
    whole_assertions(&pairs) + &float_assertions(&[("BED_STEP", Bed::STEP)])
}

/// Returns the assertion for the number of columns of a chunk.
pub(crate) fn chunk_assertion(columns: usize) -> String {
    whole_assertions(&[("CHUNK_COLUMNS", columns)])
}

/// Returns the assertions for the constants used only in the flow of edge solvers.
pub(crate) fn edge_assertions() -> String {
    float_assertions(&[("FAST", FAST), ("EVERY", EVERY as f32), ("WAVE", ROOT_G)])
        + &flux_assertions()
}

/// Returns the assertions for the constants of fluxes.
fn flux_assertions() -> String {
    float_assertions(&[("DRY", DRY), ("MAX_FACE_FLUX", MAX_FACE_FLUX), ("DEEP", DEEP)])
}

/// Returns the assertions for every struct and constant of flow kernels.
pub(crate) fn flow_assertions() -> String {
    layouts!(Area Taken FluxStatistics Totals StepConstants Params Ports)
        + &field_assertions()
        + &constant_assertions()
}

/// Returns the assertions for every struct of the other kernels.
pub(crate) fn common_assertions() -> String {
    [
        flow_assertions(),
        whole_assertions(&[("WARPS", USUAL_WARPS)]),
        flux_assertions(),
        site_assertions(),
        structure_assertions(),
        subgrid_assertions(),
        Increment::layout_assertions(),
        clock_assertions(),
        listing_assertions(),
        link_assertions(),
        sampling_assertions(),
        gauge_assertions(),
        diagnostic_assertions(),
    ]
    .concat()
}
