//! Streamed tiles that stay dry are skipped, without missing anything.

use crate::common;

use common::cover::{alternating, few_or_all};
use common::host_worker::host_backend;
use common::{Case, Variant, every_automaton};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::forcing::series::Series;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// Two channels down a slope to a sink, occasionally flooded at the top; the first one ends
/// half-way.
fn channels(variant: Variant) -> Case {
    let channel = |i: usize| i == 3 || i == 14;
    Case::new(48, 90, variant)
        .bed(|i, j| 50.0 - 0.3 * j as f64 + if channel(i) { 0.0 } else { 10.0 })
        .source(&[(3, 0)], &[(0.0, 0.05), (10.0, 0.0), (900.0, 0.07), (905.0, 0.0)])
        .source(&[(14, 0)], &[(100.0, 0.05), (104.0, 0.0), (1300.0, 0.05), (1303.0, 0.0)])
        .sink(3, 44)
        .sink(14, 89)
}

#[test]
fn skipped_dry_tiles_can_wet_dry_and_wet_again() {
    let mut seen = 0;
    let tilings = [((8, 10), 1), ((8, 10), 4), ((5, 31), 3)];
    for (variant, (tile, steps)) in alternating(every_automaton(), &tilings) {
        let case = channels(variant);
        let name = || format!("{}, {tile:?}, {steps} steps", case.name());
        let plan = SubdomainPlan::tiled(case.columns, case.rows, tile, steps, case.reach());
        let (backend, loads) = host_backend(&case, plan.clone());
        let mut simulation = case.start_on(backend);
        let mut expected = case.start(CpuOptions::default());
        let mut dry = 0;
        for _ in 0..120 {
            simulation.advance(14).expect("a run that stays shallow");
            let expected = case.after(14, &mut expected);
            case.state(&simulation).assert_is(&expected, name);
            dry += usize::from(expected.wet_cells == 0);
        }
        if dry < 2 {
            // With a solver so slow that the next flood comes first, there is nothing more to check.
            continue;
        }
        seen += 1;
        // Per tile: whether it was loaded, sweep by sweep.
        let loads = loads.lock().unwrap();
        let history = |subdomain| loads.iter().map(move |sweep| sweep.contains(&subdomain));
        let woke = |subdomain: &usize| {
            let loaded: Vec<bool> = history(*subdomain).collect();
            loaded.windows(2).filter(|pair| !pair[0] && pair[1]).count()
        };
        let subdomains = || 0..plan.subdomains.len();
        assert!(subdomains().filter(|v| woke(v) >= 2).count() >= 3, "{}", name());
        let never =
            subdomains().filter(|&subdomain| !history(subdomain).any(|loaded| loaded)).count();
        assert!(never >= plan.subdomains.len() / 5, "{}: only {never} stay dry", name());
    }
    assert!(seen >= few_or_all(4, 12), "the papers' solvers dry up between floods");
}

#[test]
fn rain_wakes_dry_tiles() {
    for variant in every_automaton() {
        for uneven in [false, true] {
            let case = Case::new(40, 30, variant).hills(12.0, 61);
            let mut case = if uneven { case.uneven_rain(1.0, 62) } else { case.rain(1.0) };
            case.forcing.rates[0].series = Series::new(vec![(12.5, 0.01), (14.0, 0.0)]);
            for steps in [1, 3, 8] {
                let plan =
                    SubdomainPlan::tiled(case.columns, case.rows, (10, 10), steps, case.reach());
                let (backend, loads) = host_backend(&case, plan);
                let mut simulation = case.start_on(backend);
                let mut expected = case.start(CpuOptions::default());
                for batch in 0..6 {
                    simulation.advance(5).expect("a run that stays shallow");
                    expected.advance(5).expect("a run that stays shallow");
                    let name = || format!("{}, {steps} steps, batch {batch}", case.name());
                    case.state(&simulation).assert_is(&case.state(&expected), name);
                    let idle = loads.lock().unwrap().iter().all(Vec::is_empty);
                    assert_eq!(idle, batch < 2, "{}", name());
                }
            }
        }
    }
}
