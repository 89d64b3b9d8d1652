//! Workers: processors with their own memory, which hold frames of the grid and step them.

use super::SampleRequest;
use super::padded_grid::PaddedGrid;
pub use super::sites::SubdomainForcing;
pub use super::totals::Totals;
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::GaugeState;
use crate::run_diagnostics::{Extremes, Maxima};
use crate::tiling::rect::Rect;
use crate::time_step::{Limits, StepControl, Until};
use serde::{Deserialize, Serialize};

/// CFL rate and maxima that subdomains found in a step.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct StepFindings {
    /// CFL rate: 1 / the longest step that the flow on the computed edges allows (s⁻¹); 0 if it
    /// allows any.
    pub rate: f32,
    /// Per subdomain that took the step, its index and its [`Totals::maxima`] afterwards.
    pub maxima: Vec<(usize, Maxima)>,
}

impl StepFindings {
    /// Merges the findings of one subdomain's step into the findings of all subdomains; steps are
    /// counted from 0.
    pub fn add(all: &mut Vec<StepFindings>, step: usize, rate: f32, of: (usize, Maxima)) {
        if all.len() <= step {
            all.resize_with(step + 1, StepFindings::default);
        }
        all[step].rate = all[step].rate.max(rate);
        all[step].maxima.push(of);
    }
}

/// Sampled values of a frame that holds the whole canvas.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// Number of steps taken so far.
    pub number: u64,
    /// Time of the state (s).
    pub time: f64,
    /// Totals at that time, including water and wet cells.
    pub totals: Totals,
    /// Volumes per port.
    pub booked: BoundaryVolumes,
    /// States of the links.
    pub links: Vec<LinkState>,
    /// Values at the requested places (bits).
    pub bits: Vec<u32>,
}

/// Context of adaptive steps: step control, limits, forcing and stopping conditions.
pub struct Timed<'a> {
    /// Limits on the step length.
    pub limits: Limits,
    /// Step control of the run.
    pub control: &'a mut StepControl,
    /// Stopping conditions.
    pub until: Until<'a>,
    /// Receives the maxima, with cell indices in the frame.
    pub watch: &'a mut Extremes,
    /// Timeline of the forcing.
    pub timeline: &'a Timeline,
}

/// A processor with its own memory. Its methods may return before the work is done; the work on one
/// frame is done in order, and [`Worker::wait`] waits for all of it.
///
/// Subdomains are identified by their index in the plan.
pub trait Worker: Send {
    /// Memory for one frame.
    type Frame: Send;

    /// Set if the worker counts the water of resident frames on request, not after every batch of
    /// steps.
    const COUNTS_WHEN_ASKED: bool = false;

    /// Adopts the canvas's own arrays as the frame of the only subdomain, if the worker can compute
    /// in them.
    fn adopt(&mut self, _canvas: &mut PaddedGrid) -> Option<Self::Frame> {
        None
    }

    /// Returns the water (grains) and number of wet cells among a frame's own cells, for a worker
    /// that counts on request.
    fn counted(&self, _frame: &Self::Frame) -> (u64, u64) {
        unreachable!("it counts after every batch")
    }

    /// Returns the number of its devices; each has its own frames.
    fn devices(&self) -> usize {
        1
    }

    /// Allocates a frame of up to `columns` × `rows` cells on a device.
    fn frame(&mut self, device: usize, columns: usize, rows: usize) -> Result<Self::Frame>;

    /// Pins the canvas's arrays, which will not move. Called before the first frame is loaded if
    /// frames are loaded and stored repeatedly.
    fn pin(&mut self, _canvas: &PaddedGrid) {}

    /// Copies a subdomain's frame from the canvas. Remains of another subdomain in the frame must
    /// have no effect: cells beyond the ghosts, which no step computes, stay dry walls in every
    /// step.
    fn load(
        &mut self,
        frame: &mut Self::Frame,
        canvas: &PaddedGrid,
        subdomain: usize,
    ) -> Result<()>;

