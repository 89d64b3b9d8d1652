//! Options that are validated before any raster is read.

use super::land_cover::LandCover;
use super::map_options;
use super::named_files;
use super::open_sides::OpenSideOptions;
use super::options::{Moment, Options};
use super::outflow_slopes::OutflowSlopes;
use super::points;
use super::solver::{SolverChoice, ratio_of, solver_of};
use super::start_from::Start;
use super::time;
use crate::engine::clock::{Clock, TimeUnit};
use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::input::tables::damage_curves::Curves;
use crate::input::time::wall_time::WallClock;
use std::path::Path;

/// Options that passed all checks which need no raster.
pub struct ValidatedOptions<'a> {
    /// Path of the DEM.
    pub dem: &'a Path,
    /// Solver with its neighbourhood and relaxation.
    pub solver: SolverChoice,
    /// Number of DEM pixels along a side of a cell; 1 if cells are pixels.
    pub ratio: usize,
    /// Clock of the run.
    pub clock: Clock,
    /// Interval of the series of maps (s, or steps).
    pub output_every: Option<f64>,
    /// Interval of checkpoints (s, wall-clock time).
    pub checkpoint_every: Option<f64>,
    /// Open sides, including sides with an outflow slope.
    pub open: OpenSideOptions,
    /// Bed slopes beyond sides with outflow at normal depth.
    pub slopes: OutflowSlopes,
    /// Arrival depths (m); the first is the depth of the layer `arrival_time`.
    pub arrivals: Vec<f64>,
    /// Depths of the extents of the flood (m).
    pub extents: Vec<f64>,
    /// Start of the run by the wall clock.
    pub wall_clock: WallClock,
    /// Land cover raster and its table.
    pub land_cover: Option<LandCover>,
    /// Depth-damage curves of the points.
    pub curves: Option<Curves>,
}

/// State that a run starts from, if any, and notices about it.
pub type StartState = (Option<Start>, Notices);

impl ValidatedOptions<'_> {
    /// Validates options, and opens the state that the run starts from.
    ///
    /// # Errors
    /// If an option is invalid or contradicts another one.
    pub fn of(options: &Options) -> Result<(ValidatedOptions<'_>, StartState)> {
        named_files::check(options)?;
        let dem = options.dem.as_ref().ok_or_else(|| {
            Error::input("no DEM is given")
                .hint("give one with --dem dem.tif, or dem = \"dem.tif\"")
        })?;
        let solver = solver_of(options)?;
        let ratio = ratio_of(options, solver.info)?;
        let clock = time::clock_of(options, solver.info)?;
        let mut notices = Notices::default();
        let start = Start::named_in(options, solver.info, &clock, &mut notices)?;
        let clock = start.as_ref().map_or(clock.clone(), |start| start.clock(clock));
        let output_every = time::output_every(options, &clock)?;
        let checkpoint_every = time::checkpoint_every(options)?;
        let mut open = OpenSideOptions::read(options.open.as_ref(), options.closed.as_ref())?;
        let slopes = OutflowSlopes::read(&options.outflow_slope, &mut open, solver.info)?;
        let arrivals = map_options::arrival_depths(options)?;
        let extents = map_options::extent_depths(options, output_every.is_some())?;
        options.tile_size()?;
        options.compress.unwrap_or_default().check()?;
        options.series.unwrap_or_default().check(output_every.is_some())?;
        let wall_clock = match (&start, &options.start) {
            (Some(start), _) => start.wall_clock(options, &mut notices)?,
            (None, Some(Moment(text))) => WallClock::starting(text)?,
            (None, None) => WallClock::default(),
        };
        if options.start.is_some() && clock.unit == TimeUnit::Steps {
            notices.warn(
                "start: has no effect, because steps have no duration; give the calibrated duration of a step, --step 10s",
            );
        }
        let land_cover = LandCover::named_in(options)?;
        let curves = points::curves(options)?;
        no_layer_is_the_dem(options, dem)?;
        map_options::draws_fine(options, ratio > 1 || options.rivers.is_some())?;
        check_keeps(options, ratio)?;
        let validated = ValidatedOptions {
            dem,
            solver,
            ratio,
            clock,
            output_every,
            checkpoint_every,
            open,
            slopes,
            arrivals,
            extents,
            wall_clock,
            land_cover,
            curves,
        };
        Ok((validated, (start, notices)))
    }

    /// Returns true if maps are on the fine grid, for a run whose terrain has been read.
    ///
    /// # Errors
    /// If `output_grid` or `output_surface` is given but the run has only one grid.
    pub fn draws_fine(&self, options: &Options, has_tables: bool) -> Result<bool> {
        Ok(map_options::draws_fine(options, self.ratio > 1 || options.rivers.is_some())?
            && map_options::draws_fine(options, has_tables)?)
    }
}

/// Refuses the DEM as a raster of depths or rain, since its values would be accepted there.
fn no_layer_is_the_dem(options: &Options, dem: &Path) -> Result<()> {
    let texts = [("initial_depth", &options.initial_depth), ("rain", &options.rain)];
    let texts = texts.into_iter().filter_map(|(key, said)| Some((key, said.as_ref()?.file()?)));
    let depth = options.inflow_depth.as_deref().map(|path| ("inflow_depth", path));
    let real = |path: &Path| path.canonicalize().ok();
    let same = |path: &Path| real(path).is_some_and(|path| Some(path) == real(dem));
    match texts.chain(depth).find(|(_, path)| same(path)) {
        Some((key, path)) => Err(Error::input(format!("{key}: '{}' is the DEM", path.display()))
            .hint("give another raster: the DEM holds heights, not depths or rain; for a water level, use initial_level")),
        None => Ok(()),
    }
}

/// Checks that a run with `subgrid_tables` has tables.
///
/// # Errors
/// If it has none.
fn check_keeps(options: &Options, ratio: usize) -> Result<()> {
    if options.subgrid_tables.is_none() || ratio > 1 || options.rivers.is_some() {
        return Ok(());
    }
    Err(Error::input("subgrid_tables: the cells of this run are the pixels of the DEM, so there are no tables to keep")
        .hint("compute on coarser cells with --subgrid 8, or leave subgrid_tables out"))
}
