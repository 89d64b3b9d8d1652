//! Placement of a grid in the memory of GPUs: whole in one frame, one strip per GPU, or streaming
//! tiles.

use crate::backend::Problem;
use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::frame::{Arrays, CHUNK_COLUMNS, Shape, can_be_numbered, cell_bytes};
use crate::backend::cuda::listing::Listing;
use crate::backend::cuda::options::CudaOptions;
use crate::backend::linked::plan_for;
use crate::backend::strips::{strips, turn_of};
use crate::backend::tiled::FRAMES;
use crate::error::{Error, Result};
use crate::forcing::Footprint;
use crate::grid::Grid;
use crate::tiling::subdomain::{SubdomainPlan, steps_of};
use crate::units::show_bytes;
use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUdevice_attribute;
use std::sync::Arc;

/// Number of warps that march on a multiprocessor at once, in most kernels.
const MARCHING_WARPS: usize = 16;

/// Default share of the free memory to use.
const SHARE_OF_FREE: f64 = 0.9;

/// Resources of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Device memory that may be used (bytes).
    pub budget: usize,
    /// Number of the GPU's multiprocessors.
    pub multiprocessors: usize,
}

impl Room {
    /// Queries a GPU's current resources; `requested` as in [`budget`].
    pub fn of(context: &CudaContext, requested: Option<u64>) -> Result<Room> {
        context.bind_to_thread().map_err(|error| failed("switching to the GPU", error))?;
        Ok(Room { budget: budget(context, requested)?, multiprocessors: multiprocessors(context)? })
    }

    /// Returns the resources available on each of several GPUs; contexts on the same GPU share it.
    pub fn of_all(contexts: &[Arc<CudaContext>], requested: Option<u64>) -> Result<Room> {
        let mut least = Room { budget: usize::MAX, multiprocessors: usize::MAX };
        for context in contexts {
            let same = |other: &&Arc<CudaContext>| other.ordinal() == context.ordinal();
            let shared = contexts.iter().filter(same).count();
            let room = Room::of(context, requested)?;
            least.budget = least.budget.min(room.budget / shared);
            least.multiprocessors =
                least.multiprocessors.min(room.multiprocessors.div_ceil(shared));
        }
        Ok(least)
    }
}

/// Returns the number of multiprocessors of a GPU.
pub fn multiprocessors(context: &CudaContext) -> Result<usize> {
    let count = context
        .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
        .map_err(|error| failed("reading its number of multiprocessors", error))?;
    Ok(count.max(1) as usize)
}

/// Returns the device memory that may be used (bytes): the requested amount, or most of the free
/// memory.
pub fn budget(context: &CudaContext, requested: Option<u64>) -> Result<usize> {
    let (free, _) =
        context.mem_get_info().map_err(|error| failed("reading its free memory", error))?;
    Ok(requested.map_or((free as f64 * SHARE_OF_FREE) as usize, |bytes| bytes as usize))
}

/// Arrays and chunks of all frames of a run.
#[derive(Clone, Debug)]
pub struct FrameSpec {
    /// Arrays of a frame.
    pub arrays: Arrays,
    /// Number of rows of a chunk.
    pub chunk_rows: usize,
}

/// Frames of a run in a GPU's memory.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Plan of the subdomains.
    pub plan: SubdomainPlan,
    /// Arrays and chunks of the frames.
    pub frames: FrameSpec,
    /// Device memory that the frames use (bytes).
    pub bytes: usize,
    /// Device memory that the grid would need in one frame (bytes).
    pub whole_bytes: usize,
}

