//! Labels of states, and lookup tables for them (002, sections 5.1 and 6.2).
//!
//! The state that cells look for gets a label larger than the maximum sum of the other labels. So
//! the sum over the neighbours determines how many of them are in that state. A table has a row for
//! each label of a cell and a column for each sum.

use crate::registry::Model;
use crate::rule::Counted;
use crate::with_rule;

/// Lookup table of an automaton in which all cells look for the same state.
#[derive(Clone, Debug)]
pub struct Table {
    /// Label of each state.
    pub labels: Vec<u8>,
    /// Number of columns: the largest sum plus one.
    pub columns: usize,
    /// Next label by label and sum; rows of unused labels are 0.
    pub next: Vec<u8>,
}

/// Returns the table of an automaton.
///
/// # Panics
/// For automata that have none: clouds, and the cyclic one.
pub fn table(model: Model) -> Table {
    with_rule!(model.rule(), rule => of(rule, model.states), clouds _rule => panic!("it counts nothing"))
}

fn of<C: Counted>(rule: C, states: usize) -> Table {
    let wanted = rule.wanted(0);
    let large = C::NEIGHBOURS * states.saturating_sub(2) + 1;
    let mut small = 0..;
    let labels: Vec<u8> = (0..states as u8)
        .map(|state| if state == wanted { large as u8 } else { small.next().expect("no end") })
        .collect();
    let columns = C::NEIGHBOURS * large + 1;
    let mut next = vec![0; (large + 1) * columns];
    for (state, &label) in labels.iter().enumerate() {
        for sum in 0..columns {
            let to = rule.becomes(state as u8, (sum / large) as u8);
            next[usize::from(label) * columns + sum] = labels[usize::from(to)];
        }
    }
    Table { labels, columns, next }
}

/// Returns the compact table: the next value of each state without and with a neighbour in the
/// state that it looks for.
///
/// # Panics
/// For clouds.
pub fn compact(model: Model) -> Vec<u8> {
    fn of<C: Counted>(rule: C, states: usize) -> Vec<u8> {
        (0..states as u8).flat_map(|cell| [rule.becomes(cell, 0), rule.becomes(cell, 1)]).collect()
    }
    with_rule!(model.rule(), rule => of(rule, model.states), clouds _rule => panic!("it counts nothing"))
}
