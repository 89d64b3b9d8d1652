//! What there is to say of losses: their ranges, and values that may be wrong.

use super::cells::Cells;
use crate::engine::losses::parameter::{Model, Parameter, retention};
use serde::Serialize;

/// Faster than this ground lets hardly any water through (mm/h).
const FAST: f32 = 500.0;
/// Curve numbers below this are of no ground in the handbook's tables.
const LOW_CURVE_NUMBER: f32 = 30.0;
/// More than this evaporates hardly anywhere (m/s): 20 mm/day.
const MUCH_EVAPORATION: f64 = 20e-3 / 86400.0;

/// What a parameter of losses is over the domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LossRange {
    /// Its key in a scenario file.
    pub what: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The lowest value.
    pub lowest: f32,
    /// The highest value.
    pub highest: f32,
    /// Cells of the domain in which it counts.
    pub cells: usize,
    /// The same as a part of the domain's cells, 0 to 1.
    pub share: f64,
}

/// The range of every parameter that counts somewhere.
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
        let (what, unit) = (parameter.key(), parameter.unit());
        Some(LossRange { what, unit, lowest, highest, cells, share })
    };
    Parameter::ALL.into_iter().filter_map(range).collect()
}

/// What may be wrong, with the rain's highest rate (m/s) and depth (m) in any cell.
pub fn warnings(cells: &Cells, initial_share: f64, rain: (f64, f64)) -> Vec<String> {
    let mut warnings = Vec::new();
    for LossRange { what, unit, lowest, highest, .. } in ranges(cells) {
        if unit == "mm/h" && highest > FAST {
            warnings.push(format!(
                "{what}: up to {highest} mm/h, faster than nearly any ground or sewer; is the unit right?"
            ));
        }
        if what == Parameter::CurveNumber.key() && lowest < LOW_CURVE_NUMBER {
            warnings.push(format!(
                "{what}: as low as {lowest}, of which hardly any rain runs off; the handbook's tables go from {LOW_CURVE_NUMBER} to 98"
            ));
        }
    }
    let (peak, depth) = rain;
    let curved = cells.kinds.iter().any(|kind| kind.model == Some(Model::CurveNumber));
    if curved && peak == 0.0 {
        warnings.push(
            "curve_number: of no effect, because it takes from rain, and there is none".into(),
        );
    }
    let takes_all = |kind: &super::cells::GroundClass| {
        let of = |parameter: Parameter| {
            let value = f64::from(parameter.of(&kind.values));
            if value.is_nan() { 0.0 } else { value }
        };
        // What it takes at the least, once it is wet (mm/h), and at first (mm).
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
            "losses: the ground and the sewers take all of the rain everywhere, of at most {} mm/h and {} mm in all; none will run off from where it falls",
            (peak * 3.6e6) as f32,
            (depth * 1e3) as f32
        ));
    }
    warnings
}

/// A warning about evaporation with this highest rate (m/s).
pub fn much_evaporation(peak: f64) -> Option<String> {
    (peak > MUCH_EVAPORATION).then(|| {
        format!(
            "evaporation: up to {} mm/day, more than the 20 mm/day of a hot desert; is the unit right?",
            (peak * 86_400e3) as f32
        )
    })
}
