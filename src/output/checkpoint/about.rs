//! Describes the run to which a checkpoint belongs, both for resuming it and for starting a new run
//! from its state.

use crate::engine::backend::Problem;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use crate::engine::forcing::structures::breach::{Part, Trapezoid};
use crate::engine::forcing::{Forcing, RateLayer, StageBoundary};
use crate::engine::grains::Grain;
use crate::engine::grid::Grid;
use crate::engine::subgrid::layout::edge;
use crate::units::Second;
use crate::words::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, BufWriter, Write};

/// The run to which a state belongs. Large data are represented by their SHA-256.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct AboutRun {
    /// Name of the solver.
    #[serde(rename = "rule")]
    pub solver: String,
    /// Grain of its water.
    pub grain: Grain,
    /// Columns, rows and geotransform.
    pub grid: (usize, usize, [f64; 6]),
    /// The CRS as WKT, if known.
    pub crs: Option<String>,
    /// Checksum of the bed, independent of the DEM files.
    pub bed: String,
    /// Checksum of the ground within cells, of no words without subgrid tables.
    tables: String,
    /// Checksum of soils and land cover with losses; `None` without losses.
    pub losses: Option<String>,
    /// Sites with a state.
    pub remembering: Vec<Remembering>,
    /// Parameters of the breaches.
    pub breaches: Vec<KnownBreach>,
    /// Bits of the total duration of the runs that this run continues (s).
    elapsed: u64,
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
    /// Describes a problem, given the start of its run by the wall clock and its sites with a
    /// state.
    pub fn of(
        problem: &Problem,
        start: Option<&jiff::Zoned>,
        remembering: &[Remembering],
    ) -> AboutRun {
        let forcing = &problem.forcing;
        AboutRun {
            solver: problem.solver.info().name.into(),
            grain: problem.grain,
            grid: place_of(&problem.grid),
            crs: problem.grid.crs.clone(),
            bed: sum_of_bed(problem),
            tables: sum_of_tables(problem),
            losses: sum_of_losses(problem),
            remembering: remembering.to_vec(),
            breaches: KnownBreach::of(forcing),
            elapsed: forcing.elapsed.to_bits(),
            links: sums_of_links(problem),
            rates: forcing.rates.iter().map(sum_of_layer).collect(),
            levels: forcing
                .stage_boundaries
                .iter()
                .map(|stage| (sum_of_level(stage), stage.level.clone()))
                .collect(),
            start: start.map(jiff::Zoned::to_string),
        }
    }

    /// Returns the total duration of the runs that this run continues (s).
    pub fn elapsed(&self) -> Second {
        f64::from_bits(self.elapsed)
    }

    /// Returns `true` if a problem has the same grid and ground.
    pub fn has_ground(&self, problem: &Problem) -> bool {
        self.grid == place_of(&problem.grid)
            && self.bed == sum_of_bed(problem)
            && self.tables == sum_of_tables(problem)
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

/// A site that keeps a state between steps.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Remembering {
    /// Cell of the site.
    pub cell: usize,
    /// Kind of the site.
    pub kind: SiteKind,
    /// Parameters from the options of its run. Zeros for a rating curve, whose state is only
    /// whether it is running, so its table may differ.
    #[serde(rename = "asked")]
    pub requested: [u32; 2],
    /// Parameters in the engine, which counts times from the start of the first run of a chain of
    /// continued runs.
    pub numbers: [u32; 2],
}

impl Remembering {
    /// Lists the sites with a state, with the parameters from the options of a run.
    pub fn of(sites: &[PlacedSite]) -> Vec<Remembering> {
        let remember = sites.iter().filter(|site| site.given.kind.info().remembers);
        let one = |site: &PlacedSite| {
            let PlacedSite { cell, given: SiteParameters { kind, numbers, .. } } = *site;
            let numbers = if kind == SiteKind::Rated { [0; 2] } else { numbers };
            Remembering { cell, kind, requested: numbers, numbers }
        };
        remember.map(one).collect()
    }
}

/// A breach with its parameters.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct KnownBreach {
    /// Cells of its trigger.
    pub cells: [usize; 2],
    /// Parameters in the order of [`KnownBreach::KEYS`] (m, m, 1, s, 1, and m to the millimetre).
    numbers: [f32; 6],
}

impl KnownBreach {
    const KEYS: [&str; 6] =
        ["crest", "bottom_width", "side_slope", "formation_time", "coefficient", "bottom_level"];

    /// Lists the breaches of a run.
    pub fn of(forcing: &Forcing) -> Vec<KnownBreach> {
        let mut all: Vec<KnownBreach> = Vec::new();
        for structure in &forcing.structures {
            let Some(cells) = structure.waits else { continue };
            if all.iter().any(|known| known.cells == cells) {
                continue;
            }
            let part = Part::of(&forcing.tables, structure.numbers[2]);
            let Trapezoid { depth, width, slope, formation, coefficient } = part.breach;
            let bottom = structure.crest - f64::from(part.raised);
            // Sums of rounded numbers depend on the ground.
            let [crest, bottom] = [bottom + f64::from(depth), bottom]
                .map(|level| ((1e3 * level).round() / 1e3) as f32);
            let numbers = [crest, width, slope, formation, coefficient, bottom];
            all.push(KnownBreach { cells, numbers });
        }
        all
    }

    /// Returns the keys of the parameters that differ from those of another breach.
    pub fn changed(&self, other: &KnownBreach) -> impl Iterator<Item = &'static str> {
        let numbers = self.numbers.into_iter().zip(other.numbers);
        Self::KEYS.into_iter().zip(numbers).filter(|(_, (a, b))| a != b).map(|(key, _)| key)
    }
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
pub fn sum_of_level(stage: &StageBoundary) -> String {
    sum_of(&stage.cells)
}

fn sum_of_bed(problem: &Problem) -> String {
    sum_of_words(problem.bed.levels.iter().map(|level| level.cast_unsigned()))
}

/// Returns the checksum of the ground in subgrid tables: the words of cells, and sills and sections
/// of edges. The remaining words of edges depend on the roughness.
fn sum_of_tables(problem: &Problem) -> String {
    let words = problem.subgrid.iter().flat_map(|tables| {
        let cells = tables.cells.iter().flatten().copied();
        let edges = tables.edges.iter().flat_map(|planes| {
            let sections = planes[edge::TOPS].iter().map(|tops| tops & 0xffff);
            planes[edge::SILL].iter().copied().chain(sections)
        });
        cells.chain(edges)
    });
    sum_of_words(words)
}

fn sum_of_words(words: impl Iterator<Item = u32>) -> String {
    let mut to = BufWriter::with_capacity(1 << 16, Hashing(Sha256::new()));
    words.for_each(|word| to.write_all(&word.to_le_bytes()).expect("it has no reason to fail"));
    finished(to)
}

/// Returns the SHA-256 of a serializable value.
fn sum_of(what: &(impl Serialize + ?Sized)) -> String {
    let to = BufWriter::with_capacity(1 << 16, Hashing(Sha256::new()));
    let to = postcard::to_io(what, to).expect("it has no reason to fail");
    finished(to)
}

fn finished(to: BufWriter<Hashing>) -> String {
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
