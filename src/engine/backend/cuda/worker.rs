//! GPU worker: loads frames, launches kernels, and reads results back.

use crate::backend::cuda::clock::DeviceClock;
use crate::backend::cuda::clock::log::StepLog;
use crate::backend::cuda::clock::sampling::DeviceSamples;
use crate::backend::cuda::compile::source::Edges;
use crate::backend::cuda::device::discover::name_of;
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::diagnostics::Diagnostics;
use crate::backend::cuda::frame::{Arrays, CHUNK_COLUMNS, Frame, Shape};
use crate::backend::cuda::gauges::DeviceGauges;
use crate::backend::cuda::launch::program::{Modules, Program};
use crate::backend::cuda::launch::{Launch, LevelUpdate};
use crate::backend::cuda::layout::{FrameSpec, multiprocessors};
use crate::backend::cuda::links::DeviceLinks;
use crate::backend::cuda::listing::Listing;
use crate::backend::cuda::memory::pinned_staging::PinnedStaging;
use crate::backend::cuda::memory::share;
use crate::backend::cuda::memory::sum::Sum;
use crate::backend::cuda::memory::transfer;
use crate::backend::cuda::memory::{Block, Pinned, clear};
use crate::backend::cuda::options::{ChunkList, CudaOptions};
use crate::backend::cuda::params::{Params, Totals};
use crate::backend::cuda::ports::DevicePorts;
use crate::backend::cuda::sites::DeviceSites;
use crate::backend::cuda::structures::DeviceStructures;
use crate::backend::padded_grid::PaddedGrid;
use crate::backend::setup::Setup;
use crate::backend::worker::{
    self, Frames, HaloExchange, Rollback, Sampled, StepFindings, StepSampling, SubdomainForcing,
    Timed, Worker,
};
use crate::backend::{Problem, SampleRequest};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::{LinkState, Links};
use crate::forcing::ports::BoundaryVolumes;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::forcing::{Account, Footprint, RateLayer};
use crate::gauged::GaugeState;
use crate::grains::Rounding;
use crate::grid::Grid;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, Subdomain, SubdomainPlan, on_padded_grid};
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::{Arc, Mutex};

/// A rate layer that covers the domain.
pub(super) struct Rain {
    pub layer: usize,
    pub account: Account,
    pub falls: CellShare,
}

/// Share of a rate that falls on a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CellShare {
    /// The whole rate.
    Whole,
    /// The share of the cell.
    Shares,
    /// The share of the cell's zone: the index of the zone map, and the offset of the layer's
    /// shares among the shares of all zoned layers.
    Zones { map: usize, first: usize },
}

/// Iterates over the cells (column, row) with sources of their own in a frame that holds the whole
/// padded grid, for a grid of `columns` columns.
fn fed<'a>(
    forcing: &'a SubdomainForcing,
    links: &Links,
    columns: usize,
) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let ends = links.ends().into_iter().map(move |cell| on_padded_grid(cell, columns));
    forcing.sites.iter().map(|site| (site.column as usize, site.row as usize)).chain(ends)
}

/// Rate layers that bring water to whole areas, with their zones.
struct SourceLayers {
    rains: Vec<Rain>,
    /// Number of zone maps.
    zones: usize,
    /// Shares of all zoned layers, one layer after the other (bits).
    shares: Vec<u32>,
}

