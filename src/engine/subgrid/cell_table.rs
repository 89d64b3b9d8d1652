//! The table of a cell: which level its water stands at.
//!
//! Water in a cell stands at one level, over its lowest pixels: at the level z its mean depth is V(z) = Σ max(0, z − zᵢ) / r², with zᵢ the
//! levels of its open pixels and r² all its pixels, for closed ones hold nothing (Casulli 2009, eq. 7). V is straight between the
//! levels of pixels. The table has the levels at V = FULL·(k/8)², worked out of whole numbers, and straight lines between them.

use super::channels::Slot;
use super::layout::cell::{self, KNOTS};
use super::tables::CellWords;

/// The least mean depth over the open pixels at which a table ends (2⁻¹⁶ m), which is 2⁻¹⁰ m: a cell is full where its highest open
/// pixel is reached, or higher if that would be less. Flat cells have knots on a straight line, then, which are exact.
pub const LEAST_FULL: i64 = 64;

/// A cell of so many pixels for each of this is full with no less (2⁻¹⁶ m over a pixel), so that tables hold how full it is: where few are open.
const PIXELS_A_FULL: i64 = 4;

/// The least that a cell is full with (2⁻¹⁶ m over a pixel).
fn least_full(open: usize, pixels: usize) -> i64 {
    (LEAST_FULL * open as i64).max(pixels as i64 / PIXELS_A_FULL)
}

/// Less of a pixel's area is the rounding of sums of slots.
const NO_AREA: f64 = 1e-9;

/// The table of a cell no pixel of which is open: it is never asked.
pub const CLOSED: CellWords = [0; cell::WORDS];

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
    let lacks = (least_full(open.len(), pixels) - when_reached).max(0);
    // Rounded up, to what tables hold; what the cell holds there is known exactly.
    let relief = relief_of(highest + (lacks + count - 1) / count);
    let full = relief * count - sum;

    // The level at a volume: that at which the next pixel is reached is the first beyond.
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

/// The least relief that a table holds which is no less than another (2⁻¹⁶ m).
fn relief_of(least: i64) -> i64 {
    // Whole, for below 2¹⁵ all whole numbers are held.
    cell::RELIEF.value(cell::RELIEF.no_less(least as f64)) as i64
}

/// A table of a cell that is full with a `mean` depth (m), which stands so high above its lowest ground (2⁻¹⁶ m), and rises so fast above.
fn words(relief: i64, mean: f64, levels: [u32; KNOTS - 1], spread: f64) -> CellWords {
    let mut words = [0; cell::WORDS];
    let per_full = cell::PER_FULL.nearest((KNOTS * KNOTS) as f64 / mean);
    let (relief, spread) = (cell::RELIEF.nearest(relief as f64), cell::SPREAD.nearest(spread));
    words[cell::FULL] = per_full | relief >> 7 << cell::PER_FULL.bits;
    let [pairs @ .., seventh] = levels;
    let others =
        [seventh & 0x3ff, seventh >> 10 | (spread & 0x1ff) << 1, relief & 0x7f | spread >> 9 << 7];
    for ((at, pair), other) in pairs.chunks_exact(2).enumerate().zip(others) {
        words[cell::LEVELS + at] = pair[0] | pair[1] << cell::LEVEL_BITS | other << 22;
    }
    words
}

/// The same for a cell with rivers that are narrower than itself: their slots hold water below the ground.
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
    // Where the area that is under water changes, and by how many pixels.
    let mut changes: Vec<(i32, f64)> = open.map(|level| (level, 1.0)).collect();
    for slot in slots {
        let area = slot.share * pixels as f64;
        changes.extend([(slot.bed, area), (slot.top, -area)]);
    }
    changes.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let lowest = i64::from(changes[0].0);

    // Heights, volumes there and areas from there on: volumes in 2⁻¹⁶ m over a pixel.
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
        // The last step that holds no more; the area from there on holds the rest.
        let step = steps.iter().rposition(|step| step.1 <= volume && step.2 > 0.0).unwrap_or(0);
        let (height, below, area) = steps[step];
        levels[k - 1] = share((height as f64 + (volume - below) / area) / relief as f64);
    }
    words(relief, full / pixels as f64 / 65536.0, levels, pixels as f64 / count as f64)
}

/// A share of 1, the nearest that a level's bits hold.
fn share(of_one: f64) -> u32 {
    let most = f64::from(cell::SHARES);
    (of_one * most + 0.5).clamp(0.0, most - 1.0) as u32
}
