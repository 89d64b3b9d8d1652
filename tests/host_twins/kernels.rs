//! A worker that uses the GPU's kernels, compiled for this processor, and this machine's memory.

use super::clock;
use super::compile::Twins;
use super::sheet::{argument, twins};
use inundate_engine::backend::cuda::clock::clock_params::{Clock, Ticking};
use inundate_engine::backend::cuda::clock::sampling::{
    Layout, SAMPLING_WARPS, SampledPlace, Sampling,
};
use inundate_engine::backend::cuda::compile::fields::Fields;
use inundate_engine::backend::cuda::compile::source::{Edges, edges_unit, flow_unit};
use inundate_engine::backend::cuda::frame::{Arrays, CHUNK_COLUMNS, Shape};
use inundate_engine::backend::cuda::gauges::Gauging;
use inundate_engine::backend::cuda::links;
use inundate_engine::backend::cuda::listing::{
    FUSED_WARPS, LISTED_COLUMNS, LISTED_ROWS, LISTED_STEPS, LISTED_WARPS, fed_chunks,
};
use inundate_engine::backend::cuda::params::{
    Area, Params, Ports, StepConstants, Totals as DeviceTotals,
};
use inundate_engine::backend::cuda::sites::{Sites, entries};
use inundate_engine::backend::cuda::structures::{self, Structures};
use inundate_engine::backend::padded_grid::PaddedGrid;
use inundate_engine::backend::sites::SubdomainForcing;
use inundate_engine::backend::worker::{
    Frames, HaloExchange, Rollback, Sampled, StepFindings, StepSampling, Timed, Totals, Worker,
};
use inundate_engine::backend::{Problem, SampleRequest};
use inundate_engine::error::Result;
use inundate_engine::field::{Field, FieldRole};
use inundate_engine::forcing::link::{LinkState, Links};
use inundate_engine::forcing::ports::{BoundaryVolumes, Port};
use inundate_engine::forcing::sites::SiteTiming;
use inundate_engine::forcing::step::Step;
use inundate_engine::gauged::GaugeState;
use inundate_engine::grains::{Rounding, phase};
use inundate_engine::tiling::rect::Rect;
use inundate_engine::tiling::subdomain::{MARGIN, Subdomain, on_padded_grid};
use inundate_engine::time_step::Stride;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers of chunks that were listed, and left out.
pub static LISTED: AtomicUsize = AtomicUsize::new(0);
pub static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);

/// Threads of the block that prepares a step, as asserted in the kernel.
const PREPARING_THREADS: u32 = 1024;

/// Rows of a chunk; a frame has several chunks.
const CHUNK_ROWS: usize = 8;

/// Worker that runs the GPU kernels on the CPU.
pub struct KernelWorker {
    problem: Problem,
    flow: Arc<Twins>,
    arrays: Arrays,
    subdomains: Vec<Subdomain>,
    totals: Vec<DeviceTotals>,
    /// Flow through the sides, in and out (grains), and its location for the kernels.
    port_volumes: Vec<[u64; 2]>,
    ports: Box<Ports>,
    /// Bits of the greatest CFL rate since it was last read.
    rate: u32,
    /// Results of steps since they were last read.
    found: Vec<StepFindings>,
    /// Sums at the checkpoint.
    saved: (Vec<DeviceTotals>, Vec<[u64; 2]>, Vec<Vec<LinkState>>),
    /// Forcing of single cells in each subdomain.
    forcing: Vec<SubdomainForcing>,
    /// Per subdomain: the links that it steps, and their states.
    links: Vec<Links>,
    link_states: Vec<Vec<LinkState>>,
    /// Pinned cells of the padded grid and their ports, located where kernels find them.
    _pinned: (Vec<u64>, Vec<Port>),
    /// Set if only listed chunks are computed.
    listing: Option<Listing>,
    /// Samples, if requested.
    samples: Option<Samples>,
}

/// List of active chunks.
#[derive(Default)]
pub struct Listing {
    /// Numbers of active and listed chunks, and the chunks (two words each).
    list: Vec<u64>,
    /// For each chunk: the deepest water, flags, and whether it has a source of water.
    deepest: [Vec<i32>; 2],
    special: Vec<u8>,
    fed: Vec<u8>,
    /// Number of steps taken.
    taken: usize,
    /// Set if the list has taken over the data of the frame's own chunks, which the other kernels
    /// use.
    taken_over: bool,
}

