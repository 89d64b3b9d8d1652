//! Chooses the processor for a run, with the reason.

use crate::backend::cuda::device::discover::{Discovery, Gpu, discover};
use crate::backend::cuda::device::library::Obstacle;
use crate::device::{Device, Gpus};
use crate::error::{Error, Result};
use crate::units::show_bytes;
use cudarc::driver::CudaContext;
use serde::Serialize;
use std::sync::Arc;

/// A processor for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Processor {
    /// The CPU of this machine.
    Cpu,
    /// The GPU of that ordinal.
    Gpu(usize),
    /// Several GPUs, used together.
    Gpus(Gpus),
}

/// A chosen processor, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chosen {
    /// Processor that was chosen.
    pub what: Processor,
    /// The reason, as a clause that reads well after "because".
    pub why: String,
}

impl Chosen {
    fn new(what: Processor, why: impl Into<String>) -> Chosen {
        Chosen { what, why: why.into() }
    }
}

/// Chooses the processor that the user wants: with `auto` the usable GPU with the most free memory,
/// or else the CPU.
///
/// # Errors
/// If a GPU is requested and no suitable one is usable.
pub fn choose(device: Device) -> Result<Chosen> {
    choose_awake(device).map(|(chosen, _)| chosen)
}

/// Like [`choose`], but also returns contexts that keep the inspected GPUs open.
pub fn choose_awake(device: Device) -> Result<(Chosen, Vec<Arc<CudaContext>>)> {
    let mut awake = Vec::new();
    let chosen = match device {
        Device::Cpu => Ok(Chosen::new(Processor::Cpu, "it was asked for")),
        Device::Cuda(Some(wanted)) => {
            pick(device, &discover(|ordinal| ordinal == wanted, &mut awake))
        }
        Device::CudaThese(wanted) => {
            let is_wanted = |ordinal| wanted.numbers().any(|number| number == ordinal);
            pick(device, &discover(is_wanted, &mut awake))
        }
        Device::Auto | Device::Cuda(None) | Device::CudaAll => {
            pick(device, &discover(|_| true, &mut awake))
        }
    };
    Ok((chosen?, awake))
}

/// Chooses among GPUs already discovered.
pub fn pick(device: Device, found: &Discovery) -> Result<Chosen> {
    match device {
        Device::Cpu => Ok(Chosen::new(Processor::Cpu, "it was asked for")),
        Device::Auto => {
            let chosen = best(found).map(|chosen| unless_full(chosen, found));
            Ok(chosen.unwrap_or_else(|obstacle| Chosen::new(Processor::Cpu, obstacle.what)))
        }
        Device::Cuda(None) => best(found).map_err(refused),
        Device::Cuda(Some(wanted)) => named(wanted, found),
        Device::CudaAll => all(found),
        Device::CudaThese(wanted) => {
            for number in wanted.numbers() {
                named(number, found)?;
            }
            Ok(Chosen::new(Processor::Gpus(wanted), "they were asked for"))
        }
    }
}

/// Chooses all usable GPUs.
fn all(found: &Discovery) -> Result<Chosen> {
    let usable = found.gpus.iter().filter(|gpu| gpu.obstacle.is_none()).map(|gpu| gpu.ordinal);
    let usable: Vec<usize> = usable.collect();
    match (&usable[..], Gpus::of(usable.iter().copied())) {
        ([], _) => Err(refused(first_obstacle(found))),
        (&[only], _) => {
            Ok(Chosen::new(Processor::Gpu(only), "it is the only GPU that can be used"))
        }
        (_, Some(gpus)) => {
            let why = format!("they are the {} GPUs that can be used", usable.len());
            Ok(Chosen::new(Processor::Gpus(gpus), why))
        }
        (_, None) => unreachable!("each is found once"),
    }
}

/// Free memory below which a GPU is only used on request (bytes), because someone else is using it.
const LEAST_FREE: u64 = 256 << 20;

