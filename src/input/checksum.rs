//! Checksums of input files. The checksum of a VRT, which only names other files, includes the
//! files that it reads.

use super::gdal_access::dataset;
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use crate::words::hexadecimal;
use gdal::Dataset;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Suffixes of the files that GDAL and QGIS put beside a raster to display it faster; no result
/// depends on them.
const SIDECARS: [&str; 2] = [".aux.xml", ".ovr"];

/// Computes the SHA-256 of an input file, in hexadecimal; for a VRT, of its contents followed by
/// the contents of all files that GDAL reads for it.
pub fn of_input(path: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    for file in all_files(path) {
        File::open(&file).and_then(|from| add(&mut hasher, from)).map_err(|error| {
            Error::input(format!("cannot read '{}'", file.display())).because(error)
        })?;
    }
    Ok(hexadecimal(&hasher.finalize()))
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

/// Lists a file and, if it is a VRT, the files that it names, recursively.
pub fn all_files(path: &Path) -> Vec<PathBuf> {
    let mut files = vec![path.to_path_buf()];
    let mut known = HashSet::from([path.to_path_buf()]);
    let mut at = 0;
    while at < files.len() {
        if is_vrt(&files[at]) {
            let named = named_by(&files[at]);
            files.extend(named.into_iter().filter(|file| known.insert(file.clone())));
        }
        at += 1;
    }
    files
}

/// Returns `true` if a file has the extension of a VRT, which names other files.
pub fn is_vrt(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vrt"))
}

/// Lists the files named by a VRT; empty if GDAL cannot open it, which its reader reports.
fn named_by(path: &Path) -> Vec<PathBuf> {
    gdal_log::install();
    let files = Dataset::open(path).map(|dataset| dataset::files(&dataset, path));
    gdal_log::take();
    let counts = |file: &PathBuf| {
        let name = file.to_string_lossy().to_lowercase();
        file.is_file() && !SIDECARS.iter().any(|ending| name.ends_with(ending))
    };
    files.unwrap_or_default().into_iter().filter(counts).collect()
}
