//! The vector layers that a run read, over its results: where water came in, and where it was held.

use super::path::Base;
use super::{Group, Kind, MapLayer, capital, layer, unless_empty};
use crate::gdal_log;
use crate::input::vector;
use crate::output::project::Role;
use crate::output::report::InputFile;
use crate::output::style::{self, LINES, POINTS, POLYGONS};
use gdal::vector::{LayerAccess, geometry_type_flatten};
use gdal_sys::OGRwkbGeometryType;
use std::path::Path;

/// The colour (red, green, blue) of what was read for a role.
fn colour(role: &str) -> &'static str {
    match role {
        "level" | "initial_level" => "84,39,143",
        "buildings" => "89,89,89",
        "gauges" | "sections" => "20,20,20",
        "walls" => "60,30,10",
        _ => "230,97,1",
    }
}

/// The group of all vector layers among the inputs.
pub fn group(inputs: &[InputFile], base: &Base) -> Option<Group> {
    let mut seen: Vec<&str> = Vec::new();
    let mut layers: Vec<MapLayer> = Vec::new();
    for InputFile { role, path, .. } in inputs {
        if seen.contains(&&**path) {
            continue;
        }
        seen.push(path);
        let id = format!("input_{}", layers.len() + 1);
        layers.extend(read(&id, role, Path::new(path), base));
    }
    // What was no vector layer is no error.
    gdal_log::take();
    // Polygons would hide points.
    layers.sort_by_key(|layer| match layer.kind {
        Kind::Points => 0,
        Kind::Lines => 1,
        Kind::Polygons | Kind::Raster => 2,
    });
    unless_empty(Group {
        name: "Inputs".into(),
        shown: true,
        unfolded: true,
        role: Role::Backdrop,
        layers,
    })
}

/// A file as a layer, if it holds geometries.
fn read(id: &str, role: &str, path: &Path, base: &Base) -> Option<MapLayer> {
    let file = vector::open(path).ok()?;
    let mut features = file.layer(0).ok()?;
    let srs = features.spatial_ref().and_then(|srs| srs.to_wkt().ok());
    // Some formats do not say; tables of times have none.
    let first = features.features().find_map(|feature| Some(feature.geometry()?.geometry_type()));
    let (kind, style) = match geometry_type_flatten(first?) {
        OGRwkbGeometryType::wkbPoint | OGRwkbGeometryType::wkbMultiPoint => (Kind::Points, POINTS),
        OGRwkbGeometryType::wkbLineString | OGRwkbGeometryType::wkbMultiLineString => {
            (Kind::Lines, LINES)
        }
        OGRwkbGeometryType::wkbPolygon | OGRwkbGeometryType::wkbMultiPolygon => {
            (Kind::Polygons, POLYGONS)
        }
        _ => return None,
    };
    // Only what stands on the ground hides what is below it.
    let fill = if role == "buildings" { "160" } else { "0" };
    let style = style::fill(style, &[("colour", colour(role).into()), ("fill", fill.into())]);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{}: {stem}", capital(&role.replace('_', " ")));
    let mut layer = layer(id, name, base.source(path), kind, Some(style));
    layer.crs = srs;
    Some(layer)
}
