//! Pools of a cell whose water rises, and its lowest pixel if several are equally low.

/// Marks pixels without water.
const DRY: u32 = u32::MAX;

/// Returns the place of a pixel in the frame of a cell of some columns.
pub fn place(columns: usize, row: usize, column: usize) -> u32 {
    ((row + 1) * (columns + 2) + column + 1) as u32
}

/// Pools of connected pixels that grow: a union-find forest over the pixels of a cell, in a frame of
/// dry ones.
#[derive(Debug, Default)]
pub struct Pools {
    /// Another pixel of the same pool, or itself for the pool's root; [`DRY`] if there is none.
    towards: Vec<u32>,
    /// Number of pixels of a pool, at its root.
    sizes: Vec<u32>,
    /// Width of the frame (pixels).
    stride: usize,
}

impl Pools {
    /// Dries all pixels of a cell of some columns and rows.
    pub fn clear(&mut self, columns: usize, rows: usize) {
        self.stride = columns + 2;
        let count = self.stride * (rows + 2);
        for (numbers, none) in [(&mut self.towards, DRY), (&mut self.sizes, 0)] {
            numbers.clear();
            numbers.resize(count, none);
        }
    }

    /// Wets a pixel and joins the adjacent pools.
    pub fn wet(&mut self, pixel: u32) {
        let here = pixel as usize;
        (self.towards[here], self.sizes[here]) = (pixel, 1);
        for beside in [here - self.stride, here - 1, here + 1, here + self.stride] {
            if self.towards[beside] == DRY {
                continue;
            }
            let pool = self.root(beside as u32) as usize;
            if pool != here {
                self.towards[pool] = pixel;
                self.sizes[here] += self.sizes[pool];
            }
        }
    }

    /// Returns the root of a wet pixel's pool, with path halving.
    pub fn root(&mut self, mut pixel: u32) -> u32 {
        loop {
            let next = self.towards[pixel as usize];
            if next == pixel {
                return pixel;
            }
            let after = self.towards[next as usize];
            self.towards[pixel as usize] = after;
            pixel = after;
        }
    }

    /// Returns the number of pixels of a wet pixel's pool.
    fn size(&mut self, pixel: u32) -> u32 {
        let root = self.root(pixel);
        self.sizes[root as usize]
    }
}

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
    let mut pools = Pools::default();
    pools.clear(columns, down.1 + 1);
    let place = |pixel: usize| place(columns, pixel / columns, pixel % columns);
    for pixels in lowest_first.chunk_by(|a, b| a.0 == b.0) {
        pixels.iter().for_each(|&(_, pixel)| pools.wet(place(pixel)));
        let most = rivals.iter().map(|&pixel| pools.size(place(pixel))).max();
        rivals.retain(|&pixel| Some(pools.size(place(pixel))) == most);
        let pool = pools.root(place(rivals[0]));
        if rivals.iter().all(|&pixel| pools.root(place(pixel)) == pool) {
            break;
        }
    }
    let off_middle = |&pixel: &usize| {
        let off = |at: usize, (first, last): (usize, usize)| (2 * at).abs_diff(first + last).pow(2);
        off(pixel % columns, across) + off(pixel / columns, down)
    };
    rivals.into_iter().min_by_key(off_middle)
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
