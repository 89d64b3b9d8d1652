//! Map of a page: a layer over the shaded ground, with a scale bar, a legend, gauges and sections.

use super::labels::{Bounds, Name, Occupied, SvgPoint};
use super::picture::{data_uri, over_ground};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::output::colour::{Colour, Ramp, Stop};
use crate::output::small::Small;
use crate::output::symbols::{self, KindSymbol};
use crate::scenario::Facts;
use geo::{Euclidean, InterpolateLine, LineString};

/// Maximum width and height of a map (SVG units).
const LARGEST: (f64, f64) = (760.0, 720.0);

/// A map as shown on the page; lengths are in SVG units.
#[derive(Debug)]
pub struct PageMap {
    /// Title of the map.
    pub title: String,
    /// Width and height.
    pub size: (f64, f64),
    /// The picture, as a `data:` URI.
    pub picture: String,
    /// Set if its pixels should be visible as squares.
    pub coarse: bool,
    /// Colours (CSS) with their meaning.
    pub legend: Vec<(String, String)>,
    /// Scale bar of the map.
    pub scale: Scale,
    /// Labelled points of gauges.
    pub gauges: Vec<Mark>,
    /// Labelled lines of sections.
    pub sections: Vec<Mark>,
    /// Labelled lines of structures and links, with their symbols and the middle of each line.
    pub structures: Vec<(Mark, &'static KindSymbol, SvgPoint)>,
}

/// Points of a line, in the CRS of the run.
type Line = Vec<(f64, f64)>;

/// Names and places of what is marked on the maps of a page.
#[derive(Debug, Default)]
pub struct Marked {
    gauges: Vec<(String, (f64, f64))>,
    sections: Vec<(String, Line)>,
    structures: Vec<(&'static KindSymbol, String, Line)>,
}

impl Marked {
    /// Returns what a run was given to record and to build.
    pub fn of(facts: &Facts) -> Marked {
        let gauges = facts.watched.gauges.iter();
        let mut marked = Marked {
            gauges: gauges.map(|gauge| (gauge.name.clone(), (gauge.x, gauge.y))).collect(),
            ..Marked::default()
        };
        for section in &facts.watched.sections {
            let (name, line) = (section.name.clone(), section.line.clone());
            match facts.structure(&name).and_then(|structure| symbols::find(structure.kind)) {
                Some(symbol) => marked.structures.push((symbol, name, line)),
                None => marked.sections.push((name, line)),
            }
        }
        for link in &facts.links {
            let line =
                [link.inlet, link.outlet].map(|(column, row)| facts.grid.centre(column, row));
            let symbol = symbols::find(link.kind.name());
            marked.structures.extend(symbol.map(|it| (it, link.name.clone(), line.to_vec())));
        }
        marked
    }

    /// Returns the symbols of its structures and links, once each.
    pub fn symbols(&self) -> Vec<&'static KindSymbol> {
        let is_there = |symbol: &&KindSymbol| {
            self.structures.iter().any(|(other, ..)| other.kind == symbol.kind)
        };
        symbols::KINDS.iter().filter(is_there).collect()
    }
}

/// Returns the point in the middle of a line.
fn middle(line: &[SvgPoint]) -> SvgPoint {
    let middle = Euclidean.point_at_ratio_from_start(&LineString::from(line.to_vec()), 0.5);
    middle.map_or(line[0], |middle| middle.x_y())
}

/// A scale bar.
#[derive(Debug)]
pub struct Scale {
    /// Length of the bar.
    pub length: f64,
    /// Distance that it represents.
    pub label: String,
}

/// A gauge or section on a map.
#[derive(Debug)]
pub struct Mark {
    /// Name of the gauge or section.
    pub name: String,
    /// Placement of the label; `None` if there is no room for it.
    pub label: Option<Name>,
    /// Points of a line (SVG).
    pub points: String,
}

/// The shaded ground, shared by all maps of a page.
pub struct Relief<'a> {
    /// Grid of the maps.
    pub grid: &'a Grid,
    /// Bed levels (m).
    pub bed: Small,
    /// Shading of the ground.
    pub shades: Vec<u8>,
    /// Set if maps are drawn without it, because the page has another picture of the ground under
    /// all of them.
    pub is_apart: bool,
}

