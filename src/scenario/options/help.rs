//! Help texts of options that are generated from the engine's registries.

use crate::engine::backend::cpu::DEFAULT_TILE;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::solver::{LEAST_ALPHA, SOLVERS, SolverInfo};
use clap::builder::{PossibleValue, PossibleValuesParser};

/// Returns the names of the registered solvers as values of a flag.
pub fn solver_names() -> PossibleValuesParser {
    let solvers = SOLVERS.iter().filter(|solver| solver.order == 1);
    solvers
        .map(|solver| PossibleValue::new(solver.name).help(solver.about))
        .collect::<Vec<_>>()
        .into()
}

/// Help of `--order`, with the solvers that have several orders.
pub fn order_help() -> String {
    let orders = SOLVERS.iter().filter(|solver| solver.order > 1);
    let orders: Vec<String> =
        orders.map(|solver| format!("1 or {} of {}", solver.order, solver.name)).collect();
    format!(
        "Order in space, {} (default: 1); order 2 takes a quarter (CPU) to 60 % (GPU) longer; it helps in deep smooth flow and for dam breaks on fine cells, not for thin sheet flow or coarse steep valleys",
        orders.join(", ")
    )
}

/// Help of `--alpha`: each solver's own defaults.
pub fn alpha_help() -> String {
    let default = |solver: &&SolverInfo| {
        let [four, eight] = Neighbourhood::ALL.map(|near| solver.default_alpha(near));
        Some(format!("{} {}/{}", solver.name, four?, eight?))
    };
    let defaults: Vec<String> = SOLVERS.iter().filter_map(default).collect();
    format!(
        "Relaxation of every transfer of an automaton, {LEAST_ALPHA} to 1 (default: {}, with {}/{})",
        defaults.join(", "),
        Neighbourhood::VonNeumann,
        Neighbourhood::Moore
    )
}

/// Help of `--tile`.
pub fn tile_help() -> String {
    let (columns, rows) = DEFAULT_TILE;
    format!(
        "Tile size in cells, \"N\" or \"COLUMNSxROWS\"; changes speed, never results (default on the CPU: {columns}x{rows}; on a GPU as much of the grid as fits)"
    )
}
