//! All rows of a raster in their order, whoever reads them: this process alone, its threads, or other processes, too.

use super::{RasterFile, Undeclared, WINDOW_CELLS, parallel};
use crate::error::Result;
use crate::input::helpers::{self, Came, Order, Ways};
use gdal::{Dataset, Metadata};

pub use parallel::Hands;

impl RasterFile {
    /// Reads the band row by row, a window of rows at a time: values in the band's unit, with
    /// [`MISSING`](super::MISSING) where there is none. Returns the values taken as NoData without being declared.
    pub fn for_each_row(
        &self,
        mut each: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<Undeclared> {
        self.for_each_rows(|first, rows| {
            let mut rows = rows.chunks(self.columns).enumerate();
            rows.try_for_each(|(row, values)| each(first + row, values))
        })
    }

    /// The same, some rows at a time: the first, and the values of all.
    pub fn for_each_rows(
        &self,
        mut each: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<Undeclared> {
        let mut undeclared = Undeclared::default();
        if !self.with_help(&mut each, &mut undeclared)? {
            let step = parallel::step(self);
            let mut hands = self.hands(step);
            let mut buffer = self.buffer(0.0f64, step * self.columns)?;
            for first in (0..self.rows).step_by(step) {
                let count = step.min(self.rows - first);
                let values = &mut buffer[..count * self.columns];
                self.read_rows(&mut hands, (first, count), values, &mut undeclared)?;
                each(first, values)?;
            }
        }
        undeclared.sort();
        Ok(undeclared)
    }

    /// The same with the help of other processes; says whether there is any.
    fn with_help(
        &self,
        mut each: impl FnMut(usize, &[f64]) -> Result<()>,
        undeclared: &mut Undeclared,
    ) -> Result<bool> {
        let step = self.job_rows();
        let Some(mut session) = helpers::begin(self, self.columns * self.rows, step, None)? else {
            return Ok(false);
        };
        let mut hands = self.hands(step);
        let ways = Ways {
            order: |rows: &(usize, usize)| Order::Rows(rows.0, rows.1),
            here: |&rows: &(usize, usize)| self.some_rows(&mut hands, rows),
            there: |&(_, count): &(usize, usize), came: Came<'_>| {
                let mut values = self.buffer(0.0, count * self.columns)?;
                let found = came.values(&mut values)?;
                Ok((values, found))
            },
        };
        session.in_order(
            &self.jobs(step),
            step * self.columns,
            ways,
            |&(first, _), (values, found)| {
                undeclared.add(self, &found);
                each(first, &values)
            },
        )?;
        Ok(true)
    }

    /// How many of its rows a helper reads at a time.
    pub(in crate::input) fn job_rows(&self) -> usize {
        parallel::whole_blocks(self, helpers::job_cells(self, WINDOW_CELLS))
    }

    /// Its rows, so many at a time: the first, and how many.
    pub(in crate::input) fn jobs(&self, step: usize) -> Vec<(usize, usize)> {
        (0..self.rows).step_by(step).map(|first| (first, step.min(self.rows - first))).collect()
    }

    /// Handles to read it with, no more than so many rows at a time.
    pub(in crate::input) fn hands(&self, step: usize) -> Hands {
        parallel::hands(self, step)
    }

    /// Reads some rows (the first, and how many).
    fn read_rows(
        &self,
        hands: &mut Hands,
        (first, count): (usize, usize),
        values: &mut [f64],
        undeclared: &mut Undeclared,
    ) -> Result<()> {
        if hands.is_empty() {
            return self.read_window((0, first), (self.columns, count), values, undeclared);
        }
        parallel::read(self, hands, (first, count), values, undeclared)
    }

    /// The same into memory of its own, with what was taken as NoData.
    pub(in crate::input) fn some_rows(
        &self,
        hands: &mut Hands,
        (first, count): (usize, usize),
    ) -> Result<(Vec<f64>, Undeclared)> {
        let mut undeclared = Undeclared::default();
        let mut values = self.buffer(0.0, count * self.columns)?;
        self.read_rows(hands, (first, count), &mut values, &mut undeclared)?;
        Ok((values, undeclared))
    }

    /// Another handle on the same band of the same file; none if it cannot be had.
    pub(super) fn again(&self) -> Option<RasterFile> {
        let dataset = Dataset::open(self.dataset.description().ok()?).ok()?;
        let same = dataset.raster_size() == self.dataset.raster_size()
            && dataset.raster_count() == self.dataset.raster_count();
        let (path, role, unit) = (self.path.clone(), self.role.clone(), self.unit.clone());
        let nodata = self.nodata.clone();
        let help = None;
        same.then(|| RasterFile { path, role, dataset, unit, nodata, help, ..*self })
    }
}