/// Falls back to the CPU if the chosen GPU has almost no free memory.
fn unless_full(chosen: Chosen, found: &Discovery) -> Chosen {
    let Processor::Gpu(ordinal) = chosen.what else { return chosen };
    let gpu = found.gpus.iter().find(|gpu| gpu.ordinal == ordinal);
    match gpu.and_then(|gpu| Some((gpu, gpu.free_bytes?))) {
        Some((gpu, free)) if free < LEAST_FREE => {
            let free = show_bytes(free);
            Chosen::new(Processor::Cpu, format!("{} has only {free} of free memory", in_words(gpu)))
        }
        _ => chosen,
    }
}

/// Returns the usable GPU with the most free memory, the first of equals; or the obstacle if there
/// is none.
fn best(found: &Discovery) -> std::result::Result<Chosen, Obstacle> {
    let usable: Vec<&Gpu> = found.gpus.iter().filter(|gpu| gpu.obstacle.is_none()).collect();
    let most_free = usable.iter().rev().max_by_key(|gpu| gpu.free_bytes);
    let Some(gpu) = most_free else { return Err(first_obstacle(found)) };
    let why = match (usable.len(), found.gpus.len()) {
        (1, 1) => "it is the GPU of this machine".into(),
        (1, _) => "it is the only GPU that can be used".into(),
        (count, _) => format!("it has the most free memory of {count} GPUs"),
    };
    Ok(Chosen::new(Processor::Gpu(gpu.ordinal), why))
}

fn first_obstacle(found: &Discovery) -> Obstacle {
    let general = found.obstacle.clone();
    let of_gpus = found.gpus.iter().find_map(obstacle_of);
    general.or(of_gpus).unwrap_or_else(crate::backend::cuda::device::library::no_device)
}

/// Returns the obstacle to using a GPU, with its name.
fn obstacle_of(gpu: &Gpu) -> Option<Obstacle> {
    let Obstacle { what, hint } = gpu.obstacle.as_ref()?;
    Some(Obstacle::new(format!("{} cannot be used: {what}", in_words(gpu)), hint.as_str()))
}

fn in_words(gpu: &Gpu) -> String {
    format!("GPU {} ({})", gpu.ordinal, gpu.name)
}

fn named(wanted: usize, found: &Discovery) -> Result<Chosen> {
    if let Some(obstacle) = &found.obstacle {
        return Err(refused(obstacle.clone()));
    }
    let Some(gpu) = found.gpus.iter().find(|gpu| gpu.ordinal == wanted) else {
        let names: Vec<String> = found.gpus.iter().map(in_words).collect();
        let hint = format!("there is {}", names.join(" and "));
        return Err(Error::input(format!("device: there is no GPU {wanted}")).hint(hint));
    };
    match obstacle_of(gpu) {
        Some(obstacle) => Err(refused(obstacle)),
        None => Ok(Chosen::new(Processor::Gpu(wanted), "it was asked for")),
    }
}

