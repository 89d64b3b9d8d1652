//! Print layouts: a sheet for each map with title, coordinates, legend, scale bar, north arrow,
//! facts and logo, ready to be exported.

use super::layer::wrapped;
use super::lettering::{BOTTOM, MIDDLE, TOP, fit, font_of};
use super::sheet::{RATIO, Sheet, SheetArea};
use super::{Group, MapLayer, Project, Role, xml};
use crate::input::logo::Logo;
use crate::output::colour::classes::{at_least, at_most, decimals};
use std::borrow::Borrow;

/// QGIS's type numbers of layout items.
pub const PAGE: &str = "65638";
pub const A_MAP: &str = "65639";
pub const PICTURE: &str = "65640";
const LABEL: &str = "65641";
pub const A_LEGEND: &str = "65642";
pub const A_SCALE_BAR: &str = "65646";

/// Approximate number of grid lines along the longer side of a map.
const LINES: f64 = 6.0;

/// Minimum font size of a title of one line, and maximum of one of two lines (points).
const ONE_LINE: f64 = 11.0;
const TWO_LINES: f64 = 8.5;

/// Common beginning of every item.
pub const FRAME: &str = r#"<FrameColor red="60" green="60" blue="60" alpha="255"/><BackgroundColor red="255" green="255" blue="255" alpha="255"/>"#;

/// Fonts of a legend's parts: size, boldness, and the space above and before them.
pub const LEGEND_STYLES: [(&str, f64, bool, &str, &str); 5] = [
    ("title", 10.0, false, "0", "0"),
    ("group", 10.0, false, "1", "0"),
    ("subgroup", 9.0, true, "2", "0"),
    ("symbol", 8.0, false, "0.8", "0"),
    ("symbolLabel", 8.0, false, "1", "2"),
];

/// North arrow as SVG.
pub const ARROW: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -2 24 50"><path d="M0 0 L9 27 L0 20.5 L-9 27 Z" fill="#22303c"/><path d="M-5 46 V32 L5 46 V32" fill="none" stroke="#22303c" stroke-width="2.6"/></svg>"##;

/// A sheet of a map.
pub struct Layout<'a> {
    project: &'a Project,
    pub map: &'a MapLayer,
    number: usize,
    pub sheet: &'a Sheet,
    /// Extent of the map: west, south, east and north.
    pub extent: [f64; 4],
    /// Interval of the grid lines.
    pub every: f64,
}

/// A text on a sheet: content, place, font size, and vertical alignment.
type Text = (String, SheetArea, f64, &'static str);

/// A scale bar of two segments.
pub struct ScaleBar {
    pub unit: &'static str,
    pub label: &'static str,
    /// Length of a segment, in the unit, and on the sheet (mm).
    pub each: f64,
    pub on_paper: f64,
}

/// Returns a layout for every map that has a sheet.
pub fn all(project: &Project) -> Vec<Layout<'_>> {
    let maps = project.groups.iter().flat_map(Group::sheets);
    let sheet = Sheet::of(project.extent);
    let extent = sheet.extent(project.extent, project.metres_per_unit);
    let [west, south, east, north] = extent;
    let every = at_least((east - west).max(north - south) / LINES);
    maps.enumerate()
        .map(|(number, map)| Layout { project, map, number, sheet, extent, every })
        .collect()
}

/// Returns QGIS's mode for a picture.
pub fn mode(logo: &Logo) -> &'static str {
    if logo.kind == Logo::SVG { "0" } else { "1" }
}

