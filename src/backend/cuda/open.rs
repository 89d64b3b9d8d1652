//! A GPU as a backend: how much of the grid it holds at a time, and the way there.

use super::failure::failed;
use super::frame::{CHUNK_COLUMNS, Shape};
use super::program::{Choice, Program};
use super::source::Kernel;
use super::worker::{CudaWorker, Job};
use crate::backend::Problem;
use crate::backend::canvas::{Canvas, INSIDE};
use crate::backend::framed::{FRAMES, Framed};
use crate::backend::worker::VisitForcing;
use crate::error::{Error, Result};
use crate::forcing::Footprint;
use crate::neighbourhood::Neighbourhood;
use crate::tiling::visit::{MARGIN, VisitPlan, steps_of};
use crate::units::show_bytes;
use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUdevice_attribute;

/// Share of the free memory that is taken unless the user says otherwise.
const SHARE_OF_FREE: f64 = 0.9;

/// Warps that keep a multiprocessor busy.
const WARPS_PER_MULTIPROCESSOR: usize = 64;

/// How the GPU is used. No setting changes a bit of the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaOptions {
    /// Ordinal of the GPU.
    pub gpu: usize,
    /// Device memory to use (bytes); most of what is free unless given.
    pub memory: Option<u64>,
    /// Columns and rows of tiles that take turns, even if the whole grid would fit.
    pub tile: Option<(usize, usize)>,
    /// The kernel, and its blocks.
    pub choice: Choice,
    /// Rows of a chunk, unless it is to be found from the size of the grid.
    pub chunk_rows: Option<usize>,
}

/// Sets up the state of a problem on a GPU.
pub fn open(mut problem: Problem, options: &CudaOptions) -> Result<Framed<CudaWorker>> {
    let context =
        CudaContext::new(options.gpu).map_err(|error| failed("opening the GPU", error))?;
    // Everything about a frame happens in its own stream; there is nothing to keep track of.
    // SAFETY: frames are not shared between streams.
    unsafe { context.disable_event_tracking() };
    let name = context.name().map_err(|error| failed("asking for its name", error))?;
    let budget = budget(&context, options.memory)?;
    let multiprocessors = context
        .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
        .map_err(|error| failed("asking for its size", error))?;

    let info = problem.rule.info();
    let program = Program::new(&context, options.choice, info, problem.neighbourhood)?;
    let planes = planes(options.choice.kernel, problem.neighbourhood);
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    let shares = problem.forcing.rates.iter();
    let shares = shares.filter(|rate| matches!(rate.footprint, Footprint::Shares(_))).count();
    let layers = shares + planes;
    let chunk_rows = |plan: &VisitPlan| {
        options.chunk_rows.unwrap_or_else(|| chunk_rows(plan, multiprocessors as usize))
    };
    let bytes = |plan: &VisitPlan| {
        let (columns, rows) = plan.largest_frame();
        let frames = plan.steps.map_or(1, |_| FRAMES.min(plan.visits.len()));
        frames * Shape::new(columns, rows, chunk_rows(plan)).bytes(layers, 0)
    };
    let plan = match options.tile {
        Some(tile) => VisitPlan::tiled(columns, rows, tile, steps_of(tile)),
        None => plan(columns, rows, layers, budget, bytes)?,
    };
    let canvas = Canvas::new(&mut problem);
    let inside = |cell: usize| {
        let (column, row) = (cell % columns + MARGIN, cell / columns + MARGIN);
        canvas.flags[row * canvas.columns + column] & INSIDE != 0
    };
    let forcing: Vec<VisitForcing> = plan
        .visits
        .iter()
        .map(|visit| VisitForcing::of(&problem.forcing, visit, columns, inside))
        .collect();
    let everywhere =
        problem.forcing.rates.iter().any(|rate| !matches!(rate.footprint, Footprint::Cells(_)));
    let job = Job {
        visits: &plan.visits,
        forcing: &forcing,
        rates: &problem.forcing,
        grain: problem.grain,
        neighbourhood: problem.neighbourhood,
        threshold: problem.arrival,
        rule: problem.rule.parameters(),
        chunk_rows: chunk_rows(&plan),
        planes,
    };
    let described = format!("{name} (cuda:{}), kernel {}", options.gpu, options.choice.kernel);
    let worker = CudaWorker::new(context, program, &job, described)?;
    Framed::new(worker, plan, canvas, &forcing, everywhere)
}

/// Device memory that may be used (bytes): what is asked for, else most of what is free.
pub fn budget(context: &CudaContext, asked: Option<u64>) -> Result<usize> {
    let (free, _) = context.mem_get_info().map_err(|error| failed("asking for memory", error))?;
    Ok(asked.map_or((free as f64 * SHARE_OF_FREE) as usize, |bytes| bytes as usize))
}

/// Planes of gifts that a kernel keeps in memory.
pub fn planes(kernel: Kernel, neighbourhood: Neighbourhood) -> usize {
    match kernel {
        Kernel::Global => neighbourhood.neighbours(),
        Kernel::Fused | Kernel::Shared => 0,
    }
}

/// The whole grid at once if the budget (bytes) allows, else tiles that fit three at a time.
fn plan(
    columns: usize,
    rows: usize,
    layers: usize,
    budget: usize,
    bytes: impl Fn(&VisitPlan) -> usize,
) -> Result<VisitPlan> {
    let whole = VisitPlan::whole(columns, rows);
    if bytes(&whole) <= budget {
        return Ok(whole);
    }
    let mut cells = budget / (FRAMES * (21 + 4 * layers));
    while let Some(plan) = VisitPlan::within(columns, rows, cells) {
        if plan.steps.is_some() && bytes(&plan) <= budget {
            return Ok(plan);
        }
        cells = cells * 15 / 16;
    }
    Err(Error::input(format!(
        "device_memory: {} are too few to hold even small tiles of {columns} x {rows} cells",
        show_bytes(budget as u64)
    ))
    .hint(format!(
        "the whole grid takes {}; give at least a few MiB",
        show_bytes(bytes(&whole) as u64)
    )))
}

/// Rows of a chunk: few enough that every multiprocessor has work, and up to 128, beyond which the
/// rows that neighbouring chunks both read no longer matter.
fn chunk_rows(plan: &VisitPlan, multiprocessors: usize) -> usize {
    let (columns, rows) = plan.largest_frame();
    let wanted = multiprocessors * WARPS_PER_MULTIPROCESSOR;
    let strips = columns.div_ceil(CHUNK_COLUMNS);
    let chunks_per_strip = wanted.div_ceil(strips);
    // A launch has at most 65535 chunks one below the other.
    rows.div_ceil(chunks_per_strip).clamp(4, 128).max(rows.div_ceil(65535))
}
