//! Chooses the rule of a run, its neighbourhood and relaxation, and the size of its cells.

use super::options::{DEFAULT_AUTOMATON, DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, Options};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::{self, LEAST_ALPHA, RULES, RuleInfo};
use crate::error::{Error, Result};

/// Maximum number of pixels along a side of a cell.
pub const MOST_PIXELS: usize = 256;

/// Returns the rule, its neighbourhood and its relaxation, as given or by default.
pub fn rule_of(options: &Options) -> Result<(&'static RuleInfo, Neighbourhood, Option<f32>)> {
    // Without a given step or number of steps, a rule with an adaptive step is the default.
    let physical = options.step.is_none() && options.steps.is_none();
    let default = if physical { DEFAULT_RULE } else { DEFAULT_AUTOMATON };
    let name = options.rule.as_deref().unwrap_or(default);
    let info = rule::find(name).ok_or_else(|| {
        Error::input(format!("rule: '{name}' is not a rule"))
            .hint(format!("rules: {}", rule::names().join(", ")))
    })?;
    let info = match options.order {
        None => info,
        Some(order) => rule::find_order(name, order).ok_or_else(|| {
            let others = rule::RULES.iter().filter(|rule| rule.name == name);
            let orders: Vec<String> = others.map(|rule| rule.order.to_string()).collect();
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
                .hint("leave alpha out; this rule slows the water by the roughness"));
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
    Ok((info, neighbourhood, options.alpha.map(|alpha| alpha as f32)))
}

/// Lists the rules that support subgrid tables, for a hint.
pub fn knowing_tables() -> String {
    let known = RULES.iter().filter(|rule| rule.knows_tables());
    known.map(|rule| rule.label()).collect::<Vec<_>>().join(" or ")
}

/// Returns the number of DEM pixels along a side of a cell, as given; 1 if cells are pixels.
pub fn ratio_of(options: &Options, rule: &RuleInfo) -> Result<usize> {
    let ratio = options.subgrid.unwrap_or(1);
    if !(1..=MOST_PIXELS).contains(&ratio) {
        return Err(Error::input(format!(
            "subgrid: {ratio} is not a valid number of pixels per side of a cell"
        ))
        .hint(format!(
            "give 2 to {MOST_PIXELS}, for example 8; 1 computes on the DEM's own cells"
        )));
    }
    if ratio > 1 && !rule.knows_tables() {
        return Err(Error::input(format!(
            "subgrid: {} does not support cells with subgrid tables",
            rule.label()
        ))
        .hint(format!("take the rule {}, or leave subgrid out", knowing_tables())));
    }
    Ok(ratio)
}
