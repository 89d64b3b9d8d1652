//! Table of a cell: its water level as a function of its volume.
//!
//! The water surface in a cell is level and covers its lowest pixels: at the level z the mean depth
//! is V(z) = Σ max(0, z − zᵢ) / r², where zᵢ are the levels of its open pixels and r² is the number
//! of all its pixels, since closed ones hold nothing (Casulli 2009, eq. 7). V is piecewise linear
//! between pixel levels. The table holds the levels at V = FULL·(k/8)², computed in integers, and
//! interpolates linearly between them.

use super::channels::Slot;
use super::layout::cell::{self, KNOTS};
use super::tables::CellWords;

/// Minimum mean depth over the open pixels at the end of a table (2⁻¹⁶ m), which is 2⁻¹⁰ m: a cell
/// is full at its highest open pixel, or higher if the mean depth would be less. The knots of flat
/// cells are then on a straight line, which is exact.
pub const LEAST_FULL: i64 = 64;

/// Number of pixels per unit of the minimum volume of a full cell (2⁻¹⁶ m over a pixel). It keeps
/// the volume within the range of the table if few pixels are open.
const PIXELS_A_FULL: i64 = 4;

/// Minimum volume of a full cell (2⁻¹⁶ m over a pixel).
fn least_full(open: usize, pixels: usize) -> i64 {
    (LEAST_FULL * open as i64).max(pixels as i64 / PIXELS_A_FULL)
}

/// Areas below this share of a pixel are rounding errors of sums of slots.
const NO_AREA: f64 = 1e-9;

/// Table of a cell without open pixels; it is never looked up.
pub const CLOSED: CellWords = [0; cell::WORDS];

/// Builds the table of a cell of `pixels` pixels from the levels of its open ones `open` (2⁻¹⁶ m),
/// lowest first.
///
/// # Panics
/// If more pixels are open than the cell has.
pub fn of(open: impl ExactSizeIterator<Item = i32> + Clone, pixels: usize) -> CellWords {
    let count = open.len() as i64;
    assert!(open.len() <= pixels, "no more open pixels than pixels");
    let Some(lowest) = open.clone().next() else { return CLOSED };
    let heights = || open.clone().map(|level| i64::from(level) - i64::from(lowest));

    // Heights in 2⁻¹⁶ m, and volumes in 2⁻¹⁶ m over a pixel: both are integers.
    let (mut sum, mut highest) = (0, 0);
    for height in heights() {
        (sum, highest) = (sum + height, height);
    }
    let when_reached = highest * count - sum;
    let lacks = (least_full(open.len(), pixels) - when_reached).max(0);
    // Rounded up to a value that tables can hold; the volume at that level is known exactly.
    let relief = relief_of(highest + (lacks + count - 1) / count);
    let full = relief * count - sum;

    // The level at a volume is below the first pixel level that needs a larger volume.
    let mut levels = [0; KNOTS - 1];
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

    words(relief, full as f64 / pixels as f64 / 65536.0, levels, pixels as f64 / count as f64)
}

/// Returns the smallest relief that a table can hold and that is not less than `least` (2⁻¹⁶ m).
fn relief_of(least: i64) -> i64 {
    // An integer, since all integers below 2¹⁵ can be held.
    cell::RELIEF.value(cell::RELIEF.no_less(least as f64)) as i64
}

/// Encodes the table of a cell that is full at `mean` depth (m) and `relief` above its lowest
/// ground (2⁻¹⁶ m); `spread` is the rise of the level above that.
fn words(relief: i64, mean: f64, levels: [u32; KNOTS - 1], spread: f64) -> CellWords {
    let mut words = [0; cell::WORDS];
    let per_full = cell::PER_FULL.nearest((KNOTS * KNOTS) as f64 / mean);
    let (relief, spread) = (cell::RELIEF.nearest(relief as f64), cell::SPREAD.nearest(spread));
    words[cell::FULL] = per_full | spread << cell::PER_FULL.bits;
    let [pairs @ .., seventh] = levels;
    let others = [seventh & 0x3ff, seventh >> 10 | (relief & 0x1ff) << 1, relief >> 9];
    for ((at, pair), other) in pairs.chunks_exact(2).enumerate().zip(others) {
        words[cell::LEVELS + at] = pair[0] | pair[1] << cell::LEVEL_BITS | other << 22;
    }
    words
}

/// Builds the table of a cell with rivers narrower than itself, whose slots hold water below the
/// ground.
///
/// # Panics
/// If more pixels are open than the cell has.
pub fn with_slots(
    open: impl ExactSizeIterator<Item = i32> + Clone,
    slots: &[Slot],
    pixels: usize,
) -> CellWords {
    let count = open.len();
    if slots.is_empty() || count == 0 {
        return of(open, pixels);
    }
    assert!(count <= pixels, "no more open pixels than pixels");
    // Levels at which the wet area changes, and the change in pixels.
    let mut changes: Vec<(i32, f64)> = open.map(|level| (level, 1.0)).collect();
    for slot in slots {
        let area = slot.share * pixels as f64;
        changes.extend([(slot.bed, area), (slot.top, -area)]);
    }
    changes.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let lowest = i64::from(changes[0].0);

    // Heights, and the volume and wet area from there on; volumes in 2⁻¹⁶ m over a pixel.
    let (mut last, mut volume, mut area) = (0i64, 0.0, 0.0);
    let steps: Vec<(i64, f64, f64)> = changes
        .iter()
        .map(|&(level, change)| {
            let height = i64::from(level) - lowest;
            volume += area * (height - last) as f64;
            (last, area) = (height, if area + change < NO_AREA { 0.0 } else { area + change });
            (height, volume, area)
        })
        .collect();
    let (highest, when_reached) = (last, volume);
    let lacks = (least_full(count, pixels) as f64 - when_reached).max(0.0);
    let more = (lacks / count as f64).ceil();
    let relief = relief_of(highest + more as i64);
    let full = when_reached + (relief - highest) as f64 * count as f64;

    let mut levels = [0; KNOTS - 1];
    for k in 1..KNOTS {
        let volume = full * (k * k) as f64 / (KNOTS * KNOTS) as f64;
        // The last step whose volume is not larger; the rest is held by the area above it.
        let step = steps.iter().rposition(|step| step.1 <= volume && step.2 > 0.0).unwrap_or(0);
        let (height, below, area) = steps[step];
        levels[k - 1] = share((height as f64 + (volume - below) / area) / relief as f64);
    }
    words(relief, full / pixels as f64 / 65536.0, levels, pixels as f64 / count as f64)
}

/// Encodes a fraction of 1 in the bits of a level, rounded to nearest.
fn share(of_one: f64) -> u32 {
    let most = f64::from(cell::SHARES);
    (of_one * most + 0.5).clamp(0.0, most - 1.0) as u32
}
