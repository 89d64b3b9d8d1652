//! Jobs of a step: bands of rows of tiles, each with its solver, its lanes and its watch.

use super::edge_fluxes::Answers;
use super::edge_rows::{BandDone, EdgeBand, EdgeWindow, RowFluxes};
use super::edge_scratch::EdgeScratch;
use super::momentum_fluxes::Moves;
use super::quiet::{dry_rows, still_rows};
use super::rows::Band;
use super::scratch::Scratch;
use super::shared::{Shared, Target};
use super::shares::Job;
use super::tiles::{Tile, Tiles};
use super::watch::{Part, Watch};
use super::window::{REACH, Window};
use crate::forcing::sites::{StepContext, Tally};
use crate::grains::{Grain, Rounding};
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::neighbourhood::Neighbourhood;
use crate::run_diagnostics::{Maxima, Maximum};
use crate::solver::edge::{Axis, EdgeSolver};
use crate::solver::momentum::MomentumSolver;
use crate::solver::{AnySolver, CellSolver, WithSolver};
use crate::tiling::rect::Rect;
use std::ops::Range;

/// Parameters of a step, common to all jobs.
pub(crate) struct StepTerms<'a> {
    pub solver: AnySolver,
    pub neighbourhood: Neighbourhood,
    pub grain: Grain,
    pub rounding: Rounding,
    /// The step along and across the rows.
    pub axes: [Axis; 2],
    pub checked: bool,
    /// Context for applying sites.
    pub now: StepContext<'a>,
    pub threshold: i32,
    pub instructions: InstructionSet,
    pub skip_dry_rows: bool,
    /// Run diagnostics before the step.
    pub maxima: Maxima,
    /// Set if the step evaluates the flow.
    pub evaluates_flow: bool,
}

/// The state before the step, or between its halves.
#[derive(Clone, Copy)]
pub struct CellState<'a> {
    pub bed: &'a [i32],
    pub water: &'a [i32],
    /// Edge arrays of the whole frame.
    pub edges: EdgeWindow<'a>,
    /// Flags of wet rows, and the first columns of the columns of tiles.
    pub wet: &'a [bool],
    pub columns: &'a [usize],
    /// Number of rows of the frame, distance between rows, and index of the first cell in the
    /// arrays.
    pub rows: usize,
    pub stride: usize,
    pub lead: usize,
    /// Cells of the frame through which water leaves, by index, ascending.
    pub intakes: &'a [usize],
    /// The frame's cells on the grid.
    pub grid: Rect,
}

/// Output arrays of the step.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub water: Shared<'a, i32>,
    pub discharge: Option<[Shared<'a, f32>; 2]>,
    pub velocity: Option<[Shared<'a, f32>; 2]>,
    pub most: Shared<'a, i32>,
    pub arrival: Shared<'a, f32>,
    pub wet: Shared<'a, bool>,
    /// Number of steps for which rows were quiet ([`Tiles::in_step`]).
    pub quiet: Shared<'a, u8>,
}

/// Position of a window in the arrays, and the wet flags of its rows.
struct CellView {
    start: usize,
    row_wet: Vec<bool>,
}

impl<'a> CellState<'a> {
    /// Returns the window around some cells.
    fn around(&self, area: Rect, skip_dry_rows: bool) -> CellView {
        let start = self.lead + area.row * self.stride + area.column - REACH * (self.stride + 1);
        if !skip_dry_rows {
            return CellView { start, row_wet: vec![true; area.rows + 2 * REACH] };
        }
        let first = area.column.saturating_sub(REACH);
        let end = (area.column + area.columns + REACH).min(self.stride);
        let is_wet = |row: usize| {
            let Some(row) = row.checked_sub(REACH).filter(|row| *row < self.rows) else {
                return false;
            };
            let start = self.lead + row * self.stride;
            let look = |columns: Range<usize>| {
                self.water[start + columns.start..start + columns.end].iter().any(|&w| w != 0)
            };
            Tiles::row_is_wet(self.columns, self.wet, self.rows, row, [first, end], look)
        };
        CellView {
            start,
            row_wet: (area.row..area.row + area.rows + 2 * REACH).map(is_wet).collect(),
        }
    }

    fn window<'b>(&'b self, area: Rect, seen: &'b CellView) -> Window<'b> {
        // Columns and rows of the window at which the grid begins and ends.
        let on_grid = |own: usize, first: usize, count: usize| {
            let from = (first + REACH).saturating_sub(own);
            (from, (first + count + REACH).saturating_sub(own))
        };
        let grid = self.grid;
        Window {
            bed: &self.bed[seen.start..],
            water: &self.water[seen.start..],
            row_wet: &seen.row_wet,
            stride: self.stride,
            width: area.columns + 2 * REACH,
            first: seen.start as isize - self.lead as isize,
            intakes: self.intakes,
            grid: [
                on_grid(area.column, grid.column, grid.columns),
                on_grid(area.row, grid.row, grid.rows),
            ],
        }
    }
}

/// Result of a job.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The deepest water of each tile (grains).
    pub deepest: Vec<i32>,
    /// Volumes that sites added and removed.
    pub tally: Tally,
    /// Result of the flow.
    pub band: BandDone,
}

