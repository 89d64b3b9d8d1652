//! Parallel reading of GeoTIFFs, with one handle per thread, because decompressing their tiles
//! dominates the time.

use super::{RasterFile, Undeclared, WINDOW_CELLS};
use crate::error::Result;
use crate::input::gdal_access::gdal_log;
use rayon::prelude::*;

/// Approximate and maximum number of cells read at a time by all threads together; the maximum is
/// larger because a row of tiles may be.
const CELLS: usize = 1 << 23;
const MOST_CELLS: usize = 1 << 26;

/// Handle on a raster, and the part of some rows that it reads, whole tiles: first column and row,
/// relative to the first of the rows, and the number of both.
pub struct RasterReader {
    file: RasterFile,
    /// Values of the last read.
    values: Vec<f64>,
    column: usize,
    columns: usize,
    row: usize,
    rows: usize,
}

/// Divides a side into at most `most` parts of whole blocks: start and length of each.
fn cut(length: usize, block: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let step = length.div_ceil(block).div_ceil(most.max(1)) * block;
    (0..length).step_by(step).map(move |first| (first, step.min(length - first)))
}

/// Returns `true` if several threads read a raster faster than one.
fn is_shared_out(file: &RasterFile) -> bool {
    let cells = file.columns.saturating_mul(file.rows);
    let is_local = !file.path.to_string_lossy().starts_with("/vsi");
    let is_tiff = is_local && file.dataset.driver().short_name() == "GTiff";
    rayon::current_num_threads() > 1 && cells > 2 * WINDOW_CELLS && is_tiff
}

/// Returns columns and rows of the blocks in which a band is stored.
fn block(file: &RasterFile) -> (usize, usize) {
    let size = file.dataset.rasterband(file.band).map_or((1, 1), |band| band.block_size());
    (size.0.clamp(1, file.columns), size.1.clamp(1, file.rows))
}

/// Returns the number of rows that hold about `cells` cells in whole blocks.
pub fn whole_blocks(file: &RasterFile, cells: usize) -> usize {
    let height = block(file).1;
    (cells / file.columns / height).max(1).saturating_mul(height).min(file.rows)
}

/// Returns the number of rows of a raster to read at a time.
pub fn step(file: &RasterFile) -> usize {
    let blocks = whole_blocks(file, CELLS);
    match is_shared_out(file) && blocks.saturating_mul(file.columns) <= MOST_CELLS {
        true => blocks,
        false => (WINDOW_CELLS / file.columns).clamp(1, file.rows),
    }
}

/// Opens handles to read `step` rows of a raster at a time, if several threads read it faster;
/// none of them reads a part of another.
pub fn readers(file: &RasterFile, step: usize) -> Vec<RasterReader> {
    let threads = rayon::current_num_threads();
    let (width, height) = block(file);
    if !is_shared_out(file) || (!step.is_multiple_of(height) && step < file.rows) {
        return Vec::new();
    }
    let across = file.columns.div_ceil(width).min(threads);
    let down = threads.div_ceil(across);
    let places = cut(step, height, down)
        .flat_map(|rows| cut(file.columns, width, across).map(move |columns| (rows, columns)));
    let part = |((row, rows), (column, columns))| {
        let file = file.again()?;
        Some(RasterReader { file, values: Vec::new(), column, columns, row, rows })
    };
    // If more handles cannot be opened, the raster is read through its own.
    let readers: Option<Vec<RasterReader>> = places.map(part).collect();
    gdal_log::take();
    readers.filter(|readers| readers.len() > 1).unwrap_or_default()
}

/// Reads rows (first, and number) of a raster.
pub fn read(
    file: &RasterFile,
    readers: &mut [RasterReader],
    (first, count): (usize, usize),
    to: &mut [f64],
    undeclared: &mut Undeclared,
) -> Result<()> {
    gdal_log::take();
    let columns = file.columns;
    let read = |reader: &mut RasterReader| {
        let RasterReader { file, values, column, columns, row, rows } = reader;
        let rows = (*rows).min(count.saturating_sub(*row));
        let mut found = Undeclared::default();
        let room = *columns * rows;
        if values.len() < room {
            *values = file.buffer(0.0, room)?;
        }
        values.truncate(room);
        if rows > 0 {
            file.read_part((*column, first + *row), (*columns, rows), values, &mut found)?;
        }
        Ok(found)
    };
    let found: Vec<Result<Undeclared>> = readers.par_iter_mut().map(read).collect();
    for found in found {
        undeclared.add(file, &found?);
    }
    // Without the handles, which threads cannot share.
    let parts = readers.iter().map(|of| (of.column, of.columns, of.row, &of.values));
    let parts: Vec<_> = parts.collect();
    to.par_chunks_mut(columns).enumerate().for_each(|(row, to)| {
        for (column, columns, first, values) in &parts {
            let from = row.checked_sub(*first).map(|row| row * columns);
            if let Some(from) = from.and_then(|from| values.get(from..from + columns)) {
                to[*column..][..*columns].copy_from_slice(from);
            }
        }
    });
    Ok(())
}
