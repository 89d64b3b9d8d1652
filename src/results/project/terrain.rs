//! Ground below the results: a pale tint of the DEM's heights, or the user's background picture,
//! with a hillshade lit from the north-west.

use super::path::Base;
use super::{Group, MapLayer, MapLayerKind, layer};
use crate::engine::grid::Grid;
use crate::input::description::vertical;
use crate::output::colour::quantities::TERRAIN;
use crate::output::project::{Role, Style};
use crate::output::style::{self, HILLSHADE};
use crate::scenario::options::Options;
use gdal::Dataset;
use std::path::Path;

/// The DEM of a run.
pub struct Terrain<'a> {
    /// Options of the run.
    pub options: &'a Options,
    /// The grid of the results.
    pub grid: &'a Grid,
    /// Metres per unit of height in the DEM's file.
    pub height_unit: f64,
    /// Lowest and highest bed level (m).
    pub bed_range: (f64, f64),
}

/// Returns the group of the DEM, with a suffix `behind` on its names; `None` if QGIS would not
/// place it below the results.
pub fn group(terrain: &Terrain, base: &Base, behind: &str) -> Option<Group> {
    let dem = terrain.options.dem.as_deref().filter(|dem| lies_on(dem, terrain.grid))?;
    let source = base.source(dem);
    let unit = terrain.height_unit;
    // QGIS assumes one unit for heights and coordinates.
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
    // The hillshade is blended with the layers below it, which darkens and lightens them.
    let mut layers = vec![
        raster("hillshade", &format!("Hillshade{behind}"), Style::Document(shade)),
        raster("elevation", &format!("Elevation{behind}"), Style::Ramp(tint)),
    ];
    layers.splice(1..1, background(terrain.options, base, behind));
    Some(Group::aside(format!("Terrain{behind}"), Role::Backdrop, layers))
}

/// Returns the layer of the background picture, in QGIS's default style.
fn background(options: &Options, base: &Base, behind: &str) -> Option<MapLayer> {
    let path = options.report_details.background.as_deref()?;
    let crs = Dataset::open(path).ok().map(|file| file.projection()).filter(|wkt| !wkt.is_empty());
    let style = Style::Document(style::PLAIN.into());
    let id = format!("background{}", behind.replace([',', ' '], "_"));
    let name = format!("Background{behind}");
    let source = base.source(path);
    Some(MapLayer { crs, ..layer(&id, name, source, MapLayerKind::Raster, style) })
}

/// Returns `true` if a raster has the georeference of the results, and heights that count up.
pub fn lies_on(dem: &Path, grid: &Grid) -> bool {
    Dataset::open(dem).is_ok_and(|file| {
        let is_up = vertical::counts_down(&file, 1).is_ok_and(|down| down.is_none());
        is_up && file.geo_transform().is_ok_and(|own| own == grid.transform)
    })
}
