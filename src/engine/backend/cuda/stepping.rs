//! Steps of a frame: the launches of a single step, and of many at once.
//!
//! If a step takes only a few microseconds, launching its kernels one by one takes longer than
//! computing them. So [`STEPS_PER_GRAPH`] steps are recorded once as a graph and then launched
//! together; everything that changes from step to step is in device memory
//! ([`crate::backend::cuda::clock::step_constants`]).

use crate::backend::cuda::clock::clock_params::Ticking;
use crate::backend::cuda::clock::sampling::DeviceSamples;
use crate::backend::cuda::clock::step_constants::{ConstantAddresses, HELD, STEPS_PER_GRAPH};
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::frame::{Frame, Recorded};
use crate::backend::cuda::launch::{LevelUpdate, RainShares};
use crate::backend::cuda::listing::{LISTED_STEPS, Listing};
use crate::backend::cuda::options::ChunkList;
use crate::backend::cuda::params::{Params, Totals};
use crate::backend::cuda::worker::{CellShare, CudaWorker};
use crate::backend::worker::Timed;
use crate::error::Result;
use crate::forcing::sites::SiteTiming;
use crate::forcing::step::Step;
use crate::forcing::{Account, Increment};
use crate::step::{STAGES, Stage, asks_levels};
use crate::tiling::rect::Rect;
use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};

/// Maximum number of cells of a frame for launching many steps at once: with more, a step takes
/// much longer than its launch.
const SMALL: usize = 4 << 20;

/// Maximum number of steps that are launched one by one rather than as a graph in which most would
/// find nothing to do.
const FEW: u64 = 12;

/// Increment of a step without duration.
const NOTHING: Increment = Increment { before: 0, after: 0 };

/// Maximum number of sites that the single block preparing a step applies.
const PREPARED_SITES: u64 = 1 << 12;

/// Work done before the stages of a step by the kernel that prepares it.
#[derive(Clone, Copy, Default)]
struct Prepared {
    gauges: bool,
    sites: bool,
}

impl CudaWorker {
    /// Takes steps of a frame, computing `computed[i]` (padded grid) in step i.
    pub(super) fn take_steps(
        &mut self,
        frame: &mut Frame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        for (steps, computed) in steps.chunks(HELD).zip(computed.chunks(HELD)) {
            frame.step_constants.fill(&frame.stream, steps)?;
            let brings = |layer: &usize| {
                steps
                    .iter()
                    .any(|step| step.increments[*layer].after > step.increments[*layer].before)
            };
            let active: Vec<usize> = (0..steps[0].increments.len()).filter(brings).collect();
            // A graph is for one subdomain and one area; with several subdomains areas shrink from
            // step to step.
            let same = self.alone() && computed.windows(2).all(|pair| pair[0] == pair[1]);
            let small = frame.shape.cells <= SMALL;
            let together =
                if same && small { steps.len() / STEPS_PER_GRAPH * STEPS_PER_GRAPH } else { 0 };
            for first in (0..together).step_by(STEPS_PER_GRAPH) {
                frame.step_constants.show(&frame.stream, first)?;
                self.launch_together(frame, subdomain, computed[first], &active)?;
            }
            for index in together..steps.len() {
                let place = frame.step_constants.in_table(index);
                let brings = |layer: &usize| {
                    let increment = steps[index].increments[*layer];
                    increment.after > increment.before
                };
                let now: Vec<usize> = active.iter().copied().filter(brings).collect();
                let rate = self.log.as_ref().map_or(0, |log| log.rate(index));
                self.launch_step(frame, subdomain, computed[index], place, rate, &now)?;
                if let Some(log) = &self.log {
                    let launch = self.launch(frame);
                    launch.record_maxima(self.totals_of(subdomain), log.row(subdomain, index))?;
                }
            }
            if let Some(log) = &mut self.log {
                log.add(subdomain, steps.len());
            }
            frame.reached = steps.last().map_or(frame.reached, |step| step.number + 1);
        }
        Ok(())
    }

    /// Launches the steps in the window as a graph, which is recorded first if necessary, or again
    /// if the `active` rate layers change.
    fn launch_together(
        &self,
        frame: &mut Frame,
        subdomain: usize,
        computed: Rect,
        active: &[usize],
    ) -> Result<()> {
        let way = usize::from(frame.swapped);
        self.launch_recorded(frame, subdomain, way, active, |frame, index| {
            let place = frame.step_constants.in_window(index);
            self.launch_step(frame, subdomain, computed, place, 0, active)
        })
    }

