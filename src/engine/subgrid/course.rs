//! How water flows from one cell to the next: by which way, and across the edge or aslant.
//!
//! A channel in the pixels of cells that runs across the grid is a flight of stairs in the cells. From the middle of its water in one to that in the
//! next it has a shorter way than the cells lie apart, and it crosses their edge aslant, where a section is a path of pixels that counts a step to the
//! side no more than one straight on. Both make it stand too high, by up to a quarter of its depth. Water that covers its cells
//! flows by their distance, straight across.

use super::pixels::Pair;
use super::sections::LEVELS;

/// The least and the greatest way, in the distance of the cells: pools that lie beside the edge are not one.
const WAYS: [f64; 2] = [0.25, 2.0];

/// The course of water over an edge at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// The way from the middle of the water of one cell to that of the other, in the distance of the cells.
    pub way: f64,
    /// How much longer a section across it is than the pixels that it is made of, 1 to √2.
    pub aslant: f64,
}

impl Course {
    /// Of water that flows by the distance of the cells.
    pub const STRAIGHT: Course = Course { way: 1.0, aslant: 1.0 };

    /// Of ways across an edge and along it, in the distance of the cells.
    fn of([across, along]: [f64; 2]) -> Course {
        let way = (across * across + along * along).sqrt();
        let greater = across.abs().max(along.abs());
        let aslant = if greater > 0.0 { way / greater } else { 1.0 };
        Course { way: way.clamp(WAYS[0], WAYS[1]), aslant }
    }

    /// What a conveyance between the two cells is multiplied with: that of a plain bed is by their distance Δ, and the slope by the way s;
    /// Manning's √(difference/s) is √(Δ/s) times √(difference/Δ).
    pub fn conveys(self) -> f64 {
        self.aslant * (1.0 / self.way).sqrt()
    }
}

/// Courses of two cells' water at some levels (2⁻¹⁶ m, rising). `aspect` is the width of the edge over the distance of the cells.
pub fn between(pair: &Pair, levels: [i64; LEVELS], aspect: f64) -> [Course; LEVELS] {
    let [from, to] = [0, 1].map(|side| middles(pair, side, levels));
    let size = pair.ratio as f64;
    std::array::from_fn(|level| {
        let [across, along] = [0, 1].map(|axis| (to[level][axis] - from[level][axis]) / size);
        Course::of([across, along * aspect])
    })
}

/// The middles of a cell's water, counted by volume, at some levels (pixels, across the edge and along it); of a dry cell that of its lowest pixels.
/// Sums are of whole numbers, and have no order: of cells of 512 pixels across they stay below 2⁶¹.
fn middles(pair: &Pair, side: usize, levels: [i64; LEVELS]) -> [[f64; 2]; LEVELS] {
    let (order, stride) = (&pair.order[side], pair.stride());
    let height = |pixel: u32| i64::from(pair.levels[pixel as usize]);
    let lowest = order.first().map_or(0, |&pixel| height(pixel));
    let mut pixels = order.iter().copied().peekable();
    // Of 1, the column and the row: the sums over the wet pixels, and those times their heights above the lowest.
    let (mut sums, mut weighed) = ([0i64; 3], [0i64; 3]);
    levels.map(|level| {
        let level = level.max(lowest + 1);
        while let Some(pixel) = pixels.next_if(|&pixel| height(pixel) < level) {
            let place = pixel as usize;
            let of = [1, (place % stride) as i64, (place / stride) as i64];
            let above = height(pixel) - lowest;
            for term in 0..3 {
                sums[term] += of[term];
                weighed[term] += of[term] * above;
            }
        }
        let deep = level - lowest;
        let [water, columns, rows] =
            [0, 1, 2].map(|term| (deep * sums[term] - weighed[term]) as f64);
        [columns / water, rows / water]
    })
}

#[cfg(test)]
mod tests {
    use super::super::pixels::{Lie, Pixels};
    use super::*;

    /// The course at a level (m) between two cells of 8 × 8 pixels, of which a level says how high each is (m).
    fn course(level: f64, of: impl Fn(usize, usize) -> f64) -> Course {
        let whole = |metres: f64| (metres * 65536.0) as i32;
        let place = |at: usize| whole(of(at % 16, at / 16));
        let levels: Vec<i32> = (0..128).map(place).collect();
        let cells = [0, 8].map(|first| Pixels::cut(&levels, None, 16, first, 8));
        let mut pair = Pair::default();
        assert!(pair.take([Some(&cells[0]), Some(&cells[1])], Lie::Rows, 8));
        let levels = std::array::from_fn(|at| i64::from(whole(level)) + at as i64);
        between(&pair, levels, 1.0)[0]
    }

    #[test]
    fn water_on_a_plain_and_in_a_channel_along_the_grid_flows_by_the_distance_of_its_cells() {
        let slope = |x: usize, y: usize| 0.01 * (x + y) as f64;
        for level in [0.2, 0.5, 2.0] {
            let found = course(level, |x, y| slope(x % 8, y));
            assert!((found.way - 1.0).abs() < 1e-12 && found.aslant == 1.0, "{found:?}");
        }
        assert_eq!(course(1.0, |_, y| if y == 3 { 0.0 } else { 2.0 }), Course::STRAIGHT);
        // A dry plain, too.
        assert_eq!(course(-1.0, |_, _| 0.0), Course::STRAIGHT);
    }

    #[test]
    fn a_channel_at_45_degrees_has_a_shorter_way_and_crosses_aslant() {
        let channel = |x: usize, y: usize| if (x + 4).abs_diff(y + 8) <= 1 { 0.0 } else { 2.0 };
        let found = course(1.0, channel);
        assert!((found.way - 0.5f64.sqrt()).abs() < 0.06, "{found:?}");
        assert!((found.aslant - 2f64.sqrt()).abs() < 0.06, "{found:?}");
        // Under deep water it is one with its plain.
        let deep = course(40.0, channel);
        assert!((deep.way - 1.0).abs() < 0.02 && deep.aslant < 1.01, "{deep:?}");
    }
}
