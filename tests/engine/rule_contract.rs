//! Every registered rule satisfies the contract of its trait, on random cells or edges: amounts are
//! valid, nothing flows uphill without momentum, cells give no more than they have, and the bits do
//! not depend on direction, unit or instruction set.

use crate::common;

use common::{contract, edge_contract, every_case, momentum_contract};
use inundate_engine::rule::edge::EdgeRule;
use inundate_engine::rule::momentum::MomentumRule;
use inundate_engine::rule::{CellRule, LEAST_ALPHA, WithRule};

struct Contract(String);

impl WithRule for Contract {
    type Output = ();

    fn cell<R: CellRule>(self, rule: R) {
        contract::assert_kept(rule, &self.0);
    }

    fn edge<R: EdgeRule>(self, rule: R) {
        edge_contract::assert_kept(rule, &self.0);
    }

    fn momentum<R: MomentumRule>(self, rule: R) {
        momentum_contract::assert_kept(rule, &self.0);
    }
}

#[test]
fn every_rule_meets_the_contract() {
    for (rule, neighbourhood) in every_case() {
        let alphas = match rule.default_alpha(neighbourhood) {
            Some(default) => vec![Some(default), Some(1.0), Some(LEAST_ALPHA as f32)],
            None => vec![None],
        };
        for alpha in alphas {
            let name = format!("{}, alpha {alpha:?}", rule.label());
            rule.rule(neighbourhood, alpha).run(Contract(name));
        }
    }
}
