//! Records of input files in reports.

use crate::error::Result;
use crate::input::checksum;
use crate::words::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Record of an input file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct InputFile {
    /// Role in the run.
    pub role: String,
    /// Path as given.
    pub path: String,
    /// Other files that belong to it, as read by GDAL: parts, masks, descriptions, sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<String>,
    /// SHA-256 of the contents, followed by those of the companions; `None` if there are none.
    pub sha256: Option<String>,
}

impl InputFile {
    /// Records an input file with its checksum.
    pub fn new(role: &str, path: &Path) -> Result<InputFile> {
        InputFile::begun(role, path, checksum::begin(path)?)
    }

    /// Like `new`, with the checksum begun by [`checksum::begin`].
    pub fn begun(role: &str, path: &Path, mut sum: Option<Sha256>) -> Result<InputFile> {
        let companions = checksum::all_files(path).split_off(1);
        for file in &companions {
            checksum::add_file(sum.get_or_insert_default(), file)?;
        }
        Ok(InputFile {
            role: role.into(),
            path: path.to_string_lossy().into_owned(),
            companions: companions.iter().map(|file| file.to_string_lossy().into()).collect(),
            sha256: sum.map(|sum| hexadecimal(&sum.finalize())),
        })
    }
}
