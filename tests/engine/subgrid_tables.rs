//! Subgrid tables against plain evaluations of their pixels.

use inundate_engine::grid::Bed;
use inundate_engine::subgrid::build::tables;
use inundate_engine::subgrid::layout::{ShortFloat, cell, edge};
use inundate_engine::subgrid::tables::{CellWords, EdgeWords, Tables};

const CLOSED: i32 = Bed::OUTSIDE;
const METRE: i32 = 65536;

/// Pseudo-random numbers, determined by the seed (Steele, Lea & Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: i32) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % limit as u64) as i32
    }
}

/// A fine grid, row by row.
#[derive(Clone)]
struct Fine {
    columns: usize,
    levels: Vec<i32>,
    roughness: Option<Vec<f32>>,
}

impl Fine {
    fn new(columns: usize, rows: usize, mut level: impl FnMut(usize, usize) -> i32) -> Fine {
        let levels = (0..columns * rows).map(|at| level(at % columns, at / columns)).collect();
        Fine { columns, levels, roughness: None }
    }

    fn rows(&self) -> usize {
        self.levels.len() / self.columns
    }

    /// Returns a rough terrain in which `closed` of a hundred pixels are closed.
    fn random(seed: u64, [columns, rows]: [usize; 2], range: i32, closed: i32) -> Fine {
        let mut numbers = Numbers(seed);
        Fine::new(columns, rows, |_, _| {
            let level = numbers.below(range) - range / 2;
            if numbers.below(100) < closed { CLOSED } else { level }
        })
    }

    fn rough(mut self, seed: u64) -> Fine {
        let mut numbers = Numbers(seed);
        let n = |_: &i32| 0.01 + 0.0001 * numbers.below(1000) as f32;
        self.roughness = Some(self.levels.iter().map(n).collect());
        self
    }

    fn tables(&self, ratio: usize) -> Tables {
        tables(&self.levels, self.roughness.as_deref(), self.columns, ratio)
    }

    fn level(&self, column: usize, row: usize) -> i32 {
        let inside = column < self.columns && row < self.rows();
        if inside { self.levels[row * self.columns + column] } else { CLOSED }
    }

    /// Moves the pixels to other places in a grid with `columns` columns.
    fn moved(&self, columns: usize, to: impl Fn(usize, usize) -> (usize, usize)) -> Fine {
        let mut moved = self.clone();
        moved.columns = columns;
        for row in 0..self.rows() {
            for column in 0..self.columns {
                let (from, (c, r)) = (row * self.columns + column, to(column, row));
                moved.levels[r * columns + c] = self.levels[from];
                if let (Some(to), Some(n)) = (&mut moved.roughness, &self.roughness) {
                    to[r * columns + c] = n[from];
                }
            }
        }
        moved
    }
}

/// Returns a number that starts at a bit of a word.
fn short(word: u32, kind: ShortFloat, place: u32) -> f64 {
    f64::from(kind.value(word >> place & ((1 << kind.bits) - 1)))
}

/// Returns the highest ten bits of a word.
fn high(word: u32) -> u32 {
    word >> 22
}

/// Returns the level at which a cell is full, above its lowest pixel (2⁻¹⁶ m).
fn relief(table: &CellWords) -> f64 {
    f64::from(cell::RELIEF.value(high(table[2]) >> 1 | high(table[3]) << 9))
}

/// Returns the mean depth of a full cell (m).
fn full(table: &CellWords) -> f64 {
    64.0 / short(table[cell::FULL], cell::PER_FULL, 0)
}

/// Returns the rate at which the level of a cell rises above its relief.
fn spread(table: &CellWords) -> f64 {
    f64::from(cell::SPREAD.value(table[cell::FULL] >> 20))
}

/// Returns the levels of a cell's knots 1 to 8 above its lowest pixel (2⁻¹⁶ m).
fn levels(table: &CellWords) -> Vec<f64> {
    let pairs = table[cell::LEVELS..].iter().flat_map(|word| [word & 2047, word >> 11 & 2047]);
    let seventh = high(table[1]) | (high(table[2]) & 1) << 10;
    let shares = pairs.chain([seventh, 2048]);
    shares.map(|share| f64::from(share) * relief(table) / 2048.0).collect()
}