impl Listing {
    /// Returns the kernel parameters of the list; `way` selects the current one of double arrays.
    fn params(&mut self, wide: Params, way: usize) -> Params {
        let across = (wide.columns as usize).div_ceil(LISTED_COLUMNS);
        let down = (wide.chunk_rows * wide.chunks_down) as usize / LISTED_ROWS as usize;
        Params {
            active: self.list.as_mut_ptr() as u64,
            deepest: self.deepest[way].as_mut_ptr() as u64,
            deepest_next: self.deepest[1 - way].as_mut_ptr() as u64,
            special: self.special.as_mut_ptr() as u64,
            chunks_across: across as i32,
            chunks_down: down as i32,
            chunk_rows: LISTED_ROWS as i32,
            chunk_columns: LISTED_COLUMNS as i32,
            ..wide
        }
    }
}

/// Samples taken between steps.
pub struct Samples {
    layout: Layout,
    wanted: Vec<(Field, (usize, usize))>,
    /// Future sample times, followed by one that never comes.
    times: Vec<f64>,
    /// Memory into which kernels write the samples.
    words: Vec<u64>,
    taken: Vec<Sampled>,
}

impl Samples {
    /// Number of samples that fit.
    const ROOM: usize = 4;

    fn new(wanted: &SampleRequest, ports: usize) -> Samples {
        let layout = Layout { ports, links: 0, places: wanted.places.len() };
        let words = vec![0; Samples::ROOM * layout.words()];
        let wanted = wanted.places.clone();
        Samples { layout, wanted, times: vec![f64::INFINITY], words, taken: Vec::new() }
    }

    /// Returns the kernel parameters, except the places.
    fn parameters(&mut self, port_volumes: &[[u64; 2]]) -> Sampling {
        Sampling {
            times: self.times.as_ptr() as u64,
            port_volumes: port_volumes.as_ptr() as u64,
            samples: self.words.as_mut_ptr() as u64,
            ..self.layout.parameters(Samples::ROOM)
        }
    }

    /// Returns the locations of the sampled numbers, for a clock that selects the current one of
    /// double arrays.
    fn places(&self, frame: &mut KernelFrame, extent: Rect, way: usize) -> Vec<SampledPlace> {
        let stride = frame.shape.stride;
        let mut place = |&(field, (column, row)): &(Field, (usize, usize))| {
            let (_, arrays) =
                frame.fields.iter_mut().find(|(stored, _)| *stored == field).expect("a field");
            let at = ((row - extent.row) * stride + column - extent.column) * size_of::<u32>();
            let count = arrays.len();
            let now = [way, 1 - way].map(|side| arrays[side % count].address() + at as u64);
            SampledPlace { now }
        };
        self.wanted.iter().map(&mut place).collect()
    }

    fn take(&mut self, count: usize) {
        assert!(count <= Samples::ROOM);
        let samples = self.words.chunks_exact(self.layout.words()).take(count);
        self.taken = samples.map(|words| self.layout.read(words)).collect();
    }
}

/// An array of a frame, with a margin around it.
struct Array<T> {
    cells: Vec<T>,
    stride: usize,
}

impl<T: Copy + Default> Array<T> {
    fn new(shape: Shape) -> Array<T> {
        Array { cells: vec![T::default(); shape.cells], stride: shape.stride }
    }

    /// Returns the address of column 0, row 0.
    fn address(&mut self) -> u64 {
        &raw mut self.cells[self.stride] as u64
    }

    /// Copies an area of the padded grid to the frame, starting at `first`.
    fn load(&mut self, from: &[T], columns: usize, area: Rect, first: Rect) {
        for row in area.row..area.row + area.rows {
            let from = &from[row * columns + area.column..][..area.columns];
            let to = (row - first.row + 1) * self.stride + area.column - first.column;
            self.cells[to..to + area.columns].copy_from_slice(from);
        }
    }

    fn store(&self, to: &mut [T], columns: usize, area: Rect, first: Rect) {
        for row in area.row..area.row + area.rows {
            let from = (row - first.row + 1) * self.stride + area.column - first.column;
            to[row * columns + area.column..][..area.columns]
                .copy_from_slice(&self.cells[from..from + area.columns]);
        }
    }
}

/// A frame: the counterpart of `backend/cuda/frame.rs` in this machine's memory.
pub struct KernelFrame {
    shape: Shape,
    flags: Array<u8>,
    /// One array per field, or two that alternate.
    fields: Vec<(Field, Vec<Array<u32>>)>,
    deepest: [Vec<i32>; 2],
    special: Vec<u8>,
    /// Planes of the tables, stored without gaps, if cells have tables.
    tables: Vec<u32>,
    /// First array of every field, and the deepest water, at the checkpoint.
    saved: (Vec<Vec<u32>>, Vec<i32>),
}

