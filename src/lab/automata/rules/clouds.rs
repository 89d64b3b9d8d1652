//! Clouds in three dimensions (004, after Dobashi et al. 2000). A cell has the bits humid, active
//! and cloud:
//!
//! - hum' = hum ∧ ¬act
//! - cld' = cld ∨ act
//! - act' = ¬act ∧ hum ∧ f_act
//!
//! where f_act is set if any of eleven neighbours is active: ±1 along x, y and z, ±2 along x and y,
//! and −2 along z. The code on the slides tests `z - 1 > 0`, which omits the lowest layer; this
//! implementation follows the formula. z increases upwards, with the layers.

use crate::rule::Rule;
use crate::word::Word;

/// Bit 0 humid, bit 1 active, bit 2 cloud: `00000CAH`.
#[derive(Clone, Copy, Debug)]
pub struct Clouds;

/// Bit of a humid cell.
pub const HUMID: u8 = 1;
/// Bit of a cell with a phase transition in progress.
pub const ACTIVE: u8 = 2;
/// Bit of a cell with a cloud.
pub const CLOUD: u8 = 4;

/// Offsets of the neighbours.
pub const ELEVEN: [(i64, i64, i64); 11] = [
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (-1, 0, 0),
    (0, -1, 0),
    (0, 0, -1),
    (-2, 0, 0),
    (2, 0, 0),
    (0, -2, 0),
    (0, 2, 0),
    (0, 0, -2),
];

impl Rule for Clouds {
    const REACH: usize = 2;

    #[inline(always)]
    fn next(self, at: impl Fn(i64, i64, i64) -> u8) -> u8 {
        let cell = at(0, 0, 0);
        let near = ELEVEN.iter().any(|&(x, y, z)| at(x, y, z) & ACTIVE != 0);
        let active = cell & ACTIVE != 0;
        let humid = cell & HUMID != 0 && !active;
        let cloud = cell & CLOUD != 0 || active;
        let act = if humid && near { ACTIVE } else { 0 };
        u8::from(humid) | act | if cloud { CLOUD } else { 0 }
    }
}

/// Computes the next humid, active and cloud bits of many cells; `near` marks those with an active
/// neighbour.
#[inline(always)]
pub fn next_words<V: Word>([humid, active, cloud]: [V; 3], near: V) -> [V; 3] {
    let humid = humid.and_not(active);
    [humid, humid & near, cloud | active]
}