impl Layout {
    /// Chooses the layout: the whole grid in one frame, or in strips for several `devices`, if
    /// there is room; otherwise tiles, three of which fit at a time; or the tiles requested in the
    /// options.
    pub fn new(
        problem: &Problem,
        options: &CudaOptions,
        room: Room,
        devices: usize,
    ) -> Result<Layout> {
        let (columns, rows) = (problem.grid.columns, problem.grid.rows);
        let arrays = Arrays::of(problem);
        let timed = problem.solver.info().is_timed();
        let layers = shares_and_zones(problem) + arrays.count();
        let tables = problem.forcing.rates.iter().map(|rate| match &rate.footprint {
            Footprint::Zones(zoned) => size_of_val(&*zoned.shares),
            _ => 0,
        });
        let tables: usize = tables.sum();
        let chunk_rows = |plan: &SubdomainPlan| {
            let least = if timed { LEAST_ROWS_TIMED } else { LEAST_ROWS };
            chunk_rows(plan, room.multiprocessors, least)
        };
        let kept = problem.kept().len();
        let bytes = |plan: &SubdomainPlan| {
            let (columns, rows) = plan.largest_frame();
            let each = plan.subdomains.len().div_ceil(devices);
            let frames = if plan.stays() { 1 } else { FRAMES.min(each) };
            // Strips save the state at the start of an epoch.
            let layers = if plan.spread && timed { layers + kept } else { layers };
            let listing = match &*plan.subdomains {
                [_] if timed => Listing::bytes((columns, rows), room.multiprocessors),
                _ => 0,
            };
            frames * Shape::new(columns, rows, chunk_rows(plan)).bytes(layers) + listing + tables
        };
        let whole = SubdomainPlan::whole(columns, rows);
        let whole_bytes = bytes(&whole);
        let staying = if devices.min(rows) > 1 { strips(problem, devices) } else { whole };
        let plan = match options.tile {
            Some(tile) => named_tiles(problem, tile, room.budget, bytes)?,
            None if fits(&staying, room.budget, bytes) => staying,
            None => tiles(problem, layers, room.budget, bytes)
                .ok_or_else(|| no_room(problem, options, room, whole_bytes))?,
        };
        let frames = FrameSpec { arrays, chunk_rows: chunk_rows(&plan) };
        Ok(Layout { frames, bytes: bytes(&plan), whole_bytes, plan })
    }
}

/// Returns the rows per chunk and the arrays for a strip of a plan. The problem may have no
/// rasters.
///
/// # Errors
/// If there is not enough memory.
pub fn strip(problem: &Problem, room: Room, plan: &SubdomainPlan) -> Result<FrameSpec> {
    let arrays = Arrays::of(problem);
    let least = if problem.solver.info().is_timed() { LEAST_ROWS_TIMED } else { LEAST_ROWS };
    let chunk_rows = chunk_rows(plan, room.multiprocessors, least);
    let bytes = bytes_of_strip(problem, plan, &arrays, chunk_rows);
    if !fits(plan, room.budget, |_| bytes) {
        let (columns, tallest) = plan.largest_frame();
        return Err(Error::input(format!(
            "a strip of {columns} x {tallest} cells takes {}",
            shortage(plan, bytes, room.budget)
        ))
        .hint("start more ranks: the map is divided among them"));
    }
    Ok(FrameSpec { arrays, chunk_rows })
}

/// Returns the device memory that the largest strip of a plan needs (bytes), on any GPU.
pub fn strip_bytes(problem: &Problem, plan: &SubdomainPlan) -> usize {
    bytes_of_strip(problem, plan, &Arrays::of(problem), LEAST_ROWS)
}

fn bytes_of_strip(
    problem: &Problem,
    plan: &SubdomainPlan,
    arrays: &Arrays,
    chunk_rows: usize,
) -> usize {
    let layers = shares_and_zones(problem) + arrays.count();
    // Strips save the state at the start of an epoch.
    let kept = if problem.solver.info().is_timed() { problem.kept().len() } else { 0 };
    let (columns, tallest) = plan.largest_frame();
    Shape::new(columns, tallest, chunk_rows).bytes(layers + kept)
}

/// Counts the arrays of shares and zones of a problem's rates.
fn shares_and_zones(problem: &Problem) -> usize {
    let shares = problem.forcing.rates.iter();
    let shares = shares.filter(|rate| matches!(rate.footprint, Footprint::Shares(_))).count();
    shares + problem.forcing.zones().len()
}

