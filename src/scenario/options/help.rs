//! Help texts of options that are generated from the engine's registries.

use crate::engine::backend::cpu::DEFAULT_TILE;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::{LEAST_ALPHA, RULES, RuleInfo};
use clap::builder::{PossibleValue, PossibleValuesParser};

/// Returns the names of the registered rules as values of a flag.
pub fn rule_names() -> PossibleValuesParser {
    let rules = RULES.iter().filter(|rule| rule.order == 1);
    rules.map(|rule| PossibleValue::new(rule.name).help(rule.about)).collect::<Vec<_>>().into()
}

/// Help of `--order`, with the rules that have several orders.
pub fn order_help() -> String {
    let orders = RULES.iter().filter(|rule| rule.order > 1);
    let orders: Vec<String> =
        orders.map(|rule| format!("1 or {} of {}", rule.order, rule.name)).collect();
    format!(
        "Order in space, {} (default: 1); order 2 takes about twice as long; it helps in deep smooth flow and for dam breaks on fine cells, not for thin sheet flow or coarse steep valleys",
        orders.join(", ")
    )
}

/// Help of `--alpha`: each rule's own defaults.
pub fn alpha_help() -> String {
    let default = |rule: &&RuleInfo| {
        let [four, eight] = Neighbourhood::ALL.map(|near| rule.default_alpha(near));
        Some(format!("{} {}/{}", rule.name, four?, eight?))
    };
    let defaults: Vec<String> = RULES.iter().filter_map(default).collect();
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
