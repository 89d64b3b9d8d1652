//! Structures on edges: what crosses them is their law's, volume is exact, and no way to cut a map shows in what they do.

use crate::common;

use common::host_worker::framed;
use common::{Case, State, every_timed};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::field::Field;
use inundate_engine::forcing::structures::{Structure, StructureKind};
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// The state of a case after some steps, by any plan for the CPU, and by the plain worker.
fn states(case: &Case, plan: &SubdomainPlan) -> [State; 2] {
    let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
    let frames = cpu::open_as(case.problem(), small, plan.clone(), None).expect("memory");
    let runs = [case.start_on(frames), case.start_on(framed(case, plan.clone()).0)];
    runs.map(|mut run| {
        run.advance(17).expect("a run that stays shallow");
        case.state(&run)
    })
}

#[test]
fn they_act_lose_nothing_and_leave_no_trace_of_tiles() {
    for variant in every_timed() {
        let bare = || {
            Case::new(33, 21, variant).hills(100.0, 91).holes(0.02, 92).ponds(2.0, 93).rain(1e-4)
        };
        let without = bare().run(17, CpuOptions::default());
        let mut case = bare().structures(0.2, 94);
        case.keeps_discharge = true;
        let expected = case.run(17, CpuOptions::default());
        assert_ne!(expected.water, without.water, "{}: they act", case.name());
        let ledger = expected.ledger;
        assert_eq!((ledger.error(), ledger.stored), (0, expected.stored()), "{}", case.name());
        let turns = SubdomainPlan::tiled(33, 21, (11, 8), 2, case.reach());
        for plan in [SubdomainPlan::whole(33, 21), turns] {
            for state in states(&case, &plan) {
                state.assert_is(&expected, || format!("{}, {:?}", case.name(), plan.steps));
            }
        }
    }
}

/// A wall across a channel, between ponds of some depths [m]: what has crossed it after so many seconds [m³], and the discharges over its
/// edges [m²/s].
fn over(variant: common::Variant, depths: [f64; 2], crest: f64, seconds: f64) -> (f64, Vec<f32>) {
    let (columns, rows, at) = (40, 3, 19);
    let mut case = Case::new(columns, rows, variant)
        .water(|column, _| if column <= at { depths[0] } else { depths[1] });
    case.keeps_discharge = true;
    let wall = |row: usize| Structure {
        cell: row * columns + at,
        axis: 0,
        kind: StructureKind::Weir,
        crest,
        numbers: [1.7, 0.8, 0.0],
    };
    case.forcing.structures = (0..rows).map(wall).collect();
    let mut run = case.start(CpuOptions::default());
    run.advance_to(seconds).expect("a run that stays shallow");
    let state = case.state(&run);
    let left = (0..rows).flat_map(|row| (0..=at).map(move |column| row * columns + column));
    let lost: i32 = left.map(|cell| case.initial[cell] - state.water[cell]).sum();
    let volume = f64::from(lost) / f64::from(case.grain.per_metre()) * 100.0;
    let discharges = run.floats(Field::DischargeEast).expect("it is kept");
    let over = (0..rows).map(|row| discharges[row * (columns + 1) + at + 1]).collect();
    (volume, over)
}

#[test]
fn a_weir_lets_over_what_its_formula_says_both_ways_free_and_drowned() {
    for variant in every_timed() {
        let name = variant.0.label();
        for (depths, wanted) in [
            // 1.7 h^1.5, and 1.7 h1 sqrt((h1 - h2) / 0.2) where h2 > 0.8 h1 (m2/s).
            ([1.2, 0.0], 1.7 * 0.2f64.powf(1.5)),
            ([1.2, 0.9], 1.7 * 0.2f64.powf(1.5)),
            ([0.4, 1.3], -1.7 * 0.3f64.powf(1.5)),
            ([1.5, 1.45], 1.7 * 0.5 * (0.05f64 / 0.2).sqrt()),
            ([1.30, 1.33], -1.7 * 0.33 * (0.03f64 / 0.2).sqrt()),
        ] {
            // In a step so short that the ponds are what they were.
            let (volume, discharges) = over(variant, depths, 1.0, 0.01);
            for discharge in discharges {
                let difference = (f64::from(discharge) - wanted).abs() / wanted.abs();
                assert!(difference < 2e-3, "{name}, {depths:?}: {discharge}, {wanted}");
            }
            let wanted = wanted * 30.0 * 0.01;
            let difference = (volume - wanted).abs() / wanted.abs();
            assert!(difference < 2e-3, "{name}, {depths:?}: {volume} m³, {wanted}");
        }
    }
}

#[test]
fn a_wall_that_is_not_overtopped_holds_and_levels_that_meet_stay() {
    for variant in every_timed() {
        let (volume, _) = over(variant, [0.9, 0.1], 1.0, 600.0);
        assert_eq!(volume, 0.0, "{}", variant.0.label());
        // No crest is too high.
        let (volume, _) = over(variant, [3.0, 0.0], f64::INFINITY, 60.0);
        assert_eq!(volume, 0.0, "{}", variant.0.label());
        // 20 columns of 1.4 m against 20 of 1.0 m come to 1.2 m each.
        let (volume, discharges) = over(variant, [1.4, 1.0], 0.5, 4000.0);
        let expected = 0.2 * 60.0 * 100.0;
        assert!((volume - expected).abs() < 0.01 * expected, "{}: {volume}", variant.0.label());
        assert!(discharges.iter().all(|over| over.abs() < 0.02), "{discharges:?}");
    }
}
