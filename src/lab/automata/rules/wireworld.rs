//! WireWorld (Silverman 1987; 002, section 6.4), Moore. Heads become tails, tails become wire, and
//! wire becomes a head if one or two neighbours are heads.
//!
//! The paper does not number the states; the numbers are Golly's.

use crate::rule::{Counted, Planes};
use crate::word::Word;

/// Empty 0, electron head 1, electron tail 2, wire 3.
#[derive(Clone, Copy, Debug)]
pub struct WireWorld;

const HEAD: u8 = 1;
const TAIL: u8 = 2;
const WIRE: u8 = 3;

impl Counted for WireWorld {
    const NEIGHBOURS: usize = 8;

    #[inline(always)]
    fn wanted(self, _: u8) -> u8 {
        HEAD
    }

    #[inline(always)]
    fn becomes(self, cell: u8, count: u8) -> u8 {
        match (cell, count) {
            (HEAD, _) => TAIL,
            (TAIL, _) => WIRE,
            (WIRE, 1 | 2) => HEAD,
            (other, _) => other,
        }
    }
}

/// Intermediate data of a row: the state's two bits, and the number of heads among three neighbours
/// in the row.
#[derive(Clone, Copy)]
pub struct Heads<V> {
    low: V,
    high: V,
    ones: V,
    twos: V,
}

impl Planes<2, 1> for WireWorld {
    const HELD: bool = false;
    const SEES_STATE: bool = false;
    type Row<V: Word> = Heads<V>;

    #[inline(always)]
    fn seen<V: Word>(self, [low, high]: [V; 2]) -> [V; 1] {
        [low.and_not(high)]
    }

    #[inline(always)]
    fn row<V: Word>(self, [[left], [seen], [right]]: [[V; 1]; 3], [low, high]: [V; 2]) -> Heads<V> {
        let (ones, twos) = (V::xor3(left, seen, right), V::majority(left, seen, right));
        Heads { low, high, ones, twos }
    }

    /// The new low bit is the previous high bit. The high bit is set for heads and tails, and for
    /// wire that does not become a head.
    #[inline(always)]
    fn next<V: Word>(self, [above, here, below]: [&Heads<V>; 3]) -> [V; 2] {
        // Wire is not a head, so the nine cells contain as many heads as the eight neighbours.
        let odd = V::xor3(above.ones, here.ones, below.ones);
        let carry = V::majority(above.ones, here.ones, below.ones);
        let twos = V::xor3(above.twos, here.twos, below.twos);
        let fours = V::majority(above.twos, here.twos, below.twos);
        // One head: odd, and none of the twos. Two heads: even, and one of the twos.
        let few = V::one_then(odd, twos, carry).and_not(fours);
        [here.high, (here.low ^ here.high) | (here.low & here.high).and_not(few)]
    }
}