/// Returns `true` if the frames of a plan, which need `bytes`, fit in the memory of a GPU.
fn fits(plan: &SubdomainPlan, budget: usize, bytes: impl Fn(&SubdomainPlan) -> usize) -> bool {
    can_be_numbered(plan.largest_frame()) && bytes(plan) <= budget
}

/// Describes the memory that the frames of a plan need if they do not fit.
fn shortage(plan: &SubdomainPlan, bytes: usize, budget: usize) -> String {
    match can_be_numbered(plan.largest_frame()) {
        true => format!(
            "{} of device memory, and there are {}",
            show_bytes(bytes as u64),
            show_bytes(budget as u64)
        ),
        false => "more than the 32 bits that a GPU numbers cells with".into(),
    }
}

/// Returns the error for a grid of which not even small tiles fit; the whole needs `whole_bytes`.
fn no_room(problem: &Problem, options: &CudaOptions, room: Room, whole_bytes: usize) -> Error {
    let (key, way_out) = match options.memory {
        Some(_) => ("device_memory: ", "give at least a few MiB"),
        None => ("the GPU's free memory: ", "wait until it has room, or compute on the CPU"),
    };
    Error::input(format!(
        "{key}{} are too few to hold even small tiles of {} x {} cells",
        show_bytes(room.budget as u64),
        problem.grid.columns,
        problem.grid.rows
    ))
    .hint(format!("the whole grid takes {}; {way_out}", show_bytes(whole_bytes as u64)))
}

/// Maximum number of streaming tiles: with more, managing them takes longer than computing them.
const MOST_TILES: usize = 1 << 14;

/// Creates a plan of tiles of a requested size.
fn named_tiles(
    problem: &Problem,
    tile: (usize, usize),
    budget: usize,
    bytes: impl Fn(&SubdomainPlan) -> usize,
) -> Result<SubdomainPlan> {
    let Grid { columns, rows, .. } = problem.grid;
    let (across, down) = (columns.div_ceil(tile.0), rows.div_ceil(tile.1));
    if across.saturating_mul(down) > MOST_TILES {
        return Err(Error::input(format!(
            "tile: {} x {} cells make {} tiles, too many to take turns on a GPU",
            tile.0,
            tile.1,
            across.saturating_mul(down)
        ))
        .hint("leave it out, or give tiles of a thousand cells or more on each side"));
    }
    let (timed, reach) = (problem.solver.info().is_timed(), problem.solver.reach());
    let steps = turn_of(steps_of(tile, reach), timed);
    let plan = |most| Some(SubdomainPlan::tiled(columns, rows, tile, steps.min(most), reach));
    let plan = plan_for(&problem.forcing, plan).expect("there are tiles for any number of steps");
    if !fits(&plan, budget, &bytes) {
        return Err(Error::input(format!(
            "tile: {FRAMES} tiles of {} x {} cells take {}",
            tile.0,
            tile.1,
            shortage(&plan, bytes(&plan), budget)
        ))
        .hint("give a smaller tile, or leave it out"));
    }
    Ok(plan)
}

/// Creates a plan of the largest tiles that fit the budget (bytes) three at a time, if any do.
fn tiles(
    problem: &Problem,
    layers: usize,
    budget: usize,
    bytes: impl Fn(&SubdomainPlan) -> usize,
) -> Option<SubdomainPlan> {
    let Grid { columns, rows, .. } = problem.grid;
    let (timed, reach) = (problem.solver.info().is_timed(), problem.solver.reach());
    let mut cells = budget / (FRAMES * cell_bytes(layers));
    let plan = |cells, most| {
        let steps = |fits| turn_of(fits, timed).min(most);
        SubdomainPlan::within(columns, rows, cells, steps, reach)
    };
    while let Some(plan) = plan_for(&problem.forcing, |most| plan(cells, most)) {
        if plan.steps.is_some() && fits(&plan, budget, &bytes) {
            return Some(plan);
        }
        cells = cells * 15 / 16;
    }
    None
}

/// Minimum number of rows per chunk, for automata and for timed solvers, whose chunks read more
/// rows around them.
const LEAST_ROWS: usize = 4;
const LEAST_ROWS_TIMED: usize = 8;

