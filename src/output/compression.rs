//! Lossless compression of the blocks of GeoTIFFs.

use crate::error::{Error, Result};
use gdal::{DriverManager, Metadata};
use serde::{Deserialize, Serialize};

/// A compression method. For its costs and its readers see docs/performance.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Deflate: readable by all programs
    #[default]
    Deflate,
    /// Zstandard: faster and slightly smaller; readable by programs built with Zstandard
    Zstd,
    /// LERC and Deflate: small for coarse numbers; needs GDAL's LERC
    Lerc,
    /// No compression: large, readable by all programs
    None,
}

impl Compression {
    /// Returns GDAL's name of the method.
    fn codec(self) -> &'static str {
        match self {
            Compression::Deflate => "DEFLATE",
            Compression::Zstd => "ZSTD",
            Compression::Lerc => "LERC_DEFLATE",
            Compression::None => "NONE",
        }
    }

    /// Returns the options of GDAL's COG driver.
    pub fn creation_options(self) -> Vec<(&'static str, &'static str)> {
        let more: &[_] = match self {
            Compression::Deflate | Compression::Zstd => &[("PREDICTOR", "YES")],
            Compression::Lerc => &[("MAX_Z_ERROR", "0")],
            Compression::None => return vec![("COMPRESS", self.codec())],
        };
        // Higher levels take two to five times as long and save 1 to 10 %.
        [&[("COMPRESS", self.codec()), ("LEVEL", "1")], more].concat()
    }

    /// Fails if the installed GDAL cannot write this compression.
    pub fn check(self) -> Result<()> {
        // Listing its codecs makes the driver read files, which takes a tenth of the time of a
        // small run.
        if matches!(self, Compression::Deflate | Compression::None) {
            return Ok(());
        }
        let listed = DriverManager::get_driver_by_name("COG")
            .ok()
            .and_then(|driver| driver.metadata_item("DMD_CREATIONOPTIONLIST", ""));
        let named = |value: &str| format!("<Value>{value}</Value>");
        if listed.is_some_and(|listed| listed.contains(&named(self.codec()))) {
            return Ok(());
        }
        let word = clap::ValueEnum::to_possible_value(&self);
        let word = word.as_ref().map_or("", |word| word.get_name());
        Err(Error::input(format!("compress: this program's GDAL cannot write {word}"))
            .hint("leave --compress out for deflate, which every GDAL supports; a build with the system's GDAL (cargo build --release) supports what gdalinfo --format COG lists"))
    }
}
