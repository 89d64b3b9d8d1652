//! How the blocks of GeoTIFFs are compressed, without loss.

use crate::error::{Error, Result};
use gdal::{DriverManager, Metadata};
use serde::{Deserialize, Serialize};

/// A way to compress. What it costs and who reads it: docs/performance.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Deflate: everything reads it.
    #[default]
    Deflate,
    /// Zstandard: faster and a little smaller; what is built with it reads it.
    Zstd,
    /// LERC, and Deflate: small where numbers are coarse; needs GDAL's LERC.
    Lerc,
    /// Not at all: large, and read by everything.
    None,
}

impl Compression {
    /// What GDAL calls it.
    fn codec(self) -> &'static str {
        match self {
            Compression::Deflate => "DEFLATE",
            Compression::Zstd => "ZSTD",
            Compression::Lerc => "LERC_DEFLATE",
            Compression::None => "NONE",
        }
    }

    /// Options of GDAL's COG driver.
    pub fn creation_options(self) -> Vec<(&'static str, &'static str)> {
        let more: &[_] = match self {
            Compression::Deflate | Compression::Zstd => &[("PREDICTOR", "YES")],
            Compression::Lerc => &[("MAX_Z_ERROR", "0")],
            Compression::None => return vec![("COMPRESS", self.codec())],
        };
        // Higher levels take two to five times as long, for a hundredth to a tenth less.
        [&[("COMPRESS", self.codec()), ("LEVEL", "1")], more].concat()
    }

    /// An error if the GDAL at hand cannot write it.
    pub fn check(self) -> Result<()> {
        // To list what it can, the driver reads files: a tenth of the time of a small run.
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
        Err(Error::input(format!("compress: the GDAL of this program cannot write {word}"))
            .hint("leave --compress out for deflate, which every GDAL writes; a build with the system's GDAL (cargo build --release) can do what gdalinfo --format COG lists"))
    }
}
