//! Memory of a frame on the CPU: its fields, and their transfer from and to the padded grid.

use super::tiles::{Tile, Tiles};
use super::window::PADDING;
use crate::arrays::zeros;
use crate::backend::padded_grid::PaddedGrid;
use crate::field::{Field, FieldRole, Word, words, words_mut};
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::Subdomain;
use rayon::prelude::*;
use std::sync::Arc;

/// A field of a frame (bits).
pub struct Plane {
    /// Field stored in the array.
    pub field: Field,
    /// Role of the field in the run.
    pub role: FieldRole,
    /// Current values of the field (bits).
    pub now: Vec<u32>,
    /// Values after the step, if they are computed from the current ones; else empty.
    pub next: Vec<u32>,
}

/// A frame: fields of a rectangle of the padded grid, row-major. The arrays extend beyond both ends
/// so that the last lanes, and accesses around the first and last cells, stay within them.
#[derive(Default)]
pub struct CpuFrame {
    /// The subdomain that it holds.
    pub subdomain: Subdomain,
    /// Number of elements before the frame's first cell.
    pub lead: usize,
    /// Flags of the padded grid's cells, and the number of its columns.
    pub flags: Arc<Vec<u8>>,
    pub padded_columns: usize,
    /// Arrays of the fields.
    pub planes: Vec<Plane>,
    /// Cells through which water leaves, by their index in the frame, ascending.
    pub intakes: Vec<usize>,
    /// Division of the frame into tiles.
    pub tiles: Tiles,
    /// Saved state for a rollback, field by field.
    saved: Vec<Vec<u32>>,
}

impl CpuFrame {
    /// Returns the distance from one row to the next.
    pub fn stride(&self) -> usize {
        self.subdomain.extent.columns
    }

    /// Returns the index in the arrays of a cell of the frame.
    pub fn place(&self, column: usize, row: usize) -> usize {
        self.lead + row * self.stride() + column
    }

    /// Returns the index in the arrays of a cell of the padded grid.
    pub fn place_of(&self, (column, row): (usize, usize)) -> usize {
        let Rect { column: first, row: top, .. } = self.subdomain.extent;
        self.place(column - first, row - top)
    }

    /// Converts a rectangle of the padded grid to one of the frame.
    pub fn within(&self, cells: Rect) -> Rect {
        let Rect { column, row, .. } = self.subdomain.extent;
        Rect { column: cells.column - column, row: cells.row - row, ..cells }
    }

    /// Returns the current values of a field, if present.
    pub fn find<T: Word>(&self, field: Field) -> Option<&[T]> {
        let plane = self.planes.iter().find(|plane| plane.field == field)?;
        Some(words(&plane.now))
    }

    /// Returns the current values of a field.
    ///
    /// # Panics
    /// If the frame does not have the field.
    pub fn of<T: Word>(&self, field: Field) -> &[T] {
        self.find(field).expect("a field of the frame")
    }

    /// Returns the current values of a field, mutably.
    pub(crate) fn find_mut<T: Word>(&mut self, field: Field) -> Option<&mut [T]> {
        let plane = self.planes.iter_mut().find(|plane| plane.field == field)?;
        Some(words_mut(&mut plane.now))
    }

    /// Returns `true` if cells have subgrid tables.
    pub fn has_tables(&self) -> bool {
        self.planes.iter().any(|plane| plane.field == Field::Level)
    }

    /// Swaps the two buffers of some fields, so that the values after the step become current.
    pub fn swap(&mut self, which: impl Fn(Field) -> bool) {
        for plane in self.planes.iter_mut().filter(|plane| which(plane.field)) {
            if !plane.next.is_empty() {
                std::mem::swap(&mut plane.now, &mut plane.next);
            }
        }
    }

    /// Adopts the arrays of a padded grid for a frame that holds all of it. `planes` lists every
    /// field, its role, and whether it has two buffers.
    pub(crate) fn adopt(
        padded_grid: &mut PaddedGrid,
        subdomain: Subdomain,
        planes: &[(Field, FieldRole, bool)],
    ) -> CpuFrame {
        let cells = padded_grid.columns * padded_grid.rows;
        let plane = |&(field, role, doubled): &(Field, FieldRole, bool)| {
            // Scratch fields are not on the padded grid.
            let mut now = padded_grid.give_away(field).unwrap_or_else(|| zeros(cells + PADDING));
            now.resize(cells + PADDING, 0);
            let next = if doubled { zeros(cells + PADDING) } else { Vec::new() };
            Plane { field, role, now, next }
        };
        CpuFrame {
            subdomain,
            lead: 0,
            planes: planes.iter().map(plane).collect(),
            flags: padded_grid.flags.clone(),
            padded_columns: padded_grid.columns,
            ..CpuFrame::default()
        }
    }

    /// Allocates frames of up to `columns` × `rows` cells.
    pub fn new(columns: usize, rows: usize, planes: &[(Field, FieldRole, bool)]) -> CpuFrame {
        // One row and a bit beyond the first and the last.
        let cells = columns * (rows + 4) + 2 * PADDING;
        let plane = |&(field, role, doubled): &(Field, FieldRole, bool)| Plane {
            field,
            role,
            now: zeros(cells),
            next: if doubled { zeros(cells) } else { Vec::new() },
        };
        let planes = planes.iter().map(plane).collect();
        CpuFrame { planes, ..CpuFrame::default() }
    }

