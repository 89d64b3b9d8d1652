//! Detection of cells of a DEM that hold no ground but an undeclared NoData value, or values that a
//! warp interpolated between such a value and the ground ("mixtures").
//!
//! Mixtures are all different, so no single number identifies them. They are at the edge of the
//! valid area, beside the NoData value, or at the foot of drops steeper than any ground, and far
//! outside the range of all other heights.

use crate::engine::grid::{Bed, Grid};
use crate::input::dem::{marker, plausible};
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Maximum slope of ground between neighbours; the maximum drop is limited to `LEAST_DROP` to
/// `MOST_DROP` (m).
const STEEPEST: f64 = 2.0;
const LEAST_DROP: f64 = 100.0;
const MOST_DROP: f64 = 5000.0;
/// Maximum distance of mixtures from the edge of the valid area (cells): cubic resampling reaches
/// two cells.
const RIM: usize = 2;
/// Maximum difference from the extreme height at which a cell has the NoData value itself (m):
/// lossy compression changes it slightly.
const SAME: f64 = 2.0;
/// Minimum number of cells with the same value for it to be a NoData value.
const LEAST_CELLS: usize = 3;
/// Minimum number of cells for different heights to be a smear.
const LEAST_SMEAR: usize = 8;
/// Minimum distance from the ground, as a multiple of the second-widest gap between the heights of
/// the ground.
const TIMES: i64 = 4;
/// Lowest land (m).
const LOWEST_LAND: f64 = -500.0;
/// Inverse of the maximum share of torn cells among ground cells.
const MOST_TORN: usize = 4;
/// Maximum number of searches: cubic resampling overshoots, and the rest of the NoData value is
/// found once the overshoot is removed.
const ROUNDS: usize = 4;
/// Number of rings of cells around a smear that are compared with the ground behind them.
const RINGS: usize = 4;
/// Minimum deviation of a mixed cell in these rings from the ground behind it: in m, as a share of
/// a cell's length, and as a multiple of the ground's own change.
const LEAST_DEVIATION: f64 = 5.0;
const OF_CELL: f64 = 0.125;
const OF_CHANGE: f64 = 1.5;

/// Cells that hold no ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Smear {
    /// Cell indices, ascending.
    pub cells: Vec<usize>,
    /// Lowest and highest of the levels (2⁻¹⁶ m).
    pub range: (i32, i32),
    /// Most likely level of the NoData value, if it is still present.
    pub mark: Option<i32>,
    /// `true` if the cells are below the ground, `false` if above.
    pub is_below: bool,
}

/// End of the range of heights at which a smear is searched for.
#[derive(Clone, Copy)]
enum End {
    Low,
    High,
}

impl End {
    /// Mirrors a level so that the end is the low one.
    fn down(self, level: i32) -> i64 {
        match self {
            End::Low => i64::from(level),
            End::High => -i64::from(level),
        }
    }

    /// Returns `true` if this mirrored level, far from all others, cannot be ground.
    fn is_unearthly(self, down: i64) -> bool {
        let metres = down as f64 / Bed::PER_METRE;
        match self {
            End::Low => metres < LOWEST_LAND,
            End::High => -metres > plausible::HIGHEST,
        }
    }
}

/// Finds the smears below and above the ground. `is_code` returns `true` for levels that programs
/// use as NoData.
pub fn find(grid: &Grid, levels: &[i32], is_code: &dyn Fn(i32) -> bool) -> Vec<Smear> {
    let place = PixelView { grid, levels };
    if !place.has_torn_pairs() {
        return Vec::new();
    }
    let mut left = levels.to_vec();
    let mut found = Vec::new();
    for end in [End::Low, End::High] {
        let mut all: Option<Smear> = None;
        for _ in 0..ROUNDS {
            let Some(more) = (PixelView { grid, levels: &left }).smear(end, is_code) else { break };
            more.cells.iter().for_each(|&cell| left[cell] = Bed::OUTSIDE);
            all = Some(match all {
                None => more,
                Some(before) => before.with(more),
            });
        }
        found.extend(all);
    }
    found
}

impl Smear {
    fn with(mut self, other: Smear) -> Smear {
        self.cells.extend(other.cells);
        self.cells.sort_unstable();
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        self.mark = other.mark.or(self.mark);
        self
    }
}

/// Returns `true` if a level (m), far from all others, cannot be ground.
pub fn is_unearthly(metres: f64) -> bool {
    !(LOWEST_LAND..=plausible::HIGHEST).contains(&metres)
}