impl Job {
    /// Moves the water, empties sinks, and records maxima and arrivals.
    ///
    /// # Safety
    /// No other job may have any of its cells.
    pub unsafe fn flow<'n>(
        &self,
        terms: &StepTerms,
        tiles: &'n [Tile],
        now: &CellState<'n>,
        next: &Next<'n>,
    ) -> Done {
        let Rect { column, row, columns, rows } = self.area;
        let seen = now.around(self.area, terms.skip_dry_rows);
        let first = now.lead + row * now.stride + column;
        let stride = now.stride;
        let number = first - now.lead;
        // SAFETY: the caller guarantees that no other job has any of these cells.
        let (mut water, mut discharge, mut velocity, most, arrival) = unsafe {
            (
                next.water.target(first, columns, rows, stride),
                next.discharge.map(|both| both.map(|to| to.target(first, columns, rows, stride))),
                next.velocity.map(|both| both.map(|to| to.target(first, columns, rows, stride))),
                next.most.target(first, columns, rows, stride),
                next.arrival.target(first, columns, rows, stride),
            )
        };
        let own_rows = REACH..REACH + rows;
        let over_edges = [&mut discharge, &mut velocity].into_iter().flatten().flatten();
        let mut over_edges: Vec<&mut Target<f32>> = over_edges.collect();
        let part = |(tile, columns): (&'n Tile, Range<usize>)| {
            let cells = Tiles::rows_of(tile.across, now.rows, row..row + rows);
            // SAFETY: the caller guarantees that no other job has any of these cells, and each
            // tile has its own row flags.
            let (wet, quiet) = unsafe { (next.wet.cells(cells.clone()), next.quiet.cells(cells)) };
            let cells = (own_rows.clone(), columns.clone());
            dry_rows(&seen.row_wet, cells, quiet, &mut water, &mut over_edges);
            Part { columns, wet, sites: &tile.sites.flowing, deepest: 0 }
        };
        let parts: Vec<Part> = self.parts(tiles).map(part).collect();
        let watch = Watch {
            first: REACH,
            place: (row, column),
            columns,
            number,
            stride,
            most,
            arrival,
            parts,
            now: &terms.now,
            bed: &now.bed[first..],
            threshold: terms.threshold,
            end: terms.now.step.end,
            tally: Tally::default(),
            rise_before: terms.maxima.rise,
            rise: Maximum::default(),
        };
        let window = now.window(self.area, &seen);
        let edges = now.edges.from(seen.start);
        let band = BandJob { terms, window, edges, rows: own_rows, discharge, velocity };
        terms.solver.run(FlowJob { band, water, watch })
    }

    /// Updates the velocities, after all water has moved.
    ///
    /// # Safety
    /// No other job may have any of its cells.
    pub unsafe fn update_momentum<'n>(
        &self,
        terms: &StepTerms,
        tiles: &[Tile],
        now: &CellState,
        next: OnFrame<'n>,
        discharge: Option<OnFrame<'n>>,
        quiet: Shared<'_, u8>,
    ) -> BandDone {
        let Rect { column, row, columns, rows } = self.area;
        let seen = now.around(self.area, terms.skip_dry_rows);
        let first = now.lead + row * now.stride + column;
        // SAFETY: the caller guarantees that no other job has any of these cells.
        let target =
            |layer: Shared<'n, f32>| unsafe { layer.target(first, columns, rows, now.stride) };
        let (mut next, mut discharge) = (next.map(target), discharge.map(|both| both.map(target)));
        let mut all: Vec<_> = next.iter_mut().chain(discharge.iter_mut().flatten()).collect();
        let own_rows = REACH..REACH + rows;
        for (tile, columns) in self.parts(tiles) {
            let cells = Tiles::rows_of(tile.across, now.rows, row..row + rows);
            // SAFETY: the caller guarantees that no other job has any of these cells, and each
            // tile has its own row flags.
            let quiet = unsafe { quiet.cells(cells) };
            still_rows(&seen.row_wet, (own_rows.clone(), columns), quiet, &mut all);
        }
        let window = now.window(self.area, &seen);
        let edges = now.edges.from(seen.start);
        terms.solver.run(MomentumJob(BandJob {
            terms,
            window,
            edges,
            rows: own_rows,
            discharge,
            velocity: Some(next),
        }))
    }
}

