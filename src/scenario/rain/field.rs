//! Values of a raster of a series on the grid: per pixel as a zone, or per cell.

use super::super::amounts::read_amounts_of;
use super::increments;
use super::shares;
use crate::engine::forcing::zones::Zoned;
use crate::engine::forcing::{Footprint, Share};
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::raster::frames::TimedBand;
use crate::input::raster::layer::Cover;
use crate::input::raster::negative::Amounts;
use crate::input::raster::pixels::{Pixels, is_coarse};
use crate::input::raster::{RasterFile, Undeclared};
use crate::words;

/// Mapping of the rasters of a series onto the grid.
pub(super) enum Placement {
    /// Pixels as zones.
    Pixels(Pixels),
    /// Warped to cells.
    Warped,
}

/// Values of a raster per zone or per cell; NaN if missing.
#[derive(Clone)]
pub(super) enum Values {
    Zones(Vec<f64>),
    Cells(Vec<f32>),
}

impl Values {
    /// Multiplies all values.
    pub fn multiply(&mut self, by: f64) {
        match self {
            Values::Zones(values) => values.iter_mut().for_each(|value| *value *= by),
            Values::Cells(values) => values.iter_mut().for_each(|value| *value *= by as f32),
        }
    }
}

impl Placement {
    /// Chooses the mapping of a raster onto the grid.
    pub fn of(file: &RasterFile, ground: Topography) -> Result<Placement> {
        match is_coarse(file, ground.grid) {
            true => Pixels::under(file, ground).map(Placement::Pixels),
            false => Ok(Placement::Warped),
        }
    }

    /// Reads the values of a raster's band, and counts the cells of the domain without a value.
    ///
    /// # Errors
    /// If the raster cannot be read, or a value is below 0.
    pub fn read(
        &self,
        file: &RasterFile,
        frame: &TimedBand,
        whose: &str,
        ground: Topography,
        undeclared: &mut Undeclared,
    ) -> Result<(Values, usize)> {
        match self {
            Placement::Pixels(pixels) => {
                let mut values = pixels.values(file, undeclared)?;
                let whose = format!("{whose}: {}", frame.name());
                let missing = take_amounts(pixels, &mut values, file, &whose)?;
                Ok((Values::Zones(values), missing))
            }
            Placement::Warped => {
                let mut values = vec![f32::NAN; ground.grid.cells()];
                let report = read_amounts_of(file, ground, Cover::Field, |cell, value| {
                    values[cell] = value as f32;
                })?;
                undeclared.add(file, &report.undeclared);
                Ok((Values::Cells(values), ground.bed.domain_cells() - report.covered))
            }
        }
    }

    /// Returns the sum of values over the cells of the domain.
    pub fn sum(&self, values: &Values) -> f64 {
        match (self, values) {
            (Placement::Pixels(pixels), Values::Zones(values)) => {
                increments::sum(values, |zone| f64::from(pixels.zones.cells[zone]))
            }
            (_, Values::Zones(values)) => increments::sum(values, |_| 1.0),
            (_, Values::Cells(values)) => increments::sum(values, |_| 1.0),
        }
    }

    /// Returns the values as fractions of the greatest, and the greatest value.
    pub fn footprint(&self, values: &Values) -> (Footprint, f64) {
        match (self, values) {
            (Placement::Pixels(pixels), Values::Zones(values)) => {
                let peak = values.iter().copied().fold(0.0, f64::max);
                let share = |value: &f64| Share::of(if *value > 0.0 { value / peak } else { 0.0 });
                let shares = values.iter().map(share).collect();
                (Footprint::Zones(Zoned::new(&pixels.zones, shares)), peak)
            }
            (_, Values::Cells(values)) => {
                let (shares, peak) = shares(values);
                (Footprint::Shares(shares), f64::from(peak))
            }
            (Placement::Warped, Values::Zones(_)) => unreachable!("zones have pixels"),
        }
    }

    /// Describes the place of a value, for messages.
    pub fn name(&self, at: usize, ground: Topography) -> String {
        match self {
            Placement::Pixels(pixels) => {
                let (column, row) = pixels.pixel(at);
                words::place(column, row)
            }
            Placement::Warped => format!("{} of the DEM's grid", ground.place(at)),
        }
    }
}

/// Converts the values of a raster's pixels into amounts, and counts the cells of the domain
/// without a value.
///
/// # Errors
/// If a value is below 0 by more than rounding.
fn take_amounts(
    pixels: &Pixels,
    values: &mut [f64],
    file: &RasterFile,
    whose: &str,
) -> Result<usize> {
    let (mut missing, mut amounts) = (0, Amounts::default());
    for (zone, value) in values.iter_mut().enumerate() {
        if value.is_nan() {
            missing += pixels.zones.cells[zone] as usize;
            continue;
        }
        let place = || {
            let (column, row) = pixels.pixel(zone);
            words::place(column, row)
        };
        *value = amounts.take(whose, *value, place)?;
    }
    amounts.check(whose, file)?;
    Ok(missing)
}
