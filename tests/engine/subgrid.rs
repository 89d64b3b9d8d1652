//! Cells with subgrid tables: volume is exact, a lake at rest stays at rest, walls and channels
//! narrower than a cell have their effect, and results do not depend on the tiling.

use crate::common;

use common::finer::brook;
use common::{Case, Variant, every_case, every_timed};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::boundary::OpenSides;
use inundate_engine::cell_diagnostics::{self, CellDiagnostic, RISES};
use inundate_engine::device::Device;
use inundate_engine::lanes::InstructionSet;
use inundate_engine::roughness::Roughness;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// Returns the solvers that support tables.
fn every_solver() -> impl Iterator<Item = Variant> {
    every_timed().filter(|(solver, _)| solver.knows_tables())
}

#[test]
fn tiling_and_lanes_do_not_change_a_bit_and_volume_is_exact() {
    for variant in every_solver() {
        let case = brook(variant).rain(2e-5);
        let expected = case.run(60, CpuOptions::default());
        assert_eq!(expected.ledger.error(), 0);
        assert_eq!(expected.ledger.stored, expected.stored());
        let (columns, rows) = (case.columns, case.rows);
        for instructions in InstructionSet::available() {
            for activity in [true, false] {
                let options = CpuOptions { tile: (9, 4), instructions, activity };
                case.run(60, options).assert_is(&expected, || format!("{options:?}"));
            }
        }
        for plan in [
            SubdomainPlan::tiled(columns, rows, (23, 11), 3, case.reach()),
            SubdomainPlan::tiled(columns, rows, (40, 29), 7, case.reach()),
        ] {
            let steps = plan.steps;
            let tiles = cpu::open_as(case.problem(), CpuOptions::default(), plan, None);
            case.after(60, &mut case.start_on(tiles.expect("memory")))
                .assert_is(&expected, || format!("in turns of {steps:?}"));
        }
        let mut before = case.start(CpuOptions::default());
        before.advance(23).expect("a run that stays shallow");
        let kept = case.snapshot(&before);
        case.after(37, &mut kept.go_on(case.problem(), Device::Cpu).expect("the same problem"))
            .assert_is(&expected, || "gone on".into());
    }
}

#[test]
fn tiling_does_not_change_recorded_levels() {
    for variant in every_solver() {
        let (columns, rows) = (31, 17);
        let level = |i: usize, j: usize| {
            let dyke = if i % 29 == 7 && j % 23 > 3 { 0.8 } else { 0.0 };
            12.0 - 0.02 * i as f64 + 0.4 * ((i * 7 + j * 5) % 13) as f64 / 13.0 + dyke
        };
        let case = Case::new(columns, rows, variant).cell(20.0, 20.0).finer(4, level);
        let case = case.source(&[(5, 8)], &[(0.0, 4e-2)]).rain(2e-5).open(OpenSides::ALL);
        let case = case.with_diagnostics();
        let expected = case.run(70, CpuOptions::default());
        let first = cell_diagnostics::first_planes(&case.cell_diagnostics).0;
        let rises = case
            .cell_diagnostics
            .iter()
            .position(|diagnostic| matches!(diagnostic, CellDiagnostic::LevelArrivals { .. }));
        let first = columns * rows * first[rises.expect("levels are recorded")];
        let passed = |knot: usize| {
            let plane = &expected.diagnostics[first + (2 + knot) * columns * rows..];
            plane[..columns * rows].iter().filter(|bits| f32::from_bits(**bits) >= 0.0).count()
        };
        assert!(passed(0) > passed(2) && passed(2) > passed(RISES - 1) && passed(RISES - 1) > 0);
        for instructions in InstructionSet::available() {
            let options = CpuOptions { tile: (9, 4), instructions, ..CpuOptions::default() };
            case.run(70, options).assert_is(&expected, || format!("{options:?}"));
        }
        let plan = SubdomainPlan::tiled(columns, rows, (11, 7), 3, case.reach());
        let tiles = cpu::open_as(case.problem(), CpuOptions::default(), plan, None);
        let mut run = case.start_on(tiles.expect("memory"));
        run.advance(70).expect("a run that stays shallow");
        run.backend.conclude(run.clock.now()).expect("the final state");
        case.state(&run).assert_is(&expected, || format!("{} in turns", case.name()));
        let mut before = case.start(CpuOptions::default());
        before.advance(23).expect("a run that stays shallow");
        let kept = case.snapshot(&before);
        let mut after = kept.go_on(case.problem(), Device::Cpu).expect("the same problem");
        after.advance(47).expect("a run that stays shallow");
        after.backend.conclude(after.clock.now()).expect("the final state");
        case.state(&after).assert_is(&expected, || "gone on".into());
    }
}

#[test]
fn solvers_without_table_support_are_refused() {
    let mut refused = Vec::new();
    for variant in every_case() {
        let case = Case::new(3, 2, variant).finer(2, |i, _| i as f64);
        let plan = SubdomainPlan::tiled(3, 2, (3, 2), 1, case.reach());
        let opened = cpu::open_as(case.problem(), CpuOptions::default(), plan, None);
        let error = opened.err().map(|error| error.to_string());
        assert_eq!(error.is_none(), variant.0.knows_tables(), "{}", case.name());
        if let Some(error) = error {
            let says = ["subgrid: ", &variant.0.label(), "shallow-water and inertial"];
            assert!(says.iter().all(|words| error.contains(words)), "{error}");
            refused.push(variant.0.label());
        }
    }
    let expected = ["shallow-water-2", "aqua-manning", "aqua-graph"];
    assert!(expected.iter().all(|solver| refused.contains(&solver.to_string())), "{refused:?}");
}

