//! Vector layers of lines with several fields, as drawn, without their cells.

use super::reader::Reader;
use super::{Fields, Shape};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::description::vertical::{self, HeightUnit};
use crate::input::notice::{Notice, Reading};
use gdal::vector::LayerAccess;
use std::path::Path;

/// Line of a layer.
#[derive(Clone, Debug)]
pub struct Line {
    /// Number in the layer.
    pub id: u64,
    /// Points, two or more: east and north in the DEM's CRS.
    pub points: Vec<(f64, f64)>,
    /// Height of each point (m), if the line has heights.
    pub heights: Option<Vec<f64>>,
    /// Datum of the heights, and the DEM's, if both are declared and differ.
    pub other_datum: Option<[String; 2]>,
    /// Values of the fields, in the requested order.
    pub texts: Vec<Option<String>>,
}

/// Reads a layer of lines for `role`, with the given fields where present: at least one line.
pub fn read_lines(
    path: &Path,
    role: &str,
    fields: &[&str],
    grid: &Grid,
) -> Result<Reading<Vec<Line>>> {
    let reader = Reader { path, role, fields: Fields::optional(""), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.open(&dataset)?;
    let columns = layer.columns(fields)?;
    let height_unit = layer.height_unit;
    let metres = height_unit.metres();
    let own = layer.layer.spatial_ref().and_then(|crs| vertical::datum_of(&crs.to_wkt().ok()?));
    let dem = grid.crs.as_deref().and_then(vertical::datum_of);
    let other_datum = own.zip(dem).filter(|(own, dem)| own != dem).map(<[String; 2]>::from);
    let mut has_heights = false;
    let mut read = layer.each(|item| {
        let texts = item.texts(&columns)?;
        let (points, heights) = item.drawn(Shape::Lines)?;
        // Repeated points do not define a direction.
        let moves = |at: &usize| *at == 0 || points[*at] != points[at - 1];
        let kept: Vec<usize> = (0..points.len()).filter(moves).collect();
        let heights = heights.map(|all| kept.iter().map(|at| all[*at] * metres).collect());
        has_heights |= heights.is_some();
        let points: Vec<_> = kept.iter().map(|at| points[*at]).collect();
        if points.len() < 2 {
            return Err(item.of_one_point());
        }
        Ok(Line { id: item.id, points, heights, other_datum: other_datum.clone(), texts })
    })?;
    let shown = path.display().to_string();
    if has_heights && metres < 0.0 {
        let what = "has depths of points (vertical axis down of its CRS); they are read as heights of the opposite sign";
        read.notices.note(Notice::of(role, &shown, what));
    }
    if let (true, HeightUnit::Assumed(metres)) = (has_heights, height_unit) {
        let what = format!(
            "does not declare the unit of its points' heights; where used, they are taken in {}",
            if metres == 1.0 { "m".into() } else { format!("its CRS's unit of {metres:.7} m") }
        );
        read.notices.assume(Notice::of(role, &shown, what));
    }
    Ok(read)
}
