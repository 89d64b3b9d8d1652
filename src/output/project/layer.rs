//! A layer in a project: its entry in the layer tree and its definition.

use super::xml::{self, Xml, leaf};
use super::{Kind, MapLayer, crs};
use std::io;

impl Kind {
    /// QGIS's name of what reads it.
    fn provider(self) -> &'static str {
        if self == Kind::Raster { "gdal" } else { "ogr" }
    }

    /// QGIS's name of the geometry, for vectors.
    fn geometry(self) -> Option<&'static str> {
        match self {
            Kind::Raster => None,
            Kind::Points => Some("Point"),
            Kind::Lines => Some("Line"),
            Kind::Polygons => Some("Polygon"),
        }
    }
}

impl MapLayer {
    /// The entry in the layer tree.
    pub(super) fn write_node(&self, xml: &mut Xml) -> io::Result<()> {
        let node = xml.create_element("layer-tree-layer").with_attributes([
            ("id", &*self.id),
            ("name", &self.name),
            ("source", &self.source),
            ("providerKey", self.kind.provider()),
            ("checked", xml::checked(self.shown)),
            // The legend of a map that is hidden would only be in the way.
            ("expanded", xml::flag(self.shown && self.during.is_none())),
        ]);
        node.write_empty()?;
        Ok(())
    }

    /// The definition; `project_crs` as WKT.
    pub(super) fn write(&self, xml: &mut Xml, project_crs: Option<&str>) -> io::Result<()> {
        let of_a_kind = self.kind.geometry().map(|geometry| ("geometry", geometry));
        let kind = if of_a_kind.is_some() { "vector" } else { "raster" };
        let element = xml.create_element("maplayer").with_attribute(("type", kind));
        let element = element.with_attribute(("styleCategories", "AllStyleCategories"));
        element.with_attributes(of_a_kind).write_inner_content(|xml| {
            leaf(xml, "id", &self.id)?;
            leaf(xml, "datasource", &self.source)?;
            leaf(xml, "layername", &self.name)?;
            if let Some(wkt) = self.crs.as_deref().or(project_crs) {
                crs::write(xml, "srs", wkt)?;
            }
            if of_a_kind.is_some() {
                let provider = xml.create_element("provider");
                let provider = provider.with_attribute(("encoding", "UTF-8"));
                provider.write_text_content(xml::text(self.kind.provider()))?;
            } else {
                leaf(xml, "provider", self.kind.provider())?;
                self.write_nodata(xml)?;
            }
            self.write_time(xml)?;
            self.style.as_deref().map_or(Ok(()), |style| xml::copy_inside(xml, style))
        })?;
        Ok(())
    }

    fn write_nodata(&self, xml: &mut Xml) -> io::Result<()> {
        let values = xml.create_element("noData");
        values.write_inner_content(|xml| {
            let list = xml.create_element("noDataList");
            let list = list.with_attributes([("bandNo", "1"), ("useSrcNoData", "1")]);
            list.write_inner_content(|xml| {
                if let Some(value) = self.nodata.map(|value| value.to_string()) {
                    let range = xml.create_element("noDataRange");
                    range.with_attributes([("min", &*value), ("max", &value)]).write_empty()?;
                }
                Ok(())
            })?;
            Ok(())
        })?;
        Ok(())
    }

    fn write_time(&self, xml: &mut Xml) -> io::Result<()> {
        let Some((from, to)) = self.during else { return Ok(()) };
        let fixed = [("enabled", "1"), ("mode", "0"), ("fetchMode", "0")];
        let temporal = xml.create_element("temporal").with_attributes(fixed);
        temporal.write_inner_content(|xml| {
            xml.create_element("fixedRange").write_inner_content(|xml| {
                leaf(xml, "start", &from.to_string())?;
                leaf(xml, "end", &to.to_string())
            })?;
            Ok(())
        })?;
        Ok(())
    }
}
