//! A vector layer of lines with several fields, as they are drawn: they are not laid on the grid.

use super::named::Wanted;
use super::{Fields, Reader, index};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::{dataset, gdal_log};
use gdal::vector::LayerAccess;
use std::path::{Path, PathBuf};

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number in the layer.
    pub id: u64,
    /// Its points, two or more: east and north in the DEM's CRS.
    pub points: Vec<(f64, f64)>,
    /// The height of each, as it is drawn, if it has heights.
    pub heights: Option<Vec<f64>>,
    /// What its fields hold, in the order in which they were asked for.
    pub texts: Vec<Option<String>>,
}

/// A layer of lines.
#[derive(Debug)]
pub struct Lines {
    /// The lines; at least one.
    pub lines: Vec<Line>,
    /// The files that it is made of.
    pub files: Vec<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Reads a layer of lines for `role`, with these fields where they are.
pub fn read_lines(path: &Path, role: &str, fields: &[&str], grid: &Grid) -> Result<Lines> {
    gdal_log::install();
    let reader = Reader { path, role, fields: Fields::optional(""), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.layer(&dataset)?;
    let mut warnings = Vec::new();
    let to_dem = reader.to_dem(&layer, &mut warnings)?;
    let columns: Vec<_> = fields.iter().map(|name| (*name, index(&layer, name))).collect();
    let mut lines = Vec::new();
    for feature in layer.features() {
        let id = feature.fid().unwrap_or(0);
        let text = |&(name, at): &(&str, Option<usize>)| {
            at.map_or(Ok(None), |at| reader.text(&feature, id, name, at))
        };
        let texts = columns.iter().map(text).collect::<Result<_>>()?;
        let (points, heights) = reader.drawn(&feature, id, Wanted::Lines, to_dem.as_ref())?;
        // A point twice in a row says nothing of a direction.
        let moves = |at: &usize| *at == 0 || points[*at] != points[at - 1];
        let kept: Vec<usize> = (0..points.len()).filter(moves).collect();
        let heights = heights.map(|all: Vec<f64>| kept.iter().map(|at| all[*at]).collect());
        let points: Vec<_> = kept.iter().map(|at| points[*at]).collect();
        if points.len() < 2 {
            let what = format!("feature {id} is a line of one point");
            return Err(reader.wrong(what).hint("draw its other end, or delete it"));
        }
        lines.push(Line { id, points, heights, texts });
    }
    if let Some(said) = gdal_log::take() {
        return Err(reader.wrong(format!("it cannot be read: {said}")));
    }
    if lines.is_empty() {
        return Err(reader.wrong("the layer has no features").hint("leave it out, or draw some"));
    }
    Ok(Lines { lines, files: dataset::files(&dataset, path), warnings })
}
