//! Option values as written, before their units are parsed.

use crate::engine::device::Device;
use crate::engine::neighbourhood::Neighbourhood;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::{Deserializer, Error as _, Unexpected};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::ffi::OsStr;
use std::str::FromStr;

/// Returns a command-line parser of neighbourhoods.
pub fn neighbourhoods() -> impl TypedValueParser<Value = Neighbourhood> {
    let all = Neighbourhood::ALL;
    PossibleValuesParser::new(all.map(|one| PossibleValue::new(one.name()).help(one.about())))
        .map(move |text| all.into_iter().find(|one| one.name() == text).expect("a possible value"))
}

/// A quantity as written: text with a unit, or a bare number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantity(pub String);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        written(&toml::Value::deserialize(deserializer)?).map(Quantity)
    }
}

/// Returns a value's text; a number is formatted.
pub(super) fn written<E: serde::de::Error>(value: &toml::Value) -> Result<String, E> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        _ => Err(unfit(value, "text or a number")),
    }
}

/// Creates the error for a value whose type is not `expected`.
fn unfit<E: serde::de::Error>(value: &toml::Value, expected: &str) -> E {
    let found = match value {
        toml::Value::String(text) => Unexpected::Str(text),
        toml::Value::Integer(number) => Unexpected::Signed(*number),
        toml::Value::Float(number) => Unexpected::Float(*number),
        toml::Value::Boolean(yes) => Unexpected::Bool(*yes),
        toml::Value::Array(_) => Unexpected::Seq,
        toml::Value::Datetime(_) | toml::Value::Table(_) => Unexpected::Map,
    };
    E::invalid_type(found, &expected)
}

impl FromStr for Quantity {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Quantity, Self::Err> {
        Ok(Quantity(text.to_string()))
    }
}

/// A date and time as written: text, or a date-time of TOML.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment(pub String);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Other types arrive as a table with a single key of the TOML crate.
        let value = toml::Value::deserialize(deserializer)?;
        match value {
            toml::Value::String(text) => Ok(Moment(text)),
            toml::Value::Datetime(date) => Ok(Moment(date.to_string())),
            _ => Err(D::Error::custom("expected a date and time like \"2021-07-14T12:00+02:00\"")),
        }
    }
}

impl FromStr for Moment {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Moment, Self::Err> {
        Ok(Moment(text.to_string()))
    }
}

/// Command-line parser of a device; the help lists the forms.
#[derive(Clone, Debug)]
pub struct DeviceParser;

impl TypedValueParser for DeviceParser {
    type Value = Device;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Device, clap::Error> {
        let parser = |text: &str| text.parse::<Device>();
        TypedValueParser::parse_ref(&parser, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            Device::FORMS.iter().map(|(form, about)| PossibleValue::new(form).help(about)),
        ))
    }
}

/// Choice of the grain: the resolution of the water depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrainChoice {
    /// Fine, unless the expected depth exceeds half the maximum depth of fine
    #[default]
    Auto,
    /// 2^-24 m, depths up to 128 m
    Fine,
    /// 2^-17 m, depths up to 16383 m
    Coarse,
}

/// Grid of the maps of a run with subgrid tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputGrid {
    /// Grid of the DEM: the depth over each pixel
    #[default]
    Fine,
    /// Grid of the cells: mean depths
    Coarse,
}

/// Water surface between the cells of a run with subgrid tables, on its maps of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputSurface {
    /// Interpolated between the levels of cells whose water is connected
    #[default]
    Sloping,
    /// The level of each cell, with a step at its sides
    Flat,
}

/// Deserializes a text or a list of texts.
pub fn one_or_many<'de, D: Deserializer<'de>, T: FromStr<Err = Infallible>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let parse = |text: &str| text.parse().unwrap_or_else(|never| match never {});
    let text = |one: &toml::Value| one.as_str().map(parse).ok_or_else(|| unfit(one, "a string"));
    match toml::Value::deserialize(deserializer)? {
        toml::Value::Array(list) => list.iter().map(text).collect(),
        one => match written::<D::Error>(&one) {
            Ok(one) => Ok(vec![parse(&one)]),
            Err(_) => Err(unfit(&one, "text or a list of texts")),
        },
    }
}

/// Serialization of a number that may be NaN, as the text `nan`, since formats like JSON have no
/// NaN.
pub mod maybe_nan {
    use super::{Deserialize, Deserializer, Serialize, unfit};
    use serde::Serializer;

    /// Serializes the number.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(number) if number.is_nan() => serializer.serialize_str("nan"),
            other => other.serialize(serializer),
        }
    }

    /// Deserializes the number.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        match Option::<toml::Value>::deserialize(deserializer)? {
            None => Ok(None),
            Some(toml::Value::Float(number)) => Ok(Some(number)),
            Some(toml::Value::Integer(number)) => Ok(Some(number as f64)),
            Some(toml::Value::String(text)) if text == "nan" => Ok(Some(f64::NAN)),
            Some(other) => Err(unfit(&other, "f64")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Device;
    use crate::engine::device::Gpus;
    use crate::scenario::options::Options;

    #[test]
    fn nodata_that_is_no_number_outlives_a_checkpoint() {
        for (nodata, text) in
            [(None, "null"), (Some(-9999.0), "-9999.0"), (Some(f64::NAN), "\"nan\"")]
        {
            let options = Options { nodata, ..Options::default() };
            let written = serde_json::to_string(&options).unwrap();
            assert!(written.contains(&format!("\"nodata\":{text}")), "{written}");
            let read: Options = serde_json::from_str(&written).unwrap();
            assert_eq!(format!("{:?}", read.nodata), format!("{nodata:?}"));
        }
        let of = |text: &str| Options::from_toml(text, "s.toml").map(|options| options.nodata);
        assert!(of("nodata = nan").unwrap().is_some_and(f64::is_nan));
        assert_eq!(of("nodata = 0").unwrap(), Some(0.0));
        assert!(of("nodata = 'none'").is_err());
    }

    #[test]
    fn a_device_is_written_as_it_is_read() {
        for (text, device) in [
            ("auto", Device::Auto),
            ("cpu", Device::Cpu),
            ("cuda", Device::Cuda(None)),
            ("cuda:0", Device::Cuda(Some(0))),
            ("cuda:12", Device::Cuda(Some(12))),
            ("cuda:all", Device::CudaAll),
            ("cuda:0,2", Device::CudaThese(Gpus::of([0, 2]).unwrap())),
        ] {
            assert_eq!(text.parse(), Ok(device));
            assert_eq!(device.to_string(), text);
            assert_eq!(serde_json::to_value(device).unwrap(), text);
            assert_eq!(serde_json::from_value::<Device>(text.into()).unwrap(), device);
        }
    }

    #[test]
    fn what_is_not_a_device_is_told_what_is() {
        for text in [
            "",
            "gpu",
            "CUDA",
            "cuda:",
            "cuda:x",
            "cuda:-1",
            "cuda:+1",
            "cuda:1:2",
            "cpu:0",
            "cuda:0,",
            "cuda:1,1",
            "cuda:0,64",
        ] {
            let error = text.parse::<Device>().unwrap_err();
            assert!(error.contains("auto, cpu, cuda, cuda:N"), "{error}");
        }
    }
}
