//! Several processes, on one host or on several, as one backend: each has a strip of the grid on a device of its own
//! (docs/decisions/0020-ranks.md).
//!
//! The first rank has the run in hand: it reads, writes, and tells the others what to do, a batch of steps at a time. Halos go
//! from rank to rank directly. Ranks may be of different kinds; nothing of it shows in the results.

mod commands;
mod rank;
mod serve;
mod ship;
pub mod wire;

use super::canvas::Canvas;
use super::cpu::{CpuOptions, CpuWorker};
use super::cuda::open::{Opened, member};
use super::cuda::options::CudaOptions;
use super::cuda::worker::CudaWorker;
use super::ground::Around;
use super::saved::Resumed;
use super::setup::Setup;
use super::strips::strips;
use super::team::Team;
use super::worker::Worker;
use super::{Backend, Problem};
use crate::error::{Error, Result};
use crate::notices;
use crate::tiling::subdomain::{MARGIN, SubdomainPlan};
use commands::Command;
use rank::Rank;
pub use serve::serve;
pub use ship::version;
use ship::{Telling, rows_of};
use std::sync::Arc;
use wire::Wire;

/// The device of a rank.
#[derive(Clone, Copy, Debug)]
pub enum Here {
    /// The CPU.
    Cpu(CpuOptions),
    /// A GPU.
    Cuda(CudaOptions),
}

/// Sets up a problem on all ranks, from the first of them, whose GPU may be open already, with a saved state in the place of its water at the start if there
/// is one.
pub fn open(
    problem: Problem,
    wire: Arc<dyn Wire>,
    here: &Here,
    opened: Option<Opened>,
    saved: Option<Resumed>,
) -> Result<Box<dyn Backend>> {
    let plan = strips(&problem, wire.ranks());
    let (ranks, subdomains) = (wire.ranks(), plan.subdomains.len());
    if subdomains < ranks {
        notices::say(&format!("{subdomains} of {ranks} ranks are enough for so small a map"));
    }
    for rank in subdomains..ranks {
        commands::command(&*wire, rank, &Command::End)?;
    }
    let (problem, setup) = match tell(problem, &*wire, &plan, saved) {
        Ok(part) => part,
        Err(error) => {
            // Who is gone need not be told.
            let _ = end_all(&*wire);
            return Err(error);
        }
    };
    let mut problem = problem;
    match here {
        Here::Cpu(options) => {
            let worker = CpuWorker::new(&mut problem, &setup, &plan, *options);
            together(worker, wire, setup, plan)
        }
        Here::Cuda(options) => {
            let worker = cuda_member(&problem, &setup, &plan, options, opened)?;
            together(worker, wire, setup, plan)
        }
    }
}

/// Tells all others that there is nothing to do; an error if one is gone.
pub fn end_all(wire: &dyn Wire) -> Result<()> {
    let ended: Vec<Result<()>> =
        (1..wire.ranks()).map(|rank| commands::command(wire, rank, &Command::End)).collect();
    ended.into_iter().collect()
}

/// Tells all others of a problem, each of its strip, and lays out that of this rank. The rest of the rasters is gone then.
fn tell(
    mut problem: Problem,
    wire: &dyn Wire,
    plan: &SubdomainPlan,
    saved: Option<Resumed>,
) -> Result<(Problem, Setup)> {
    problem.check_rule()?;
    let mut setup = Setup::without_canvas(&problem, plan);
    let around = Around::of(&problem);
    if let Some(saved) = &saved {
        if saved.has_water() {
            problem.initial = Vec::new();
        }
        setup.go_on_sums(saved);
    }
    let fields = saved.as_ref().map(|saved| saved.fields.clone());
    let telling = Telling { wire, plan, around: &around, goes_on: fields.as_deref() };
    for rank in 1..plan.subdomains.len() {
        problem = telling.tell(rank, problem, &setup)?;
    }
    let grid = (problem.grid.columns, problem.grid.rows);
    // The flags say for all of the map what is in the domain.
    let flagged = 0..grid.1 + 2 * MARGIN;
    let own = rows_of(plan.subdomains[0].frame);
    setup.canvas = Canvas::of_rows(&mut problem, &around, own, flagged);
    problem.take_rasters();
    if let Some(saved) = saved {
        setup.go_on(saved, telling.lines(grid))?;
    }
    Ok((problem, setup))
}

/// This rank's worker and all others.
fn together<W: Worker + 'static>(
    worker: W,
    wire: Arc<dyn Wire>,
    setup: Setup,
    plan: SubdomainPlan,
) -> Result<Box<dyn Backend>> {
    let others = (1..plan.subdomains.len()).map(|rank| Rank::There(rank, wire.clone()));
    let members = std::iter::once(Rank::Here(worker, wire.clone())).chain(others).collect();
    let team = Team::new(members, &setup.owners(&plan));
    Ok(Box::new(setup.framed(team, plan)?))
}

/// A GPU as a member of a team.
fn cuda_member(
    problem: &Problem,
    setup: &Setup,
    plan: &SubdomainPlan,
    options: &CudaOptions,
    opened: Option<Opened>,
) -> Result<CudaWorker> {
    if options.gpus.is_some_and(|gpus| gpus.numbers().count() > 1) {
        return Err(Error::input("device: each rank has one GPU").hint("start a rank for each GPU"));
    }
    member(problem, setup, plan, options, opened)
}
