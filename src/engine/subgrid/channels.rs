//! Contribution of rivers narrower than a cell to the tables: slots in cells, and strips of their
//! sections on edges ([`super::reaches`] derives them from lines).
//!
//! A channel lies below the known ground of a cell and does not displace any of it. In a cell it is
//! a set of slots, each a share of the cell's area that holds water from its bed up to the ground
//! above it; above, the ground's own table continues (Neal, Schumann & Bates 2012, Water Resources
//! Research 48, W11506, eq. 8 to 11). On an edge its section is a set of strips, each with a
//! conveyance from its own depth (Chow 1959, section 6-5), minus the conveyance already counted for
//! the ground in its place.

use std::collections::BTreeMap;

/// A part of a cell in which a river's bed is below the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Level of the bed (2⁻¹⁶ m).
    pub bed: i32,
    /// Level of the ground above it (2⁻¹⁶ m), higher than the bed.
    pub top: i32,
    /// Share of the cell's area that it covers.
    pub share: f64,
}

/// A strip of a river's section on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// Level of the bed (2⁻¹⁶ m).
    pub bed: i32,
    /// Level of the ground in its place (2⁻¹⁶ m), higher than the bed.
    pub top: i32,
    /// Share of the edge's width that it covers.
    pub share: f64,
    /// Factor on its conveyance, because the length of the river between two cells differs from the
    /// distance of the cells.
    pub winds: f64,
    /// Manning's n of the river (s/m^⅓); `None` if it equals the ground's.
    pub roughness: Option<f64>,
}

/// Channels of a grid of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channels {
    /// Slots by cell, row-major.
    pub cells: BTreeMap<usize, Vec<Slot>>,
    /// Strips by edge: east edges and south edges, indexed as in
    /// [`Tables::edges`](super::tables::Tables::edges).
    pub edges: [BTreeMap<usize, Vec<Strip>>; 2],
    /// Uniform Manning's n of the ground (s/m^⅓), for rivers with their own n.
    pub ground_roughness: f64,
}

impl Channels {
    /// Returns `true` if there are no channels.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Returns the slots of a cell.
    pub(super) fn slots(&self, cell: usize) -> &[Slot] {
        self.cells.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// Returns the lowest bed of a river in a cell (2⁻¹⁶ m), if there is one.
    pub fn lowest(&self, cell: usize) -> Option<i32> {
        self.slots(cell).iter().map(|slot| slot.bed).min()
    }

    /// Returns the strips of an edge, if there are any.
    pub(super) fn strips(&self, axis: usize, edge: usize) -> &[Strip] {
        self.edges[axis].get(&edge).map_or(&[], Vec::as_slice)
    }

    /// Formats all numbers as text, to detect changes.
    pub fn description(&self) -> String {
        format!("{self:?}")
    }
}

/// Returns the height of a level above another (m); 0 if it is lower.
fn height(level: i64, above: i32) -> f64 {
    (level - i64::from(above)).max(0) as f64 / 65536.0
}

impl Strip {
    /// Returns its addition to the section at a level (2⁻¹⁶ m), divided by the width of the edge
    /// (m).
    pub(super) fn area(&self, level: i64) -> f64 {
        self.share * (height(level, self.bed) - height(level, self.top))
    }

    /// Returns its addition to the conveyance, Σ h^(5/3)·n̄/n divided by the width of the edge
    /// (m^(5/3)), where the edge's n̄ is `mean` (s/m^⅓), which was also used for the ground in its
    /// place.
    pub(super) fn conveys(&self, level: i64, mean: f64) -> f64 {
        let smooth = self.roughness.map_or(1.0, |own| mean / own);
        let own = self.winds * smooth * five_thirds(height(level, self.bed));
        self.share * (own - five_thirds(height(level, self.top))).max(0.0)
    }
}

/// Computes x^(5/3) for x ≥ 0 with operations that are identical on every machine: Newton's method
/// for y³ = x, starting from a guess by the exponent.
fn five_thirds(x: f64) -> f64 {
    if x < 1e-30 {
        return 0.0;
    }
    const ONE: u64 = 1023 << 52;
    let mut y = f64::from_bits(((x.to_bits() as i64 - ONE as i64) / 3 + ONE as i64) as u64);
    for _ in 0..6 {
        y = (2.0 * y + x / (y * y)) / 3.0;
    }
    x * (y * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_right() {
        for exponent in -60..40 {
            let x = 1.37f64 * 2f64.powi(exponent);
            let (found, expected) = (five_thirds(x), x.powf(5.0 / 3.0));
            assert!((found / expected - 1.0).abs() < 1e-14, "{x}: {found}, not {expected}");
        }
    }
}
