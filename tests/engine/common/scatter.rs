//! The papers' automata as printed: cell by cell, in f64, each cell adding to its neighbours
//! (scatter). They are written from the papers and share nothing with the engine, not even the
//! order of the neighbours. They are slow, and support closed edges only.

use super::{Case, Random};
use inundate_engine::grid::Bed;
use inundate_engine::neighbourhood::Neighbourhood;
use std::cell::RefCell;

const BESIDE: [(isize, isize); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const CORNERS: [(isize, isize); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// Outflow of a cell to each neighbour [m], from its bed, its water and the neighbours' levels.
pub trait Give {
    fn give(&self, bed: f64, water: f64, levels: &[f64]) -> Vec<f64>;
}

impl<F: Fn(f64, f64, &[f64]) -> Vec<f64>> Give for F {
    fn give(&self, bed: f64, water: f64, levels: &[f64]) -> Vec<f64> {
        self(bed, water, levels)
    }
}

/// Grid of the reference automaton.
pub struct Scatter {
    columns: usize,
    /// Bed [m], NaN outside the domain.
    bed: Vec<f64>,
    /// Water [m].
    pub water: Vec<f64>,
    /// Neighbours of each cell in the domain.
    neighbours: Vec<Vec<usize>>,
}

impl Scatter {
    /// Creates the case's grid, with the engine's initial bed and water.
    pub fn new(case: &Case) -> Scatter {
        assert!(case.open.names().is_empty(), "the papers' edges are closed");
        let grain = f64::from(case.grain.metres());
        let level = |z: &i32| match *z {
            Bed::OUTSIDE => f64::NAN,
            z => f64::from(z) / Bed::PER_METRE,
        };
        let bed: Vec<f64> = case.stored_bed().levels.iter().map(level).collect();
        let water = case.initial.iter().zip(&bed);
        let water = water.map(|(&w, z)| if z.is_nan() { 0.0 } else { f64::from(w) * grain });
        let offsets: Vec<_> = match case.neighbourhood {
            Neighbourhood::VonNeumann => BESIDE.to_vec(),
            Neighbourhood::Moore => [BESIDE, CORNERS].concat(),
        };
        let neighbours = (0..bed.len())
            .map(|cell| {
                let around = offsets.iter().filter_map(|&(i, j)| {
                    let column = (cell % case.columns).checked_add_signed(i)?;
                    let row = (cell / case.columns).checked_add_signed(j)?;
                    (column < case.columns && row < case.rows)
                        .then_some(row * case.columns + column)
                });
                around.filter(|&k| !bed[k].is_nan()).collect()
            })
            .collect();
        Scatter { columns: case.columns, water: water.collect(), bed, neighbours }
    }

    /// Steps all cells at once.
    pub fn step(&mut self, solver: &impl Give) {
        let mut next = self.water.clone();
        let mut levels = Vec::with_capacity(8);
        for cell in 0..self.bed.len() {
            if self.water[cell] <= 0.0 {
                continue;
            }
            let around = &self.neighbours[cell];
            levels.clear();
            levels.extend(around.iter().map(|&k| self.bed[k] + self.water[k]));
            let given = solver.give(self.bed[cell], self.water[cell], &levels);
            for (&k, given) in around.iter().zip(given) {
                next[k] += given;
                next[cell] -= given;
            }
        }
        self.water = next;
    }

    /// Returns the water of a cell [m].
    pub fn depth(&self, column: usize, row: usize) -> f64 {
        self.water[row * self.columns + column]
    }

    /// Returns the greatest difference from another run of the reference [m].
    pub fn stray(&self, other: &Scatter) -> f64 {
        let pairs = self.water.iter().zip(&other.water);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Returns the greatest difference from the engine's water [m].
    pub fn difference(&self, water: &[i32], grain: f64) -> f64 {
        let pairs = self.water.iter().zip(water);
        pairs.map(|(reference, &w)| (reference - f64::from(w) * grain).abs()).fold(0.0, f64::max)
    }
}

/// Returns the level of `water` poured into containers with these floors: fills from the lowest
/// floor up, adding a container each time the level reaches the next floor.
pub fn pour(water: f64, floors: &[f64]) -> f64 {
    let mut floors = floors.to_vec();
    floors.sort_by(f64::total_cmp);
    let mut left = water;
    for filled in 1..floors.len() {
        let room = (floors[filled] - floors[filled - 1]) * filled as f64;
        if left <= room {
            return floors[filled - 1] + left / filled as f64;
        }
        left -= room;
    }
    floors[floors.len() - 1] + left / floors.len() as f64
}

/// AQUA-GRAPH, steps 1 to 5 of Rinaldi et al. (2008), section 3.
pub fn aqua_graph(alpha: f64) -> impl Fn(f64, f64, &[f64]) -> Vec<f64> {
    move |bed, water, levels| {
        // eq. 1, T = z + w, and eq. 2: the receivers are lower.
        let own = bed + water;
        let receives = |level: f64| level < own;
        // Step 2: T_eq over the own bed and the receivers' levels.
        let mut floors = vec![bed];
        floors.extend(levels.iter().copied().filter(|&level| receives(level)));
        let equilibrium = pour(water, &floors);
        // eq. 3
        let leaving = (own - equilibrium).min(water);
        // eq. 4
        let lower = levels.iter().filter(|&&level| receives(level));
        let sum: f64 = lower.map(|level| (own - level).sqrt()).sum();
        // eq. 5
        let share = |&level: &f64| {
            if receives(level) { alpha * leaving * (own - level).sqrt() / sum } else { 0.0 }
        };
        levels.iter().map(share).collect()
    }
}

/// The solver with random perturbations of up to a grain in every transfer, like the engine's
/// rounding. Its deviation from the solver shows how much the automaton amplifies rounding.
pub fn nudged(solver: &impl Give, grain: f64, seed: u64) -> impl Fn(f64, f64, &[f64]) -> Vec<f64> {
    let random = RefCell::new(Random::new(seed));
    move |bed, water, levels| {
        let mut give = solver.give(bed, water, levels);
        for give in give.iter_mut().filter(|give| **give > grain) {
            *give += random.borrow_mut().between(-1.0, 1.0) * grain;
        }
        let total: f64 = give.iter().sum();
        let fits = if total > water { water / total } else { 1.0 };
        give.into_iter().map(|give| give * fits).collect()
    }
}
