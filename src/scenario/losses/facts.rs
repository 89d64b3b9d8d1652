//! Ranges of the losses for reports, and warnings on unusual values.

use super::cells::Cells;
use crate::engine::losses::parameter::{Model, Parameter, ParameterUnit, retention};
use serde::Serialize;

/// Rate that hardly any ground or sewer reaches (mm/h).
const FAST: f32 = 500.0;
/// Curve numbers below this are not in the handbook's tables.
const LOW_CURVE_NUMBER: f32 = 30.0;
/// Evaporation that hardly any place exceeds (m/s): 20 mm/day.
const MUCH_EVAPORATION: f64 = 20e-3 / 86400.0;

/// Range of a loss parameter over the domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LossRange {
    /// Key in a scenario file.
    pub what: &'static str,
    /// Unit of the values.
    pub unit: &'static str,
    /// The lowest value.
    pub lowest: f32,
    /// The highest value.
    pub highest: f32,
    /// Number of cells in the domain to which it applies.
    pub cells: usize,
    /// Fraction of the cells of the domain, 0 to 1.
    pub share: f64,
}

/// Returns the range of every parameter that applies somewhere.
pub fn ranges(cells: &Cells) -> Vec<LossRange> {
    let all: usize = cells.kinds.iter().map(|kind| kind.cells).sum();
    let range = |parameter: Parameter| {
        let values = cells.kinds.iter().map(|kind| (parameter.of(&kind.values), kind.cells));
        let mut values = values.filter(|(value, _)| !value.is_nan());
        let (first, count) = values.next()?;
        let start = (first, first, count);
        let (lowest, highest, cells) = values.fold(start, |(low, high, sum), (value, count)| {
            (low.min(value), high.max(value), sum + count)
        });
        let share = cells as f64 / all as f64;
        let (what, unit) = (parameter.key(), parameter.unit().symbol());
        Some(LossRange { what, unit, lowest, highest, cells, share })
    };
    Parameter::ALL.into_iter().filter_map(range).collect()
}

/// Returns warnings; `rain` has the highest rate (m/s) and the greatest depth (m) of rain in a
/// cell.
pub fn warnings(cells: &Cells, initial_share: f64, rain: (f64, f64)) -> Vec<String> {
    let mut warnings = Vec::new();
    for LossRange { what, unit, lowest, highest, .. } in ranges(cells) {
        if unit == ParameterUnit::MillimetrePerHour.symbol() && highest > FAST {
            warnings.push(format!(
                "{what}: up to {highest} mm/h, more than nearly any ground or sewer can take; check the unit"
            ));
        }
        if what == Parameter::CurveNumber.key() && lowest < LOW_CURVE_NUMBER {
            warnings.push(format!(
                "{what}: as low as {lowest}, with hardly any runoff; the handbook's tables range from {LOW_CURVE_NUMBER} to 98"
            ));
        }
    }
    let (peak, depth) = rain;
    let curved = cells.kinds.iter().any(|kind| kind.model == Some(Model::CurveNumber));
    if curved && peak == 0.0 {
        warnings.push("curve_number: has no effect, because there is no rain".into());
    }
    let takes_all = |kind: &super::cells::GroundClass| {
        let of = |parameter: Parameter| {
            let value = f64::from(parameter.of(&kind.values));
            if value.is_nan() { 0.0 } else { value }
        };
        // Minimum loss of wet ground (mm/h), and minimum initial loss (mm).
        let steady = match kind.model {
            Some(Model::Constant) => of(Parameter::Infiltration),
            Some(Model::Horton) => of(Parameter::HortonLast),
            Some(Model::GreenAmpt) => of(Parameter::Conductivity),
            Some(Model::CurveNumber) | None => 0.0,
        };
        let initial = match kind.model {
            Some(Model::CurveNumber) => {
                initial_share * retention(Parameter::CurveNumber.of(&kind.values))
            }
            _ => of(Parameter::InitialLoss) * 1e-3,
        };
        (steady + of(Parameter::Drainage)) / 3.6e6 >= peak || initial >= depth
    };
    if peak > 0.0 && cells.kinds.iter().all(takes_all) {
        warnings.push(format!(
            "losses: the ground and the sewers take all of the rain everywhere, of at most {} mm/h and {} mm in all; there will be no runoff",
            (peak * 3.6e6) as f32,
            (depth * 1e3) as f32
        ));
    }
    warnings
}

/// Returns a warning if the highest rate of evaporation (m/s) is unusual.
pub fn much_evaporation(peak: f64) -> Option<String> {
    (peak > MUCH_EVAPORATION).then(|| {
        format!(
            "evaporation: up to {} mm/day, more than the 20 mm/day of a hot desert; check the unit",
            (peak * 86_400e3) as f32
        )
    })
}
