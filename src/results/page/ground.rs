//! Background of a page's maps, if the user gave a picture of the ground: the picture with the
//! ground's shading, and the bare ground in its gaps.

use super::map::plate_pixels;
use super::picture::{ground_shade, photograph_uri};
use crate::error::Result;
use crate::input::background;
use crate::output::colour::NODATA;
use crate::output::small::Small;
use crate::scenario::Facts;

/// Pixels per unit of a page: more are not visible on paper, and pages should be small enough for
/// email.
const FINE: f64 = 1.5;

/// Bilinearly interpolates a coarse raster at a pixel of a finer one.
fn between(
    (column, row): (usize, usize),
    fine: (usize, usize),
    coarse: (usize, usize),
    value: impl Fn(usize) -> f32,
) -> f32 {
    let place = |at: usize, fine: usize, coarse: usize| {
        let place = (at as f32 + 0.5) * coarse as f32 / fine as f32 - 0.5;
        let place = place.clamp(0.0, (coarse - 1) as f32);
        let before = place as usize;
        (before, (before + 1).min(coarse - 1), place - before as f32)
    };
    let (west, east, across) = place(column, fine.0, coarse.0);
    let (north, south, down) = place(row, fine.1, coarse.1);
    let along = |row: usize| {
        let (west, east) = (value(row * coarse.0 + west), value(row * coarse.0 + east));
        west + (east - west) * across
    };
    let (north, south) = (along(north), along(south));
    north + (south - north) * down
}

/// Returns the picture as a `data:` URI; `None` without a background.
pub fn draw(facts: &Facts, bed: &Small) -> Result<Option<String>> {
    let Some(path) = &facts.background else { return Ok(None) };
    let size = plate_pixels(facts.map_grid(), FINE);
    let mut pixels = background::read(path, facts.map_grid(), size)?;
    let shades = bed.shade(facts.map_grid())?;
    let shade = |at: usize| match bed.values[at] {
        NODATA => 255.0,
        _ => ground_shade(shades[at]),
    };
    for (at, pixel) in pixels.iter_mut().enumerate() {
        let lit = between((at % size.0, at / size.0), size, (bed.columns, bed.rows), shade);
        let bare = if pixel[3] == 0 { [255; 3] } else { [pixel[0], pixel[1], pixel[2]] };
        let [red, green, blue] = bare.map(|part| (f32::from(part) * lit / 255.0) as u8);
        *pixel = [red, green, blue, 255];
    }
    photograph_uri(size, &pixels).map(Some)
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn light_goes_over_from_pixel_to_pixel() {
        let at = |column, row| between((column, row), (8, 4), (4, 2), |at| at as f32);
        assert_eq!((at(0, 0), at(7, 3)), (0.0, 7.0), "as it is at the corners");
        assert_eq!((at(1, 0), at(2, 0)), (0.25, 0.75));
        assert_eq!((at(0, 1), at(0, 2)), (1.0, 3.0));
    }
}
