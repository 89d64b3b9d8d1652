//! A layer in a project: its entry in the layer tree and its definition.

use super::xml::{self, Xml, leaf};
use super::{MapLayer, MapLayerKind, Style, crs};
use std::io;

/// Where QGIS breaks texts of a legend.
pub(super) const WRAP: &str = "|";

/// A text in lines of so many letters, as far as its words allow.
pub(super) fn wrapped(text: &str, most: usize, wrap: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= most {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.into());
        }
    }
    lines.join(wrap)
}

impl MapLayerKind {
    /// QGIS's name of what reads it.
    fn provider(self) -> &'static str {
        if self == MapLayerKind::Raster { "gdal" } else { "ogr" }
    }

    /// QGIS's name of the geometry, for vectors.
    fn geometry(self) -> Option<&'static str> {
        match self {
            MapLayerKind::Raster => None,
            MapLayerKind::Points => Some("Point"),
            MapLayerKind::Lines => Some("Line"),
            MapLayerKind::Polygons => Some("Polygon"),
        }
    }
}

impl MapLayer {
    /// The entry in the layer tree.
    pub(super) fn write_node(&self, xml: &mut Xml) -> io::Result<()> {
        self.write_entry(xml, &[])
    }

    /// The entry in the legend of a sheet: of a raster the colours that are painted, and not the name of its band. Long
    /// texts are broken at [`WRAP`], names and labels into lines of so many letters.
    pub(super) fn write_legend(&self, xml: &mut Xml, widest: (usize, usize)) -> io::Result<()> {
        let mut properties = Vec::new();
        if self.name.chars().count() > widest.0 {
            properties
                .push(("legend/title-label".to_string(), wrapped(&self.name, widest.0, WRAP)));
        }
        if let Style::Ramp(ramp) = &self.style {
            // The first entry is the band.
            let painted = || ramp.stops.iter().zip(1..).filter(|(stop, _)| stop.colour[3] > 0);
            let numbers: Vec<String> = painted().map(|(_, at)| at.to_string()).collect();
            properties.push(("legend/node-order".into(), numbers.join(",")));
            let long = painted().filter(|(stop, _)| stop.label.chars().count() > widest.1);
            properties.extend(long.map(|(stop, at)| {
                (format!("legend/label-{at}"), wrapped(&stop.label, widest.1, WRAP))
            }));
        }
        MapLayer { shown: true, ..self.clone() }.write_entry(xml, &properties)
    }

    /// An entry in a tree, with QGIS's properties of it.
    fn write_entry(&self, xml: &mut Xml, properties: &[(String, String)]) -> io::Result<()> {
        let node = xml.create_element("layer-tree-layer").with_attributes([
            ("id", &*self.id),
            ("name", &self.name),
            ("source", &self.source),
            ("providerKey", self.kind.provider()),
            ("checked", xml::checked(self.shown)),
            // The legend of a map that is hidden would only be in the way.
            ("expanded", xml::flag(self.shown && self.during.is_none())),
        ]);
        if properties.is_empty() {
            node.write_empty()?;
            return Ok(());
        }
        node.write_inner_content(|xml| {
            xml.create_element("customproperties").write_inner_content(|xml| {
                xml::write_options(xml, properties.iter().map(|(name, value)| (&**name, &**value)))
            })?;
            Ok(())
        })?;
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
            match &self.style {
                Style::Ramp(ramp) => xml::copy_inside(xml, &ramp.to_qml()),
                Style::Document(text) => xml::copy_inside(xml, text),
            }
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

#[cfg(test)]
mod tests {
    use super::{WRAP, wrapped};

    #[test]
    fn long_texts_are_broken_between_words() {
        let text = "unsafe for people and vehicles; all buildings may fail";
        assert_eq!(
            wrapped(text, 30, WRAP),
            "unsafe for people and|vehicles; all buildings may|fail"
        );
        assert_eq!(wrapped("depth", 3, WRAP), "depth");
    }
}