/// Returns the section and the depth of conveyance at an edge's top (m).
fn tops(table: &EdgeWords) -> [f64; 2] {
    [0, 16].map(|place| short(table[edge::TOPS], edge::TOP, place))
}

/// Returns the sections and depths of conveyance at an edge's knots 1 to 6 (m).
fn knots(table: &EdgeWords) -> [Vec<f64>; 2] {
    let halves = |word: usize| [table[word] & 0xffff, table[word] >> 16];
    let [_, first] = halves(edge::FADING);
    let [[second, third], [fourth, fifth]] = [edge::ROOTS, edge::ROOTS + 1].map(halves);
    let all = [first, second, third, fourth, fifth, 252 << 8 | 252];
    let of = |place: u32, top: f64| {
        all.iter().map(|roots| (f64::from(roots >> place & 255) / 252.0).powi(2) * top).collect()
    };
    let [section, conveyance] = tops(table);
    [of(8, section), of(0, conveyance)]
}

/// Returns the height from the sill to the top (m).
fn rise(table: &EdgeWords) -> f64 {
    36.0 / short(table[edge::ABOVE], edge::PER_RISE, 18)
}

/// Returns the growth rates of the section and, far above the top, of the depth of conveyance.
fn growths(table: &EdgeWords) -> [f64; 2] {
    let both = table[edge::ABOVE];
    [both & 511, both >> 9 & 511].map(|growth| f64::from(growth) / 256.0)
}

/// Returns the depth of conveyance at a height above the top (m).
fn conveys_above(table: &EdgeWords, height: f64) -> f64 {
    let [_, top] = tops(table);
    let [excess, root] = [0, 8].map(|place| f64::from(table[edge::FADING] >> place & 255));
    let excess = top * (excess / 128.0 - 1.0);
    let fades = rise(table) * root * root / (36.0 * 128.0);
    top + growths(table)[1] * height - excess * height / (height + fades)
}

/// Returns the maximum error of a number whose root is stored in eight bits.
fn of_root(number: f64, greatest: f64) -> f64 {
    (number * greatest).sqrt() / 250.0 + greatest / 4000.0
}

#[track_caller]
fn near(found: f64, expected: f64, error: f64, what: &str) {
    assert!((found - expected).abs() <= error, "{what}: {found} is not {expected} ± {error}");
}

/// Returns the open pixels of a cell (2⁻¹⁶ m).
fn pixels(fine: &Fine, ratio: usize, [column, row]: [usize; 2]) -> Vec<i32> {
    let of = |at: usize| fine.level(column * ratio + at % ratio, row * ratio + at / ratio);
    (0..ratio * ratio).map(of).filter(|&level| level != CLOSED).collect()
}

fn levels_are_those_of_volumes(fine: &Fine, ratio: usize) {
    let made = fine.tables(ratio);
    for at in 0..made.bed.len() {
        let open = pixels(fine, ratio, [at % made.columns, at / made.columns]);
        let table = made.words_of_cell(at);
        let Some(&lowest) = open.iter().min() else {
            assert_eq!(made.bed[at], CLOSED);
            continue;
        };
        assert_eq!(made.bed[at], lowest);
        let share = open.len() as f64 / (ratio * ratio) as f64;
        // Mean depth in 2⁻¹⁶ m at a level above the lowest pixel.
        let volume = |level: f64| {
            let depth = |&z: &i32| (level - f64::from(z - lowest)).max(0.0);
            open.iter().map(depth).sum::<f64>() / (ratio * ratio) as f64
        };
        let full = 65536.0 * full(&table);
        near(spread(&table), 1.0 / share, 1.0 / share / 256.0, "spread");
        let relief = relief(&table);
        assert!(relief >= f64::from(open.iter().max().expect("one") - lowest));
        assert!(full >= 64.0 * share * 0.999_98, "{full}");
        near(full, volume(relief), 2e-5 * full, "full");
        let step = relief / 2048.0;
        let mut before = 0.0;
        for (k, level) in levels(&table).into_iter().enumerate() {
            let wanted = full * ((k + 1) * (k + 1)) as f64 / 64.0;
            let slack = 2e-5 * full;
            assert!(volume(level - step) - slack <= wanted, "knot {} of {open:?}", k + 1);
            assert!(volume(level + step) + slack >= wanted, "knot {} of {open:?}", k + 1);
            assert!(level >= before);
            before = level;
        }
    }
}