/// Output arrays of the edges east and south of the cells of a frame, and of a part of it.
pub type OnFrame<'a> = [Shared<'a, f32>; 2];
type OnEdges<'n> = [Target<'n, f32>; 2];

/// A band of rows with its surroundings, and the outputs for the discharges and velocities of its
/// edges.
struct BandJob<'a, 'n> {
    terms: &'a StepTerms<'a>,
    window: Window<'a>,
    edges: EdgeWindow<'a>,
    rows: Range<usize>,
    discharge: Option<OnEdges<'n>>,
    velocity: Option<OnEdges<'n>>,
}

impl<'a, 'n> BandJob<'a, 'n> {
    /// Combines the band with a solver and scratch rows.
    #[inline(always)]
    fn of<R: RowFluxes>(self, solver: R, scratch: &'n mut EdgeScratch) -> EdgeBand<'a, 'n, R> {
        let BandJob { terms, window, edges, rows, discharge, velocity } = self;
        EdgeBand {
            solver,
            terms: terms.axes.map(|axis| solver.terms(axis)),
            phase: terms.rounding.phase,
            metres: terms.grain.metres(),
            window,
            edges,
            rows,
            next_discharge: discharge,
            next_velocity: velocity,
            maxima: terms.maxima,
            evaluates_flow: terms.evaluates_flow,
            scratch,
        }
    }
}

/// The flow of a band, to be run with a solver and lanes.
struct FlowJob<'a, 'n> {
    band: BandJob<'a, 'n>,
    /// Output: the new water of the tile's cells.
    water: Target<'n, i32>,
    watch: Watch<'n>,
}

impl WithSolver for FlowJob<'_, '_> {
    type Output = Done;

    fn cell<R: CellSolver>(self, solver: R) -> Done {
        let &StepTerms { instructions, checked, neighbourhood, .. } = self.band.terms;
        Scratch::with(self.band.window.width, neighbourhood.neighbours(), |scratch| {
            let job = self;
            match (neighbourhood, checked) {
                (Neighbourhood::VonNeumann, false) => {
                    instructions.run_step(CellJob::<R, 4, false> { solver, job, scratch })
                }
                (Neighbourhood::VonNeumann, true) => {
                    instructions.run_step(CellJob::<R, 4, true> { solver, job, scratch })
                }
                (Neighbourhood::Moore, false) => {
                    instructions.run_step(CellJob::<R, 8, false> { solver, job, scratch })
                }
                (Neighbourhood::Moore, true) => {
                    instructions.run_step(CellJob::<R, 8, true> { solver, job, scratch })
                }
            }
        })
    }

    fn edge<R: EdgeSolver>(self, solver: R) -> Done {
        match self.band.edges.level {
            [] => self.over_edges(Answers::<R, false>(solver)),
            _ => self.over_edges(Answers::<R, true>(solver)),
        }
    }