impl KernelWorker {
    /// Compiles the kernels of a problem.
    pub fn compile(problem: &Problem, listed: bool) -> Arc<Twins> {
        let info = problem.solver.info();
        let unit = match info.is_timed() {
            true => edges_unit(info, Edges { listed, ..Edges::of(problem) }),
            false => flow_unit(info, problem.neighbourhood),
        };
        Arc::new(Twins::new(&unit, "flow.h"))
    }

    /// Creates a worker with the kernels of its problem.
    pub fn new(
        problem: Problem,
        flow: Arc<Twins>,
        subdomains: Vec<Subdomain>,
        (forcing, links): (Vec<SubdomainForcing>, Vec<Links>),
        (columns, pinned): (usize, &[(usize, Port)]),
    ) -> KernelWorker {
        let arrays = Arrays::of(&problem);
        let mut port_volumes = vec![[0; 2]; problem.forcing.ports() as usize];
        let pinned: (Vec<u64>, Vec<Port>) =
            pinned.iter().map(|&(cell, port)| (cell as u64, port)).unzip();
        let ports = Ports {
            cells: pinned.0.as_ptr() as u64,
            numbers: pinned.1.as_ptr() as u64,
            count: pinned.0.len() as u64,
            port_volumes: port_volumes.as_mut_ptr() as u64,
            columns: columns as u64,
        };
        let zero = DeviceTotals { halted_at: u64::MAX, ..DeviceTotals::default() };
        KernelWorker {
            flow,
            totals: vec![zero; subdomains.len()],
            rate: 0,
            found: Vec::new(),
            saved: Default::default(),
            forcing,
            link_states: links
                .iter()
                .map(|links| vec![Default::default(); links.states.len()])
                .collect(),
            links,
            _pinned: pinned,
            listing: None,
            samples: None,
            problem,
            arrays,
            subdomains,
            port_volumes,
            ports: Box::new(ports),
        }
    }

    /// Computes listed chunks only, with kernels compiled for that.
    pub fn by_list(self) -> KernelWorker {
        KernelWorker { listing: Some(Listing::default()), ..self }
    }

    /// Updates the list of chunks occasionally, and the list of active chunks; returns the
    /// resulting kernel parameters. If a step follows, the kernel that prepares it updates the
    /// active chunks.
    fn list(&mut self, wide: Params, going_on: Option<(Params, Ticking)>) -> Params {
        let Some(mut listing) = self.listing.take() else { return wide };
        let across = (wide.columns as usize).div_ceil(LISTED_COLUMNS);
        let down = (wide.chunk_rows * wide.chunks_down) as usize / LISTED_ROWS as usize;
        let chunks = across * down;
        let words = (across.div_ceil(32) * down) as u32;
        let first = !std::mem::replace(&mut listing.taken_over, true);
        listing.list.resize(1 + 2 * chunks + words as usize + PREPARING_THREADS as usize, 0);
        listing.deepest.iter_mut().for_each(|deepest| deepest.resize(chunks, 0));
        listing.special.resize(chunks, 0);
        if listing.fed.is_empty() {
            let sites = self.forcing[0].sites.iter();
            let cells = sites.map(|site| (site.column as usize, site.row as usize));
            let columns = self.problem.grid.columns;
            let ends = self.links[0].ends().into_iter().map(|cell| on_padded_grid(cell, columns));
            listing.fed = fed_chunks(cells.chain(ends), (across, down));
        }
        let swapped = listing.taken % 2;
        let mut params = listing.params(wide, swapped);
        let fed = listing.fed.as_ptr() as u64;
        let launch = |kernel: &str, threads: u32, of: u32, arguments: &[*const ()]| {
            // SAFETY: the arguments match the kernels.
            unsafe { twins().launch(kernel, [threads.div_ceil(of), 1], [of, 1], arguments) };
        };
        let (frame_params, fed) = (argument(&params), argument(&fed));
        if first {
            // Only the clock knows which of the double arrays is current.
            let from = going_on.as_ref().map_or(wide, |(as_they_lie, _)| *as_they_lie);
            let small = if going_on.is_some() { listing.params(from, 0) } else { params };
            launch("take_over", chunks as u32, 256, &[argument(&small), argument(&from)]);
        }
        if first || listing.taken % LISTED_STEPS == 0 {
            launch("mark_wet", 32 * words, 256, &[frame_params, fed]);
            launch("list", words, 256, &[frame_params]);
            let count = (listing.list[0] >> 32) as usize;
            assert!(count <= chunks, "{count} of {chunks}");
            LEFT_OUT.fetch_add(chunks - count, Ordering::Relaxed);
        }
        match going_on {
            None => launch("make_ready", 64, 64, &[frame_params, fed]),
            Some((first, to)) => {
                let (gauging, sites) = (Gauging::default(), Sites::default());
                let frame_params = listing.params(first, 0);
                let arguments = [
                    argument(&frame_params),
                    argument(&to),
                    fed,
                    argument(&gauging),
                    argument(&sites),
                ];
                launch("prepare", 1, PREPARING_THREADS, &arguments);
                params = frame_params;
            }
        }
        let count = listing.list[0] as u32 as usize;
        assert!(count <= (listing.list[0] >> 32) as usize);
        LISTED.fetch_add(count, Ordering::Relaxed);
        // An idle step does not count.
        // SAFETY: the pointer is to the constants of the current step.
        let idle = unsafe { (params.step_constants as *const StepConstants).read() }.way == 2;
        listing.taken += usize::from(!idle);
        self.listing = Some(listing);
        params
    }