#[test]
fn levels_at_knots_match_their_volumes() {
    for (seed, range) in [100, 5 * METRE, 300 * METRE].into_iter().enumerate() {
        let seed = seed as u64;
        levels_are_those_of_volumes(&Fine::random(seed, [24, 16], range, 0), 8);
        levels_are_those_of_volumes(&Fine::random(seed, [23, 17], range, 30), 5);
        levels_are_those_of_volumes(&Fine::random(seed, [9, 7], range, 95), 1);
        levels_are_those_of_volumes(&Fine::random(seed, [64, 32], range, 10), 32);
    }
    // A flight of stairs, and a single step with one pixel at its foot.
    levels_are_those_of_volumes(&Fine::new(16, 16, |c, r| (c + r) as i32 / 4 * METRE), 8);
    levels_are_those_of_volumes(&Fine::new(64, 64, |c, r| i32::from(c + r > 0) * 65), 64);
}

#[test]
fn the_volume_of_a_flat_cell_is_proportional_to_depth() {
    let flat = Fine::new(16, 8, |column, _| if column < 4 { CLOSED } else { 12 * METRE });
    let made = flat.tables(8);
    for (at, share) in [(0, 0.5), (1, 1.0)] {
        let table = made.words_of_cell(at);
        assert_eq!(made.bed[at], 12 * METRE);
        assert_eq!(relief(&table), 64.0);
        assert_eq!(full(&table), share / 1024.0);
        assert_eq!(spread(&table), 1.0 / share);
        let straight: Vec<f64> = (1..=cell::KNOTS).map(|k| (k * k) as f64).collect();
        assert_eq!(levels(&table), straight);
    }
}

/// Returns the minimum of all sections by exhaustive search: `join` combines the weights of their
/// pixels, `better` selects one of two.
fn exhaustive(
    rows: &[Vec<f64>],
    join: fn(f64, f64) -> f64,
    better: fn(f64, f64) -> f64,
    none: f64,
) -> f64 {
    let (first, rest) = rows.split_first().expect("a row");
    let mut best = none;
    let columns = first.len();
    // A section enters a row at one column, follows it, and leaves it at another.
    for enters in 0..columns {
        for leaves in 0..columns {
            let along = enters.min(leaves)..=enters.max(leaves);
            let here = first[along].iter().copied().reduce(join).expect("a pixel");
            best = better(best, here_and_below(here, leaves, rest, join, better, none));
        }
    }
    best
}

fn here_and_below(
    so_far: f64,
    left: usize,
    rows: &[Vec<f64>],
    join: fn(f64, f64) -> f64,
    better: fn(f64, f64) -> f64,
    none: f64,
) -> f64 {
    let Some((first, rest)) = rows.split_first() else { return so_far };
    let mut best = none;
    for enters in left.saturating_sub(1)..=(left + 1).min(first.len() - 1) {
        for leaves in 0..first.len() {
            let along = enters.min(leaves)..=enters.max(leaves);
            let here = first[along].iter().copied().fold(so_far, join);
            best = better(best, here_and_below(here, leaves, rest, join, better, none));
        }
    }
    best
}

/// Two adjacent cells: levels (m; infinite where closed) and Manning's n.
struct Beside {
    ratio: usize,
    levels: Vec<Vec<f64>>,
    roughness: Vec<Vec<f64>>,
    /// Mean of the cells' mean n.
    mean: f64,
    /// Set if both cells exist and have open pixels.
    two: bool,
}

