//! Reads fields held by the worker, some rows at a time.

use super::TiledBackend;
use crate::backend::Backend;
use crate::backend::worker::Worker;
use crate::error::Result;
use crate::field::{Field, FieldLocation};
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::MARGIN;
use std::ops::Range;

/// Number of rows fetched together when a field is read.
const READ_ROWS: usize = 256;

/// Maximum number of cells fetched together to read some of them.
const FETCHED_CELLS: usize = 1 << 14;

/// Rows of a field that were fetched.
pub(super) struct CachedRows {
    field: Field,
    rows: Range<usize>,
    cells: Vec<u32>,
}

impl<W: Worker> TiledBackend<W> {
    /// Returns the place on the padded grid (column, row) of a value, given its index in a line and
    /// the line.
    pub(super) fn place(&self, field: Field, (place, line): (usize, usize)) -> (usize, usize) {
        let (left, above) = field.before();
        (place + MARGIN - left, line + MARGIN - above)
    }

    /// Returns the subdomain that owns a row of the padded grid, with resident subdomains.
    fn subdomain_of_row(&self, row: usize) -> usize {
        let subdomains = &self.plan.subdomains;
        subdomains
            .partition_point(|subdomain| subdomain.own.row + subdomain.own.rows <= row)
            .min(subdomains.len() - 1)
    }

    /// Reads cells of the padded grid that one subdomain owns.
    fn read_area(&self, field: Field, area: Rect, to: &mut [u32]) -> Result<()> {
        let subdomain = self.subdomain_of_row(area.row);
        self.worker.read(&self.frames[subdomain], subdomain, field, area, to)
    }

    /// Reads a line of a field held by the worker.
    pub(super) fn read_line(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        let (columns, rows) = (to.len(), self.shape().1);
        let (column, row) = self.place(field, (0, line));
        // Lines of edges are not read in row order.
        if field.row().place != FieldLocation::Cell {
            let area = Rect { column, row, columns, rows: 1 };
            return self.read_area(field, area, to);
        }
        let mut cache = self.cache.borrow_mut();
        cache.retain(|held| held.field != field || held.rows.contains(&line));
        let found = cache.iter().position(|held| held.field == field);
        let held = match found {
            Some(place) => &cache[place],
            None => {
                // Only rows of one subdomain.
                let own = self.plan.subdomains[self.subdomain_of_row(row)].own;
                let end = (line + READ_ROWS).min(rows).min(line + own.row + own.rows - row);
                let mut cells = vec![0; (end - line) * columns];
                let area = Rect { column, row, columns, rows: end - line };
                self.read_area(field, area, &mut cells)?;
                cache.push(CachedRows { field, rows: line..end, cells });
                &cache[cache.len() - 1]
            }
        };
        let start = (line - held.rows.start) * columns;
        to.copy_from_slice(&held.cells[start..start + columns]);
        Ok(())
    }

    /// Reads lines of a field held by the worker, of `width` numbers each, in one call per
    /// subdomain.
    pub(super) fn fetch_lines(
        &self,
        field: Field,
        first: usize,
        width: usize,
        to: &mut [u32],
    ) -> Result<()> {
        let (mut line, mut to) = (first, to);
        while !to.is_empty() {
            let (column, row) = self.place(field, (0, line));
            let subdomain = self.subdomain_of_row(row);
            let left = to.len() / width;
            let own = self.plan.subdomains[subdomain].own;
            // The edges that end the grid are beyond the last subdomain's own cells.
            let is_last = subdomain + 1 == self.plan.subdomains.len();
            let rows = if is_last { left } else { left.min(own.row + own.rows - row) };
            let (here, rest) = to.split_at_mut(rows * width);
            let area = Rect { column, row, columns: width, rows };
            self.worker.read(&self.frames[subdomain], subdomain, field, area, here)?;
            (line, to) = (line + rows, rest);
        }
        Ok(())
    }

    /// Reads single values of a field held by the worker, by (column, row) on the padded grid.
    /// Consecutive places that are close together are fetched together.
    pub(super) fn fetch_places(
        &self,
        field: Field,
        places: &[(usize, usize)],
        to: &mut [u32],
    ) -> Result<()> {
        let mut first = 0;
        while first < places.len() {
            let (mut area, mut end) = (Rect { column: 0, row: 0, columns: 0, rows: 0 }, first);
            while end < places.len() {
                let grown = if end == first { cell(places[end]) } else { area.with(places[end]) };
                let own = |place: (usize, usize)| self.subdomain_of_row(place.1);
                if grown.cells() > FETCHED_CELLS || own(places[end]) != own(places[first]) {
                    break;
                }
                (area, end) = (grown, end + 1);
            }
            let mut cells = vec![0; area.cells()];
            self.read_area(field, area, &mut cells)?;
            for (&(column, row), to) in places[first..end].iter().zip(&mut to[first..end]) {
                *to = cells[(row - area.row) * area.columns + column - area.column];
            }
            first = end;
        }
        Ok(())
    }
}

/// Returns the rectangle of a single cell.
fn cell((column, row): (usize, usize)) -> Rect {
    Rect { column, row, columns: 1, rows: 1 }
}
