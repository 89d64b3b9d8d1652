//! Reading fields that are with the worker, some rows at a time.

use super::Framed;
use crate::backend::Backend;
use crate::backend::worker::Worker;
use crate::error::Result;
use crate::field::{Field, Place};
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::MARGIN;
use std::ops::Range;

/// Rows that are fetched together when a field is read.
const READ_ROWS: usize = 256;

/// The most cells that are fetched together for the sake of some of them.
const FETCHED_CELLS: usize = 1 << 14;

/// Rows of a field that were fetched.
pub(super) struct Cached {
    field: Field,
    rows: Range<usize>,
    cells: Vec<u32>,
}

impl<W: Worker> Framed<W> {
    /// Where on the canvas (column, row) the number of a field at a place of a line lies.
    pub(super) fn place(&self, field: Field, (place, line): (usize, usize)) -> (usize, usize) {
        let (left, above) = field.before();
        (place + MARGIN - left, line + MARGIN - above)
    }

    /// The subdomain whose own a row of the canvas is, where subdomains stay.
    fn subdomain_of_row(&self, row: usize) -> usize {
        let subdomains = &self.plan.subdomains;
        subdomains
            .partition_point(|subdomain| subdomain.own.row + subdomain.own.rows <= row)
            .min(subdomains.len() - 1)
    }

    /// Reads cells of the canvas that are one subdomain's own.
    fn read_area(&self, field: Field, area: Rect, to: &mut [u32]) -> Result<()> {
        let subdomain = self.subdomain_of_row(area.row);
        self.worker.read(&self.frames[subdomain], subdomain, field, area, to)
    }

    /// A line of a field that is with the worker.
    pub(super) fn read_line(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        let (columns, rows) = (to.len(), self.shape().1);
        let (column, row) = self.place(field, (0, line));
        // Lines over edges are asked for in no order of rows.
        if field.row().place != Place::Cell {
            let area = Rect { column, row, columns, rows: 1 };
            return self.read_area(field, area, to);
        }
        let mut cache = self.cache.borrow_mut();
        cache.retain(|held| held.field != field || held.rows.contains(&line));
        let found = cache.iter().position(|held| held.field == field);
        let held = match found {
            Some(place) => &cache[place],
            None => {
                // What is one subdomain's.
                let own = self.plan.subdomains[self.subdomain_of_row(row)].own;
                let end = (line + READ_ROWS).min(rows).min(line + own.row + own.rows - row);
                let mut cells = vec![0; (end - line) * columns];
                let area = Rect { column, row, columns, rows: end - line };
                self.read_area(field, area, &mut cells)?;
                cache.push(Cached { field, rows: line..end, cells });
                &cache[cache.len() - 1]
            }
        };
        let start = (line - held.rows.start) * columns;
        to.copy_from_slice(&held.cells[start..start + columns]);
        Ok(())
    }

    /// Fetches lines of a field that is with the worker, `width` numbers each, from each subdomain at once.
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
            // Beyond the last subdomain's own lie the edges that end the grid.
            let is_last = subdomain + 1 == self.plan.subdomains.len();
            let rows = if is_last { left } else { left.min(own.row + own.rows - row) };
            let (here, rest) = to.split_at_mut(rows * width);
            let area = Rect { column, row, columns: width, rows };
            self.worker.read(&self.frames[subdomain], subdomain, field, area, here)?;
            (line, to) = (line + rows, rest);
        }
        Ok(())
    }

    /// Fetches single numbers (column, row of the canvas) of a field that is with the worker. Those that follow each other
    /// and lie close together are fetched together.
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

/// A single cell.
fn cell((column, row): (usize, usize)) -> Rect {
    Rect { column, row, columns: 1, rows: 1 }
}
