//! Quiet rows: dry rows are only zeroed until both buffers of the flow fields are known to be 0
//! there. Kept apart from the code that marches over rows, to keep that small.

use super::shared::Target;
use std::ops::Range;

/// Number of consecutive dry steps after which a row is 0 in both buffers.
pub(crate) const FLAT: u8 = 2;

/// Zeroes the rows of a band that are dry, with dry neighbours, and counts the steps for which they
/// were. `rows` are rows of the window with wet flags `row_wet`; `columns` are a tile's columns of
/// the band.
#[inline(never)]
pub(crate) fn dry_rows(
    row_wet: &[bool],
    (rows, columns): (Range<usize>, Range<usize>),
    quiet: &mut [u8],
    water: &mut Target<i32>,
    over_edges: &mut [&mut Target<f32>],
) {
    for (place, row) in rows.enumerate() {
        let steps = &mut quiet[place];
        if *steps < FLAT && !row_wet[row] && !row_wet[row + 1] {
            over_edges.iter_mut().for_each(|layer| layer.row(place)[columns.clone()].fill(0.0));
        }
        if row_wet[row - 1..=row + 1].contains(&true) {
            *steps = 0;
            continue;
        }
        if *steps < FLAT {
            water.row(place)[columns.clone()].fill(0);
        }
        *steps = steps.saturating_add(1);
    }
}

/// Zeroes the velocities and discharges of dry rows in the velocity update. The current step has
/// been counted already.
#[inline(never)]
pub(crate) fn still_rows(
    row_wet: &[bool],
    (rows, columns): (Range<usize>, Range<usize>),
    quiet: &mut [u8],
    over_edges: &mut [&mut Target<f32>],
) {
    for (place, row) in rows.enumerate() {
        if row_wet[row] || row_wet[row + 1] {
            quiet[place] = 0;
        } else if quiet[place] <= FLAT {
            over_edges.iter_mut().for_each(|layer| layer.row(place)[columns.clone()].fill(0.0));
        }
    }
}
