//! Strips of a grid, each with its own worker on one CPU.

use inundate_engine::backend::Problem;
use inundate_engine::backend::cpu::{CpuOptions, CpuWorker};
use inundate_engine::backend::framed::Framed;
use inundate_engine::backend::setup::Setup;
use inundate_engine::backend::team::Team;
use inundate_engine::tiling::subdomain::SubdomainPlan;

/// Creates a team of CPU workers, each with a strip of the grid in its own frames.
pub fn cpu_strips(
    mut problem: Problem,
    options: CpuOptions,
    plan: SubdomainPlan,
) -> Framed<Team<CpuWorker>> {
    let setup = Setup::new(&mut problem, &plan, None).expect("memory");
    // A worker moves its data out of the problem.
    let member = |_: &_| CpuWorker::new(&mut problem.clone(), &setup, &plan, options);
    let members = plan.subdomains.iter().map(member).collect();
    let team = Team::new(members, &setup.owners(&plan));
    setup.framed(team, plan).expect("memory")
}
