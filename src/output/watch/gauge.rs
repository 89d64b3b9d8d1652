//! Gauges: points at which the water is watched.

use crate::engine::backend::EdgeAt;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Spot};
use crate::engine::hazard::FILM;
use crate::engine::subgrid::lookup::level_of;
use crate::engine::subgrid::tables::CellWords;
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
    /// The bed level there: the cell's, or its pixel's where the cell has finer ground in it (m).
    pub bed: f64,
    /// The cell's table, if it has one.
    pub table: Option<GaugeTable>,
}

/// The table of a gauge's cell.
#[derive(Clone, Debug)]
pub struct GaugeTable {
    /// Its words.
    pub words: CellWords,
    /// The lowest pixel of the cell (2⁻¹⁶ m).
    pub lowest: i32,
}

/// What a gauge shows at a time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Reading {
    /// Depth (m).
    pub depth: f64,
    /// Level of the water (m); that of the lowest ground of the cell if it is dry.
    pub level: f64,
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

    /// Depth at the gauge, and level of the water of its cell (m), with so much water in that (grains).
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

    /// What it shows with so much water in its cell (grains) and the velocities of its [edges](Gauge::edges) (m/s): the mean of
    /// opposite edges, 0 in less than [`FILM`].
    pub fn reading(
        &self,
        water: i32,
        grain: Grain,
        [west, east, north, south]: [f64; 4],
    ) -> Reading {
        let mean_depth = grain.depth(water);
        let mean = |a: f64, b: f64| if mean_depth < FILM { 0.0 } else { 0.5 * (a + b) };
        // Southward is counted above 0, northward is shown so.
        let (depth, level) = self.depth_and_level(water, grain);
        Reading { depth, level, velocity: [mean(west, east), mean(-north, -south)] }
    }
}

/// A gauge in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct GaugeReport {
    /// Its name.
    pub name: String,
    /// Where it is, and its cell.
    #[serde(flatten)]
    pub at: Spot,
    /// Bed level of its cell; of its pixel where the cell has finer ground in it (m).
    pub bed_m: f64,
    /// The lowest ground of the cell, if it has finer ground in it (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_bed_m: Option<f64>,
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
