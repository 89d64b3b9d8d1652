//! Discovers the GPUs of this machine, and whether they are usable.

use crate::backend::cuda::compile::load::{CompileResources, KernelSource, way};
use crate::backend::cuda::compile::nvrtc::nvrtc;
use crate::backend::cuda::compile::{cache, embedded};
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::device::library::{self, Obstacle, Version, describe, no_device};
use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute};
use cudarc::driver::{CudaContext, DriverError, result};
use serde::{Serialize, Serializer};
use std::path::PathBuf;
use std::sync::Arc;

/// GPUs of this machine, with driver and compiler.
#[derive(Clone, Debug, Serialize)]
pub struct Discovery {
    /// Version of the driver, if it works.
    pub driver: Option<Version>,
    /// Reason why no GPU is visible, if none is.
    pub obstacle: Option<Obstacle>,
    /// The NVRTC library, if available.
    pub nvrtc: Option<NvrtcFacts>,
    /// Reason why NVRTC is missing, if it is.
    pub no_nvrtc: Option<String>,
    /// The oldest driver for the PTX embedded in this binary, if there is any.
    pub embedded_ptx: Option<Version>,
    /// Folder of the kernel cache.
    pub cache: Option<PathBuf>,
    /// The GPUs that the driver lists, by ordinal.
    pub gpus: Vec<Gpu>,
}

/// Version and file of NVRTC.
#[derive(Clone, Debug, Serialize)]
pub struct NvrtcFacts {
    /// Version of the NVRTC library.
    pub version: Version,
    /// Library file of NVRTC.
    pub path: PathBuf,
}

/// A GPU of this machine.
#[derive(Clone, Debug, Serialize)]
pub struct Gpu {
    /// Ordinal, as in `--device cuda:0`.
    pub ordinal: usize,
    /// Name reported by the driver.
    pub name: String,
    /// Total memory of the GPU (bytes).
    pub memory_bytes: u64,
    /// Free memory (bytes), if it was queried.
    pub free_bytes: Option<u64>,
    /// Compute capability: 90 for 9.0.
    pub capability: u32,
    /// Number of the GPU's multiprocessors.
    pub multiprocessors: u32,
    /// Origin of its kernels; `None` if it is not usable.
    #[serde(serialize_with = "way_in_words")]
    pub way: Option<KernelSource>,
    /// Reason why it is not usable, if so.
    pub obstacle: Option<Obstacle>,
}

fn way_in_words<S: Serializer>(
    way: &Option<KernelSource>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    match way {
        Some(KernelSource::Compile(target)) => to.collect_str(&target.architecture()),
        Some(KernelSource::Embedded) => to.serialize_str("embedded"),
        None => to.serialize_none(),
    }
}

/// Returns the display name of a GPU: `NVIDIA H200 (cuda:0)`.
pub fn name_of(context: &CudaContext) -> crate::error::Result<String> {
    let name = context.name().map_err(|error| failed("reading its name", error))?;
    Ok(format!("{name} (cuda:{})", context.ordinal()))
}

/// Returns the display names of several GPUs.
pub fn names_of(contexts: &[Arc<CudaContext>]) -> crate::error::Result<String> {
    let names = contexts.iter().map(|context| name_of(context));
    Ok(names.collect::<crate::error::Result<Vec<String>>>()?.join(" and "))
}

/// Lists the GPUs, including their free memory, which takes a moment.
pub fn devices() -> Discovery {
    discover(|_| true, &mut Vec::new())
}

/// Lists the GPUs, querying free memory only for ordinals accepted by `ask`. The query also checks
/// whether a GPU can be opened. Opening a context is slow, so opened ones are returned in `awake`
/// to keep them open.
pub(in crate::backend::cuda) fn discover(
    ask: impl Fn(usize) -> bool,
    awake: &mut Vec<Arc<CudaContext>>,
) -> Discovery {
    // Open the compiler while the driver starts.
    let driver = std::thread::scope(|scope| {
        scope.spawn(nvrtc);
        library::driver()
    });
    let (nvrtc, no_nvrtc) = match nvrtc() {
        Ok(nvrtc) => (Some(NvrtcFacts { version: nvrtc.version, path: nvrtc.path.clone() }), None),
        Err(why) => (None, Some(why.to_string())),
    };
    let mut found = Discovery {
        driver: None,
        obstacle: None,
        nvrtc,
        no_nvrtc,
        embedded_ptx: embedded::needed_driver(),
        cache: cache::folder(),
        gpus: Vec::new(),
    };
    match driver {
        Ok(version) => {
            found.driver = Some(version);
            match list(CompileResources::here(version), ask, awake) {
                Ok(gpus) => found.gpus = gpus,
                Err(error) => {
                    let what = format!("the driver cannot list its GPUs: {}", describe(error));
                    found.obstacle = Some(Obstacle::new(what, "check the output of nvidia-smi"));
                }
            }
            if found.gpus.is_empty() && found.obstacle.is_none() {
                found.obstacle = Some(no_device());
            }
        }
        Err(obstacle) => found.obstacle = Some(obstacle),
    }
    found
}

fn list(
    means: CompileResources,
    ask: impl Fn(usize) -> bool,
    awake: &mut Vec<Arc<CudaContext>>,
) -> Result<Vec<Gpu>, DriverError> {
    let count = result::device::get_count()?;
    (0..count).map(|ordinal| inspect(ordinal, means, &ask, awake)).collect()
}

fn inspect(
    ordinal: i32,
    means: CompileResources,
    ask: impl Fn(usize) -> bool,
    awake: &mut Vec<Arc<CudaContext>>,
) -> Result<Gpu, DriverError> {
    let device = result::device::get(ordinal)?;
    let capability = 10
        * attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
        + attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let (way, obstacle) = match way(capability, means) {
        Ok(way) => (Some(way), None),
        Err(obstacle) => (None, Some(obstacle)),
    };
    let mut gpu = Gpu {
        ordinal: ordinal as usize,
        name: result::device::get_name(device)?,
        // SAFETY: the driver returned this device handle.
        memory_bytes: unsafe { result::device::total_mem(device) }? as u64,
        free_bytes: None,
        capability,
        multiprocessors: attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        way,
        obstacle,
    };
    if gpu.obstacle.is_none() && ask(gpu.ordinal) {
        let requested = CudaContext::new(gpu.ordinal)
            .and_then(|context| Ok((context.mem_get_info()?.0, context)));
        match requested {
            Ok((free, context)) => {
                gpu.free_bytes = Some(free as u64);
                awake.push(context);
            }
            Err(error) => {
                gpu.way = None;
                let what = format!("it cannot be opened: {}", describe(error));
                let hint = "another program may hold it: check the output of nvidia-smi";
                gpu.obstacle = Some(Obstacle::new(what, hint));
            }
        }
    }
    Ok(gpu)
}

fn attribute(device: CUdevice, attribute: Attribute) -> Result<u32, DriverError> {
    // SAFETY: the driver returned this device handle.
    unsafe { result::device::get_attribute(device, attribute) }.map(|value| value as u32)
}
