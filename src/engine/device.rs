//! Which processor is asked for.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The processor that does the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The best there is.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU: that of this number, or the one with the most free memory.
    Cuda(Option<usize>),
}

impl Device {
    /// How each kind is written, and what it means.
    pub const FORMS: [(&str, &str); 4] = [
        ("auto", "a GPU if one can be used, else the CPU"),
        ("cpu", "the CPU"),
        ("cuda", "the GPU with the most free memory"),
        ("cuda:N", "the GPU of that number, as `inundate devices` lists them"),
    ];
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Auto => f.write_str("auto"),
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(None) => f.write_str("cuda"),
            Device::Cuda(Some(number)) => write!(f, "cuda:{number}"),
        }
    }
}

impl std::str::FromStr for Device {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Device, String> {
        // Digits alone: `parse` would take a sign, too.
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| plain)
        };
        let device = match text.split_once(':') {
            None if text == "auto" => Some(Device::Auto),
            None if text == "cpu" => Some(Device::Cpu),
            None if text == "cuda" => Some(Device::Cuda(None)),
            Some(("cuda", digits)) => number(digits).map(|number| Device::Cuda(Some(number))),
            _ => None,
        };
        device.ok_or_else(|| {
            let forms = Device::FORMS.map(|(form, _)| form).join(", ");
            format!("'{text}' is not a device: write one of {forms}")
        })
    }
}

impl Serialize for Device {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Device {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
