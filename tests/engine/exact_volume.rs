//! Not a grain is lost or created: initial + rain + inflow − losses − outflow − stored = 0 exactly,
//! after ten thousand steps (`make test-all`; two thousand in `make test`), for every solver and
//! neighbourhood.
//!
//! The mass balance is not trusted on its own: the stored water is summed again from the cells, and
//! rain and sources are computed from their series.

use crate::common;

use common::cover::{combinations, few_or_all};
use common::{Case, every_case, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::{Account, Footprint};
use inundate_engine::simulation::Simulation;

fn steps() -> u64 {
    few_or_all(2_000, 10_000)
}

/// Half a grain falls in three steps (of a second, if they have a duration): on 8 m of water, where
/// adjacent f32 values differ by 16 grains, f32 would never resolve it.
const DRIZZLE: f64 = 1e-8;

/// Returns the total of a constant rate [m per step, or per second] in one cell, in whole grains.
fn grains(case: &Case, rate: f64, simulation: &Simulation) -> i128 {
    (rate * simulation.clock.now() * f64::from(case.grain.per_metre())).floor() as i128
}

/// Runs to the end, and checks the depths and the mass balance regularly.
fn run_watched(case: &Case, steps: u64) -> Simulation {
    let mut simulation = case.start(CpuOptions::default());
    for _ in 0..20 {
        let state = case.after(steps / 20, &mut simulation);
        let done = simulation.clock.done;
        assert!(
            state.water.iter().all(|&w| w >= 0),
            "{}: negative depth at step {done}",
            case.name()
        );
        assert_eq!(state.ledger.error(), 0, "{}, step {done}", case.name());
        assert_eq!(state.ledger.stored, state.stored(), "{}", case.name());
    }
    simulation
}

/// Everything at once: hills with holes, ponds, two rains, a source, top-up and sink cells.
fn busy_case(variant: common::Variant, base: f64) -> Case {
    Case::new(65, 33, variant)
        .hills(base, 3)
        .holes(0.04, 4)
        .ponds(0.4, 5)
        .rain(DRIZZLE)
        .uneven_rain(3e-6, 6)
        .source(&[(5, 5), (6, 5), (50, 20)], &[(0.0, 2e-4), (700.5, 1e-3)])
        .top_up(33, 2, 0.3)
        .top_up(0, 32, 0.1)
        .sink(20, 16)
        .sink(64, 0)
}

#[test]
fn volume_is_conserved_with_every_forcing_and_open_edges() {
    let variants: Vec<_> = every_case().collect();
    for choice in combinations(&[variants.len(), 2, 2], 1) {
        let (variant, base) = (variants[choice[0]], [0.0, 3000.0][choice[1]]);
        let open = [OpenSides::CLOSED, OpenSides::ALL][choice[2]];
        let case = busy_case(variant, base).open(open);
        let simulation = run_watched(&case, steps());
        let ledger = simulation.backend.ledger();
        assert!(ledger.losses > 0, "{}: the sinks took nothing", case.name());
        assert_eq!(ledger.outflow > 0, !open.names().is_empty(), "{}", case.name());
        let initial = case.initial.iter().enumerate();
        let initial = initial.filter(|&(cell, _)| case.is_inside(cell));
        let initial: i128 = initial.map(|(_, &w)| i128::from(w)).sum();
        assert_eq!(ledger.initial, initial, "{}", case.name());
    }
}

#[test]
fn volume_is_conserved_with_uneven_roughness_oblong_cells_and_stage_boundaries() {
    for variant in every_timed() {
        for open in [OpenSides::CLOSED, OpenSides::ALL] {
            let east: Vec<_> = (0..33).map(|row| (64, row)).collect();
            let case = busy_case(variant, 3000.0)
                .cell(6.0, 15.0)
                .uneven_roughness(0.01, 0.3, 7)
                .stage(&east, &[(0.0, 3000.2), (100.0, 3001.5), (300.0, 2999.0)])
                .open(open);
            let ledger = run_watched(&case, few_or_all(1000, 2000)).backend.ledger();
            assert!(ledger.outflow > 0, "{}: the level falls again", case.name());
        }
    }
}

#[test]
fn rain_and_sources_deliver_their_series() {
    for variant in every_case() {
        let source = 3.7e-5;
        let case = Case::new(40, 17, variant)
            .hills(1500.0, 8)
            .holes(0.1, 9)
            .ponds(0.2, 10)
            .rain(DRIZZLE)
            .source(&[(3, 3), (20, 9), (39, 16)], &[(0.0, source)]);
        let wet = [(3, 3), (20, 9), (39, 16)]
            .into_iter()
            .filter(|(column, row)| case.is_inside(row * case.columns + column))
            .count();
        let simulation = run_watched(&case, steps());
        let ledger = simulation.backend.ledger();
        let rain = grains(&case, DRIZZLE, &simulation) * case.domain_cells() as i128;
        let inflow = grains(&case, source, &simulation) * wet as i128;
        assert!(rain > 0 && wet > 0);
        assert_eq!((ledger.rain, ledger.inflow), (rain, inflow), "{}", case.name());
        assert_eq!(ledger.stored, ledger.initial + rain + inflow);
    }
}

#[test]
fn rain_shares_add_up_to_the_booked_rain() {
    // ⌊share · total⌋ per cell, found by running the same shares on cells that cannot exchange
    // water: every cell of this chequerboard is an island for the von Neumann neighbourhood.
    for variant in every_case().filter(|(_, n)| n.neighbours() == 4) {
        let case = Case::new(31, 19, variant)
            .bed(|i, j| if (i + j) % 2 == 0 { 12.0 } else { f64::NAN })
            .uneven_rain(1e-7, 2);
        let simulation = run_watched(&case, 1000);
        let state = case.state(&simulation);
        let rate = &case.forcing.rates[0];
        assert_eq!(rate.account, Account::Rain);
        let total = rate.series.grains(simulation.clock.now(), case.grain);
        let Footprint::Shares(shares) = &rate.footprint else {
            panic!("uneven rain has shares");
        };
        for (cell, share) in shares.iter().enumerate().filter(|(c, _)| case.is_inside(*c)) {
            let whole = inundate_engine::forcing::Increment { before: 0, after: total };
            assert_eq!(state.water[cell] as u64, share.gains(whole), "cell {cell}");
        }
    }
}

#[test]
fn rain_frames_on_zones_deliver_their_series_and_shares() {
    // Computed per frame: a cell gets ⌊share · ⌊rate · duration⌋⌋ grains, wherever steps begin and
    // end.
    let times = [3.3, 20.0, 47.25, 100.0, 1000.0];
    for variant in every_case() {
        let case = Case::new(23, 14, variant).hills(30.0, 11).holes(0.1, 12).zoned_rain(
            3e-6,
            &times,
            (4, 3),
            13,
        );
        let mut simulation = case.start(CpuOptions::default());
        match simulation.clock.steps_in_all() {
            Some(_) => simulation.advance(1200).expect("shallow water"),
            None => simulation.advance_to(1200.0).expect("shallow water"),
        }
        let mut expected = 0i128;
        for (frame, (layer, times)) in case.forcing.rates.iter().zip(times.windows(2)).enumerate() {
            let rate = if frame == 2 { 0.0 } else { 3e-6 * (1.0 + frame as f64) };
            let metres = rate * (times[1] - times[0]);
            let grains = (metres * f64::from(case.grain.per_metre())) as u64;
            let Footprint::Zones(zoned) = &layer.footprint else { panic!("rain on zones") };
            for cell in (0..case.bed.len()).filter(|&cell| case.is_inside(cell)) {
                let share = u128::from(zoned.share(cell).bits());
                expected += ((share * u128::from(grains)) >> 31) as i128;
            }
        }
        let ledger = simulation.backend.ledger();
        assert_eq!((ledger.rain, ledger.error()), (expected, 0), "{}", case.name());
        assert!(expected > 0);
    }
}

#[test]
fn drizzle_on_eight_metres_of_water_is_not_lost_to_rounding() {
    for variant in every_case() {
        let case = Case::new(33, 12, variant).hills(3000.0, 1).lake(3010.0).rain(DRIZZLE);
        assert!(case.initial.iter().all(|&w| w >= 7 << 24), "deep everywhere");
        let before = case.initial.clone();
        let simulation = run_watched(&case, steps());
        let expected = grains(&case, DRIZZLE, &simulation);
        let after = case.state(&simulation).water;
        // Uniform rain keeps the lake level.
        for (before, after) in before.into_iter().zip(after) {
            assert_eq!(i128::from(after - before), expected, "{}", case.name());
        }
    }
}