    /// Launches one of the frame's graphs, recording it if it is missing or has other layers or marches.
    fn launch_recorded(
        &self,
        frame: &mut Frame,
        subdomain: usize,
        which: usize,
        active: &[usize],
        step: impl FnMut(&mut Frame, usize) -> Result<()>,
    ) -> Result<()> {
        let marches = self.marches(subdomain);
        let fits = |recorded: &Recorded| recorded.layers == active && recorded.marches == marches;
        if !frame.graphs[which].as_ref().is_some_and(fits) {
            let graph = self.record(frame, step)?;
            frame.graphs[which] = Some(Recorded { graph, layers: active.to_vec(), marches });
        }
        let recorded = frame.graphs[which].as_ref().expect("just recorded");
        recorded.graph.launch().map_err(|error| failed("launching steps", error))
    }

    fn record(
        &self,
        frame: &mut Frame,
        mut step: impl FnMut(&mut Frame, usize) -> Result<()>,
    ) -> Result<CudaGraph> {
        let stream = frame.stream.clone();
        let recording = |error| failed("recording steps", error);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        stream.begin_capture(mode).map_err(recording)?;
        let mut launched = Ok(());
        for index in 0..STEPS_PER_GRAPH {
            launched = launched.and_then(|()| step(frame, index));
        }
        // The capture must end in any case.
        let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = stream.end_capture(flags);
        launched?;
        graph.map_err(recording)?.ok_or_else(|| {
            crate::error::Error::run("the GPU failed while recording steps: nothing was recorded")
        })
    }

    /// Takes adaptive steps in a frame that holds the whole padded grid; the device controls their
    /// length.
    pub(super) fn take_adaptive_steps(
        &mut self,
        frame: &mut Frame,
        computed: Rect,
        run: Timed,
    ) -> Result<()> {
        let Timed { limits, timeline, control, mut until, watch } = run;
        let totals = self.totals_of(0);
        let links = self.links[0].as_ref().map_or(0, |links| links.states.address());
        let port_volumes = self.ports.port_volumes.address();
        let extent = self.subdomains[0].extent;
        // Steps take no extra time if no sample time is near.
        let sampled = match &mut self.samples {
            Some(samples) => match samples.first(control, &mut until) {
                Some(first) => {
                    samples.send_times(
                        frame,
                        (extent.column, extent.row),
                        [port_volumes, links],
                    )?;
                    Some(first)
                }
                None => None,
            },
            None => None,
        };
        let samples = sampled.is_some();
        let sampling = self.samples.as_ref().map_or(0, DeviceSamples::address);
        let active = timeline.active(control.time, until.time.min(until.before));
        let listed = self.few(&active);
        let clock = self.clock.as_mut().expect("a timed solver has a clock");
        clock.set_active(&frame.stream, &active)?;
        let first_sample = sampled.unwrap_or(f64::INFINITY);
        clock.set(&frame.stream, control, until, first_sample, frame.way, watch)?;
        let tick = clock.tick(limits, totals, sampling);
        let steps = control.steps_ahead(limits, until);
        let frame_params = self.params(frame, 0, computed, 0);
        let small =
            self.listing.as_ref().filter(|_| listed).map(|listing| listing.params(frame_params));
        let launch = self.launch(frame);
        if let Some(small) = &small {
            launch.take_over(small, &frame_params)?;
        }
        let step = |frame: &mut Frame, index: usize| match listed {
            true => self.launch_listed(frame, computed, &tick, index),
            false => self.launch_adaptive(frame, computed, &tick, &active, samples),
        };
        let graph = if listed { 1 } else { 2 * usize::from(samples) };
        // Steps beyond the last one needed have nothing to do, but take some time to find out.
        let single = match listed || frame.shape.cells <= SMALL {
            true if steps % STEPS_PER_GRAPH as u64 > FEW => 0,
            true => steps % STEPS_PER_GRAPH as u64,
            false => steps,
        };
        for _ in 0..(steps - single).div_ceil(STEPS_PER_GRAPH as u64) {
            self.launch_recorded(frame, 0, graph, &active, step)?;
        }
        for index in 0..single as usize {
            step(frame, index)?;
        }
        let launch = self.launch(frame);
        if let Some(small) = &small {
            launch.take_over(&frame_params, small)?;
        }
        if samples {
            launch.end_samples(&frame_params, &tick)?;
        }
        let clock = self.clock.as_ref().expect("a timed solver has a clock");
        let taken;
        (*control, frame.way, taken) = clock.read(&frame.stream, watch)?;
        if let Some(samples) = &mut self.samples {
            samples.fetch(&frame.stream, taken)?;
        }
        frame.reached = control.number;
        Ok(())
    }

