//! Rain gauges: each cell gets the rain of the nearest gauge (Thiessen polygons: A. H. Thiessen,
//! Monthly Weather Review 39, 1911).

use super::super::water::RateReader;
use super::whose;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::zones::{Zoned, Zones};
use crate::engine::forcing::{Footprint, Share};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::tables::columns::CsvTable;
use crate::input::vector::point_position::judge;
use crate::input::vector::{self, Fields, Value};
use geo::{Distance, Euclidean, Point};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Fields of a vector layer of gauges.
const FIELDS: Fields = Fields::or_table("rain", "hyetograph");
/// Sample content of a table of gauges, for hints.
const EXAMPLE: &str = "a table of gauges looks like this, with coordinates in the DEM's CRS:\n    x,y,series\n    612300,4052100,gauge_1.csv";

/// Gauge with its place and its rain over time (m per second or step).
struct Gauge {
    at: Point,
    rain: Series,
}

impl RateReader<'_> {
    /// Reads a CSV of `x,y,series` in the DEM's CRS; the series are paths of hyetographs, relative
    /// to the CSV.
    pub(super) fn gauge_table(&mut self, path: &Path) -> Result<&'static [&'static str]> {
        let whose = whose(path);
        let table = CsvTable::read(path, "rain", EXAMPLE)?;
        let points = table.points()?;
        let series_at = table.any_column(&["series", "hyetograph", "file"]);
        let series_at = series_at.ok_or_else(|| table.without_column("series"))?;
        let mut courses = BTreeMap::new();
        let mut gauges = Vec::new();
        for point in points {
            let (line, (x, y), record) = point?;
            let place = format!("line {line}");
            if record[series_at].is_empty() {
                return Err(table.wrong(line, "the gauge has no series"));
            }
            let file = path.parent().unwrap_or(Path::new("")).join(&record[series_at]);
            let rain = self.course(&mut courses, &file, &place)?;
            gauges.push((place, Gauge { at: Point::new(x, y), rain }));
        }
        self.notices.read("rain", path)?;
        self.gauges(gauges, &whose)
    }

    /// Reads a vector layer of points with a field `hyetograph` (a path relative to the layer) or
    /// `rain` (a rate).
    pub(super) fn gauge_layer(&mut self, path: &Path) -> Result<&'static [&'static str]> {
        let points = self.notices.of(vector::read_points(path, "rain", FIELDS, self.ground.grid)?);
        let mut courses = BTreeMap::new();
        let mut gauges = Vec::new();
        for point in points {
            let place = format!("feature {}", point.id);
            let rain = match &point.value {
                Value::Constant(text) => {
                    let place = format!("{}, {place}", path.display());
                    self.course_of(text, &place).map_err(|error| error.at(place))?
                }
                Value::Table(file) => self.course(&mut courses, file, &place)?,
                Value::Other(_) | Value::Unsaid => unreachable!("rain or hyetograph"),
            };
            gauges.push((place, Gauge { at: Point::new(point.x, point.y), rain }));
        }
        self.gauges(gauges, &whose(path))
    }

    /// Reads a hyetograph, once for all gauges that use it.
    fn course(
        &mut self,
        known: &mut BTreeMap<PathBuf, Series>,
        file: &Path,
        place: &str,
    ) -> Result<Series> {
        if let Some(series) = known.get(file) {
            return Ok(series.clone());
        }
        let series = self.hyetograph(file).map_err(|error| error.at(place))?;
        known.insert(file.to_path_buf(), series.clone());
        Ok(series)
    }

    /// Adds the rain of gauges, in frames between successive times at which the rain of any gauge
    /// changes.
    fn gauges(
        &mut self,
        gauges: Vec<(String, Gauge)>,
        whose: &str,
    ) -> Result<&'static [&'static str]> {
        let Topography { grid, bed, .. } = self.ground;
        if gauges.is_empty() {
            return Err(Error::input(format!("{whose} has no gauges")));
        }
        for (at, (place, gauge)) in gauges.iter().enumerate() {
            if let Some((other, _)) = gauges[..at].iter().find(|(_, other)| other.at == gauge.at) {
                return Err(Error::input(format!(
                    "{whose}: the gauges of {other} and {place} are at the same point"
                ))
                .hint("leave one of them out"));
            }
        }
        let points: Vec<_> =
            gauges.iter().map(|(place, gauge)| (place.clone(), gauge.at.x_y())).collect();
        self.notices.warn_all(judge(grid, whose, ("gauge", "gauges"), &points)?);
        let gauges: Vec<Gauge> = gauges.into_iter().map(|(_, gauge)| gauge).collect();
        let zones = Arc::new(Zones::new(nearest(&gauges, grid), gauges.len(), bed));
        let far = zones.cells.iter().filter(|&&cells| cells == 0).count();
        self.notices.note(format!(
            "{whose}: {} gauge{}{}",
            gauges.len(),
            if gauges.len() == 1 { "" } else { "s" },
            match far {
                0 => ", each the nearest of some cells".into(),
                far => format!(", of which {far} are not the nearest of any cell of the domain"),
            }
        ));
        let breaks = gauges.iter().flat_map(|gauge| gauge.rain.pieces()).map(|piece| piece.time);
        let mut breaks: Vec<f64> = breaks.filter(|&at| at > 0.0).chain([0.0]).collect();
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        let starts = breaks.iter().take_while(|start| **start < self.time.end);
        for (at, &start) in starts.enumerate() {
            let rates: Vec<f64> = gauges.iter().map(|gauge| gauge.rain.at(start)).collect();
            let peak = rates.iter().copied().fold(0.0, f64::max);
            if peak > 0.0 {
                let shares = rates.iter().map(|rate| Share::of(rate / peak)).collect();
                let footprint = Footprint::Zones(Zoned::new(&zones, shares));
                self.read.rain(footprint, peak, start, breaks.get(at + 1).copied());
            }
        }
        Ok(&["rain_values"])
    }
}

/// Returns the gauge nearest to the centre of each cell, of equally near ones the first.
fn nearest(gauges: &[Gauge], grid: &Grid) -> Vec<u32> {
    let mut of = vec![0u32; grid.cells()];
    of.par_chunks_mut(grid.columns).enumerate().for_each(|(row, of)| {
        for (column, of) in of.iter_mut().enumerate() {
            let centre = grid.centre(column, row).into();
            let mut least = f64::INFINITY;
            for (number, gauge) in gauges.iter().enumerate() {
                let distance = Euclidean.distance(centre, gauge.at);
                if distance < least {
                    (least, *of) = (distance, number as u32);
                }
            }
        }
    });
    of
}
