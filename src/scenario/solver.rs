//! Chooses the solver of a run, its neighbourhood and relaxation, and the size of its cells.

use super::options::{DEFAULT_AUTOMATON, DEFAULT_NEIGHBOURHOOD, DEFAULT_SOLVER, Options};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::solver::{self, LEAST_ALPHA, SOLVERS, SolverInfo};
use crate::error::{Error, Result};

/// Maximum number of pixels along a side of a cell.
pub const MOST_PIXELS: usize = 256;

/// Solver of a run, with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct SolverChoice {
    /// The solver.
    pub info: &'static SolverInfo,
    /// Neighbourhood of the cells.
    pub neighbourhood: Neighbourhood,
    /// Relaxation, if it is given.
    pub alpha: Option<f32>,
}

/// Chooses the solver, as given or by default.
pub fn solver_of(options: &Options) -> Result<SolverChoice> {
    // Without a given step or number of steps, a solver with an adaptive step is the default.
    let physical = options.step.is_none() && options.steps.is_none();
    let default = if physical { DEFAULT_SOLVER } else { DEFAULT_AUTOMATON };
    let name = options.solver.as_deref().unwrap_or(default);
    let info = solver::find(name).ok_or_else(|| {
        Error::input(format!("solver: '{name}' is not a solver"))
            .hint(format!("solvers: {}", solver::names().join(", ")))
    })?;
    let info = match options.order {
        None => info,
        Some(order) => solver::find_order(name, order).ok_or_else(|| {
            let others = solver::SOLVERS.iter().filter(|solver| solver.name == name);
            let orders: Vec<String> = others.map(|solver| solver.order.to_string()).collect();
            Error::input(format!("order: '{name}' has no order {order} in space"))
                .hint(format!("'{name}' has {}", orders.join(" and ")))
        })?,
    };
    let neighbourhood = options.neighbourhood.unwrap_or(DEFAULT_NEIGHBOURHOOD);
    if !info.neighbourhoods().contains(&neighbourhood) {
        let names = info.neighbourhoods().iter().map(|near| near.name());
        let names: Vec<&str> = names.collect();
        return Err(Error::input(format!("neighbourhood: '{name}' has no '{neighbourhood}'"))
            .hint(format!("it works with {}; leave the neighbourhood out", names.join(", "))));
    }
    match options.alpha {
        Some(_) if info.default_alpha(neighbourhood).is_none() => {
            return Err(Error::input(format!("alpha: '{name}' has no relaxation"))
                .hint("leave alpha out; this solver slows the water by the roughness"));
        }
        Some(alpha) if !(LEAST_ALPHA..=1.0).contains(&alpha) => {
            let hint = if alpha > 0.0 && alpha < LEAST_ALPHA {
                format!("give {LEAST_ALPHA} or more: a smaller value moves almost no water")
            } else {
                format!("alpha must be at least {LEAST_ALPHA} and no more than 1")
            };
            return Err(Error::input(format!("alpha: {alpha} is out of range")).hint(hint));
        }
        _ => {}
    }
    let alpha = options.alpha.map(|alpha| alpha as f32);
    Ok(SolverChoice { info, neighbourhood, alpha })
}

/// Lists the solvers that support subgrid tables, for a hint.
pub fn knowing_tables() -> String {
    let known = SOLVERS.iter().filter(|solver| solver.knows_tables());
    known.map(|solver| solver.label()).collect::<Vec<_>>().join(" or ")
}

/// Returns the number of DEM pixels along a side of a cell, as given; 1 if cells are pixels.
pub fn ratio_of(options: &Options, solver: &SolverInfo) -> Result<usize> {
    let ratio = options.subgrid.unwrap_or(1);
    if !(1..=MOST_PIXELS).contains(&ratio) {
        return Err(Error::input(format!(
            "subgrid: {ratio} is not a valid number of pixels per side of a cell"
        ))
        .hint(format!(
            "give 2 to {MOST_PIXELS}, for example 8; 1 computes on the DEM's own cells"
        )));
    }
    if ratio > 1 && !solver.knows_tables() {
        return Err(Error::input(format!(
            "subgrid: {} does not support cells with subgrid tables",
            solver.label()
        ))
        .hint(format!("take the solver {}, or leave subgrid out", knowing_tables())));
    }
    Ok(ratio)
}
