//! Overviews: a raster at half its size, a quarter and so on, each computed from the previous one.

use crate::engine::arrays::zeros;
use crate::output::colour::NODATA;
use rayon::prelude::*;

/// How cells are combined when a raster is shrunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Downsampling {
    /// Mean of the covered cells, for quantities such as depths.
    Mean,
    /// Value of the nearest cell, for times and classes.
    Nearest,
}

/// Returns the factors of a raster's overviews for tiles of `block` cells a side; the last overview
/// fits into a tile.
pub fn factors((columns, rows): (usize, usize), block: usize) -> Vec<i32> {
    let fits = |factor: &usize| columns / factor <= block && rows / factor <= block;
    let factors =
        std::iter::successors(Some(1usize), |factor| Some(2 * factor).filter(|_| !fits(factor)));
    factors.skip(1).map(|factor| factor as i32).collect()
}

/// Shrinks a raster (columns, rows) by up to a factor of two.
pub fn shrink(
    from: &[f32],
    size: (usize, usize),
    to: (usize, usize),
    downsampling: Downsampling,
) -> Vec<f32> {
    let across: Vec<Cover> = (0..to.0).map(|at| Cover::of(at, size.0, to.0)).collect();
    let mut small = zeros(to.0 * to.1);
    small.par_chunks_mut(to.0).enumerate().for_each(|(row, to_row)| {
        let down = Cover::of(row, size.1, to.1);
        let line = |row: usize| &from[row * size.0..][..size.0];
        if downsampling == Downsampling::Nearest {
            let line = line(down.nearest);
            to_row.iter_mut().zip(&across).for_each(|(to, at)| *to = line[at.nearest]);
        } else if size == (2 * to.0, 2 * to.1) {
            let (above, below) = (line(2 * row), line(2 * row + 1));
            let pairs = above.chunks_exact(2).zip(below.chunks_exact(2));
            for (to, (above, below)) in to_row.iter_mut().zip(pairs) {
                *to = mean_of_four([above[0], above[1], below[0], below[1]]);
            }
        } else {
            for (to, across) in to_row.iter_mut().zip(&across) {
                *to = mean(line, across, &down);
            }
        }
    });
    small
}

/// Cells of a larger raster covered by a cell of a smaller one, in one dimension.
struct Cover {
    /// First covered cell.
    first: usize,
    /// Covered shares of the first and the next cells.
    shares: [f64; 3],
    /// Nearest cell.
    nearest: usize,
}

impl Cover {
    fn of(at: usize, size: usize, to: usize) -> Cover {
        let ratio = size as f64 / to as f64;
        let (start, end) = (at as f64 * ratio, (at + 1) as f64 * ratio);
        let first = (start as usize).min(size - 1);
        let share = |cell: usize| (end.min((cell + 1) as f64) - start.max(cell as f64)).max(0.0);
        let shares =
            [first, first + 1, first + 2].map(|cell| if cell < size { share(cell) } else { 0.0 });
        Cover { first, shares, nearest: ((start + 0.5) as usize).min(size - 1) }
    }
}

fn mean_of_four(values: [f32; 4]) -> f32 {
    if !values.contains(&NODATA) {
        return (values.iter().map(|value| f64::from(*value)).sum::<f64>() / 4.0) as f32;
    }
    let known = || values.iter().filter(|value| **value != NODATA);
    match known().count() {
        0 => NODATA,
        count => (known().map(|value| f64::from(*value)).sum::<f64>() / count as f64) as f32,
    }
}

fn mean<'a>(line: impl Fn(usize) -> &'a [f32], across: &Cover, down: &Cover) -> f32 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (row, high) in down.shares.iter().enumerate().filter(|(_, high)| **high > 1e-9) {
        let line = line(down.first + row);
        for (column, wide) in across.shares.iter().enumerate().filter(|(_, wide)| **wide > 1e-9) {
            let value = line[across.first + column];
            if value != NODATA {
                sum += high * wide * f64::from(value);
                weight += high * wide;
            }
        }
    }
    if weight > 0.0 { (sum / weight) as f32 } else { NODATA }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_overview_fits_in_a_tile() {
        assert!(factors((512, 300), 512).is_empty());
        assert_eq!(factors((513, 300), 512), [2]);
        assert_eq!(factors((4096, 300), 512), [2, 4, 8]);
        assert_eq!(factors((300, 5000), 512), [2, 4, 8, 16]);
    }

    #[test]
    fn means_leave_out_what_has_no_value() {
        let from = [1.0, 3.0, NODATA, NODATA, 5.0, 7.0, NODATA, 9.0];
        assert_eq!(shrink(&from, (4, 2), (2, 1), Downsampling::Mean), [4.0, 9.0]);
        assert_eq!(shrink(&[NODATA; 8], (4, 2), (2, 1), Downsampling::Mean), [NODATA, NODATA]);
        assert_eq!(shrink(&from, (4, 2), (2, 1), Downsampling::Nearest), [1.0, NODATA]);
    }

    #[test]
    fn odd_sides_are_shared_out_by_area() {
        // A pixel covers 5/3 of a cell.
        let small = shrink(&[1.0, 2.0, 3.0, 4.0, 5.0], (5, 1), (3, 1), Downsampling::Mean);
        let mean =
            [(1.0 + 2.0 * 2.0 / 3.0) / (5.0 / 3.0), 3.0, (4.0 * 2.0 / 3.0 + 5.0) / (5.0 / 3.0)];
        for (value, mean) in small.iter().zip(mean) {
            assert!((f64::from(*value) - mean).abs() < 1e-6, "{small:?}");
        }
        // The overall mean is preserved.
        let from: Vec<f32> = (0..35).map(|n| (n * n % 17) as f32).collect();
        let small = shrink(&from, (7, 5), (4, 3), Downsampling::Mean);
        let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
        assert!((mean(&small) - mean(&from)).abs() < 1e-5);
        assert_eq!(shrink(&from, (7, 5), (4, 3), Downsampling::Nearest).len(), 12);
    }
}
