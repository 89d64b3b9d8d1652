//! The volume ledger: every grain that comes, goes and stays.

use crate::grains::Grain;
use serde::Serialize;

/// Totals in grains. Sums of integers, so they are exact and free of order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// In the cells at the start.
    pub initial: i128,
    /// Came as rain.
    pub rain: i128,
    /// Came from sources, inflow cells and held levels.
    pub inflow: i128,
    /// Taken out inside the domain (sink cells).
    pub losses: i128,
    /// Went out over open edges and at held levels.
    pub outflow: i128,
    /// In the cells now.
    pub stored: i128,
}

/// The ledger in m³, as `run.json` has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Volumes {
    /// In the cells at the start (m³).
    pub initial_m3: f64,
    /// Rain (m³).
    pub rain_m3: f64,
    /// Sources, inflow cells and held levels (m³).
    pub inflow_m3: f64,
    /// Sink cells (m³).
    pub losses_m3: f64,
    /// Open edges and held levels (m³).
    pub outflow_m3: f64,
    /// In the cells now (m³).
    pub stored_m3: f64,
    /// initial + rain + inflow − losses − outflow − stored, summed in whole grains (m³). Zero.
    pub error_m3: f64,
}

impl Ledger {
    /// What is unaccounted for, in grains. Anything but 0 is a defect.
    pub fn error(&self) -> i128 {
        self.initial + self.rain + self.inflow - self.losses - self.outflow - self.stored
    }

    /// The ledger in m³ for cells of `area` (m²).
    pub fn volumes(&self, grain: Grain, area: f64) -> Volumes {
        let cubic_metres = |grains: i128| grains as f64 * f64::from(grain.metres()) * area;
        Volumes {
            initial_m3: cubic_metres(self.initial),
            rain_m3: cubic_metres(self.rain),
            inflow_m3: cubic_metres(self.inflow),
            losses_m3: cubic_metres(self.losses),
            outflow_m3: cubic_metres(self.outflow),
            stored_m3: cubic_metres(self.stored),
            error_m3: cubic_metres(self.error()),
        }
    }
}

impl std::ops::AddAssign for Ledger {
    fn add_assign(&mut self, other: Ledger) {
        self.initial += other.initial;
        self.rain += other.rain;
        self.inflow += other.inflow;
        self.losses += other.losses;
        self.outflow += other.outflow;
        self.stored += other.stored;
    }
}
