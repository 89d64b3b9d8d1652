//! Every registered rule keeps to what `Rule` asks of it, on random cells: gifts are lengths, none to
//! what lies no lower, none from a dry cell, no more than there is, the same bits for every direction,
//! unit and instruction set.

mod common;

use common::contract::assert_kept;
use inundate::neighbourhood::Neighbourhood;
use inundate::rule::{LEAST_ALPHA, RULES, Rule, WithRule};

struct Contract(String);

impl WithRule for Contract {
    type Output = ();

    fn with<R: Rule>(self, rule: R) {
        assert_kept(rule, &self.0);
    }
}

#[test]
fn every_rule_keeps_its_contract() {
    for rule in RULES {
        let [four, eight] = Neighbourhood::ALL.map(rule.default_alpha);
        for alpha in [four, eight, 1.0, LEAST_ALPHA as f32] {
            (rule.with_alpha)(alpha).run(Contract(format!("{}, alpha {alpha}", rule.name)));
        }
    }
}
