//! Registry of the output rasters: key, name, unit, colours, requirements and source of each.

mod domain;
pub mod fine;
mod read;
mod rounding;
mod rows;
mod select;

pub use domain::Domain;
pub use rounding::DepthRounding;
pub use rows::{Lines, Maps, Now};
pub use select::{
    ALL, Chosen, DEFAULTS, at_points, cell_diagnostics, choose, find, fine_cell_diagnostics,
};

use crate::engine::cell_diagnostics::CellDiagnostic;
use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::crossed_sides::CrossedSides;
use crate::engine::field::Field;
use crate::engine::grains::Grain;
use crate::engine::grid::Bed;
use crate::engine::hazard;
use crate::engine::subgrid::tables::Tables;
use crate::error::Result;
use crate::output::colour::{Scale, quantities};
use crate::output::format::Downsampling;

pub use crate::output::colour::NODATA;

/// Data from which a layer is read.
pub struct State<'a> {
    /// State of the run.
    pub lines: &'a dyn Lines,
    /// Grain of the water.
    pub grain: Grain,
    /// Clock of the run.
    pub clock: &'a Clock,
    /// Bed, if a layer needs it.
    pub bed: Option<&'a Bed>,
    /// Subgrid tables, if there are any.
    pub tables: Option<&'a Tables>,
    /// Diagnostics recorded per cell.
    pub cell_diagnostics: &'a [CellDiagnostic],
    /// Cells with crossed sides (row-major), ascending, in the rows to read, if a layer needs flow.
    pub crossed: &'a [(usize, CrossedSides)],
    /// Depth for [`ARRIVAL_ABOVE`] (grains).
    pub above: i32,
    /// Depth up to which water is not a hazard (grains).
    pub hazard: i32,
}

/// Time to which a layer refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeScope {
    /// A single time: the end, and every time of a series (`output_every`).
    Now,
    /// The whole run, up to its end.
    Run,
}

/// Requirements of a layer.
#[derive(Clone, Copy, Debug)]
pub enum Needs {
    /// Only water, maxima and arrivals.
    Water,
    /// The bed as well.
    Bed,
    /// Discharges, which need a solver with physical time.
    Flow,
    /// A diagnostic recorded for every cell in every step.
    Diagnostic(fn(DepthThresholds) -> CellDiagnostic),
    /// Losses to the ground.
    Soil,
}

/// Depth thresholds of the diagnostics (grains), and the resolution of times.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthThresholds {
    /// Depth that counts as wet.
    pub wet: i32,
    /// Depth up to which water is not a hazard.
    pub hazard: i32,
    /// Number of ticks per second, or per step, in which time under water is counted.
    pub ticks: u32,
}

impl Needs {
    /// Returns the diagnostic to record, if any.
    pub fn diagnostic(self, depths: DepthThresholds) -> Option<CellDiagnostic> {
        match self {
            Needs::Diagnostic(of) => Some(of(depths)),
            _ => None,
        }
    }

    /// Returns `true` if the layer needs a solver with physical time.
    pub fn is_of_flow(self) -> bool {
        let flows = |diagnostic: CellDiagnostic| diagnostic.flows().is_some();
        matches!(self, Needs::Flow)
            || self.diagnostic(DepthThresholds::default()).is_some_and(flows)
    }
}

