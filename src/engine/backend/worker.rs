//! Workers: processors with memory of their own, which hold frames of the grid and step them.

use super::Wanted;
use super::canvas::Canvas;
pub use super::sites::SubdomainForcing;
pub use super::totals::Totals;
use crate::error::Result;
use crate::extremes::{Extremes, Maxima};
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::GaugeState;
use crate::tiling::rect::Rect;
use crate::time_step::{Limits, StepControl, Until};
use serde::{Deserialize, Serialize};

/// What a step of some subdomains found.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Found {
    /// 1 / the longest step that the flow allows of the edges that were computed (s⁻¹); 0 if it allows any.
    pub rate: f32,
    /// Per subdomain that took it, by its number: [`Totals::maxima`] after it.
    pub maxima: Vec<(usize, Maxima)>,
}

impl Found {
    /// Adds what a step of a subdomain found to that of the other subdomains; steps are counted from 0.
    pub fn add(all: &mut Vec<Found>, step: usize, rate: f32, of: (usize, Maxima)) {
        if all.len() <= step {
            all.resize_with(step + 1, Found::default);
        }
        all[step].rate = all[step].rate.max(rate);
        all[step].maxima.push(of);
    }
}

/// What was seen of a frame that holds the whole canvas.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// How many steps the run had taken.
    pub number: u64,
    /// The time (s).
    pub time: f64,
    /// What had been counted, water and wet cells among it.
    pub totals: Totals,
    /// What went through ports.
    pub booked: Booked,
    /// Where links stood.
    pub links: Vec<LinkState>,
    /// The bits at the places that are wanted.
    pub bits: Vec<u32>,
}

/// What the length of a timed rule's steps, and the forcing in them, follows from, and how far they go.
pub struct Timed<'a> {
    /// What holds the steps.
    pub limits: Limits,
    /// How far the run is.
    pub control: &'a mut StepControl,
    /// No step is to go further.
    pub until: Until<'a>,
    /// Takes up what was greatest, by the cells' numbers in the frame.
    pub watch: &'a mut Extremes,
    /// What the forcing brings when.
    pub timeline: &'a Timeline,
}

/// A processor with memory of its own. Its methods may return before the work is done; what is asked of
/// one frame is done in order, and [`Worker::wait`] waits for everything.
///
/// Subdomains are known by their number in the plan.
pub trait Worker: Send {
    /// Memory for one frame.
    type Frame: Send;

    /// Whether it counts the water of frames that stay when it is asked how much there is, not after every batch of steps.
    const COUNTS_WHEN_ASKED: bool = false;

    /// Takes the canvas's own arrays as the frame of the one subdomain that holds all of it, if that is what it works on.
    fn adopt(&mut self, _canvas: &mut Canvas) -> Option<Self::Frame> {
        None
    }

    /// Water (grains) and number of wet cells in the own cells of a frame, of a worker that counts when it is asked.
    fn counted(&self, _frame: &Self::Frame) -> (u64, u64) {
        unreachable!("it counts after every batch")
    }

    /// How many devices work for it; each has frames of its own.
    fn devices(&self) -> usize {
        1
    }

    /// Memory for frames of up to `columns` × `rows` cells on a device.
    fn frame(&mut self, device: usize, columns: usize, rows: usize) -> Result<Self::Frame>;

    /// Told before the first frame is loaded if frames will come and go: the canvas's arrays stay where
    /// they are.
    fn pin(&mut self, _canvas: &Canvas) {}

    /// Copies a subdomain's frame from the canvas. What another subdomain left in the frame must not be
    /// seen: cells beyond the ghosts, which no step computes, stay dry walls through every step.
    fn load(&mut self, frame: &mut Self::Frame, canvas: &Canvas, subdomain: usize) -> Result<()>;

