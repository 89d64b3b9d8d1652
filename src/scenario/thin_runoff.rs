//! Runoff of rain over cells with tables, in which thin water gathers on the lowest pixels.

use super::coarser::Coarser;
use crate::engine::grid::Bed;
use rayon::prelude::*;

/// Range of the middle half of a cell's pixels above which a sheet of rain does not cover them (m).
const UNCOVERED: f64 = 0.03;

/// Share of the cells above which runoff counts as too fast.
const TOO_MANY: f64 = 0.05;

/// Returns a warning if rain falls on sloping cells: the water of a sheet stands on their lowest
/// pixels, deeper than on a slope, and runs off faster. `levels` has all pixels; `cells` is the number
/// of cells.
pub fn check(coarser: Coarser, levels: &[i32], cells: usize) -> Option<String> {
    let least = (UNCOVERED * Bed::PER_METRE) as i32;
    let slopes = |pixels: &mut Vec<i32>, cell: usize| {
        pixels.clear();
        pixels.extend(coarser.pixels(cell, levels).filter(|level| *level != Bed::OUTSIDE));
        let last = pixels.len().checked_sub(1)?;
        let mut at = |quarter: usize| *pixels.select_nth_unstable(last * quarter / 4).1;
        Some(at(3) - at(1) > least)
    };
    let found = (0..cells).into_par_iter().map_init(Vec::new, slopes).flatten_iter();
    let (sloping, all) = found
        .map(|slopes| (usize::from(slopes), 1_usize))
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let share = sloping as f64 / all.max(1) as f64;
    (share > TOO_MANY).then(|| {
        format!(
            "rain: with subgrid, thin water gathers on the lowest pixels of sloping cells ({:.0} % of the cells, whose pixels differ by more than {UNCOVERED} m), and runs off too fast: peaks of hillside runoff are up to 3 times too high; compare with a run without subgrid, or give the runoff as sources",
            100.0 * share
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::grid::Grid;

    #[test]
    fn only_slopes_of_pixels_warn_and_not_a_wall_on_a_plain() {
        let grid = Grid::plain(8, 8, 5.0);
        let of = |level: fn(usize) -> f64| -> Option<String> {
            let levels = (0..64).map(|pixel| (level(pixel % 8) * Bed::PER_METRE) as i32);
            check(Coarser::new(&grid, 4), &levels.collect::<Vec<_>>(), 4)
        };
        assert!(of(|column| 0.05 * column as f64).is_some_and(|text| text.contains("100 %")));
        assert_eq!(of(|column| 0.001 * column as f64), None);
        assert_eq!(of(|column| if column == 2 { 5.0 } else { 0.0 }), None);
    }
}
