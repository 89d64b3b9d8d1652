//! Links between cells of a case.

use super::{Case, Variant};
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::link::{Link, LinkDriver, Rating};

impl Case {
    /// Adds a link between two cells.
    pub fn link(
        mut self,
        inlet: (usize, usize),
        outlet: (usize, usize),
        drive: LinkDriver,
        rating: Rating,
    ) -> Case {
        let [inlet, outlet] = [inlet, outlet].map(|(column, row)| row * self.columns + column);
        let name = format!("{}", self.forcing.links.len());
        self.forcing.links.push(Link { name, inlet, outlet, drive, rating });
        self
    }

    /// Adds pumps and culverts between some cells that are in the domain; the outlet of one link is
    /// the inlet of another.
    pub fn linked(self, [a, b, c, d, e]: [(usize, usize); 5]) -> Case {
        let pump = LinkDriver::Pump { start: 0.05, stop: 0.01 };
        let culvert = LinkDriver::Fall { crest: None, one_way: false };
        let bed = self.bed[d.1 * self.columns + d.0].max(self.bed[b.1 * self.columns + b.0]);
        let flap = LinkDriver::Fall { crest: Some(bed + 0.02), one_way: true };
        let rating = Rating {
            heads: vec![0.0, 0.1, 1.0],
            differences: vec![0.0, 0.05, 0.7],
            flows: vec![0.0, 0.0, 0.0, 0.0, 0.03, 0.2, 0.0, 0.5, 1.0],
        };
        let mut case = self
            .link(a, b, pump, Rating::constant(0.1))
            .link(b, c, culvert, rating.clone())
            .link(d, e, culvert, rating.clone())
            .link(d, b, flap, rating.clone())
            .link(c, a, pump, Rating::constant(1e-9))
            .link(e, c, culvert, Rating::of_difference(&[(0.0, 0.0), (0.5, 0.7), (2.0, 1.1)]));
        let Case { bed, forcing, .. } = &mut case;
        let inside = |cell: usize| bed[cell].is_finite();
        forcing
            .links
            .retain(|link| link.inlet != link.outlet && inside(link.inlet) && inside(link.outlet));
        case
    }
}

/// Chains of pumps and culverts in two corners, a pump in a third corner that starts and stops, and
/// a culvert in the middle.
pub fn cornered(columns: usize, rows: usize, variant: Variant) -> Case {
    let east = |(column, row)| (column + columns - 20, row);
    let south = |(column, row)| (column, row + rows - 20);
    let pump = LinkDriver::Pump { start: 0.3, stop: 0.1 };
    let culvert = LinkDriver::Fall { crest: None, one_way: false };
    Case::new(columns, rows, variant)
        .hills(812.0, 51)
        .ponds(0.5, 53)
        .rain(1e-8)
        .source(&[east((0, 5)), (9, 9)], &[(0.0, 0.4), (4.0, 0.0), (9.0, 0.5)])
        .linked([(2, 3), (15, 9), (8, 15), (17, 1), (5, 8)])
        .linked([(16, 17), (3, 5), (10, 10), (19, 19), (6, 18)].map(east).map(south))
        .link(east((0, 5)), east((12, 12)), pump, Rating::constant(5.0))
        .link(
            (columns / 2 - 1, rows / 2 - 1),
            (columns / 2 + 5, rows / 2 + 5),
            culvert,
            Rating::constant(2.0),
        )
        .open(OpenSides::ALL)
        .with_diagnostics()
}

/// A pond with a pit from which a pump removes in a few steps the inflow of several. Both ends are
/// so far from the border that a neighbour beyond it has valid data of them in the first steps of a
/// round, but not in the last.
pub fn pumped(columns: usize, border: usize, variant: Variant) -> Case {
    let (pit, outlet) = ((10, border - 6), (14, border - 5));
    let near = |column: usize, row: usize| column.abs_diff(pit.0).max(row.abs_diff(pit.1));
    let pump = LinkDriver::Pump { start: 0.35, stop: 0.1 };
    Case::new(columns, 2 * border, variant)
        .bed(|column, row| if near(column, row) == 1 { 9.0 } else { 0.0 })
        .water(|column, row| if near(column, row) < 2 { 0.0 } else { 0.5 })
        .source(&[pit], &[(0.0, 0.07)])
        .link(pit, outlet, pump, Rating::constant(25.0))
}