fn units(metres: f64) -> i64 {
    (metres * Bed::PER_METRE) as i64
}

#[derive(Clone, Copy)]
struct PixelView<'a> {
    grid: &'a Grid,
    levels: &'a [i32],
}

impl PixelView<'_> {
    fn cell_length(&self) -> f64 {
        self.grid.dx.max(self.grid.dy)
    }

    /// Returns the maximum drop between neighbours in real ground (2⁻¹⁶ m).
    fn drop(&self) -> i64 {
        units((STEEPEST * self.cell_length()).clamp(LEAST_DROP, MOST_DROP))
    }

    fn is_valid(&self, cell: usize) -> bool {
        self.levels[cell] != Bed::OUTSIDE
    }

    /// Iterates over the cells up to `reach` columns and rows from a cell, without the cell itself.
    fn around(&self, cell: usize, reach: usize) -> impl Iterator<Item = usize> + use<> {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let (column, row) = (cell % columns, cell / columns);
        let to = move |at: usize, size: usize| at.saturating_sub(reach)..(at + reach + 1).min(size);
        to(row, rows)
            .flat_map(move |row| to(column, columns).map(move |column| row * columns + column))
            .filter(move |&other| other != cell)
    }

    /// Returns `true` if any two neighbours differ more than ground can.
    fn has_torn_pairs(&self) -> bool {
        let (drop, columns) = (self.drop(), self.grid.columns);
        let torn = |cell: usize| {
            let later = |other: &usize| *other > cell && self.is_valid(*other);
            let from = i64::from(self.levels[cell]);
            self.is_valid(cell)
                && self
                    .around(cell, 1)
                    .filter(later)
                    .any(|other| (from - i64::from(self.levels[other])).abs() >= drop)
        };
        let rows = (0..self.grid.rows).into_par_iter();
        rows.any(|row| (row * columns..(row + 1) * columns).any(torn))
    }

    /// Returns `true` if a cell is at the foot of a drop steeper than any ground.
    fn is_torn(&self, cell: usize, end: End) -> bool {
        let from = end.down(self.levels[cell]);
        self.around(cell, 1)
            .any(|other| self.is_valid(other) && end.down(self.levels[other]) - from >= self.drop())
    }

    fn smear(&self, end: End, is_code: &dyn Fn(i32) -> bool) -> Option<Smear> {
        let PixelView { grid, levels } = *self;
        let valid = || levels.par_iter().copied().filter(|&level| level != Bed::OUTSIDE);
        let heights = marker::Heights::of(valid());
        let extreme = match end {
            End::Low => heights.lowest?,
            End::High => heights.highest?,
        };
        let lowest = end.down(extreme);
        // Cubic resampling overshoots, so cells beyond the NoData value also belong to it.
        let zeros = match end {
            End::Low => valid().filter(|&level| level == 0).count(),
            End::High => 0,
        };
        let has_zeros = zeros >= LEAST_CELLS;
        let fullest = heights.fullest(|metre| end.is_unearthly(end.down(units(metre) as i32)));
        let fullest = fullest.filter(|(_, count)| *count >= LEAST_CELLS as u64);
        let known = [lowest]
            .into_iter()
            .chain(has_zeros.then_some(0))
            .chain(fullest.map(|(metre, _)| end.down(units(metre as f64) as i32)));
        let alike = known.max().unwrap_or(lowest) + units(SAME);
        let count = valid().filter(|&level| end.down(level) <= alike).count();
        let is_mark = |cell: usize| {
            count >= LEAST_CELLS && self.is_valid(cell) && end.down(levels[cell]) <= alike
        };
        let at_rim = |cell: usize| {
            let (column, row) = (cell % grid.columns, cell / grid.columns);
            let near = |at: usize, size: usize| at < RIM || at + RIM >= size;
            near(column, grid.columns)
                || near(row, grid.rows)
                || self.around(cell, RIM).any(|other| !self.is_valid(other) || is_mark(other))
        };
        let is_inner = |cell: &usize| self.is_valid(*cell) && !is_mark(*cell) && !at_rim(*cell);
        let inner = || (0..levels.len()).into_par_iter().filter(is_inner);
        let count = |cell: usize| (1, usize::from(self.is_torn(cell, end)));
        let (all, torn) = inner().map(count).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        // If everything is steeper than ground, the heights are in another unit.
        if torn * MOST_TORN > all {
            return None;
        }
        let core = inner().filter(|cell| !self.is_torn(*cell, end)).map(|cell| levels[cell]);
        let ground = marker::Heights::of(core);
        let core_end = match end {
            End::Low => i64::from(ground.lowest?),
            End::High => -i64::from(ground.highest?),
        };
        let far = units((STEEPEST * RIM as f64 * self.cell_length()).clamp(LEAST_DROP, MOST_DROP));
        let gap = core_end - lowest;
        if !ground.are_many() || gap < far || gap < TIMES * units(ground.usual_gap() as f64) {
            return None;
        }
        let beyond =
            |cell: &usize| self.is_valid(*cell) && core_end - end.down(levels[*cell]) >= far;
        let cells: Vec<usize> = (0..levels.len()).into_par_iter().filter(beyond).collect();
        let exact = cells.iter().filter(|&&cell| levels[cell] == extreme).count();
        let has_zeros = has_zeros && core_end >= far;
        let has_code = has_zeros || (exact >= LEAST_CELLS && is_code(extreme));
        let is_below = matches!(end, End::Low);
        let is_smear = end.is_unearthly(lowest)
            || (is_below && has_code)
            || self.is_spread(&cells, end, core_end, far);
        if !is_smear || !self.is_torn_off(&cells, end) {
            return None;
        }
        let mark = self.most_frequent(&cells);
        let ground = self.ground_away_from(&cells).unwrap_or(i32::MIN..=i32::MAX);
        // A value that was not interpolated has no rings: the cells beside it are ground.
        let cells = match cells.iter().all(|&cell| is_mark(cell)) {
            true => cells,
            false => self.with_rings(cells, &ground),
        };
        let of = cells.iter().map(|&cell| levels[cell]);
        let range = (of.clone().min()?, of.max()?);
        Some(Smear { cells, range, mark, is_below })
    }

    /// Returns the range of ground levels farther from some cells than the rings extend, if there
    /// is any ground there.
    fn ground_away_from(&self, cells: &[usize]) -> Option<RangeInclusive<i32>> {
        let mut is_near = vec![false; self.levels.len()];
        cells.iter().for_each(|&cell| is_near[cell] = true);
        let of = |cell: &&usize| self.around(**cell, 1).any(|other| !is_near[other]);
        let border: Vec<usize> = cells.iter().filter(of).copied().collect();
        let around = border.iter().flat_map(|&cell| self.around(cell, RINGS + 1));
        around.for_each(|cell| is_near[cell] = true);
        let is_ground = |cell: &usize| self.is_valid(*cell) && !is_near[*cell];
        let ground = || (0..self.levels.len()).into_par_iter().filter(is_ground);
        let margin = units(LEAST_DEVIATION) as i32;
        let lowest = ground().map(|cell| self.levels[cell]).min()?;
        let highest = ground().map(|cell| self.levels[cell]).max()?;
        Some(lowest - margin..=highest + margin)
    }

    /// Returns the most frequent level of some cells: the NoData value itself, if present.
    fn most_frequent(&self, cells: &[usize]) -> Option<i32> {
        let mut all: Vec<i32> = cells.iter().map(|&cell| self.levels[cell]).collect();
        all.sort_unstable();
        let alike = all.chunk_by(|a, b| a == b).max_by_key(|alike| alike.len())?;
        (alike.len() >= LEAST_CELLS).then_some(alike[0])
    }

    /// Returns `true` if most border cells of a set are at the foot of drops steeper than any
    /// ground; deep parts of a sea are not.
    fn is_torn_off(&self, cells: &[usize], end: End) -> bool {
        let is_of = |cell: usize| cells.binary_search(&cell).is_ok();
        let at_border = cells.iter().filter(|&&cell| {
            self.around(cell, 1).any(|other| self.is_valid(other) && !is_of(other))
        });
        let (mut torn, mut all) = (0, 0);
        for &cell in at_border {
            all += 1;
            torn += usize::from(self.is_torn(cell, end));
        }
        2 * torn >= all
    }

    /// Returns `true` if heights are spread from near the ground to far from it, like mixtures of
    /// the ground and one distant value.
    fn is_spread(&self, cells: &[usize], end: End, core_end: i64, far: i64) -> bool {
        let mut away: Vec<i64> =
            cells.iter().map(|&cell| core_end - end.down(self.levels[cell])).collect();
        away.sort_unstable();
        let (nearest, farthest) = (away[0], away[away.len() - 1]);
        away.dedup();
        let least = match end {
            End::Low => 2 * far,
            End::High => 10 * far,
        };
        cells.len() >= LEAST_SMEAR
            && 2 * away.len() >= cells.len()
            && 2 * nearest <= farthest
            && farthest >= least
    }

    /// Adds surrounding cells that are outside the range of `ground` or deviate from the ground
    /// behind them, because a small share of the value was mixed in or a cubic resampling overshot.
    fn with_rings(&self, cells: Vec<usize>, ground: &RangeInclusive<i32>) -> Vec<usize> {
        let mut state = vec![State::Free; self.levels.len()];
        cells.iter().for_each(|&cell| state[cell] = State::Taken);
        let (mut all, mut last) = (cells.clone(), cells);
        for _ in 0..RINGS {
            let free = |cell: &usize| self.is_valid(*cell) && state[*cell] == State::Free;
            let mut ring: Vec<usize> =
                last.iter().flat_map(|&cell| self.around(cell, 1)).filter(free).collect();
            ring.sort_unstable();
            ring.dedup();
            ring.iter().for_each(|&cell| state[cell] = State::InRing);
            let is_mixed =
                |&cell: &usize| !ground.contains(&self.levels[cell]) || self.deviates(cell, &state);
            let deviating = ring.iter().map(is_mixed);
            let deviating: Vec<bool> = deviating.collect();
            last.clear();
            for (cell, deviates) in ring.into_iter().zip(deviating) {
                state[cell] = if deviates { State::Taken } else { State::Free };
                last.extend(deviates.then_some(cell));
            }
            all.extend_from_slice(&last);
        }
        all.sort_unstable();
        all
    }

    /// Returns `true` if a cell of a ring deviates from at least half of the straight lines through
    /// the ground behind it.
    fn deviates(&self, cell: usize, state: &[State]) -> bool {
        let least = LEAST_DEVIATION.max(OF_CELL * self.cell_length()) * Bed::PER_METRE;
        let level = |cell: usize| self.levels[cell] as f64;
        let lines = DIRECTIONS.iter().filter_map(|&way| {
            let first = self.beside(cell, way)?;
            if !self.is_valid(first) || state[first] != State::Free {
                return None;
            }
            let second = self
                .beside(first, way)
                .filter(|&second| self.is_valid(second) && state[second] != State::Taken);
            let change = second.map_or(0.0, |second| level(first) - level(second));
            Some((level(first) + change, change.abs()))
        });
        let is_off = |(expected, change): (f64, f64)| {
            (level(cell) - expected).abs() > least.max(OF_CHANGE * change)
        };
        let (mut off, mut all) = (0, 0);
        for line in lines {
            all += 1;
            off += usize::from(is_off(line));
        }
        all > 0 && 2 * off >= all
    }

    /// Returns the neighbour of a cell in a direction (columns and rows), if there is one.
    fn beside(&self, cell: usize, (right, down): (isize, isize)) -> Option<usize> {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let column = (cell % columns).checked_add_signed(right).filter(|&at| at < columns)?;
        let row = (cell / columns).checked_add_signed(down).filter(|&at| at < rows)?;
        Some(row * columns + column)
    }
}

