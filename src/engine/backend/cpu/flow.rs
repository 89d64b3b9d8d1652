//! The two halves of a step in which water flows: it moves, and under a rule with momentum velocities are updated.

use super::after_flow_cells::AfterFlowCells;
use super::frame::{CpuFrame, Plane};
use super::jobs::{Next, Sight, StepTerms};
use super::shared::Shared;
use super::shares::{Job, Shares};
use super::tiles::{Tile, TilesInStep};
use super::worker::CpuWorker;
use crate::extremes;
use crate::field::{Field, words, words_mut};
use crate::forcing::sites::InStep;
use crate::forcing::step::Step;
use crate::grains::{Rounding, SHALLOW_WATER};
use crate::rule::edge::Axis;
use crate::tiling::rect::Rect;

/// How water flows in a step of a frame, and what comes of it.
pub struct Flow<'a> {
    pub terms: StepTerms<'a>,
    /// The tiles that something may happen in.
    active: Vec<usize>,
    /// Cells whose velocities are updated, and, half a step further, whose water must have moved: those look at it.
    computed: Rect,
    wide: Rect,
    shares: Shares,
    /// Sites that act when it has flowed.
    pub after: Vec<AfterFlowCells>,
    /// Whether water got too deep in own cells.
    pub overflow: bool,
    /// 1 / the longest step that the flow allows (s⁻¹).
    pub cfl_rate: f32,
}

impl<'a> Flow<'a> {
    /// How it will flow where some cells are computed (columns and rows of the frame).
    pub fn of(
        worker: &CpuWorker,
        frame: &mut CpuFrame,
        subdomain: usize,
        computed: Rect,
        step: &'a Step,
    ) -> Flow<'a> {
        let active = worker.active(frame);
        let wide = match worker.rule.has_momentum() {
            true => computed.grown(1).within(worker.with_ghosts(frame)),
            false => computed,
        };
        let wet = active.iter().map(|&tile| frame.tiles.wet_cells(tile)).sum();
        let shares = Shares::new(wet, rayon::current_num_threads());
        let deepest = frame.tiles.each.iter().map(|tile| tile.deepest).max().unwrap_or(0);
        let terms = StepTerms {
            rule: worker.rule,
            neighbourhood: worker.neighbourhood,
            grain: worker.grain,
            axes: Axis::both(step.dt, worker.inverse, worker.grain),
            rounding: Rounding::new(worker.grain, worker.neighbourhood.neighbours(), step.number),
            checked: deepest >= SHALLOW_WATER,
            now: InStep::of(step, worker.grain),
            threshold: worker.threshold,
            instructions: worker.options.instructions,
            skip_dry_rows: worker.options.activity,
            maxima: worker.totals[subdomain].maxima,
            looks: extremes::looks(step.number),
        };
        let after = AfterFlowCells::of(frame);
        Flow { terms, active, computed, wide, shares, after, overflow: false, cfl_rate: 0.0 }
    }

    fn jobs(&self, tiles: &[Tile], cells: Rect) -> Vec<Job> {
        Job::all(tiles, &self.active, cells, self.shares)
    }
}

impl CpuWorker {
    /// Water moves, sites act on the rows that it has moved in, maxima and arrivals are recorded.
    pub(super) fn flow(&mut self, frame: &mut CpuFrame, subdomain: usize, flow: &mut Flow) {
        let momentum = self.rule.has_momentum();
        let jobs = flow.jobs(&frame.tiles.each, flow.wide);
        let (terms, at) = (&flow.terms, self.place(frame));
        let done = {
            let CpuFrame { planes, tiles, .. } = frame;
            let TilesInStep { each, wet, next_wet, quiet, columns } = tiles.in_step();
            // Velocities are what water moves with, and are updated when it has.
            let moves = |field| match field {
                Field::VelocityEast | Field::VelocitySouth => !momentum,
                Field::Bed | Field::Roughness => false,
                _ => true,
            };
            let Arrays { now, to } = Arrays::of(planes, moves, at);
            let now = Sight { wet, columns, ..now };
            let next = Next {
                water: to.water.expect("there is water"),
                discharge: both(to.discharge),
                velocity: both(to.velocity),
                most: to.most.expect("maxima are recorded"),
                arrival: to.arrival.expect("arrivals are recorded"),
                wet: Shared::new(next_wet),
                quiet: Shared::new(quiet),
            };
            // SAFETY: tiles do not overlap, and jobs are parts of them that do not, either.
            let one = |job: &Job| unsafe { job.flow(terms, each, &now, &next) };
            Job::each(&jobs, flow.shares, one)
        };
        frame.tiles.swap();
        frame.swap(|field| !momentum || field == Field::Water);
        let tiles = &mut frame.tiles.each;
        for tile in jobs.iter().flat_map(|job| job.tiles.clone()) {
            (tiles[tile].deepest, tiles[tile].still[0]) = (0, false);
            if !momentum {
                tiles[tile].moving = false;
            }
        }
        let totals = &mut self.totals[subdomain];
        for (job, done) in jobs.iter().zip(&done) {
            let tiles = &mut tiles[job.tiles.clone()];
            for (tile, deepest) in tiles.iter_mut().zip(&done.deepest) {
                tile.deepest = tile.deepest.max(*deepest);
                tile.moving |= done.moving;
            }
            flow.cfl_rate = flow.cfl_rate.max(done.cfl_rate);
            if tiles[0].own {
                totals.crossed += done.crossed;
                totals.maxima = totals.maxima.with(done.maxima);
                totals.book(&done.tally);
                self.booked.add_all(&done.tally.booked);
                flow.overflow |= done.overflow;
            }
        }
    }