impl SourceLayers {
    /// Collects the layers of a problem.
    fn of(problem: &Problem) -> SourceLayers {
        let (mut rains, mut zones, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        let is_source = |rate: &RateLayer| rate.account != Account::Evaporation;
        let rates = problem.forcing.rates.iter().enumerate();
        for (layer, rate) in rates.filter(|(_, rate)| is_source(rate)) {
            let falls = match &rate.footprint {
                Footprint::Everywhere => CellShare::Whole,
                Footprint::Shares(_) => CellShare::Shares,
                Footprint::Cells(_) => continue,
                Footprint::Zones(zoned) => {
                    let first = shares.len();
                    shares.extend(zoned.shares.iter().map(|share| share.bits()));
                    CellShare::Zones { map: zoned.number(&mut zones), first }
                }
            };
            rains.push(Rain { layer, account: rate.account, falls });
        }
        SourceLayers { rains, zones: zones.len(), shares }
    }
}

/// Sets up the list of active chunks for a timed solver whose frame holds the whole grid.
fn listing(
    context: &Arc<CudaContext>,
    stream: &Arc<CudaStream>,
    problem: &Problem,
    setup: &Setup,
    subdomains: &[Subdomain],
) -> Result<Option<Listing>> {
    let [subdomain] = subdomains else { return Ok(None) };
    if !problem.solver.info().is_timed() {
        return Ok(None);
    }
    let fed = fed(&setup.forcing[0], &setup.links.local[0], problem.grid.columns);
    Listing::new(stream, subdomain.extent, fed, multiprocessors(context)?).map(Some)
}

/// Returns the kernel parameters that are the same for all frames and steps.
fn constant_params(problem: &Problem, ports: &DevicePorts, chunk_rows: usize) -> Params {
    let (solver, near) = (problem.solver, problem.neighbourhood);
    let rounding = Rounding::new(problem.grain, near.neighbours(), 0);
    let [inverse_dx, inverse_dy] = problem.grid.inverse_cell();
    Params {
        reach: solver.reach() as i32,
        ports: ports.address(),
        metres: problem.grain.metres(),
        per_metre: problem.grain.per_metre(),
        inverse_dx,
        inverse_dy,
        all_roughness: problem.roughness.uniform(),
        chunk_rows: chunk_rows as i32,
        chunk_columns: CHUNK_COLUMNS as i32,
        bed_step: rounding.bed_step,
        calm: rounding.calm,
        threshold: problem.arrival,
        solver: solver.parameters(),
        fall: problem.fall_to_edge(),
        ..Params::default()
    }
}

/// A GPU with its frames.
pub struct CudaWorker {
    context: Arc<CudaContext>,
    pub(super) program: Program,
    stream: Arc<CudaStream>,
    streams: Vec<Arc<CudaStream>>,
    pub(super) subdomains: Vec<Subdomain>,
    pub(super) sites: Vec<DeviceSites>,
    pub(super) structures: Vec<DeviceStructures>,
    /// Set if the solver has momentum.
    pub(super) momentum: bool,
    pub(super) rains: Vec<Rain>,
    /// Shares of all zoned layers, one layer after the other.
    pub(super) tables: Block,
    /// Lookup tables of laws.
    pub(super) law_tables: Block,
    /// Number of zone maps.
    zones: usize,
    accounts: Vec<Account>,
    totals: Sum,
    /// Log of the timed solver's steps, with streaming tiles or strips.
    pub(super) log: Option<StepLog>,
    /// Constant part of the kernel parameters.
    pub(super) all_params: Params,
    pub(super) chunk_rows: usize,
    arrays: Arrays,
    /// Fields of the state, and those that a run saves.
    state: Vec<Field>,
    kept: Vec<Field>,
    pub(super) levels: usize,
    pub(super) diagnostics: Diagnostics,
    /// The grid on the padded grid, without its ghosts.
    pub(super) grid: Rect,
    pub(super) clock: Option<DeviceClock>,
    /// Per subdomain: the links that it steps, if any.
    pub(super) links: Vec<Option<DeviceLinks>>,
    /// List of active chunks, for a timed solver whose frame holds the whole grid.
    pub(super) listing: Option<Listing>,
    pub(super) chunk_list: ChunkList,
    /// See [`CudaOptions::march`].
    pub(super) march: Option<usize>,
    /// Number of wet cells when last counted.
    pub(super) wet: u64,
    pub(super) gauges: DeviceGauges,
    /// Samples between steps, if requested.
    pub(super) samples: Option<DeviceSamples>,
    pub(super) ports: DevicePorts,
    pinned: Pinned,
    staging: Mutex<PinnedStaging>,
    /// Per subdomain: the half step in which water got too deep.
    halted: Vec<Option<u64>>,
    name: String,
}

impl CudaWorker {
    /// Sets up a GPU for a plan; kernels are taken from `modules` if loaded there.
    pub fn new(
        context: Arc<CudaContext>,
        modules: Modules,
        problem: &Problem,
        setup: &Setup,
        plan: &SubdomainPlan,
        frames: &FrameSpec,
        options: &CudaOptions,
    ) -> Result<Self> {
        let chunk_rows = frames.chunk_rows;
        let (solver, near, subdomains) = (problem.solver, problem.neighbourhood, &plan.subdomains);
        let program = Program::new(&context, &modules, solver.info(), near, Edges::of(problem))?;
        let name = name_of(&context)?;
        let timed = solver.info().is_timed();
        let stream = context.default_stream();
        let diagnostics = Diagnostics::new(&stream, problem)?;
        let zero = Totals { halted_at: u64::MAX, ..Totals::default() };
        let totals = Sum::new(&stream, &vec![zero; subdomains.len()])?;
        let log = timed.then(|| StepLog::new(&stream, subdomains.len()));
        let SourceLayers { rains, zones, shares } = SourceLayers::of(problem);
        let rates = problem.forcing.rates.iter();
        let accounts: Vec<Account> = rates.map(|rate| rate.account).collect();
        let momentum = solver.has_momentum();
        let sites = setup.forcing.iter().map(|of| DeviceSites::new(&stream, of, solver.info()));
        let sites = sites.collect::<Result<Vec<_>>>()?;
        let stores_discharge = momentum && problem.subgrid.is_some();
        let structures = setup
            .forcing
            .iter()
            .map(|of| DeviceStructures::new(&stream, of, stores_discharge, solver.remembers()));
        let structures = structures.collect::<Result<Vec<_>>>()?;
        let Grid { columns, rows, .. } = problem.grid;
        let listing = listing(&context, &stream, problem, setup, subdomains)?;
        let clock = timed.then(|| DeviceClock::new(&stream, &setup.timeline));
        let links = setup.links.local.iter().zip(subdomains).map(|(links, subdomain)| {
            let on_device = || DeviceLinks::new(&stream, links, columns, subdomain.extent);
            (!links.is_empty()).then(on_device).transpose()
        });
        let links = links.collect::<Result<_>>()?;
        let (pinned, ports) = (&setup.padded_grid.ports, problem.forcing.ports());
        let ports = DevicePorts::new(&stream, pinned, columns + 2 * MARGIN, ports)?;
        let gauges = DeviceGauges::new(&stream, &setup.gauges, subdomains, columns)?;
        let all_params = Params {
            multiprocessors: multiprocessors(&context)? as u64,
            ..constant_params(problem, &ports, chunk_rows)
        };
        Ok(CudaWorker {
            program,
            streams: vec![stream.clone()],
            subdomains: subdomains.clone(),
            sites,
            structures,
            rains,
            tables: Block::of(&stream, &shares)?,
            law_tables: Block::of(&stream, &problem.forcing.tables)?,
            zones,
            accounts,
            totals,
            log: log.transpose()?,
            all_params,
            momentum,
            chunk_rows,
            arrays: frames.arrays.clone(),
            state: problem.state(),
            kept: problem.kept(),
            levels: problem.forcing.stage_boundaries.len(),
            diagnostics,
            grid: Rect { column: MARGIN, row: MARGIN, columns, rows },
            clock: clock.transpose()?,
            links,
            listing,
            chunk_list: options.chunk_list,
            march: options.march,
            wet: u64::MAX,
            gauges,
            samples: None,
            ports,
            pinned: Pinned::none(),
            staging: Mutex::new(PinnedStaging::none()),
            halted: vec![None; plan.subdomains.len()],
            name,
            stream,
            context,
        })
    }

