//! Curves as SVG.

use crate::bench::{Curve, INERTIAL, Pen, SECOND, SHALLOW};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A plot of a case: name of its file, title, axes.
pub struct Plot {
    pub file: &'static str,
    pub title: &'static str,
    pub x: &'static str,
    pub y: &'static str,
}

/// Maximum number of points drawn of a curve.
const POINTS: usize = 400;
const SIZE: (u32, u32) = (760, 420);
const BLUE: RGBColor = RGBColor(0, 90, 181);
const ORANGE: RGBColor = RGBColor(220, 90, 20);
const GREEN: RGBColor = RGBColor(30, 140, 70);
const VIOLET: RGBColor = RGBColor(150, 60, 160);

/// Draws the curves of a plot.
pub fn draw(folder: &Path, plot: &Plot, curves: &[&Curve]) -> Result<(), Box<dyn Error>> {
    let points = || curves.iter().flat_map(|curve| &curve.points).filter(|p| p.1.is_finite());
    let ends = |pick: fn(&(f64, f64)) -> f64| {
        let values = || points().map(pick);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((x0, x1), (y0, y1)) = (ends(|p| p.0), ends(|p| p.1));
    let room = 0.05 * (y1 - y0).max(1e-9);
    // Space for the legend above the curves, with a line for each name.
    let mut names: Vec<&str> = curves.iter().map(|curve| curve.label.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let above = room * (1.5 + 1.4 * names.len() as f64);
    let path = folder.join(plot.file).with_extension("svg");
    let area = SVGBackend::new(&path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(plot.title, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(x0..x1, (y0 - room)..(y1 + above))?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(225, 225, 225))
        .x_desc(plot.x)
        .y_desc(plot.y)
        .label_style(("sans-serif", 13))
        .draw()?;
    // References are below the solvers' curves.
    let mut order: Vec<&&Curve> = curves.iter().collect();
    order.sort_by_key(|curve| matches!(curve.pen, Pen::Solver(_) | Pen::SolverThin(_)));
    let mut named: Vec<&str> = Vec::new();
    for curve in order {
        let style = style(curve.pen);
        let thin = curve.points.len().div_ceil(POINTS).max(1);
        let points = curve.points.iter().copied().filter(|p| p.1.is_finite());
        let points = points.enumerate().filter(|(i, _)| i % thin == 0).map(|(_, p)| p);
        let drawn = match curve.pen {
            Pen::ReferenceDots => {
                chart.draw_series(points.map(|p| Circle::new(p, 3, style.filled())))?
            }
            Pen::Limit => chart.draw_series(DashedLineSeries::new(points, 6, 5, style))?,
            _ => chart.draw_series(LineSeries::new(points, style))?,
        };
        // Curves with equal names share a line of the legend.
        if !named.contains(&curve.label.as_str()) {
            named.push(&curve.label);
            drawn
                .label(&curve.label)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(180, 180, 180))
        .label_font(("sans-serif", 13))
        .draw()?;
    area.present()?;
    Ok(())
}

fn style(pen: Pen) -> ShapeStyle {
    let of = |solver: &str| match solver {
        SHALLOW => BLUE,
        SECOND => VIOLET,
        INERTIAL => GREEN,
        _ => ORANGE,
    };
    match pen {
        Pen::Solver(solver) => of(solver).stroke_width(2),
        Pen::SolverThin(solver) => of(solver).mix(0.5).stroke_width(1),
        Pen::Reference => BLACK.stroke_width(2),
        Pen::ReferenceDots => BLACK.stroke_width(1),
        Pen::Limit => RGBColor(150, 150, 150).stroke_width(1),
    }
}
