//! Stage boundaries: fixed or changing water levels along sides of the raster and from vector
//! layers.

use super::options::{Place, Placed, ValueOrFile};
use super::sides::Sides;
use super::water::Time;
use crate::engine::boundary::OpenSides;
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::sites::SiteKind;
use crate::engine::forcing::{Footprint, Forcing, StageBoundary};
use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notice, Reading};
use crate::input::tables::dialect::is_a_csv;
use crate::input::tables::series_table;
use crate::input::vector::named::NAMES;
use crate::input::vector::{self, Fields, Value};
use crate::units::Metre;
use crate::words::{self, and_more, counted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Fields of a vector layer of levels.
const FIELDS: Fields = Fields::or_table("level", "stage").with(&NAMES);
/// A level this far below the bed of its cells is a likely mistake (m). The greatest tides have a
/// range of 16 m.
const FAR_BELOW: Metre = 20.0;
/// Maximum number of features named in a message.
const NAMED: usize = 4;
const HOW: &str = "write \"west,2.4 m\", \"west,tide.csv\" (or north, east, south, all), or the path of a vector layer";

/// Stage boundaries of a run.
#[derive(Debug, Default)]
pub struct StageBoundaries {
    pub stage_boundaries: Vec<StageBoundary>,
    /// Names of the stage boundaries: names of features, or sides as given.
    pub holders: Vec<String>,
}

/// Cells of a stage boundary and their level; later claims on a cell replace earlier ones.
struct Claim {
    name: String,
    cells: Vec<usize>,
    level: Series,
}

impl StageBoundaries {
    /// Reads the stage boundaries.
    pub fn read(
        options: &[Placed],
        ground: Topography,
        time: Time,
    ) -> Result<Reading<StageBoundaries>> {
        let mut levels = Reading::<StageBoundaries>::default();
        // By cell: the index of its level series and of its stage boundary.
        let mut holder: BTreeMap<usize, (usize, u32)> = BTreeMap::new();
        for placed in options {
            let claims = levels.claims(placed, ground, time)?;
            let text = placed.to_string();
            levels.warn_of_dry(&text, &claims, ground, time);
            let mut taken = BTreeMap::new();
            let first = levels.holders.len() as u32;
            for Claim { name, cells, level } in claims {
                let number = levels.holders.len() as u32;
                levels.holders.push(name);
                let group = levels.stage_boundaries.iter().position(|stage| stage.level == level);
                let group = group.unwrap_or_else(|| {
                    levels.stage_boundaries.push(StageBoundary {
                        cells: Vec::new(),
                        level,
                        holders: Vec::new(),
                    });
                    levels.stage_boundaries.len() - 1
                });
                for cell in cells {
                    let before = holder.insert(cell, (group, number));
                    if let Some((_, other)) = before.filter(|(before, _)| *before != group) {
                        taken.insert(cell, (other, number));
                    }
                }
            }
            if !taken.is_empty() {
                let cells = counted(taken.len(), "cell is", "cells are");
                // Features of one file have names of their own.
                let within = taken.values().filter(|(before, _)| *before >= first);
                let used: BTreeSet<u32> = within.map(|(_, number)| *number).collect();
                let names = used.iter().map(|number| match &levels.holders[*number as usize] {
                    numbered if numbered.starts_with(&text) => format!("'{numbered}'"),
                    name => format!("'{name}' in '{text}'"),
                });
                let names: Vec<String> = names.collect();
                let used = match names.is_empty() {
                    true => format!("'{text}'"),
                    false => and_more(names.iter(), NAMED),
                };
                levels.notices.warn(format!(
                    "level: {cells} given two levels; the level of {used}, given last, is used"
                ));
            }
        }
        for (cell, (group, number)) in holder {
            levels.stage_boundaries[group].cells.push(cell);
            levels.stage_boundaries[group].holders.push(number);
        }
        levels.stage_boundaries.retain(|stage| !stage.cells.is_empty());
        Ok(levels)
    }
}

impl Reading<StageBoundaries> {
    /// Reads the claims of one value of the option.
    fn claims(&mut self, placed: &Placed, ground: Topography, time: Time) -> Result<Vec<Claim>> {
        match (&placed.place, &placed.value) {
            (Some(Place::Sides(sides)), _) if sides.edges() != OpenSides::CLOSED => {
                self.side(sides, placed, ground, time)
            }
            (None, ValueOrFile::File(path)) if is_a_csv(path) => {
                Err(Error::input(format!("level: '{placed}' is a table without a side"))
                    .hint(format!("name the side of the stage boundary: \"west,{placed}\"")))
            }
            (None, ValueOrFile::File(path)) => self.layer(path, ground, time),
            _ => Err(Error::input(format!(
                "level: '{placed}' is neither a side with a level nor a vector layer"
            ))
            .hint(HOW)),
        }
    }

    /// Claims the cells of the domain along sides of the raster.
    fn side(
        &mut self,
        sides: &Sides,
        placed: &Placed,
        ground: Topography,
        time: Time,
    ) -> Result<Vec<Claim>> {
        let level = match &placed.value {
            ValueOrFile::File(path) => self.stage(path, time)?,
            ValueOrFile::Value(text) => Series::constant(self.notices.level("level", text)?),
        };
        let cells: Vec<usize> = sides.cells(None, ground).into_iter().collect();
        self.notices.warn_all(sides.overlong("level", ground.grid));
        let side = placed.place_text();
        if cells.is_empty() {
            return Err(Error::input(format!("level: no cell of the domain is along '{side}'"))
                .hint("give the stretch in m from the northern or western end of the side"));
        }
        Ok(vec![Claim { name: format!("{side},{}", placed.value), cells, level }])
    }

    /// Reads a level (m) over time from a CSV.
    fn stage(&mut self, path: &Path, time: Time) -> Result<Series> {
        let course = series_table::STAGE.read(path, time.clock)?;
        let shown = path.to_string_lossy();
        time.check_times("level", &shown, course.per)?;
        time.note("level", path, &course, Some("level"), &mut self.notices)?;
        Ok(course.series)
    }

    /// Reads a vector layer.
    fn layer(&mut self, path: &Path, ground: Topography, time: Time) -> Result<Vec<Claim>> {
        let layer = self.notices.of(vector::read(path, "level", FIELDS, ground)?);
        let mut stages: BTreeMap<PathBuf, Series> = BTreeMap::new();
        let mut claims = Vec::new();
        for feature in layer.features {
            let place = || format!("{}, feature {}", path.display(), feature.id);
            let level = match &feature.value {
                Value::Constant(text) => {
                    let level = self.notices.level("level", text);
                    Series::constant(level.map_err(|error| error.at(place()))?)
                }
                Value::Table(file) => match stages.get(file) {
                    Some(series) => series.clone(),
                    None => {
                        let series = self.stage(file, time).map_err(|error| error.at(place()))?;
                        stages.insert(file.clone(), series.clone());
                        series
                    }
                },
                Value::Other(_) | Value::Unsaid => unreachable!("level or stage"),
            };
            let name = feature.more.into_iter().flatten().next();
            let name = name.unwrap_or_else(place);
            claims.push(Claim { name, cells: feature.cells, level });
        }
        Ok(claims)
    }

    /// Warns of levels that never rise above the bed or fall far below it.
    fn warn_of_dry(&mut self, text: &str, claims: &[Claim], ground: Topography, time: Time) {
        let bed = ground.bed;
        let dry = |claim: &&Claim| claim.level.range(time.end).1 <= lowest(&claim.cells, bed);
        let (dry, wet): (Vec<&Claim>, Vec<&Claim>) = claims.iter().partition(dry);
        if let Some(first) = dry.first() {
            let what = if claims.len() == 1 {
                format!("the level of '{text}'")
            } else {
                counted(dry.len(), "level", "levels") + &format!(" of '{text}'")
            };
            let highest = first.level.range(time.end).1;
            let lowest = lowest(&first.cells, bed);
            let place = place_of_lowest(&first.cells, ground);
            self.notices.warn(format!(
                "level: {what} (at most {highest:.2} m) never rises above the bed of its cells (at least {lowest:.2} m, at {place}): they stay dry, and water that flows in is removed"
            ));
        }
        let falls =
            |claim: &&&Claim| lowest(&claim.cells, bed) - claim.level.range(time.end).0 > FAR_BELOW;
        for claim in wet.iter().filter(falls) {
            let level = claim.level.range(time.end).0;
            let lowest = lowest(&claim.cells, bed);
            let pieces = claim.level.pieces().iter().filter(|piece| piece.time <= time.end);
            let when = pieces.min_by(|a, b| a.value.total_cmp(&b.value)).map_or(0.0, |at| at.time);
            let when = match time.unit {
                TimeUnit::Seconds => time.clock.show(when),
                TimeUnit::Steps => format!("step {when}"),
            };
            let place = place_of_lowest(&claim.cells, ground);
            let name = &claim.name;
            self.notices.warn(Notice::about(name, |name| {
                format!("level: '{name}' falls to {level:.2} m ({when}), {:.2} m below the lowest bed of its cells ({lowest:.2} m, at {place}); during that time the boundary removes water", lowest - level)
            }));
        }
    }
}

impl StageBoundaries {
    /// Returns the cells of the stage boundaries.
    pub fn cells(&self) -> BTreeSet<usize> {
        self.stage_boundaries.iter().flat_map(|stage| stage.cells.iter().copied()).collect()
    }

    /// Returns the greatest depth at a stage boundary (m).
    pub fn deepest(&self, bed: &Bed, end: f64) -> Metre {
        let depth = |stage: &StageBoundary| stage.level.range(end).1 - lowest(&stage.cells, bed);
        self.stage_boundaries.iter().map(depth).fold(0.0, f64::max)
    }

    /// Returns the greatest depth (m) if the domain fills up to the highest level of a wet stage
    /// boundary.
    pub fn deepest_fill(&self, bed: &Bed, end: f64) -> Metre {
        let ground = f64::from(bed.lowest()) / Bed::PER_METRE;
        let wet = self
            .stage_boundaries
            .iter()
            .filter(|stage| stage.level.range(end).1 > lowest(&stage.cells, bed));
        wet.map(|stage| stage.level.range(end).1 - ground).fold(0.0, f64::max)
    }

    /// Checks that no cell of a stage boundary is also a source, a rated outlet, an inflow cell or
    /// a sink.
    ///
    /// # Errors
    /// If a cell has two of these roles.
    pub fn check_apart(&self, forcing: &Forcing, grid: &Grid) -> Result<()> {
        let occupied = self.cells();
        let clash = |what: &str, key: &str, cells: &mut dyn Iterator<Item = usize>| {
            let both: BTreeSet<usize> = cells.filter(|cell| occupied.contains(cell)).collect();
            let Some(first) = both.first() else { return Ok(()) };
            let cells = counted(both.len(), "cell is", "cells are");
            Err(Error::input(format!("level: {cells} a stage boundary and also {what}"))
                .at(words::place(first % grid.columns, first / grid.columns))
                .hint(format!(
                    "a stage boundary adds and removes water to keep its level: move the {key} or the level"
                )))
        };
        for layer in &forcing.rates {
            if let Footprint::Cells(cells) = &layer.footprint {
                clash("a source", "source", &mut cells.iter().map(|(cell, _)| *cell))?;
            }
        }
        let rated = forcing.sites.iter().filter(|site| site.given.kind == SiteKind::Rated);
        clash("under a rating curve", "rating", &mut rated.map(|site| site.cell))?;
        let mut top_up = forcing.top_up.iter().map(|(cell, _)| *cell);
        clash("an inflow cell", "inflow cells (inflow_depth)", &mut top_up)?;
        clash("a sink", "sinks", &mut forcing.sinks.iter().copied())
    }
}

/// Describes the place of the cell with the lowest bed, for messages.
fn place_of_lowest(cells: &[usize], ground: Topography) -> String {
    let lowest = cells.iter().min_by_key(|cell| ground.bed.levels[**cell]);
    ground.place(*lowest.expect("levels have cells"))
}

/// Returns the lowest bed of some cells (m).
fn lowest(cells: &[usize], bed: &Bed) -> Metre {
    let lowest = cells.iter().map(|&cell| bed.levels[cell]).min();
    lowest.map_or(f64::INFINITY, |level| f64::from(level) / Bed::PER_METRE)
}
