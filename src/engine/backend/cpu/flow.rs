//! The two halves of a step's flow: the mass update and, under a solver with momentum, the velocity
//! update.

use super::after_flow_cells::AfterFlowCells;
use super::edge_rows::{BandDone, EdgeWindow};
use super::field_borrows::FieldBorrows;
use super::frame::CpuFrame;
use super::jobs::{CellState, Next, StepTerms};
use super::shared::Shared;
use super::shares::{Job, Shares};
use super::tiles::{Tile, TilesInStep};
use super::worker::CpuWorker;
use crate::backend::worker::Totals;
use crate::field::Field;
use crate::forcing::sites::StepContext;
use crate::grains::{Rounding, SHALLOW_WATER};
use crate::run_diagnostics;
use crate::solver::edge::{Axis, EdgeField};
use crate::tiling::rect::Rect;

/// Flow of a frame in a step, and its results.
pub struct Flow<'a> {
    pub terms: StepTerms<'a>,
    /// Tiles that are active in this step.
    active: Vec<usize>,
    /// Cells whose velocities are updated, and the larger rectangle of cells whose water must have
    /// moved for that.
    computed: Rect,
    wide: Rect,
    shares: Shares,
    /// Sites that act after the flow.
    pub after: Vec<AfterFlowCells>,
    /// Set if water got too deep in own cells.
    pub overflow: bool,
    /// CFL rate: 1 / the longest step that the flow allows (s⁻¹).
    pub cfl_rate: f32,
}

impl<'a> Flow<'a> {
    /// Prepares the flow of a step that computes the cells `computed` (columns and rows of the
    /// frame).
    pub fn of(
        worker: &CpuWorker,
        frame: &mut CpuFrame,
        subdomain: usize,
        computed: Rect,
        now: StepContext<'a>,
    ) -> Flow<'a> {
        let step = now.step;
        let active = worker.active(frame);
        let wide = match worker.solver.has_momentum() {
            true => computed.grown(1).within(worker.with_ghosts(frame)),
            false => computed,
        };
        let wet = active.iter().map(|&tile| frame.tiles.wet_cells(tile)).sum();
        let shares = Shares::new(wet, rayon::current_num_threads());
        let deepest = frame.tiles.each.iter().map(|tile| tile.deepest).max().unwrap_or(0);
        let terms = StepTerms {
            solver: worker.solver,
            neighbourhood: worker.neighbourhood,
            grain: worker.grain,
            axes: Axis::both(step.dt, worker.inverse, worker.grain),
            rounding: Rounding::new(worker.grain, worker.neighbourhood.neighbours(), step.number),
            checked: deepest >= SHALLOW_WATER,
            now,
            threshold: worker.threshold,
            instructions: worker.options.instructions,
            skip_dry_rows: worker.options.activity,
            maxima: worker.totals[subdomain].maxima,
            evaluates_flow: run_diagnostics::evaluates_flow(step.number),
        };
        let after = AfterFlowCells::of(frame);
        Flow { terms, active, computed, wide, shares, after, overflow: false, cfl_rate: 0.0 }
    }

    fn jobs(&self, tiles: &[Tile], cells: Rect) -> Vec<Job> {
        Job::all(tiles, &self.active, cells, self.shares)
    }

    /// Merges the result of a job; it counts towards the totals if its tiles are the subdomain's
    /// own.
    fn take_up(&mut self, done: BandDone, tiles: &mut [Tile], totals: &mut Totals) {
        tiles.iter_mut().for_each(|tile| tile.moving |= done.moving);
        self.cfl_rate = self.cfl_rate.max(done.cfl_rate);
        if tiles[0].own {
            totals.crossed += done.crossed;
            totals.maxima = totals.maxima.with(done.maxima);
            self.overflow |= done.overflow;
        }
    }
}