impl Beside {
    /// Returns the cells on both sides of an east (0) or south (1) edge, which is behind the column
    /// (or row) of cells of that number.
    fn of(fine: &Fine, ratio: usize, axis: usize, along: usize, across: usize) -> Option<Beside> {
        let pixel = |i: usize, j: usize| {
            let (i, j) = (along * ratio + i - ratio, across * ratio + j);
            if axis == 0 { (i, j) } else { (j, i) }
        };
        let level = |i: usize, j: usize| {
            let out = along == 0 && i < ratio;
            let (column, row) = if out { return f64::INFINITY } else { pixel(i, j) };
            match fine.level(column, row) {
                CLOSED => f64::INFINITY,
                level => f64::from(level) / 65536.0,
            }
        };
        let roughness = |i: usize, j: usize| {
            let Some(n) = &fine.roughness else { return 1.0 };
            if along == 0 && i < ratio {
                return 1.0;
            }
            let (column, row) = pixel(i, j);
            let inside = column < fine.columns && row < fine.rows();
            if inside { f64::from(n[row * fine.columns + column]) } else { 1.0 }
        };
        let mirror = |i: usize| 2 * ratio - 1 - i;
        let closed = |from: usize| {
            (from..from + ratio).all(|i| (0..ratio).all(|j| level(i, j) == f64::INFINITY))
        };
        let side = match (closed(0), closed(ratio)) {
            (true, true) => return None,
            (first, second) => [first, second],
        };
        let own = |i: usize| if side[i / ratio] { mirror(i) } else { i };
        // Towards a side without a cell, closed pixels count as the nearest open one before them,
        // slightly raised.
        let from = |i: usize, j: usize| {
            let is_open = |i: &usize| level(*i, j) != f64::INFINITY;
            match side {
                [true, _] => (ratio..2 * ratio).find(is_open).map_or(own(i), |at| own(i).max(at)),
                [_, true] => (0..ratio).rev().find(is_open).map_or(own(i), |at| own(i).min(at)),
                _ => own(i),
            }
        };
        let height = |i: usize, j: usize| {
            let hair = if from(i, j) == own(i) { 0.0 } else { 1.0 / 65536.0 };
            level(from(i, j), j) + hair
        };
        let grid = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..ratio).map(|j| (0..2 * ratio).map(|i| of(i, j)).collect()).collect()
        };
        let n = |i: usize, j: usize| roughness(from(i, j), j);
        // Each cell's mean is over its own pixels.
        let mean = |columns: std::ops::Range<usize>| {
            let all = columns.flat_map(|i| (0..ratio).map(move |j| (own(i), j)));
            let open: Vec<_> = all.filter(|&(i, j)| level(i, j).is_finite()).collect();
            open.iter().map(|&(i, j)| roughness(i, j)).sum::<f64>() / open.len() as f64
        };
        let mean = 0.5 * (mean(0..ratio) + mean(ratio..2 * ratio));
        let two = side == [false, false];
        Some(Beside { ratio, levels: grid(&height), roughness: grid(&n), mean, two })
    }

    fn lowest(&self, columns: std::ops::Range<usize>) -> f64 {
        let all = self.levels.iter().flat_map(|row| row[columns.clone()].iter());
        all.copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the level at which a flood from one pixel reaches the other.
    fn pass(&self, from: (usize, usize), to: (usize, usize)) -> f64 {
        let mut tried: Vec<f64> = self.levels.iter().flatten().copied().collect();
        tried.sort_by(f64::total_cmp);
        let reaches = |level: &f64| {
            let mut wet = vec![vec![false; 2 * self.ratio]; self.ratio];
            let mut left = vec![from];
            while let Some((i, j)) = left.pop() {
                if self.levels[j][i] > *level || std::mem::replace(&mut wet[j][i], true) {
                    continue;
                }
                let beside = [(-1, 0), (1, 0), (0, -1), (0, 1)];
                let places = beside.map(|(x, y)| (i as isize + x, j as isize + y));
                let inside = places.into_iter().filter(|&(i, j)| {
                    i >= 0 && j >= 0 && i < 2 * self.ratio as isize && j < self.ratio as isize
                });
                left.extend(inside.map(|(i, j)| (i as usize, j as usize)));
            }
            wet[to.1][to.0]
        };
        let finite = tried.into_iter().filter(|level| level.is_finite());
        finite.into_iter().find(reaches).unwrap_or(f64::INFINITY)
    }

    /// Returns the factor by which sections at a level are longer than pixels side by side, and the
    /// factor of conveyances.
    fn course(&self, level: f64) -> [f64; 2] {
        if !self.two {
            return [1.0; 2];
        }
        let middle = |columns: std::ops::Range<usize>| {
            let over = level.max(self.lowest(columns.clone()) + 1.0 / 65536.0);
            let pixels = columns.flat_map(|i| (0..self.ratio).map(move |j| (i, j)));
            let water = pixels.map(|(i, j)| (i, j, (over - self.levels[j][i]).max(0.0)));
            water.fold([0.0; 3], |[x, y, all], (i, j, h)| {
                [x + h * i as f64, y + h * j as f64, all + h]
            })
        };
        let [a, b] = [middle(0..self.ratio), middle(self.ratio..2 * self.ratio)];
        let [x, y] = [0, 1].map(|axis| (b[axis] / b[2] - a[axis] / a[2]) / self.ratio as f64);
        let way = x.hypot(y);
        [way / x.abs().max(y.abs()), way.clamp(0.25, 2.0).powf(-0.5)]
    }

    /// Compares a table with this evaluation; returns `true` if a wall separates the cells.
    fn compare(&self, table: &EdgeWords) -> bool {
        let r = self.ratio;
        let lows = [self.lowest(0..r), self.lowest(r..2 * r)];
        let has = |i: usize, low: f64| self.levels.iter().any(|row| row[i] == low);
        let own = [
            (0..r).find(|&i| has(i, lows[0])).expect("a lowest pixel"),
            (r..2 * r).find(|&i| has(i, lows[1])).expect("a lowest pixel"),
        ];
        // Mean distance of the pixels of the lowest quarter from the edge.
        let away = |columns: std::ops::Range<usize>, low: f64| {
            let all = columns.flat_map(|i| (0..r).map(move |j| (i, j)));
            let open: Vec<_> = all.filter(|&(i, j)| self.levels[j][i].is_finite()).collect();
            let level = |&(i, j): &(usize, usize)| self.levels[j][i];
            let high = open.iter().map(level).fold(low, f64::max);
            let deep = low + ((high - low) * 65536.0 / 4.0).floor() / 65536.0;
            let deep: Vec<_> = open.iter().filter(|pixel| level(pixel) <= deep).collect();
            let away = |&&(i, _): &&(usize, usize)| if i < r { r - 1 - i } else { i - r };
            let sum: usize = deep.iter().map(away).sum();
            (sum as f64 / deep.len() as f64 + 0.5).floor() as usize
        };
        let nearest =
            [own[0].max(r - 1 - away(0..r, lows[0])), own[1].min(r + away(r..2 * r, lows[1]))];
        let place = |columns: std::ops::Range<usize>, low: f64| {
            let all = columns.flat_map(|i| (0..r).map(move |j| (i, j)));
            let found: Vec<_> = all.filter(|&(i, j)| self.levels[j][i] == low).collect();
            assert_eq!(found.len(), 1, "these cells have one lowest pixel each");
            found[0]
        };
        let pass = self.pass(place(0..r, lows[0]), place(r..2 * r, lows[1]));
        if pass == f64::INFINITY {
            assert_eq!(table[edge::SILL], i32::MAX as u32);
            assert_eq!(table[edge::TOPS], 0);
            return false;
        }
        assert_eq!(f64::from(table[edge::SILL] as i32) / 65536.0, pass);

        let band = |[first, last]: [usize; 2]| -> Vec<Vec<f64>> {
            self.levels.iter().map(|row| row[first..=last].to_vec()).collect()
        };
        let sill =
            |between: [usize; 2]| exhaustive(&band(between), f64::min, f64::max, f64::NEG_INFINITY);
        assert!(sill(nearest) <= pass && sill(own) <= pass);
        let between = if sill(nearest) < pass { own } else { nearest };
        let (first, band) = (between[0], band(between));
        let held = exhaustive(&band, f64::min, f64::max, f64::NEG_INFINITY) < pass;
        let least = if held { pass } else { f64::NEG_INFINITY };
        let open = band.iter().flatten().filter(|z| z.is_finite());
        let highest = open.copied().fold(pass, f64::max);
        let rise = rise(table);
        let exact = 1.0 - 1e-7;
        assert!(
            rise >= (highest - pass).max(0.05) * exact
                && rise < (highest - pass).max(0.05) * 513.0 / 512.0 + 2e-5
        );

        let mean = self.mean;
        let at = |height: f64| {
            let weights = |power: f64, rough: bool| -> Vec<Vec<f64>> {
                let weight = |j: usize, i: usize| {
                    let depth = (pass + height - band[j][i].max(least)).max(0.0);
                    let n = if rough { self.roughness[j][first + i] / mean } else { 1.0 };
                    depth.powf(power) / n / r as f64
                };
                (0..r).map(|j| (0..band[j].len()).map(|i| weight(j, i)).collect()).collect()
            };
            let least = |w: Vec<Vec<f64>>| exhaustive(&w, |a, b| a + b, f64::min, f64::INFINITY);
            let [longer, winds] = self.course(pass + height);
            let area = least(weights(1.0, false)) * longer;
            let conveyance = least(weights(5.0 / 3.0, true)) * longer * winds;
            (area, conveyance.powf(0.6))
        };
        let [sections, conveyances] = knots(table);
        let [top, greatest] = tops(table);
        let mut before = 0.0;
        for k in 1..=edge::KNOTS {
            let (area, depth) = at(rise * (k * k) as f64 / 36.0);
            near(sections[k - 1], area, of_root(area, top) + 1e-7, "section");
            near(conveyances[k - 1], depth, of_root(depth, greatest), "conveyance");
            assert!(sections[k - 1] >= before);
            before = sections[k - 1];
        }
        let up = rise.clamp(1.0, 2048.0);
        let (above, _) = at(rise + up);
        near(growths(table)[0], ((above - top) / up).min(1.0), 2e-3 + top / up / 4000.0, "growth");
        // If roughness varies between pixels by a factor, the table is only an estimate.
        let heights = match self.roughness.iter().flatten().all(|&n| n == 1.0) {
            true => &[0.03, 0.1, 0.3, 1.0, 3.0, 8.0][..],
            false => &[],
        };
        let mut before = greatest;
        for height in heights.iter().map(|part| part * up) {
            let (found, (_, depth)) = (conveys_above(table, height), at(rise + height));
            near(found, depth, 0.12 * depth, "conveyance above");
            assert!(found >= before * 0.995, "{found} above {before}");
            before = found;
        }
        held
    }
}

