//! Backend made of a worker and its subdomains: the whole grid in one resident frame, strips of it
//! in resident frames on separate devices, or tiles that stream alternately through the worker's
//! memory.

mod epoch;
mod halo_exchange;
mod read;
mod streaming;

use super::linked::SharedLinks;
use super::padded_grid::PaddedGrid;
use super::worker::{Sampled, SubdomainForcing, Timed, Totals, Worker};
use super::{Backend, FluxStatistics, Sample, SampleRequest, Stop};
use crate::crossed_sides::CrossedSides;
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::GaugeState;
use crate::ledger::Ledger;
use crate::run_diagnostics::{Extremes, Maxima};
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, Subdomain, SubdomainPlan, on_padded_grid};
use crate::time_step::{Limits, StepControl, Until};
use rayon::prelude::*;
use read::CachedRows;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Number of frames for streaming tiles: one is being loaded, one stepped, one stored.
pub const FRAMES: usize = 3;

/// A worker that steps a grid.
pub struct TiledBackend<W: Worker> {
    worker: W,
    plan: SubdomainPlan,
    frames: Vec<W::Frame>,
    padded_grid: PaddedGrid,
    /// Set if a rate layer covers the whole domain.
    forced_everywhere: bool,
    /// Per subdomain: the subdomains whose own cells overlap its frame, including itself.
    near: Vec<Vec<usize>>,
    /// Set if there may be sources in single cells of a subdomain's frame.
    forced: Vec<bool>,
    timeline: Arc<Timeline>,
    /// Links between cells.
    links: SharedLinks,
    totals: Vec<Totals>,
    /// For both buffers of the padded grid, per subdomain: set if its own cells may hold water or a
    /// nonzero discharge.
    awake: [Vec<bool>; 2],
    /// At most one range of rows per field.
    cache: RefCell<Vec<CachedRows>>,
    /// Water counted since the last step, for a worker that counts on request.
    counted: RefCell<Option<Vec<(u64, u64)>>>,
    /// Per subdomain: set if the two buffers of its other fields differ.
    moved: Vec<bool>,
    /// Run diagnostics, with cell indices on the padded grid.
    watch: Extremes,
    /// Values to sample.
    wanted: SampleRequest,
    /// Number of epochs that were rolled back and repeated.
    redone: u64,
    /// Time spent on steps, and on halo exchange.
    spent: [Duration; 2],
}

/// Allocates the frames of a plan on the devices of a worker.
fn allocate<W: Worker>(worker: &mut W, plan: &SubdomainPlan) -> Result<Vec<W::Frame>> {
    let devices = worker.devices();
    let each = match plan.stays() {
        true => 1,
        false => FRAMES.min(plan.subdomains.len().div_ceil(devices)),
    };
    let (columns, rows) = plan.largest_frame();
    let devices = (0..devices.min(plan.subdomains.len())).flat_map(|at| (0..each).map(move |_| at));
    devices.map(|device| worker.allocate(device, columns, rows)).collect()
}

impl<W: Worker> TiledBackend<W> {
    /// Creates a backend for a worker that has been set up for the plan and its forcing; `timed` is
    /// set if the solver has physical time.
    pub fn new(
        mut worker: W,
        plan: SubdomainPlan,
        mut padded_grid: PaddedGrid,
        forcing: &[SubdomainForcing],
        forced_everywhere: bool,
        timeline: Timeline,
        timed: bool,
    ) -> Result<TiledBackend<W>> {
        let stays = plan.stays();
        let adopted = plan.steps.is_none().then(|| worker.adopt(&mut padded_grid)).flatten();
        let loads = adopted.is_none();
        let mut frames = match adopted {
            Some(frame) => vec![frame],
            None => allocate(&mut worker, &plan)?,
        };
        let totals: Vec<Totals>;
        if stays {
            for (subdomain, frame) in frames.iter_mut().enumerate() {
                if loads {
                    worker.load(frame, &padded_grid, subdomain)?;
                }
                worker.count_water(frame, subdomain)?;
            }
            totals = worker.collect_totals()?;
            // From now on the worker holds everything but the flags.
            padded_grid.let_go();
        } else {
            padded_grid.take_turns();
            if timed && plan.steps > Some(1) {
                padded_grid.hold_diagnostics();
            }
            worker.pin(&padded_grid);
            let subdomains = plan.subdomains.par_iter();
            totals = subdomains.map(|subdomain| padded_grid.count(subdomain.own)).collect();
        }
        if plan.spread && timed && plan.steps > Some(1) {
            // Allocate the rollback memory before anything begins.
            frames.iter_mut().try_for_each(|frame| worker.checkpoint_frame(frame))?;
        }
        let subdomains = plan.subdomains.len();
        let mut watch = padded_grid.watch_before;
        let (stride, columns) = (padded_grid.columns, padded_grid.columns - 2 * MARGIN);
        watch.maxima = watch.maxima.moved(|cell| {
            let (column, row) = on_padded_grid(cell, columns);
            row * stride + column
        });
        let flows = |subdomain: &Subdomain| {
            padded_grid.restored && !stays && padded_grid.remembers(subdomain.own)
        };
        let awake = plan.subdomains.iter().zip(&totals);
        let awake = awake.map(|(subdomain, totals)| totals.wet > 0 || flows(subdomain)).collect();
        let near = |subdomain: &Subdomain| {
            let others = plan.subdomains.iter().enumerate();
            others
                .filter(|(_, other)| other.own.meets(subdomain.extent))
                .map(|(at, _)| at)
                .collect()
        };
        let near = plan.subdomains.par_iter().map(near).collect();
        Ok(TiledBackend {
            worker,
            near,
            plan,
            frames,
            padded_grid,
            forced_everywhere,
            forced: forcing.iter().map(|forcing| !forcing.brings_nothing()).collect(),
            timeline: Arc::new(timeline),
            links: SharedLinks::default(),
            totals,
            awake: [awake, vec![false; subdomains]],
            cache: RefCell::default(),
            counted: RefCell::default(),
            moved: vec![false; subdomains],
            watch,
            wanted: SampleRequest::default(),
            redone: 0,
            spent: [Duration::ZERO; 2],
        })
    }

