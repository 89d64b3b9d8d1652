//! CPU worker: frames in host memory, stepped by tiles and bands of rows on all threads.

use super::CpuOptions;
use super::frame::CpuFrame;
use super::loss_rows::LossTable;
use super::rain::{RainArea, Rate};
use super::tiles::{Tile, Tiles, TilesInStep};
use crate::backend::Problem;
use crate::backend::padded_grid::PaddedGrid;
use crate::backend::setup::Setup;
use crate::backend::worker::{
    Frames, HaloExchange, Rollback, StepFindings, StepSampling, SubdomainForcing, Totals, Worker,
};
use crate::cell_diagnostics::{CellDiagnostic, StateTime};
use crate::crossed_sides::CrossedSides;
use crate::error::Result;
use crate::field::{Field, FieldRole, words};
use crate::forcing::link::{LinkState, Links};
use crate::forcing::ports::{BoundaryVolumes, Port};
use crate::forcing::step::Step;
use crate::forcing::{Account, Footprint};
use crate::gauged::{GaugeState, Gauges};
use crate::grains::Grain;
use crate::neighbourhood::Neighbourhood;
use crate::solver::AnySolver;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, Subdomain, SubdomainPlan, on_padded_grid, with_ghosts};
use rayon::prelude::*;
use std::sync::Arc;

/// The CPU, on rayon's current thread pool.
pub struct CpuWorker {
    pub(super) solver: AnySolver,
    pub(super) neighbourhood: Neighbourhood,
    pub(super) grain: Grain,
    /// 1 / the distance of cells along and across the rows (m⁻¹).
    pub(super) inverse: [f32; 2],
    /// Manning's n if it is uniform (s/m^⅓).
    pub(super) uniform: f32,
    /// See [`EdgeTables`](crate::subgrid::lookup::EdgeTables); 0 without tables.
    pub(super) fall: f32,
    /// Depth above which water counts as arrived (grains).
    pub(super) threshold: i32,
    /// Columns and rows of the grid.
    pub(super) grid: (usize, usize),
    pub(super) options: CpuOptions,
    pub(super) subdomains: Vec<Subdomain>,
    /// Per subdomain: sites and structures.
    pub(super) forcing: Vec<SubdomainForcing>,
    pub(super) rates: Vec<Rate>,
    /// Lookup tables of laws.
    pub(super) tables: Arc<Vec<f32>>,
    pub(super) losses: Option<LossTable>,
    pub(super) cell_diagnostics: Vec<CellDiagnostic>,
    /// Per subdomain: the links that it steps.
    pub(super) links: Vec<Links>,
    pub(super) gauges: Gauges,
    /// Fields of the problem, with their roles, and whether they have two buffers.
    planes: Vec<(Field, FieldRole, bool)>,
    /// Ports of cells marked by a flag, by index on the padded grid.
    ports: Vec<(usize, Port)>,
    /// Rows and columns on the padded grid of the cells through which water leaves, ascending.
    intakes: Vec<(usize, usize)>,
    pub(super) totals: Vec<Totals>,
    pub(super) port_volumes: BoundaryVolumes,
    found: Vec<StepFindings>,
    /// Saved totals for a rollback.
    saved: (Vec<Totals>, BoundaryVolumes, Vec<GaugeState>, Vec<Vec<LinkState>>),
}

