//! Pictures of a series: one PNG per map, or an animated GIF.

use super::states::{Bytes, Legend};
use crate::error::Result;
use crate::output::folder::{OutputFolder, cannot_write};
use crate::results::animate::encode::GifEncoder;

/// Kind of pictures to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Frames {
    /// One PNG for each map of the series
    Png,
    /// One animation of all maps
    Gif,
}

/// Maximum length of a picture's longer side, and approximate length to which small ones are
/// enlarged (pixels).
const MOST: usize = 1024;
const SMALL: usize = 480;

/// Frames per second of the animation.
const RATE: f64 = 10.0;

/// Prefix and extension of a picture's file name.
const NAME: &str = "frame";
const PNG: &str = ".png";
/// The moving picture.
pub const FILM: &str = "states.gif";

/// Returns `true` if a file is a picture of a series.
pub fn is_picture(name: &str) -> bool {
    let stamp = name.strip_prefix("frame_step").and_then(|rest| rest.strip_suffix(PNG));
    stamp.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Pictures of a series that is being written.
pub struct Pictures {
    size: (usize, usize),
    legend: Legend,
    film: Option<GifEncoder>,
}

impl Pictures {
    /// Prepares pictures of grids with these columns and rows.
    ///
    /// # Errors
    /// If such pictures are not possible.
    pub fn new(kind: Frames, size: (usize, usize), legend: &Legend) -> Result<Pictures> {
        let mut pictures = Pictures { size, legend: legend.clone(), film: None };
        if kind == Frames::Gif {
            // Index 0 is transparent: it marks pixels that do not change between frames.
            let colours = legend.iter().flat_map(|(_, (red, green, blue))| [*red, *green, *blue]);
            let palette = [0, 0, 0].into_iter().chain(colours).collect();
            let (columns, rows, _) = pictures.pixels(&vec![0; size.0 * size.1]);
            pictures.film = Some(GifEncoder::new((columns, rows), palette, RATE)?);
        }
        Ok(pictures)
    }

    /// Adds the picture of a grid.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(
        &mut self,
        folder: &OutputFolder,
        stamp: &str,
        numbers: &[u8],
        is_last: bool,
    ) -> Result<()> {
        let (columns, rows, pixels) = self.pixels(numbers);
        match &mut self.film {
            Some(film) => {
                let pixels: Vec<u8> = pixels.iter().map(|number| number + 1).collect();
                film.add(&pixels, is_last)
            }
            None => {
                let path = folder.staged(&format!("{NAME}{stamp}{PNG}"));
                Bytes { size: (columns, rows), numbers: &pixels, legend: &self.legend }.png(&path)
            }
        }
    }

    /// Writes the animation, if there is one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(self, folder: &OutputFolder) -> Result<()> {
        let Some(film) = self.film else { return Ok(()) };
        std::fs::write(folder.staged(FILM), film.end()?).map_err(cannot_write(FILM))
    }

    /// Returns the pixels of a grid: thinned out, or with each cell as a square.
    fn pixels(&self, numbers: &[u8]) -> (usize, usize, Vec<u8>) {
        let (columns, rows) = self.size;
        let longer = columns.max(rows);
        let thin = longer.div_ceil(MOST);
        let zoom = (SMALL / longer).max(1);
        let size = (columns.div_ceil(thin) * zoom, rows.div_ceil(thin) * zoom);
        let at = |pixel: usize| pixel / zoom * thin;
        let pixels = (0..size.1).flat_map(|y| {
            let row = &numbers[at(y) * columns..][..columns];
            (0..size.0).map(move |x| row[x / zoom * thin])
        });
        (size.0, size.1, pixels.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_grids_are_thinned_and_small_ones_enlarged() {
        let legend = vec![("a".to_string(), (0, 0, 0)), ("b".to_string(), (255, 255, 255))];
        let small = Pictures::new(Frames::Png, (2, 1), &legend).unwrap();
        let (columns, rows, pixels) = small.pixels(&[0, 1]);
        assert_eq!((columns, rows), (480, 240));
        assert_eq!((pixels[0], pixels[239], pixels[240]), (0, 0, 1));
        let large = Pictures::new(Frames::Png, (3000, 10), &legend).unwrap();
        assert_eq!(large.pixels(&vec![0; 30_000]).0, 1000);
        assert!(
            is_picture("frame_step007.png")
                && !is_picture("frame_step.png")
                && !is_picture("frame.png")
        );
    }
}
