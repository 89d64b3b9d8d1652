//! A frame of an animation: the map, the time above it, and the legend beside it.

use super::palette::{PAPER, Palette};
use super::text;
use crate::engine::grid::Grid;
use crate::output::colour::{NODATA, Ramp, Stop};
use crate::output::small::Small;
use crate::results::page::map::Scale;

/// Spacing (pixels).
const GAP: usize = 12;

/// Size of a legend swatch, and distance between swatches (pixels).
const SWATCH: usize = 18;
const LINE: usize = 24;

/// Maps smaller than this and than the requested size are enlarged (pixels).
const SMALL: usize = 480;

/// A picture in palette colours.
pub struct Canvas<'a> {
    palette: &'a Palette,
    ground: &'a Small,
    shades: &'a [u8],
    /// Width and height of the map (pixels); a metre is as long across as down.
    map: (usize, usize),
    /// Scale bar of the map; its length is in pixels.
    scale: Scale,
    /// Width and height (pixels).
    pub size: (usize, usize),
    /// Palette indices of the pixels, row by row.
    pub pixels: Vec<u8>,
}

impl<'a> Canvas<'a> {
    /// Creates an empty picture for the maps of a grid, at most `longest` pixels along a side, over
    /// a shaded ground.
    pub fn new(
        palette: &'a Palette,
        ground: &'a Small,
        shades: &'a [u8],
        grid: &Grid,
        longest: usize,
    ) -> Canvas<'a> {
        let shorter = grid.dx.min(grid.dy);
        // The shorter side of a cell is one pixel here.
        let across = ground.columns as f64 * grid.dx / shorter;
        let down = ground.rows as f64 * grid.dy / shorter;
        let longer = across.max(down);
        let zoom = (SMALL.min(longest) as f64 / longer).floor().max(1.0);
        let zoom = zoom.min(longest as f64 / longer);
        let map = [across, down].map(|side| (side * zoom).round().max(1.0) as usize);
        let width = grid.dx * grid.columns as f64;
        let scale = Scale::of(width, map[0] as f64 / width);
        let size = (0, 0);
        Canvas { palette, ground, shades, map: map.into(), scale, size, pixels: Vec::new() }
    }

    /// Returns the corner of the map: across and down.
    fn corner() -> (usize, usize) {
        (GAP, 2 * GAP + text::HEIGHT)
    }

    /// Allocates the picture, and draws everything that is common to all frames.
    pub fn legend(&mut self, title: &str, ramp: &Ramp) {
        let stops: Vec<&Stop> = ramp.painted().collect();
        let widest = stops.iter().map(|stop| text::width(&stop.label)).max().unwrap_or(0);
        let (left, top) = Canvas::corner();
        let map = self.map;
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
            self.fill(at, (SWATCH, SWATCH), colour);
            self.text(&stop.label, (at.0 + SWATCH + GAP, at.1 + 1));
        }
    }

    /// Draws the map of a time, and the time.
    pub fn frame(&mut self, map: &Small, time: &str) {
        let (left, top) = Canvas::corner();
        let (columns, rows) = (self.ground.columns, self.ground.rows);
        let (width, height) = self.map;
        for pixel in 0..width * height {
            let (across, down) = (pixel % width, pixel / width);
            let at = down * rows / height * columns + across * columns / width;
            let outside = self.ground.values[at] == NODATA;
            let colour =
                if outside { PAPER } else { self.palette.of(map.values[at], self.shades[at]) };
            self.put(left + across, top + down, colour);
        }
        self.scale_and_north();
        let right = self.size.0 - GAP;
        let before = right.saturating_sub(text::width("0000-00-00 00:00"));
        self.fill((before, GAP), (right - before, text::HEIGHT), PAPER);
        self.text(time, (right - text::width(time).min(right), GAP));
    }

    /// Draws the scale bar and the north arrow on the map, in ink on paper.
    fn scale_and_north(&mut self) {
        let (left, top) = Canvas::corner();
        let map = self.map;
        let Scale { length, label } = &self.scale;
        let (length, label) = (length.round() as usize, label.clone());
        let room = length.max(text::width(&label)) + GAP;
        if map.0 < room + 4 * GAP || map.1 < 6 * GAP {
            return;
        }
        let ink = Palette::grey(255);
        let (from, line) = (left + GAP, top + map.1 - GAP);
        self.fill((from - 4, line - text::HEIGHT - 10), (room, text::HEIGHT + 14), PAPER);
        self.fill((from, line - 2), (length, 2), ink);
        for end in [from, from + length - 2] {
            self.fill((end, line - 7), (2, 7), ink);
        }
        self.text(&label, (from + 5, line - text::HEIGHT - 8));
        let (middle, tip, height) = (left + map.0 - 2 * GAP, top + 6, 2 * GAP);
        self.fill((middle - 10, tip - 2), (21, height + text::HEIGHT + 4), PAPER);
        for down in 0..height {
            let half = down * 8 / height;
            self.fill((middle - half, tip + down), (2 * half + 1, 1), ink);
        }
        self.text("N", (middle - text::width("N") / 2, tip + height + 1));
    }

    fn fill(&mut self, (left, top): (usize, usize), (width, height): (usize, usize), colour: u8) {
        for down in 0..height {
            for across in 0..width {
                self.put(left + across, top + down, colour);
            }
        }
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