    /// Adds links between cells; the worker already has the local ones.
    pub fn linked(self, links: SharedLinks) -> TiledBackend<W> {
        TiledBackend { links, ..self }
    }

    /// Returns the plan of the subdomains.
    pub fn plan(&self) -> &SubdomainPlan {
        &self.plan
    }

    /// Returns the cells that each step of a subdomain computes.
    fn computed(&self, subdomain: usize, steps: usize) -> Vec<Rect> {
        self.plan.computed(&self.plan.subdomains[subdomain], steps)
    }

    /// Takes steps of a grid that is in one frame.
    fn advance_whole(&mut self, steps: &[Step]) -> Result<()> {
        let computed = self.computed(0, steps.len());
        self.worker.advance(&mut self.frames[0], 0, &computed, steps)
    }

    /// Counts the water of a grid in resident frames.
    fn recount_water(&mut self) -> Result<()> {
        for (subdomain, frame) in
            self.frames.iter_mut().enumerate().filter(|_| !W::COUNTS_ON_REQUEST)
        {
            self.worker.count_water(frame, subdomain)?;
        }
        self.totals = self.worker.collect_totals()?;
        Ok(())
    }

    /// Returns the water (grains) and number of wet cells of each subdomain.
    fn water_counts(&self) -> Vec<(u64, u64)> {
        if W::COUNTS_ON_REQUEST && self.plan.stays() {
            let counted =
                || self.frames.iter().map(|frame| self.worker.count_on_request(frame)).collect();
            return self.counted.borrow_mut().get_or_insert_with(counted).clone();
        }
        self.totals.iter().map(|totals| (totals.stored, totals.wet)).collect()
    }

    fn is_whole(&self) -> bool {
        self.plan.steps.is_none()
    }
}

impl<W: Worker> Backend for TiledBackend<W> {
    fn advance(&mut self, steps: &[Step]) -> std::result::Result<(), Stop> {
        self.cache.borrow_mut().clear();
        *self.counted.borrow_mut() = None;
        match self.plan.steps {
            None => self.advance_whole(steps).map_err(Stop::Failed)?,
            Some(_) => {
                for steps in steps.chunks(self.steps_per_round()) {
                    self.advance_parts(steps).map_err(Stop::Failed)?;
                    self.accept_steps().map_err(Stop::Failed)?;
                    self.check_depth()?;
                }
            }
        }
        if self.plan.stays() {
            self.recount_water().map_err(Stop::Failed)?;
        }
        self.check_depth()
    }

    fn advance_adaptive(
        &mut self,
        control: &mut StepControl,
        limits: Limits,
        until: Until,
    ) -> std::result::Result<(), Stop> {
        self.cache.borrow_mut().clear();
        *self.counted.borrow_mut() = None;
        if self.is_whole() {
            let computed = self.computed(0, 1)[0];
            let (timeline, watch) = (&*self.timeline, &mut self.watch);
            let run = Timed { limits, timeline, control: &mut *control, until, watch };
            let adaptive = self.worker.advance_adaptive(&mut self.frames[0], computed, run);
            adaptive.and_then(|()| self.recount_water()).map_err(Stop::Failed)?;
            // No later step has recorded the time of the last step's findings.
            self.watch.record(self.maxima(), control.time);
            return self.check_depth();
        }
        loop {
            let mut strides = control.epoch(limits, until);
            strides.truncate(self.steps_per_round());
            if strides.is_empty() {
                break;
            }
            self.advance_epoch(control, limits, &strides, until).map_err(Stop::Failed)?;
            self.check_depth()?;
        }
        if self.plan.stays() {
            self.recount_water().map_err(Stop::Failed)?;
        }
        Ok(())
    }

