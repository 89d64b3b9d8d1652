//! Water levels of a result, for observed levels.

use crate::engine::grid::{Bed, Grid};
use crate::engine::solver;
use crate::error::{Error, Result};
use crate::input::dem::{self, Dem, DemOptions};
use crate::input::file::InputFile;
use crate::input::notice::Notices;
use crate::input::raster::RasterFile;
use crate::input::raster::layer::lies_on;
use crate::input::text;
use crate::measures::quantity::LEVEL;
use crate::output::folder::REPORT;
use crate::scenario::FineTerrain;
use crate::scenario::options::{DEFAULT_SOLVER, Options};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// Hint for a run whose bed cannot be made again.
const WRITE: &str =
    "run it again with --layers max_depth,max_level: levels are then read from max_level.tif";

/// Options that determine the bed of a run.
const OF_BED: [&str; 11] = [
    "dem",
    "nodata",
    "height_unit",
    "accept_distortion",
    "local_metres",
    "subgrid",
    "rivers",
    "openings",
    "buildings",
    "building_height",
    "walls",
];

/// Source of the levels of a result.
#[derive(Debug)]
pub enum LevelSource {
    /// Levels (m), NaN where it is dry.
    Map(Vec<f32>),
    /// Bed of the run, below the depths.
    Bed(Bed),
}

/// The parts of `run.json` that are needed.
#[derive(Deserialize)]
struct ComparedRun {
    parameters: Map<String, Value>,
    inputs: Vec<InputFile>,
}

impl LevelSource {
    /// Finds the levels of a raster of depths: a map of levels beside it, or else the bed that the
    /// run beside it used, or else a DEM.
    ///
    /// # Errors
    /// If none of them exists, the bed of the run cannot be made again, or it is on another grid.
    pub fn of(
        result: &Path,
        path: Option<&Path>,
        grid: &Grid,
        warnings: &mut Vec<String>,
    ) -> Result<LevelSource> {
        let name = result.file_name().unwrap_or_default().to_string_lossy();
        let map = result.with_file_name(name.replacen("depth", "level", 1));
        if name.contains("depth") && map.is_file() {
            let shown = map.display();
            let idle = || format!("--dem has no effect, because '{shown}' has the result's levels");
            warnings.extend(path.map(|_| idle()));
            return read(&map, grid);
        }
        let report = text::text(&result.with_file_name(REPORT), text::TABLE).ok();
        let run = report.and_then(|text| serde_json::from_str::<ComparedRun>(&text).ok());
        let dem = match (run, path) {
            (Some(run), path) => run.ground(path)?,
            (None, Some(path)) => ground(path, warnings)?,
            (None, None) => {
                return Err(Error::input("with: the points are levels, but the result has depths")
                    .hint("give the DEM of the run: --dem dem.tif"));
            }
        };
        let near = |i: usize| (dem.grid.transform[i] - grid.transform[i]).abs() < 1e-4 * grid.dx;
        let same =
            (dem.grid.columns, dem.grid.rows) == (grid.columns, grid.rows) && (0..6).all(near);
        if !same {
            let shown = path.map_or("the DEM".into(), |path| format!("'{}'", path.display()));
            return Err(Error::input(format!("dem: {shown} is not on the result's grid"))
                .hint(format!("give the DEM of the run, which {REPORT} names; or {WRITE}")));
        }
        Ok(LevelSource::Bed(dem.bed))
    }

    /// Reads a map of levels on its own grid.
    ///
    /// # Errors
    /// If it declares a unit of another quantity, or cannot be read.
    pub fn of_map(file: &mut RasterFile, grid: &Grid) -> Result<LevelSource> {
        file.measure(&LEVEL)?;
        let mut levels = Vec::with_capacity(grid.cells());
        file.for_each_row(|_, values| {
            levels.extend(values.iter().map(|value| *value as f32));
            Ok(())
        })?;
        Ok(LevelSource::Map(levels))
    }