    /// Returns the number of rate layers.
    pub(super) fn layers(&self) -> usize {
        self.accounts.len()
    }

    /// Returns `true` if one subdomain holds the whole grid.
    pub(super) fn alone(&self) -> bool {
        self.subdomains.len() == 1
    }

    /// Returns a launcher of kernels in a frame's stream.
    pub(super) fn launch<'a>(&'a self, frame: &'a Frame) -> Launch<'a> {
        Launch { program: &self.program, stream: &frame.stream }
    }

    /// Makes its context current in this thread, as the driver's calls require.
    fn here(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| failed("switching to the GPU", error))
    }

    /// Surveys a frame, or only the part of it outside its own cells.
    fn survey(&self, frame: &mut Frame, subdomain: usize, all: bool) -> Result<()> {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let params = self.params(frame, subdomain, own, 0);
        let launch = self.launch(frame);
        launch.survey(&params, (extent.columns, extent.rows), all)?;
        match frame.has_tables() && all {
            true => {
                launch.levels(&params, (extent.columns, extent.rows), LevelUpdate::BetweenSteps)
            }
            false => Ok(()),
        }
    }

    /// Adds grains to the water in a cell (padded grid) of a frame; returns the new amount.
    fn added_water(
        &self,
        frame: &mut Frame,
        subdomain: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<i32> {
        self.here()?;
        let extent = self.subdomains[subdomain].extent;
        let (column, row) = (cell.0 - extent.column, cell.1 - extent.row);
        let chunks_across = extent.columns.div_ceil(CHUNK_COLUMNS);
        let chunk = row / self.chunk_rows * chunks_across + column / CHUNK_COLUMNS;
        share::add_water(frame, (column, row), chunk, by)
    }

    /// Waits for all work in progress.
    fn wait_for_streams(&self) -> Result<()> {
        self.here()?;
        let all = self.streams.iter().map(|stream| stream.synchronize());
        all.collect::<std::result::Result<(), _>>().map_err(|error| failed("stepping", error))
    }

    /// Calls a closure for every sum of the subdomains.
    fn for_each_sum(
        &mut self,
        with: impl Fn(&mut Sum, &Arc<CudaStream>) -> Result<()>,
    ) -> Result<()> {
        self.here()?;
        let sums = [&mut self.totals, &mut self.ports.port_volumes, &mut self.gauges.states];
        let links = self.links.iter_mut().flatten().map(|links| &mut links.states);
        sums.into_iter().chain(links).try_for_each(|sum| with(sum, &self.stream))?;
        self.stream.synchronize().map_err(|error| failed("stepping", error))
    }

    pub(super) fn totals_of(&self, subdomain: usize) -> u64 {
        self.totals.address() + (subdomain * size_of::<Totals>()) as u64
    }
}

impl Drop for CudaWorker {
    /// Waits for work in progress: after a failure, copies from and to host memory may still be
    /// running.
    fn drop(&mut self) {
        let _ = self.context.synchronize();
    }
}

impl Frames for CudaWorker {
    type Frame = Frame;

