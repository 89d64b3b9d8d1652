//! Loads kernels into the driver, ready to be launched.

use crate::backend::cuda::compile::cache::compile_once;
use crate::backend::cuda::compile::embedded;
use crate::backend::cuda::compile::nvrtc::{Nvrtc, nvrtc};
use crate::backend::cuda::compile::source::Unit;
use crate::backend::cuda::compile::{Target, get_nvrtc};
use crate::backend::cuda::device::library::{Obstacle, Version, describe, driver, too_old};
use crate::error::{Error, Result};
use crate::notices;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;
use std::sync::{Arc, Once};
use std::time::Instant;

/// Origin of a GPU's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelSource {
    /// Compiled by NVRTC.
    Compile(Target),
    /// Embedded in the binary.
    Embedded,
}

/// Resources for compiling and running code.
#[derive(Clone, Copy, Debug)]
pub struct CompileResources<'a> {
    /// Version of the driver.
    pub driver: Version,
    /// NVRTC's version and architectures, or the reason why it is missing.
    pub nvrtc: std::result::Result<(Version, &'a [u32]), &'a str>,
    /// Driver version that the embedded PTX needs, if there is any.
    pub embedded: Option<Version>,
}

impl CompileResources<'static> {
    /// Returns the resources of this machine, given the driver's version.
    pub fn here(driver: Version) -> CompileResources<'static> {
        let nvrtc = nvrtc().map(|nvrtc| (nvrtc.version, nvrtc.architectures.as_slice()));
        CompileResources { driver, nvrtc, embedded: embedded::needed_driver() }
    }
}

/// Chooses the origin of the code for a GPU of a capability (90 for 9.0), or explains why there is
/// none.
pub fn way(
    capability: u32,
    means: CompileResources,
) -> std::result::Result<KernelSource, Obstacle> {
    if capability < embedded::CAPABILITY {
        return Err(Obstacle::new(
            format!("its compute capability is {}, and 7.5 is needed", in_words(capability)),
            "take a GPU of the Turing generation or later, or compute on the CPU",
        ));
    }
    let compiled = means.nvrtc.ok().map(|(version, architectures)| {
        match Target::best(capability, architectures) {
            // Machine code runs on every driver of the same major version, PTX only on drivers that
            // are not older.
            Some(target @ Target::Sm(_)) => (target, Version::new(version.major, 0)),
            Some(target @ Target::Ptx(_)) => (target, version),
            None => (Target::Ptx(capability), Version::new(u32::MAX, 0)),
        }
    });
    match (compiled, means.embedded) {
        (Some((target, needed)), _) if needed <= means.driver => Ok(KernelSource::Compile(target)),
        (_, Some(needed)) if needed <= means.driver => Ok(KernelSource::Embedded),
        (None, None) => {
            let why = means.nvrtc.err().unwrap_or_default();
            let what = format!("its kernels cannot be compiled: {why}");
            Err(Obstacle::new(what, get_nvrtc(means.driver.major)))
        }
        (compiled, embedded) => {
            let needed = compiled.map(|(_, needed)| needed).into_iter().chain(embedded).min();
            let needed = needed.unwrap_or(means.driver);
            if needed.major == u32::MAX {
                let hint = get_nvrtc(means.driver.major);
                return Err(Obstacle::new(
                    "this NVRTC does not support GPUs as old as this one",
                    hint,
                ));
            }
            let Obstacle { what, hint } = too_old(means.driver, needed);
            let older = format!("or set INUNDATE_NVRTC to an NVRTC {}", means.driver.major);
            Err(Obstacle::new(what, format!("{hint}, {older}")))
        }
    }
}

/// Formats a capability for people: 7.5 for 75.
pub fn in_words(capability: u32) -> String {
    format!("{}.{}", capability / 10, capability % 10)
}

