//! Small pieces of XML as QGIS writes them.

use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};
use quick_xml::reader::Reader;
use std::io;
use std::path::Path;

/// What projects are written with: it escapes, closes and indents.
pub type Xml = Writer<Vec<u8>>;

/// The first line of QGIS's documents.
pub fn doctype(xml: &mut Xml) -> io::Result<()> {
    let name = "qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'";
    xml.write_event(Event::DocType(BytesText::from_escaped(name)))
}

/// Text, to be escaped.
pub fn text(text: &str) -> BytesText<'_> {
    BytesText::new(text)
}

/// An element that holds text only.
pub fn leaf(xml: &mut Xml, name: &str, content: &str) -> io::Result<()> {
    xml.create_element(name).write_text_content(text(content))?;
    Ok(())
}

/// A map of names to texts.
pub fn write_options<'a>(
    xml: &mut Xml,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> io::Result<()> {
    let map = xml.create_element("Option").with_attribute(("type", "Map"));
    map.write_inner_content(|xml| {
        options.into_iter().try_for_each(|(name, value)| {
            let option = xml.create_element("Option").with_attributes([
                ("type", "QString"),
                ("name", name),
                ("value", value),
            ]);
            option.write_empty()?;
            Ok(())
        })
    })?;
    Ok(())
}

/// West, south, east and north as an element.
pub fn extent(xml: &mut Xml, [west, south, east, north]: [f64; 4]) -> io::Result<()> {
    xml.create_element("extent").write_inner_content(|xml| {
        let sides = [("xmin", west), ("ymin", south), ("xmax", east), ("ymax", north)];
        sides.iter().try_for_each(|(name, side)| leaf(xml, name, &side.to_string()))
    })?;
    Ok(())
}

/// A yes or no as QGIS writes most of them.
pub fn flag(yes: bool) -> &'static str {
    if yes { "1" } else { "0" }
}

/// A tick in the layer tree.
pub fn checked(yes: bool) -> &'static str {
    if yes { "Qt::Checked" } else { "Qt::Unchecked" }
}

/// Copies what a document's root element holds.
pub fn copy_inside(xml: &mut Xml, document: &str) -> io::Result<()> {
    let mut reader = Reader::from_str(document);
    let mut depth = 0;
    loop {
        let event = reader.read_event().map_err(io::Error::other)?;
        match &event {
            Event::Eof if depth > 0 => return Err(io::Error::other("a style is cut short")),
            Event::Eof => return Ok(()),
            Event::Start(_) => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            Event::End(_) => {
                depth -= 1;
                if depth == 0 {
                    continue;
                }
            }
            _ if depth == 0 => continue,
            // The writer indents by itself.
            Event::Text(text) if text.trim_ascii().is_empty() => continue,
            _ => {}
        }
        xml.write_event(event)?;
    }
}

/// Whether a project was saved by QGIS, which notes when; ours have no date.
pub fn is_saved_by_qgis(path: &Path) -> bool {
    // A pipe of that name would be waited for.
    let Some(Ok(mut reader)) = path.is_file().then(|| Reader::from_file(path)) else {
        return false;
    };
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(root)) => {
                return matches!(root.try_get_attribute("saveDateTime"), Ok(Some(_)));
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => buffer.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_style_holds_is_copied_and_nothing_around_it() {
        let mut xml = Xml::new(Vec::new());
        let document =
            "<!DOCTYPE qgis><qgis v='1'>\n <a b=\"&lt;\"><c/></a>\n <d>x &amp; y</d></qgis>";
        copy_inside(&mut xml, document).unwrap();
        let text = String::from_utf8(xml.into_inner()).unwrap();
        assert_eq!(text, "<a b=\"&lt;\"><c/></a><d>x &amp; y</d>");
        for wrong in ["<qgis><a></qgis>", "<qgis><a>"] {
            assert!(copy_inside(&mut Xml::new(Vec::new()), wrong).is_err(), "{wrong}");
        }
    }
}
