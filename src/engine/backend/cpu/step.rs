//! Sequence of a step on the CPU.

use super::TooDeep;
use super::diagnostics::TrackBuffers;
use super::field_borrows::FieldBorrows;
use super::flow::Flow;
use super::frame::CpuFrame;
use super::rain::{Basin, Rate};
use super::shared::Shared;
use super::tiles::Tile;
use super::worker::CpuWorker;
use crate::cell_diagnostics::{self, StateTime};
use crate::field::Field;
use crate::forcing::sites::{StepContext, Tally};
use crate::forcing::step::Step;
use crate::forcing::structures::{FaceState, Structure};
use crate::lanes::{Real, Whole};
use crate::run_diagnostics::Maxima;
use crate::solver::edge::{Axis, EdgeField};
use crate::step::{STAGES, Stage, asks_levels};
use crate::subgrid::layout::{self, cell};
use crate::subgrid::lookup::EdgeTables;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, on_padded_grid};
use rayon::prelude::*;

/// Number of sites that one thread handles alone.
const FEW_SITES: usize = 4096;

impl CpuFrame {
    /// Returns the frame's cells on the grid of (columns, rows).
    pub(super) fn on_grid(&self, grid: (usize, usize)) -> Rect {
        let all = Rect { column: MARGIN, row: MARGIN, columns: grid.0, rows: grid.1 };
        self.within(self.subdomain.extent.within(all))
    }
}

impl CpuWorker {
    /// Takes a step of a frame that computes some of its cells (columns and rows of the frame).
    /// Returns the CFL rate (s⁻¹).
    pub(super) fn step(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        computed: Rect,
        step: &Step,
    ) -> Result<f32, TooDeep> {
        let mut flow = None;
        let tables = self.tables.clone();
        let within = StepContext { tables: &tables, ..StepContext::of(step, self.grain) };
        for stage in STAGES {
            match stage {
                Stage::Links => self.link(frame, subdomain, step),
                Stage::Record => {
                    let now = StateTime::new(step.start, step.end, self.grain.metres());
                    self.record_state(frame, subdomain, now);
                }
                Stage::Rain => self.rain(frame, subdomain, step)?,
                Stage::Sites => self.sites_before_flow(frame, subdomain, &within)?,
                Stage::Losses => self.take_losses(frame, subdomain, step),
                Stage::Levels => {
                    let structures = !self.forcing[subdomain].structures.is_empty();
                    if asks_levels(flow.is_some(), self.solver.has_momentum(), structures) {
                        self.find_levels(frame);
                    }
                }
                Stage::Structures => self.over_structures(frame, subdomain, &within),
                Stage::Flow => {
                    let new = Flow::of(self, frame, subdomain, computed, within);
                    self.flow(frame, subdomain, flow.insert(new));
                }
                Stage::AfterFlow => {
                    self.sites_after_flow(frame, subdomain, flow.as_ref().expect("it has"))?
                }
                Stage::Momentum => {
                    self.update_momentum(frame, subdomain, flow.as_mut().expect("it has"))
                }
            }
        }
        Ok(flow.map_or(0.0, |flow| flow.cfl_rate))
    }

    /// Moves water through the links that the frame holds.
    fn link(&mut self, frame: &mut CpuFrame, subdomain: usize, step: &Step) {
        let columns = self.grid.0;
        let change = |cell, by| frame.add_water(on_padded_grid(cell, columns), by);
        self.links[subdomain].step(step.dt, change);
    }

    /// Records the state for the run's cell diagnostics and gauges.
    pub(super) fn record_state(&mut self, frame: &mut CpuFrame, subdomain: usize, now: StateTime) {
        self.record_gauges(frame, subdomain, now);
        if self.cell_diagnostics.is_empty() {
            return;
        }
        let (rows, stride, lead) = (frame.tiles.frame_rows(), frame.stride(), frame.lead);
        let CpuFrame { planes, tiles, .. } = frame;
        let mut fields = FieldBorrows::of(planes);
        let (_, count) = cell_diagnostics::first_planes(&self.cell_diagnostics);
        let planes: Vec<Shared<u32>> =
            (0..count).filter_map(|number| fields.write(Field::Diagnostic(number))).collect();
        let flows = EdgeField::ALL.map(|edge| fields.read_both(|axis| Field::edge(edge, axis)));
        let (each, wet) = tiles.wet_rows();
        let all = TrackBuffers {
            cell_diagnostics: &self.cell_diagnostics,
            now,
            water: fields.read(Field::Water),
            flows,
            tables: fields.cell_tables(),
            planes: &planes,
            wet,
            rows,
            stride,
            lead,
            maxima: self.totals[subdomain].maxima,
            instructions: self.options.instructions,
        };
        let wet = each.par_iter().filter(|tile| tile.is_wet());
        let found = wet.map(|tile| (tile.own, tile.record(&all)));
        let own = found.filter(|(own, _)| *own).map(|(_, maxima)| maxima);
        let greatest = own.reduce(Maxima::default, Maxima::with);
        self.totals[subdomain].maxima = self.totals[subdomain].maxima.with(greatest);
    }

