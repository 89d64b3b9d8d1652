//! Compares two maps on one grid, at depths from which a cell counts as wet.

use super::metrics::{Contingency, Differences, Errors, Scores};
use super::raster::RasterMeaning;
use crate::error::{Error, Result};
use serde::Serialize;

/// Number of cells of the result's grid, by which map has a value there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cells {
    /// Number of all cells.
    pub grid: u64,
    /// Cells with a value in both; only these count.
    pub compared: u64,
    /// Cells without a value in the result.
    pub missing_in_result: u64,
    /// Cells with a value in the result, but not in the other.
    pub missing_in_other: u64,
}

/// Comparison at a depth threshold.
#[derive(Clone, Debug, Serialize)]
pub struct AtThreshold {
    /// Depth from which a cell is wet (m).
    pub threshold_m: f64,
    /// Cells by their state in both maps.
    #[serde(flatten)]
    pub cells: Contingency,
    /// Scores of the match between both extents.
    #[serde(flatten)]
    pub scores: Scores,
    /// Depth errors where both are wet (m); `None` against an extent.
    pub wet_in_both: Option<Errors>,
    /// Depth errors where either is wet (m); `None` against an extent.
    pub wet_in_either: Option<Errors>,
}

/// Counts cells by which map has a value.
pub fn count(result: &[f32], other: &[f32]) -> Cells {
    let mut cells = Cells { grid: result.len() as u64, ..Cells::default() };
    for (result, other) in result.iter().zip(other) {
        *match (result.is_nan(), other.is_nan()) {
            (true, _) => &mut cells.missing_in_result,
            (false, true) => &mut cells.missing_in_other,
            (false, false) => &mut cells.compared,
        } += 1;
    }
    cells
}

/// Returns `true` if a cell of the other map is wet.
fn is_wet(value: f32, meaning: RasterMeaning, threshold: f32) -> bool {
    match meaning {
        RasterMeaning::Depth => value >= threshold,
        RasterMeaning::Extent => value > 0.0,
    }
}

/// Compares depths with another map, cell by cell.
///
/// # Errors
/// If no cell is wet in either map at the smallest threshold: there is nothing to compare then, and
/// every score would divide by 0.
pub fn compare(
    result: &[f32],
    other: &[f32],
    meaning: RasterMeaning,
    thresholds: &[f64],
) -> Result<Vec<AtThreshold>> {
    let figures: Vec<AtThreshold> =
        thresholds.iter().map(|&depth| at(result, other, meaning, depth)).collect();
    if !figures.iter().any(|figures| figures.cells.is_wet()) {
        let least = thresholds.iter().copied().fold(f64::INFINITY, f64::min);
        return Err(Error::input(format!(
            "nothing is wet in either: no cell with values in both reaches {least} m"
        ))
        .hint("use a smaller depth (--threshold 0.01), or check that these are the right files"));
    }
    Ok(figures)
}

fn at(result: &[f32], other: &[f32], meaning: RasterMeaning, threshold_m: f64) -> AtThreshold {
    // Depths are compared as f32, so that 0.1 from a file of either width is not less than 0.1
    // here.
    let threshold = threshold_m as f32;
    let mut cells = Contingency::default();
    let (mut both, mut either) = (Differences::default(), Differences::default());
    for (&modelled, &observed) in result.iter().zip(other) {
        if modelled.is_nan() || observed.is_nan() {
            continue;
        }
        let wet = (modelled >= threshold, is_wet(observed, meaning, threshold));
        cells.add(wet.0, wet.1);
        if meaning == RasterMeaning::Depth && (wet.0 || wet.1) {
            let difference = f64::from(modelled) - f64::from(observed);
            either.add(difference);
            if wet.0 && wet.1 {
                both.add(difference);
            }
        }
    }
    AtThreshold {
        threshold_m,
        cells,
        scores: cells.scores(),
        wet_in_both: both.errors(),
        wet_in_either: either.errors(),
    }
}
