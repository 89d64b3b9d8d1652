//! The maximum depth and the arrival time of every cell equal those found by inspecting the water
//! after every step: arrival is when the depth first exceeds the threshold.

use crate::common;

use common::{Case, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;

#[test]
fn maxima_and_arrivals_match_the_states_after_each_step() {
    for variant in every_case() {
        let mut case = Case::new(45, 23, variant)
            .hills(77.0, 91)
            .holes(0.05, 92)
            .ponds(0.03, 93)
            .rain(2e-4)
            .source(&[(9, 9)], &[(0.0, 0.3), (200.0, 0.0)])
            .sink(30, 11)
            .open(OpenSides::ALL);
        case.arrival = 0.02;
        let threshold = case.grain.from_depth(case.arrival).expect("it fits");
        let mut simulation = case.start(CpuOptions::default());
        let start = case.state(&simulation);
        let mut most = start.water.clone();
        let mut arrival = vec![-1.0f32; most.len()];
        for (arrival, &water) in arrival.iter_mut().zip(&start.water) {
            if water > threshold {
                *arrival = 0.0;
            }
        }
        for _ in 0..300 {
            let water = case.after(1, &mut simulation).water;
            for cell in 0..water.len() {
                if water[cell] > threshold && arrival[cell] < 0.0 {
                    arrival[cell] = simulation.clock.now() as f32;
                }
                most[cell] = most[cell].max(water[cell]);
            }
        }
        let state = case.state(&simulation);
        assert!(state.most == most, "{}: maxima", case.name());
        let arrival: Vec<u32> = arrival.into_iter().map(f32::to_bits).collect();
        assert!(state.arrival == arrival, "{}: arrivals", case.name());
        let late = state.arrival.iter().filter(|&&t| f32::from_bits(t) > 20.0);
        assert!(late.count() > 5, "{}: water arrives over time", case.name());
    }
}

#[test]
fn water_exactly_at_the_threshold_has_not_arrived() {
    for variant in every_case() {
        let mut case = Case::new(17, 3, variant);
        case.arrival = 0.25;
        let at = case.clone().water(|_, _| 0.25).run(5, CpuOptions::default());
        let never = (-1.0f32).to_bits();
        assert!(at.arrival.iter().all(|&t| t == never), "{}", case.name());
        // One more grain falls as rain in the fifth step, which ends after 5 steps or 0.37 s.
        let grains = if case.solver.is_timed() { 3.1 } else { 0.21 };
        let rise = case.water(|_, _| 0.25).rain(grains / f64::from(1 << 24));
        let mut simulation = rise.start(CpuOptions::default());
        simulation.advance(5).expect("shallow water");
        let fifth = (simulation.clock.now() as f32).to_bits();
        let state = rise.after(3, &mut simulation);
        assert!(state.arrival.iter().all(|&t| t == fifth), "{}", rise.name());
    }
}
