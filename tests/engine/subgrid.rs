//! Cells with tables of finer ground: volume is exact, a lake at rest stays, walls and channels that are narrower than a cell are felt, and no
//! way to cut a map shows.

use crate::common;

use common::finer::brook;
use common::{Variant, every_timed};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::lanes::InstructionSet;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// The rules that know tables.
fn every_rule() -> impl Iterator<Item = Variant> {
    every_timed().filter(|(rule, _)| rule.knows_tables())
}

#[test]
fn no_way_to_cut_a_map_and_no_lanes_show_and_volume_is_exact() {
    for variant in every_rule() {
        let case = brook(variant).rain(2e-5);
        let expected = case.run(60, CpuOptions::default());
        assert_eq!(expected.ledger.error(), 0);
        assert_eq!(expected.ledger.stored, expected.stored());
        let (columns, rows) = (case.columns, case.rows);
        for instructions in InstructionSet::available() {
            for activity in [true, false] {
                let options =
                    CpuOptions { tile: (9, 4), instructions, activity, ..CpuOptions::default() };
                case.run(60, options).assert_is(&expected, || format!("{options:?}"));
            }
        }
        for plan in [
            SubdomainPlan::tiled(columns, rows, (23, 11), 3, case.reach()),
            SubdomainPlan::tiled(columns, rows, (40, 29), 7, case.reach()),
        ] {
            let steps = plan.steps;
            let tiles = cpu::open_as(case.problem(), CpuOptions::default(), plan, None);
            let mut run = case.start_on(tiles.expect("memory"));
            run.advance(60).expect("a run that stays shallow");
            case.state(&run).assert_is(&expected, || format!("in turns of {steps:?}"));
        }
    }
}