    /// Launches the next step of the device's clock. The device remembers which of the double
    /// arrays is current.
    fn launch_adaptive(
        &self,
        frame: &Frame,
        computed: Rect,
        tick: &Ticking,
        active: &[usize],
        samples: bool,
    ) -> Result<()> {
        let launch = self.launch(frame);
        launch.tick(tick)?;
        let params =
            Params { step_constants: tick.step_constants, ..self.params(frame, 0, computed, 0) };
        if samples {
            launch.sample(&params, tick)?;
        }
        self.launch_stages(frame, 0, &params, tick.place(), active, Prepared::default())
    }

    /// Returns `true` if few cells are wet and no layer rains on the others.
    fn few(&self, active: &[usize]) -> bool {
        let rains = self.rains.iter().any(|rain| active.binary_search(&rain.layer).is_ok());
        let few = |listing: &Listing| match self.chunk_list {
            ChunkList::IfFewWet => listing.suits(self.wet),
            ChunkList::Always => true,
            ChunkList::Never => false,
        };
        !rains && self.listing.as_ref().is_some_and(few)
    }

    /// Launches the next step of the device's clock using the list of active chunks, which is
    /// rebuilt from time to time.
    fn launch_listed(
        &self,
        frame: &Frame,
        computed: Rect,
        tick: &Ticking,
        index: usize,
    ) -> Result<()> {
        let listing = self.listing.as_ref().expect("a list");
        let launch = self.launch(frame);
        let frame_params = self.params(frame, 0, computed, 0);
        let params = listing.params(Params { step_constants: tick.step_constants, ..frame_params });
        if index.is_multiple_of(LISTED_STEPS) {
            launch.list(&params, listing)?;
        }
        // Stages that come earlier must be done earlier.
        let place = tick.place();
        let mut sites =
            self.sites[0].acting(SiteTiming::BeforeFlow, place, self.law_tables.address);
        let mut gauging = self.gauges.gauging(0);
        let gauges = self.links[0].is_none();
        let prepared = Prepared {
            gauges,
            sites: gauges && !self.diagnostics.has_diagnostics() && sites.count <= PREPARED_SITES,
        };
        if !prepared.gauges {
            gauging.count = 0;
        }
        if !prepared.sites {
            sites.count = 0;
        }
        launch.prepare(&params, tick, listing, &gauging, &sites)?;
        self.launch_stages(frame, 0, &params, place, &[], prepared)
    }

    /// Launches one step of a subdomain for some cells, with its constants at `place`; a timed
    /// solver's CFL rate goes to `rate`. Of the layers of rain over the map, only those in `active`
    /// are launched.
    fn launch_step(
        &self,
        frame: &mut Frame,
        subdomain: usize,
        computed: Rect,
        place: ConstantAddresses,
        rate: u64,
        active: &[usize],
    ) -> Result<()> {
        let frame_params = self.params(frame, subdomain, computed, 0);
        let params = Params { step_constants: place.step_constants, rate, ..frame_params };
        self.launch_stages(frame, subdomain, &params, place, active, Prepared::default())?;
        frame.swap();
        Ok(())
    }