    /// The velocities of a rule with momentum are updated.
    pub(super) fn update_momentum(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        flow: &mut Flow,
    ) {
        if !self.rule.has_momentum() {
            return;
        }
        let jobs = flow.jobs(&frame.tiles.each, flow.computed);
        let (terms, at) = (&flow.terms, self.place(frame));
        let velocities = |field| matches!(field, Field::VelocityEast | Field::VelocitySouth);
        let done = {
            let CpuFrame { planes, tiles, .. } = frame;
            let TilesInStep { each, wet, quiet, columns, .. } = tiles.in_step();
            let Arrays { now, to } = Arrays::of(planes, velocities, at);
            let now = Sight { wet, columns, ..now };
            let next = both(to.velocity).expect("a rule with momentum has velocities");
            let quiet = Shared::new(quiet);
            // SAFETY: tiles do not overlap, and jobs are parts of them that do not, either.
            let one = |job: &Job| unsafe { job.update_momentum(terms, each, &now, (next, quiet)) };
            Job::each(&jobs, flow.shares, one)
        };
        frame.swap(velocities);
        let tiles = &mut frame.tiles.each;
        let tiles_done = jobs.iter().flat_map(|job| job.tiles.clone());
        tiles_done.for_each(|tile| tiles[tile].moving = false);
        let totals = &mut self.totals[subdomain];
        flow.cfl_rate = 0.0;
        for (job, done) in jobs.iter().zip(&done) {
            let tiles = &mut tiles[job.tiles.clone()];
            tiles.iter_mut().for_each(|tile| tile.moving |= done.moving);
            flow.cfl_rate = flow.cfl_rate.max(done.cfl_rate);
            if tiles[0].own {
                totals.crossed += done.crossed;
                totals.maxima = totals.maxima.with(done.maxima);
            }
        }
    }

    /// Where a frame's cells lie: what is seen but for its arrays.
    fn place(&self, frame: &CpuFrame) -> Sight<'static> {
        Sight {
            bed: &[],
            water: &[],
            roughness: Err(self.uniform),
            discharge: [&[]; 2],
            velocity: [&[]; 2],
            wet: &[],
            columns: &[],
            rows: frame.tiles.frame_rows(),
            stride: frame.stride(),
            lead: frame.lead,
            grid: frame.on_grid(self.grid),
        }
    }
}

/// The arrays of a frame as half a step reads and writes them.
struct Arrays<'a> {
    now: Sight<'a>,
    to: To<'a>,
}

/// Those that it writes.
#[derive(Default)]
struct To<'a> {
    water: Option<Shared<'a, i32>>,
    discharge: [Option<Shared<'a, f32>>; 2],
    velocity: [Option<Shared<'a, f32>>; 2],
    most: Option<Shared<'a, i32>>,
    arrival: Option<Shared<'a, f32>>,
}

impl<'a> Arrays<'a> {
    /// Those of a frame whose cells lie where `now` says, if some fields are written.
    fn of(planes: &'a mut [Plane], writes: impl Fn(Field) -> bool, now: Sight<'a>) -> Arrays<'a> {
        let (mut now, mut to) = (now, To::default());
        for Plane { field, now: cells, next, .. } in planes {
            // What has no second array is written where it is, and not read meanwhile.
            let (from, into): (&'a [u32], Option<&'a mut [u32]>) = match writes(*field) {
                false => (cells, None),
                true if next.is_empty() => (&[], Some(cells)),
                true => (cells, Some(next)),
            };
            match field {
                Field::Bed => now.bed = words(from),
                Field::Roughness => now.roughness = Ok(words(from)),
                Field::Water => {
                    now.water = words(from);
                    to.water = into.map(|into| Shared::new(words_mut(into)));
                }
                Field::Most => to.most = into.map(|into| Shared::new(words_mut(into))),
                Field::Arrival => to.arrival = into.map(|into| Shared::new(words_mut(into))),
                Field::DischargeEast | Field::DischargeSouth => {
                    let axis = usize::from(*field == Field::DischargeSouth);
                    now.discharge[axis] = words(from);
                    to.discharge[axis] = into.map(|into| Shared::new(words_mut(into)));
                }
                Field::VelocityEast | Field::VelocitySouth => {
                    let axis = usize::from(*field == Field::VelocitySouth);
                    now.velocity[axis] = words(from);
                    to.velocity[axis] = into.map(|into| Shared::new(words_mut(into)));
                }
                _ => {}
            }
        }
        Arrays { now, to }
    }
}

/// Both axes, if there are any.
fn both<T>([east, south]: [Option<T>; 2]) -> Option<[T; 2]> {
    Some([east?, south?])
}
