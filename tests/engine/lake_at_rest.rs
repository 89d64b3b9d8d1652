//! A lake over a rough bed stays at rest to the bit, at any height above the datum. AQUA-GRAPH at
//! its default α calms a disturbed lake without flicker, and so do the solvers with physical time.
//!
//! Bed levels are multiples of 2⁻¹⁶ m and water of 2⁻²⁴ m, so a level surface can be represented
//! exactly and every difference on it is exactly 0, at any height: both are subtracted as integers.

use crate::common;

use common::cover::{alternating, combinations};
use common::{Case, Random, Variant, every_case, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::grid::Bed;
use inundate_engine::neighbourhood::Neighbourhood;
use inundate_engine::solver::find;

/// Heights of a lake's surroundings [m].
const DATUMS: [f64; 3] = [0.0, 3000.0, 8000.0];

/// Returns a rough bed around `base` with hills of `relief` [m] that rise above the lake.
fn lake(variant: Variant, base: f64, relief: f64) -> Case {
    sized_lake((65, 33), variant, base, relief)
}

/// Returns such a lake with a given number of columns and rows.
fn sized_lake((columns, rows): (usize, usize), variant: Variant, base: f64, relief: f64) -> Case {
    let mut random = Random::new(base as u64 + relief as u64);
    Case::new(columns, rows, variant)
        .bed(|i, j| {
            let island = (i / 9 + j / 7) % 3 == 0;
            base + random.between(0.0, 3.0) + if island { relief * random.unit() } else { 0.0 }
        })
        .holes(0.03, 52)
        .lake(base + 2.5)
}

fn assert_still(case: &Case, message: &str) {
    assert_still_after(1000, case, message);
}

fn assert_still_after(steps: u64, case: &Case, message: &str) {
    let state = case.run(steps, CpuOptions::default());
    let cells = 0..case.initial.len();
    let before = |cell| {
        if case.is_inside(cell) { case.initial[cell] } else { 0 }
    };
    let moved = cells.filter(|&cell| state.water[cell] != before(cell)).count();
    assert_eq!(moved, 0, "{}, {message}: cells that moved", case.name());
    assert!(state.stored() > 0);
}

fn assert_lakes_still(bases: &[f64], reliefs: &[f64]) {
    let variants: Vec<_> = every_case().collect();
    for choice in combinations(&[variants.len(), bases.len(), reliefs.len()], 1) {
        let (base, relief) = (bases[choice[1]], reliefs[choice[2]]);
        let message = format!("datum {base} m, relief {relief} m");
        assert_still(&lake(variants[choice[0]], base, relief), &message);
    }
}

#[test]
fn a_lake_with_islands_stays_at_rest_at_any_datum() {
    assert_lakes_still(&[0.0, 3000.0, 8000.0, -400.0], &[0.0, 5.0, 250.0]);
}

#[test]
fn a_lake_stays_at_rest_for_ten_thousand_adaptive_steps() {
    for (variant, base) in alternating(every_timed(), &DATUMS) {
        let case = lake(variant, base, 5.0).uneven_roughness(0.01, 0.2, 53);
        assert_still_after(10_000, &case, &format!("datum {base} m"));
    }
}

#[test]
fn a_lake_at_the_foot_of_high_mountains_stays_at_rest() {
    assert_lakes_still(&[0.0, 3000.0, 8000.0], &[300.0, 2000.0, 8000.0]);
}

#[test]
fn a_deep_lake_stays_at_rest_with_either_grain() {
    for variant in every_case() {
        let bed = lake(variant, 1000.0, 0.0);
        assert_still(&bed.clone().lake(1100.0), "100 m deep");
        assert_still(&bed.coarse().lake(2000.0), "1000 m deep, coarse grain");
    }
}

#[test]
fn a_mountain_lake_far_above_the_lowest_cell_stays_at_rest() {
    // A deep valley behind a wall puts the lake itself high above the datum, where an f32 height
    // would lose the last bits of the bed.
    for variant in every_case() {
        for height in [300.0, 1000.0, 7000.0] {
            let mut case = lake(variant, height, 0.0);
            for row in 0..case.rows {
                case.bed[row * case.columns] = 0.0;
                case.bed[row * case.columns + 1] = height + 100.0;
            }
            case = case.lake(height + 2.5);
            for row in 0..case.rows {
                case.initial[row * case.columns] = 0;
            }
            assert_still(&case, &format!("{height} m up"));
        }
    }
}

/// Returns the level differences between neighbours along rows and columns [grains].
fn differences(case: &Case, bed: &[i32], water: &[i32]) -> Vec<i64> {
    let grains = i64::from(case.grain.per_metre() as i32) / Bed::PER_METRE as i64;
    let level = |cell: usize| i64::from(bed[cell]) * grains + i64::from(water[cell]);
    let columns = case.columns;
    (0..water.len())
        .flat_map(|cell| {
            let east = (cell % columns + 1 < columns).then_some(cell + 1);
            let south = (cell + columns < water.len()).then_some(cell + columns);
            east.into_iter().chain(south).map(move |other| (cell, other))
        })
        .map(|(a, b)| level(a) - level(b))
        .collect()
}

#[test]
fn a_disturbed_lake_settles_without_flicker() {
    let solver = find("aqua-graph").expect("a registered solver");
    for neighbourhood in Neighbourhood::ALL {
        let mut random = Random::new(61);
        let noise = f64::from(1 << 24) * 1e-3;
        let mut case = lake((solver, neighbourhood), 900.0, 0.0);
        case.bed.iter_mut().filter(|z| z.is_nan()).for_each(|z| *z = 900.0);
        case = case.lake(904.0);
        for water in &mut case.initial {
            *water += random.between(-noise, noise) as i32;
        }
        let bed = case.stored_bed().levels;
        // Differences up to which water stays at rest, see `Rounding::calm`.
        let calm = 2 * neighbourhood.neighbours() as i64;
        let mut simulation = case.start(CpuOptions::default());
        let mut before = case.after(5_000, &mut simulation).water;
        let mut flips = 0;
        for _ in 0..200 {
            let after = case.after(1, &mut simulation).water;
            let was = differences(&case, &bed, &before);
            let is = differences(&case, &bed, &after);
            flips += was
                .iter()
                .zip(&is)
                .filter(|&(&a, &b)| a.signum() == -b.signum() && a.abs().max(b.abs()) > calm)
                .count();
            before = after;
        }
        assert_eq!(flips, 0, "{neighbourhood}: differences that turned around");
        let rest = case.after(60_000, &mut simulation);
        let later = case.after(50, &mut simulation);
        let moving = rest.water.iter().zip(&later.water).filter(|(a, b)| a != b);
        assert_eq!(moving.count(), 0, "{neighbourhood}: cells that still move");
        let steepest = differences(&case, &bed, &later.water);
        let steepest = steepest.into_iter().map(i64::abs).max();
        println!("{neighbourhood}: steepest difference at rest {steepest:?} grains");
        assert!(steepest < Some(calm), "{neighbourhood}: {steepest:?} grains");
    }
}

#[test]
fn millimetre_noise_decays_under_adaptive_steps() {
    for (variant, base) in alternating(every_timed(), &DATUMS) {
        let mut random = Random::new(62);
        let noise = f64::from(1 << 24) * 1e-3;
        let mut case = sized_lake((33, 19), variant, base, 0.0).lake(base + 4.0);
        case.longest = 0.5;
        let inside: Vec<usize> = (0..case.bed.len()).filter(|&c| case.is_inside(c)).collect();
        for &cell in &inside {
            case.initial[cell] += random.between(-noise, noise) as i32;
        }
        // Eddies, which do not compress the water, are damped only by friction and the upwind
        // scheme.
        let state = case.run(26_000, CpuOptions::default());
        let grains = i64::from(case.grain.per_metre() as i32) / Bed::PER_METRE as i64;
        let bed = case.stored_bed().levels;
        let levels =
            inside.iter().map(|&cell| i64::from(bed[cell]) * grains + i64::from(state.water[cell]));
        let (low, high) = levels
            .fold((i64::MAX, i64::MIN), |(low, high), level| (low.min(level), high.max(level)));
        let spread = (high - low) as f64 * f64::from(case.grain.metres());
        println!("{}, datum {base} m: level to {spread:.1e} m", case.name());
        assert!(spread <= 2e-5, "{}, datum {base} m: {spread} m", case.name());
    }
}
