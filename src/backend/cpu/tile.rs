//! The state of one tile: set-up, forcing, and the step with its observers.

use super::rows::{AfterRow, Band, Frame, PADDING, REACH, Scratch};
use crate::backend::{StateLayer, Step, TooDeep};
use crate::boundary::OpenEdges;
use crate::forcing::{Account, Footprint, Forcing, Share};
use crate::grains::{MAX_WATER, Rounding};
use crate::grid::{Bed, Grid};
use crate::lanes::{InstructionSet, Real, Whole, WithLanes};
use crate::ledger::Ledger;
use crate::neighbourhood::Neighbourhood;
use crate::rule::{AnyRule, Rule, WithRule};
use crate::tiling::halo::{self, Exchange};
use crate::tiling::plan::{Rect, Tile, TilePlan};
use rayon::prelude::*;

/// Rows of a tile that one thread takes at a time where tiles are few.
const BAND: usize = 32;

/// Arrival time of water that has not arrived.
const NEVER: f32 = -1.0;

/// Whether a bed height belongs to a cell of the domain.
#[inline(always)]
pub fn inside(height: f32) -> bool {
    height < Bed::WALL
}

/// A tile's part of a rate layer.
enum TileFootprint {
    Everywhere,
    /// A share per cell of the tile, row-major without halo.
    Shares(Vec<Share>),
    /// Place in the frame, and share.
    Cells(Vec<(usize, Share)>),
}

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

/// The state of a tile. Arrays called frames include the halo.
pub struct TileState {
    /// The cells it owns, in the grid.
    pub area: Rect,
    stride: usize,
    /// Bed height above the datum (frame) [m].
    bed: Vec<f32>,
    /// Water now and, while stepping, next (frames) [grains].
    water: Vec<i32>,
    next: Vec<i32>,
    /// Per frame row: whether it holds water.
    row_wet: Vec<bool>,
    next_wet: Vec<bool>,
    /// Most water so far, row-major without halo [grains].
    most: Vec<i32>,
    /// When water first exceeded `threshold`, row-major without halo, or [`NEVER`].
    arrival: Vec<f32>,
    threshold: i32,
    deepest: i32,
    rates: Vec<(Account, TileFootprint)>,
    /// Place in the frame, and water topped up to [grains].
    top_up: Vec<(usize, i32)>,
    /// (row, column) of sinks within the tile, in order.
    sinks: Vec<(usize, usize)>,
    leaving: Leaving,
    ledger: Ledger,
}

/// Which of a tile's sides are open sides of the grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// Frame row whose gifts northwards leave.
    pub north: Option<usize>,
    /// Frame row whose gifts southwards leave.
    pub south: Option<usize>,
    /// Frame column whose gifts westwards leave.
    pub west: Option<usize>,
    /// Frame column whose gifts eastwards leave.
    pub east: Option<usize>,
}

