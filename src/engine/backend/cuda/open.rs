//! A GPU as a backend: the way there.

use super::failure::failed;
use super::layout::{Layout, Room};
use super::program::{Choice, Program};
use super::source::Edges;
use super::worker::{CudaWorker, Job, JobTime};
use crate::backend::Problem;
use crate::backend::canvas::{Canvas, INSIDE};
use crate::backend::framed::Framed;
use crate::backend::saved::Resumed;
use crate::backend::worker::VisitForcing;
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::Links;
use crate::forcing::timeline::Timeline;
use crate::gauged::Gauges;
use crate::roughness::Roughness;
use crate::tiling::visit::MARGIN;
use cudarc::driver::CudaContext;

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
pub fn open(problem: Problem, options: &CudaOptions) -> Result<Framed<CudaWorker>> {
    open_from(problem, options, None)
}

/// Sets up a problem on a GPU, with a saved state in the place of its water at the start if there is one.
pub fn open_from(
    mut problem: Problem,
    options: &CudaOptions,
    saved: Option<Resumed>,
) -> Result<Framed<CudaWorker>> {
    let context =
        CudaContext::new(options.gpu).map_err(|error| failed("opening the GPU", error))?;
    // Everything about a frame happens in its own stream; there is nothing to keep track of.
    // SAFETY: frames are not shared between streams.
    unsafe { context.disable_event_tracking() };
    let name = context.name().map_err(|error| failed("asking for its name", error))?;
    let room = Room::of(&context, options.memory)?;
    let Layout { plan, chunk_rows, arrays, .. } = Layout::new(&problem, options, room)?;
    let info = problem.rule.info();
    let near = problem.neighbourhood;
    let keeps = problem.asks_flow() && !info.has_momentum();
    let edges = Edges { rough: arrays.has(Field::Roughness), keeps };
    let program = Program::new(&context, options.choice, info, near, edges)?;
    let timeline = Timeline::of(&problem.forcing, problem.grain, &problem.bed);
    let mut links = Links::new(&problem.forcing.links, &problem.grid, &problem.bed, problem.grain);
    let mut gauges = Gauges::new(&problem.gauges);
    let inverse = problem.grid.inverse_cell();
    let columns = problem.grid.columns;
    if saved.is_some() {
        problem.initial = Vec::new();
    }
    let mut canvas = Canvas::new(&mut problem);
    if let Some(saved) = saved {
        links.states.clone_from(&saved.links);
        gauges.states.clone_from(&saved.gauges);
        canvas.restore(&problem, saved)?;
    }
    // It is all on the canvas now.
    (problem.bed.levels, problem.initial) = (Vec::new(), Vec::new());
    let inside = |cell: usize| {
        let (column, row) = (cell % columns + MARGIN, cell / columns + MARGIN);
        canvas.flags[row * canvas.columns + column] & INSIDE != 0
    };
    let forcing: Vec<VisitForcing> = plan
        .visits
        .iter()
        .map(|visit| VisitForcing::of(&problem.forcing, visit, columns, inside))
        .collect();
    let everywhere = problem.forcing.comes_everywhere();
    let job = Job {
        visits: &plan.visits,
        forcing: &forcing,
        rates: &problem.forcing,
        grain: problem.grain,
        neighbourhood: problem.neighbourhood,
        threshold: problem.arrival,
        rule: problem.rule.parameters(),
        chunk_rows,
        arrays: &arrays,
        links: (plan.steps.is_none() && !links.is_empty()).then_some((&links, columns)),
        gauges: &gauges,
        ports: &canvas.ports,
        timed: info.is_timed().then_some(JobTime {
            timeline: &timeline,
            inverse,
            roughness: match problem.roughness {
                Roughness::Uniform(n) => n,
                Roughness::Cells(_) => 0.0,
            },
        }),
    };
    let described = format!("{name} (cuda:{}), kernel {}", options.gpu, options.choice.kernel);
    let worker = CudaWorker::new(context, program, &job, &problem, described)?;
    let framed =
        Framed::new(worker, plan, canvas, &forcing, everywhere, timeline, info.is_timed())?;
    Ok(framed.linked(links))
}
