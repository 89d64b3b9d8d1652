//! Constants of a solver or a neighbourhood that are defined in Rust and in its header.

use crate::backend::cuda::params::float_assertions;
use crate::neighbourhood::{Neighbourhood, offset};
use crate::solver::edge::EdgeSolver;
use crate::solver::momentum::MomentumSolver;
use crate::solver::{CellSolver, SolverInfo, WithSolver};

/// Returns C++ that fails to compile if a solver's header contradicts its traits.
pub(crate) fn solver_assertions(info: &SolverInfo) -> String {
    let near = info.neighbourhoods()[0];
    info.solver(near, None).run(Assertions)
}

/// Computation of the assertions for a solver's header.
struct Assertions;

impl WithSolver for Assertions {
    type Output = String;

    fn cell<R: CellSolver>(self, _: R) -> String {
        defines(&[("NEEDS_EDGE", R::NEEDS_EDGE.into())])
    }

    fn edge<R: EdgeSolver>(self, _: R) -> String {
        let traits = [("REMEMBERS", R::REMEMBERS), ("CAPPED", R::CAPPED), ("MOMENTUM", false)];
        defines(&traits.map(|(name, value)| (name, value.into()))) + &defines(&[("ORDER", 1)])
    }

    fn momentum<R: MomentumSolver>(self, _: R) -> String {
        let order = ("ORDER", R::ORDER as i32);
        defines(&[("REMEMBERS", 0), ("CAPPED", 0), ("MOMENTUM", 1), order])
            + &float_assertions(&[("Flow::COURANT", R::COURANT)])
    }
}

fn defines(constants: &[(&str, i32)]) -> String {
    let assertion = |(name, value): &(&str, i32)| {
        format!("static_assert(Flow::{name} == {value}, \"{name}\");\n")
    };
    constants.iter().map(assertion).collect()
}

/// Returns C++ that fails to compile if the kernels' neighbour offsets differ from Rust's.
pub(crate) fn neighbour_assertions(near: Neighbourhood) -> String {
    let assertion = |k: usize| {
        let (column, row) = offset(k);
        format!(
            "static_assert(offset_columns({k}) == {column} && offset_rows({k}) == {row}, \"neighbour {k}\");\n"
        )
    };
    (0..near.neighbours()).map(assertion).collect()
}