    fn allocate(&mut self, _: usize, columns: usize, rows: usize) -> Result<Frame> {
        self.here()?;
        let stream =
            self.context.new_stream().map_err(|error| failed("starting a stream", error))?;
        let shape = Shape::new(columns, rows, self.chunk_rows);
        let mut shares = vec![false; self.accounts.len()];
        for rain in self.rains.iter().filter(|rain| rain.falls == CellShare::Shares) {
            shares[rain.layer] = true;
        }
        let frame =
            Frame::new(stream.clone(), shape, &shares, self.zones, self.levels, &self.arrays)?;
        self.streams.push(stream);
        // Memory is allocated in one stream and used in another.
        self.context.synchronize().map_err(|error| failed("allocating device memory", error))?;
        Ok(frame)
    }

    fn pin(&mut self, padded_grid: &PaddedGrid) {
        self.pinned.add(&padded_grid.flags);
        for cells in
            padded_grid.now.iter().chain(&padded_grid.next).filter(|cells| !cells.is_empty())
        {
            self.pinned.add(cells);
        }
        for shares in padded_grid.shares.iter().filter(|shares| !shares.is_empty()) {
            self.pinned.add(shares);
        }
        for zones in &padded_grid.zones {
            self.pinned.add(&zones.of);
        }
    }

    fn load(
        &mut self,
        frame: &mut Frame,
        padded_grid: &PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        self.here()?;
        transfer::load(frame, padded_grid, self.subdomains[subdomain])?;
        frame.way = 0;
        self.survey(frame, subdomain, true)
    }

    fn store(
        &mut self,
        frame: &mut Frame,
        padded_grid: &mut PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        self.here()?;
        transfer::store(frame, padded_grid, self.subdomains[subdomain])
    }

