//! How many runs go on at a time, and on which processor each.

use super::check::Checked;
use crate::backend::cuda::choose::{Processor, choose};
use crate::backend::cuda::discover::devices;
use crate::error::{Error, Result};
use crate::scenario::options::Device;

/// The part of the machine's memory that runs side by side may take.
const SHARE_OF_MEMORY: f64 = 0.75;
/// More processes than any machine is glad of.
const MOST_JOBS: usize = 1024;

/// A place where one run goes on at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The processor.
    pub device: Device,
    /// CPU threads.
    pub threads: usize,
    /// Whether runs that name a processor of their own take this one all the same.
    pub for_all: bool,
}

impl Slot {
    /// The processor that a run takes here which wants this one.
    pub fn device_for(&self, wanted: Option<Device>) -> Device {
        match wanted {
            None | Some(Device::Auto) | Some(Device::Cuda(None)) => self.device,
            _ if self.for_all => self.device,
            Some(named) => named,
        }
    }
}

/// Places for these runs. `jobs` is how many go on at a time, `asked` are the processors that they
/// take turns on, whatever the runs themselves say. Without them each GPU that can be used takes one
/// run at a time; without GPUs there are as many runs at a time as cores, or as the memory holds.
pub fn slots(runs: &[&Checked], jobs: Option<usize>, asked: &[Device]) -> Result<Vec<Slot>> {
    if let Some(jobs) = jobs
        && !(1..=MOST_JOBS).contains(&jobs)
    {
        return Err(Error::input(format!("jobs: {jobs} runs at a time make no sense"))
            .hint(format!("give 1 to {MOST_JOBS}, or leave it out")));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let for_all = !asked.is_empty();
    let devices = if for_all {
        asked.iter().map(|device| concrete(*device)).collect::<Result<_>>()?
    } else {
        wanted(runs)
    };
    let on_cpu = devices.iter().all(|device| *device == Device::Cpu);
    let usual = if on_cpu { as_many_as_fit(runs, cores) } else { devices.len() };
    let count = jobs.unwrap_or(usual).min(runs.len()).max(1);
    let threads = (cores / count).max(1);
    let places = devices.into_iter().cycle().take(count);
    Ok(places.map(|device| Slot { device, threads, for_all }).collect())
}

/// The processor that a word on the command line stands for. An error if it cannot be had.
fn concrete(device: Device) -> Result<Device> {
    let chosen = choose(device)
        .map_err(|error| Error { what: error.what.replacen("device:", "devices:", 1), ..error })?;
    Ok(match chosen.what {
        Processor::Cpu => Device::Cpu,
        Processor::Gpu(ordinal) => Device::Cuda(Some(ordinal)),
    })
}

/// The processors that the runs want, each once: the CPU only if none wants a GPU or there is none.
fn wanted(runs: &[&Checked]) -> Vec<Device> {
    let wishes = || runs.iter().map(|checked| checked.run.options.device.unwrap_or_default());
    let mut gpus: Vec<usize> = Vec::new();
    if wishes().any(|wish| matches!(wish, Device::Auto | Device::Cuda(None))) {
        let usable = devices().gpus.into_iter().filter(|gpu| gpu.obstacle.is_none());
        gpus.extend(usable.map(|gpu| gpu.ordinal));
    }
    gpus.extend(wishes().filter_map(|wish| match wish {
        Device::Cuda(number) => number,
        _ => None,
    }));
    gpus.sort_unstable();
    gpus.dedup();
    if gpus.is_empty() {
        return vec![Device::Cpu];
    }
    gpus.into_iter().map(|ordinal| Device::Cuda(Some(ordinal))).collect()
}

/// How many of the runs the memory holds at a time, up to the number of cores.
fn as_many_as_fit(runs: &[&Checked], cores: usize) -> usize {
    let largest = runs.iter().map(|checked| checked.memory_bytes).max().unwrap_or(0);
    let fit = memory_of_machine()
        .map_or(f64::INFINITY, |bytes| SHARE_OF_MEMORY * bytes / largest.max(1) as f64);
    cores.min(fit as usize).max(1)
}

/// The machine's memory (bytes), where it can be asked.
fn memory_of_machine() -> Option<f64> {
    #[cfg(unix)]
    {
        // SAFETY: asks for two numbers.
        let (pages, size) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        (pages > 0 && size > 0).then(|| pages as f64 * size as f64)
    }
    #[cfg(not(unix))]
    None
}
