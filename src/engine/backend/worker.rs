//! Workers: processors with their own memory, which hold frames of the grid and step them. Each
//! concern is a trait: frames, halo exchange, rollback, sampling, and stepping.

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

/// Sampled values of a frame that holds the whole padded grid.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// Number of steps taken so far.
    pub number: u64,
    /// Time of the state (s).
    pub time: f64,
    /// Totals at that time, including water and wet cells.
    pub totals: Totals,
    /// Volumes per port.
    pub port_volumes: BoundaryVolumes,
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

/// Memory of a processor: frames, and copies between them and the host. Methods may return before
/// the work is done; the work on one frame is done in order, and [`Worker::synchronize`] waits for
/// all of it.
///
/// Subdomains are identified by their index in the plan.
pub trait Frames: Send {
    /// Memory for one frame.
    type Frame: Send;

    /// Returns the number of devices; each has frames of its own.
    fn devices(&self) -> usize {
        1
    }

    /// Adopts the padded grid's own arrays as the frame of the only subdomain, if the worker can
    /// compute in them.
    fn adopt(&mut self, _padded_grid: &mut PaddedGrid) -> Option<Self::Frame> {
        None
    }

    /// Allocates a frame of up to `columns` × `rows` cells on a device.
    fn allocate(&mut self, device: usize, columns: usize, rows: usize) -> Result<Self::Frame>;

    /// Pins the padded grid's arrays, which will not move. Called before the first frame is loaded
    /// if frames are loaded and stored repeatedly.
    fn pin(&mut self, _padded_grid: &PaddedGrid) {}

    /// Copies a subdomain's frame from the padded grid. Remains of another subdomain in the frame
    /// must have no effect: cells beyond the ghosts, which no step computes, stay dry walls in
    /// every step.
    fn load(
        &mut self,
        frame: &mut Self::Frame,
        padded_grid: &PaddedGrid,
        subdomain: usize,
    ) -> Result<()>;

    /// Stores the subdomain's own cells to the padded grid: the state to the second buffers, and
    /// also diagnostics if the steps may be rolled back.
    fn store(
        &mut self,
        frame: &mut Self::Frame,
        padded_grid: &mut PaddedGrid,
        subdomain: usize,
    ) -> Result<()>;

