//! Gauges: points at which the water is sampled.

use crate::engine::backend::EdgeAt;
use crate::engine::crossed_sides::CrossedSides;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, CellLocation};
use crate::engine::hazard::FILM;
use crate::engine::subgrid::lookup::level_of;
use crate::engine::subgrid::tables::CellWords;
use serde::{Deserialize, Serialize};

/// A point with its cell.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Name of the gauge.
    pub name: String,
    /// Easting, in the DEM's CRS.
    pub x: f64,
    /// Northing, in the DEM's CRS.
    pub y: f64,
    /// Column and row of the cell.
    pub place: (usize, usize),
    /// Number of the cell, row-major.
    pub cell: usize,
    /// Bed level of the cell, or of the gauge's pixel with subgrid terrain (m).
    pub bed: f64,
    /// Subgrid table of the cell, if it has one.
    pub table: Option<GaugeTable>,
    /// Crossed sides of the cell, known when the run starts.
    pub crossed: CrossedSides,
}

/// Subgrid table of a gauge's cell.
#[derive(Clone, Debug)]
pub struct GaugeTable {
    /// Words of the table.
    pub words: CellWords,
    /// Lowest pixel of the cell (2⁻¹⁶ m).
    pub lowest: i32,
}

/// Sample of a gauge.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Reading {
    /// Depth at the gauge (m).
    pub depth: f64,
    /// Level of the water (m), or of the lowest ground of the cell if it is dry.
    pub level: f64,
    /// Velocity to the east and to the north (m/s).
    pub velocity: [f64; 2],
}

impl Reading {
    /// Returns the speed (m/s).
    pub fn speed(&self) -> f64 {
        self.velocity[0].hypot(self.velocity[1])
    }
}

impl Gauge {
    /// Returns the western, eastern, northern and southern edges of the cell.
    pub fn edges(&self) -> [EdgeAt; 4] {
        EdgeAt::around(self.place)
    }

    /// Returns the depth at the gauge and the water level of its cell (m), given the cell's water
    /// (grains).
    pub fn depth_and_level(&self, water: i32, grain: Grain) -> (f64, f64) {
        match &self.table {
            None => {
                let depth = f64::from(grain.depth(water));
                (depth, self.bed + depth)
            }
            Some(table) => {
                let level = level_of(&table.words, table.lowest, water, grain.metres());
                let level = f64::from(level) / Bed::PER_METRE;
                ((level - self.bed).max(0.0), level)
            }
        }
    }

    /// Returns the sample for the water in the cell (grains) and the velocities at its
    /// [edges](Gauge::edges) (m/s): the mean of opposite edges, except on crossed sides, or 0 where
    /// the water at the gauge is shallower than [`FILM`].
    pub fn reading(&self, water: i32, grain: Grain, edges: [f64; 4]) -> Reading {
        let [west, east, north, south] = self.crossed.complete(edges);
        let (depth, level) = self.depth_and_level(water, grain);
        let is_film = depth.min(grain.depth(water).into()) < f64::from(FILM);
        let mean = |a: f64, b: f64| if is_film { 0.0 } else { 0.5 * (a + b) };
        // Velocities are positive southward in the state, and northward in the output.
        Reading { depth, level, velocity: [mean(west, east), mean(-north, -south)] }
    }
}

/// A gauge in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct GaugeReport {
    /// Name of the gauge.
    pub name: String,
    /// Place and cell of the gauge.
    #[serde(flatten)]
    pub at: CellLocation,
    /// Bed level of its cell, or of its pixel with subgrid terrain (m).
    pub bed_m: f64,
    /// Lowest ground of the cell, with subgrid terrain (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_bed_m: Option<f64>,
    /// Greatest depth of any step (m).
    pub max_depth_m: f64,
    /// Level at that time (m).
    pub max_level_m: f64,
    /// End of the first step with the greatest depth (s, or steps), 0 at the start; `None` if it
    /// stays dry.
    pub time_of_max: Option<f64>,
    /// Arrival time of the water, as in the raster (s, or steps); `None` if it never arrived.
    pub arrival: Option<f64>,
    /// Greatest speed at the end of any step (m/s); `None` for solvers without discharges.
    pub max_velocity_m_s: Option<f64>,
}
