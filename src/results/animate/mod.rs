//! Animation of a run's map series: a GIF with the shaded ground, the time and a legend.

mod canvas;
pub mod encode;
mod palette;
mod series;
mod text;

pub use series::ShownSeries;

use crate::error::Result;
use crate::output::results::Map;
use crate::output::small::Small;
use canvas::Canvas;
use encode::GifEncoder;
use palette::Palette;
use std::path::{Path, PathBuf};

/// Default maximum number of frames.
pub const FRAMES: usize = 120;

/// Default length of the map's longer side (pixels).
pub const SIZE: usize = 640;

/// Default number of frames per second.
pub const RATE: f64 = 5.0;

/// Options of an animation.
#[derive(Clone, Copy, Debug)]
pub struct Show {
    /// Maximum number of frames; longer series are thinned out evenly, keeping the last frame.
    pub frames: usize,
    /// Maximum length of the map's longer side (pixels).
    pub size: usize,
    /// Number of frames per second.
    pub rate: f64,
}

/// Summary of an animation that was written.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Animation {
    /// Path of the file.
    pub file: PathBuf,
    /// Number of frames written.
    pub frames: usize,
    /// Number of maps in the series.
    pub maps: usize,
    /// Width and height (pixels).
    pub size: (usize, usize),
    /// Size of the file (bytes).
    pub bytes: usize,
}

/// Writes a series as a GIF, completely or not at all.
///
/// # Errors
/// If one of its maps cannot be read, or the file cannot be written.
pub fn animate(series: &ShownSeries, show: Show, to: &Path) -> Result<Animation> {
    let shown = series.chosen(show.frames);
    let grid = &series.grid;
    let read = |map: &Map| {
        Small::read(&series.folder.join(map.raster()), grid, map.layer.downsampling, show.size)
    };
    // The domain is where the maps have values; the DEM may have more.
    let ground = match &series.dem {
        Some(dem) => Small::of_dem(dem, grid, show.size)?,
        None => read(shown[0])?.flat(),
    };
    let shades = ground.shade(grid)?;
    let palette = Palette::new(&series.ramp);
    let mut canvas = Canvas::new(&palette, &ground, &shades, grid, show.size);
    canvas.legend(&series.title, &series.ramp);
    let mut film = GifEncoder::new(canvas.size, palette.bytes(), show.rate)?;
    for (number, map) in shown.iter().enumerate() {
        canvas.frame(&read(map)?, &series.time(map));
        film.add(&canvas.pixels, number + 1 == shown.len())?;
    }
    let bytes = film.end()?;
    encode::write(to, &bytes)?;
    let (frames, maps) = (shown.len(), series.maps.len());
    Ok(Animation { file: to.into(), frames, maps, size: canvas.size, bytes: bytes.len() })
}
