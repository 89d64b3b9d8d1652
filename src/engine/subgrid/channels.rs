//! Contribution of rivers narrower than a cell to the tables: slots in cells, and strips of their
//! sections on edges ([`super::reaches`] derives them from lines).
//!
//! A channel lies below the known ground of a cell and does not displace any of it. In a cell it is
//! a set of slots, each a share of the cell's area that holds water from its bed up to the ground
//! above it; above, the ground's own table continues (Neal, Schumann & Bates 2012, Water Resources
//! Research 48, W11506, eq. 8 to 11). On an edge its section is a set of strips, whose conveyance
//! is Manning's (1891) with the wetted perimeter of bed and banks. Above the banks the channel and
//! the ground beside it are a divided section (Chow 1959, section 6-5), minus the conveyance
//! already counted for the ground in the place of the channel.

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
    /// Width (m).
    pub width: f64,
}

/// Section of a river on an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Strips, at least one.
    pub strips: Vec<Strip>,
    /// Width of the edge (m).
    pub edge_width: f64,
    /// Width of the bed (m).
    pub bed_width: f64,
    /// Length of the banks with friction per metre of depth; 0 without friction on the banks.
    pub bank_length: f64,
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
    /// Sections by edge: east edges and south edges, indexed as in
    /// [`Tables::edges`](super::tables::Tables::edges).
    pub edges: [BTreeMap<usize, Vec<Section>>; 2],
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

    /// Returns the sections on an edge, if there are any.
    pub(super) fn sections(&self, axis: usize, edge: usize) -> &[Section] {
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

impl Section {
    /// Returns the level of its bed (2⁻¹⁶ m).
    pub(super) fn bed(&self) -> i32 {
        self.strips.iter().map(|strip| strip.bed).min().expect("a strip")
    }

    /// Returns the level of its banks (2⁻¹⁶ m).
    pub(super) fn top(&self) -> i32 {
        self.strips.iter().map(|strip| strip.top).max().expect("a strip")
    }

    /// Returns its addition to the area of an edge's section at a level (2⁻¹⁶ m),
    /// divided by the width of the edge (m).
    pub(super) fn area(&self, level: i64) -> f64 {
        let own = |strip: &Strip| height(level, strip.bed) - height(level, strip.top);
        self.strips.iter().map(|strip| strip.width * own(strip)).sum::<f64>() / self.edge_width
    }

    /// Returns its addition to the conveyance, Σ w·h^(5/3)·n̄/n, divided by the width of the edge
    /// (m^(5/3)), where the edge's n̄ is
    /// `mean` (s/m^⅓), which was also used for the ground in its place.
    pub(super) fn conveys(&self, level: i64, mean: f64) -> f64 {
        let smooth = self.roughness.map_or(1.0, |own| mean / own);
        let factor = self.winds * smooth * self.bank_factor(level);
        let own = |strip: &Strip| {
            let of_river = factor * five_thirds(height(level, strip.bed));
            (of_river - five_thirds(height(level, strip.top))).max(0.0)
        };
        self.strips.iter().map(|strip| strip.width * own(strip)).sum::<f64>() / self.edge_width
    }

    /// Returns the conveyance A·(A/P)^(2/3) of the whole section (Manning 1891) divided by that of
    /// its strips without banks, Σ w·h^(5/3). Above the banks, P stays the perimeter up to them.
    fn bank_factor(&self, level: i64) -> f64 {
        let sum = |of: fn(f64) -> f64| -> f64 {
            self.strips.iter().map(|strip| strip.width * of(height(level, strip.bed))).sum()
        };
        let area = sum(|height| height);
        if self.bank_length == 0.0 || area == 0.0 {
            return 1.0;
        }
        let wet = height(level.min(self.top().into()), self.bed());
        let radius = area / (self.bed_width + self.bank_length * wet);
        let third = cube_root(radius);
        (area * third * third / sum(five_thirds)).min(1.0)
    }
}

/// Computes x^(5/3) for x ≥ 0 with operations that are identical on every machine.
fn five_thirds(x: f64) -> f64 {
    let third = cube_root(x);
    x * (third * third)
}

/// Computes x^⅓ for x ≥ 0 (0 below 10⁻³⁰) with operations that are identical on every machine:
/// Newton's method, starting from a guess by the exponent.
fn cube_root(x: f64) -> f64 {
    if x < 1e-30 {
        return 0.0;
    }
    const ONE: u64 = 1023 << 52;
    let mut y = f64::from_bits(((x.to_bits() as i64 - ONE as i64) / 3 + ONE as i64) as u64);
    for _ in 0..6 {
        y = (2.0 * y + x / (y * y)) / 3.0;
    }
    y
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

    /// A rectangle of 2 m and a trapezoid with a bed of 1 m and sides of 1:1, both 3 m deep.
    fn sections() -> [Section; 2] {
        let level = |metres: f64| (metres * 65536.0) as i32;
        let strip = |bed: f64, width: f64| Strip { bed: level(bed), top: level(3.0), width };
        let section = |strips, bed_width, side_slope: f64| Section {
            strips,
            edge_width: 1.0,
            bed_width,
            bank_length: 2.0 * (1.0 + side_slope * side_slope).sqrt(),
            winds: 1.0,
            roughness: None,
        };
        let count = 3000;
        let side = (0..count).map(|at| 3.0 * (f64::from(at) + 0.5) / f64::from(count));
        let sides = side.map(|height| strip(height, 2.0 * 3.0 / f64::from(count)));
        let trapezoid = sides.chain([strip(0.0, 1.0)]).collect();
        [section(vec![strip(0.0, 2.0)], 2.0, 0.0), section(trapezoid, 1.0, 1.0)]
    }

    #[test]
    fn a_section_conveys_with_its_wetted_perimeter() {
        let [rectangle, trapezoid] = sections();
        for depth in [0.01, 0.3, 1.5, 3.0] {
            let level = (depth * 65536.0) as i64;
            let manning = |area: f64, perimeter: f64| area * (area / perimeter).powf(2.0 / 3.0);
            let found = rectangle.conveys(level, 0.03) / manning(2.0 * depth, 2.0 + 2.0 * depth);
            assert!((found - 1.0).abs() < 1e-3, "{depth}: {found}");
            let perimeter = 1.0 + 2.0 * depth * 2f64.sqrt();
            let found = trapezoid.conveys(level, 0.03) / manning(depth * (1.0 + depth), perimeter);
            assert!((found - 1.0).abs() < 2e-3, "{depth}: {found}");
        }
        let smooth = Section { bank_length: 0.0, ..rectangle.clone() };
        let level = 3 * 65536;
        assert!((smooth.conveys(level, 0.03) / (2.0 * 3f64.powf(5.0 / 3.0)) - 1.0).abs() < 1e-12);
        // Above the banks, more water conveys more, and the perimeter no longer grows.
        let above = rectangle.conveys(level + 65536, 0.03) + 2.0;
        let expected = 8.0 * (8.0f64 / 8.0).powf(2.0 / 3.0);
        assert!((above / expected - 1.0).abs() < 1e-12, "{above}, not {expected}");
    }
}
