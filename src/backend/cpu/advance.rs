//! The step of a tile: bands of rows, each with its rule, its lanes and its watch.

use super::TooDeep;
use super::edge_rows::{AXES, EdgeBand, EdgeDone, EdgeFrame};
use super::edge_scratch::EdgeScratch;
use super::frame::{Frame, Leaving, REACH};
use super::rows::Band;
use super::scratch::Scratch;
use super::tile::TileState;
use super::watch::Watch;
use crate::backend::Crossed;
use crate::grains::{Grain, Rounding};
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::neighbourhood::Neighbourhood;
use crate::rule::edge::{Axis, EdgeRule};
use crate::rule::{AnyRule, CellRule, WithRule};
use crate::tiling::halo;
use crate::tiling::plan::Tile;
use rayon::prelude::*;

/// Rows of a tile that one thread takes at a time where tiles are few.
const BAND: usize = 32;

/// What a step is to do, the same for every tile.
pub struct TileStep {
    pub rule: AnyRule,
    pub neighbourhood: Neighbourhood,
    pub grain: Grain,
    pub rounding: Rounding,
    /// The step along and across the rows.
    pub axes: [Axis; 2],
    pub checked: bool,
    pub end: f32,
    pub instructions: InstructionSet,
    pub bands: bool,
    pub skip_dry_rows: bool,
}

/// What a tile's halo gets from other tiles.
#[derive(Debug, Default)]
pub struct Inbox {
    pub water: Vec<i32>,
    pub discharge: [Vec<f32>; 2],
}

impl Inbox {
    /// Collects what the halo of a tile needs.
    pub fn collect(&mut self, plan: &Tile, tiles: &[TileState], remembers: bool) {
        halo::collect(plan, tiles, TileState::shown_water, &mut self.water);
        for axis in AXES.into_iter().filter(|_| remembers) {
            let layer = |tile| TileState::shown_discharge(tile, axis);
            halo::collect(plan, tiles, layer, &mut self.discharge[axis]);
        }
    }
}

/// The bands of an array that may be empty, the first of them longer by `more`.
fn bands_of<X>(array: &mut [X], more: usize, size: usize, count: usize) -> Vec<&mut [X]> {
    if array.is_empty() {
        return (0..count).map(|_| &mut [][..]).collect();
    }
    let (first, rest) = array.split_at_mut((more + size).min(array.len()));
    std::iter::once(first).chain(rest.chunks_mut(size)).collect()
}

impl TileState {
    /// Water flows, sinks are emptied, maxima and arrivals noted.
    pub fn step(&mut self, step: &TileStep, plan: &Tile, inbox: &Inbox) -> Result<(), TooDeep> {
        let before = self.before_run_out();
        let inner = REACH..REACH + self.area.rows;
        for halo_row in (0..REACH).chain(inner.end..inner.end + REACH) {
            self.row_wet[halo_row] = false;
        }
        let row_wet = &mut self.row_wet;
        halo::deliver(plan, &inbox.water, self.stride, &mut self.water, |row, cells| {
            row_wet[row] |= cells.iter().any(|&water| water != 0);
        });
        for (discharge, inbox) in self.discharge.iter_mut().zip(&inbox.discharge) {
            if !inbox.is_empty() {
                halo::deliver(plan, inbox, self.stride, discharge, |_, _| {});
            }
        }
        if !step.skip_dry_rows {
            self.row_wet.fill(true);
        }
        let frame = Frame {
            bed: &self.bed,
            water: &self.water,
            row_wet: &self.row_wet,
            stride: self.stride,
        };
        let band = if step.bands { BAND } else { self.area.rows };
        let (stride, columns) = (self.stride, self.area.columns);
        let (sinks, drains) = (&self.sinks, &self.drains);
        let (threshold, leaving) = (self.threshold, self.leaving);
        let own = REACH * stride..(REACH + self.area.rows) * stride;
        let bands = self.area.rows.div_ceil(band);
        let [next_x, next_y] = self.next_discharge.each_mut().map(|layer| {
            // The first band also keeps the row before its own.
            let kept = if layer.is_empty() { 0..0 } else { own.start - stride..own.end };
            bands_of(&mut layer[kept], stride, band * stride, bands)
        });
        let edges = EdgeFrame {
            roughness: self.roughness.as_deref().map_err(|uniform| *uniform),
            discharge: self.discharge.each_ref().map(Vec::as_slice),
        };
        let done: Vec<Done> = self.next[own]
            .par_chunks_mut(band * stride)
            .zip(self.most.par_chunks_mut(band * columns))
            .zip(self.arrival.par_chunks_mut(band * columns))
            .zip(self.next_wet[inner].par_chunks_mut(band))
            .zip(next_x)
            .zip(next_y)
            .enumerate()
            .map(|(index, (((((next, most), arrival), wet), next_x), next_y))| {
                let first = REACH + index * band;
                let rows = first..first + wet.len();
                let watch = Watch {
                    first,
                    columns,
                    most,
                    arrival,
                    wet,
                    sinks,
                    drains,
                    threshold,
                    end: step.end,
                    deepest: 0,
                    lost: 0,
                    left: 0,
                };
                let next_discharge = [next_x, next_y];
                let job =
                    BandJob { step, frame, edges, rows, next, next_discharge, watch, leaving };
                step.rule.run(job)
            })
            .collect();
        std::mem::swap(&mut self.water, &mut self.next);
        std::mem::swap(&mut self.row_wet, &mut self.next_wet);
        self.deepest = done.iter().map(|done| done.deepest).max().unwrap_or(0);
        self.run_out(step, &before);
        std::mem::swap(&mut self.discharge, &mut self.next_discharge);
        self.moving = done.iter().any(|done| done.moving);
        self.pace = done.iter().map(|done| done.pace).fold(0.0, f32::max);
        for done in &done {
            self.crossed += done.crossed;
            self.ledger.losses += i128::from(done.lost);
            self.ledger.outflow += i128::from(done.left);
        }
        if done.iter().any(|done| done.overflow) { Err(TooDeep) } else { Ok(()) }
    }
}

