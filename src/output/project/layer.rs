//! A layer in a project: its entry in the layer tree and its definition.

use super::{MapLayer, MapLayerKind, Style, xml};
use std::io;

/// Character at which QGIS wraps legend texts.
pub(super) const WRAP: &str = "|";

/// Wraps a text at words into lines of at most `most` characters.
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
    /// Returns QGIS's name of the data provider.
    pub(super) fn provider(self) -> &'static str {
        if self == MapLayerKind::Raster { "gdal" } else { "ogr" }
    }

    /// Returns QGIS's name of the layer type.
    pub(super) fn type_name(self) -> &'static str {
        if self == MapLayerKind::Raster { "raster" } else { "vector" }
    }

    /// Returns QGIS's name of the geometry, for vectors.
    pub(super) fn geometry(self) -> Option<&'static str> {
        match self {
            MapLayerKind::Raster => None,
            MapLayerKind::Points => Some("Point"),
            MapLayerKind::Lines => Some("Line"),
            MapLayerKind::Polygons => Some("Polygon"),
        }
    }
}

impl MapLayer {
    /// Returns the name as shown by QGIS.
    pub(super) fn title(&self) -> String {
        xml::literal(&self.name)
    }

    /// Returns the attributes of its entry in the layer tree, ticked or not.
    pub(super) fn entry(&self, shown: bool) -> String {
        format!(
            r#"id="{}" name="{}" source="{}" providerKey="{}" checked="{}" expanded="{}""#,
            xml::attribute(&self.id),
            xml::attribute(&self.title()),
            xml::attribute(&self.source),
            self.kind.provider(),
            xml::checked(shown),
            // The legend of a hidden map would be in the way.
            xml::flag(shown && self.during.is_none()),
        )
    }

    /// Returns QGIS's properties of the entry in a sheet's legend: for a raster the painted
    /// colours, without the band name. Long texts are wrapped at [`WRAP`]; `widest` limits the
    /// length of names and labels.
    pub(super) fn legend(&self, widest: (usize, usize)) -> Vec<(String, String)> {
        let mut properties = Vec::new();
        if self.name.chars().count() > widest.0 {
            properties.push((
                "legend/title-label".to_string(),
                xml::literal(&wrapped(&self.name, widest.0, WRAP)),
            ));
        }
        if let Style::Ramp(ramp) = &self.style {
            // The first entry is the band.
            let painted = || ramp.stops.iter().zip(1..).filter(|(stop, _)| stop.colour[3] > 0);
            let numbers: Vec<String> = painted().map(|(_, at)| at.to_string()).collect();
            properties.push(("legend/node-order".into(), numbers.join(",")));
            let long = painted().filter(|(stop, _)| stop.label.chars().count() > widest.1);
            properties.extend(long.map(|(stop, at)| {
                (format!("legend/label-{at}"), xml::literal(&wrapped(&stop.label, widest.1, WRAP)))
            }));
        }
        properties
    }

    /// Returns the style as part of the layer's definition.
    pub(super) fn styled(&self) -> io::Result<String> {
        match &self.style {
            Style::Ramp(ramp) => xml::inside(&ramp.to_qml()).map(String::from),
            Style::Document(text) => xml::inside(text).map(String::from),
        }
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
