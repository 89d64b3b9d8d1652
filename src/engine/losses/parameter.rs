//! Parameters of losses: names, units, ranges, and the ground they define.

use super::{GroundLosses, Infiltration};
use crate::grains::{Grain, MAX_WATER};
use std::fmt;
use std::ops::RangeInclusive;

/// A model of infiltration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Constant infiltration capacity.
    Constant,
    /// The model of Horton (1940).
    Horton,
    /// The model of Green & Ampt (1911).
    GreenAmpt,
    /// The curve number of the USDA's Soil Conservation Service.
    CurveNumber,
}

impl Model {
    /// All infiltration models.
    pub const ALL: [Model; 4] =
        [Model::Constant, Model::Horton, Model::GreenAmpt, Model::CurveNumber];

    /// Returns its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Model::Constant => "constant",
            Model::Horton => "horton",
            Model::GreenAmpt => "green-ampt",
            Model::CurveNumber => "curve-number",
        }
    }

    /// Iterates over the parameters that it requires.
    pub fn parameters(self) -> impl Iterator<Item = Parameter> {
        Parameter::ALL.into_iter().filter(move |parameter| parameter.model() == Some(self))
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A parameter of losses that may vary from cell to cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Initial loss (mm).
    InitialLoss,
    /// Constant capacity of infiltration (mm/h).
    Infiltration,
    /// Horton's initial capacity (mm/h).
    HortonFirst,
    /// Horton's final capacity (mm/h).
    HortonLast,
    /// Horton's decay rate (1/h).
    HortonDecay,
    /// Green & Ampt's saturated conductivity (mm/h).
    Conductivity,
    /// Suction head at the wetting front (mm).
    Suction,
    /// Moisture deficit: the fraction of the ground's volume that water can fill.
    Deficit,
    /// Curve number of the ground.
    CurveNumber,
    /// Capacity of sewers (mm/h).
    Drainage,
}

/// A value for each parameter, in its unit and at its index in [`Parameter::ALL`]; NaN if not
/// given.
pub type Values = [f32; Parameter::ALL.len()];

/// Parameters without any given value.
pub const NOTHING: Values = [f32::NAN; Parameter::ALL.len()];

/// Unit of a parameter in rasters and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterUnit {
    /// Plain number.
    One,
    /// Millimetre.
    Millimetre,
    /// Millimetre per hour.
    MillimetrePerHour,
    /// Reciprocal hour.
    PerHour,
}

impl ParameterUnit {
    /// Returns its symbol; empty for plain numbers.
    pub fn symbol(self) -> &'static str {
        match self {
            ParameterUnit::One => "",
            ParameterUnit::Millimetre => "mm",
            ParameterUnit::MillimetrePerHour => "mm/h",
            ParameterUnit::PerHour => "1/h",
        }
    }

    /// Returns the end of the names of columns in this unit.
    fn column_suffix(self) -> &'static str {
        match self {
            ParameterUnit::One => "",
            ParameterUnit::Millimetre => "_mm",
            ParameterUnit::MillimetrePerHour => "_mm_h",
            ParameterUnit::PerHour => "_per_h",
        }
    }
}

/// Properties of a parameter.
struct ParameterInfo {
    /// Key in a scenario file.
    key: &'static str,
    unit: ParameterUnit,
    /// Minimum and maximum, in its unit.
    range: [f32; 2],
    /// Model to which it belongs; `None` if it is common to all models.
    model: Option<Model>,
}

const fn info(
    key: &'static str,
    unit: ParameterUnit,
    range: [f32; 2],
    model: Option<Model>,
) -> ParameterInfo {
    ParameterInfo { key, unit, range, model }
}

/// Properties of each parameter, at its index in [`Parameter::ALL`].
const INFOS: [ParameterInfo; Parameter::ALL.len()] = {
    use Model::{Constant, CurveNumber, GreenAmpt, Horton};
    use ParameterUnit::{Millimetre, MillimetrePerHour, One, PerHour};
    [
        info("initial_loss", Millimetre, [0.0, 1e4], None),
        info("infiltration", MillimetrePerHour, [0.0, 1e5], Some(Constant)),
        info("horton_first", MillimetrePerHour, [0.0, 1e5], Some(Horton)),
        info("horton_last", MillimetrePerHour, [0.0, 1e5], Some(Horton)),
        info("horton_decay", PerHour, [0.0, 3600.0], Some(Horton)),
        info("green_ampt_conductivity", MillimetrePerHour, [0.0, 1e5], Some(GreenAmpt)),
        info("green_ampt_suction", Millimetre, [0.0, 1e5], Some(GreenAmpt)),
        info("green_ampt_deficit", One, [0.0, 1.0], Some(GreenAmpt)),
        // Above 0, close enough to make no difference.
        info("curve_number", One, [0.01, 100.0], Some(CurveNumber)),
        info("drainage", MillimetrePerHour, [0.0, 1e5], None),
    ]
};

impl Parameter {
    /// All loss parameters, in the order of [`Values`].
    pub const ALL: [Parameter; 10] = [
        Parameter::InitialLoss,
        Parameter::Infiltration,
        Parameter::HortonFirst,
        Parameter::HortonLast,
        Parameter::HortonDecay,
        Parameter::Conductivity,
        Parameter::Suction,
        Parameter::Deficit,
        Parameter::CurveNumber,
        Parameter::Drainage,
    ];

