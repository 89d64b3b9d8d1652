//! The engine's steps of the solvers with physical time equal those of a plain whole-grid
//! implementation bit for bit (tests/engine/common/twin.rs): water, mass balance, flow across edges
//! and its cut parts, the CFL rate and the step lengths.

use crate::common;

use common::twin::Twin;
use common::{Case, Variant, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::field::{Field, bits_mut};
use inundate_engine::simulation::Simulation;

/// Steps both, and compares them regularly.
fn assert_twins(case: &Case, message: &str, steps: u64) -> Twin {
    let mut twin = Twin::new(case);
    let options = CpuOptions { tile: (9, 7), ..CpuOptions::default() };
    let mut simulation = case.start(options);
    for step in 1..=steps {
        simulation.advance(1).expect("shallow water");
        twin.step();
        let range = simulation.clock.step_range().expect("seconds");
        let shortest = twin.steps.iter().fold(f32::INFINITY, |a, &b| a.min(b));
        let longest = twin.steps.iter().fold(0.0, |a: f32, &b| a.max(b));
        let name = || format!("{}, {message}, step {step}", case.name());
        assert_eq!(range, (f64::from(shortest), f64::from(longest)), "{}", name());
        if step % 10 > 1 && step != steps {
            continue;
        }
        let state = case.state(&simulation);
        let water = twin.water();
        let first = (0..water.len()).find(|&cell| water[cell] != state.water[cell]);
        assert_eq!(first, None, "{}: the first cell that differs", name());
        let bits = [twin.free, twin.rate, twin.epoch_rate].map(f32::to_bits);
        let control = (twin.time.to_bits(), bits, twin.epoch);
        assert_eq!(state.control, Some(control), "{}: control", name());
        assert_eq!(state.ledger, twin.ledger, "{}", name());
        assert_eq!(state.port_volumes, twin.port_volumes, "{}: ports", name());
        assert_eq!(state.crossed, twin.crossed, "{}", name());
        let extremes = (twin.extremes.maxima, twin.extremes.times.map(f64::to_bits));
        assert_eq!(state.extremes, extremes, "{}: the greatest values", name());
        assert_edges(&simulation, &twin, &name);
        assert!(state.most == twin.most(), "{}: maxima", name());
        let arrival: Vec<u32> = twin.arrival().into_iter().map(f32::to_bits).collect();
        assert!(state.arrival == arrival, "{}: arrivals", name());
    }
    assert_eq!(twin.ledger.error(), 0);
    twin
}

/// Asserts that the state of the edges is equal.
fn assert_edges(simulation: &Simulation, twin: &Twin, name: &dyn Fn() -> String) {
    let case = twin.case();
    let Some(field) = case.problem().solver.remembers() else { return };
    for axis in [0, 1] {
        let mut line = vec![0.0; case.columns + 1 - axis];
        let edges = twin.edges(field, axis);
        for (row, expected) in edges.chunks(line.len()).enumerate() {
            simulation
                .backend
                .read(Field::edge(field, axis), row, bits_mut(&mut line))
                .expect("a line");
            let same = |(a, b): (&f32, &f32)| a == b || a.to_bits() == b.to_bits();
            assert!(line.iter().zip(expected).all(same), "{}: {field:?} {axis}, {row}", name());
        }
    }
}

/// Hills with holes, ponds and every kind of forcing; one series changes within the run.
fn busy(variant: Variant) -> Case {
    Case::new(23, 17, variant)
        .hills(812.0, 5)
        .holes(0.06, 6)
        .ponds(0.4, 7)
        .rain(3e-6)
        .uneven_rain(2e-5, 8)
        .source(&[(3, 3), (4, 3), (20, 12)], &[(0.0, 2e-3), (4.0, 0.02), (30.0, 0.0)])
        .top_up(12, 2, 0.3)
        .sink(9, 9)
}

#[test]
fn with_every_feature_on_the_map() {
    for variant in every_timed() {
        for sides in ["none", "all", "north", "west", "east,south"] {
            let case = busy(variant).open(OpenSides::parse(sides).expect("sides"));
            let twin = assert_twins(&case, sides, 120);
            assert!(twin.time > 20.0, "{}: {} s", case.name(), twin.time);
            assert!(twin.crossed.crossed > 0 && twin.ledger.losses > 0);
            assert_eq!(twin.ledger.outflow > 0, sides != "none", "{sides}");
        }
    }
}

#[test]
fn with_oblong_cells_and_uneven_roughness() {
    for variant in every_timed() {
        for (width, height) in [(4.0, 13.0), (25.0, 8.0)] {
            let case = busy(variant).cell(width, height).uneven_roughness(0.01, 0.2, 3);
            assert_twins(&case.open(OpenSides::ALL), &format!("{width} x {height} m"), 100);
        }
    }
}

#[test]
fn with_stage_boundary_cells() {
    for variant in every_timed() {
        let west: Vec<_> = (0..17).map(|row| (0, row)).collect();
        let case = Case::new(23, 17, variant)
            .hills(30.0, 15)
            .ponds(0.1, 16)
            .stage(&west, &[(0.0, 30.2), (20.0, 31.7), (60.0, 30.0)])
            .stage(&[(1, 4), (2, 4), (1, 5)], &[(0.0, 30.3), (20.0, 31.7), (60.0, 30.0)])
            .stage(&[(22, 8)], &[(0.0, 31.0), (10.0, 29.0)])
            .runs_out(&[(22, 3), (11, 16)], 0.01);
        let twin = assert_twins(&case, "held", 150);
        assert!(twin.ledger.inflow > 0 && twin.ledger.outflow > 0, "{:?}", twin.ledger);
        assert!(twin.time > 20.0, "{} s", twin.time);
    }
}

#[test]
fn in_films_and_in_deep_water() {
    for variant in every_timed() {
        let film = Case::new(19, 14, variant)
            .hills(3000.0, 25)
            .water(|i, j| if (i + j) % 3 == 0 { 3e-5 } else { 0.0 })
            .rain(1e-6)
            .open(OpenSides::ALL);
        assert_twins(&film, "film", 100);
        let deep = Case::new(19, 14, variant)
            .hills(3000.0, 26)
            .holes(0.1, 27)
            .water(|i, j| if i < 9 { 14.0 + 0.3 * (j % 3) as f64 } else { 0.0 })
            .open(OpenSides::ALL);
        assert_twins(&deep, "deep", 100);
        let coarse = Case::new(19, 14, variant)
            .coarse()
            .hills(3000.0, 28)
            .water(|i, _| if i < 9 { 300.0 } else { 0.0 });
        assert_twins(&coarse, "coarse grain", 60);
    }
}

#[test]
fn where_cells_would_give_more_than_they_have() {
    for variant in every_timed() {
        // Thin water on steep ground, with steps that are long for it.
        let case = Case::new(17, 21, variant)
            .bed(|i, j| 200.0 - 4.0 * j as f64 + ((i * 5 + j * 3) % 4) as f64)
            .water(|i, j| 0.02 + 0.3 * f64::from(u8::from((i * j) % 5 == 0)))
            .rain(2e-4)
            .source(&[(8, 0)], &[(0.0, 0.0), (30.0, 0.5)]);
        let twin = assert_twins(&case, "steep", 150);
        println!("{}: {:.2} % cut", case.name(), 100.0 * twin.crossed.share_cut());
        // Towers of one cell, from which thin water falls on all four sides: a step in which it
        // moves half a cell across each edge requests twice the available water.
        let towers = Case::new(17, 21, variant)
            .bed(|i, j| if i % 4 == 2 && j % 4 == 2 { 30.0 + i as f64 } else { 0.01 * j as f64 })
            .water(|i, j| if i % 4 == 2 && j % 4 == 2 { 0.05 } else { 0.0 })
            .source(&[(6, 6), (10, 14)], &[(0.0, 0.02), (30.0, 0.1)]);
        let fallen = assert_twins(&towers, "towers", 150);
        println!("{}: {:.2} % cut from towers", case.name(), 100.0 * fallen.crossed.share_cut());
        let cut = if case.solver.name == "aqua-manning" { &twin } else { &fallen }.crossed.cut;
        assert!(cut > 0, "{}: nothing is cut", case.name());
    }
}
