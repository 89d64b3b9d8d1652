//! CPU backend: rayon over tiles and bands of rows, lanes within a row.

mod after_flow;
mod after_flow_cells;
mod diagnostics;
mod edge_fluxes;
mod edge_levels;
mod edge_rows;
mod edge_scratch;
mod edge_update;
mod field_borrows;
mod flow;
mod flow_diagnostics;
mod frame;
mod gather;
mod gauged;
mod jobs;
mod lanes_of_row;
mod levels;
mod loss_rows;
mod momentum_fluxes;
mod momentum_rows;
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
use super::saved::Resumed;
use super::setup::Setup;
use super::tiled::TiledBackend;
use crate::error::Result;
use crate::lanes::InstructionSet;
use crate::tiling::subdomain::SubdomainPlan;
pub use worker::CpuWorker;

/// Default columns and rows of a tile: small enough to skip dry ground, wide enough for long rows
/// of lanes.
pub const DEFAULT_TILE: (usize, usize) = (512, 256);

/// Returns the bytes of state per cell: bed, water twice, maximum, arrival and flags, plus optional
/// discharges, velocities and roughness.
pub fn bytes_per_cell(problem: &Problem) -> usize {
    let fields = problem.fields();
    let doubled = fields.iter().filter(|field| field.row().doubled.of(problem)).count();
    1 + 4 * (fields.len() + doubled)
}

/// Options of the CPU backend. They do not affect the results.
#[derive(Clone, Copy, Debug)]
pub struct CpuOptions {
    /// Columns and rows of a tile.
    pub tile: (usize, usize),
    /// Instruction set for the lanes.
    pub instructions: InstructionSet,
    /// Skips tiles and rows that are dry and stay dry.
    pub activity: bool,
}

impl Default for CpuOptions {
    fn default() -> CpuOptions {
        CpuOptions { tile: DEFAULT_TILE, instructions: InstructionSet::best(), activity: true }
    }
}

/// The CPU as a backend, on rayon's current thread pool.
pub(crate) type CpuBackend = TiledBackend<CpuWorker>;

/// Sets up the state of a problem on the CPU.
pub fn open(problem: Problem, options: CpuOptions) -> CpuBackend {
    open_from(problem, options, None).expect("memory has no reason to fail")
}

/// Sets up a problem with a saved state instead of its initial water, if there is one.
///
/// # Errors
/// If the saved state cannot be read.
pub fn open_from(
    problem: Problem,
    options: CpuOptions,
    saved: Option<Resumed>,
) -> Result<CpuBackend> {
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    let tile = (options.tile.0.min(columns), options.tile.1.min(rows));
    open_as(problem, options, SubdomainPlan { tile, ..SubdomainPlan::whole(columns, rows) }, saved)
}

/// Sets up a problem with any plan, with streaming or resident frames.
pub fn open_as(
    mut problem: Problem,
    options: CpuOptions,
    plan: SubdomainPlan,
    saved: Option<Resumed>,
) -> Result<CpuBackend> {
    let setup = Setup::new(&mut problem, &plan, saved)?;
    let worker = CpuWorker::new(&mut problem, &setup, &plan, options);
    // The rest of the problem, including its rasters, is freed here.
    drop(problem);
    setup.into_backend(worker, plan)
}

/// Error: water exceeded the depth that the grain allows.
#[derive(Clone, Copy, Debug)]
struct TooDeep;
