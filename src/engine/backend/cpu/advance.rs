//! The step of a tile: bands of rows, each with its rule, its lanes and its watch.

use super::TooDeep;
use super::astray::Astray;
use super::edge_cross::Answers;
use super::edge_rows::{AXES, Crosses, EdgeBand, EdgeDone, EdgeFrame};
use super::edge_scratch::EdgeScratch;
use super::frame::{Frame, Leaving, REACH};
use super::move_cross::Moves;
use super::rows::Band;
use super::scratch::Scratch;
use super::tile::TileState;
use super::turn_rows::{TurnBand, TurnDone, TurnFrame};
use super::watch::Watch;
use crate::backend::Crossed;
use crate::extremes::{Peak, Peaks};
use crate::forcing::ports::{Booked, Port};
use crate::grains::{Grain, Rounding};
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::neighbourhood::Neighbourhood;
use crate::rule::edge::{Axis, EdgeField, EdgeRule};
use crate::rule::momentum::MomentumRule;
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
    /// The greatest speed and the like before the step, at places in the tile's frame.
    pub peaks: Peaks,
    /// Whether the flow over the edges is looked at.
    pub looks: bool,
}

/// What a tile's halo gets from other tiles.
#[derive(Debug, Default)]
pub struct Inbox {
    pub water: Vec<i32>,
    /// What is remembered of the edges.
    pub edges: [Vec<f32>; 2],
}

impl Inbox {
    /// Collects what the halo of a tile needs.
    pub fn collect(&mut self, plan: &Tile, tiles: &[TileState], remembers: Option<EdgeField>) {
        self.collect_water(plan, tiles);
        if let Some(field) = remembers {
            for axis in AXES {
                let layer = |tile| TileState::shown_edges(tile, field, axis);
                halo::collect(plan, tiles, layer, &mut self.edges[axis]);
            }
        }
    }

    /// Collects the water that it needs alone.
    pub fn collect_water(&mut self, plan: &Tile, tiles: &[TileState]) {
        halo::collect(plan, tiles, TileState::shown_water, &mut self.water);
    }
}

/// The bands of an array that may be empty, the first of them longer by `more`, and the last with what is left.
fn bands_of<X>(array: &mut [X], more: usize, size: usize, count: usize) -> Vec<&mut [X]> {
    if array.is_empty() {
        return (0..count).map(|_| &mut [][..]).collect();
    }
    let mut bands = Vec::with_capacity(count);
    let mut rest = array;
    for index in 0..count {
        let size = if index == 0 { more + size } else { size };
        let last = index + 1 == count;
        let (band, after) = rest.split_at_mut(if last { rest.len() } else { size });
        bands.push(band);
        rest = after;
    }
    bands
}

impl TileState {
    /// Takes up what its halo shows of the others' water.
    fn deliver_water(&mut self, step: &TileStep, plan: &Tile, inbox: &Inbox) {
        let inner = REACH..REACH + self.area.rows;
        for halo_row in (0..REACH).chain(inner.end..inner.end + REACH) {
            self.row_wet[halo_row] = false;
        }
        let row_wet = &mut self.row_wet;
        halo::deliver(plan, &inbox.water, self.stride, &mut self.water, |row, cells| {
            row_wet[row] |= cells.iter().any(|&water| water != 0);
        });
        if !step.skip_dry_rows {
            self.row_wet.fill(true);
        }
    }

