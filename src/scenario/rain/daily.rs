//! Distinguishes accumulations since the start of a day or forecast, as in ERA5-Land, from hourly
//! values.

use super::DAY;
use super::placement::{Counting, absolute};
use crate::error::Result;
use crate::input::raster::frames::TimedBand;
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::time::stamp::Stamp;
use crate::units::Second;

/// Minimum number of comparisons of totals since one time, and of rises, to conclude that values
/// are totals.
const FEWEST: usize = 5;
const RISES: usize = 3;
/// Spacing of ERA5-Land's grid (°); other products of ECMWF have at least twice that.
const FINE_GRID: f64 = 0.1;
/// Largest fall of a total by rounding when compressed, as a fraction of the greatest.
const PACKING: f64 = 1e-3;
/// Maximum number of rasters, and of cells in one, to examine.
const MOST_RASTERS: usize = 500;
const MOST_CELLS: usize = 1 << 24;

/// Values of a whole raster.
pub(super) struct DailySample {
    values: Vec<f64>,
    /// Spacing of the columns (°).
    spacing: f64,
}

impl DailySample {
    /// Reads the current band of a file; `None` if it is larger than such products are.
    pub fn read(file: &RasterFile) -> Result<Option<DailySample>> {
        let cells = file.columns.saturating_mul(file.rows);
        if cells > MOST_CELLS {
            return Ok(None);
        }
        let spacing = file.transform().map_or(0.0, |transform| transform[1].abs());
        let mut values = file.buffer(0.0, cells)?;
        let size = (file.columns, file.rows);
        file.read_window((0, 0), size, &mut values, &mut Undeclared::default())?;
        Ok(Some(DailySample { values, spacing }))
    }
}

/// Determines if values that may be totals are totals: totals never fall between one start and the
/// next. `read` reads a raster.
pub(super) fn counting(
    frames: &[TimedBand],
    mut read: impl FnMut(&TimedBand) -> Result<Option<DailySample>>,
) -> Result<Counting> {
    let since: Vec<f64> = frames.iter().map(start).collect();
    let mut before: Option<(f64, Vec<f64>)> = None;
    let (mut compared, mut rises, mut resets) = (0, 0, 0);
    let mut is_fine = false;
    for (frame, &since) in frames.iter().zip(&since).take(MOST_RASTERS) {
        let Some(DailySample { values, spacing }) = read(frame)? else { return Ok(Counting::Own) };
        is_fine = (spacing - FINE_GRID).abs() < 1e-3;
        let greatest = values.iter().copied().fold(0.0, f64::max);
        if let Some((start, before)) = &before {
            let pairs = || before.iter().zip(&values);
            if *start == since {
                let tolerance = greatest.max(before.iter().copied().fold(0.0, f64::max)) * PACKING;
                if pairs().any(|(before, now)| *now < before - tolerance) {
                    return Ok(Counting::Own);
                }
                compared += 1;
                rises += usize::from(pairs().any(|(before, now)| *now > before + tolerance));
            } else {
                resets += usize::from(pairs().any(|(before, now)| now < before));
            }
        }
        before = Some((since, values));
    }
    let show = rises >= RISES && compared >= FEWEST;
    let reset = resets > 0 && rises > 0;
    Ok(match compared > 0 && (show || reset || is_fine) {
        true => Counting::TotalsSince(since),
        false => Counting::Own,
    })
}

/// Returns the start of a raster's total: the start of its forecast, or of the day (UTC) in which
/// it ends.
fn start(frame: &TimedBand) -> Second {
    let at = absolute(&frame.time.stamp);
    let phase = at.rem_euclid(DAY);
    let day = at - if phase > 0.0 { phase } else { DAY };
    match &frame.time.reference {
        Some(reference @ Stamp::Wall(_)) => absolute(reference),
        _ => day,
    }
}
