//! Every raster that a run can write: its key, name, unit, colours, what it needs, and where it comes from.

mod domain;
pub mod fine;
mod read;
mod rows;
mod select;

pub use domain::Domain;
pub use rows::{Lines, Maps, Now};
pub use select::{ALL, Chosen, DEFAULTS, at_points, choose, find, fine_tracks, tracks};

use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::field::Field;
use crate::engine::grains::Grain;
use crate::engine::grid::Bed;
use crate::engine::hazard;
use crate::engine::subgrid::tables::Tables;
use crate::engine::track::Track;
use crate::error::Result;
use crate::output::colour::{Scale, quantities};

pub use crate::output::colour::NODATA;

/// What a layer needs to be read from a run.
pub struct State<'a> {
    /// The run's state.
    pub lines: &'a dyn Lines,
    /// Grain of its water.
    pub grain: Grain,
    /// Its clock.
    pub clock: &'a Clock,
    /// The bed, if a layer needs it.
    pub bed: Option<&'a Bed>,
    /// The tables of its cells, if they have them.
    pub tables: Option<&'a Tables>,
    /// What is recorded for its cells.
    pub tracks: &'a [Track],
    /// The depth above which [`ARRIVAL_ABOVE`] is asked for (grains).
    pub above: i32,
    /// The depth up to which water is no hazard (grains).
    pub hazard: i32,
}

/// Which times a layer tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// One: the end, and every time of a series (`output_every`).
    Now,
    /// The whole run.
    Run,
}

/// What a layer needs of a run.
#[derive(Clone, Copy, Debug)]
pub enum Needs {
    /// Nothing but water, maxima and arrivals.
    Water,
    /// The bed, too.
    Bed,
    /// Discharges: a rule with physical time.
    Flow,
    /// Something recorded for every cell in every step.
    Track(fn(Depths) -> Track),
    /// Losses to the ground.
    Soil,
}

/// Depths that tracks are about (grains).
#[derive(Clone, Copy, Debug, Default)]
pub struct Depths {
    /// The depth that counts as wet.
    pub wet: i32,
    /// The depth up to which water is no hazard.
    pub hazard: i32,
}

impl Needs {
    /// What is to be recorded, if anything.
    pub fn track(self, depths: Depths) -> Option<Track> {
        match self {
            Needs::Track(of) => Some(of(depths)),
            _ => None,
        }
    }

    /// Whether only a rule with physical time has it.
    pub fn is_of_flow(self) -> bool {
        let flows = |track: Track| track.flows().is_some();
        matches!(self, Needs::Flow) || self.track(Depths::default()).is_some_and(flows)
    }
}

/// What a layer tells of a pixel, where cells have tables of finer ground: of a wet one, which the level of its cell's water, now or at the
/// greatest, stands above and water can have come to ([`fine`]).
#[derive(Clone, Copy, Debug)]
pub enum Fine {
    /// The depth over it.
    Depth(Field),
    /// The level of its cell.
    Level(Field),
    /// What its cell has; what is told of dry pixels.
    OfCell(Field, f32),
    /// How long the mean depth of its cell was so great, if it ever was wet.
    Duration,
    /// What its cell has, be it wet or dry.
    Everywhere,
    /// A hazard, of the depth over it and of its cell's speed, which a layer tells.
    Hazard(Field, &'static Layer, fn(f32, f32) -> f32),
    /// When the level of its cell first stood so far above it, by what is recorded at the knots of the cell's table.
    Arrival,
}

impl Fine {
    /// The water that covers the pixels, if that matters.
    pub fn water(self) -> Option<Field> {
        match self {
            Fine::Depth(field) | Fine::Level(field) | Fine::OfCell(field, _) => Some(field),
            Fine::Hazard(field, ..) => Some(field),
            Fine::Arrival | Fine::Duration => Some(Field::Most),
            Fine::Everywhere => None,
        }
    }

