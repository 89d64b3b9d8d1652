//! Every registered solver satisfies the contract of its trait, on random cells or edges: amounts are
//! valid, nothing flows uphill without momentum, cells give no more than they have, and the bits do
//! not depend on direction, unit or instruction set.

use crate::common;

use common::{contract, edge_contract, every_case, momentum_contract};
use inundate_engine::solver::edge::EdgeSolver;
use inundate_engine::solver::momentum::MomentumSolver;
use inundate_engine::solver::{CellSolver, LEAST_ALPHA, WithSolver};

struct Contract(String);

impl WithSolver for Contract {
    type Output = ();

    fn cell<R: CellSolver>(self, solver: R) {
        contract::assert_kept(solver, &self.0);
    }

    fn edge<R: EdgeSolver>(self, solver: R) {
        edge_contract::assert_kept(solver, &self.0);
    }

    fn momentum<R: MomentumSolver>(self, solver: R) {
        momentum_contract::assert_kept(solver, &self.0);
    }
}

#[test]
fn every_solver_meets_the_contract() {
    for (solver, neighbourhood) in every_case() {
        let alphas = match solver.default_alpha(neighbourhood) {
            Some(default) => vec![Some(default), Some(1.0), Some(LEAST_ALPHA as f32)],
            None => vec![None],
        };
        for alpha in alphas {
            let name = format!("{}, alpha {alpha:?}", solver.label());
            solver.solver(neighbourhood, alpha).run(Contract(name));
        }
    }
}