/// Compares all edges of a fine grid, and returns their numbers, and the numbers of those with a
/// wall.
fn edges_are_as_all_paths_say(fine: &Fine, ratio: usize) -> [usize; 3] {
    let made = fine.tables(ratio);
    let mut count = [0; 3];
    for axis in 0..2 {
        let (along, across) = match axis {
            0 => (made.columns, made.rows),
            _ => (made.rows, made.columns),
        };
        for a in 0..=along {
            for b in 0..across {
                let number = if axis == 0 { b * (along + 1) + a } else { a * across + b };
                let table = made.words_of_edge(axis, number);
                let held = match Beside::of(fine, ratio, axis, a, b) {
                    Some(beside) => beside.compare(&table),
                    None => {
                        assert_eq!(table[edge::SILL], i32::MAX as u32);
                        false
                    }
                };
                count[0] += 1;
                count[1] += usize::from(held);
                count[2] += usize::from(table[edge::SILL] == i32::MAX as u32);
            }
        }
    }
    count
}

/// Gives each pixel a distinct level.
fn distinct(mut fine: Fine) -> Fine {
    let open = fine.levels.iter_mut().enumerate().filter(|(_, level)| **level != CLOSED);
    open.for_each(|(at, level)| *level = *level / 256 * 256 + at as i32 % 256);
    fine
}

