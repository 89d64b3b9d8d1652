//! What lies under the maps of a page where the user gave a picture of the ground: that, lit as the ground is, and the bare
//! ground where it has a gap.

use super::map::plate_size;
use super::picture::{ground_shade, photograph_uri};
use crate::colour::NODATA;
use crate::error::Result;
use crate::input::background;
use crate::output::small::Small;
use crate::scenario::Facts;

/// Pixels per unit of a page: more are not seen on paper, and a page is to be mailed.
const FINE: f64 = 1.5;

/// The picture, as a `data:` address; none without a background.
pub fn draw(facts: &Facts, bed: &Small) -> Result<Option<String>> {
    let Some(path) = &facts.background else { return Ok(None) };
    let (width, height) = plate_size(&facts.grid);
    let size = [width, height].map(|side| (FINE * side).ceil().max(1.0) as usize);
    let size = (size[0], size[1]);
    let mut pixels = background::read(path, &facts.grid, size)?;
    let bed = bed.to_size(size);
    let shades = bed.shade(&facts.grid)?;
    for (at, pixel) in pixels.iter_mut().enumerate() {
        let lit = if bed.values[at] == NODATA { 255.0 } else { ground_shade(shades[at]) };
        let bare = if pixel[3] == 0 { [255; 3] } else { [pixel[0], pixel[1], pixel[2]] };
        let [red, green, blue] = bare.map(|part| (f32::from(part) * lit / 255.0) as u8);
        *pixel = [red, green, blue, 255];
    }
    photograph_uri(size, &pixels).map(Some)
}
