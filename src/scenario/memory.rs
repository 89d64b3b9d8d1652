//! Estimates of the memory that a run needs.

use crate::engine::backend::Problem;
use crate::engine::backend::cpu::bytes_per_cell;
use crate::engine::forcing::{Footprint, RateLayer, Share};
use crate::engine::roughness::Roughness;
use crate::engine::subgrid::layout::PLANES;
use crate::error::Result;
use crate::machine::host_memory;
use crate::machine::ranks;
use std::path::Path;

/// Temporary bytes per cell beside the state: the bed as read, a layer being written.
const BYTES_ON_THE_WAY: usize = 8;
/// Bytes per cell of the whole map on the first of several ranks: the domain mask and temporary
/// arrays.
const WHOLE_BYTES_PER_CELL: usize = 1 + BYTES_ON_THE_WAY;
/// Approximate size of the program, of GDAL and of its buffers (bytes).
const PROGRAM_BYTES: usize = 64 << 20;

/// Minimum bytes per cell of any run: level, water twice, maximum, arrival, domain mask.
const LEAST_BYTES_PER_CELL: usize = 17 + BYTES_ON_THE_WAY;

/// Returns the minimum bytes per cell of this process beside the level as read; on the first of
/// several ranks, for its strip. With tables of `ratio` × `ratio` pixels, the tables are kept
/// twice, as built and as laid out; the result is then per pixel.
pub fn least_bytes_per_cell(ratio: usize) -> usize {
    let tables = if ratio > 1 { size_of::<u32>() * PLANES } else { 0 };
    let (own, ranks) = (LEAST_BYTES_PER_CELL + tables, ranks::count());
    let of_cell = match ranks {
        1 => own,
        many => WHOLE_BYTES_PER_CELL + own / many,
    };
    (of_cell + tables).div_ceil(ratio * ratio)
}

/// Refuses a run that needs more memory than the machine has; `dem` is the path of the DEM, for
/// messages.
pub fn check_fits(problem: &Problem, dem: &Path) -> Result<()> {
    // The first of several ranks holds the whole map's domain mask, and the state of its strip.
    let needed = match ranks::count() {
        1 => memory_bytes(problem) as u64,
        many => first_rank_bytes(problem, many) as u64,
    };
    match host_memory::room() {
        Some(room) if room.bytes < needed => {
            Err(host_memory::too_large(&dem.display().to_string(), &problem.grid, needed))
        }
        _ => Ok(()),
    }
}

/// Returns the bytes of host memory per cell of a rank's strip: the state, and a copy for the start
/// of an epoch.
pub fn strip_bytes_per_cell(problem: &Problem) -> usize {
    bytes_per_cell(problem) + size_of::<u32>() * problem.kept().len()
}

/// Estimates the host memory of the first of several ranks (bytes).
pub fn first_rank_bytes(problem: &Problem, ranks: usize) -> usize {
    // The strip as laid out, the strip as kept, and the copy for the start of an epoch.
    let laid_out = size_of::<u32>() * problem.fields().len();
    let strip = laid_out + strip_bytes_per_cell(problem);
    let cells = problem.grid.cells();
    cells * WHOLE_BYTES_PER_CELL
        + cells.div_ceil(ranks) * strip
        + input_bytes(problem)
        + PROGRAM_BYTES
}

/// Estimates the host memory of a run (bytes).
pub fn memory_bytes(problem: &Problem) -> usize {
    problem.grid.cells() * (bytes_per_cell(problem) + BYTES_ON_THE_WAY)
        + input_bytes(problem)
        + PROGRAM_BYTES
}

/// Returns the size of the input arrays (bytes).
fn input_bytes(problem: &Problem) -> usize {
    let footprint = |layer: &RateLayer| match &layer.footprint {
        Footprint::Everywhere => 0,
        Footprint::Shares(shares) => size_of::<Share>() * shares.len(),
        Footprint::Cells(cells) => size_of::<(usize, Share)>() * cells.len(),
        Footprint::Zones(zoned) => size_of_val(&*zoned.shares),
    };
    let roughness = match &problem.roughness {
        Roughness::Uniform(_) => 0,
        Roughness::Cells(cells) => size_of_val(&**cells),
    };
    let losses = problem
        .losses
        .as_ref()
        .map_or(0, |losses| size_of_val(&*losses.grounds) + size_of_val(&*losses.of_cell));
    let tables = problem.subgrid.as_ref().map_or(0, |tables| tables.bytes());
    roughness
        + losses
        + tables
        + size_of_val(&*problem.initial)
        + problem.forcing.rates.iter().map(footprint).sum::<usize>()
        + problem.forcing.zones().iter().map(|zones| size_of_val(&*zones.of)).sum::<usize>()
        + problem
            .forcing
            .stage_boundaries
            .iter()
            .map(|held| size_of_val(&*held.cells))
            .sum::<usize>()
        + size_of_val(&*problem.forcing.top_up)
        + size_of_val(&*problem.forcing.sinks)
}
