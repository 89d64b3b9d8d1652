//! The series of depths, to be played on the page: a picture of the ground, and over it one of the water per time.

use super::map::Ground;
use super::picture::{Colour, Small, data_uri, indexed_uri};
use super::ramp::Ramp;
use super::{Run, show_time};
use crate::error::{Error, Result};
use crate::layers::{self, DEPTH};
use crate::output::geotiff;

/// The most times that are shown, and the longer side of their pictures (pixels): a page is to be mailed.
const MOST: usize = 60;
const LONGEST: usize = 640;

/// Colours of the water: a picture of few takes a fifth of one of many.
const LEVELS: usize = 31;

/// The largest width and height (SVG units).
const LARGEST: (f64, f64) = (760.0, 720.0);

/// A time of the series.
#[derive(Debug)]
pub struct Frame {
    /// Its time, for people.
    pub label: String,
    /// Its picture, as a `data:` address.
    pub picture: String,
}

/// A series to be played.
#[derive(Debug)]
pub struct Play {
    /// Width and height.
    pub size: (f64, f64),
    /// Whether pixels are to be seen as squares.
    pub coarse: bool,
    /// The ground, as a `data:` address.
    pub ground: String,
    /// The times.
    pub frames: Vec<Frame>,
    /// Which of them is shown first, and on paper: the one with the most water.
    pub shown: usize,
    /// Colours (CSS) and what they stand for.
    pub legend: Vec<(String, String)>,
    /// How many times the series has.
    pub all: usize,
}

/// Draws the series of a run; none if there is none.
///
/// # Errors
/// If a map of it cannot be read again.
pub fn draw(run: &Run) -> Result<Option<Play>> {
    let Run { facts, clock, bed, folder, .. } = run;
    let published = folder.published();
    let stems: Vec<&str> = published.iter().filter_map(|name| name.strip_suffix(".tif")).collect();
    let is_depth =
        |stem: &&&str| layers::of_series(stem).is_some_and(|layer| layer.key == DEPTH.key);
    let stems: Vec<&str> = stems.iter().filter(is_depth).copied().collect();
    let (Some(last), true) = (stems.last(), stems.len() > 1) else { return Ok(None) };
    let style = folder.find(&format!("{last}.qml"));
    let style = std::fs::read_to_string(&style)
        .map_err(|error| Error::run(format!("cannot read '{}': {error}", style.display())))?;
    let ramp = Ramp::of_style(&style)?;
    let colours: Vec<Colour> = [[0; 4]].into_iter().chain(ramp.levels(LEVELS)).collect();
    let grid = &facts.grid;
    let mut frames = Vec::new();
    let (mut shown, mut most, mut size) = (0, 0, (1, 1));
    for stem in chosen(stems.len()).map(|at| stems[at]) {
        let raster = folder.find(&format!("{stem}.tif"));
        let (small, _) = Small::read_within(&raster, grid, DEPTH.averages, LONGEST)?;
        let labels = geotiff::read_labels(&raster).map_err(|error| {
            Error::run(format!("cannot read {stem}.tif for the report: {error}"))
        })?;
        // `7200 s`, or `250 steps`.
        let time = labels.time.split(' ').next().and_then(|time| time.parse().ok());
        // 0 is dry.
        let level = |depth: &f32| ramp.level(*depth, LEVELS).map_or(0, |level| 1 + level as u8);
        let pixels: Vec<u8> = small.values.iter().map(level).collect();
        let wet = pixels.iter().filter(|pixel| **pixel > 0).count();
        if wet > most {
            (shown, most) = (frames.len(), wet);
        }
        size = (small.columns, small.rows);
        let label = time.map_or(labels.time, |time| show_time(time, facts, clock));
        frames.push(Frame { label, picture: indexed_uri(size, &pixels, &colours)? });
    }
    // The ground of the maps, in the size of these.
    let bed = bed.to_size(size);
    let lit = Ground::new(grid, bed)?;
    let (width, height) = (grid.dx * grid.columns as f64, grid.dy * grid.rows as f64);
    let scale = (LARGEST.0 / width).min(LARGEST.1 / height);
    Ok(Some(Play {
        size: (width * scale, height * scale),
        coarse: (size.0 as f64) < width * scale / 2.0,
        ground: data_uri(size, &lit.bare())?,
        frames,
        shown,
        legend: ramp.legend(),
        all: stems.len(),
    }))
}

/// Which of so many times are shown: all, or [`MOST`] evenly apart, the last among them.
fn chosen(all: usize) -> impl Iterator<Item = usize> {
    let shown = all.min(MOST);
    (1..=shown).map(move |number| number * all / shown - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_chosen_evenly_and_the_last_is_among_them() {
        assert!(chosen(3).eq(0..3));
        for all in [60, 61, 119, 1000] {
            let times: Vec<usize> = chosen(all).collect();
            assert_eq!((times.len(), times.last()), (60, Some(&(all - 1))));
            assert!(times.windows(2).all(|pair| pair[1] > pair[0]));
        }
    }
}