/// Returns the level of each cell with `water` (2⁻¹⁶ m).
fn levels(case: &Case, water: &[i32]) -> Vec<i32> {
    let tables = case.subgrid.as_ref().expect("it has tables");
    let metres = case.grain.metres();
    (0..water.len()).map(|cell| tables.level_of(cell, water[cell], metres)).collect()
}

#[test]
fn a_lake_at_rest_stays_at_rest_over_rough_ground_with_dry_crests() {
    for variant in every_solver() {
        let mut case = brook(variant);
        case = Case { bed: case.bed, subgrid: case.subgrid, ..Case::new(67, 29, variant) };
        let level = (28.0 * 65536.0) as i32;
        let tables = case.subgrid.clone().expect("it has tables");
        let fill = |cell: usize| match case.is_inside(cell) {
            true => tables.water_at(cell, level, case.grain.metres()),
            false => 0,
        };
        case.initial = (0..67 * 29).map(fill).collect();
        let wet = case.initial.iter().filter(|&&water| water > 0).count();
        assert!((300..1800).contains(&wet), "{wet} cells are wet");
        for (cell, stands) in levels(&case, &case.initial).into_iter().enumerate() {
            let dry = case.initial[cell] == 0;
            assert!(!case.is_inside(cell) || dry || stands == level, "{cell}: {stands}");
        }
        let state = case.run(300, CpuOptions::default());
        assert_eq!(state.water, case.initial, "{}", case.name());
        assert_eq!(state.extremes.0.speed.value(), 0.0, "{}", case.name());
    }
}

#[test]
fn a_wall_within_cells_holds_water_up_to_its_crest() {
    for variant in every_solver() {
        // A wall of one pixel, 1 m high, with water 0.9 m deep on one side of it, then 1.4 m.
        for (depth, holds) in [(0.9, true), (1.4, false)] {
            let wall = |i: usize, _: usize| if i == 52 { 1.0 } else { 0.0 };
            let mut case = Case::new(20, 3, variant).finer(5, wall);
            let tables = case.subgrid.clone().expect("it has tables");
            let stands = (depth * 65536.0) as i32;
            // The cell with the wall would have water on both sides: it is dry.
            let fill = |cell: usize| match cell % 20 < 10 {
                true => tables.water_at(cell, stands, case.grain.metres()),
                false => 0,
            };
            case.initial = (0..60).map(fill).collect();
            let state = case.run(400, CpuOptions::default());
            let beyond: i64 =
                (0..60).filter(|cell| cell % 20 > 10).map(|c| i64::from(state.water[c])).sum();
            assert_eq!(beyond == 0, holds, "{depth} m: {beyond} grains beyond");
            assert_eq!(state.ledger.error(), 0);
        }
    }
}

#[test]
fn a_stage_boundary_keeps_its_level_and_its_water_spreads_everywhere() {
    for variant in every_solver() {
        let rough = |i: usize, j: usize| 0.1 * ((i * 7 + j * 3) % 11) as f64;
        let case = Case::new(30, 5, variant).finer(5, rough).stage(&[(0, 2)], &[(0.0, 1.5)]);
        let mut run = case.start(CpuOptions::default());
        run.advance_to(20_000.0).expect("shallow water");
        let state = case.state(&run);
        let target = (1.5 * 65536.0) as i32;
        for (cell, level) in levels(&case, &state.water).into_iter().enumerate() {
            assert!((level - target).abs() < 65, "{cell}: {level}, not {target}");
        }
        assert_eq!(state.ledger.error(), 0);
    }
}

/// A channel 10 m wide and 3 m deep through pixels of 5 m, with slopes beside it.
fn channel(column: usize, row: usize) -> f64 {
    let (x, y) = ((column as f64 + 0.5) * 5.0, (row as f64 + 0.5) * 5.0);
    let beside = (y - 175.0f64).abs();
    if beside < 5.0 { 17.0 - 0.001 * x } else { 20.0 - 0.001 * x + 0.005 * beside }
}

#[test]
fn a_channel_narrower_than_a_cell_matches_a_fine_grid() {
    for variant in every_solver() {
        let (columns, rows, ratio) = (20, 7, 10);
        let size = |case: Case, length: f64| {
            let case =
                case.cell(length, length).open(OpenSides { east: true, ..OpenSides::CLOSED });
            Case { roughness: Roughness::Uniform(0.035), ..case }
        };
        // 20 m³/s in total, into the pixels of the channel, and into the cell that contains them.
        let fine = size(Case::new(columns * ratio, rows * ratio, variant), 5.0).bed(channel);
        let into: Vec<_> = (0..ratio).flat_map(|i| [(i, 34), (i, 35)]).collect();
        let fine = fine.source(&into, &[(0.0, 20.0 / (20.0 * 25.0))]);
        let coarse = size(Case::new(columns, rows, variant), 50.0).finer(ratio, channel);
        let coarse = coarse.source(&[(0, 3)], &[(0.0, 20.0 / 2500.0)]);
        let water = |case: &Case| {
            let mut run = case.start(CpuOptions::default());
            run.advance_to(2400.0).expect("shallow water");
            case.state(&run).water
        };
        let (fine_water, coarse_water) = (water(&fine), water(&coarse));
        let coarse_levels = levels(&coarse, &coarse_water);
        for column in [3, 8, 13] {
            let (at, pixel) = (column * ratio + 5, 34);
            let depth = fine_water[pixel * columns * ratio + at] as f64 / f64::from(1 << 24);
            let level = channel(at, pixel) + depth;
            let found = f64::from(coarse_levels[3 * columns + column]) / 65536.0;
            assert!(depth > 1.0 && (found - level).abs() < 0.1, "{column}: {found}, not {level}");
        }
    }
}
