//! The volume ledger: every grain that comes, goes and stays.

use crate::grains::Grain;
use crate::losses::Taken;
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
    /// Taken as initial loss.
    pub initial_loss: i128,
    /// Infiltrated.
    pub infiltration: i128,
    /// Went into sewers.
    pub drainage: i128,
    /// Evaporated.
    pub evaporation: i128,
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
    /// Initial loss (m³).
    pub initial_loss_m3: f64,
    /// Infiltration (m³).
    pub infiltration_m3: f64,
    /// Sewers (m³).
    pub drainage_m3: f64,
    /// Evaporation (m³).
    pub evaporation_m3: f64,
    /// Open edges and held levels (m³).
    pub outflow_m3: f64,
    /// In the cells now (m³).
    pub stored_m3: f64,
    /// initial + rain + inflow − all losses − outflow − stored, summed in whole grains (m³). Zero.
    pub error_m3: f64,
}

impl Ledger {
    /// What is unaccounted for, in grains. Anything but 0 is a defect.
    pub fn error(&self) -> i128 {
        self.initial + self.rain + self.inflow - self.gone() - self.stored
    }

    /// What is no more in the domain, in grains.
    fn gone(&self) -> i128 {
        let ground = self.initial_loss + self.infiltration;
        self.losses + ground + self.drainage + self.evaporation + self.outflow
    }

    /// Books what was taken of the water in cells.
    pub fn take(&mut self, taken: Taken) {
        self.initial_loss += i128::from(taken.initial);
        self.infiltration += i128::from(taken.infiltration);
        self.drainage += i128::from(taken.drainage);
        self.evaporation += i128::from(taken.evaporation);
    }

    /// The ledger in m³ for cells of `area` (m²).
    pub fn volumes(&self, grain: Grain, area: f64) -> Volumes {
        let cubic_metres = |grains: i128| grains as f64 * f64::from(grain.metres()) * area;
        Volumes {
            initial_m3: cubic_metres(self.initial),
            rain_m3: cubic_metres(self.rain),
            inflow_m3: cubic_metres(self.inflow),
            losses_m3: cubic_metres(self.losses),
            initial_loss_m3: cubic_metres(self.initial_loss),
            infiltration_m3: cubic_metres(self.infiltration),
            drainage_m3: cubic_metres(self.drainage),
            evaporation_m3: cubic_metres(self.evaporation),
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
        self.initial_loss += other.initial_loss;
        self.infiltration += other.infiltration;
        self.drainage += other.drainage;
        self.evaporation += other.evaporation;
        self.outflow += other.outflow;
        self.stored += other.stored;
    }
}