impl CpuWorker {
    /// Creates a worker for a problem that was laid out for a plan. Takes the parts of the problem
    /// that it keeps.
    pub fn new(
        problem: &mut Problem,
        setup: &Setup,
        plan: &SubdomainPlan,
        options: CpuOptions,
    ) -> CpuWorker {
        let plane = |field: Field| (field, field.role(problem), field.row().doubled.of(problem));
        let planes = problem.fields().into_iter().map(plane).collect();
        let rates = problem.forcing.rates.iter().zip(&setup.padded_grid.shares).enumerate();
        let rates = rates.filter_map(|(layer, (rate, shares))| {
            let fall = match &rate.footprint {
                _ if rate.account == Account::Evaporation => return None,
                Footprint::Everywhere => RainArea::Everywhere,
                Footprint::Shares(_) => RainArea::Shares(shares.clone()),
                Footprint::Zones(zoned) => RainArea::Zones(zoned.clone()),
                // Applied as sites.
                Footprint::Cells(_) => return None,
            };
            Some(Rate { layer, account: rate.account, fall })
        });
        let rates: Vec<Rate> = rates.collect();
        let losses = problem.losses.take().map(|losses| LossTable::new(&losses));
        let place = |cell| {
            let (column, row) = on_padded_grid(cell, problem.grid.columns);
            (row, column)
        };
        let mut intakes: Vec<_> = problem.forcing.intakes(problem.solver).map(place).collect();
        intakes.sort_unstable();
        intakes.dedup();
        CpuWorker {
            solver: problem.solver,
            neighbourhood: problem.neighbourhood,
            grain: problem.grain,
            inverse: problem.grid.inverse_cell(),
            uniform: problem.roughness.uniform(),
            fall: problem.fall_to_edge(),
            threshold: problem.arrival,
            grid: (problem.grid.columns, problem.grid.rows),
            options,
            subdomains: plan.subdomains.clone(),
            forcing: setup.forcing.clone(),
            rates,
            tables: Arc::new(problem.forcing.tables.clone()),
            losses,
            cell_diagnostics: std::mem::take(&mut problem.cell_diagnostics),
            links: setup.links.local.clone(),
            gauges: setup.gauges.clone(),
            planes,
            ports: setup.padded_grid.ports.clone(),
            intakes,
            totals: vec![Totals::default(); plan.subdomains.len()],
            port_volumes: BoundaryVolumes::default(),
            found: Vec::new(),
            saved: Default::default(),
        }
    }

    /// Divides a frame that holds a subdomain into tiles, and surveys them.
    fn cut_into_tiles(&self, frame: &mut CpuFrame, subdomain: usize) {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let grid = frame.on_grid(self.grid);
        let own = frame.within(own);
        let mut tiles = Tiles::new(extent.columns, extent.rows, own, grid, self.options.tile);
        let place = |column: usize, row: usize| {
            (extent.row + row) * frame.padded_columns + extent.column + column
        };
        let flags = |column: usize, row: usize| frame.flags[place(column, row)];
        let crossed = |column: usize, row: usize| {
            CrossedSides::of(&frame.flags, place(column, row), frame.padded_columns)
        };
        let ports = |column: usize, row: usize| {
            let place = place(column, row);
            let found = self.ports.binary_search_by_key(&place, |port| port.0);
            found.map_or(0, |found| self.ports[found].1)
        };
        tiles.hand_out(&self.forcing[subdomain], self.solver.info(), flags, ports, crossed);
        frame.tiles = tiles;
        let here = self.intakes.iter().filter(|&&(row, column)| extent.holds(column, row));
        let index = |&(row, column): &(usize, usize)| frame.place_of((column, row)) - frame.lead;
        frame.intakes = here.map(index).collect();
        let all = Rect { column: 0, row: 0, columns: extent.columns, rows: extent.rows };
        frame.survey(self.solver, all);
        // The buffers after the step are still 0, as are scratch fields.
        let tiles = frame.tiles.each.iter_mut();
        tiles.for_each(|tile| tile.still = [!tile.is_wet() && !tile.moving, true]);
    }

    /// Returns the cells of the grid and its ghosts in a frame (columns and rows of the frame).
    pub(super) fn with_ghosts(&self, frame: &CpuFrame) -> Rect {
        let padded_grid = (self.grid.0 + 2 * MARGIN, self.grid.1 + 2 * MARGIN);
        frame.within(frame.subdomain.extent.within(with_ghosts(padded_grid)))
    }
}

impl CpuFrame {
    /// Determines again, for tiles with cells in `area` (columns and rows of the frame), which rows
    /// are wet, how deep the water is, and whether anything flows.
    pub(super) fn survey(&mut self, solver: AnySolver, area: Rect) {
        let (stride, lead, rows) = (self.stride(), self.lead, self.tiles.frame_rows());
        let CpuFrame { planes, tiles, .. } = self;
        tiles.stir();
        let find = |field: Field| {
            planes.iter().find(|plane| plane.field == field).map(|plane| &plane.now[..])
        };
        let water: &[i32] = words(find(Field::Water).expect("there is water"));
        let remembered = solver.remembers().map(|edge| {
            [0, 1].map(|axis| words::<f32>(find(Field::edge(edge, axis)).expect("it is kept")))
        });
        let (each, wet) = tiles.wet_rows();
        let wet = super::shared::Shared::new(wet);
        let touched = each.par_iter_mut().filter(|tile| tile.area.meets(area));
        touched.for_each(|tile| {
            let Tile { area, across, .. } = *tile;
            let cells = Tiles::rows_of(across, rows, area.row..area.row + area.rows);
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses these rows of
            // its column of tiles.
            let wet = unsafe { wet.cells(cells) };
            (tile.deepest, tile.moving, tile.still) = (0, false, [false; 2]);
            for row in 0..area.rows {
                let start = lead + (area.row + row) * stride + area.column;
                let cells = start..start + area.columns;
                let deepest = water[cells.clone()].iter().copied().max().unwrap_or(0);
                wet[row] = deepest > 0;
                tile.deepest = tile.deepest.max(deepest);
                let flows = |layer: &[f32]| layer[cells.clone()].iter().any(|flow| *flow != 0.0);
                tile.moving |= remembered.iter().flatten().any(|layer| flows(layer));
            }
        });
    }

