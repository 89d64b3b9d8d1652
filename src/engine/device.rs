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
    /// All GPUs that can be used, together.
    CudaAll,
    /// These GPUs, together.
    CudaThese(Gpus),
}

/// GPUs by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gpus(u64);

impl Gpus {
    /// More than these no machine has.
    const MOST: usize = 64;

    /// Those of these numbers, each once; `None` if there is no such number.
    pub fn of(numbers: impl IntoIterator<Item = usize>) -> Option<Gpus> {
        let mut all = Gpus::default();
        for number in numbers {
            if number >= Gpus::MOST || all.0 >> number & 1 == 1 {
                return None;
            }
            all.0 |= 1 << number;
        }
        Some(all)
    }

    /// Their numbers, from the lowest.
    pub fn numbers(self) -> impl Iterator<Item = usize> {
        (0..Gpus::MOST).filter(move |number| self.0 >> number & 1 == 1)
    }
}

impl fmt::Display for Gpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers().map(|number| number.to_string()).collect();
        f.write_str(&numbers.join(","))
    }
}

impl Serialize for Gpus {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.numbers())
    }
}

impl Device {
    /// How each kind is written, and what it means.
    pub const FORMS: [(&str, &str); 6] = [
        ("auto", "a GPU if one can be used, else the CPU"),
        ("cpu", "the CPU"),
        ("cuda", "the GPU with the most free memory"),
        ("cuda:N", "the GPU of that number, as `inundate devices` lists them"),
        ("cuda:N,M", "the GPUs of these numbers, together: each has a strip of the map"),
        ("cuda:all", "all GPUs that can be used, together"),
    ];
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Auto => f.write_str("auto"),
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(None) => f.write_str("cuda"),
            Device::Cuda(Some(number)) => write!(f, "cuda:{number}"),
            Device::CudaAll => f.write_str("cuda:all"),
            Device::CudaThese(gpus) => write!(f, "cuda:{gpus}"),
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
            Some(("cuda", "all")) => Some(Device::CudaAll),
            Some(("cuda", list)) => {
                let numbers: Option<Vec<usize>> = list.split(',').map(number).collect();
                match numbers.as_deref() {
                    None => None,
                    Some(&[one]) => Some(Device::Cuda(Some(one))),
                    Some(many) => Gpus::of(many.iter().copied()).map(Device::CudaThese),
                }
            }
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