    fn momentum<R: MomentumSolver>(self, solver: R) -> Done {
        match self.band.edges.level {
            [] => self.over_edges(Moves::<R, false>(solver)),
            _ => self.over_edges(Moves::<R, true>(solver)),
        }
    }
}

impl FlowJob<'_, '_> {
    fn over_edges<R: RowFluxes>(self, solver: R) -> Done {
        let &StepTerms { instructions, checked, .. } = self.band.terms;
        EdgeScratch::with(self.band.window.width, |scratch| {
            let job = self;
            if checked {
                instructions.run_step(EdgeJob::<R, true> { solver, job, scratch })
            } else {
                instructions.run_step(EdgeJob::<R, false> { solver, job, scratch })
            }
        })
    }
}

/// The velocity update of a band, to be run with a solver and lanes.
struct MomentumJob<'a, 'n>(BandJob<'a, 'n>);

impl WithSolver for MomentumJob<'_, '_> {
    type Output = BandDone;

    fn cell<R: CellSolver>(self, _: R) -> BandDone {
        unreachable!("an automaton has no velocities")
    }

    fn edge<R: EdgeSolver>(self, _: R) -> BandDone {
        unreachable!("the solver has no momentum")
    }

    fn momentum<R: MomentumSolver>(self, solver: R) -> BandDone {
        let MomentumJob(job) = self;
        let instructions = job.terms.instructions;
        EdgeScratch::with(job.window.width, |scratch| match job.edges.level {
            [] => {
                let solver = Moves::<R, false>(solver);
                instructions.run_step(MomentumUpdate { solver, job, scratch })
            }
            _ => {
                let solver = Moves::<R, true>(solver);
                instructions.run_step(MomentumUpdate { solver, job, scratch })
            }
        })
    }
}

struct MomentumUpdate<'a, 'n, 's, R> {
    solver: R,
    job: BandJob<'a, 'n>,
    scratch: &'s mut EdgeScratch,
}

impl<R: MomentumSolver, const TABLES: bool> WithLanes
    for MomentumUpdate<'_, '_, '_, Moves<R, TABLES>>
{
    type Output = BandDone;
    const IS_CHAIN: bool = true;
    #[inline(always)]
    fn with<V: Real>(self) -> BandDone {
        let MomentumUpdate { solver, job, scratch } = self;
        job.of(solver, scratch).update_momentum::<V>()
    }
}

struct CellJob<'a, 'n, 's, R, const K: usize, const CHECKED: bool> {
    solver: R,
    job: FlowJob<'a, 'n>,
    scratch: &'s mut Scratch,
}

impl<R: CellSolver, const K: usize, const CHECKED: bool> WithLanes
    for CellJob<'_, '_, '_, R, K, CHECKED>
{
    type Output = Done;
    const IS_CHAIN: bool = true;
    #[inline(always)]
    fn with<V: Real>(self) -> Done {
        let CellJob { solver, job: FlowJob { band, water, mut watch }, scratch } = self;
        let BandJob { terms, window, rows, .. } = band;
        let rounding = &terms.rounding;
        let band = Band { solver, rounding, window, rows, next: water, scratch };
        let overflow = band.flow::<V, K, CHECKED>(&mut watch);
        let band = BandDone { overflow, ..BandDone::default() };
        Done { deepest: watch.deepest(), tally: watch.tally, band }
    }
}

struct EdgeJob<'a, 'n, 's, R, const CHECKED: bool> {
    solver: R,
    job: FlowJob<'a, 'n>,
    scratch: &'s mut EdgeScratch,
}

impl<R: RowFluxes, const CHECKED: bool> WithLanes for EdgeJob<'_, '_, '_, R, CHECKED> {
    type Output = Done;
    const IS_CHAIN: bool = true;
    #[inline(always)]
    fn with<V: Real>(self) -> Done {
        let EdgeJob { solver, job: FlowJob { band, water, mut watch }, scratch } = self;
        let mut band = band.of(solver, scratch).flow::<V, CHECKED>(water, &mut watch);
        band.maxima.rise = watch.rise;
        Done { deepest: watch.deepest(), tally: watch.tally, band }
    }
}
