//! A case whose cells have subgrid tables.

use super::{Case, Random, Variant};
use inundate_engine::boundary::OpenSides;

/// Pixels per cell along a side.
const RATIO: usize = 5;

/// Rough ground with a brook across it, ponds, and walls with gaps, which drains over its sides.
pub fn brook(variant: Variant) -> Case {
    let (columns, rows) = (67, 29);
    let mut random = Random::new(77);
    let rough: Vec<f64> = (0..columns * rows * RATIO * RATIO).map(|_| random.unit()).collect();
    let level = move |i: usize, j: usize| {
        let (x, y) = (i as f64, j as f64);
        let slope = 30.0 - 0.02 * x - 0.01 * y;
        let bank = (y - 70.0 - 20.0 * (x * 0.05).sin()).abs();
        let brook = if bank < 3.0 { -2.0 } else { 0.02 * bank };
        let wall = if i.is_multiple_of(37) && j % 41 > 2 { 1.5 } else { 0.0 };
        let hole = (i / 9 + j / 7).is_multiple_of(43);
        if hole { f64::NAN } else { slope + brook + wall + 0.3 * rough[j * 67 * RATIO + i] }
    };
    Case::new(columns, rows, variant)
        .cell(20.0, 25.0)
        .finer(RATIO, level)
        .water(|i, j| if (i / 3 + j / 2) % 3 == 0 { 0.05 * (1 + (i + j) % 9) as f64 } else { 0.0 })
        .source(&[(3, 14)], &[(0.0, 5e-3)])
        .sink(40, 20)
        .stage(&[(20, 20), (21, 20)], &[(0.0, 25.6), (30.0, 26.4)])
        .top_up(33, 14, 0.8)
        .rated(&[(12, 11), (50, 13)])
        .runs_out(&[(30, 14), (31, 14), (45, 15), (66, 12), (66, 28), (9, 28)], 0.01)
        .structures(0.02, 33)
        .linked([(60, 27), (63, 28), (59, 27), (58, 28), (61, 28)])
        .open(OpenSides::ALL)
}

/// The same with a level that rises and falls on the side where the brook enters.
pub fn tidal(variant: Variant) -> Case {
    let west: Vec<_> = (0..29).map(|row| (0, row)).collect();
    let sides = OpenSides { east: true, ..OpenSides::CLOSED };
    brook(variant).open(sides).stage(&west, &[(0.0, 29.5), (30.0, 27.5), (60.0, 30.0)])
}

/// Returns the cases with their names, for solvers that support tables.
pub fn cases(variant: Variant) -> Vec<(String, Case)> {
    if !variant.0.knows_tables() {
        return Vec::new();
    }
    let rained = brook(variant).rain(2e-5);
    vec![("67 x 29, tables".into(), rained), ("67 x 29, tables, tide".into(), tidal(variant))]
}
