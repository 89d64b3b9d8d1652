//! A run's series of maps as a moving picture: a GIF with the lit ground, the time and a legend.

mod canvas;
pub mod encode;
mod palette;
mod series;
mod text;

pub use series::ShownSeries;

use crate::error::{Error, Result};
use crate::output::results::Map;
use crate::output::small::Small;
use canvas::Canvas;
use encode::Film;
use palette::Palette;
use std::path::{Path, PathBuf};

/// The most frames unless asked for otherwise.
pub const FRAMES: usize = 120;

/// The longer side of the map unless asked for otherwise (pixels).
pub const SIZE: usize = 640;

/// Frames a second unless asked for otherwise.
pub const RATE: f64 = 5.0;

/// How a series is shown.
#[derive(Clone, Copy, Debug)]
pub struct Show {
    /// The most frames; more are thinned out evenly, the last stays.
    pub frames: usize,
    /// The longer side of the map at the most (pixels).
    pub size: usize,
    /// Frames a second.
    pub rate: f64,
}

/// What was written.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Written {
    /// The file.
    pub file: PathBuf,
    /// Its frames.
    pub frames: usize,
    /// The maps of the series.
    pub maps: usize,
    /// Width and height (pixels).
    pub size: (usize, usize),
    /// Its size (bytes).
    pub bytes: usize,
}

/// Writes a series as a GIF, whole or not at all.
///
/// # Errors
/// If a map of it cannot be read, or the file cannot be written.
pub fn animate(series: &ShownSeries, show: Show, to: &Path) -> Result<Written> {
    let shown = series.chosen(show.frames);
    let grid = &series.grid;
    let read = |map: &Map| {
        Small::read(&series.folder.join(map.raster()), grid, map.layer.averages, show.size)
    };
    // The domain is where the maps have values; the DEM may have more.
    let ground = match &series.dem {
        Some(dem) => Small::of_dem(dem, grid, show.size)?,
        None => read(shown[0])?.flat(),
    };
    let shades = ground.shade(grid)?;
    let palette = Palette::new(&series.ramp);
    let mut canvas = Canvas::new(&palette, &ground, &shades);
    canvas.legend(&series.title, &series.ramp);
    let mut film = Film::new(canvas.size, palette.bytes(), show.rate)?;
    for (number, map) in shown.iter().enumerate() {
        canvas.frame(&read(map)?, &series.time(map));
        film.add(&canvas.pixels, number + 1 == shown.len())?;
    }
    let bytes = film.end()?;
    encode::write(to, &bytes)?;
    let (frames, maps) = (shown.len(), series.maps.len());
    Ok(Written { file: to.into(), frames, maps, size: canvas.size, bytes: bytes.len() })
}

/// The error of a file that cannot be read or written.
fn unusable(what: &str, path: &Path, error: std::io::Error) -> Error {
    Error::run(format!("cannot {what} '{}'", path.display())).because(error)
}
