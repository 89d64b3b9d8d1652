//! Palette of an animation: a few water colours, each over a few shades of the ground, and greys
//! for text. It is common to all frames, so nothing flickers and no colour needs approximation.

use crate::output::colour::{Colour, Ramp};
use crate::results::page::picture::{ground_shade, mix};

/// Number of ground shades, from dark to bright.
const SHADES: usize = 16;

/// Number of water colours; with dry ground and the greys they fill the 256 colours of a GIF.
const WATERS: usize = 14;

/// Number of greys for text, from white to ink.
const GREYS: usize = 8;

/// Colour of text, and of cells outside the domain.
const INK: [u8; 3] = [34, 48, 60];

/// Transparent index: the pixel of the previous frame stays.
pub const SAME: u8 = 0;

/// Index of white paper.
pub const PAPER: u8 = 1;

/// Index of the first map colour.
const MAP: usize = 1 + GREYS;

/// The colours of a ramp over shaded ground.
#[derive(Debug)]
pub struct Palette {
    ramp: Ramp,
    /// The water colours, starting with dry.
    waters: Vec<Colour>,
}

impl Palette {
    /// Creates the palette of a ramp.
    pub fn new(ramp: &Ramp) -> Palette {
        let waters = [[0; 4]].into_iter().chain(ramp.levels(WATERS)).collect();
        Palette { ramp: ramp.clone(), waters }
    }

    /// Returns the index of the water colour of a value; 0 if dry.
    fn water(&self, value: f32) -> usize {
        self.ramp.level(value, WATERS).map_or(0, |level| 1 + level)
    }

    /// Returns the colour of a value over ground with a given shade (0 to 255).
    pub fn of(&self, value: f32, shade: u8) -> u8 {
        let shade = usize::from(shade) * (SHADES - 1) / 255;
        (MAP + self.water(value) * SHADES + shade) as u8
    }

    /// Returns the colour of a value on bright ground, for the legend.
    pub fn flat(&self, value: f32) -> u8 {
        self.of(value, 180)
    }

    /// Returns a grey: 0 is white, 255 is ink.
    pub fn grey(ink: u8) -> u8 {
        PAPER + (usize::from(ink) * (GREYS - 1) / 255) as u8
    }

    /// Returns red, green and blue of all colours.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![255, 0, 255];
        for grey in 0..GREYS {
            let part = |ink: u8| 255 - (usize::from(255 - ink) * grey / (GREYS - 1)) as u8;
            bytes.extend(INK.map(part));
        }
        for water in &self.waters {
            for shade in 0..SHADES {
                let shade = ground_shade((shade * 255 / (SHADES - 1)) as u8);
                bytes.extend(mix(*water, shade));
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::layers::{DEPTH, HAZARD, NODATA};

    #[test]
    fn every_value_has_a_colour_of_its_water() {
        for scale in [DEPTH.scale, HAZARD.scale] {
            let ramp = scale.ramp(Some((0.1, 4.0)), "m");
            let palette = Palette::new(&ramp);
            let bytes = palette.bytes();
            assert!(bytes.len() <= 3 * 256 && bytes.len() == 3 * (MAP + (WATERS + 1) * SHADES));
            let mut before = palette.of(0.0, 180);
            assert_eq!(before, palette.of(NODATA, 180), "dry ground is bare");
            for value in [0.05, 0.5, 1.0, 2.0, 4.0, 90.0] {
                let now = palette.of(value, 180);
                assert!(now >= before && usize::from(now) < bytes.len() / 3, "{value}");
                let [red, green, blue] = [0, 1, 2].map(|part| bytes[3 * usize::from(now) + part]);
                let wanted = mix(ramp.colour(value), ground_shade(180));
                for (got, wanted) in [red, green, blue].into_iter().zip(wanted) {
                    assert!(got.abs_diff(wanted) < 30, "{value}: {got} instead of {wanted}");
                }
                before = now;
            }
        }
        assert_eq!((Palette::grey(0), Palette::grey(255)), (PAPER, PAPER + GREYS as u8 - 1));
    }
}
