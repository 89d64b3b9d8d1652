//! The lines of coordinates on the map of a sheet, with what they are along its left and lower side.

use super::xml::{Xml, write_options};
use crate::output::colour::classes::{at_least, decimals};
use std::io;

/// Lines across the longer side of a map, about.
const LINES: f64 = 6.0;

/// Writes the lines of a map of such an extent (west, south, east, north).
pub fn write(xml: &mut Xml, [west, south, east, north]: [f64; 4], uuid: &str) -> io::Result<()> {
    let every = at_least((east - west).max(north - south) / LINES);
    let (step, precision) = (every.to_string(), decimals(every).to_string());
    let grid = xml.create_element("ComposerMapGrid").with_attributes([
        ("uuid", uuid),
        ("name", "Coordinates"),
        ("show", "1"),
        ("position", "3"),
        ("unit", "0"),
        ("intervalX", &*step),
        ("intervalY", &step),
        ("offsetX", "0"),
        ("offsetY", "0"),
        ("gridStyle", "0"),
        ("gridFrameStyle", "0"),
        ("gridFrameSideFlags", "15"),
        ("blendMode", "0"),
        ("showAnnotation", "1"),
        ("annotationFormat", "0"),
        ("annotationPrecision", &precision),
        ("frameAnnotationDistance", "0.8"),
    ]);
    // Outside of the frame; 3 is nothing, 1 is upwards.
    let grid = grid.with_attributes([
        ("leftAnnotationDisplay", "0"),
        ("bottomAnnotationDisplay", "0"),
        ("rightAnnotationDisplay", "3"),
        ("topAnnotationDisplay", "3"),
        ("leftAnnotationPosition", "1"),
        ("bottomAnnotationPosition", "1"),
        ("rightAnnotationPosition", "1"),
        ("topAnnotationPosition", "1"),
        ("leftAnnotationDirection", "1"),
        ("bottomAnnotationDirection", "0"),
        ("rightAnnotationDirection", "0"),
        ("topAnnotationDirection", "0"),
    ]);
    grid.write_inner_content(|xml| {
        xml.create_element("lineStyle").write_inner_content(write_line)?;
        let text = xml.create_element("text-style").with_attributes([
            ("fontFamily", "Sans Serif"),
            ("fontSize", "6.5"),
            ("fontSizeUnit", "Point"),
            ("textColor", "34,48,60,255"),
            ("textOpacity", "1"),
        ]);
        text.write_empty()?;
        Ok(())
    })?;
    Ok(())
}

/// Thin and pale: the flood is what is looked at.
fn write_line(xml: &mut Xml) -> io::Result<()> {
    let symbol = xml.create_element("symbol").with_attributes([
        ("type", "line"),
        ("name", ""),
        ("alpha", "1"),
        ("clip_to_extent", "1"),
        ("force_rhr", "0"),
    ]);
    symbol.write_inner_content(|xml| {
        let layer = xml.create_element("layer").with_attributes([
            ("class", "SimpleLine"),
            ("enabled", "1"),
            ("pass", "0"),
            ("locked", "0"),
        ]);
        layer.write_inner_content(|xml| {
            let look = [
                ("line_color", "34,48,60,70"),
                ("line_style", "solid"),
                ("line_width", "0.12"),
                ("line_width_unit", "MM"),
            ];
            write_options(xml, look)
        })?;
        Ok(())
    })?;
    Ok(())
}
