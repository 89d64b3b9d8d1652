//! Paper of a layout (A4) and the placement of its parts.

/// Left, top, width and height of a part (mm).
pub type SheetArea = [f64; 4];

/// Layout of a sheet.
#[derive(Debug)]
pub struct Sheet {
    /// Width and height (mm).
    pub page: [f64; 2],
    /// SheetArea of the title.
    pub title: SheetArea,
    /// SheetArea of the map name, project, author and date.
    pub report_details: SheetArea,
    /// SheetArea of the logo.
    pub logo: SheetArea,
    /// SheetArea of the map; its coordinates are to the left and below.
    pub map: SheetArea,
    /// SheetArea of the legend.
    pub legend: SheetArea,
    /// Maximum number of legend columns.
    pub columns: &'static str,
    /// SheetArea of the scale bar.
    pub scale_bar: SheetArea,
    /// SheetArea of the north arrow.
    pub north: SheetArea,
    /// SheetArea of the facts about the run.
    pub facts: SheetArea,
    /// Maximum length of a legend line (characters): for layer names, and for labels.
    pub widest: (usize, usize),
    /// Maximum length of a line of the facts (characters).
    pub widest_fact: usize,
}

/// Space around the area of a map.
const MARGIN: f64 = 1.03;

/// Round scales, times a power of ten.
const ROUND: [f64; 11] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

/// Height of the scale as a ratio, above the scale bar (mm).
pub const RATIO: f64 = 6.0;

const LANDSCAPE: Sheet = Sheet {
    page: [297.0, 210.0],
    title: [10.0, 5.0, 277.0, 8.5],
    report_details: [10.0, 13.5, 277.0, 9.5],
    logo: [243.0, 6.0, 44.0, 15.0],
    map: [15.0, 25.0, 198.0, 173.0],
    legend: [216.0, 24.0, 71.0, 100.0],
    columns: "1",
    scale_bar: [217.0, 140.0, 50.0, 12.0],
    north: [273.0, 134.0, 13.0, 17.0],
    facts: [217.0, 156.0, 71.0, 46.0],
    widest: (34, 38),
    widest_fact: 48,
};

/// With the legend below the map, for areas only slightly taller than wide.
const PORTRAIT: Sheet = Sheet {
    page: [210.0, 297.0],
    title: [10.0, 5.0, 190.0, 8.5],
    report_details: [10.0, 13.5, 190.0, 9.5],
    logo: [158.0, 6.0, 42.0, 15.0],
    map: [15.0, 25.0, 185.0, 197.0],
    legend: [14.0, 228.0, 118.0, 60.0],
    columns: "2",
    scale_bar: [134.0, 231.0, 50.0, 12.0],
    north: [188.0, 228.0, 12.0, 16.0],
    facts: [134.0, 247.0, 67.0, 43.0],
    widest: (34, 38),
    widest_fact: 46,
};

/// With the legend beside the map, for tall areas.
const TALL: Sheet = Sheet {
    map: [15.0, 25.0, 127.0, 260.0],
    legend: [144.0, 24.0, 58.0, 150.0],
    columns: "1",
    scale_bar: [145.0, 212.0, 42.0, 12.0],
    north: [190.0, 206.0, 11.0, 15.0],
    facts: [145.0, 229.0, 57.0, 58.0],
    widest: (27, 28),
    widest_fact: 38,
    ..PORTRAIT
};

impl Sheet {
    /// Returns the sheet on which an extent (west, south, east, north) is largest.
    pub fn of([west, south, east, north]: [f64; 4]) -> &'static Sheet {
        let scale =
            |sheet: &Sheet| (sheet.map[2] / (east - west)).min(sheet.map[3] / (north - south));
        let mut best = &LANDSCAPE;
        for sheet in [&PORTRAIT, &TALL] {
            if scale(sheet) > 1.02 * scale(best) {
                best = sheet;
            }
        }
        best
    }

    /// Narrows a part to make room for the logo, if there is one.
    pub fn beside_logo(&self, [left, top, width, height]: SheetArea, has_logo: bool) -> SheetArea {
        let most = if has_logo { self.logo[0] - left - 2.0 } else { width };
        [left, top, width.min(most), height]
    }

    /// Expands an extent to the aspect ratio of the map, with a margin, at a round scale such as 1
    /// to 25 000.
    pub fn extent(&self, [west, south, east, north]: [f64; 4], metres_per_unit: f64) -> [f64; 4] {
        let shape = self.map[2] / self.map[3];
        let (width, height) = (MARGIN * (east - west), MARGIN * (north - south));
        let width = width.max(height * shape);
        let ratio = width * metres_per_unit * 1e3 / self.map[2];
        let power = 10f64.powf(ratio.log10().floor());
        let round = ROUND.into_iter().map(|round| round * power).find(|round| *round >= ratio);
        let width = width * round.map_or(1.0, |round| round / ratio);
        let height = width / shape;
        let (x, y) = (0.5 * (west + east), 0.5 * (south + north));
        [x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tall_areas_are_on_tall_paper_and_every_part_is_on_it() {
        for (width, height, page) in
            [(12.0, 8.0, [297.0, 210.0]), (7.0, 8.0, [210.0, 297.0]), (3.0, 8.0, [210.0, 297.0])]
        {
            let extent = [500.0, 100.0, 500.0 + width, 100.0 + height];
            let sheet = Sheet::of(extent);
            assert_eq!(sheet.page, page, "{width} x {height}");
            let [west, south, east, north] = sheet.extent(extent, 1.0);
            let ratio = (east - west) * 1e3 / sheet.map[2];
            assert!((ratio.round() - ratio).abs() < 1e-6, "1 : {ratio}");
            assert_eq!(ratio.round() % 10.0, 0.0, "1 : {ratio}");
            assert!(
                west < 500.0 && south < 100.0 && east > 500.0 + width && north > 100.0 + height
            );
            assert!(
                ((east - west) / (north - south) * sheet.map[3] / sheet.map[2] - 1.0).abs() < 1e-9
            );
            for [left, top, width, height] in [
                sheet.title,
                sheet.report_details,
                sheet.logo,
                sheet.map,
                sheet.legend,
                sheet.scale_bar,
                sheet.north,
                sheet.facts,
            ] {
                assert!(left >= 5.0 && top >= 5.0, "{sheet:?}");
                assert!(
                    left + width <= page[0] - 5.0 && top + height <= page[1] - 5.0,
                    "{sheet:?}"
                );
            }
        }
    }
}
