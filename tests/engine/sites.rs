//! Every kind of sites in the registry has an effect, its water is booked, and its effect does not
//! depend on the tiling.

use crate::common;

use common::host_worker::cpu_and_plain;
use common::{Case, Variant, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::series::Series;
use inundate_engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use inundate_engine::forcing::{Account, Footprint, RateLayer, Share};
use inundate_engine::tiling::subdomain::SubdomainPlan;
use std::collections::BTreeSet;

/// Cells (column, row), in ascending order, in one tile and in several.
const CELLS: [(usize, usize); 4] = [(7, 4), (20, 9), (21, 9), (28, 15)];

/// Adds sites to a case.
type Add = fn(Case) -> Case;

/// Adds sites of kinds that `Forcing::sites` does not list.
const ADDED_BY: [(SiteKind, Add); 10] = [
    (SiteKind::Rated, |case| case.rated(&CELLS)),
    (SiteKind::SewerInlet, |case| case.sewer_inlets(&CELLS)),
    (SiteKind::CellRain, |case| {
        let cells = CELLS.map(|(column, row)| row * case.columns + column);
        with_rain_on(case, cells.into_iter(), 1e-3)
    }),
    (SiteKind::Inflow, |case| case.source(&CELLS, &[(0.0, 1e-3)])),
    (SiteKind::TopUp, |case| {
        CELLS.iter().fold(case, |case, cell| case.top_up(cell.0, cell.1, 3.0))
    }),
    (SiteKind::Stage, |case| case.stage(&CELLS, &[(0.0, 103.0), (9.0, 99.0)])),
    (SiteKind::NormalDepth, |case| case.runs_out(&CELLS, 0.01)),
    (SiteKind::Sink, |case| CELLS.iter().fold(case, |case, cell| case.sink(cell.0, cell.1))),
    (SiteKind::GhostOutflow, |case| case.open(OpenSides::ALL)),
    (SiteKind::PinnedLevel, |case| case.stage(&CELLS, &[(0.0, 103.0), (9.0, 99.0)])),
];

/// A height of 6 mm, or the index of a missing layer; and a small factor.
const NUMBERS: [u32; 2] = [100_000, 0x3c23_d70a];

/// Adds a rate of rain (m/s) on some cells (row-major).
fn with_rain_on(mut case: Case, cells: impl Iterator<Item = usize>, rate: f64) -> Case {
    case.forcing.rates.push(RateLayer {
        account: Account::Rain,
        footprint: Footprint::Cells(cells.map(|cell| (cell, Share::WHOLE)).collect()),
        series: Series::constant(rate),
    });
    case
}

fn with_sites(kind: SiteKind, mut case: Case) -> Case {
    if let Some((_, add)) = ADDED_BY.iter().find(|entry| entry.0 == kind) {
        return add(case);
    }
    let given = SiteParameters { numbers: NUMBERS, ..SiteParameters::of(kind) };
    let cells = CELLS.map(|(column, row)| row * case.columns + column);
    case.forcing.sites.extend(cells.map(|cell| PlacedSite { cell, given }));
    case
}

/// Returns one solver of each type: without physical time, edge-based, and with momentum.
fn solvers() -> impl Iterator<Item = Variant> {
    let mut sorts = BTreeSet::new();
    every_case().filter(move |(solver, _)| sorts.insert((solver.is_timed(), solver.has_momentum())))
}

#[test]
fn every_kind_of_site_acts_and_is_booked_independently_of_tiling() {
    for variant in solvers() {
        let bare = || Case::new(33, 21, variant).hills(100.0, 71).ponds(2.0, 72);
        let without = bare().run(17, CpuOptions::default());
        for &kind in SiteKind::ALL {
            // A trigger has an effect only through structures (tests/engine/structures.rs).
            if (kind.info().when)(variant.0).is_none() || kind == SiteKind::Trigger {
                continue;
            }
            let case = with_sites(kind, bare());
            let name =
                |plan: &SubdomainPlan| format!("{kind:?}, {}, {:?}", case.name(), plan.steps);
            let expected = case.run(17, CpuOptions::default());
            assert_ne!(expected.water, without.water, "{kind:?}, {}: it acts", case.name());
            let ledger = expected.ledger;
            assert_eq!((ledger.error(), ledger.stored), (0, expected.stored()), "{kind:?}");
            let turns = SubdomainPlan::tiled(33, 21, (11, 8), 2, case.reach());
            for plan in [SubdomainPlan::whole(33, 21), turns] {
                cpu_and_plain(&case, &plan).iter().for_each(|state| {
                    state.assert_is(&expected, || name(&plan));
                });
            }
        }
    }
}

#[test]
fn rain_on_named_cells_equals_rain_on_the_ground() {
    let rate = 4e-3;
    for variant in solvers() {
        let bare = || Case::new(33, 21, variant).hills(100.0, 73).lossy(2e-3, 74);
        let expected = bare().rain(rate).run(17, CpuOptions::default());
        let cells = 0..bare().bed.len();
        let named = with_rain_on(bare(), cells, rate);
        assert!(expected.ledger.rain > 0 && expected.ledger.infiltration > 0);
        let state = named.run(17, CpuOptions::default());
        state.assert_is(&expected, || named.name());
    }
}
