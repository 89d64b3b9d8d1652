//! Halo copies between frames on several devices.

use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::frame::Frame;
use crate::backend::cuda::memory::{copy_between_devices, copy_from, copy_to};
use crate::error::Result;
use crate::field::Field;
use crate::tiling::rect::Rect;

/// Copies some fields in the cells of `area` (padded grid) from one frame to another, given the
/// cells that each holds, in the order of the destination's stream.
pub fn receive_halo(
    to: &mut Frame,
    to_held: Rect,
    from: &Frame,
    from_held: Rect,
    fields: &[Field],
    area: Rect,
) -> Result<()> {
    let bytes = |frame: &Frame, held: Rect, row: usize| {
        (((row - held.row) * frame.shape.stride + area.column - held.column) * 4) as u64
    };
    for &field in fields {
        let [here, there] = [(&*to, to_held), (from, from_held)]
            .map(|(frame, held)| frame.address(field, 0) + bytes(frame, held, area.row));
        // SAFETY: the area is within both frames, and the source frame has no work in progress.
        unsafe {
            copy_between_devices(
                (&to.stream, here, to.shape.stride * 4),
                (&from.stream, there, from.shape.stride * 4),
                (area.columns * 4, area.rows),
            )?;
        }
    }
    Ok(())
}

/// Adds grains to the water in a cell of a frame, in the given chunk; returns the new amount. Waits
/// for it.
pub fn add_water(
    frame: &mut Frame,
    (column, row): (usize, usize),
    chunk: usize,
    by: i32,
) -> Result<i32> {
    let stride = frame.shape.stride;
    let cell = frame.address(Field::Water, 0) + ((row * stride + column) * 4) as u64;
    let read = |at: u64| -> Result<i32> {
        // SAFETY: `at` is the address of a cell of the frame, in one of its blocks.
        let [bits] = unsafe { copy_from::<i32, 1>(&frame.stream, at)? };
        Ok(bits)
    };
    let write = |at: u64, number: i32| {
        // SAFETY: `at` is the address of a cell of the frame, and the stream orders the write with
        // all work on the frame.
        unsafe { copy_to(&frame.stream, at, &[number]) }
    };
    let water = read(cell)? + by;
    if by != 0 {
        write(cell, water)?;
        let deepest = frame.deepest[0].address + (chunk * 4) as u64;
        let before = read(deepest)?;
        write(deepest, before.max(water))?;
    }
    frame.stream.synchronize().map_err(|error| failed("moving water through links", error))?;
    Ok(water)
}
