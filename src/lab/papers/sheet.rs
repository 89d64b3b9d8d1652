//! A table of numbers as a file, and as curves over its first column.

use crate::error::{Error, Result};
use plotters::prelude::*;
use std::path::Path;

/// A table: heads, and rows of numbers where there are any.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// A name that is fit for a file.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// What stands over the columns; the first is along the curves' axis.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Option<f64>>>,
}

/// Size of the curves (pixels).
const SIZE: (u32, u32) = (900, 560);

impl Sheet {
    /// Writes it into a folder, as `NAME.csv` and `NAME.svg`.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let put = |ending: &str, text: String| {
            let path = folder.join(format!("{}.{ending}", self.name));
            std::fs::write(&path, text).map_err(|error| {
                Error::run(format!("cannot write '{}'", path.display()))
                    .because(error)
                    .hint("is the disk full?")
            })
        };
        put("csv", self.csv()?)?;
        put("svg", self.svg()?)
    }

    fn csv(&self) -> Result<String> {
        let failed = |error: String| Error::run(format!("cannot write {}: {error}", self.name));
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(&self.heads).map_err(|error| failed(error.to_string()))?;
        for row in &self.rows {
            let cells =
                row.iter().map(|cell| cell.map_or(String::new(), |number| number.to_string()));
            table.write_record(cells).map_err(|error| failed(error.to_string()))?;
        }
        let bytes = table.into_inner().map_err(|error| failed(error.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Both axes are logarithmic.
    fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg)
            .map_err(|error| Error::run(format!("cannot draw {}: {error}", self.name)))?;
        Ok(svg)
    }

    fn draw(&self, to: &mut String) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let points = |column: usize| -> Vec<(f64, f64)> {
            let point = |row: &Vec<Option<f64>>| {
                row[0].zip(row[column]).filter(|(x, y)| *x > 0.0 && *y > 0.0)
            };
            self.rows.iter().filter_map(point).collect()
        };
        let all: Vec<(f64, f64)> = (1..self.heads.len()).flat_map(points).collect();
        let range = |of: fn(&(f64, f64)) -> f64| {
            let (least, most) =
                all.iter().map(of).fold((f64::MAX, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
            if least <= most { least / 1.3..most * 1.3 } else { 1.0..10.0 }
        };
        let root = SVGBackend::with_string(to, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(range(|p| p.0).log_scale(), range(|p| p.1).log_scale())?;
        chart.configure_mesh().x_desc(&self.heads[0]).y_desc("ms").draw()?;
        for (column, head) in self.heads.iter().enumerate().skip(1) {
            let colour = Palette99::pick(column).to_rgba();
            let points = points(column);
            // What is printed is drawn thinner than what was measured.
            let wide = if head.contains("printed") { 1 } else { 2 };
            let line = LineSeries::new(points.clone(), colour.stroke_width(wide));
            chart.draw_series(line)?.label(head.as_str()).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(wide))
            });
            chart
                .draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
        Ok(())
    }
}
