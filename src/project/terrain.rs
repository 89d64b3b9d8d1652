//! The DEM under the results: its heights as a pale tint, shaded as if lit from the north-west.

use super::path::Base;
use super::{Group, MapLayerKind, layer};
use crate::colour::quantities::TERRAIN;
use crate::engine::grid::Grid;
use crate::output::project::{Role, Style};
use crate::output::style::{self, HILLSHADE};
use crate::scenario::options::Options;
use gdal::Dataset;
use std::path::Path;

/// The DEM of a run.
pub struct Terrain<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// The grid of the results.
    pub grid: &'a Grid,
    /// Metres per unit of the heights in the DEM's file.
    pub height_unit: f64,
    /// Lowest and highest bed level (m).
    pub bed_range: (f64, f64),
}

/// The group of the DEM, with something behind its names; none if QGIS would not lay it where the results are.
pub fn group(terrain: &Terrain, base: &Base, behind: &str) -> Option<Group> {
    let dem = terrain.options.dem.as_deref().filter(|dem| lies_on(dem, terrain.grid))?;
    let source = base.source(dem);
    let unit = terrain.height_unit;
    // QGIS takes heights and places to be in one unit.
    let height = unit / terrain.grid.metres_per_unit();
    let (low, high) = terrain.bed_range;
    let shade = style::fill(HILLSHADE, &[("z", height.to_string())]);
    let tint = TERRAIN.ramp(Some((low / unit, high / unit)), "");
    let raster = |id: &str, name: &str, style: Style| {
        let id = format!("{id}{}", behind.replace([',', ' '], "_"));
        let mut layer = layer(&id, name.into(), source.clone(), MapLayerKind::Raster, style);
        layer.nodata = terrain.options.nodata;
        layer
    };
    Some(Group {
        name: format!("Terrain{behind}"),
        shown: true,
        unfolded: false,
        role: Role::Backdrop,
        in_legend: false,
        layers: vec![
            raster("hillshade", &format!("Hillshade{behind}"), Style::Document(shade)),
            raster("elevation", &format!("Elevation{behind}"), Style::Ramp(tint)),
        ],
    })
}

/// Whether a raster has a georeference, and that of the results.
pub fn lies_on(dem: &Path, grid: &Grid) -> bool {
    let file = Dataset::open(dem);
    file.is_ok_and(|file| file.geo_transform().is_ok_and(|own| own == grid.transform))
}
