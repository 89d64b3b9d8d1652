//! Print layouts: a sheet (A4, landscape) for each map, with title, legend, scale bar, north arrow and facts, ready to be
//! exported.

use super::layer::WRAP;
use super::xml::Xml;
use super::{Group, MapLayer, Project, Role};
use crate::colour::classes::at_most;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io;

/// Left, top, width and height of the parts of a sheet (mm).
const TITLE: [f64; 4] = [10.0, 8.0, 277.0, 11.0];
const MAP: [f64; 4] = [10.0, 22.0, 203.0, 178.0];
const LEGEND: [f64; 4] = [216.0, 22.0, 71.0, 100.0];
const SCALE_BAR: [f64; 4] = [217.0, 143.0, 50.0, 12.0];
const NORTH: [f64; 4] = [273.0, 137.0, 13.0, 17.0];
const FACTS: [f64; 4] = [217.0, 160.0, 70.0, 40.0];

/// What QGIS calls the kinds of items.
const PAGE: &str = "65638";
const A_MAP: &str = "65639";
const PICTURE: &str = "65640";
const LABEL: &str = "65641";
const A_LEGEND: &str = "65642";
const A_SCALE_BAR: &str = "65646";

/// An arrow and an N.
const ARROW: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -2 24 50"><path d="M0 0 L9 27 L0 20.5 L-9 27 Z" fill="#22303c"/><path d="M-5 46 V32 L5 46 V32" fill="none" stroke="#22303c" stroke-width="2.6"/></svg>"##;

/// Writes a layout for every map that has one.
pub(super) fn write(xml: &mut Xml, project: &Project) -> io::Result<()> {
    let maps: Vec<&MapLayer> = project.groups.iter().flat_map(Group::sheets).collect();
    if maps.is_empty() {
        return Ok(());
    }
    xml.create_element("Layouts").write_inner_content(|xml| {
        maps.iter().enumerate().try_for_each(|(number, map)| {
            let layout = Layout { project, map, number };
            layout.write(xml)
        })
    })?;
    Ok(())
}

struct Layout<'a> {
    project: &'a Project,
    map: &'a MapLayer,
    number: usize,
}