    fn params(&mut self, frame: &mut KernelFrame, subdomain: usize, computed: Rect) -> Params {
        self.params_of(frame, subdomain, computed, 0)
    }

    /// Returns the kernel parameters; `swapped` selects which of the double arrays comes first.
    fn params_of(
        &mut self,
        frame: &mut KernelFrame,
        subdomain: usize,
        computed: Rect,
        swapped: usize,
    ) -> Params {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let problem = &self.problem;
        let neighbours = problem.neighbourhood.neighbours();
        let rounding = Rounding::new(problem.grain, neighbours, 0);
        let inverse = problem.grid.inverse_cell();
        let (columns, rows) = (problem.grid.columns, problem.grid.rows);
        let grid = Rect { column: MARGIN, row: MARGIN, columns, rows };
        let of = |field: Field, way: usize| {
            let found = frame.fields.iter_mut().find(|(stored, _)| *stored == field);
            found.map_or(0, |(_, arrays)| {
                let count = arrays.len();
                arrays[(way + swapped) % count].address()
            })
        };
        let chunks_down = extent.rows.div_ceil(CHUNK_ROWS) as i32;
        let eights = chunks_down / 12;
        let fours = (chunks_down - 8 * eights) / 6;
        Params {
            fields: Fields::of(of),
            eights,
            fours,
            twos: (chunks_down - 8 * eights - 4 * fours) / 3,
            ports: &raw const *self.ports as u64,
            first_column: extent.column as i32,
            first_row: extent.row as i32,
            flags: frame.flags.address(),
            deepest: frame.deepest[swapped].as_mut_ptr() as u64,
            deepest_next: frame.deepest[1 - swapped].as_mut_ptr() as u64,
            special: frame.special.as_mut_ptr() as u64,
            totals: &raw mut self.totals[subdomain] as u64,
            stride: frame.shape.stride as i32,
            chunks_across: extent.columns.div_ceil(CHUNK_COLUMNS) as i32,
            chunks_down,
            chunk_columns: CHUNK_COLUMNS as i32,
            chunk_rows: CHUNK_ROWS as i32,
            computed: Area::of(computed, extent),
            own: Area::of(own, extent),
            counted: Area::of(own.within(grid), extent),
            bed_step: rounding.bed_step,
            calm: rounding.calm,
            threshold: problem.arrival,
            solver: problem.solver.parameters(),
            tables: frame
                .tables
                .get(frame.shape.stride)
                .map_or(0, |first| &raw const *first as u64),
            apart: frame.shape.cells as u64,
            rate: &raw mut self.rate as u64,
            metres: problem.grain.metres(),
            per_metre: problem.grain.per_metre(),
            inverse_dx: inverse[0],
            inverse_dy: inverse[1],
            all_roughness: problem.roughness.uniform(),
            fall: problem.fall_to_edge(),
            reach: problem.solver.reach() as i32,
            columns: extent.columns as i32,
            ..Params::default()
        }
    }

    /// Applies the sites that act at a time of a step.
    fn act(&self, params: &Params, subdomain: usize, step: &Step, when: SiteTiming) {
        let solver = self.problem.solver.info();
        let (entries, [before_flow, _]) = entries(&self.forcing[subdomain], solver);
        let (before_flow, after_flow) = entries.split_at(before_flow);
        let (kernel, sites) = match when {
            SiteTiming::BeforeFlow => ("sites_before_flow", before_flow),
            _ => ("sites_after_flow", after_flow),
        };
        let all = Sites {
            sites: sites.as_ptr() as u64,
            rates: step.increments.as_ptr() as u64,
            levels: step.levels.as_ptr() as u64,
            tables: self.problem.forcing.tables.as_ptr() as u64,
            count: sites.len() as u64,
        };
        let blocks = [(sites.len() as u32).div_ceil(128), 1];
        // SAFETY: the arguments match the kernels.
        unsafe { twins().launch(kernel, blocks, [128, 1], &[argument(params), argument(&all)]) };
    }

