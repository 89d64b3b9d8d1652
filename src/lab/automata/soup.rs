//! Random states, reproducible from a seed on every machine.
//!
//! In Life and the cyclic automaton all states are equally likely (001 uses `rand() % 2`).
//! WireWorld uses 002's connected concentric squares of wire, with heads scattered over them. For
//! forest fire and clouds the papers give no densities: here 60 % of the cells are trees and 0.1 %
//! burn, and half of the cells are humid and 1 % active.

use crate::grid::Grid;
use crate::rules::clouds::{ACTIVE, HUMID};
use rayon::prelude::*;

/// Generator of a cell's state from its x and y, the columns and rows, the number of states, and a
/// random number.
pub type Soup = fn((usize, usize), (usize, usize), usize, u64) -> u8;

/// Converts the upper half of a random number to a number from 0 to 1.
fn share(random: u64) -> f64 {
    (random >> 32) as f64 / 4294967296.0
}

/// Half of the cells are alive.
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

/// All states are equally likely.
pub fn cyclic(_: (usize, usize), _: (usize, usize), states: usize, random: u64) -> u8 {
    (((random >> 32) * states as u64) >> 32) as u8
}

/// Concentric squares of wire four cells apart, connected by a cross, with heads on 2 % of the
/// wire.
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

/// Half of the cells are humid, 1 % are active.
pub fn clouds(_: (usize, usize), _: (usize, usize), _: usize, random: u64) -> u8 {
    let humid = if random >> 63 == 1 { HUMID } else { 0 };
    let active = if share(random.wrapping_mul(0x9e37_79b9_7f4a_7c15)) < 0.01 { ACTIVE } else { 0 };
    humid | active
}

/// Returns a grid of random states.
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

/// Returns the random number of a position (splitmix64: Steele, Lea & Flood 2014).
fn mix(seed: u64, place: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0xd134_2543_de82_ef95)
        .wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