    /// Launches the stages of a step, except for those already prepared.
    fn launch_stages(
        &self,
        frame: &Frame,
        subdomain: usize,
        params: &Params,
        place: ConstantAddresses,
        active: &[usize],
        prepared: Prepared,
    ) -> Result<()> {
        let launch = self.launch(frame);
        let act = |when: SiteTiming| {
            launch.act(
                params,
                when,
                &self.sites[subdomain].acting(when, place, self.law_tables.address),
            )
        };
        let mut moved = false;
        for stage in STAGES {
            match stage {
                Stage::Links => {
                    let links = self.links[subdomain].as_ref();
                    links.map_or(Ok(()), |links| launch.link(params, links))?;
                }
                Stage::Record => {
                    self.launch_recording(frame, subdomain, params, !prepared.gauges)?
                }
                Stage::Rain => self.launch_rain(frame, params, place, active)?,
                Stage::Sites if prepared.sites => {}
                Stage::Sites => act(SiteTiming::BeforeFlow)?,
                Stage::Levels if !frame.has_tables() => {}
                Stage::Levels
                    if !asks_levels(moved, self.momentum, self.structures[subdomain].any()) => {}
                // Kernels that march down whole chunks look them up themselves.
                Stage::Levels
                    if params.active == 0 && (moved || !self.structures[subdomain].any()) => {}
                Stage::Levels => {
                    let Rect { columns, rows, .. } = self.subdomains[subdomain].extent;
                    let update = match moved {
                        true => LevelUpdate::AfterFlow,
                        false => LevelUpdate::BeforeFlow,
                    };
                    launch.levels(params, (columns, rows), update)?;
                }
                Stage::Losses => {
                    let loss_parameters = self.diagnostics.loss_parameters(place);
                    loss_parameters.map_or(Ok(()), |loss_parameters| {
                        launch.losses(params, &loss_parameters)
                    })?;
                }
                Stage::Structures => {
                    launch.over_structures(
                        params,
                        &self.structures[subdomain].parameters(place, self.law_tables.address),
                    )?;
                }
                Stage::Flow => {
                    launch.flow(params)?;
                    moved = true;
                }
                Stage::AfterFlow => act(SiteTiming::AfterFlow)?,
                Stage::Momentum => launch.momentum_update(params)?,
            }
        }
        Ok(())
    }

    /// Launches the recording of the state, including gauges if requested.
    fn launch_recording(
        &self,
        frame: &Frame,
        subdomain: usize,
        params: &Params,
        gauges: bool,
    ) -> Result<()> {
        let launch = self.launch(frame);
        if gauges {
            launch.gauge(params, &self.gauges.gauging(subdomain))?;
        }
        self.diagnostics
            .cell_diagnostics(frame)
            .map_or(Ok(()), |cell_diagnostics| launch.record_diagnostics(params, &cell_diagnostics))
    }

    /// Records the state of a frame at a time (s, or steps).
    pub(super) fn record_now(&self, frame: &mut Frame, subdomain: usize, time: f32) -> Result<()> {
        let number = frame.reached;
        let last = Step {
            number,
            dt: 0.0,
            start: time,
            end: time,
            elapsed: [time; 2],
            increments: vec![NOTHING; self.layers()],
            levels: vec![0; self.levels],
        };
        frame.step_constants.fill(&frame.stream, std::slice::from_ref(&last))?;
        let place = frame.step_constants.in_table(0);
        let own = self.subdomains[subdomain].own;
        let params = Params {
            step_constants: place.step_constants,
            ..self.params(frame, subdomain, own, frame.way)
        };
        self.launch_recording(frame, subdomain, &params, true)
    }

    /// Launches the sources over the map at the start of a step.
    fn launch_rain(
        &self,
        frame: &Frame,
        params: &Params,
        place: ConstantAddresses,
        active: &[usize],
    ) -> Result<()> {
        let launch = self.launch(frame);
        for rain in self.rains.iter().filter(|rain| active.binary_search(&rain.layer).is_ok()) {
            let falling = match rain.falls {
                CellShare::Whole => RainShares::default(),
                CellShare::Shares => {
                    let shares = frame.shares[rain.layer].as_ref().expect("a layer with shares");
                    RainShares { shares: frame.origin(shares, 4), zones: 0 }
                }
                CellShare::Zones { map, first } => RainShares {
                    shares: self.tables.address + (first * size_of::<u32>()) as u64,
                    zones: frame.origin(&frame.zones[map], 4),
                },
            };
            let total = match rain.account {
                Account::Rain => std::mem::offset_of!(Totals, rain),
                _ => std::mem::offset_of!(Totals, inflow),
            };
            let is_rain = rain.account == Account::Rain;
            let rate = place.increments + (rain.layer * size_of::<Increment>()) as u64;
            launch.rain(params, falling, rate, params.totals + total as u64, is_rain)?;
        }
        Ok(())
    }
}