/// Value of a layer at a pixel of the fine grid, for cells with subgrid tables. A pixel is wet if
/// the (present or greatest) water level of its cell is above it and the water can have reached it
/// ([`fine`]).
#[derive(Clone, Copy, Debug)]
pub enum Fine {
    /// Depth over the pixel.
    Depth(Field),
    /// Water level of its cell.
    Level(Field),
    /// Value of its cell, and the value of dry pixels.
    OfCell(Field, f32),
    /// Time during which the mean depth of its cell exceeded a limit, if the pixel was ever wet.
    Duration,
    /// Value of its cell, wet or dry.
    Everywhere,
    /// Hazard of the depth over the pixel and the speed of its cell, from the given layer.
    Hazard(Field, &'static Layer, fn(f32, f32) -> f32),
    /// Depth over the pixel times the speed of its cell, from the given layer.
    UnitDischarge(Field, &'static Layer),
    /// Time at which the level of its cell first exceeded a height above the pixel, from the times
    /// recorded at the knots of the cell's table.
    Arrival,
}

impl Fine {
    /// Returns the water that determines wet pixels, if it matters.
    pub fn water(self) -> Option<Field> {
        match self {
            Fine::Depth(field) | Fine::Level(field) | Fine::OfCell(field, _) => Some(field),
            Fine::Hazard(field, ..) | Fine::UnitDischarge(field, _) => Some(field),
            Fine::Arrival | Fine::Duration => Some(Field::MaxDepth),
            Fine::Everywhere => None,
        }
    }

    /// Returns a note for the name of the map, if its meaning differs from the map without tables.
    fn limits(self) -> Option<&'static str> {
        match self {
            Fine::Hazard(Field::MaxDepth, ..) | Fine::UnitDischarge(Field::MaxDepth, _) => {
                Some("at most: of the greatest depth and the greatest speed")
            }
            Fine::Duration => Some("by the mean depth of the cell"),
            _ => None,
        }
    }
}

/// A raster that a run can write.
#[derive(Debug)]
pub struct Layer {
    /// File name without extension, and name in `run.json`.
    pub key: &'static str,
    /// Band description, given the clock.
    pub long_name: fn(&Clock) -> &'static str,
    /// Unit, given the clock.
    pub unit: fn(&Clock) -> &'static str,
    /// Description for documentation and help.
    pub about: &'static str,
    /// Time to which it refers.
    pub scope: TimeScope,
    /// Requirements on the run.
    pub needs: Needs,
    /// How overviews are computed.
    pub downsampling: Downsampling,
    /// Colour scale of its values.
    pub scale: &'static Scale,
    /// Reads a row, with NODATA for missing values. Cells outside the domain are blanked
    /// afterwards.
    pub read: fn(&State, usize, &mut [f32]) -> Result<()>,
    /// Value at the pixels of a fine grid.
    pub fine: Fine,
}

/// Returns the unit of times since the start: hours, or steps.
fn time_unit(clock: &Clock) -> &'static str {
    match clock.unit {
        TimeUnit::Seconds => "h",
        TimeUnit::Steps => "steps",
    }
}

fn arrival_name(clock: &Clock) -> &'static str {
    match clock.unit {
        TimeUnit::Seconds if clock.is_calibrated() => {
            "arrival time since start (by the calibrated step)"
        }
        TimeUnit::Seconds => "arrival time since start",
        TimeUnit::Steps => "arrival step (the run's steps have no duration)",
    }
}

/// End of the descriptions of maps of depths.
pub const WATER_DEPTH: &str = "water depth";

/// Water depth at the time of the map.
pub static DEPTH: Layer = Layer {
    key: "depth",
    long_name: |_| WATER_DEPTH,
    unit: |_| "m",
    about: "water depth",
    scope: TimeScope::Now,
    needs: Needs::Water,
    downsampling: Downsampling::Mean,
    scale: &quantities::DEPTH,
    read: |state, row, to| read::depths(state, Field::Water, row, to),
    fine: Fine::Depth(Field::Water),
};

/// End of the descriptions of maps of levels.
pub const WATER_LEVEL: &str = "water level";

/// Water level at the time of the map.
pub static LEVEL: Layer = Layer {
    key: "level",
    long_name: |_| WATER_LEVEL,
    about: "level of the water surface, above the DEM's zero; NoData where it is dry",
    needs: Needs::Bed,
    scale: &quantities::LEVEL,
    downsampling: Downsampling::Nearest,
    read: |state, row, to| read::levels(state, Field::Water, row, to),
    fine: Fine::Level(Field::Water),
    ..DEPTH
};

/// Flow speed at the time of the map.
pub static VELOCITY: Layer = Layer {
    key: "velocity",
    long_name: |_| "flow velocity",
    unit: |_| "m/s",
    about: "flow speed, the mean over the cell's edges; 0 in water shallower than 1 cm",
    needs: Needs::Flow,
    downsampling: Downsampling::Nearest,
    scale: &quantities::VELOCITY,
    read: read::velocity,
    fine: Fine::OfCell(Field::Water, 0.0),
    ..DEPTH
};

/// Eastward velocity at the time of the map.
pub static VELOCITY_X: Layer = Layer {
    key: "velocity_x",
    long_name: |_| "flow velocity to the east",
    about: "eastward component of the velocity (along rows)",
    scale: &quantities::VELOCITY_X,
    read: read::velocity_x,
    ..VELOCITY
};

/// Northward velocity at the time of the map.
pub static VELOCITY_Y: Layer = Layer {
    key: "velocity_y",
    long_name: |_| "flow velocity to the north",
    about: "northward component of the velocity (along columns)",
    scale: &quantities::VELOCITY_Y,
    read: read::velocity_y,
    ..VELOCITY
};

