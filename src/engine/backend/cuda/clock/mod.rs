//! The clock of a timed rule on the device, where the length of the next step follows from the flow of the
//! last without a word from the host (kernels/time_step.cu).

pub mod clock_params;
pub(crate) mod log;
pub mod sampling;
pub mod step_constants;

use crate::backend::cuda::clock::clock_params::{Clock, Series, Ticking};
use crate::backend::cuda::clock::step_constants::{Entry, Place};
use crate::backend::cuda::memory::Block;
use crate::error::Result;
use crate::extremes::{Extremes, Maxima, Maximum};
use crate::forcing::series;
use crate::forcing::timeline::Timeline;
use crate::time_step::{Limits, StepControl, Until};
use cudarc::driver::CudaStream;
use std::mem::offset_of;
use std::sync::Arc;

/// The clock, the constants of the step at hand, and the series of the forcing.
pub(crate) struct DeviceClock {
    control: Block,
    entry: Block,
    shape: Entry,
    rates: Block,
    /// The rate layers that may bring something in the steps to come.
    active: Block,
    active_layers: Vec<u32>,
    levels: Block,
    bounds: Block,
    bound_count: u32,
    /// The pieces that the series point to.
    _pieces: Vec<Block>,
    per_metre: f64,
    elapsed: f64,
}

impl DeviceClock {
    /// A clock for a forcing.
    pub fn new(stream: &Arc<CudaStream>, timeline: &Timeline) -> Result<DeviceClock> {
        let shape = Entry { layers: timeline.rates.len(), levels: timeline.levels.len() };
        let mut pieces = Vec::new();
        let rates = table(stream, &timeline.rates, &mut pieces)?;
        let levels = table(stream, &timeline.levels, &mut pieces)?;
        Ok(DeviceClock {
            bounds: Block::of(stream, &timeline.bounds)?,
            bound_count: timeline.bounds.len() as u32,
            control: Block::new(stream, size_of::<Clock>())?,
            entry: Block::new(stream, shape.bytes())?,
            shape,
            active: Block::new(stream, size_of::<u32>() * shape.layers)?,
            active_layers: Vec::new(),
            rates,
            levels,
            _pieces: pieces,
            per_metre: f64::from(timeline.grain.per_metre()),
            elapsed: timeline.elapsed,
        })
    }

    /// Where the constants of the step at hand are.
    pub fn place(&self) -> Place {
        self.shape.place(self.entry.address)
    }

    /// Where the flow says what it allows.
    pub fn rate(&self) -> u64 {
        self.control.address + offset_of!(Clock, control.rate) as u64
    }

    /// The parameters with which the device goes on to the next step; `totals` is the subdomain's, `sampling` where those of
    /// the samples lie.
    pub fn tick(&self, limits: Limits, totals: u64, sampling: u64) -> Ticking {
        let place = self.place();
        Ticking {
            clock: self.control.address,
            step_constants: place.step_constants,
            totals,
            rates: self.rates.address,
            active: self.active.address,
            increments: place.increments,
            levels: self.levels.address,
            held: place.levels,
            sampling,
            bounds: self.bounds.address,
            per_metre: self.per_metre,
            elapsed: self.elapsed,
            active_count: self.active_layers.len() as i32,
            level_count: self.shape.levels as i32,
            bound_count: self.bound_count,
            spare: 0,
            limits,
        }
    }

    /// Says which rate layers may bring something in the steps to come, in the stream's order.
    pub(crate) fn set_active(&mut self, stream: &CudaStream, layers: &[usize]) -> Result<()> {
        self.active_layers = layers.iter().map(|&layer| layer as u32).collect();
        self.active.write(stream, &self.active_layers)
    }

    /// Sets it, in the stream's order; `way` is which of the frame's double arrays is now, `sampled` the first time of which
    /// samples are taken.
    pub fn set(
        &mut self,
        stream: &CudaStream,
        control: &StepControl,
        (until, sampled): (Until, f64),
        way: usize,
        watch: &Extremes,
    ) -> Result<()> {
        let (maxima, times) = (watch.maxima.each().map(Maximum::in_frame), watch.times);
        let clock = Clock::new(control, until, sampled);
        self.control.write(stream, &[Clock { way: way as u32, maxima, times, ..clock }])
    }

    /// Reads it and the times at which things were greatest, as far as they are known, and waits for that; the
    /// second is which of the frame's double arrays is now, the third how many samples were taken.
    pub fn read(
        &self,
        stream: &CudaStream,
        watch: &mut Extremes,
    ) -> Result<(StepControl, usize, usize)> {
        let mut clock = [Clock::default()];
        self.control.read(stream, &mut clock)?;
        let [Clock { control, way, samples, maxima, times, .. }] = clock;
        watch.join(&Extremes { maxima: Maxima::of_frame(maxima), times });
        Ok((control, way as usize, samples as usize))
    }
}

/// Series on the device.
fn table(
    stream: &Arc<CudaStream>,
    series: &[series::Series],
    blocks: &mut Vec<Block>,
) -> Result<Block> {
    let mut entries = Vec::with_capacity(series.len());
    for series in series {
        let pieces = series.pieces();
        let block = Block::of(stream, pieces)?;
        entries.push(Series { pieces: block.address, count: pieces.len() as u64 });
        blocks.push(block);
    }
    Block::of(stream, &entries)
}
