//! What kernels are told of a frame.

use super::clock::DeviceClock;
use super::frame::{CHUNK_COLUMNS, Frame};
use super::params::{Area, Params};
use super::worker::CudaWorker;
use crate::rule::edge::EdgeField;
use crate::tiling::plan::Rect;
use crate::tiling::visit::Visit;

impl CudaWorker {
    /// What kernels are told, but for the step's own constants; `way` says which of the double arrays is
    /// now.
    pub(super) fn params(&self, frame: &Frame, visit: usize, computed: Rect, way: usize) -> Params {
        let Visit { frame: held, own } = self.visits[visit];
        let edges = |field: EdgeField, axis: usize, way: usize| {
            let arrays = &frame.edges[field as usize][axis];
            if arrays.is_empty() { 0 } else { frame.origin(&arrays[way % arrays.len()], 4) }
        };
        let discharge = |axis, way| edges(EdgeField::Discharge, axis, way);
        let velocity = |axis, way| edges(EdgeField::Velocity, axis, way);
        Params {
            bed: frame.origin(&frame.bed, 4),
            water: frame.origin(&frame.water[way], 4),
            next: frame.origin(&frame.water[1 - way], 4),
            east: discharge(0, way),
            south: discharge(1, way),
            next_east: discharge(0, 1 - way),
            next_south: discharge(1, 1 - way),
            u_east: velocity(0, way),
            u_south: velocity(1, way),
            next_u_east: velocity(0, 1 - way),
            next_u_south: velocity(1, 1 - way),
            reach: self.reach,
            columns: held.columns as i32,
            first_column: held.column as i32,
            first_row: held.row as i32,
            ports: self.ports.address(),
            counted: area(own.within(self.grid), held),
            roughness: frame.roughness.as_ref().map_or(0, |layer| frame.origin(layer, 4)),
            rate: self.clock.as_ref().map_or(0, DeviceClock::rate),
            metres: self.grain.metres(),
            per_metre: self.grain.per_metre(),
            inverse_dx: self.inverse[0],
            inverse_dy: self.inverse[1],
            all_roughness: self.all_roughness,
            rained: self.notes.rained(frame),
            most: frame.origin(&frame.most, 4),
            arrival: frame.origin(&frame.arrival, 4),
            flags: frame.origin(&frame.flags, 1),
            gifts: frame.gifts.as_ref().map_or(0, |gifts| frame.origin(gifts, 4)),
            deepest: frame.deepest[way].address,
            deepest_next: frame.deepest[1 - way].address,
            special: frame.special.address,
            totals: self.totals_of(visit),
            plane: frame.shape.cells as u64,
            stride: frame.shape.stride as i32,
            chunks_across: held.columns.div_ceil(CHUNK_COLUMNS) as i32,
            chunks_down: held.rows.div_ceil(self.chunk_rows) as i32,
            chunk_rows: self.chunk_rows as i32,
            computed: area(computed, held),
            own: area(own, held),
            bed_step: self.rounding.bed_step,
            calm: self.rounding.calm,
            threshold: self.threshold,
            rule: self.rule,
            ..Params::default()
        }
    }
}

/// A rectangle of the canvas in a frame's own coordinates.
fn area(rect: Rect, frame: Rect) -> Area {
    let column = rect.column as i32 - frame.column as i32;
    let row = rect.row as i32 - frame.row as i32;
    Area { column, row, end_column: column + rect.columns as i32, end_row: row + rect.rows as i32 }
}