/// State of a cell while rings are added.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Free,
    InRing,
    Taken,
}

const DIRECTIONS: [(isize, isize); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: usize = 40;

    /// Hills of 100 to 130 m on cells of 10 m; `other` replaces some of the heights (m).
    fn hills(other: impl Fn(usize, usize) -> Option<f64>) -> Vec<i32> {
        let level = |cell: usize| {
            let (column, row) = (cell % SIDE, cell / SIDE);
            let hills = 115.0 + 10.0 * (column as f64 / 6.0).sin() + 5.0 * (row as f64 / 4.0).cos();
            Bed::quantize(other(column, row).unwrap_or(hills)).unwrap()
        };
        (0..SIDE * SIDE).map(level).collect()
    }

    fn found(levels: &[i32]) -> Vec<(usize, bool, Option<f64>)> {
        let grid = Grid::plain(SIDE, SIDE, 10.0);
        let is_code = |level: i32| level % Bed::PER_METRE as i32 == 0;
        let smears = find(&grid, levels, &is_code).into_iter();
        let metres = |level: i32| f64::from(level) / Bed::PER_METRE;
        smears.map(|of| (of.cells.len(), of.is_below, of.mark.map(metres))).collect()
    }

    /// A share of a distant value that differs from row to row, from almost none to almost all.
    fn mixed(code: f64, row: usize) -> f64 {
        let part = (row * 17 % SIDE) as f64 / SIDE as f64;
        part * code + (1.0 - part) * 115.0
    }

    #[test]
    fn a_rim_of_mixtures_is_found_with_and_without_its_value() {
        let rim = |column: usize, row: usize| (column == 0).then(|| mixed(-9999.9, row));
        let [(cells, true, None)] = found(&hills(rim))[..] else { panic!("not one smear") };
        assert!((SIDE - 2..=SIDE).contains(&cells), "{cells} of {SIDE} cells");
        let collar = |column: usize, row: usize| match column {
            0..5 => Some(-9999.9),
            5 => Some(mixed(-9999.9, row)),
            _ => None,
        };
        let [(cells, true, Some(mark))] = found(&hills(collar))[..] else { panic!("no mark") };
        assert!((mark + 9999.9).abs() < 1e-4, "{mark}");
        assert!((6 * SIDE - 2..=6 * SIDE).contains(&cells), "{cells} cells");
        let high = |column: usize, row: usize| (column == 0).then(|| mixed(32000.0, row));
        let [(cells, false, None)] = found(&hills(high))[..] else { panic!("none above") };
        assert!((SIDE - 2..=SIDE).contains(&cells), "{cells} of {SIDE} cells");
    }

    #[test]
    fn overshoots_beyond_the_value_hide_nothing() {
        let high = |height: f64| 1900.0 + height;
        for code in [0.0, -9999.9] {
            let levels: Vec<i32> = hills(|_, _| None)
                .into_iter()
                .enumerate()
                .map(|(cell, level)| {
                    let ground = high(f64::from(level) / Bed::PER_METRE);
                    let (column, row) = (cell % SIDE, cell / SIDE);
                    let height = match column {
                        0..8 => code,
                        8 => code - 150.0 - row as f64,
                        9 => code + (ground - code) * (row * 17 % SIDE) as f64 / SIDE as f64,
                        _ => ground,
                    };
                    Bed::quantize(height).unwrap()
                })
                .collect();
            let [(cells, true, Some(mark))] = found(&levels)[..] else { panic!("{code}") };
            assert!((mark - code).abs() < 1e-4, "{mark}");
            assert!((10 * SIDE - 3..=10 * SIDE).contains(&cells), "{code}: {cells} cells");
        }
    }

    #[test]
    fn holes_that_a_warp_filled_are_found_amid_the_ground() {
        let hole = |column: usize, row: usize| {
            let at = (20..22).contains(&column) && (20..22).contains(&row);
            at.then(|| -2400.0 - (column * 7 + row * 3) as f64)
        };
        assert_eq!(found(&hills(hole)), [(4, true, None)]);
    }

    #[test]
    fn ground_is_left_as_it_is() {
        let none: [(usize, bool, Option<f64>); 0] = [];
        assert_eq!(found(&hills(|_, _| None)), none);
        // Surrounding walls of constant height or following the ground, a quarry, an outlet, and a
        // sea before cliffs.
        let edge = |at: usize| at == 0 || at == SIDE - 1;
        let walls = |column: usize, row: usize| (edge(column) || edge(row)).then_some(1000.0);
        assert_eq!(found(&hills(walls)), none);
        let along = |column: usize, row: usize| edge(row).then_some(1100.0 + (column % 7) as f64);
        assert_eq!(found(&hills(along)), none);
        let quarry = |column: usize, row: usize| {
            let pit = (10..20).contains(&column) && (10..20).contains(&row);
            pit.then(|| -60.5 + (column % 4) as f64)
        };
        assert_eq!(found(&hills(quarry)), none);
        let outlet = |column: usize, row: usize| (column == 0 && row < 6).then_some(-50.5);
        assert_eq!(found(&hills(outlet)), none);
        // A sea bed that falls to 5000 m below sea level, also with a plain and a trench beside
        // cliffs.
        let sea = |column: usize, row: usize| Some(100.0 - 130.0 * column as f64 - row as f64);
        let grid = Grid::plain(SIDE, SIDE, 450.0);
        assert_eq!(find(&grid, &hills(sea), &|_| true), []);
        let trench = |column: usize, row: usize| match (column, row) {
            (0, 0) => Some(900.0),
            (0..20, _) => Some(-800.0 + (row % 9) as f64 / 9.0),
            (column, row) => Some(-800.0 - 40.0 * (column - 19) as f64 - row as f64 / 9.0),
        };
        let grid = Grid::plain(SIDE, SIDE, 50.0);
        assert_eq!(find(&grid, &hills(trench), &|_| true), []);
    }
}
