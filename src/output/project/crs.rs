//! A coordinate reference system in a project.

use super::xml::{Xml, leaf};
use gdal::spatial_ref::SpatialRef;
use std::io;

/// A CRS in an element of a given name.
pub fn write(xml: &mut Xml, element: &str, wkt: &str) -> io::Result<()> {
    xml.create_element(element).write_inner_content(|xml| write_bare(xml, wkt))?;
    Ok(())
}

/// A CRS: its WKT, and its code if it has one, by which QGIS knows it best.
pub fn write_bare(xml: &mut Xml, wkt: &str) -> io::Result<()> {
    xml.create_element("spatialrefsys").write_inner_content(|xml| {
        leaf(xml, "wkt", wkt)?;
        code(wkt).map_or(Ok(()), |code| leaf(xml, "authid", &code))
    })?;
    Ok(())
}

/// The authority's code, like `EPSG:32633`.
fn code(wkt: &str) -> Option<String> {
    let srs = SpatialRef::from_wkt(wkt).ok()?;
    Some(format!("{}:{}", srs.auth_name()?, srs.auth_code().ok()?))
}
