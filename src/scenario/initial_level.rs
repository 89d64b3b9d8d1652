//! Initial water given as a level: a lake or a sea at rest, the water behind a dam.

use super::cell_levels::{CellLevels, depth};
use super::coarser::Coarser;
use super::options::ValueOrFile;
use crate::engine::grains::{Grain, MAX_WATER};
use crate::engine::grid::Bed;
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notice, Reading};
use crate::input::raster::RasterFile;
use crate::input::vector::{self, Fields, Shape, Value};
use crate::units::Metre;
use rayon::prelude::*;
use std::path::Path;

const FIELDS: Fields = Fields::one("level").only(Shape::Polygons);

/// Initial levels (m above the DEM's zero).
#[derive(Debug, Default)]
pub struct InitialLevel {
    /// Level of all cells.
    everywhere: Option<Metre>,
    /// Level of some cells, ascending by cell.
    cells: Vec<(usize, Metre)>,
}

impl InitialLevel {
    /// Reads the initial levels.
    pub fn read(option: &Option<ValueOrFile>, ground: Topography) -> Result<Reading<InitialLevel>> {
        let mut initial = Reading::<InitialLevel>::default();
        match option {
            None => {}
            Some(ValueOrFile::File(path)) => initial.layer(path, ground)?,
            Some(ValueOrFile::Value(text)) => {
                let level = initial.notices.level("initial_level", text).map_err(|error| {
                    let error = match error.hint {
                        None => error.hint("write it like \"12.5 m\""),
                        Some(_) => error,
                    };
                    error.hint_also("or give a vector layer")
                })?;
                initial.everywhere = Some(level);
                if !ground.bed.levels.iter().any(|&z| depth(level, z) > 0.0) {
                    let said = format!(
                        "initial_level: {level} m is below the whole bed, so there is no water{}",
                        below(level, 0..ground.bed.levels.len(), ground)
                    );
                    initial.notices.warn(Notice::from(said).dry());
                }
            }
        }
        Ok(initial)
    }
}

impl Reading<InitialLevel> {
    fn layer(&mut self, path: &Path, ground: Topography) -> Result<()> {
        if !vector::is_vector(path) && RasterFile::open_bands(path, "initial_level").is_ok() {
            return Err(Error::input(format!(
                "initial_level: '{}' is a raster, but levels are read from a layer of polygons",
                path.display()
            ))
            .hint("start from the state of the run with start_from, or give a raster of depths as initial_depth"));
        }
        let layer = self.notices.of(vector::read(path, "initial_level", FIELDS, ground)?);
        for feature in &layer.features {
            let Value::Constant(text) = &feature.value else { unreachable!("all have a level") };
            let place = format!("{}, feature {}", path.display(), feature.id);
            let level = self.notices.level("initial_level", text);
            let level = level.map_err(|error| error.at(&place))?;
            let wet = feature.cells.iter().any(|&cell| depth(level, ground.bed.levels[cell]) > 0.0);
            if !wet {
                let text = format!(
                    "initial_level: the level of {level} m is below the bed of all its cells, so there is no water{}",
                    below(level, feature.cells.iter().copied(), ground)
                );
                self.notices.warn(Notice::at(&place, text).dry());
            }
            self.cells.extend(feature.cells.iter().map(|&cell| (cell, level)));
        }
        // Of several levels of a cell, the highest is used.
        self.cells.par_sort_unstable_by(|(a, low), (b, high)| a.cmp(b).then(high.total_cmp(low)));
        self.cells.dedup_by_key(|(cell, _)| *cell);
        Ok(())
    }
}

impl InitialLevel {
    /// Iterates over the cells that have a level, with level (m) and bed (2⁻¹⁶ m).
    fn each<'a>(&'a self, bed: &'a Bed) -> impl Iterator<Item = (usize, Metre, i32)> + 'a {
        let all = self.everywhere.into_iter().flat_map(|level| {
            let inside = bed.levels.iter().enumerate().filter(|(_, z)| **z != Bed::OUTSIDE);
            inside.map(move |(cell, &z)| (cell, level, z))
        });
        all.chain(self.cells.iter().map(|&(cell, level)| (cell, level, bed.levels[cell])))
    }

    /// Returns the greatest depth of the initial levels (m).
    pub fn deepest(&self, bed: &Bed) -> Metre {
        self.each(bed).map(|(_, level, z)| depth(level, z)).fold(0.0, f64::max)
    }

    /// Returns the mean depth over the domain (m).
    pub fn mean(&self, bed: &Bed) -> Metre {
        let sum: f64 = self.each(bed).map(|(_, level, z)| depth(level, z)).sum();
        sum / bed.domain_cells().max(1) as f64
    }

    /// Converts the levels into levels of cells with tables; `pixels` are the levels of the pixels
    /// (2⁻¹⁶ m).
    pub fn in_cells(self, coarser: Coarser, pixels: &[i32], tables: &Tables) -> CellLevels {
        match self.everywhere {
            Some(level) => CellLevels::everywhere(level, coarser, pixels, tables),
            None => CellLevels::on(&self.cells, coarser, pixels, tables),
        }
    }

    /// Fills cells up to their level (grains); `water` may be empty if the start is dry.
    pub fn fill(&self, water: &mut Vec<i32>, grain: Grain, bed: &Bed) {
        let per_metre = f64::from(grain.per_metre());
        let per_step = (per_metre / Bed::PER_METRE) as i64;
        for (cell, level, z) in self.each(bed) {
            let grains = (level * per_metre).round() as i64 - i64::from(z) * per_step;
            if grains > 0 {
                if water.is_empty() {
                    water.resize(bed.levels.len(), 0);
                }
                // The grain was chosen to hold this depth.
                water[cell] = water[cell].max(grains.min(i64::from(MAX_WATER)) as i32);
            }
        }
    }
}

/// Describes how far a level (m) is below the lowest bed of some cells, for the end of a warning.
fn below(level: Metre, cells: impl Iterator<Item = usize>, ground: Topography) -> String {
    let levels = &ground.bed.levels;
    let inside = cells.filter(|&cell| levels[cell] != Bed::OUTSIDE);
    inside.min_by_key(|&cell| levels[cell]).map_or(String::new(), |cell| {
        let bed = f64::from(levels[cell]) / Bed::PER_METRE;
        let place = ground.place(cell);
        format!(": the lowest bed is {:.2} m above it, {bed:.2} m at {place}", bed - level)
    })
}
