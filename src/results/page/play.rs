//! Series of depths, to be played on the page: a picture of the ground, and above it one of the
//! water per time.

use super::map::{Relief, legend, plate_size};
use super::picture::{data_uri, indexed_uri};
use super::{PageInputs, show_time};
use crate::error::Result;
use crate::output::colour::Colour;
use crate::output::layers::DEPTH;
use crate::output::results::Map;
use crate::output::small::Small;
use crate::results::report::Report;
use rayon::prelude::*;

/// Number of water colours: with few colours a picture is a fifth of the size.
const LEVELS: usize = 31;

/// A time of the series.
#[derive(Debug)]
pub struct SeriesTime {
    /// Time of the picture, for people.
    pub label: String,
    /// The picture, as a `data:` URI.
    pub picture: String,
}

/// A series to be played.
#[derive(Debug)]
pub struct Play {
    /// Width and height.
    pub size: (f64, f64),
    /// Set if pixels should be visible as squares.
    pub coarse: bool,
    /// The ground, as a `data:` URI, unless the page has another picture of it.
    pub ground: Option<String>,
    /// Pictures of the series, in order of time.
    pub frames: Vec<SeriesTime>,
    /// Index of the picture shown first, and on paper: the one with the most water.
    pub shown: usize,
    /// Colours (CSS) with their meaning.
    pub legend: Vec<(String, String)>,
    /// Number of times in the whole series.
    pub all: usize,
}

/// Draws the series of depths of a run; none if there is none.
pub fn draw(report: &Report, run: &PageInputs, has_ground: bool) -> Result<Option<Play>> {
    let PageInputs { facts, clock, bed, .. } = run;
    let is_depth = |map: &&Map| map.layer.key == DEPTH.key && map.time.is_some();
    let all: Vec<&Map> = report.maps.iter().filter(is_depth).collect();
    let pictures: Vec<(f64, &Small)> =
        all.iter().filter_map(|map| Some((map.time?, map.picture.as_ref()?))).collect();
    let (Some(&(_, first)), true) = (pictures.first(), all.len() > 1) else { return Ok(None) };
    let size = (first.columns, first.rows);
    let ramp = &report.styles[DEPTH.key];
    let colours: Vec<Colour> = [[0; 4]].into_iter().chain(ramp.levels(LEVELS)).collect();
    let grid = facts.map_grid();
    // 0 is dry.
    let level = |depth: &f32| ramp.level(*depth, LEVELS).map_or(0, |level| 1 + level as u8);
    let draw = |(time, small): (f64, &Small)| {
        let pixels: Vec<u8> = small.values.iter().map(level).collect();
        let wet = pixels.iter().filter(|pixel| **pixel > 0).count();
        let label = show_time(time, facts, clock);
        Ok((wet, SeriesTime { label, picture: indexed_uri(size, &pixels, &colours)? }))
    };
    let drawn: Vec<(usize, SeriesTime)> =
        pictures.into_par_iter().map(draw).collect::<Result<_>>()?;
    let (mut shown, mut most) = (0, 0);
    for (at, &(wet, _)) in drawn.iter().enumerate() {
        if wet > most {
            (shown, most) = (at, wet);
        }
    }
    let frames = drawn.into_iter().map(|(_, frame)| frame).collect();
    let ground = match has_ground {
        true => None,
        // The ground of the maps, in the size of these.
        false => Some(data_uri(size, &Relief::new(grid, bed.to_size(size))?.bare())?),
    };
    let plate = plate_size(grid);
    Ok(Some(Play {
        size: plate,
        coarse: (size.0 as f64) < plate.0 / 2.0,
        ground,
        frames,
        shown,
        legend: legend(ramp),
        all: all.len(),
    }))
}
