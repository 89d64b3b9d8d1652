//! Rows in which nothing happens: they are written as long as it is not known that both arrays of what flows are 0 there. Beside
//! the marching rows, whose code has enough to do.

use super::shared::Target;
use std::ops::Range;

/// Steps after which a row that was dry in all of them is 0 in the arrays of now and in those of after the step.
pub(crate) const FLAT: u8 = 2;

/// Rows of a band whose neighbours are dry, too, hold no water after the step; counts for how many steps they did. `rows` are
/// those of the window, of which `row_wet` says whether they are wet, `columns` a tile's of the band.
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

/// The same of velocities, and what comes with them, that are updated when the water has moved: the step at hand is counted already.
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
