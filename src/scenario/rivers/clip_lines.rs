//! Clips lines to the surroundings of the grid. A wrong coordinate may lead a line around the
//! Earth, and walking along all of it would take forever.

use crate::engine::segment::{Limits, part_within, point_within};
use crate::engine::subgrid::river::{Land, River, RiverBed};

/// Distance beyond the grid within which a line is kept unchanged (pixels).
const FAR: f64 = 100_000.0;

/// Returns the parts of a river near a land, each with its part of the bed; empty if the whole
/// river is far away.
pub fn near(river: River, land: Land) -> Vec<River> {
    // West and east, north and south (m).
    let limits: Limits = std::array::from_fn(|axis| {
        let (size, far) = ([land.columns, land.rows()][axis], FAR * land.pixel[axis]);
        [-far, size as f64 * land.pixel[axis] + far]
    });
    let holds = |point: &[f64; 2]| {
        (0..2).all(|axis| (limits[axis][0]..=limits[axis][1]).contains(&point[axis]))
    };
    if river.points.iter().all(holds) {
        return vec![river];
    }
    let mut parts: Vec<Vec<(usize, f64, [f64; 2])>> = Vec::new();
    let mut goes_on = false;
    for segment in 0..river.points.len() - 1 {
        let ends = [river.points[segment], river.points[segment + 1]];
        let Some([first, last]) = part_within(ends, &limits) else {
            goes_on = false;
            continue;
        };
        if !(goes_on && first == 0.0) {
            // Counting from the far end keeps the digits of a point near the limits.
            let reversed = [ends[1], ends[0]];
            let from_end = part_within(reversed, &limits).map_or(0.0, |[_, last]| last);
            let point =
                if first == 0.0 { ends[0] } else { point_within(reversed, from_end, &limits) };
            parts.push(vec![(segment, first, point)]);
        }
        let part = parts.last_mut().expect("one was begun");
        part.push((segment, last, point_within(ends, last, &limits)));
        goes_on = last == 1.0;
    }
    let cut = |part: Vec<(usize, f64, [f64; 2])>| {
        let bed = match &river.bed {
            RiverBed::Below(depth) => RiverBed::Below(*depth),
            RiverBed::Levels(levels) => {
                let level = |&(segment, part, _): &(usize, f64, _)| {
                    levels[segment] + part * (levels[segment + 1] - levels[segment])
                };
                RiverBed::Levels(part.iter().map(level).collect())
            }
        };
        let points = part.into_iter().map(|(.., point)| point).collect();
        River { points, bed, ..river.clone() }
    };
    parts.into_iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::subgrid::river::Banks;

    fn parts(points: &[[f64; 2]], levels: &[f64]) -> Vec<(Vec<[f64; 2]>, RiverBed)> {
        let ground = vec![0; 20];
        let land = Land { levels: &ground, columns: 5, pixel: [10.0; 2], ratio: 1 };
        let bed = RiverBed::Levels(levels.to_vec());
        let points = points.to_vec();
        let river = River {
            points,
            bed,
            width: 3.0,
            side_slope: 0.0,
            roughness: None,
            banks: Banks::Rough,
        };
        near(river, land).into_iter().map(|river| (river.points, river.bed)).collect()
    }

    #[test]
    fn a_line_that_stays_near_is_not_touched() {
        let points = [[-9e5, 5.0], [60.0, 5.0]];
        assert_eq!(
            parts(&points, &[4.0, 3.0]),
            [(points.to_vec(), RiverBed::Levels(vec![4.0, 3.0]))]
        );
    }

    #[test]
    fn a_line_is_cut_where_it_goes_far_and_its_bed_with_it() {
        // What is kept lies 1 000 km beyond 50 × 40 m.
        for far in [1e9, 1e20, 1e300] {
            let points = [[25.0, 20.0], [far, 20.0], [far, -far], [30.0, -far], [30.0, 0.0]];
            let cut = parts(&points, &[5.0; 5]);
            let east = vec![[25.0, 20.0], [1_000_050.0, 20.0]];
            assert_eq!(cut[0], (east, RiverBed::Levels(vec![5.0; 2])), "{far}");
            let [[x, y], end] = cut[1].0[..] else { panic!("{far}: two points") };
            assert!(x == 30.0 && (y + 1_000_000.0).abs() < 1e-3, "{far}: {y}");
            assert_eq!(end, [30.0, 0.0], "{far}");
            assert_eq!(cut.len(), 2, "{far}");
        }
        let falling = parts(&[[0.0, 20.0], [4e6, 20.0]], &[8.0, 0.0]);
        let RiverBed::Levels(levels) = &falling[0].1 else { panic!("it has levels") };
        assert!((levels[1] - 8.0 * (1.0 - 1_000_050.0 / 4e6)).abs() < 1e-9, "{levels:?}");
        assert_eq!(parts(&[[1e20, 1e20], [2e20, 1e20]], &[0.0; 2]), []);
    }
}
