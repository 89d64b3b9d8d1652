//! Cyclic automaton (Griffeath 1991; 002, section 6.3), von Neumann, with n states (15 in the
//! paper): a cell in state i changes to i + 1, modulo n, if a neighbour is in that state.
//!
//! The paper does not define dead edges. Here the cells beyond the edge are in state 0, as for the
//! other automata, so they convert neighbours in the last state.

use crate::rule::{Counted, Planes};
use crate::word::Word;

/// States 0 to n - 1.
#[derive(Clone, Copy, Debug)]
pub struct Cyclic {
    /// Number of states n.
    pub states: u8,
}

impl Cyclic {
    #[inline(always)]
    fn after(self, cell: u8) -> u8 {
        if cell + 1 == self.states { 0 } else { cell + 1 }
    }
}

impl Counted for Cyclic {
    const NEIGHBOURS: usize = 4;

    #[inline(always)]
    fn wanted(self, cell: u8) -> u8 {
        self.after(cell)
    }

    #[inline(always)]
    fn becomes(self, cell: u8, count: u8) -> u8 {
        if count > 0 { self.after(cell) } else { cell }
    }
}

/// Intermediate data of a row: the bits of the state and of its successor, and a mask of the cells
/// whose neighbours at both sides differ from the successor.
#[derive(Clone, Copy)]
pub struct Cycling<V, const P: usize> {
    here: [V; P],
    after: [V; P],
    unlike: V,
}

/// Returns a mask of the cells in which two states differ.
#[inline(always)]
fn unlike<V: Word, const P: usize>(a: &[V; P], b: &[V; P]) -> V {
    let mut differs = a[0] ^ b[0];
    for k in 1..P {
        differs = V::or_xor(differs, a[k], b[k]);
    }
    differs
}

impl<const P: usize> Planes<P, P> for Cyclic {
    const HELD: bool = true;
    const SEES_STATE: bool = true;
    type Row<V: Word> = Cycling<V, P>;

    #[inline(always)]
    fn seen<V: Word>(self, here: [V; P]) -> [V; P] {
        here
    }

    #[inline(always)]
    fn row<V: Word>(self, [left, _, right]: [[V; P]; 3], here: [V; P]) -> Cycling<V, P> {
        let mut after = here;
        let mut carry = V::ones();
        for k in 0..P {
            after[k] = here[k] ^ carry;
            carry = carry & here[k];
        }
        if usize::from(self.states) < 1 << P {
            let mut last = V::ones();
            for k in 0..P {
                let bit = usize::from(self.states - 1) >> k & 1 == 1;
                last = if bit { last & here[k] } else { last.and_not(here[k]) };
            }
            for k in 0..P {
                after[k] = after[k].and_not(last);
            }
        }
        Cycling { here, after, unlike: unlike(&left, &after) & unlike(&right, &after) }
    }

    #[inline(always)]
    fn next<V: Word>(self, [above, here, below]: [&Cycling<V, P>; 3]) -> [V; P] {
        let up = unlike(&above.here, &here.after);
        let down = unlike(&below.here, &here.after);
        let stays = V::and3(here.unlike, up, down);
        let mut next = here.here;
        for k in 0..P {
            next[k] = V::select(stays, here.here[k], here.after[k]);
        }
        next
    }
}
