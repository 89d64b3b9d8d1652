//! Constants of a rule or a neighbourhood that are defined in Rust and in its header.

use crate::backend::cuda::params::float_assertions;
use crate::neighbourhood::{Neighbourhood, offset};
use crate::rule::edge::EdgeRule;
use crate::rule::momentum::MomentumRule;
use crate::rule::{CellRule, RuleInfo, WithRule};

/// Returns C++ that fails to compile if a rule's header contradicts its traits.
pub(crate) fn rule_assertions(info: &RuleInfo) -> String {
    let near = info.neighbourhoods()[0];
    info.rule(near, None).run(Assertions)
}

/// Computation of the assertions for a rule's header.
struct Assertions;

impl WithRule for Assertions {
    type Output = String;

    fn cell<R: CellRule>(self, _: R) -> String {
        says(&[("NEEDS_EDGE", R::NEEDS_EDGE.into())])
    }

    fn edge<R: EdgeRule>(self, _: R) -> String {
        let traits = [("REMEMBERS", R::REMEMBERS), ("CAPPED", R::CAPPED), ("MOMENTUM", false)];
        says(&traits.map(|(name, value)| (name, value.into()))) + &says(&[("ORDER", 1)])
    }

    fn momentum<R: MomentumRule>(self, _: R) -> String {
        let order = ("ORDER", R::ORDER as i32);
        says(&[("REMEMBERS", 0), ("CAPPED", 0), ("MOMENTUM", 1), order])
            + &float_assertions(&[("Flow::COURANT", R::COURANT)])
    }
}

fn says(constants: &[(&str, i32)]) -> String {
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