    fn read(
        &self,
        frame: &Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()> {
        self.here()?;
        let extent = self.subdomains[subdomain].extent;
        let mut staging = self.staging.lock().unwrap_or_else(|error| error.into_inner());
        transfer::read(frame, extent, field, self.halted[subdomain], area, &mut staging, to)
    }

    fn write(
        &mut self,
        frame: &mut Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        from: &[u32],
    ) -> Result<()> {
        self.here()?;
        transfer::write(
            frame,
            self.subdomains[subdomain].extent,
            field,
            self.halted[subdomain],
            area,
            from,
        )
    }

    fn read_water(
        &mut self,
        frame: &mut Frame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>> {
        cells.iter().map(|&cell| self.added_water(frame, subdomain, cell, 0)).collect()
    }

    fn add_water(
        &mut self,
        frame: &mut Frame,
        subdomain: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<()> {
        self.added_water(frame, subdomain, cell, by).map(|_| ())
    }
}

impl HaloExchange for CudaWorker {
    fn state(&self) -> Vec<Field> {
        self.state.clone()
    }

    fn receive_halo(
        &mut self,
        frame: &mut Frame,
        subdomain: usize,
        (from, other): (&Frame, usize),
        area: Rect,
    ) -> Result<()> {
        self.here()?;
        let [to_held, from_held] =
            [subdomain, other].map(|subdomain| self.subdomains[subdomain].extent);
        share::receive_halo(frame, to_held, from, from_held, &self.state, area)
    }

    fn complete_halo(&mut self, frame: &mut Frame, subdomain: usize) -> Result<()> {
        self.here()?;
        // Rain beyond the computed cells was not consumed.
        frame.blocks(Field::Rained).iter().try_for_each(|rained| rained.clear(&frame.stream))?;
        self.survey(frame, subdomain, false)
    }
}

impl Rollback for CudaWorker {
    fn checkpoint_frame(&mut self, frame: &mut Frame) -> Result<()> {
        self.here()?;
        frame.checkpoint(&self.kept)
    }

    fn rollback_frame(&mut self, frame: &mut Frame) -> Result<()> {
        self.here()?;
        frame.rollback()
    }

    fn checkpoint_sums(&mut self) -> Result<()> {
        self.for_each_sum(|sum, stream| sum.checkpoint(stream))
    }

    fn rollback_sums(&mut self) -> Result<()> {
        self.for_each_sum(|sum, stream| sum.rollback(stream))
    }
}

impl StepSampling for CudaWorker {
    fn request_samples(&mut self, wanted: &SampleRequest) -> Result<bool> {
        self.here()?;
        let links = self.links[0].as_ref().map_or(0, |links| links.count);
        let samples = DeviceSamples::new(&self.stream, wanted, self.ports.count, links)?;
        self.samples = Some(samples);
        Ok(true)
    }

    fn set_sample_times(&mut self, times: &[f64]) {
        if let Some(samples) = &mut self.samples {
            samples.set_times(times);
        }
    }

    fn collect_samples(&mut self) -> Vec<Sampled> {
        self.samples.as_mut().map_or(Vec::new(), DeviceSamples::collect)
    }
}

impl Worker for CudaWorker {
    fn count_water(&mut self, frame: &mut Frame, subdomain: usize) -> Result<()> {
        self.here()?;
        let counted = std::mem::offset_of!(Totals, stored);
        let bytes = std::mem::offset_of!(Totals, crossed) - counted;
        // SAFETY: the range covers two adjacent fields of the subdomain's totals, which are in one
        // block.
        unsafe { clear(&frame.stream, self.totals_of(subdomain) + counted as u64, bytes)? };
        let params = self.params(frame, subdomain, self.subdomains[subdomain].own, frame.way);
        self.launch(frame).count(&params)
    }

    fn set_forcing(&mut self, frame: &mut Frame, timeline: &Timeline) -> Result<()> {
        self.wait_for_streams()?;
        if self.clock.is_some() {
            self.clock = Some(DeviceClock::new(&self.stream, timeline)?);
            // They contain the addresses of the series.
            frame.graphs = [None, None, None];
            self.wait_for_streams()?;
        }
        Ok(())
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        self.wait_for_streams()?;
        // In place: recorded steps contain the address.
        self.law_tables.fill(&self.stream, tables)
    }

    fn advance(
        &mut self,
        frame: &mut Frame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        self.here()?;
        self.take_steps(frame, subdomain, computed, steps)
    }

    fn advance_adaptive(&mut self, frame: &mut Frame, computed: Rect, run: Timed) -> Result<()> {
        self.here()?;
        self.take_adaptive_steps(frame, computed, run)
    }

    fn record_diagnostics(&mut self, frame: &mut Frame, subdomain: usize, time: f32) -> Result<()> {
        self.here()?;
        self.record_now(frame, subdomain, time)
    }

    fn synchronize(&mut self) -> Result<()> {
        self.wait_for_streams()
    }

    fn collect_findings(&mut self) -> Result<Vec<StepFindings>> {
        self.wait_for_streams()?;
        self.log.as_mut().map_or(Ok(Vec::new()), |log| log.take(&self.stream))
    }

    fn collect_totals(&mut self) -> Result<Vec<worker::Totals>> {
        self.wait_for_streams()?;
        let totals: Vec<Totals> = self.totals.all(&self.stream)?;
        self.halted = totals.iter().map(Totals::halted).collect();
        self.wet = totals.iter().map(|totals| totals.wet).sum();
        Ok(totals.iter().map(worker::Totals::from).collect())
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        self.wait_for_streams()?;
        self.ports.volumes(&self.stream)
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        self.wait_for_streams()?;
        self.gauges.states(&self.stream)
    }

    fn link_states(&self) -> Result<Vec<Vec<LinkState>>> {
        self.wait_for_streams()?;
        let states = |links: &DeviceLinks| links.states(&self.stream);
        self.links.iter().map(|links| links.as_ref().map_or(Ok(Vec::new()), states)).collect()
    }

    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()> {
        self.wait_for_streams()?;
        let each = self.links.iter_mut().zip(states);
        let mut linked = each.filter_map(|(links, states)| Some((links.as_mut()?, states)));
        linked.try_for_each(|(links, states)| links.put(&self.stream, states))
    }

    fn describe(&self) -> String {
        self.name.clone()
    }
}