    /// Water flows, sinks are emptied, maxima and arrivals noted.
    pub fn flow(&mut self, step: &TileStep, plan: &Tile, inbox: &Inbox) -> Result<(), TooDeep> {
        self.deliver_water(step, plan, inbox);
        let noted = self.noted_of_outlets();
        let remembered = match step.rule.remembers() {
            Some(EdgeField::Velocity) => &mut self.velocity,
            _ => &mut self.discharge,
        };
        for (layer, inbox) in remembered.iter_mut().zip(&inbox.edges) {
            if !inbox.is_empty() {
                halo::deliver(plan, inbox, self.stride, layer, |_, _| {});
            }
        }
        let momentum = step.rule.has_momentum();
        let (stride, columns) = (self.stride, self.area.columns);
        let pins: Vec<(usize, usize, i32, Port)> = match momentum {
            true => self.pins(),
            false => Vec::new(),
        };
        let frame = Frame {
            bed: &self.bed,
            water: &self.water,
            row_wet: &self.row_wet,
            stride: self.stride,
        };
        let band = if step.bands { BAND } else { self.area.rows };
        let inner = REACH..REACH + self.area.rows;
        let (sinks, drains, pins) = (&self.sinks, &self.drains, &pins);
        let (threshold, leaving, astray) = (self.threshold, self.leaving, &self.astray);
        let own = REACH * stride..(REACH + self.area.rows) * stride;
        let bands = self.area.rows.div_ceil(band);
        // The discharges that turn velocities are needed of more edges than those that are remembered.
        let (before, after) = if momentum { (2, 1) } else { (1, 0) };
        let kept = |layer: &[f32]| match layer.is_empty() {
            true => 0..0,
            false => own.start - before * stride..own.end + after * stride,
        };
        let split = |layer| bands_of(layer, before * stride, band * stride, bands);
        let [next_x, next_y] = self.next_discharge.each_mut().map(|layer| {
            let kept = kept(layer);
            split(&mut layer[kept])
        });
        let asked = !momentum && !self.next_velocity[0].is_empty();
        let [next_u, next_v] = self.next_velocity.each_mut().map(|layer| {
            let kept = if asked { kept(layer) } else { 0..0 };
            split(&mut layer[kept])
        });
        let edges = EdgeFrame {
            roughness: self.roughness.as_deref().map_err(|uniform| *uniform),
            discharge: self.discharge.each_ref().map(Vec::as_slice),
            velocity: self.velocity.each_ref().map(Vec::as_slice),
        };
        let done: Vec<Done> = self.next[own]
            .par_chunks_mut(band * stride)
            .zip(self.most.par_chunks_mut(band * columns))
            .zip(self.arrival.par_chunks_mut(band * columns))
            .zip(self.next_wet[inner].par_chunks_mut(band))
            .zip(next_x)
            .zip(next_y)
            .zip(next_u)
            .zip(next_v)
            .enumerate()
            .map(|(index, (((((((next, most), arrival), wet), x), y), u), v))| {
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
                    pins,
                    threshold,
                    end: step.end,
                    deepest: 0,
                    lost: 0,
                    left: 0,
                    came: 0,
                    booked: Booked::default(),
                    stride,
                    rise_before: step.peaks.rise,
                    rise: Peak::default(),
                };
                let next_flow = [[x, y], [u, v]];
                let rows_before = before;
                let job = BandJob {
                    step,
                    frame,
                    edges,
                    rows,
                    next,
                    next_flow,
                    rows_before,
                    watch,
                    leaving,
                    astray,
                };
                step.rule.run(job)
            })
            .collect();
        std::mem::swap(&mut self.water, &mut self.next);
        std::mem::swap(&mut self.row_wet, &mut self.next_wet);
        std::mem::swap(&mut self.discharge, &mut self.next_discharge);
        if asked {
            std::mem::swap(&mut self.velocity, &mut self.next_velocity);
        }
        if !momentum {
            self.run_out_last(step, &noted);
        }
        self.deepest = done.iter().map(|done| done.deepest).max().unwrap_or(0);
        self.moving = done.iter().any(|done| done.moving);
        self.pace = done.iter().map(|done| done.pace).fold(0.0, f32::max);
        self.peaks = Peaks::default();
        for done in &done {
            self.crossed += done.crossed;
            self.peaks = self.peaks.with(done.peaks);
            self.ledger.losses += i128::from(done.lost);
            self.ledger.outflow += i128::from(done.left);
            self.ledger.inflow += i128::from(done.came);
            self.booked.add_all(&done.booked);
        }
        if done.iter().any(|done| done.overflow) { Err(TooDeep) } else { Ok(()) }
    }

    /// The velocities turn, after the water of all tiles has moved.
    pub fn turn(&mut self, step: &TileStep, plan: &Tile, inbox: &Inbox) {
        self.deliver_water(step, plan, inbox);
        let frame = TurnFrame {
            bed: &self.bed,
            water: &self.water,
            row_wet: &self.row_wet,
            stride: self.stride,
            roughness: self.roughness.as_deref().map_err(|uniform| *uniform),
            velocity: self.velocity.each_ref().map(Vec::as_slice),
            discharge: self.discharge.each_ref().map(Vec::as_slice),
        };
        let stride = self.stride;
        let band = if step.bands { BAND } else { self.area.rows };
        let bands = self.area.rows.div_ceil(band);
        let kept = (REACH - 1) * stride..(REACH + self.area.rows) * stride;
        let [next_u, next_v] = self
            .next_velocity
            .each_mut()
            .map(|layer| bands_of(&mut layer[kept.clone()], stride, band * stride, bands));
        let done: Vec<TurnDone> = next_u
            .into_par_iter()
            .zip(next_v)
            .enumerate()
            .map(|(index, (u, v))| {
                let first = REACH + index * band - usize::from(index == 0);
                let rows = first..first + u.len() / stride;
                step.rule.run(TurnJob { step, frame, rows, next: [u, v] })
            })
            .collect();
        std::mem::swap(&mut self.velocity, &mut self.next_velocity);
        self.moving = done.iter().any(|done| done.moving);
        self.pace = done.iter().map(|done| done.pace).fold(0.0, f32::max);
        for done in &done {
            self.crossed += done.crossed;
            self.peaks = self.peaks.with(done.peaks);
        }
    }

    /// The cells whose level is held: row and column in the tile, their water (grains) and the port, in order.
    fn pins(&self) -> Vec<(usize, usize, i32, Port)> {
        let place = |&(place, _, port): &(usize, usize, Port)| {
            (place / self.stride - REACH, place % self.stride - REACH, self.water[place], port)
        };
        let mut pins: Vec<_> = self.held.iter().map(place).collect();
        pins.sort_unstable();
        pins
    }
}