impl TileState {
    /// Sets up the tile that owns `area`.
    pub fn new(
        area: Rect,
        grid: &Grid,
        bed: &Bed,
        datum: i32,
        initial: &[i32],
        open: OpenEdges,
        threshold: i32,
    ) -> TileState {
        let stride = area.columns + 2 * REACH;
        let frame_rows = area.rows + 2 * REACH;
        let mut heights = vec![Bed::WALL; stride * frame_rows + PADDING];
        let mut water = vec![0; stride * frame_rows + PADDING];
        let mut most = vec![0; area.cells()];
        let mut arrival = vec![NEVER; area.cells()];
        let mut row_wet = vec![false; frame_rows];
        let mut ledger = Ledger::default();
        let mut deepest = 0;
        let (columns, rows) = (grid.columns as isize, grid.rows as isize);
        for frame_row in 0..frame_rows {
            let row = (area.row + frame_row) as isize - REACH as isize;
            for frame_column in 0..stride {
                let column = (area.column + frame_column) as isize - REACH as isize;
                let on_grid = (0..columns).contains(&column) && (0..rows).contains(&row);
                let from = if on_grid {
                    Some((column as usize, row as usize))
                } else {
                    open.ghost_of(column, row, grid.columns, grid.rows)
                };
                let Some((from_column, from_row)) = from else {
                    continue;
                };
                let cell = from_row * grid.columns + from_column;
                let at = frame_row * stride + frame_column;
                heights[at] = Bed::height(bed.levels[cell], datum);
                let own = (REACH..REACH + area.columns).contains(&frame_column)
                    && (REACH..REACH + area.rows).contains(&frame_row);
                if own && inside(heights[at]) && !initial.is_empty() && initial[cell] > 0 {
                    let grains = initial[cell];
                    let place = (frame_row - REACH) * area.columns + (frame_column - REACH);
                    water[at] = grains;
                    most[place] = grains;
                    if grains > threshold {
                        arrival[place] = 0.0;
                    }
                    row_wet[frame_row] = true;
                    deepest = deepest.max(grains);
                    ledger.initial += i128::from(grains);
                }
            }
        }
        let side = |open: bool, at_edge: bool, place: usize| (open && at_edge).then_some(place);
        let leaving = Leaving {
            north: side(open.north, area.row == 0, REACH),
            south: side(open.south, area.row + area.rows == grid.rows, REACH + area.rows - 1),
            west: side(open.west, area.column == 0, REACH),
            east: side(
                open.east,
                area.column + area.columns == grid.columns,
                REACH + area.columns - 1,
            ),
        };
        TileState {
            area,
            stride,
            bed: heights,
            next: water.clone(),
            next_wet: row_wet.clone(),
            water,
            row_wet,
            most,
            arrival,
            threshold,
            deepest,
            rates: Vec::new(),
            top_up: Vec::new(),
            sinks: Vec::new(),
            leaving,
            ledger,
        }
    }

    /// Place in the frame of a cell of the grid that the tile owns.
    fn place(&self, column: usize, row: usize) -> usize {
        (row - self.area.row + REACH) * self.stride + column - self.area.column + REACH
    }

    /// Place in the frame of the first own cell of a row of the tile.
    fn row_start(&self, row: usize) -> usize {
        (row + REACH) * self.stride + REACH
    }

    /// Whether any of its own cells holds water.
    pub fn is_wet(&self) -> bool {
        self.deepest > 0
    }

    /// No less than the deepest of its own cells [grains].
    pub fn deepest(&self) -> i32 {
        self.deepest
    }

    /// Own cells that hold water.
    pub fn wet_cells(&self) -> usize {
        let row = |row| self.grains(StateLayer::Water, row).iter().filter(|&&w| w > 0).count();
        if self.is_wet() { (0..self.area.rows).map(row).sum() } else { 0 }
    }

    /// A row of own cells [grains].
    pub fn grains(&self, layer: StateLayer, row: usize) -> &[i32] {
        match layer {
            StateLayer::Water => &self.water[self.row_start(row)..][..self.area.columns],
            StateLayer::MaxWater => &self.most[row * self.area.columns..][..self.area.columns],
        }
    }

    /// A row of arrival times.
    pub fn arrival(&self, row: usize) -> &[f32] {
        &self.arrival[row * self.area.columns..][..self.area.columns]
    }

    /// A row of bed heights [m].
    pub fn heights(&self, row: usize) -> &[f32] {
        &self.bed[self.row_start(row)..][..self.area.columns]
    }

    /// Its part of the ledger.
    pub fn ledger(&self) -> Ledger {
        let row = |row| self.grains(StateLayer::Water, row).iter().map(|&w| i64::from(w)).sum();
        let stored: i64 = (0..self.area.rows).map(|r| -> i64 { row(r) }).sum();
        Ledger { stored: i128::from(stored), ..self.ledger }
    }