    /// Takes steps of a loaded frame. In step i it computes `computed[i]` (cells of the canvas), which
    /// lies within what is right after the steps so far.
    fn advance(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()>;

    /// The same of every subdomain at once, each in its frame on its device.
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

    /// The fields that steps go on from.
    fn state(&self) -> Vec<Field>;

    /// Offers what steps go on from in the cells of `area` (canvas) to another subdomain, whose halo they are and which will take
    /// them: the first half of a halo exchange.
    fn offer(&mut self, _: &Self::Frame, _subdomain: usize, _to: usize, _area: Rect) -> Result<()> {
        Ok(())
    }

    /// Writes the cells of `area` (canvas) of a field of a subdomain's frame, row by row; waits for it.
    fn write(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        from: &[u32],
    ) -> Result<()>;

    /// Takes what steps go on from in the cells of `area` (canvas), a part of this subdomain's halo, from the frame of another
    /// subdomain, which may be on another device.
    fn take(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        from: (&Self::Frame, usize),
        area: Rect,
    ) -> Result<()>;

    /// Told when a frame has taken all that it is to take.
    fn taken(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()>;

    /// The water in some cells (canvas) of a frame (grains). Waits for it.
    fn waters(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>>;

    /// Changes the water in a cell (canvas) of a frame by some grains.
    fn change(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<()>;

    /// Remembers the state of a frame, as [`Worker::mark`] does of the sums.
    fn mark_frame(&mut self, frame: &mut Self::Frame) -> Result<()>;

    /// Goes back to it.
    fn back_frame(&mut self, frame: &mut Self::Frame) -> Result<()>;

    /// Waits until all is done.
    fn rest(&mut self) -> Result<()>;

    /// What the steps of a timed rule that subdomains took since it was last asked found, by their places in
    /// [`Worker::advance`], which are no more than [`EPOCH`](crate::time_step::EPOCH). Waits for them.
    fn found(&mut self) -> Result<Vec<Found>>;

    /// Remembers all that subdomains add up over the run; nothing is under way.
    fn mark(&mut self) -> Result<()>;

    /// Goes back to what was marked; nothing is under way.
    fn back(&mut self) -> Result<()>;

    /// Takes steps of a timed rule in a frame that holds the whole canvas: at least one, and no further than
    /// `until`. Workers that can find the
    /// length of steps themselves do.
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

    /// Told that the forcing brings something else from now on, of each of its frames; nothing is under way. A worker that is given
    /// the steps need not know.
    fn force(&mut self, _frame: &mut Self::Frame, _timeline: &Timeline) -> Result<()> {
        Ok(())
    }

    /// Told what is to be sampled of the frame that holds the whole canvas, the places (column, row) being the canvas's; says
    /// whether it does that by itself while it takes steps.
    fn samples(&mut self, _wanted: &Wanted) -> Result<bool> {
        Ok(false)
    }

    /// Names the times (s, in rising order) for the steps that it takes next: the states before and after a step that goes over
    /// one are to be sampled, of a worker that samples by itself.
    fn sample_at(&mut self, _times: &[f64]) {}

    /// What the steps that it last took came by, in their order.
    fn sampled(&mut self) -> Vec<Sampled> {
        Vec::new()
    }

    /// Looks at the state of a loaded frame at a time (s, or steps), for the tracks and gauges of the run.
    fn look(&mut self, frame: &mut Self::Frame, subdomain: usize, time: f32) -> Result<()>;

    /// Copies the subdomain's own cells to the canvas, what steps go on from to its second arrays, and diagnostics, too, if subdomains may
    /// be undone.
    fn store(
        &mut self,
        frame: &mut Self::Frame,
        canvas: &mut Canvas,
        subdomain: usize,
    ) -> Result<()>;

    /// Counts the water in the subdomain's own cells.
    fn count(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()>;

    /// Waits until all is done; the totals of every subdomain.
    fn wait(&mut self) -> Result<Vec<Totals>>;

    /// Per subdomain where each of the links stands that it steps; waits for it.
    fn links(&self) -> Result<Vec<Vec<LinkState>>>;

    /// Puts them there; nothing is under way.
    fn put_links(&mut self, states: &[Vec<LinkState>]) -> Result<()>;

    /// What went through which port in the own cells of all subdomains, over the whole run; waits for it.
    fn booked(&self) -> Result<Booked>;

    /// What is known of each gauge of the run, in their order; waits for it.
    fn gauges(&self) -> Result<Vec<GaugeState>>;

    /// Reads the cells of `area` (canvas) of a field of a subdomain's frame, row by row; waits for it.
    fn read(
        &self,
        frame: &Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()>;

    /// What it is, for people.
    fn describe(&self) -> String;
}

/// Methods of a [`Worker`] that another one has in its place: `{another}`, or `{frame as its type: another, its frame}`.
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
