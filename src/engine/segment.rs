//! Clips segments to a rectangle.

/// Start and end of a segment.
pub type Ends = [[f64; 2]; 2];

/// Lower and upper limit of a rectangle along each axis.
pub type Limits = [[f64; 2]; 2];

/// Returns the start and end (0 to 1) of the part of a segment within limits (Liang & Barsky 1984).
/// Halving all coordinates, which is exact, avoids overflow.
pub fn part_within(ends: Ends, limits: &Limits) -> Option<[f64; 2]> {
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for axis in 0..2 {
        let [from, to] = ends.map(|end| end[axis] / 2.0);
        let [low, high] = limits[axis].map(|limit| limit / 2.0);
        if from == to {
            if !(low..=high).contains(&from) {
                return None;
            }
            continue;
        }
        let crossings = [low, high].map(|limit| (limit - from) / (to - from));
        first = first.max(crossings[0].min(crossings[1]));
        last = last.min(crossings[0].max(crossings[1]));
    }
    (first <= last).then_some([first, last])
}

/// Returns the point at a position (0 to 1) of a segment, moved to within the limits.
pub fn point_within(ends: Ends, part: f64, limits: &Limits) -> [f64; 2] {
    std::array::from_fn(|axis| {
        let [from, to] = ends.map(|end| end[axis] / 2.0);
        let point = match part {
            0.0 => ends[0][axis],
            1.0 => ends[1][axis],
            part => 2.0 * (from + part * (to - from)),
        };
        point.clamp(limits[axis][0], limits[axis][1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_clipped_however_long_it_is() {
        let limits = [[0.0, 4.0], [0.0, 2.0]];
        let part = |ends| part_within(ends, &limits);
        assert_eq!(part([[1.0, 1.0], [3.0, 1.0]]), Some([0.0, 1.0]));
        assert_eq!(part([[-4.0, 1.0], [12.0, 1.0]]), Some([0.25, 0.5]));
        assert_eq!(part([[1.0, 3.0], [3.0, 3.0]]), None);
        assert_eq!(part([[-3.0, 1.0], [1.0, 4.0]]), None);
        let endless = [[-f64::MAX, 1.0], [f64::MAX, 1.0]];
        let [first, last] = part(endless).unwrap();
        assert!((first, last) == (0.5, 0.5), "{first} {last}");
        assert_eq!(point_within([[-4.0, 1.0], [12.0, 1.0]], 0.5, &limits), [4.0, 1.0]);
        assert_eq!(point_within(endless, 0.75, &limits), [4.0, 1.0]);
    }
}
