//! A map: a layer over the shaded ground, with a scale bar, a legend, gauges and sections.

use super::labels::{Bounds, Name, Occupied, Point};
use super::picture::{data_uri, over_ground};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::output::colour::{Colour, Ramp, Stop};
use crate::output::small::Small;
use crate::output::watch::Watched;

/// The largest width and height of a map (SVG units).
const LARGEST: (f64, f64) = (760.0, 720.0);

/// A map as the page shows it; lengths are in SVG units.
#[derive(Debug)]
pub struct Plate {
    /// What it shows.
    pub title: String,
    /// Width and height.
    pub size: (f64, f64),
    /// The picture, as a `data:` address.
    pub picture: String,
    /// Whether its pixels are to be seen as squares.
    pub coarse: bool,
    /// Colours (CSS) and what they stand for.
    pub legend: Vec<(String, String)>,
    /// The scale bar.
    pub scale: Scale,
    /// Points with names.
    pub gauges: Vec<Mark>,
    /// Lines with names.
    pub sections: Vec<Mark>,
}

/// A scale bar.
#[derive(Debug)]
pub struct Scale {
    /// How long it is.
    pub length: f64,
    /// What that stands for.
    pub label: String,
}

/// A gauge or section on a map.
#[derive(Debug)]
pub struct Mark {
    /// Its name.
    pub name: String,
    /// Where the name stands; none if there is no room for it.
    pub label: Option<Name>,
    /// Points of a line (SVG).
    pub points: String,
}

/// The shaded ground, which all maps of a page have in common.
pub struct Relief<'a> {
    /// The grid.
    pub grid: &'a Grid,
    /// The bed (m).
    pub bed: Small,
    /// How it is lit.
    pub shades: Vec<u8>,
    /// Whether maps are without it: the page has another picture of the ground, which lies under all of them.
    pub is_apart: bool,
}

/// Width and height of the maps of a grid (SVG units).
pub fn plate_size(grid: &Grid) -> (f64, f64) {
    let (width, height) = (grid.dx * grid.columns as f64, grid.dy * grid.rows as f64);
    let scale = (LARGEST.0 / width).min(LARGEST.1 / height);
    (width * scale, height * scale)
}

/// Columns and rows of a picture of the maps of a grid, with so many pixels per unit of a page.
pub fn plate_pixels(grid: &Grid, per_unit: f64) -> (usize, usize) {
    let (width, height) = plate_size(grid);
    let pixels = |side: f64| (per_unit * side).ceil().max(1.0) as usize;
    (pixels(width), pixels(height))
}

impl<'a> Relief<'a> {
    /// Lights a bed.
    pub fn new(grid: &'a Grid, bed: Small) -> Result<Relief<'a>> {
        let shades = bed.shade(grid)?;
        Ok(Relief { grid, bed, shades, is_apart: false })
    }

    /// The ground with nothing on it.
    pub fn bare(&self) -> Vec<Colour> {
        over_ground(&self.bed, &self.shades, |_| [0; 4])
    }

    /// A map of a layer with its ramp.
    pub fn map(&self, title: &str, layer: &Small, ramp: &Ramp, watched: &Watched) -> Result<Plate> {
        let pixels = match self.is_apart {
            true => layer.values.iter().map(|value| ramp.colour(*value)).collect(),
            false => over_ground(&self.bed, &self.shades, |at| ramp.colour(layer.values[at])),
        };
        let size = plate_size(self.grid);
        let width = self.grid.dx * self.grid.columns as f64;
        let place = |(x, y): (f64, f64)| {
            let [west, south, east, north] = self.grid.extent();
            ((x - west) / (east - west) * size.0, (north - y) / (north - south) * size.1)
        };
        let on_map = |line: &[(f64, f64)]| line.iter().map(|&point| place(point)).collect();
        let gauges: Vec<Vec<Point>> =
            watched.gauges.iter().map(|gauge| on_map(&[(gauge.x, gauge.y)])).collect();
        let sections: Vec<Vec<Point>> =
            watched.sections.iter().map(|section| on_map(&section.line)).collect();
        let bar = Scale::of(width, size.0 / width);
        let mut taken = Occupied::new(size);
        // The north arrow and the scale bar.
        taken.room(Bounds([size.0 - 46.0, 0.0, size.0, 66.0]));
        taken.room(Bounds([0.0, size.1 - 40.0, 26.0 + bar.length, size.1]));
        gauges.iter().for_each(|gauge| taken.mark(gauge[0], 7.0));
        sections.iter().for_each(|line| taken.line(line));
        let mut mark = |name: &str, points: &[Point]| {
            let text = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
            // At an end of a line, where no gauge is.
            let ends = [points[points.len() - 1], points[0]];
            let label = taken.place(name, &ends[..points.len().min(2)]);
            Mark { name: name.into(), label, points: text.collect::<Vec<_>>().join(" ") }
        };
        let marks = |names: Vec<&str>,
                     places: &[Vec<Point>],
                     mark: &mut dyn FnMut(&str, &[Point]) -> Mark| {
            names.into_iter().zip(places).map(|(name, points)| mark(name, points)).collect()
        };
        let names = watched.gauges.iter().map(|gauge| gauge.name.as_str()).collect();
        let gauges = marks(names, &gauges, &mut mark);
        let names = watched.sections.iter().map(|section| section.name.as_str()).collect();
        let sections = marks(names, &sections, &mut mark);
        Ok(Plate {
            title: title.into(),
            size,
            picture: data_uri((self.bed.columns, self.bed.rows), &pixels)?,
            coarse: (self.bed.columns as f64) < size.0 / 2.0,
            legend: legend(ramp),
            scale: bar,
            gauges,
            sections,
        })
    }
}

/// Colours (CSS) that are seen, and what they stand for.
pub fn legend(ramp: &Ramp) -> Vec<(String, String)> {
    let entry = |stop: &Stop| {
        let [red, green, blue, opacity] = stop.colour;
        let opacity = f32::from(opacity) / 255.0;
        (format!("rgba({red},{green},{blue},{opacity:.2})"), stop.label.clone())
    };
    ramp.painted().map(entry).collect()
}

impl Mark {
    /// Across and down of the first point.
    pub fn first(&self) -> (&str, &str) {
        let first = self.points.split(' ').next().unwrap_or_default();
        first.split_once(',').unwrap_or_default()
    }
}

impl Scale {
    /// A round length of about a fifth of a map's width (m); `scale` is SVG units per metre.
    fn of(width: f64, scale: f64) -> Scale {
        let most = width / 4.0;
        let power = 10f64.powf(most.log10().floor());
        let metres = [5.0, 2.0, 1.0].map(|n| n * power).into_iter().find(|round| *round <= most);
        let metres = metres.unwrap_or(power);
        let label = if metres >= 1000.0 {
            format!("{} km", metres / 1000.0)
        } else {
            format!("{metres} m")
        };
        Scale { length: metres * scale, label }
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn scale_bars_are_round() {
        for (width, label) in [(29_280.0, "5 km"), (900.0, "200 m"), (7.0, "1 m"), (4e5, "100 km")]
        {
            let scale = Scale::of(width, 760.0 / width);
            assert_eq!(scale.label, label);
            assert!(scale.length <= 190.0 && scale.length > 60.0, "{scale:?}");
        }
    }
}