fn refused(Obstacle { what, hint }: Obstacle) -> Error {
    Error::input(format!("device: {what}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::compile::load::KernelSource;
    use crate::backend::cuda::device::library::Version;

    fn gpu(ordinal: usize, free: u64, obstacle: Option<&str>) -> Gpu {
        Gpu {
            ordinal,
            name: format!("H{ordinal}"),
            memory_bytes: 100,
            free_bytes: Some(free << 30),
            capability: 90,
            multiprocessors: 132,
            way: Some(KernelSource::Embedded),
            obstacle: obstacle.map(|what| Obstacle::new(what, "repair it")),
        }
    }

    fn found(gpus: Vec<Gpu>, obstacle: Option<&str>) -> Discovery {
        Discovery {
            driver: Some(Version::new(13, 0)),
            obstacle: obstacle.map(|what| Obstacle::new(what, "repair it")),
            nvrtc: None,
            no_nvrtc: None,
            embedded_ptx: None,
            cache: None,
            gpus,
        }
    }

    fn chosen(what: Processor, why: &str) -> Chosen {
        Chosen::new(what, why)
    }

    #[test]
    fn auto_takes_the_usable_gpu_with_the_most_free_memory_and_else_the_cpu() {
        use Processor::{Cpu, Gpu};
        let ok = |free| move |ordinal| gpu(ordinal, free, None);
        let auto = |gpus: Vec<super::Gpu>| pick(Device::Auto, &found(gpus, None)).unwrap();
        let most = "it has the most free memory of 2 GPUs";
        assert_eq!(auto(vec![ok(5)(0)]), chosen(Gpu(0), "it is the GPU of this machine"));
        assert_eq!(auto(vec![ok(5)(0), ok(7)(1)]), chosen(Gpu(1), most));
        assert_eq!(auto(vec![ok(5)(0), ok(5)(1)]), chosen(Gpu(0), most));
        let bad = gpu(0, 9, Some("it is asleep"));
        let only = chosen(Gpu(1), "it is the only GPU that can be used");
        assert_eq!(auto(vec![bad.clone(), ok(1)(1)]), only);
        assert_eq!(auto(vec![bad]), chosen(Cpu, "GPU 0 (H0) cannot be used: it is asleep"));
        let full = chosen(Cpu, "GPU 0 (H0) has only 0.0 KiB of free memory");
        assert_eq!(auto(vec![ok(0)(0)]), full);
        let none = pick(Device::Auto, &found(vec![], Some("there is no driver"))).unwrap();
        assert_eq!(none, chosen(Cpu, "there is no driver"));
    }

    #[test]
    fn a_gpu_that_is_asked_for_is_taken_or_refused() {
        let two = found(vec![gpu(0, 5, None), gpu(1, 7, Some("it is asleep"))], None);
        let requested = "it was asked for";
        assert_eq!(pick(Device::Cpu, &two).unwrap(), chosen(Processor::Cpu, requested));
        let zero = pick(Device::Cuda(Some(0)), &two).unwrap();
        assert_eq!(zero, chosen(Processor::Gpu(0), requested));
        let all = pick(Device::CudaAll, &two).unwrap();
        assert_eq!(all, chosen(Processor::Gpu(0), "it is the only GPU that can be used"));
        let three = found((0..3).map(|ordinal| gpu(ordinal, 5, None)).collect(), None);
        let gpus = |numbers: &[usize]| Gpus::of(numbers.iter().copied()).unwrap();
        let all = pick(Device::CudaAll, &three).unwrap();
        let why = "they are the 3 GPUs that can be used";
        assert_eq!(all, chosen(Processor::Gpus(gpus(&[0, 1, 2])), why));
        let some = pick(Device::CudaThese(gpus(&[2, 0])), &three).unwrap();
        assert_eq!(some, chosen(Processor::Gpus(gpus(&[0, 2])), "they were asked for"));
        let none = found(vec![], Some("there is no driver"));
        let asleep = found(vec![gpu(0, 5, Some("it is asleep"))], None);
        for (device, found, what, hint) in [
            (Device::Cuda(None), &none, "device: there is no driver", "repair it"),
            (Device::Cuda(Some(3)), &none, "device: there is no driver", "repair it"),
            (Device::Cuda(Some(1)), &two, "GPU 1 (H1) cannot be used: it is asleep", "repair it"),
            (Device::Cuda(Some(7)), &two, "no GPU 7", "there is GPU 0 (H0) and GPU 1 (H1)"),
            (Device::CudaAll, &asleep, "GPU 0 (H0) cannot be used: it is asleep", "repair it"),
            (Device::CudaThese(gpus(&[0, 1])), &two, "GPU 1 (H1) cannot be used", "repair it"),
            (Device::Cuda(None), &asleep, "GPU 0 (H0) cannot be used: it is asleep", "repair it"),
        ] {
            let error = pick(device, found).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.what.starts_with("device: ") && error.what.contains(what), "{error}");
            assert_eq!(error.hint.as_deref(), Some(hint));
        }
    }
}
