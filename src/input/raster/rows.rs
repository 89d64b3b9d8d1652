//! Reading all rows of a raster in order, by one thread or by all.

use super::{RasterFile, Undeclared, parallel};
use crate::error::Result;
use gdal::{Dataset, Metadata};

impl RasterFile {
    /// Reads the band row by row, a window of rows at a time: values in the band's unit, with
    /// [`MISSING`](super::MISSING) where there is none. Returns the values taken as NoData although
    /// not declared.
    pub fn for_each_row(
        &self,
        mut each: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<Undeclared> {
        self.for_each_rows(|first, rows| {
            let mut rows = rows.chunks(self.columns).enumerate();
            rows.try_for_each(|(row, values)| each(first + row, values))
        })
    }

    /// Like [`RasterFile::for_each_row`], but passes several rows at a time: the index of the
    /// first, and the values of all.
    pub fn for_each_rows(
        &self,
        mut each: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<Undeclared> {
        let mut undeclared = Undeclared::default();
        let step = parallel::step(self);
        let mut readers = parallel::readers(self, step);
        let mut buffer = self.buffer(0.0f64, step * self.columns)?;
        for first in (0..self.rows).step_by(step) {
            let count = step.min(self.rows - first);
            let values = &mut buffer[..count * self.columns];
            if readers.is_empty() {
                self.read_window((0, first), (self.columns, count), values, &mut undeclared)?;
            } else {
                parallel::read(self, &mut readers, (first, count), values, &mut undeclared)?;
            }
            each(first, values)?;
        }
        undeclared.sort();
        Ok(undeclared)
    }

    /// Opens another handle on the same band of the same file; `None` if this fails.
    pub(super) fn again(&self) -> Option<RasterFile> {
        let dataset = Dataset::open(self.dataset.description().ok()?).ok()?;
        let same = dataset.raster_size() == self.dataset.raster_size()
            && dataset.raster_count() == self.dataset.raster_count();
        let (path, role, units) = (self.path.clone(), self.role.clone(), self.units.clone());
        let (nodata, own_nodata) = (self.nodata.clone(), self.own_nodata.clone());
        same.then(|| RasterFile { path, role, dataset, units, nodata, own_nodata, ..*self })
    }
}