    /// Copies a subdomain's frame from the padded grid.
    pub fn load(&mut self, padded_grid: &PaddedGrid, subdomain: Subdomain) {
        let Rect { column, row, columns, rows } = subdomain.extent;
        self.subdomain = subdomain;
        self.lead = 2 * columns + PADDING;
        (self.flags, self.padded_columns) = (padded_grid.flags.clone(), padded_grid.columns);
        let lead = self.lead;
        for plane in &mut self.planes {
            plane.next.par_chunks_mut(PIECE).for_each(|next| next.fill(0));
            let Some(from) = padded_grid.find(plane.field) else {
                plane.now.fill(0);
                continue;
            };
            let to = plane.now[lead..lead + rows * columns].par_chunks_mut(columns);
            to.enumerate().for_each(|(line, to)| {
                let start = (row + line) * padded_grid.columns + column;
                to.copy_from_slice(&from[start..start + columns]);
            });
        }
    }

    /// Copies the subdomain's own cells to the padded grid.
    pub fn store(&self, padded_grid: &mut PaddedGrid) {
        let (own, width) = (self.subdomain.own, padded_grid.columns);
        for plane in &self.planes {
            let Some(to) = padded_grid.to(plane.field) else { continue };
            for row in own.row..own.row + own.rows {
                let from = self.place_of((own.column, row));
                let to = &mut to[row * width + own.column..][..own.columns];
                to.copy_from_slice(&plane.now[from..from + own.columns]);
            }
        }
    }

    /// Copies the state in some cells of the padded grid from another frame.
    pub fn receive_halo(&mut self, from: &CpuFrame, area: Rect) {
        let lead = (self.place_of((area.column, area.row)), self.stride());
        for plane in self.planes.iter_mut().filter(|plane| plane.role == FieldRole::State) {
            let other = from.of::<u32>(plane.field);
            for row in 0..area.rows {
                let start = from.place_of((area.column, area.row + row));
                let to = lead.0 + row * lead.1;
                plane.now[to..to + area.columns]
                    .copy_from_slice(&other[start..start + area.columns]);
            }
        }
    }

    /// Reads some cells of the padded grid.
    pub fn read(&self, field: Field, area: Rect, to: &mut [u32]) {
        let plane: &[u32] = self.of(field);
        let copy = |(row, to): (usize, &mut [u32])| {
            let start = self.place_of((area.column, area.row + row));
            to.copy_from_slice(&plane[start..start + area.columns]);
        };
        to.par_chunks_exact_mut(area.columns).enumerate().for_each(copy);
    }

    /// Writes some cells of the padded grid.
    pub fn write(&mut self, field: Field, area: Rect, from: &[u32]) {
        let (first, stride) = (self.place_of((area.column, area.row)), self.stride());
        let plane = self.find_mut::<u32>(field).expect("a field of the frame");
        for (row, from) in from.chunks_exact(area.columns).enumerate() {
            let start = first + row * stride;
            plane[start..start + area.columns].copy_from_slice(from);
        }
    }

    /// Iterates over the fields that are saved for a rollback, with their saved values.
    fn kept(&mut self) -> impl Iterator<Item = (&mut Plane, &mut Vec<u32>)> {
        let kept = self
            .planes
            .iter_mut()
            .filter(|plane| matches!(plane.role, FieldRole::State | FieldRole::Diagnostic));
        kept.zip(&mut self.saved)
    }

    /// Saves the state for a rollback.
    pub fn checkpoint(&mut self) {
        let count = self.planes.len();
        self.saved.resize_with(count, Vec::new);
        for (plane, saved) in self.kept() {
            // The memory is reused.
            if saved.len() != plane.now.len() {
                *saved = zeros(plane.now.len());
            }
            copy(&plane.now, saved);
        }
    }

    /// Rolls back to the saved state, which stays saved.
    pub fn rollback(&mut self) {
        self.kept().for_each(|(plane, saved)| copy(saved, &mut plane.now));
    }

    /// Returns the water and the number of wet cells among the subdomain's own cells.
    pub fn count(&self) -> (u64, u64) {
        let water: &[i32] = self.of(Field::Water);
        let wet = self.tiles.each.par_iter().filter(|tile| tile.own && tile.is_wet());
        let of_tile = |tile: &Tile| {
            let Rect { column, row: first, columns, rows } = tile.area;
            let row = |row: usize| {
                let start = self.place(column, row);
                let cells = &water[start..start + columns];
                let wet: u32 = cells.iter().map(|&grains| u32::from(grains > 0)).sum();
                (cells.iter().map(|&grains| grains as u64).sum::<u64>(), u64::from(wet))
            };
            (first..first + rows).map(row).fold((0, 0), add)
        };
        wet.map(of_tile).reduce(|| (0, 0), add)
    }
}

/// Number of cells that a thread copies at a time.
const PIECE: usize = 1 << 16;

/// Copies an array on all threads.
fn copy(from: &[u32], to: &mut [u32]) {
    let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
    pieces.for_each(|(to, from)| to.copy_from_slice(from));
}

fn add(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0 + b.0, a.1 + b.1)
}