/// Returns the compute capability of a context's GPU: 90 for 9.0.
pub fn capability(context: &CudaContext) -> Result<u32> {
    let answer = context.compute_capability();
    let (major, minor) = answer.map_err(|error| {
        Error::run(format!("cannot read the GPU's compute capability: {}", describe(error)))
    })?;
    Ok((major * 10 + minor) as u32)
}

/// A unit that takes longer than this to load was compiled (s).
const LONG: f64 = 0.3;

/// Loads a unit; the first time that one had to be compiled, sends a notice.
pub fn load(context: &Arc<CudaContext>, unit: &Unit) -> Result<Arc<CudaModule>> {
    static SAID: Once = Once::new();
    let start = Instant::now();
    let module = load_best(context, unit)?;
    if start.elapsed().as_secs_f64() > LONG {
        SAID.call_once(|| {
            notices::say("note: kernels were compiled for this GPU; they are kept for later runs");
        });
    }
    Ok(module)
}

/// Loads a unit: from machine code embedded in the binary, if there is any for this GPU; or
/// compiled by NVRTC, through the cache, if available; or from the embedded PTX, which the driver
/// compiles.
fn load_best(context: &Arc<CudaContext>, unit: &Unit) -> Result<Arc<CudaModule>> {
    let obstructed = |Obstacle { what, hint }| Error::input(format!("the GPU: {what}")).hint(hint);
    let driver = driver().map_err(obstructed)?;
    let means = CompileResources::here(driver);
    let oldest = means.embedded.filter(|oldest| *oldest <= driver);
    let capability = capability(context)?;
    if let Some((code, made)) = embedded::find_cubin(unit, capability, driver)
        && let Ok(module) = give(context, unit, &code, made)
    {
        return Ok(module);
    }
    let embedded = oldest.and_then(|oldest| Some((embedded::find(unit)?.as_bytes(), oldest)));
    match (way(capability, means).map_err(obstructed)?, nvrtc()) {
        (KernelSource::Compile(target), Ok(nvrtc)) => {
            match (compiled(context, nvrtc, unit, target), embedded) {
                (Err(error), Some((ptx, oldest))) => {
                    warn_once(&error);
                    give(context, unit, ptx, oldest)
                }
                (result, _) => result,
            }
        }
        _ => match embedded {
            Some((ptx, oldest)) => give(context, unit, ptx, oldest),
            None => Err(Error::run(format!("kernel {} is not in this binary", unit.name))
                .hint(get_nvrtc(driver.major))),
        },
    }
}

/// Warns, for the first kernel only, that embedded code is used instead of code that should have
/// been compiled.
fn warn_once(error: &Error) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        notices::say(&format!(
            "warning: {}\n  hint: the kernels that come with this program are used instead; set \
             INUNDATE_NVRTC to another NVRTC, or take this one away",
            error.what
        ));
    });
}

fn compiled(
    context: &Arc<CudaContext>,
    nvrtc: &Nvrtc,
    unit: &Unit,
    target: Target,
) -> Result<Arc<CudaModule>> {
    let code = compile_once(nvrtc, unit, target)?.code;
    give(context, unit, &code, nvrtc.version)
}

/// Passes code to the driver; `made` is its CUDA version, for the message.
fn give(
    context: &Arc<CudaContext>,
    unit: &Unit,
    code: &[u8],
    made: Version,
) -> Result<Arc<CudaModule>> {
    // The driver needs PTX as a zero-terminated string; for machine code the zero is harmless.
    let code = [code, &[0]].concat();
    context.load_module(Ptx::from_binary(code)).map_err(|error| refused(error, unit, made))
}

fn refused(error: DriverError, unit: &Unit, made: Version) -> Error {
    let what = format!("the driver rejected the kernel {}: {}", unit.name, describe(error));
    match error.0 {
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_INVALID_IMAGE => Error::input(format!("{what}: it is too old"))
            .hint(format!("update NVIDIA's driver to one for CUDA {made} or later")),
        _ => Error::run(what),
    }
}