    /// Zeroes all flow fields of a tile that becomes inactive.
    pub(super) fn wipe(&mut self, number: usize) {
        let (area, across) = (self.tiles.each[number].area, self.tiles.each[number].across);
        let (stride, lead, rows) = (self.stride(), self.lead, self.tiles.frame_rows());
        for plane in self.planes.iter_mut().filter(|plane| plane.field.is_of_flow()) {
            for row in area.row..area.row + area.rows {
                let start = lead + row * stride + area.column;
                let cells = start..start + area.columns;
                plane.now[cells.clone()].fill(0);
                if !plane.next.is_empty() {
                    plane.next[cells].fill(0);
                }
            }
        }
        let TilesInStep { each, next_wet, .. } = self.tiles.in_step();
        each[number].still = [true; 2];
        next_wet[Tiles::rows_of(across, rows, area.row..area.row + area.rows)].fill(false);
        let (_, now) = self.tiles.wet_rows();
        now[Tiles::rows_of(across, rows, area.row..area.row + area.rows)].fill(false);
    }

    /// Adds grains to the water in a cell of the padded grid; returns the new amount.
    pub(super) fn add_water(&mut self, cell: (usize, usize), by: i32) -> i32 {
        let place = self.place_of(cell);
        let Rect { column, row, .. } = self.subdomain.extent;
        let tile = self.tiles.at(cell.0 - column, cell.1 - row);
        let rows = self.tiles.frame_rows();
        let water = &mut self.find_mut::<i32>(Field::Water).expect("there is water")[place];
        *water += by;
        let water = *water;
        let (tiles, wet) = self.tiles.wet_rows();
        tiles[tile].deepest = tiles[tile].deepest.max(water);
        wet[tiles[tile].across * rows + cell.1 - row] |= water > 0;
        water
    }
}

impl Frames for CpuWorker {
    type Frame = CpuFrame;

    fn adopt(&mut self, padded_grid: &mut PaddedGrid) -> Option<CpuFrame> {
        let mut frame = CpuFrame::adopt(padded_grid, self.subdomains[0], &self.planes);
        self.cut_into_tiles(&mut frame, 0);
        Some(frame)
    }

    fn allocate(&mut self, _: usize, columns: usize, rows: usize) -> Result<CpuFrame> {
        Ok(CpuFrame::new(columns, rows, &self.planes))
    }

    fn load(
        &mut self,
        frame: &mut CpuFrame,
        padded_grid: &PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        frame.load(padded_grid, self.subdomains[subdomain]);
        self.cut_into_tiles(frame, subdomain);
        Ok(())
    }

    fn store(
        &mut self,
        frame: &mut CpuFrame,
        padded_grid: &mut PaddedGrid,
        _: usize,
    ) -> Result<()> {
        frame.store(padded_grid);
        Ok(())
    }

