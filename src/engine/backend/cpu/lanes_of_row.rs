//! Masks lanes of a window's row that are outside its own cells.

use super::shared::Target;
use super::window::{PADDING, REACH};
use crate::grains::MAX_WATER;
use crate::lanes::{Real, Whole};
use std::ops::Range;

/// Ones, with as many zeros before and after them.
static ONES: [f32; 3 * PADDING] = {
    let mut ones = [0.0; 3 * PADDING];
    let mut at = PADDING;
    while at < 2 * PADDING {
        ones[at] = 1.0;
        at += 1;
    }
    ones
};

/// Returns a row of both axes of an output, if there is one.
#[inline(always)]
pub fn rows_of<'t>(
    kept: &'t mut Option<[Target<'_, f32>; 2]>,
    row: usize,
) -> Option<[&'t mut [f32]; 2]> {
    kept.as_mut().map(|[east, south]| [east.row(row), south.row(row)])
}

/// Masks the numbers of a window's columns from `at`: those outside `columns` become 0.
#[inline(always)]
pub fn within<V: Real>(numbers: V, at: usize, columns: Range<usize>) -> V {
    let zero = V::zero();
    if at >= columns.start && at + V::LANES <= columns.end {
        return numbers;
    }
    // SAFETY: ONES has 3 × PADDING numbers and both indices are at most 2 × PADDING; there are at
    // most PADDING lanes.
    let [from, to] = unsafe {
        let from = (PADDING + at).saturating_sub(columns.start).min(PADDING);
        let to = (2 * PADDING + at).saturating_sub(columns.end).clamp(PADDING, 2 * PADDING);
        [V::load(&ONES, from), V::load(&ONES, to)]
    };
    V::if_greater(from, zero, V::if_greater(to, zero, numbers, zero), zero)
}

/// Stores the numbers of a window's columns from `at` to the row of its own cells, omitting others.
///
/// # Safety
/// There must be fewer lanes than [`PADDING`].
#[inline(always)]
pub unsafe fn keep<V: Real>(numbers: V, at: usize, row: &mut [f32]) {
    if at >= REACH && at + V::LANES <= row.len() + REACH {
        // SAFETY: the condition guarantees that all lanes are within the row.
        return unsafe { numbers.store(row, at - REACH) };
    }
    let mut lanes = [0.0; PADDING];
    // SAFETY: the caller guarantees that there are fewer lanes than PADDING.
    unsafe { numbers.store(&mut lanes, 0) };
    keep_some(&lanes[..V::LANES], at, row);
}

#[inline(never)]
fn keep_some(lanes: &[f32], at: usize, row: &mut [f32]) {
    for (column, number) in (at..).zip(lanes) {
        if let Some(to) = column.checked_sub(REACH).and_then(|own| row.get_mut(own)) {
            *to = *number;
        }
    }
}

/// Stores integers to a row from an index, as many as fit.
///
/// # Safety
/// There must be fewer lanes than [`PADDING`].
#[inline(always)]
pub unsafe fn put<V: Real>(numbers: V::Whole, row: &mut [i32], at: usize) {
    // SAFETY: lanes are stored to the row only if all of them fit. Otherwise they go to an array of
    // PADDING numbers, and the caller guarantees that there are fewer lanes than that.
    unsafe {
        if at + V::LANES <= row.len() {
            return numbers.store(row, at);
        }
        let mut lanes = [0; PADDING];
        numbers.store(&mut lanes, 0);
        let rest = &mut row[at..];
        rest.copy_from_slice(&lanes[..rest.len()]);
    }
}

/// Returns `true` if any of the first `count` cells holds too much water. `lowest` is the minimum
/// of each partial sum of its water: a sum of terms within 0 and [`MAX_WATER`] becomes negative
/// when it leaves i32, whatever it wraps round to in the end.
///
/// # Safety
/// As for [`put`].
#[inline(always)]
pub unsafe fn too_deep<V: Real>(water: V::Whole, lowest: V::Whole, count: usize) -> bool {
    if !water.any_greater(V::Whole::splat(MAX_WATER)) && !V::Whole::splat(0).any_greater(lowest) {
        return false;
    }
    // The last lanes may be beyond the row: check each one.
    let (mut sums, mut lows) = ([0; PADDING], [0; PADDING]);
    // SAFETY: the caller guarantees that there are fewer lanes than PADDING.
    unsafe {
        water.store(&mut sums, 0);
        lowest.store(&mut lows, 0);
    }
    let mut cells = sums.iter().zip(&lows).take(count.min(V::LANES));
    cells.any(|(&sum, &low)| sum > MAX_WATER || low < 0)
}

/// Returns the greatest of some non-negative numbers.
#[inline(always)]
pub fn greatest<V: Real>(numbers: V) -> f32 {
    let mut lanes = [0.0; PADDING];
    // SAFETY: both have PADDING numbers, and there are fewer lanes than that.
    unsafe { numbers.store(&mut lanes, 0) };
    lanes[..V::LANES].iter().copied().fold(0.0, f32::max)
}
