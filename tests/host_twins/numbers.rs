//! Tests of headers without solvers and frames: arithmetic, roots, friction, water filling.

use super::common::Random;
use super::compare::{Function, Numbers, columns, compare};
use super::compile::Twins;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::lanes::Real;
use inundate_engine::solver::edge::minmod;
use inundate_engine::solver::inertial::with_friction;
use inundate_engine::solver::roots::{
    guess_inverse, guess_root, inverse_fourth_root, inverse_sixth_root, rough_inverse_cube_root,
    rough_inverse_root,
};
use inundate_engine::solver::water_filling::{
    fall_over_own_bed, level_over_lowest, sort_descending,
};

/// Number of cases of each function.
const MANY: usize = 1 << 19;

macro_rules! functions {
    ($($name:ident($($x:ident),*) $body:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name;
        impl Function<{ [$(stringify!($x)),*].len() }, 1> for $name {
            #[inline(always)]
            fn of<V: Real>(self, [$($x),*]: [V; { [$(stringify!($x)),*].len() }]) -> [V; 1] {
                [$body]
            }
        }
    )*};
}

functions! {
    Higher(a, b) a.higher(b);
    Lower(a, b) a.lower(b);
    Fused(a, b, c) a.fused(b, c);
    Root(x) x.sqrt();
    Reciprocal(x) x.reciprocal();
    Divide(a, b) a / b;
    Sixth(x) inverse_sixth_root(x);
    Fourth(x) inverse_fourth_root(x);
    Cube(x) rough_inverse_cube_root(x);
    Rough(x) rough_inverse_root(x);
    GuessRoot(x) guess_root(x);
    GuessInverse(x) guess_inverse(x);
    Minmod(a, b) minmod(a, b);
    WithFriction(free, transverse, resistance) with_friction(free, transverse, resistance);
}

fn twins() -> Twins {
    Twins::new(&Unit { name: "numbers".into(), source: String::new() }, "numbers.h")
}

/// Returns about `MANY` floats from 2^low to 2^high, evenly spaced in their bits.
fn range(low: i32, high: i32) -> [Vec<f32>; 1] {
    let (first, last) = (2f32.powi(low).to_bits(), 2f32.powi(high).to_bits());
    // An odd stride covers all last bits of a mantissa.
    let stride = ((last - first) as usize / MANY) | 1;
    let mut all: Vec<f32> = (first..=last).step_by(stride).map(f32::from_bits).collect();
    all.resize(all.len().next_multiple_of(16), 2f32.powi(high));
    [all]
}

#[test]
fn arithmetic_matches_the_lanes() {
    let twins = twins();
    let mut numbers = Numbers(Random::new(1));
    let pair = |numbers: &mut Numbers| [numbers.signed(-126, 127), numbers.signed(-126, 127)];
    compare(&twins, "higher", &[], columns(MANY, || pair(&mut numbers)), Higher);
    compare(&twins, "lower", &[], columns(MANY, || pair(&mut numbers)), Lower);
    let near = columns(MANY, || {
        let a = numbers.signed(-60, 60);
        let b = numbers.signed(-60, 60);
        // Includes products that nearly cancel.
        let c = if numbers.of(&[true, false]) { -(a * b) } else { numbers.signed(-126, 126) };
        [a, b, c]
    });
    compare(&twins, "fused", &[], near, Fused);
    compare(&twins, "minmod", &[], columns(MANY, || pair(&mut numbers)), Minmod);
}

#[test]
fn roots_and_quotients_are_correctly_rounded() {
    let twins = twins();
    let mut numbers = Numbers(Random::new(2));
    compare(&twins, "root", &[], range(0, 2), Root);
    compare(&twins, "root", &[], columns(MANY, || [numbers.amount(-30, 126)]), Root);
    compare(&twins, "root_of_positive", &[], range(-30, 126), Root);
    compare(&twins, "reciprocal", &[], range(0, 1), Reciprocal);
    compare(&twins, "reciprocal", &[], range(-125, 125), Reciprocal);
    let quotient = columns(MANY, || {
        let b = numbers.size(-20, 60);
        let a = numbers.amount(-100, 70);
        [if a < 2f32.powi(-120) * b { 0.0 } else { a }, b]
    });
    compare(&twins, "divide", &[], quotient, Divide);
    let whole = columns(MANY, || {
        let mut whole = || ((numbers.0.bits() >> 40) % 100_000) as f32;
        [whole(), whole() + 1.0]
    });
    compare(&twins, "divide", &[], whole, Divide);
}

#[test]
fn timed_solver_and_friction_roots_match() {
    let twins = twins();
    compare(&twins, "inverse_sixth_root", &[], range(-17, 12), Sixth);
    compare(&twins, "inverse_fourth_root", &[], range(-80, 24), Fourth);
    compare(&twins, "rough_inverse_cube_root", &[], range(-17, 12), Cube);
    compare(&twins, "rough_inverse_root", &[], range(-100, 40), Rough);
    compare(&twins, "guess_root", &[], range(-100, 100), GuessRoot);
    compare(&twins, "guess_inverse", &[], range(-100, 100), GuessInverse);
    let mut numbers = Numbers(Random::new(3));
    let flow = columns(MANY, || {
        let still = f32::from_bits(1e-20f32.to_bits() + numbers.of(&[0, 1]));
        let free = if numbers.0.unit() < 0.01 { still } else { numbers.amount(-70, 12) };
        [free, numbers.signed(-40, 12), numbers.amount(-30, 30)]
    });
    compare(&twins, "with_friction", &[], flow, WithFriction);
}

/// Results for a depth and the drops to `K` neighbours: the sorted drops, two falls, and the
/// heights.
#[derive(Clone, Copy)]
struct Filling;

macro_rules! filling {
    ($neighbours:literal, $inputs:literal, $outputs:literal) => {
        impl Function<$inputs, $outputs> for Filling {
            #[inline(always)]
            fn of<V: Real>(self, x: [V; $inputs]) -> [V; $outputs] {
                let mut drop = [V::zero(); $neighbours];
                for k in 0..$neighbours {
                    drop[k] = x[k + 1];
                }
                let mut all = [V::zero(); $outputs];
                let (level, height) = level_over_lowest(x[0], drop);
                let sorted = sort_descending(drop);
                for k in 0..$neighbours {
                    all[k] = sorted[k];
                    all[$neighbours + 2 + k] = height[k];
                }
                all[$neighbours] = fall_over_own_bed(drop);
                all[$neighbours + 1] = level;
                all
            }
        }
    };
}
filling!(4, 5, 10);
filling!(8, 9, 18);

#[test]
fn pouring_matches() {
    let twins = twins();
    let mut numbers = Numbers(Random::new(4));
    let four = columns(MANY, || std::array::from_fn::<_, 5, _>(|_| numbers.amount(0, 37)));
    compare(&twins, "water_filling_4", &[], four, Filling);
    let eight = columns(MANY, || std::array::from_fn::<_, 9, _>(|_| numbers.amount(0, 37)));
    compare(&twins, "water_filling_8", &[], eight, Filling);
}