    /// Returns the tiles, and the arrays that sources and losses change.
    pub(super) fn basin<'a>(&self, frame: &'a mut CpuFrame) -> (&'a mut [Tile], Basin<'a>) {
        let (rows, stride, lead) = (frame.tiles.frame_rows(), frame.stride(), frame.lead);
        let corner = (frame.subdomain.extent.column, frame.subdomain.extent.row);
        let has_tables = frame.has_tables();
        let CpuFrame { planes, tiles, flags, padded_columns, .. } = frame;
        let mut fields = FieldBorrows::of(planes);
        let (each, wet) = tiles.wet_rows();
        let basin = Basin {
            water: fields.write_now(Field::Water).expect("there is water"),
            rained: fields.write(Field::Rained),
            soaked: fields.write(Field::Soaked),
            excess: fields.write(Field::Excess),
            kinds: Some(fields.read(Field::Ground)).filter(|kinds| !kinds.is_empty()),
            site_state: fields.write(Field::SiteState),
            velocity: self.solver.has_momentum().then(|| {
                let velocity = |axis| fields.write_now(Field::edge(EdgeField::Velocity, axis));
                [0, 1].map(velocity).map(|plane| plane.expect("a solver with momentum has it"))
            }),
            discharge: fields.read_both(|axis| Field::edge(EdgeField::Discharge, axis)),
            wet: Shared::new(wet),
            bed: fields.read(Field::Bed),
            tables: fields.cell_tables(),
            edges: match has_tables {
                true => [0, 1].map(|axis| fields.edge_tables(axis, self.fall)),
                false => Default::default(),
            },
            rows,
            stride,
            lead,
            flags,
            padded_columns: *padded_columns,
            corner,
            grid: (self.grid.0, MARGIN),
            grain: self.grain,
            instructions: self.options.instructions,
        };
        (each, basin)
    }

    /// Applies rain and other sources over more than single cells.
    fn rain(&mut self, frame: &mut CpuFrame, subdomain: usize, step: &Step) -> Result<(), TooDeep> {
        let brings = |rate: &&Rate| {
            let increment = step.increments[rate.layer];
            increment.after != increment.before
        };
        if !self.rates.iter().any(|rate| brings(&rate)) {
            return Ok(());
        }
        let (tiles, basin) = self.basin(frame);
        let rates = &self.rates;
        let one = |tile: &mut Tile| counted(tile.own, tile.rain(step, rates, basin));
        let came = tiles.par_iter_mut().map(one).collect::<Result<Vec<Tally>, TooDeep>>()?;
        came.iter().for_each(|came| self.took(subdomain, came));
        Ok(())
    }

    /// Applies the sites that act before the flow.
    fn sites_before_flow(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        now: &StepContext,
    ) -> Result<(), TooDeep> {
        let (tiles, basin) = self.basin(frame);
        let mut some: Vec<&mut Tile> = tiles.iter_mut().collect();
        some.retain(|tile| !tile.sites.before_flow.is_empty());
        let sites: usize = some.iter().map(|tile| tile.sites.before_flow.len()).sum();
        let one = |tile: &mut Tile| counted(tile.own, tile.act(now, None, basin));
        // A few are done sooner than other threads wake up.
        let came: Result<Vec<Tally>, TooDeep> = match sites > FEW_SITES {
            true => some.into_par_iter().map(one).collect(),
            false => some.into_iter().map(one).collect(),
        };
        let came = came?;
        came.iter().for_each(|came| self.took(subdomain, came));
        Ok(())
    }

    /// Books what a tile's own cells were given and lost.
    pub(super) fn took(&mut self, subdomain: usize, tally: &Tally) {
        self.totals[subdomain].book(tally);
        self.port_volumes.add_all(&tally.port_volumes);
    }

    /// Applies the losses to ground, sewers and air.
    fn take_losses(&mut self, frame: &mut CpuFrame, subdomain: usize, step: &Step) {
        let Some(losses) = &self.losses else { return };
        let (tiles, basin) = self.basin(frame);
        let wet = tiles.par_iter().filter(|tile| tile.is_wet());
        let taken: Vec<_> =
            wet.map(|tile| (tile.own, tile.take_losses(step, losses, basin))).collect();
        let own = taken.into_iter().filter(|(own, _)| *own);
        own.for_each(|(_, taken)| self.totals[subdomain].taken += taken);
    }

    /// Computes the fluxes across edges with structures.
    fn over_structures(&self, frame: &mut CpuFrame, subdomain: usize, now: &StepContext) {
        let axes = Axis::both(now.step.dt, self.inverse, self.grain);
        for at in &self.forcing[subdomain].structures {
            let axis = at.structure.axis;
            let (column, row) = (at.column as usize, at.row as usize);
            let cells = [(column, row), (column + 1 - axis, row + axis)];
            let cells = cells.map(|(column, row)| frame.place(column, row));
            let [water, bed] = [Field::Water, Field::Bed]
                .map(|field| cells.map(|cell| frame.of::<i32>(field)[cell]));
            let since = at.watched.map_or(0.0, |cells| {
                let place = |(column, row)| frame.place(column as usize, row as usize);
                let states = frame.of::<u32>(Field::SiteState);
                Structure::since(cells.map(|cell| states[place(cell)]), now)
            });
            let flow = self.solver.remembers();
            let flow =
                flow.map(|field| (field, frame.of::<f32>(Field::edge(field, axis))[cells[0]]));
            let line = flow.map_or([0.0; 2], |(field, _)| {
                let values = frame.of::<f32>(Field::edge(field, axis));
                let behind = match [column, row][axis] {
                    0 => 0.0,
                    _ => values[2 * cells[0] - cells[1]],
                };
                [behind, values[cells[1]]]
            });
            let stores_discharge = self.solver.has_momentum() && frame.has_tables();
            let flows = Field::edge(EdgeField::Discharge, axis);
            // Water moves with the discharges computed earlier.
            let depth = flow.filter(|(_, velocity)| stores_discharge && *velocity != 0.0);
            let depth = depth.map(|(_, velocity)| {
                let discharge = frame.of::<f32>(flows)[cells[0]];
                (discharge / velocity).abs()
            });
            let depth = depth.filter(|depth| *depth > 0.0);
            let known = FaceState { since, flow, depth, line };
            let limit = match frame.find::<i32>(Field::Level) {
                None => at.structure.limit(at.crest, water, bed, known, axes[axis], now),
                Some(level) => {
                    let levels = cells.map(|cell| level[cell]);
                    let depth =
                        depth.or_else(|| self.section_depth(frame, axis, cells, levels, water));
                    let known = FaceState { depth, ..known };
                    at.structure.limit_of_levels(at.crest, water, levels, known, axes[axis], now)
                }
            };
            let to = frame.find_mut::<f32>(Field::structure(axis)).expect("a field of the frame");
            to[cells[0]] = limit;
            if limit != 0.0 && stores_discharge {
                let to = frame.find_mut::<f32>(flows).expect("a solver with momentum has it");
                let speed = flow.map_or(0.0, |(_, velocity)| velocity.abs());
                let most = limit.max(0.0);
                if speed > most {
                    to[cells[0]] *= most / speed;
                }
            }
        }
    }

    /// Returns the depth of the section (m) of the edge with tables between two cells; `None` where
    /// the level is below the sill.
    fn section_depth(
        &self,
        frame: &CpuFrame,
        axis: usize,
        cells: [usize; 2],
        levels: [i32; 2],
        water: [i32; 2],
    ) -> Option<f32> {
        let plane = |word: usize| frame.of::<i32>(Field::Table(word));
        let first = layout::first_of(axis);
        let tables = EdgeTables {
            planes: std::array::from_fn(|word| plane(first + word)),
            cells: plane(cell::FULL),
            fall: self.fall,
        };
        let [at, _] = cells;
        let donor = usize::from(levels[0] < levels[1]);
        let depth = water[donor].max(0) as f32 * self.grain.metres();
        // SAFETY: planes of tables have all cells of the frame.
        let section = unsafe {
            let donor = tables.over_open_pixels::<f32>(cells[donor], depth);
            let [here, there] =
                levels.map(|level| tables.over_sill::<f32>(at, Whole::splat(level)));
            let (highest, lowest) = (here.higher(there), here.lower(there));
            tables.section(at, [tables.surface(highest, lowest), lowest], donor)
        };
        (section.depth > 0.0).then_some(section.depth)
    }

    /// Returns the active tiles. Tiles that are dry, without a wet tile nearby, are skipped: all
    /// their flow fields are 0.
    pub(super) fn active(&self, frame: &mut CpuFrame) -> Vec<usize> {
        let tiles = &frame.tiles.each;
        let awake = |tile: &Tile| {
            let near = || tile.near.iter().any(|&other| tiles[other].is_wet());
            !self.options.activity || tile.is_wet() || tile.moving || near()
        };
        let active: Vec<bool> = tiles.iter().map(awake).collect();
        let rests = active.iter().zip(tiles).enumerate();
        let rests = rests.filter(|(_, (active, tile))| !**active && tile.still != [true; 2]);
        let rests: Vec<usize> = rests.map(|(number, _)| number).collect();
        for tile in rests {
            frame.wipe(tile);
        }
        (0..active.len()).filter(|&tile| active[tile]).collect()
    }
}

/// Returns a tile's result if its cells are the subdomain's own, else an empty one.
fn counted(own: bool, found: Result<Tally, TooDeep>) -> Result<Tally, TooDeep> {
    if own { found } else { Ok(Tally::default()) }
}
