//! Frames from the canvas and back.

use super::failure::failed;
use super::frame::Frame;
use super::memory::{Block, Corner, Rows, Way, copy_cells};
use crate::backend::StateLayer;
use crate::backend::canvas::Canvas;
use crate::backend::worker::Layer;
use crate::error::Result;
use crate::tiling::plan::Rect;
use crate::tiling::visit::{MARGIN, Visit};

/// Copies a visit's frame from the canvas, in the order of the frame's stream.
pub fn load(frame: &mut Frame, canvas: &Canvas, visit: Visit) -> Result<()> {
    let Visit { frame: held, own } = visit;
    let bring = |array: Rows, first: usize, bytes: usize, area: Rect, block: &Block| {
        let host = Corner { array, column: area.column - first, row: area.row - first };
        // SAFETY: the canvas lives as long as the run, and the frame is as large as any visit's.
        unsafe { copy(frame, Way::In, bytes, host, block, (held.column, held.row), area) }
    };
    let stride = canvas.columns;
    bring(Rows::of(&canvas.bed, stride), 0, 4, held, &frame.bed)?;
    bring(Rows::of(&canvas.water[0], stride), 0, 4, held, &frame.water[0])?;
    // What lies beyond the ghosts is never computed, and must be dry in this array as well.
    frame.water[1].clear(&frame.stream)?;
    for (layer, arrays) in canvas.edges[0].iter().flatten().zip(frame.edges.iter().flatten()) {
        let Some((now, next)) = arrays.split_first() else { continue };
        // What is not kept follows from what is.
        if layer.is_empty() {
            now.clear(&frame.stream)?;
        } else {
            bring(Rows::of(layer, stride), 0, 4, held, now)?;
        }
        next.iter().try_for_each(|next| next.clear(&frame.stream))?;
    }
    if let Some(roughness) = &frame.roughness {
        bring(Rows::of(&canvas.roughness, stride), 0, 4, held, roughness)?;
    }
    bring(Rows::of(&canvas.flags, stride), 0, 1, held, &frame.flags)?;
    bring(Rows::of(&canvas.most, stride), 0, 4, own, &frame.most)?;
    bring(Rows::of(&canvas.arrival, stride), 0, 4, own, &frame.arrival)?;
    for (plane, block) in canvas.planes[0].iter().zip(&frame.planes) {
        bring(Rows::of(plane, stride), 0, 4, held, block)?;
    }
    // Shares and zones have no margin.
    let (columns, rows) = (canvas.columns - 2 * MARGIN, canvas.rows - 2 * MARGIN);
    let grid = held.within(Rect { column: MARGIN, row: MARGIN, columns, rows });
    for (shares, block) in canvas.shares.iter().zip(&frame.shares) {
        if let Some(block) = block {
            bring(Rows::of(shares, columns), MARGIN, 4, grid, block)?;
        }
    }
    for (zones, block) in canvas.zones.iter().zip(&frame.zones) {
        bring(Rows::of(&zones.of, columns), MARGIN, 4, grid, block)?;
    }
    Ok(())
}

/// Copies a visit's own cells to the canvas, the water and the edges' flow to their second arrays, in the
/// stream's order.
pub fn store(frame: &Frame, canvas: &mut Canvas, visit: Visit) -> Result<()> {
    let Visit { frame: held, own } = visit;
    let stride = canvas.columns;
    let mut arrays = vec![
        (Rows::of_mut(&mut canvas.water[1], stride), &frame.water[0]),
        (Rows::of_mut(&mut canvas.most, stride), &frame.most),
        (Rows::of_mut(&mut canvas.arrival, stride), &frame.arrival),
    ];
    let edges = canvas.edges[1].iter_mut().flatten().zip(frame.edges.iter().flatten());
    for (layer, blocks) in edges.filter(|(layer, _)| !layer.is_empty()) {
        arrays.push((Rows::of_mut(layer, stride), &blocks[0]));
    }
    for (number, block) in frame.planes.iter().enumerate() {
        arrays.push((Rows::of_mut(canvas.plane_to(number), stride), block));
    }
    for (array, block) in arrays {
        let host = Corner { array, column: own.column, row: own.row };
        // SAFETY: the canvas lives as long as the run; a visit's own cells are no other's.
        unsafe { copy(frame, Way::Out, 4, host, block, (held.column, held.row), own)? };
    }
    Ok(())
}

/// Reads an area of a frame that holds the whole canvas, and waits for it; `halted` is as for
/// [`Frame::water_now`].
pub fn read(
    frame: &Frame,
    layer: Layer,
    halted: Option<u64>,
    area: Rect,
    to: &mut [u32],
) -> Result<()> {
    let block = match layer {
        Layer::Grains(StateLayer::Water) => frame.water_now(halted),
        Layer::Grains(StateLayer::MaxWater) => &frame.most,
        Layer::Arrival => &frame.arrival,
        Layer::Plane(number) => &frame.planes[number],
        Layer::Edges(field, axis) => frame.edges_now(field, axis, halted),
    };
    assert!(to.len() >= area.cells());
    let host = Corner { array: Rows::of_mut(to, area.columns), column: 0, row: 0 };
    // SAFETY: there is room for the area, and it is waited for.
    unsafe { copy(frame, Way::Out, 4, host, block, (0, 0), area)? };
    frame.stream.synchronize().map_err(|error| failed("reading results", error))
}

/// Copies an area of the canvas between a host array and an array of a frame whose first cell is the
/// canvas's `first` (column, row).
///
/// # Safety
/// As for [`copy_cells`].
unsafe fn copy(
    frame: &Frame,
    way: Way,
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
    // SAFETY: as the caller says.
    unsafe { copy_cells(&frame.stream, way, bytes, host, device, size) }
}
