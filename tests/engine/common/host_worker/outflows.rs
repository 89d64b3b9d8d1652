//! Outflow of one cell, computed only from its own state and its neighbours'.

use inundate_engine::grains::Rounding;
use inundate_engine::lanes::{Real, Whole};
use inundate_engine::neighbourhood::Neighbourhood;
use inundate_engine::solver::edge::EdgeSolver;
use inundate_engine::solver::momentum::MomentumSolver;
use inundate_engine::solver::{CellSolver, WithSolver};

/// Bed (2⁻¹⁶ m) and water (grains) of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Column {
    pub bed: i32,
    pub water: i32,
}

/// A cell and its neighbours, in the order of [`inundate_engine::neighbourhood::offset`].
pub struct Surroundings<'a> {
    pub rounding: &'a Rounding,
    pub neighbourhood: Neighbourhood,
    pub cell: Column,
    pub around: [Column; 8],
}

impl WithSolver for Surroundings<'_> {
    /// Outflows to each neighbour (grains).
    type Output = [i32; 8];

    fn edge<R: EdgeSolver>(self, _solver: R) -> [i32; 8] {
        unreachable!("what a cell gives is known of cell solvers")
    }

    fn momentum<R: MomentumSolver>(self, _solver: R) -> [i32; 8] {
        unreachable!("what a cell gives is known of cell solvers")
    }

    fn cell<R: CellSolver>(self, solver: R) -> [i32; 8] {
        match self.neighbourhood {
            Neighbourhood::VonNeumann => self.give::<R, 4>(solver),
            Neighbourhood::Moore => self.give::<R, 8>(solver),
        }
    }
}

impl Surroundings<'_> {
    fn give<R: CellSolver, const K: usize>(&self, solver: R) -> [i32; 8] {
        let mut outflows = [0; 8];
        if self.cell.water == 0 {
            return outflows;
        }
        let difference: [f32; K] = std::array::from_fn(|k| {
            let there = self.around[k];
            let bed = self.cell.bed.wrapping_sub(there.bed) as f32;
            bed * self.rounding.bed_step + (self.cell.water - there.water) as f32
        });
        let drop = difference.map(|difference| difference.max(0.0));
        let edge = difference.map(|difference| solver.edge(difference));
        let give = solver.give(self.cell.water as f32, drop, edge);
        let water = <f32 as Real>::Whole::splat(self.cell.water);
        for (k, outflow) in self.rounding.to_grains(water, give, drop).into_iter().enumerate() {
            // SAFETY: there is one vector element, and room for eight.
            unsafe { outflow.store(&mut outflows, k) };
        }
        outflows
    }
}
