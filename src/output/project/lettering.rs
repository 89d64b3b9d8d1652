//! Fonts of a sheet, and their size.

use super::sheet::SheetArea;

/// QGIS's number for text aligned to the top of its item.
pub const TOP: &str = "32";
/// QGIS's number for text aligned to the bottom.
pub const BOTTOM: &str = "64";
/// QGIS's number for vertically centred text, such as the title, which is bold.
pub const MIDDLE: &str = "128";

/// Approximate width of a bold letter (mm per point of size).
const LETTER: f64 = 0.215;

/// Returns the font size (points, at most `most`) at which the longest line of a text fits into a
/// place.
pub fn fit(text: &str, [_, _, width, _]: SheetArea, most: f64) -> f64 {
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0).max(1);
    let size = width / (LETTER * longest as f64);
    // Round down to a tenth of a point, so that files do not differ in the last digits.
    (10.0 * size.clamp(0.5 * most, most)).floor() / 10.0
}

/// Returns a font in QGIS's notation.
pub fn font_of(size: f64, bold: bool) -> String {
    let weight = if bold { 75 } else { 50 };
    format!("Sans Serif,{size},-1,5,{weight},0,0,0,0,0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_have_small_letters() {
        let place = [10.0, 5.0, 100.0, 8.5];
        assert_eq!(fit("A flood", place, 15.0), 15.0);
        assert_eq!(fit(&"x".repeat(50), place, 15.0), 9.3);
        assert_eq!(fit(&"x".repeat(500), place, 15.0), 7.5);
        assert_eq!(fit("", place, 9.0), 9.0);
    }
}
