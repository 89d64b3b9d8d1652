//! The vector layers that a run read, above its results.

use super::features::SORTS;
use super::path::Base;
use super::{Group, MapLayer, MapLayerKind, layer, unless_empty};
use crate::input::file::InputFile;
use crate::input::gdal_access::dataset;
use crate::input::gdal_access::gdal_log;
use crate::output::folder::POINTS_LAYER;
use crate::output::project::{Role, Style};
use crate::output::style::{self, Symbol};
use crate::words::capital;
use gdal::vector::{LayerAccess, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType;
use std::path::Path;

/// Returns the symbol for a role of input.
fn look(role: &str) -> Symbol {
    let sort = |title: &str| SORTS.iter().find(|sort| sort.table == title).map(|sort| sort.look);
    let plain = |colour| Symbol { colour, shape: "triangle", filled: false };
    match role {
        "level" | "initial_level" => plain([84, 39, 143]),
        // Only objects standing on the ground hide what is below them.
        "buildings" => Symbol { filled: true, ..plain([168, 159, 150]) },
        "walls" => plain([60, 30, 10]),
        "rivers" => plain([30, 90, 200]),
        "openings" => plain([0, 160, 160]),
        "rain" => sort("rain_gauges").unwrap_or(plain([38, 110, 200])),
        _ => plain([230, 97, 1]),
    }
}

/// Returns the group of the vector layers among the inputs. Gauges, sections, structures, links
/// and nodes of sewers have separate layers, and so have points if their layer could be written.
pub fn group(inputs: &[InputFile], has_points_layer: bool, base: &Base) -> Option<Group> {
    let mut seen: Vec<&str> = Vec::new();
    let mut layers: Vec<MapLayer> = Vec::new();
    for InputFile { role, path, .. } in inputs {
        let others =
            ["gauges", "sections", "structures", "links", "sewer_nodes", "logo", "background"];
        let elsewhere = others.contains(&role.as_str());
        // Buildings may be points, too.
        let is_points = role == "points" && has_points_layer;
        if (seen.contains(&&**path) && !is_points) || elsewhere {
            continue;
        }
        seen.push(path);
        let id = format!("input_{}", layers.len() + 1);
        let shown = read(&id, role, Path::new(path), base);
        layers.extend(shown.map(|layer| if is_points { with_results(layer) } else { layer }));
    }
    // Inputs that are not vector layers are not an error.
    gdal_log::take();
    // Polygons would hide points.
    layers.sort_by_key(|layer| match layer.kind {
        MapLayerKind::Points => 0,
        MapLayerKind::Lines => 1,
        MapLayerKind::Polygons | MapLayerKind::Raster => 2,
    });
    unless_empty(Group::of("Inputs", Role::Backdrop, layers))
}

/// Replaces the layer of points by the one that the run wrote, which includes the results.
fn with_results(points: MapLayer) -> MapLayer {
    let source = format!("./{POINTS_LAYER}|layername=points");
    MapLayer { name: "Points".into(), source, crs: None, ..points }
}

/// Reads a file as a layer, if it holds geometries.
fn read(id: &str, role: &str, path: &Path, base: &Base) -> Option<MapLayer> {
    let file = dataset::vectors(path).ok()?;
    let mut features = file.layer(0).ok()?;
    let srs = features.spatial_ref().and_then(|srs| srs.to_wkt().ok());
    // Some formats do not declare the type; time tables have none.
    let first = features.features().find_map(|feature| Some(feature.geometry()?.geometry_type()));
    let kind = match geometry_type_flatten(first?) {
        OGRwkbGeometryType::wkbPoint | OGRwkbGeometryType::wkbMultiPoint => MapLayerKind::Points,
        OGRwkbGeometryType::wkbLineString | OGRwkbGeometryType::wkbMultiLineString => {
            MapLayerKind::Lines
        }
        OGRwkbGeometryType::wkbPolygon | OGRwkbGeometryType::wkbMultiPolygon => {
            MapLayerKind::Polygons
        }
        _ => return None,
    };
    let fields: Vec<String> = features.defn().fields().map(|field| field.name()).collect();
    let names = fields.iter().find(|field| field.eq_ignore_ascii_case("name"));
    let style = style::of_vectors(kind, look(role), names.map(String::as_str));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let words = role.replace('_', " ");
    let name = match stem.to_lowercase() == words {
        true => capital(&words),
        false => format!("{}: {stem}", capital(&words)),
    };
    let mut layer = layer(id, name, base.source(path), kind, Style::Document(style));
    layer.crs = srs;
    Some(layer)
}
