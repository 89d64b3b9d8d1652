//! Files beside a raster that GDAL leaves out without a word if they are damaged: its mask (`.msk`)
//! and its metadata (`.aux.xml`).

use crate::error::{Error, Result};
use crate::input::checksum::{DESCRIPTION, with_ending};
use crate::input::gdal_access::gdal_log;
use gdal::Dataset;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::path::Path;

/// Refuses a raster with a damaged file beside it.
pub fn check(path: &Path, role: &str) -> Result<()> {
    let beside = |ending| Some(with_ending(path, ending)).filter(|file| file.is_file());
    let mask =
        beside(".msk").filter(|mask| gdal_log::without_messages(|| Dataset::open(mask).is_err()));
    let about = beside(DESCRIPTION)
        .filter(|about| std::fs::read(about).is_ok_and(|bytes| !is_well_formed(&bytes)));
    match mask.or(about) {
        None => Ok(()),
        Some(damaged) => Err(Error::input(format!(
            "{role}: '{}' has a damaged file beside it, '{}'",
            path.display(),
            damaged.display()
        ))
        .hint("copy it again, or delete it if the raster is right without it")),
    }
}

/// Returns `true` for well-formed XML.
fn is_well_formed(bytes: &[u8]) -> bool {
    let mut reader = Reader::from_reader(bytes);
    let (mut depth, mut elements) = (0, 0);
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => (depth, elements) = (depth + 1, elements + 1),
            Ok(Event::Empty(_)) => elements += 1,
            Ok(Event::End(_)) => depth -= 1,
            Ok(Event::Eof) => return depth == 0 && elements > 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
