//! The CPU as a backend: rayon over tiles and bands of rows, lanes within a row.

mod after_flow;
mod after_flow_cells;
mod diagnostics;
mod edge_cross;
mod edge_levels;
mod edge_rows;
mod edge_scratch;
mod edge_update;
mod flow;
mod flow_diagnostics;
mod frame;
mod gather;
mod gauged;
mod jobs;
mod lanes_of_row;
mod lent;
mod levels;
mod momentum_rows;
mod move_cross;
mod quiet;
mod rain;
mod rows;
mod scratch;
mod shared;
mod shares;
mod sites;
mod step;
mod tiles;
mod watch;
mod window;
mod worker;

use super::Problem;
use super::framed::Framed;
use super::saved::Resumed;
use super::setup::Setup;
use crate::error::Result;
use crate::lanes::InstructionSet;
use crate::tiling::subdomain::SubdomainPlan;
pub use worker::CpuWorker;

/// Columns and rows of a tile unless the user says otherwise: small enough to skip dry ground, wide
/// enough for long rows of lanes.
pub const DEFAULT_TILE: (usize, usize) = (512, 256);

/// Bytes of state per cell: bed, water twice, maximum, arrival, flags; with the discharges,
/// velocities and roughness that a problem may have.
pub fn bytes_per_cell(problem: &Problem) -> usize {
    let fields = problem.fields();
    let doubled = fields.iter().filter(|field| field.row().doubled.of(problem)).count();
    1 + 4 * (fields.len() + doubled)
}

/// How the CPU backend is run. No setting changes a bit of the results.
#[derive(Clone, Copy, Debug)]
pub struct CpuOptions {
    /// Columns and rows of a tile.
    pub tile: (usize, usize),
    /// Instruction set.
    pub instructions: InstructionSet,
    /// Skip tiles and rows that are dry and stay dry.
    pub activity: bool,
}

impl Default for CpuOptions {
    fn default() -> CpuOptions {
        CpuOptions { tile: DEFAULT_TILE, instructions: InstructionSet::best(), activity: true }
    }
}

/// The CPU as a backend, on rayon's current thread pool.
pub(crate) type CpuBackend = Framed<CpuWorker>;

/// Sets up the state of a problem on the CPU.
pub fn open(problem: Problem, options: CpuOptions) -> CpuBackend {
    open_from(problem, options, None).expect("memory has no reason to fail")
}

/// The same with a saved state in the place of its water at the start if there is one; an error if that cannot be read.
pub fn open_from(
    problem: Problem,
    options: CpuOptions,
    saved: Option<Resumed>,
) -> Result<CpuBackend> {
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    let tile = (options.tile.0.min(columns), options.tile.1.min(rows));
    open_as(problem, options, SubdomainPlan { tile, ..SubdomainPlan::whole(columns, rows) }, saved)
}

/// The same by any plan: frames take turns, or stay.
pub fn open_as(
    mut problem: Problem,
    options: CpuOptions,
    plan: SubdomainPlan,
    saved: Option<Resumed>,
) -> Result<CpuBackend> {
    let setup = Setup::new(&mut problem, &plan, saved)?;
    let worker = CpuWorker::new(&mut problem, &setup, &plan, options);
    // The rest of the problem, its rasters among it, goes here.
    drop(problem);
    setup.framed(worker, plan)
}

/// Water got deeper than the grain allows.
#[derive(Clone, Copy, Debug)]
struct TooDeep;