    /// Applies the links.
    fn link(&mut self, params: &Params, subdomain: usize) {
        let (links, states) = (&self.links[subdomain], &mut self.link_states[subdomain]);
        let frame = self.subdomains[subdomain].extent;
        let (entries, tables) = links::entries(links, self.problem.grid.columns, frame);
        let [list, tables] = [entries.as_ptr() as u64, tables.as_ptr() as u64];
        let (count, states) = (entries.len() as i32, states.as_mut_ptr() as u64);
        let arguments = [
            argument(params),
            argument(&list),
            argument(&count),
            argument(&tables),
            argument(&states),
            argument(&links.metres),
            argument(&links.per_cubic_metre),
        ];
        let blocks = [entries.len().div_ceil(128) as u32, 1];
        // SAFETY: the arguments match the kernel.
        unsafe { twins().launch("link", blocks, [128, 1], &arguments) };
    }

    /// Computes the flux across edges with structures.
    fn over_structures(&self, params: &Params, subdomain: usize) {
        let entries = structures::entries(&self.forcing[subdomain]);
        let all = Structures {
            structures: entries.as_ptr() as u64,
            tables: self.problem.forcing.tables.as_ptr() as u64,
            count: entries.len() as u64,
            stores_discharge: (self.problem.subgrid.is_some()
                && self.problem.solver.has_momentum())
            .into(),
            kept: structures::code_of(self.problem.solver.remembers()),
            ..Structures::default()
        };
        let blocks = [(entries.len() as u32).div_ceil(128), 1];
        let arguments = [argument(params), argument(&all)];
        // SAFETY: the arguments match the kernel.
        unsafe { twins().launch("over_structures", blocks, [128, 1], &arguments) };
    }

    /// Surveys a frame, or the part of it that is not its own.
    fn survey(&mut self, frame: &mut KernelFrame, subdomain: usize, all: bool) {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let params = self.params(frame, subdomain, own);
        let (columns, rows, all) = (extent.columns as i32, extent.rows as i32, i32::from(all));
        let more = [argument(&columns), argument(&rows), argument(&all)];
        self.chunks(twins(), "survey", &params, &more);
        if all != 0 {
            self.levels(&params, subdomain, -1);
        }
    }

    /// Looks up levels before the flow (0), after it (1), or outside of a step (−1), if cells have
    /// tables.
    fn levels(&self, params: &Params, subdomain: usize, moved: i32) {
        if self.problem.subgrid.is_none() {
            return;
        }
        let Rect { columns, rows, .. } = self.subdomains[subdomain].extent;
        let (columns, rows) = (columns as i32, rows as i32);
        let more = [argument(&columns), argument(&rows), argument(&moved)];
        self.chunks(twins(), "levels", params, &more);
    }

    /// Launches a kernel with a warp per chunk, or, with a list, a few blocks of several warps.
    fn chunks(&self, of: &Twins, kernel: &str, params: &Params, more: &[*const ()]) {
        let (blocks, warps) = match params.active {
            0 => {
                let marches = ["flow", "momentum_update"].contains(&kernel);
                let down = if marches { params.marches_down() } else { params.chunks_down };
                ([(params.chunks_across as u32).div_ceil(2), down as u32], 2)
            }
            _ => {
                let warps = match kernel {
                    "flow" if self.fuses() => FUSED_WARPS,
                    "flow" => LISTED_WARPS,
                    _ => LISTED_ROWS,
                };
                ([5, 1], warps)
            }
        };
        let arguments = [&[argument(params)], more].concat();
        // SAFETY: the arguments match the kernels, and point to the frame.
        unsafe { of.launch(kernel, blocks, [32 * warps, 1], &arguments) };
    }

    /// Takes a prepared step.
    fn step(&mut self, frame: &mut KernelFrame, subdomain: usize, step: &Step, params: &Params) {
        self.link(params, subdomain);
        self.act(params, subdomain, step, SiteTiming::BeforeFlow);
        self.levels(params, subdomain, 0);
        self.over_structures(params, subdomain);
        self.flow(params, subdomain);
        self.act(params, subdomain, step, SiteTiming::AfterFlow);
        frame.deepest.swap(0, 1);
        for (_, arrays) in frame.fields.iter_mut().filter(|(_, arrays)| arrays.len() == 2) {
            arrays.swap(0, 1);
        }
    }

