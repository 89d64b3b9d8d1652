//! Level minimization as printed by Topa & Młocek (2013), "Using shared memory as a cache in cellular
//! automata water flow simulations on GPUs", with its misprints corrected:
//!
//! * Algorithm 1 sets `newControl` before its loop and never again; it is reset in every pass.
//! * Algorithm 2's condition reads `w > i·q[n] − qSum`; the index is `i`.
//! * Listing 1 compares with multiples of each floor, as many as there are neighbours so far, and
//!   not with the count of floors taken; and it compares absolute levels, so it is given floors
//!   relative to the cell's own bed and the count so far.
//!
//! The three agree with each other, and the engine's solver with them. In the engine every transfer is
//! rounded to a grain (6e-8 m), which a relaxed solver damps from step to step; with the paper's α = 1
//! cells overshoot and differences can grow, so that case is measured against a nudged twin.

use crate::common;

use common::scatter::{Scatter, nudged, pour};
use common::{Case, Random};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::neighbourhood::Neighbourhood;
use inundate_engine::solver::level_minimization::LevelMinimization;
use inundate_engine::solver::{CellSolver, find};

/// Algorithm 1: averages over all floors, leaves out higher ones, and repeats until none is higher.
fn algorithm_1(w: f64, q: &[f64]) -> f64 {
    let mut eliminated = vec![false; q.len()];
    loop {
        let mut new_control = false;
        let mut q_sum = w;
        let mut count = 0;
        for i in 0..q.len() {
            if !eliminated[i] {
                q_sum += q[i];
                count += 1;
            }
        }
        let average = q_sum / f64::from(count);
        for i in 0..q.len() {
            if q[i] > average && !eliminated[i] {
                new_control = true;
                eliminated[i] = true;
            }
        }
        if !new_control {
            return average;
        }
    }
}

/// Algorithm 2: adds floors from the lowest up while the water covers them.
fn algorithm_2(w: f64, q: &[f64]) -> f64 {
    let mut sorted = q.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (mut i, mut q_sum) = (0, 0.0);
    while i < sorted.len() && w > i as f64 * sorted[i] - q_sum {
        q_sum += sorted[i];
        i += 1;
    }
    (q_sum + w) / i as f64
}

/// Listing 1: a branch-free version, with `step(x, y)` 0 if x > y and 1 otherwise.
fn listing_1(w: f64, q: &[f64]) -> f64 {
    let step = |x: f64, y: f64| if y < x { 0.0 } else { 1.0 };
    let own = q[0];
    let mut q: Vec<f64> = q.iter().map(|q| q - own).collect();
    q.sort_by(f64::total_cmp);
    let mut q_sum = w + q[0];
    let mut i = 1.0;
    for &q in &q[1..] {
        let t = step(q * i, q_sum);
        q_sum += t * q;
        i += t;
    }
    own + q_sum / i
}

/// The solver with the corrected Algorithm 2: every neighbour gets max(0, average − T_k).
fn level_minimization(alpha: f64) -> impl Fn(f64, f64, &[f64]) -> Vec<f64> {
    move |bed, water, levels| {
        let floors: Vec<f64> = std::iter::once(bed).chain(levels.iter().copied()).collect();
        let average = algorithm_2(water, &floors);
        let give = |level| alpha * f64::max(0.0, average - level);
        levels.iter().map(|&level| give(level)).collect()
    }
}

/// Returns random water and floors, the own bed first: dry cells, films and deep water, sometimes
/// with equal floors.
fn random_floors(random: &mut Random, neighbours: usize) -> (f64, Vec<f64>) {
    let scale = [1e-3, 0.1, 3.0][(random.bits() % 3) as usize];
    let water = random.between(-0.1, 1.0).max(1e-6) * scale;
    let mut floors: Vec<f64> = (0..=neighbours).map(|_| random.between(-1.0, 1.0)).collect();
    if random.bits().is_multiple_of(4) {
        floors[2] = floors[1];
        floors[3] = floors[0];
    }
    (water, floors)
}

#[test]
fn both_algorithms_and_the_listing_agree() {
    let mut random = Random::new(5);
    let mut worst = 0.0f64;
    for neighbours in [4, 8] {
        for _ in 0..100_000 {
            let (water, floors) = random_floors(&mut random, neighbours);
            let expected = pour(water, &floors);
            for level in [algorithm_1, algorithm_2, listing_1].map(|f| f(water, &floors)) {
                worst = worst.max((level - expected).abs());
            }
        }
    }
    println!("the algorithms differ by {worst:e} m");
    assert!(worst < 1e-12, "they differ by {worst:e} m");
}

/// Returns the greatest difference between the outflows of the solver and of Algorithm 1 [m].
fn worst_outflow<const K: usize>(samples: usize) -> f64 {
    let mut random = Random::new(K as u64);
    let solver = LevelMinimization { alpha: 1.0 };
    let mut worst = 0.0f64;
    for _ in 0..samples {
        let (water, floors) = random_floors(&mut random, K);
        let level = algorithm_1(water, &floors);
        let own = floors[0] + water;
        let drop = std::array::from_fn(|k| (own - floors[k + 1]).max(0.0) as f32);
        let outflows = solver.give::<f32, K>(water as f32, drop, [0.0; K]);
        for (outflow, floor) in outflows.into_iter().zip(&floors[1..]) {
            worst = worst.max((f64::from(outflow) - (level - floor).max(0.0)).abs());
        }
    }
    worst
}

#[test]
fn the_solver_matches_algorithm_1() {
    // Drops are up to 5 m, which f32 resolves to 2.4e-7 m; the prefix sums add a few such errors.
    for (name, worst) in [("4", worst_outflow::<4>(100_000)), ("8", worst_outflow::<8>(100_000))] {
        println!("{name} neighbours: outflows differ by {worst:e} m");
        assert!(worst < 2e-6, "{name} neighbours: outflows differ by {worst:e} m");
    }
}

/// Returns the differences between engine and reference, and between a perturbed reference and the
/// reference [m].
fn differences_after(case: &Case, steps: u64) -> (f64, f64) {
    let grain = f64::from(case.grain.metres());
    let solver = level_minimization(f64::from(case.alpha));
    let nudged = nudged(&solver, grain, 77);
    let (mut reference, mut twin) = (Scatter::new(case), Scatter::new(case));
    for _ in 0..steps {
        reference.step(&solver);
        twin.step(&nudged);
    }
    let water = case.run(steps, CpuOptions::default()).water;
    (reference.difference(&water, grain), reference.stray(&twin))
}

#[test]
fn the_engine_follows_algorithm_2_on_random_terrain() {
    for neighbourhood in Neighbourhood::ALL {
        for (alpha, base) in [(1.0, 40.0), (0.2, 40.0), (1.0, 3000.0)] {
            let solver = find("level-minimization").expect("a registered solver");
            let case = Case::new(65, 33, (solver, neighbourhood))
                .alpha(alpha)
                .hills(base, 4)
                .holes(0.05, 5)
                .ponds(0.5, 6);
            for steps in [1, 10, 100] {
                let (difference, stray) = differences_after(&case, steps);
                println!(
                    "{neighbourhood}, alpha {alpha}, {base} m, {steps} steps: {difference:e}, twin {stray:e} m"
                );
                // 2·K transfers of a grain, and the rounding of f32.
                let bound = (1e-6 * steps.min(10) as f64).max(10.0 * stray);
                assert!(
                    difference < bound,
                    "{neighbourhood}, alpha {alpha}: off by {difference:e} m after {steps} steps"
                );
            }
        }
    }
}
