//! The DEM under the results: its heights as a pale tint, shaded as if lit from the north-west.

use super::path::Base;
use super::{Group, Kind, Run, layer};
use crate::output::project::Role;
use crate::output::style::{self, HILLSHADE, TERRAIN};
use gdal::Dataset;
use std::path::Path;

/// The group of the DEM; none if QGIS would not lay it where the results are.
pub fn group(run: &Run, base: &Base) -> Option<Group> {
    let dem = run.options.dem.as_deref().filter(|dem| lies_on(dem, &run.facts.grid.transform))?;
    let source = base.source(dem);
    let unit = run.facts.height_unit;
    // QGIS takes heights and places to be in one unit.
    let height = unit / run.facts.grid.metres_per_unit();
    let (low, high) = run.facts.bed_range;
    let shade = style::fill(HILLSHADE, &[("z", height.to_string())]);
    let tint = style::ranged(TERRAIN, (low / unit, high / unit), "");
    let raster = |id: &str, name: &str, style: String| {
        let mut layer = layer(id, name.into(), source.clone(), Kind::Raster, Some(style));
        layer.nodata = run.options.nodata;
        layer
    };
    Some(Group {
        name: "Terrain".into(),
        shown: true,
        unfolded: false,
        role: Role::Backdrop,
        layers: vec![
            raster("hillshade", "Hillshade", shade),
            raster("elevation", "Elevation", tint),
        ],
    })
}

/// Whether a raster has a georeference, and that of the results.
fn lies_on(dem: &Path, transform: &[f64; 6]) -> bool {
    let file = Dataset::open(dem);
    file.is_ok_and(|file| file.geo_transform().is_ok_and(|own| own == *transform))
}
