//! The engine against AQUA-GRAPH as printed: Rinaldi, García Bauza, Vénere, Clausse (2008),
//! "Paralelización de autómatas celulares de aguas superficiales sobre placas gráficas", section 3,
//! steps 1 to 6, implemented literally in f64 by `common::scatter`.
//!
//! The engine rounds every transfer to a grain (2⁻²⁴ m = 6e-8 m) and computes it in f32. A cell
//! takes part in up to 2·K transfers per step, each with an error below a grain, and the f32
//! arithmetic adds some 1e-7 of each flux, which is a few decimetres at most: 5e-7 m per step in
//! total.
//!
//! The growth of these errors is a property of the automaton: a receiver that is lower by δ gets a
//! share proportional to √δ (eq. 4), whose slope is infinite at 0, so at the default α a
//! perturbation of a grain can grow to a millimetre in 100 steps. After many steps, the bound is
//! therefore derived from the reference itself: a second run of the reference, whose transfers are
//! perturbed at random by up to a grain, must deviate from it about as much as the engine does.

use crate::common;

use common::scatter::{Scatter, aqua_graph, nudged};
use common::{Case, Random};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::neighbourhood::Neighbourhood;
use inundate_engine::solver::find;

/// Maximum error of one step [m], see above.
const ONE_STEP: f64 = 5e-7;
/// Maximum deviation of the engine relative to that of the perturbed reference: two random walks
/// differ by that much.
const STRAY: f64 = 10.0;

/// Returns the differences between engine and reference, and between the perturbed reference and
/// the reference, after given numbers of steps [m].
fn differences_after(case: &Case, steps: &[u64]) -> Vec<(f64, f64)> {
    let grain = f64::from(case.grain.metres());
    let solver = aqua_graph(f64::from(case.alpha));
    let nudged = nudged(&solver, grain, 99);
    let mut engine = case.start(CpuOptions::default());
    let (mut reference, mut twin) = (Scatter::new(case), Scatter::new(case));
    let mut done = 0;
    let after = |&target: &u64| {
        engine.advance(target - done).expect("shallow water");
        for _ in done..target {
            reference.step(&solver);
            twin.step(&nudged);
        }
        done = target;
        (reference.difference(&case.state(&engine).water, grain), reference.stray(&twin))
    };
    steps.iter().map(after).collect()
}

fn random_case(neighbourhood: Neighbourhood, seed: u64) -> Case {
    let solver = find("aqua-graph").expect("a registered solver");
    Case::new(65, 33, (solver, neighbourhood))
        .hills(40.0, seed)
        .holes(0.05, seed + 1)
        .ponds(0.5, seed + 2)
}

fn assert_close(case: &Case, message: &str) {
    let steps = [1, 10, 100];
    let differences = differences_after(case, &steps);
    println!("{}, {message}: engine, twin {differences:?} m", case.name());
    for ((difference, stray), steps) in differences.into_iter().zip(steps) {
        let bound = (ONE_STEP * steps.min(10) as f64).max(STRAY * stray);
        assert!(
            difference < bound,
            "{}, {message}: off by {difference:e} m after {steps} steps, not {bound:e}",
            case.name()
        );
    }
}

#[test]
fn the_engine_follows_the_equations_on_random_terrain() {
    for neighbourhood in Neighbourhood::ALL {
        for seed in [1, 20, 300] {
            let case = random_case(neighbourhood, seed);
            assert_close(&case, &format!("seed {seed}"));
        }
    }
}

#[test]
fn the_engine_follows_the_equations_at_the_papers_alpha() {
    for neighbourhood in Neighbourhood::ALL {
        let case = random_case(neighbourhood, 7).alpha(0.005);
        assert_close(&case, "alpha 0.005");
        // So slow that nothing grows: a simple bound holds to the end.
        let (difference, _) = differences_after(&case, &[100])[0];
        assert!(difference < 10.0 * ONE_STEP, "off by {difference:e} m");
    }
}

#[test]
fn the_engine_follows_the_equations_at_three_thousand_metres() {
    for neighbourhood in Neighbourhood::ALL {
        let mut case = random_case(neighbourhood, 9);
        case.bed.iter_mut().for_each(|level| *level += 3000.0);
        assert_close(&case, "at 3000 m");
    }
}

#[test]
fn the_engine_follows_the_equations_where_every_cell_is_donor_and_receiver() {
    for neighbourhood in Neighbourhood::ALL {
        let mut random = Random::new(11);
        let case = random_case(neighbourhood, 11).water(|_, _| random.between(2.0, 3.0));
        assert_close(&case, "deep");
    }
}
