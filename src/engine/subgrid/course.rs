//! Course of the water from one cell to the next: length of its path, and its obliqueness to the
//! edge.
//!
//! A channel of pixels that runs diagonally to the grid is a staircase in the cells. From the
//! centre of its water in one cell to that in the next, the path is shorter than the distance of
//! the cells. It also crosses their edge obliquely, where a section is a path of pixels that counts
//! a diagonal step no more than a straight one. Both raise the water by up to a quarter of its
//! depth. Water that covers its cells flows straight across, over the full distance.

use super::pixels::Pair;
use super::sections::LEVELS;

/// Range of the path length, in units of the distance of the cells: pools beside the edge do not
/// define a path.
const WAYS: [f64; 2] = [0.25, 2.0];

/// Course of the water across an edge at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Length of the path between the centres of both cells' water, in units of the distance of the
    /// cells.
    pub way: f64,
    /// Factor by which a section across it is longer than its number of pixels, 1 to √2.
    pub aslant: f64,
}

impl Course {
    /// Course over the full distance of the cells, straight across.
    pub const STRAIGHT: Course = Course { way: 1.0, aslant: 1.0 };

    /// Computes the course from the displacement across the edge and along it, in units of the
    /// distance of the cells.
    fn of([across, along]: [f64; 2]) -> Course {
        let way = (across * across + along * along).sqrt();
        let greater = across.abs().max(along.abs());
        let aslant = if greater > 0.0 { way / greater } else { 1.0 };
        Course { way: way.clamp(WAYS[0], WAYS[1]), aslant }
    }

    /// Returns the factor on the conveyance between the two cells. The solvers use the distance of
    /// the cells Δ while the slope is over the path s; Manning's √(difference/s) is √(Δ/s) times
    /// √(difference/Δ).
    pub fn conveys(self) -> f64 {
        self.aslant * (1.0 / self.way).sqrt()
    }
}

/// Computes the courses between two cells' water at several levels (2⁻¹⁶ m, ascending). `aspect` is
/// the width of the edge divided by the distance of the cells.
pub fn between(pair: &Pair, levels: [i64; LEVELS], aspect: f64) -> [Course; LEVELS] {
    let [from, to] = [0, 1].map(|side| middles(pair, side, levels));
    let size = pair.ratio as f64;
    std::array::from_fn(|level| {
        let [across, along] = [0, 1].map(|axis| (to[level][axis] - from[level][axis]) / size);
        Course::of([across, along * aspect])
    })
}

/// Computes the centres of a cell's water, weighted by volume, at several levels (pixels, across
/// the edge and along it); for a dry cell the centre of its lowest pixels. The sums are of
/// integers, hence independent of order; for cells 512 pixels wide they stay below 2⁶¹.
fn middles(pair: &Pair, side: usize, levels: [i64; LEVELS]) -> [[f64; 2]; LEVELS] {
    let (order, stride) = (&pair.order[side], pair.stride());
    let height = |pixel: u32| i64::from(pair.levels[pixel as usize]);
    let lowest = order.first().map_or(0, |&pixel| height(pixel));
    let mut pixels = order.iter().copied().peekable();
    // Sums of 1, column and row over the wet pixels, and the same sums weighted by height above the
    // lowest pixel.
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
    use super::super::pixels::{FaceOrientation, Pixels};
    use super::*;

    /// Returns the course at `level` (m) between two cells of 8 × 8 pixels whose levels (m) are
    /// given by `of`.
    fn course(level: f64, of: impl Fn(usize, usize) -> f64) -> Course {
        let whole = |metres: f64| (metres * 65536.0) as i32;
        let place = |at: usize| whole(of(at % 16, at / 16));
        let levels: Vec<i32> = (0..128).map(place).collect();
        let cells = [0, 8].map(|first| Pixels::cut(&levels, None, 16, first, 8));
        let mut pair = Pair::default();
        assert!(pair.take([Some(&cells[0]), Some(&cells[1])], FaceOrientation::Rows, 8));
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
        // Under deep water it behaves like its plain.
        let deep = course(40.0, channel);
        assert!((deep.way - 1.0).abs() < 0.02 && deep.aslant < 1.01, "{deep:?}");
    }
}
