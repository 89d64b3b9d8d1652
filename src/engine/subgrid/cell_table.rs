//! The table of a cell: which level its water stands at.
//!
//! Water in a cell stands at one level, over its lowest pixels: at the level z its mean depth is V(z) = Σ max(0, z − zᵢ) / r², with zᵢ the
//! levels of its open pixels and r² all its pixels, for closed ones hold nothing (Casulli 2009, eq. 7). V is straight between the
//! levels of pixels. The table has the levels at V = FULL·(k/8)², worked out of whole numbers, and straight lines between them.

use super::layout::{KNOTS, cell};
use super::tables::{CellWords, packed, upper_half};

/// The least mean depth over the open pixels at which a table ends (2⁻¹⁶ m), which is 2⁻¹⁰ m: a cell is full where its highest open
/// pixel is reached, or higher if that would be less. Flat cells have knots on a straight line, then, which are exact.
pub const LEAST_FULL: i64 = 64;

/// The table of a cell no pixel of which is open: it is never asked.
pub const CLOSED: CellWords = {
    let mut words = [0; cell::WORDS];
    words[cell::PER_FULL] = ((KNOTS * KNOTS) as f32).to_bits();
    words[cell::WORDS - 1] = 1f32.to_bits();
    words
};

/// The table of a cell of so many `pixels` whose open ones have the levels `open` (2⁻¹⁶ m), lowest first.
///
/// # Panics
/// If more pixels are open than the cell has.
pub fn of(open: impl ExactSizeIterator<Item = i32> + Clone, pixels: usize) -> CellWords {
    let count = open.len() as i64;
    assert!(open.len() <= pixels, "no more open pixels than pixels");
    let Some(lowest) = open.clone().next() else { return CLOSED };
    let heights = || open.clone().map(|level| i64::from(level) - i64::from(lowest));

    // Heights in 2⁻¹⁶ m, and volumes in that over a pixel: both are whole.
    let (mut sum, mut highest) = (0, 0);
    for height in heights() {
        (sum, highest) = (sum + height, height);
    }
    let when_reached = highest * count - sum;
    let lacks = (LEAST_FULL * count - when_reached).max(0);
    // Rounded up.
    let relief = highest + (lacks + count - 1) / count;
    let full = relief * count - sum;

    // The level at a volume: that at which the next pixel is reached is the first beyond.
    let mut levels = [0u16; KNOTS];
    levels[KNOTS - 1] = upper_half(pixels as f64 / count as f64);
    let mut below = heights().peekable();
    let (mut wet, mut their_sum) = (0i64, 0i64);
    for k in 1..KNOTS {
        // 64 times the volume.
        let volume = full * (k * k) as i64;
        while let Some(&height) = below.peek() {
            if 64 * (height * wet - their_sum) > volume {
                break;
            }
            (wet, their_sum) = (wet + 1, their_sum + height);
            below.next();
        }
        let height = (volume as f64 / 64.0 + their_sum as f64) / wet as f64;
        levels[k - 1] = share(height / relief as f64);
    }

    let mean = full as f64 / pixels as f64 / 65536.0;
    let mut words = [0; cell::WORDS];
    words[cell::PER_FULL] = (((KNOTS * KNOTS) as f64 / mean) as f32).to_bits();
    words[cell::RELIEF] = relief as u32;
    words[cell::LEVELS..].copy_from_slice(&packed::<{ KNOTS / 2 }>(&levels, 16));
    words
}

/// A share of 1 in 2⁻¹⁶, the nearest that 16 bits hold.
pub(super) fn share(of_one: f64) -> u16 {
    (of_one * 65536.0 + 0.5).clamp(0.0, 65535.0) as u16
}