impl Layout<'_> {
    /// Returns a unique id of an item, equal in every run.
    pub fn uuid(&self, item: usize) -> String {
        format!("{{00000000-0000-4000-8000-{:08}{item:04}}}", self.number)
    }

    /// Returns the common attributes of an item of any kind.
    pub fn item(&self, kind: &str, number: usize, place: impl Borrow<SheetArea>) -> String {
        let [left, top, width, height] = *place.borrow();
        let uuid = self.uuid(number);
        let (frame, ground) = (kind == A_MAP, [PAGE, A_MAP].contains(&kind));
        format!(
            r#"type="{kind}" uuid="{uuid}" templateUuid="{uuid}" position="{left},{top},mm" positionOnPage="{left},{top},mm" size="{width},{height},mm" zValue="{number}" visibility="1" opacity="1" referencePoint="0" outlineWidthM="0.3,mm" frame="{frame}" background="{ground}""#
        )
    }

    /// Returns a text item; the title is bold.
    pub fn label(&self, number: usize, (text, place, size, valign): Text) -> String {
        let text = xml::attribute(&xml::literal(&text));
        let item = self.item(LABEL, number, place);
        let font = font_of(size, valign == MIDDLE);
        format!(
            r#"<LayoutItem {item} labelText="{text}" htmlState="0" halign="1" valign="{valign}">{FRAME}<LabelFont description="{font}"/><FontColor red="34" green="48" blue="60" alpha="255"/></LayoutItem>"#
        )
    }

    /// Returns the place of the whole sheet.
    pub fn page(&self) -> SheetArea {
        let [width, height] = self.sheet.page;
        [0.0, 0.0, width, height]
    }

    /// Returns the title of the sheet.
    pub fn title(&self) -> Text {
        let place = self.sheet.beside_logo(self.sheet.title, self.project.logo.is_some());
        let title = &self.project.title;
        let size = fit(title, place, 15.0);
        if size >= ONE_LINE {
            return (title.clone(), place, size, MIDDLE);
        }
        // Two lines, the first not much longer than the second.
        let title = wrapped(title, title.chars().count() / 2 + 8, "\n");
        let size = fit(&title, place, TWO_LINES);
        (title, place, size, MIDDLE)
    }

    /// Returns the map's name and the report details.
    pub fn about(&self) -> Text {
        let about = format!("{}\n{}", self.map.name, self.project.report_details.join("  ·  "));
        let place = self.sheet.beside_logo(self.sheet.report_details, self.project.logo.is_some());
        (about.trim_end().into(), place, fit(&about, place, 9.0), TOP)
    }

    /// Returns the facts about the run.
    pub fn facts(&self) -> Text {
        let facts = self.project.facts.iter();
        let facts = facts.map(|fact| wrapped(fact, self.sheet.widest_fact, "\n"));
        (facts.collect::<Vec<_>>().join("\n"), self.sheet.facts, 7.5, BOTTOM)
    }

    /// Returns the number of decimals of the coordinates.
    pub fn precision(&self) -> usize {
        decimals(self.every)
    }

    /// Returns the map and the overlays with their legend properties; the ground needs no legend.
    pub fn legend(&self) -> Vec<(&MapLayer, Vec<(String, String)>)> {
        let over = |group: &&Group| group.role == Role::Backdrop && group.in_legend;
        let over = self.project.groups.iter().filter(over).flat_map(|group| &group.layers);
        let layers = [self.map].into_iter().chain(over);
        layers.map(|layer| (layer, layer.legend(self.sheet.widest))).collect()
    }

    /// Returns the place of the scale as a ratio, above the scale bar.
    pub fn ratio(&self) -> SheetArea {
        let [left, top, width, _] = self.sheet.scale_bar;
        [left, top - RATIO, width, RATIO]
    }

    /// Returns a scale bar of two segments with a round length of up to 22 mm each.
    pub fn scale_bar(&self) -> ScaleBar {
        let [west, _, east, _] = self.extent;
        let (across, width) = ((east - west) * self.project.metres_per_unit, self.sheet.map[2]);
        let metres = at_most(across * 22.0 / width);
        let (unit, label, per) =
            if metres >= 1000.0 { ("km", "km", 1000.0) } else { ("meters", "m", 1.0) };
        ScaleBar { unit, label, each: metres / per, on_paper: metres / across * width }
    }
}
