//! Random states, the same for a seed on every machine.
//!
//! Life and the cyclic automaton have every state alike (001 takes `rand() % 2`). WireWorld is 002's concentric squares of
//! wire that are connected, with heads strewn over them. For forest fire and clouds the papers print no densities: here 6
//! of 10 cells are trees and 1 of 1000 burns, and half of the cells are humid and 1 of 100 is active.

use crate::grid::Grid;
use crate::rules::clouds::{ACTIVE, HUMID};
use rayon::prelude::*;

/// The state of a cell: of x and y, out of columns and rows, with so many states, by a random number.
pub type Soup = fn((usize, usize), (usize, usize), usize, u64) -> u8;

/// A number of 0 to 1 of the higher half of a random number.
fn share(random: u64) -> f64 {
    (random >> 32) as f64 / 4294967296.0
}

/// Half of the cells live.
pub fn life(_: (usize, usize), _: (usize, usize), _: usize, random: u64) -> u8 {
    (random >> 63) as u8
}

/// 60 % trees, 0.1 % fire.
pub fn forest_fire(_: (usize, usize), _: (usize, usize), _: usize, random: u64) -> u8 {
    match share(random) {
        share if share < 0.001 => 3,
        share if share < 0.601 => 1,
        _ => 0,
    }
}

/// All states alike.
pub fn cyclic(_: (usize, usize), _: (usize, usize), states: usize, random: u64) -> u8 {
    (((random >> 32) * states as u64) >> 32) as u8
}

/// Squares of wire within each other, four cells apart, connected by a cross, with a head on 2 % of the wire.
pub fn wireworld(
    (x, y): (usize, usize),
    (columns, rows): (usize, usize),
    _: usize,
    random: u64,
) -> u8 {
    let ring = x.min(y).min(columns - 1 - x).min(rows - 1 - y);
    let wire = ring % 4 == 1 || x == columns / 2 || y == rows / 2;
    match (wire, share(random)) {
        (false, _) => 0,
        (true, share) if share < 0.02 => 1,
        (true, _) => 3,
    }
}

/// Half of the cells humid, 1 % of them active.
pub fn clouds(_: (usize, usize), _: (usize, usize), _: usize, random: u64) -> u8 {
    let humid = if random >> 63 == 1 { HUMID } else { 0 };
    let active = if share(random.wrapping_mul(0x9e37_79b9_7f4a_7c15)) < 0.01 { ACTIVE } else { 0 };
    humid | active
}

/// A grid of random states.
pub fn fill(soup: Soup, states: usize, [columns, rows, layers]: [usize; 3], seed: u64) -> Grid {
    let mut grid = Grid::new(columns, rows, layers);
    grid.states.par_chunks_mut(columns.max(1)).enumerate().for_each(|(line, to)| {
        let y = line % rows;
        for (x, state) in to.iter_mut().enumerate() {
            let number = (line * columns + x) as u64;
            *state = soup((x, y), (columns, rows), states, mix(seed, number));
        }
    });
    grid
}

/// The random number of a place (splitmix64: Steele, Lea & Flood 2014).
fn mix(seed: u64, place: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0xd134_2543_de82_ef95)
        .wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
