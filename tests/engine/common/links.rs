//! Links between cells of a case.

use super::Case;
use inundate_engine::forcing::link::{Drive, Link, Rating};

impl Case {
    /// A link between two cells.
    pub fn link(
        mut self,
        inlet: (usize, usize),
        outlet: (usize, usize),
        drive: Drive,
        rating: Rating,
    ) -> Case {
        let [inlet, outlet] = [inlet, outlet].map(|(column, row)| row * self.columns + column);
        let name = format!("{}", self.forcing.links.len());
        self.forcing.links.push(Link { name, inlet, outlet, drive, rating });
        self
    }

    /// Pumps and culverts between some cells, where these lie in the domain: the taker of one is the giver
    /// of another.
    pub fn linked(self, [a, b, c, d, e]: [(usize, usize); 5]) -> Case {
        let pump = Drive::Pump { start: 0.05, stop: 0.01 };
        let culvert = Drive::Fall { crest: None, one_way: false };
        let bed = self.bed[d.1 * self.columns + d.0].max(self.bed[b.1 * self.columns + b.0]);
        let flap = Drive::Fall { crest: Some(bed + 0.02), one_way: true };
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