    fn read(
        &self,
        frame: &CpuFrame,
        _: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()> {
        frame.read(field, area, to);
        Ok(())
    }

    fn write(
        &mut self,
        frame: &mut CpuFrame,
        _: usize,
        field: Field,
        area: Rect,
        from: &[u32],
    ) -> Result<()> {
        frame.write(field, area, from);
        let area = frame.within(area);
        frame.survey(self.solver, area);
        Ok(())
    }

    fn read_water(
        &mut self,
        frame: &mut CpuFrame,
        _: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>> {
        let water: &[i32] = frame.of(Field::Water);
        Ok(cells.iter().map(|&cell| water[frame.place_of(cell)]).collect())
    }

    fn add_water(
        &mut self,
        frame: &mut CpuFrame,
        _: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<()> {
        frame.add_water(cell, by);
        Ok(())
    }
}

impl HaloExchange for CpuWorker {
    fn state(&self) -> Vec<Field> {
        let state = self.planes.iter().filter(|plane| plane.1 == FieldRole::State);
        state.map(|plane| plane.0).collect()
    }

    fn receive_halo(
        &mut self,
        frame: &mut CpuFrame,
        _: usize,
        (from, _): (&CpuFrame, usize),
        area: Rect,
    ) -> Result<()> {
        frame.receive_halo(from, area);
        let area = frame.within(area);
        frame.survey(self.solver, area);
        Ok(())
    }

    fn complete_halo(&mut self, frame: &mut CpuFrame, _: usize) -> Result<()> {
        // The buffers after the step hold arbitrary values around the subdomain's own cells.
        frame.tiles.each.iter_mut().for_each(|tile| tile.still = [false; 2]);
        Ok(())
    }
}

impl Rollback for CpuWorker {
    fn checkpoint_frame(&mut self, frame: &mut CpuFrame) -> Result<()> {
        frame.checkpoint();
        Ok(())
    }

    fn rollback_frame(&mut self, frame: &mut CpuFrame) -> Result<()> {
        frame.rollback();
        let Rect { columns, rows, .. } = frame.subdomain.extent;
        frame.survey(self.solver, Rect { column: 0, row: 0, columns, rows });
        Ok(())
    }

    fn checkpoint_sums(&mut self) -> Result<()> {
        let (totals, gauges) = (self.totals.clone(), self.gauges.states.clone());
        self.saved = (totals, self.port_volumes.clone(), gauges, self.link_states()?);
        Ok(())
    }

    fn rollback_sums(&mut self) -> Result<()> {
        let links;
        (self.totals, self.port_volumes, self.gauges.states, links) = self.saved.clone();
        self.set_link_states(&links)
    }
}

impl StepSampling for CpuWorker {}

impl Worker for CpuWorker {
    const COUNTS_ON_REQUEST: bool = true;

    fn count_on_request(&self, frame: &CpuFrame) -> (u64, u64) {
        frame.count()
    }

    fn count_water(&mut self, frame: &mut CpuFrame, subdomain: usize) -> Result<()> {
        (self.totals[subdomain].stored, self.totals[subdomain].wet) = frame.count();
        Ok(())
    }

    fn advance(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        for (index, (&computed, step)) in computed.iter().zip(steps).enumerate() {
            // Steps after one in which water gets too deep do not count.
            let mut rate = 0.0;
            if self.totals[subdomain].too_deep.is_none() {
                let computed = frame.within(computed);
                match self.step(frame, subdomain, computed, step) {
                    Ok(found) => rate = found,
                    Err(super::TooDeep) => self.totals[subdomain].too_deep = Some(step.number),
                }
            }
            if self.solver.info().is_timed() {
                StepFindings::add(
                    &mut self.found,
                    index,
                    rate,
                    (subdomain, self.totals[subdomain].maxima),
                );
            }
        }
        Ok(())
    }

    fn record_diagnostics(
        &mut self,
        frame: &mut CpuFrame,
        subdomain: usize,
        time: f32,
    ) -> Result<()> {
        self.record_state(frame, subdomain, StateTime::new(time, time, self.grain.metres()));
        Ok(())
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(())
    }

    fn collect_findings(&mut self) -> Result<Vec<StepFindings>> {
        Ok(std::mem::take(&mut self.found))
    }

    fn collect_totals(&mut self) -> Result<Vec<Totals>> {
        Ok(self.totals.clone())
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        Ok(self.port_volumes.clone())
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        Ok(self.gauges.states.clone())
    }

    fn link_states(&self) -> Result<Vec<Vec<LinkState>>> {
        Ok(self.links.iter().map(|links| links.states.clone()).collect())
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        self.tables = Arc::new(tables.to_vec());
        Ok(())
    }

    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()> {
        self.links.iter_mut().zip(states).for_each(|(of, states)| of.states.clone_from(states));
        Ok(())
    }

    fn describe(&self) -> String {
        let threads = rayon::current_num_threads();
        let plural = if threads == 1 { "" } else { "s" };
        format!("CPU, {threads} thread{plural}, {}", self.options.instructions.name())
    }
}
