//! Benchmark maps with subgrid terrain.

use crate::engine::backend::Problem;
use crate::engine::grid::Bed;
use crate::engine::subgrid::build;
use crate::engine::subgrid::layout::edge;
use crate::engine::subgrid::tables::Tables;
use crate::speed::map::{BenchMap, rough};
use crate::units::Metre;
use rayon::prelude::*;
use std::sync::Arc;

/// Pixels along a side of a cell.
const RATIO: usize = 4;

/// Amplitude of the pixels' roughness (m): water 0.2 to 0.3 m deep covers about 70 % of them.
const ROUGHNESS: Metre = 1.0;

/// Cells along a side of the patch that is repeated.
const PATCH: usize = 64;

impl BenchMap {
    /// Returns a problem on a map of `size`² cells whose subgrid tables describe rough pixels above
    /// each cell's bed level. The tables of one patch are repeated over the map.
    pub fn finer(self, size: usize, problem: Problem) -> Problem {
        let pixels = PATCH * RATIO;
        let level =
            |pixel| Bed::quantize(ROUGHNESS * rough(pixel)).expect("it is within the limit");
        let levels: Vec<i32> = (0..pixels * pixels).map(level).collect();
        let tables =
            repeated(&build::tables(&levels, None, pixels, RATIO), size, &problem.bed.levels);
        let bed = Bed { levels: tables.bed.clone(), ..problem.bed };
        Problem { bed, subgrid: Some(Arc::new(tables)), ..problem }
    }
}

/// Repeats a patch's tables over `size`² cells, each raised to its own bed level (2⁻¹⁶ m).
fn repeated(patch: &Tables, size: usize, bases: &[i32]) -> Tables {
    let cell = |at: usize| at / size % PATCH * PATCH + at % size % PATCH;
    let of_cells =
        |plane: &[u32]| (0..size * size).into_par_iter().map(|at| plane[cell(at)]).collect();
    // An edge between two patches is treated like one within a patch.
    let inner = |line: usize| if line.is_multiple_of(PATCH) { PATCH / 2 } else { line % PATCH };
    let of_edges = |axis: usize, word: usize| -> Vec<u32> {
        let plane = patch.edge(axis, word);
        let (columns, rows) = (size + 1 - axis, size + axis);
        let of = |at: usize| {
            let (column, row) = (at % columns, at / columns);
            let (line, place) = if axis == 0 { (column, row) } else { (row, column) };
            let found = match axis {
                0 => plane[place % PATCH * (PATCH + 1) + inner(line)],
                _ => plane[inner(line) * PATCH + place % PATCH],
            };
            if word != edge::SILL {
                return found;
            }
            // The edge is based on the higher of its two cells.
            let sides = [line.max(1) - 1, line.min(size - 1)];
            let base =
                |side| bases[if axis == 0 { row * size + side } else { side * size + column }];
            (found as i32 + sides.map(base).into_iter().fold(i32::MIN, i32::max)) as u32
        };
        (0..columns * rows).into_par_iter().map(of).collect()
    };
    Tables {
        ratio: RATIO,
        columns: size,
        rows: size,
        bed: (0..size * size).into_par_iter().map(|at| patch.bed[cell(at)] + bases[at]).collect(),
        roughness: Vec::new(),
        parted: vec![false; size * size],
        cells: patch.cells.iter().map(|plane| of_cells(plane)).collect(),
        edges: [0, 1].map(|axis| (0..edge::WORDS).map(|word| of_edges(axis, word)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_repeated_patches_stand_no_lower_than_their_cells() {
        let size = PATCH + 13;
        let bases: Vec<i32> = (0..size * size).map(|cell| (cell * 7919 % 50_000) as i32).collect();
        let flat = build::tables(&vec![77; (PATCH * RATIO).pow(2)], None, PATCH * RATIO, RATIO);
        let tables = repeated(&flat, size, &bases);
        for row in 0..size {
            for column in 1..size {
                let sides = [column - 1, column];
                let east = tables.edge(0, edge::SILL)[row * (size + 1) + column] as i32;
                let higher = sides.map(|at| tables.bed[row * size + at]).into_iter().max();
                assert_eq!(Some(east), higher, "east of {column}, {row}");
                let south = tables.edge(1, edge::SILL)[column * size + row] as i32;
                let higher = sides.map(|at| tables.bed[at * size + row]).into_iter().max();
                assert_eq!(Some(south), higher, "south of {row}, {column}");
            }
        }
    }
}