    /// Takes the steps of the device's clock, with samples between them.
    fn by_the_clock(
        &mut self,
        frame: &mut KernelFrame,
        computed: Rect,
        Timed { limits, timeline, control, until, watch }: Timed,
        samples: &mut Samples,
    ) {
        let mut clock = Clock { sampled: samples.times[0], ..clock::device(control, until) };
        let mut step_constants = StepConstants::default();
        let places = samples.places(frame, self.subdomains[0].extent, clock.way as usize);
        let sampling =
            Sampling { places: places.as_ptr() as u64, ..samples.parameters(&self.port_volumes) };
        let to = Ticking {
            clock: &raw mut clock as u64,
            step_constants: &raw mut step_constants as u64,
            totals: &raw mut self.totals[0] as u64,
            sampling: &raw const sampling as u64,
            bounds: until.bounds.as_ptr() as u64,
            bound_count: until.bounds.len() as u32,
            per_metre: 1.0,
            elapsed: timeline.elapsed,
            limits,
            ..Ticking::default()
        };
        // SAFETY: kernels write to these, and have finished when they are read.
        let seen = || unsafe {
            ((&raw const clock).read_volatile(), (&raw const step_constants).read_volatile())
        };
        let launch = |kernel: &str, blocks: u32, threads: u32, arguments: &[*const ()]| {
            // SAFETY: the arguments match the kernels, and point to the frame.
            unsafe { twins().launch(kernel, [blocks, 1], [threads, 1], arguments) };
        };
        let first = clock.control.number;
        loop {
            let (before, _) = seen();
            let frame_params = self.params_of(frame, 0, computed, before.way as usize);
            let frame_params = Params { step_constants: to.step_constants, ..frame_params };
            let params = if self.listing.is_some() {
                let now = self.params(frame, 0, computed);
                self.list(
                    Params { step_constants: to.step_constants, ..now },
                    Some((frame_params, to)),
                )
            } else {
                launch("tick", 1, 1, &[argument(&to)]);
                launch("sample", 3, 32 * SAMPLING_WARPS, &[argument(&frame_params), argument(&to)]);
                frame_params
            };
            let (now, step_constants) = seen();
            if step_constants.way == 2 {
                break;
            }
            assert_eq!(step_constants.way, before.way);
            let (number, dt, start, end) = (
                step_constants.half_step / 2,
                step_constants.dt,
                before.control.time,
                now.control.time,
            );
            let step = timeline.step(Stride { number, dt, start, end });
            self.step(frame, 0, &step, &params);
            // SAFETY: no kernel is running.
            unsafe { (*(to.clock as *mut Clock)).control.rate = f32::from_bits(self.rate) };
            self.rate = 0;
            watch.record(self.totals[0].maxima(), end);
            // Occasionally, no more than this are launched.
            if number - first == 4 {
                break;
            }
        }
        let frame_params = self.params_of(frame, 0, computed, seen().0.way as usize);
        if let Some(listing) = &mut self.listing {
            let chunks = (frame_params.chunks_across * frame_params.chunks_down) as u32;
            listing.taken_over = false;
            let small = listing.params(frame_params, 0);
            let arguments = [argument(&frame_params), argument(&small)];
            launch("take_over", chunks.div_ceil(256), 256, &arguments);
        }
        launch("end_samples", 1, 1, &[argument(&to)]);
        launch("sample", 3, 32 * SAMPLING_WARPS, &[argument(&frame_params), argument(&to)]);
        let (clock, _) = seen();
        *control = clock.control;
        samples.take(clock.samples as usize);
    }

    /// Returns whether one kernel does both the mass and the momentum update.
    fn fuses(&self) -> bool {
        Edges::of(&self.problem).fuses_momentum(self.problem.solver.info())
    }

    /// Moves water.
    fn flow(&self, params: &Params, subdomain: usize) {
        let info = self.problem.solver.info();
        if info.has_momentum() && !self.fuses() {
            // Velocities depend on the new water one cell further away.
            let wide = Params { computed: params.computed.grown(1), ..*params };
            if info.order > 1 && params.active != 0 {
                self.chunks(&self.flow, "flux", &wide, &[]);
            }
            self.chunks(&self.flow, "flow", &wide, &[]);
            // If velocities are updated per chunk, the same kernel looks the levels up.
            if params.active != 0 {
                self.levels(params, subdomain, 1);
            }
            self.chunks(&self.flow, "momentum_update", params, &[]);
        } else {
            self.chunks(&self.flow, "flow", params, &[]);
        }
    }
}

