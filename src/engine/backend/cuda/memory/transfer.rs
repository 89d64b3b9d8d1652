//! Transfers frames from the padded grid and back.

use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::frame::Frame;
use crate::backend::cuda::memory::pinned_staging::PinnedStaging;
use crate::backend::cuda::memory::{Block, CopyDirection, Corner, Rows, copy_cells};
use crate::backend::padded_grid::PaddedGrid;
use crate::error::Result;
use crate::field::Field;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, Subdomain};

/// Copies a subdomain's frame from the padded grid, in the order of the frame's stream.
pub fn load(frame: &mut Frame, padded_grid: &PaddedGrid, subdomain: Subdomain) -> Result<()> {
    let Subdomain { extent, own } = subdomain;
    let bring = |array: Rows, first: usize, bytes: usize, area: Rect, block: &Block| {
        let host = Corner { array, column: area.column - first, row: area.row - first };
        // SAFETY: the padded grid lives as long as the run, and the frame has room for every
        // subdomain. The stream orders the copy before the kernels that read the frame.
        unsafe {
            copy(frame, CopyDirection::In, bytes, host, block, (extent.column, extent.row), area)
        }
    };
    let stride = padded_grid.columns;
    bring(Rows::of(&padded_grid.flags, stride), 0, 1, extent, &frame.flags)?;
    for (field, blocks) in &frame.fields {
        if let Some(cells) = padded_grid.find(*field) {
            let area = if padded_grid.is_diagnostic(*field) { own } else { extent };
            bring(Rows::of(cells, stride), 0, 4, area, &blocks[0])?;
        }
    }
    // Shares and zones have no margin.
    let (columns, rows) = (padded_grid.columns - 2 * MARGIN, padded_grid.rows - 2 * MARGIN);
    let grid = extent.within(Rect { column: MARGIN, row: MARGIN, columns, rows });
    for (shares, block) in padded_grid.shares.iter().zip(&frame.shares) {
        if let Some(block) = block {
            bring(Rows::of(shares, columns), MARGIN, 4, grid, block)?;
        }
    }
    for (zones, block) in padded_grid.zones.iter().zip(&frame.zones) {
        bring(Rows::of(&zones.of, columns), MARGIN, 4, grid, block)?;
    }
    // Clear last: clearing waits for what other frames compute, and later copies would have to wait
    // for it.
    for (field, blocks) in &frame.fields {
        // Fields that are not kept follow from those that are. Cells beyond the ghosts are never
        // computed, and must be dry in the second array as well.
        let kept = usize::from(padded_grid.find(*field).is_some());
        blocks[kept..].iter().try_for_each(|block| block.clear(&frame.stream))?;
    }
    Ok(())
}

/// Copies a subdomain's own cells to the padded grid, in the stream's order: the state goes to the
/// second buffers.
pub fn store(frame: &Frame, padded_grid: &mut PaddedGrid, subdomain: Subdomain) -> Result<()> {
    let Subdomain { extent, own } = subdomain;
    let stride = padded_grid.columns;
    for (field, blocks) in &frame.fields {
        let Some(cells) = padded_grid.to(*field) else { continue };
        let array = Rows::of_mut(cells, stride);
        let host = Corner { array, column: own.column, row: own.row };
        // SAFETY: the padded grid lives as long as the run, and no two subdomains own the same
        // cell, so copies from several frames do not overlap.
        unsafe {
            copy(frame, CopyDirection::Out, 4, host, &blocks[0], (extent.column, extent.row), own)?
        };
    }
    Ok(())
}

/// Reads an area (padded grid) of a field of a frame that holds the cells `extent`, through a
/// staging buffer, and waits; `halted` is as for [`Frame::now`].
pub fn read(
    frame: &Frame,
    extent: Rect,
    field: Field,
    halted: Option<u64>,
    area: Rect,
    staging: &mut PinnedStaging,
    to: &mut [u32],
) -> Result<()> {
    let block = frame.now(field, halted);
    let device = Corner {
        array: frame.rows(block, 4),
        column: area.column - extent.column,
        row: area.row - extent.row,
    };
    // SAFETY: the caller passes an area within the `extent` of the frame, whose blocks live
    // as long as it.
    unsafe { staging.read(&frame.stream, device, (area.columns, area.rows), to) }
}

/// Writes an area (padded grid) of a field of a frame, and waits; parameters as for [`read`].
pub fn write(
    frame: &Frame,
    extent: Rect,
    field: Field,
    halted: Option<u64>,
    area: Rect,
    from: &[u32],
) -> Result<()> {
    let block = frame.now(field, halted);
    assert!(from.len() >= area.cells());
    let host = Corner { array: Rows::of(from, area.columns), column: 0, row: 0 };
    // SAFETY: the assertion guarantees that `from` holds the area, which the caller keeps within
    // `extent`. `from` stays borrowed until the stream is synchronized.
    unsafe { copy(frame, CopyDirection::In, 4, host, block, (extent.column, extent.row), area)? };
    frame.stream.synchronize().map_err(|error| failed("copying to the device", error))
}

/// Copies an area of the padded grid between a host array and an array of a frame whose first cell
/// is the padded grid's `first` (column, row).
///
/// # Safety
/// As for [`copy_cells`].
unsafe fn copy(
    frame: &Frame,
    way: CopyDirection,
    bytes: usize,
    host: Corner,
    block: &Block,
    first: (usize, usize),
    area: Rect,
) -> Result<()> {
    let device = Corner {
        array: frame.rows(block, bytes),
        column: area.column - first.0,
        row: area.row - first.1,
    };
    let size = (area.columns, area.rows);
    // SAFETY: the caller guarantees what [`copy_cells`] requires of both rectangles.
    unsafe { copy_cells(&frame.stream, way, bytes, host, device, size) }
}