    /// Returns depths of at least any threshold where the map has a level, and of 0 elsewhere (m);
    /// NaN everywhere if it has none.
    ///
    /// # Panics
    /// If this is no map.
    pub fn depths(&self) -> Vec<f32> {
        let LevelSource::Map(levels) = self else { panic!("there is a map of levels") };
        let dry = if levels.iter().all(|level| level.is_nan()) { f32::NAN } else { 0.0 };
        levels.iter().map(|level| if level.is_nan() { dry } else { f32::INFINITY }).collect()
    }

    /// Returns the level of a cell of the given depth (m); `None` if it has none.
    pub fn at(&self, cell: usize, depth: f64) -> Option<f64> {
        match self {
            LevelSource::Map(levels) => {
                Some(f64::from(levels[cell])).filter(|level| !level.is_nan())
            }
            LevelSource::Bed(bed) => {
                let bed = bed.levels[cell];
                (bed != Bed::OUTSIDE).then(|| f64::from(bed) / Bed::PER_METRE + depth)
            }
        }
    }
}

/// Reads the map of levels beside a map of depths.
fn read(path: &Path, grid: &Grid) -> Result<LevelSource> {
    let mut file = RasterFile::open(path, "result")?;
    if !lies_on(&file, grid)? {
        return Err(file
            .wrong("is not on the grid of the depths beside it")
            .hint("give the output folder of a run"));
    }
    LevelSource::of_map(&mut file, grid)
}

/// Reads a DEM as its file declares it.
fn ground(path: &Path, warnings: &mut Vec<String>) -> Result<Dem> {
    // The run accepted its CRS already.
    let options = DemOptions { accept_distortion: true, ..DemOptions::default() };
    let mut dem = dem::read(path, &options).map_err(|error| {
        let flags = ["--height-unit", "--nodata"];
        let asks = error.hint.iter().any(|hint| flags.iter().any(|flag| hint.contains(flag)));
        let fix = format!(
            "declare the unit and the NoData value in the file: gdal_edit.py -units m -a_nodata VALUE '{}'; or give a result beside its {REPORT}",
            path.display()
        );
        if asks { error.hint(fix) } else { error }
    })?;
    warnings.append(&mut dem.warnings);
    warnings.extend(dem.note.take().into_iter().chain(dem.assumed.take()).map(|said| said.text));
    Ok(dem)
}

impl ComparedRun {
    /// Makes the ground of the run again, from a copy of its DEM if one is given.
    fn ground(mut self, dem: Option<&Path>) -> Result<Dem> {
        self.parameters.retain(|key, _| OF_BED.contains(&&key[..]));
        let mut options = Options::deserialize(Value::Object(self.parameters))
            .map_err(|error| Error::input(format!("result: cannot read {REPORT}")).because(error))
            .map_err(|error| error.hint(WRITE))?;
        options.dem = dem.map(Path::to_path_buf).or(options.dem);
        let path = options.dem.as_deref().unwrap_or(Path::new(""));
        let solver = solver::find(DEFAULT_SOLVER).expect("the default solver exists");
        let mut said = Notices::default();
        let terrain = FineTerrain::read(&options, path, solver, &mut said).map_err(|error| {
            error.hint_also(format_args!(
                "give compare the files of the run, in the folder in which it was started; or {WRITE}"
            ))
        })?;
        for InputFile { role, path, sha256, .. } in &said.inputs {
            let is_own = |input: &InputFile| input.role == *role && input.sha256 == *sha256;
            if !self.inputs.iter().any(is_own) {
                let what = format!("{role}: '{path}' does not have the contents that the run read");
                return Err(Error::input(what).hint(format!(
                    "restore it, or name it with --dem if the run was started in another folder; or {WRITE}"
                )));
            }
        }
        if terrain.narrow_rivers.is_some() {
            let what =
                "result: the run has rivers narrower than a cell, whose bed is not in the DEM";
            return Err(Error::input(what).hint(WRITE));
        }
        Ok(terrain.dem)
    }
}
