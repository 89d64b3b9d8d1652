//! The ground under the results: the heights of the DEM as a pale tint, or the picture of it that was given, shaded as if lit
//! from the north-west.

use super::path::Base;
use super::{Group, MapLayer, MapLayerKind, layer};
use crate::engine::grid::Grid;
use crate::output::colour::quantities::TERRAIN;
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
    // The shade is laid over what is below it, which darkens and lightens.
    let mut layers = vec![
        raster("hillshade", &format!("Hillshade{behind}"), Style::Document(shade)),
        raster("elevation", &format!("Elevation{behind}"), Style::Ramp(tint)),
    ];
    layers.splice(1..1, background(terrain.options, base, behind));
    Some(Group::aside(format!("Terrain{behind}"), Role::Backdrop, layers))
}

/// The picture of the ground, as QGIS draws it by itself.
fn background(options: &Options, base: &Base, behind: &str) -> Option<MapLayer> {
    let path = options.imprint.background.as_deref()?;
    let crs = Dataset::open(path).ok().map(|file| file.projection()).filter(|wkt| !wkt.is_empty());
    let style = Style::Document(style::PLAIN.into());
    let id = format!("background{}", behind.replace([',', ' '], "_"));
    let name = format!("Background{behind}");
    let source = base.source(path);
    Some(MapLayer { crs, ..layer(&id, name, source, MapLayerKind::Raster, style) })
}

/// Whether a raster has a georeference, and that of the results.
pub fn lies_on(dem: &Path, grid: &Grid) -> bool {
    let file = Dataset::open(dem);
    file.is_ok_and(|file| file.geo_transform().is_ok_and(|own| own == grid.transform))
}