/// What a band of rows amounts to.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    deepest: i32,
    lost: i64,
    left: i64,
    overflow: bool,
    moving: bool,
    pace: f32,
    crossed: Crossed,
}

/// A band's step, waiting for its rule and its lanes.
struct BandJob<'a, 'n> {
    step: &'a TileStep,
    frame: Frame<'a>,
    edges: EdgeFrame<'a>,
    rows: std::ops::Range<usize>,
    next: &'n mut [i32],
    next_discharge: [&'n mut [f32]; 2],
    watch: Watch<'n>,
    leaving: Leaving,
}

impl WithRule for BandJob<'_, '_> {
    type Output = Done;

    fn cell<R: CellRule>(self, rule: R) -> Done {
        let (instructions, checked) = (self.step.instructions, self.step.checked);
        let neighbourhood = self.step.neighbourhood;
        Scratch::with(self.frame.stride, neighbourhood.neighbours(), |scratch| {
            let job = self;
            match (neighbourhood, checked) {
                (Neighbourhood::VonNeumann, false) => {
                    instructions.run(CellJob::<R, 4, false> { rule, job, scratch })
                }
                (Neighbourhood::VonNeumann, true) => {
                    instructions.run(CellJob::<R, 4, true> { rule, job, scratch })
                }
                (Neighbourhood::Moore, false) => {
                    instructions.run(CellJob::<R, 8, false> { rule, job, scratch })
                }
                (Neighbourhood::Moore, true) => {
                    instructions.run(CellJob::<R, 8, true> { rule, job, scratch })
                }
            }
        })
    }

    fn edge<R: EdgeRule>(self, rule: R) -> Done {
        let (instructions, checked) = (self.step.instructions, self.step.checked);
        EdgeScratch::with(self.frame.stride, |scratch| {
            let job = self;
            if checked {
                instructions.run(EdgeJob::<R, true> { rule, job, scratch })
            } else {
                instructions.run(EdgeJob::<R, false> { rule, job, scratch })
            }
        })
    }
}

struct CellJob<'a, 'n, 's, R, const K: usize, const CHECKED: bool> {
    rule: R,
    job: BandJob<'a, 'n>,
    scratch: &'s mut Scratch,
}

impl<R: CellRule, const K: usize, const CHECKED: bool> WithLanes
    for CellJob<'_, '_, '_, R, K, CHECKED>
{
    type Output = Done;
    #[inline(always)]
    fn with<V: Real>(self) -> Done {
        let CellJob { rule, job, scratch } = self;
        let BandJob { step, frame, rows, next, mut watch, leaving, .. } = job;
        let band = Band { rule, rounding: &step.rounding, frame, rows, next, scratch, leaving };
        let (left, overflow) = band.flow::<V, K, CHECKED>(&mut watch);
        Done {
            deepest: watch.deepest,
            lost: watch.lost,
            left: left + watch.left,
            overflow,
            ..Done::default()
        }
    }
}

struct EdgeJob<'a, 'n, 's, R, const CHECKED: bool> {
    rule: R,
    job: BandJob<'a, 'n>,
    scratch: &'s mut EdgeScratch,
}

impl<R: EdgeRule, const CHECKED: bool> WithLanes for EdgeJob<'_, '_, '_, R, CHECKED> {
    type Output = Done;
    #[inline(always)]
    fn with<V: Real>(self) -> Done {
        let EdgeJob { rule, job, scratch } = self;
        let BandJob { step, frame, edges, rows, next, next_discharge, mut watch, leaving } = job;
        let band = EdgeBand {
            rule,
            terms: step.axes.map(|axis| rule.terms(axis)),
            phase: step.rounding.phase,
            metres: step.grain.metres(),
            frame,
            edges,
            rows,
            next,
            next_discharge,
            scratch,
            leaving,
        };
        let EdgeDone { pace, crossed, left, moving, overflow } =
            band.flow::<V, CHECKED>(&mut watch);
        Done {
            deepest: watch.deepest,
            lost: watch.lost,
            left: left + watch.left,
            overflow,
            moving,
            pace,
            crossed,
        }
    }
}
