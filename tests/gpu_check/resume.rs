//! Checks that a resumed run gives the same bits as an uninterrupted one, from the CPU to a GPU and
//! back.

use super::common::{Case, State};
use super::difference;
use inundate_engine::backend::Backend;
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::backend::cuda::open::{open, open_from};
use inundate_engine::backend::cuda::options::CudaOptions;
use inundate_engine::forcing::series::Series;
use inundate_engine::simulation::Simulation;

/// Stops a case after some steps on one device, continues to `end` on the other, and compares with
/// `expected`.
pub fn compare(
    case: &Case,
    options: &CudaOptions,
    (stop, end): (u64, u64),
    expected: &State,
) -> Result<(), String> {
    let failed = |error: inundate_engine::error::Error| error.to_string();
    let cpu = || case.start(CpuOptions::default());
    let gpu = || open(case.problem(), options).map(|gpu| case.start_on(gpu)).map_err(failed);
    for to_gpu in [true, false] {
        let mut before = if to_gpu { cpu() } else { gpu()? };
        before.advance(stop).map_err(failed)?;
        let kept = case.snapshot(&before);
        let backend: Box<dyn Backend> = kept.with(|saved| {
            Ok::<Box<dyn Backend>, String>(if to_gpu {
                Box::new(open_from(case.problem(), options, Some(saved)).map_err(failed)?)
            } else {
                let options = CpuOptions { tile: (61, 37), ..CpuOptions::default() };
                Box::new(cpu::open_from(case.problem(), options, Some(saved)).map_err(failed)?)
            })
        })?;
        let mut after = Simulation { backend, clock: kept.clock, ..cpu() };
        let way = if to_gpu { "CPU to GPU" } else { "GPU to CPU" };
        let restored = case.state(&after);
        if let Some(what) = difference(&restored, &case.state(&before), case.columns) {
            return Err(format!("{way}, restored: {what}"));
        }
        after.advance(end - stop).map_err(failed)?;
        if let Some(what) = difference(&case.state(&after), expected, case.columns) {
            return Err(format!("{way}: {what}"));
        }
    }
    Ok(())
}

/// Replaces the rates of sources after some steps, and continues to `end`, on a GPU and on the CPU.
pub fn forced(case: &Case, options: &CudaOptions, (stop, end): (u64, u64)) -> Result<(), String> {
    let mut other = case.clone();
    for (number, rate) in other.forcing.rates.iter_mut().enumerate() {
        rate.series = Series::new(vec![(0.0, 1e-5 * (number + 1) as f64), (1.0, 3e-5)]);
    }
    let run = |mut run: Simulation| {
        run.advance(stop)?;
        run.force(other.problem().timeline())?;
        run.advance(end - stop)?;
        Ok(case.state(&run))
    };
    let failed = |error: inundate_engine::error::Error| error.to_string();
    let expected = run(case.start(CpuOptions::default())).map_err(failed)?;
    let gpu = open(case.problem(), options).map_err(failed)?;
    let found = run(case.start_on(gpu)).map_err(failed)?;
    difference(&found, &expected, case.columns).map_or(Ok(()), Err)
}