impl Frames for KernelWorker {
    type Frame = KernelFrame;

    fn allocate(&mut self, _: usize, columns: usize, rows: usize) -> Result<KernelFrame> {
        let shape = Shape::new(columns, rows, CHUNK_ROWS);
        let arrays = |&(field, count): &(Field, usize)| {
            (field, (0..count).map(|_| Array::new(shape)).collect::<Vec<_>>())
        };
        let fields = self.arrays.fields.iter().map(arrays).collect();
        Ok(KernelFrame {
            flags: Array::new(shape),
            fields,
            tables: Vec::new(),
            deepest: [vec![0; shape.chunks], vec![0; shape.chunks]],
            special: vec![0; shape.chunks],
            saved: Default::default(),
            shape,
        })
    }

    fn load(
        &mut self,
        frame: &mut KernelFrame,
        padded_grid: &PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let columns = padded_grid.columns;
        *frame = self.allocate(0, extent.columns, extent.rows)?;
        frame.flags.load(&padded_grid.flags, columns, extent, extent);
        for (field, arrays) in &mut frame.fields {
            if let Some(cells) = padded_grid.find(*field) {
                let area = if padded_grid.is_diagnostic(*field) { own } else { extent };
                arrays[0].load(cells, columns, area, extent);
            }
        }
        let planes = frame.fields.iter().filter(|(field, _)| matches!(field, Field::Table(_)));
        frame.tables = planes.flat_map(|(_, arrays)| arrays[0].cells.iter().copied()).collect();
        self.survey(frame, subdomain, true);
        Ok(())
    }

    fn store(
        &mut self,
        frame: &mut KernelFrame,
        padded_grid: &mut PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let columns = padded_grid.columns;
        for (field, arrays) in &frame.fields {
            if let Some(cells) = padded_grid.to(*field) {
                arrays[0].store(cells, columns, own, extent);
            }
        }
        Ok(())
    }

    fn read(
        &self,
        frame: &KernelFrame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()> {
        let (_, arrays) =
            frame.fields.iter().find(|(stored, _)| *stored == field).expect("a field of the frame");
        let extent = self.subdomains[subdomain].extent;
        for (row, to) in to.chunks_exact_mut(area.columns).enumerate() {
            let start = (area.row - extent.row + row + 1) * frame.shape.stride + area.column
                - extent.column;
            to.copy_from_slice(&arrays[0].cells[start..start + area.columns]);
        }
        Ok(())
    }

    fn write(&mut self, _: &mut KernelFrame, _: usize, _: Field, _: Rect, _: &[u32]) -> Result<()> {
        unreachable!("no other rank takes part")
    }

    fn read_water(
        &mut self,
        _: &mut KernelFrame,
        _: usize,
        _: &[(usize, usize)],
    ) -> Result<Vec<i32>> {
        unreachable!("subdomains step its links themselves")
    }

    fn add_water(
        &mut self,
        _: &mut KernelFrame,
        _: usize,
        _: (usize, usize),
        _: i32,
    ) -> Result<()> {
        unreachable!("subdomains step its links themselves")
    }
}

impl HaloExchange for KernelWorker {
    fn state(&self) -> Vec<Field> {
        Vec::new()
    }

    fn receive_halo(
        &mut self,
        frame: &mut KernelFrame,
        subdomain: usize,
        (from, other): (&KernelFrame, usize),
        area: Rect,
    ) -> Result<()> {
        let [here, there] = [subdomain, other].map(|subdomain| self.subdomains[subdomain].extent);
        for ((field, to), (_, from)) in frame.fields.iter_mut().zip(&from.fields) {
            if field.role(&self.problem) != FieldRole::State {
                continue;
            }
            let (to, from) = (&mut to[0], &from[0]);
            for row in area.row..area.row + area.rows {
                let start = |extent: Rect, stride: usize| {
                    (row - extent.row + 1) * stride + area.column - extent.column
                };
                let (i, j) = (start(here, to.stride), start(there, from.stride));
                to.cells[i..i + area.columns].copy_from_slice(&from.cells[j..j + area.columns]);
            }
        }
        Ok(())
    }

    fn complete_halo(&mut self, frame: &mut KernelFrame, subdomain: usize) -> Result<()> {
        self.survey(frame, subdomain, false);
        Ok(())
    }
}

impl Rollback for KernelWorker {
    fn checkpoint_frame(&mut self, frame: &mut KernelFrame) -> Result<()> {
        let arrays = frame.fields.iter().map(|(_, arrays)| arrays[0].cells.clone());
        frame.saved = (arrays.collect(), frame.deepest[0].clone());
        Ok(())
    }