    fn timeline(&self) -> Arc<Timeline> {
        self.timeline.clone()
    }

    fn set_forcing(&mut self, timeline: Arc<Timeline>) -> Result<()> {
        for frame in &mut self.frames {
            self.worker.set_forcing(frame, &timeline)?;
        }
        self.timeline = timeline;
        Ok(())
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        self.worker.set_tables(tables)
    }

    fn request_samples(&mut self, wanted: &SampleRequest) -> Result<bool> {
        if !self.is_whole() {
            return Ok(false);
        }
        let place = |&(field, place): &(Field, _)| (field, self.place(field, place));
        let places = wanted.places.iter().map(place).collect();
        self.wanted = SampleRequest { places, ..*wanted };
        self.worker.request_samples(&self.wanted)
    }

    fn set_sample_times(&mut self, times: &[f64]) {
        self.worker.set_sample_times(times);
    }

    fn collect_samples(&mut self) -> Vec<[Sample; 2]> {
        let seen = self.worker.collect_samples();
        // Before a step and after it.
        let pairs = seen.windows(2).filter(|pair| pair[1].number == pair[0].number + 1);
        pairs.map(|pair| [0, 1].map(|at| self.sample_of(&pair[at]))).collect()
    }

    fn flux_statistics(&self) -> FluxStatistics {
        let mut all = self.padded_grid.crossed_before;
        self.totals.iter().for_each(|totals| all += totals.crossed);
        all
    }

    fn extremes(&self) -> Extremes {
        let (columns, _) = self.shape();
        let stride = self.padded_grid.columns;
        let maxima = self.watch.maxima.moved(|cell| {
            let (row, column) = (cell / stride, cell % stride);
            (row - MARGIN) * columns + column - MARGIN
        });
        Extremes { maxima, ..self.watch }
    }

    fn steps_at_once(&self) -> Option<u64> {
        match self.plan.steps {
            // Batches gain nothing if each step is waited for.
            None if W::COUNTS_ON_REQUEST => None,
            steps => Some(steps.map_or(1, |steps| steps as u64)),
        }
    }

    fn epochs_redone(&self) -> u64 {
        self.redone
    }

    fn exchange_share(&self) -> Option<f64> {
        let [steps, exchange] = self.spent.map(|spent| spent.as_secs_f64());
        (steps > 0.0).then(|| exchange / (steps + exchange))
    }

    fn link_states(&self) -> Result<Vec<LinkState>> {
        Ok(self.links.gathered(&self.worker.link_states()?))
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        let mut port_volumes = self.padded_grid.port_volumes_before.clone();
        port_volumes.add_all(&self.worker.boundary_volumes()?);
        Ok(port_volumes)
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        self.worker.gauge_states()
    }

    fn shape(&self) -> (usize, usize) {
        (self.padded_grid.columns - 2 * MARGIN, self.padded_grid.rows - 2 * MARGIN)
    }

    fn crossed_sides(&self, cells: Range<usize>) -> Vec<(usize, CrossedSides)> {
        let (PaddedGrid { flags, columns, .. }, width) = (&self.padded_grid, self.shape().0);
        let sides = |cell: usize| {
            let (column, row) = on_padded_grid(cell, width);
            (cell, CrossedSides::of(flags, row * columns + column, *columns))
        };
        cells.map(sides).filter(|(_, sides)| sides.any()).collect()
    }

    fn ledger(&self) -> Ledger {
        let mut ledger = self.ledger_of(&self.totals);
        ledger.stored = self.water_counts().iter().map(|count| i128::from(count.0)).sum();
        ledger
    }

