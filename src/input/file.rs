//! Records of input files in reports.

use crate::error::Result;
use crate::input::checksum;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Record of an input file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct InputFile {
    /// Role in the run.
    pub role: String,
    /// Path as given.
    pub path: String,
    /// SHA-256 of the contents, if it is a plain file; for a VRT, including all files that it
    /// reads.
    pub sha256: Option<String>,
}

impl InputFile {
    /// Records an input file with its checksum.
    pub fn new(role: &str, path: &Path) -> Result<InputFile> {
        let sha256 = if path.is_file() { Some(checksum::of_input(path)?) } else { None };
        Ok(InputFile { role: role.into(), path: path.to_string_lossy().into_owned(), sha256 })
    }
}
