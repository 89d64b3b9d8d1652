//! Encodes frames as a GIF, storing only the part of each frame that differs from the previous one.

use super::palette::SAME;
use crate::error::{Error, Result};
use crate::output::folder::{cannot_write, folder_of};
use crate::output::own_files::GIF_COMMENT;
use gif::{DisposalMethod, Encoder, EncodingError, Extension, Frame, Repeat};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Duration of the last frame before the animation starts again (hundredths of a second).
const LAST: u16 = 200;

/// Encoder of a GIF.
pub struct GifEncoder {
    encoder: Encoder<Vec<u8>>,
    size: (usize, usize),
    /// Delay between frames (hundredths of a second).
    delay: u16,
    before: Vec<u8>,
}

fn failed(error: EncodingError) -> Error {
    Error::run("cannot make the animation").because(error)
}

impl GifEncoder {
    /// Creates a GIF of a width and height, with the colours of a palette (red, green, blue), at
    /// `rate` frames per second.
    ///
    /// # Errors
    /// If it is too large for a GIF.
    pub fn new(size: (usize, usize), palette: Vec<u8>, rate: f64) -> Result<GifEncoder> {
        let [width, height] = [size.0, size.1].map(u16::try_from);
        let (Ok(width), Ok(height)) = (width, height) else {
            return Err(Error::input(format!(
                "{} x {} pixels are too many for a GIF",
                size.0, size.1
            ))
            .hint("give a smaller --size"));
        };
        let mut encoder = Encoder::new(Vec::new(), width, height, &palette).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        encoder.write_raw_extension(Extension::Comment.into(), &[GIF_COMMENT]).map_err(failed)?;
        // Browsers take less than two hundredths for ten.
        let delay = (100.0 / rate).round().clamp(2.0, 6000.0) as u16;
        Ok(GifEncoder { encoder, size, delay, before: Vec::new() })
    }

    /// Adds a frame; `last` marks the final one.
    pub fn add(&mut self, pixels: &[u8], last: bool) -> Result<()> {
        let (width, height) = self.size;
        let (mut left, mut top, mut right, mut bottom) = (0, 0, width, height);
        if !self.before.is_empty() {
            let differs = |at: usize| pixels[at] != self.before[at];
            let rows = || (0..height).filter(|row| (0..width).any(|c| differs(row * width + c)));
            let columns = || (0..width).filter(|c| (0..height).any(|row| differs(row * width + c)));
            // A frame equal to the previous one is stored as a single unchanged pixel.
            (top, bottom) =
                rows().next().zip(rows().next_back()).map_or((0, 1), |(a, b)| (a, b + 1));
            (left, right) =
                columns().next().zip(columns().next_back()).map_or((0, 1), |(a, b)| (a, b + 1));
        }
        let mut part = Vec::with_capacity((right - left) * (bottom - top));
        for row in top..bottom {
            for at in row * width + left..row * width + right {
                part.push(if self.before.get(at) == Some(&pixels[at]) { SAME } else { pixels[at] });
            }
        }
        let small = |length: usize| u16::try_from(length).expect("it was judged");
        let frame = Frame {
            delay: if last { self.delay.max(LAST) } else { self.delay },
            dispose: DisposalMethod::Keep,
            transparent: Some(SAME),
            left: small(left),
            top: small(top),
            width: small(right - left),
            height: small(bottom - top),
            buffer: Cow::Owned(part),
            ..Frame::default()
        };
        self.before = pixels.to_vec();
        self.encoder.write_frame(&frame).map_err(failed)
    }

    /// Returns the encoded file.
    pub fn end(self) -> Result<Vec<u8>> {
        self.encoder.into_inner().map_err(failed)
    }
}

/// Writes a file under a temporary name, and moves it into place when it is complete.
pub fn write(to: &Path, bytes: &[u8]) -> Result<()> {
    let failed = cannot_write::<std::io::Error>(format!("'{}'", to.display()));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".inundate-animation-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The permissions of an ordinary file, subject to the user's umask.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder_of(to)).map_err(&failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(&failed)?;
    file.persist(to).map_err(|error| failed(error.error))?;
    Ok(())
}
