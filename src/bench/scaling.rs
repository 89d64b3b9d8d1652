//! How much faster several GPUs are than one, on a map that grows with them and on one that does not.

use super::gpu::Gpu;
use super::map::Map;
use super::target::on_gpu;
use super::timing::in_calls;
use crate::engine::backend::cuda::open::CudaOptions;
use crate::engine::device::Gpus;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::rule::RuleInfo;
use crate::error::Result;
use serde::Serialize;

/// How the map depends on the number of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Each GPU has as many cells as one alone.
    Weak,
    /// Together they have as many.
    Strong,
}

/// What was measured of a rule on some GPUs.
#[derive(Clone, Debug, Serialize)]
pub struct Scaled {
    /// Rule.
    pub rule: &'static str,
    /// Neighbourhood.
    pub neighbourhood: &'static str,
    /// How the map depends on the number of GPUs.
    pub scaling: Scaling,
    /// GPUs.
    pub gpus: usize,
    /// Columns and rows of the map.
    pub size: (usize, usize),
    /// Cells times steps per second.
    pub cell_steps_per_s: f64,
    /// That over as many times that of one GPU.
    pub efficiency: f64,
    /// The share of the time in which they told each other of their rims; none for one.
    pub exchange_share: Option<f64>,
}

/// Measures a rule on the wet map of `size`² cells on 1, 2, 4 and so on to all of these GPUs, each for about `seconds` (s),
/// and tells of each measurement.
pub fn scale(
    gpu: &Gpu,
    (info, neighbourhood): (&RuleInfo, Neighbourhood),
    size: usize,
    seconds: f64,
    mut tell: impl FnMut(&Scaled),
) -> Result<Vec<Scaled>> {
    let rule = info.rule(neighbourhood, None);
    let all: Vec<usize> =
        gpu.options.gpus.map_or(vec![gpu.options.gpu], |gpus| gpus.numbers().collect());
    let powers = (0..).map(|power| 1 << power).take_while(|count| *count < all.len());
    let counts: Vec<usize> = powers.chain([all.len()]).collect();
    let mut results: Vec<Scaled> = Vec::new();
    for scaling in [Scaling::Weak, Scaling::Strong] {
        let mut of_one = 0.0;
        for &gpus in &counts {
            let options = CudaOptions {
                gpu: all[0],
                gpus: Gpus::of(all[..gpus].iter().copied()).filter(|_| gpus > 1),
                ..gpu.options
            };
            let times = if scaling == Scaling::Weak { gpus } else { 1 };
            let problem = || Map::Wet.repeated(size, times, rule, neighbourhood);
            let start = || on_gpu(gpu, problem(), &options);
            let known = results.iter().find(|other| gpus == 1 && other.gpus == 1);
            let (rate, exchange_share) = match known {
                Some(other) => (other.cell_steps_per_s, None),
                None => {
                    let (step, started) = in_calls(start, seconds, Map::most_steps(size))?;
                    let rate = (size * size * times) as f64 / step;
                    (rate, started.simulation.backend.exchange_share())
                }
            };
            if gpus == 1 {
                of_one = rate;
            }
            let scaled = Scaled {
                rule: info.name,
                neighbourhood: neighbourhood.name(),
                scaling,
                gpus,
                size: (size, size * times),
                cell_steps_per_s: rate,
                efficiency: rate / (gpus as f64 * of_one),
                exchange_share,
            };
            tell(&scaled);
            results.push(scaled);
        }
    }
    Ok(results)
}
