//! Strips of a grid that stay with workers of their own on one CPU.

use inundate_engine::backend::Problem;
use inundate_engine::backend::cpu::{CpuOptions, CpuWorker};
use inundate_engine::backend::framed::Framed;
use inundate_engine::backend::setup::Setup;
use inundate_engine::backend::team::Team;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// A team of workers on the CPU, each with a strip of the grid in frames of its own.
pub fn cpu_strips(
    mut problem: Problem,
    options: CpuOptions,
    plan: SubdomainPlan,
) -> Framed<Team<CpuWorker>> {
    let setup = Setup::new(&mut problem, &plan, None).expect("memory");
    // A worker takes what it needs for good.
    let member = |_: &_| CpuWorker::new(&mut problem.clone(), &setup, &plan, options);
    let members = plan.subdomains.iter().map(member).collect();
    let team = Team::new(members, &setup.owners(&plan));
    setup.framed(team, plan).expect("memory")
}
