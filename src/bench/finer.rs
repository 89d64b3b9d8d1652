//! The same maps with finer ground in their cells.

use super::map::{BenchMap, rough};
use crate::engine::backend::Problem;
use crate::engine::grid::Bed;
use crate::engine::subgrid::build::Builder;
use crate::units::Metre;
use rayon::prelude::*;
use std::sync::Arc;

/// Pixels along a side of a cell.
const RATIO: usize = 4;

/// Height of the roughness of pixels (m): water of 0.2 to 0.3 m reaches some seven in ten of them.
const ROUGHNESS: Metre = 1.0;

impl BenchMap {
    /// A problem on a map of `size`² cells, with tables of rough pixels on the level of each.
    pub fn finer(self, size: usize, problem: Problem) -> Problem {
        let pixels = size * RATIO;
        let mut builder = Builder::new(pixels, pixels, RATIO, false);
        for row in 0..size {
            let level = |pixel: usize| {
                let cell = row * size + pixel % pixels / RATIO;
                let rough = rough(row * RATIO * pixels + pixel);
                let level = self.level(size, cell) + ROUGHNESS * rough;
                Bed::quantize(level).expect("a synthetic level is within the limit")
            };
            let band: Vec<i32> = (0..RATIO * pixels).into_par_iter().map(level).collect();
            builder.band(&band, None);
        }
        let tables = builder.finish();
        let bed = Bed { levels: tables.bed.clone(), ..problem.bed };
        Problem { bed, subgrid: Some(Arc::new(tables)), ..problem }
    }
}
