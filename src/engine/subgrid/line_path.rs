//! Path of a line through the cells of a grid.

use crate::segment::part_within;

/// A part of a segment in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPart {
    /// Column and row of the cell, which may be beyond the grid.
    pub cell: [i64; 2],
    /// Start and end on the segment, 0 to 1; equal if the path turns at a corner of cells.
    pub part: [f64; 2],
}

/// Returns the cells along a segment between two points (in cells, east and south of the north-west
/// corner). Consecutive cells share an edge, even if the line runs through a corner. Cells more
/// than one beyond a grid of `size` columns and rows are omitted.
pub fn of(from: [f64; 2], to: [f64; 2], size: [usize; 2]) -> Vec<SegmentPart> {
    let limits = size.map(|size| [-1.0, size as f64 + 1.0]);
    let Some([first, last]) = part_within([from, to], &limits) else { return Vec::new() };
    let at = |part: f64| -> [f64; 2] {
        std::array::from_fn(|axis| match part {
            0.0 => from[axis],
            1.0 => to[axis],
            part => from[axis] + part * (to[axis] - from[axis]),
        })
    };
    let (start, end) = (at(first), at(last));
    let mut crossed: Vec<(f64, usize, i64)> = Vec::new();
    for axis in 0..2 {
        let (a, b) = (start[axis], end[axis]);
        let lines = a.min(b).floor() as i64 + 1..=a.max(b).floor() as i64;
        let step = if b > a { 1 } else { -1 };
        crossed.extend(lines.map(|line| ((line as f64 - a) / (b - a), axis, step)));
    }
    crossed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut cell = start.map(|x| x.floor() as i64);
    let mut begins = first;
    let mut stretches = Vec::with_capacity(crossed.len() + 1);
    for (along, axis, step) in crossed {
        let ends = (first + along * (last - first)).clamp(begins, last);
        stretches.push(SegmentPart { cell, part: [begins, ends] });
        cell[axis] += step;
        begins = ends;
    }
    stretches.push(SegmentPart { cell, part: [begins, last] });
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a segment on a grid of 5 × 5.
    fn cells(from: [f64; 2], to: [f64; 2]) -> Vec<[i64; 2]> {
        of(from, to, [5, 5]).iter().map(|stretch| stretch.cell).collect()
    }

    #[test]
    fn a_way_goes_from_side_to_side() {
        assert_eq!(cells([0.5, 0.5], [2.2, 0.5]), [[0, 0], [1, 0], [2, 0]]);
        assert_eq!(cells([2.2, 0.5], [0.5, 0.5]), [[2, 0], [1, 0], [0, 0]]);
        // Through corners.
        assert_eq!(cells([0.5, 0.5], [2.5, 2.5]), [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2]]);
        // Along a side of cells, there and back.
        assert_eq!(cells([1.0, 0.5], [1.0, 1.5]), [[1, 0], [1, 1]]);
        assert_eq!(cells([1.0, 1.5], [1.0, 0.5]), [[1, 1], [1, 0]]);
        // From one point beyond the grid to another.
        assert_eq!(cells([-1e6, 0.5], [0.5, 0.5]), [[-1, 0], [0, 0]]);
        assert_eq!(cells([-9.0, 0.5], [-8.0, 0.5]), Vec::<[i64; 2]>::new());
    }

    #[test]
    fn parts_follow_each_other() {
        let way = of([0.3, 4.9], [4.7, 0.2], [5, 5]);
        assert_eq!((way[0].part[0], way.last().unwrap().part[1]), (0.0, 1.0));
        for pair in way.windows(2) {
            assert_eq!(pair[0].part[1], pair[1].part[0]);
            let far: i64 = (0..2).map(|axis| (pair[0].cell[axis] - pair[1].cell[axis]).abs()).sum();
            assert_eq!(far, 1, "{pair:?}");
        }
    }
}
