//! How much faster several GPUs, or several ranks, are than one, on a map that grows with them and on one that does not.

use super::gpu::Gpu;
use super::map::BenchMap;
use super::target::{Started, on_gpu};
use super::timing::in_calls;
use crate::engine::backend::Problem;
use crate::engine::backend::cuda::options::CudaOptions;
use crate::engine::device::Gpus;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::RuleInfo;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// How the map depends on the number of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Each has as many cells as one alone.
    Weak,
    /// Together they have as many.
    Strong,
}

/// What was measured of a rule on some GPUs or ranks.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Scaled {
    /// Rule.
    pub rule: String,
    /// Neighbourhood.
    pub neighbourhood: String,
    /// How the map depends on the number of parts.
    pub scaling: Scaling,
    /// GPUs, or ranks.
    pub parts: usize,
    /// Columns and rows of the map.
    pub size: (usize, usize),
    /// Cells times steps per second.
    pub cell_steps_per_s: f64,
    /// That over as many times that of one.
    pub efficiency: f64,
    /// The share of the time in which they took their halos from each other; none for one.
    pub exchange_share: Option<f64>,
}

/// What is measured: a rule with a neighbourhood on the wet map of `size`² cells, for about `seconds` (s) each.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// The rule and its neighbourhood.
    pub case: (&'a RuleInfo, Neighbourhood),
    /// Side of the map of one part.
    pub size: usize,
    /// Seconds of a measurement.
    pub seconds: f64,
}

/// Measures a rule on 1, 2, 4 and so on to all of these GPUs, and tells of each measurement.
pub fn scale(gpu: &Gpu, what: Measured, tell: impl FnMut(&Scaled)) -> Result<Vec<Scaled>> {
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
    compare(what, &counts(all.len()), start, tell)
}

/// 1, 2, 4 and so on to all.
pub fn counts(all: usize) -> Vec<usize> {
    let powers = (0..).map(|power| 1 << power).take_while(|count| *count < all);
    powers.chain([all]).collect()
}

/// Measures a rule on so many parts each, the first of them one; `start` sets a problem up on a number of them.
pub fn compare(
    Measured { case: (info, neighbourhood), size, seconds }: Measured,
    counts: &[usize],
    start: impl Fn(usize, Problem) -> Result<Started>,
    mut tell: impl FnMut(&Scaled),
) -> Result<Vec<Scaled>> {
    let rule = info.rule(neighbourhood, None);
    let mut results: Vec<Scaled> = Vec::new();
    for scaling in [Scaling::Weak, Scaling::Strong] {
        let mut of_one = 0.0;
        for &parts in counts {
            let times = if scaling == Scaling::Weak { parts } else { 1 };
            let start = || start(parts, BenchMap::Wet.repeated(size, times, rule, neighbourhood));
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
                rule: info.name.into(),
                neighbourhood: neighbourhood.name().into(),
                scaling,
                parts,
                size: (size, size * times),
                cell_steps_per_s: rate,
                efficiency: rate / (parts as f64 * of_one),
                exchange_share,
            };
            tell(&scaled);
            results.push(scaled);
        }
    }
    Ok(results)
}