    /// What is to be said with the name of the map, since it is not what it would be without tables.
    fn limits(self) -> Option<&'static str> {
        match self {
            Fine::Hazard(Field::Most, ..) => {
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
    /// Band description for a clock.
    pub long_name: fn(&Clock) -> &'static str,
    /// Unit for a clock.
    pub unit: fn(&Clock) -> &'static str,
    /// What it tells, for docs and help.
    pub about: &'static str,
    /// Of when it tells.
    pub tells: Tells,
    /// What it needs.
    pub needs: Needs,
    /// Whether overviews average (depths) or take the nearest cell.
    pub averages: bool,
    /// Its colours.
    pub scale: &'static Scale,
    /// Reads a row: NODATA where there is nothing to tell. Cells outside the domain are blanked
    /// afterwards.
    pub read: fn(&State, usize, &mut [f32]) -> Result<()>,
    /// What it tells of the pixels of a fine grid.
    pub fine: Fine,
}

/// Times since the start: hours, or steps.
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

/// Water depth.
pub static DEPTH: Layer = Layer {
    key: "depth",
    long_name: |_| "water depth",
    unit: |_| "m",
    about: "water depth",
    tells: Tells::Now,
    needs: Needs::Water,
    averages: true,
    scale: &quantities::DEPTH,
    read: |state, row, to| read::depths(state, Field::Water, row, to),
    fine: Fine::Depth(Field::Water),
};

/// Water level.
pub static LEVEL: Layer = Layer {
    key: "level",
    long_name: |_| "water level",
    about: "level of the water surface, above the DEM's zero; NoData where it is dry",
    needs: Needs::Bed,
    scale: &quantities::LEVEL,
    averages: false,
    read: |state, row, to| read::levels(state, Field::Water, row, to),
    fine: Fine::Level(Field::Water),
    ..DEPTH
};

/// Speed.
pub static VELOCITY: Layer = Layer {
    key: "velocity",
    long_name: |_| "flow velocity",
    unit: |_| "m/s",
    about: "speed of the flow, the mean over the cell's edges of that of the water that crosses them; 0 in water shallower than 1 cm",
    needs: Needs::Flow,
    averages: false,
    scale: &quantities::VELOCITY,
    read: read::velocity,
    fine: Fine::OfCell(Field::Water, 0.0),
    ..DEPTH
};

/// Velocity eastward.
pub static VELOCITY_X: Layer = Layer {
    key: "velocity_x",
    long_name: |_| "flow velocity to the east",
    about: "its part to the east (along rows)",
    scale: &quantities::VELOCITY_X,
    read: read::velocity_x,
    ..VELOCITY
};

/// Velocity northward.
pub static VELOCITY_Y: Layer = Layer {
    key: "velocity_y",
    long_name: |_| "flow velocity to the north",
    about: "its part to the north (up the columns)",
    scale: &quantities::VELOCITY_Y,
    read: read::velocity_y,
    ..VELOCITY
};

/// Unit discharge.
pub static UNIT_DISCHARGE: Layer = Layer {
    key: "unit_discharge",
    long_name: |_| "unit discharge",
    unit: |_| "m²/s",
    about: "discharge per metre of width",
    scale: &quantities::UNIT_DISCHARGE,
    read: read::unit_discharge,
    ..VELOCITY
};

/// Hazard rating.
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

/// Hazard class.
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

/// Maximum water depth.
pub static MAX_DEPTH: Layer = Layer {
    key: "max_depth",
    long_name: |_| "maximum water depth",
    about: "greatest depth of any step of the run",
    tells: Tells::Run,
    read: |state, row, to| read::depths(state, Field::Most, row, to),
    fine: Fine::Depth(Field::Most),
    ..DEPTH
};

/// Maximum water level.
pub static MAX_LEVEL: Layer = Layer {
    key: "max_level",
    long_name: |_| "maximum water level",
    about: "level of the water surface when it was highest; NoData where it never was wet",
    tells: Tells::Run,
    read: |state, row, to| read::levels(state, Field::Most, row, to),
    fine: Fine::Level(Field::Most),
    ..LEVEL
};

/// Arrival time.
pub static ARRIVAL_TIME: Layer = Layer {
    key: "arrival_time",
    long_name: arrival_name,
    unit: time_unit,
    about: "time since the start when the depth first exceeded arrival_depth; NoData where it never did",
    tells: Tells::Run,
    averages: false,
    scale: &quantities::ARRIVAL,
    read: read::arrival,
    fine: Fine::Arrival,
    ..DEPTH
};

/// What [`ARRIVAL_ABOVE`] of a depth (m) is called, for a clock: no two maps of a run share a name.
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

/// Arrival time at a further depth: `arrival_time_above_<depth>m.tif`, one for each of `arrival_depth` but the first.
pub static ARRIVAL_ABOVE: Layer = Layer {
    read: |state, row, to| {
        read::recorded_times(state, Track::Arrival { above: state.above }, row, to)
    },
    ..ARRIVAL_TIME
};

/// Time of the maximum depth.
pub static TIME_OF_MAX: Layer = Layer {
    key: "time_of_max",
    long_name: |_| "time of the maximum depth since start",
    about: "time since the start when the water was deepest, for the first time; NoData where it never was wet",
    needs: Needs::Track(|_| Track::PeakTime),
    scale: &quantities::TIME_OF_MAX,
    read: |state, row, to| read::recorded_times(state, Track::PeakTime, row, to),
    fine: Fine::OfCell(Field::Most, NODATA),
    ..ARRIVAL_TIME
};

/// Duration of wetting.
pub static DURATION: Layer = Layer {
    key: "duration",
    long_name: |_| "duration of wetting",
    about: "how long the depth exceeded arrival_depth",
    needs: Needs::Track(|depths| Track::Wet { above: depths.wet }),
    scale: &quantities::DURATION,
    read: read::duration,
    fine: Fine::Duration,
    ..ARRIVAL_TIME
};

/// Maximum speed.
pub static MAX_VELOCITY: Layer = Layer {
    key: "max_velocity",
    long_name: |_| "maximum flow velocity",
    about: "greatest speed of any step of the run",
    tells: Tells::Run,
    needs: Needs::Track(|_| Track::Speed),
    read: |state, row, to| read::highest(state, Track::Speed, row, to),
    fine: Fine::OfCell(Field::Most, 0.0),
    ..VELOCITY
};

/// Maximum unit discharge.
pub static MAX_UNIT_DISCHARGE: Layer = Layer {
    key: "max_unit_discharge",
    long_name: |_| "maximum unit discharge",
    about: "greatest discharge per metre of width of any step of the run",
    tells: Tells::Run,
    needs: Needs::Track(|_| Track::Flow),
    read: |state, row, to| read::highest(state, Track::Flow, row, to),
    fine: Fine::OfCell(Field::Most, 0.0),
    ..UNIT_DISCHARGE
};

/// Maximum hazard rating.
pub static MAX_HAZARD: Layer = Layer {
    key: "max_hazard",
    long_name: |_| "maximum flood hazard rating",
    about: "greatest hazard rating of any step of the run",
    tells: Tells::Run,
    needs: Needs::Track(|depths| Track::Hazard { above: depths.hazard }),
    read: |state, row, to| read::highest(state, Track::Hazard { above: state.hazard }, row, to),
    fine: Fine::Hazard(Field::Most, &MAX_VELOCITY, hazard::rating),
    ..HAZARD
};

/// Highest hazard class.
pub static MAX_AIDR: Layer = Layer {
    key: "max_aidr",
    long_name: |_| "highest flood hazard class H1 to H6",
    about: "highest hazard class of any step of the run",
    tells: Tells::Run,
    needs: Needs::Track(|depths| Track::Class { above: depths.hazard }),
    read: |state, row, to| read::highest(state, Track::Class { above: state.hazard }, row, to),
    fine: Fine::Hazard(Field::Most, &MAX_VELOCITY, hazard::class),
    ..AIDR
};

/// What the ground took.
pub static INFILTRATION: Layer = Layer {
    key: "infiltration",
    long_name: |_| "initial loss and infiltration",
    about: "depth of water that the ground took, as initial loss and by infiltration",
    tells: Tells::Run,
    needs: Needs::Soil,
    scale: &quantities::INFILTRATION,
    read: read::infiltration,
    fine: Fine::Everywhere,
    ..DEPTH
};

/// The registry: every layer, one line each.
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

/// The keys of all layers, by which their files are known.
pub fn keys() -> Vec<&'static str> {
    LAYERS.iter().map(|layer| layer.key).collect()
}
