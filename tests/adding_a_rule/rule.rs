//! `src/engine/rule/mod.rs` after the changes of docs/adding_a_rule.md, with only the page's rule
//! in the registry.
#![allow(dead_code)]

#[macro_use]
#[path = "../../src/engine/rule/registry.rs"]
mod registry;

#[path = "src/engine/rule/linear.rs"]
pub mod linear;

pub use inundate::engine::rule::{CellRule, G, Rule, cfl, edge, momentum};
pub(crate) use registry::cuda_twin;
pub use registry::{CudaTwin, RuleInfo, RuleKind, WithRule};

registry! {
    Linear: linear::Linear, cell, linear::INFO;
}
