//! The losses of a scenario: initial loss, infiltration, sewers and evaporation.

mod cells;
mod empty_fields;
mod facts;
mod open_pixels;
pub mod options;
mod plan;
mod rasters;

pub use facts::LossRange;
pub use open_pixels::take_from_open_pixels;
pub use options::LossOptions;
pub use plan::Plan;
pub use rasters::ParameterMeans;

use crate::engine::forcing::{Account, Footprint, Forcing, RateLayer};
use crate::engine::grains::Grain;
use crate::engine::losses::{GroundLosses, Losses};
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notices, Reading};
use rasters::Rasters;

/// Losses, their ranges and the classes.
#[derive(Debug, Default)]
pub struct Read {
    pub losses: Option<Losses>,
    pub ranges: Vec<LossRange>,
}

/// Reads the rasters of a plan for a run to `end` (s), except for parameters whose `means` are known,
/// and adds evaporation to its forcing. Nothing infiltrates into roofs.
pub fn read(
    plan: Option<Reading<Plan>>,
    means: Option<ParameterMeans>,
    ground: Topography,
    grain: Grain,
    forcing: &mut Forcing,
    end: f64,
) -> Result<Reading<Read>> {
    let Some(plan) = plan else { return Ok(Reading::default()) };
    let mut notices = Notices::default();
    let mut plan = notices.of(plan);
    let rasters = notices.of(Rasters::read(&plan, means, ground)?);
    notices.warn_all(empty_fields::warnings(&plan, &rasters, ground));
    let cells = cells::lay(&plan, &rasters, ground, grain)?;
    let rain = forcing.rates.iter().filter(|layer| layer.account == Account::Rain);
    let rain = rain.fold((0.0, 0.0), |(peak, depth), layer| {
        (peak + layer.series.peak(), depth + layer.series.total(end) - layer.series.total(0.0))
    });
    notices.warn_all(facts::warnings(&cells, plan.initial_share, rain));
    let mut evaporation = None;
    if let Some(series) = plan.evaporation.take() {
        notices.warn_all(facts::much_evaporation(series.peak()));
        evaporation = Some(forcing.rates.len());
        let (account, footprint) = (Account::Evaporation, Footprint::Everywhere);
        forcing.rates.push(RateLayer { account, footprint, series });
    }
    let ranges = facts::ranges(&cells);
    let grounds: Vec<GroundLosses> = cells.kinds.iter().map(|kind| kind.ground).collect();
    let losses = Losses { grounds, of_cell: cells.of_cell, evaporation };
    Ok(Reading { value: Read { losses: Some(losses), ranges }, notices })
}