    fn rollback_frame(&mut self, frame: &mut KernelFrame) -> Result<()> {
        for ((_, arrays), saved) in frame.fields.iter_mut().zip(&frame.saved.0) {
            arrays[0].cells.copy_from_slice(saved);
        }
        frame.deepest[0].copy_from_slice(&frame.saved.1);
        Ok(())
    }

    fn checkpoint_sums(&mut self) -> Result<()> {
        self.saved = (self.totals.clone(), self.port_volumes.clone(), self.link_states.clone());
        Ok(())
    }

    fn rollback_sums(&mut self) -> Result<()> {
        self.totals.clone_from(&self.saved.0);
        // Kernels know its address.
        self.port_volumes.copy_from_slice(&self.saved.1);
        self.link_states.clone_from(&self.saved.2);
        Ok(())
    }
}

impl StepSampling for KernelWorker {
    fn request_samples(&mut self, wanted: &SampleRequest) -> Result<bool> {
        self.samples = Some(Samples::new(wanted, self.port_volumes.len()));
        Ok(true)
    }

    fn set_sample_times(&mut self, times: &[f64]) {
        let samples = self.samples.as_mut().expect("samples were requested");
        samples.times = [times, &[f64::INFINITY]].concat();
    }

    fn collect_samples(&mut self) -> Vec<Sampled> {
        self.samples.as_mut().map_or(Vec::new(), |samples| std::mem::take(&mut samples.taken))
    }
}

impl Worker for KernelWorker {
    fn count_water(&mut self, frame: &mut KernelFrame, subdomain: usize) -> Result<()> {
        (self.totals[subdomain].stored, self.totals[subdomain].wet) = (0, 0);
        let params = self.params(frame, subdomain, self.subdomains[subdomain].own);
        self.chunks(twins(), "count", &params, &[]);
        Ok(())
    }

    fn advance(
        &mut self,
        frame: &mut KernelFrame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        for (index, (&computed, step)) in computed.iter().zip(steps).enumerate() {
            let mut step_constants = StepConstants {
                half_step: 2 * step.number,
                phase: phase(step.number),
                end: step.end,
                dt: step.dt,
                start: step.start,
                elapsed_start: step.elapsed[0],
                elapsed_end: step.elapsed[1],
                ..StepConstants::default()
            };
            let step_constants = &raw mut step_constants as u64;
            let params = Params { step_constants, ..self.params(frame, subdomain, computed) };
            let params = self.list(params, None);
            self.step(frame, subdomain, step, &params);
            let rate = f32::from_bits(std::mem::take(&mut self.rate));
            StepFindings::add(
                &mut self.found,
                index,
                rate,
                (subdomain, self.totals[subdomain].maxima()),
            );
        }
        Ok(())
    }

    fn advance_adaptive(
        &mut self,
        frame: &mut KernelFrame,
        computed: Rect,
        run: Timed,
    ) -> Result<()> {
        match self.samples.take() {
            Some(mut samples) => {
                self.by_the_clock(frame, computed, run, &mut samples);
                self.samples = Some(samples);
            }
            None => {
                while let Some(stride) = run.control.stride(run.limits, run.until) {
                    let step = run.timeline.step(stride);
                    self.advance(frame, 0, &[computed], std::slice::from_ref(&step))?;
                    run.control.rate =
                        self.collect_findings()?.first().map_or(0.0, |found| found.rate);
                    run.watch.record(self.totals[0].maxima(), stride.end);
                }
            }
        }
        Ok(())
    }

    fn record_diagnostics(&mut self, _: &mut KernelFrame, _: usize, _: f32) -> Result<()> {
        Ok(())
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(())
    }

    fn collect_findings(&mut self) -> Result<Vec<StepFindings>> {
        Ok(std::mem::take(&mut self.found))
    }

    fn collect_totals(&mut self) -> Result<Vec<Totals>> {
        Ok(self.totals.iter().map(Totals::from).collect())
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        Ok(BoundaryVolumes::of(self.port_volumes.as_flattened()))
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        Ok(Vec::new())
    }

    fn link_states(&self) -> Result<Vec<Vec<LinkState>>> {
        Ok(self.link_states.clone())
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        self.problem.forcing.tables = tables.to_vec();
        Ok(())
    }

    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()> {
        self.link_states = states.to_vec();
        Ok(())
    }

    fn describe(&self) -> String {
        "kernels on a host".into()
    }
}
