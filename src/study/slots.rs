//! Assigns concurrent runs to processors.

use super::check::Checked;
use crate::engine::backend::cuda::device::choose::{Processor, choose};
use crate::engine::backend::cuda::device::discover::devices;
use crate::error::{Error, Result};
use crate::scenario::options::Device;

/// Share of the machine's memory that concurrent runs may use.
const SHARE_OF_MEMORY: f64 = 0.75;
/// Maximum number of concurrent processes.
const MOST_JOBS: usize = 1024;

/// A slot in which one run executes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Processor of the slot.
    pub device: Device,
    /// CPU threads per run.
    pub threads: usize,
    /// Set if this processor overrides the one that a run requests.
    pub for_all: bool,
}

impl Slot {
    /// Returns the processor for a run that requests `wanted`.
    pub fn device_for(&self, wanted: Option<Device>) -> Device {
        match wanted {
            None | Some(Device::Auto | Device::Cuda(None)) => self.device,
            // A run gets one of several GPUs.
            Some(Device::CudaAll | Device::CudaThese(_)) => self.device,
            _ if self.for_all => self.device,
            Some(named) => named,
        }
    }
}

/// Returns the slots for these runs. `jobs` is the number of concurrent runs; `requested` lists
/// processors that override those requested by the runs. By default each usable GPU has one slot;
/// without GPUs there are as many slots as cores, or as fit into memory.
pub fn slots(runs: &[&Checked], jobs: Option<usize>, requested: &[Device]) -> Result<Vec<Slot>> {
    if let Some(jobs) = jobs
        && !(1..=MOST_JOBS).contains(&jobs)
    {
        return Err(Error::input(format!(
            "jobs: {jobs} is not a valid number of simultaneous runs"
        ))
        .hint(format!("give 1 to {MOST_JOBS}, or leave it out")));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let for_all = !requested.is_empty();
    let devices = if for_all {
        let places =
            requested.iter().map(|device| concrete(*device)).collect::<Result<Vec<_>>>()?;
        places.into_iter().flat_map(each).collect()
    } else {
        let wish = |checked: &&Checked| checked.run.options.device.unwrap_or_default();
        wanted(&runs.iter().map(wish).collect::<Vec<_>>(), usable)
    };
    let on_cpu = devices.iter().all(|device| *device == Device::Cpu);
    let usual = if on_cpu { as_many_as_fit(runs, cores) } else { devices.len() };
    let count = jobs.unwrap_or(usual).min(runs.len()).max(1);
    let threads = (cores / count).max(1);
    let places = devices.into_iter().cycle().take(count);
    Ok(places.map(|device| Slot { device, threads, for_all }).collect())
}

/// Returns the specific processor selected by a command-line word. Fails if it is unavailable.
fn concrete(device: Device) -> Result<Device> {
    let chosen = choose(device)
        .map_err(|error| Error { what: error.what.replacen("device:", "devices:", 1), ..error })?;
    Ok(match chosen.what {
        Processor::Cpu => Device::Cpu,
        Processor::Gpu(ordinal) => Device::Cuda(Some(ordinal)),
        Processor::Gpus(gpus) => Device::CudaThese(gpus),
    })
}

/// Splits several GPUs into single ones: a study has a slot on each.
fn each(device: Device) -> Vec<Device> {
    match device {
        Device::CudaThese(gpus) => gpus.numbers().map(|gpu| Device::Cuda(Some(gpu))).collect(),
        device => vec![device],
    }
}

/// Returns the usable GPUs.
fn usable() -> Vec<usize> {
    let usable = devices().gpus.into_iter().filter(|gpu| gpu.obstacle.is_none());
    usable.map(|gpu| gpu.ordinal).collect()
}

/// Returns the distinct processors for the runs' requests: the CPU only if no run wants a GPU or
/// there is none.
fn wanted(wishes: &[Device], usable: impl FnOnce() -> Vec<usize>) -> Vec<Device> {
    let mut gpus: Vec<usize> = Vec::new();
    if wishes.iter().any(|wish| matches!(wish, Device::Auto | Device::Cuda(None) | Device::CudaAll))
    {
        gpus = usable();
    }
    gpus.extend(wishes.iter().flat_map(|wish| match wish {
        Device::Cuda(number) => number.iter().copied().collect(),
        Device::CudaThese(these) => these.numbers().collect(),
        _ => Vec::new(),
    }));
    gpus.sort_unstable();
    gpus.dedup();
    if gpus.is_empty() {
        return vec![Device::Cpu];
    }
    gpus.into_iter().map(|ordinal| Device::Cuda(Some(ordinal))).collect()
}

/// Returns how many of the runs fit into memory at a time, up to the number of cores.
fn as_many_as_fit(runs: &[&Checked], cores: usize) -> usize {
    let largest = runs.iter().map(|checked| checked.memory_bytes).max().unwrap_or(0);
    let fit = memory_of_machine()
        .map_or(f64::INFINITY, |bytes| SHARE_OF_MEMORY * bytes / largest.max(1) as f64);
    cores.min(fit as usize).max(1)
}

/// Returns the machine's memory (bytes), where it can be queried.
fn memory_of_machine() -> Option<f64> {
    #[cfg(unix)]
    {
        // SAFETY: `sysconf` only returns numbers.
        let (pages, size) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        (pages > 0 && size > 0).then_some(pages as f64 * size as f64)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::device::Gpus;

    #[test]
    fn each_gpu_is_a_place_and_the_cpu_only_where_no_run_wants_one() {
        let (auto, cpu, any, third) =
            (Device::Auto, Device::Cpu, Device::Cuda(None), Device::Cuda(Some(3)));
        let gpu = |number| Device::Cuda(Some(number));
        let two = || vec![0, 1];
        assert_eq!(wanted(&[auto, auto], two), [gpu(0), gpu(1)]);
        assert_eq!(wanted(&[any, cpu], two), [gpu(0), gpu(1)]);
        assert_eq!(wanted(&[third, third, cpu], || panic!("nobody asks")), [gpu(3)]);
        assert_eq!(wanted(&[third, auto], two), [gpu(0), gpu(1), gpu(3)]);
        assert_eq!(wanted(&[cpu, cpu], || panic!("nobody asks")), [cpu]);
        assert_eq!(wanted(&[auto], Vec::new), [cpu]);
        let these = Device::CudaThese(Gpus::of([1, 4]).unwrap());
        assert_eq!(wanted(&[Device::CudaAll], two), [gpu(0), gpu(1)]);
        assert_eq!(wanted(&[these, third], || panic!("nobody asks")), [gpu(1), gpu(3), gpu(4)]);
        assert_eq!(each(these), [gpu(1), gpu(4)]);
    }

    #[test]
    fn a_run_takes_the_processor_that_it_names_unless_the_command_line_names_one() {
        let slot = Slot { device: Device::Cuda(Some(1)), threads: 1, for_all: false };
        for (wanted, taken) in [
            (None, slot.device),
            (Some(Device::Auto), slot.device),
            (Some(Device::Cuda(None)), slot.device),
            (Some(Device::CudaAll), slot.device),
            (Some(Device::Cpu), Device::Cpu),
            (Some(Device::Cuda(Some(0))), Device::Cuda(Some(0))),
        ] {
            assert_eq!(slot.device_for(wanted), taken);
            assert_eq!(Slot { for_all: true, ..slot }.device_for(wanted), slot.device);
        }
    }
}
