//! XML snippets in the form that QGIS writes.

use gdal::spatial_ref::SpatialRef;
use quick_xml::escape::escape;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use std::io;
use std::path::Path;

/// Escapes text in an attribute, including line breaks, which readers would otherwise replace by
/// blanks.
pub fn attribute(text: &str) -> String {
    escape(text).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;")
}

/// Escapes a text so that QGIS shows it literally: in titles, labels and legends, it evaluates
/// expressions between `[%` and `%]`, which may read files and the environment.
pub fn literal(text: &str) -> String {
    text.replace("[%", "[ %")
}

/// A CRS: its WKT, and its code if it has one (`EPSG:32633`), which QGIS prefers.
pub fn crs(wkt: &str) -> String {
    let srs = SpatialRef::from_wkt(wkt).ok();
    let code = srs.and_then(|srs| Some(format!("{}:{}", srs.auth_name()?, srs.auth_code().ok()?)));
    let code = code.map_or(String::new(), |code| format!("<authid>{}</authid>", escape(code)));
    format!("<spatialrefsys><wkt>{}</wkt>{code}</spatialrefsys>", escape(wkt))
}

/// Returns a boolean in QGIS's usual form.
pub fn flag(yes: bool) -> &'static str {
    if yes { "1" } else { "0" }
}

/// Returns the state of a tick in the layer tree.
pub fn checked(yes: bool) -> &'static str {
    if yes { "Qt::Checked" } else { "Qt::Unchecked" }
}

/// Returns the content of a document's root element.
///
/// # Errors
/// If the document is truncated or not well-formed.
pub fn inside(document: &str) -> io::Result<&str> {
    let mut reader = Reader::from_str(document);
    let (mut depth, mut held) = (0, 0..0);
    loop {
        let before = reader.buffer_position() as usize;
        match reader.read_event().map_err(io::Error::other)? {
            Event::Eof if depth > 0 => return Err(io::Error::other("a style is cut short")),
            Event::Eof => return Ok(document[held].trim()),
            Event::Start(_) => {
                depth += 1;
                if depth == 1 {
                    held = reader.buffer_position() as usize..before;
                }
            }
            Event::End(_) => {
                depth -= 1;
                if depth == 0 {
                    held.end = before;
                }
            }
            _ => {}
        }
    }
}

/// Returns `true` if a project was saved by QGIS, which records the date; ours have none.
pub fn is_saved_by_qgis(path: &Path) -> bool {
    // Opening a pipe of that name would block.
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
    fn what_a_style_holds_is_taken_and_nothing_around_it() {
        let document =
            "<!DOCTYPE qgis><qgis v='1'>\n <a b=\"&lt;\"><c/></a><d>x &amp; y</d></qgis>";
        assert_eq!(inside(document).unwrap(), "<a b=\"&lt;\"><c/></a><d>x &amp; y</d>");
        assert_eq!(inside("<qgis></qgis>").unwrap(), "");
        for wrong in ["<qgis><a></qgis>", "<qgis><a>"] {
            assert!(inside(wrong).is_err(), "{wrong}");
        }
    }
}
