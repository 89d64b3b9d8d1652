//! Attributes of a CF grid mapping. Projections that CF does not define are described by their WKT
//! alone, which most readers prefer anyway.

use super::{Attribute, text};
use crate::engine::grid::Grid;
use gdal::spatial_ref::SpatialRef;

/// Name of the grid mapping array.
pub const GRID_MAPPING: &str = "spatial_ref";

/// Names of a projection and its parameters in GDAL's WKT and in CF.
struct Projection {
    wkt: &'static str,
    cf: &'static str,
    parameters: &'static [(&'static str, &'static str)],
}

const LONGITUDE: (&str, &str) = ("central_meridian", "longitude_of_central_meridian");
const LONGITUDE_OF_ORIGIN: (&str, &str) = ("central_meridian", "longitude_of_projection_origin");
const LATITUDE: (&str, &str) = ("latitude_of_origin", "latitude_of_projection_origin");

/// Appendix F of the conventions.
const PROJECTIONS: &[Projection] = &[
    Projection {
        wkt: "Transverse_Mercator",
        cf: "transverse_mercator",
        parameters: &[("scale_factor", "scale_factor_at_central_meridian"), LONGITUDE, LATITUDE],
    },
    Projection {
        wkt: "Lambert_Conformal_Conic_2SP",
        cf: "lambert_conformal_conic",
        parameters: &[LONGITUDE, LATITUDE],
    },
    Projection {
        wkt: "Albers_Conic_Equal_Area",
        cf: "albers_conical_equal_area",
        parameters: &[
            ("longitude_of_center", "longitude_of_central_meridian"),
            ("latitude_of_center", "latitude_of_projection_origin"),
        ],
    },
    Projection {
        wkt: "Lambert_Azimuthal_Equal_Area",
        cf: "lambert_azimuthal_equal_area",
        parameters: &[
            ("longitude_of_center", "longitude_of_projection_origin"),
            ("latitude_of_center", "latitude_of_projection_origin"),
        ],
    },
    Projection {
        wkt: "Mercator_1SP",
        cf: "mercator",
        parameters: &[("scale_factor", "scale_factor_at_projection_origin"), LONGITUDE_OF_ORIGIN],
    },
];

/// Returns the attributes, if the grid has a CRS.
pub fn grid_mapping(grid: &Grid) -> Option<Vec<(&'static str, Attribute)>> {
    let wkt = grid.crs.as_ref()?;
    let transform = grid.transform.map(|number| number.to_string()).join(" ");
    // The second one is read by GDAL and rioxarray.
    let mut attributes =
        vec![("crs_wkt", text(wkt)), (GRID_MAPPING, text(wkt)), ("GeoTransform", text(transform))];
    if let Ok(crs) = SpatialRef::from_wkt(wkt) {
        attributes.extend(projection(&crs).unwrap_or_default());
    }
    Some(attributes)
}

/// Returns CF's description of a projection, if CF defines it.
fn projection(crs: &SpatialRef) -> Option<Vec<(&'static str, Attribute)>> {
    let name = crs.get_attr_value("PROJECTION", 0).ok()??;
    let known = PROJECTIONS.iter().find(|known| known.wkt == name)?;
    // In degrees and in the unit of the coordinates, as in CF.
    let parameter = |name: &str| crs.get_proj_param(name).ok().flatten();
    let mut attributes = vec![("grid_mapping_name", text(known.cf))];
    let parallels: Vec<f64> = ["standard_parallel_1", "standard_parallel_2"]
        .iter()
        .filter_map(|name| parameter(name))
        .collect();
    if !parallels.is_empty() {
        attributes.push(("standard_parallel", Attribute::Numbers(parallels)));
    }
    let offsets = [("false_easting", "false_easting"), ("false_northing", "false_northing")];
    for (wkt, cf) in known.parameters.iter().copied().chain(offsets) {
        if let Some(number) = parameter(wkt) {
            attributes.push((cf, Attribute::Numbers(vec![number])));
        }
    }
    if let Ok(radius) = crs.semi_major() {
        attributes.push(("semi_major_axis", Attribute::Numbers(vec![radius])));
    }
    if let Ok(radius) = crs.semi_minor() {
        attributes.push(("semi_minor_axis", Attribute::Numbers(vec![radius])));
    }
    Some(attributes)
}
