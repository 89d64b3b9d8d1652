//! Several processes, on one host or more, as one backend: each has a strip of the grid on its own
//! device (docs/decisions/0020-ranks.md).
//!
//! The first rank controls the run: it reads, writes, and sends commands to the others, for a batch
//! of steps at a time. Halos go directly from rank to rank. Ranks may have different kinds of
//! devices; the results do not depend on it.

mod commands;
mod rank;
mod serve;
mod ship;
pub mod wire;

use super::cpu::{CpuOptions, CpuWorker};
use super::cuda::open::{OpenDevices, member};
use super::cuda::options::CudaOptions;
use super::cuda::worker::CudaWorker;
use super::ground::GhostBed;
use super::multi_device::MultiDeviceWorker;
use super::padded_grid::PaddedGrid;
use super::saved::Resumed;
use super::setup::Setup;
use super::strips::strips;
use super::worker::Worker;
use super::{Backend, Problem};
use crate::error::{Error, Result};
use crate::notices;
use crate::tiling::subdomain::{MARGIN, SubdomainPlan};
use commands::Command;
use rank::Rank;
pub use serve::serve;
pub use ship::version;
use ship::{RankSetup, rows_of};
use std::sync::Arc;
use wire::Wire;

/// Device of a rank.
#[derive(Clone, Copy, Debug)]
pub enum RankDevice {
    /// The CPU, with its options.
    Cpu(CpuOptions),
    /// A GPU, with its options.
    Cuda(CudaOptions),
}

/// Sets up a problem on all ranks. Called on the first rank, whose GPU may be open already. A saved
/// state replaces the initial water, if there is one.
pub fn open(
    problem: Problem,
    wire: Arc<dyn Wire>,
    here: &RankDevice,
    opened: Option<OpenDevices>,
    saved: Option<Resumed>,
) -> Result<Box<dyn Backend>> {
    let plan = strips(&problem, wire.ranks());
    let (ranks, subdomains) = (wire.ranks(), plan.subdomains.len());
    if subdomains < ranks {
        notices::say(&format!("{subdomains} of {ranks} ranks are enough for a map of this size"));
    }
    for rank in subdomains..ranks {
        commands::command(&*wire, rank, &Command::End)?;
    }
    let (problem, setup) = match send_problem(problem, &*wire, &plan, saved) {
        Ok(part) => part,
        Err(error) => {
            // A rank that is gone cannot be notified.
            let _ = end_all(&*wire);
            return Err(error);
        }
    };
    let mut problem = problem;
    match here {
        RankDevice::Cpu(options) => {
            let worker = CpuWorker::new(&mut problem, &setup, &plan, *options);
            together(worker, wire, setup, plan)
        }
        RankDevice::Cuda(options) => {
            let worker = cuda_member(&problem, &setup, &plan, options, opened)?;
            together(worker, wire, setup, plan)
        }
    }
}

/// Sends all other ranks the command to end; returns an error if one is gone.
pub fn end_all(wire: &dyn Wire) -> Result<()> {
    let ended: Vec<Result<()>> =
        (1..wire.ranks()).map(|rank| commands::command(wire, rank, &Command::End)).collect();
    ended.into_iter().collect()
}

/// Sends each of the other ranks its strip of a problem, and lays out this rank's. The remaining
/// rasters are dropped.
fn send_problem(
    mut problem: Problem,
    wire: &dyn Wire,
    plan: &SubdomainPlan,
    saved: Option<Resumed>,
) -> Result<(Problem, Setup)> {
    problem.check_solver()?;
    let mut setup = Setup::without_padded_grid(&problem, plan);
    let around = GhostBed::of(&problem);
    if let Some(saved) = &saved {
        if saved.has_water() {
            problem.initial = Vec::new();
        }
        setup.go_on_sums(saved);
    }
    let fields = saved.as_ref().map(|saved| saved.fields.clone());
    let rank_setup = RankSetup { wire, plan, around: &around, goes_on: fields.as_deref() };
    for rank in 1..plan.subdomains.len() {
        problem = rank_setup.send(rank, problem, &setup)?;
    }
    let grid = (problem.grid.columns, problem.grid.rows);
    // The flags mark the domain cells of the whole map.
    let flagged = 0..grid.1 + 2 * MARGIN;
    let own = rows_of(plan.subdomains[0].extent);
    setup.padded_grid = PaddedGrid::of_rows(&mut problem, &around, own, flagged);
    problem.take_rasters();
    if let Some(saved) = saved {
        setup.go_on(saved, rank_setup.lines(grid))?;
    }
    Ok((problem, setup))
}

/// Combines this rank's worker and all others.
fn together<W: Worker + 'static>(
    worker: W,
    wire: Arc<dyn Wire>,
    setup: Setup,
    plan: SubdomainPlan,
) -> Result<Box<dyn Backend>> {
    let others = (1..plan.subdomains.len()).map(|rank| Rank::There(rank, wire.clone()));
    let members = std::iter::once(Rank::Here(worker, wire.clone())).chain(others).collect();
    let worker = MultiDeviceWorker::new(members, &setup.owners(&plan));
    Ok(Box::new(setup.into_backend(worker, plan)?))
}

/// Sets up a GPU as a member of a worker of several devices.
fn cuda_member(
    problem: &Problem,
    setup: &Setup,
    plan: &SubdomainPlan,
    options: &CudaOptions,
    opened: Option<OpenDevices>,
) -> Result<CudaWorker> {
    if options.gpus.is_some_and(|gpus| gpus.numbers().count() > 1) {
        return Err(Error::input("device: each rank has one GPU").hint("start a rank for each GPU"));
    }
    member(problem, setup, plan, options, opened)
}