#[test]
fn sections_sills_and_passes_match_a_search_of_all_paths() {
    let mut counts = [0; 3];
    let mut add = |more: [usize; 3]| (0..3).for_each(|i| counts[i] += more[i]);
    for seed in 0..6 {
        for range in [4 * 256, 2 * METRE, 200 * METRE] {
            let plain = distinct(Fine::random(seed, [9, 9], range, 0));
            add(edges_are_as_all_paths_say(&plain, 3));
            let closed = distinct(Fine::random(seed + 50, [8, 10], range, 35)).rough(seed);
            add(edges_are_as_all_paths_say(&closed, 3));
        }
        let pairs = distinct(Fine::random(seed + 99, [10, 8], 3 * METRE, 40)).rough(seed);
        add(edges_are_as_all_paths_say(&pairs, 2));
        add(edges_are_as_all_paths_say(&pairs, 1));
    }
    let four = distinct(Fine::random(7, [8, 4], 5 * METRE, 10)).rough(3);
    add(edges_are_as_all_paths_say(&four, 4));
    let [edges, held, shut] = counts;
    assert!(held > 50 && shut > 50 && shut < edges / 2, "{counts:?}");
}

#[test]
fn nothing_crosses_a_wall_below_its_crest() {
    // A wall through the cells of the second column, 3 m high with a crest that drops to 2 m.
    let ground = |column: usize, row: usize| match column {
        11 => 3 * METRE - (row == 5) as i32 * METRE,
        _ => 0,
    };
    let made = Fine::new(24, 8, ground).tables(8);
    let sills: Vec<i32> = made.edge(0, edge::SILL).iter().map(|&word| word as i32).collect();
    // The water of that cell is in the larger of its two pools, east of the wall.
    assert_eq!(sills, [0, 2 * METRE, 0, 0]);
    // All pixels count as no lower than the lowest point of the crest, over which one of eight
    // pixels is open up to the top.
    let table = made.words_of_edge(0, 1);
    near(rise(&table), 1.0, 1e-9, "rise");
    // (The centroid of the water is slightly off: the crest is uneven.)
    near(tops(&table)[0], 0.125, 1e-4, "section");
    near(growths(&table)[0], 1.0, 1e-9, "growth");
}