/// Maximum number of rows per chunk: with more, the last warps of a launch end at uneven times.
const MOST_ROWS: usize = 12;

/// Returns the number of rows per chunk: few enough that every multiprocessor has work, and up to
/// [`MOST_ROWS`].
fn chunk_rows(plan: &SubdomainPlan, multiprocessors: usize, least: usize) -> usize {
    let (columns, rows) = plan.largest_frame();
    let wanted = multiprocessors * MARCHING_WARPS;
    let strips = columns.div_ceil(CHUNK_COLUMNS);
    let chunks_per_strip = wanted.div_ceil(strips);
    // A launch has at most 65535 chunks in a column.
    rows.div_ceil(chunks_per_strip).clamp(least, MOST_ROWS).max(rows.div_ceil(65535))
}

/// Returns how many chunks a warp may march down on a frame with chunks (across, down), of whose cells
/// `wet` have water. Rows that neighbouring warps both read matter less in long marches, but a few wet
/// ones leave most of the GPU idle. (`shallow-water` on an H200, G cell-steps/s with marches of 1, 2, 4
/// and 8 chunks: 36.4, 42.2, 45.1 and 44.7 on 8192² wet cells, 38.4, 43.9, 48.0 and 49.6 on 16384²; with
/// 1 % of them wet, in one place, 708, 755, 532 and 330; 631, 1011, 1384 and 976.) Solvers without
/// `momentum` do not gain from eight: 81.7 and 78.4 with `aqua-manning` on 16384² wet cells.
pub(crate) fn longest_march(
    (across, down): (usize, usize),
    chunk_rows: usize,
    multiprocessors: usize,
    wet: u64,
    momentum: bool,
) -> usize {
    // The number of chunks per resident warp, and of those that the water fills.
    let resident = (multiprocessors * MARCHING_WARPS) as f64;
    let all = (across * down) as f64 / resident;
    let wet = wet as f64 / ((CHUNK_COLUMNS * chunk_rows) as f64 * resident);
    // Marches are many, the more so the longer they are, as the last ones end at uneven times; or dry
    // chunks take as much time as the wet marches.
    let pays = |&length: &i32| {
        let length = f64::from(length);
        length.powi(3) <= 8.0 * wet || 10.0 * length.powi(2) <= all
    };
    let lengths = if momentum { &[8, 4, 2][..] } else { &[4, 2] };
    lengths.iter().copied().find(pays).unwrap_or(1) as usize
}

