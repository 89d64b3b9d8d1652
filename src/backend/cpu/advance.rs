//! The step of a tile: bands of rows, each with its rule, its lanes and its watch.

use super::TooDeep;
use super::frame::{Frame, Leaving, REACH};
use super::rows::Band;
use super::scratch::Scratch;
use super::tile::TileState;
use super::watch::Watch;
use crate::grains::Rounding;
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::neighbourhood::Neighbourhood;
use crate::rule::{AnyRule, Rule, WithRule};
use crate::tiling::halo;
use crate::tiling::plan::Tile;
use rayon::prelude::*;

/// Rows of a tile that one thread takes at a time where tiles are few.
const BAND: usize = 32;

/// What a step is to do, the same for every tile.
pub struct TileStep {
    pub rule: AnyRule,
    pub neighbourhood: Neighbourhood,
    pub rounding: Rounding,
    pub checked: bool,
    pub end: f32,
    pub instructions: InstructionSet,
    pub bands: bool,
    pub skip_dry_rows: bool,
}

impl TileState {
    /// Water flows, sinks are emptied, maxima and arrivals noted.
    pub fn step(&mut self, step: &TileStep, plan: &Tile, inbox: &[i32]) -> Result<(), TooDeep> {
        let inner = REACH..REACH + self.area.rows;
        for halo_row in (0..REACH).chain(inner.end..inner.end + REACH) {
            self.row_wet[halo_row] = false;
        }
        halo::deliver(plan, inbox, self.stride, &mut self.water, &mut self.row_wet);
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
        let done: Vec<Done> = self.next[own]
            .par_chunks_mut(band * stride)
            .zip(self.most.par_chunks_mut(band * columns))
            .zip(self.arrival.par_chunks_mut(band * columns))
            .zip(self.next_wet[inner].par_chunks_mut(band))
            .enumerate()
            .map(|(index, (((next, most), arrival), wet))| {
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
                Scratch::with(stride, step.neighbourhood.neighbours(), |scratch| {
                    let job = BandJob { step, frame, rows, next, scratch, watch, leaving };
                    step.rule.run(job)
                })
            })
            .collect();
        std::mem::swap(&mut self.water, &mut self.next);
        std::mem::swap(&mut self.row_wet, &mut self.next_wet);
        self.deepest = done.iter().map(|done| done.deepest).max().unwrap_or(0);
        for done in &done {
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
}

/// A band's step, waiting for its rule and its lanes.
struct BandJob<'a, 'n> {
    step: &'a TileStep,
    frame: Frame<'a>,
    rows: std::ops::Range<usize>,
    next: &'n mut [i32],
    scratch: &'n mut Scratch,
    watch: Watch<'n>,
    leaving: Leaving,
}

impl WithRule for BandJob<'_, '_> {
    type Output = Done;
    fn with<R: Rule>(self, rule: R) -> Done {
        let instructions = self.step.instructions;
        let checked = self.step.checked;
        match (self.step.neighbourhood, checked) {
            (Neighbourhood::VonNeumann, false) => {
                instructions.run(LaneJob::<R, 4, false> { rule, job: self })
            }
            (Neighbourhood::VonNeumann, true) => {
                instructions.run(LaneJob::<R, 4, true> { rule, job: self })
            }
            (Neighbourhood::Moore, false) => {
                instructions.run(LaneJob::<R, 8, false> { rule, job: self })
            }
            (Neighbourhood::Moore, true) => {
                instructions.run(LaneJob::<R, 8, true> { rule, job: self })
            }
        }
    }
}

struct LaneJob<'a, 'n, R, const K: usize, const CHECKED: bool> {
    rule: R,
    job: BandJob<'a, 'n>,
}

impl<R: Rule, const K: usize, const CHECKED: bool> WithLanes for LaneJob<'_, '_, R, K, CHECKED> {
    type Output = Done;
    #[inline(always)]
    fn with<V: Real>(self) -> Done {
        let BandJob { step, frame, rows, next, scratch, mut watch, leaving } = self.job;
        let band =
            Band { rule: self.rule, rounding: &step.rounding, frame, rows, next, scratch, leaving };
        let (left, overflow) = band.flow::<V, K, CHECKED>(&mut watch);
        Done { deepest: watch.deepest, lost: watch.lost, left: left + watch.left, overflow }
    }
}
