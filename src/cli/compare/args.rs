//! Options of `inundate compare`.

use crate::error::{Error, Result};
use crate::measures;
use crate::results::compare::points::ObservedQuantity;
use crate::results::compare::raster::RasterMeaning;
use std::path::PathBuf;

pub const HELP: &str = "\
Examples:
  inundate compare results --with other_results --difference difference.tif
  inundate compare results --with flooded.gpkg --threshold 0.1,0.3
  inundate compare results --with marks.csv --dem dem.tif
  inundate compare --series computed.csv --with gauge.csv --json

docs/compare.md has the definitions.";

/// Default depth thresholds of a wet cell (m).
const THRESHOLDS: [f64; 2] = [0.1, 0.3];

#[derive(clap::Args)]
pub struct CompareArgs {
    /// Result: a raster of depths, or an output folder (its max_depth.tif)
    #[arg(required_unless_present = "series", conflicts_with = "series")]
    pub result: Option<PathBuf>,
    /// Reference: a raster of depths or an output folder, an observed extent (raster or polygons),
    /// or observed points (CSV or vector layer); with --series, a CSV
    #[arg(long, value_name = "OTHER")]
    pub with: PathBuf,
    /// Compare this series of time and value (CSV) instead of a result
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = MAP_FLAGS)]
    pub series: Option<PathBuf>,
    /// Depth from which a cell is wet; may be given several times [default: 0.1 m and 0.3 m]
    #[arg(long, value_name = "DEPTH", value_delimiter = ',', allow_negative_numbers = true)]
    pub threshold: Vec<String>,
    /// Content of the raster OTHER (default: extent if it has no unit and only the values 0 and 1,
    /// else depth)
    #[arg(long = "as", value_name = "WHAT")]
    pub meaning: Option<RasterMeaning>,
    /// Treat cells without a value in the raster OTHER as dry, instead of leaving them out
    #[arg(long)]
    pub dry_nodata: bool,
    /// Layer of a vector file that has several
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Field of the points that contains the observed value
    #[arg(long, value_name = "NAME")]
    pub field: Option<String>,
    /// Observed quantity, if it is not clear from the field's name
    #[arg(long, value_name = "WHAT")]
    pub quantity: Option<ObservedQuantity>,
    /// CRS of the points of a CSV, if different from the result's ("EPSG:4326")
    #[arg(long, value_name = "CRS")]
    pub crs: Option<String>,
    /// DEM of the run, for observed levels, if the result is not in its output folder
    #[arg(long, value_name = "FILE")]
    pub dem: Option<PathBuf>,
    /// Omit points where the result has no value
    #[arg(long)]
    pub skip_outside: bool,
    /// Write a map of the difference, result - OTHER, or of hits, false alarms and misses
    #[arg(long, value_name = "FILE.tif")]
    pub difference: Option<PathBuf>,
    /// Replace an earlier map of the difference
    #[arg(long, requires = "difference")]
    pub overwrite: bool,
    /// Column of the series, if it has several
    #[arg(long, value_name = "NAME", requires = "series", conflicts_with = "result")]
    pub column: Option<String>,
    /// Column of the reference, if it has several
    #[arg(long, value_name = "NAME", requires = "series", conflicts_with = "result")]
    pub with_column: Option<String>,
    /// Also read from remote machines and databases
    #[arg(long)]
    pub allow_remote: bool,
    /// Print JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// Options that do not apply to time series.
const MAP_FLAGS: [&str; 10] = [
    "threshold",
    "meaning",
    "dry_nodata",
    "layer",
    "field",
    "quantity",
    "crs",
    "dem",
    "skip_outside",
    "difference",
];

impl CompareArgs {
    /// Returns the depths from which a cell is wet (m), ascending.
    pub fn thresholds(&self) -> Result<Vec<f64>> {
        let mut depths = Vec::new();
        for text in &self.threshold {
            let depth = measures::parse_depth(text).map_err(|error| error.of("threshold"))?;
            if depth <= 0.0 {
                return Err(Error::input(format!("threshold: '{text}' would make every cell wet"))
                    .hint("give a depth above 0, such as 0.01"));
            }
            depths.push(depth);
        }
        if depths.is_empty() {
            depths.extend(THRESHOLDS);
        }
        depths.sort_by(f64::total_cmp);
        depths.dedup();
        Ok(depths)
    }

    /// Returns a warning about options that do not apply to a map of levels.
    pub fn idle_for_levels(&self) -> Option<String> {
        let flags = [("--dem", self.dem.is_some()), ("--threshold", !self.threshold.is_empty())];
        let given = flags.iter().filter(|(_, given)| *given).map(|(flag, _)| *flag);
        let given: Vec<&str> = given.collect();
        (!given.is_empty()).then(|| {
            format!("{} has no effect, because the result is a map of levels", given.join(", "))
        })
    }

    /// Returns a warning about options that do not apply to the comparison: `points`, or maps.
    pub fn idle(&self, points: bool) -> Option<String> {
        let for_maps = [("--as", self.meaning.is_some()), ("--dry-nodata", self.dry_nodata)];
        let for_points = [
            ("--field", self.field.is_some()),
            ("--quantity", self.quantity.is_some()),
            ("--crs", self.crs.is_some()),
            ("--dem", self.dem.is_some()),
            ("--skip-outside", self.skip_outside),
        ];
        let (flags, what) =
            if points { (&for_maps[..], "points") } else { (&for_points[..], "maps") };
        let given: Vec<&str> =
            flags.iter().filter(|(_, given)| *given).map(|(flag, _)| *flag).collect();
        (!given.is_empty())
            .then(|| format!("{} has no effect, because OTHER contains {what}", given.join(", ")))
    }
}