    /// Reads a field in the cells of `area` (padded grid) of a subdomain's frame, row by row, and
    /// waits.
    fn read(
        &self,
        frame: &Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()>;

    /// Writes a field in the cells of `area` (padded grid) of a subdomain's frame, row by row, and
    /// waits.
    fn write(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        from: &[u32],
    ) -> Result<()>;

    /// Reads the water in some cells (padded grid) of a frame (grains), and waits.
    fn read_water(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>>;

    /// Adds `by` grains to the water in a cell (padded grid) of a frame.
    fn add_water(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<()>;
}

/// Halo exchange between resident frames.
pub trait HaloExchange: Frames {
    /// Returns the fields that steps continue from, which halos consist of.
    fn state(&self) -> Vec<Field>;

    /// Sends the state in the cells of `area` (padded grid) to another subdomain, where it is part
    /// of the halo.
    fn send_halo(
        &mut self,
        _: &Self::Frame,
        _subdomain: usize,
        _to: usize,
        _area: Rect,
    ) -> Result<()> {
        Ok(())
    }

    /// Receives the state in the cells of `area` (padded grid), a part of this subdomain's halo,
    /// from the frame of another subdomain, which may be on another device.
    fn receive_halo(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        from: (&Self::Frame, usize),
        area: Rect,
    ) -> Result<()>;

    /// Completes the halo exchange of a frame, after all parts of its halo were received.
    fn complete_halo(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()>;
}

/// Rollback of the steps of an epoch.
pub trait Rollback: Frames {
    /// Saves the state of a frame.
    fn checkpoint_frame(&mut self, frame: &mut Self::Frame) -> Result<()>;

    /// Rolls a frame back to the saved state.
    fn rollback_frame(&mut self, frame: &mut Self::Frame) -> Result<()>;

    /// Saves the sums of all subdomains: totals, port volumes, gauges and links. No work may be in
    /// progress.
    fn checkpoint_sums(&mut self) -> Result<()>;

    /// Rolls the sums back. No work may be in progress.
    fn rollback_sums(&mut self) -> Result<()>;
}

/// Sampling between the steps of [`Worker::advance_adaptive`], for workers that take samples
/// themselves.
pub trait StepSampling {
    /// Requests values to sample from the frame that holds the whole padded grid, by (column, row)
    /// on the padded grid. Returns `true` if the worker takes samples itself while it steps.
    fn request_samples(&mut self, _wanted: &SampleRequest) -> Result<bool> {
        Ok(false)
    }

    /// Sets the sample times (s, ascending) for the next steps: the worker samples the states
    /// before and after the step that contains each time.
    fn set_sample_times(&mut self, _times: &[f64]) {}

    /// Returns the samples taken by the last steps, in order.
    fn collect_samples(&mut self) -> Vec<Sampled> {
        Vec::new()
    }
}

/// A processor with its own memory, which steps frames and accumulates sums.
pub trait Worker: HaloExchange + Rollback + StepSampling {
    /// Set if the worker counts the water of resident frames on request, not after every batch of
    /// steps.
    const COUNTS_ON_REQUEST: bool = false;

    /// Returns the water (grains) and number of wet cells among a frame's own cells, for a worker
    /// that counts on request.
    fn count_on_request(&self, _frame: &Self::Frame) -> (u64, u64) {
        unreachable!("it counts after every batch")
    }

    /// Counts the water in the subdomain's own cells, for its totals.
    fn count_water(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()>;

    /// Replaces the forcing of each of its frames. No work may be in progress. A worker that
    /// receives its steps from outside can ignore this.
    fn set_forcing(&mut self, _frame: &mut Self::Frame, _timeline: &Timeline) -> Result<()> {
        Ok(())
    }

    /// Replaces the [tables](crate::forcing::table) of the laws by others of the same length. No
    /// work may be in progress.
    fn set_tables(&mut self, tables: &[f32]) -> Result<()>;

    /// Takes steps in a loaded frame. Step i computes `computed[i]` (cells of the padded grid),
    /// which is within the part that is still valid after the previous steps.
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

    /// Takes adaptive steps in a frame that holds the whole padded grid: at least one, and not
    /// beyond `until`. Workers that can control the step length themselves override this.
    fn advance_adaptive(
        &mut self,
        frame: &mut Self::Frame,
        computed: Rect,
        run: Timed,
    ) -> Result<()> {
        while let Some(stride) = run.control.stride(run.limits, run.until) {
            let step = run.timeline.step(stride);
            self.advance(frame, 0, &[computed], std::slice::from_ref(&step))?;
            run.control.rate = self.collect_findings()?.first().map_or(0.0, |found| found.rate);
            let totals = self.collect_totals()?[0];
            run.watch.record(totals.maxima, stride.end);
            if totals.too_deep.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Records the state of a loaded frame at a time (s, or steps) in the run's cell diagnostics
    /// and gauges.
    fn record_diagnostics(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        time: f32,
    ) -> Result<()>;

    /// Waits until all work is done.
    fn synchronize(&mut self) -> Result<()>;

    /// Waits for the steps and returns the findings of the adaptive ones since the last call, by
    /// index of the step in [`Worker::advance`]: at most [`EPOCH`](crate::time_step::EPOCH) of
    /// them.
    fn collect_findings(&mut self) -> Result<Vec<StepFindings>>;

    /// Waits until all work is done and returns the totals of every subdomain.
    fn collect_totals(&mut self) -> Result<Vec<Totals>>;

    /// Waits, and returns the volumes per port over the own cells of all subdomains, for the whole
    /// run.
    fn boundary_volumes(&self) -> Result<BoundaryVolumes>;

    /// Waits, and returns the state of each gauge of the run, in order.
    fn gauge_states(&self) -> Result<Vec<GaugeState>>;

    /// Waits, and returns the states of the links that each subdomain steps.
    fn link_states(&self) -> Result<Vec<Vec<LinkState>>>;

    /// Sets the states of the links. No work may be in progress.
    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()>;

    /// Describes the worker for people.
    fn describe(&self) -> String;
}

/// Implements methods of a worker by delegation: `{another}`, or
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
