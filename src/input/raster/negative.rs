//! Negative values in rasters of amounts, which cannot be negative: rounding errors, undeclared
//! NoData, or mistakes.

use crate::error::{Error, Result};
use crate::input::raster::{NEGLIGIBLE_AMOUNT, RasterFile};
use crate::words::counted;

/// Maximum rounding error, relative to the largest value.
const OF_LARGEST: f64 = 1e-6;

/// Statistics of the values of a raster of amounts.
#[derive(Clone, Debug, Default)]
pub struct Amounts {
    largest: f64,
    lowest: f64,
    negative: usize,
    /// First negative value, with its place.
    first: Option<(f64, String)>,
}

impl Amounts {
    /// Returns the amount of a value, 0 if it is negative; `place` names its cell.
    ///
    /// # Errors
    /// If the value is infinite.
    pub fn take(&mut self, whose: &str, value: f64, place: impl FnOnce() -> String) -> Result<f64> {
        if value.is_infinite() {
            return Err(Error::input(format!("{whose} holds {value} at {}", place()))
                .hint("values must be finite; if it marks missing data, declare it as NoData"));
        }
        if value < 0.0 {
            self.negative += 1;
            self.lowest = self.lowest.min(value);
            self.first.get_or_insert_with(|| (value, place()));
            return Ok(0.0);
        }
        self.largest = self.largest.max(value);
        Ok(value)
    }

    /// Checks that negative values are within rounding errors.
    ///
    /// # Errors
    /// If they are not.
    pub fn check(&self, whose: &str, file: &RasterFile) -> Result<()> {
        let rounding = rounding(file).max(OF_LARGEST * self.largest);
        let Some((value, place)) = self.first.as_ref().filter(|_| self.lowest < -rounding) else {
            return Ok(());
        };
        let all = match self.negative {
            1 => String::new(),
            count => format!(
                "; {} below 0, down to {}",
                counted(count, "cell is", "cells are"),
                file.shortest(self.lowest)
            ),
        };
        Err(Error::input(format!("{whose} holds {value} at {place}{all}")).hint(
            "values must be 0 or more; if it marks missing data, declare it as NoData; if a warp blended undeclared NoData into the values around it, warp the original again: gdalwarp -srcnodata VALUE -dstnodata -9999",
        ))
    }
}

/// Returns how far below 0 rounding can move a stored 0.
pub fn rounding(file: &RasterFile) -> f64 {
    file.resolution().max(NEGLIGIBLE_AMOUNT)
}