#[test]
fn cells_with_two_pools_below_a_pass_are_reported() {
    // In each cell except the last, a wall of 3 m; the ground behind it is as low, 0.05 m lower,
    // and as low but with a gap.
    let ground = |column: usize, row: usize| match (column / 8, column % 8) {
        (0..3, 4) if column / 8 != 2 || row > 0 => 3 * METRE,
        (1, 5..) => 3 * METRE - METRE / 20,
        _ => 0,
    };
    let made = Fine::new(32, 8, ground).tables(8);
    assert_eq!(made.parted, [true, false, false, false]);
    let transposed = Fine::new(8, 32, |column, row| ground(row, column)).tables(8);
    assert_eq!(transposed.parted, made.parted);
    // If all exits are on this side of the wall, the other side is an unreachable pond.
    let behind = Fine::new(16, 8, |column, _| if column == 12 { 3 * METRE } else { 0 });
    assert_eq!(behind.tables(8).parted, [false, false]);
}

#[test]
fn a_channel_has_its_width_and_depth() {
    // 3 of 10 pixels are 4 m lower.
    let channel = Fine::new(30, 10, |_, row| if (4..7).contains(&row) { METRE } else { 5 * METRE });
    let made = channel.tables(10);
    for table in (0..4).map(|at| made.words_of_edge(0, at)) {
        assert_eq!(table[edge::SILL], METRE as u32);
        near(rise(&table), 4.0, 1e-9, "rise");
        let [sections, conveyances] = knots(&table);
        for k in 1..=edge::KNOTS {
            let depth = 4.0 * (k * k) as f64 / 36.0;
            near(sections[k - 1], 0.3 * depth, of_root(0.3 * depth, 1.2), "section");
            let wide = 0.3f64.powf(0.6);
            near(conveyances[k - 1], wide * depth, of_root(wide * depth, wide * 4.0), "conveyance");
        }
        // Above its banks, where the plain conveys an increasing part.
        for height in [0.05, 0.2, 0.5, 1.0, 4.0, 20.0f64] {
            let power = |depth: f64| depth.powf(5.0 / 3.0);
            let depth = (0.3 * power(4.0 + height) + 0.7 * power(height)).powf(0.6);
            near(conveys_above(&table, height), depth, 0.005 * depth, "conveyance above");
        }
        near(tops(&table)[0], 1.2, 1.2 / 4096.0, "section");
        assert_eq!(growths(&table)[0], 1.0);
    }
    // The depth of conveyance of a plain is its depth, however deep.
    let table = Fine::new(16, 8, |_, _| -77).tables(8).words_of_edge(0, 1);
    assert_eq!(table[edge::SILL] as i32, -77);
    for top in tops(&table) {
        near(top, rise(&table), 3e-5, "at the top");
    }
    assert_eq!(growths(&table)[0], 1.0);
    assert_eq!(growths(&table)[1], 1.0);
    let straight: Vec<u32> = (1..=edge::KNOTS as u32).map(|k| 42 * k).collect();
    let whole = |x: &f64| (252.0 * (x / tops(&table)[0]).sqrt() + 1e-6) as u32;
    for numbers in knots(&table) {
        assert_eq!(numbers.iter().map(whole).collect::<Vec<_>>(), straight);
    }
}

