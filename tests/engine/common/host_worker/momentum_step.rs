//! The two halves of a step of a solver with momentum, computed from the valid data of a frame.

use super::edges::{Flow, Outcome, Through, ahead, behind, exchange, held_back};
use super::frame::HostFrame;
use crate::common::momentum::{self, Map};
use inundate_engine::backend::padded_grid::INTAKE;
use inundate_engine::grains::{Grain, phase};
use inundate_engine::grid::Bed;
use inundate_engine::solver::edge::{Axis, DRY, EdgeField, EdgeSolver, MAX_FACE_FLUX};
use inundate_engine::solver::momentum::MomentumSolver;
use inundate_engine::solver::{CellSolver, WithSolver};
use std::cell::RefCell;

type FieldLocation = (usize, usize);

/// A frame in which water is to be moved, or velocities are to be updated.
pub struct Moving<'a> {
    pub frame: &'a HostFrame,
    pub grain: Grain,
    /// Discharges (m²/s) that were computed on request.
    pub known: &'a FaceState,
    axes: [Axis; 2],
    number: u64,
    solver: inundate_engine::solver::AnySolver,
}

/// Discharges by axis and position in the frame, as far as computed.
pub type FaceState = RefCell<[Vec<Option<f32>>; 2]>;

/// Returns an empty cache.
pub fn nothing_known(frame: &HostFrame) -> FaceState {
    RefCell::new([(); 2].map(|()| vec![None; frame.water.len()]))
}

impl<'a> Moving<'a> {
    pub fn new(
        frame: &'a HostFrame,
        known: &'a FaceState,
        solver: inundate_engine::solver::AnySolver,
        grain: Grain,
        axes: [Axis; 2],
        number: u64,
    ) -> Moving<'a> {
        Moving { frame, grain, known, axes, number, solver }
    }

    /// Computes a cell's new water.
    pub fn moved_water(&self, cell: FieldLocation) -> Outcome {
        let (water, (outflows, cut)) = exchange(self.frame, cell, |cell| self.given(cell));
        let crossed = outflows.iter().sum::<i64>() as u64;
        Outcome { water, crossed, cut, ..Outcome::default() }
    }

    /// Computes the edges east and south of a cell whose new water is known.
    pub fn updated_edges(&self, cell: FieldLocation) -> Outcome {
        let edges = [0, 1].map(|axis| self.solver.run(VelocityUpdate(self, axis, cell)));
        let flows = [0, 1].map(|axis| {
            let discharge = self.discharge(axis, cell);
            Flow { discharge, ..edges[axis].0 }
        });
        let over = |axis, at| self.frame.edge(EdgeField::Velocity, axis, at);
        let velocity = [0, 1].map(|axis| [over(axis, behind(axis, cell)), over(axis, cell)]);
        let through = Through { water: self.moved(cell), velocity };
        Outcome { flows, through, cfl_rate: edges[0].1.max(edges[1].1), ..Outcome::default() }
    }

    /// Returns the whole grains over an edge, positive if ahead.
    fn grains(&self, axis: usize, from: FieldLocation) -> i64 {
        let Axis { dt, inverse_length, per_metre, .. } = self.axes[axis];
        let grains = self.discharge(axis, from) * (dt * inverse_length * per_metre);
        let whole = (grains.abs() + phase(self.number)).min(MAX_FACE_FLUX) as i64;
        if grains < 0.0 { -whole } else { whole }
    }

    /// Returns the outflow of a cell to the east, west, south and north (grains), and the part of
    /// it that is held back.
    fn given(&self, cell: FieldLocation) -> ([i64; 4], u64) {
        let [e, s] = [0, 1].map(|axis| self.grains(axis, cell).max(0));
        let [w, n] = [0, 1].map(|axis| (-self.grains(axis, behind(axis, cell))).max(0));
        held_back([e, w, s, n], 0, self.frame.column(cell.0, cell.1).water)
    }
}

impl Map for Moving<'_> {
    type At = FieldLocation;

    fn ahead(&self, axis: usize, at: FieldLocation) -> FieldLocation {
        ahead(axis, at)
    }

    fn behind(&self, axis: usize, at: FieldLocation) -> FieldLocation {
        behind(axis, at)
    }

    fn bed(&self, at: FieldLocation) -> Option<i32> {
        let bed = self.frame.bed(at);
        (bed != Bed::WALL).then_some(bed)
    }

    fn roughness(&self, at: FieldLocation) -> f32 {
        self.frame.roughness(at)
    }

    fn metres(&self) -> f32 {
        self.grain.metres()
    }

    fn water(&self, (column, row): FieldLocation) -> i32 {
        self.frame.column(column, row).water
    }

    fn moved(&self, (column, row): FieldLocation) -> i32 {
        self.frame.next_column(column, row).water
    }

    fn velocity(&self, axis: usize, at: FieldLocation) -> f32 {
        self.frame.edge(EdgeField::Velocity, axis, at)
    }

    fn discharge(&self, axis: usize, at: FieldLocation) -> f32 {
        let place = self.frame.place(at.0, at.1);
        if let Some(known) = self.known.borrow()[axis][place] {
            return known;
        }
        let limit = self.frame.limit(axis, at);
        let most = limit.map_or(f32::INFINITY, |limit| limit * momentum::over_edge(self, axis, at));
        let discharge = self.solver.run(Pass(self, axis, at)).min(most).max(0.0 - most);
        self.known.borrow_mut()[axis][place] = Some(discharge);
        discharge
    }

    fn is_intake(&self, at: FieldLocation) -> bool {
        self.frame.flags[self.frame.place(at.0, at.1)] & INTAKE != 0
    }
}

/// The flux across an edge, for any solver.
struct Pass<'a, 'b>(&'a Moving<'b>, usize, FieldLocation);

impl WithSolver for Pass<'_, '_> {
    type Output = f32;

    fn cell<R: CellSolver>(self, _: R) -> f32 {
        unreachable!("it carries no momentum")
    }

    fn edge<R: EdgeSolver>(self, _: R) -> f32 {
        unreachable!("it carries no momentum")
    }

    fn momentum<R: MomentumSolver>(self, solver: R) -> f32 {
        let Pass(map, axis, from) = self;
        momentum::discharge(solver, solver.terms(map.axes[axis]), map, axis, from)
    }
}

/// The momentum update of an edge, for any solver.
struct VelocityUpdate<'a, 'b>(&'a Moving<'b>, usize, FieldLocation);

impl WithSolver for VelocityUpdate<'_, '_> {
    /// The flow, and the rate allowed by the edge (s⁻¹).
    type Output = (Flow, f32);

    fn cell<R: CellSolver>(self, _: R) -> Self::Output {
        unreachable!("it carries no momentum")
    }

    fn edge<R: EdgeSolver>(self, _: R) -> Self::Output {
        unreachable!("it carries no momentum")
    }

    fn momentum<R: MomentumSolver>(self, solver: R) -> Self::Output {
        let VelocityUpdate(map, axis, from) = self;
        let terms = map.axes[axis];
        let Some(updated) =
            momentum::updated_velocity(solver, solver.terms(terms), map, axis, from)
        else {
            return Default::default();
        };
        let (velocity, depth, wave) = (updated.velocity, updated.depth, updated.wave);
        let cfl_rate = updated.celerity * (terms.inverse_length * (1.0 / R::COURANT));
        (Flow { velocity, depth, wave, ..Flow::default() }, cfl_rate)
    }
}
