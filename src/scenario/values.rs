//! The values of options as they are written, before they get a unit.

use clap::ValueEnum;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// A quantity as written: text with a unit, or a bare number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantity(pub String);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct TextOrNumber;
        impl Visitor<'_> for TextOrNumber {
            type Value = Quantity;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or a number")
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Quantity, E> {
                Ok(Quantity(text.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> std::result::Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> std::result::Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
        }
        deserializer.deserialize_any(TextOrNumber)
    }
}

impl std::str::FromStr for Quantity {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> std::result::Result<Quantity, Self::Err> {
        Ok(Quantity(text.to_string()))
    }
}

/// The processor that does the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Device {
    /// The best there is.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
}

/// How finely water is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrainChoice {
    /// Fine, unless water is expected to take up more than half the depth that fine holds.
    #[default]
    Auto,
    /// 2^-24 m, depths to 128 m.
    Fine,
    /// 2^-20 m, depths to 2048 m.
    Coarse,
}

pub fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<String>, D::Error> {
    struct OneOrMany;
    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text or a list of texts")
        }
        fn visit_str<E>(self, one: &str) -> std::result::Result<Vec<String>, E> {
            Ok(vec![one.to_string()])
        }
        fn visit_seq<A: SeqAccess<'de>>(
            self,
            mut list: A,
        ) -> std::result::Result<Vec<String>, A::Error> {
            let mut many = Vec::new();
            while let Some(one) = list.next_element()? {
                many.push(one);
            }
            Ok(many)
        }
    }
    deserializer.deserialize_any(OneOrMany)
}

/// Whether a text that may be a quantity or a path is meant as a path.
pub fn looks_like_a_file(text: &str) -> bool {
    let path = Path::new(text);
    let extension = path.extension().is_some_and(|extension| {
        extension.to_string_lossy().chars().next().is_some_and(char::is_alphabetic)
    });
    path.exists() || (extension && !text.contains(' ')) || text.starts_with("/vsi")
}