    fn wet_cells(&self) -> usize {
        self.water_counts().iter().map(|count| count.1 as usize).sum()
    }

    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        if self.plan.stays() {
            return self.read_line(field, line, to);
        }
        let (column, row) = self.place(field, (0, line));
        let start = row * self.padded_grid.columns + column;
        to.copy_from_slice(&self.padded_grid.of(field)[start..start + to.len()]);
        Ok(())
    }

    fn read_lines(&self, field: Field, first: usize, to: &mut [u32]) -> Result<()> {
        let (width, _) = field.shape(self.shape());
        if self.plan.stays() {
            return self.fetch_lines(field, first, width, to);
        }
        let (column, row) = self.place(field, (0, first));
        let lines = self.padded_grid.of(field)[row * self.padded_grid.columns..]
            .chunks(self.padded_grid.columns);
        let lines: Vec<&[u32]> = lines.take(to.len() / width).collect();
        let copy = |(to, from): (&mut [u32], &[u32])| {
            to.copy_from_slice(&from[column..column + to.len()]);
        };
        to.par_chunks_exact_mut(width).zip(lines).for_each(copy);
        Ok(())
    }

    fn read_places(&self, field: Field, places: &[(usize, usize)], to: &mut [u32]) -> Result<()> {
        let places: Vec<_> = places.iter().map(|&place| self.place(field, place)).collect();
        if self.plan.stays() {
            return self.fetch_places(field, &places, to);
        }
        let array = self.padded_grid.of(field);
        for ((column, row), to) in places.into_iter().zip(to) {
            *to = array[row * self.padded_grid.columns + column];
        }
        Ok(())
    }

    fn conclude(&mut self, time: f64) -> Result<()> {
        self.cache.borrow_mut().clear();
        if self.plan.stays() {
            let mut frames = self.frames.iter_mut().enumerate();
            frames.try_for_each(|(subdomain, frame)| {
                self.worker.record_diagnostics(frame, subdomain, time as f32)
            })?;
        } else {
            self.record_tiles(time as f32)?;
        }
        self.totals = self.worker.collect_totals()?;
        self.watch.record(self.maxima(), time);
        Ok(())
    }

    fn tile(&self) -> (usize, usize) {
        self.plan.tile
    }

    fn describe(&self) -> String {
        let tiles = self.plan.subdomains.len();
        match self.plan.steps {
            None => self.worker.describe(),
            Some(steps) if self.plan.spread => {
                format!("{}, {tiles} strips that meet every {steps} steps", self.worker.describe())
            }
            Some(steps) => {
                format!("{}, {tiles} tiles in turns of up to {steps} steps", self.worker.describe())
            }
        }
    }
}

impl<W: Worker> TiledBackend<W> {
    /// Computes the ledger from the totals, without the stored water.
    fn ledger_of(&self, totals: &[Totals]) -> Ledger {
        let mut ledger = self.padded_grid.before;
        for totals in totals {
            ledger.rain += i128::from(totals.rain);
            ledger.inflow += i128::from(totals.inflow);
            ledger.losses += i128::from(totals.losses);
            ledger.take(totals.taken);
            ledger.outflow += i128::from(totals.outflow);
        }
        ledger
    }

    /// Converts a worker's sample to the run's.
    fn sample_of(&self, seen: &Sampled) -> Sample {
        let mut ledger = self.ledger_of(std::slice::from_ref(&seen.totals));
        ledger.stored = i128::from(seen.totals.stored);
        let mut port_volumes = BoundaryVolumes::default();
        if self.wanted.ports {
            port_volumes.add_all(&self.padded_grid.port_volumes_before);
            port_volumes.add_all(&seen.port_volumes);
        }
        let links = if self.wanted.links { seen.links.clone() } else { Vec::new() };
        Sample {
            number: seen.number,
            time: seen.time,
            ledger,
            wet_cells: seen.totals.wet as usize,
            port_volumes,
            links,
            bits: seen.bits.clone(),
        }
    }

    /// Returns the maxima over all subdomains, with cell indices on the padded grid.
    fn maxima(&self) -> Maxima {
        let subdomains = self.totals.iter().enumerate();
        let moved =
            subdomains.map(|(subdomain, totals)| self.on_padded_grid(subdomain, totals.maxima));
        moved.fold(Maxima::default(), Maxima::with)
    }

    /// Converts the maxima of a subdomain to cell indices on the padded grid.
    fn on_padded_grid(&self, subdomain: usize, maxima: Maxima) -> Maxima {
        let Rect { column: first, row: top, columns, .. } = self.plan.subdomains[subdomain].extent;
        maxima.moved(|cell| {
            let (row, column) = (cell / columns, cell % columns);
            (row + top) * self.padded_grid.columns + column + first
        })
    }

    /// Distributes the owners' link states to all subdomains before a round of steps, and returns
    /// them.
    fn share_links(&mut self) -> Result<Vec<Vec<LinkState>>> {
        if !self.links.any_local() {
            return Ok(Vec::new());
        }
        let mut states = self.worker.link_states()?;
        if self.links.are_shared() {
            self.links.share(&mut states);
            self.worker.set_link_states(&states)?;
        }
        Ok(states)
    }

    /// Returns the maximum number of steps per round. Links that are handled centrally need the
    /// whole grid before each step.
    fn steps_per_round(&self) -> usize {
        if self.links.between.is_empty() { self.plan.steps.unwrap_or(usize::MAX) } else { 1 }
    }

    fn check_depth(&self) -> std::result::Result<(), Stop> {
        match self.totals.iter().filter_map(|totals| totals.too_deep).min() {
            Some(step) => Err(Stop::TooDeep { step }),
            None => Ok(()),
        }
    }
}