    /// Returns its key in a scenario file.
    pub fn key(self) -> &'static str {
        INFOS[self as usize].key
    }

    /// Returns the unit of rasters and tables.
    pub fn unit(self) -> ParameterUnit {
        INFOS[self as usize].unit
    }

    /// Returns its column name in a table: the key with the unit.
    pub fn column(self) -> String {
        format!("{}{}", self.key(), self.unit().column_suffix())
    }

    /// Returns its valid range, in its unit.
    pub fn range(self) -> RangeInclusive<f32> {
        let [least, most] = INFOS[self as usize].range;
        least..=most
    }

    /// Returns the model to which it belongs; `None` if it is common to all models.
    pub fn model(self) -> Option<Model> {
        INFOS[self as usize].model
    }

    /// Returns its value among `values`.
    pub fn of(self, values: &Values) -> f32 {
        values[self as usize]
    }

    /// Describes its valid range, for hints.
    pub fn allowed(self) -> String {
        let (low, high) = self.range().into_inner();
        match self {
            Parameter::CurveNumber => "a curve number is above 0 and no more than 100".into(),
            Parameter::Deficit => {
                "the deficit is a fraction of the ground's volume, from 0 to 1".into()
            }
            _ => format!("give {low} to {high} {}", self.unit().symbol()),
        }
    }
}

/// Returns the retention of a curve number (m): S = 25.4 mm · (1000/CN − 10) (USDA NRCS 2004,
/// National Engineering Handbook, part 630, eq. 10-12, in mm).
pub fn retention(curve_number: f32) -> f64 {
    0.0254 * (1000.0 / f64::from(curve_number) - 10.0)
}

/// Builds the ground from parameter values; all parameters of the `model` must be given.
///
/// With a curve number, the initial loss defaults to `initial_share` of its retention. Green &
/// Ampt's model without suction or deficit becomes a constant capacity of its conductivity, and
/// Horton's without decay one of its initial capacity.
pub fn ground(
    values: &Values,
    model: Option<Model>,
    initial_share: f64,
    grain: Grain,
) -> GroundLosses {
    let rate = |parameter: Parameter| (f64::from(parameter.of(values)) / 3.6e6) as f32;
    let mut initial = f64::from(Parameter::InitialLoss.of(values)) * 1e-3;
    let infiltration = match model {
        None => Infiltration::None,
        Some(Model::Constant) => Infiltration::Constant { rate: rate(Parameter::Infiltration) },
        Some(Model::Horton) => {
            let (first, last) = (rate(Parameter::HortonFirst), rate(Parameter::HortonLast));
            let decay = (f64::from(Parameter::HortonDecay.of(values)) / 3600.0) as f32;
            if decay == 0.0 || first == last {
                Infiltration::Constant { rate: first }
            } else {
                Infiltration::Horton { first, last, decay }
            }
        }
        Some(Model::GreenAmpt) => {
            let conductivity = rate(Parameter::Conductivity);
            let suction = f64::from(Parameter::Suction.of(values)) * 1e-3;
            let suction = (suction * f64::from(Parameter::Deficit.of(values))) as f32;
            if suction == 0.0 || conductivity == 0.0 {
                Infiltration::Constant { rate: conductivity }
            } else {
                Infiltration::GreenAmpt { conductivity, suction }
            }
        }
        Some(Model::CurveNumber) => {
            let retention = retention(Parameter::CurveNumber.of(values));
            if initial.is_nan() {
                initial = initial_share * retention;
            }
            if retention > 0.0 {
                Infiltration::CurveNumber { retention: retention as f32 }
            } else {
                Infiltration::None
            }
        }
    };
    let drainage = rate(Parameter::Drainage);
    GroundLosses {
        initial: if initial > 0.0 { grain.from_depth(initial).unwrap_or(MAX_WATER) } else { 0 },
        infiltration,
        drainage: if drainage > 0.0 { drainage } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(Parameter, f32)]) -> Values {
        let mut values = NOTHING;
        pairs.iter().for_each(|&(parameter, value)| values[parameter as usize] = value);
        values
    }

    #[test]
    fn every_parameter_is_at_its_place() {
        for (place, parameter) in Parameter::ALL.into_iter().enumerate() {
            assert_eq!(parameter as usize, place);
        }
        assert_eq!(Parameter::HortonDecay.column(), "horton_decay_per_h");
        assert_eq!(Model::GreenAmpt.parameters().count(), 3);
    }

    #[test]
    fn limits_become_the_simpler_model() {
        let make = |pairs: &[(Parameter, f32)], model| {
            ground(&values(pairs), Some(model), 0.2, Grain::Fine).infiltration
        };
        let dry = [(Parameter::Conductivity, 3.6), (Parameter::Suction, 100.0)];
        let rate = 1e-6f32;
        for zero in [Parameter::Suction, Parameter::Deficit] {
            let pairs = [&dry[..], &[(Parameter::Deficit, 0.3), (zero, 0.0)]].concat();
            assert_eq!(make(&pairs, Model::GreenAmpt), Infiltration::Constant { rate });
        }
        let full = make(&[(Parameter::CurveNumber, 100.0)], Model::CurveNumber);
        assert_eq!(full, Infiltration::None);
        assert!((retention(80.0) - 0.0635).abs() < 1e-12);
        // A tiny curve number retains more than grains can count.
        let sponge = ground(
            &values(&[(Parameter::CurveNumber, 0.01)]),
            Some(Model::CurveNumber),
            0.2,
            Grain::Fine,
        );
        assert_eq!(sponge.initial, MAX_WATER);
    }
}
