//! Thin films that flow from one chunk into a dry chunk, beside deep pits that touch no chunk
//! boundary: each chunk that water can reach must be computed in that very step.

use super::common::{Case, Random, Variant};
use inundate_engine::backend::cuda::listing::{LISTED_COLUMNS, LISTED_ROWS};
use inundate_engine::tiling::subdomain::MARGIN;

/// Depth of a pit below the slope, and of the water in it (m).
const PIT: (f64, f64) = (5.0, 3.0);

/// Returns one case, for solvers with physical time.
pub fn cases(variant: Variant) -> Vec<(String, Case)> {
    if !variant.0.is_timed() {
        return Vec::new();
    }
    // In the middle of every second listed chunk in each direction, because a wider chunk inherits
    // that data.
    let is_pit = |i: usize, j: usize| {
        let (i, j) = (i + MARGIN, j + MARGIN);
        i % (2 * LISTED_COLUMNS) == LISTED_COLUMNS / 2
            && j % (2 * LISTED_ROWS as usize) == LISTED_ROWS as usize / 2
    };
    let mut random = Random::new(31);
    let case = Case::new(300, 200, variant)
        .cell(10.0, 10.0)
        .bed(|i, j| {
            let slope = 100.0 - 0.05 * j as f64 - 0.03 * i as f64;
            if is_pit(i, j) { slope - PIT.0 } else { slope }
        })
        .water(|i, j| match random.unit() < 2e-3 {
            _ if is_pit(i, j) => PIT.1,
            true => 0.02,
            false => 0.0,
        });
    vec![("films cross rims".into(), case)]
}