/// Unit discharge at the time of the map.
pub static UNIT_DISCHARGE: Layer = Layer {
    key: "unit_discharge",
    long_name: |_| "unit discharge",
    unit: |_| "m²/s",
    about: "discharge per metre of width",
    scale: &quantities::UNIT_DISCHARGE,
    read: read::unit_discharge,
    fine: Fine::UnitDischarge(Field::Water, &VELOCITY),
    ..VELOCITY
};

/// Hazard rating at the time of the map.
pub static HAZARD: Layer = Layer {
    key: "hazard",
    long_name: |_| "flood hazard rating",
    unit: |_| "",
    about: "hazard rating h·(v + 0.5) + DF, DF = 0.5 to a depth of 0.25 m and 1 beyond (DEFRA FD2320, 2006, and its note of 2008); 0 up to hazard_depth",
    scale: &quantities::HAZARD,
    read: |state, row, to| read::hazard(state, row, to, hazard::rating),
    fine: Fine::Hazard(Field::Water, &VELOCITY, hazard::rating),
    ..VELOCITY
};

/// Hazard class at the time of the map.
pub static AIDR: Layer = Layer {
    key: "aidr",
    long_name: |_| "flood hazard class H1 to H6",
    unit: |_| "",
    about: "hazard class 1 (H1) to 6 (H6) of AIDR Guideline 7-3 (2017); 0 up to hazard_depth",
    scale: &quantities::AIDR,
    read: |state, row, to| read::hazard(state, row, to, hazard::class),
    fine: Fine::Hazard(Field::Water, &VELOCITY, hazard::class),
    ..VELOCITY
};

/// Maximum water depth of the run.
pub static MAX_DEPTH: Layer = Layer {
    key: "max_depth",
    long_name: |_| "maximum water depth",
    about: "greatest depth of any step of the run",
    scope: TimeScope::Run,
    read: |state, row, to| read::depths(state, Field::MaxDepth, row, to),
    fine: Fine::Depth(Field::MaxDepth),
    ..DEPTH
};

/// Maximum water level of the run.
pub static MAX_LEVEL: Layer = Layer {
    key: "max_level",
    long_name: |_| "maximum water level",
    about: "level of the water surface when it was highest; NoData where it never was wet",
    scope: TimeScope::Run,
    read: |state, row, to| read::levels(state, Field::MaxDepth, row, to),
    fine: Fine::Level(Field::MaxDepth),
    ..LEVEL
};

/// Arrival time at the first depth of `arrival_depth`.
pub static ARRIVAL_TIME: Layer = Layer {
    key: "arrival_time",
    long_name: arrival_name,
    unit: time_unit,
    about: "time since the start when the depth first exceeded arrival_depth; NoData where it never did",
    scope: TimeScope::Run,
    downsampling: Downsampling::Nearest,
    scale: &quantities::ARRIVAL,
    read: |state, row, to| read::times(state, Field::Arrival, row, to),
    fine: Fine::Arrival,
    ..DEPTH
};

/// Returns the name of [`ARRIVAL_ABOVE`] for a depth (m), given the clock; the names of a run's
/// maps are unique.
pub fn arrival_above_name(clock: &Clock, depth: f64) -> String {
    match clock.unit {
        TimeUnit::Seconds if clock.is_calibrated() => {
            format!("arrival time above {depth} m (by the calibrated step)")
        }
        TimeUnit::Seconds => format!("arrival time above {depth} m"),
        TimeUnit::Steps => {
            format!("arrival step above {depth} m (the run's steps have no duration)")
        }
    }
}

/// Arrival time at a further depth: `arrival_time_above_<depth>m.tif`, one for each value of
/// `arrival_depth` except the first.
pub static ARRIVAL_ABOVE: Layer = Layer {
    read: |state, row, to| {
        read::recorded_times(state, CellDiagnostic::Arrival { above: state.above }, row, to)
    },
    ..ARRIVAL_TIME
};

/// Time of the maximum depth.
pub static TIME_OF_MAX: Layer = Layer {
    key: "time_of_max",
    long_name: |_| "time of the maximum depth since start",
    about: "time since the start when the water was deepest, for the first time; NoData where it never was wet",
    needs: Needs::Diagnostic(|_| CellDiagnostic::PeakTime),
    scale: &quantities::TIME_OF_MAX,
    read: |state, row, to| read::recorded_times(state, CellDiagnostic::PeakTime, row, to),
    fine: Fine::OfCell(Field::MaxDepth, NODATA),
    ..ARRIVAL_TIME
};

