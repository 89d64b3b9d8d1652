//! The scale bar of a sheet.

use super::layout::Layout;
use super::xml::Xml;
use crate::output::colour::classes::at_most;
use std::io;

/// What QGIS calls this kind of item.
const A_SCALE_BAR: &str = "65646";

impl Layout<'_> {
    /// Two round lengths of the map.
    pub(super) fn write_scale_bar(&self, xml: &mut Xml) -> io::Result<()> {
        let [west, _, east, _] = self.sheet.extent(self.project.extent);
        let width = self.sheet.map[2];
        // Two segments of up to 22 mm each.
        let metres = at_most((east - west) * self.project.metres_per_unit * 22.0 / width);
        let (unit, label, per) =
            if metres >= 1000.0 { ("km", "km", 1000.0) } else { ("meters", "m", 1.0) };
        let (map, each) = (self.uuid(1), (metres / per).to_string());
        let on_paper = metres / ((east - west) * self.project.metres_per_unit) * width;
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
        self.item(xml, A_SCALE_BAR, 4, self.sheet.scale_bar, &more, |xml| {
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
