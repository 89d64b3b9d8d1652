//! Division of the inflow of cells among the sources that share them, exact to the grain.

use crate::engine::forcing::Share;

/// The whole inflow of a cell (2⁻³¹).
const WHOLE: u32 = 1 << 31;

/// Portion of a source in a cell of its rate layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// Number of the cell.
    pub cell: usize,
    /// Share of the layer.
    pub share: Share,
    /// Interval of the cell's inflow that belongs to the source, from and to (2⁻³¹).
    part: (u32, u32),
}

impl Portion {
    /// Divides a cell among its owners in proportion to their sizes. The portions add up to the
    /// whole.
    pub fn split((cell, share): (usize, Share), sizes: &[f64]) -> Vec<Portion> {
        parts(sizes).into_iter().map(|part| Portion { cell, share, part }).collect()
    }

    /// Returns the portion as a fraction of the layer's rate.
    pub fn fraction(self) -> f64 {
        self.share.fraction() * f64::from(self.part.1 - self.part.0) / f64::from(WHOLE)
    }

    /// Returns the portion of a cell's inflow (grains).
    pub fn of(self, gained: u64) -> u64 {
        part_of(gained, self.part)
    }
}

/// Divides a whole (2⁻³¹) into consecutive intervals in proportion to sizes. They cover the whole.
pub fn parts(sizes: &[f64]) -> Vec<(u32, u32)> {
    let whole: f64 = sizes.iter().sum();
    let (mut before, mut sum) = (0, 0.0);
    let mut parts = Vec::with_capacity(sizes.len());
    for (at, size) in sizes.iter().enumerate() {
        sum += size;
        let is_last = at + 1 == sizes.len();
        let part = if whole > 0.0 { sum / whole } else { 1.0 };
        let after = if is_last { WHOLE } else { (part * f64::from(WHOLE)) as u32 };
        let after = after.clamp(before, WHOLE);
        parts.push((before, after));
        before = after;
    }
    parts
}

/// Returns the part of some grains. Intervals that cover the whole add up to all grains, and no
/// part decreases with more grains.
pub fn part_of(grains: u64, (from, to): (u32, u32)) -> u64 {
    let up_to = |part: u32| ((u128::from(grains) * u128::from(part)) >> 31) as u64;
    up_to(to) - up_to(from)
}

/// Share of a source in the forcing.
#[derive(Clone, Debug, Default)]
pub struct SourceShare {
    /// Index of its rate layer in the forcing.
    pub layer: usize,
    /// Portions of the layer; empty if the source brings nothing.
    pub portions: Vec<Portion>,
}

impl SourceShare {
    /// Creates a share that owns the whole inflow of some cells.
    pub fn whole(layer: usize, cells: &[(usize, Share)]) -> SourceShare {
        let portion = |&(cell, share): &(usize, Share)| Portion { cell, share, part: (0, WHOLE) };
        SourceShare { layer, portions: cells.iter().map(portion).collect() }
    }

    /// Returns its portions as an equivalent number of cells with the whole layer.
    pub fn total(&self) -> f64 {
        self.portions.iter().map(|portion| portion.fraction()).sum()
    }
}
