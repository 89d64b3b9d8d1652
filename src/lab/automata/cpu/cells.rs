//! One cell at a time, stored as an int or a byte, by the rule as printed.

use super::padded::{Kept, Padded};
use crate::grid::Grid;
use crate::machine::{Machine, Setup};
use crate::rule::Rule;
use crate::with_rule;
use inundate_engine::error::Result;

/// A grid with a margin, and its rule.
struct Cells<T, R> {
    rule: R,
    now: Padded<T>,
    next: Padded<T>,
}

impl<T: Kept, R: Rule> Machine for Cells<T, R> {
    fn step(&mut self, steps: u64) -> Result<()> {
        for _ in 0..steps {
            self.now.fill();
            let (now, rule) = (&self.now, self.rule);
            now.make(&mut self.next, |at, row| {
                for (x, to) in row.iter_mut().enumerate() {
                    let near = |dx, dy, dz| {
                        now.cells[(at + x).wrapping_add_signed(now.offset(dx, dy, dz))].state()
                    };
                    *to = T::of(rule.next(near));
                }
            });
            std::mem::swap(&mut self.now, &mut self.next);
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Grid> {
        Ok(self.now.read())
    }
}

fn start<T: Kept, R: Rule>(setup: &Setup, rule: R) -> Box<dyn Machine> {
    let now: Padded<T> = Padded::of(setup, R::REACH);
    Box::new(Cells { rule, next: now.clone(), now })
}

/// Starts the technique with one int per cell.
pub fn ints(setup: &Setup) -> Box<dyn Machine> {
    with_rule!(setup.model.rule(), rule => start::<i32, _>(setup, rule))
}

/// Starts the technique with one byte per cell.
pub fn bytes(setup: &Setup) -> Box<dyn Machine> {
    with_rule!(setup.model.rule(), rule => start::<u8, _>(setup, rule))
}
