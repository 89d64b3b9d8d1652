//! The two halves of a step of a rule with momentum, computed from the valid data of a frame.

use super::edges::{Flow, Outcome, Through, ahead, behind, exchange, held_back};
use super::frame::{HostFrame, Over};
use crate::common::momentum::{self, Map};
use inundate_engine::grains::{Grain, phase};
use inundate_engine::grid::Bed;
use inundate_engine::rule::edge::{Axis, DRY, EdgeField, EdgeRule, MOST_CROSSING};
use inundate_engine::rule::momentum::MomentumRule;
use inundate_engine::rule::{CellRule, WithRule};
use std::cell::RefCell;

type Place = (usize, usize);

/// A frame in which water is to be moved, or velocities are to be updated.
pub struct Moving<'a> {
    pub frame: &'a HostFrame,
    pub grain: Grain,
    /// Discharges (m²/s) that were computed on request.
    pub known: &'a Known,
    axes: [Axis; 2],
    number: u64,
    rule: inundate_engine::rule::AnyRule,
}

/// Discharges by axis and position in the frame, as far as computed.
pub type Known = RefCell<[Vec<Option<f32>>; 2]>;

/// Returns an empty cache.
pub fn nothing_known(frame: &HostFrame) -> Known {
    RefCell::new([(); 2].map(|()| vec![None; frame.water.len()]))
}

impl<'a> Moving<'a> {
    pub fn new(
        frame: &'a HostFrame,
        known: &'a Known,
        rule: inundate_engine::rule::AnyRule,
        grain: Grain,
        axes: [Axis; 2],
        number: u64,
    ) -> Moving<'a> {
        Moving { frame, grain, known, axes, number, rule }
    }

    /// Computes a cell's new water.
    pub fn moved_water(&self, cell: Place) -> Outcome {
        let (water, (outflows, cut)) = exchange(self.frame, cell, |cell| self.given(cell));
        let crossed = outflows.iter().sum::<i64>() as u64;
        Outcome { water, crossed, cut, ..Outcome::default() }
    }

    /// Computes the edges east and south of a cell whose new water is known.
    pub fn updated_edges(&self, cell: Place) -> Outcome {
        let edges = [0, 1].map(|axis| self.rule.run(VelocityUpdate(self, axis, cell)));
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
    fn grains(&self, axis: usize, from: Place) -> i64 {
        let Axis { dt, inverse_length, per_metre, .. } = self.axes[axis];
        let grains = self.discharge(axis, from) * (dt * inverse_length * per_metre);
        let whole = (grains.abs() + phase(self.number)).min(MOST_CROSSING) as i64;
        if grains < 0.0 { -whole } else { whole }
    }

    /// Returns the outflow of a cell to the east, west, south and north (grains), and the part of
    /// it that is held back.
    fn given(&self, cell: Place) -> ([i64; 4], u64) {
        let [e, s] = [0, 1].map(|axis| self.grains(axis, cell).max(0));
        let [w, n] = [0, 1].map(|axis| (-self.grains(axis, behind(axis, cell))).max(0));
        held_back([e, w, s, n], 0, self.frame.column(cell.0, cell.1).water)
    }
}

impl Map for Moving<'_> {
    type At = Place;

    fn ahead(&self, axis: usize, at: Place) -> Place {
        ahead(axis, at)
    }

    fn behind(&self, axis: usize, at: Place) -> Place {
        behind(axis, at)
    }

    fn bed(&self, at: Place) -> Option<i32> {
        let bed = self.frame.bed(at);
        (bed != Bed::WALL).then_some(bed)
    }

    fn roughness(&self, at: Place) -> f32 {
        self.frame.roughness(at)
    }

    fn metres(&self) -> f32 {
        self.grain.metres()
    }

    fn water(&self, (column, row): Place) -> i32 {
        self.frame.column(column, row).water
    }

    fn moved(&self, (column, row): Place) -> i32 {
        self.frame.next_column(column, row).water
    }

    fn velocity(&self, axis: usize, at: Place) -> f32 {
        self.frame.edge(EdgeField::Velocity, axis, at)
    }

    fn discharge(&self, axis: usize, at: Place) -> f32 {
        let place = self.frame.place(at.0, at.1);
        if let Some(known) = self.known.borrow()[axis][place] {
            return known;
        }
        let discharge = match self.frame.over_structure(axis, at) {
            Some(Over::Discharge(over)) if momentum::over_edge(self, axis, at) > DRY => over,
            Some(Over::Discharge(_)) => 0.0,
            Some(Over::Limit(velocity)) => {
                let most = velocity * momentum::over_edge(self, axis, at);
                self.rule.run(Pass(self, axis, at)).min(most).max(-most)
            }
            None => self.rule.run(Pass(self, axis, at)),
        };
        self.known.borrow_mut()[axis][place] = Some(discharge);
        discharge
    }
}

/// The flux across an edge, for any rule.
struct Pass<'a, 'b>(&'a Moving<'b>, usize, Place);

impl WithRule for Pass<'_, '_> {
    type Output = f32;

    fn cell<R: CellRule>(self, _: R) -> f32 {
        unreachable!("it carries no momentum")
    }

    fn edge<R: EdgeRule>(self, _: R) -> f32 {
        unreachable!("it carries no momentum")
    }

    fn momentum<R: MomentumRule>(self, rule: R) -> f32 {
        let Pass(map, axis, from) = self;
        momentum::discharge(rule, rule.terms(map.axes[axis]), map, axis, from)
    }
}

/// The momentum update of an edge, for any rule.
struct VelocityUpdate<'a, 'b>(&'a Moving<'b>, usize, Place);

impl WithRule for VelocityUpdate<'_, '_> {
    /// The flow, and the rate allowed by the edge (s⁻¹).
    type Output = (Flow, f32);

    fn cell<R: CellRule>(self, _: R) -> Self::Output {
        unreachable!("it carries no momentum")
    }

    fn edge<R: EdgeRule>(self, _: R) -> Self::Output {
        unreachable!("it carries no momentum")
    }

    fn momentum<R: MomentumRule>(self, rule: R) -> Self::Output {
        let VelocityUpdate(map, axis, from) = self;
        let terms = map.axes[axis];
        let Some(updated) = momentum::updated_velocity(rule, rule.terms(terms), map, axis, from)
        else {
            return Default::default();
        };
        let (velocity, depth, wave) = (updated.velocity, updated.depth, updated.wave);
        let cfl_rate = updated.celerity * (terms.inverse_length * (1.0 / R::COURANT));
        (Flow { velocity, depth, wave, ..Flow::default() }, cfl_rate)
    }
}
