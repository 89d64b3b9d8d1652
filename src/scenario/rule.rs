//! The rule of a run, its neighbourhood and its relaxation, and what cells it computes on.

use super::options::{DEFAULT_AUTOMATON, DEFAULT_NEIGHBOURHOOD, DEFAULT_RULE, Options};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::{self, LEAST_ALPHA, RULES, RuleInfo};
use crate::error::{Error, Result};

/// More pixels side by side make no cell: 1 m of them are a quarter of a kilometre.
pub const MOST_PIXELS: usize = 256;

/// The rule, its neighbourhood and its relaxation, as asked for or by default.
pub fn rule_of(options: &Options) -> Result<(&'static RuleInfo, Neighbourhood, Option<f32>)> {
    // A run in time takes the rule that finds its own steps, unless it is told how long a step is.
    let physical = options.step.is_none() && options.steps.is_none();
    let default = if physical { DEFAULT_RULE } else { DEFAULT_AUTOMATON };
    let name = options.rule.as_deref().unwrap_or(default);
    let info = rule::find(name).ok_or_else(|| {
        Error::input(format!("rule: there is no rule '{name}'"))
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
                .hint("leave alpha out; what slows its water down is the roughness"));
        }
        Some(alpha) if !(LEAST_ALPHA..=1.0).contains(&alpha) => {
            let hint = if alpha > 0.0 && alpha < LEAST_ALPHA {
                format!("give {LEAST_ALPHA} or more: less moves next to no water")
            } else {
                format!("alpha must be at least {LEAST_ALPHA} and no more than 1")
            };
            return Err(Error::input(format!("alpha: {alpha} is out of range")).hint(hint));
        }
        _ => {}
    }
    Ok((info, neighbourhood, options.alpha.map(|alpha| alpha as f32)))
}

/// The rules that know tables of what is in a cell, for a hint.
pub fn knowing_tables() -> String {
    let known = RULES.iter().filter(|rule| rule.knows_tables());
    known.map(|rule| rule.label()).collect::<Vec<_>>().join(" or ")
}

/// Pixels of the DEM side by side in a cell, as asked for; 1 if pixels are the cells.
pub fn ratio_of(options: &Options, rule: &RuleInfo) -> Result<usize> {
    let ratio = options.subgrid.unwrap_or(1);
    if !(1..=MOST_PIXELS).contains(&ratio) {
        return Err(Error::input(format!(
            "subgrid: {ratio} is no number of pixels in a cell's side"
        ))
        .hint(format!(
            "give 2 to {MOST_PIXELS}, for example 8; 1 computes on the DEM's own cells"
        )));
    }
    if ratio > 1 && !rule.knows_tables() {
        return Err(Error::input(format!(
            "subgrid: {} does not know cells with finer ground in them",
            rule.label()
        ))
        .hint(format!("take the rule {}, or leave subgrid out", knowing_tables())));
    }
    Ok(ratio)
}