    /// Rain, sources and inflow cells bring their water.
    pub fn force(&mut self, step: &Step) -> Result<(), TooDeep> {
        let mut brought = Ledger::default();
        let mut deepest = self.deepest;
        let mut add = |water: &mut i32, gain: u64| -> Result<i64, TooDeep> {
            let sum = i64::try_from(gain).ok().and_then(|gain| gain.checked_add(i64::from(*water)));
            let sum = sum.filter(|sum| *sum <= i64::from(MAX_WATER)).ok_or(TooDeep)?;
            *water = sum as i32;
            deepest = deepest.max(*water);
            Ok(gain as i64)
        };
        for ((account, footprint), &increment) in self.rates.iter().zip(&step.increments) {
            let mut total = 0i64;
            match footprint {
                TileFootprint::Everywhere | TileFootprint::Shares(_) => {
                    if Share::WHOLE.gains(increment) == 0 {
                        continue;
                    }
                    for row in 0..self.area.rows {
                        let start = (row + REACH) * self.stride + REACH;
                        let end = start + self.area.columns;
                        let water = &mut self.water[start..end];
                        let heights = &self.bed[start..end];
                        let before = total;
                        match footprint {
                            TileFootprint::Shares(shares) => {
                                let shares = &shares[row * self.area.columns..];
                                for ((water, height), share) in
                                    water.iter_mut().zip(heights).zip(shares)
                                {
                                    if inside(*height) {
                                        total += add(water, share.gains(increment))?;
                                    }
                                }
                            }
                            _ => {
                                let gain = Share::WHOLE.gains(increment);
                                for (water, height) in water.iter_mut().zip(heights) {
                                    if inside(*height) {
                                        total += add(water, gain)?;
                                    }
                                }
                            }
                        }
                        self.row_wet[row + REACH] |= total > before;
                    }
                }
                TileFootprint::Cells(cells) => {
                    for &(place, share) in cells {
                        let gain = add(&mut self.water[place], share.gains(increment))?;
                        self.row_wet[place / self.stride] |= gain > 0;
                        total += gain;
                    }
                }
            }
            match account {
                Account::Rain => brought.rain += i128::from(total),
                Account::Inflow => brought.inflow += i128::from(total),
            }
        }
        for &(place, level) in &self.top_up {
            let gain = (level - self.water[place]).max(0);
            self.water[place] += gain;
            deepest = deepest.max(self.water[place]);
            self.row_wet[place / self.stride] |= self.water[place] > 0;
            brought.inflow += i128::from(gain);
        }
        self.deepest = deepest;
        self.ledger += brought;
        Ok(())
    }

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
        let (stride, columns, sinks) = (self.stride, self.area.columns, &self.sinks);
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
                let observer = Observer {
                    first,
                    columns,
                    most,
                    arrival,
                    wet,
                    sinks,
                    threshold,
                    end: step.end,
                    deepest: 0,
                    lost: 0,
                };
                Scratch::with(stride, step.neighbourhood.neighbours(), |scratch| {
                    let job = BandJob { step, frame, rows, next, scratch, observer, leaving };
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

impl Exchange for TileState {
    fn water(&self) -> &[i32] {
        &self.water
    }
    fn stride(&self) -> usize {
        self.stride
    }
}

/// Hands every tile its part of the forcing.
pub fn distribute(forcing: &Forcing, plan: &TilePlan, tiles: &mut [TileState]) {
    let columns = plan.grid.0;
    let owner = |cell: usize| (cell % columns, cell / columns);
    for layer in &forcing.rates {
        for tile in tiles.iter_mut() {
            let area = tile.area;
            let footprint = match &layer.footprint {
                Footprint::Everywhere => TileFootprint::Everywhere,
                Footprint::Shares(shares) => {
                    let row = |row: usize| {
                        &shares[(area.row + row) * columns + area.column..][..area.columns]
                    };
                    let own = (0..area.rows).flat_map(|r| row(r).iter().copied()).collect();
                    TileFootprint::Shares(own)
                }
                Footprint::Cells(_) => TileFootprint::Cells(Vec::new()),
            };
            tile.rates.push((layer.account, footprint));
        }
        if let Footprint::Cells(cells) = &layer.footprint {
            for &(cell, share) in cells {
                let (column, row) = owner(cell);
                let tile = &mut tiles[plan.owner(column, row)];
                let place = tile.place(column, row);
                if inside(tile.bed[place])
                    && let Some((_, TileFootprint::Cells(cells))) = tile.rates.last_mut()
                {
                    cells.push((place, share));
                }
            }
        }
    }
    for &(cell, level) in &forcing.top_up {
        let (column, row) = owner(cell);
        let tile = &mut tiles[plan.owner(column, row)];
        let place = tile.place(column, row);
        if inside(tile.bed[place]) {
            tile.top_up.push((place, level));
        }
    }
    for &cell in &forcing.sinks {
        let (column, row) = owner(cell);
        let tile = &mut tiles[plan.owner(column, row)];
        tile.sinks.push((row - tile.area.row, column - tile.area.column));
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
    observer: Observer<'n>,
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
        let BandJob { step, frame, rows, next, scratch, mut observer, leaving } = self.job;
        let band =
            Band { rule: self.rule, rounding: &step.rounding, frame, rows, next, scratch, leaving };
        let (left, overflow) = band.flow::<V, K, CHECKED>(&mut observer);
        Done { deepest: observer.deepest, lost: observer.lost, left, overflow }
    }
}

/// Looks at each finished row: empties sinks, notes maxima and arrivals.
struct Observer<'a> {
    /// Frame row of the band's first row.
    first: usize,
    columns: usize,
    most: &'a mut [i32],
    arrival: &'a mut [f32],
    wet: &'a mut [bool],
    sinks: &'a [(usize, usize)],
    threshold: i32,
    end: f32,
    deepest: i32,
    lost: i64,
}

impl AfterRow for Observer<'_> {
    #[inline(always)]
    fn after_row<V: Real>(&mut self, frame_row: usize, water: &mut [i32], may_be_wet: bool) {
        let row = frame_row - self.first;
        self.wet[row] = false;
        if !may_be_wet {
            return;
        }
        self.empty_sinks(frame_row - REACH, water);
        let most = &mut self.most[row * self.columns..][..self.columns];
        let arrival = &mut self.arrival[row * self.columns..][..self.columns];
        let whole = self.columns - self.columns % V::LANES;
        let mut deepest = V::Whole::splat(0);
        let threshold = V::Whole::splat(self.threshold);
        let above = V::Whole::splat(self.threshold + 1);
        for at in (0..whole).step_by(V::LANES) {
            // SAFETY: `whole` is a multiple of the lanes and no more than the columns.
            unsafe {
                let now = V::Whole::load(water, at);
                let before = V::Whole::load(most, at);
                // Above the threshold now, and never before.
                if now.min(above).any_greater(before.max(threshold)) {
                    let cells = at..at + V::LANES;
                    note_arrivals(
                        &water[cells.clone()],
                        &most[cells.clone()],
                        &mut arrival[cells],
                        self.threshold,
                        self.end,
                    );
                }
                before.max(now).store(most, at);
                deepest = deepest.max(now);
            }
        }
        let rest = whole..self.columns;
        note_arrivals(
            &water[rest.clone()],
            &most[rest.clone()],
            &mut arrival[rest.clone()],
            self.threshold,
            self.end,
        );
        let mut lanes = [0; PADDING];
        // SAFETY: there are fewer lanes than PADDING.
        unsafe { deepest.store(&mut lanes, 0) };
        let mut deepest = lanes.into_iter().max().unwrap_or(0);
        for (most, &now) in most[rest.clone()].iter_mut().zip(&water[rest]) {
            *most = now.max(*most);
            deepest = deepest.max(now);
        }
        self.wet[row] = deepest > 0;
        self.deepest = self.deepest.max(deepest);
    }
}

impl Observer<'_> {
    /// Empties the sinks of a row of the tile.
    #[inline(never)]
    fn empty_sinks(&mut self, row: usize, water: &mut [i32]) {
        let first = self.sinks.partition_point(|&(sink, _)| sink < row);
        for &(_, column) in self.sinks[first..].iter().take_while(|&&(sink, _)| sink == row) {
            self.lost += i64::from(water[column]);
            water[column] = 0;
        }
    }
}

/// Sets the arrival time of cells that exceed the threshold for the first time.
#[inline(never)]
fn note_arrivals(now: &[i32], most: &[i32], arrival: &mut [f32], threshold: i32, end: f32) {
    for ((now, most), arrival) in now.iter().zip(most).zip(arrival) {
        if *now > threshold && *most <= threshold {
            *arrival = end;
        }
    }
}
