//! Opens a problem on the requested device.

use super::cpu::{self, CpuOptions};
use super::cuda::device::choose::{Processor, choose};
use super::cuda::open::open_from;
use super::cuda::options::CudaOptions;
use super::saved::Resumed;
use super::{Backend, Problem};
use crate::device::Device;
use crate::error::Result;

/// Sets up a problem, with a saved state instead of its initial water if there is one.
///
/// # Errors
/// If the device is not available, or lacks memory.
pub fn on(problem: Problem, device: Device, saved: Option<Resumed>) -> Result<Box<dyn Backend>> {
    let usual = CudaOptions::default();
    let options = match choose(device)?.what {
        Processor::Cpu => {
            return Ok(Box::new(cpu::open_from(problem, CpuOptions::default(), saved)?));
        }
        Processor::Gpu(gpu) => CudaOptions { gpu, ..usual },
        Processor::Gpus(gpus) => CudaOptions { gpus: Some(gpus), ..usual },
    };
    Ok(Box::new(open_from(problem, &options, saved)?))
}
