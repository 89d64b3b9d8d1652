//! Measures the speed-up of several GPUs or ranks over one, in weak and strong scaling.

use super::timing::in_calls;
use crate::engine::backend::Problem;
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::device::Gpus;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::solver::SolverInfo;
use crate::error::Result;
use crate::speed::gpu::Gpu;
use crate::speed::map::BenchMap;
use crate::speed::target::{Started, on_gpu};
use serde::{Deserialize, Serialize};

/// Relation between the map size and the number of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Weak scaling: each part has as many cells as a single one.
    Weak,
    /// Strong scaling: all parts together have as many cells as a single one.
    Strong,
}

/// Scaling measurement of a solver on a number of GPUs or ranks.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Scaled {
    /// Name of the solver.
    #[serde(rename = "rule")]
    pub solver: String,
    /// Name of the neighbourhood.
    pub neighbourhood: String,
    /// Weak or strong scaling.
    pub scaling: Scaling,
    /// Number of GPUs or ranks.
    pub parts: usize,
    /// Columns and rows of the map.
    pub size: (usize, usize),
    /// Throughput in cell-steps per second.
    pub cell_steps_per_s: f64,
    /// Speed divided by the number of parts times the speed of one part.
    pub efficiency: f64,
    /// Share of the time spent in halo exchange; `None` for one part.
    pub exchange_share: Option<f64>,
}

/// Subject of the measurement: a solver and neighbourhood on the wet map of `size`² cells, for
/// about
/// `seconds` (s) each.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// Solver and neighbourhood to measure.
    pub case: (&'a SolverInfo, Neighbourhood),
    /// Side of the map of one part (cells).
    pub size: usize,
    /// Duration of a measurement (s).
    pub seconds: f64,
}

/// Measures a solver on 1, 2, 4, … up to all selected GPUs and reports each measurement to `report`.
pub fn scale(gpu: &Gpu, what: Measured, report: impl FnMut(&Scaled)) -> Result<Vec<Scaled>> {
    let all: Vec<usize> =
        gpu.options.gpus.map_or(vec![gpu.options.gpu], |gpus| gpus.numbers().collect());
    let start = |count: usize, problem: Problem| {
        let options = CudaOptions {
            gpu: all[0],
            gpus: Gpus::of(all[..count].iter().copied()).filter(|_| count > 1),
            ..gpu.options
        };
        on_gpu(gpu, problem, &options)
    };
    compare(what, &counts(all.len()), start, report)
}

/// Returns 1, 2, 4, … and `all`.
pub fn counts(all: usize) -> Vec<usize> {
    let powers = (0..).map(|power| 1 << power).take_while(|count| *count < all);
    powers.chain([all]).collect()
}

/// Measures a solver on each of the part counts, of which the first is 1. `start` sets up a problem
/// on a number of parts.
pub fn compare(
    Measured { case: (info, neighbourhood), size, seconds }: Measured,
    counts: &[usize],
    start: impl Fn(usize, Problem) -> Result<Started>,
    mut report: impl FnMut(&Scaled),
) -> Result<Vec<Scaled>> {
    let solver = info.solver(neighbourhood, None);
    let mut results: Vec<Scaled> = Vec::new();
    for scaling in [Scaling::Weak, Scaling::Strong] {
        let mut of_one = 0.0;
        for &parts in counts {
            let times = if scaling == Scaling::Weak { parts } else { 1 };
            let start = || start(parts, BenchMap::Wet.repeated(size, times, solver, neighbourhood));
            let known = results.iter().find(|other| parts == 1 && other.parts == 1);
            let (rate, exchange_share) = match known {
                Some(other) => (other.cell_steps_per_s, None),
                None => {
                    let (step, started) = in_calls(start, seconds, BenchMap::most_steps(size))?;
                    let rate = (size * size * times) as f64 / step;
                    (rate, started.simulation.backend.exchange_share())
                }
            };
            if parts == 1 {
                of_one = rate;
            }
            let scaled = Scaled {
                solver: info.name.into(),
                neighbourhood: neighbourhood.name().into(),
                scaling,
                parts,
                size: (size, size * times),
                cell_steps_per_s: rate,
                efficiency: rate / (parts as f64 * of_one),
                exchange_share,
            };
            report(&scaled);
            results.push(scaled);
        }
    }
    Ok(results)
}
