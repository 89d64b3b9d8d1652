//! Several processes, on one host or on several, as one backend: each has a strip of the grid on a device of its own
//! (docs/decisions/0020-ranks.md).
//!
//! The first rank has the run in hand: it reads, writes, and tells the others what to do, a batch of steps at a time. Halos go
//! from rank to rank directly. Ranks may be of different kinds; nothing of it shows in the results.

mod orders;
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
use super::laid::Laid;
use super::saved::Resumed;
use super::strips::strips;
use super::team::Team;
use super::worker::Worker;
use super::{Backend, Problem};
use crate::error::{Error, Result};
use crate::notices;
use crate::tiling::visit::{MARGIN, VisitPlan};
use orders::Order;
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
    let (ranks, visits) = (wire.ranks(), plan.visits.len());
    if visits < ranks {
        notices::say(&format!("{visits} of {ranks} ranks are enough for so small a map"));
    }
    for rank in visits..ranks {
        orders::order(&*wire, rank, &Order::End)?;
    }
    let (problem, laid) = match tell(problem, &*wire, &plan, saved) {
        Ok(told) => told,
        Err(error) => {
            // Who is gone need not be told.
            let _ = end_all(&*wire);
            return Err(error);
        }
    };
    let mut problem = problem;
    match here {
        Here::Cpu(options) => {
            let worker = cpu_member(&mut problem, &laid, &plan, *options);
            together(worker, wire, laid, plan)
        }
        Here::Cuda(options) => {
            let worker = cuda_member(&problem, &laid, &plan, options, opened)?;
            together(worker, wire, laid, plan)
        }
    }
}

/// Tells all others that there is nothing to do; an error if one is gone.
pub fn end_all(wire: &dyn Wire) -> Result<()> {
    let ended: Vec<Result<()>> =
        (1..wire.ranks()).map(|rank| orders::order(wire, rank, &Order::End)).collect();
    ended.into_iter().collect()
}

/// Tells all others of a problem, each of its strip, and lays out that of this rank. The rest of the rasters is gone then.
fn tell(
    mut problem: Problem,
    wire: &dyn Wire,
    plan: &VisitPlan,
    saved: Option<Resumed>,
) -> Result<(Problem, Laid)> {
    let mut laid = Laid::beside(&problem, plan);
    let around = Around::of(&problem);
    if let Some(saved) = &saved {
        problem.initial = Vec::new();
        laid.gauges.states.clone_from(&saved.sums.gauges);
    }
    let telling = Telling { wire, plan, around: &around, goes_on: saved.is_some() };
    for rank in 1..plan.visits.len() {
        problem = telling.tell(rank, problem, &laid)?;
    }
    let grid = (problem.grid.columns, problem.grid.rows);
    // The flags say for all of the map what is in the domain.
    let flagged = 0..grid.1 + 2 * MARGIN;
    let own = rows_of(plan.visits[0].frame);
    laid.canvas = Canvas::of_rows(&mut problem, &around, own, flagged);
    problem.take_rasters();
    if let Some(saved) = saved {
        laid.go_on(&problem, saved, telling.lines(grid))?;
    }
    Ok((problem, laid))
}

/// This rank's worker and all others.
fn together<W: Worker + 'static>(
    worker: W,
    wire: Arc<dyn Wire>,
    laid: Laid,
    plan: VisitPlan,
) -> Result<Box<dyn Backend>> {
    let others = (1..plan.visits.len()).map(|rank| Rank::There(rank, wire.clone()));
    let members = std::iter::once(Rank::Here(worker, wire.clone())).chain(others).collect();
    let team = Team::new(members, &laid.owners(&plan));
    Ok(Box::new(laid.framed(team, plan)?))
}

/// The CPU as a member of a team.
fn cpu_member(
    problem: &mut Problem,
    laid: &Laid,
    plan: &VisitPlan,
    options: CpuOptions,
) -> CpuWorker {
    CpuWorker::new(problem, laid, plan, options)
}

/// A GPU as a member of a team.
fn cuda_member(
    problem: &Problem,
    laid: &Laid,
    plan: &VisitPlan,
    options: &CudaOptions,
    opened: Option<Opened>,
) -> Result<CudaWorker> {
    if options.gpus.is_some_and(|gpus| gpus.numbers().count() > 1) {
        return Err(Error::input("device: each rank has one GPU").hint("start a rank for each GPU"));
    }
    member(problem, laid, plan, options, opened)
}
