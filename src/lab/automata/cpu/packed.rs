//! Packets on a CPU: bytes of 2, 4 or 8 cells at a time. A word of neighbours is read from one cell further.

use super::cells::Rows;
use super::padded::Padded;
use crate::machine::{Machine, Setup};
use crate::packet::Packet;
use crate::rule::{Counted, MOORE};
use crate::with_rule;

fn packets<W: Packet, C: Counted>(setup: &Setup, rule: C) -> Box<dyn Machine> {
    let now = Padded::of(setup.grid, 1, false, |state| state);
    let make = move |all: &Padded<u8>, at: usize, row: &mut [u8]| {
        for (packet, to) in row.chunks_mut(W::CELLS).enumerate() {
            let at = at + packet * W::CELLS;
            let cells = W::from_cells(&all.cells[at..]);
            let mut counts = W::bytes(0);
            for &(dx, dy) in &MOORE[..C::NEIGHBOURS] {
                let near = at.wrapping_add_signed(all.offset(dx, dy, 0));
                counts = counts + rule.marked(cells, W::from_cells(&all.cells[near..]));
            }
            let mut next = [0; 8];
            rule.packets(cells, counts).to_cells(&mut next);
            to.copy_from_slice(&next[..to.len()]);
        }
    };
    Box::new(Rows::new(now, setup.edges, Box::new(make), |state| state))
}

/// Packets of type `W`.
pub fn of<W: Packet>(setup: &Setup) -> Box<dyn Machine> {
    with_rule!(setup.model.rule(), rule => packets::<W, _>(setup, rule), clouds _rule => panic!("it counts nothing"))
}
