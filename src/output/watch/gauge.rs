//! Gauges: points at which the water is watched.

use crate::engine::backend::EdgeAt;
use crate::engine::hazard::FILM;
use serde::{Deserialize, Serialize};

/// A point, and the cell in which it lies.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Its name.
    pub name: String,
    /// East, in the DEM's CRS.
    pub x: f64,
    /// North, in the DEM's CRS.
    pub y: f64,
    /// Column and row of the cell.
    pub place: (usize, usize),
    /// The cell's number, row-major.
    pub cell: usize,
    /// The cell's bed level (m).
    pub bed: f64,
}

/// What a gauge shows at a time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Reading {
    /// Depth (m).
    pub depth: f64,
    /// Velocity to the east and to the north (m/s).
    pub velocity: [f64; 2],
}

impl Reading {
    /// Speed (m/s).
    pub fn speed(&self) -> f64 {
        self.velocity[0].hypot(self.velocity[1])
    }
}

impl Gauge {
    /// The edges west, east, north and south of the cell.
    pub fn edges(&self) -> [EdgeAt; 4] {
        EdgeAt::around(self.place)
    }

    /// What it shows with a depth (m) and the velocities of its [edges](Gauge::edges) (m/s): the mean of opposite
    /// edges, 0 in less than [`FILM`].
    pub fn reading(depth: f64, [west, east, north, south]: [f64; 4]) -> Reading {
        let mean = |a: f64, b: f64| if depth < f64::from(FILM) { 0.0 } else { 0.5 * (a + b) };
        // Southward is counted above 0, northward is shown so.
        Reading { depth, velocity: [mean(west, east), mean(-north, -south)] }
    }
}

/// A gauge in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct GaugeReport {
    /// Its name.
    pub name: String,
    /// East, in the DEM's CRS.
    pub x: f64,
    /// North, in the DEM's CRS.
    pub y: f64,
    /// Column of its cell.
    pub column: usize,
    /// Row of its cell.
    pub row: usize,
    /// Bed level of its cell (m).
    pub bed_m: f64,
    /// Greatest depth of any step (m).
    pub max_depth_m: f64,
    /// The level then (m).
    pub max_level_m: f64,
    /// The end of the step in which the depth was greatest for the first time (s, or steps), 0 if that was at the
    /// start; none if it stays dry.
    pub time_of_max: Option<f64>,
    /// When water arrived, as the raster has it (s, or steps); none if it never did.
    pub arrival: Option<f64>,
    /// Greatest speed at the end of any step (m/s); none for rules without discharges.
    pub max_velocity_m_s: Option<f64>,
}