    /// Takes steps in a loaded frame. Step i computes `computed[i]` (cells of the canvas), which is
    /// within the part that is still valid after the previous steps.
    fn advance(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()>;

    /// Takes steps in every subdomain at once, each in its frame on its device.
    fn advance_all(
        &mut self,
        frames: &mut [Self::Frame],
        computed: &[Vec<Rect>],
        steps: &[Step],
    ) -> Result<()> {
        let mut frames = frames.iter_mut().zip(computed).enumerate();
        frames.try_for_each(|(subdomain, (frame, computed))| {
            self.advance(frame, subdomain, computed, steps)
        })
    }

    /// Returns the fields that steps continue from.
    fn state(&self) -> Vec<Field>;

    /// Sends the state in the cells of `area` (canvas) to another subdomain, where it is part of
    /// the halo: the first half of a halo exchange.
    fn offer(&mut self, _: &Self::Frame, _subdomain: usize, _to: usize, _area: Rect) -> Result<()> {
        Ok(())
    }

    /// Writes a field in the cells of `area` (canvas) of a subdomain's frame, row by row, and
    /// waits.
    fn write(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        from: &[u32],
    ) -> Result<()>;

    /// Receives the state in the cells of `area` (canvas), a part of this subdomain's halo, from
    /// the frame of another subdomain, which may be on another device.
    fn take(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        from: (&Self::Frame, usize),
        area: Rect,
    ) -> Result<()>;

    /// Completes the halo exchange of a frame, after all parts of its halo were received.
    fn taken(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()>;

    /// Reads the water in some cells (canvas) of a frame (grains). Waits for it.
    fn waters(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>>;

    /// Adds `by` grains to the water in a cell (canvas) of a frame.
    fn change(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<()>;

    /// Saves the state of a frame for a rollback; see [`Worker::mark`].
    fn mark_frame(&mut self, frame: &mut Self::Frame) -> Result<()>;

    /// Rolls a frame back to the saved state.
    fn back_frame(&mut self, frame: &mut Self::Frame) -> Result<()>;

    /// Waits until all work is done.
    fn rest(&mut self) -> Result<()>;

    /// Returns the findings of the adaptive steps since the last call, by index of the step in
    /// [`Worker::advance`]: at most [`EPOCH`](crate::time_step::EPOCH) of them. Waits for the
    /// steps.
    fn found(&mut self) -> Result<Vec<StepFindings>>;

    /// Saves the subdomains' totals for a rollback. No work may be in progress.
    fn mark(&mut self) -> Result<()>;

    /// Rolls the totals back. No work may be in progress.
    fn back(&mut self) -> Result<()>;

    /// Takes adaptive steps in a frame that holds the whole canvas: at least one, and not beyond
    /// `until`. Workers that can control the step length themselves override this.
    fn advance_adaptive(
        &mut self,
        frame: &mut Self::Frame,
        computed: Rect,
        run: Timed,
    ) -> Result<()> {
        while let Some(stride) = run.control.stride(run.limits, run.until) {
            let step = run.timeline.step(stride);
            self.advance(frame, 0, &[computed], std::slice::from_ref(&step))?;
            run.control.rate = self.found()?.first().map_or(0.0, |found| found.rate);
            let totals = self.wait()?[0];
            run.watch.record(totals.maxima, stride.end);
            if totals.too_deep.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Replaces the forcing of each of its frames. No work may be in progress. A worker that
    /// receives its steps from outside can ignore this.
    fn force(&mut self, _frame: &mut Self::Frame, _timeline: &Timeline) -> Result<()> {
        Ok(())
    }

    /// Announces what to sample from the frame that holds the whole canvas, by (column, row) on the
    /// canvas. Returns whether the worker takes samples itself while it steps.
    fn samples(&mut self, _wanted: &SampleRequest) -> Result<bool> {
        Ok(false)
    }

    /// Sets the sample times (s, ascending) for the next steps, for a worker that samples by
    /// itself: it samples the states before and after the step that contains each time.
    fn sample_at(&mut self, _times: &[f64]) {}

    /// Returns the samples taken by the last steps, in order.
    fn sampled(&mut self) -> Vec<Sampled> {
        Vec::new()
    }

    /// Records the state of a loaded frame at a time (s, or steps), for the run's tracks and
    /// gauges.
    fn look(&mut self, frame: &mut Self::Frame, subdomain: usize, time: f32) -> Result<()>;

    /// Stores the subdomain's own cells to the canvas: the state to the second buffers, and also
    /// diagnostics if the steps may be rolled back.
    fn store(
        &mut self,
        frame: &mut Self::Frame,
        canvas: &mut PaddedGrid,
        subdomain: usize,
    ) -> Result<()>;

    /// Counts the water in the subdomain's own cells.
    fn count(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()>;

    /// Waits until all work is done and returns the totals of every subdomain.
    fn wait(&mut self) -> Result<Vec<Totals>>;

    /// Returns the states of the links that each subdomain steps. Waits for them.
    fn links(&self) -> Result<Vec<Vec<LinkState>>>;

    /// Sets the states of the links. No work may be in progress.
    fn put_links(&mut self, states: &[Vec<LinkState>]) -> Result<()>;

    /// Returns the volumes per port over the own cells of all subdomains, for the whole run. Waits
    /// for them.
    fn booked(&self) -> Result<BoundaryVolumes>;

    /// Returns the state of each gauge of the run, in order. Waits for them.
    fn gauges(&self) -> Result<Vec<GaugeState>>;

    /// Reads a field in the cells of `area` (canvas) of a subdomain's frame, row by row. Waits for
    /// it.
    fn read(
        &self,
        frame: &Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()>;

    /// Describes the worker for people.
    fn describe(&self) -> String;
}

/// Implements methods of a [`Worker`] by delegation: `{another}`, or
/// `{frame as its type: another, its frame}`.
macro_rules! delegated {
    ($how:tt) => {};
    ($how:tt fn $name:ident(&mut $me:ident $(, $arg:ident: $kind:ty)*) -> $out:ty; $($more:tt)*) => {
        delegated! { @one $how $name [&mut $me] [$($arg: $kind),*] $out }
        delegated! { $how $($more)* }
    };
    ($how:tt fn $name:ident(&$me:ident $(, $arg:ident: $kind:ty)*) -> $out:ty; $($more:tt)*) => {
        delegated! { @one $how $name [&$me] [$($arg: $kind),*] $out }
        delegated! { $how $($more)* }
    };
    (@one {$to:expr} $name:ident [$($me:tt)*] [$($arg:ident: $kind:ty),*] $out:ty) => {
        fn $name($($me)*, $($arg: $kind),*) -> $out {
            $to.$name($($arg),*)
        }
    };
    (@one {$frame:ident as $of:ty: $to:expr, $its:expr} $name:ident [$($me:tt)*] [$($arg:ident: $kind:ty),*] $out:ty) => {
        fn $name($($me)*, $frame: $of, $($arg: $kind),*) -> $out {
            $to.$name($its, $($arg),*)
        }
    };
}
pub(crate) use delegated;