/// Duration of wetting in the run.
pub static DURATION: Layer = Layer {
    key: "duration",
    long_name: |_| "duration of wetting",
    about: "how long the depth exceeded arrival_depth",
    needs: Needs::Diagnostic(|depths| CellDiagnostic::Wet {
        above: depths.wet,
        ticks: depths.ticks,
    }),
    scale: &quantities::DURATION,
    read: read::duration,
    fine: Fine::Duration,
    ..ARRIVAL_TIME
};

/// Maximum flow speed of the run.
pub static MAX_VELOCITY: Layer = Layer {
    key: "max_velocity",
    long_name: |_| "maximum flow velocity",
    about: "greatest speed of any step of the run",
    scope: TimeScope::Run,
    needs: Needs::Diagnostic(|_| CellDiagnostic::Speed),
    read: |state, row, to| read::highest(state, CellDiagnostic::Speed, row, to),
    fine: Fine::OfCell(Field::MaxDepth, 0.0),
    ..VELOCITY
};

/// Maximum unit discharge of the run.
pub static MAX_UNIT_DISCHARGE: Layer = Layer {
    key: "max_unit_discharge",
    long_name: |_| "maximum unit discharge",
    about: "greatest discharge per metre of width of any step of the run",
    scope: TimeScope::Run,
    needs: Needs::Diagnostic(|_| CellDiagnostic::MaxUnitDischarge),
    read: |state, row, to| read::highest(state, CellDiagnostic::MaxUnitDischarge, row, to),
    fine: Fine::UnitDischarge(Field::MaxDepth, &MAX_VELOCITY),
    ..UNIT_DISCHARGE
};

/// Maximum hazard rating of the run.
pub static MAX_HAZARD: Layer = Layer {
    key: "max_hazard",
    long_name: |_| "maximum flood hazard rating",
    about: "greatest hazard rating of any step of the run",
    scope: TimeScope::Run,
    needs: Needs::Diagnostic(|depths| CellDiagnostic::Hazard { above: depths.hazard }),
    read: |state, row, to| {
        read::highest(state, CellDiagnostic::Hazard { above: state.hazard }, row, to)
    },
    fine: Fine::Hazard(Field::MaxDepth, &MAX_VELOCITY, hazard::rating),
    ..HAZARD
};

/// Highest hazard class of the run.
pub static MAX_AIDR: Layer = Layer {
    key: "max_aidr",
    long_name: |_| "highest flood hazard class H1 to H6",
    about: "highest hazard class of any step of the run",
    scope: TimeScope::Run,
    needs: Needs::Diagnostic(|depths| CellDiagnostic::Class { above: depths.hazard }),
    read: |state, row, to| {
        read::highest(state, CellDiagnostic::Class { above: state.hazard }, row, to)
    },
    fine: Fine::Hazard(Field::MaxDepth, &MAX_VELOCITY, hazard::class),
    ..AIDR
};

/// Depth of initial loss and infiltration.
pub static INFILTRATION: Layer = Layer {
    key: "infiltration",
    long_name: |_| "initial loss and infiltration",
    about: "depth of water that the ground took, as initial loss and by infiltration; with start_from and the same losses, including earlier runs",
    scope: TimeScope::Run,
    needs: Needs::Soil,
    scale: &quantities::INFILTRATION,
    read: read::infiltration,
    fine: Fine::Everywhere,
    ..DEPTH
};

/// Registry of all layers.
pub static LAYERS: &[&Layer] = &[
    &DEPTH,
    &LEVEL,
    &VELOCITY,
    &VELOCITY_X,
    &VELOCITY_Y,
    &UNIT_DISCHARGE,
    &HAZARD,
    &AIDR,
    &MAX_DEPTH,
    &MAX_LEVEL,
    &TIME_OF_MAX,
    &ARRIVAL_TIME,
    &DURATION,
    &MAX_VELOCITY,
    &MAX_UNIT_DISCHARGE,
    &MAX_HAZARD,
    &MAX_AIDR,
    &INFILTRATION,
];

/// Returns the keys of all layers, by which their files are recognized.
pub fn keys() -> Vec<&'static str> {
    LAYERS.iter().map(|layer| layer.key).collect()
}
