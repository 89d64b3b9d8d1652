//! What helpers are asked, and what they answer.

use super::{Onto, Seen};
use crate::error::{Error, Result};
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::remote;
use crate::input::totals::RowTotal;
use crate::input::warp::Strip;
use gdal::Metadata;
use serde::{Deserialize, Serialize};
use std::path::absolute;

/// What a helper is to do.
#[derive(Deserialize, Serialize)]
pub enum Order {
    /// Open a raster, of which what follows is asked.
    Open(Box<Open>),
    /// Say what all bytes of its files come to.
    Checksum,
    /// Read rows: the first, and how many.
    Rows(usize, usize),
    /// Warp a strip onto the other grid.
    Strip(Strip),
    /// Add up rows: the first, and how many.
    Totals(usize, usize),
}

/// A raster to be opened.
#[derive(Deserialize, Serialize)]
pub struct Open {
    /// The file, from the root.
    pub path: String,
    /// The same as the user named it.
    pub shown: String,
    /// What GDAL is to open: the file, or a raster in it.
    pub name: String,
    /// What it is read as.
    pub role: String,
    /// The band that counts, from 1.
    pub band: usize,
    /// What means NoData in it, as stored.
    pub nodata: Vec<f64>,
    /// Whether it may name other machines.
    pub remote: bool,
    /// So many rows are read at a time.
    pub step: usize,
    /// The grid that it is brought onto.
    pub onto: Option<Onto>,
}

impl Open {
    /// What others need to open the same; none of what is no file, which no one else can see.
    pub fn of(file: &RasterFile, step: usize, onto: Option<Onto>) -> Option<Open> {
        let shown = file.path.to_str()?;
        let path = absolute(&file.path).ok()?.to_str()?.to_string();
        file.path.is_file().then(|| Open {
            name: from_root(&file.dataset.description().unwrap_or_default(), shown, &path),
            path,
            shown: shown.into(),
            role: file.role.clone(),
            band: file.band,
            nodata: file.nodata.clone(),
            remote: remote::is_allowed(),
            step,
            onto,
        })
    }
}

/// What GDAL calls a file, or a raster in one like `NETCDF:"rain.nc":rain`, with the file named from the root.
fn from_root(name: &str, shown: &str, path: &str) -> String {
    if name == shown {
        return path.into();
    }
    let with =
        |mark: char| name.replace(&format!("{mark}{shown}{mark}"), &format!("{mark}{path}{mark}"));
    if name.contains(&format!("\"{shown}\"")) { with('"') } else { with(':') }
}

/// What a helper answers. Values follow as bytes ([`super::values`]).
#[derive(Deserialize, Serialize)]
pub enum Answer {
    /// What it opened.
    Seen(Box<Seen>),
    /// A checksum; none if it could not read all.
    Checksum(Option<String>),
    /// Rows, with what was taken as NoData.
    Values(Undeclared),
    /// What rows add up to, with what was taken as NoData.
    Totals(Vec<RowTotal>, Undeclared),
    /// It could not, and why.
    Failed(String),
}

/// A message as bytes.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("what is told has no reason to fail")
}

/// An answer, and the bytes that follow it.
pub fn unpack(bytes: &[u8], from: usize) -> Result<(Answer, &[u8])> {
    postcard::take_from_bytes(bytes).map_err(|error| confused(from, &error))
}

/// The error of one who answers what makes no sense.
pub fn confused(from: usize, why: &dyn std::fmt::Display) -> Error {
    Error::run(format!("what rank {from} read makes no sense ({why})"))
        .hint("start the same version of the program on every rank")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_from_the_root() {
        let of = |name| from_root(name, "a.nc", "/in/a.nc");
        assert_eq!(of("a.nc"), "/in/a.nc");
        assert_eq!(of("NETCDF:\"a.nc\":a.nc"), "NETCDF:\"/in/a.nc\":a.nc");
        assert_eq!(of("HDF5:a.nc:rain"), "HDF5:/in/a.nc:rain");
    }
}
