//! Every raster that a run writes: its key, name, unit, style, and where it comes from.

use crate::backend::{Backend, StateLayer};
use crate::clock::{Clock, TimeUnit};
use crate::error::Result;
use crate::grains::Grain;
use crate::output::styles;

/// NoData of every output raster.
pub const NODATA: f32 = -9999.0;

/// A style file (.qml) for QGIS.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// The same for every run.
    Fixed(&'static str),
    /// Six stops spread from 0 to the layer's highest value: `{{t0}}` … `{{t5}}` and labels `{{l0}}` … `{{l5}}`.
    Ranged(&'static str),
    /// The same from the layer's lowest value to its highest.
    Between(&'static str),
}

/// What a layer needs to be read from a run.
pub struct State<'a> {
    /// The run's state.
    pub backend: &'a dyn Backend,
    /// Grain of its water.
    pub grain: Grain,
    /// Its clock.
    pub clock: &'a Clock,
}

/// A raster that a run writes.
#[derive(Debug)]
pub struct Layer {
    /// File name without extension, and name in `run.json`.
    pub key: &'static str,
    /// Band description for a clock.
    pub long_name: fn(&Clock) -> &'static str,
    /// Unit for a clock.
    pub unit: fn(&Clock) -> &'static str,
    /// What it tells, for docs and help.
    pub about: &'static str,
    /// Whether overviews average (depths) or take the nearest cell.
    pub averages: bool,
    /// Style for QGIS.
    pub style: Style,
    /// Reads a row: NODATA where there is nothing to tell. Cells outside the domain are blanked
    /// afterwards.
    pub read: fn(&State, usize, &mut [f32]) -> Result<()>,
}

fn read_depth(state: &State, layer: StateLayer, row: usize, to: &mut [f32]) -> Result<()> {
    let mut grains = vec![0; to.len()];
    state.backend.read_grains(layer, row, &mut grains)?;
    for (to, grains) in to.iter_mut().zip(grains) {
        *to = state.grain.depth(grains);
    }
    Ok(())
}

fn read_arrival(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    state.backend.read_arrival(row, to)?;
    for time in to.iter_mut() {
        *time = match state.clock.unit {
            _ if *time < 0.0 => NODATA,
            TimeUnit::Seconds => (f64::from(*time) / 3600.0) as f32,
            TimeUnit::Steps => *time,
        };
    }
    Ok(())
}

/// Water depth.
pub static DEPTH: Layer = Layer {
    key: "depth",
    long_name: |_| "water depth",
    unit: |_| "m",
    about: "water depth at the end, or at the time in the file's name",
    averages: true,
    style: styles::DEPTH,
    read: |state, row, to| read_depth(state, StateLayer::Water, row, to),
};

/// Maximum water depth.
pub static MAX_DEPTH: Layer = Layer {
    key: "max_depth",
    long_name: |_| "maximum water depth",
    unit: |_| "m",
    about: "greatest depth of any step of the run",
    averages: true,
    style: styles::DEPTH,
    read: |state, row, to| read_depth(state, StateLayer::MaxWater, row, to),
};

/// Arrival time.
pub static ARRIVAL_TIME: Layer = Layer {
    key: "arrival_time",
    long_name: |clock| match clock.unit {
        TimeUnit::Seconds if clock.is_calibrated() => {
            "arrival time since start (by the calibrated step)"
        }
        TimeUnit::Seconds => "arrival time since start",
        TimeUnit::Steps => "arrival step (the run's steps have no duration)",
    },
    unit: |clock| match clock.unit {
        TimeUnit::Seconds => "h",
        TimeUnit::Steps => "steps",
    },
    about: "time since the start when the depth first exceeded arrival_depth; NoData where it never did",
    averages: false,
    style: styles::ARRIVAL,
    read: read_arrival,
};

/// The registry: every layer, one line each.
pub static LAYERS: &[&Layer] = &[&DEPTH, &MAX_DEPTH, &ARRIVAL_TIME];