/// What a band of rows amounts to.
#[derive(Clone, Debug, Default)]
struct Done {
    deepest: i32,
    lost: i64,
    left: i64,
    overflow: bool,
    moving: bool,
    pace: f32,
    crossed: Crossed,
    came: i64,
    booked: Booked,
    peaks: Peaks,
}

/// A band's step, waiting for its rule and its lanes.
struct BandJob<'a, 'n> {
    step: &'a TileStep,
    frame: Frame<'a>,
    edges: EdgeFrame<'a>,
    rows: std::ops::Range<usize>,
    next: &'n mut [i32],
    /// Discharges and velocities, of both axes each.
    next_flow: [[&'n mut [f32]; 2]; 2],
    rows_before: usize,
    watch: Watch<'n>,
    leaving: Leaving,
    astray: &'a [Astray],
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
        self.over_edges(Answers(rule))
    }

    fn momentum<R: MomentumRule>(self, rule: R) -> Done {
        self.over_edges(Moves(rule))
    }
}

impl BandJob<'_, '_> {
    fn over_edges<R: Crosses>(self, rule: R) -> Done {
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

/// A band's turn, waiting for its rule and its lanes.
struct TurnJob<'a, 'n> {
    step: &'a TileStep,
    frame: TurnFrame<'a>,
    rows: std::ops::Range<usize>,
    next: [&'n mut [f32]; 2],
}

impl WithRule for TurnJob<'_, '_> {
    type Output = TurnDone;

    fn cell<R: CellRule>(self, _: R) -> TurnDone {
        unreachable!("an automaton has no velocities")
    }

    fn edge<R: EdgeRule>(self, _: R) -> TurnDone {
        unreachable!("the rule has no momentum")
    }

    fn momentum<R: MomentumRule>(self, rule: R) -> TurnDone {
        let instructions = self.step.instructions;
        EdgeScratch::with(self.frame.stride, |scratch| {
            instructions.run(Turning { rule, job: self, scratch })
        })
    }
}

struct Turning<'a, 'n, 's, R> {
    rule: R,
    job: TurnJob<'a, 'n>,
    scratch: &'s mut EdgeScratch,
}

impl<R: MomentumRule> WithLanes for Turning<'_, '_, '_, R> {
    type Output = TurnDone;
    #[inline(always)]
    fn with<V: Real>(self) -> TurnDone {
        let Turning { rule, job: TurnJob { step, frame, rows, next }, scratch } = self;
        let band = TurnBand {
            rule,
            terms: step.axes.map(|axis| rule.terms(axis)),
            pace: step.axes.map(|axis| axis.inverse_length * (1.0 / R::COURANT)),
            metres: step.grain.metres(),
            frame,
            rows,
            next,
            scratch,
            peaks: step.peaks,
            looks: step.looks,
        };
        band.turn::<V>()
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
        let BandJob { step, frame, rows, next, mut watch, leaving, astray, .. } = job;
        let rounding = &step.rounding;
        let band = Band { rule, rounding, frame, rows, next, scratch, leaving, astray };
        let (left, overflow) = band.flow::<V, K, CHECKED>(&mut watch);
        left.book(&mut watch.booked);
        Done {
            deepest: watch.deepest,
            lost: watch.lost,
            left: left.sum() + watch.left,
            booked: watch.booked,
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

impl<R: Crosses, const CHECKED: bool> WithLanes for EdgeJob<'_, '_, '_, R, CHECKED> {
    type Output = Done;
    #[inline(always)]
    fn with<V: Real>(self) -> Done {
        let EdgeJob { rule, job, scratch } = self;
        let BandJob {
            step,
            frame,
            edges,
            rows,
            next,
            next_flow,
            rows_before,
            mut watch,
            leaving,
            ..
        } = job;
        let [next_discharge, next_velocity] = next_flow;
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
            next_velocity,
            rows_before,
            peaks: step.peaks,
            looks: step.looks,
            scratch,
            leaving,
        };
        let EdgeDone { pace, crossed, left, moving, overflow, peaks } =
            band.flow::<V, CHECKED>(&mut watch);
        left.book(&mut watch.booked);
        Done {
            deepest: watch.deepest,
            lost: watch.lost,
            left: left.sum() + watch.left,
            booked: watch.booked,
            overflow,
            moving,
            pace,
            crossed,
            came: watch.came,
            peaks: Peaks { rise: watch.rise, ..peaks },
        }
    }
}
