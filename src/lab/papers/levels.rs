//! Topa & Młocek (2013): level minimization through global memory alone, and with shared memory; and
//! this program's own kernel.

use super::kernels::{Kernel, Setting};
use super::start;
use crate::bench::gpu::Gpu;
use crate::bench::map::BenchMap;
use crate::bench::timing::{median, time};
use crate::engine::backend::Read;
use crate::engine::field::Field;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::level_minimization;
use crate::engine::simulation::Simulation;
use crate::error::{Error, Result};
use crate::words::hexadecimal;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Cells along each side of the grids.
pub const SIZES: [usize; 6] = [256, 512, 1024, 2048, 4096, 8192];
/// The paper's neighbourhood.
pub const NEIGHBOURHOOD: Neighbourhood = Neighbourhood::VonNeumann;
/// Calls of which the median is taken.
const CALLS: usize = 5;

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Cells along each side.
    pub size: usize,
    /// Steps that each kernel took.
    pub steps: u64,
    /// What was measured of each kernel.
    pub kernels: Vec<KernelSpeed>,
    /// SHA-256 of the water in the end, the same of every kernel.
    pub water: String,
}

/// The speed of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelSpeed {
    /// The kernel.
    pub kernel: Kernel,
    /// Time of a step (ms).
    pub ms_per_step: f64,
    /// Cells times steps, per second.
    pub cell_steps_per_s: f64,
    /// The time of the kernel that uses global memory alone, over its own.
    pub speed_up: f64,
}

/// Measures the wet map of `size`² cells; `None` if the GPU does not hold it whole. An error if the
/// kernels' water differs in a single bit.
pub fn row(size: usize, gpu: &Gpu) -> Result<Option<Row>> {
    let info = &level_minimization::INFO;
    let rule = info.rule(NEIGHBOURHOOD, None);
    if !gpu.holds(size, rule, Kernel::Global.planes(NEIGHBOURHOOD))? {
        return Ok(None);
    }
    let steps_per_call = steps_per_call(size);
    let mut kernels: Vec<KernelSpeed> = Vec::new();
    let mut water = String::new();
    for kernel in Kernel::ALL {
        let problem = BenchMap::Wet.problem(size, rule, NEIGHBOURHOOD);
        let mut simulation = start(gpu, problem, &Setting::usual(kernel))?;
        simulation.advance(steps_per_call)?;
        let mut calls = [0.0; CALLS];
        for took in &mut calls {
            *took = time(&mut simulation, steps_per_call)?;
        }
        let seconds_per_step = median(&mut calls) / steps_per_call as f64;
        let ms_per_step = 1e3 * seconds_per_step;
        let first = kernels.first().map_or(ms_per_step, |first| first.ms_per_step);
        kernels.push(KernelSpeed {
            kernel,
            ms_per_step,
            cell_steps_per_s: (size * size) as f64 / seconds_per_step,
            speed_up: first / ms_per_step,
        });
        let left = checksum(&simulation)?;
        if kernels.len() == 1 {
            water = left;
        } else if left != water {
            return Err(Error::run(format!(
                "the water of kernel {kernel} differs from that of kernel {} after {} steps on {size} x {size} cells, which is a defect of this program",
                Kernel::ALL[0], simulation.clock.done
            ))
            .hint("please report it with the name of the GPU"));
        }
    }
    let steps = steps_per_call * (CALLS as u64 + 1);
    Ok(Some(Row { size, steps, kernels, water }))
}

/// Enough steps to measure, and few enough that all cells stay wet; the same for every kernel.
fn steps_per_call(size: usize) -> u64 {
    ((1u64 << 34) / (size * size) as u64).clamp(16, 2 * size as u64)
}

/// SHA-256 of the water of every row, in hexadecimal.
fn checksum(simulation: &Simulation) -> Result<String> {
    let (columns, rows) = simulation.backend.shape();
    let mut water = vec![0; columns];
    let mut hash = Sha256::new();
    for row in 0..rows {
        simulation.backend.read_grains(Field::Water, row, &mut water)?;
        let bytes: Vec<u8> = water.iter().flat_map(|grains| grains.to_le_bytes()).collect();
        hash.update(&bytes);
    }
    Ok(hexadecimal(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::target::Target;
    use crate::engine::backend::cpu::CpuOptions;

    #[test]
    fn a_checksum_changes_with_the_water_and_with_nothing_else() {
        let rule = level_minimization::INFO.rule(NEIGHBOURHOOD, Some(0.4));
        let after = |steps: u64, tile| {
            let target = Target::Cpu(CpuOptions { tile, ..CpuOptions::default() });
            let problem = BenchMap::Wet.problem(40, rule, NEIGHBOURHOOD);
            let mut simulation = target.start(problem).unwrap().simulation;
            simulation.advance(steps).unwrap();
            checksum(&simulation).unwrap()
        };
        assert_eq!(after(5, (512, 256)), after(5, (16, 8)));
        assert_ne!(after(5, (512, 256)), after(6, (512, 256)));
    }
}
