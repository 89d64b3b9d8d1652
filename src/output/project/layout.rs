//! Print layouts: a sheet for each map, with title, coordinates, legend, scale bar, north arrow, facts and logo, ready to be
//! exported.

use super::layer::{WRAP, wrapped};
use super::lettering::{BOTTOM, MIDDLE, TOP, fit, font_of};
use super::sheet::{Place, Sheet};
use super::xml::Xml;
use super::{Group, MapLayer, Project, Role, graticule};
use crate::input::logo::Logo;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io;

/// What QGIS calls the kinds of items.
const PAGE: &str = "65638";
const A_MAP: &str = "65639";
const PICTURE: &str = "65640";
const LABEL: &str = "65641";
const A_LEGEND: &str = "65642";

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
            let layout = Layout { project, map, number, sheet: Sheet::of(project.extent) };
            layout.write(xml)
        })
    })?;
    Ok(())
}

/// A sheet of a map.
pub(super) struct Layout<'a> {
    pub(super) project: &'a Project,
    map: &'a MapLayer,
    number: usize,
    pub(super) sheet: &'a Sheet,
}

impl Layout<'_> {
    /// The identity of an item, the same in every run.
    pub(super) fn uuid(&self, item: usize) -> String {
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
                let [width, height] = self.sheet.page;
                self.item(xml, PAGE, 0, [0.0, 0.0, width, height], &[], |_| Ok(()))
            })?;
            self.write_map(xml)?;
            let has_logo = self.project.logo.is_some();
            let place = self.sheet.beside_logo(self.sheet.title, has_logo);
            self.write_label(
                xml,
                2,
                place,
                &self.project.title,
                (fit(&self.project.title, place, 15.0), MIDDLE),
            )?;
            self.write_legend(xml)?;
            self.write_scale_bar(xml)?;
            let arrow = STANDARD.encode(ARROW);
            let map = self.uuid(1);
            let north = [("mapUuid", &*map), ("northMode", "0")];
            self.write_picture(xml, 5, self.sheet.north, (Logo::SVG, &arrow), &north)?;
            let most = self.sheet.widest_fact;
            let facts = self.project.facts.iter().map(|fact| wrapped(fact, most, "\n"));
            let facts = facts.collect::<Vec<_>>().join("\n");
            self.write_label(xml, 6, self.sheet.facts, &facts, (7.5, BOTTOM))?;
            let about = format!("{}\n{}", self.map.name, self.project.imprint.join("  ·  "));
            let place = self.sheet.beside_logo(self.sheet.imprint, has_logo);
            self.write_label(xml, 7, place, about.trim_end(), (fit(&about, place, 9.0), TOP))?;
            let Some(logo) = &self.project.logo else { return Ok(()) };
            // To the right, in its own shape.
            let place = [("anchorPoint", "2"), ("resizeMode", "0")];
            self.write_picture(xml, 8, self.sheet.logo, (logo.kind, &logo.data), &place)
        })?;
        Ok(())
    }

    /// A picture, of a kind and in base 64.
    fn write_picture(
        &self,
        xml: &mut Xml,
        number: usize,
        place: Place,
        (kind, data): (&str, &str),
        more: &[(&str, &str)],
    ) -> io::Result<()> {
        let file = format!("base64:{data}");
        let mode = if kind == Logo::SVG { "0" } else { "1" };
        let all = [&[("file", &*file), ("mode", mode)], more].concat();
        self.item(xml, PICTURE, number, place, &all, |_| Ok(()))
    }

    /// An item of the sheet.
    pub(super) fn item(
        &self,
        xml: &mut Xml,
        kind: &str,
        number: usize,
        [left, top, width, height]: Place,
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

    fn write_map(&self, xml: &mut Xml) -> io::Result<()> {
        let more = [
            ("followPreset", "true"),
            ("followPresetName", &*self.map.name),
            ("keepLayerSet", "false"),
            ("mapRotation", "0"),
            ("drawCanvasItems", "true"),
            ("isTemporal", "0"),
        ];
        let extent = self.sheet.extent(self.project.extent);
        let sides = extent.map(|side| side.to_string());
        self.item(xml, A_MAP, 1, self.sheet.map, &more, |xml| {
            let names = ["xmin", "ymin", "xmax", "ymax"];
            let sides = names.into_iter().zip(sides.iter().map(String::as_str));
            xml.create_element("Extent").with_attributes(sides).write_empty()?;
            graticule::write(xml, extent, &self.uuid(9))
        })
    }

    fn write_label(
        &self,
        xml: &mut Xml,
        number: usize,
        place: Place,
        text: &str,
        (size, valign): (f64, &str),
    ) -> io::Result<()> {
        let bold = valign == MIDDLE;
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
            ("columnCount", self.sheet.columns),
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
        self.item(xml, A_LEGEND, 3, self.sheet.legend, &more, |xml| {
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
                let widest = self.sheet.widest;
                layers.iter().try_for_each(|layer| layer.write_legend(xml, widest))
            })?;
            Ok(())
        })
    }
}
