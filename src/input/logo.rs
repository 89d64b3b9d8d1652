//! Logos embedded in pages and sheets.

use super::text;
use crate::error::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;

/// Maximum size of a logo file (bytes): every report and every sheet embeds it.
const LARGEST_LOGO: u64 = 4 << 20;

/// Logo to embed in a page or a sheet.
#[derive(Clone, Debug)]
pub struct Logo {
    /// Media type.
    pub kind: &'static str,
    /// Contents of the file, in base 64.
    pub data: String,
}

impl Logo {
    /// Media type of SVG.
    pub const SVG: &str = "image/svg+xml";

    /// Reads a logo file.
    ///
    /// # Errors
    /// If the file cannot be read, is too large, or is not in one of these formats.
    pub fn read(path: &Path) -> Result<Logo> {
        let wrong = |what: String| Error::input(format!("logo: '{}' {what}", path.display()));
        let bytes = text::bytes(path, LARGEST_LOGO).map_err(|error| {
            wrong(format!("cannot be read: {error}")).hint(
                "check the path, which in a scenario file is relative to the folder of that file; a logo of a few hundred pixels is enough",
            )
        })?;
        let kind = media_type(&bytes).ok_or_else(|| {
            wrong("is not a PNG, JPEG or SVG".into())
                .hint("save it as one of these; PNG suits most logos")
        })?;
        Ok(Logo { kind, data: STANDARD.encode(bytes) })
    }
}

/// Determines the media type of an image from its first bytes, whatever the extension.
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
