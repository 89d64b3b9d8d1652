//! The lowest pixel of a cell if several are equally low.

/// Returns the pixel at which the water of a cell is, among its open pixels, given as level
/// (2⁻¹⁶ m) and index, row by row, lowest first; `columns` is the width of the cell.
///
/// This is the lowest one. Of several equally low ones that are not connected, it is one whose pool
/// has the most pixels when the water rises from all of them at once, at the first level at which
/// their sizes differ; of pools that are alike until they join, the one nearest to the middle of the
/// open pixels. So it is the same however the map is turned, unless several are equally near.
pub fn lowest_of(lowest_first: &[(i32, usize)], columns: usize) -> Option<usize> {
    let &(least, first) = lowest_first.first()?;
    let same = lowest_first.iter().take_while(|(level, _)| *level == least);
    let mut rivals: Vec<usize> = same.map(|&(_, pixel)| pixel).collect();
    if rivals.len() == 1 {
        return Some(first);
    }
    let of_pixel = |&(_, pixel): &(i32, usize)| [pixel % columns, pixel / columns];
    let [across, down] = [0, 1].map(|axis| {
        let places = lowest_first.iter().map(|one| of_pixel(one)[axis]);
        places.fold((usize::MAX, 0), |(least, most), at| (least.min(at), most.max(at)))
    });
    let count = columns * (down.1 + 1);
    let mut pools = Pools { of: vec![None; count], sizes: vec![0; count], columns };
    for pixels in lowest_first.chunk_by(|a, b| a.0 == b.0) {
        pixels.iter().for_each(|&(_, pixel)| pools.wet(pixel));
        let most = rivals.iter().map(|&pixel| pools.size(pixel)).max();
        rivals.retain(|&pixel| Some(pools.size(pixel)) == most);
        let pool = pools.root(rivals[0]);
        if rivals.iter().all(|&pixel| pools.root(pixel) == pool) {
            break;
        }
    }
    let off_middle = |&pixel: &usize| {
        let off = |at: usize, (first, last): (usize, usize)| (2 * at).abs_diff(first + last).pow(2);
        off(pixel % columns, across) + off(pixel / columns, down)
    };
    rivals.into_iter().min_by_key(off_middle)
}

/// Pools of connected pixels that grow: a union-find forest.
struct Pools {
    /// Another pixel of the same pool, or itself for the root; `None` if it is dry.
    of: Vec<Option<usize>>,
    /// Number of pixels of the pool, at its root.
    sizes: Vec<usize>,
    columns: usize,
}

impl Pools {
    /// Wets a pixel and joins the pools beside it.
    fn wet(&mut self, pixel: usize) {
        (self.of[pixel], self.sizes[pixel]) = (Some(pixel), 1);
        let column = pixel % self.columns;
        let beside = [
            pixel.checked_sub(self.columns),
            (column > 0).then(|| pixel - 1),
            (column + 1 < self.columns).then_some(pixel + 1),
            Some(pixel + self.columns),
        ];
        for beside in beside.into_iter().flatten() {
            if self.of.get(beside).is_some_and(Option::is_some) {
                let (root, joined) = (self.root(pixel), self.root(beside));
                if root != joined {
                    self.of[joined] = Some(root);
                    self.sizes[root] += self.sizes[joined];
                }
            }
        }
    }

    /// Returns the root of a wet pixel's pool, with path halving.
    fn root(&mut self, mut pixel: usize) -> usize {
        loop {
            let next = self.of[pixel].unwrap_or(pixel);
            if next == pixel {
                return pixel;
            }
            self.of[pixel] = self.of[next];
            pixel = next;
        }
    }

    fn size(&mut self, pixel: usize) -> usize {
        let root = self.root(pixel);
        self.sizes[root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest pixel of a cell with these levels, row by row; 99 is closed.
    fn lowest(levels: &[i32], columns: usize) -> Option<usize> {
        let open = levels.iter().copied().zip(0..).filter(|&(level, _)| level != 99);
        let mut order: Vec<(i32, usize)> = open.collect();
        order.sort_unstable();
        lowest_of(&order, columns)
    }

    #[test]
    #[rustfmt::skip]
    fn of_equally_low_pixels_one_in_the_largest_pool_counts() {
        assert_eq!(lowest(&[99, 99], 2), None);
        assert_eq!(lowest(&[3, 1, 2, 4], 2), Some(1));
        // Two pixels against one, wherever they are.
        assert_eq!(lowest(&[
            0, 9, 0,
            9, 9, 0,
        ], 3), Some(2));
        // Equal at first; then one pool grows faster.
        assert_eq!(lowest(&[
            0, 9, 2, 0,
            5, 9, 9, 9,
        ], 4), Some(3));
        // Diagonal neighbours and the ends of successive rows are not connected.
        assert_eq!(lowest(&[
            9, 9, 0,
            0, 9, 9,
            9, 0, 0,
        ], 3), Some(7));
        // Alike until they join: the one nearer to the middle.
        assert_eq!(lowest(&[0, 1, 0, 2], 4), Some(2));
        assert_eq!(lowest(&[0, 1, 0], 3), Some(0));
    }
}
