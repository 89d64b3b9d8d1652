//! Checksums of inputs, which cover the files that belong to them: the parts of a Shapefile, masks,
//! world files, GDAL's descriptions (`.aux.xml`), the files that a VRT names, SQLite's write-ahead
//! logs.

use super::gdal_access::dataset;
use crate::error::{Error, Result};
use crate::input::endless::why_not_read;
use crate::input::gdal_access::gdal_log;
use gdal::Dataset;
use quick_xml::Reader;
use quick_xml::events::Event;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Endings of files that only speed up reading: overviews and spatial indices.
const INDICES: [&str; 4] = [".ovr", ".qix", ".sbn", ".sbx"];
/// Ending of GDAL's description of a raster.
pub const DESCRIPTION: &str = ".aux.xml";
/// Endings of inputs that consist of one file, apart from SQLite's log.
const ALONE: &str = "csv toml json geojson inp gpkg sqlite";
/// Key of a statistic in a description.
const STATISTICS: &str = "key=\"STATISTICS_";
/// Prefixes of GDAL's paths into archives.
const ARCHIVES: [&str; 5] = ["/vsizip/", "/vsitar/", "/vsigzip/", "/vsi7z/", "/vsirar/"];

/// Begins the checksum of an input with its own contents, those of an archive for a path into it.
/// `None` if it is not a file.
pub fn begin(path: &Path) -> Result<Option<Sha256>> {
    let file = on_disk(path);
    if !file.is_file() {
        return Ok(None);
    }
    let mut hasher = Sha256::new();
    add_file(&mut hasher, &file)?;
    Ok(Some(hasher))
}

/// Adds the contents of a file to a checksum.
pub fn add_file(hasher: &mut Sha256, file: &Path) -> Result<()> {
    let added = match is_description(file) {
        true => description(file).map(|text| hasher.update(text)),
        false => File::open(file).and_then(|from| add(hasher, from)),
    };
    added.map_err(|error| Error::input(format!("cannot read '{}'", file.display())).because(error))
}

/// Computes the SHA-256 of everything that a reader yields.
pub fn of(from: impl Read) -> io::Result<Vec<u8>> {
    let mut hasher = Sha256::new();
    add(&mut hasher, from)?;
    Ok(hasher.finalize().to_vec())
}

fn add(hasher: &mut Sha256, mut from: impl Read) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        hasher.update(&buffer[..count]);
    }
}

/// Lists the files of an input: its own, and those that belong to it, recursively.
pub fn all_files(path: &Path) -> Vec<PathBuf> {
    let mut files = vec![on_disk(path)];
    let mut known: HashSet<PathBuf> = files.iter().cloned().collect();
    let mut at = 0;
    while at < files.len() {
        let others = beside(&files[at]);
        files.extend(others.into_iter().filter(|file| known.insert(file.clone())));
        at += 1;
    }
    files
}

/// Returns the file that holds a dataset named by GDAL's path into an archive; otherwise the path.
fn on_disk(path: &Path) -> PathBuf {
    let mut rest = path.to_string_lossy().into_owned();
    while let Some(inner) = ARCHIVES.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = inner.trim_matches(['{', '}']).into();
    }
    let file = Path::new(&rest).ancestors().find(|path| path.is_file());
    file.map_or_else(|| path.to_path_buf(), Path::to_path_buf)
}

/// Lists the files that GDAL reads with a file or folder, and SQLite's log of changes; none if GDAL
/// cannot open it, which its reader reports.
fn beside(path: &Path) -> Vec<PathBuf> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut files = Vec::new();
    if path.exists() && why_not_read(path).is_none() && !ALONE.split(' ').any(|one| one == ending) {
        gdal_log::install();
        let opened = Dataset::open(path).map(|dataset| dataset::files(&dataset, path));
        files.extend(opened.unwrap_or_default());
        gdal_log::take();
    }
    if path.is_dir() {
        files.sort();
    }
    files.extend(sqlite_log(path));
    files.into_iter().map(|file| on_disk(&file)).filter(|file| counts(file)).collect()
}

/// Returns SQLite's log of changes that are not yet in a database, if it has any.
pub fn sqlite_log(path: &Path) -> Option<PathBuf> {
    let log = with_ending(path, "-wal");
    log.metadata().is_ok_and(|data| data.len() > 0).then_some(log)
}

/// Returns the path of a file beside another one, whose name is longer by an ending.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Returns `true` if results may depend on a file beside an input.
fn counts(file: &Path) -> bool {
    let name = file.to_string_lossy().to_lowercase();
    let is_empty = || match is_description(file) {
        true => description(file).is_ok_and(|text| text.is_empty()),
        false => file.metadata().is_ok_and(|data| data.len() == 0),
    };
    file.is_file() && !INDICES.iter().any(|ending| name.ends_with(ending)) && !is_empty()
}

fn is_description(file: &Path) -> bool {
    file.to_string_lossy().to_lowercase().ends_with(DESCRIPTION)
}

/// Reads GDAL's description of a raster without the statistics, which QGIS adds when it shows the
/// raster; empty if there is nothing else.
fn description(file: &Path) -> io::Result<String> {
    let bytes = std::fs::read(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().trim_text(true);
    // Contents of the tags and texts. A tag is removed again if it ends without content.
    let mut kept: Vec<(bool, String)> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let of_statistics = tag.name().as_ref() == "Histograms" || tag.contains(STATISTICS);
                if !of_statistics {
                    kept.push((true, tag.to_string()));
                } else if reader.read_to_end(tag.name()).is_err() {
                    return Ok(text.into_owned());
                }
            }
            Ok(Event::End(tag)) => match kept.pop_if(|(is_start, _)| *is_start) {
                Some(_) => {}
                None => kept.push((false, tag.to_string())),
            },
            Ok(Event::Eof) => return Ok(kept.into_iter().map(|(_, text)| text).collect()),
            Ok(Event::Decl(_) | Event::Comment(_)) => {}
            Ok(other) => kept.push((false, other.to_string())),
            Err(_) => return Ok(text.into_owned()),
        }
    }
}
