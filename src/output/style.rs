//! QGIS styles (.qml) of layers that are not rasters of the run: the hillshade, and points, lines
//! and polygons.

use crate::output::project::MapLayerKind;
use crate::output::symbols::{self, KindSymbol};
use crate::words::printable;
use quick_xml::escape::escape;

/// Multidirectional hillshade; `{{z}}` is the vertical exaggeration.
pub const HILLSHADE: &str = include_str!("styles/hillshade.qml");

/// An empty style, which leaves the choice to QGIS.
pub const PLAIN: &str = "<qgis></qgis>";

/// Outline colour of objects that hide the ground.
const EDGE: &str = "79,72,66";

/// Symbol of points, lines or polygons.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// QGIS's name of the shape of points.
    pub shape: &'static str,
    /// Set if polygons are filled, for objects that hide the ground.
    pub filled: bool,
}

/// Returns the style of a vector layer, labelled with the field `names` if there is one.
pub fn of_vectors(kind: MapLayerKind, look: Symbol, names: Option<&str>) -> String {
    let template = match kind {
        MapLayerKind::Raster | MapLayerKind::Points => include_str!("styles/points.qml"),
        MapLayerKind::Lines => include_str!("styles/lines.qml"),
        MapLayerKind::Polygons => include_str!("styles/polygons.qml"),
    };
    let pale = is_pale(look.colour);
    // Outline and label halo of pale marks, and of others.
    let outline = if pale { DARK } else { "255,255,255" };
    let colour = look.colour.map(|part| part.to_string()).join(",");
    fill(
        template,
        &[
            ("labels", names.map_or_else(String::new, |field| labels(kind, look.colour, field))),
            ("edge", if look.filled { EDGE.into() } else { colour.clone() }),
            ("width", if look.filled { "0.15" } else { "0.6" }.into()),
            ("colour", colour),
            ("outline", outline.into()),
            ("shape", look.shape.into()),
            ("fill", if look.filled { "255" } else { "0" }.into()),
        ],
    )
}

/// Returns the style of lines with a field `kind`, with a symbol for each, labelled with the field
/// `names`.
pub fn of_kinds(kinds: &[&KindSymbol], names: &str) -> String {
    let ink = kinds.first().map_or([34, 48, 60], |symbol| symbol.colour);
    fill(
        include_str!("styles/kinds.qml"),
        &[
            ("renderer", symbols::renderer(kinds)),
            ("labels", labels(MapLayerKind::Lines, ink, names)),
        ],
    )
}

/// Dark ink, for pale marks.
const DARK: &str = "34,48,60";

fn is_pale(colour: [u8; 3]) -> bool {
    colour.map(u32::from).iter().sum::<u32>() > 380
}

/// Returns the labels of a vector layer from one of its fields.
fn labels(kind: MapLayerKind, colour: [u8; 3], field: &str) -> String {
    // Lines are few and rarely leave room for a label at their ends, so it may overlap other
    // things.
    let (placement, all) = match kind {
        MapLayerKind::Lines => ("2", "1"),
        MapLayerKind::Polygons => ("1", "0"),
        MapLayerKind::Points | MapLayerKind::Raster => ("6", "0"),
    };
    let ink = match is_pale(colour) {
        true => DARK.into(),
        false => colour.map(|part| part.to_string()).join(","),
    };
    fill(
        include_str!("styles/labels.qml"),
        &[
            ("field", escape(printable(field)).into_owned()),
            ("ink", ink),
            ("placement", placement.into()),
            ("all", all.into()),
        ],
    )
}

/// Replaces `{{name}}` in a template. Values must be valid in XML, as numbers and units are.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(template.to_string(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quick_xml::events::Event;
    use quick_xml::reader::Reader;

    #[test]
    fn styles_are_whole_and_well_formed() {
        let look = Symbol { colour: [1, 2, 3], shape: "circle", filled: true };
        for kind in [MapLayerKind::Points, MapLayerKind::Lines, MapLayerKind::Polygons] {
            for names in [None, Some("a & \"b\"")] {
                let text = of_vectors(kind, look, names);
                assert!(!text.contains("{{"), "{text}");
                assert_eq!(text.contains("<labeling"), names.is_some());
                // The name of a short section is placed beyond its ends, whatever is there.
                let always = text.contains("displayAll=\"1\"") && text.contains("overrunDistance=");
                assert_eq!(always, names.is_some() && kind == MapLayerKind::Lines);
                let mut reader = Reader::from_str(&text);
                while !matches!(reader.read_event().unwrap(), Event::Eof) {}
            }
        }
        let all: Vec<&KindSymbol> = symbols::KINDS.iter().collect();
        let text = of_kinds(&all, "name");
        assert_eq!(text.matches("<category ").count(), all.len());
        let mut reader = Reader::from_str(&text);
        while !matches!(reader.read_event().unwrap(), Event::Eof) {}
        assert!(!fill(HILLSHADE, &[("z", "0.3".into())]).contains("{{"));
    }
}
