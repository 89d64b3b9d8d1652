//! Describes the run to which a checkpoint belongs, both for resuming it and for starting a new run
//! from its state.

use crate::engine::backend::Problem;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::sites::SiteKind;
use crate::engine::forcing::{HeldLevel, RateLayer};
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::words::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, BufWriter, Write};

/// The run to which a state belongs. Large data are represented by their SHA-256.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct AboutRun {
    /// Name of the rule.
    pub rule: String,
    /// Grain of its water.
    pub grain: Grain,
    /// Columns, rows and geotransform.
    pub grid: (usize, usize, [f64; 6]),
    /// Checksum of the bed, independent of the DEM files.
    pub bed: String,
    /// Checksum of soils and land cover with losses; `None` without losses.
    pub losses: Option<String>,
    /// Checksum of the sites with a state.
    pub sites: String,
    /// Checksums of the links.
    pub links: Vec<String>,
    /// Checksums of the accounts and footprints of the rate layers.
    pub rates: Vec<String>,
    /// Checksums of the cells of stage boundaries, and their levels.
    pub levels: Vec<(String, Series)>,
    /// Start of the run by the wall clock, if known.
    pub start: Option<String>,
}

impl AboutRun {
    /// Describes a problem, with its start by the wall clock.
    pub fn of(problem: &Problem, start: Option<&jiff::Zoned>) -> AboutRun {
        let forcing = &problem.forcing;
        AboutRun {
            rule: problem.rule.info().name.into(),
            grain: problem.grain,
            grid: place_of(&problem.grid),
            bed: sum_of_bed(&problem.bed),
            losses: sum_of_losses(problem),
            sites: sum_of_sites(problem),
            links: sums_of_links(problem),
            rates: forcing.rates.iter().map(sum_of_layer).collect(),
            levels: forcing
                .held
                .iter()
                .map(|held| (sum_of_level(held), held.level.clone()))
                .collect(),
            start: start.map(jiff::Zoned::to_string),
        }
    }

    /// Returns whether a problem has the same grid and bed.
    pub fn has_ground(&self, problem: &Problem) -> bool {
        self.grid == place_of(&problem.grid) && self.bed == sum_of_bed(&problem.bed)
    }
}

/// Returns columns, rows and geotransform of a grid.
pub fn place_of(grid: &Grid) -> (usize, usize, [f64; 6]) {
    (grid.columns, grid.rows, grid.transform)
}

/// Returns the checksum of soils and land cover with losses; `None` without losses. Evaporation
/// belongs to the forcing and has no state.
pub fn sum_of_losses(problem: &Problem) -> Option<String> {
    problem.losses.as_ref().map(|of| sum_of(&(&of.grounds, &of.of_cell)))
}

/// Returns the checksum of the sites with a state.
pub fn sum_of_sites(problem: &Problem) -> String {
    let remember = problem.forcing.sites.iter().filter(|site| site.given.kind.info().remembers);
    // A rating curve only stores whether it is active; the offset of its table does not matter.
    let known = remember.map(|site| match site.given.kind {
        SiteKind::Rated => (site.cell, site.given.kind, [0; 2]),
        kind => (site.cell, kind, site.given.numbers),
    });
    sum_of(&known.collect::<Vec<_>>())
}

/// Returns the checksum of each link.
pub fn sums_of_links(problem: &Problem) -> Vec<String> {
    problem.forcing.links.iter().map(sum_of).collect()
}

/// Returns the checksum that identifies a rate layer, excluding its series.
pub fn sum_of_layer(layer: &RateLayer) -> String {
    sum_of(&(layer.account, &layer.footprint))
}

/// Returns the checksum of the cells of a stage boundary.
pub fn sum_of_level(held: &HeldLevel) -> String {
    sum_of(&held.cells)
}

fn sum_of_bed(bed: &Bed) -> String {
    let mut hasher = Sha256::new();
    for levels in bed.levels.chunks(1 << 16) {
        let bytes: Vec<u8> = levels.iter().flat_map(|level| level.to_le_bytes()).collect();
        hasher.update(&bytes);
    }
    hexadecimal(&hasher.finalize())
}

/// Returns the SHA-256 of a serializable value.
fn sum_of(what: &(impl Serialize + ?Sized)) -> String {
    let to = BufWriter::with_capacity(1 << 16, Hashing(Sha256::new()));
    let to = postcard::to_io(what, to).expect("it has no reason to fail");
    let hashing = to.into_inner().expect("nor has this");
    hexadecimal(&hashing.0.finalize())
}

#[derive(Debug)]
struct Hashing(Sha256);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