impl CpuWorker {
    /// Moves the water, applies sites to the finished rows, and records maxima and arrivals.
    pub(super) fn flow(&mut self, frame: &mut CpuFrame, subdomain: usize, flow: &mut Flow) {
        let momentum = self.solver.has_momentum();
        // With tables, the velocity update has already computed the discharges.
        let stores_discharge = momentum && frame.has_tables();
        let jobs = flow.jobs(&frame.tiles.each, flow.wide);
        let (terms, at) = (&flow.terms, self.place(frame));
        let done = {
            let CpuFrame { planes, intakes, tiles, .. } = frame;
            let TilesInStep { each, wet, next_wet, quiet, columns } = tiles.in_step();
            let mut fields = FieldBorrows::of(planes);
            let over = |edge: EdgeField| move |axis| Field::edge(edge, axis);
            // Under a solver with momentum, water moves with the old velocities, which are updated
            // afterwards.
            let velocity = over(EdgeField::Velocity);
            let next = Next {
                water: fields.write(Field::Water).expect("there is water"),
                discharge: (!stores_discharge)
                    .then(|| fields.write_both(over(EdgeField::Discharge)))
                    .flatten(),
                velocity: if momentum { None } else { fields.write_both(velocity) },
                most: fields.write(Field::MaxDepth).expect("maxima are recorded"),
                arrival: fields.write(Field::Arrival).expect("arrivals are recorded"),
                wet: Shared::new(next_wet),
                quiet: Shared::new(quiet),
            };
            let now = at.with(fields, (wet, columns), intakes);
            // SAFETY: tiles do not overlap. Jobs are parts of tiles and do not overlap either, so
            // no two threads write the same cell.
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
            }
            flow.take_up(done.band, tiles, totals);
            if tiles[0].own {
                totals.book(&done.tally);
                self.port_volumes.add_all(&done.tally.port_volumes);
            }
        }
    }

    /// Updates the velocities of a solver with momentum.
    pub(super) fn update_momentum(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        flow: &mut Flow,
    ) {
        if !self.solver.has_momentum() {
            return;
        }
        let jobs = flow.jobs(&frame.tiles.each, flow.computed);
        let (terms, at) = (&flow.terms, self.place(frame));
        let has_tables = frame.has_tables();
        let done = {
            let CpuFrame { planes, intakes, tiles, .. } = frame;
            let TilesInStep { each, wet, quiet, columns, .. } = tiles.in_step();
            let mut fields = FieldBorrows::of(planes);
            let velocities = fields.write_both(|axis| Field::edge(EdgeField::Velocity, axis));
            let next = velocities.expect("a solver with momentum has velocities");
            let discharges = |axis| Field::edge(EdgeField::Discharge, axis);
            let discharge = has_tables.then(|| fields.write_both(discharges)).flatten();
            let now = at.with(fields, (wet, columns), intakes);
            let quiet = Shared::new(quiet);
            // SAFETY: tiles do not overlap. Jobs are parts of tiles and do not overlap either, so
            // no two threads write the same cell.
            let one = |job: &Job| unsafe {
                job.update_momentum(terms, each, &now, next, discharge, quiet)
            };
            Job::each(&jobs, flow.shares, one)
        };
        frame.swap(|field| field.row().place != crate::field::FieldLocation::Cell);
        let tiles = &mut frame.tiles.each;
        let tiles_done = jobs.iter().flat_map(|job| job.tiles.clone());
        tiles_done.for_each(|tile| tiles[tile].moving = false);
        let totals = &mut self.totals[subdomain];
        flow.cfl_rate = 0.0;
        for (job, done) in jobs.iter().zip(&done) {
            flow.take_up(*done, &mut tiles[job.tiles.clone()], totals);
        }
    }

    /// Returns the layout of a frame's cells.
    fn place(&self, frame: &CpuFrame) -> FrameLayout {
        FrameLayout {
            uniform: self.uniform,
            fall: self.fall,
            rows: frame.tiles.frame_rows(),
            stride: frame.stride(),
            lead: frame.lead,
            grid: frame.on_grid(self.grid),
        }
    }
}

/// Layout of a frame's cells, Manning's n if it is uniform (s/m^⅓), and the `fall` of
/// [`EdgeTables`](crate::subgrid::lookup::EdgeTables).
struct FrameLayout {
    uniform: f32,
    fall: f32,
    rows: usize,
    stride: usize,
    lead: usize,
    grid: Rect,
}

impl FrameLayout {
    /// Combines the layout with the read-only fields, the flags of wet rows, the first columns of
    /// the columns of tiles, and the intakes.
    fn with<'a>(
        self,
        mut fields: FieldBorrows<'a>,
        (wet, columns): (&'a [bool], &'a [usize]),
        intakes: &'a [usize],
    ) -> CellState<'a> {
        let FrameLayout { uniform, fall, rows, stride, lead, grid } = self;
        let mut over = |edge| fields.read_both(|axis| Field::edge(edge, axis));
        let (discharge, velocity) = (over(EdgeField::Discharge), over(EdgeField::Velocity));
        let roughness = match fields.read(Field::Roughness) {
            [] => Err(uniform),
            cells => Ok(cells),
        };
        let edges = EdgeWindow {
            roughness,
            discharge,
            velocity,
            structure: fields.read_both(Field::structure),
            tables: [0, 1].map(|axis| fields.edge_tables(axis, fall)),
            level: fields.read(Field::Level),
            rises: fields.read(Field::LevelPerDepth),
        };
        let (bed, water) = (fields.read(Field::Bed), fields.read(Field::Water));
        CellState { bed, water, edges, wet, columns, rows, stride, lead, intakes, grid }
    }
}
