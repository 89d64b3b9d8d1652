//! Losses and diagnostics of a case.

use super::{Case, Random};
use inundate_engine::cell_diagnostics::CellDiagnostic;
use inundate_engine::forcing::series::Series;
use inundate_engine::forcing::{Account, Footprint, RateLayer};
use inundate_engine::losses::{GroundLosses, Infiltration, Losses};

/// Returns one ground of each kind; rates are per step or second [m].
pub fn every_ground(rate: f32, grains: i32) -> Vec<GroundLosses> {
    let kinds = [
        Infiltration::None,
        Infiltration::Constant { rate },
        Infiltration::Horton { first: 4.0 * rate, last: 0.3 * rate, decay: 0.02 },
        Infiltration::GreenAmpt { conductivity: 0.2 * rate, suction: 0.05 },
        Infiltration::CurveNumber { retention: 0.06 },
    ];
    let ground = |(index, infiltration)| {
        let drainage = if index % 2 == 0 { 0.1 * rate } else { 0.0 };
        GroundLosses { initial: index as i32 * grains, infiltration, drainage }
    };
    kinds.into_iter().enumerate().map(ground).collect()
}

impl Case {
    /// Adds every kind of ground, randomly distributed, and evaporation, with about a given rate [m
    /// per step or second].
    pub fn lossy(mut self, rate: f64, seed: u64) -> Case {
        let grounds = every_ground(rate as f32, 3000);
        let mut random = Random::new(seed);
        let kind = |_| random.between(0.0, grounds.len() as f64) as u32;
        let of_cell = (0..self.bed.len()).map(kind).collect();
        let layer = self.forcing.rates.len();
        self.forcing.rates.push(RateLayer {
            account: Account::Evaporation,
            footprint: Footprint::Everywhere,
            series: Series::constant(0.05 * rate),
        });
        self.losses = Some(Losses { grounds, of_cell, evaporation: Some(layer) });
        self
    }

    /// Enables all diagnostics of cells, and gauges at many cells.
    pub fn with_diagnostics(mut self) -> Case {
        let grains = |depth| self.grain.from_depth(depth).expect("a depth that fits");
        self.cell_diagnostics = vec![
            CellDiagnostic::Wet { above: grains(0.02), ticks: 64 },
            CellDiagnostic::PeakTime,
            CellDiagnostic::Arrival { above: grains(0.3) },
            CellDiagnostic::Arrival { above: grains(0.001) },
        ];
        if self.subgrid.is_some() {
            self.cell_diagnostics.push(CellDiagnostic::LevelArrivals { above: grains(0.05) });
        }
        self.gauges = (0..self.bed.len()).step_by(13).collect();
        if self.solver.is_timed() {
            let above = grains(0.01);
            let hazards = [CellDiagnostic::Hazard { above }, CellDiagnostic::Class { above }];
            self.cell_diagnostics.extend(
                [CellDiagnostic::Speed, CellDiagnostic::MaxUnitDischarge]
                    .into_iter()
                    .chain(hazards),
            );
        }
        self
    }
}
