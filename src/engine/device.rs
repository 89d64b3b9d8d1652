//! Device selection: the processor that a run asks for.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Processor that does the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The best device available.
    #[default]
    Auto,
    /// The CPU, always available.
    Cpu,
    /// A GPU: the one with this number, or the one with the most free memory.
    Cuda(Option<usize>),
    /// All usable GPUs, together.
    CudaAll,
    /// These GPUs, used together.
    CudaThese(Gpus),
}

/// Set of GPUs, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gpus(u64);

impl Gpus {
    /// Upper bound on the number of GPUs in a machine.
    const MOST: usize = 64;

    /// Creates a set from numbers; `None` if one is out of range or occurs twice.
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

    /// Iterates over the numbers in ascending order.
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
    /// Syntax of each kind, and its meaning.
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
        // Digits only: `parse` would accept a sign, too.
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
