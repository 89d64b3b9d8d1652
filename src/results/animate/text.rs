//! Text in an animation.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Height of a line (pixels).
pub const HEIGHT: usize = RasterHeight::Size16.val();

/// Replacements for characters that the font lacks.
const INSTEAD: [(char, &str); 5] =
    [('≥', ">="), ('≤', "<="), ('–', "-"), ('−', "-"), ('\u{202f}', " ")];

/// Replaces characters that the font lacks.
fn plain(text: &str) -> String {
    let one = |letter: char| match INSTEAD.iter().find(|(odd, _)| *odd == letter) {
        Some((_, instead)) => (*instead).to_string(),
        None => letter.to_string(),
    };
    text.chars().map(one).collect()
}

/// Returns the width of a text (pixels).
pub fn width(text: &str) -> usize {
    plain(text).chars().count() * get_raster_width(FontWeight::Regular, RasterHeight::Size16)
}

/// Calls `put` for each pixel of a text: across, down, and its ink (0 to 255).
pub fn draw(text: &str, mut put: impl FnMut(usize, usize, u8)) {
    let step = get_raster_width(FontWeight::Regular, RasterHeight::Size16);
    for (at, letter) in plain(text).chars().enumerate() {
        let raster = |letter| get_raster(letter, FontWeight::Regular, RasterHeight::Size16);
        let Some(raster) = raster(letter).or_else(|| raster('?')) else { continue };
        for (down, row) in raster.rows().enumerate() {
            for (across, &ink) in row.iter().enumerate() {
                put(at * step + across, down, ink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_signs_have_ink() {
        for text in ["≥ 10 m", "m²/s", "2021-07-14 12:30", "Höhe −3"] {
            let mut ink = 0u64;
            draw(text, |across, down, now| {
                assert!(across < width(text) && down < HEIGHT);
                ink += u64::from(now);
            });
            assert!(ink > 1000, "{text}");
        }
    }
}
