//! A frame of an animation: the map, the time above it, and the legend beside it.

use super::palette::{PAPER, Palette};
use super::text;
use crate::output::colour::{NODATA, Ramp, Stop};
use crate::output::small::Small;

/// Spacing (pixels).
const GAP: usize = 12;

/// Size of a legend swatch, and distance between swatches (pixels).
const SWATCH: usize = 18;
const LINE: usize = 24;

/// Maps smaller than this are enlarged (pixels).
const SMALL: usize = 480;

/// A picture in palette colours.
pub struct Canvas<'a> {
    palette: &'a Palette,
    ground: &'a Small,
    shades: &'a [u8],
    /// Enlargement: pixels per pixel of the map along a side.
    zoom: usize,
    /// Width and height (pixels).
    pub size: (usize, usize),
    /// Palette indices of the pixels, row by row.
    pub pixels: Vec<u8>,
}

impl<'a> Canvas<'a> {
    /// Creates an empty picture for maps over a shaded ground.
    pub fn new(palette: &'a Palette, ground: &'a Small, shades: &'a [u8]) -> Canvas<'a> {
        let zoom = (SMALL / ground.columns.max(ground.rows)).max(1);
        let size = (0, 0);
        Canvas { palette, ground, shades, zoom, size, pixels: Vec::new() }
    }

    /// Returns the corner of the map: across and down.
    fn corner() -> (usize, usize) {
        (GAP, 2 * GAP + text::HEIGHT)
    }

    /// Allocates the picture, and draws everything that is common to all frames.
    pub fn legend(&mut self, title: &str, ramp: &Ramp) {
        // The last stop first: deep water is on top, as on a scale.
        let stops: Vec<&Stop> = ramp.painted().rev().collect();
        let widest = stops.iter().map(|stop| text::width(&stop.label)).max().unwrap_or(0);
        let (left, top) = Canvas::corner();
        let map = (self.ground.columns * self.zoom, self.ground.rows * self.zoom);
        let side = SWATCH + GAP + widest;
        // The time is to the right of the title.
        let line = text::width(title) + 3 * GAP + text::width("0000-00-00 00:00");
        let width = (left + map.0 + GAP + side + GAP).max(line + 2 * GAP);
        let height = top + map.1.max(stops.len() * LINE) + GAP;
        self.size = (width, height);
        self.pixels = vec![PAPER; width * height];
        self.text(title, (left, GAP));
        for (number, stop) in stops.into_iter().enumerate() {
            let at = (left + map.0 + GAP, top + number * LINE);
            let colour = self.palette.flat(stop.value as f32);
            for down in 0..SWATCH {
                for across in 0..SWATCH {
                    self.put(at.0 + across, at.1 + down, colour);
                }
            }
            self.text(&stop.label, (at.0 + SWATCH + GAP, at.1 + 1));
        }
    }

    /// Draws the map of a time, and the time.
    pub fn frame(&mut self, map: &Small, time: &str) {
        let (left, top) = Canvas::corner();
        let columns = self.ground.columns;
        for (at, &value) in map.values.iter().enumerate() {
            let outside = self.ground.values[at] == NODATA;
            let colour = if outside { PAPER } else { self.palette.of(value, self.shades[at]) };
            let (row, column) = (at / columns, at % columns);
            for down in 0..self.zoom {
                for across in 0..self.zoom {
                    self.put(
                        left + column * self.zoom + across,
                        top + row * self.zoom + down,
                        colour,
                    );
                }
            }
        }
        let right = self.size.0 - GAP;
        for down in 0..text::HEIGHT {
            for across in right.saturating_sub(text::width("0000-00-00 00:00"))..right {
                self.put(across, GAP + down, PAPER);
            }
        }
        self.text(time, (right - text::width(time).min(right), GAP));
    }

    fn put(&mut self, across: usize, down: usize, colour: u8) {
        if across < self.size.0 && down < self.size.1 {
            self.pixels[down * self.size.0 + across] = colour;
        }
    }

    fn text(&mut self, text: &str, (left, top): (usize, usize)) {
        text::draw(text, |across, down, ink| {
            // Letters have a paper background, whatever is below.
            self.put(left + across, top + down, Palette::grey(ink));
        });
    }
}
