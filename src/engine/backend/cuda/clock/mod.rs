//! Clock of a timed solver on the device, which derives the length of the next step from the flow
//! of the last one without the host (kernels/time_step.cu).

pub mod clock_params;
pub(crate) mod log;
pub mod sampling;
pub mod step_constants;

use crate::backend::cuda::clock::clock_params::{Clock, Series, Ticking};
use crate::backend::cuda::clock::step_constants::{ConstantAddresses, Entry};
use crate::backend::cuda::memory::Block;
use crate::error::Result;
use crate::forcing::series;
use crate::forcing::timeline::Timeline;
use crate::run_diagnostics::{Extremes, Maxima, Maximum};
use crate::time_step::{Limits, StepControl, Until};
use cudarc::driver::CudaStream;
use std::mem::offset_of;
use std::sync::Arc;

/// The clock, the constants of the current step, and the series of the forcing.
pub(crate) struct DeviceClock {
    control: Block,
    entry: Block,
    shape: Entry,
    rates: Block,
    /// Rate layers that are active in the coming steps.
    active: Block,
    active_layers: Vec<u32>,
    levels: Block,
    bounds: Block,
    bound_count: u32,
    /// Pieces to which the series point.
    _pieces: Vec<Block>,
    per_metre: f64,
    elapsed: f64,
}

impl DeviceClock {
    /// Creates a clock for a forcing.
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

    /// Returns the place of the current step's constants.
    pub fn place(&self) -> ConstantAddresses {
        self.shape.place(self.entry.address)
    }

    /// Returns the address for the CFL rate of the flow.
    pub fn rate(&self) -> u64 {
        self.control.address + offset_of!(Clock, control.rate) as u64
    }

    /// Returns the parameters for advancing to the next step; `totals` and `sampling` are the
    /// addresses of the subdomain's totals and of the sampling parameters.
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
            stages: place.levels,
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

    /// Sets the rate layers that are active in the coming steps, in the stream's order.
    pub(crate) fn set_active(&mut self, stream: &CudaStream, layers: &[usize]) -> Result<()> {
        self.active_layers = layers.iter().map(|&layer| layer as u32).collect();
        self.active.write(stream, &self.active_layers)
    }

    /// Sets the clock, in the stream's order; `way` is the index of the current one of the frame's
    /// double arrays, `first_sample` the first sample time (s).
    pub fn set(
        &mut self,
        stream: &CudaStream,
        control: &StepControl,
        until: Until,
        first_sample: f64,
        way: usize,
        watch: &Extremes,
    ) -> Result<()> {
        let (maxima, times) = (watch.maxima.each().map(Maximum::in_frame), watch.times);
        let clock = Clock::new(control, until, first_sample);
        self.control.write(stream, &[Clock { way: way as u32, maxima, times, ..clock }])
    }

    /// Reads the clock and the known times of maxima, and waits. Also returns the index of the
    /// current one of the frame's double arrays, and the number of samples taken.
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

/// Copies series to the device.
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
