//! One cell at a time: an int or a byte each, by the rule as it is printed, or by tables.

use super::padded::Padded;
use crate::grid::{Edges, Grid};
use crate::labels::{self, Table};
use crate::machine::{Machine, Setup};
use crate::registry::AnyRule;
use crate::rule::{Counted, MOORE, Rule};
use crate::with_rule;
use inundate_engine::error::Result;

/// What a cell is kept as.
pub trait Kept: Copy + Default + Send + Sync + 'static {
    /// Of a state.
    fn of(state: u8) -> Self;
    /// As a state.
    fn state(self) -> u8;
}

impl Kept for i32 {
    fn of(state: u8) -> i32 {
        i32::from(state)
    }
    fn state(self) -> u8 {
        self as u8
    }
}

impl Kept for u8 {
    fn of(state: u8) -> u8 {
        state
    }
    fn state(self) -> u8 {
        self
    }
}

/// How the next cells of a row are made: of all cells, the place of the first in them, and where they go.
type Make<T> = Box<dyn Fn(&Padded<T>, usize, &mut [T]) + Send + Sync>;

/// A grid with a margin, and a way to make its rows.
pub struct Rows<T> {
    now: Padded<T>,
    next: Padded<T>,
    edges: Edges,
    make: Make<T>,
    state: Box<dyn Fn(T) -> u8 + Send + Sync>,
}

impl<T: Copy + Default + Send + Sync> Rows<T> {
    /// Cells that lie there already.
    pub fn new(
        now: Padded<T>,
        edges: Edges,
        make: Make<T>,
        state: impl Fn(T) -> u8 + Send + Sync + 'static,
    ) -> Rows<T> {
        Rows { next: now.clone(), now, edges, make, state: Box::new(state) }
    }
}

impl<T: Copy + Default + Send + Sync> Machine for Rows<T> {
    fn step(&mut self, steps: u64) -> Result<()> {
        for _ in 0..steps {
            self.now.fill(self.edges);
            let (now, make) = (&self.now, &self.make);
            now.make(&mut self.next, |at, row| make(now, at, row));
            std::mem::swap(&mut self.now, &mut self.next);
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Grid> {
        Ok(self.now.read(&self.state))
    }
}

fn plain<T: Kept, R: Rule>(setup: &Setup, rule: R) -> Box<dyn Machine> {
    let deep = setup.model.automaton.deep;
    let make: Make<T> = Box::new(move |all: &Padded<T>, at, row: &mut [T]| {
        for (x, to) in row.iter_mut().enumerate() {
            let near = |dx, dy, dz| {
                all.cells[(at + x).wrapping_add_signed(all.offset(dx, dy, dz))].state()
            };
            *to = T::of(rule.next(near));
        }
    });
    let now = Padded::of(setup.grid, R::REACH, deep, T::of);
    Box::new(Rows::new(now, setup.edges, make, T::state))
}

/// An int a cell.
pub fn ints(setup: &Setup) -> Box<dyn Machine> {
    with_rule!(setup.model.rule(), rule => plain::<i32, _>(setup, rule))
}

/// A byte a cell.
pub fn bytes(setup: &Setup) -> Box<dyn Machine> {
    with_rule!(setup.model.rule(), rule => plain::<u8, _>(setup, rule))
}

/// The table of labels and their sums.
///
/// # Panics
/// For automata that have none: clouds and the cyclic one.
pub fn label_table(rule: AnyRule, states: usize) -> Table {
    with_rule!(rule, rule => labels::table(rule, states), clouds _rule => panic!("it counts nothing"))
}

/// Labels, and a table of their sums.
pub fn table(setup: &Setup) -> Box<dyn Machine> {
    let Table { labels, columns, next } = label_table(setup.model.rule(), setup.model.states);
    let neighbours = neighbours(setup.model.rule());
    let of_state = labels.clone();
    let now = Padded::of(setup.grid, 1, false, move |state| of_state[usize::from(state)]);
    let make: Make<u8> = Box::new(move |all: &Padded<u8>, at, row: &mut [u8]| {
        for (x, to) in row.iter_mut().enumerate() {
            let near = |&(dx, dy): &(i64, i64)| {
                usize::from(all.cells[(at + x).wrapping_add_signed(all.offset(dx, dy, 0))])
            };
            let sum: usize = MOORE[..neighbours].iter().map(near).sum();
            *to = next[usize::from(all.cells[at + x]) * columns + sum];
        }
    });
    let state = move |label| labels.iter().position(|other| *other == label).unwrap_or(0) as u8;
    Box::new(Rows::new(now, setup.edges, make, state))
}

/// A table of two columns: without and with a neighbour of the state that a cell looks for.
pub fn compact_table(setup: &Setup) -> Box<dyn Machine> {
    with_rule!(setup.model.rule(), rule => compact(setup, rule), clouds _rule => panic!("it counts nothing"))
}

fn compact<C: Counted>(setup: &Setup, rule: C) -> Box<dyn Machine> {
    let next = labels::compact(rule, setup.model.states);
    let now = Padded::of(setup.grid, 1, false, |state| state);
    let make: Make<u8> = Box::new(move |all: &Padded<u8>, at, row: &mut [u8]| {
        for (x, to) in row.iter_mut().enumerate() {
            let cell = all.cells[at + x];
            let wanted = rule.wanted(cell);
            let is_wanted = |&(dx, dy): &(i64, i64)| {
                all.cells[(at + x).wrapping_add_signed(all.offset(dx, dy, 0))] == wanted
            };
            let any = MOORE[..C::NEIGHBOURS].iter().any(is_wanted);
            *to = next[usize::from(cell) * 2 + usize::from(any)];
        }
    });
    Box::new(Rows::new(now, setup.edges, make, |state| state))
}

fn neighbours(rule: AnyRule) -> usize {
    fn of<C: Counted>(_: C) -> usize {
        C::NEIGHBOURS
    }
    with_rule!(rule, rule => of(rule), clouds _rule => crate::rules::clouds::ELEVEN.len())
}