/// Returns how many warps, per column of chunks, march down eight chunks, how many down four, and how
/// many down two, on a frame with chunks (across, down); all others march down one. Towards the end of a
/// launch marches get shorter, so that all warps end at about the same time: of the shorter lengths there are
/// as many as the GPU computes at once, or half as many more, and of the longest the rest.
pub(crate) fn marches(
    (across, down): (usize, usize),
    multiprocessors: usize,
    longest: usize,
) -> [usize; 3] {
    let at_once = (multiprocessors * MARCHING_WARPS).div_ceil(across);
    let mut left = down;
    [(8, 8), (4, 4), (2, 1)].map(|(length, kept)| {
        let count = if length > longest { 0 } else { left.saturating_sub(kept * at_once) / length };
        left -= length * count;
        count
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbourhood::Neighbourhood;
    use crate::problem::tests::plain;

    fn layout(size: usize, budget: usize, options: CudaOptions) -> Result<Layout> {
        let problem = plain(size);
        Layout::new(&problem, &options, Room { budget, multiprocessors: 132 }, 1)
    }

    #[test]
    fn marches_get_shorter_towards_the_end_of_a_launch() {
        assert_eq!(marches((18, 114), 0, 8), [14, 0, 1]);
        assert_eq!(marches((18, 114), 132, 8), [0, 0, 0]);
        assert_eq!(marches((35, 171), 132, 8), [0, 0, 55]);
        for (across, down) in [(69, 342), (137, 683), (1667, 8334), (3, 1)] {
            let [eights, fours, twos] = marches((across, down), 132, 8);
            let ones = down - 8 * eights - 4 * fours - 2 * twos;
            let resident = 132 * MARCHING_WARPS;
            assert!(across * ones >= resident.min(across * down), "{across} x {down}: {ones}");
            assert!(fours == 0 || across * (ones + 2 * twos) >= 4 * resident);
            assert!(eights == 0 || across * (ones + 2 * twos + 4 * fours) >= 8 * resident);
            assert_eq!(marches((across, down), 132, 1), [0; 3]);
        }
    }

    #[test]
    fn marches_are_long_if_many_cells_are_wet() {
        let longest = |size: usize, wet, momentum| {
            longest_march((size.div_ceil(CHUNK_COLUMNS), size.div_ceil(12)), 12, 132, wet, momentum)
        };
        for (size, dry, wet) in
            [(1024, 1, 1), (2048, 1, 2), (4096, 1, 4), (8192, 2, 4), (16384, 4, 8)]
        {
            let cells = (size * size) as u64;
            let of = |wet| longest(size, wet, true);
            assert_eq!([0, cells / 100, cells, u64::MAX].map(of), [dry, dry, wet, 8]);
        }
        assert_eq!(longest(16384, u64::MAX, false), 4);
    }

    #[test]
    fn a_grid_lies_there_whole_if_it_can_and_else_in_tiles_within_the_budget() {
        let plain = CudaOptions::default();
        let whole = layout(500, 1 << 40, plain).unwrap();
        assert_eq!((whole.plan.steps, whole.bytes), (None, whole.whole_bytes));
        assert_eq!(layout(500, whole.bytes, plain).unwrap().plan.steps, None);
        let mut before = 1;
        for part in 2..20 {
            let budget = whole.bytes / part;
            let layout = layout(500, budget, plain).unwrap();
            assert!(layout.bytes <= budget && layout.whole_bytes == whole.bytes);
            assert!(layout.plan.steps.is_some());
            // Frames and tiles are padded, so that slightly less memory may do with a few tiles
            // fewer.
            let now = layout.plan.subdomains.len();
            assert!(5 * now >= 4 * before, "{before} tiles, {now} with less memory");
            before = now;
        }
        let error = layout(500, 1000, plain).unwrap_err();
        assert!(error.what.contains("too few to hold even small tiles"), "{error}");
        assert!(error.hint.is_some_and(|hint| hint.contains("the whole grid takes 5.")));
    }

    #[test]
    fn frames_whose_cells_cannot_be_numbered_do_not_fit_however_much_memory_there_is() {
        let fits = |side| fits(&SubdomainPlan::whole(side, side), usize::MAX, |_| 1);
        assert!(fits(65_000) && !fits(66_000));
    }

    #[test]
    fn tiles_that_are_named_are_taken_even_if_the_grid_would_fit() {
        let named = CudaOptions { tile: Some((100, 50)), ..CudaOptions::default() };
        let layout = layout(500, 1 << 40, named).unwrap();
        assert_eq!((layout.plan.subdomains.len(), layout.plan.steps), (50, Some(1)));
    }

    #[test]
    fn the_list_of_chunks_of_a_timed_solver_is_counted() {
        let solver = crate::solver::inertial::INFO.solver(Neighbourhood::VonNeumann, None);
        let problem = Problem { solver, ..plain(500) };
        let within = |budget: usize| {
            let room = Room { budget, multiprocessors: 132 };
            Layout::new(&problem, &CudaOptions::default(), room, 1).unwrap()
        };
        let whole = within(1 << 40);
        let (columns, rows) = whole.plan.largest_frame();
        let arrays =
            Shape::new(columns, rows, whole.frames.chunk_rows).bytes(whole.frames.arrays.count());
        let list = whole.bytes - arrays;
        // Two entries, two depths and two flags per chunk of 28 x 8 cells.
        assert!(list > columns * rows / 12 && list < columns * rows / 4, "{list} bytes");
        assert!(within(arrays).plan.steps.is_some(), "there is no room for the list");
    }
}
