//! Time charts as SVG.

use super::ticks::{Tick, TimeAxis, numbers};
use crate::error::{Error, Result};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// SVG units per pixel: the library rounds to whole units, which curves must not show.
const FINE: u32 = 8;
/// Size of a chart (SVG units).
const SIZE: (u32, u32) = (620 * FINE, 270 * FINE);
/// Approximate number of points to which longer curves are thinned out.
const POINTS: usize = 800;
const AXIS: RGBColor = RGBColor(120, 128, 136);
const GRID: RGBColor = RGBColor(230, 233, 236);
const INK: RGBColor = RGBColor(60, 68, 76);

/// Colours of curves in one chart, red, green and blue.
pub const COLOURS: [[u8; 3]; 8] = [
    [31, 111, 181],
    [213, 94, 0],
    [0, 145, 110],
    [142, 68, 173],
    [194, 147, 27],
    [86, 180, 233],
    [176, 48, 96],
    [85, 85, 85],
];

/// Drawing style of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pen {
    /// A plain line.
    Line,
    /// A line with the area below it filled.
    Filled,
}

/// A curve of a chart.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Drawing style of the curve.
    pub pen: Pen,
    /// Time and value, in the chart's units.
    pub points: Vec<(f64, f64)>,
}

/// A time chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Time axis of the chart.
    pub time: TimeAxis,
    /// Label of the other axis, with its unit.
    pub values: String,
    /// Curves of the chart.
    pub curves: Vec<Curve>,
    /// A second axis on the right: its label, and its offset from the first.
    pub right: Option<(String, f64)>,
}

impl Chart {
    /// Draws the chart as SVG.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| {
            Error::run(format!("cannot draw the curves of the report: {error}"))
        })?;
        // On the page it is as wide as its column.
        let (from, to) = (svg.find("<svg").unwrap_or(0), svg.find('>').unwrap_or(0));
        let head = format!(
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\"",
            SIZE.0, SIZE.1
        );
        svg.replace_range(from..to, &head);
        Ok(svg)
    }

    fn draw(&self, svg: &mut String) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let values = || self.curves.iter().flat_map(|curve| &curve.points);
        let end = self.time.end;
        let (low, high) = values()
            .map(|point| point.1)
            .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        let span = if high - low > 1e-6 { high - low } else { 1.0 };
        let (low, high) =
            (if low < 0.0 { low - 0.06 * span } else { 0.0 }, high.max(low + 1e-6) + 0.08 * span);
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let right = self.right.as_ref().map_or(0.0, |(_, above)| *above);
        let (left_ticks, right_ticks) = (numbers(low, high), numbers(low + right, high + right));
        let half = longest(&self.time.ticks) / 2;
        let right_room = if self.right.is_some() { 34 * FINE + longest(&right_ticks) } else { 0 };
        let mut chart = ChartBuilder::on(&area)
            .margin(8 * FINE)
            // The last label of the time axis may extend beyond its end.
            .margin_right(8 * FINE + half.saturating_sub(right_room))
            .x_label_area_size(44 * FINE)
            .y_label_area_size(34 * FINE + longest(&left_ticks))
            .right_y_label_area_size(right_room)
            .build_cartesian_2d(
                Axis { range: 0.0..end, ticks: self.time.ticks.clone() },
                Axis { range: low..high, ticks: left_ticks },
            )?
            .set_secondary_coord(
                0.0..end,
                Axis { range: low + right..high + right, ticks: right_ticks },
            );
        let font = ("sans-serif", 17 * FINE).into_font().color(&INK);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.stroke_width(FINE))
            .axis_style(AXIS.stroke_width(FINE))
            .set_all_tick_mark_size(5 * FINE)
            .x_labels(9)
            .y_labels(6)
            .x_desc(&self.time.title)
            .y_desc(&self.values)
            .axis_desc_style(font.clone())
            .label_style(font.clone())
            .draw()?;
        if let Some((what, _)) = &self.right {
            chart
                .configure_secondary_axes()
                .axis_style(AXIS.stroke_width(FINE))
                .set_all_tick_mark_size(5 * FINE)
                .y_labels(6)
                .y_desc(what)
                .axis_desc_style(font.clone())
                .label_style(font)
                .draw()?;
        }
        for curve in &self.curves {
            let [red, green, blue] = curve.colour;
            let colour = RGBColor(red, green, blue);
            let points = thinned(&curve.points);
            if curve.pen == Pen::Filled {
                let filled = AreaSeries::new(points.iter().copied(), 0.0, colour.mix(0.22));
                chart.draw_series(filled)?;
            }
            chart.draw_series(LineSeries::new(points, colour.stroke_width(2 * FINE)))?;
        }
        area.present()?;
        Ok(())
    }
}

/// Estimates the width of the longest label (SVG units).
fn longest(ticks: &[Tick]) -> u32 {
    let letters = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
    letters as u32 * 9 * FINE
}

/// An axis with custom ticks.
struct Axis {
    range: Range<f64>,
    ticks: Vec<Tick>,
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        from + (f64::from(to - from) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(place, _)| *place).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, place: &f64) -> String {
        let near = |a: &&Tick, b: &&Tick| (a.0 - place).abs().total_cmp(&(b.0 - place).abs());
        self.ticks.iter().min_by(near).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// Thins out a curve, keeping the lowest and the highest point of every stretch.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(POINTS / 2);
    let mut kept = vec![points[0]];
    for stretch in points.chunks(stretch) {
        let order = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (low, high) = (stretch.iter().min_by(order), stretch.iter().max_by(order));
        let mut ends: Vec<(f64, f64)> = low.into_iter().chain(high).copied().collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        kept.extend(ends);
    }
    kept.extend(points.last());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks_and_ends() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|n| (f64::from(n), 0.1)).collect();
        points[54_321].1 = 7.0;
        points[77_777].1 = -3.0;
        let thin = thinned(&points);
        assert!(thin.len() < 2 * POINTS);
        assert!(thin.contains(&points[54_321]) && thin.contains(&points[77_777]));
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[99_999]));
        assert!(thin.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }
}
