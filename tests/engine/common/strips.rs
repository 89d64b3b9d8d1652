//! Strips of a grid, each with its own worker on one CPU.

use inundate_engine::backend::Problem;
use inundate_engine::backend::cpu::{CpuOptions, CpuWorker};
use inundate_engine::backend::multi_device::MultiDeviceWorker;
use inundate_engine::backend::setup::Setup;
use inundate_engine::backend::tiled::TiledBackend;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// Creates a team of CPU workers, each with a strip of the grid in its own frames.
pub fn cpu_strips(
    mut problem: Problem,
    options: CpuOptions,
    plan: SubdomainPlan,
) -> TiledBackend<MultiDeviceWorker<CpuWorker>> {
    let setup = Setup::new(&mut problem, &plan, None).expect("memory");
    // A worker moves its data out of the problem.
    let member = |_: &_| CpuWorker::new(&mut problem.clone(), &setup, &plan, options);
    let members = plan.subdomains.iter().map(member).collect();
    let team = MultiDeviceWorker::new(members, &setup.owners(&plan));
    setup.into_backend(team, plan).expect("memory")
}