#[test]
fn tables_of_a_rotated_dem_are_the_rotated_tables() {
    for (seed, ratio) in [(1, 4), (2, 8), (3, 5)] {
        let [columns, rows] = [3 * ratio, 2 * ratio];
        let fine = distinct(Fine::random(seed, [columns, rows], 20 * METRE, 15)).rough(seed);
        let made = fine.tables(ratio);
        let of_cell = |made: &Tables, c: usize, r: usize| {
            let at = r * made.columns + c;
            (made.bed[at], made.roughness[at], made.words_of_cell(at))
        };
        let east = |made: &Tables, c, r| made.words_of_edge(0, r * (made.columns + 1) + c);
        let south = |made: &Tables, c, r| made.words_of_edge(1, r * made.columns + c);
        let transposed = fine.moved(rows, |c, r| (r, c)).tables(ratio);
        let upside_down = fine.moved(columns, |c, r| (c, rows - 1 - r)).tables(ratio);
        let mirrored = fine.moved(columns, |c, r| (columns - 1 - c, r)).tables(ratio);
        for r in 0..2 {
            for c in 0..3 {
                let here = of_cell(&made, c, r);
                assert_eq!(here, of_cell(&transposed, r, c));
                assert_eq!(here, of_cell(&upside_down, c, 1 - r));
                assert_eq!(here, of_cell(&mirrored, 2 - c, r));
            }
            for c in 0..4 {
                let here = east(&made, c, r);
                assert_eq!(here, south(&transposed, r, c));
                assert_eq!(here, east(&upside_down, c, 1 - r));
                assert_eq!(here, east(&mirrored, 3 - c, r));
            }
        }
        for r in 0..3 {
            for c in 0..3 {
                let here = south(&made, c, r);
                assert_eq!(here, east(&transposed, r, c));
                assert_eq!(here, south(&upside_down, c, 2 - r));
                assert_eq!(here, south(&mirrored, 2 - c, r));
            }
        }
    }
}

#[test]
fn closed_pixels_store_nothing_and_block_flow() {
    // A row of buildings through the middle of the cells, and a cell of buildings only.
    let ground = |column: usize, row: usize| match (column, row) {
        (16.., _) | (6, _) => CLOSED,
        (_, 0..2) => CLOSED,
        _ => 10,
    };
    let made = Fine::new(24, 8, ground).tables(8);
    assert_eq!(made.bed, [10, 10, CLOSED]);
    let sills: Vec<i32> = made.edge(0, edge::SILL).iter().map(|&word| word as i32).collect();
    // The lowest pixel of the first cell is west of the buildings; the last cell has a wall only on
    // its east.
    assert_eq!(sills, [10, i32::MAX, 10, i32::MAX]);
    let table = made.words_of_edge(0, 2);
    near(tops(&table)[0], 0.75 * rise(&table), 3e-5, "section");
    assert_eq!(growths(&table)[0], 0.75);
    near(spread(&made.words_of_cell(1)), 1.0 / 0.75, 1.0 / 256.0, "spread");
    // Except for outflow over a side, which uses the last existing pixels.
    let ends = Fine::new(13, 4, |c, _| c as i32 * METRE).tables(8);
    assert_eq!(ends.edge(0, edge::SILL), [0, 8 * METRE as u32, 12 * METRE as u32 + 1]);
    // Missing pixels of the last row and column of cells are closed, too.
    let cut = Fine::new(13, 11, |c, r| (c * r) as i32);
    let whole = Fine::new(16, 16, |c, r| if c < 13 && r < 11 { (c * r) as i32 } else { CLOSED });
    assert_eq!(cut.tables(8), whole.tables(8));
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    let fine = Fine::random(5, [80, 48], 30 * METRE, 5).rough(1);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| fine.tables(8))
    };
    let one = with(1);
    for threads in [2, 3, 7] {
        assert!(with(threads) == one, "{threads} threads");
    }
}
