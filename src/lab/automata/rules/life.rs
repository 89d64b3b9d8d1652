//! The Game of Life (Conway 1970): B3/S23, Moore. Printed in 002, section 4.1, and as code in 001.

use crate::rule::{Counted, Planes};
use crate::word::Word;

/// Dead 0, alive 1.
#[derive(Clone, Copy, Debug)]
pub struct Life;

impl Counted for Life {
    const NEIGHBOURS: usize = 8;

    #[inline(always)]
    fn wanted(self, _: u8) -> u8 {
        1
    }

    #[inline(always)]
    fn becomes(self, cell: u8, count: u8) -> u8 {
        u8::from(count == 3 || (cell == 1 && count == 2))
    }
}

/// Intermediate data of a row: the number of living cells among three neighbours in the row, as two
/// bits, and the middle cell.
#[derive(Clone, Copy)]
pub struct Threes<V> {
    ones: V,
    twos: V,
    here: V,
}

impl Planes<1, 1> for Life {
    const HELD: bool = true;
    const SEES_STATE: bool = true;
    type Row<V: Word> = Threes<V>;

    #[inline(always)]
    fn seen<V: Word>(self, here: [V; 1]) -> [V; 1] {
        here
    }

    #[inline(always)]
    fn row<V: Word>(self, [[left], [seen], [right]]: [[V; 1]; 3], [here]: [V; 1]) -> Threes<V> {
        Threes { ones: V::xor3(left, seen, right), twos: V::majority(left, seen, right), here }
    }

    /// A cell is alive next if three of the nine cells (including itself) are alive, or four
    /// including itself.
    #[inline(always)]
    fn next<V: Word>(self, [above, here, below]: [&Threes<V>; 3]) -> [V; 1] {
        let odd = V::xor3(above.ones, here.ones, below.ones);
        let carry = V::majority(above.ones, here.ones, below.ones);
        let twos = V::xor3(above.twos, here.twos, below.twos);
        let fours = V::majority(above.twos, here.twos, below.twos);
        [V::lives(odd, carry, twos, fours, here.here)]
    }
}