/// Returns width and height of the maps of a grid (SVG units).
pub fn plate_size(grid: &Grid) -> (f64, f64) {
    let (width, height) = (grid.dx * grid.columns as f64, grid.dy * grid.rows as f64);
    let scale = (LARGEST.0 / width).min(LARGEST.1 / height);
    (width * scale, height * scale)
}

/// Returns columns and rows of a picture of a grid's maps, with `per_unit` pixels per unit of the
/// page.
pub fn plate_pixels(grid: &Grid, per_unit: f64) -> (usize, usize) {
    let (width, height) = plate_size(grid);
    let pixels = |side: f64| (per_unit * side).ceil().max(1.0) as usize;
    (pixels(width), pixels(height))
}

impl<'a> Relief<'a> {
    /// Computes the shading of a bed.
    pub fn new(grid: &'a Grid, bed: Small) -> Result<Relief<'a>> {
        let shades = bed.shade(grid)?;
        Ok(Relief { grid, bed, shades, is_apart: false })
    }

    /// Draws only the ground.
    pub fn bare(&self) -> Vec<Colour> {
        over_ground(&self.bed, &self.shades, |_| [0; 4])
    }

    /// Draws the map of a layer with its ramp.
    pub fn map(&self, title: &str, layer: &Small, ramp: &Ramp, marked: &Marked) -> Result<PageMap> {
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
        let gauges: Vec<Vec<SvgPoint>> =
            marked.gauges.iter().map(|(_, gauge)| on_map(&[*gauge])).collect();
        let sections: Vec<Vec<SvgPoint>> =
            marked.sections.iter().map(|(_, line)| on_map(line)).collect();
        let structures: Vec<Vec<SvgPoint>> =
            marked.structures.iter().map(|(.., line)| on_map(line)).collect();
        let bar = Scale::of(width, size.0 / width);
        let mut taken = Occupied::new(size);
        // Reserved for the north arrow and the scale bar.
        taken.room(Bounds([size.0 - 46.0, 0.0, size.0, 66.0]));
        taken.room(Bounds([0.0, size.1 - 40.0, 26.0 + bar.length, size.1]));
        gauges.iter().for_each(|gauge| taken.mark(gauge[0], 7.0));
        sections.iter().chain(&structures).for_each(|line| taken.line(line));
        structures.iter().for_each(|line| taken.mark(middle(line), 9.0));
        let mut mark = |name: &str, points: &[SvgPoint]| {
            let text = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
            // At an end of a line, away from gauges.
            let ends = [points[points.len() - 1], points[0]];
            let label = taken.place(name, &ends[..points.len().min(2)]);
            Mark { name: name.into(), label, points: text.collect::<Vec<_>>().join(" ") }
        };
        let gauges =
            marked.gauges.iter().zip(&gauges).map(|((name, _), at)| mark(name, at)).collect();
        let structures = marked.structures.iter().zip(&structures);
        let structures = structures
            .map(|((symbol, name, _), line)| (mark(name, line), *symbol, middle(line)))
            .collect();
        let sections = marked
            .sections
            .iter()
            .zip(&sections)
            .map(|((name, _), line)| mark(name, line))
            .collect();
        Ok(PageMap {
            title: title.into(),
            size,
            picture: data_uri((self.bed.columns, self.bed.rows), &pixels)?,
            coarse: (self.bed.columns as f64) < size.0 / 2.0,
            legend: legend(ramp),
            scale: bar,
            gauges,
            sections,
            structures,
        })
    }
}

/// Returns the visible colours (CSS) of a ramp with their meaning.
pub fn legend(ramp: &Ramp) -> Vec<(String, String)> {
    let entry = |stop: &Stop| {
        let [red, green, blue, opacity] = stop.colour;
        let opacity = f32::from(opacity) / 255.0;
        (format!("rgba({red},{green},{blue},{opacity:.2})"), stop.label.clone())
    };
    ramp.painted().map(entry).collect()
}

impl Mark {
    /// Returns the first point, across and down.
    pub fn first(&self) -> (&str, &str) {
        let first = self.points.split(' ').next().unwrap_or_default();
        first.split_once(',').unwrap_or_default()
    }
}

impl Scale {
    /// Chooses a round length of about a fifth of a map's width (m); `scale` is SVG units per
    /// metre.
    pub fn of(width: f64, scale: f64) -> Scale {
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
