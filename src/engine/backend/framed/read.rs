//! Reading layers that are with the worker, some rows at a time.

use super::Framed;
use crate::backend::Backend;
use crate::backend::worker::{Layer, Worker};
use crate::error::Result;
use crate::rule::edge::EdgeField;
use crate::tiling::plan::Rect;
use crate::tiling::visit::MARGIN;
use std::ops::Range;

/// Rows that are fetched together when a layer is read.
const READ_ROWS: usize = 256;

/// The most cells that are fetched together for the sake of some of them.
const FETCHED_CELLS: usize = 1 << 14;

/// Rows of a layer that were fetched.
pub(super) struct Cached {
    layer: Layer,
    rows: Range<usize>,
    cells: Vec<u32>,
}

impl<W: Worker> Framed<W> {
    /// Runs something with the grid's part of a row of a layer that is with the worker.
    pub(super) fn with_row(
        &self,
        layer: Layer,
        row: usize,
        what: impl FnOnce(&[u32]),
    ) -> Result<()> {
        let (columns, rows) = self.shape();
        let mut cache = self.cache.borrow_mut();
        cache.retain(|held| held.layer != layer || held.rows.contains(&row));
        let found = cache.iter().position(|held| held.layer == layer);
        let held = match found {
            Some(place) => &cache[place],
            None => {
                let end = (row + READ_ROWS).min(rows);
                let mut cells = vec![0; (end - row) * columns];
                let area = Rect { column: MARGIN, row: row + MARGIN, columns, rows: end - row };
                self.worker.read(&self.frames[0], layer, area, &mut cells)?;
                cache.push(Cached { layer, rows: row..end, cells });
                &cache[cache.len() - 1]
            }
        };
        let start = (row - held.rows.start) * columns;
        what(&held.cells[start..start + columns]);
        Ok(())
    }

    /// Hands over single cells (column, row of the canvas) of a layer that is with the worker, each with its
    /// number. Those that follow each other and lie close together are fetched together.
    pub(super) fn read_places(
        &self,
        layer: Layer,
        places: &[(usize, usize)],
        mut take: impl FnMut(usize, u32),
    ) -> Result<()> {
        let mut first = 0;
        while first < places.len() {
            let (mut area, mut end) = (Rect { column: 0, row: 0, columns: 0, rows: 0 }, first);
            while end < places.len() {
                let grown = if end == first { cell(places[end]) } else { area.with(places[end]) };
                if grown.cells() > FETCHED_CELLS {
                    break;
                }
                (area, end) = (grown, end + 1);
            }
            let mut cells = vec![0; area.cells()];
            self.worker.read(&self.frames[0], layer, area, &mut cells)?;
            for at in first..end {
                let (column, row) = places[at];
                take(at, cells[(row - area.row) * area.columns + column - area.column]);
            }
            first = end;
        }
        Ok(())
    }

    /// A line of discharges or velocities, as [`Backend::read_flow`] has it.
    pub(super) fn edge_line(
        &self,
        field: EdgeField,
        axis: usize,
        line: usize,
        to: &mut [f32],
    ) -> Result<()> {
        let (columns, _) = self.shape();
        // An edge belongs to the cell before it.
        let (column, row) =
            if axis == 0 { (MARGIN - 1, MARGIN + line) } else { (MARGIN, MARGIN + line - 1) };
        let count = columns + 1 - axis;
        if !self.is_whole() {
            let start = row * self.canvas.columns + column;
            to.copy_from_slice(&self.canvas.edges[0][field as usize][axis][start..start + count]);
            return Ok(());
        }
        let mut bits = vec![0; count];
        let area = Rect { column, row, columns: count, rows: 1 };
        self.worker.read(&self.frames[0], Layer::Edges(field, axis), area, &mut bits)?;
        to.iter_mut().zip(bits).for_each(|(to, bits)| *to = f32::from_bits(bits));
        Ok(())
    }
}

/// A single cell.
fn cell((column, row): (usize, usize)) -> Rect {
    Rect { column, row, columns: 1, rows: 1 }
}
