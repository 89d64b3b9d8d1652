//! Outflow of cells over their edges under a timed solver, computed from the valid data of a frame.

use super::frame::HostFrame;
use inundate_engine::grains::{Grain, phase};
use inundate_engine::grid::Bed;
use inundate_engine::run_diagnostics::{DEEP, Maxima, Maximum};
use inundate_engine::solver::ROOT_G;
use inundate_engine::solver::edge::{
    Axis, DRY, Edge, EdgeField, EdgeSolver, FaceFlux, MAX_FACE_FLUX, open_of,
};
use inundate_engine::solver::momentum::MomentumSolver;
use inundate_engine::solver::{CellSolver, WithSolver};
use std::cell::RefCell;

type FieldLocation = (usize, usize);

/// Result of a step for a cell and the edges east and south of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub water: i64,
    pub flows: [Flow; 2],
    /// Flow through the cell.
    pub through: Through,
    pub cfl_rate: f32,
    pub crossed: u64,
    pub cut: u64,
}

/// Flow over an edge.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    pub discharge: f32,
    pub velocity: f32,
    pub depth: f32,
    pub wave: f32,
    pub critical: bool,
}

/// Flow through a cell: its water (grains), and the velocities behind and ahead of it along both
/// axes (m/s).
#[derive(Clone, Copy, Debug, Default)]
pub struct Through {
    pub water: i32,
    pub velocity: [[f32; 2]; 2],
}

impl Through {
    /// Returns the maxima of the flow, at a cell number in the frame.
    pub fn maxima(self, metres: f32, number: usize) -> Maxima {
        let depth = self.water as f32 * metres;
        let [along, across] = self.velocity.map(|[behind, ahead]| 0.5 * (behind + ahead));
        let speed = (along * along + across * across).sqrt();
        if depth <= DEEP || speed <= 0.0 {
            return Maxima::default();
        }
        let [speed, froude] = [speed, speed / (ROOT_G * depth.sqrt())]
            .map(|value| Maximum::new(value.to_bits(), number));
        Maxima { speed, froude, ..Maxima::default() }
    }
}

/// Flux across an edge, with its whole grains and those cut, positive if ahead.
type FluxStatistics = (FaceFlux<f32>, [i64; 2]);

/// Fluxes across edges in a step by axis and position in the frame, as far as computed: five cells
/// use each.
pub type FaceState = RefCell<[Vec<Option<FluxStatistics>>; 2]>;

/// Returns an empty cache.
pub fn nothing_known(frame: &HostFrame) -> FaceState {
    RefCell::new([(); 2].map(|()| vec![None; frame.water.len()]))
}

/// The step of a cell of a frame, for any solver.
pub struct Around<'a> {
    pub frame: &'a HostFrame,
    pub known: &'a FaceState,
    pub axes: [Axis; 2],
    pub grain: Grain,
    pub number: u64,
    pub cell: FieldLocation,
}

impl WithSolver for Around<'_> {
    type Output = Outcome;

    fn cell<R: CellSolver>(self, _solver: R) -> Outcome {
        unreachable!("what crosses an edge is known of edge solvers")
    }

    fn edge<R: EdgeSolver>(self, solver: R) -> Outcome {
        let cell = self.cell;
        let flow = |axis| {
            let (flux, _) = self.flux(solver, axis, cell);
            let (_, depth, _) = self.levels(axis, cell);
            let FaceFlux { discharge, velocity, wave, critical, cfl_rate, .. } = flux;
            (Flow { discharge, velocity, depth, wave, critical: critical > 0.0 }, cfl_rate)
        };
        let [(east, eastward), (south, southward)] = [0, 1].map(flow);
        let ahead = [east.velocity, south.velocity];
        let behind = |axis| self.flux(solver, axis, behind(axis, cell)).0.velocity;
        let velocity = [0, 1].map(|axis| [behind(axis), ahead[axis]]);
        let water = self.frame.column(cell.0, cell.1).water;
        let through = Through { water, velocity };
        let given = |cell| self.given(solver, cell);
        let (water, (outflows, cut)) = exchange(self.frame, cell, given);
        Outcome {
            water,
            flows: [east, south],
            through,
            cfl_rate: eastward.max(southward),
            crossed: outflows.iter().sum::<i64>() as u64,
            cut,
        }
    }

    fn momentum<R: MomentumSolver>(self, _: R) -> Outcome {
        unreachable!("it has two halves")
    }
}

/// Returns a cell's water after exchange with its neighbours, and its outflow.
pub fn exchange(
    frame: &HostFrame,
    cell: FieldLocation,
    given: impl Fn(FieldLocation) -> ([i64; 4], u64),
) -> (i64, ([i64; 4], u64)) {
    let own = given(cell);
    let mut water = i64::from(frame.column(cell.0, cell.1).water) - own.0.iter().sum::<i64>();
    let neighbours = [ahead(0, cell), behind(0, cell), ahead(1, cell), behind(1, cell)];
    for (k, &neighbour) in neighbours.iter().enumerate() {
        water += given(neighbour).0[k ^ 1];
    }
    (water, own)
}

pub fn ahead(axis: usize, (column, row): FieldLocation) -> FieldLocation {
    (column + usize::from(axis == 0), row + usize::from(axis == 1))
}

pub fn behind(axis: usize, (column, row): FieldLocation) -> FieldLocation {
    (column - usize::from(axis == 0), row - usize::from(axis == 1))
}

