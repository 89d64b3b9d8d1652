//! The steps of a frame: what is launched for one, and many launched at once.
//!
//! Where a step takes but a few microseconds, launching its kernels one by one takes longer than
//! computing them. So [`AT_ONCE`] steps are recorded as a graph, once, and launched together after
//! that; what changes from step to step lies in the device's memory ([`super::moments`]).

use super::failure::failed;
use super::frame::Frame;
use super::moments::{AT_ONCE, HELD, Place};
use super::params::{Increment, Params, Totals};
use super::program::{Launch, Tick};
use super::worker::CudaWorker;
use crate::backend::Step;
use crate::error::Result;
use crate::forcing::Account;
use crate::pace::{Limits, Pace, Until};
use crate::tiling::plan::Rect;
use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};

/// Cells of a frame up to which steps are launched many at once: beyond, a step takes much longer than
/// its launch.
const SMALL: usize = 4 << 20;

impl CudaWorker {
    /// Takes steps of a frame, computing `computed[i]` (canvas) in step i.
    pub(super) fn take_steps(
        &mut self,
        frame: &mut Frame,
        visit: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        for (steps, computed) in steps.chunks(HELD).zip(computed.chunks(HELD)) {
            frame.moments.fill(&frame.stream, steps)?;
            // A graph is of one visit and one area; with several visits areas shrink from step to step.
            let same = self.alone() && computed.windows(2).all(|pair| pair[0] == pair[1]);
            let small = frame.shape.cells <= SMALL;
            let together = if same && small { steps.len() / AT_ONCE * AT_ONCE } else { 0 };
            for first in (0..together).step_by(AT_ONCE) {
                frame.moments.show(&frame.stream, first)?;
                self.launch_together(frame, visit, computed[first])?;
            }
            for index in together..steps.len() {
                let place = frame.moments.in_table(index);
                self.launch_step(frame, visit, computed[index], place, Some(&steps[index]))?;
            }
            frame.reached = steps.last().map_or(frame.reached, |step| step.number + 1);
        }
        Ok(())
    }

    /// The steps in the window, as a graph that is recorded the first time.
    fn launch_together(&self, frame: &mut Frame, visit: usize, computed: Rect) -> Result<()> {
        let way = usize::from(frame.turned);
        if frame.graphs[way].is_none() {
            frame.graphs[way] = Some(self.record(frame, |frame, index| {
                let place = frame.moments.in_window(index);
                self.launch_step(frame, visit, computed, place, None)
            })?);
        }
        let graph = frame.graphs[way].as_ref().expect("just recorded");
        graph.launch().map_err(|error| failed("launching steps", error))
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
        for index in 0..AT_ONCE {
            launched = launched.and_then(|()| step(frame, index));
        }
        // The capture must end whatever happened.
        let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = stream.end_capture(flags);
        launched?;
        graph.map_err(recording)?.ok_or_else(|| {
            crate::error::Error::run("the GPU failed while recording steps: nothing was recorded")
        })
    }

    /// Takes steps of a timed rule in a frame that holds the whole canvas, whose lengths the device finds.
    pub(super) fn take_paced_steps(
        &mut self,
        frame: &mut Frame,
        computed: Rect,
        limits: Limits,
        pace: &mut Pace,
        until: Until,
    ) -> Result<()> {
        let totals = self.totals_of(0);
        let clock = self.clock.as_mut().expect("a timed rule has a clock");
        clock.set(&frame.stream, pace, until, frame.way)?;
        let tick = clock.tick(limits, totals);
        let steps = pace.steps_to_come(limits, until);
        if frame.shape.cells <= SMALL {
            // Steps beyond the last one wanted find nothing to do.
            for _ in 0..steps.div_ceil(AT_ONCE as u64) {
                if frame.graphs[0].is_none() {
                    let graph =
                        self.record(frame, |frame, _| self.launch_paced(frame, computed, &tick))?;
                    frame.graphs[0] = Some(graph);
                }
                let graph = frame.graphs[0].as_ref().expect("just recorded");
                graph.launch().map_err(|error| failed("launching steps", error))?;
            }
        } else {
            for _ in 0..steps {
                self.launch_paced(frame, computed, &tick)?;
            }
        }
        let clock = self.clock.as_ref().expect("a timed rule has a clock");
        (*pace, frame.way) = clock.read(&frame.stream)?;
        frame.reached = pace.number;
        Ok(())
    }

    /// Launches the next step of the device's clock. Which of the double arrays is now, the device knows.
    fn launch_paced(&self, frame: &mut Frame, computed: Rect, tick: &Tick) -> Result<()> {
        let launch = Launch { program: &self.program, stream: &frame.stream };
        launch.tick(tick)?;
        let params = Params { moment: tick.place.moment, ..self.params(frame, 0, computed, 0) };
        self.launch_forcing(frame, 0, &params, tick.place, None)?;
        self.launch_flow(frame, 0, &params)
    }

    /// Launches what one step takes, its constants being at `place`. Knowing the `step`, layers that
    /// bring nothing are left out.
    fn launch_step(
        &self,
        frame: &mut Frame,
        visit: usize,
        computed: Rect,
        place: Place,
        step: Option<&Step>,
    ) -> Result<()> {
        let params = Params { moment: place.moment, ..self.params(frame, visit, computed, 0) };
        self.launch_forcing(frame, visit, &params, place, step)?;
        self.launch_flow(frame, visit, &params)?;
        frame.turn();
        Ok(())
    }

    /// Water flows, and leaves.
    fn launch_flow(&self, frame: &Frame, visit: usize, params: &Params) -> Result<()> {
        let launch = Launch { program: &self.program, stream: &frame.stream };
        let pours = &self.pours[visit];
        let (first, count) = (pours.address(pours.free.start), pours.free.len());
        if count == 0 {
            return launch.flow(params);
        }
        launch.run_out(false, params, first, count, pours.noted.address)?;
        launch.flow(params)?;
        launch.run_out(true, params, first, count, pours.noted.address)
    }

    /// Water that comes at the start of a step.
    fn launch_forcing(
        &self,
        frame: &Frame,
        visit: usize,
        params: &Params,
        place: Place,
        step: Option<&Step>,
    ) -> Result<()> {
        let launch = Launch { program: &self.program, stream: &frame.stream };
        let brings = |layer: usize| {
            step.is_none_or(|step| step.increments[layer].after > step.increments[layer].before)
        };
        if let Some(links) = &self.links {
            launch.link(params, links)?;
        }
        for rain in self.rains.iter().filter(|rain| brings(rain.layer)) {
            let shares = if rain.shares { &frame.shares[rain.layer] } else { &None };
            let shares = shares.as_ref().map_or(0, |shares| frame.origin(shares, 4));
            let total = match rain.account {
                Account::Rain => std::mem::offset_of!(Totals, rain),
                Account::Inflow => std::mem::offset_of!(Totals, inflow),
            };
            let rate = place.increments + (rain.layer * size_of::<Increment>()) as u64;
            launch.rain(params, shares, rate, params.totals + total as u64)?;
        }
        let pours = &self.pours[visit];
        if !pours.rates.is_empty() {
            let first = pours.address(pours.rates.start);
            launch.pour(params, first, pours.rates.len(), place.increments)?;
        }
        if !pours.top_ups.is_empty() {
            launch.top_up(params, pours.address(pours.top_ups.start), pours.top_ups.len())?;
        }
        if !pours.held.is_empty() {
            let first = pours.address(pours.held.start);
            launch.hold(params, first, pours.held.len(), place.levels)?;
        }
        Ok(())
    }
}
