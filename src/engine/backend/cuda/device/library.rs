//! NVIDIA's driver and its version, found without panicking.
//!
//! cudarc panics when called without a driver, or with one that lacks a function; everything here
//! checks first. Call [`driver`] before anything else from cudarc's driver module.

use cudarc::driver::{result, sys};
use serde::{Serialize, Serializer};
use std::ffi::c_void;
use std::fmt;
use std::sync::OnceLock;

pub use cudarc::driver::DriverError;

/// A version of CUDA: of the driver, of NVRTC, of the PTX language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number before the point.
    pub major: u32,
    /// The number after the point.
    pub minor: u32,
}

impl Version {
    /// Creates a version from its two numbers.
    pub const fn new(major: u32, minor: u32) -> Version {
        Version { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An obstacle to using a GPU, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// The problem, as a clause that reads well after "because".
    pub what: String,
    /// Hint on how to fix it.
    pub hint: String,
}

impl Obstacle {
    /// Creates an obstacle from a problem and a hint.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Obstacle {
        Obstacle { what: what.into(), hint: hint.into() }
    }
}

/// The oldest driver that we support.
pub(crate) const OLDEST_DRIVER: Version = Version::new(12, 0);

/// Hint if there is no driver.
const NO_DRIVER: &str = "install NVIDIA's driver, or compute on the CPU";

/// Driver functions that are called to list devices. A library without them is not the driver.
const NEEDED: &str = "cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString cuDeviceGetCount cuDeviceGet \
    cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDevicePrimaryCtxRetain \
    cuDevicePrimaryCtxRelease_v2 cuCtxGetCurrent cuCtxSetCurrent cuMemGetInfo_v2";

/// Returns `true` if there is a library that may be the driver. Looking is fast, unlike starting
/// it.
pub fn is_there() -> bool {
    // SAFETY: opening a library runs its initializers. The names are those of NVIDIA's driver,
    // which may be loaded at any time.
    unsafe { sys::is_culib_present() }
}

/// Loads and initializes the driver; returns its version, or the obstacle.
pub fn driver() -> Result<Version, Obstacle> {
    static DRIVER: OnceLock<Result<Version, Obstacle>> = OnceLock::new();
    DRIVER.get_or_init(start_driver).clone()
}

fn start_driver() -> Result<Version, Obstacle> {
    if !is_there() {
        return Err(Obstacle::new(no_driver(), NO_DRIVER));
    }
    if let Some(name) = NEEDED.split(' ').find(|name| !has(name)) {
        return Err(Obstacle::new(
            format!("the library loaded as NVIDIA's driver is not the driver: it lacks {name}"),
            "install NVIDIA's driver again, and look for a stray libcuda.so in LD_LIBRARY_PATH",
        ));
    }
    let version = driver_version();
    if let Some(version) = version.filter(|version| *version < OLDEST_DRIVER) {
        return Err(too_old(version, OLDEST_DRIVER));
    }
    result::init().map_err(cannot_start)?;
    version.ok_or_else(|| Obstacle::new("the driver does not report its version", NO_DRIVER))
}

/// Returns `true` if the driver's library has a function of that name.
fn has(name: &str) -> bool {
    // SAFETY: the library is present (`is_there`), and the symbol is only looked up, never called.
    unsafe { sys::culib().get::<*const c_void>(name.as_bytes()) }.is_ok()
}

/// Describes the absence of a driver, with the dynamic linker's reason.
fn no_driver() -> String {
    // SAFETY: opening a library runs its initializers. This one is NVIDIA's driver, which may be
    // loaded at any time.
    match unsafe { libloading::Library::new("libcuda.so.1") } {
        Err(error) => format!("no NVIDIA driver was found ({})", reason(&error)),
        Ok(_) => "no NVIDIA driver was found".into(),
    }
}

/// Returns the dynamic linker's message, which libloading keeps as the source of its error.
pub(in crate::backend::cuda) fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn driver_version() -> Option<Version> {
    let mut number = 0;
    // SAFETY: the function exists and needs no initialization; the pointer is to a local.
    let status = unsafe { sys::cuDriverGetVersion(&mut number) };
    let number = u32::try_from(number).ok()?;
    status.result().ok().map(|()| Version::new(number / 1000, number % 1000 / 10))
}

/// Returns the obstacle of a driver that is too old.
pub(crate) fn too_old(driver: Version, needed: Version) -> Obstacle {
    Obstacle::new(
        format!(
            "the NVIDIA driver is too old: it supports CUDA {driver}, but {needed} is required"
        ),
        format!("update NVIDIA's driver to one for CUDA {needed} or later"),
    )
}

fn cannot_start(error: DriverError) -> Obstacle {
    use sys::CUresult as E;
    let hint = match error.0 {
        E::CUDA_ERROR_NO_DEVICE => return no_device(),
        E::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "the driver's library and its kernel module are of different versions: restart the \
             machine, or install the driver again"
        }
        E::CUDA_ERROR_STUB_LIBRARY => {
            "this libcuda.so is the toolkit's, made for linking only: take its folder out of \
             LD_LIBRARY_PATH, and install NVIDIA's driver"
        }
        _ => "check the output of nvidia-smi, and install NVIDIA's driver again",
    };
    Obstacle::new(format!("the NVIDIA driver cannot be initialized: {}", describe(error)), hint)
}

/// Returns the obstacle that the driver sees no GPU.
pub(crate) fn no_device() -> Obstacle {
    let hidden = std::env::var("CUDA_VISIBLE_DEVICES").ok();
    let hint = match hidden {
        Some(value) => format!("CUDA_VISIBLE_DEVICES is '{value}': unset it, or name a GPU in it"),
        None => "check the output of nvidia-smi; in a container, pass the GPU through to it".into(),
    };
    Obstacle::new("NVIDIA's driver finds no GPU", hint)
}

/// Describes a driver error: `CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)`.
pub fn describe(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    match text {
        Ok(text) => format!("{:?} ({text})", error.0),
        Err(_) => format!("{:?}", error.0),
    }
}
