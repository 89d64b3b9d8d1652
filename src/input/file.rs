//! An input file, as a run tells of it.

use crate::error::Result;
use crate::input::checksum;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// An input file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct InputFile {
    /// What it was used as.
    pub role: String,
    /// Its path as given.
    pub path: String,
    /// SHA-256 of its contents, if it is a plain file; of a VRT with all files that it reads.
    pub sha256: Option<String>,
}

impl InputFile {
    /// Notes an input file with its checksum.
    pub fn new(role: &str, path: &Path) -> Result<InputFile> {
        let sha256 = if path.is_file() { Some(checksum::of_input(path)?) } else { None };
        Ok(InputFile { role: role.into(), path: path.to_string_lossy().into_owned(), sha256 })
    }
}