impl Layout<'_> {
    /// The identity of an item, the same in every run.
    fn uuid(&self, item: usize) -> String {
        format!("{{00000000-0000-4000-8000-{:08}{item:04}}}", self.number)
    }

    fn write(&self, xml: &mut Xml) -> io::Result<()> {
        let layout = xml.create_element("Layout").with_attributes([
            ("name", &*self.map.name),
            ("units", "mm"),
            ("printResolution", "200"),
            ("worldFileMap", ""),
        ]);
        layout.write_inner_content(|xml| {
            xml.create_element("PageCollection").write_inner_content(|xml| {
                self.item(xml, PAGE, 0, [0.0, 0.0, 297.0, 210.0], &[], |_| Ok(()))
            })?;
            self.write_map(xml)?;
            self.write_label(xml, 2, TITLE, &self.title(), 16.0, true)?;
            self.write_legend(xml)?;
            self.write_scale_bar(xml)?;
            let arrow = format!("base64:{}", STANDARD.encode(ARROW));
            let map = self.uuid(1);
            let north = [("file", &*arrow), ("mapUuid", &*map), ("mode", "0"), ("northMode", "0")];
            self.item(xml, PICTURE, 5, NORTH, &north, |_| Ok(()))?;
            self.write_label(xml, 6, FACTS, &self.project.facts.join("\n"), 7.5, false)
        })?;
        Ok(())
    }

    fn title(&self) -> String {
        format!("{}: {}", self.project.title, self.map.name)
    }

    /// An item of the sheet.
    fn item(
        &self,
        xml: &mut Xml,
        kind: &str,
        number: usize,
        [left, top, width, height]: [f64; 4],
        more: &[(&str, &str)],
        inside: impl FnOnce(&mut Xml) -> io::Result<()>,
    ) -> io::Result<()> {
        let (uuid, place) = (self.uuid(number), format!("{left},{top},mm"));
        let (size, level) = (format!("{width},{height},mm"), number.to_string());
        let item = xml.create_element("LayoutItem").with_attributes([
            ("type", kind),
            ("uuid", &uuid),
            ("templateUuid", &uuid),
            ("position", &place),
            ("positionOnPage", &place),
            ("size", &size),
            ("zValue", &level),
            ("visibility", "1"),
            ("opacity", "1"),
            ("referencePoint", "0"),
            ("outlineWidthM", "0.3,mm"),
            ("frame", if kind == A_MAP { "true" } else { "false" }),
            ("background", if [PAGE, A_MAP].contains(&kind) { "true" } else { "false" }),
        ]);
        item.with_attributes(more.iter().copied()).write_inner_content(|xml| {
            for (name, shade) in [("FrameColor", "60"), ("BackgroundColor", "255")] {
                let colour = xml.create_element(name);
                let parts = [("red", shade), ("green", shade), ("blue", shade), ("alpha", "255")];
                colour.with_attributes(parts).write_empty()?;
            }
            inside(xml)
        })?;
        Ok(())
    }

    /// The extent of the project in the shape of the frame: west, south, east and north.
    fn extent(&self) -> [f64; 4] {
        let [west, south, east, north] = self.project.extent;
        let shape = MAP[2] / MAP[3];
        let (width, height) = (1.03 * (east - west), 1.03 * (north - south));
        let (width, height) = (width.max(height * shape), height.max(width / shape));
        let (x, y) = (0.5 * (west + east), 0.5 * (south + north));
        [x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height]
    }

    fn write_map(&self, xml: &mut Xml) -> io::Result<()> {
        let more = [
            ("followPreset", "true"),
            ("followPresetName", &*self.map.name),
            ("keepLayerSet", "false"),
            ("mapRotation", "0"),
            ("drawCanvasItems", "true"),
            ("isTemporal", "0"),
        ];
        let sides = self.extent().map(|side| side.to_string());
        self.item(xml, A_MAP, 1, MAP, &more, |xml| {
            let names = ["xmin", "ymin", "xmax", "ymax"];
            let sides = names.into_iter().zip(sides.iter().map(String::as_str));
            xml.create_element("Extent").with_attributes(sides).write_empty()?;
            Ok(())
        })
    }

    fn write_label(
        &self,
        xml: &mut Xml,
        number: usize,
        place: [f64; 4],
        text: &str,
        size: f64,
        bold: bool,
    ) -> io::Result<()> {
        let valign = if bold { "128" } else { "64" };
        let more = [("labelText", text), ("htmlState", "0"), ("halign", "1"), ("valign", valign)];
        self.item(xml, LABEL, number, place, &more, |xml| {
            let font = xml.create_element("LabelFont");
            font.with_attribute(("description", &*font_of(size, bold))).write_empty()?;
            let colour = [("red", "34"), ("green", "48"), ("blue", "60"), ("alpha", "255")];
            xml.create_element("FontColor").with_attributes(colour).write_empty()?;
            Ok(())
        })
    }

    /// The map and what lies over it; the ground needs no legend.
    fn write_legend(&self, xml: &mut Xml) -> io::Result<()> {
        let over = |group: &&Group| group.role == Role::Backdrop && group.in_legend;
        let over = self.project.groups.iter().filter(over).flat_map(|group| &group.layers);
        let layers: Vec<&MapLayer> = [self.map].into_iter().chain(over).collect();
        let map = self.uuid(1);
        let more = [
            ("map_uuid", &*map),
            ("resizeToContents", "1"),
            ("columnCount", "1"),
            ("symbolWidth", "6"),
            ("symbolHeight", "3.4"),
            ("boxSpace", "1"),
            ("lineSpacing", "1"),
            ("symbolAlignment", "1"),
            ("titleAlignment", "1"),
            ("title", ""),
            ("wrapChar", WRAP),
            ("fontColor", "#22303c"),
        ];
        self.item(xml, A_LEGEND, 3, LEGEND, &more, |xml| {
            xml.create_element("styles").write_inner_content(|xml| {
                for (name, size, above) in [
                    ("title", 10.0, "0"),
                    ("group", 10.0, "1"),
                    ("subgroup", 9.0, "2"),
                    ("symbol", 8.0, "0.8"),
                    ("symbolLabel", 8.0, "1"),
                ] {
                    let style = xml.create_element("style").with_attributes([
                        ("name", name),
                        ("alignment", "1"),
                        ("marginTop", above),
                        ("marginLeft", if name == "symbolLabel" { "2" } else { "0" }),
                    ]);
                    style.write_inner_content(|xml| {
                        let font = xml.create_element("styleFont");
                        let bold = name == "subgroup";
                        font.with_attribute(("description", &*font_of(size, bold)))
                            .write_empty()?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
            xml.create_element("layer-tree-group").write_inner_content(|xml| {
                layers.iter().try_for_each(|layer| layer.write_legend(xml))
            })?;
            Ok(())
        })
    }

    fn write_scale_bar(&self, xml: &mut Xml) -> io::Result<()> {
        let [west, _, east, _] = self.extent();
        // Two segments of up to 22 mm each.
        let metres = at_most((east - west) * self.project.metres_per_unit * 22.0 / MAP[2]);
        let (unit, label, per) =
            if metres >= 1000.0 { ("km", "km", 1000.0) } else { ("meters", "m", 1.0) };
        let (map, each) = (self.uuid(1), (metres / per).to_string());
        let on_paper = metres / ((east - west) * self.project.metres_per_unit) * MAP[2];
        let on_paper = on_paper.to_string();
        let more = [
            ("mapUuid", &*map),
            ("style", "Single Box"),
            ("unitType", unit),
            ("unitLabel", label),
            ("numUnitsPerSegment", &each),
            ("numMapUnitsPerScaleBarUnit", "1"),
            ("numSegments", "2"),
            ("numSegmentsLeft", "0"),
            ("segmentSizeMode", "0"),
            ("segmentMillimeters", &on_paper),
            ("height", "2"),
            ("labelBarSpace", "1.5"),
            ("boxContentSpace", "1"),
            ("alignment", "0"),
        ];
        self.item(xml, A_SCALE_BAR, 4, SCALE_BAR, &more, |xml| {
            let style = xml.create_element("text-style").with_attributes([
                ("fontFamily", "Sans Serif"),
                ("fontSize", "8"),
                ("fontSizeUnit", "Point"),
                ("textColor", "34,48,60,255"),
                ("textOpacity", "1"),
            ]);
            style.write_empty()?;
            Ok(())
        })
    }
}

/// A font as QGIS writes it.
fn font_of(size: f64, bold: bool) -> String {
    let weight = if bold { 75 } else { 50 };
    format!("Sans Serif,{size},-1,5,{weight},0,0,0,0,0")
}
