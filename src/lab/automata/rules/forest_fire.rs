//! Forest fire (002, section 6.2), von Neumann. A tree with a burning neighbour starts to burn,
//! fire becomes ash, and ash becomes empty unless a neighbour burns.
//!
//! The paper gives one of the four labels: 9, for fire, so that it can be detected in sums of
//! labels. States are numbered 0 to 3 here, and labels are derived where a table needs them
//! ([`crate::labels`]).

use crate::rule::{Counted, Planes};
use crate::word::Word;

/// Empty 0, tree 1, ash 2, fire 3.
#[derive(Clone, Copy, Debug)]
pub struct ForestFire;

const TREE: u8 = 1;
const ASH: u8 = 2;
const FIRE: u8 = 3;

impl Counted for ForestFire {
    const NEIGHBOURS: usize = 4;

    #[inline(always)]
    fn wanted(self, _: u8) -> u8 {
        FIRE
    }

    #[inline(always)]
    fn becomes(self, cell: u8, count: u8) -> u8 {
        match (cell, count) {
            (TREE, 1..) => FIRE,
            (FIRE, _) => ASH,
            (ASH, 0) => 0,
            (other, _) => other,
        }
    }
}

/// Intermediate data of a row: the two bits of the state, a mask of the burning cells, and a mask
/// of the cells with a burning neighbour at the side.
#[derive(Clone, Copy)]
pub struct Burning<V> {
    low: V,
    high: V,
    fire: V,
    beside: V,
}

impl Planes<2, 1> for ForestFire {
    const HELD: bool = false;
    const SEES_STATE: bool = false;
    type Row<V: Word> = Burning<V>;

    #[inline(always)]
    fn seen<V: Word>(self, [low, high]: [V; 2]) -> [V; 1] {
        [low & high]
    }

    #[inline(always)]
    fn row<V: Word>(
        self,
        [[left], [fire], [right]]: [[V; 1]; 3],
        [low, high]: [V; 2],
    ) -> Burning<V> {
        Burning { low, high, fire, beside: left | right }
    }

    /// The low bit remains only for trees. The high bit is set for burning cells, and for trees and
    /// ash beside a fire: where two of low bit, high bit and nearby fire are set.
    #[inline(always)]
    fn next<V: Word>(self, [above, here, below]: [&Burning<V>; 3]) -> [V; 2] {
        let near = V::or3(here.beside, above.fire, below.fire);
        [here.low.and_not(here.high), V::majority(here.low, here.high, near)]
    }
}
