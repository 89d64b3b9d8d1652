//! A logo, as pages and sheets have it in them.

use super::text;
use crate::error::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;

/// The largest file of a logo (bytes): every report and every sheet has it in it.
const LARGEST_LOGO: u64 = 4 << 20;

/// A logo, to be put into a page or a sheet.
#[derive(Clone, Debug)]
pub struct Logo {
    /// What it is, as a type of media.
    pub kind: &'static str,
    /// Its file, in base 64.
    pub data: String,
}

impl Logo {
    /// The type of an SVG.
    pub const SVG: &str = "image/svg+xml";

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is too large or is none of these pictures.
    pub fn read(path: &Path) -> Result<Logo> {
        let wrong = |what: String| Error::input(format!("logo: '{}' {what}", path.display()));
        let bytes = text::bytes(path, LARGEST_LOGO).map_err(|error| {
            wrong(format!("cannot be read: {error}")).hint(
                "check the path, which in a scenario file is relative to that file's folder; and a logo needs no more than some hundred pixels",
            )
        })?;
        let kind = media_type(&bytes).ok_or_else(|| {
            wrong("is no PNG, JPEG or SVG".into()).hint("save it as one of these; PNG suits most")
        })?;
        Ok(Logo { kind, data: STANDARD.encode(bytes) })
    }
}

/// What a file of a picture is by what it begins with; its name may say anything.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let is_svg = || {
        let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        begin.contains("<svg") && begin.trim_start_matches('\u{feff}').trim_start().starts_with('<')
    };
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => is_svg().then_some(Logo::SVG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_what_they_begin_with() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n...."), Some("image/png"));
        assert_eq!(media_type(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(media_type("\u{feff}<?xml?>\n<svg xmlns=''/>".as_bytes()), Some(Logo::SVG));
        assert_eq!(media_type(b"GIF89a"), None);
        assert_eq!(media_type(b"see <svg>"), None);
        assert_eq!(media_type(b""), None);
    }
}
