//! Checkpoints: the state of a run on disk, from which it can go on after it was stopped.
//!
//! They lie in the hidden folder [`store::FOLDER`] of the output folder, the last two of them. Each appears whole
//! or not at all ([`store`]), and carries a checksum ([`mod@file`]). A run writes them now and then ([`keeper`]) and
//! goes on from them to the bits of a run that was never stopped ([`resume`]).

pub mod file;
pub mod header;
pub mod keeper;
mod links;
pub mod resume;
mod sound;
pub mod store;
pub mod sums;

use crate::grid::{Bed, Grid};
use crate::words::hexadecimal;
use sha2::{Digest, Sha256};

/// A fingerprint of the terrain: of what was made of the DEM, whichever files that took.
pub fn terrain(grid: &Grid, bed: &Bed) -> String {
    let mut hasher = Sha256::new();
    hasher.update(format!("{} x {}, {:?}", grid.columns, grid.rows, grid.transform));
    for levels in bed.levels.chunks(1 << 16) {
        let bytes: Vec<u8> = levels.iter().flat_map(|level| level.to_le_bytes()).collect();
        hasher.update(&bytes);
    }
    hexadecimal(&hasher.finalize())
}
