//! Which sites lie in the frames of a plan's subdomains.

use super::Problem;
use crate::forcing::sites::{Given, Placed, SiteKind, When};
use crate::tiling::subdomain::{Subdomain, on_canvas};
use serde::{Deserialize, Serialize};

/// A site in a subdomain's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SiteAt {
    /// Column in the frame.
    pub column: u32,
    /// Row in the frame.
    pub row: u32,
    /// Whether it is one of the subdomain's own cells, whose water counts.
    pub own: bool,
    /// What is known of it.
    pub given: Given,
}

/// The sites of a subdomain's frame but for those that a flag of the canvas tells of ([`When::WithFlow`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct SubdomainForcing {
    /// By their kinds, in the order in which they act.
    pub sites: Vec<SiteAt>,
}

impl SubdomainForcing {
    /// The sites of a problem in the frames of some subdomains; `inside` says which cells of the grid lie in the domain.
    pub fn of(
        problem: &Problem,
        subdomains: &[Subdomain],
        inside: impl Fn(usize) -> bool,
    ) -> Vec<SubdomainForcing> {
        let (momentum, columns) = (problem.rule.has_momentum(), problem.grid.columns);
        let listed = SiteKind::ALL
            .iter()
            .filter(|kind| (kind.info().when)(momentum).is_some_and(|when| when != When::WithFlow));
        let placed = listed.flat_map(|kind| kind.cells(&problem.forcing));
        let placed: Vec<Placed> = placed.filter(|site| inside(site.cell)).collect();
        let of = |subdomain: &Subdomain| {
            let here = |site: &Placed| {
                let (column, row) = on_canvas(site.cell, columns);
                subdomain.frame.holds(column, row).then(|| SiteAt {
                    column: (column - subdomain.frame.column) as u32,
                    row: (row - subdomain.frame.row) as u32,
                    own: subdomain.own.holds(column, row),
                    given: site.given,
                })
            };
            SubdomainForcing { sites: placed.iter().filter_map(here).collect() }
        };
        subdomains.iter().map(of).collect()
    }

    /// Whether none of them brings water; what leaves where there is none makes no difference.
    pub(crate) fn brings_nothing(&self) -> bool {
        !self.sites.iter().any(|site| site.given.kind.info().brings)
    }
}
