//! What rivers that are narrower than a cell add to the tables: slots in cells, and strips of their sections on edges
//! ([`super::reaches`] makes them of lines).
//!
//! A channel lies below the ground that is known of a cell, and takes no part of it away. In a cell it is a number of slots, each a part of the
//! cell's area that holds water from its bed up to the ground above it; beyond, the ground's own table goes on (Neal, Schumann & Bates 2012,
//! Water Resources Research 48, W11506, eq. 8 to 11). On an edge its section is a number of strips, each of which conveys by its own
//! depth (Chow 1959, section 6-5), less what the ground in its place was counted with.

use std::collections::BTreeMap;

/// A part of a cell in which a river's bed lies below the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Level of the bed (2⁻¹⁶ m).
    pub bed: i32,
    /// Level of the ground above it (2⁻¹⁶ m), higher than the bed.
    pub top: i32,
    /// The part of the cell's area that it is.
    pub share: f64,
}

/// A strip of a river's section on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// Level of the bed (2⁻¹⁶ m).
    pub bed: i32,
    /// Level of the ground in its place (2⁻¹⁶ m), higher than the bed.
    pub top: i32,
    /// The part of the edge's width that it is.
    pub share: f64,
    /// What its conveyance is multiplied with, because the river's way from cell to cell is not the cells' distance.
    pub winds: f64,
    /// Manning's n of the river (s/m^⅓); none if it is the ground's.
    pub roughness: Option<f64>,
}

/// The channels of a grid of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channels {
    /// Slots by cell, row-major.
    pub cells: BTreeMap<usize, Vec<Slot>>,
    /// Strips by edge: east edges and south edges, counted as in [`Tables::edges`](super::tables::Tables::edges).
    pub edges: [BTreeMap<usize, Vec<Strip>>; 2],
    /// Manning's n of the ground where it is the same everywhere (s/m^⅓), for rivers with one of their own.
    pub ground_roughness: f64,
}

impl Channels {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The slots of a cell.
    pub(super) fn slots(&self, cell: usize) -> &[Slot] {
        self.cells.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// The lowest bed of a river in a cell (2⁻¹⁶ m), if there is one.
    pub fn lowest(&self, cell: usize) -> Option<i32> {
        self.slots(cell).iter().map(|slot| slot.bed).min()
    }

    /// The strips of an edge, if there are any.
    pub(super) fn strips(&self, axis: usize, edge: usize) -> &[Strip] {
        self.edges[axis].get(&edge).map_or(&[], Vec::as_slice)
    }

    /// All numbers as text: what tells whether others are the same.
    pub fn told(&self) -> String {
        format!("{self:?}")
    }
}

/// The height of a level above another (m); 0 if it is not above.
fn height(level: i64, above: i32) -> f64 {
    (level - i64::from(above)).max(0) as f64 / 65536.0
}

impl Strip {
    /// What it adds to the section at a level (2⁻¹⁶ m), over the width of the edge (m).
    pub(super) fn area(&self, level: i64) -> f64 {
        self.share * (height(level, self.bed) - height(level, self.top))
    }

    /// What it adds to the conveyance, Σ h^(5/3)·n̄/n over the width of the edge (m^(5/3)), where the edge's n̄ is `mean` (s/m^⅓). The ground
    /// in its place was counted with that.
    pub(super) fn conveys(&self, level: i64, mean: f64) -> f64 {
        let smooth = self.roughness.map_or(1.0, |own| mean / own);
        let own = self.winds * smooth * five_thirds(height(level, self.bed));
        self.share * (own - five_thirds(height(level, self.top))).max(0.0)
    }
}

/// x^(5/3) of x ≥ 0, by operations that are the same on every machine: Newton's method for y³ = x, from a guess by the exponent.
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