impl Around<'_> {
    /// Returns level difference, depth of flow (m) and the donor's water (grains) of an edge.
    fn levels(&self, axis: usize, from: FieldLocation) -> (f32, f32, i32) {
        let to = ahead(axis, from);
        let [a, b] = [from, to].map(|(column, row)| self.frame.column(column, row));
        let metres = self.grain.metres();
        let fall = a.bed.wrapping_sub(b.bed) as f32 * Bed::STEP;
        let difference = fall + (a.water - b.water) as f32 * metres;
        if difference >= 0.0 {
            (difference, a.water as f32 * metres + fall.min(0.0), a.water)
        } else {
            (difference, b.water as f32 * metres - fall.max(0.0), b.water)
        }
    }

    fn face<R: EdgeSolver>(&self, solver: R, axis: usize, from: FieldLocation) -> f32 {
        if R::REMEMBERS {
            return self.frame.edge(EdgeField::Discharge, axis, from);
        }
        let (difference, depth, _) = self.levels(axis, from);
        if depth > DRY { solver.face(difference) } else { 0.0 }
    }

    fn flux<R: EdgeSolver>(&self, solver: R, axis: usize, from: FieldLocation) -> FluxStatistics {
        let place = self.frame.place(from.0, from.1);
        if let Some(known) = self.known.borrow()[axis][place] {
            return known;
        }
        let flux = self.compute_flux(solver, axis, from);
        self.known.borrow_mut()[axis][place] = Some(flux);
        flux
    }

    fn compute_flux<R: EdgeSolver>(
        &self,
        solver: R,
        axis: usize,
        from: FieldLocation,
    ) -> FluxStatistics {
        let (difference, depth, donor) = self.levels(axis, from);
        if depth <= DRY {
            let none = FaceFlux {
                grains: 0.0,
                cut: 0.0,
                discharge: 0.0,
                velocity: 0.0,
                wave: 0.0,
                critical: 0.0,
                cfl_rate: 0.0,
            };
            return (none, [0; 2]);
        }
        let (to, other) = (ahead(axis, from), 1 - axis);
        let beside = [behind(other, from), behind(other, to), from, to];
        let mut beside = beside.map(|from| self.face(solver, other, from));
        if R::REMEMBERS {
            beside = open_of(beside);
        }
        let least = beside.into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
        let same_way = beside.iter().all(|&face| (face > 0.0) == (least > 0.0));
        let kept = |place| self.frame.edge(EdgeField::Discharge, axis, place);
        let memory = |place| if R::REMEMBERS { kept(place) } else { 0.0 };
        let edge = Edge {
            difference,
            depth,
            donor: donor as f32 * self.grain.metres(),
            roughness: 0.5 * (self.frame.roughness(from) + self.frame.roughness(to)),
            transverse: if same_way { least } else { 0.0 },
            discharge: memory(from),
            behind: memory(behind(axis, from)),
            ahead: memory(to),
        };
        let mut flux = solver.flux(solver.terms(self.axes[axis]), edge);
        let most = self.frame.limit(axis, from).map_or(f32::INFINITY, |limit| limit * depth);
        if flux.discharge.abs() > most {
            let discharge = if flux.discharge < 0.0 { 0.0 - most } else { most };
            let Axis { dt, inverse_length, per_metre, .. } = self.axes[axis];
            let grains = discharge * (dt * inverse_length * per_metre);
            let velocity = discharge / depth;
            flux = FaceFlux { grains, cut: 0.0, discharge, velocity, ..flux };
        }
        let mut whole = (flux.grains.abs() + phase(self.number)).min(MAX_FACE_FLUX) as i64;
        let mut cut = 0;
        if R::CAPPED {
            let fall = (difference.abs() * self.grain.per_metre()).min(1e9) as i64;
            whole = whole.min(i64::from(donor >> 2)).min(fall / 2);
            cut = flux.cut.min(MAX_FACE_FLUX) as i64;
        }
        let sign = if flux.grains < 0.0 { -1 } else { 1 };
        (flux, [sign * whole, sign * cut])
    }

    /// Returns the outflow of a cell to the east, west, south and north (grains), and the part of
    /// it that is cut.
    fn given<R: EdgeSolver>(&self, solver: R, cell: FieldLocation) -> ([i64; 4], u64) {
        let mut outflows = [0; 4];
        let mut cut = 0;
        for axis in [0, 1] {
            let out = self.flux(solver, axis, cell).1;
            let back = self.flux(solver, axis, behind(axis, cell)).1;
            (outflows[2 * axis], outflows[2 * axis + 1]) = (out[0].max(0), (-back[0]).max(0));
            cut += (out[1].max(0) + (-back[1]).max(0)) as u64;
        }
        let has = self.frame.column(cell.0, cell.1).water;
        if R::CAPPED { (outflows, cut) } else { held_back(outflows, cut, has) }
    }
}

/// Limits the outflow of a cell to its water.
pub fn held_back(outflows: [i64; 4], cut: u64, has: i32) -> ([i64; 4], u64) {
    let (has, all) = (i64::from(has), outflows.iter().sum::<i64>());
    if all <= has {
        return (outflows, cut);
    }
    let scaled =
        outflows.map(|outflow| (i128::from(outflow) * i128::from(has) / i128::from(all)) as i64);
    let lost = all - scaled.iter().sum::<i64>();
    (scaled, if has > 0 { lost as u64 } else { 0 })
}
